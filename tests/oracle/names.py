#!/usr/bin/env python3
"""Checks the names and places that stack-symbols gives to OCaml functions.

    stack-symbols PROGRAM | names.py PROGRAM TRUTH

TRUTH is the output of truth/truth.ml for the program's sources. A function is
checked if objdump knows the line where its code begins, and a function of the
sources begins there. Prints how many rows of each mark are right, in a part of
their path, or wrong; then a line "!" for each row that is wrong and no guess.
"""
import collections, re, subprocess, sys

program, truth_file = sys.argv[1:]
truth = collections.defaultdict(set)
with open(truth_file, errors="replace") as rows:
    for row in rows:
        file, first, _, kind, path = row.rstrip("\n").split("\t")
        truth[file, int(first)].add((kind, path))

# The first line of an address is that of the function, others are of inlined functions.
lines = {}
dump = subprocess.run(["objdump", "--dwarf=decodedline", program], capture_output=True, check=True)
for row in dump.stdout.decode("utf8", "replace").split("\n"):
    found = re.match(r"(\S+)\s+(\d+)\s+0x([0-9a-f]+)", row)
    if found and found[2] != "0":
        lines.setdefault(int(found[3], 16), (found[1].split("/")[-1], int(found[2])))


def decoded(symbol):
    return re.sub(r"\$([0-9a-f]{2})", lambda code: chr(int(code[1], 16)), symbol)


def verdict(symbol, name, paths):
    plain = re.sub(r"/\d+\)$", ")", name)
    if any(plain == path or plain.endswith("." + path) for path in paths):
        return "right"
    # A guess within a value that is not a function, such as a partial application.
    value = re.sub(r"\.\(fun/\d+\)$", "", name)
    if value != name and any(value.endswith("." + path) for path in paths):
        return "part"
    identifier = re.sub(r"_\d+$", "", decoded(symbol))
    for path in paths:
        last = path.split(".")[-1].strip("()")
        if re.search(r"(__|\.)" + re.escape(last) + "(_inner)?$", identifier) and last in name:
            return "part"
    return "wrong"


count, wrong, seen = collections.Counter(), [], set()
for row in list(sys.stdin)[1:]:
    symbol, name, place, address, mark = row.rstrip("\n").split("\t")
    at = int(address, 16)
    if not re.match(r"caml[A-Z]", symbol) or re.search(r"code_(begin|end)$", symbol) or at in seen:
        continue
    seen.add(at)
    if re.search(r"(__|\.)entry$", symbol):
        found = "right" if mark == "exact" and name.endswith(".(toplevel)") else "wrong"
        mark = "toplevel"
    else:
        starts = truth.get(lines.get(at), ())
        paths = {path for kind, path in starts if kind != "val"} or {path for _, path in starts}
        found = verdict(symbol, name, paths) if paths else "unknown"
    count[mark, found] += 1
    if found == "wrong" and mark != "guess":
        wrong.append((symbol, name, mark))
    if at in lines:
        file, line = place.rsplit(":", 1) if ":" in place else (place, 0)
        count["place", "right" if (file.split("/")[-1], int(line)) == lines[at] else "wrong"] += 1

for (mark, found), rows in sorted(count.items()):
    print(mark, found, rows)
for row in wrong:
    print("!", *row)
