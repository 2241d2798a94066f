/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * finding.c - verdicts with their evidence, counted by place
 *
 * A fault in one function shows at every point that has it on its stack, often thousands. They are
 * one finding: verdict, kind, image and function, with the evidence of the first point. Which
 * function that is says code_name.c (docs/NAMES.md): where there is no symbol, the section
 * (".plt"), the FDE's range or the gap between two FDEs ("fde@0x1230", "gap@0x6210"). Code that the
 * program has made itself is what the program calls it (address_space_read_names()), else
 * "unmapped".
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "doubt.h"
#include "cfi/code_name.h"

/* A user's function may have the name of a start-up object's. Of an image without SFrame all is lost: that is one
 * finding. */
static bool is_in(const struct finding *finding, const char *function, const char *start_file)
{
	if (finding->first.kind == FAULT_SFRAME_LOSS &&
	    finding->first.loss == SFRAME_LOSS_NO_SECTION)
		return true;
	return finding->start_file == start_file && !strcmp(finding->function, function);
}

static struct finding *findings_find(struct findings *findings, const struct judgement *judgement,
				     const char *image, const char *function,
				     const char *start_file)
{
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *finding = &findings->finding[i];

		if (finding->first.verdict == judgement->verdict &&
		    finding->first.kind == judgement->kind &&
		    finding->first.loss == judgement->loss && !strcmp(finding->image, image) &&
		    is_in(finding, function, start_file))
			return finding;
	}
	return NULL;
}

void finding_name_function(const struct image *image, const struct cfi *cfi, uint64_t vaddr,
			   char *text, size_t size)
{
	struct code_name name;

	code_name_find(image, cfi, vaddr, &name);
	code_name_print_place(&name, text, size);
}

/* The file that is mapped there; "" if nothing is. */
static const char *image_name(const struct mapping *mapping)
{
	if (!mapping)
		return "";
	return mapping->path[0] ? mapping->path : "[anonymous]";
}

/* place: what a fault there is filed under; else what a person reads in a stack. */
static void name_function(const struct address_space *space, uint64_t pc, bool place, char *text,
			  size_t size)
{
	const struct mapping *mapping = address_space_find(space, pc);
	struct code_name code;
	uint64_t offset;
	const char *name = address_space_code_name(space, pc, UINT64_MAX, &offset);

	if (!mapping || !mapping->entry) {
		snprintf(text, size, "%s", name ? name : "unmapped");
		return;
	}
	code_name_find(mapping->entry->image, image_entry_cfi(mapping->entry), pc - mapping->bias,
		       &code);
	if (place)
		code_name_print_place(&code, text, size);
	else
		code_name_print(&code, text, size);
}

static void describe_row(const struct mapping *mapping, uint64_t vaddr, char *text, size_t size)
{
	struct error error;
	struct row row;
	FILE_CLOSED FILE *file = NULL;
	int found;

	found = cfi_row_find(image_entry_cfi(mapping->entry), vaddr, &row, &error);
	if (found < 0) {
		snprintf(text, size, "%s+0x%llx: %s", error.section,
			 (unsigned long long)error.offset, error.message);
		return;
	}
	if (!found) {
		snprintf(text, size, "no FDE covers it");
		return;
	}
	file = fmemopen(text, size, "w");
	if (file)
		row_print(file, &row);
}

/* A frame that was called is at fault in its call: the one that ends where it will return to. */
static uint64_t instruction_start(const struct judgement *judgement, struct decoder *decoder,
				  const struct memory_reader *memory)
{
	uint64_t call;

	if (!judgement->frame)
		return judgement->pc;
	call = decoder_call_before(decoder, judgement->pc + 1, memory);
	if (call)
		return call;
	return judgement->pc; /* interrupted there */
}

static void describe(struct finding *finding, const struct judgement *judgement,
		     const struct point *point, const struct mapping *mapping,
		     struct decoder *decoder)
{
	uint64_t pc = instruction_start(judgement, decoder, point->memory);

	finding->first = *judgement;
	address_space_describe(point->space, judgement->pc, finding->place, sizeof(finding->place));
	decoder_disassemble(decoder, pc, point->memory, finding->instruction,
			    sizeof(finding->instruction));
	if (!mapping || !mapping->entry)
		return;
	if (judgement->kind == FAULT_SFRAME || judgement->kind == FAULT_SFRAME_LOSS)
		sframe_blame_describe(mapping->entry, finding->vaddr, finding->declared,
				      sizeof(finding->declared));
	else
		describe_row(mapping, finding->vaddr, finding->declared, sizeof(finding->declared));
}

/* Which build of the image it is of. */
static void identify(struct finding *finding, const struct image *image)
{
	finding->build_id_size = image->build_id_size;
	memcpy(finding->build_id, image->build_id, image->build_id_size);
	if (!image->build_id_size)
		finding->digest = image_code_digest(image);
}

/* Without that file the function would be a gap or an FDE's: who expects findings must know. */
static bool is_named_by_debug(const struct mapping *mapping, uint64_t vaddr)
{
	struct code_name name;

	if (!mapping || !mapping->entry || !mapping->entry->image->debug)
		return false;
	code_name_find(mapping->entry->image, image_entry_cfi(mapping->entry), vaddr, &name);
	return name.kind == CODE_SYMBOL;
}

struct finding *findings_place(struct findings *findings, const struct judgement *judgement,
			       bool accuses, const struct point *point, struct decoder *decoder)
{
	const struct mapping *mapping = address_space_find(point->space, judgement->pc);
	const char *image = image_name(mapping);
	uint64_t vaddr = judgement->pc - (mapping ? mapping->bias : 0);
	char function[sizeof(((struct finding *)0)->function)];
	const char *start_file = NULL;
	struct finding *finding;

	name_function(point->space, judgement->pc, true, function, sizeof(function));
	if (mapping && mapping->entry)
		start_file = start_file_find(mapping->entry->image, image_entry_cfi(mapping->entry),
					     vaddr, decoder);
	finding = findings_find(findings, judgement, image, function, start_file);
	if (finding)
		return finding;
	if (findings->count >= (!accuses || judgement->kind == FAULT_MISSING ? FINDINGS_MAX
									     : FINDINGS_MAX * 2) ||
	    !ARRAY_GROW(findings->finding, findings->count)) {
		findings->not_kept += accuses;
		return NULL;
	}
	finding = &findings->finding[findings->count++];
	memset(finding, 0, sizeof(*finding));
	finding->vaddr = vaddr;
	finding->named_by_debug = is_named_by_debug(mapping, vaddr);
	finding->start_file = start_file;
	snprintf(finding->image, sizeof(finding->image), "%s", image);
	memcpy(finding->function, function, sizeof(function));
	if (mapping && mapping->entry)
		identify(finding, mapping->entry->image);
	describe(finding, judgement, point, mapping, decoder);
	return finding;
}

struct finding *findings_add(struct findings *findings, const struct judgement *judgement,
			     const struct point *point, struct decoder *decoder)
{
	struct finding *finding = findings_place(findings, judgement, true, point, decoder);

	if (finding)
		finding->count++;
	return finding;
}

uint64_t finding_unproven(const struct finding *finding, char *ret_reasons, size_t size)
{
	uint64_t sum = 0;
	size_t used = 0;

	for (unsigned int reason = 0; reason < DOUBT_REASON_COUNT; reason++) {
		uint64_t count = finding->unproven[reason];

		if (count && ret_reasons && used < size)
			used += snprintf(ret_reasons + used, size - used, "%s%" PRIu64 " %s",
					 sum ? ", " : "", count, doubt_reason_name(reason));
		sum += count;
	}
	return sum;
}

bool finding_keep_stack(struct finding *finding, const struct address_space *space,
			const struct stack *stack, const struct stack *truth, bool rooted)
{
	uint32_t count = stack->count < FINDING_FRAMES_MAX ? stack->count : FINDING_FRAMES_MAX;
	uint32_t right;
	bool exact = match_stack(stack, truth, rooted, &right) == MATCH_EXACT;

	if (finding->frame)
		return exact;
	finding->frame = calloc(count, sizeof(*finding->frame));
	if (!finding->frame)
		return exact;
	for (uint32_t i = 0; i < count; i++) {
		struct finding_frame *frame = &finding->frame[i];
		uint64_t pc = stack_pc(stack, i), lookup_pc = pc - (i > 0);
		const struct mapping *mapping = address_space_find(space, lookup_pc);

		frame->vaddr = pc - (mapping ? mapping->bias : 0);
		frame->guessed = stack_is_guessed(stack, i);
		frame->right = i < right;
		snprintf(frame->image, sizeof(frame->image), "%s", image_name(mapping));
		name_function(space, lookup_pc, false, frame->function, sizeof(frame->function));
	}
	finding->frame_count = count;
	finding->frames_left_out = stack->count - count;
	return exact;
}

void findings_deinit(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		free(findings->finding[i].frame);
	free(findings->finding);
	*findings = (struct findings) { .count = 0 };
}
