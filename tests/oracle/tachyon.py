"""Writes the profiles in tests/golden/formats/tachyon, by the grammar alone: InternalDocs/
profiling_binary_format.md of CPython, whose release with the profiler was not at hand.

Usage: tachyon.py FOLDER

Prints for each file how many samples it wrote. It needs the program zstd.
"""

import pathlib
import struct
import subprocess
import sys

START = 1_700_000_000_000_000
MAGIC = 0x54414348
REPEAT, FULL, SUFFIX, POP_PUSH = range(4)
GIL, CPU, EXCEPTION = 1, 2, 16

STRINGS = ["app.py", "main", "work", "café; x", "~", "<GC>", "/lib/json.py", "loads"]
# File, name, line; entries that are not code have the line -1.
FRAMES = [(0, 1, 3), (0, 2, 14), (0, 3, 200), (4, 5, -1), (6, 7, 9)]


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def zigzag(number):
    return varint(number * 2 if number >= 0 else -number * 2 - 1)


class Writer:
    def __init__(self, order, version, compressed):
        self.order, self.version, self.compressed = order, version, compressed
        self.body, self.samples = bytearray(), 0

    def record(self, thread, interpreter, encoding, *parts):
        self.body += struct.pack(self.order + "QIB", thread, interpreter, encoding)
        for part in parts:
            self.body += part

    def one(self, thread, encoding, delta, state, kept, frames, interpreter=0):
        self.samples += 1
        head = varint(delta) + bytes([state])
        kept = b"" if kept is None else varint(kept)
        frames = varint(len(frames)) + b"".join(map(varint, frames))
        self.record(thread, interpreter, encoding, head, kept, frames)

    def repeat(self, thread, *pairs):
        self.samples += len(pairs)
        pairs = [varint(delta) + bytes([state]) for delta, state in pairs]
        self.record(thread, 0, REPEAT, varint(len(pairs)), *pairs)

    def file(self):
        body = bytes(self.body)
        if self.compressed:
            body = subprocess.run(["zstd", "-5", "-c"], input=body, capture_output=True).stdout
        strings = b"".join(varint(len(it.encode())) + it.encode() for it in STRINGS)
        # The line ends where it begins, columns are not known, and there is no opcode.
        rest = zigzag(0) + zigzag(-1) + zigzag(0) + b"\xff"
        frames = b"".join(
            varint(file) + varint(name) + zigzag(line) + rest for file, name, line in FRAMES
        )
        at = 64 + len(body)
        header = struct.pack(self.order + "II4B", MAGIC, self.version, 3, 15, 0, 0)
        header += struct.pack(self.order + "QQ", START, 1000)
        header += struct.pack(self.order + ("I" if self.version == 1 else "Q"), self.samples)
        header += struct.pack(self.order + "IQQI", 3, at, at + len(strings), self.compressed)
        # The statistics that newer files have, with doubles and a signature.
        stats = struct.pack(self.order + "4dII8sII", 1, 2, 3, 4, 15, 0, b"TACHSTAT", 1, 56)
        stats = stats if self.version == 2 else b""
        size = at + len(strings) + len(frames) + len(stats) + 32
        footer = struct.pack(self.order + "IIQ16x", len(STRINGS), len(FRAMES), size)
        return header.ljust(64, b"\0") + body + strings + frames + stats + footer


def fill(out, rounds=1):
    for _ in range(rounds):
        out.one(7, FULL, 100, GIL | CPU, None, [1, 0])
        out.one(1 << 40, FULL, 150, 0, None, [4, 0])
        out.repeat(7, (1000, GIL | CPU), (999, GIL), (1001, CPU))
        # work calls the one with the accent, which collects garbage.
        out.one(7, SUFFIX, 1000, GIL, 2, [3, 2])
        out.one(7, POP_PUSH, 1000, GIL | EXCEPTION, 3, [4])
        out.repeat(1 << 40, (3000, 0))
        out.one(7, POP_PUSH, 1000, GIL, 1, [])
        # The same thread in another interpreter has its own stack.
        out.one(7, FULL, 10, CPU, None, [0], interpreter=1)
    return out


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, out in (
        ("little.bin", fill(Writer("<", 2, 0))),
        ("big-old.bin", fill(Writer(">", 1, 0))),
        ("zstd.bin", fill(Writer("<", 2, 1), 40)),
    ):
        (folder / name).write_bytes(out.file())
        print(name, out.samples)


if __name__ == "__main__":
    main()
