"""What the stations have reported, and ways between them."""


class Node:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None

    def insert(self, key):
        node = self
        while node.key != key:
            side = "left" if key < node.key else "right"
            child = getattr(node, side)
            if child is None:
                child = Node(key)
                setattr(node, side, child)
            node = child

    def depth(self):
        children = [child.depth() for child in (self.left, self.right) if child]
        return 1 + max(children, default=0)


def by_place(reports):
    groups = {}
    for report in reports:
        groups.setdefault(report.place, []).append(report.degrees)
    return groups


def mean(values):
    return sum(values) / len(values)


def deviation(values):
    middle = mean(values)
    return mean([(value - middle) ** 2 for value in values]) ** 0.5


def fill_tree(dice):
    root = Node(dice.below(100000))
    for _ in range(80):
        root.insert(dice.below(100000))
    return root.depth()


def ways(dice, count):
    return [[1 + dice.below(100) for _ in range(count)] for _ in range(count)]


def nearest(away, done):
    return min((place for place in range(len(away)) if place not in done), key=away.__getitem__)


def shortest(graph):
    away, done = [0] + [10**9] * (len(graph) - 1), set()
    while len(done) < len(graph):
        place = nearest(away, done)
        done.add(place)
        for to, way in enumerate(graph[place]):
            away[to] = min(away[to], away[place] + way)
    return sum(away)


def table(groups):
    lines = [f"{place:<10}{mean(values):>8.2f}" for place, values in sorted(groups.items())]
    return "\n".join(lines).title()


def study(reports, dice):
    groups = by_place(reports)
    spread = sum(int(deviation(values)) for values in groups.values())
    return spread + fill_tree(dice) + shortest(ways(dice, 14)) + len(table(groups))
