#!/usr/bin/env python3
"""What stack-diff should find in the recorded runs, computed with numpy and scipy.

Usage: oracle.py FOLDER-OF-RUNS OUTPUT-FOLDER

It writes a file CASE.tsv.gz for each case: function, `self` or `total`, the means
before and after, their difference, two standard errors, and whether Holm's
procedure rejects noise; shares in percent, or weights. The first line says how
much functions vary between runs, in percent.
"""
import gzip
import sys

import numpy as np
from scipy import stats

CASES = {
    # name: (runs before, runs after, shares or weights)
    "one-each": (["base-01"], ["slower-01"], "shares"),
    "five-each": (["base-%02d" % i for i in range(1, 6)],
                  ["slower-%02d" % i for i in range(1, 6)], "shares"),
    "five-each-absolute": (["base-%02d" % i for i in range(1, 6)],
                           ["slower-%02d" % i for i in range(1, 6)], "weights"),
    "unequal": (["double"], ["slower-06", "slower-07", "slower-08"], "shares"),
}


def profile(path):
    """Self and total weights of each function, and the weight of all."""
    own, total, whole = {}, {}, 0
    for line in gzip.open(path, "rt"):
        stack, count = line.rstrip("\n").rsplit(" ", 1)
        frames = stack.split(";")
        whole += int(count)
        own[frames[-1]] = own.get(frames[-1], 0) + int(count)
        for frame in set(frames):
            total[frame] = total.get(frame, 0) + int(count)
    return own, total, whole


def holm(p, alpha):
    listed = np.zeros(len(p), bool)
    for rank, index in enumerate(np.argsort(p, kind="stable")):
        if p[index] > alpha / (len(p) - rank):
            break
        listed[index] = True
    return listed


def weighted_median(values, weights):
    order = np.argsort(values)
    sums = np.cumsum(weights[order])
    return values[order][np.searchsorted(sums, sums[-1] / 2)]


def compare(before, after, kind, floor=0.01, alpha=0.01):
    runs = before + after
    n1, n2 = len(before), len(after)
    names = sorted({name for _, total, _ in runs for name in total})
    keys = [(name, which) for name in names for which in ("self", "total")]
    weights = np.array([[run[which == "total"].get(name, 0) for name, which in keys]
                        for run in runs], float)
    size = np.array([whole for _, _, whole in runs], float)
    if kind == "shares":
        # The size of equal runs whose means would be as exact.
        mean_size = (1 / n1 + 1 / n2) / ((1 / size[:n1]).sum() / n1**2 + (1 / size[n1:]).sum() / n2**2)
        x = weights / size[:, None] * mean_size
        unit = 100 / mean_size
    else:
        x, unit = weights, 1
        keys.append(("", "whole"))
        x = np.hstack([x, size[:, None]])
    # A function that calls nothing is one test, not two.
    leaf = np.array([which == "total" and (x[:, i] == x[:, i - 1]).all()
                     for i, (_, which) in enumerate(keys)])
    tested = (x.sum(0) >= 10) & ~leaf
    a, b = x[:n1], x[n1:]
    difference, mu, df = b.mean(0) - a.mean(0), x.mean(0), n1 + n2 - 2
    q = np.maximum(1 - mu / mean_size, 1e-4) if kind == "shares" else np.ones(len(mu))
    variation = floor
    own = np.zeros(len(mu))
    if df:
        own = (((a - a.mean(0))**2).sum(0) + ((b - b.mean(0))**2).sum(0)) / df
        if kind == "shares":
            # After scaling to that size, counts of shorter runs vary more than those of equal runs.
            own /= sum((len(side) - 1) * (mean_size / side).mean() for side in (size[:n1], size[n1:])) / df
        known = tested & (mu >= 30) & np.array([which != "whole" for _, which in keys])
        excess = (own / (stats.chi2.ppf(0.5, df) / df) - mu * q)[known] / (mu * q)[known]**2
        # The heavier a function, the more its variation shows.
        variation = max(floor, np.sqrt(max(weighted_median(excess, (mu * q)[known]), 0)))
    variance = mu * q + (variation * mu * q)**2
    if df:
        both = (variance + own) / 2
        variance = np.max([both, own, mu * q + (floor * mu * q)**2], axis=0)
    error = np.sqrt(variance * (1 / n1 + 1 / n2))
    beyond = np.maximum(abs(difference) - 0.5 / min(n1, n2), 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stats.norm.sf(np.where(beyond == 0, 0, beyond / error))
    listed = np.zeros(len(keys), bool)
    listed[tested] = holm(p[tested], alpha)
    for i in np.nonzero(leaf)[0]:
        listed[i] = listed[i - 1]
    rows = zip(keys, a.mean(0) * unit, b.mean(0) * unit, difference * unit, 2 * error * unit, listed)
    return variation, list(rows)


def main(folder, output):
    for case, (before, after, kind) in CASES.items():
        sides = [[profile(f"{folder}/{name}.folded.gz") for name in side] for side in (before, after)]
        variation, rows = compare(*sides, kind)
        lines = [f"{100 * variation:.6f}"]
        for (name, which), *numbers, listed in rows:
            numbers = "\t".join(f"{number:.6f}" for number in numbers)
            lines.append(f"{name}\t{which}\t{numbers}\t{int(listed)}")
        with open(f"{output}/{case}.tsv.gz", "wb") as out:
            text = "".join(line + "\n" for line in lines)
            out.write(gzip.compress(text.encode(), 9, mtime=0))


main(*sys.argv[1:])
