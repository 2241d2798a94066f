/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fuzz_sframe.c - bytes as a section .sframe
 *
 * The first byte says of what: bit 0 an object file, bit 1 a segment, behind whose headers other data may be. Functions
 * are in order and lie where they say, rows follow each other inside of theirs, what is found at a PC is what the
 * function's rows say, and what is wrong has a place in the section. A table that is made of it has each row's rule.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "sframe/sframe.h"
#include "table/unwind_table.h"

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

/* ---- a table of it -------------------------------------------------------------------------- */

#define TABLE_BYTES   0x100000 /* of code, from the first function on */
#define FUNCTIONS_MAX 64       /* that are looked up */
#define POINTS_MAX    32       /* in each */

struct looking_up {
	const struct sframe *sframe;
	const struct table *table;
	unsigned int points;
};

/* What the table has at pc is the rule of the row there. */
static void check_in_table(const struct looking_up *looking, uint64_t pc)
{
	struct sframe_canonical found;
	struct table_rule_full rule;
	struct error error;
	uint32_t number, count;
	enum table_marker marker = TABLE_NO_ROW;
	int status;

	if (!table_segment_find(looking->table, pc))
		return;
	number = table_find(looking->table, pc);
	status = sframe_canonical_find(looking->sframe, pc, &found, &error);
	if (status > 0)
		marker = table_rule_from_row(&found.row, &rule);
	if (status < 0)
		return; /* rows before a bad one are good */
	if (marker || !status) {
		fuzz_require(number == (uint32_t)marker || number == TABLE_MALFORMED ||
				     number == TABLE_TOO_MANY_RULES,
			     "0x%llx: %u, not %u", (unsigned long long)pc, number, marker);
		return;
	}
	if (number == TABLE_MALFORMED || number == TABLE_TOO_MANY_RULES)
		return; /* read too often, or no room */
	fuzz_require(number >= TABLE_MARKER_COUNT, "0x%llx: %u", (unsigned long long)pc, number);
	struct table_rule is = looking->table->rule[number];
	const struct table_place *place = table_rule_places(looking->table, number, &count);

	is.first_place = rule.rule.first_place;
	fuzz_require(!memcmp(&is, &rule.rule, sizeof(is)) &&
			     (!place || !memcmp(place, rule.place, count * sizeof(*place))),
		     "0x%llx: another rule", (unsigned long long)pc);
}

static int look_up_row(void *context, const struct row *row)
{
	struct looking_up *looking = context;

	check_in_table(looking, row->pc);
	check_in_table(looking, row->pc_end - 1);
	check_in_table(looking, row->pc_end);
	return ++looking->points == POINTS_MAX;
}

static void check_table(const struct sframe *sframe)
{
	struct image_segment segment = { .executable = true };
	struct image image = {
		.machine = EM_X86_64, .type = ET_DYN, .segment = &segment, .segment_count = 1
	};
	struct looking_up looking = { .sframe = sframe };
	struct table *table;
	struct error error;

	if (!sframe->by_pc_count || !sframe_is_amd64(sframe))
		return;
	segment.vaddr = sframe->function[sframe->by_pc[0]].pc_begin & ~UINT64_C(0xfff);
	segment.memory_bytes = segment.file_bytes = TABLE_BYTES;
	if (segment.vaddr > INT64_MAX)
		return;
	fuzz_require(!table_build_sframe(&image, sframe, &table, &error), "%s", error.message);
	looking.table = table;
	for (size_t i = 0; i < sframe->by_pc_count && i < FUNCTIONS_MAX; i++) {
		looking.points = 0;
		sframe_canonical_rows(sframe, &sframe->function[sframe->by_pc[i]], look_up_row,
				      &looking, &error);
	}
	table_destroy(table);
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
		check_table(sframe);
		sframe_check(sframe, &wrong);
		for (size_t i = 0; i < wrong.count; i++)
			fuzz_check_error(&wrong.error[i], &section, section.size);
		error_list_deinit(&wrong);
	}
	sframe_destroy(sframe);
	free(copy);
	return 0;
}
