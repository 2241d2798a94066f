/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * run_judge.c - what a compare printed, and how it ended -> the cell's outcome
 *
 *	failed	a fault that is ours or the kernel's (unexplained, reader, walk, kernel, silent
 *		conversion loss), or bpf not exact at a point where the CFI was right
 *	skipped	compare said why it could not try; so too if only the bpf engine could not
 *	error	everything else that is not a judgement: a crash, a status that isn't one of ours, a
 *		line that is no result, no verdicts, no points. Silence is never a pass.
 *	passed	the rest. Table faults are findings about a toolchain: listed, and not held against
 *		the walk. Where corpus.tsv says what is expected, another finding, or none where one
 *		is expected, fails (expectation.c).
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include "base/cli/json_counts.h"
#include "run.h"
#include "judge/verdict/doubt.h"
#include "base/cli/exit_status.h"

/*
 * Table faults are crt code without CFI and what it calls: 5 % of a small C program's points, a
 * third of a small C++ program's. If they are most of all, the tables were not there to be asked,
 * and excusing bpf at those points would pass anything.
 */
#define TABLE_FAULTS_AT_MOST_ONE_IN 2

enum { EXIT_TIMED_OUT = 124, EXIT_NOT_FOUND = 127, EXIT_SIGNAL_BASE = 128 };

/* The last line of compare's messages, which says why it gave up. */
static void last_line(const struct output *err, char *ret, size_t size)
{
	size_t end = err->size;

	while (end && strchr(" \t\r\n", err->data[end - 1]))
		end--;
	size_t begin = end;
	while (begin && err->data[begin - 1] != '\n')
		begin--;
	snprintf(ret, size, "%.*s", (int)(end - begin > 400 ? 400 : end - begin),
		 err->data ? err->data + begin : "");
}

/* What makes a line unusable, or NULL. The run's own types would be taken for its own lines. */
static const char *line_problem(const json_t *object)
{
	static const char *const reserved[] = { "header", "result", "summary" };
	const char *type = json_text(object, "type");

	if (!json_is_object(object))
		return "is not a JSON object";
	if (!type[0])
		return "has no type";
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
		if (!strcmp(type, reserved[i]))
			return "has a type that compare does not have";
	}
	return NULL;
}

/* Keeps every object; the first bad line goes to problem ("" if none). */
static void take_objects(struct cell *cell, const struct output *out, char *problem, size_t size)
{
	size_t line_number = 0;

	problem[0] = '\0';
	for (size_t begin = 0, end; begin < out->size; begin = end + 1) {
		const char *newline = memchr(out->data + begin, '\n', out->size - begin);
		end = newline ? (size_t)(newline - out->data) : out->size;
		line_number++;
		if (end == begin)
			continue;
		json_t *object = json_loadb(out->data + begin, end - begin, 0, NULL);
		const char *bad = line_problem(object);
		if (!bad) {
			cell_add_object(cell, object);
			continue;
		}
		json_decref(object);
		if (!problem[0]) {
			snprintf(problem, size, "line %zu of compare's output %s: %.*s",
				 line_number, bad, (int)(end - begin > 80 ? 80 : end - begin),
				 out->data + begin);
		}
	}
	if (out->cut && !problem[0])
		snprintf(problem, size, "compare printed more than %u bytes", OUTPUT_BYTES_MAX);
}

/* Whether a list "a,b,c" has the word. */
static bool has_word(const char *list, const char *word)
{
	size_t size = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += size) {
		if ((at == list || at[-1] == ',') && (!at[size] || at[size] == ','))
			return true;
	}
	return false;
}

static void judge_abnormal_end(struct cell *cell, int exit_code, const struct output *err)
{
	char message[512];

	last_line(err, message, sizeof(message));
	const char *colon = message[0] ? ": " : "";
	if (exit_code == EXIT_ENVIRONMENT) {
		cell_set(cell, CELL_ERROR, "compare's environment failed%s%s", colon, message);
		cell->environment = true;
	} else if (exit_code == EXIT_TIMED_OUT) {
		cell_set(cell, CELL_ERROR, "compare did not end in time%s%s", colon, message);
	} else if (exit_code == EXIT_NOT_FOUND) {
		cell_set(cell, CELL_ERROR, "compare could not be started%s%s", colon, message);
		cell->environment = true;
	} else if (exit_code > EXIT_SIGNAL_BASE && exit_code < EXIT_SIGNAL_BASE + NSIG) {
		cell_set(cell, CELL_ERROR, "compare was killed by signal %d (%s)%s%s",
			 exit_code - EXIT_SIGNAL_BASE, strsignal(exit_code - EXIT_SIGNAL_BASE),
			 colon, message);
	} else {
		cell_set(cell, CELL_ERROR, "compare ended with status %d%s%s", exit_code, colon,
			 message);
	}
}

/* "no_bpf: the message": the typed word first. */
static void skip_for(struct cell *cell, const json_t *skip)
{
	const char *message = json_text(skip, "message");

	cell_set(cell, CELL_SKIPPED, "%s%s%s", json_text(skip, "reason"), message[0] ? ": " : "",
		 message);
}

static void judge_skip(struct cell *cell)
{
	const json_t *skip = cell_object(cell, "skip", NULL);

	if (skip && json_text(skip, "reason")[0])
		skip_for(cell, skip);
	else
		cell_set(cell, CELL_ERROR, "compare ended with status %d and no reason to skip",
			 EXIT_SKIPPED);
}

/*
 * bpf must be exact at every point, except where the table itself is wrong or memory was absent.
 * Where there was no trap
 * (a thread's or a handler's first stop) nothing ran in the kernel: such points are counted apart.
 */
static void judge_bpf_score(struct cell *cell, const json_t *score, const json_t *verdicts,
			    const char *expected, const char *faults)
{
	uint64_t points = json_number(verdicts, "points");
	uint64_t asked = json_number(score, "points");
	uint64_t untrapped = json_number(score, "untrapped");
	uint64_t unproven = json_number(score, "unproven");
	uint64_t table_faults = json_number(verdicts, "table_fault");
	uint64_t exact = json_number(score, "exact");
	uint64_t absent = json_number(verdicts, "absent");
	uint64_t flagged = expectation_has_flag(expected)
				   ? json_number(verdicts, "conversion_loss_flagged")
				   : 0;
	/* Table faults that are ignored are among the table faults, flagged losses that are
	 * expected among the flagged. */
	uint64_t ignored = cell_ignored(cell, NULL, NULL) -
			   cell_ignored(cell, "table_fault", NULL) -
			   (flagged ? cell_ignored(cell, "conversion_loss", NULL) -
					      cell_ignored_of(cell, "conversion_loss_silent")
				    : 0);
	const char *separator = faults[0] ? "; " : "";

	if (!asked || asked + untrapped + unproven != points) {
		cell_set(cell, CELL_FAILED,
			 "bpf was asked at %llu points of %llu, %llu of them without a trap%s%s",
			 (unsigned long long)asked, (unsigned long long)points,
			 (unsigned long long)untrapped, separator, faults);
	} else if (exact + table_faults + flagged + absent + ignored < asked) {
		cell_set(cell, CELL_FAILED,
			 "bpf exact at %llu of %llu points, %llu of them table faults%s%s",
			 (unsigned long long)exact, (unsigned long long)asked,
			 (unsigned long long)table_faults, separator, faults);
	}
}

static void judge_bpf(struct cell *cell, const json_t *verdicts, const char *expected,
		      const char *faults)
{
	const json_t *score = cell_object(cell, "score", "bpf");
	const json_t *skip = cell_object(cell, "skip", "bpf");

	if (score) {
		judge_bpf_score(cell, score, verdicts, expected, faults);
	} else if (skip && json_text(skip, "reason")[0]) {
		if (!faults[0])
			skip_for(cell, skip);
	} else {
		cell_set(cell, faults[0] ? CELL_FAILED : CELL_ERROR,
			 "compare printed no score for bpf%s%s", faults[0] ? "; " : "", faults);
	}
}

/* A table fault is somebody's table's: one outside any image is an address space read badly. */
static bool fault_without_image(const struct cell *cell)
{
	struct finding_record finding;

	for (size_t at = 0; cell_finding(cell, &at, &finding);)
		if (!strcmp(finding.verdict, "table_fault") && !finding.ignored &&
		    !finding.image[0])
			return true;
	return false;
}

static void judge_table_faults(struct cell *cell, const json_t *verdicts, const char *expected)
{
	uint64_t points = json_number(verdicts, "points");
	uint64_t table_faults = json_number(verdicts, "table_fault");
	uint64_t declared = expectation_points(expected, cell);

	table_faults -= declared < table_faults ? declared : table_faults;
	if (table_faults > points / TABLE_FAULTS_AT_MOST_ONE_IN) {
		cell_set(cell, CELL_FAILED, "table faults at %llu of %llu points: too many",
			 (unsigned long long)table_faults, (unsigned long long)points);
	} else if (fault_without_image(cell)) {
		cell_set(cell, CELL_FAILED, "a table fault in no known image");
	}
}

/* A truth that is often in doubt proves little, unless the program is there for that. */
static void judge_doubt(struct cell *cell, const json_t *verdicts, const char *expected)
{
	uint64_t points = json_number(verdicts, "points"),
		 unproven = json_number(verdicts, "unproven");
	bool is_expected = expectation_has_unproven(expected);

	if (is_expected && !unproven)
		cell_set(cell, CELL_FAILED, "unproven was expected and did not appear");
	else if (!is_expected && unproven > points * UNPROVEN_SHARE_MAX)
		cell_set(cell, CELL_FAILED, "the truth is in doubt at %llu of %llu points",
			 (unsigned long long)unproven, (unsigned long long)points);
}

/* A program that did not do what it claims, and a truth that is no measure, prove nothing. */
static void judge_run(struct cell *cell, const json_t *verdicts, const char *expected)
{
	const json_t *truth = json_object_get(verdicts, "truth");
	bool prefix = expectation_has_prefix(expected);
	int status = (int)json_number(verdicts, "status");

	if (status && WIFSIGNALED(status)) {
		cell_set(cell, CELL_FAILED, "the program was killed by signal %d",
			 WTERMSIG(status));
	} else if (status) {
		cell_set(cell, CELL_FAILED, "the program ended with status %d",
			 WEXITSTATUS(status));
	} else if (truth && !prefix && json_number(truth, "unrooted")) {
		cell_set(cell, CELL_FAILED, "the truth is only a prefix at %llu points",
			 (unsigned long long)json_number(truth, "unrooted"));
	} else if (truth && prefix && !json_number(truth, "unrooted")) {
		cell_set(cell, CELL_FAILED, "prefix was expected and did not appear");
	} else if (truth && json_number(truth, "max_frames") < 2) {
		cell_set(cell, CELL_FAILED, "the truth never had two frames");
	}
}

static void judge_expected(struct cell *cell, const char *expected)
{
	char sentence[512];

	if (expectation_check(expected, cell, sentence, sizeof(sentence)))
		cell_set(cell, CELL_FAILED, "%s", sentence);
}

static void judge_objects(struct cell *cell, const char *engines, const char *expected)
{
	const json_t *verdicts = cell_object(cell, "verdicts", NULL);
	/* Those that are not the toolchain's. */
	static const char *const ours[] = { "unexplained",  "reader_fault",	      "walk_fault",
					    "kernel_fault", "conversion_loss_silent", NULL };
	char faults[256];

	if (!verdicts) {
		cell_set(cell, CELL_ERROR, "compare printed no verdicts");
		return;
	}
	if (!json_number(verdicts, "points")) {
		cell_set(cell, CELL_ERROR, "no point was compared");
		return;
	}
	cell_list_faults(cell, verdicts, ours, faults, sizeof(faults));
	cell_set(cell, faults[0] ? CELL_FAILED : CELL_PASSED, "%s", faults);
	if (has_word(engines, "bpf"))
		judge_bpf(cell, verdicts, expected, faults);
	if (cell->status == CELL_PASSED)
		judge_table_faults(cell, verdicts, expected);
	if (cell->status == CELL_PASSED)
		judge_doubt(cell, verdicts, expected);
	if (cell->status == CELL_PASSED)
		judge_expected(cell, expected);
	if (cell->status == CELL_PASSED)
		judge_run(cell, verdicts, expected);
}

/*
 * Of a program that the emulator watched. Whose fault a stack is that the table gives, too, the lane says whose programs are
 * stepped. A program whose tables are known to be wrong everywhere has no true stack.
 */
void cell_judge_watched(struct cell *cell, const json_t *walks, const char *expected)
{
	unsigned long long points = json_number(walks, "points"), made = json_number(walks, "made"),
			   wrong = json_number(walks, "wrong"), exact = json_number(walks, "exact"),
			   unproven = json_number(walks, "unproven");
	int status = (int)json_number(walks, "status");

	if (!points)
		cell_set(cell, CELL_ERROR, "no point was walked");
	else if (wrong)
		cell_set(cell, CELL_FAILED,
			 "bpf has neither the true stack nor the table's at %llu of %llu points",
			 wrong, points);
	else if (points < made)
		cell_set(cell, CELL_FAILED, "bpf sent no stack at %llu of %llu points",
			 made - points, made);
	else if (status)
		cell_set(cell, CELL_FAILED, "the program ended with the wait status %d", status);
	else if (!exact && !expected)
		cell_set(cell, CELL_FAILED, "none of %llu stacks is the true one", points);
	else if (!expectation_has_unproven(expected) && unproven > points / 2)
		cell_set(cell, CELL_FAILED, "the truth is in doubt at %llu of %llu points",
			 unproven, points);
	else
		cell_set(cell, CELL_PASSED, "%s", "");
}

void cell_judge(struct cell *cell, const struct judge_options *options, const char *expected,
		int exit_code, const struct output *out, const struct output *err)
{
	char problem[512];

	take_objects(cell, out, problem, sizeof(problem));
	if (exit_code == EXIT_SKIPPED && !problem[0]) {
		judge_skip(cell);
		return;
	}
	if (exit_code != EXIT_OK && exit_code != EXIT_FINDINGS && exit_code != EXIT_SKIPPED) {
		judge_abnormal_end(cell, exit_code, err);
		return;
	}
	if (problem[0]) {
		cell_set(cell, CELL_ERROR, "%s", problem);
		return;
	}
	if (options->ignore)
		cell_ignore(cell, options->ignore);
	judge_objects(cell, options->engines, expected);
}

void cell_judge_again(struct cell *cell, const char *engines)
{
	char before[1024];

	if (cell->status != CELL_FAILED || !cell_object(cell, "verdicts", NULL))
		return;
	snprintf(before, sizeof(before), "%s", cell->reason);
	judge_objects(cell, engines, cell->expected);
	if (cell->status != CELL_PASSED)
		cell_set(cell, CELL_FAILED, "%s", before);
}

/* Which skips a requirement covers: by reason, and for compilers by toolchain too. */
static const struct requirement {
	const char *name;
	const char *reasons;   /* separated by commas */
	const char *toolchain; /* how its toolchains' names begin; NULL: any */
} requirements[] = {
	{ "bpf", "no_bpf", NULL },	     { "vm", "no_vm,no_qemu,no_kernel,no_emulator", NULL },
	{ "gcc", "no_compiler", "gcc" },     { "clang", "no_compiler", "clang" },
	{ "rustc", "no_compiler", "rustc" },
};
#define REQUIREMENT_COUNT (sizeof(requirements) / sizeof(requirements[0]))

bool require_valid(const char *require, const char **ret_word)
{
	for (const char *at = require; *at; at += strcspn(at, ",")) {
		at += *at == ',';
		size_t size = strcspn(at, ",");
		bool known = false;
		for (size_t i = 0; i < REQUIREMENT_COUNT; i++) {
			const char *name = requirements[i].name;
			known |= strlen(name) == size && !strncmp(name, at, size);
		}
		*ret_word = at;
		if (!known)
			return false;
	}
	return true;
}

void cell_require(struct cell *cell, const char *require)
{
	char reason[256], word[64];

	if (cell->status != CELL_SKIPPED)
		return;
	/* "no_bpf: how it was refused" is a no_bpf. */
	snprintf(reason, sizeof(reason), "%s", cell->reason);
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(reason, ": "), reason);
	for (size_t i = 0; i < REQUIREMENT_COUNT; i++) {
		const struct requirement *requirement = &requirements[i];
		const char *toolchain = requirement->toolchain;
		if (has_word(require, requirement->name) && has_word(requirement->reasons, word) &&
		    (!toolchain || !strncmp(cell->toolchain, toolchain, strlen(toolchain)))) {
			cell_set(cell, CELL_FAILED, "%s is required here: %s", requirement->name,
				 reason);
			return;
		}
	}
}
