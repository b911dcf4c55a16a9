// Docstore keeps many small documents in one segment file: each document is
// stored compressed with a checksum, and an index says where it stands.
// The program fills a segment, reads it back and prints a summary.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"log"
	"math/rand"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
)

const documents = 10500

// Document is what is stored.
type Document struct {
	ID     int               `json:"id"`
	Title  string            `json:"title"`
	Body   string            `json:"body"`
	Labels map[string]string `json:"labels"`
}

// Entry is a document's place in the segment.
type Entry struct {
	Offset   int64
	Length   int
	Checksum uint32
}

// Store writes and reads one segment.
type Store struct {
	file  *os.File
	end   int64
	index []Entry
	unzip *gzip.Reader
}

var (
	dice  = rand.New(rand.NewSource(1))
	words = strings.Fields("the of a storm harbour letter engine winter night river paper silver north signal")
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// compose makes up a document.
func compose(id int) Document {
	var body strings.Builder
	for i := 0; i < 130+id%120; i++ {
		body.WriteString(words[dice.Intn(len(words))] + " ")
	}
	return Document{
		ID:     id,
		Title:  fmt.Sprintf("Report %05d", id),
		Body:   body.String(),
		Labels: map[string]string{"shelf": fmt.Sprint(id % 40), "state": "open"},
	}
}

// pack turns a document into the bytes that are stored.
func pack(doc Document) ([]byte, error) {
	plain, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	if _, err = zip.Write(plain); err == nil {
		err = zip.Close()
	}
	return out.Bytes(), err
}

// Put appends a document.
func (s *Store) Put(doc Document) error {
	packed, err := pack(doc)
	if err != nil {
		return err
	}
	record := binary.AppendUvarint(nil, uint64(len(packed)))
	start := s.end + int64(len(record))
	record = append(record, packed...)
	if _, err := s.file.WriteAt(record, s.end); err != nil {
		return err
	}
	s.end += int64(len(record))
	s.index = append(s.index, Entry{start, len(packed), crc32.ChecksumIEEE(packed)})
	return nil
}

// Get reads a document back.
func (s *Store) Get(id int) (Document, error) {
	var doc Document
	entry := s.index[id]
	packed := make([]byte, entry.Length)
	if _, err := s.file.ReadAt(packed, entry.Offset); err != nil {
		return doc, err
	}
	if crc32.ChecksumIEEE(packed) != entry.Checksum {
		return doc, errors.New("checksum does not match")
	}
	plain, err := s.unpack(packed)
	if err == nil {
		err = json.Unmarshal(plain, &doc)
	}
	return doc, err
}

// unpack undoes the compression.
func (s *Store) unpack(packed []byte) ([]byte, error) {
	var err error
	if s.unzip == nil {
		s.unzip, err = gzip.NewReader(bytes.NewReader(packed))
	} else {
		err = s.unzip.Reset(bytes.NewReader(packed))
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(s.unzip)
}

// countWords adds up how often each word stands in the store.
func (s *Store) countWords() (map[string]int, error) {
	count := make(map[string]int)
	for id := range s.index {
		doc, err := s.Get(id)
		if err != nil {
			return nil, err
		}
		for _, word := range strings.Fields(doc.Body) {
			count[word]++
		}
	}
	return count, nil
}

func run() {
	folder, err := os.MkdirTemp("", "docstore")
	check(err)
	defer os.RemoveAll(folder)
	file, err := os.Create(filepath.Join(folder, "segment"))
	check(err)
	defer file.Close()
	store := &Store{file: file}
	for id := 0; id < documents; id++ {
		check(store.Put(compose(id)))
	}
	count, err := store.countWords()
	check(err)
	fmt.Println(documents, "documents,", store.end, "bytes,", count["harbour"], "harbours")
}

func main() {
	profile := flag.String("memprofile", "", "write a profile of allocations to this file")
	flag.Parse()
	run()
	if *profile != "" {
		file, err := os.Create(*profile)
		check(err)
		check(pprof.Lookup("allocs").WriteTo(file, 0))
	}
}
