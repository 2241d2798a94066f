/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fuzz_sframe.c - bytes as a section .sframe
 *
 * The first byte says of what: bit 0 an object file, bit 1 a segment, behind whose headers other data may be. Functions
 * are in order and lie where they say, rows follow each other inside of theirs, what is found at a PC is what the
 * function's rows say, and what is wrong has a place in the section.
 */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "sframe/sframe.h"

#define ROWS_MAX 200 /* of a function, that are looked up one by one */

struct checking {
	const struct sframe *sframe;
	const struct sframe_function *function;
	uint32_t last_end;
	uint64_t last_pc_end;
	unsigned int rows;
};

static int check_stored(void *context, const struct sframe_row *row)
{
	struct checking *checking = context;
	const struct sframe_header *header = &checking->sframe->header[checking->function->header];

	fuzz_require(row->start >= checking->last_end, "a row begins before the last one's end");
	fuzz_require(row->end >= row->start, "a row ends before it begins");
	fuzz_require(row->offset >= header->rows_offset && row->offset < header->end,
		     "a row at 0x%x", row->offset);
	fuzz_require(row->outermost == !row->word_count, "outermost with words");
	fuzz_require(row->outermost || row->cfa.kind == SFRAME_IS_REGISTER ||
			     row->cfa.kind == SFRAME_AT_REGISTER,
		     "a CFA of kind %d", row->cfa.kind);
	checking->last_end = row->end;
	return 0;
}

static int check_canonical(void *context, const struct row *row)
{
	struct checking *checking = context;
	const struct sframe_function *function = checking->function;
	struct sframe_canonical found;
	struct error error;

	fuzz_require(row->pc >= function->pc_begin && row->pc < row->pc_end &&
			     row->pc_end <= function->pc_begin + function->pc_range,
		     "a row out of its function");
	fuzz_require(row->pc >= checking->last_pc_end, "rows out of order");
	checking->last_pc_end = row->pc_end;
	if (checking->rows++ >= ROWS_MAX ||
	    sframe_function_find(checking->sframe, row->pc) != function)
		return 0;
	fuzz_require(sframe_canonical_find(checking->sframe, row->pc, &found, &error) == 1,
		     "a row is not found");
	fuzz_require(row_equal(row, &found.row), "another row is found");
	fuzz_require(found.row.pc == row->pc && found.row.pc_end <= row->pc_end,
		     "it holds elsewhere");
	return 0;
}

/* A block of few bytes in a function of 4 GiB comes as often: the first are enough. */
static bool is_short(const struct sframe_function *function)
{
	return !function->repeats || function->pc_range / sframe_repeat(function) < 1000;
}

static void check_function(const struct sframe *sframe, const struct sframe_function *function,
			   const struct image_section *section)
{
	struct checking checking = { .sframe = sframe, .function = function };
	bool amd64 = sframe->header[function->header].machine == SFRAME_AMD64;
	struct error error, again;
	int status = sframe_rows(sframe, function, check_stored, &checking, &error);

	fuzz_require(!status || status == -1, "status %d", status);
	if (status)
		fuzz_check_error(&error, section, section->size);
	if (!amd64 || !is_short(function))
		return;
	fuzz_require(sframe_canonical_rows(sframe, function, check_canonical, &checking, &again) ==
			     status,
		     "two readings end differently");
}

int fuzz_sframe(const uint8_t *data, size_t size)
{
	struct image_section section = { .vaddr = FUZZ_SECTION_VADDR, .name = ".sframe" };
	struct sframe_input input = { .section = &section };
	struct error_list wrong = { 0 };
	struct error error = { 0 };
	struct sframe *sframe = NULL;
	uint8_t *copy;

	if (size < 2)
		return 0;
	input.object = data[0] & 1;
	input.bounded = !(data[0] & 2);
	section.size = size - 1;
	copy = malloc(section.size); /* so that not one byte behind them may be read */
	if (!copy)
		abort();
	section.data = memcpy(copy, data + 1, section.size);
	if (sframe_create_sections(&input, 1, &sframe, &error)) {
		fuzz_check_error(&error, &section, section.size);
	} else {
		for (size_t i = 0; i < sframe->function_count; i++)
			check_function(sframe, &sframe->function[i], &section);
		for (size_t i = 1; i < sframe->by_pc_count; i++)
			fuzz_require(sframe->function[sframe->by_pc[i - 1]].pc_begin <=
					     sframe->function[sframe->by_pc[i]].pc_begin,
				     "functions out of order");
		sframe_check(sframe, &wrong);
		for (size_t i = 0; i < wrong.count; i++)
			fuzz_check_error(&wrong.error[i], &section, section.size);
		error_list_deinit(&wrong);
	}
	sframe_destroy(sframe);
	free(copy);
	return 0;
}
