/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_code.c - frames that no stack can have one above the other, by the program's code alone
 *
 * A caller's address may be the return address or the byte before it: score_frame.h. If the code allows both, both are
 * possible.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/code/code.h"
#include "array.h"
#include "cfi/code_name.h"
#include "freed.h"
#include "hash.h"
#include "number_map.h"
#include "score_code.h"

#define BEGIN_BYTES 16 /* who makes a stack by hand returns near a function's begin */
#define CALL_NEAR   5  /* bytes of a call of a known function */
#define CALL_LEAST  2
#define SMALL	    0x10000
#define KERNEL	    0xffff800000000000 /* and higher */
#define NON_CANONICAL                                                                              \
	0x100000000000000 /* and higher: no address of a process, also with five levels of pages */
#define WAYS_MAX     64
#define NO_TARGET    UINT64_MAX
#define MANY_TARGETS (UINT64_MAX - 1)

/* Where a function jumps to, out of itself, in an image. */
struct way {
	uint32_t image;
	uint64_t start;
};

/* A function, and its ways out, by which another one is entered as if it had been called itself. */
struct entered {
	struct way at;
	uint32_t first, end; /* in struct score_code's way */
	bool is_open;	     /* it may leave in other ways, too */
	/* It does not return to who called it: by its CFI it saves the registers of an exception's landing pad, to which it
	 * returns (__builtin_eh_return); or it returns right behind what it has written, maybe its return address. */
	bool returns_elsewhere;
};

/* How the truth's run came to a function. */
enum habit { HABIT_NOT_ASKED, HABIT_CALLED, HABIT_OTHER };

/* Whether somebody takes the address of a place. */
struct taken {
	struct way at;
	bool is;
};

struct code_range {
	uint64_t start, end;
};

struct score_code {
	const struct score_truth *truth;
	struct code_decoder *decoder;
	struct entered *entered; /* [0] means none */
	uint32_t count;
	struct way *way;
	uint32_t ways;
	uint8_t *habit; /* enum habit of the truth's functions */
	struct taken *taken;
	size_t takens;
	struct number_map map;
	struct code_range *range; /* executable mappings; none: they are not known */
	size_t ranges;
};

/* The truth's fields "code". */
static int read_ranges(struct score_code *code)
{
	const struct truth_file *file = code->truth->file;

	for (size_t i = 0; i < truth_file_field_count(file); i++) {
		const struct truth_field *field = truth_file_field(file, i);
		struct code_range range;

		if (!field->text || strcmp(field->name, "code") != 0 ||
		    sscanf(field->text, "%" SCNx64 "-%" SCNx64, &range.start, &range.end) != 2)
			continue;
		if (!ARRAY_ADD(code->range, code->ranges, range))
			return -1;
	}
	return 0;
}

int score_code_create(const struct score_truth *truth, struct score_code **ret, struct error *error)
{
	struct score_code *code = calloc(1, sizeof(*code));

	*ret = code;
	if (code) {
		code->truth = truth;
		code->decoder = code_decoder_create();
	}
	if (code)
		code->habit = calloc(truth->functions, sizeof(*code->habit));
	if (code && code->habit && code->decoder && ARRAY_GROW(code->entered, code->count) &&
	    (!score_truth_attached(truth) || !read_ranges(code))) {
		code->count = 1;
		return 0;
	}
	score_code_destroy(code);
	*ret = NULL;
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for the program's code");
}

void score_code_destroy(struct score_code *code)
{
	if (!code)
		return;
	code_decoder_destroy(code->decoder);
	number_map_deinit(&code->map);
	free(code->entered);
	free(code->way);
	free(code->habit);
	free(code->taken);
	free(code->range);
	free(code);
}

static const struct cfi_fde *fde_at(const struct score_code *code, uint32_t image, uint64_t pc)
{
	const struct score_image *in = &code->truth->image[image];

	return in->image && in->cfi ? cfi_fde_find(in->cfi, pc) : NULL;
}

/* ---- calls ------------------------------------------------------------------------------ */

/* What is called by the instruction that ends at address: the one target of a call of a known function; MANY_TARGETS:
 * any; NO_TARGET: no call can be read there. */
static uint64_t called_before(const struct score_code *code, uint32_t image, uint64_t address)
{
	const struct image *in = code->truth->image[image].image;
	uint64_t target = NO_TARGET;
	struct code call;

	for (unsigned int bytes = CALL_LEAST; bytes <= CODE_BYTES_MAX; bytes++) {
		if (!code_decode_at(code->decoder, in, address - bytes, &call) ||
		    call.length != bytes)
			continue;
		if (call.flow == CODE_UNKNOWN || call.flow == CODE_CALL_INDIRECT)
			return MANY_TARGETS;
		if (call.flow != CODE_CALL)
			continue;
		if (target != NO_TARGET || bytes != CALL_NEAR)
			return MANY_TARGETS;
		target = call.target;
	}
	return target;
}

/* ---- functions -------------------------------------------------------------------------- */

static bool is_within(const struct cfi_fde *fde, uint64_t pc)
{
	return pc - fde->pc_begin < fde->pc_range;
}

/* It takes another stack, whose words say where it returns to (swapcontext). */
static bool exchanges_stacks(const struct code *code)
{
	switch (code->effect) {
	case EFFECT_MOVE: return code->reg == REGISTER_RSP && code->source != REGISTER_RBP;
	case EFFECT_LOAD:
	case EFFECT_POP: return code->reg == REGISTER_RSP;
	case EFFECT_EXCHANGE: return code->reg == REGISTER_RSP || code->source == REGISTER_RSP;
	case EFFECT_WRITES: return code->written >> REGISTER_RSP & 1;
	default: return false;
	}
}

enum leaving { LEAVES_NOT, LEAVES_TO_TARGET, LEAVES_ANYWHERE };

/* before: the instruction before it. */
static enum leaving leaving_of(const struct cfi_fde *fde, const struct code *code,
			       const struct code *before)
{
	switch (code->flow) {
	case CODE_NEXT: return exchanges_stacks(code) ? LEAVES_ANYWHERE : LEAVES_NOT;
	case CODE_STOP:
	case CODE_CALL_INDIRECT: return LEAVES_NOT;
	case CODE_CALL:
		return is_within(fde, code->target) && code->target != fde->pc_begin
			       ? LEAVES_ANYWHERE
			       : LEAVES_NOT;
	case CODE_JUMP:
	case CODE_BRANCH: return is_within(fde, code->target) ? LEAVES_NOT : LEAVES_TO_TARGET;
	case CODE_BEGIN: return is_within(fde, code->target) ? LEAVES_NOT : LEAVES_ANYWHERE;
	case CODE_RETURN:
		return !before->length || before->writes_memory || before->effect == EFFECT_PUSH ||
				       before->effect == EFFECT_STORE
			       ? LEAVES_ANYWHERE
			       : LEAVES_NOT;
	case CODE_JUMP_INDIRECT:
	case CODE_UNKNOWN: break;
	}
	return LEAVES_ANYWHERE;
}

/* Adds the ways out of a function, and says how else it may leave. What can't be read may do anything. */
static void follow(struct score_code *code, uint32_t image, const struct cfi_fde *fde,
		   struct entered *ret)
{
	const struct image *in = code->truth->image[image].image;
	struct code at, before = { .length = 0 };

	for (uint64_t pc = fde->pc_begin; is_within(fde, pc); pc += at.length) {
		if (!code_decode_at(code->decoder, in, pc, &at) || !at.length) {
			ret->is_open = ret->returns_elsewhere = true;
			return;
		}
		switch (leaving_of(fde, &at, &before)) {
		case LEAVES_NOT: break;
		case LEAVES_TO_TARGET:
			ret->is_open |= !ARRAY_ADD(code->way, code->ways,
						   (struct way) { image, at.target });
			break;
		case LEAVES_ANYWHERE:
			ret->is_open = true;
			ret->returns_elsewhere |= at.flow == CODE_RETURN;
			break;
		}
		before = at;
	}
	/* It runs off its end, into the next one. Behind a call at its end nothing is to come back to. */
	ret->is_open |= before.flow == CODE_NEXT || before.flow == CODE_BRANCH;
}

/* Of a function, an instruction begins there; true, too, if its code can't be read so far. */
static bool is_begun_at(const struct score_code *code, uint32_t image, const struct cfi_fde *fde,
			uint64_t address)
{
	const struct image *in = code->truth->image[image].image;
	uint64_t pc = fde->pc_begin;
	struct code at;

	while (pc < address) {
		if (!code_decode_at(code->decoder, in, pc, &at) || !at.length)
			return true;
		pc += at.length;
	}
	return pc == address;
}

/* The unwinder may enter code of it that lies elsewhere. */
static bool has_landing_pads(const struct score_code *code, uint32_t image,
			     const struct cfi_fde *fde)
{
	return strpbrk(code->truth->image[image].cfi->cie[fde->cie].augmentation, "LP") != NULL;
}

/* rax and rdx, which no function preserves for who called it. */
static bool saves_for_landing_pad(const struct score_code *code, uint32_t image,
				  const struct cfi_fde *fde)
{
	const struct cfi *cfi = code->truth->image[image].cfi;
	bool mentioned[CFI_REGISTER_MAX + 1] = { false };

	cfi_registers(cfi, &cfi->cie[fde->cie], fde, mentioned);
	return mentioned[0] || mentioned[1];
}

struct sought {
	const struct score_code *code;
	struct way at;
};

static bool is_way(const struct way *a, const struct way *b)
{
	return a->image == b->image && a->start == b->start;
}

static bool is_sought(void *context, uint32_t number)
{
	const struct sought *sought = context;

	return is_way(&sought->code->entered[number].at, &sought->at);
}

/* The function that begins at fde. NULL: no memory. Valid until the next call. */
static const struct entered *enter(struct score_code *code, uint32_t image,
				   const struct cfi_fde *fde)
{
	struct sought sought = { code, { image, fde->pc_begin } };
	struct entered entered = { .at = sought.at, .first = code->ways };
	uint32_t *number = number_map_find(&code->map, hash_word(fde->pc_begin, image), is_sought,
					   &sought);

	if (!number)
		return NULL;
	if (*number)
		return &code->entered[*number];
	entered.is_open = has_landing_pads(code, image, fde);
	entered.returns_elsewhere = saves_for_landing_pad(code, image, fde);
	follow(code, image, fde, &entered);
	entered.end = code->ways;
	if (!ARRAY_ADD(code->entered, code->count, entered))
		return NULL;
	*number = code->count - 1;
	return &code->entered[*number];
}

/* ---- what a call may lead to --------------------------------------------------------------- */

/* The functions that may be entered by one call, each once. */
struct search {
	struct score_code *code;
	const struct score_frame *sought;
	struct way way[WAYS_MAX];
	size_t ways;
	bool is_open;	   /* or it was found, or there are too many */
	bool in_its_image; /* some of them are in the image of what is sought */
};

static void search_add(struct search *search, struct way way)
{
	if (ARRAY_ANY(search->ways, i, is_way(&search->way[i], &way)))
		return;
	if (search->ways == WAYS_MAX)
		search->is_open = true;
	else
		search->way[search->ways++] = way;
}

static int search_add_symbol(void *context, uint32_t image, const struct image_symbol *symbol)
{
	struct search *search = context;

	if (symbol->type == STT_GNU_IFUNC)
		search->is_open = true; /* it is what its resolver chose */
	else
		search_add(search, (struct way) { image, symbol->pc });
	return search->is_open;
}

/* A stub of the PLT leads to whatever has the name that it has: in any image, since another one may come first in another
 * run. The first time it leads into the dynamic linker, so nothing is said of that. */
static void search_stub(struct search *search, const struct way *way)
{
	const struct score_image *image = &search->code->truth->image[way->image];
	struct code_name name;
	char text[NAME_KEY_MAX];
	size_t size, before = search->ways;

	code_name_find(image->image, image->cfi, way->start, &name);
	code_name_print(&name, text, sizeof(text));
	size = strlen(text);
	if (name.kind != CODE_STUB || size <= strlen("@plt") ||
	    strcmp(text + size - strlen("@plt"), "@plt") != 0) {
		search->is_open = true;
		return;
	}
	text[size - strlen("@plt")] = '\0';
	score_truth_each_symbol(search->code->truth, text, UINT32_MAX, search_add_symbol, search);
	for (size_t i = before; i < search->ways; i++)
		search->in_its_image |= search->way[i].image == search->sought->image;
	search->is_open |= search->ways == before || !search->in_its_image;
}

/* Its own address may be a return address, behind its last instruction. */
static bool is_in(const struct score_frame *frame, uint32_t image, const struct cfi_fde *fde)
{
	return frame->image == image &&
	       (is_within(fde, frame->address) || is_within(fde, frame->address - 1));
}

static void search_way(struct search *search, const struct way *way)
{
	const struct cfi_fde *fde = fde_at(search->code, way->image, way->start);
	const struct entered *entered;

	if (!fde || fde->pc_begin != way->start) {
		search_stub(search, way);
		return;
	}
	entered = enter(search->code, way->image, fde);
	search->is_open |= is_in(search->sought, way->image, fde) || !entered || entered->is_open;
	for (uint32_t i = entered ? entered->first : 0; !search->is_open && i < entered->end; i++)
		search_add(search, search->code->way[i]);
}

/* Who is called at target may be the callee's function, or may jump to it. */
static bool may_lead(struct score_code *code, uint32_t image, uint64_t target,
		     const struct score_frame *callee)
{
	struct search search = { .code = code,
				 .sought = callee,
				 .way = { { image, target } },
				 .ways = 1,
				 .in_its_image = callee->image == image };

	for (size_t i = 0; i < search.ways && !search.is_open; i++) {
		const struct way way = search.way[i];

		search_way(&search, &way);
	}
	return search.is_open;
}

/* ---- what else puts a return address -------------------------------------------------------- */

/* "lea address(%rip), ..." is at that byte of the code. */
static bool is_lea_of(const uint8_t *bytes, uint64_t vaddr, uint64_t address)
{
	enum { LEA = 0x8d, RIP_RELATIVE = 0x05, MASK = 0xc7, BYTES = 2 };
	int32_t distance;

	memcpy(&distance, bytes + BYTES, sizeof(distance));
	return bytes[0] == LEA && (bytes[1] & MASK) == RIP_RELATIVE &&
	       vaddr + BYTES + sizeof(distance) + distance == address;
}

/* Some code, or a word of what is loaded, has the address: who pushes it by hand had it from there. */
static bool is_address_taken(const struct image *image, uint64_t address)
{
	enum { LEA_BYTES = 6 };
	bool is_fixed = image->type == ET_EXEC;
	size_t word = is_fixed ? sizeof(uint32_t) : sizeof(uint64_t);

	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segment[i];
		const uint8_t *bytes = image_bytes(image, segment->vaddr, segment->file_bytes);

		for (uint64_t at = 0; bytes && at + LEA_BYTES <= segment->file_bytes; at++) {
			if (segment->executable &&
			    is_lea_of(bytes + at, segment->vaddr + at, address))
				return true;
			/* A word that the dynamic linker adds to is aligned. */
			if ((is_fixed || (segment->vaddr + at) % word == 0) &&
			    at + word <= segment->file_bytes && !memcmp(bytes + at, &address, word))
				return true;
		}
	}
	return false;
}

bool score_code_is_taken(struct score_code *code, uint32_t image, uint64_t address)
{
	const struct way at = { image, address };
	struct taken taken = { .at = at };

	for (size_t i = 0; i < code->takens; i++)
		if (is_way(&code->taken[i].at, &at))
			return code->taken[i].is;
	taken.is = is_address_taken(code->truth->image[image].image, address);
	return !ARRAY_ADD(code->taken, code->takens, taken) || taken.is;
}

/* ---- two frames ------------------------------------------------------------------------- */

/* The call that returns to address is of another function than the callee, and of none that leads to it. */
static bool is_other_callee(struct score_code *code, const struct score_frame *callee,
			    uint32_t image, uint64_t address)
{
	uint64_t target = called_before(code, image, address);

	return target < MANY_TARGETS && target != address && !may_lead(code, image, target, callee);
}

static bool is_compared(const struct score_frame *frame)
{
	return frame->how == FRAME_ADDRESS && frame->has_image && !frame->other_build &&
	       frame->other == SCORE_NO_OFFSET;
}

/* The FDE of a frame; NULL: none covers it, or it is a signal's, or that of a stub, to which a call of a stub may lead.
 * Its own address may be a return address, behind its function. */
static const struct cfi_fde *plain_fde(const struct score_code *code,
				       const struct score_frame *frame)
{
	const struct score_image *in = &code->truth->image[frame->image];

	if (score_frame_is_signal(code->truth, frame) ||
	    (in->image && (code_name_is_stub(in->image, in->cfi, frame->address) ||
			   code_name_is_stub(in->image, in->cfi, frame->address - 1))))
		return NULL;
	return fde_at(code, frame->image, frame->address - 1)
		       ?: fde_at(code, frame->image, frame->address);
}

/* The address, and the byte before it, are nowhere where there was code. A small one is how some say that there is no
 * caller. */
static bool is_no_code(const struct score_code *code, const struct score_frame *frame,
		       const struct profile_frame *in)
{
	if (frame->how != FRAME_FOREIGN || in->kind != PROFILE_RUNTIME || in->address < SMALL ||
	    in->address >= KERNEL)
		return false;
	if (in->address >= NON_CANONICAL)
		return true;
	return code->ranges && !ARRAY_ANY(code->ranges, i,
					  in->address - code->range[i].start <=
						  code->range[i].end - code->range[i].start);
}

/* By the CFI nobody called it: _start, clone's child. Its own address may be a return address. */
static bool is_outermost(const struct score_code *code, const struct score_frame *frame)
{
	const struct score_image *in = &code->truth->image[frame->image];

	for (unsigned int back = 0; back <= 1; back++) {
		struct error ignored;
		struct row row;

		if (cfi_row_find(in->cfi, frame->address - back, &row, &ignored) != 1 ||
		    row.reg[REGISTER_RIP].kind != RULE_UNDEFINED)
			return false;
	}
	return true;
}

static bool is_called(struct score_code *code, const struct score_frame *callee,
		      const struct score_place *caller)
{
	uint64_t target;

	if (!code->truth->image[caller->image].image)
		return false;
	target = called_before(code, caller->image, caller->address);
	return target != NO_TARGET &&
	       !is_other_callee(code, callee, caller->image, caller->address);
}

/* Of each of the function's frames in the truth, its caller's address is behind a call that leads to it. One that a
 * signal's handler lets be entered, or that is entered by a jump with an address that was pushed, is none such. */
static enum habit find_habit(struct score_code *code, uint32_t function)
{
	const struct score_truth *truth = code->truth;
	FREED bool *asked = calloc(truth->places, sizeof(*asked));
	enum habit ret = HABIT_OTHER;

	for (uint32_t i = 1; asked && i < truth_file_node_count(truth->file); i++) {
		uint32_t place = truth->caller_place[i] ? truth->caller_place[i]
							: truth->leaf_place[i],
			 caller = truth->caller_place[truth_file_node(truth->file, i)->parent];
		struct score_frame callee = { .how = FRAME_ADDRESS, .has_image = true };

		if (!place || truth->place[place].function != function || !caller || asked[caller])
			continue;
		asked[caller] = true;
		callee.image = truth->place[place].image;
		callee.address = truth->place[place].address;
		if (!is_called(code, &callee, &truth->place[caller]))
			return HABIT_OTHER;
		ret = HABIT_CALLED;
	}
	return ret;
}

/* Whenever the truth's run came to the frame's function, it was called there: it had no other way to be entered. */
static bool is_only_called(struct score_code *code, const struct score_frame *frame)
{
	uint32_t function = score_truth_function(code->truth, frame->image, frame->address - 1);

	if (!function)
		function = score_truth_function(code->truth, frame->image, frame->address);
	if (!function)
		return false;
	if (code->habit[function] == HABIT_NOT_ASKED)
		code->habit[function] = find_habit(code, function);
	return code->habit[function] == HABIT_CALLED;
}

/* The truth has it for the outermost frame, and its CFI says so. */
static bool is_first(const struct score_code *code, const struct score_frame *frame)
{
	uint32_t function = score_truth_function(code->truth, frame->image, frame->address - 1);

	return function && code->truth->function[function].is_outermost &&
	       is_outermost(code, frame);
}

/* The caller's address is behind no call. */
static enum score_reason without_call(struct score_code *code, const struct score_frame *caller,
				      const struct cfi_fde *fde)
{
	uint64_t address = caller->address;

	if (address - fde->pc_begin < BEGIN_BYTES ||
	    score_truth_place(code->truth, caller->image, address, true) ||
	    score_truth_place(code->truth, caller->image, address + 1, true))
		return SCORE_NO_REASON;
	return is_begun_at(code, caller->image, fde, address) ||
			       is_begun_at(code, caller->image, fde, address + 1)
		       ? SCORE_PUT
		       : SCORE_NO_CALL;
}

enum score_reason score_code_refutes(struct score_code *code, const struct score_frame *callee,
				     const struct score_frame *caller,
				     const struct profile_frame *in)
{
	const struct cfi_fde *fde = is_compared(callee) ? plain_fde(code, callee) : NULL, *within;
	const struct entered *entered;
	uint64_t address = caller->address;

	if (is_no_code(code, caller, in) && (fde || callee->how == FRAME_FOREIGN))
		return SCORE_NO_CODE;
	if (!fde || !is_compared(caller))
		return SCORE_NO_REASON;
	entered = enter(code, callee->image, fde);
	if (!entered || entered->returns_elsewhere)
		return SCORE_NO_REASON;
	within = plain_fde(code, caller);
	if (!within)
		return SCORE_NO_REASON;
	if (called_before(code, caller->image, address) == NO_TARGET &&
	    called_before(code, caller->image, address + 1) == NO_TARGET)
		return without_call(code, caller, within);
	for (unsigned int behind = 0; behind <= 1; behind++) {
		uint64_t target = called_before(code, caller->image, address + behind);

		if (target != NO_TARGET &&
		    (!is_other_callee(code, callee, caller->image, address + behind) ||
		     score_code_is_taken(code, caller->image, address + behind)))
			return SCORE_NO_REASON;
	}
	if (is_first(code, callee))
		return SCORE_BEYOND;
	return is_only_called(code, callee) ? SCORE_CALLEE : SCORE_NO_REASON;
}
