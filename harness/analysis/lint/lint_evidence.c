/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_evidence.c - what stands beside a finding: instructions, the jumps that lead there, the line
 *
 * What stands before an instruction in memory is found by decoding from the function's begin, or of code that no FDE
 * covers and no symbol names from that of the FDE before, since an FDE may end inside an instruction: x86's
 * instructions can't be read backwards. If none of them ends where the finding begins, nothing is
 * shown before it. The debug file is looked for at the first finding only: most images have none.
 */
#include <stdlib.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "base/images/code_source.h"
#include "base/images/debug_link.h"
#include "lint_begin.h"
#include "lint_evidence.h"
#include "lint_place.h"

#define BEFORE_SHOWN 3
#define BEHIND_SHOWN 2
#define SYMBOL_BYTES 512
#define SEARCH_BYTES (1u << 20) /* of a function that is longer nothing is shown before */

struct lint_evidence {
	const struct cfi *cfi;
	const struct object *object; /* NULL: a linked file */
	const char *file;
	struct code_decoder *decoder;
	struct code_sources *sources;
	bool sources_opened;
	/* How far the function was decoded for the finding before, and its last instructions. */
	uint64_t function, at;
	uint64_t before[BEFORE_SHOWN];
	size_t before_count;
};

struct lint_evidence *lint_evidence_create(const struct cfi *cfi, const struct object *object,
					   const char *file)
{
	struct lint_evidence *evidence = calloc(1, sizeof(*evidence));

	if (!evidence)
		return NULL;
	evidence->cfi = cfi;
	evidence->object = object;
	evidence->file = file;
	evidence->decoder = code_decoder_create();
	if (evidence->decoder)
		return evidence;
	free(evidence);
	return NULL;
}

void lint_evidence_destroy(struct lint_evidence *evidence)
{
	if (!evidence)
		return;
	code_sources_close(evidence->sources);
	code_decoder_destroy(evidence->decoder);
	free(evidence);
}

/* ---- instructions -------------------------------------------------------------------------- */

/* False: it can't be decoded. */
static bool code_at(const struct lint_evidence *evidence, uint64_t pc, struct code *ret)
{
	size_t size;
	const uint8_t *bytes = lint_place_bytes(evidence->object, evidence->cfi->image, pc, &size);

	if (bytes)
		code_decode(evidence->decoder, pc, bytes, size, ret);
	return bytes && ret->length;
}

/* Its length, 0 if it can't be decoded. */
static uint64_t length_at(const struct lint_evidence *evidence, uint64_t pc)
{
	struct code code;

	return code_at(evidence, pc, &code) ? code.length : 0;
}

/* NULL: it can't be decoded. */
static json_t *text_at(const struct lint_evidence *evidence, uint64_t pc)
{
	char text[SYMBOL_BYTES + 128];

	lint_place_code(evidence->object, evidence->cfi->image, evidence->decoder, pc, text,
			sizeof(text));
	return text[0] ? json_bytes(text) : NULL;
}

/* near: the finding's address; a line of another section says its own. */
static json_t *line_at(const struct lint_evidence *evidence, uint64_t pc, uint64_t near)
{
	json_t *line = json_object(), *text = text_at(evidence, pc);
	const char *section, *own;

	lint_place_offset(evidence->object, near, &own);
	json_set_hex(line, "pc", lint_place_offset(evidence->object, pc, &section));
	if (strcmp(section, own))
		json_object_set_new(line, "section", json_bytes(section));
	json_object_set_new(line, "instruction", text ? text : json_string("(bad)"));
	return line;
}

static void note_before(struct lint_evidence *evidence, uint64_t pc)
{
	if (evidence->before_count == BEFORE_SHOWN) {
		for (size_t i = 1; i < BEFORE_SHOWN; i++)
			evidence->before[i - 1] = evidence->before[i];
		evidence->before_count--;
	}
	evidence->before[evidence->before_count++] = pc;
}

/* Decodes on to pc. The last instructions before it are in before[]. is_gap: what is no instruction, and what lies
 * between functions, parts what is before it from what is behind. */
static void go_to(struct lint_evidence *evidence, uint64_t function, uint64_t pc, bool is_gap)
{
	if (evidence->function != function || evidence->at > pc) {
		evidence->function = evidence->at = function;
		evidence->before_count = 0;
	}
	if (pc - function > SEARCH_BYTES) {
		evidence->before_count = 0;
		return;
	}
	while (evidence->at < pc) {
		struct code code;
		bool is_code = code_at(evidence, evidence->at, &code);

		if (is_gap && (!is_code || code.is_padding))
			evidence->before_count = 0;
		else
			note_before(evidence, evidence->at);
		evidence->at += is_code ? code.length : 1;
	}
	if (evidence->at != pc)
		evidence->before_count = 0;
}

/* From where the code before pc is decoded. function: what it is called after begins there. */
static uint64_t decoded_from(const struct lint_evidence *evidence, uint64_t function, uint64_t pc)
{
	const struct image *image = evidence->cfi->image;
	const struct image_symbol *symbol = image_symbol_find(image, function);
	const struct cfi_fde *before;

	if (cfi_fde_find(evidence->cfi, function) || (symbol && symbol->pc == function))
		return function;
	before = lint_begin_before(evidence->cfi, pc);
	if (!before ||
	    (evidence->object && object_section_find(evidence->object, pc) !=
					 object_section_find(evidence->object, before->pc_begin)))
		return pc;
	return before->pc_begin;
}

static void set_disassembly(struct lint_evidence *evidence, uint64_t function,
			    const struct lint_finding *finding, json_t *object)
{
	uint64_t pc = finding->pc;
	const struct cfi_fde *fde = cfi_fde_find(evidence->cfi, pc);
	uint64_t end = fde ? fde->pc_begin + fde->pc_range : finding->pc_end;
	uint64_t near = pc, from = decoded_from(evidence, function, pc);
	json_t *lines = json_array();

	go_to(evidence, from, pc, from != function);
	for (size_t i = 0; i < evidence->before_count; i++)
		json_array_append_new(lines, line_at(evidence, evidence->before[i], near));
	for (size_t i = 0; i <= BEHIND_SHOWN && pc < end; i++) {
		uint64_t length = length_at(evidence, pc);

		if (!length && i)
			break;
		json_array_append_new(lines, line_at(evidence, pc, near));
		pc += length ? length : 1;
	}
	json_object_set_new(object, "disassembly", lines);
}

static void set_path(const struct lint_evidence *evidence, const struct lint_finding *finding,
		     json_t *object)
{
	json_t *lines = json_array();

	for (size_t i = 0; i < finding->path.count; i++)
		json_array_append_new(lines, line_at(evidence, finding->path.jump[i], finding->pc));
	json_object_set_new(object, "path", lines);
	if (finding->path.cut)
		json_object_set_new(object, "path_cut", json_true());
}

/* ---- source -------------------------------------------------------------------------------- */

static void open_sources(struct lint_evidence *evidence)
{
	char *debug = evidence->object ? NULL : debug_link_find(evidence->cfi->image);

	evidence->sources = evidence->object ? code_sources_open_object(evidence->file)
					     : code_sources_open(evidence->file, debug);
	evidence->sources_opened = true;
	free(debug);
}

static void find_source(const struct lint_evidence *evidence, uint64_t pc, struct code_source *ret)
{
	const struct object_section *section = evidence->object
						       ? object_section_find(evidence->object, pc)
						       : NULL;

	memset(ret, 0, sizeof(*ret));
	if (section)
		pc = code_sources_address(evidence->sources, section->number, pc - section->vaddr);
	if (section || !evidence->object)
		code_sources_find(evidence->sources, pc, ret);
}

static void set_source(struct lint_evidence *evidence, uint64_t pc, json_t *object)
{
	struct code_source source;
	const char *compilers;

	if (!evidence->sources_opened)
		open_sources(evidence);
	if (!evidence->sources)
		return;
	find_source(evidence, pc, &source);
	compilers = code_sources_comment(evidence->sources);
	if (source.file[0]) {
		json_object_set_new(object, "source_file", json_bytes(source.file));
		json_object_set_new(object, "source_line", json_integer(source.line));
		if (source.column)
			json_object_set_new(object, "source_column", json_integer(source.column));
	}
	if (source.producer[0])
		json_object_set_new(object, "producer", json_bytes(source.producer));
	else if (compilers[0])
		json_object_set_new(object, "compilers", json_bytes(compilers));
}

void lint_evidence_set(struct lint_evidence *evidence, const struct lint_finding *finding,
		       uint64_t function, json_t *object)
{
	json_t *text = text_at(evidence, finding->pc);

	if (text)
		json_object_set_new(object, "instruction", text);
	set_disassembly(evidence, function, finding, object);
	if (finding->path.known)
		set_path(evidence, finding, object);
	set_source(evidence, finding->pc, object);
}
