/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_uncovered.c - code that no FDE covers, and FDEs that cover what is none of their function
 */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "image/eh_frame_hdr.h"
#include "lint_inside.h"
#include "analysis/flow/flow_walk.h"
#include "analysis/objects/object.h"
#include "cfi/code_name.h"
#include "image/eh_frames.h"
#include "truth/tracer/tracer.h"

/* ==== how far code without an FDE goes on =================================================== */

/*
 * From where it is reached the instructions are passed as they stand in memory: to the next FDE, to the next
 * function's symbol, or to where no path goes on and none of their jumps leads further. Whoever stands in between
 * has no row either.
 */

#define UNCOVERED_BYTES_MAX (1u << 20)

bool lint_uncovered_is_code(const struct flow_world *world, uint64_t pc, uint64_t from,
			    bool *ret_entered)
{
	const struct image *image = world->cfi->image;
	const uint8_t *bytes = image_bytes(image, pc, 2);
	struct code code, lead = { .flow = CODE_UNKNOWN };

	if (from)
		code_decode_at(world->decoder, image, from, &lead);
	*ret_entered = !from || lead.flow == CODE_CALL;
	if ((bytes && !bytes[0] && !bytes[1]) ||
	    !code_decode_at(world->decoder, image, pc, &code) || code.is_padding)
		return false;
	/* What is called, or jumped to, is code, whatever its symbol says. */
	return !from || !image_is_data(image, pc) ||
	       (lead.target == pc &&
		(lead.flow == CODE_CALL || lead.flow == CODE_JUMP || lead.flow == CODE_BRANCH));
}

/* Of an object file; or NULL. */
static const struct object_section *section_of(const struct flow_world *world, uint64_t pc)
{
	return world->object ? object_section_find(world->object, pc) : NULL;
}

/* Where the next FDE begins, or the section's code ends, or that of the file: pc's at the latest. */
static uint64_t lint_uncovered_end(const struct flow_world *world, uint64_t pc)
{
	const struct object_section *section = section_of(world, pc);
	const struct image_segment *segment = image_code_segment(world->cfi->image, pc);

	uint64_t end = section	 ? section->vaddr + section->size
		       : segment ? segment->vaddr + segment->file_bytes
				 : pc;
	uint64_t next = cfi_next_begin(world->cfi, pc);

	return next < end ? next : end;
}

/* The code that pc lies in goes on there, in the same section and before another function. */
static bool is_more(const struct flow_world *world, uint64_t pc, uint64_t at)
{
	const struct image *image = world->cfi->image;
	struct code_name first, here;

	if (lint_begin_is_named(image, at))
		return at == pc;
	code_name_find(image, world->cfi, pc, &first);
	code_name_find(image, world->cfi, at, &here);
	return !strcmp(first.section, here.section);
}

/* No path goes on behind it. */
static bool is_last(const struct flow_world *world, const struct code *code)
{
	return !code_falls_through(code) ||
	       (code->flow == CODE_CALL &&
		(flow_never_returns(world->callees, code->target) ||
		 flow_never_returns_by_code(world->callees, code->target)));
}

/* At an instruction's end, and at limit at the latest. */
static uint64_t end_of(const struct flow_world *world, uint64_t pc, uint64_t limit)
{
	uint64_t at = pc, furthest = pc, end = lint_uncovered_end(world, pc);
	struct code code;

	if (end > limit)
		end = limit;
	if (end - pc > UNCOVERED_BYTES_MAX)
		end = pc + UNCOVERED_BYTES_MAX;
	while (at < end && is_more(world, pc, at) &&
	       code_decode_at(world->decoder, world->cfi->image, at, &code) && code.length) {
		at += code.length;
		if ((code.flow == CODE_BRANCH || code.flow == CODE_BEGIN ||
		     code.flow == CODE_JUMP) &&
		    code.target > furthest && code.target < end)
			furthest = code.target;
		if (is_last(world, &code) && furthest < at)
			break;
	}
	return at > pc ? at : pc + 1;
}

bool lint_uncovered_is_unknown(const struct flow_world *world)
{
	const struct cfi *cfi = world->cfi;

	return world->object && world->object->cfi_unknown &&
	       ARRAY_ANY(cfi->fde_count, i, !image_code_segment(cfi->image, cfi->fde[i].pc_begin));
}

void lint_uncovered_tell(struct lint_judge *judge, const struct lint_addresses *uncovered)
{
	if (lint_uncovered_is_unknown(judge->world))
		return;
	for (size_t i = 0; i < uncovered->count; i++) {
		uint64_t pc = uncovered->address[i];
		uint64_t next = i + 1 < uncovered->count ? uncovered->address[i + 1] : UINT64_MAX;

		lint_judge_uncovered(judge, pc, end_of(judge->world, pc, next));
	}
}

/* ==== functions without an FDE, by their symbols ============================================ */

/*
 * Where other code has FDEs, a function's symbol that has a size is believed: a compiler wrote it, or who wrote it
 * knows of sizes. Assembly often leaves the size out, and labels and data are called functions, too. So in an object
 * file a symbol without a size, and any where the file has no CFI at all, counts only if what begins there is code as a
 * whole: each instruction that a path comes to is one, and each path ends (it returns, jumps elsewhere, or calls last, a
 * function or the system). What falls out of its section, as the pieces of .init in crti.o do, is a part of what a
 * linker makes, and what falls into the next function is perhaps data. The same holds in a linked file with FDEs, but for
 * the start files' own, which are in nearly every program: crtstuff.c's functions, _init and _fini, and where the process
 * begins. And main is one, whatever its symbol says, for the C library is called with its address (tracer.h).
 */

#define WINDOW_BYTES 65536u /* behind it nothing is looked at */
#define ENOUGH	     4096u  /* instructions: what is code for so long is code */

/* Zeros, and letters that as instructions only drivers have. */
static bool is_data(const struct flow_walk *walk)
{
	const uint64_t at = walk->pc - walk->begin;
	const uint8_t *bytes = walk->bytes + at;

	return (walk->size - at > 1 && !bytes[0] && !bytes[1]) ||
	       (bytes[0] >= 0x6c && bytes[0] <= 0x6f);
}

/* The path has come to where no code of the function is. */
static bool is_behind(const struct flow_walk *walk, const struct image *image)
{
	return !flow_walk_has(walk, walk->pc) ||
	       (walk->pc != walk->begin && lint_begin_is_named(image, walk->pc)) || is_data(walk);
}

/* To the path's end. False: it is no function. */
static bool follow(struct flow_walk *walk, const struct image *image, unsigned int *instructions)
{
	bool called = false;

	while (walk->on && *instructions < ENOUGH && walk->pc - walk->begin < WINDOW_BYTES) {
		const struct code *code = &walk->code;

		if (is_behind(walk, image))
			return called; /* what was called last perhaps never comes back */
		if (!flow_walk_step(walk))
			return true;
		if (code->flow == CODE_UNKNOWN)
			return called;
		++*instructions;
		called = code->flow == CODE_CALL || code->flow == CODE_CALL_INDIRECT ||
			 code->system_call || (called && code->is_padding);
	}
	return true;
}

/* What begins there is code as a whole. */
static bool is_function(const struct flow_world *world, const struct image_symbol *symbol)
{
	uint64_t bytes = lint_uncovered_end(world, symbol->pc) - symbol->pc;
	struct flow_walk walk = { .world = world, .begin = symbol->pc };
	unsigned int instructions = 0;
	bool good = true;

	if (symbol->size && symbol->size < bytes)
		bytes = symbol->size;
	walk.end = symbol->pc + (bytes < WINDOW_BYTES ? bytes : WINDOW_BYTES);
	walk.bytes = image_bytes_most(world->cfi->image, symbol->pc, SIZE_MAX, &walk.size);
	flow_walk_add(&walk, walk.begin);
	while (good && flow_walk_path(&walk))
		good = follow(&walk, world->cfi->image, &instructions);
	flow_walk_deinit(&walk);
	return good && !flow_lacks(world);
}

/* Linkers put it together of pieces, of which none is a function. */
static bool is_piece(const struct flow_world *world, uint64_t pc)
{
	const struct object_section *section = section_of(world, pc);
	const char *in = section ? section->name : NULL;
	struct code_name name;

	if (!in) {
		code_name_find(world->cfi->image, NULL, pc, &name);
		in = name.section;
	}
	return !strcmp(in, ".init") || !strcmp(in, ".fini");
}

/* What every program has of the start files, and nobody who wrote it. */
static bool is_start_files(const struct image *image, const struct image_symbol *symbol)
{
	static const char *const names[] = {
		"_init",
		"_fini",
		"_start",
		"deregister_tm_clones",
		"register_tm_clones",
		"__do_global_dtors_aux",
		"__do_global_ctors_aux",
		"frame_dummy",
		"call_gmon_start",
	};

	return ARRAY_ANY(ARRAY_COUNT(names), i, !strcmp(symbol->name, names[i])) ||
	       symbol->pc == image->entry;
}

/* A symbol without a size may be believed, if there is code. */
static bool may_be_function(const struct flow_world *world, const struct image_symbol *symbol)
{
	const struct image *image = world->cfi->image;
	bool entered;

	if (is_piece(world, symbol->pc))
		return false;
	return world->object || !world->cfi->section->data ||
	       (!is_start_files(image, symbol) && !flow_is_stub(world->callees, symbol->pc) &&
		lint_uncovered_is_code(world, symbol->pc, 0, &entered));
}

/* The one that a program's first code gives the C library. */
static void find_main(const struct flow_world *world, flow_address_fn fn, void *context)
{
	const struct image *image = world->cfi->image;
	const uint64_t pc = image->entry ? image_main_address(image) : 0;

	if (pc && image_code_segment(image, pc) && !cfi_fde_find(world->cfi, pc))
		fn(context, pc);
}

void lint_symbols_find(const struct flow_world *world, flow_address_fn fn, void *context)
{
	const struct image *image = world->cfi->image;
	const bool is_bare = !world->cfi->section->data;
	size_t count;
	const struct image_symbol *symbol = image_symbols(image, &count);

	for (size_t i = 0; i < count; i++) {
		const uint64_t pc = symbol[i].pc;
		const bool sized = symbol[i].size;

		if (symbol[i].type != STT_FUNC || !image_bytes(image, pc, 1) ||
		    cfi_fde_find(world->cfi, pc))
			continue;
		if (!sized && !may_be_function(world, &symbol[i]))
			continue;
		if ((sized && !is_bare) ||
		    (image_code_segment(image, pc) && is_function(world, &symbol[i])))
			fn(context, pc);
	}
	if (!world->object && !is_bare)
		find_main(world, fn, context);
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

const char *lint_bare_title_of(const char *name)
{
	for (int i = LINT_BARE_FOUND + 1; i < LINT_BARE_COUNT; i++)
		if (!strcmp(name, reasons[i].name))
			return reasons[i].title;
	return NULL;
}

/* ==== FDEs that reach beyond their function ================================================= */

/*
 * How long a function is, its symbol says (.size). Assembly may have one FDE for several functions
 * on purpose, symbols may be too short, and another name may stand in the middle of a function. So an FDE
 * that covers more than its function is not wrong yet. It is
 *
 *	where the other function has an FDE of its own: one address then has two
 *	where the other function is followed from its begin, and the rows are not its rows
 *	where the code ends, or where the file has nothing
 *
 * One that begins in a segment that is not executable is accused of nothing: whoever maps the file may make code of
 * what lies there, as rr does of a page that the file has for reading alone. It is counted (gate/gate_image.c).
 */

static bool is_sized_function(const struct image_symbol *symbol)
{
	return (symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC) && symbol->size;
}

/* The first symbol at pc or behind it. */
static size_t symbol_from(const struct image_symbol *symbol, size_t count, uint64_t pc)
{
	return ARRAY_BEFORE(count, i, symbol[i].pc < pc);
}

/* Where the FDE's own function ends, by the longest of its symbols; 0: no function begins there. */
static uint64_t own_end(const struct image *image, const struct cfi_fde *fde)
{
	size_t count;
	const struct image_symbol *symbol = image_symbols(image, &count);
	uint64_t end = 0;

	for (size_t i = symbol_from(symbol, count, fde->pc_begin);
	     i < count && symbol[i].pc == fde->pc_begin; i++)
		if (is_sized_function(&symbol[i]) && symbol[i].pc + symbol[i].size > end)
			end = symbol[i].pc + symbol[i].size;
	return end;
}

/* The next function in the FDE from pc on, behind the end of its own. */
static const struct image_symbol *next_function(const struct flow_world *world,
						const struct cfi_fde *fde, uint64_t pc)
{
	uint64_t end = own_end(world->cfi->image, fde), fde_end = fde->pc_begin + fde->pc_range;
	size_t count;
	const struct image_symbol *symbol = image_symbols(world->cfi->image, &count);

	if (!end)
		return NULL;
	for (size_t i = symbol_from(symbol, count, pc > end ? pc : end);
	     i < count && symbol[i].pc < fde_end; i++)
		if (is_sized_function(&symbol[i]) &&
		    !flow_is_fragment(world->callees, symbol[i].pc))
			return &symbol[i];
	return NULL;
}

uint64_t lint_extent_next(const struct flow_world *world, const struct cfi_fde *fde, uint64_t pc)
{
	const struct image_symbol *symbol;

	for (; (symbol = next_function(world, fde, pc)); pc = symbol->pc + 1)
		if (symbol->binding != STB_LOCAL && !cfi_fde_begins(world->cfi, symbol->pc))
			return symbol->pc;
	return 0;
}

/* ---- what is wrong ------------------------------------------------------------------------- */

static void tell(struct lint_judge *judge, const struct cfi_fde *fde, uint64_t pc, uint64_t pc_end,
		 const char *why, uint64_t where)
{
	struct lint_finding finding = {
		.id = LINT_BEYOND, .pc = pc, .pc_end = pc_end, .function = fde->pc_begin
	};

	snprintf(finding.declared, sizeof(finding.declared),
		 "an FDE of %" PRIu64 " bytes from 0x%" PRIx64, fde->pc_range, fde->pc_begin);
	snprintf(finding.actual, sizeof(finding.actual), why, where);
	lint_judge_report(judge, &finding);
}

/* One finding for an FDE: the first function that it is not for. */
static void check_functions(struct lint_judge *judge, const struct cfi_fde *fde)
{
	const struct cfi *cfi = judge->world->cfi;
	uint64_t pc = fde->pc_begin, fde_end = fde->pc_begin + fde->pc_range;
	const struct image_symbol *symbol;

	for (; (symbol = next_function(judge->world, fde, pc)); pc = symbol->pc + 1) {
		uint64_t end = symbol->pc + symbol->size;

		if (cfi_fde_begins(cfi, symbol->pc)) {
			tell(judge, fde, symbol->pc, fde_end,
			     "its function ends at 0x%" PRIx64
			     ", here another begins that has an FDE",
			     own_end(cfi->image, fde));
			return;
		}
		if (lint_judge_is_wrong(judge, symbol->pc, end < fde_end ? end : fde_end)) {
			tell(judge, fde, symbol->pc, fde_end,
			     "its function ends at 0x%" PRIx64
			     ", here another begins that has other rows",
			     own_end(cfi->image, fde));
			return;
		}
	}
}

/* any: executable or not. */
static bool in_segment(const struct image *image, uint64_t pc, bool any)
{
	return ARRAY_ANY(image->segment_count, i,
			 (any || image->segment[i].executable) &&
				 pc - image->segment[i].vaddr < image->segment[i].memory_bytes);
}

/* The segment's end that the FDE passes, 0 if none. */
static uint64_t passed_end(const struct image *image, const struct cfi_fde *fde)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segment[i];
		uint64_t end = segment->vaddr + segment->memory_bytes;

		if (segment->executable && fde->pc_begin >= segment->vaddr && fde->pc_begin < end &&
		    fde->pc_range > end - fde->pc_begin)
			return in_segment(image, end, false) ? 0 : end;
	}
	return 0;
}

static void check_code(struct lint_judge *judge, const struct cfi_fde *fde)
{
	const struct image *image = judge->world->cfi->image;
	const struct object_section *section = section_of(judge->world, fde->pc_begin);
	uint64_t end = 0;

	if (judge->world->object && !section)
		return; /* of what the file doesn't have */
	if (!in_segment(image, fde->pc_begin, true))
		tell(judge, fde, fde->pc_begin, fde->pc_begin + fde->pc_range, "no code is there",
		     0);
	if (!in_segment(image, fde->pc_begin, false))
		return;
	if (!section)
		end = passed_end(image, fde);
	else if (fde->pc_range > section->vaddr + section->size - fde->pc_begin)
		end = section->vaddr + section->size;
	if (end)
		tell(judge, fde, fde->pc_begin, end, "the code ends at 0x%" PRIx64, end);
}

/* Nothing is said of what nobody executes. Where the file has nothing at all, something is wrong. */
static bool is_no_code(const struct image *image, const struct cfi_fde *fde)
{
	return in_segment(image, fde->pc_begin, true) && !in_segment(image, fde->pc_begin, false);
}

static void check_order(struct lint_judge *judge)
{
	const struct cfi *cfi = judge->world->cfi;

	for (size_t i = 1; i < cfi->by_pc_count; i++) {
		const struct cfi_fde *before = &cfi->fde[cfi->by_pc[i - 1]];
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];

		if (fde->pc_begin < before->pc_begin + before->pc_range &&
		    !is_no_code(cfi->image, fde))
			lint_judge_overlap(judge, before, fde);
	}
}

void lint_extent_check(struct lint_judge *judge)
{
	const struct cfi *cfi = judge->world->cfi;

	check_order(judge);
	for (size_t i = 0; i < cfi->by_pc_count; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];

		if (!is_no_code(cfi->image, fde))
			check_functions(judge, fde);
		check_code(judge, fde);
	}
}

/* ==== sections .eh_frame that unwinders don't find ========================================== */

/*
 * A linker joins all of them into one. Where a linked image has several, a run-time begins at the
 * one that PT_GNU_EH_FRAME leads to, and libgcc without a search table, and who reads sections by
 * name, stop at its end. In a process, an image that other images are loaded with is found by that segment
 * alone (dl_iterate_phdr(3)), unless it registers its frames itself, as crtbegin did before.
 *
 * What the search table leads to, eh_frame_hdr_check() says. A program without any other image may have
 * no unwinder in it: nobody is accused.
 */

#define REGISTERS_ITSELF "__register_frame"

/* One that has bytes: objcopy leaves an empty one where a section was removed. */
static bool has_header(const struct image *image, uint32_t type)
{
	Elf64_Phdr header;

	return image_program_header(image, type, &header) && header.p_filesz;
}

/* Any mention of it will do. */
static bool registers_itself(const struct image *image)
{
	size_t size;
	const uint8_t *file = image_file_bytes(image, &size);

	return memmem(file, size, REGISTERS_ITSELF, strlen(REGISTERS_ITSELF)) != NULL;
}

static bool has_fdes(const struct cfi *cfi, const struct image_section *section)
{
	return ARRAY_ANY(cfi->by_pc_count, i,
			 cfi->cie[cfi->fde[cfi->by_pc[i]].cie].section == section);
}

/* The search table can be read, and names the image's .eh_frame. */
static bool names_eh_frame(const struct image *image)
{
	struct eh_frame_hdr header;
	struct error ignored;

	return !eh_frame_hdr_read(image, &header, &ignored) &&
	       header.eh_frame_vaddr == image->eh_frame.vaddr;
}

/* The search table is the one where PT_GNU_EH_FRAME leads an unwinder in the process, which has its address alone. */
static bool is_led_to(const struct image *image)
{
	Elf64_Phdr segment;

	return image_program_header(image, PT_GNU_EH_FRAME, &segment) &&
	       image->eh_frame_hdr.vaddr == segment.p_vaddr &&
	       image->eh_frame_hdr.size == segment.p_filesz;
}

/* Why no unwinder in the process finds the image's .eh_frame; NULL: it does, or another finding says why. */
static const char *why_not_led_to(const struct image *image)
{
	if (!has_header(image, PT_GNU_EH_FRAME))
		return has_header(image, PT_DYNAMIC) ? "no PT_GNU_EH_FRAME leads there" : NULL;
	/* A search table that can't be read, or names another section, has a finding of its own. */
	return names_eh_frame(image) && !is_led_to(image) ? "PT_GNU_EH_FRAME leads elsewhere"
							  : NULL;
}

static void tell_section(struct lint_judge *judge, const struct image_section *section,
			 const char *why)
{
	struct lint_finding finding = { .id = LINT_SECTION };

	snprintf(finding.declared, sizeof(finding.declared), "%s of %zu bytes at 0x%" PRIx64,
		 section->name, section->size, section->vaddr);
	snprintf(finding.actual, sizeof(finding.actual), "%s", why);
	lint_judge_report(judge, &finding);
}

void lint_sections_check(struct lint_judge *judge)
{
	const struct cfi *cfi = judge->world->cfi;
	const struct image *image = cfi->image;
	const char *why = has_fdes(cfi, &image->eh_frame) ? why_not_led_to(image) : NULL;
	const struct image_section *section;

	for (size_t i = 1; (section = image_eh_frame(image, i)); i++)
		if (section->data)
			tell_section(judge, section, "there is another, at which unwinders begin");
	if (why && !registers_itself(image))
		tell_section(judge, &image->eh_frame, why);
}
