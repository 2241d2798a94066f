/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * step_view.c - one point as text: instruction, row, rule, truth and engines side by side
 *
 *	point 41, thread 4711, leaf+0x4 (chain)
 *	  instruction  push rbx
 *	  rsp, rbp     0x7fffffffe4a8, 0x1
 *	  row          cfa=rsp+8 ra=c-8
 *	  rule         rule 7 cfa=rsp+8 ra=c-8
 *	  verdict      exact
 *	   # truth                            cfi       table     fp
 *	   0 leaf+0x4 (chain)                 =         =         =
 *	   1 middle+0xe (chain)               =         =         x
 *	   2 main+0x12 (chain)                =         =         -
 *	     ends                             complete  complete  helper
 *	  fp has at frame 1 0x555555555052 main+0x12 (chain)
 *
 * A frame of an engine is = (the truth's), x (another one), - (it has none) or + (the truth has
 * none). The others' places stand below, by engine. The verdict is what the point looks like now:
 * a fault has to be proven by what returns later, and `compare` says what became of it.
 */
#include <inttypes.h>
#include <string.h>
#include "step.h"
#include "plain_text.h"
#include "tables/table/table.h"
#include "table/unwind_table.h"

#define PLACE_COLUMNS_LEAST 40
#define PLACE_BYTES	    320

/* ---- what the code and the CFI say ------------------------------------------------------ */

static void print_row(FILE *file, const struct mapping *mapping, uint64_t vaddr)
{
	const struct row *row;
	struct error error;
	int found = image_entry_row(mapping->entry, vaddr, &row, &error);

	fputs("  row          ", file);
	if (found > 0)
		row_print(file, row);
	else if (found)
		fprintf(file, "%s+0x%" PRIx64 ": %s", PLAIN_TEXT(error.section), error.offset,
			PLAIN_TEXT(error.message));
	else
		fputs("no FDE covers it", file);
	fputc('\n', file);
}

static void print_table_rule(FILE *file, const struct mapping *mapping, uint64_t vaddr)
{
	const struct table *table = mapping->entry->table;
	uint32_t number = table ? table_find(table, vaddr) : TABLE_NO_ROW;

	fputs("  rule         ", file);
	if (number < TABLE_MARKER_COUNT)
		fputs(table_marker_name(number), file);
	else
		table_rule_print(file, table, number);
	fputc('\n', file);
}

static void print_code(FILE *file, const struct step_view *view)
{
	const struct point *point = view->point;
	const uint64_t *value = point->stop->regs.value, pc = value[REGISTER_RIP];
	const struct mapping *mapping = address_space_find(point->space, pc);
	char text[PLACE_BYTES];

	address_space_describe(point->space, pc, text, sizeof(text));
	fprintf(file, "point %" PRIu64 ", thread %d, %s\n", view->number, point->stop->tid,
		PLAIN_TEXT(text));
	decoder_disassemble(view->decoder, pc, point->memory, text, sizeof(text));
	fprintf(file, "  instruction  %s\n", text);
	fprintf(file, "  rsp, rbp     0x%" PRIx64 ", 0x%" PRIx64 "\n", value[REGISTER_RSP],
		value[REGISTER_RBP]);
	if (!mapping || !mapping->entry) {
		fputs("  row          no image is mapped there\n", file);
		return;
	}
	print_row(file, mapping, pc - mapping->bias);
	print_table_rule(file, mapping, pc - mapping->bias);
}

static void print_verdict(FILE *file, const struct step_view *view)
{
	const struct judgement *judgement = view->judgement;
	char text[PLACE_BYTES];

	fprintf(file, "  verdict      %s", verdict_name(judgement->verdict));
	if (judgement->kind != FAULT_NONE) {
		address_space_describe(view->point->space, judgement->pc, text, sizeof(text));
		fprintf(file, " (%s) at frame %u, %s; as it looks now",
			fault_kind_name(judgement->kind), judgement->frame, PLAIN_TEXT(text));
	}
	fputc('\n', file);
}

/* ---- the stacks ------------------------------------------------------------------------- */

/* A return address is in the call before it. An interrupted PC is not, but one byte says the same
 * function mostly, and the address is printed as it is. */
static void describe_frame(const struct step_view *view, uint64_t pc, char *text, size_t size)
{
	address_space_describe(view->point->space, pc, text, size);
	plain_text(text, text, size);
}

static char frame_mark(const struct step_view *view, const struct step_stack *stack, uint32_t frame)
{
	bool true_frame = frame < view->truth->count;

	if (frame >= stack->stack.count)
		return true_frame ? '-' : ' ';
	if (!true_frame)
		return '+';
	return stack_pc(&stack->stack, frame) == view->truth->pc[frame] ? '=' : 'x';
}

/* ---- the columns ------------------------------------------------------------------------ */

static size_t column_width(const struct step_stack *stack)
{
	size_t name = strlen(stack->engine), stop = strlen(stop_reason_name(stack->stack.stop));

	return name > stop ? name : stop;
}

/* A text, and blanks to that width unless it is the line's last. */
static void print_padded(FILE *file, const char *text, size_t width, bool last)
{
	fputs(text, file);
	for (size_t used = plain_width(text); !last && used < width; used++)
		fputc(' ', file);
}

/* One line: the truth's column, then each engine's. */
static void print_line(FILE *file, const struct step_view *view, size_t width, const char *truth,
		       const char *(*cell)(const struct step_view *view, size_t engine,
					   void *context),
		       void *context)
{
	print_padded(file, truth, width, !view->stack_count);
	for (size_t i = 0; i < view->stack_count; i++) {
		fputs("  ", file);
		print_padded(file, cell(view, i, context), column_width(&view->stack[i]),
			     i + 1 == view->stack_count);
	}
	fputc('\n', file);
}

static const char *engine_cell(const struct step_view *view, size_t engine, void *context)
{
	return view->stack[engine].engine;
}

static const char *stop_cell(const struct step_view *view, size_t engine, void *context)
{
	return stop_reason_name(view->stack[engine].stack.stop);
}

struct mark {
	uint32_t frame;
	char text[2];
};

static const char *mark_cell(const struct step_view *view, size_t engine, void *context)
{
	struct mark *mark = context;

	mark->text[0] = frame_mark(view, &view->stack[engine], mark->frame);
	return mark->text;
}

/* The truth's place, "" if it has no such frame. */
static void describe_true_frame(const struct step_view *view, uint32_t frame,
				char text[PLACE_BYTES])
{
	text[0] = '\0';
	if (frame < view->truth->count)
		describe_frame(view, view->truth->pc[frame], text, PLACE_BYTES);
}

static void print_stacks(FILE *file, const struct step_view *view, uint32_t frames)
{
	bool rooted = view->point->stop->shadow->rooted;
	size_t width = PLACE_COLUMNS_LEAST;
	char text[PLACE_BYTES];

	for (uint32_t frame = 0; frame < frames; frame++) {
		describe_true_frame(view, frame, text);
		if (plain_width(text) > width)
			width = plain_width(text);
	}
	fputs("   # ", file);
	print_line(file, view, width, "truth", engine_cell, NULL);
	for (uint32_t frame = 0; frame < frames; frame++) {
		struct mark mark = { .frame = frame };

		describe_true_frame(view, frame, text);
		fprintf(file, "%4u ", frame);
		print_line(file, view, width, text, mark_cell, &mark);
	}
	fputs("     ", file);
	print_line(file, view, width, rooted ? "ends" : "is known so far", stop_cell, NULL);
}

/* The first frame at which an engine goes another way. */
static void print_others(FILE *file, const struct step_view *view)
{
	for (size_t i = 0; i < view->stack_count; i++) {
		const struct step_stack *stack = &view->stack[i];
		char text[PLACE_BYTES];

		for (uint32_t frame = 0; frame < stack->stack.count; frame++) {
			uint64_t pc = stack_pc(&stack->stack, frame);
			char mark = frame_mark(view, stack, frame);

			if (mark == '=')
				continue;
			describe_frame(view, pc, text, sizeof(text));
			fprintf(file, "  %s has at frame %u 0x%" PRIx64 " %s\n", stack->engine,
				frame, pc, text);
			break;
		}
	}
}

void step_view_print(FILE *file, const struct step_view *view)
{
	uint32_t deepest = view->truth->count;

	for (size_t i = 0; i < view->stack_count; i++)
		if (view->stack[i].stack.count > deepest)
			deepest = view->stack[i].stack.count;
	print_code(file, view);
	print_verdict(file, view);
	print_stacks(file, view, deepest < STEP_FRAMES_SHOWN ? deepest : STEP_FRAMES_SHOWN);
	if (deepest > STEP_FRAMES_SHOWN)
		fprintf(file, "     frames that are not shown: %u\n", deepest - STEP_FRAMES_SHOWN);
	print_others(file, view);
}
