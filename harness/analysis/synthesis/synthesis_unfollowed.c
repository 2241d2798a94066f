/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_unfollowed.c - rows where code leads that was not followed
 *
 * A row holds on the paths that were followed. Code that was not may lead to the same instruction: a function that only
 * a pointer calls, a jump by an address that something keeps. What it brings there nobody knows. So all code that no
 * path came to is decoded straight on, and each of its jumps to code that has rows is looked up:
 *
 *	strict	  that code has a frame of its own, or several functions lead there: no row from there on
 *	lenient	  the code makes no frame, and one function leads there: a landing pad, a case of a switch. It is taken for
 *		  a piece of that function, with its rsp; but of registers only saved words are believed
 *
 * Where a function is entered anybody may jump to it, in place of a call.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "synthesis.h"

/* What is known of an instruction: a bit for each register that a path which is not followed may have overwritten. */
#define LENIENT (1u << 16)
#define STRICT	(1u << 17)
#define TARGET	(1u << 18) /* a computed jump that was followed leads there */

#define BLOCK_SHIFT 8
#define NEAR	    144 /* bytes: what a short jump reaches, and the longest instruction */

struct search {
	const struct synthesis_survey *survey;
	uint32_t *bits;	    /* of each byte of code, as the map counts them */
	uint8_t *block;	    /* of each 1 << BLOCK_SHIFT bytes: an instruction there was met */
	uint64_t low, high; /* no instruction out of these was met */
	uint64_t *worklist;
	size_t worklist_count;
};

ARRAY_ORDER_TWO(compare_ways, struct synthesis_way, from, to)

static const struct synthesis_range *range_at(const struct search *search, uint64_t pc)
{
	const struct synthesis_ranges *ranges = search->survey->ranges;

	return synthesis_range_at(ranges->range, ranges->count, pc);
}

static size_t first_met(const struct search *search, uint64_t pc)
{
	return synthesis_first_met(search->survey->met, search->survey->met_count, pc);
}

/* It is as a called function begins, on all paths. */
static bool is_as_called(const struct synthesis_row *row)
{
	bool same = row->cfa_register == REGISTER_RSP && row->cfa_offset == 8 && !row->cfa_loaded;

	for (int i = 0; i < SYNTHESIS_COLUMNS - 1; i++)
		same &= row->place[i].kind == SYNTHESIS_SAME;
	return same;
}

/* Nobody calls it, but a function may begin there, and each path comes as a call does. */
static bool is_begin(const struct search *search, uint64_t pc)
{
	const struct synthesis_survey *survey = search->survey;

	for (size_t i = first_met(search, pc); i < survey->met_count && survey->met[i].row.pc == pc;
	     i++)
		if (!survey->met[i].has_row || !is_as_called(&survey->met[i].row))
			return false;
	return flow_function_may_begin(survey->cfi->image, survey->world->decoder, pc);
}

/* Who comes there by a jump has come as if by a call. */
static bool is_entered(const struct search *search, uint64_t pc)
{
	const struct synthesis_range *range = range_at(search, pc);

	return (range && range->begin == pc &&
		search->survey->entered[range - search->survey->ranges->range]) ||
	       search->survey->is_stub(search->survey->context, pc) || is_begin(search, pc);
}

static bool is_reached(const struct search *search, uint64_t pc)
{
	size_t at;

	if (pc - search->low > search->high - search->low)
		return false;
	at = flow_code_map_at(&search->survey->world->map, pc);
	return at != FLOW_CODE_NONE && search->block[at >> BLOCK_SHIFT] &&
	       search->survey->status[at];
}

/* The path that brings bits comes to pc. */
static void bring(struct search *search, uint64_t pc, uint32_t bits)
{
	const size_t at = flow_code_map_at(&search->survey->world->map, pc);

	if (!bits || at == FLOW_CODE_NONE || !search->survey->status[at] ||
	    !(bits & ~search->bits[at]) || is_entered(search, pc))
		return;
	search->bits[at] |= bits;
	if (!ARRAY_ADD(search->worklist, search->worklist_count, pc))
		synthesis_lack(search->survey->world);
}

/* ---- who comes to an instruction ------------------------------------------------------------- */

/* The function whose paths come to pc; 0: several have. */
static uint64_t only_function(const struct search *search, uint64_t pc)
{
	const struct synthesis_met *met = search->survey->met;
	const size_t first = first_met(search, pc);

	for (size_t i = first; i < search->survey->met_count && met[i].row.pc == pc; i++)
		if (met[i].function != met[first].function)
			return 0;
	return first < search->survey->met_count ? met[first].function : 0;
}

/* Some computed jump of the function has targets that are not known. */
static bool is_unread(const struct search *search, uint64_t function)
{
	const struct synthesis_range *range = range_at(search, function);

	return range && search->survey->unread[range - search->survey->ranges->range];
}

/* A path from code that makes no frame, and overwrites registers, comes to pc. If that is a piece of a function with
 * jumps whose targets are not known, flow_jump.c has asked what it overwrites. */
static void come_lenient(struct search *search, uint64_t pc, uint32_t registers)
{
	const uint64_t function = only_function(search, pc);

	if (!function)
		bring(search, pc, STRICT);
	else if (!is_unread(search, function))
		bring(search, pc, LENIENT | registers);
}

/* ---- code that no path came to ---------------------------------------------------------------- */

struct stretch {
	uint64_t *to; /* where it leads */
	size_t count;
	uint32_t written; /* registers, other than by a pop */
	bool framed;	  /* it makes a frame of its own */
	bool runs;	  /* since some path may begin here there was more than padding */
	const struct synthesis_range *range; /* that it lies in; or NULL */
	int64_t depth; /* how far rsp was raised since some path may begin here */
};

static void note_rsp(struct stretch *stretch, const struct code *code)
{
	if (code->effect == EFFECT_PUSH)
		stretch->depth -= 8;
	else if (code->effect == EFFECT_POP)
		stretch->depth += 8;
	else if (code->effect == EFFECT_ADD && code->reg == REGISTER_RSP)
		stretch->depth += code->constant;
	else if (code->effect == EFFECT_ADDRESS && code->base == REGISTER_RSP &&
		 code->reg == REGISTER_RSP && code->index == CODE_NO_REGISTER)
		stretch->depth += code->displacement;
	else if (code->effect == EFFECT_LEAVE ||
		 (code->base == REGISTER_RBP && code->effect == EFFECT_ADDRESS) ||
		 (code->source == REGISTER_RBP && code->effect == EFFECT_MOVE))
		stretch->depth = 0; /* a frame is taken down */
	else
		stretch->framed = true;
}

static void lead(struct search *search, struct stretch *stretch, uint64_t to)
{
	stretch->framed |= stretch->depth < 0;
	if (!is_reached(search, to) || is_entered(search, to))
		return;
	if (!ARRAY_ADD(stretch->to, stretch->count, to))
		synthesis_lack(search->survey->world);
}

static void note_code(struct search *search, struct stretch *stretch, const struct code *code)
{
	const bool jumps = code->flow == CODE_JUMP || code->flow == CODE_BRANCH ||
			   code->flow == CODE_BEGIN;
	const uint64_t taken = flow_address_taken_by(search->survey->cfi->image, code);

	if (code->effect != EFFECT_POP)
		stretch->written |= code->written;
	if (code->written >> REGISTER_RSP & 1 && code->flow == CODE_NEXT)
		note_rsp(stretch, code);
	if (jumps)
		lead(search, stretch, code->target);
	if (taken)
		lead(search, stretch, taken);
	stretch->runs = code_falls_through(code) && (stretch->runs || !code->is_padding);
	if (stretch->runs && (code->flow == CODE_NEXT || code->flow == CODE_BRANCH) &&
	    is_reached(search, code->pc + code->length))
		lead(search, stretch, code->pc + code->length);
	if (!stretch->runs)
		stretch->depth = 0;
}

/* A symbol says that both are of one function. */
static bool is_own(const struct synthesis_range *range, uint64_t pc)
{
	return range && range->sized && pc >= range->begin && pc < range->end;
}

static void end_stretch(struct search *search, struct stretch *stretch)
{
	for (size_t i = 0; i < stretch->count; i++) {
		if (stretch->framed && !is_own(stretch->range, stretch->to[i]))
			bring(search, stretch->to[i], STRICT);
		else
			come_lenient(search, stretch->to[i], stretch->written & 0xffff);
	}
	free(stretch->to);
	*stretch = (struct stretch) { NULL };
}

/* Where the instruction at pc ends; before that if a function begins inside of it, or what was reached does. begins: of
 * the next FDE. */
static uint64_t behind(const struct search *search, const struct code *code, uint64_t begins)
{
	for (uint64_t pc = code->pc + 1; pc < code->pc + code->length; pc++)
		if (is_reached(search, pc) ||
		    (pc >= begins && cfi_fde_begins(search->survey->cfi, pc)))
			return pc;
	return code->pc + (code->length ? code->length : 1);
}

/* Code of no path, and no data. */
static bool is_left(const struct search *search, uint64_t pc)
{
	const struct image *image = search->survey->cfi->image;

	return !is_reached(search, pc) && image_is_code(image, pc) && !image_is_data(image, pc);
}

/* Some instruction from begin to end was met, or near it: a short jump, or the next instruction, may lead there. */
static bool is_near(const struct search *search, uint64_t begin, uint64_t end)
{
	const struct flow_code_map *map = &search->survey->world->map;
	size_t first = flow_code_map_at(map, begin), last = flow_code_map_at(map, end - 1);

	first = first < NEAR ? 0 : first - NEAR;
	last = last + NEAR < map->size ? last + NEAR : map->size - 1;
	for (size_t i = first >> BLOCK_SHIFT; i <= last >> BLOCK_SHIFT; i++)
		if (search->block[i])
			return true;
	return false;
}

static bool is_led_to(const struct search *search, uint64_t pc)
{
	return is_reached(search, pc) && !is_entered(search, pc);
}

/* Some four bytes are a distance to what was met, as in a jump, or in an operand at a distance from rip; or its
 * address. Else no instruction leads there from afar. */
static bool has_distance(const struct search *search, uint64_t begin, uint64_t end)
{
	const struct image *image = search->survey->cfi->image;
	const size_t size = (size_t)(end - begin);
	const uint8_t *bytes = image_bytes(image, begin, size);
	const bool fixed = image->type == ET_EXEC;
	uint32_t number;
	uint64_t wide;

	for (size_t i = 1; bytes && i + sizeof(number) <= size; i++) {
		const uint8_t before = bytes[i - 1];
		const bool branches = (before & 0xf0) == 0x80 && i > 1 && bytes[i - 2] == 0x0f,
			   by_rip = (before & 0xc7) == 0x05,
			   relative = by_rip || before == 0xe9 || branches;

		/* An address alone stands behind 0x25, which is one of by_rip, too. */
		if (!relative && !fixed)
			continue;
		memcpy(&number, bytes + i, sizeof(number));
		if ((relative &&
		     is_led_to(search, begin + i + sizeof(number) + (uint64_t)(int32_t)number)) ||
		    ((before == 0x25 || fixed) && is_led_to(search, number)))
			return true;
		if (size - i < sizeof(wide))
			continue;
		memcpy(&wide, bytes + i, sizeof(wide));
		if (wide > UINT32_MAX && fixed && is_led_to(search, wide))
			return true;
	}
	return !bytes;
}

/* Where the code up to next ends, if no instruction of it leads to what was met; else pc. */
static uint64_t pass_over(const struct search *search, uint64_t pc, uint64_t next)
{
	return is_near(search, pc, next) || has_distance(search, pc, next) ? pc : next;
}

/* An FDE covers pc: this one, most likely. */
static bool covers(const struct cfi *cfi, const struct cfi_fde *fde, uint64_t pc)
{
	return (fde && pc - fde->pc_begin < fde->pc_range) || cfi_fde_find(cfi, pc);
}

static void decode_all(struct search *search, uint64_t begin, uint64_t end)
{
	const struct cfi *cfi = search->survey->cfi;
	const struct cfi_fde *fde = NULL;
	struct stretch stretch = { NULL };
	uint64_t begins = begin, code_end = begin;
	struct code code;

	for (uint64_t pc = begin, next; pc < end && !flow_lacks(search->survey->world); pc = next) {
		const struct synthesis_range *range;
		bool left;

		if (pc >= code_end) {
			next = image_next_code(cfi->image, pc);
			end_stretch(search, &stretch);
			begins = next;
			if (next > pc)
				continue;
			code_end = image_code_end(cfi->image, pc);
		}
		if (pc >= begins) {
			end_stretch(search, &stretch);
			begins = cfi_next_begin(cfi, pc + 1);
			fde = cfi_fde_find(cfi, pc);
			next = pass_over(search, pc, begins < end ? begins : end);
			if (next > pc)
				continue;
		}
		left = is_left(search, pc);
		range = range_at(search, pc);
		if (!left || range != stretch.range) {
			end_stretch(search, &stretch);
			stretch.range = range;
		}
		if (!code_decode_at(search->survey->world->decoder, cfi->image, pc, &code))
			break;
		next = behind(search, &code, begins);
		if (!left)
			continue;
		stretch.framed |= covers(cfi, fde, pc) && !(range && range->replaces);
		if (next == pc + code.length)
			note_code(search, &stretch, &code);
	}
	end_stretch(search, &stretch);
}

/* ---- addresses that are kept ----------------------------------------------------------------- */

/* A word has the address. If it is one of the only function there, that has jumps whose targets are read, or are not
 * known, it is their target. */
static void keep(void *context, uint64_t pc)
{
	struct search *search = context;
	const uint64_t function = is_reached(search, pc) ? only_function(search, pc) : 0;
	const size_t at = flow_code_map_at(&search->survey->world->map, pc);

	if (is_reached(search, pc) &&
	    !(function && (is_unread(search, function) || search->bits[at] & TARGET)))
		bring(search, pc, STRICT);
}

/* ---- from there on ------------------------------------------------------------------------------ */

static void go_on(struct search *search, uint64_t pc)
{
	const struct synthesis_ways *ways = search->survey->ways;
	uint32_t bits = search->bits[flow_code_map_at(&search->survey->world->map, pc)];
	struct code code;

	if (!code_decode_at(search->survey->world->decoder, search->survey->cfi->image, pc, &code))
		return;
	/* What a path restores, it restores from a word. */
	bits &= ~(TARGET | (code.written & 0xffff));
	if (code_falls_through(&code))
		bring(search, pc + code.length, bits);
	if (code.flow == CODE_JUMP || code.flow == CODE_BRANCH || code.flow == CODE_BEGIN)
		bring(search, code.target, bits);
	for (size_t i = ARRAY_BEFORE(ways->computed_count, j, ways->computed[j].from < pc);
	     i < ways->computed_count && ways->computed[i].from == pc; i++)
		bring(search, ways->computed[i].to, bits);
}

/* A register may have been overwritten: if it is saved, too, it is there. */
static void doubt_places(struct synthesis_row *row, uint32_t bits)
{
	for (int i = 0; i < SYNTHESIS_COLUMNS - 1; i++) {
		struct synthesis_place *place = &row->place[i];
		const uint8_t reg = place->kind == SYNTHESIS_SAME ? synthesis_register[i]
								  : place->reg;

		if ((place->kind != SYNTHESIS_SAME && place->kind != SYNTHESIS_IN_REGISTER) ||
		    !(bits >> reg & 1))
			continue;
		*place = row->word[i] ? (struct synthesis_place) { .kind = SYNTHESIS_AT_CFA,
								   .offset = row->word[i] }
				      : (struct synthesis_place) { .kind = SYNTHESIS_LOST };
	}
}

static void judge(const struct search *search)
{
	struct synthesis_met *met = search->survey->met;

	for (size_t i = 0; i < search->survey->met_count; i++) {
		const size_t at = flow_code_map_at(&search->survey->world->map, met[i].row.pc);
		const uint32_t bits = at == FLOW_CODE_NONE ? 0 : search->bits[at];

		if (met[i].has_row && bits)
			doubt_places(&met[i].row, bits);
		if (met[i].reason == SYNTHESIS_REASON_COUNT && bits & STRICT)
			met[i].reason = SYNTHESIS_UNFOLLOWED;
	}
}

/* Where code is not followed leads, and what is made of addresses. */
static void find_leads(struct search *search)
{
	const struct synthesis_survey *survey = search->survey;

	for (size_t i = 0; i < survey->ways->computed_count; i++) {
		const size_t at = flow_code_map_at(&survey->world->map,
						   survey->ways->computed[i].to);

		if (at != FLOW_CODE_NONE)
			search->bits[at] |= TARGET;
	}
	for (size_t i = 0; i < survey->world->map.count; i++)
		decode_all(search, survey->world->map.stretch[i].begin,
			   survey->world->map.stretch[i].begin +
				   survey->world->map.stretch[i].size);
	for (size_t i = 0; i < survey->ways->left_count; i++)
		bring(search, survey->ways->left[i].to, STRICT);
	for (size_t i = 0; i < survey->ways->made_count; i++)
		if (!synthesis_has_met(survey->met, survey->met_count, survey->ways->made[i].to,
				       survey->ways->made[i].from))
			bring(search, survey->ways->made[i].to, STRICT);
	flow_address_taken_words(survey->world, keep, search);
}

static void note_met(struct search *search)
{
	const struct synthesis_survey *survey = search->survey;

	search->low = UINT64_MAX;
	for (size_t i = 0, at = 0; i < survey->world->map.count; i++)
		for (size_t j = 0; j < survey->world->map.stretch[i].size; j++, at++) {
			const uint64_t pc = survey->world->map.stretch[i].begin + j;

			if (!survey->status[at])
				continue;
			search->block[at >> BLOCK_SHIFT] = 1;
			search->low = pc < search->low ? pc : search->low;
			search->high = pc > search->high ? pc : search->high;
		}
}

void synthesis_unfollowed(const struct synthesis_survey *survey)
{
	struct search search = { .survey = survey };

	search.bits = calloc(survey->world->map.size + 1, sizeof(*search.bits));
	search.block = calloc((survey->world->map.size >> BLOCK_SHIFT) + 1, sizeof(*search.block));
	ARRAY_SORT(survey->ways->computed, survey->ways->computed_count, compare_ways);
	if (search.bits && search.block) {
		note_met(&search);
		find_leads(&search);
		while (search.worklist_count && !flow_lacks(survey->world))
			go_on(&search, search.worklist[--search.worklist_count]);
		judge(&search);
	} else {
		synthesis_lack(survey->world);
	}
	free(search.bits);
	free(search.block);
	free(search.worklist);
}

void synthesis_ways_deinit(struct synthesis_ways *ways)
{
	free(ways->computed);
	free(ways->left);
	free(ways->made);
	*ways = (struct synthesis_ways) { NULL };
}
