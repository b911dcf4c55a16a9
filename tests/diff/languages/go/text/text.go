// Package text writes and reads letters.
package text

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"unicode"
)

// Random gives numbers that look random.
type Random struct{ state uint64 }

func NewRandom(seed uint64) *Random { return &Random{seed*0x9e3779b97f4a7c15 | 1} }

func (r *Random) Next() uint64 {
	r.state ^= r.state << 13
	r.state ^= r.state >> 7
	r.state ^= r.state << 17
	return r.state
}

func (r *Random) Below(limit int) int { return int(r.Next() % uint64(limit)) }

// Letter is what the post carries.
type Letter struct {
	Number int    `json:"number"`
	To     string `json:"to"`
	Town   string `json:"town"`
	Weight int    `json:"weight"`
	Body   string `json:"body"`
}

var names = []string{"Ada", "Bela", "Carl", "Dora", "Emil", "Frida", "Gerd", "Hanna"}
var towns = []string{"Aachen", "Bern", "Celje", "Delft", "Evora", "Falun", "Ghent"}
var words = []string{"dear", "weather", "garden", "please", "send", "money", "soon", "aunt", "cake", "the", "of"}

func body(random *Random) string {
	var out strings.Builder
	for i := 0; i < 40; i++ {
		out.WriteString(words[random.Below(len(words))])
		out.WriteByte(' ')
	}
	return out.String()
}

func newLetter(number int, random *Random) Letter {
	return Letter{number, names[random.Below(8)], towns[random.Below(7)], random.Below(500), body(random)}
}

// Letters makes some letters.
func Letters(random *Random, count int) []Letter {
	letters := make([]Letter, 0, count)
	for i := 0; i < count; i++ {
		letters = append(letters, newLetter(i, random))
	}
	return letters
}

func countWords(body string) map[string]int {
	counts := map[string]int{}
	for _, word := range strings.Fields(body) {
		counts[word]++
	}
	return counts
}

func mostCommon(counts map[string]int) string {
	var keys []string
	for word := range counts {
		keys = append(keys, word)
	}
	sort.Slice(keys, func(i, j int) bool {
		return counts[keys[i]] > counts[keys[j]] || counts[keys[i]] == counts[keys[j]] && keys[i] < keys[j]
	})
	return keys[0]
}

func title(body string) string {
	start := true
	return strings.Map(func(letter rune) rune {
		was := start
		start = unicode.IsSpace(letter)
		if was {
			return unicode.ToUpper(letter)
		}
		return letter
	}, body)
}

func header(letter Letter) string {
	return fmt.Sprintf("%05d %-10s %-10s %6.2f", letter.Number, letter.To, letter.Town, float64(letter.Weight)/10)
}

func throughJSON(letters []Letter) int {
	packed, err := json.Marshal(letters)
	if err != nil {
		panic(err)
	}
	var again []Letter
	if err := json.Unmarshal(packed, &again); err != nil {
		panic(err)
	}
	return len(packed) + len(again)
}

// Study reads all letters.
func Study(letters []Letter) uint64 {
	sum := throughJSON(letters[:10])
	for _, letter := range letters {
		sum += len(mostCommon(countWords(letter.Body))) + len(title(letter.Body)) + len(header(letter))
	}
	return uint64(sum)
}
