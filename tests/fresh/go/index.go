// Package main spends its time and its memory in rebuildIndex, until RUN_FOR seconds have passed.
package main

import (
	"fmt"
	"net/http"
	_ "net/http/pprof"
	"os"
	"strconv"
	"sync"
	"time"
)

var (
	kept map[int][]int
	turn sync.Mutex
)

// The words of a name are joined here as in the other programs, for those who look for it.
func rebuild_index(end time.Time) {
	turn.Lock()
	defer turn.Unlock()
	for time.Now().Before(end) {
		kept = map[int][]int{}
		for word := 0; word < 20000; word++ {
			letters := make([]int, 8)
			// Work of its own, or the collector would have most of the time.
			for letter := 0; letter < 400; letter++ {
				letters[letter%8] += word * letter
			}
			kept[word*7919%50021] = letters
		}
	}
}

func runFor() time.Duration {
	seconds, err := strconv.ParseFloat(os.Getenv("RUN_FOR"), 64)
	if err != nil {
		seconds = 4
	}
	return time.Duration(seconds * float64(time.Second))
}

// One goroutine works, and the others wait for their turn: a traceback of all shows only these.
func main() {
	if host := os.Getenv("HOST"); host != "" {
		go func() { fmt.Println(http.ListenAndServe(host, nil)) }()
	}
	end := time.Now().Add(runFor())
	var all sync.WaitGroup
	for i := 0; i < 50; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			rebuild_index(end)
		}()
	}
	all.Wait()
}
