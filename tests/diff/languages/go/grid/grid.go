// Package grid plans ways on a map: what takes the longest.
package grid

import "post/text"

const size = 48

// Spread is the hot function: how heat spreads from cell to cell.
//
//go:noinline
func Spread(cells, next []int32, repeats int) int32 {
	for repeat := 0; repeat < repeats; repeat++ {
		for row := 1; row < size-1; row++ {
			for column := 1; column < size-1; column++ {
				at := row*size + column
				around := cells[at-1] + cells[at+1] + cells[at-size] + cells[at+size]
				next[at] = (around + 4*cells[at]) / 8
			}
		}
		cells, next = next, cells
	}
	return cells[size*size/2]
}

func fill(random *text.Random) []int32 {
	cells := make([]int32, size*size)
	for i := range cells {
		cells[i] = int32(random.Below(1000))
	}
	return cells
}

type place struct{ row, column int }

func neighbours(at place) []place {
	var found []place
	for _, step := range []place{{0, 1}, {1, 0}, {0, -1}, {-1, 0}} {
		to := place{at.row + step.row, at.column + step.column}
		if to.row >= 0 && to.row < size && to.column >= 0 && to.column < size {
			found = append(found, to)
		}
	}
	return found
}

func reach(cells []int32) int {
	seen := map[place]bool{{0, 0}: true}
	waiting := []place{{0, 0}}
	for len(waiting) > 0 && len(seen) < 300 {
		at := waiting[0]
		waiting = waiting[1:]
		for _, to := range neighbours(at) {
			if !seen[to] && cells[to.row*size+to.column] > 100 {
				seen[to] = true
				waiting = append(waiting, to)
			}
		}
	}
	return len(seen)
}

func rowSums(cells []int32) []int64 {
	sums := make([]int64, size)
	for i, cell := range cells {
		sums[i/size] += int64(cell)
	}
	return sums
}

// Plan finds a way.
func Plan(random *text.Random, repeats int) uint64 {
	cells := fill(random)
	heat := Spread(append([]int32(nil), cells...), make([]int32, size*size), repeats)
	return uint64(heat) + uint64(reach(cells)) + uint64(rowSums(cells)[3])
}
