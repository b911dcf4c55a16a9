"""What the weather will be: what takes the longest."""


def smooth(values, repeats):
    """The hot function: each value becomes the mean of three."""
    last = len(values) - 1
    for _ in range(repeats):
        before = values[0]
        for at in range(1, last):
            now = values[at]
            values[at] = (before + now + values[at + 1]) / 3
            before = now
    return values[last // 2]


def trend(values):
    rises = [after - before for before, after in zip(values, values[1:])]
    return sum(rises) / len(rises)


def predict(reports, repeats):
    degrees = [report.degrees for report in reports]
    return int(smooth(degrees, repeats) + trend(degrees))
