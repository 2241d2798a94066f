/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_kept.c - functions without an FDE of which only the address is kept
 *
 * What is called by pointers alone is called by nothing that can be seen. But its address is somewhere: in a
 * word that is relocated, or in a number that an instruction makes. So are addresses of labels and of tables
 * that lie among code. Those that a gap between FDEs begins with are looked at: one is a function
 * if
 *
 *	compilers would let one begin there (flow_taken_may_begin()), and no symbol says that it is data, nor do those
 *	who make its address only read what is there (lint_copied.c): a table, or a template of code that is copied;
 *	from there on all of the gap is code, to the last byte but for padding: each instruction is one, and each
 *	call or jump leads into the gap, to where an FDE begins, or to a stub of a PLT; and
 *	its last way ends there, or goes on in an FDE that begins where no function is aligned to.
 *
 * What crtstuff.c puts in every image (frame_dummy() and the like) are several functions in one gap, and
 * so none of them; the functions of DT_INIT and DT_FINI the loader calls, not the program: neither
 * is told.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "analysis/flow/flow_part.h"
#include "lint_copied.h"
#include "lint_kept.h"

#define FILTER_WORDS 64

/* lea r64, [rip + distance], without its prefix */
#define LEA		    0x8d
#define LEA_BYTES	    6
#define MODRM_RELATIVE_MASK 0xc7
#define MODRM_RELATIVE	    0x05

struct candidate {
	uint64_t pc;
	bool kept;
};

struct finder {
	const struct cfi *cfi;
	struct code_decoder *decoder;
	struct flow_callees *callees;
	struct candidate *candidate; /* in the order of addresses */
	size_t count;
	uint64_t filter[FILTER_WORDS]; /* a bit for each candidate, of many addresses */
	bool to_call; /* what is only read by its address counts as kept by nobody */
	bool no_memory;
};

/* ---- is it code? ---------------------------------------------------------------------------- */

struct gap {
	const struct finder *finder;
	uint64_t begin, end;
	const uint8_t *bytes;
	uint8_t *seen; /* of each byte: it is an instruction's, 2: the first */
	uint64_t *todo;
	size_t todo_count;
	bool computed; /* some jump leads to where a table says */
	bool no_memory;
};

static bool decode(const struct gap *gap, uint64_t pc, struct code *ret)
{
	code_decode(gap->finder->decoder, pc, gap->bytes + (pc - gap->begin), gap->end - pc, ret);
	return ret->length && ret->flow != CODE_UNKNOWN;
}

/* Linkers fill with no-ops, or with zeros: `add [rax], al`. Returns how many bytes, 0 if it is something else. */
static unsigned int padding(const struct gap *gap, uint64_t pc)
{
	const uint8_t *bytes = gap->bytes + (pc - gap->begin);
	struct code code;

	if (!bytes[0])
		return 1;
	return decode(gap, pc, &code) && code.is_padding ? code.length : 0;
}

static bool is_begin(const struct finder *finder, uint64_t pc)
{
	const struct cfi_fde *fde = cfi_fde_find(finder->cfi, pc);

	return fde && fde->pc_begin == pc;
}

/* A call or a jump leads there. */
static bool lead(struct gap *gap, uint64_t pc)
{
	if (pc < gap->begin || pc >= gap->end)
		return is_begin(gap->finder, pc) || flow_is_stub(gap->finder->callees, pc);
	if (!ARRAY_GROW(gap->todo, gap->todo_count)) {
		gap->no_memory = true;
		return false;
	}
	gap->todo[gap->todo_count++] = pc;
	return true;
}

/* *ret_on: the way goes on behind it. False: it is no code. */
static bool pass(struct gap *gap, const struct code *code, bool *ret_on)
{
	*ret_on = code->flow == CODE_NEXT || code->flow == CODE_CALL_INDIRECT ||
		  code->flow == CODE_BRANCH || code->flow == CODE_BEGIN;
	switch (code->flow) {
	case CODE_CALL:
		*ret_on = !flow_never_returns_by_code(gap->finder->callees, code->target);
		return lead(gap, code->target);
	case CODE_BRANCH:
	case CODE_BEGIN:
	case CODE_JUMP: return lead(gap, code->target);
	case CODE_JUMP_INDIRECT: gap->computed = true; return true;
	default: return true;
	}
}

static bool follow(struct gap *gap, uint64_t pc)
{
	bool on = true;

	while (on && pc < gap->end) {
		uint8_t *seen = &gap->seen[pc - gap->begin];
		struct code code;

		if (*seen)
			return *seen == 2; /* 1: into the middle of an instruction */
		if (!decode(gap, pc, &code) || !pass(gap, &code, &on))
			return false;
		memset(seen, 1, code.length);
		*seen = 2;
		pc += code.length;
	}
	/* A function's begin that its FDE leaves out. */
	return !on || (is_begin(gap->finder, pc) && pc % FLOW_FUNCTION_ALIGNMENT);
}

/* What no way has come to, and is no padding; the gap's end: there is none. */
static uint64_t next_unseen(const struct gap *gap)
{
	uint64_t pc = gap->begin;

	while (pc < gap->end) {
		unsigned int bytes = gap->seen[pc - gap->begin] ? 1 : padding(gap, pc);

		if (!bytes)
			break;
		pc += bytes;
	}
	return pc;
}

static bool is_function(struct gap *gap)
{
	bool good = lead(gap, gap->begin);
	uint64_t pc;

	while (good && gap->todo_count) {
		good = follow(gap, gap->todo[--gap->todo_count]);
		if (!good || gap->todo_count)
			continue;
		pc = next_unseen(gap);
		if (pc < gap->end)
			good = gap->computed && lead(gap, pc);
	}
	return good;
}

/* ---- the gaps ------------------------------------------------------------------------------- */

static void add_candidate(struct finder *finder, uint64_t pc)
{
	if (ARRAY_GROW(finder->candidate, finder->count))
		finder->candidate[finder->count++] = (struct candidate) { .pc = pc };
	else
		finder->no_memory = true;
}

static void look_at(struct finder *finder, uint64_t begin, uint64_t end)
{
	struct gap gap = { .finder = finder, .begin = begin, .end = end };
	unsigned int bytes;

	gap.bytes = begin < end ? image_bytes(finder->cfi->image, begin, end - begin) : NULL;
	while (gap.bytes && gap.begin < end && (bytes = padding(&gap, gap.begin))) {
		gap.begin += bytes;
		gap.bytes += bytes;
	}
	if (!gap.bytes || gap.begin >= end || end - gap.begin > LINT_KEPT_BYTES_MAX ||
	    flow_is_stub(finder->callees, gap.begin) ||
	    image_is_data(finder->cfi->image, gap.begin) ||
	    !flow_taken_may_begin(finder->cfi->image, finder->decoder, gap.begin))
		return;
	gap.seen = calloc(end - gap.begin, 1);
	gap.no_memory = !gap.seen;
	if (gap.seen && is_function(&gap))
		add_candidate(finder, gap.begin);
	finder->no_memory |= gap.no_memory;
	free(gap.seen);
	free(gap.todo);
}

static void look_for_gaps(struct finder *finder, const struct image_segment *segment)
{
	const struct cfi *cfi = finder->cfi;
	uint64_t at = segment->vaddr, end = segment->vaddr + segment->file_bytes;

	for (size_t i = 0; i < cfi->by_pc_count && !finder->no_memory; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];
		uint64_t behind = fde->pc_begin + fde->pc_range;

		if (fde->pc_begin >= end)
			break;
		if (behind <= at)
			continue;
		if (fde->pc_begin > at)
			look_at(finder, at, fde->pc_begin);
		at = behind;
	}
	if (at < end && !finder->no_memory)
		look_at(finder, at, end);
}

/* ---- who keeps their addresses? ------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct candidate *left = a, *right = b;

	return left->pc < right->pc ? -1 : left->pc > right->pc;
}

static struct candidate *candidate_at(const struct finder *finder, uint64_t pc)
{
	const struct candidate key = { .pc = pc };

	if (!finder->count)
		return NULL;
	return bsearch(&key, finder->candidate, finder->count, sizeof(key), compare);
}

static void note_word(void *context, uint64_t pc)
{
	struct candidate *candidate = candidate_at(context, pc);

	if (candidate)
		candidate->kept = true;
}

/* The FDE's instruction that has a byte at that distance makes the address. */
static bool makes(const struct finder *finder, const struct cfi_fde *fde, const uint8_t *bytes,
		  uint64_t at, uint64_t address)
{
	struct code code = { .length = 1 };

	for (uint64_t now = 0; now <= at; now += code.length ? code.length : 1)
		code_decode(finder->decoder, fde->pc_begin + now, bytes + now, fde->pc_range - now,
			    &code);
	return code.length && flow_taken_by(finder->cfi->image, &code) == address &&
	       !(finder->to_call && lint_copied_by(finder->cfi, finder->decoder, fde, &code));
}

/* The address's bit in a word of the filter. */
static uint64_t *filter_word(struct finder *finder, uint64_t address, uint64_t *ret_bit)
{
	uint64_t number = address / FLOW_FUNCTION_ALIGNMENT;

	*ret_bit = UINT64_C(1) << number % 64;
	return &finder->filter[number / 64 % FILTER_WORDS];
}

static void fill_filter(struct finder *finder)
{
	for (size_t i = 0; i < finder->count; i++) {
		uint64_t bit, *word = filter_word(finder, finder->candidate[i].pc, &bit);

		*word |= bit;
	}
}

static void meet_number(struct finder *finder, const struct cfi_fde *fde, const uint8_t *bytes,
			uint64_t at, uint64_t address)
{
	uint64_t bit, *word = filter_word(finder, address, &bit);
	struct candidate *candidate = *word & bit ? candidate_at(finder, address) : NULL;

	if (candidate && !candidate->kept)
		candidate->kept = makes(finder, fde, bytes, at, address);
}

/* `lea` of an address that is counted from behind its four bytes, which are its last ones. */
static void look_for_lea(struct finder *finder, const struct cfi_fde *fde, const uint8_t *bytes)
{
	const uint64_t first = finder->candidate[0].pc,
		       span = finder->candidate[finder->count - 1].pc - first;
	const uint8_t *end = bytes + fde->pc_range, *found = bytes;
	int32_t distance;

	for (; end - found >= LEA_BYTES && (found = memchr(found, LEA, (size_t)(end - found)));
	     found++) {
		if (end - found < LEA_BYTES)
			return;
		if ((found[1] & MODRM_RELATIVE_MASK) != MODRM_RELATIVE)
			continue;
		memcpy(&distance, found + 2, sizeof(distance));
		const uint64_t address = fde->pc_begin + (uint64_t)(found - bytes) + LEA_BYTES +
					 (uint64_t)(int64_t)distance;

		if (address - first <= span)
			meet_number(finder, fde, bytes, (uint64_t)(found - bytes), address);
	}
}

/* `mov` of an address as it is, where code lies at a fixed one: behind b8 to bf, or c7 and a register. */
static void look_for_mov(struct finder *finder, const struct cfi_fde *fde, const uint8_t *bytes)
{
	const uint64_t first = finder->candidate[0].pc,
		       span = finder->candidate[finder->count - 1].pc - first;
	uint32_t number;

	for (uint64_t at = 1; at + sizeof(number) <= fde->pc_range; at++) {
		uint8_t before = bytes[at - 1] & 0xf8;

		if (before != 0xb8 && (before != 0xc0 || at < 2 || bytes[at - 2] != 0xc7))
			continue;
		memcpy(&number, bytes + at, sizeof(number));
		if (number - first <= span)
			meet_number(finder, fde, bytes, at, number);
	}
}

static void look_in(struct finder *finder, const struct cfi_fde *fde)
{
	const uint8_t *bytes = flow_fde_bytes(finder->cfi->image, fde);

	if (!bytes)
		return;
	look_for_lea(finder, fde, bytes);
	if (finder->cfi->image->type == ET_EXEC)
		look_for_mov(finder, fde, bytes);
}

/* What the loader calls is not kept for the program. */
static void drop_loaders(struct finder *finder)
{
	const struct image *image = finder->cfi->image;
	Elf64_Phdr dynamic;
	Elf64_Dyn entry;

	if (!image_program_header(image, PT_DYNAMIC, &dynamic))
		return;
	for (uint64_t at = 0; dynamic.p_filesz - at >= sizeof(entry); at += sizeof(entry)) {
		const uint8_t *bytes = image_bytes(image, dynamic.p_vaddr + at, sizeof(entry));
		struct candidate *candidate;

		if (!bytes)
			return;
		memcpy(&entry, bytes, sizeof(entry));
		if ((entry.d_tag != DT_INIT && entry.d_tag != DT_FINI) || !finder->count)
			continue;
		candidate = candidate_at(finder, entry.d_un.d_ptr);
		if (candidate) {
			size_t behind = --finder->count - (size_t)(candidate - finder->candidate);

			memmove(candidate, candidate + 1, behind * sizeof(*candidate));
		}
	}
}

/* Of the finder's candidates, which end with it. */
static int tell_kept(struct finder *finder, flow_taken_fn fn, void *context, struct error *error)
{
	if (finder->count) {
		flow_taken_words(finder->cfi->image, note_word, finder);
		fill_filter(finder);
	}
	for (size_t i = 0; finder->count && i < finder->cfi->by_pc_count; i++)
		look_in(finder, &finder->cfi->fde[finder->cfi->by_pc[i]]);
	for (size_t i = 0; i < finder->count && !finder->no_memory; i++)
		if (finder->candidate[i].kept)
			fn(context, finder->candidate[i].pc);
	free(finder->candidate);
	return finder->no_memory ? error_set(error, ERROR_MEMORY, NULL, 0, "functions without CFI")
				 : 0;
}

int lint_kept_find(const struct cfi *cfi, struct code_decoder *decoder,
		   struct flow_callees *callees, flow_taken_fn fn, void *context,
		   struct error *error)
{
	struct finder finder = {
		.cfi = cfi, .decoder = decoder, .callees = callees, .to_call = true
	};

	for (size_t i = 0; i < cfi->image->segment_count; i++)
		if (cfi->image->segment[i].executable)
			look_for_gaps(&finder, &cfi->image->segment[i]);
	if (finder.count) {
		qsort(finder.candidate, finder.count, sizeof(*finder.candidate), compare);
		drop_loaders(&finder);
	}
	return tell_kept(&finder, fn, context, error);
}

int lint_kept_which(const struct cfi *cfi, struct code_decoder *decoder,
		    const struct lint_addresses *addresses, flow_taken_fn fn, void *context,
		    struct error *error)
{
	struct finder finder = { .cfi = cfi, .decoder = decoder };

	for (size_t i = 0; i < addresses->count && !finder.no_memory; i++)
		add_candidate(&finder, addresses->address[i]);
	return tell_kept(&finder, fn, context, error);
}
