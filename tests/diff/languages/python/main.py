"""A weather station's day: reports are written, read, sorted, packed and summed up.

Usage: main.py [ROUNDS]; with SLOWER=1 in the environment smooth does 30 % more.
"""
import os
import sys

import digest
import forecast
import reports
import sorting
import stations


def day(seed, repeats):
    dice = reports.Dice(seed)
    text = reports.write(dice, 60)
    found = reports.read(text)
    total = digest.digest_all(text) + sorting.sort_all(found, dice)
    total += stations.study(found, dice)
    return total + forecast.predict(found, repeats)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    repeats = 520 if os.environ.get("SLOWER") == "1" else 400
    total = 0
    for number in range(1, rounds + 1):
        total = (total * 31 + day(number, repeats)) % 1000003
    print(total)


if __name__ == "__main__":
    main()
