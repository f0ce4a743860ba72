"""Arrays of MXNet's as numbers in double precision."""


def float64(array):
    """Its values, as numpy has them; of bfloat16, which numpy has not, MXNet gives the bits."""
    values = array.asnumpy()
    if values.dtype.names == ("bfloat16",):
        values = (values["bfloat16"].astype("uint32") << 16).view("float32")
    return values.astype("float64")
