/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_symbols.c - functions without an FDE, by their symbols
 *
 * Where other code has FDEs, a function's symbol that has a size is believed: a compiler wrote it, or who wrote it
 * knows of sizes. Assembly often leaves the size out, and labels and data are called functions, too. So in an object
 * file a symbol without a size, and any where the file has no CFI at all, counts only if what begins there is code as a
 * whole: each instruction that a way comes to is one, and each way ends (it returns, jumps elsewhere, or calls last, a
 * function or the system). What falls out of its section, as the pieces of .init in crti.o do, is a part of what a
 * linker makes, and what falls into the next function is perhaps data. In a linked file with FDEs a symbol without a
 * size says nothing: crtstuff.c's are in nearly every program.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "cfi/code_name.h"
#include "analysis/flow/flow_callees.h"
#include "lint_symbols.h"
#include "lint_uncovered.h"

#define WINDOW_BYTES 65536u /* behind it nothing is looked at */
#define ENOUGH	     4096u  /* instructions: what is code for so long is code */

struct walk {
	const struct flow_world *world;
	uint64_t begin, end;
	bool sized; /* it ends at end; else its section does */
	bool *seen; /* of each byte from begin on: an instruction begins there */
	uint64_t *todo;
	size_t todo_count;
	unsigned int instructions;
	bool no_memory;
};

static void lead(struct walk *walk, uint64_t pc)
{
	if (pc < walk->begin || pc >= walk->end)
		return;
	if (ARRAY_GROW(walk->todo, walk->todo_count))
		walk->todo[walk->todo_count++] = pc;
	else
		walk->no_memory = true;
}

/* Zeros, and letters that as instructions only drivers have. */
static bool is_data(const uint8_t *bytes, size_t size, const struct code *code)
{
	return (size > 1 && !bytes[0] && !bytes[1]) ||
	       (code->length == 1 && bytes[0] >= 0x6c && bytes[0] <= 0x6f);
}

static bool begins_other(const struct walk *walk, uint64_t pc)
{
	const struct image_symbol *symbol = image_symbol_find(walk->world->cfi->image, pc);

	return symbol && symbol->pc == pc && symbol->type == STT_FUNC;
}

/* *ret_on: the way goes on behind it. */
static void pass(struct walk *walk, const struct code *code, bool *ret_on)
{
	*ret_on = code->flow == CODE_NEXT || code->flow == CODE_CALL_INDIRECT ||
		  code->flow == CODE_BRANCH || code->flow == CODE_BEGIN;
	if (code->flow == CODE_CALL)
		*ret_on = !flow_never_returns_by_code(walk->world->callees, code->target);
	else if (code->flow == CODE_BRANCH || code->flow == CODE_BEGIN || code->flow == CODE_JUMP)
		lead(walk, code->target);
}

/* A way that comes from what stands before pc: who was called last perhaps never comes back. */
static bool may_end(const struct walk *walk, uint64_t pc, bool called)
{
	return called && (pc >= walk->end || begins_other(walk, pc));
}

/* Straight on. False: it is no function. */
static bool follow(struct walk *walk, uint64_t pc)
{
	bool on = true, called = false;

	while (on && walk->instructions < ENOUGH && pc - walk->begin < WINDOW_BYTES) {
		struct code code;
		const uint8_t *bytes;
		size_t size;

		if (pc >= walk->end || (pc != walk->begin && begins_other(walk, pc)))
			return may_end(walk, pc, called);
		if (walk->seen[pc - walk->begin])
			return true;
		bytes = image_bytes_most(walk->world->cfi->image, pc, CODE_BYTES_MAX, &size);
		if (!bytes)
			return false;
		code_decode(walk->world->decoder, pc, bytes, size, &code);
		if (!code.length || code.flow == CODE_UNKNOWN || is_data(bytes, size, &code))
			return called; /* who was called never comes back, or it is no code */
		walk->seen[pc - walk->begin] = true;
		walk->instructions++;
		pass(walk, &code, &on);
		called = code.flow == CODE_CALL || code.flow == CODE_CALL_INDIRECT ||
			 code.system_call || (called && code.is_padding);
		pc += code.length;
	}
	return true;
}

/* What begins there is code as a whole. */
static bool is_function(const struct flow_world *world, const struct object *object,
			const struct image_symbol *symbol, bool *ret_no_memory)
{
	struct walk walk = { .world = world,
			     .begin = symbol->pc,
			     .end = lint_uncovered_end(world, object, symbol->pc) };
	uint64_t bytes;
	bool good = true;

	if (symbol->size && symbol->size < walk.end - walk.begin)
		walk.end = walk.begin + symbol->size;
	bytes = walk.end - walk.begin;
	walk.seen = calloc(bytes < WINDOW_BYTES ? bytes + 1 : WINDOW_BYTES, sizeof(*walk.seen));
	walk.no_memory = !walk.seen;
	if (walk.seen)
		lead(&walk, walk.begin);
	while (good && walk.todo_count)
		good = follow(&walk, walk.todo[--walk.todo_count]);
	*ret_no_memory |= walk.no_memory;
	free(walk.seen);
	free(walk.todo);
	return good && !walk.no_memory;
}

/* Linkers put it together of pieces, of which none is a function. */
static bool is_piece(const struct image *image, const struct object *object, uint64_t pc)
{
	const struct object_section *section = object ? object_section_find(object, pc) : NULL;
	const char *in = section ? section->name : NULL;
	struct code_name name;

	if (!in) {
		code_name_find(image, NULL, pc, &name);
		in = name.section;
	}
	return !strcmp(in, ".init") || !strcmp(in, ".fini");
}

int lint_symbols_find(const struct flow_world *world, const struct object *object, flow_taken_fn fn,
		      void *context, struct error *error)
{
	const struct image *image = world->cfi->image;
	const bool is_bare = !world->cfi->section->data;
	bool no_memory = false;
	size_t count;
	const struct image_symbol *symbol = image_symbols(image, &count);

	for (size_t i = 0; i < count; i++) {
		const uint64_t pc = symbol[i].pc;
		const bool sized = symbol[i].size;

		if (symbol[i].type != STT_FUNC || !image_bytes(image, pc, 1) ||
		    cfi_fde_find(world->cfi, pc))
			continue;
		if (!sized && (is_piece(image, object, pc) || (!object && !is_bare)))
			continue;
		if ((sized && !is_bare) || (image_code_segment(image, pc) &&
					    is_function(world, object, &symbol[i], &no_memory)))
			fn(context, pc);
	}
	return no_memory ? error_set(error, ERROR_MEMORY, NULL, 0, "functions without CFI") : 0;
}

/* ---- why there are none -------------------------------------------------------------------- */

static const struct {
	const char *name, *title;
} reasons[LINT_BARE_COUNT] = {
	[LINT_BARE_NO_CODE] = { "no_code", "it has no code" },
	[LINT_BARE_NO_SYMBOLS] = { "no_symbols",
				   "without symbols it is not known where its functions are" },
	[LINT_BARE_UNTYPED] = { "untyped", "no symbol says that it is a function's" },
	[LINT_BARE_UNFOLLOWED] = { "unfollowed",
				   "what its symbols call functions is none as a whole" },
	[LINT_BARE_OTHER_TABLES] = { "other_tables", "it has tables of another kind" },
	[LINT_BARE_NOT_UNWOUND] = { "not_unwound", "nobody unwinds it" },
};

enum lint_bare lint_symbols_why(const struct image *image)
{
	enum lint_bare why = LINT_BARE_NO_CODE;
	size_t count;
	const struct image_symbol *symbol = image_symbols(image, &count);

	for (size_t i = 0; i < image->segment_count; i++)
		if (image->segment[i].executable && image->segment[i].file_bytes)
			why = LINT_BARE_NO_SYMBOLS;
	for (size_t i = 0; why && why != LINT_BARE_NO_CODE && i < count; i++) {
		if (!image_code_segment(image, symbol[i].pc))
			continue;
		if (symbol[i].type == STT_FUNC)
			return LINT_BARE_UNFOLLOWED;
		why = LINT_BARE_UNTYPED;
	}
	return why;
}

const char *lint_bare_name(enum lint_bare why)
{
	return reasons[why].name;
}

const char *lint_bare_title(enum lint_bare why)
{
	return reasons[why].title;
}

const char *lint_bare_title_of(const char *name)
{
	for (int i = LINT_BARE_FOUND + 1; i < LINT_BARE_COUNT; i++)
		if (!strcmp(name, reasons[i].name))
			return reasons[i].title;
	return NULL;
}
