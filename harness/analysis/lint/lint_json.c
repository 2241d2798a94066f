/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_json.c - one image: its findings and what it came to, as JSON
 *
 * Runs in a process of its own (images/image_pool.h). Findings come in the order of addresses, each
 * once: a part that several functions share is followed from each of them.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cli/exit_status.h"
#include "base/cli/json_counts.h"
#include "clock.h"
#include "cfi/code_name.h"
#include "base/gate/gate.h"
#include "base/images/debug_link.h"
#include "base/images/image_kind.h"
#include "analysis/flow/flow_callees.h"
#include "lint.h"
#include "lint_evidence.h"
#include "lint_executed.h"
#include "lint_fdes.h"
#include "lint_findings.h"
#include "lint_place.h"
#include "lint_symbols.h"
#include "lint_table.h"

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
	const struct lint_holding *holding = context;
	struct finding_list *list = holding->context;

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

	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		if (!strncmp(producer, without[i], strlen(without[i])))
			return false;
	return !json_object_get(object, "made_by");
}

/* False: it is not wanted. */
static bool print_finding(const struct printing *printing, const struct lint_finding *finding)
{
	const struct lint_options *options = printing->options;
	const struct object *made_of = printing->object;
	json_t *object = json_pack("{s:s, s:o, s:s, s:s, s:o}", "type", "lint_finding", "image",
				   json_bytes(printing->opened->image->path), "id",
				   lint_id_name(finding->id), "title", lint_id_title(finding->id),
				   "table", json_bytes(finding->table ? finding->table : "cfi"));
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
			json_object_set_new(object, "made_by", json_string("linker"));
		lint_evidence_set(printing->evidence, finding,
				  finding->function ? finding->function : begin, object);
	}
	if (finding->from)
		lint_place_set(object, made_of, "from", "from_section", finding->from);
	if (finding->function)
		lint_place_set(object, made_of, "fde", "fde_section", finding->function);
	if (finding->id == LINT_NOT_SAVED || finding->id == LINT_OVERWRITTEN ||
	    finding->id == LINT_LOST)
		json_object_set_new(object, "register", json_string(register_name(finding->reg)));
	if (finding->declared[0])
		set_text(object, printing, "declared", finding->declared);
	set_text(object, printing, "actual", finding->actual);
	if (finding->mend[0] && can_be_mended(object))
		json_object_set_new(object, "mend", json_string(finding->mend));
	if (printing->bare)
		json_object_set_new(object, "no_cfi", json_true());
	if (printing->join && !finding->table) /* what ran was held against the CFI */
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
	json_object_set_new(image, "wanted_findings", json_integer((json_int_t)wanted));
	printing->uncovered = counts[LINT_UNCOVERED];
	lint_evidence_destroy(evidence);
	if (printing->join)
		return lint_join_print(printing->join, printing->options->function, image,
				       printing->output, error);
	return 0;
}

static void set_counts(json_t *image, const struct lint_counts *counts)
{
	json_object_set_new(image, "fdes", json_integer((json_int_t)counts->fdes));
	json_object_set_new(image, "proven", json_integer((json_int_t)counts->proven));
	json_object_set_new(image, "mismatch", json_integer((json_int_t)counts->mismatch));
	lint_json_unproven(image, counts->unproven);
	json_object_set_new(image, "instructions", json_integer((json_int_t)counts->instructions));
	json_object_set_new(image, "instructions_proven",
			    json_integer((json_int_t)counts->instructions_proven));
	json_object_set_new(image, "calls_not_returning",
			    json_integer((json_int_t)counts->calls_not_returning));
}

static void set_relocations(json_t *image, const struct object *object)
{
	json_t *counts = json_object();

	for (int i = 0; i < OBJECT_RELOCATION_COUNT; i++)
		if (object->relocations[i])
			json_object_set_new(counts,
					    object_relocation_name((enum object_relocation)i),
					    json_integer((json_int_t)object->relocations[i]));
	json_object_set_new(image, "relocations", counts);
}

static int follow(const struct printing *printing, const struct lint_watch *watch,
		  struct lint_counts *ret, struct error *error)
{
	return printing->object ? lint_object(printing->cfi, printing->object, watch, ret, error)
				: lint_image(printing->cfi, watch, ret, error);
}

static int lint_cfi(struct printing *printing, json_t *image, struct error *error)
{
	const struct lint_options *options = printing->options;
	const struct opened_image *opened = printing->opened;
	struct finding_list list = { .fdes = { .options = options,
					       .cfi = printing->cfi,
					       .object = printing->object,
					       .path = opened->image->path } };
	struct lint_holding holding = { .finding = keep_finding, .context = &list };
	struct lint_join join = { .executed = options->executed };
	struct lint_watch watch;
	struct lint_counts counts;
	struct gate_image gate;
	int result = lint_holding_init(&holding, options, printing->cfi, &watch, error);

	watch.fde = keep_fde;
	if (!result && options->executed && !printing->object) {
		lint_join_init(&join, options->executed, printing->cfi, opened->file);
		lint_join_listen(&join, &watch);
		printing->join = &join;
	}
	if (!result)
		result = follow(printing, &watch, &counts, error);
	if (!result && printing->join)
		result = lint_join_finish(&join, error);
	if (!result)
		result = lint_holding_end(&holding, image, error);
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
	lint_holding_deinit(&holding);
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
		json_object_set_new(image, "no_cfi_reasons",
				    json_pack("{s:i}", lint_bare_name(why), 1));
}

/* A file without CFI: its code is code that no FDE covers. Other tables have no CFI to be held against. */
static int lint_bare(struct printing *printing, json_t *image, struct error *error)
{
	struct lint_options options = *printing->options;
	int result;

	options.compact = false;
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
	return flow_is_go(printing->cfi->image) ? LINT_BARE_OTHER_TABLES : LINT_BARE_FOUND;
}

/* A file without CFI. */
static int lint_without_cfi(struct printing *printing, enum image_kind kind, json_t *image,
			    struct error *error)
{
	enum lint_bare why;

	json_object_set_new(image, "status", json_string("no_cfi"));
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

	json_object_set_new(image, "kind", json_string(image_kind_name(kind)));
	if (image_is_slim(opened->image))
		json_object_set_new(image, "lto", json_true());
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
	json_t *image = json_pack("{s:s, s:o, s:s}", "type", "lint", "image",
				  json_bytes(path->path), "status", "linted");
	const char *status = NULL;

	if (image_path_open(path, &opened, &error)) {
		status = error_is_environment(&error) ? "failed" : "unread";
	} else {
		if (opened.image->type != ET_REL)
			debug_link_adopt(opened.image);
		if (opened.image->debug_refused)
			json_object_set_new(image, "debug_refused",
					    json_bytes(opened.image->debug_refused));
		if (lint_opened(options, &opened, image, output, &error))
			status = error_is_environment(&error) ? "failed" : "unread";
		image_path_close(&opened);
	}
	if (status) {
		json_object_set_new(image, "status", json_string(status));
		json_object_set_new(image, "code", json_string(error_code_name(error.code)));
		json_object_set_new(image, "message", json_error(&error));
	}
	json_object_set_new(image, "seconds", json_real(monotonic_seconds() - start));
	json_line(output, image);
}
