/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * expectation.c - what corpus.tsv expects of a program, held against what compare found
 *
 * A program that shows a case which no unwinder can walk, or whose table is wrong on purpose, says
 * so beforehand: a fault that was not expected is a failure, and so is an expected one that doesn't
 * appear any more. Words, separated by spaces:
 *
 *	exact			no finding at all
 *	startup			table faults of kind "missing" may appear in what no program here can
 *				change: crtstuff, and stretches without FDE in libraries (gap@...)
 *	flagged:REASON		the walk stops there and says why. The table can't hold a row (a
 *				conversion loss), or nobody can read the CFI (a table fault of kind
 *				"malformed"); REASON is the walk's stop reason
 *	table_fault:FUNCTION	the function's table is wrong (a glob)
 *	table_fault?:FUNCTION	it may be: for what only some toolchains and variants show
 *	missing:IMAGE		table faults of kind "missing" may appear in this image (a glob of its
 *				file name): a C library that was built without CFI
 *	prefix			at some points the truth is only a prefix: the program switches
 *				stacks itself (makecontext)
 *	absent			at some points the walk in the kernel ends at a page that is not present
 *	unproven		at some points the truth can't prove itself, and at any number of them:
 *				return addresses that are overwritten, frames that are left out
 *	diagnostic:CODE		the table's text has this diagnostic, and its golden may
 *	lazy			its symbols are resolved as it runs, not before it begins: `run` steps the
 *				dynamic loader's resolution there
 *
 * More than one word may be there; `exact` only alone.
 */
#include <fnmatch.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "corpus.h"

enum word {
	EXACT,
	STARTUP,
	PREFIX,
	FLAGGED,
	TABLE_FAULT,
	MAYBE_TABLE_FAULT,
	MISSING,
	ABSENT,
	UNPROVEN,
	DIAGNOSTIC,
	LAZY,
	WORD_COUNT
};

/* Those that end in a colon have an argument. */
static const char *const word_name[WORD_COUNT] = {
	[EXACT] = "exact",
	[STARTUP] = "startup",
	[PREFIX] = "prefix",
	[FLAGGED] = "flagged:",
	[TABLE_FAULT] = "table_fault:",
	[MAYBE_TABLE_FAULT] = "table_fault?:",
	[MISSING] = "missing:",
	[ABSENT] = "absent",
	[UNPROVEN] = "unproven",
	[DIAGNOSTIC] = "diagnostic:",
	[LAZY] = "lazy",
};

#define ARGUMENT_MAX 128

struct expectation {
	enum word word; /* WORD_COUNT: not known */
	char argument[ARGUMENT_MAX];
};

/* Cuts the next word off *at. False: there is none. */
static bool next_word(const char **at, struct expectation *ret)
{
	*at += strspn(*at, " ");
	size_t size = strcspn(*at, " ");
	if (!size)
		return false;
	ret->word = WORD_COUNT;
	for (unsigned int word = 0; word < WORD_COUNT; word++) {
		size_t name_size = strlen(word_name[word]);
		bool takes_argument = word_name[word][name_size - 1] == ':';
		if (size < name_size || strncmp(*at, word_name[word], name_size) ||
		    (size > name_size) != takes_argument || size - name_size >= ARGUMENT_MAX)
			continue;
		ret->word = word;
		snprintf(ret->argument, sizeof(ret->argument), "%.*s", (int)(size - name_size),
			 *at + name_size);
	}
	*at += size;
	return true;
}

bool expectation_valid(const char *expected)
{
	struct expectation expectation;
	bool exact = false;
	size_t words = 0;

	for (; next_word(&expected, &expectation); words++) {
		if (expectation.word == WORD_COUNT)
			return false;
		exact |= expectation.word == EXACT;
	}
	return words && (!exact || words == 1);
}

/* The first word of this kind for which the argument is what is asked for (NULL: anything). */
static bool has(const char *expected, enum word word, const char *argument)
{
	struct expectation expectation;

	while (expected && next_word(&expected, &expectation))
		if (expectation.word == word &&
		    (!argument || !fnmatch(expectation.argument, argument, 0)))
			return true;
	return false;
}

bool expectation_has_flag(const char *expected)
{
	return has(expected, FLAGGED, NULL);
}

bool expectation_has_prefix(const char *expected)
{
	return has(expected, PREFIX, NULL);
}

bool expectation_has_unproven(const char *expected)
{
	return has(expected, UNPROVEN, NULL);
}

bool expectation_is_lazy(const char *expected)
{
	return has(expected, LAZY, NULL);
}

bool expectation_has_diagnostic(const char *expected, const char *code)
{
	return has(expected, DIAGNOSTIC, code);
}

bool expectation_has_fault(const char *expected, const char *function, bool malformed)
{
	if (malformed)
		return expectation_has_flag(expected);
	return has(expected, TABLE_FAULT, function) || has(expected, MAYBE_TABLE_FAULT, function);
}

bool expectation_has_missing(const char *expected, const char *file)
{
	return has(expected, MISSING, file);
}

/* ---- findings ---------------------------------------------------------------------------- */

static bool is_fault(const struct finding_record *finding, const char *kind)
{
	return !strcmp(finding->verdict, "table_fault") && !strcmp(finding->kind, kind);
}

/* Linked into every program from the C library's and the compiler's start-up objects, without
 * CFI. That it is, the finding says by where the code lies (start_file.c): a function's name
 * would prove nothing. So are stretches of libraries that have no name in them; a separate debug file may. */
static bool is_startup(const struct finding_record *finding)
{
	if (!is_fault(finding, "missing"))
		return false;
	if (!strcmp(finding->start_file, "crti.o") || !strcmp(finding->start_file, "crtbegin.o"))
		return true;
	return (!strncmp(finding->function, "gap@", 4) || finding->named_by_debug) &&
	       strstr(finding->image, ".so");
}

static bool matches(const struct expectation *expectation, const struct finding_record *finding)
{
	bool malformed = is_fault(finding, "malformed");
	bool flagged = !strcmp(finding->verdict, "conversion_loss") &&
		       !strcmp(finding->kind, "flagged");

	switch (expectation->word) {
	case STARTUP: return is_startup(finding);
	case FLAGGED:
		return (malformed || flagged) && !strcmp(finding->stop, expectation->argument);
	case TABLE_FAULT:
	case MAYBE_TABLE_FAULT:
		return !strcmp(finding->verdict, "table_fault") && !malformed &&
		       !fnmatch(expectation->argument, finding->function, 0);
	case MISSING:
		return is_fault(finding, "missing") &&
		       !fnmatch(expectation->argument, basename(finding->image), 0);
	default: return false;
	}
}

/* startup: whether that word counts. */
static bool is_expected(const char *expected, const struct finding_record *finding, bool startup)
{
	struct expectation expectation;

	while (next_word(&expected, &expectation))
		if ((startup || expectation.word != STARTUP) && matches(&expectation, finding))
			return true;
	return false;
}

bool expectation_has_finding(const char *expected, const struct finding_record *finding)
{
	return is_expected(expected, finding, true);
}

/* The word is there, and nothing that was found is what it says. */
static bool is_unseen(const struct expectation *expectation, const struct cell *cell)
{
	struct finding_record finding;

	if (expectation->word != FLAGGED && expectation->word != TABLE_FAULT &&
	    expectation->word != ABSENT)
		return false;
	for (size_t at = 0; cell_finding(cell, &at, &finding);)
		if (matches(expectation, &finding))
			return false;
	return expectation->word != ABSENT ||
	       !json_number(cell_object(cell, "verdicts", NULL), "absent");
}

int expectation_check(const char *expected, const struct cell *cell, char *ret, size_t size)
{
	struct expectation expectation;
	struct finding_record finding;

	if (!expected)
		return 0;
	for (size_t at = 0; cell_finding(cell, &at, &finding);) {
		if (finding.ignored || expectation_has_finding(expected, &finding))
			continue;
		snprintf(ret, size, "%s (%s) in %s was not expected: %s", finding.verdict,
			 finding.kind, finding.function, finding.declared);
		return -1;
	}
	for (const char *at = expected; next_word(&at, &expectation);) {
		if (is_unseen(&expectation, cell)) {
			snprintf(ret, size, "%s%s was expected and did not appear",
				 word_name[expectation.word], expectation.argument);
			return -1;
		}
	}
	return 0;
}

uint64_t expectation_points(const char *expected, const struct cell *cell)
{
	struct finding_record finding;
	uint64_t points = 0;

	for (size_t at = 0; cell_finding(cell, &at, &finding);)
		if (!strcmp(finding.verdict, "table_fault") &&
		    (finding.ignored || (expected && is_expected(expected, &finding, false))))
			points += finding.count;
	return points;
}
