"""Checksums and packing."""


def adler(data):
    a, b = 1, 0
    for byte in data:
        a = (a + byte) % 65521
        b = (b + a) % 65521
    return b << 16 | a


def fnv(data):
    value = 2166136261
    for byte in data:
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return value


def pack_runs(data):
    out, start = bytearray(), 0
    while start < len(data):
        end = start + 1
        while end < len(data) and data[end] == data[start]:
            end += 1
        out += bytes([end - start, data[start]])
        start = end
    return out


def frequencies(data):
    counts = {}
    for byte in data:
        counts[byte] = counts.get(byte, 0) + 1
    return counts


def take_least(trees):
    best = min(range(len(trees)), key=lambda i: trees[i][0])
    return trees.pop(best)


def code_tree(counts):
    trees = [(count, byte) for byte, count in sorted(counts.items())]
    while len(trees) > 1:
        a, b = take_least(trees), take_least(trees)
        trees.append((a[0] + b[0], (a, b)))
    return trees[0]


def bits(tree, depth):
    count, rest = tree
    if isinstance(rest, int):
        return count * depth
    return bits(rest[0], depth + 1) + bits(rest[1], depth + 1)


def hexadecimal(data):
    return "".join("%02x" % byte for byte in data[:200])


def digest_all(text):
    data = text.encode()
    packed = len(pack_runs(data)) + len(hexadecimal(data))
    return adler(data) + fnv(data) + packed + bits(code_tree(frequencies(data)), 0)
