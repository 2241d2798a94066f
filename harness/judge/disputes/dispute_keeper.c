/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * dispute_keeper.c - which points of a run become cases
 *
 * One that is asked for by its number, or the first of each kind of finding: verdict, kind and
 * function; and where the verdict is exact, which engine had what else than the truth.
 *
 * A finding is provisional until the truth of its point has proven itself, which is known later
 * (doubt.h). So points wait, a few of each kind, until one of them is proven; the others are dropped.
 * What was proven of none is left out of a bundle, and that is said. Who asked for a point gets it,
 * with what became of its truth.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include "array.h"
#include "base/cli/json_counts.h"
#include "disputes.h"
#include "base/cli/exit_status.h"
#include "plain_text.h"
#include "judge/verdict/verdict.h"

/* A kind of finding. */
struct kind {
	const struct engine *engine; /* NULL: the verdict's */
	enum match match;
	size_t finding; /* index; of a verdict */
	bool settled;	/* one of its points is proven */
	size_t waiting; /* points */
};

/* What became of a point's truth. */
enum truth {
	TRUTH_OPEN, /* nothing was said of it: by the CFI's reading it has not come to be so */
	TRUTH_PROVEN,
	TRUTH_UNPROVEN,
	TRUTH_REFUTED, /* what the CFI says is so */
};

struct candidate {
	struct dispute *dispute;
	size_t kind; /* SIZE_MAX: asked for by number */
	bool final;  /* its verdict needs no truth: only another truth can take it back */
	enum truth truth;
};

struct said {
	const struct engine *engine;
	struct stack stack;
};

struct dispute_keeper {
	struct dispute_wish wish;
	struct decoder *decoder;
	const char *program;
	uint64_t point; /* the one at hand */
	struct stack truth;
	struct said said[ENGINES_MAX];
	size_t said_count;
	struct findings findings;
	struct kind *kind;
	size_t kind_count;
	uint64_t unkept; /* kinds beyond DISPUTES_MAX, by points */
	struct candidate *candidate;
	size_t candidate_count;
	unsigned int written; /* cases of the bundle */
	struct error failure; /* met in a callback that can't end the run */
	bool failed;
};

/* It is there afterwards, or errno says why not. */
static int ensure_folder(const char *path)
{
	struct stat status;

	if (!mkdir(path, 0777))
		return 0;
	if (errno != EEXIST || stat(path, &status))
		return -1;
	errno = ENOTDIR;
	return S_ISDIR(status.st_mode) ? 0 : -1;
}

int dispute_keeper_create(const struct dispute_wish *wish, struct dispute_keeper **ret,
			  struct error *error)
{
	struct dispute_keeper *keeper = calloc(1, sizeof(*keeper));

	if (!keeper)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for cases");
	keeper->wish = *wish;
	keeper->decoder = decoder_create(error);
	if (keeper->decoder && wish->folder && ensure_folder(wish->folder)) {
		error_set_errno(error, "%s", wish->folder);
		dispute_keeper_destroy(keeper);
		return -1;
	}
	if (!keeper->decoder) {
		free(keeper);
		return -1;
	}
	*ret = keeper;
	return 0;
}

static void forget(struct dispute_keeper *keeper)
{
	for (size_t i = 0; i < keeper->candidate_count; i++)
		dispute_destroy(keeper->candidate[i].dispute);
	keeper->candidate_count = keeper->kind_count = 0;
	keeper->unkept = 0;
	findings_deinit(&keeper->findings);
}

void dispute_keeper_destroy(struct dispute_keeper *keeper)
{
	if (!keeper)
		return;
	forget(keeper);
	free(keeper->candidate);
	free(keeper->kind);
	for (size_t i = 0; i < ENGINES_MAX; i++)
		stack_deinit(&keeper->said[i].stack);
	stack_deinit(&keeper->truth);
	decoder_destroy(keeper->decoder);
	free(keeper);
}

/* ---- what is told ----------------------------------------------------------------------- */

void dispute_keeper_begin(struct dispute_keeper *keeper, const char *program)
{
	forget(keeper);
	keeper->program = program;
	keeper->point = 0;
	keeper->failed = false;
}

void dispute_keeper_mappings(struct dispute_keeper *keeper)
{
	decoder_flush(keeper->decoder);
}

static void note_failure(struct dispute_keeper *keeper, const struct error *error)
{
	if (!keeper->failed)
		keeper->failure = *error;
	keeper->failed = true;
}

/* The point at hand may become a case by what its engines say. */
static bool is_of_interest(const struct dispute_keeper *keeper)
{
	return keeper->wish.folder || keeper->point == keeper->wish.at;
}

void dispute_keeper_evidence(struct dispute_keeper *keeper, const struct evidence *evidence)
{
	struct error error;

	keeper->point++;
	keeper->said_count = 0;
	if (is_of_interest(keeper) && stack_copy(&keeper->truth, evidence->truth, &error))
		note_failure(keeper, &error);
}

void dispute_keeper_stack(struct dispute_keeper *keeper, const struct engine *engine,
			  const struct stack *stack)
{
	struct said *said = &keeper->said[keeper->said_count];
	struct error error;

	if (!is_of_interest(keeper) || keeper->said_count == ENGINES_MAX)
		return;
	if (stack_copy(&said->stack, stack, &error)) {
		note_failure(keeper, &error);
		return;
	}
	said->engine = engine;
	keeper->said_count++;
}

/* ---- what is kept ----------------------------------------------------------------------- */

static void describe(struct dispute_keeper *keeper, struct dispute *dispute,
		     const struct finding *finding, const struct judgement *judgement)
{
	json_t *command = json_array();
	struct utsname kernel;

	uname(&kernel);
	for (char *const *word = keeper->wish.command; *word; word++)
		json_array_append_new(command, json_bytes(*word));
	JSON_SET(dispute->about, "program", keeper->program, "command", command, "kernel_release",
		 kernel.release, "stackproof", STACKPROOF_VERSION, "verdict",
		 verdict_name(judgement->verdict), "kind", fault_kind_name(judgement->kind));
	if (!finding)
		return;
	JSON_SET(dispute->about, "frame", judgement->frame, "address", json_hex(finding->vaddr),
		 "pc", json_hex(judgement->pc), "place", finding->place, "function",
		 finding->function, "image", finding->image, "instruction", finding->instruction,
		 "declared", finding->declared);
}

/* Where nobody is at fault, the place is where the thread is. */
static const struct judgement *place_of(const struct point *point,
					const struct judgement *judgement, struct judgement *own)
{
	if (judgement->verdict != VERDICT_EXACT && judgement->pc)
		return judgement;
	*own = *judgement;
	own->pc = point->regs->value[REGISTER_RIP];
	own->frame = 0;
	return own;
}

/* Stacks of ours differ among each other, or no FDE covers the PC: that is so whatever the truth is. */
static bool needs_no_truth(const struct judgement *judgement)
{
	switch (judgement->verdict) {
	case VERDICT_WALK_FAULT:
	case VERDICT_CONVERSION_LOSS_SILENT:
	case VERDICT_CONVERSION_LOSS_FLAGGED:
	case VERDICT_READER_FAULT: return true;
	case VERDICT_TABLE_FAULT: return judgement->kind == FAULT_MISSING;
	default: return false;
	}
}

static int keep(struct dispute_keeper *keeper, const struct point *point,
		const struct judgement *judgement, size_t kind, struct error *error)
{
	struct dispute_said said[ENGINES_MAX];
	struct judgement own;
	const struct judgement *at = place_of(point, judgement, &own);
	struct findings place = { 0 };
	struct dispute *dispute;

	for (size_t i = 0; i < keeper->said_count; i++)
		said[i] = (struct dispute_said) { keeper->said[i].engine, &keeper->said[i].stack };
	if (!ARRAY_GROW(keeper->candidate, keeper->candidate_count))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for cases");
	dispute = dispute_collect(point, &keeper->truth, said, keeper->said_count,
				  keeper->wish.follows, error);
	if (!dispute)
		return -1;
	dispute->point = keeper->point;
	describe(keeper, dispute, findings_place(&place, at, true, point, keeper->decoder), at);
	findings_deinit(&place);
	if (kind != SIZE_MAX && keeper->kind[kind].engine) {
		JSON_SET(dispute->about, "engine", keeper->kind[kind].engine->name, "match",
			 match_name(keeper->kind[kind].match));
	}
	keeper->candidate[keeper->candidate_count++] =
		(struct candidate) { dispute, kind, needs_no_truth(judgement), TRUTH_OPEN };
	return 0;
}

/* The kind's number; SIZE_MAX: there are too many. */
static size_t find_kind(struct dispute_keeper *keeper, const struct kind *wanted)
{
	for (size_t i = 0; i < keeper->kind_count; i++) {
		const struct kind *kind = &keeper->kind[i];

		if (kind->engine == wanted->engine &&
		    (kind->engine ? kind->match == wanted->match
				  : kind->finding == wanted->finding))
			return i;
	}
	if (keeper->kind_count == DISPUTES_MAX || !ARRAY_GROW(keeper->kind, keeper->kind_count)) {
		keeper->unkept++;
		return SIZE_MAX;
	}
	keeper->kind[keeper->kind_count] = *wanted;
	return keeper->kind_count++;
}

static int keep_kind(struct dispute_keeper *keeper, const struct point *point,
		     const struct judgement *judgement, const struct kind *wanted,
		     struct error *error)
{
	size_t number = find_kind(keeper, wanted);
	struct kind *kind;

	if (number == SIZE_MAX)
		return 0;
	kind = &keeper->kind[number];
	if (kind->settled || kind->waiting == DISPUTE_CANDIDATES_MAX)
		return 0;
	kind->waiting++;
	return keep(keeper, point, judgement, number, error);
}

/* Engines that had another stack though nobody else is at fault. */
static int keep_engines(struct dispute_keeper *keeper, const struct point *point,
			const struct judgement *judgement, struct error *error)
{
	for (size_t i = 0; i < keeper->said_count; i++) {
		struct kind kind = { .engine = keeper->said[i].engine };
		uint32_t frames;

		kind.match = match_stack(&keeper->said[i].stack, &keeper->truth,
					 point->stop->shadow->rooted, &frames);
		if (kind.match != MATCH_EXACT && keep_kind(keeper, point, judgement, &kind, error))
			return -1;
	}
	return 0;
}

static int keep_verdict(struct dispute_keeper *keeper, const struct point *point,
			const struct judgement *judgement, struct error *error)
{
	const struct finding *finding = findings_place(&keeper->findings, judgement, true, point,
						       keeper->decoder);
	struct kind kind = { 0 };

	if (!finding) {
		keeper->unkept++;
		return 0;
	}
	kind.finding = (size_t)(finding - keeper->findings.finding);
	return keep_kind(keeper, point, judgement, &kind, error);
}

int dispute_keeper_point(struct dispute_keeper *keeper, const struct point *point,
			 const struct judgement *judgement, struct error *error)
{
	if (keeper->failed) {
		*error = keeper->failure;
		return -1;
	}
	if (keeper->wish.file && keeper->point == keeper->wish.at &&
	    keep(keeper, point, judgement, SIZE_MAX, error))
		return -1;
	if (!keeper->wish.folder || judgement->verdict == VERDICT_UNPROVEN ||
	    judgement->verdict == VERDICT_ABSENT)
		return 0;
	return judgement->verdict == VERDICT_EXACT ? keep_engines(keeper, point, judgement, error)
						   : keep_verdict(keeper, point, judgement, error);
}

void dispute_keeper_settle(struct dispute_keeper *keeper, uint64_t point, bool is_claim,
			   bool proven)
{
	enum truth truth = !proven ? TRUTH_UNPROVEN : is_claim ? TRUTH_REFUTED : TRUTH_PROVEN;

	/* That the claim is not proven says nothing of the truth. */
	if (is_claim && !proven)
		return;
	for (size_t i = 0; i < keeper->candidate_count; i++) {
		struct candidate *candidate = &keeper->candidate[i];

		if (candidate->dispute->point != point)
			continue;
		candidate->truth = truth;
		if (candidate->kind == SIZE_MAX)
			continue;
		if (truth == TRUTH_PROVEN)
			keeper->kind[candidate->kind].settled = true;
		else
			keeper->kind[candidate->kind].waiting--; /* another may have its place */
	}
}

/* ---- what is written -------------------------------------------------------------------- */

static const char *truth_name(enum truth truth)
{
	static const char *const name[] = { [TRUTH_OPEN] = "open",
					    [TRUTH_PROVEN] = "proven",
					    [TRUTH_UNPROVEN] = "unproven",
					    [TRUTH_REFUTED] = "refuted" };

	return name[truth];
}

static int write_asked_for(struct dispute_keeper *keeper, struct candidate *candidate, FILE *said,
			   struct error *error)
{
	JSON_SET(candidate->dispute->about, "truth", truth_name(candidate->truth));
	if (dispute_write_verified(candidate->dispute, keeper->wish.file, keeper->wish.engines,
				   said, error))
		return -1;
	fprintf(said, "%s: point %llu is kept\n", PLAIN_TEXT(keeper->wish.file),
		(unsigned long long)candidate->dispute->point);
	return 0;
}

/* "DIR/01-table_fault-missing", which is made. NULL: error is set. */
static char *make_folder(struct dispute_keeper *keeper, const struct dispute *dispute,
			 struct error *error)
{
	const char *engine = dispute_text(dispute, "engine");
	char *path = NULL;

	if (asprintf(&path, "%s/%02u-%s-%s", keeper->wish.folder, ++keeper->written,
		     *engine ? engine : dispute_text(dispute, "verdict"),
		     *engine ? dispute_text(dispute, "match") : dispute_text(dispute, "kind")) <
	    0) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for a path");
		return NULL;
	}
	if (!mkdir(path, 0777) || errno == EEXIST)
		return path;
	error_set_errno(error, "%s", path);
	free(path);
	return NULL;
}

static int write_bundled(struct dispute_keeper *keeper, struct candidate *candidate, FILE *said,
			 struct error *error)
{
	FREED char *folder = NULL, *path = NULL;
	int status = -1;

	JSON_SET(candidate->dispute->about, "truth", truth_name(candidate->truth));
	folder = make_folder(keeper, candidate->dispute, error);
	if (!folder)
		return -1;
	if (asprintf(&path, "%s/case", folder) < 0) {
		path = NULL;
		error_set(error, ERROR_MEMORY, "", 0, "no memory for a path");
	}
	if (path &&
	    !dispute_write_verified(candidate->dispute, path, keeper->wish.engines, said, error) &&
	    !dispute_report(candidate->dispute, folder, error)) {
		fprintf(said, "%s: point %llu, %s\n", PLAIN_TEXT(folder),
			(unsigned long long)candidate->dispute->point,
			PLAIN_TEXT(dispute_text(candidate->dispute, "place")));
		status = 0;
	}
	return status;
}

/* The kind's first point that is proven; or if there is none, the first that needs no truth. */
static struct candidate *first_proven(struct dispute_keeper *keeper, size_t kind)
{
	struct candidate *found = NULL;

	for (size_t i = 0; i < keeper->candidate_count; i++) {
		struct candidate *candidate = &keeper->candidate[i];

		if (candidate->kind != kind)
			continue;
		if (candidate->truth == TRUTH_PROVEN)
			return candidate;
		if (!found && candidate->final && candidate->truth != TRUTH_REFUTED)
			found = candidate;
	}
	return found;
}

static int write_bundle(struct dispute_keeper *keeper, FILE *said, struct error *error)
{
	unsigned int unproven = 0;

	for (size_t kind = 0; kind < keeper->kind_count; kind++) {
		struct candidate *candidate = first_proven(keeper, kind);

		unproven += !candidate;
		if (candidate && write_bundled(keeper, candidate, said, error))
			return -1;
	}
	if (unproven)
		fprintf(said,
			"%s: %u kinds of findings are left out, the truth of no point is proven\n",
			PLAIN_TEXT(keeper->wish.folder), unproven);
	if (keeper->unkept)
		fprintf(said, "%s: of more than %u kinds nothing is kept, %llu points\n",
			PLAIN_TEXT(keeper->wish.folder), DISPUTES_MAX,
			(unsigned long long)keeper->unkept);
	return 0;
}

int dispute_keeper_end(struct dispute_keeper *keeper, FILE *said, struct error *error)
{
	bool wanted = keeper->wish.file;

	for (size_t i = 0; i < keeper->candidate_count; i++)
		if (keeper->candidate[i].kind == SIZE_MAX) {
			wanted = false;
			if (write_asked_for(keeper, &keeper->candidate[i], said, error))
				return -1;
		}
	/* That a point is not there is no reason to keep nothing of the others. */
	if (keeper->wish.folder && write_bundle(keeper, said, error))
		return -1;
	if (wanted)
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "there is no point %llu that could be judged",
				 (unsigned long long)keeper->wish.at);
	return 0;
}
