// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// A walk by the rows that delve reads, as an engine for `stackproof compare`
//
//	go build -o delve . && stackproof compare --engine cfi,delve=./delve -- PROGRAM
//
// delve is Go's debugger. Its packages frame and op read CFI and evaluate expressions; the steps
// are made here as DWARF says (DWARF 5, 6.4), without what delve itself adds for Go's programs. Both
// panic at what they do not know: that ends the walk as malformed. The protocol's lines are those of
// docs/ENGINES.md. .eh_frame and .debug_frame are both read, and an image's FDEs are in one list.
package main

import (
	"bufio"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/go-delve/delve/pkg/dwarf/frame"
	"github.com/go-delve/delve/pkg/dwarf/op"
)

const (
	rbp, rsp, rip = 6, 7, 16
	registers     = 17
	window        = 4096
	piece         = 1024 // bytes of memory that are asked for at once
	framesMax     = 1 << 16
)

type mapping struct {
	start, end, bias uint64
	entries          frame.FrameDescriptionEntries
}

// The registers of a frame, as far as they are known.
type frameRegs [registers]*uint64

type engine struct {
	input    *bufio.Reader
	output   *bufio.Writer
	mappings []mapping
	files    map[string]frame.FrameDescriptionEntries
	// Of the point at hand.
	id     string
	stack  []byte
	sp     uint64
	pieces map[uint64][]byte
}

// Why there is no caller: the protocol's word.
type stop string

func (s stop) Error() string { return string(s) }

// ---- unwind information -------------------------------------------------------------------------

// None, if delve can't read it.
func parse(data []byte, ehFrame uint64) (entries frame.FrameDescriptionEntries) {
	defer func() {
		if recover() != nil {
			entries = nil
		}
	}()
	entries, err := frame.Parse(data, binary.LittleEndian, 0, 8, ehFrame)
	if err != nil {
		return nil
	}
	return entries
}

func readFile(path string) frame.FrameDescriptionEntries {
	var all frame.FrameDescriptionEntries
	file, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	for _, name := range []string{".eh_frame", ".debug_frame"} {
		section := file.Section(name)
		if section == nil || section.Type == elf.SHT_NOBITS {
			continue
		}
		data, err := section.Data()
		if err != nil {
			continue
		}
		address := section.Addr // 0: it is no .eh_frame
		all = all.Append(parse(data, address))
	}
	return all
}

// ---- memory -------------------------------------------------------------------------------------

func (e *engine) line() (string, error) {
	line, err := e.input.ReadString('\n')
	return strings.TrimSuffix(line, "\n"), err
}

func (e *engine) say(format string, arguments ...interface{}) {
	fmt.Fprintf(e.output, format, arguments...)
	e.output.Flush()
}

// What the process has there: from the window, or by the piece.
func (e *engine) read(data []byte, address uint64) (int, error) {
	for i := range data {
		at := address + uint64(i)
		if at-e.sp < uint64(len(e.stack)) {
			data[i] = e.stack[at-e.sp]
			continue
		}
		bytes, err := e.piece(at - at%piece)
		if err != nil {
			return i, err
		}
		data[i] = bytes[at%piece]
	}
	return len(data), nil
}

func (e *engine) piece(address uint64) ([]byte, error) {
	if bytes, found := e.pieces[address]; found {
		return bytes, nil
	}
	e.say("read %s %x %d\n", e.id, address, piece)
	line, err := e.line()
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(line, "memory ") {
		return nil, stop("read_fault")
	}
	bytes, err := hex.DecodeString(line[len("memory "):])
	e.pieces[address] = bytes
	return bytes, err
}

func (e *engine) word(address uint64) (uint64, error) {
	var bytes [8]byte
	if _, err := e.read(bytes[:], address); err != nil {
		return 0, stop("read_fault")
	}
	return binary.LittleEndian.Uint64(bytes[:]), nil
}

// ---- a step -------------------------------------------------------------------------------------

func (e *engine) evaluate(expression []byte, regs *frameRegs, cfa uint64) (uint64, error) {
	dwarf := op.NewDwarfRegisters(0, nil, binary.LittleEndian, rip, rsp, rbp, rip)
	for i, value := range regs {
		if value != nil {
			dwarf.AddReg(uint64(i), op.DwarfRegisterFromUint64(*value))
		}
	}
	dwarf.CFA = int64(cfa)
	value, _, err := op.ExecuteStackProgram(*dwarf, expression, 8, e.read)
	var why stop
	if errors.As(err, &why) {
		return 0, why
	}
	if err != nil {
		return 0, stop("unsupported")
	}
	return uint64(value), nil
}

func (e *engine) cfa(rule frame.DWRule, regs *frameRegs) (uint64, error) {
	switch rule.Rule {
	case frame.RuleCFA:
		if rule.Reg >= registers || regs[rule.Reg] == nil {
			return 0, stop("register_unknown")
		}
		return *regs[rule.Reg] + uint64(rule.Offset), nil
	case frame.RuleExpression:
		return e.evaluate(rule.Expression, regs, 0)
	}
	return 0, stop("unsupported")
}

// The caller's value of a register; nil: it is lost.
func (e *engine) register(i uint64, rule frame.DWRule, regs *frameRegs, cfa uint64) (*uint64, error) {
	var value uint64
	var err error
	switch rule.Rule {
	case frame.RuleUndefined:
		return nil, nil
	case frame.RuleSameVal:
		return regs[i], nil
	case frame.RuleRegister:
		if rule.Reg >= registers {
			return nil, nil
		}
		return regs[rule.Reg], nil
	case frame.RuleOffset:
		value, err = e.word(cfa + uint64(rule.Offset))
	case frame.RuleValOffset:
		value = cfa + uint64(rule.Offset)
	case frame.RuleExpression:
		value, err = e.evaluate(rule.Expression, regs, cfa)
		if err == nil {
			value, err = e.word(value)
		}
	case frame.RuleValExpression:
		value, err = e.evaluate(rule.Expression, regs, cfa)
	default:
		return nil, stop("unsupported")
	}
	return &value, err
}

// From a frame to its caller; whether it was a signal's.
func (e *engine) step(regs *frameRegs, lookup uint64) (signal bool, err error) {
	defer func() {
		if recover() != nil {
			err = stop("malformed")
		}
	}()
	var at *mapping
	for i := range e.mappings {
		if m := &e.mappings[i]; lookup >= m.start && lookup < m.end {
			at = m
		}
	}
	if at == nil {
		return false, stop("no_mapping")
	}
	fde, err := at.entries.FDEForPC(lookup - at.bias)
	if err != nil {
		return false, stop("no_row")
	}
	row := fde.EstablishFrame(lookup - at.bias)
	cfa, err := e.cfa(row.CFA, regs)
	if err != nil {
		return false, err
	}
	caller := *regs
	caller[rsp] = &cfa
	caller[rip] = nil // it is where the CFI says, or nowhere
	for i, rule := range row.Regs {
		if i == row.RetAddrReg && rule.Rule == frame.RuleUndefined {
			return false, stop("complete")
		}
		if i >= registers {
			continue
		}
		if caller[i], err = e.register(i, rule, regs, cfa); err != nil {
			return false, err
		}
	}
	if row.RetAddrReg < registers {
		caller[rip] = caller[row.RetAddrReg]
	}
	*regs = caller
	return strings.Contains(fde.CIE.Augmentation, "S"), nil
}

func (e *engine) walk(regs frameRegs) ([]uint64, stop) {
	pcs := []uint64{*regs[rip]}
	exact := true // the PC is where something goes on, not behind a call
	for {
		pc, sp := pcs[len(pcs)-1], *regs[rsp]
		lookup := pc
		if !exact {
			lookup--
		}
		signal, err := e.step(&regs, lookup)
		var why stop
		switch {
		case errors.As(err, &why):
			return pcs, why
		case err != nil:
			return pcs, "foreign"
		case regs[rip] == nil || regs[rsp] == nil:
			return pcs, "register_unknown"
		case *regs[rip] == 0:
			return pcs, "zero_return"
		case *regs[rip] == pc && *regs[rsp] <= sp:
			return pcs, "no_progress"
		case len(pcs) == framesMax:
			return pcs, "depth"
		}
		pcs = append(pcs, *regs[rip])
		exact = signal
	}
}

// ---- the protocol -------------------------------------------------------------------------------

func number(word string) uint64 {
	value, _ := strconv.ParseUint(word, 16, 64)
	return value
}

// mapping START END OFFSET BIAS BUILD-ID PATH
func (e *engine) takeMappings(count int) {
	e.mappings = e.mappings[:0]
	for ; count > 0; count-- {
		line, _ := e.line()
		words := strings.SplitN(line, " ", 7)
		entries, known := e.files[words[6]]
		if !known {
			entries = readFile(words[6])
			e.files[words[6]] = entries
		}
		e.mappings = append(e.mappings,
			mapping{number(words[1]), number(words[2]), number(words[4]), entries})
	}
}

// point ID R0 ... R16 WINDOW
func (e *engine) takePoint() {
	var regs frameRegs
	line, _ := e.line()
	words := strings.Split(line, " ")
	e.id = words[1]
	for i := range regs {
		value := number(words[2+i])
		regs[i] = &value
	}
	e.sp = *regs[rsp]
	e.stack, _ = hex.DecodeString(words[2+registers]) // "-": none
	e.pieces = map[uint64][]byte{}
	pcs, why := e.walk(regs)
	fmt.Fprintf(e.output, "stack %s %s", e.id, string(why))
	for _, pc := range pcs {
		fmt.Fprintf(e.output, " %x", pc)
	}
	e.say("\n")
}

func main() {
	e := engine{
		input:  bufio.NewReaderSize(os.Stdin, 1<<16),
		output: bufio.NewWriter(os.Stdout),
		files:  map[string]frame.FrameDescriptionEntries{},
	}
	for {
		line, err := e.line()
		if err != nil {
			return
		}
		words := strings.Split(line, " ")
		switch words[0] {
		case "hello":
			e.say("hello 1\nversion delve 1.21.2\nwindow %d\nready\n", window)
		case "mappings":
			count, _ := strconv.Atoi(words[1])
			e.takeMappings(count)
		case "points": // one at a time: no batch was asked for
			e.takePoint()
		}
	}
}
