"""Ways to sort."""
import heapq


def merge(left, right):
    out, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            out.append(left[i])
            i += 1
        else:
            out.append(right[j])
            j += 1
    return out + left[i:] + right[j:]


def merge_sort(numbers):
    if len(numbers) < 2:
        return numbers
    middle = len(numbers) // 2
    return merge(merge_sort(numbers[:middle]), merge_sort(numbers[middle:]))


def quick_sort(numbers):
    if len(numbers) < 2:
        return numbers
    pivot, rest = numbers[0], numbers[1:]
    low = [number for number in rest if number < pivot]
    high = [number for number in rest if number >= pivot]
    return quick_sort(low) + [pivot] + quick_sort(high)


def insertion_sort(numbers):
    numbers = list(numbers)
    for i in range(1, len(numbers)):
        kept, at = numbers[i], i
        while at and numbers[at - 1] > kept:
            numbers[at] = numbers[at - 1]
            at -= 1
        numbers[at] = kept
    return numbers


def heap_sort(numbers):
    heap = []
    for number in numbers:
        heapq.heappush(heap, number)
    return [heapq.heappop(heap) for _ in numbers]


def coldest(reports):
    return sorted(reports, key=lambda report: report.key())[0].number


def sort_all(reports, dice):
    numbers = [dice.next() for _ in range(150)]
    ways = [merge_sort(numbers), quick_sort(numbers), heap_sort(numbers)]
    ways.append(insertion_sort(numbers[:50]))
    return coldest(reports) + ways[0][3] % 100 + (ways[0] == ways[1] == ways[2])
