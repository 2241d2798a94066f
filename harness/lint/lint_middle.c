/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_middle.c - code in the middle of an FDE that is called
 *
 * Assembly calls inner routines of a function, and labels in the middle of another. A row there that is
 * right for the function is wrong for that caller, whose frame is a fresh one: so each such address is
 * an entry, too. Compilers write none, so they are looked for among all bytes that look like a call to
 * where no FDE begins; what does is decoded from its FDE's begin on to see whether it is one.
 *
 * The stubs of a PLT are entries that are known. A call to the next instruction, or to a pop behind data,
 * asks where it is. Calls
 * by a register, and of addresses in data, are not known.
 */
#include <stdlib.h>
#include <string.h>
#include "flow/flow_names.h"
#include "lint/lint_judge.h"
#include "lint/lint_middle.h"

#define CALL	   0xe8 /* call rel32 */
#define CALL_BYTES 5

/* A bit for each byte of code at which an FDE begins. */
struct begins {
	uint64_t begin;
	size_t size;
	uint8_t *bits;
};

static bool is_begin(const struct begins *begins, uint64_t pc)
{
	uint64_t at = pc - begins->begin;

	return begins->bits[at / 8] >> at % 8 & 1;
}

static int begins_init(struct begins *begins, const struct cfi *cfi, const bool *doubtful,
		       struct error *error)
{
	if (flow_code_range(cfi->image, &begins->begin, &begins->size, error))
		return -1;
	begins->bits = calloc(begins->size / 8 + 1, 1);
	if (!begins->bits)
		return error_set(error, ERROR_MEMORY, NULL, 0, "an image's code");
	for (size_t i = 0; i < cfi->by_pc_count; i++) {
		uint64_t at = cfi->fde[cfi->by_pc[i]].pc_begin - begins->begin;

		if (at < begins->size && !doubtful[i])
			begins->bits[at / 8] |= (uint8_t)(1u << at % 8);
	}
	return 0;
}

/* A call of the FDE begins at distance `at`. *now: where its first instruction begins that was not decoded
 * yet. Who asks for the FDE's calls one after the other decodes it once. */
static bool is_call(struct code_decoder *decoder, const struct cfi_fde *fde, const uint8_t *bytes,
		    uint64_t at, uint64_t *now)
{
	struct code code = { .flow = CODE_NEXT };

	while (*now <= at) {
		code_decode(decoder, fde->pc_begin + *now, bytes + *now, fde->pc_range - *now,
			    &code);
		*now += code.length ? code.length : 1;
	}
	return code.pc == fde->pc_begin + at && code.flow == CODE_CALL;
}

/* The calls of one FDE. */
static void look_for_calls(struct lint_middle *middle, const struct cfi *cfi,
			   const struct begins *begins, struct code_decoder *decoder,
			   struct flow_names *names, const struct cfi_fde *fde)
{
	const uint8_t *bytes = image_bytes(cfi->image, fde->pc_begin, fde->pc_range), *found;
	uint64_t now = 0;

	if (!bytes || fde->pc_range < CALL_BYTES)
		return;
	for (uint64_t at = 0; at + CALL_BYTES <= fde->pc_range; at++) {
		const struct cfi_fde *other;
		uint64_t target;
		int32_t distance;

		found = memchr(bytes + at, CALL, fde->pc_range - CALL_BYTES + 1 - at);
		if (!found)
			break;
		at = (uint64_t)(found - bytes);
		memcpy(&distance, found + 1, sizeof(distance));
		target = fde->pc_begin + at + CALL_BYTES + (uint64_t)(int64_t)distance;
		if (!distance || target - begins->begin >= begins->size ||
		    is_begin(begins, target) || flow_is_stub(names, target))
			continue;
		other = cfi_fde_find(cfi, target);
		if (!other || !is_call(decoder, fde, bytes, at, &now) ||
		    flow_call_is_push(fde, cfi->image, decoder, fde->pc_begin + at + CALL_BYTES,
				      target))
			continue;
		lint_addresses_add(&middle->called, target);
	}
}

int lint_middle_init(struct lint_middle *middle, const struct cfi *cfi, const bool *doubtful,
		     struct code_decoder *decoder, struct flow_names *names, struct error *error)
{
	struct begins begins = { .bits = NULL };

	*middle = (struct lint_middle) { .called.address = NULL };
	if (begins_init(&begins, cfi, doubtful, error))
		return -1;
	for (size_t i = 0; i < cfi->by_pc_count && !middle->called.no_memory; i++)
		look_for_calls(middle, cfi, &begins, decoder, names, &cfi->fde[cfi->by_pc[i]]);
	free(begins.bits);
	if (middle->called.no_memory)
		return error_set(error, ERROR_MEMORY, NULL, 0, "addresses that are called");
	lint_addresses_sort(&middle->called);
	return 0;
}

void lint_middle_deinit(struct lint_middle *middle)
{
	free(middle->called.address);
}

uint64_t lint_middle_next(const struct lint_middle *middle, uint64_t begin, uint64_t end)
{
	const struct lint_addresses *called = &middle->called;
	size_t first = lint_addresses_from(called, begin);

	return first < called->count && called->address[first] < end ? called->address[first] : 0;
}
