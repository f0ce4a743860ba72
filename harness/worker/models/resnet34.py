"""ResNet-34 v1 for small images: as `resnet18`, with twice the blocks (He et al., 2015)."""

INPUT = "image"
SIZE = 8
SMALLEST = 1
VARIABLE = True


def build(classes):
    from mxnet.gluon.model_zoo import vision

    return vision.get_resnet(1, 34, thumbnail=True, classes=classes)
