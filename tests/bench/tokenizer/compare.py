#!/usr/bin/env python3
"""compare.py TOKENIZER_BENCH [TOKENIZER_JSON...]: our tokenizer against the Python package `tokenizers`, one thread each,
on the same documents: this repository's texts and sources, and Chinese sentences. Prints megabytes (10^6 bytes) per second
of processor time of the best of five rounds, the ratio, and whether both made the same number of ids. Without files: all
byte-level and SentencePiece vocabularies of tests/golden. The last line of each is one word of a megabyte."""

import os

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import tokenizers

ROOT = pathlib.Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests/golden/text/tokenizers"
DOCUMENT_BYTES = 8192
SENTENCES = [
    "今天我想用手机打开淘宝，搜索一款性价比高的蓝牙耳机，然后加入购物车。",
    "请点击右上角的设置按钮，等待页面加载完成后再返回上一级菜单。",
    "小红书上有很多关于旅行的笔记，你能帮我找到评价最好的三篇吗？",
    "我需要在美团上订一份外卖，送到公司楼下，大约十二点半到。",
]


def documents():
    """About 3 MB, a quarter of it Chinese, in pieces of DOCUMENT_BYTES at most."""
    texts = []
    for pattern in ("*.md", "text/**/*.cc", "text/**/*.h", "worker/**/*.cc", "gateway/**/*.cc", "tests/unit/**/*.cc"):
        texts += [path.read_text() for path in sorted(ROOT.glob(pattern))]
    texts += [json.loads(line)["text"] for line in (GOLDEN / "glm4/vectors.jsonl").open()]
    chooser = random.Random(1)
    characters = "".join(SENTENCES)
    size = sum(len(text.encode()) for text in texts)
    while size and len(texts) < 100000:
        sentence = chooser.choice(SENTENCES) if chooser.random() < 0.5 else "".join(chooser.sample(characters, 40))
        texts.append(sentence * 3)
        size -= 4 * len(texts[-1].encode())
        if size <= 0:
            break
    chooser.shuffle(texts)
    everything = "\n".join(texts).replace("\0", " ")
    step = DOCUMENT_BYTES // 2
    return [everything[i : i + step] for i in range(0, len(everything), step)]


def theirs(tokenizer, texts):
    best, ids = 1e9, 0
    for _ in range(5):
        start = time.process_time()
        ids = sum(len(tokenizer.encode(text, add_special_tokens=False).ids) for text in texts)
        best = min(best, time.process_time() - start)
    return sum(len(text.encode()) for text in texts) / best / 1e6, ids


def ours(bench, file, texts):
    with tempfile.NamedTemporaryFile() as out:
        out.write("\0".join(texts).encode())
        out.flush()
        speed, ids = subprocess.run([bench, file, out.name], check=True, capture_output=True, text=True).stdout.split()
    return float(speed), int(ids)


def main():
    bench, files = sys.argv[1], sys.argv[2:]
    if not files:
        files = [GOLDEN / name / "tokenizer.json" for name in ("glm4", "llama3", "qwen2", "gpt2", "llama2")]
    mixed = documents()
    word = ["a" * 1_000_000]
    for file in files:
        tokenizer = tokenizers.Tokenizer.from_file(str(file))
        tokenizer.encode_special_tokens = True
        for name, texts in (("mixed", mixed), ("one word", word)):
            (our_speed, our_ids), (speed, ids) = ours(bench, str(file), texts), theirs(tokenizer, texts)
            same = "equal ids" if our_ids == ids else f"{our_ids} ids against {ids}"
            print(f"{pathlib.Path(file).parent.name:10} {name:9} ours {our_speed:7.2f} MB/s  tokenizers {tokenizers.__version__} "
                  f"{speed:6.2f} MB/s  ratio {our_speed / speed:6.2f}  {same}")


if __name__ == "__main__":
    main()
