#!/usr/bin/env python3
"""Writes types.gguf and types.safetensors: one tensor of each supported type, and its values as PyPI's gguf has them.

    pip install numpy gguf==0.19.0
    python3 tests/golden/gguf/make.py

Q8_0, Q4_0, Q4_1 and the plain types are quantised from random numbers. The K types, which the package cannot make, are
random bytes with chosen scales: negative, zero, subnormal and the largest. split-*.gguf are some of the tensors in
three files.
"""

import json
import pathlib
import struct

import gguf
import numpy

OUT = pathlib.Path(__file__).parent
SIMPLE = ["F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1"]
# Name, bytes of a block, where its half-precision scales are.
SUPER = [("Q4_K", 144, (0, 2)), ("Q5_K", 176, (0, 2)), ("Q6_K", 210, (208,))]
SCALES = [0.0123, -0.0123, 0.0, -0.0, 2.0**-24, -(2.0**-15), 1.0, 65504.0]


def simple(name, random):
    values = random.standard_normal((4, 96)).astype(numpy.float32)
    values[1] = 0  # a scale of zero
    values[2] *= 1e-6  # subnormal scales
    values[3, :32] = -numpy.abs(values[3, :32])
    return gguf.quants.quantize(values, gguf.GGMLQuantizationType[name])


def super_blocks(size, places, random):
    blocks = random.integers(0, 256, (len(SCALES), size), dtype=numpy.uint8)
    for i, block in enumerate(blocks):
        for n, place in enumerate(places):
            half = numpy.float16(SCALES[(i + 3 * n) % len(SCALES)])
            block[place:place + 2] = numpy.frombuffer(half.tobytes(), dtype=numpy.uint8)
    return blocks.reshape(4, -1)  # 4 rows of 2 blocks


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, values in tensors.items():
        raw = values.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def add(writer, type_name, raw):
    writer.add_tensor(f"{type_name}.weight", raw, raw_dtype=gguf.GGMLQuantizationType[type_name])


def main():
    random = numpy.random.default_rng(1)
    stored = {name: simple(name, random) for name in SIMPLE}
    stored |= {name: super_blocks(size, places, random) for name, size, places in SUPER}
    writer = gguf.GGUFWriter(OUT / "types.gguf", "llama")
    writer.add_uint8("u8", 255)
    writer.add_int8("i8", -128)
    writer.add_uint16("u16", 65535)
    writer.add_int16("i16", -32768)
    writer.add_uint32("u32", 4294967295)
    writer.add_int32("i32", -2147483648)
    writer.add_uint64("u64", 18446744073709551615)
    writer.add_int64("i64", -9223372036854775808)
    writer.add_float32("f32", 0.1)
    writer.add_float64("f64", 0.1)
    writer.add_bool("yes", True)
    writer.add_string("text", "h\u00e9llo")
    writer.add_array("texts", ["a", "", "\u4f60\u597d"])
    writer.add_array("ints", [1, -2, 3])
    writer.add_array("floats", [0.5, -1.5])
    writer.add_array("bools", [True, False])
    for name, raw in stored.items():
        add(writer, name, raw)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with numpy.errstate(over="ignore"):
        values = {f"{name}.weight": gguf.quants.dequantize(raw, gguf.GGMLQuantizationType[name])
                  for name, raw in stored.items()}
    write_safetensors(OUT / "types.safetensors", values)

    split = gguf.GGUFWriter(OUT / "split", "llama", split_max_tensors=3)
    split.add_string("general.name", "split")
    for name, raw in list(stored.items())[:3] + list(stored.items())[6:]:
        add(split, name, raw)
    extra = numpy.arange(4, dtype=numpy.float32)
    split.add_tensor("last.weight", extra)
    split.write_header_to_file()
    split.write_kv_data_to_file()
    split.write_tensors_to_file()
    split.close()


if __name__ == "__main__":
    main()
