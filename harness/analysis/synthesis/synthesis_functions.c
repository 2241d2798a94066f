/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_functions.c - which functions have no FDE, or rows that are wrong
 */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "synthesis.h"
#include "analysis/code/code.h"
#include "analysis/flow/flow_walk.h"
#include "analysis/lint/lint_inside.h"
#include "cfi/cfi_section.h"
#include "cfi/code_name.h"
#include "image/pointer.h"

static void synthesis_address_taken_add(void *context, uint64_t pc);
/* ==== what is not known of an object file before it is linked =============================== */

/*
 * Its code is followed in the layout of objects/object.h. Fields that a relocation leaves unknown lead nowhere. A
 * symbol that other files know may be called by them, although its type says nothing; as of an address that is kept,
 * the code must return as a function's. `_start` is where linkers let a process begin (ld(1), --entry).
 */

static void take_symbols(struct synthesis_address_taken *taken, const struct image *image)
{
	size_t count;
	const struct image_symbol *symbol = image_symbols(image, &count);

	for (size_t i = 0; i < count; i++)
		if (symbol[i].type == STT_NOTYPE && symbol[i].binding != STB_LOCAL &&
		    image_code_segment(image, symbol[i].pc))
			synthesis_address_taken_add(taken, symbol[i].pc);
}

int synthesis_object_begin(const struct flow_world *world, struct synthesis_address_taken *taken,
			   struct error *error)
{
	struct image *image = world->object->image;

	if (lint_uncovered_is_unknown(world))
		return error_set(error, ERROR_RELOCATION, ".eh_frame", 0,
				 "an FDE's place is not known, and it may cover any code");
	image->entry = image_symbol_address(image, "_start");
	take_symbols(taken, image);
	return 0;
}

/* ==== FDEs that say nothing, for functions that have none =================================== */

/*
 * lint follows FDEs. So functions without CFI get one each, of a CIE without instructions: its one row
 * has no rule for the CFA, and nothing that is found can differ from it.
 */

/* Those that are not replaced. Returns how many. */
static size_t keep_fdes(struct cfi *copy, const struct cfi *cfi,
			const struct synthesis_ranges *ranges)
{
	size_t kept = 0;

	for (size_t i = 0; i < ranges->count; i++)
		if (ranges->range[i].replaces)
			copy->fde[ranges->range[i].replaces - cfi->fde].pc_range = 1;
	for (size_t i = 0; i < cfi->fde_count; i++)
		if (!copy->fde[i].pc_range)
			copy->fde[kept++] = cfi->fde[i];
	return kept;
}

int synthesis_blank_init(struct synthesis_blank *blank, const struct cfi *cfi,
			 const struct synthesis_ranges *ranges, struct error *error)
{
	static const uint8_t nothing[1];
	static const struct image_section section = { .data = nothing, .name = ".eh_frame" };
	struct cfi *copy = &blank->cfi;

	memset(blank, 0, sizeof(*blank));
	*copy = (struct cfi) { .image = cfi->image, .section = &section, .is_eh_frame = true };
	copy->cie = calloc(cfi->cie_count + 1, sizeof(*copy->cie));
	copy->fde = calloc(cfi->fde_count + ranges->count + 1, sizeof(*copy->fde));
	if (!copy->cie || !copy->fde) {
		synthesis_blank_deinit(blank);
		return error_set(error, ERROR_MEMORY, NULL, 0, "functions without CFI");
	}
	if (cfi->cie_count)
		memcpy(copy->cie, cfi->cie, cfi->cie_count * sizeof(*copy->cie));
	blank->first = keep_fdes(copy, cfi, ranges);
	copy->cie[cfi->cie_count] = (struct cfi_cie) {
		.section = &section,
		.augmentation = "",
		.code_alignment = 1,
		.data_alignment = -8,
		.return_register = REGISTER_RIP,
		.instructions = nothing,
		.version = 1,
		.address_bytes = 8,
		.lsda_encoding = POINTER_OMIT,
	};
	copy->cie_count = cfi->cie_count + 1;
	copy->fde_count = blank->first + ranges->count;
	for (size_t i = 0; i < ranges->count; i++)
		copy->fde[blank->first + i] = (struct cfi_fde) {
			.pc_begin = ranges->range[i].begin,
			.pc_range = ranges->range[i].end - ranges->range[i].begin,
			.instructions = nothing,
			.cie = (uint32_t)cfi->cie_count,
		};
	if (!cfi_order(copy, error))
		return 0;
	synthesis_blank_deinit(blank);
	return -1;
}

void synthesis_blank_deinit(struct synthesis_blank *blank)
{
	free(blank->cfi.cie);
	free(blank->cfi.fde);
	free(blank->cfi.by_pc);
	free(blank->cfi.reach);
	memset(blank, 0, sizeof(*blank));
}

/* ==== addresses that something keeps, and that may be functions ============================= */

/*
 * A label's address is kept, too (computed goto, jump tables of absolute addresses). So one that code was
 * seen to reach is none, and neither is one that compilers would not align a function to. What
 * is left may still be a label: whoever follows it must see it return as a function does.
 * Where it does not, it has cut the function around it in two for nothing. So all that is
 * called is followed first, and of what that reaches, by jump tables too, no address is told.
 */

bool synthesis_address_taken_init(struct synthesis_address_taken *taken,
				  const struct flow_world *world)
{
	*taken = (struct synthesis_address_taken) { .cfi = world->cfi, .world = world };
	taken->reached = calloc(world->map.size / 8 + 1, 1);
	if (taken->reached)
		flow_address_taken_words(world, synthesis_address_taken_add, taken);
	else
		flow_lack(world, "no memory for an image's code");
	return taken->reached;
}

void synthesis_address_taken_deinit(struct synthesis_address_taken *taken)
{
	free(taken->reached);
	free(taken->address);
	free(taken->led);
	memset(taken, 0, sizeof(*taken));
}

void synthesis_address_taken_reach(struct synthesis_address_taken *taken, uint64_t pc)
{
	const size_t at = flow_code_map_at(&taken->world->map, pc);

	if (at != FLOW_CODE_NONE)
		taken->reached[at / 8] |= (uint8_t)(1u << at % 8);
}

static bool is_reached(const struct synthesis_address_taken *taken, uint64_t pc)
{
	const size_t at = flow_code_map_at(&taken->world->map, pc);

	return at == FLOW_CODE_NONE || taken->reached[at / 8] & 1u << at % 8;
}

/* context: the struct synthesis_address_taken. */
static void synthesis_address_taken_add(void *context, uint64_t pc)
{
	struct synthesis_address_taken *taken = context;

	if (is_reached(taken, pc) || cfi_fde_find(taken->cfi, pc) ||
	    (taken->count && taken->address[taken->count - 1] == pc))
		return;
	if (!ARRAY_ADD(taken->address, taken->count, pc))
		synthesis_lack(taken->world);
}

static bool may_be(const struct synthesis_address_taken *taken, struct code_decoder *decoder,
		   uint64_t pc)
{
	return !is_reached(taken, pc) && flow_function_may_begin(taken->cfi->image, decoder, pc);
}

bool synthesis_address_taken_left(const struct synthesis_address_taken *taken,
				  struct code_decoder *decoder)
{
	return ARRAY_ANY(taken->count, i, may_be(taken, decoder, taken->address[i]));
}

/* Tells, once, each address that may be a function's, and forgets them. */
static void synthesis_address_taken_tell(struct synthesis_address_taken *taken,
					 struct code_decoder *decoder, flow_address_fn fn,
					 void *context)
{
	for (size_t i = 0; i < taken->count; i++)
		if (may_be(taken, decoder, taken->address[i]))
			fn(context, taken->address[i]);
	taken->count = 0;
}

/* ==== where the code of FDEs leads to, outside of them ====================================== */

/*
 * Each FDE is gone through from its begin along all its branches. Behind a call that never returns nothing
 * is looked at: bytes there may be none of the program's.
 */

static void tell_leads(const struct image *image, struct flow_walk *walk, synthesis_leads_fn fn,
		       void *context)
{
	const struct code *code = &walk->code;
	const uint64_t taken = flow_address_taken_by(image, code);

	if (!code->length)
		return;
	fn(context, code->pc, SYNTHESIS_REACHED);
	if (taken)
		fn(context, taken, SYNTHESIS_TAKEN);
	switch (code->flow) {
	case CODE_CALL:
		if (code->target == code->pc + code->length)
			flow_walk_add(walk, code->target); /* to know where it is */
		else
			fn(context, code->target, SYNTHESIS_CALL);
		break;
	case CODE_BRANCH:
	case CODE_BEGIN:
	case CODE_JUMP:
		if (!flow_walk_has(walk, code->target))
			fn(context, code->target, SYNTHESIS_JUMP);
		break;
	default: break;
	}
}

/* Tells the leads of the world's FDEs with numbers from first to before end. */
static void synthesis_calls(const struct flow_world *world, size_t first, size_t end,
			    synthesis_leads_fn fn, void *context)
{
	const struct cfi *cfi = world->cfi;

	for (size_t i = 0; i < cfi->by_pc_count && !flow_lacks(world); i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];
		struct flow_walk walk = { .world = world,
					  .begin = fde->pc_begin,
					  .end = fde->pc_begin + fde->pc_range,
					  .size = fde->pc_range };

		if (cfi->by_pc[i] < first || cfi->by_pc[i] >= end)
			continue;
		walk.bytes = flow_fde_bytes(cfi->image, fde);
		if (walk.bytes)
			flow_walk_add(&walk, walk.begin);
		while (flow_walk_path(&walk))
			while (flow_walk_step(&walk))
				tell_leads(cfi->image, &walk, fn, context);
		flow_walk_deinit(&walk);
	}
}

/* ==== functions whose rows are wrong, or say too little ===================================== */

/*
 * A function of .debug_frame with a row that is wrong (a mismatch of lint) is followed as if it had none, and
 * what its code proves takes the place of what was declared. Where nothing is proven, the row that
 * was there stays.
 *
 * Go's assembly changes stacks and its rows go on as before, by an rsp that nobody can follow; and none of
 * Go's rows says where rbp is, so that no CFA can be counted from it further down. So of Go's functions all are
 * followed that use a register, or of which lint can't prove each row.
 *
 * Of a function of .eh_frame only the rows are replaced that lint says are wrong, where the code proves others.
 * In a copy of the file they are not: exceptions are thrown by them, and a run-time finds them first.
 */

struct search {
	const struct cfi *cfi;
	struct synthesis_ranges *ranges;
	struct synthesis_wrong *wrong;
	bool go, no_memory;
};

static void ignore_finding(void *context, const struct lint_finding *finding)
{
}

static bool is_debug(const struct cfi *cfi, const struct cfi_fde *fde)
{
	return cfi->cie[fde->cie].section == &cfi->image->debug_frame;
}

static void add(struct search *search, const struct cfi_fde *fde)
{
	const struct synthesis_range range = { .begin = fde->pc_begin,
					       .end = fde->pc_begin + fde->pc_range,
					       .entered = true,
					       .called = true,
					       .sized = true,
					       .replaces = fde,
					       .loaded = !is_debug(search->cfi, fde),
					       .go = search->go && is_debug(search->cfi, fde) };

	search->no_memory |= !ARRAY_ADD(search->ranges->range, search->ranges->count, range);
}

static void judged(void *context, const struct lint_fde *fde)
{
	struct search *search = context;
	const struct cfi_fde *found = cfi_fde_find(search->cfi, fde->begin);

	if (!found || found->pc_begin != fde->begin)
		return;
	if (!is_debug(search->cfi, found)) {
		if (fde->outcome == FLOW_ROW_MISMATCH)
			add(search, found);
		return;
	}
	if (fde->outcome == FLOW_ROW_MISMATCH ||
	    (search->go && (fde->outcome == FLOW_ROW_UNPROVEN || fde->unruled)) ||
	    synthesis_restorer_bytes(search->cfi->image, fde->begin))
		add(search, found);
}

static void judged_instruction(void *context, uint64_t pc, enum flow_outcome outcome,
			       enum flow_reason reason)
{
	struct search *search = context;

	search->no_memory |= outcome == FLOW_ROW_MISMATCH &&
			     !ARRAY_ADD(search->wrong->pc, search->wrong->count, pc);
}

bool synthesis_wrong_has(const struct synthesis_wrong *wrong, uint64_t pc)
{
	return ARRAY_FIND(wrong->pc, wrong->count, &pc, array_order_u64) != NULL;
}

void synthesis_wrong_find(const struct cfi *cfi, const struct flow_world *world,
			  struct synthesis_ranges *ret, struct synthesis_wrong *ret_wrong)
{
	struct search search = {
		.cfi = cfi, .ranges = ret, .wrong = ret_wrong, .go = code_is_go(cfi->image)
	};
	const struct lint_watch watch = { .finding = ignore_finding,
					  .fde = judged,
					  .judged = judged_instruction,
					  .judged_of_mismatches = true,
					  .context = &search };
	struct lint_counts counts;

	if (!cfi->by_pc_count || cfi->overlapping ||
	    lint_image(cfi, world->object, &watch, &counts, world->error))
		return;
	ARRAY_SORT(ret_wrong->pc, ret_wrong->count, array_order_u64);
	if (search.no_memory)
		flow_lack(world, "functions");
}

/* ==== which functions have no FDE =========================================================== */

/*
 * They begin where a symbol of a function says so, where the image is entered, where something is
 * called, at main (which start-up code hands to the C library), and where a PLT begins. What only jumps
 * lead to is a piece of some function: it gets a range, too, but nobody enters it by a call. A compiler
 * calls such pieces f.cold, a linker f.warm.
 *
 * A function ends where its symbol says, else where the next begins, at the next FDE, or with its
 * section. If that is too late nothing is wrong: code that no path leads to gets no row. What is called is
 * found in what is known already, so that is repeated until nothing comes that is new.
 */

#define ROUNDS_MAX 32 /* in each, functions are found that those of the one before call */

struct finder {
	const struct cfi *cfi; /* the image's own */
	struct flow_world *world;
	struct synthesis_ranges *ranges; /* unsorted, end 0 if nothing says it, until settle() */
	struct synthesis_address_taken *taken;
	bool with_taken; /* what it knows are functions, too */
};

static void add_range(struct finder *finder, struct synthesis_range range)
{
	/* Address 0 stands for none. */
	if (range.begin && image_code_segment(finder->cfi->image, range.begin) &&
	    !cfi_fde_find(finder->cfi, range.begin) &&
	    !ARRAY_ADD(finder->ranges->range, finder->ranges->count, range))
		synthesis_lack(finder->world);
}

static void add_called(struct finder *finder, uint64_t begin)
{
	add_range(finder,
		  (struct synthesis_range) { .begin = begin, .entered = true, .called = true });
}

ARRAY_ORDER(compare_ranges, struct synthesis_range, begin)

/* Where the range ends at the latest: its section, the next FDE. */
static uint64_t latest_end(const struct finder *finder, uint64_t begin)
{
	const struct cfi *cfi = finder->cfi;
	const struct object *object = finder->world->object;
	const struct object_section *section = object ? object_section_find(object, begin) : NULL;
	uint64_t end = image_code_end(cfi->image, begin), next = cfi_next_begin(cfi, begin);

	end = next < end ? next : end;
	if (section && section->vaddr + section->size < end &&
	    section->vaddr + section->size > begin)
		end = section->vaddr + section->size;
	return end - begin > FLOW_FRAGMENT_BYTES_MAX ? begin + FLOW_FRAGMENT_BYTES_MAX : end;
}

/* In order, each begin once, none beyond the next. */
static void settle(const struct finder *finder)
{
	struct synthesis_ranges *ranges = finder->ranges;
	size_t kept = 0;

	ARRAY_SORT(ranges->range, ranges->count, compare_ranges);
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

	for (size_t i = 0; i < count; i++) {
		const uint64_t end = symbol[i].size ? symbol[i].pc + symbol[i].size : symbol[i].end;

		if (symbol[i].type == STT_FUNC || symbol[i].type == STT_GNU_IFUNC)
			add_range(finder, (struct synthesis_range) {
						  .begin = symbol[i].pc,
						  .end = end,
						  .entered = !flow_is_fragment_name(symbol[i].name),
						  .sized = end != 0 });
	}
}

/* The stub's section goes on at pc. */
static bool is_plt(const struct cfi *cfi, const struct code_name *stub, uint64_t pc)
{
	struct code_name name;

	code_name_find(cfi->image, cfi, pc, &name);
	return !cfi_fde_find(cfi, pc) && !strcmp(name.section, stub->section) &&
	       (name.kind == CODE_STUB || name.kind == CODE_SECTION);
}

/* The stretch of a PLT around a stub. */
static void add_plt(struct finder *finder, const struct code_name *stub)
{
	struct synthesis_range range = { .begin = stub->start,
					 .end = stub->start + 8,
					 .sized = true };

	while (is_plt(finder->cfi, stub, range.begin - 8))
		range.begin -= 8;
	while (is_plt(finder->cfi, stub, range.end))
		range.end += 8;
	add_range(finder, range);
}

static struct synthesis_range *known(const struct synthesis_ranges *ranges, size_t sorted,
				     uint64_t pc)
{
	const struct synthesis_range key = { .begin = pc };

	return ARRAY_FIND(ranges->range, sorted, &key, compare_ranges);
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

	return !range || (!range->sized &&
			  flow_function_may_begin(finder->cfi->image, finder->world->decoder, pc));
}

static void led_to(void *context, uint64_t pc, enum synthesis_lead lead)
{
	struct round *round = context;
	const struct cfi *cfi = round->finder->cfi;
	bool by_call = lead == SYNTHESIS_CALL;
	struct synthesis_range *range;
	struct code_name name;

	if (lead == SYNTHESIS_REACHED) {
		synthesis_address_taken_reach(round->finder->taken, pc);
		return;
	}
	if (lead == SYNTHESIS_TAKEN) {
		synthesis_address_taken_add(round->finder->taken, pc);
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
		add_range(round->finder, (struct synthesis_range) { .begin = pc });
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
		code_decode(finder->world->decoder, pc, bytes, left, &code);
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
	struct synthesis_address_taken *taken = round->finder->taken;

	led_to(context, pc, lead);
	if (lead == SYNTHESIS_REACHED || cfi_fde_find(round->finder->cfi, pc) ||
	    (taken->led_count && taken->led[taken->led_count - 1].pc == pc &&
	     taken->led[taken->led_count - 1].lead == lead))
		return;
	if (!ARRAY_ADD(taken->led, taken->led_count, (struct synthesis_led) { pc, lead }))
		synthesis_lack(taken->world);
}

/* What all FDEs lead to: those of the image, which are gone through once, and those of what was found. */
static void find_leads(struct round *round, const struct synthesis_blank *blank)
{
	const struct flow_world *world = round->finder->world;
	struct synthesis_address_taken *taken = round->finder->taken;

	for (size_t i = 0; taken->led_known && i < taken->led_count; i++)
		led_to(round, taken->led[i].pc, taken->led[i].lead);
	if (!taken->led_known)
		synthesis_calls(world, 0, blank->first, keep_lead, round);
	taken->led_known = true;
	synthesis_calls(world, blank->first, blank->cfi.fde_count, led_to, round);
}

/* False: there are no more than before. */
static bool find_called_by(struct finder *finder)
{
	struct round round = { .finder = finder, .sorted = finder->ranges->count };
	struct synthesis_blank blank;

	if (synthesis_blank_init(&blank, finder->cfi, finder->ranges, finder->world->error))
		return false;
	if (flow_world_take(finder->world, &blank.cfi))
		find_leads(&round, &blank);
	flow_world_take(finder->world, finder->cfi);
	synthesis_blank_deinit(&blank);
	return finder->ranges->count > round.sorted;
}

/* All ranges that the round before had are sorted. One inside of a function whose end is known is a
 * label's. */
static void add_taken(void *context, uint64_t pc)
{
	struct round *round = context;
	struct finder *finder = round->finder;
	const struct synthesis_range *range = synthesis_range_at(finder->ranges->range,
								 round->sorted, pc);

	if (!range || !range->sized || range->begin == pc)
		add_range(finder, (struct synthesis_range) { .begin = pc, .taken = true });
}

/* What is called by what is known; then what is kept by it, which calls more. */
static void find_called(struct finder *finder)
{
	bool more = true;

	for (int i = 0; more && i < ROUNDS_MAX && !flow_lacks(finder->world); i++) {
		struct round round = { .finder = finder };

		more = find_called_by(finder);
		settle(finder);
		if (more || !finder->with_taken)
			continue;
		round.sorted = finder->ranges->count;
		synthesis_address_taken_tell(finder->taken, finder->world->decoder, add_taken,
					     &round);
		more = finder->ranges->count > round.sorted;
		settle(finder);
	}
}

void synthesis_ranges_find(struct flow_world *world, struct synthesis_address_taken *taken,
			   bool with_taken, struct synthesis_ranges *ret)
{
	const struct cfi *cfi = world->cfi;
	struct finder finder = {
		.cfi = cfi, .world = world, .ranges = ret, .taken = taken, .with_taken = with_taken
	};

	*ret = (struct synthesis_ranges) { NULL };
	add_symbols(&finder);
	add_called(&finder, cfi->image->entry);
	add_main(&finder);
	settle(&finder);
	find_called(&finder);
}

const struct synthesis_range *synthesis_range_at(const struct synthesis_range *range, size_t count,
						 uint64_t pc)
{
	size_t low = ARRAY_BEFORE(count, i, range[i].begin <= pc);

	return low && pc < range[low - 1].end ? &range[low - 1] : NULL;
}
