/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_json.c - findings and images as JSON objects
 */
#include <elf.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "clock.h"
#include "lint.h"
#include "lint_inside.h"
#include "lint_executed.h"
#include "lint_table.h"
#include "analysis/code/code.h"
#include "base/cli/exit_status.h"
#include "base/cli/json_counts.h"
#include "base/gate/gate.h"
#include "base/images/code_source.h"
#include "base/images/debug_link.h"
#include "base/images/image_kind.h"
#include "cfi/code_name.h"

/* ==== addresses of object files, as sections and offsets ==================================== */

/*
 * Its code was followed in a layout that nobody else knows (objects/object.h). What is said of it has
 * the sections of the file, and offsets in them, as `objdump -d` shows them.
 */

#define PLACE_BYTES	256
#define CODE_TEXT_BYTES 128 /* of an instruction, without a name */

/* The offset of vaddr in its section of the object file, and that section's name. In a linked file (object is NULL):
 * vaddr, and "". */
static uint64_t lint_place_offset(const struct object *object, uint64_t vaddr,
				  const char **ret_section)
{
	const struct object_section *section = object ? object_section_find(object, vaddr) : NULL;

	*ret_section = section ? section->name : "";
	return section ? vaddr - section->vaddr : vaddr;
}

/* Sets key to that offset, and of an object file section_key, if it isn't NULL, to the section. */
static void lint_place_set(json_t *json, const struct object *object, const char *key,
			   const char *section_key, uint64_t vaddr)
{
	const char *section;

	json_set_hex(json, key, lint_place_offset(object, vaddr, &section));
	if (object && section_key)
		json_object_set_new(json, section_key, json_bytes(section));
}

/* The bytes from vaddr on as the file has them, not relocated; *ret_size is CODE_BYTES_MAX, or less at the end. NULL:
 * there are none. */
static const uint8_t *lint_place_bytes(const struct object *object, const struct image *image,
				       uint64_t vaddr, size_t *ret_size)
{
	const struct object_section *section = object ? object_section_find(object, vaddr) : NULL;
	const uint8_t *bytes = NULL;

	*ret_size = CODE_BYTES_MAX;
	if (section) {
		uint64_t left = section->size - (vaddr - section->vaddr);

		*ret_size = left < CODE_BYTES_MAX ? left : CODE_BYTES_MAX;
		return *ret_size ? section->bytes + (vaddr - section->vaddr) : NULL;
	}
	/* Fewer at a segment's end. */
	while (*ret_size && !(bytes = image_bytes(image, vaddr, *ret_size)))
		--*ret_size;
	return bytes;
}

void lint_place_code(const struct object *object, const struct image *image,
		     struct code_decoder *decoder, uint64_t pc, char *text, size_t size)
{
	const struct object_field *field = NULL;
	const char *section;
	struct code code;
	size_t most;
	const uint8_t *bytes = lint_place_bytes(object, image, pc, &most);

	text[0] = '\0';
	if (!bytes)
		return;
	code_print(decoder, lint_place_offset(object, pc, &section), bytes, most, text,
		   size < CODE_TEXT_BYTES ? size : CODE_TEXT_BYTES);
	code_decode(decoder, pc, bytes, most, &code);
	if (object && text[0])
		field = object_field_find(object, pc, code.length);
	if (field && field->symbol)
		snprintf(text + strlen(text), size - strlen(text), " (%s)", field->symbol);
}

void lint_place_print(const struct object *object, uint64_t vaddr, char *text, size_t size)
{
	const struct object_section *section = object_section_find(object, vaddr);

	if (section)
		snprintf(text, size, "%s+0x%" PRIx64, section->name, vaddr - section->vaddr);
	else
		text[0] = '\0';
}

/* Each address of the layout in a text for people ("fde@0x40001010") becomes such a place. */
static void lint_place_replace(const struct object *object, char *text, size_t size)
{
	char place[PLACE_BYTES], rest[PLACE_BYTES], *at = text, *end;

	while ((at = strstr(at, "0x"))) {
		uint64_t vaddr = strtoull(at, &end, 16);

		lint_place_print(object, vaddr, place, sizeof(place));
		if (!place[0]) {
			at += 2;
			continue;
		}
		snprintf(rest, sizeof(rest), "%s", end);
		snprintf(at, size - (size_t)(at - text), "%s%s", place, rest);
		at += strlen(place) < strlen(at) ? strlen(place) : strlen(at);
	}
}

/* ==== which FDEs are asked for, and are unproven ============================================ */

/*
 * Names are looked up only if somebody asks for them.
 */

#define NAME_BYTES 512

/* Zero-initialise, and set the first four members, which are borrowed. */
struct lint_fdes {
	const struct lint_options *options;
	const struct cfi *cfi;
	const struct object *object; /* that cfi's image is the layout of, or NULL */
	const char *path;
	struct lint_fde *unproven; /* for --unproven */
	size_t unproven_count;
	uint64_t wanted, wanted_proven, wanted_unproven; /* FDEs that --function asks for */
	bool no_memory;
};

/* An address in a name ("fde@0x1040") is one of the layout in an object file. */
static void find_name(const struct cfi *cfi, const struct object *made_of, uint64_t pc,
		      struct code_name *name, char *text, size_t size)
{
	code_name_find(cfi->image, cfi, pc, name);
	code_name_print(name, text, size);
	if (made_of && (name->kind == CODE_FDE || name->kind == CODE_GAP))
		lint_place_replace(made_of, text, size);
}

/* Sets "function" of pc, and "offset" in it. False: --function wants others. ret_begin: where it
 * begins. made_of: the object file that cfi's image was made of, or NULL. */
static bool lint_function_set(json_t *object, const struct lint_options *options,
			      const struct cfi *cfi, const struct object *made_of, uint64_t pc,
			      uint64_t *ret_begin)
{
	struct code_name name;
	char text[NAME_BYTES];

	find_name(cfi, made_of, pc, &name, text, sizeof(text));
	JSON_SET(object, "function", text, "offset", pc - name.start);
	*ret_begin = name.start;
	return !options->function || !fnmatch(options->function, text, 0);
}

static bool is_wanted(const struct lint_fdes *fdes, uint64_t begin)
{
	struct code_name name;
	char text[NAME_BYTES];

	if (!fdes->options->function)
		return true;
	find_name(fdes->cfi, fdes->object, begin, &name, text, sizeof(text));
	return !fnmatch(fdes->options->function, text, 0);
}

/* An FDE, as lint_watch has it. */
static void lint_fdes_take(struct lint_fdes *fdes, const struct lint_fde *fde)
{
	if (!is_wanted(fdes, fde->begin))
		return;
	fdes->wanted++;
	fdes->wanted_proven += fde->outcome == FLOW_ROW_PROVEN;
	fdes->wanted_unproven += fde->outcome == FLOW_ROW_UNPROVEN;
	if (!fdes->options->unproven || fde->outcome != FLOW_ROW_UNPROVEN)
		return;
	fdes->no_memory |= !ARRAY_ADD(fdes->unproven, fdes->unproven_count, *fde);
}

ARRAY_ORDER_TWO(by_begin, struct lint_fde, begin, end)

static void print_fde(const struct lint_fdes *fdes, const struct lint_fde *fde, FILE *output)
{
	static const struct lint_options all = { NULL };
	json_t *object = JSON_NEW("type", "lint_unproven", "image", fdes->path);
	uint64_t begin;

	lint_place_set(object, fdes->object, "fde", "fde_section", fde->begin);
	lint_place_set(object, fdes->object, "pc", "section", fde->pc);
	lint_function_set(object, &all, fdes->cfi, fdes->object, fde->pc, &begin);
	json_line(output, JSON_SET(object, "reason", lint_reasons[fde->reason].name, "title",
				   lint_reasons[fde->reason].title));
}

/* Writes the unproven ones by address, and sets the counts in the image's object. 0, or -1: no memory. */
static int lint_fdes_print(struct lint_fdes *fdes, json_t *image, FILE *output, struct error *error)
{
	if (fdes->no_memory)
		return error_set(error, ERROR_MEMORY, NULL, 0, "unproven FDEs");
	ARRAY_SORT(fdes->unproven, fdes->unproven_count, by_begin);
	for (size_t i = 0; i < fdes->unproven_count; i++)
		print_fde(fdes, &fdes->unproven[i], output);
	if (fdes->options->function)
		JSON_SET(image, "wanted_fdes", fdes->wanted, "wanted_proven", fdes->wanted_proven,
			 "wanted_unproven", fdes->wanted_unproven);
	return 0;
}

static void lint_fdes_deinit(struct lint_fdes *fdes)
{
	free(fdes->unproven);
}

/* ==== what stands beside a finding: instructions, the source line =========================== */

/*
 * What stands before an instruction in memory is found by decoding from the function's begin, or of code that no FDE
 * covers and no symbol names from that of the FDE before, since an FDE may end inside an instruction: x86's
 * instructions can't be read backwards. If none of them ends where the finding begins, nothing is
 * shown before it. The debug file is looked for at the first finding only: most images have none.
 */

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

/* object: that cfi's image was made of, or NULL. All are borrowed. NULL: no memory. The caller's:
 * lint_evidence_destroy(). */
static struct lint_evidence *lint_evidence_create(const struct cfi *cfi,
						  const struct object *object, const char *file)
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

static void lint_evidence_destroy(struct lint_evidence *evidence)
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
	return JSON_SET(line, "section", strcmp(section, own) ? section : NULL, "instruction",
			text ? text : json_string("(bad)"));
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
	const struct cfi_fde *before;

	if (cfi_fde_find(evidence->cfi, function) ||
	    image_symbol_at(evidence->cfi->image, function))
		return function;
	before = cfi_fde_before(evidence->cfi, pc);
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
	JSON_SET(object, "path", lines, "path_cut", finding->path.cut ? json_true() : NULL);
}

/* ---- source -------------------------------------------------------------------------------- */

static void open_sources(struct lint_evidence *evidence)
{
	FREED char *debug = evidence->object ? NULL : debug_link_find(evidence->cfi->image);

	evidence->sources = evidence->object ? code_sources_open_object(evidence->file)
					     : code_sources_open(evidence->file, debug);
	evidence->sources_opened = true;
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
	if (source.file[0])
		JSON_SET(object, "source_file", source.file, "source_line", source.line,
			 "source_column", source.column ? json_integer(source.column) : NULL);
	if (source.producer[0])
		JSON_SET(object, "producer", source.producer);
	else if (compilers[0])
		JSON_SET(object, "compilers", compilers);
}

/* Sets the finding's "instruction", "disassembly", "path", "path_cut", "source_file", "source_line",
 * "producer" or "compilers", where they are known. function: where it begins. Fastest in the
 * order of addresses. */
static void lint_evidence_set(struct lint_evidence *evidence, const struct lint_finding *finding,
			      uint64_t function, json_t *object)
{
	JSON_SET(object, "instruction", text_at(evidence, finding->pc));
	set_disassembly(evidence, function, finding, object);
	if (finding->path.known)
		set_path(evidence, finding, object);
	set_source(evidence, finding->pc, object);
}

/* ==== an image ============================================================================== */

/*
 * Runs in a process of its own (images/image_pool.h). Findings come in the order of addresses, each
 * once: a fragment that several functions share is followed from each of them.
 */

struct finding_list {
	struct lint_findings findings;
	struct lint_fdes fdes;
};

static void keep_finding(void *context, const struct lint_finding *finding)
{
	struct finding_list *list = context;

	lint_findings_add(&list->findings, finding);
}

static void keep_fde(void *context, const struct lint_fde *fde)
{
	const struct lint_tables *tables = context;
	struct finding_list *list = tables->context;

	lint_fdes_take(&list->fdes, fde);
}

/* An image whose findings are printed. */
struct printing {
	const struct lint_options *options;
	const struct opened_image *opened;
	const struct cfi *cfi;
	const struct object *object; /* that cfi's image was made of; NULL: it is the file itself */
	struct lint_evidence *evidence;
	struct lint_join *join; /* with what ran; or NULL */
	bool bare;		/* the file has no CFI at all */
	uint64_t uncovered;	/* findings of this id, wanted or not */
	FILE *output;
};

static void set_text(json_t *object, const struct printing *printing, const char *key,
		     const char *given)
{
	char text[512];

	snprintf(text, sizeof(text), "%s", given);
	if (printing->object)
		lint_place_replace(printing->object, text, sizeof(text));
	json_object_set_new(object, key, json_bytes(text));
}

/* A PLT: its stubs, and what they share. */
static bool is_linkers(const struct cfi *cfi, uint64_t pc)
{
	struct code_name name;

	code_name_find(cfi->image, cfi, pc, &name);
	return name.kind == CODE_STUB || !strncmp(name.section, ".plt", 4) ||
	       !strncmp(name.section, ".iplt", 5);
}

/* Not every assembler has the directives, and who writes an image's stubs writes no assembly. */
static bool can_be_mended(const json_t *object)
{
	static const char *const without[] = { "Go cmd/", "NASM ", "yasm " };
	const char *producer = json_text(object, "producer");

	return !ARRAY_ANY(ARRAY_COUNT(without), i,
			  !strncmp(producer, without[i], strlen(without[i]))) &&
	       !json_object_get(object, "made_by");
}

/* False: it is not wanted. */
static bool print_finding(const struct printing *printing, const struct lint_finding *finding)
{
	const struct lint_options *options = printing->options;
	const struct object *made_of = printing->object;
	json_t *object = JSON_NEW("type", "lint_finding", "image", printing->opened->image->path,
				  "id", lint_ids[finding->id].name, "title",
				  lint_ids[finding->id].title, "table",
				  finding->table ? finding->table : "cfi");
	bool wanted = options->only & 1u << finding->id;
	uint64_t begin = 0;

	if (finding->pc_end) {
		lint_place_set(object, made_of, "pc", "section", finding->pc);
		lint_place_set(object, made_of, "pc_end", NULL, finding->pc_end);
		wanted &= lint_function_set(object, options, printing->cfi, made_of, finding->pc,
					    &begin);
	} else {
		wanted &= !options->function;
	}
	if (!wanted) {
		json_decref(object);
		return false;
	}
	if (finding->pc_end) {
		if (!made_of && is_linkers(printing->cfi, finding->pc))
			JSON_SET(object, "made_by", "linker");
		lint_evidence_set(printing->evidence, finding,
				  finding->function ? finding->function : begin, object);
	}
	if (finding->from)
		lint_place_set(object, made_of, "from", "from_section", finding->from);
	if (finding->function)
		lint_place_set(object, made_of, "fde", "fde_section", finding->function);
	if (finding->id == LINT_NOT_SAVED || finding->id == LINT_OVERWRITTEN ||
	    finding->id == LINT_LOST)
		JSON_SET(object, "register", register_name(finding->reg));
	if (finding->declared[0])
		set_text(object, printing, "declared", finding->declared);
	set_text(object, printing, "actual", finding->actual);
	if (finding->mend[0] && can_be_mended(object))
		JSON_SET(object, "mend", finding->mend);
	if (printing->bare)
		JSON_SET(object, "no_cfi", json_true());
	if (printing->join)
		lint_join_finding(printing->join, finding, object);
	json_line(printing->output, object);
	return true;
}

static int print_findings(struct printing *printing, struct finding_list *list, json_t *image,
			  struct error *error)
{
	struct lint_evidence *evidence = printing->evidence =
		lint_evidence_create(printing->cfi, printing->object, printing->opened->file);
	const struct lint_findings *findings = &list->findings;
	uint64_t counts[LINT_ID_COUNT] = { 0 }, wanted = 0;

	if (!evidence || findings->no_memory) {
		lint_evidence_destroy(evidence);
		return error_set(error, ERROR_MEMORY, NULL, 0, "findings");
	}
	lint_findings_sort(&list->findings);
	for (size_t i = 0; i < findings->count; i++) {
		const struct lint_finding *finding = findings->finding[i];

		if (i && !lint_finding_compare(finding, findings->finding[i - 1]))
			continue;
		counts[finding->id] += !finding->table;
		wanted += print_finding(printing, finding);
	}
	lint_json_ids(image, counts);
	json_set_count(image, "wanted_findings", wanted);
	printing->uncovered = counts[LINT_UNCOVERED];
	lint_evidence_destroy(evidence);
	if (printing->join)
		return lint_join_print(printing->join, printing->options->function, image,
				       printing->output, error);
	return 0;
}

static void set_counts(json_t *image, const struct lint_counts *counts)
{
	JSON_SET(image, "fdes", counts->fdes, "proven", counts->proven, "mismatch",
		 counts->mismatch);
	lint_json_unproven(image, counts->unproven);
	JSON_SET(image, "instructions", counts->instructions, "instructions_proven",
		 counts->instructions_proven, "calls_not_returning", counts->calls_not_returning);
}

static void set_relocations(json_t *image, const struct object *object)
{
	json_t *counts = json_object();

	for (int i = 0; i < OBJECT_RELOCATION_COUNT; i++)
		if (object->relocations[i])
			json_set_count(counts, object_relocation_names[i], object->relocations[i]);
	json_object_set_new(image, "relocations", counts);
}

static int lint_cfi(struct printing *printing, json_t *image, struct error *error)
{
	const struct lint_options *options = printing->options;
	const struct opened_image *opened = printing->opened;
	struct finding_list list = { .fdes = { .options = options,
					       .cfi = printing->cfi,
					       .object = printing->object,
					       .path = opened->image->path } };
	struct lint_tables tables = { .finding = keep_finding, .context = &list };
	struct lint_join join = { .executed = options->executed };
	struct lint_watch watch;
	struct lint_counts counts;
	struct gate_image gate;
	int result = lint_tables_init(&tables, options, printing->cfi, &watch, error);

	watch.fde = keep_fde;
	if (!result && options->executed && !printing->object) {
		lint_join_init(&join, options->executed, printing->cfi, opened->file);
		lint_join_listen(&join, &watch);
		printing->join = &join;
	}
	if (!result)
		result = lint_image(printing->cfi, printing->object, &watch, &counts, error);
	if (!result && printing->join)
		result = lint_join_finish(&join, error);
	if (!result)
		result = lint_tables_end(&tables, image, error);
	if (!result)
		result = print_findings(printing, &list, image, error);
	if (!result)
		result = lint_fdes_print(&list.fdes, image, printing->output, error);
	if (!result) {
		set_counts(image, &counts);
		if (printing->object)
			set_relocations(image, printing->object);
		gate_image_read(opened->image, opened->file, printing->cfi, &gate);
		gate_image_json(&gate, image);
	}
	lint_tables_deinit(&tables);
	lint_fdes_deinit(&list.fdes);
	lint_join_deinit(&join);
	lint_findings_deinit(&list.findings);
	return result;
}

/* The image that is followed: an object file's is made here. */
static int open_cfi(const struct image *image, enum image_kind kind, struct object **ret_object,
		    struct cfi **ret, struct error *error)
{
	if (image->type == ET_REL && object_create(image, ret_object, error))
		return -1;
	if (kind == IMAGE_DEBUG_FILE)
		return error_set(error, ERROR_NO_CFI, NULL, 0, "its code is in another file");
	return cfi_create(*ret_object ? (*ret_object)->image : image, ret, error);
}

/* A debug file's code is elsewhere, the kernel has tables of its own, and LTO's code is not made yet. */
static bool wants_cfi(const struct image *image, enum image_kind kind)
{
	return (kind == IMAGE_EXECUTABLE || kind == IMAGE_SHARED_OBJECT ||
		kind == IMAGE_OBJECT_FILE) &&
	       !image_is_slim(image);
}

static void set_why(json_t *image, enum lint_bare why)
{
	if (why != LINT_BARE_FOUND)
		JSON_SET(image, "no_cfi_reasons", JSON_NEW(lint_bare_name(why), 1));
}

/* A file without CFI: its code is code that no FDE covers. Other tables have no CFI to be held against. */
static int lint_bare(struct printing *printing, json_t *image, struct error *error)
{
	struct lint_options options = *printing->options;
	int result;

	options.compact = options.sframe = false;
	options.source_count = 0;
	printing->options = &options;
	printing->bare = true;
	result = lint_cfi(printing, image, error);
	if (!result && !printing->uncovered)
		set_why(image, lint_symbols_why(printing->cfi->image));
	return result;
}

/* Its code is told, and why it needs no CFI. */
static void set_uncovered(json_t *image, const struct opened_image *opened, enum lint_bare why)
{
	struct gate_image gate;

	set_why(image, why);
	gate_image_read(opened->image, opened->file, NULL, &gate);
	gate_image_json(&gate, image);
}

/* LINT_BARE_FOUND: it needs CFI. */
static enum lint_bare why_none_is_needed(const struct printing *printing)
{
	switch (image_unwound(printing->opened->image)) {
	case IMAGE_UNWOUND_BY_TABLES: return LINT_BARE_OTHER_TABLES;
	case IMAGE_NOT_UNWOUND: return LINT_BARE_NOT_UNWOUND;
	case IMAGE_UNWOUND_BY_CFI: break;
	}
	return code_is_go(printing->cfi->image) ? LINT_BARE_OTHER_TABLES : LINT_BARE_FOUND;
}

/* A file without CFI. */
static int lint_without_cfi(struct printing *printing, enum image_kind kind, json_t *image,
			    struct error *error)
{
	enum lint_bare why;

	JSON_SET(image, "status", "no_cfi");
	if (!wants_cfi(printing->opened->image, kind))
		return 0;
	why = why_none_is_needed(printing);
	if (why == LINT_BARE_FOUND)
		return lint_bare(printing, image, error);
	set_uncovered(image, printing->opened, why);
	return 0;
}

static int lint_opened(const struct lint_options *options, const struct opened_image *opened,
		       json_t *image, FILE *output, struct error *error)
{
	enum image_kind kind = image_kind(opened->image);
	struct printing printing = { .options = options, .opened = opened, .output = output };
	struct object *object = NULL;
	struct cfi *cfi = NULL;
	int result;

	JSON_SET(image, "kind", image_kind_name(kind), "lto",
		 image_is_slim(opened->image) ? json_true() : NULL);
	result = open_cfi(opened->image, kind, &object, &cfi, error);
	printing.object = object;
	printing.cfi = cfi;
	if (!result)
		result = lint_cfi(&printing, image, error);
	else if (error->code == ERROR_NO_CFI)
		result = lint_without_cfi(&printing, kind, image, error);
	cfi_destroy(cfi);
	object_destroy(object);
	return result;
}

void lint_file(const struct lint_options *options, const struct image_path *path, FILE *output)
{
	double start = monotonic_seconds();
	struct opened_image opened;
	struct error error;
	json_t *image = JSON_NEW("type", "lint", "image", path->path, "status", "linted");
	const char *status = NULL;

	if (image_path_open(path, &opened, &error)) {
		status = error_is_environment(&error) ? "failed" : "unread";
	} else {
		if (opened.image->type != ET_REL)
			debug_link_adopt(opened.image);
		JSON_SET(image, "debug_refused", opened.image->debug_refused);
		if (lint_opened(options, &opened, image, output, &error))
			status = error_is_environment(&error) ? "failed" : "unread";
		image_path_close(&opened);
	}
	if (status)
		JSON_SET(image, "status", status, "code", error_code_name(error.code), "message",
			 json_error(&error));
	json_line(output, JSON_SET(image, "seconds", monotonic_seconds() - start));
}
