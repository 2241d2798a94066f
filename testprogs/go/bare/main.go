// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// main.go - entry run: what Go's compiler writes, without Go's runtime under it
//
// Rule: Go's code has .debug_frame only, CFA = rsp+n at every instruction, and rbp is not in it, though functions
// save it. A function asks for more stack by a call before its prologue, which its FDE holds too; the calls through an
// interface, a wrapper, a closure and a method value go over functions that only the compiler knows; a block of zeros
// is written by runtime.duffzero, which is entered in its middle. (Profilers that know .eh_frame only, find
// nothing in Go programs.)
//
// Nothing here allocates, grows the stack or panics: the runtime never started (entry_amd64.s).
package main

//go:noinline
func top(depth int) int { return depth + 1 }

//go:noinline
func c1(depth int) int { return top(depth+1) + 1 }

//go:noinline
func b1(depth int) int { return c1(depth+1) + 1 }

//go:noinline
func a1(depth int) int { return b1(depth+1) + 1 }

// A shape is called through its interface: a pointer's method, and a wrapper around a value's.
type shape interface{ area(scale int) int }
type square struct{ side int }
type rectangle struct{ width, height int }

var (
	small  = square{3}
	wide   = rectangle{2, 5}
	shapes = [...]shape{&small, &wide}
)

//go:noinline
func (s square) area(scale int) int { return top(s.side * s.side * scale) }

//go:noinline
func (r *rectangle) area(scale int) int { return top(r.width * r.height * scale) }

//go:noinline
func sum(shapes []shape, scale int) (total int) {
	for _, s := range shapes {
		total += s.area(scale)
	}
	return
}

//go:noinline
func apply(f func(int) int, value int) int { return f(value) }

//go:noinline
func fill(block *[40]int, value int) int {
	block[value] = top(value)
	return block[0] + block[value]
}

// A frame of zeros, of more than the 128 bytes for which rsp itself is held against the stack's limit.
//
//go:noinline
func zeros(value int) int {
	var block [40]int
	return fill(&block, value)
}

// 0 if all is right, else which was wrong: entry_amd64.s calls it, and exits with it.
//
//go:noinline
func run() int {
	if a1(1) != 8 {
		return 1
	}
	if sum(shapes[:], 2) != 40 {
		return 2
	}
	factor := a1(0)
	if apply(func(value int) int { return top(value) * factor }, 1) != 14 {
		return 3
	}
	if apply(wide.area, 1) != 11 {
		return 4
	}
	if zeros(39) != 40 {
		return 5
	}
	return 0
}

func entry()

// Never called: the linker begins at entry, and keeps what can be reached from there and from here.
func main() { entry() }
