// Geocache adds the country of each visitor to a web server's access log.
// A small directory server on localhost knows where a host name is at home;
// the answers are remembered, and several workers go through the log at once.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"hash/crc32"
	"log"
	"net"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	workers  = 8
	visits   = 24000
	hosts    = 1300
	answerIn = 1500 * time.Microsecond
)

var countries = []string{"SE", "DE", "FR", "IT", "NO", "PL", "ES", "PT", "CZ", "AT"}

// Visit is one line of the access log.
type Visit struct {
	Host, Country string
	Bytes         int
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// parse reads a line such as "h12.example.org /a/b 512".
func parse(line string) (Visit, error) {
	fields := strings.Fields(line)
	size, err := strconv.Atoi(fields[2])
	return Visit{Host: strings.ToLower(fields[0]), Bytes: size}, err
}

// homeOf is what the directory server answers for a host.
func homeOf(host string) string {
	sum := crc32.ChecksumIEEE([]byte(host))
	return countries[sum%uint32(len(countries))]
}

// serve answers one client of the directory, a question a line.
func serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewScanner(conn)
	for in.Scan() {
		time.Sleep(answerIn)
		fmt.Fprintln(conn, homeOf(in.Text()))
	}
}

// Client is one connection to the directory.
type Client struct {
	conn net.Conn
	in   *bufio.Reader
}

func (c *Client) ask(host string) (string, error) {
	fmt.Fprintln(c.conn, host)
	answer, err := c.in.ReadString('\n')
	return strings.TrimSpace(answer), err
}

// Resolver finds countries and remembers them. It may be shared.
type Resolver struct {
	idle  chan *Client
	mu    sync.Mutex
	known map[string]string
}

func dial(address string, n int) *Resolver {
	r := &Resolver{idle: make(chan *Client, n), known: make(map[string]string)}
	for i := 0; i < n; i++ {
		conn, err := net.Dial("tcp", address)
		check(err)
		r.idle <- &Client{conn: conn, in: bufio.NewReader(conn)}
	}
	return r
}

// Country returns the country of a host, from memory where it is known.
func (r *Resolver) Country(host string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if country, ok := r.known[host]; ok {
		return country, nil
	}
	client := <-r.idle
	defer func() { r.idle <- client }()
	country, err := client.ask(host)
	if err == nil {
		r.known[host] = country
	}
	return country, err
}

// readLog sends the lines of the log to the workers.
func readLog(lines chan<- string) {
	for i := 0; i < visits; i++ {
		host := (i*7919 + i/hosts) % hosts
		lines <- fmt.Sprintf("H%d.example.org /page/%d %d", host, i%97, 200+i%1800)
	}
	close(lines)
}

// enrich is one worker.
func enrich(r *Resolver, lines <-chan string, out chan<- Visit) {
	for line := range lines {
		visit, err := parse(line)
		check(err)
		visit.Country, err = r.Country(visit.Host)
		check(err)
		out <- visit
	}
}

// tally adds up the bytes sent to each country.
func tally(in <-chan Visit) map[string]int {
	total := make(map[string]int)
	for visit := range in {
		total[visit.Country] += visit.Bytes
	}
	return total
}

// accept lets clients of the directory in.
func accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go serve(conn)
	}
}

func run() map[string]int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	defer listener.Close()
	go accept(listener)
	resolver := dial(listener.Addr().String(), workers)
	lines, out := make(chan string, 16), make(chan Visit, 16)
	var group sync.WaitGroup
	group.Add(workers)
	for i := 0; i < workers; i++ {
		go func() { defer group.Done(); enrich(resolver, lines, out) }()
	}
	go readLog(lines)
	go func() { group.Wait(); close(out) }()
	return tally(out)
}

func main() {
	profile := flag.String("blockprofile", "", "write a profile of waiting goroutines to this file")
	flag.Parse()
	if *profile != "" {
		runtime.SetBlockProfileRate(1)
	}
	fmt.Println(run())
	if *profile != "" {
		file, err := os.Create(*profile)
		check(err)
		check(pprof.Lookup("block").WriteTo(file, 0))
	}
}
