// Roster imports the sign-ups of a chain of sports clubs from a CSV file:
// each club gets a list of its members in the order in which they joined,
// with nobody on it twice, and a page of figures is printed at the end.
package main

import (
	"bufio"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"runtime/pprof"
	"sort"
	"strconv"
	"strings"
	"time"
)

const (
	signUps = 500000
	clubs   = 40
	persons = 3000
)

// SignUp is one row of the file.
type SignUp struct {
	Club, Member string
	Joined       time.Time
	Fee          int
}

// Club is a club with its members.
type Club struct {
	members []string
	byMonth [13]int
	fees    int
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// holds tells whether somebody is a member already.
func (c *Club) holds(member string) bool {
	for _, m := range c.members {
		if m == member {
			return true
		}
	}
	return false
}

// add takes a sign-up in.
func (c *Club) add(s SignUp) bool {
	if c.holds(s.Member) {
		return false
	}
	c.members = append(c.members, s.Member)
	c.byMonth[s.Joined.Month()]++
	c.fees += s.Fee
	return true
}

// busiest returns the month in which most members joined.
func (c *Club) busiest() time.Month {
	best := time.January
	for m, joined := range c.byMonth {
		if joined > c.byMonth[best] {
			best = time.Month(m)
		}
	}
	return best
}

// writeSample makes up a file of sign-ups.
func writeSample(path string) error {
	file, err := os.Create(path)
	check(err)
	defer file.Close()
	out := bufio.NewWriter(file)
	start := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	dice := rand.New(rand.NewSource(7))
	for i := 0; i < signUps; i++ {
		club, person := dice.Intn(clubs), dice.Intn(persons)
		day := start.AddDate(0, 0, i*364/signUps)
		fmt.Fprintf(out, " club-%02d ,member-2023-%06d,%s,%d.%02d\n",
			club, person, day.Format("2006-01-02"), 10+i%30, i%100)
	}
	return out.Flush()
}

// cents reads an amount such as 12.50.
func cents(amount string) (int, error) {
	value, err := strconv.ParseFloat(amount, 64)
	return int(math.Round(value * 100)), err
}

// parse checks a row and turns it into a sign-up.
func parse(row []string) (SignUp, error) {
	joined, err := time.Parse("2006-01-02", row[2])
	if err != nil {
		return SignUp{}, err
	}
	fee, err := cents(row[3])
	club := strings.ToUpper(strings.TrimSpace(row[0]))
	return SignUp{Club: club, Member: row[1], Joined: joined, Fee: fee}, err
}

// load reads the file into clubs.
func load(path string) (map[string]*Club, int, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	rows := csv.NewReader(bufio.NewReader(file))
	all, again := make(map[string]*Club), 0
	for {
		row, err := rows.Read()
		if err == io.EOF {
			return all, again, nil
		}
		if err != nil {
			return all, again, err
		}
		signUp, err := parse(row)
		if err != nil {
			return all, again, err
		}
		club := all[signUp.Club]
		if club == nil {
			club = &Club{}
			all[signUp.Club] = club
		}
		if !club.add(signUp) {
			again++
		}
	}
}

func run() {
	folder, err := os.MkdirTemp("", "roster")
	check(err)
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "signups.csv")
	check(writeSample(path))
	all, again, err := load(path)
	check(err)
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		c := all[name]
		fmt.Printf("%s %6d members, most in %s, %d.%02d in fees\n",
			name, len(c.members), c.busiest(), c.fees/100, c.fees%100)
	}
	fmt.Println(again, "had signed up before")
}

func main() {
	profile := flag.String("cpuprofile", "", "write a CPU profile to this file")
	flag.Parse()
	if *profile != "" {
		file, err := os.Create(*profile)
		check(err)
		check(pprof.StartCPUProfile(file))
		defer pprof.StopCPUProfile()
	}
	run()
}
