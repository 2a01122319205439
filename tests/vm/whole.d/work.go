// SPDX-License-Identifier: GPL-2.0-or-later

// work SECONDS: goroutines that count words, sort, and make JSON of it.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

var word = regexp.MustCompile("[a-z]+")

type count struct {
	Word string
	N    int
}

func textOf(words []string, draw *rand.Rand) string {
	var text strings.Builder

	for i := 0; i < 4000; i++ {
		text.WriteString(words[draw.Intn(len(words))])
		text.WriteByte(' ')
	}
	return text.String()
}

func round(words []string, draw *rand.Rand) int {
	counts := map[string]int{}
	for _, found := range word.FindAllString(textOf(words, draw), -1) {
		counts[found]++
	}
	var sorted, again []count
	for word, n := range counts {
		sorted = append(sorted, count{word, n})
	}
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].N > sorted[j].N })
	text, err := json.Marshal(sorted)
	if err == nil {
		err = json.Unmarshal(text, &again)
	}
	if err != nil {
		panic(err)
	}
	return len(again)
}

func main() {
	seconds, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	until := time.Now().Add(time.Duration(seconds) * time.Second)
	draw := rand.New(rand.NewSource(1))
	words := make([]string, 500)
	for i := range words {
		for n := 2 + draw.Intn(7); n > 0; n-- {
			words[i] += string("aeiounrstl"[draw.Intn(10)])
		}
	}
	var all sync.WaitGroup
	for i := int64(0); i < 3; i++ {
		all.Add(1)
		go func(draw *rand.Rand) {
			defer all.Done()
			for time.Now().Before(until) {
				round(words, draw)
			}
		}(rand.New(rand.NewSource(i)))
	}
	all.Wait()
	fmt.Println("go: done")
}
