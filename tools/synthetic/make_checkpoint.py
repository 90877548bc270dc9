#!/usr/bin/env python3
"""Writes a checkpoint of AutoGLM-Phone-9B's true names, shapes and sharding, with made-up weights, to test loading with.

    make_checkpoint.py OUT --like models/autoglm-phone-tiny [--fill] [--layers N] [--seed N]

Tokenizer, template and image rules are those of the folder named by --like; config.json is its, with the sizes of the large
model. Each matrix begins with random numbers; the rest is a hole in the file that reads as zeros and takes no disk, unless --fill
asks for all of the 20.6 GB. Norms are 1, biases 0. --layers makes it smaller.
"""

import argparse
import array
import json
import pathlib
import random
import shutil
import struct
import sys

TEXT = {
    "vocab_size": 151552, "hidden_size": 4096, "intermediate_size": 13696, "num_hidden_layers": 40, "num_attention_heads": 32,
    "num_key_value_heads": 2, "head_dim": 128, "max_position_embeddings": 65536, "rope_theta": 10000.0,
    "partial_rotary_factor": 0.5, "rms_norm_eps": 1e-05, "rope_scaling": {"rope_type": "default", "mrope_section": [8, 12, 12]},
}
VISION = {
    "depth": 24, "hidden_size": 1536, "num_heads": 12, "intermediate_size": 13696, "out_hidden_size": 4096, "image_size": 336,
    "patch_size": 14, "in_channels": 3, "spatial_merge_size": 2, "temporal_patch_size": 2, "rms_norm_eps": 1e-05,
}
SHARD_BYTES = 5_000_000_000  # what save_pretrained starts a new file at
RANDOM_VALUES = 1 << 15  # of a block that is repeated


def text_tensors(layers):
    hidden, mlp = TEXT["hidden_size"], TEXT["intermediate_size"]
    query = TEXT["num_attention_heads"] * TEXT["head_dim"]
    key = TEXT["num_key_value_heads"] * TEXT["head_dim"]
    yield "model.language_model.embed_tokens.weight", [TEXT["vocab_size"], hidden]
    for layer in range(layers):
        at = f"model.language_model.layers.{layer}."
        for norm in ("input_layernorm", "post_self_attn_layernorm", "post_attention_layernorm", "post_mlp_layernorm"):
            yield at + norm + ".weight", [hidden]
        for name, rows in (("q_proj", query), ("k_proj", key), ("v_proj", key)):
            yield f"{at}self_attn.{name}.weight", [rows, hidden]
            yield f"{at}self_attn.{name}.bias", [rows]
        yield at + "self_attn.o_proj.weight", [hidden, query]
        yield at + "mlp.gate_up_proj.weight", [2 * mlp, hidden]
        yield at + "mlp.down_proj.weight", [hidden, mlp]
    yield "model.language_model.norm.weight", [hidden]
    yield "lm_head.weight", [TEXT["vocab_size"], hidden]


def vision_tensors(blocks):
    width, out, mlp = VISION["hidden_size"], VISION["out_hidden_size"], VISION["intermediate_size"]
    patch, merge, at = VISION["patch_size"], VISION["spatial_merge_size"], "model.visual."
    yield at + "patch_embed.proj.weight", [width, VISION["in_channels"], VISION["temporal_patch_size"], patch, patch]
    yield at + "patch_embed.proj.bias", [width]
    yield at + "post_conv_layernorm.weight", [width]
    yield at + "embeddings.position_embedding.weight", [(VISION["image_size"] // patch) ** 2, width]
    for block in range(blocks):
        inside = f"{at}blocks.{block}."
        yield inside + "norm1.weight", [width]
        yield inside + "norm2.weight", [width]
        yield inside + "attn.qkv.weight", [3 * width, width]
        yield inside + "attn.proj.weight", [width, width]
        yield inside + "mlp.gate_proj.weight", [out, width]  # a block's inner width is out_hidden_size
        yield inside + "mlp.up_proj.weight", [out, width]
        yield inside + "mlp.down_proj.weight", [width, out]
    yield at + "post_layernorm.weight", [width]
    yield at + "downsample.weight", [out, width, merge, merge]
    yield at + "downsample.bias", [out]
    yield at + "merger.proj.weight", [out, out]
    yield at + "merger.post_projection_norm.weight", [out]
    yield at + "merger.post_projection_norm.bias", [out]
    yield at + "merger.gate_proj.weight", [mlp, out]
    yield at + "merger.up_proj.weight", [mlp, out]
    yield at + "merger.down_proj.weight", [out, mlp]


def bytes_of(shape):
    count = 2
    for side in shape:
        count *= side
    return count


def bfloat16(values):
    """The upper halves of the floats."""
    return array.array("H", (struct.unpack("<I", struct.pack("<f", value))[0] >> 16 for value in values)).tobytes()


def shards(tensors):
    """Lists of (name, shape) of at most SHARD_BYTES each."""
    current, size = [], 0
    for name, shape in tensors:
        if current and size + bytes_of(shape) > SHARD_BYTES:
            yield current
            current, size = [], 0
        current.append((name, shape))
        size += bytes_of(shape)
    yield current


def write_shard(path, tensors, block, fill):
    header, end = {}, 0
    for name, shape in tensors:
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [end, end + bytes_of(shape)]}
        end += bytes_of(shape)
    text = json.dumps({"__metadata__": {"format": "pt"}, **header}).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        start = out.tell()
        for name, shape in tensors:
            first, last = header[name]["data_offsets"]
            out.seek(start + first)
            size = last - first
            if name.endswith("norm.weight") or ".norm" in name and name.endswith(".weight"):
                out.write(bfloat16([1.0]) * (size // 2))
            elif not name.endswith(".bias"):
                for _ in range(size // len(block) if fill else 0):
                    out.write(block)
                out.write(block[: size % len(block) if fill else min(size, len(block))])
        out.truncate(start + end)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--like", type=pathlib.Path, required=True)
    parser.add_argument("--fill", action="store_true")
    parser.add_argument("--layers", type=int, default=TEXT["num_hidden_layers"])
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True)
    for file in arguments.like.iterdir():
        if file.suffix in (".json", ".jinja") and file.name != "model.safetensors.index.json":
            shutil.copyfile(file, arguments.out / file.name)
    config = json.loads((arguments.like / "config.json").read_text())
    config["text_config"].update(TEXT, num_hidden_layers=arguments.layers)
    config["vision_config"].update(VISION)
    (arguments.out / "config.json").write_text(json.dumps(config, indent=2))

    numbers = random.Random(arguments.seed)
    block = bfloat16(numbers.gauss(0, 0.02) for _ in range(RANDOM_VALUES))
    tensors = [*text_tensors(arguments.layers), *vision_tensors(VISION["depth"])]
    files = list(shards(tensors))
    index = {}
    for number, content in enumerate(files, 1):
        name = f"model-{number:05d}-of-{len(files):05d}.safetensors"
        write_shard(arguments.out / name, content, block, arguments.fill)
        index.update((tensor, name) for tensor, _ in content)
    total = sum(bytes_of(shape) for _, shape in tensors)
    (arguments.out / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {"total_size": total}, "weight_map": index}, indent=2, sort_keys=True))
    print(f"{len(tensors)} tensors, {total // 2} parameters, {total} bytes in {len(files)} files in {arguments.out}", file=sys.stderr)


if __name__ == "__main__":
    main()
