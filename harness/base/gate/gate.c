/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * gate.c - counters, and the one rule that makes an exit status of them
 *
 * Reasons are of three kinds. What is wrong with an input is bad input; what was skipped could have
 * been checked elsewhere. With --strict both fail. The third kind can't be checked by anybody, or
 * is accounted for elsewhere: it is counted, and never fails.
 */
#include <inttypes.h>
#include <string.h>
#include "array.h"
#include "base/cli/json_counts.h"
#include "base/cli/exit_status.h"
#include "gate.h"

enum kind { KIND_INPUT, KIND_SKIP, KIND_KNOWN };

static const struct {
	const char *name; /* in JSON */
	const char *text; /* behind a count */
	enum kind kind;
} reasons[GATE_REASON_COUNT] = {
	[GATE_UNREADABLE] = { "unreadable", "files that can't be read", KIND_INPUT },
	[GATE_NOT_ELF] = { "not_elf", "files that are no ELF files", KIND_INPUT },
	[GATE_DAMAGED] = { "damaged", "damaged ELF files", KIND_INPUT },
	[GATE_OTHER_MACHINE] = { "other_machine", "ELF files of other machines", KIND_KNOWN },
	[GATE_EMPTY] = { "empty", "folders and archives without an ELF file", KIND_SKIP },
	[GATE_THIN] = { "thin_archives", "thin archives, whose members are files of their own",
			KIND_SKIP },
	[GATE_LTO] = { "lto_objects", "objects of which code is made when they are linked (LTO)",
		       KIND_SKIP },
	[GATE_NESTED] = { "nested_archives", "archives within archives", KIND_SKIP },
	[GATE_FAILED] = { "failed_images", "images whose process died or took too long",
			  KIND_KNOWN },
	[GATE_RELOCATIONS] = { "relocations", "files with relocations that can't be resolved",
			       KIND_INPUT },
	[GATE_NO_CFI] = { "no_cfi", "images without CFI", KIND_KNOWN },
	[GATE_UNCHECKED] = { "unchecked_images", "images with no row that can be checked",
			     KIND_KNOWN },
	[GATE_COVERAGE] = { "below_coverage", "images below --coverage", KIND_KNOWN },
	[GATE_LOST_FDES] = { "lost_fdes", "FDEs that can't be read", KIND_INPUT },
	[GATE_OUTSIDE_FDES] = { "outside_fdes", "FDEs of code in no executable segment",
				KIND_INPUT },
	[GATE_MALFORMED] = { "malformed", "rows behind malformed instructions", KIND_INPUT },
	[GATE_OUTSIDE] = { "outside", "rows in no executable segment", KIND_KNOWN },
	[GATE_UNPROVEN_FDES] = { "unproven_fdes", "FDEs whose code can't be followed", KIND_KNOWN },
	[GATE_BASELINE_ONLY] = { "only_in_baseline", "images that only the baseline has",
				 KIND_SKIP },
	[GATE_NO_SFRAME] = { "no_sframe", "images without SFrame", KIND_KNOWN },
	[GATE_NO_TABLE_ROW] = { "no_table_row", "instructions without a row in a table",
				KIND_SKIP },
	[GATE_OTHER_BUILD] = { "other_build", "images of which the run had another build",
			       KIND_SKIP },
	[GATE_UNPROVEN_BUILD] = { "unproven_build",
				  "images of which nothing says that the run had this build",
				  KIND_SKIP },
	[GATE_NOT_LOADED] = { "not_loaded", "images that the run did not have", KIND_SKIP },
	[GATE_UNJUDGED_ROWS] = { "unjudged_rows", "rows that are not found by rsp and rbp alone",
				 KIND_KNOWN },
	[GATE_DOUBTED_ROWS] = { "doubted_rows", "rows that ran only while the truth was in doubt",
				KIND_KNOWN },
	[GATE_PARTIAL_RUN] = { "partial_run", "run that was cut short", KIND_SKIP },
	[GATE_UNSYNTHESIZED] = { "unsynthesized", "functions without CFI that get no row",
				 KIND_KNOWN },
	[GATE_NO_FDE] = { "no_fde", "files without an FDE there", KIND_SKIP },
	[GATE_ENGINES] = { "engines", "engines", KIND_SKIP },
	[GATE_IGNORED] = { "ignored", "points in the list of --ignore", KIND_KNOWN },
	[GATE_IGNORED_FINDINGS] = { "ignored_findings", "findings in the list of --ignore",
				    KIND_KNOWN },
	[GATE_UNPROVEN] = { "unproven", "points where the truth is unproven", KIND_KNOWN },
	[GATE_LOST_POINTS] = { "unread_points", "points that could not be read", KIND_KNOWN },
	[GATE_ABSENT_POINTS] = { "absent_points", "points without a sample", KIND_SKIP },
	[GATE_UNTRACED] = { "untraced_threads", "threads that are hidden from tracers", KIND_SKIP },
	[GATE_PROCESSES] = { "left_processes", "processes that were not stepped", KIND_SKIP },
	[GATE_HIDDEN] = { "hidden_processes", "processes that are hidden from tracers", KIND_SKIP },
	[GATE_IDLE] = { "idle_processes", "processes that did nothing", KIND_KNOWN },
	[GATE_TRACERS] = { "ptrace_callers", "processes that called ptrace in vain", KIND_SKIP },
	[GATE_REQUIREMENTS] = { "requirements", "requirements that can't be judged", KIND_KNOWN },
	[GATE_NO_TOOL] = { "no_tool", "checks by a program that can't be run, or failed",
			   KIND_SKIP },
	[GATE_REFUSED] = { "refused", "files that libdw refuses", KIND_SKIP },
	[GATE_SKIPPED] = { "skipped", "skipped", KIND_SKIP },
	[GATE_CUT_SHORT] = { "not_judged", "not judged", KIND_KNOWN },
	[GATE_NO_HELPER] = { "no_helper", "programs that need a newer kernel", KIND_KNOWN },
	[GATE_OPTIONAL] = { "optional", "refused programs of --optional", KIND_KNOWN },
	[GATE_ONLY_BEFORE] = { "only_before", "in the first only", KIND_SKIP },
	[GATE_ONLY_AFTER] = { "only_after", "in the second only", KIND_KNOWN },
	[GATE_FEWER_POINTS] = { "fewer_points", "with fewer than half of the points", KIND_SKIP },
	[GATE_SAMPLES_UNPROVEN] = { "unproven_samples", "unproven samples", KIND_KNOWN },
	[GATE_SAMPLES_LEFT] = { "left_samples", "samples of others", KIND_KNOWN },
	[GATE_SAMPLES_UNREAD] = { "unread_samples", "samples that can't be read", KIND_INPUT },
	[GATE_NAMES] = { "names", "frames' names", KIND_SKIP },
	[GATE_TRUTHS_UNPROVEN] = { "unproven_truths", "truths that are unproven for the most part",
				   KIND_SKIP },
	[GATE_LOST_TICKS] = { "lost_ticks", "ticks without a stack", KIND_KNOWN },
};

const char *gate_reason_name(enum gate_reason reason)
{
	return reasons[reason].name;
}

/* A sum that is too large stays the largest: it never becomes 0 again. */
static void add(uint64_t *sum, uint64_t count)
{
	*sum = count > INT64_MAX - *sum ? INT64_MAX : *sum + count;
}

void gate_check(struct gate *gate, uint64_t count)
{
	add(&gate->checked, count);
}

void gate_leave(struct gate *gate, enum gate_reason reason, uint64_t count)
{
	add(&gate->left[reason], count);
}

void gate_leave_image_named(struct gate *gate, const char *code, bool named)
{
	enum gate_reason reason = GATE_DAMAGED;

	if (!strcmp(code, error_code_name(ERROR_MEMORY))) {
		gate_add_status(gate, EXIT_ENVIRONMENT);
		return;
	}
	if (!strcmp(code, error_code_name(ERROR_UNSUPPORTED_ELF)))
		reason = GATE_OTHER_MACHINE;
	else if (!strcmp(code, error_code_name(ERROR_SYSTEM)))
		reason = GATE_UNREADABLE;
	else if (!strcmp(code, error_code_name(ERROR_RELOCATION)))
		reason = GATE_RELOCATIONS;
	else if (!strcmp(code, error_code_name(ERROR_THIN_ARCHIVE)))
		reason = GATE_THIN;
	else if (!strcmp(code, error_code_name(ERROR_NOT_ELF)) && named)
		reason = GATE_NOT_ELF;
	gate_leave(gate, reason, 1);
	gate->bad_input |= named;
}

void gate_leave_image(struct gate *gate, const struct error *error, bool named)
{
	if (error_is_environment(error))
		gate_add_status(gate, EXIT_ENVIRONMENT);
	else
		gate_leave_image_named(gate, error_code_name(error->code), named);
}

void gate_leave_failed(struct gate *gate, const char *code)
{
	if (*code) {
		gate_add_status(gate, EXIT_ENVIRONMENT);
		return;
	}
	gate_leave(gate, GATE_FAILED, 1);
	gate->findings++;
}

void gate_add_status(struct gate *gate, enum exit_status status)
{
	gate->findings += status == EXIT_FINDINGS;
	gate->environment |= status == EXIT_ENVIRONMENT;
	gate->bad_input |= status == EXIT_BAD_INPUT;
	gate->left[GATE_UNREADABLE] += status == EXIT_BAD_INPUT;
	gate->left[GATE_CUT_SHORT] += status == EXIT_ENVIRONMENT;
	gate->left[GATE_SKIPPED] += status == EXIT_SKIPPED;
	gate->checked += status == EXIT_OK;
}

static bool has_left(const struct gate *gate, enum kind kind)
{
	return ARRAY_ANY(GATE_REASON_COUNT, i, reasons[i].kind == kind && gate->left[i]);
}

enum exit_status gate_status(const struct gate *gate)
{
	if (gate->findings || gate->left[GATE_COVERAGE] ||
	    (gate->strict && has_left(gate, KIND_SKIP)))
		return EXIT_FINDINGS;
	if (gate->environment)
		return EXIT_ENVIRONMENT;
	if (gate->bad_input || ((gate->strict || !gate->checked) && has_left(gate, KIND_INPUT)))
		return EXIT_BAD_INPUT;
	return gate->checked ? EXIT_OK : EXIT_SKIPPED;
}

void gate_print(const struct gate *gate, FILE *file)
{
	const char *before = "; not checked: ";

	fprintf(file, "checked: %" PRIu64 " %s", gate->checked, gate->unit);
	for (size_t i = 0; i < GATE_REASON_COUNT; i++) {
		if (!gate->left[i] || i == GATE_COVERAGE)
			continue;
		fprintf(file, "%s%" PRIu64 " %s", before, gate->left[i], reasons[i].text);
		before = ", ";
	}
	if (gate->code_bytes)
		fprintf(file, "; %.2f %% of the code has CFI",
			100.0 * (double)gate->covered_bytes / (double)gate->code_bytes);
	if (gate->left[GATE_COVERAGE])
		fprintf(file, "; %" PRIu64 " %s %g %%", gate->left[GATE_COVERAGE],
			reasons[GATE_COVERAGE].text, gate->coverage);
	if (!gate->checked)
		fprintf(file, "; nothing was checked");
	if (gate->strict && (has_left(gate, KIND_INPUT) || has_left(gate, KIND_SKIP)))
		fprintf(file, "; that fails with --strict");
	fputc('\n', file);
}

bool gate_is_clean(const struct gate *gate)
{
	return !ARRAY_ANY(GATE_REASON_COUNT, i, gate->left[i]) && gate->checked > 0;
}

void gate_json(const struct gate *gate, json_t *object)
{
	json_t *left = json_object();

	for (size_t i = 0; i < GATE_REASON_COUNT; i++)
		if (gate->left[i])
			JSON_SET(left, reasons[i].name, gate->left[i]);
	JSON_SET(object, "checked", gate->checked, "checked_unit", gate->unit, "not_checked", left,
		 "exit_status", gate_status(gate));
}
