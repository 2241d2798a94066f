// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// chain.go - main.main a1 b1 c1 top: a Go program as it is, on a goroutine, over Go's runtime
//
// Rule: Go's assembler writes .debug_frame and no .eh_frame, for every function, the runtime's included: CFA = rsp+n, and
// rbp is not in it, though functions save it. A goroutine begins on a stack that nobody called into. (Profilers that
// know .eh_frame only, find nothing in Go programs.) Nearly all of its 445,000 instructions are the runtime's start;
// bare/ has Go's code without that.
package main

import "os"

//go:noinline
func top(depth int) int { return depth + 1 }

//go:noinline
func c1(depth int) int { return top(depth+1) + 1 }

//go:noinline
func b1(depth int) int { return c1(depth+1) + 1 }

//go:noinline
func a1(depth int) int { return b1(depth+1) + 1 }

func main() {
	if a1(1) != 8 {
		os.Exit(1)
	}
}
