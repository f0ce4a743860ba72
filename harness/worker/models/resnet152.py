"""ResNet-152 v1 for small images: the deepest of the paper (He et al., 2015)."""

INPUT = "image"
SIZE = 8
SMALLEST = 1
VARIABLE = True


def build(classes):
    from mxnet.gluon.model_zoo import vision

    return vision.get_resnet(1, 152, thumbnail=True, classes=classes)
