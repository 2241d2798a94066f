/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_stepped.c - rows that were wrong when they ran, held against what lint says of them
 *
 * Where lint has a finding, or there is no row at all, both agree. Where it could not tell, its
 * reason is said. What it has proven and was wrong all the same is a fault of lint, if it is what
 * lint proves: that the row leads to the caller of code that was called as the psABI has it.
 */
#include <fnmatch.h>
#include "base/cli/json_counts.h"
#include "analysis/code/code.h"
#include "cfi/code_name.h"
#include "lint_executed.h"

#define NAME_BYTES 512

static uint32_t agreed_of(const struct lint_join *join, uint64_t pc)
{
	const struct cfi_fde *fde = cfi_fde_find(join->cfi, pc);

	for (size_t i = 0; fde && i < join->agreed_count; i++)
		if (join->agreed[i].function == fde->pc_begin)
			return join->agreed[i].agreed;
	return 0;
}

/* A proof of lint says that there the row leads to the caller, if the code was called as the psABI
 * has it. */
static bool is_denied(const struct lint_join *join, const struct executed_fault *fault)
{
	switch (fault->kind) {
	case FAULT_WRONG:
	case FAULT_MALFORMED:
	case FAULT_MISSING: return true;
	case FAULT_REGISTER: return !fault->lost && fault->registers & ~agreed_of(join, fault->pc);
	default: return false;
	}
}

static enum lint_agreement agreement_of(const struct lint_join *join,
					const struct executed_fault *fault, const char **ret_lint,
					const char **ret_reason)
{
	const struct lint_judged *judged = lint_join_judged_at(join, fault->pc);

	*ret_reason = NULL;
	*ret_lint = "no_row";
	if (!judged && !cfi_fde_find(join->cfi, fault->pc))
		return LINT_AGREES;
	*ret_lint = "unproven";
	*ret_reason = lint_reason_name(lint_join_why(join, fault->pc));
	if (!judged)
		return LINT_OPEN;
	*ret_reason = NULL;
	switch ((enum flow_outcome)judged->outcome) {
	case FLOW_ROW_MISMATCH: *ret_lint = "mismatch"; return LINT_AGREES;
	case FLOW_ROW_UNPROVEN:
		*ret_reason = lint_reason_name((enum flow_reason)judged->reason);
		return LINT_OPEN;
	case FLOW_ROW_PROVEN: break;
	}
	*ret_lint = "proven";
	return is_denied(join, fault) ? LINT_DENIES : LINT_NOT_ASKED;
}

static json_t *registers_json(uint32_t registers)
{
	json_t *array = json_array();

	for (unsigned int reg = 0; reg <= REGISTER_RIP; reg++)
		if (registers >> reg & 1)
			json_array_append_new(array, json_string(register_name(reg)));
	return array;
}

static bool same_fault(const struct executed_fault *a, const struct executed_fault *b)
{
	return a->pc == b->pc && a->kind == b->kind && a->registers == b->registers &&
	       a->lost == b->lost;
}

json_t *lint_join_fault(const struct lint_join *join, uint32_t *at, uint64_t *ret_pc,
			enum lint_agreement *ret)
{
	const struct executed_fault *fault = NULL;
	uint32_t found = 0;

	if (lint_join_is_joined(join))
		found = executed_faults(join->executed, join->image, 0, UINT64_MAX, &fault);

	while (*at < found) {
		const struct executed_fault *first = &fault[*at];
		const char *lint, *reason;
		uint64_t sum = 0;
		json_t *object;

		for (; *at < found && same_fault(first, &fault[*at]); ++*at)
			sum += fault[*at].count;
		if (!sum)
			continue;
		*ret_pc = first->pc;
		*ret = agreement_of(join, first, &lint, &reason);
		object = json_pack("{s:s, s:s, s:b, s:o, s:I, s:s, s:s}", "type", "lint_stepped",
				   "kind", fault_kind_name(first->kind), "lost", (int)first->lost,
				   "registers", registers_json(first->registers), "count",
				   (json_int_t)sum, "lint", lint, "outcome",
				   lint_agreement_name(*ret));
		if (reason)
			json_object_set_new(object, "reason", json_string(reason));
		return object;
	}
	return NULL;
}

/* False: --function wants others. */
static bool set_place(json_t *object, const char *function, const struct cfi *cfi, uint64_t pc)
{
	struct code_name name;
	char text[NAME_BYTES];

	code_name_find(cfi->image, cfi, pc, &name);
	code_name_print(&name, text, sizeof(text));
	json_object_set_new(object, "image", json_bytes(cfi->image->path));
	json_set_hex(object, "pc", pc);
	json_object_set_new(object, "function", json_bytes(text));
	json_object_set_new(object, "offset", json_integer((json_int_t)(pc - name.start)));
	return !function || !fnmatch(function, text, 0);
}

static void set_instruction(json_t *object, struct code_decoder *decoder, const struct cfi *cfi,
			    uint64_t pc)
{
	size_t size;
	const uint8_t *bytes = image_bytes_most(cfi->image, pc, CODE_BYTES_MAX, &size);
	char text[128] = "";

	if (bytes)
		code_print(decoder, pc, bytes, size, text, sizeof(text));
	if (text[0])
		json_object_set_new(object, "instruction", json_string(text));
}

int lint_join_print(struct lint_join *join, const char *function, json_t *image, FILE *output,
		    struct error *error)
{
	struct code_decoder *decoder = code_decoder_create();
	enum lint_agreement agreement;
	uint32_t at = 0;
	uint64_t pc;
	json_t *object;

	if (!decoder)
		return error_set(error, ERROR_MEMORY, NULL, 0, "an image's instructions");
	while ((object = lint_join_fault(join, &at, &pc, &agreement))) {
		const struct lint_judged *judged = lint_join_judged_at(join, pc);

		if (!set_place(object, function, join->cfi, pc)) {
			json_decref(object);
			continue;
		}
		set_instruction(object, decoder, join->cfi, judged ? judged->pc : pc);
		join->agreements[agreement]++;
		json_line(output, object);
	}
	code_decoder_destroy(decoder);
	lint_join_counts(join, image);
	return 0;
}
