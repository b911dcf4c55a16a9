package main

import (
	"fmt"
	"sort"
	"strings"
)

type pair struct {
	word  string
	count int
}

func hash(word string) int {
	h := 7
	for i := 0; i < len(word); i++ {
		h = h*31 + int(word[i])
	}
	return h
}

func count(text string) map[string]int {
	counts := map[string]int{}
	for _, word := range strings.Fields(text) {
		counts[word] += hash(word)%3 + 1
	}
	return counts
}

func Map[T, U any](all []T, f func(T) U) []U {
	var out []U
	for _, one := range all {
		out = append(out, f(one))
	}
	return out
}

func sorted(counts map[string]int) []pair {
	var all []pair
	for word, n := range counts {
		all = append(all, pair{word, n})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].count > all[j].count || all[i].word < all[j].word })
	return all
}

func main() {
	var b strings.Builder
	for n := 0; n < 200000; n++ {
		fmt.Fprintf(&b, "w%d ", n*n%9973)
	}
	total := 0
	for round := 0; round < 25; round++ {
		all := sorted(count(b.String()))
		lengths := Map(all, func(p pair) int { return len(p.word) * hash(p.word) })
		total += len(lengths)
	}
	fmt.Println(total)
}
