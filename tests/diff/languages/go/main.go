// A post office's day: letters are written, read, sorted and packed, and a way is planned.
// Usage: post [-o PROFILE] [ROUNDS]; with SLOWER=1 in the environment grid.Spread does 30 % more.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"

	"post/digest"
	"post/grid"
	"post/order"
	"post/text"
)

func day(seed uint64, repeats int) uint64 {
	random := text.NewRandom(seed)
	letters := text.Letters(random, 60)
	sum := text.Study(letters)
	for _, letter := range letters {
		sum += digest.All([]byte(letter.Body))
	}
	sum += order.All(letters, random)
	return sum + grid.Plan(random, repeats)
}

func main() {
	out := flag.String("o", "", "write a profile of the processor here")
	flag.Parse()
	rounds, repeats := 1800, 400
	if flag.NArg() > 0 {
		rounds, _ = strconv.Atoi(flag.Arg(0))
	}
	if os.Getenv("SLOWER") == "1" {
		repeats = 520
	}
	if *out != "" {
		file, err := os.Create(*out)
		if err != nil {
			panic(err)
		}
		// As often as the ticks of most kernels; the profiler says that it keeps this rate.
		runtime.SetCPUProfileRate(250)
		pprof.StartCPUProfile(file)
		defer pprof.StopCPUProfile()
	}
	var sum uint64
	for round := 0; round < rounds; round++ {
		sum = sum*31 + day(uint64(round+1), repeats)
	}
	fmt.Println(sum)
}
