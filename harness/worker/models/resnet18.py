"""ResNet-18 v1 for small images: the zoo's "thumbnail" stem, a 3×3 convolution without pooling (He et al., 2015)."""

INPUT = "image"
SIZE = 8
SMALLEST = 1
VARIABLE = True


def build(classes):
    from mxnet.gluon.model_zoo import vision

    return vision.get_resnet(1, 18, thumbnail=True, classes=classes)
