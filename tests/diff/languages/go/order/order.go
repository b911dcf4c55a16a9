// Package order sorts and finds letters.
package order

import (
	"container/heap"
	"sort"
	"strings"

	"post/text"
)

type tree struct {
	left, right *tree
	key         uint64
}

func (t *tree) insert(key uint64) *tree {
	if t == nil {
		return &tree{key: key}
	}
	if key < t.key {
		t.left = t.left.insert(key)
	} else {
		t.right = t.right.insert(key)
	}
	return t
}

func (t *tree) depth() int {
	if t == nil {
		return 0
	}
	left, right := t.left.depth(), t.right.depth()
	if left < right {
		left = right
	}
	return left + 1
}

func fillTree(random *text.Random) int {
	var root *tree
	for i := 0; i < 600; i++ {
		root = root.insert(random.Next())
	}
	return root.depth()
}

func byTown(letters []text.Letter) []text.Letter {
	sorted := append([]text.Letter(nil), letters...)
	sort.SliceStable(sorted, func(i, j int) bool { return strings.Compare(sorted[i].Town, sorted[j].Town) < 0 })
	return sorted
}

type byWeight []text.Letter

func (b byWeight) Len() int           { return len(b) }
func (b byWeight) Less(i, j int) bool { return b[i].Weight < b[j].Weight }
func (b byWeight) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b *byWeight) Push(x any)        { *b = append(*b, x.(text.Letter)) }
func (b *byWeight) Pop() any {
	last := (*b)[len(*b)-1]
	*b = (*b)[:len(*b)-1]
	return last
}

func lightest(letters []text.Letter) int {
	var waiting byWeight
	for _, letter := range letters {
		heap.Push(&waiting, letter)
	}
	sum := 0
	for i := 0; i < 20; i++ {
		sum = sum*3 + heap.Pop(&waiting).(text.Letter).Weight
	}
	return sum
}

func mergeSort(numbers []uint64) []uint64 {
	if len(numbers) < 2 {
		return numbers
	}
	return merge(mergeSort(numbers[:len(numbers)/2]), mergeSort(numbers[len(numbers)/2:]))
}

func merge(left, right []uint64) []uint64 {
	out := make([]uint64, 0, len(left)+len(right))
	for len(left) > 0 && len(right) > 0 {
		if left[0] <= right[0] {
			out, left = append(out, left[0]), left[1:]
		} else {
			out, right = append(out, right[0]), right[1:]
		}
	}
	return append(append(out, left...), right...)
}

func radixSort(numbers []uint64) []uint64 {
	from, to := append([]uint64(nil), numbers...), make([]uint64, len(numbers))
	for shift := 0; shift < 32; shift += 8 {
		var starts [257]int
		for _, number := range from {
			starts[number>>shift&255+1]++
		}
		for i := 1; i < 257; i++ {
			starts[i] += starts[i-1]
		}
		for _, number := range from {
			to[starts[number>>shift&255]] = number
			starts[number>>shift&255]++
		}
		from, to = to, from
	}
	return from
}

func groups(letters []text.Letter) map[string][]int {
	found := map[string][]int{}
	for _, letter := range letters {
		key := letter.Town + "/" + letter.To
		found[key] = append(found[key], letter.Number)
	}
	return found
}

// All sorts in all ways.
func All(letters []text.Letter, random *text.Random) uint64 {
	numbers := make([]uint64, 800)
	for i := range numbers {
		numbers[i] = random.Next() & 0xffffffff
	}
	sum := uint64(byTown(letters)[7].Number + lightest(letters) + fillTree(random) + len(groups(letters)))
	return sum + mergeSort(numbers)[5] + radixSort(numbers)[9]
}
