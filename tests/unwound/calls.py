"""Functions of Python whose callers are known: main calls work, it calls map and sorted, written in
C, and these call key, which calls leaf."""

import sys


def leaf(number):
    total = 0
    for index in range(number):
        total += index * index
    return total


def key(number):
    return leaf(200) + number


def mapped(numbers):
    return sum(map(key, numbers))


def ordered(numbers):
    return len(sorted(numbers, key=key))


def work(rounds):
    numbers = list(range(50))
    return sum(mapped(numbers) + ordered(numbers) for _ in range(rounds))


def main():
    work(int(sys.argv[1]))


if __name__ == "__main__":
    main()
