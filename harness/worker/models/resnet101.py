"""ResNet-101 v1 for small images: as `resnet50`, with more bottlenecks in its third part (He et al., 2015)."""

INPUT = "image"
SIZE = 8
SMALLEST = 1
VARIABLE = True


def build(classes):
    from mxnet.gluon.model_zoo import vision

    return vision.get_resnet(1, 101, thumbnail=True, classes=classes)
