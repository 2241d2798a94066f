/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_functions.c - which functions have no FDE
 *
 * They begin where a symbol of a function says so, where the image is entered, where something is
 * called, at main (which start-up code hands to the C library), and where a PLT begins. What only jumps
 * lead to is a piece of some function: it gets a range, too, but nobody enters it by a call. A compiler
 * calls such pieces f.cold, a linker f.warm.
 *
 * A function ends where its symbol says, else where the next begins, at the next FDE, or with its
 * section. If that is too late nothing is wrong: code that no way leads to gets no row. What is called is
 * found in what is known already, so that is repeated until nothing comes that is new.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "cfi/code_name.h"
#include "analysis/flow/flow_callees.h"
#include "analysis/flow/flow_part.h"
#include "analysis/flow/flow_image.h"
#include "synthesis.h"

#define ROUNDS_MAX 32 /* in each, functions are found that those of the one before call */

struct finder {
	const struct cfi *cfi;
	const struct object *object; /* that the image was made of; or NULL */
	struct code_decoder *decoder;
	struct synthesis_ranges *ranges; /* unsorted, end 0 if nothing says it, until settle() */
	struct synthesis_taken *taken;
	bool with_taken; /* what it knows are functions, too */
	bool no_memory;
};

static void add(struct finder *finder, uint64_t begin, uint64_t end, bool entered)
{
	struct synthesis_ranges *ranges = finder->ranges;

	/* Address 0 stands for none. */
	if (!begin || !image_code_segment(finder->cfi->image, begin) ||
	    cfi_fde_find(finder->cfi, begin))
		return;
	if (!ARRAY_GROW(ranges->range, ranges->count)) {
		finder->no_memory = true;
		return;
	}
	ranges->range[ranges->count++] = (struct synthesis_range) {
		.begin = begin, .end = end, .entered = entered, .sized = end != 0
	};
}

static void add_called(struct finder *finder, uint64_t begin)
{
	size_t count = finder->ranges->count;

	add(finder, begin, 0, true);
	if (finder->ranges->count > count)
		finder->ranges->range[count].called = true;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct synthesis_range *a = left, *b = right;

	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* Where the range ends at the latest: its section, the next FDE. */
static uint64_t latest_end(const struct finder *finder, uint64_t begin)
{
	const struct cfi *cfi = finder->cfi;
	const struct object_section *section = finder->object
						       ? object_section_find(finder->object, begin)
						       : NULL;
	uint64_t end = image_code_end(cfi->image, begin);
	size_t low = 0, high = cfi->by_pc_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (cfi->fde[cfi->by_pc[middle]].pc_begin > begin)
			high = middle;
		else
			low = middle + 1;
	}
	if (low < cfi->by_pc_count && cfi->fde[cfi->by_pc[low]].pc_begin < end)
		end = cfi->fde[cfi->by_pc[low]].pc_begin;
	if (section && section->vaddr + section->size < end &&
	    section->vaddr + section->size > begin)
		end = section->vaddr + section->size;
	return end - begin > FLOW_PART_BYTES_MAX ? begin + FLOW_PART_BYTES_MAX : end;
}

/* In order, each begin once, none beyond the next. */
static void settle(const struct finder *finder)
{
	struct synthesis_ranges *ranges = finder->ranges;
	size_t kept = 0;

	if (!ranges->count)
		return;
	qsort(ranges->range, ranges->count, sizeof(*ranges->range), compare_ranges);
	for (size_t i = 0; i < ranges->count; i++) {
		struct synthesis_range *range = &ranges->range[i];
		struct synthesis_range *last = kept ? &ranges->range[kept - 1] : NULL;

		if (last && last->begin == range->begin) {
			last->entered |= range->entered;
			last->called |= range->called;
			last->end = range->end > last->end ? range->end : last->end;
			last->sized |= range->sized;
			last->taken |= range->taken;
			continue;
		}
		ranges->range[kept++] = *range;
	}
	ranges->count = kept;
	for (size_t i = 0; i < kept; i++) {
		struct synthesis_range *range = &ranges->range[i];
		uint64_t latest = latest_end(finder, range->begin);

		if (i + 1 < kept && range[1].begin < latest)
			latest = range[1].begin;
		if (!range->end || range->end > latest)
			range->end = latest;
	}
}

/* ---- where they begin ---------------------------------------------------------------------- */

static void add_symbols(struct finder *finder)
{
	size_t count;
	const struct image_symbol *symbol = image_symbols(finder->cfi->image, &count);

	for (size_t i = 0; i < count; i++)
		if (symbol[i].type == STT_FUNC || symbol[i].type == STT_GNU_IFUNC)
			add(finder, symbol[i].pc,
			    symbol[i].size ? symbol[i].pc + symbol[i].size : symbol[i].end,
			    !flow_is_fragment_name(symbol[i].name));
}

/* The stretch of a PLT around a stub. */
static void add_plt(struct finder *finder, const struct code_name *stub)
{
	const struct cfi *cfi = finder->cfi;
	uint64_t begin = stub->start, end = stub->start + 8;
	struct code_name name;

	for (;; begin -= 8) {
		code_name_find(cfi->image, cfi, begin - 8, &name);
		if (cfi_fde_find(cfi, begin - 8) || strcmp(name.section, stub->section) ||
		    (name.kind != CODE_STUB && name.kind != CODE_SECTION))
			break;
	}
	for (;; end += 8) {
		code_name_find(cfi->image, cfi, end, &name);
		if (cfi_fde_find(cfi, end) || strcmp(name.section, stub->section) ||
		    (name.kind != CODE_STUB && name.kind != CODE_SECTION))
			break;
	}
	add(finder, begin, end, false);
}

static struct synthesis_range *known(const struct synthesis_ranges *ranges, size_t sorted,
				     uint64_t pc)
{
	const struct synthesis_range key = { .begin = pc };

	return sorted ? bsearch(&key, ranges->range, sorted, sizeof(*ranges->range), compare_ranges)
		      : NULL;
}

struct round {
	struct finder *finder;
	size_t sorted; /* of the ranges: those of rounds before */
	uint64_t last;
};

/* A jump leads there. Into a range whose end nothing says another function's begin may be. */
static bool is_new(const struct round *round, uint64_t pc)
{
	const struct finder *finder = round->finder;
	const struct synthesis_range *range = synthesis_range_at(finder->ranges->range,
								 round->sorted, pc);

	return !range ||
	       (!range->sized && flow_taken_may_begin(finder->cfi->image, finder->decoder, pc));
}

static void led_to(void *context, uint64_t pc, enum synthesis_lead lead)
{
	struct round *round = context;
	const struct cfi *cfi = round->finder->cfi;
	bool by_call = lead == SYNTHESIS_CALL;
	struct synthesis_range *range;
	struct code_name name;

	if (lead == SYNTHESIS_REACHED) {
		synthesis_taken_reach(round->finder->taken, pc);
		return;
	}
	if (lead == SYNTHESIS_TAKEN) {
		synthesis_taken_add(round->finder->taken, pc);
		return;
	}
	range = known(round->finder->ranges, round->sorted, pc);
	if (range) {
		range->entered |= by_call;
		range->called |= by_call;
	}
	if (range || (pc == round->last && !by_call))
		return;
	if (!image_code_segment(cfi->image, pc) || cfi_fde_find(cfi, pc))
		return;
	code_name_find(cfi->image, cfi, pc, &name);
	if (name.kind == CODE_STUB) {
		if (!synthesis_range_at(round->finder->ranges->range, round->sorted, pc))
			add_plt(round->finder, &name);
	} else if (by_call) {
		add_called(round->finder, pc);
	} else if (is_new(round, pc)) {
		add(round->finder, pc, 0, false);
	}
	round->last = pc;
}

/* What start-up code hands to the C library in rdi before it calls it. */
static void add_main(struct finder *finder)
{
	const struct image *image = finder->cfi->image;
	const struct image_segment *segment = image_code_segment(image, image->entry);
	uint64_t pc = image->entry, main = 0;
	const uint8_t *bytes;
	struct code code;

	for (int i = 0; segment && i < 32; i++, pc += code.length) {
		uint64_t left = segment->vaddr + segment->file_bytes - pc;

		bytes = image_bytes(image, pc, left);
		if (!bytes)
			return;
		code_decode(finder->decoder, pc, bytes, left, &code);
		if (!code.length || code.flow == CODE_CALL || code.flow == CODE_CALL_INDIRECT)
			break;
		if (code.reg != REGISTER_RDI)
			continue;
		main = 0;
		if (code.effect == EFFECT_CONSTANT)
			main = (uint64_t)code.constant;
		else if (code.effect == EFFECT_ADDRESS && code.base == CODE_NO_REGISTER)
			main = (uint64_t)code.displacement;
	}
	if (main)
		add_called(finder, main);
}

/* The same, of an FDE of the image: to be told once more when more functions are known. */
static void keep_lead(void *context, uint64_t pc, enum synthesis_lead lead)
{
	struct round *round = context;
	struct synthesis_taken *taken = round->finder->taken;

	led_to(context, pc, lead);
	if (lead == SYNTHESIS_REACHED || cfi_fde_find(round->finder->cfi, pc) ||
	    (taken->led_count && taken->led[taken->led_count - 1].pc == pc &&
	     taken->led[taken->led_count - 1].lead == lead))
		return;
	if (ARRAY_GROW(taken->led, taken->led_count))
		taken->led[taken->led_count++] = (struct synthesis_led) { pc, lead };
	else
		round->finder->no_memory = true;
}

/* What all FDEs lead to: those of the image, which are gone through once, and those of what was found. */
static int find_leads(struct round *round, const struct synthesis_blank *blank,
		      struct flow_callees *callees, struct error *error)
{
	struct finder *finder = round->finder;
	struct synthesis_taken *taken = finder->taken;
	const struct cfi *cfi = &blank->cfi;

	for (size_t i = 0; taken->led_known && i < taken->led_count; i++)
		led_to(round, taken->led[i].pc, taken->led[i].lead);
	if (!taken->led_known && synthesis_calls(cfi, 0, blank->first, finder->decoder, callees,
						 keep_lead, round, error))
		return -1;
	taken->led_known = true;
	return synthesis_calls(cfi, blank->first, cfi->fde_count, finder->decoder, callees, led_to,
			       round, error);
}

static int find_called_by(struct finder *finder, bool *ret_more, struct error *error)
{
	struct round round = { .finder = finder, .sorted = finder->ranges->count };
	struct synthesis_blank blank;
	struct flow_callees *callees;
	int result = -1;

	if (synthesis_blank_init(&blank, finder->cfi, finder->ranges, error))
		return -1;
	callees = flow_callees_create(&blank.cfi, finder->decoder, finder->object != NULL);
	if (callees)
		result = find_leads(&round, &blank, callees, error);
	else
		error_set(error, ERROR_MEMORY, NULL, 0, "functions without CFI");
	flow_callees_destroy(callees);
	synthesis_blank_deinit(&blank);
	*ret_more = finder->ranges->count > round.sorted;
	return result;
}

/* All ranges that the round before had are sorted. One inside of a function whose end is known is a
 * label's. */
static void add_taken(void *context, uint64_t pc)
{
	struct round *round = context;
	struct finder *finder = round->finder;
	const struct synthesis_range *range = synthesis_range_at(finder->ranges->range,
								 round->sorted, pc);
	size_t count = finder->ranges->count;

	if (range && range->sized && range->begin != pc)
		return;
	add(finder, pc, 0, false);
	if (finder->ranges->count > count)
		finder->ranges->range[count].taken = true;
}

/* What is called by what is known; then what is kept by it, which calls more. */
static int find_called(struct finder *finder, struct error *error)
{
	bool more = true;

	for (int i = 0; more && i < ROUNDS_MAX; i++) {
		struct round round = { .finder = finder };

		if (find_called_by(finder, &more, error))
			return -1;
		settle(finder);
		if (more || !finder->with_taken)
			continue;
		round.sorted = finder->ranges->count;
		synthesis_taken_tell(finder->taken, finder->decoder, add_taken, &round);
		more = finder->ranges->count > round.sorted;
		settle(finder);
	}
	return 0;
}

int synthesis_ranges_find(const struct cfi *cfi, const struct object *object,
			  struct code_decoder *decoder, struct synthesis_taken *taken,
			  bool with_taken, struct synthesis_ranges *ret, struct error *error)
{
	struct finder finder = { .cfi = cfi,
				 .object = object,
				 .decoder = decoder,
				 .ranges = ret,
				 .taken = taken,
				 .with_taken = with_taken };
	int result;

	*ret = (struct synthesis_ranges) { NULL };
	add_symbols(&finder);
	add_called(&finder, cfi->image->entry);
	add_main(&finder);
	settle(&finder);
	result = find_called(&finder, error);
	if (!result && (finder.no_memory || taken->no_memory))
		result = error_set(error, ERROR_MEMORY, NULL, 0, "functions without CFI");
	if (!result)
		return 0;
	free(ret->range);
	*ret = (struct synthesis_ranges) { NULL };
	return -1;
}

const struct synthesis_range *synthesis_range_at(const struct synthesis_range *range, size_t count,
						 uint64_t pc)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (range[middle].begin > pc)
			high = middle;
		else
			low = middle + 1;
	}
	return low && pc < range[low - 1].end ? &range[low - 1] : NULL;
}
