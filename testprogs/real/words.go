// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause

// words counts how often each word of a file is in it: maps, sort with a closure, a goroutine with a channel,
// a panic that is recovered.
package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strings"
)

const linesMax = 15

// read sends the file's words; the channel is closed at the end.
func read(path string, words chan<- string) {
	defer close(words)
	file, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for number := 0; number < linesMax && lines.Scan(); number++ {
		for _, word := range strings.Fields(lines.Text()) {
			words <- strings.ToLower(strings.Trim(word, ".,;:()\""))
		}
	}
}

// recovered says what a panic was about.
func recovered() (reason any) {
	defer func() { reason = recover() }()
	panic("recovered")
}

func main() {
	words := make(chan string, 16)
	count := map[string]int{}
	go read(os.Args[1], words)
	for word := range words {
		count[word]++
	}
	order := make([]string, 0, len(count))
	for word := range count {
		order = append(order, word)
	}
	sort.Slice(order, func(i, j int) bool {
		if count[order[i]] != count[order[j]] {
			return count[order[i]] > count[order[j]]
		}
		return order[i] < order[j]
	})
	for _, word := range order[:10] {
		fmt.Println(word, count[word], recovered())
	}
}
