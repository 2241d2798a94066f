/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden_explain.c - a row's place in an image: the instruction there, its source line
 *
 * A table's text has no address, so that a relink does not change it. To show which instruction a
 * row of it is about, the function is looked up in the image by its name and its number among those
 * of that name, as the text has them. A golden's row may be one that the image has not: then its
 * offset can be inside an instruction (a row that is one byte late), and the instruction shown is
 * the one it is inside of. Instructions have no marks where they begin, so they are decoded from
 * the function's start; what can't be decoded ends that, and the bytes at the offset are shown.
 */
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include "golden.h"
#include "table/saved_table.h"
#include "truth/steps/decoder.h"

/* A function of so many bytes is decoded from its start, not a longer one. */
#define DECODED_BYTES_MAX (1u << 20)

struct golden_explainer {
	struct image *image;
	struct cfi *cfi;
	struct table_text *text;
	struct decoder *decoder;
	Dwfl *dwfl;
	Dwfl_Module *module;
};

/* ---- the image's bytes as the decoder reads them ----------------------------------------- */

/* Behind a segment's end there are zeros, which belong to no instruction that is in it. */
static int read_image(void *context, uint64_t address, void *ret, size_t size)
{
	const struct golden_explainer *explainer = context;
	uint8_t *to = ret;

	for (size_t i = 0; i < size; i++) {
		const uint8_t *byte = image_bytes(explainer->image, address + i, 1);

		if (!byte && !i)
			return -1;
		to[i] = byte ? *byte : 0;
	}
	return 0;
}

/* ---- source lines ------------------------------------------------------------------------ */

/* Only what the image itself has: the usual search may ask a server for the rest. */
static int no_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **ret)
{
	return -1;
}

static const Dwfl_Callbacks dwfl_callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = no_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* Without debug information, or without libdw's help, there are no lines and that is all. */
static void open_lines(struct golden_explainer *explainer, const char *path)
{
	explainer->dwfl = dwfl_begin(&dwfl_callbacks);
	if (!explainer->dwfl)
		return;
	dwfl_report_begin(explainer->dwfl);
	explainer->module = dwfl_report_offline(explainer->dwfl, "", path, -1);
	dwfl_report_end(explainer->dwfl, NULL, NULL);
}

static void find_source(struct golden_explainer *explainer, uint64_t vaddr, char *text, size_t size)
{
	GElf_Addr bias = 0;
	int line_number = 0;

	text[0] = '\0';
	if (!explainer->module || !dwfl_module_getelf(explainer->module, &bias))
		return;

	Dwfl_Line *line = dwfl_module_getsrc(explainer->module, vaddr + bias);
	const char *file = line ? dwfl_lineinfo(line, NULL, &line_number, NULL, NULL, NULL) : NULL;

	if (file)
		snprintf(text, size, "%s:%d", !strncmp(file, "./", 2) ? file + 2 : file,
			 line_number);
}

/* ---- the explainer ----------------------------------------------------------------------- */

struct golden_explainer *golden_explainer_create(const char *path)
{
	struct golden_explainer *explainer = calloc(1, sizeof(*explainer));
	struct error error = { 0 };

	if (!explainer)
		return NULL;
	explainer->decoder = decoder_create(&error);
	if (!explainer->decoder || image_create(path, &explainer->image, &error) ||
	    cfi_create(explainer->image, &explainer->cfi, &error) ||
	    table_text_create(explainer->cfi, &explainer->text, &error)) {
		golden_explainer_destroy(explainer);
		return NULL;
	}
	open_lines(explainer, path);
	return explainer;
}

void golden_explainer_destroy(struct golden_explainer *explainer)
{
	if (!explainer)
		return;
	if (explainer->dwfl)
		dwfl_end(explainer->dwfl);
	table_text_destroy(explainer->text);
	cfi_destroy(explainer->cfi);
	image_destroy(explainer->image);
	decoder_destroy(explainer->decoder);
	free(explainer);
}

static const struct table_text_function *find_function(const struct golden_explainer *explainer,
						       const char *name, unsigned occurrence)
{
	for (size_t i = 0; i < explainer->text->function_count; i++) {
		const struct table_text_function *function = &explainer->text->function[i];

		if (strcmp(function->name, name))
			continue;
		if (!occurrence--)
			return function->has_pc ? function : NULL;
	}
	return NULL;
}

/* Where the instruction begins that holds offset. */
static uint64_t instruction_start(const struct golden_explainer *explainer,
				  const struct memory_reader *memory, uint64_t pc, uint64_t offset)
{
	if (offset > DECODED_BYTES_MAX)
		return offset;
	for (uint64_t at = 0; at <= offset;) {
		struct instruction instruction = decoder_decode(explainer->decoder, pc + at,
								memory);

		if (!instruction.length)
			break;
		if (offset < at + instruction.length)
			return at;
		at += instruction.length;
	}
	return offset;
}

bool golden_explain(struct golden_explainer *explainer, const char *function, unsigned occurrence,
		    uint64_t offset, struct golden_place *ret)
{
	const struct table_text_function *found =
		explainer ? find_function(explainer, function, occurrence) : NULL;
	struct memory_reader memory = { .read = read_image, .context = explainer };

	*ret = (struct golden_place) { 0 };
	if (!found || !image_bytes(explainer->image, found->pc + offset, 1))
		return false;
	ret->address = found->pc + offset;
	ret->instruction_offset = instruction_start(explainer, &memory, found->pc, offset);
	decoder_disassemble(explainer->decoder, found->pc + ret->instruction_offset, &memory,
			    ret->instruction, sizeof(ret->instruction));
	find_source(explainer, found->pc + ret->instruction_offset, ret->source,
		    sizeof(ret->source));
	return true;
}
