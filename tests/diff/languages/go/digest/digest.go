// Package digest has checksums and packing.
package digest

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
)

func fletcher(data []byte) uint64 {
	var a, b uint64
	for _, c := range data {
		a = (a + uint64(c)) % 65535
		b = (b + a) % 65535
	}
	return b<<16 | a
}

func fnv(data []byte) uint64 {
	hash := uint64(14695981039346656037)
	for _, c := range data {
		hash = (hash ^ uint64(c)) * 1099511628211
	}
	return hash
}

func runs(data []byte) []byte {
	var out []byte
	for at := 0; at < len(data); {
		end := at + 1
		for end < len(data) && end-at < 255 && data[end] == data[at] {
			end++
		}
		out = append(out, byte(end-at), data[at])
		at = end
	}
	return out
}

func moveToFront(data []byte) []byte {
	var list [256]byte
	for i := range list {
		list[i] = byte(i)
	}
	out := make([]byte, len(data))
	for i, c := range data {
		place := 0
		for list[place] != c {
			place++
		}
		copy(list[1:place+1], list[:place])
		list[0] = c
		out[i] = byte(place)
	}
	return out
}

type node struct {
	left, right *node
	count       int
}

func codeTree(data []byte) *node {
	counts := map[byte]int{}
	for _, c := range data {
		counts[c]++
	}
	var nodes []*node
	for _, count := range counts {
		nodes = append(nodes, &node{count: count})
	}
	for len(nodes) > 1 {
		a, rest := takeLeast(nodes)
		b, rest := takeLeast(rest)
		nodes = append(rest, &node{a, b, a.count + b.count})
	}
	return nodes[0]
}

func takeLeast(nodes []*node) (*node, []*node) {
	best := 0
	for i := range nodes {
		if nodes[i].count < nodes[best].count {
			best = i
		}
	}
	least := nodes[best]
	nodes[best] = nodes[len(nodes)-1]
	return least, nodes[:len(nodes)-1]
}

func bits(tree *node, depth int) int {
	if tree.left == nil {
		return tree.count * depth
	}
	return bits(tree.left, depth+1) + bits(tree.right, depth+1)
}

// All computes everything of one letter.
func All(data []byte) uint64 {
	sha := sha256.Sum256(data)
	text := hex.EncodeToString(sha[:])
	sum := fletcher(data) + fnv(data) + uint64(crc32.ChecksumIEEE(data))
	return sum + uint64(len(runs(moveToFront(data)))) + uint64(bits(codeTree(data), 0)) + uint64(text[0])
}
