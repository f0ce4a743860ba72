"""What reads files of other programs: iterators over text, digits and images, and decoders of images, as programs.

A batch may lie where the next one will, so that values are taken at once.
"""

from __future__ import annotations

_JPEG = (
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAx"
    "NDQ0Hyc5PTgyPC4zNDL/2wBDAQkJCQwLDBgNDRgyIRwhMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIy"
    "MjIyMjIyMjL/wAARCAAQABADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAABgf/xAAcEAABAwUAAAAAAAAAAAAAAAARAAQS"
    "BRQigfH/xAAUAQEAAAAAAAAAAAAAAAAAAAAA/8QAIREAAQMBCQAAAAAAAAAAAAAAEQAFEhMEBiFBgqGistH/2gAMAwEAAhEDEQA/"
    "AJ8woVmMJz0B1J2FCsxhOegOpIwoVkMJz0B1J2FCsxhOegOpa3WlnCGqlLvPil33sjEnfwL/2Q=="
)
"""16 times 16 points, colours at half the resolution."""

_PNG = """\
import struct
import zlib

pixels = np.c_[np.zeros((9, 1)), np.random.RandomState(0).randint(0, 255, (9, 30))].astype("uint8")
image = b"\\x89PNG\\r\\n\\x1a\\n"
head = struct.pack(">IIBBBBB", 10, 9, 8, 2, 0, 0, 0)
for kind, data in ((b"IHDR", head), (b"IDAT", zlib.compress(pixels.tobytes())), (b"IEND", b"")):
    image += struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
"""
_OF_JPEG = f"""\
import base64

image = base64.b64decode({_JPEG!r})
"""
_IMAGES = """\
records = mx.recordio.MXIndexedRecordIO("images.idx", "images.rec", "w")
for number in range(5):
    records.write_idx(number, mx.recordio.pack(mx.recordio.IRHeader(0, number, number, 0), image))
records.close()
"""
_TABLE = """\
np.savetxt("data.csv", np.random.RandomState(0).standard_normal((10, 3)), "%.6f", ",")
np.savetxt("labels.csv", np.arange(10), "%d")
"""
_SPARSE = """\
with open("data.libsvm", "w") as file:
    file.writelines("%d %d:0.5 %d:%d\\n" % (each % 3, each % 4, 4 + each % 3, each) for each in range(10))
"""
_DIGITS = """\
digits = np.random.RandomState(0).randint(0, 255, (10, 28, 28)).astype("uint8")
with open("images", "wb") as file:
    file.write(np.array([2051, 10, 28, 28], ">i4").tobytes() + digits.tobytes())
with open("labels", "wb") as file:
    file.write(np.array([2049, 10], ">i4").tobytes() + np.arange(10).astype("uint8").tobytes())
"""
_BATCHES = "outputs = [each.asnumpy() for batch in {made} for each in (*batch.data, *batch.label)]\n"
_OF_RECORDS = "path_imgrec='images.rec', data_shape=(3, 8, 8), batch_size=2"

PROGRAMS = {
    "gluon.data.vision.ImageRecordDataset": f"{_PNG}{_IMAGES}"
    "pairs = gluon.data.vision.ImageRecordDataset('images.rec')\n"
    "outputs = [pairs[2][0], np.array(pairs[2][1]), np.array(len(pairs))]\n",
    "image.ImageIter": _PNG
    + _IMAGES
    + _BATCHES.format(made=f"mx.image.ImageIter({_OF_RECORDS}, path_imgidx='images.idx')"),
    "image.imdecode": f"{_OF_JPEG}outputs = [mx.image.imdecode(image)]\n",
    "image.imdecode.grey": f"{_OF_JPEG}outputs = [mx.image.imdecode(image, flag=0)]\n",
    "image.imdecode.png": f"{_PNG}outputs = [mx.image.imdecode(image)]\n",
    "image.imresize": f"{_OF_JPEG}outputs = [mx.image.imresize(mx.image.imdecode(image), 11, 23)]\n",
    "io.CSVIter": _TABLE
    + _BATCHES.format(made="mx.io.CSVIter(data_csv='data.csv', data_shape=(3,), label_csv='labels.csv', batch_size=4)"),
    "io.ImageRecordIter": _OF_JPEG
    + _IMAGES
    + _BATCHES.format(made=f"mx.io.ImageRecordIter({_OF_RECORDS}, preprocess_threads=1)"),
    "io.ImageRecordIter.augmented": _OF_JPEG
    + _IMAGES
    + _BATCHES.format(
        made=f"mx.io.ImageRecordIter({_OF_RECORDS}, preprocess_threads=1, resize=12, mean_r=99, std_r=2, scale=0.5)"
    ),
    "io.LibSVMIter": _SPARSE
    + _BATCHES.format(made="mx.io.LibSVMIter(data_libsvm='data.libsvm', data_shape=(7,), batch_size=4)"),
    "io.MNISTIter": _DIGITS
    + _BATCHES.format(made="mx.io.MNISTIter(image='images', label='labels', batch_size=4, shuffle=False)"),
}
"""Names with the program of each."""
