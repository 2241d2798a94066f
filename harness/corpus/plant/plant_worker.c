/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plant_worker.c - one program of the corpus: its runs, held against each other
 *
 * The program runs once as it is, and what `compare` said at each point is kept. Then it runs once
 * for each planting. No instruction differs, so point n is the same point in every run: either its
 * judgement is the same as before, or it must be a table fault whose PC lies in what was planted.
 * Anything else is a misattribution. And where the truth says that a planted row leads astray
 * (plant_effect.c), the judgement must have changed.
 *
 * A run is repeated with each copy under a path of the same length, because the path is on the
 * program's stack. Left out and counted are programs with threads, those longer than points_max,
 * and those whose CFI is wrong without any planting: two faults at one point would be told as one.
 * And those whose stack is disturbed (longjmp, exceptions): what can't be proven there is not said.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "array.h"
#include "judge/compare/compare.h"
#include "plant.h"
#include "corpus/manifest/corpus.h"
#include "plain_text.h"
#include "base/cli/json_counts.h"

#define RUN_TIMEOUT_MS 60000
#define TRIES_MAX      16 /* plantings of one kind in one program that may have no effect */
#define LAGGING_MAX    6  /* plantings of a kind in one program if few have it, else 1 */

/* What was said at one point. */
struct said {
	uint64_t pc;
	uint64_t blamed;
	uint32_t frame;
	uint8_t verdict, kind;
};

struct run_log {
	struct said *said;
	size_t count;
	bool failed;
};

/* One planting's run. */
struct outcome {
	uint64_t faults;   /* points that became a table fault in what was planted */
	uint64_t silent;   /* points at which a row led astray and nothing was said */
	uint64_t effect;   /* points at which a row led astray */
	uint64_t unproven; /* points that became unproven at once */
	uint64_t other;	   /* points that became anything else */
	bool differs;	   /* another run: its points are not the first one's */
	struct said first_other;
	uint64_t first_silent;
};

struct worker {
	const struct plant_check_options *options;
	const struct corpus_binary *binary;
	const char *folder;
	struct plant_tally *tally;
	struct comparer *comparer;
	struct plant_image image;
	char path[512]; /* of the copy at hand */
	unsigned int copies;
	struct run_log clean;
	struct findings clean_findings;
	bool *executed; /* by index of FDE: some frame was looked up in it */
	/* Of the run at hand. */
	const struct planting *planting; /* NULL: the clean run */
	size_t at;
	struct outcome outcome;
};

/* ---- one point -------------------------------------------------------------------------- */

static bool said_equal(const struct said *a, const struct said *b)
{
	return a->pc == b->pc && a->verdict == b->verdict && a->kind == b->kind &&
	       a->frame == b->frame && a->blamed == b->blamed;
}

static void note_clean(struct worker *worker, const struct point *point, const struct said *said)
{
	const struct shadow_stack *shadow = point->stop->shadow;
	struct run_log *log = &worker->clean;
	uint64_t vaddr;

	if (!ARRAY_ADD(log->said, log->count, *said)) {
		log->failed = true;
		return;
	}
	for (size_t i = 0; i <= shadow->count; i++) {
		uint64_t pc = i ? shadow->frame[i - 1].return_address - 1 : said->pc;
		const struct cfi_fde *fde = NULL;

		if (plant_image_address(point, worker->path, pc, &vaddr))
			fde = cfi_fde_find(worker->image.cfi, vaddr);
		if (fde)
			worker->executed[fde - worker->image.cfi->fde] = true;
	}
}

static bool points_at_planted(const struct worker *worker, const struct point *point,
			      const struct said *said, enum verdict verdict)
{
	uint64_t vaddr;

	return said->verdict == verdict &&
	       plant_image_address(point, worker->path, said->blamed, &vaddr) &&
	       planting_range(worker->planting, vaddr);
}

static void note_planted(struct worker *worker, const struct point *point, const struct said *said)
{
	struct outcome *outcome = &worker->outcome;
	bool effect = plant_has_effect(worker->planting, point, worker->path);
	const struct said *before;

	outcome->effect += effect;
	if (worker->at >= worker->clean.count) {
		outcome->differs = true;
		return;
	}
	before = &worker->clean.said[worker->at++];
	if (before->pc != said->pc)
		outcome->differs = true;
	if (said_equal(before, said)) {
		/* A fault that was there before, and is named, hides the planted one. */
		if (effect && !points_at_planted(worker, point, said, VERDICT_TABLE_FAULT) &&
		    !outcome->silent++)
			outcome->first_silent = said->pc;
		return;
	}
	if (points_at_planted(worker, point, said, VERDICT_TABLE_FAULT)) {
		outcome->faults++;
		return;
	}
	/* Where nothing is led astray, exact is right whatever was said before; and an
	 * expression that is right here by chance may be one that no compact rule holds: the
	 * walk says so. */
	if (!effect && (said->verdict == VERDICT_EXACT ||
			points_at_planted(worker, point, said, VERDICT_CONVERSION_LOSS_FLAGGED)))
		return;
	if (said->verdict == VERDICT_UNPROVEN) { /* noticed, and nobody blamed */
		outcome->unproven++;
		return;
	}
	if (!outcome->other++)
		outcome->first_other = *said;
}

static void on_judgement(void *context, const struct point *point,
			 const struct judgement *judgement)
{
	struct worker *worker = context;
	struct said said = {
		.pc = point->stop->regs.value[REGISTER_RIP],
		.blamed = judgement->pc,
		.frame = judgement->frame,
		.verdict = judgement->verdict,
		.kind = judgement->kind,
	};

	if (worker->planting)
		note_planted(worker, point, &said);
	else
		note_clean(worker, point, &said);
}

/* ---- one run ---------------------------------------------------------------------------- */

static int run_copy(struct worker *worker, const uint8_t *file, size_t size, struct comparison *ret,
		    struct error *error)
{
	struct planting copy = { .file = (uint8_t *)file, .size = size };
	char *argv[] = { worker->path, NULL };
	struct tracer_options tracer = {
		.argv = argv,
		.from = "_start",
		.timeout_ms = RUN_TIMEOUT_MS,
		.silence_output = true,
		.point_limit = worker->options->points_max + 1,
	};

	snprintf(worker->path, sizeof(worker->path), "%s/%06u", worker->folder, worker->copies++);
	if (planting_write(&copy, worker->path, error))
		return -1;
	worker->at = 0;
	worker->outcome = (struct outcome) { .faults = 0 };
	return comparer_run(worker->comparer, &tracer, ret, error);
}

/* How many points the clean run had in a finding of that function and kind. */
static uint64_t clean_count(const struct worker *worker, const struct finding *like)
{
	for (size_t i = 0; i < worker->clean_findings.count; i++) {
		const struct finding *finding = &worker->clean_findings.finding[i];

		if (finding->first.verdict == like->first.verdict &&
		    finding->first.kind == like->first.kind &&
		    !strcmp(finding->function, like->function))
			return finding->count;
	}
	return 0;
}

/* The name of a planted function: where there is no symbol, and now no FDE, that of the gap. */
static bool is_planted_name(const struct worker *worker, const char *function)
{
	const struct planting *planting = worker->planting;

	for (size_t i = 0; i < planting->range_count; i++) {
		const struct plant_range *range = &planting->range[i];
		char name[sizeof(range->function)];

		finding_name_function(worker->image.image, planting->cfi, range->pc, name,
				      sizeof(name));
		if (!strncmp(range->function, function, sizeof(name) - 1) ||
		    !strncmp(name, function, sizeof(name) - 1))
			return true;
	}
	return false;
}

/* What a person reads: a table fault of a planted function, with more points than it had before. */
static bool names_function(const struct worker *worker, const struct comparison *comparison)
{
	return ARRAY_FIRST(comparison->findings.finding, comparison->findings.count, finding,
			   finding->first.verdict == VERDICT_TABLE_FAULT &&
				   !strcmp(finding->image, worker->path) &&
				   is_planted_name(worker, finding->function) &&
				   finding->count > clean_count(worker, finding)) != NULL;
}

/* ---- one planting ----------------------------------------------------------------------- */

enum fate { FATE_CAUGHT, FATE_MISSED, FATE_MISBLAMED, FATE_BROKEN, FATE_UNPROVEN, FATE_NO_EFFECT };
static const char *const fate_names[] = { "caught", "missed",	"misblamed",
					  "broken", "unproven", "no_effect" };

static enum fate judge_outcome(const struct worker *worker, const struct comparison *comparison)
{
	const struct outcome *outcome = &worker->outcome;

	if (outcome->differs || worker->at != worker->clean.count)
		return FATE_BROKEN;
	if (outcome->other)
		return FATE_MISBLAMED;
	if (outcome->silent)
		return FATE_MISSED;
	if (!outcome->faults)
		return outcome->unproven ? FATE_UNPROVEN : FATE_NO_EFFECT;
	if (names_function(worker, comparison))
		return FATE_CAUGHT;
	return comparison->verdict[VERDICT_UNPROVEN] >= outcome->faults ? FATE_UNPROVEN
									: FATE_MISBLAMED;
}

static void print_fate(const struct worker *worker, enum fate fate)
{
	const struct planting *planting = worker->planting;
	const struct plant_range *range = &planting->range[0];
	const struct outcome *outcome = &worker->outcome;

	printf("FAIL %s: %s %s in %s row %zu, 0x%" PRIx64 "..0x%" PRIx64 ": was %s, is %s\n",
	       fate_names[fate], PLAIN_TEXT(worker->binary->name), planting->kind->name,
	       PLAIN_TEXT(planting->function), planting->row, range->pc, range->pc_end,
	       range->before, range->after);
	printf("\t%" PRIu64 " points led astray, %" PRIu64 " of them unnoticed (pc 0x%" PRIx64
	       "), %" PRIu64 " table faults, %" PRIu64 " otherwise",
	       outcome->effect, outcome->silent, outcome->first_silent, outcome->faults,
	       outcome->other);
	if (outcome->other)
		printf(": %s (%s) at pc 0x%" PRIx64 ", frame %" PRIu32 ", blamed 0x%" PRIx64,
		       verdict_name(outcome->first_other.verdict),
		       fault_kind_name(outcome->first_other.kind), outcome->first_other.pc,
		       outcome->first_other.frame, outcome->first_other.blamed);
	putchar('\n');
	fflush(stdout);
}

static void print_json(const struct worker *worker, enum fate fate)
{
	const struct planting *planting = worker->planting;
	const struct plant_range *range = &planting->range[0];
	char pc[32], pc_end[32];

	snprintf(pc, sizeof(pc), "0x%" PRIx64, range->pc);
	snprintf(pc_end, sizeof(pc_end), "0x%" PRIx64, range->pc_end);
	json_t *object = JSON_NEW(
		"type", "planted", "program", worker->binary->name, "kind", planting->kind->name,
		"function", planting->function, "row", planting->row, "pc", pc, "pc_end", pc_end,
		"declared", range->before, "planted", range->after, "fate", fate_names[fate],
		"points", worker->outcome.effect, "table_faults", worker->outcome.faults);

	json_line(stdout, object);
	fflush(stdout);
}

static void count_fate(struct worker *worker, enum fate fate)
{
	size_t index = 0;
	struct plant_count *count;

	while (plant_kind_at(index) != worker->planting->kind)
		index++;
	count = &worker->tally->kind[index];

	uint64_t *cell[] = { &count->caught, &count->missed,   &count->misblamed,
			     &count->broken, &count->unproven, &count->no_effect };

	__atomic_add_fetch(cell[fate], 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&worker->tally->faults, worker->outcome.faults, __ATOMIC_RELAXED);
	__atomic_add_fetch(&worker->tally->points, worker->clean.count, __ATOMIC_RELAXED);
	if (worker->options->json)
		print_json(worker, fate);
	else if (fate != FATE_CAUGHT && fate != FATE_NO_EFFECT && fate != FATE_UNPROVEN)
		print_fate(worker, fate);
}

/* 1: it was a planting, whatever became of it; 0: not here. */
static int plant_and_run(struct worker *worker, const struct plant_kind *kind,
			 const struct cfi_fde *fde, size_t row, uint64_t seed, struct error *error)
{
	struct comparison comparison;
	struct planting planting;
	enum fate fate;
	int status;

	if (planting_create(&worker->image, kind, fde, row, seed, &planting, error))
		return error->code == ERROR_UNAVAILABLE ? 0 : -1;
	worker->planting = &planting;
	status = run_copy(worker, planting.file, planting.size, &comparison, error);
	if (!status) {
		fate = judge_outcome(worker, &comparison);
		count_fate(worker, fate);
		status = fate != FATE_NO_EFFECT;
		comparison_deinit(&comparison);
	}
	worker->planting = NULL;
	planting_deinit(&planting);
	return status;
}

/* ---- one program ------------------------------------------------------------------------ */

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

/* A place: an FDE that the run looked up, and a row of its. */
struct place {
	const struct cfi_fde *fde;
	size_t row;
};

static size_t list_places(const struct worker *worker, const struct plant_kind *kind,
			  struct place *ret, size_t capacity)
{
	const struct cfi *cfi = worker->image.cfi;
	size_t count = 0;

	for (size_t i = 0; i < cfi->fde_count; i++) {
		size_t rows = worker->executed[i]
				      ? plant_row_count(&worker->image, kind, &cfi->fde[i])
				      : 0;

		for (size_t row = 0; row < rows && count < capacity; row++)
			ret[count++] = (struct place) { &cfi->fde[i], row };
	}
	return count;
}

/* How many of a kind this program should have: more of those that few programs have room for. */
static unsigned int share(const struct worker *worker, size_t kind)
{
	const struct plant_count *count = &worker->tally->kind[kind];
	uint64_t planted = count->caught + count->missed + count->misblamed + count->broken;
	uint64_t left = planted < worker->options->per_kind ? worker->options->per_kind - planted
							    : 0;
	unsigned int most = planted * 2 < worker->tally->programs ? LAGGING_MAX : 1;

	return left < most ? left : most;
}

static int plant_kind_everywhere(struct worker *worker, size_t index, uint64_t random,
				 struct error *error)
{
	const struct plant_kind *kind = plant_kind_at(index);
	struct place place[4096];
	size_t count = list_places(worker, kind, place, sizeof(place) / sizeof(place[0]));
	unsigned int planted = 0, most = share(worker, index);
	uint64_t tries = 0;

	for (size_t i = 0; kind->name[i]; i++)
		random = random * 31 + (unsigned char)kind->name[i];
	while (count && planted < most && tries < TRIES_MAX) {
		size_t chosen = next_random(&random) % count;
		unsigned int copies = worker->copies;
		int status = plant_and_run(worker, kind, place[chosen].fde, place[chosen].row,
					   next_random(&random), error);

		if (status < 0)
			return -1;
		planted += status;
		tries += worker->copies - copies;
		place[chosen] = place[--count];
	}
	return 0;
}

/* Is the program's own CFI wrong already? Code that has none is not: start-up code never has. */
static bool is_faulty(const struct worker *worker, const struct comparison *comparison)
{
	return ARRAY_FIRST(comparison->findings.finding, comparison->findings.count, finding,
			   finding->count && !strcmp(finding->image, worker->path) &&
				   finding->first.kind != FAULT_MISSING &&
				   finding->first.verdict != VERDICT_CONVERSION_LOSS_FLAGGED) !=
	       NULL;
}

/* The clean run. 1: the program is left out. */
static int run_clean(struct worker *worker, struct error *error)
{
	struct plant_tally *tally = worker->tally;
	struct comparison comparison;
	uint64_t *why = NULL;

	if (run_copy(worker, worker->image.file, worker->image.size, &comparison, error))
		return -1;
	if (comparison.points > worker->options->points_max)
		why = &tally->left_out_long;
	else if (comparison.truth.threads > 1 || comparison.truth.execs)
		why = &tally->left_out_threads;
	else if (!WIFEXITED(comparison.status) || WEXITSTATUS(comparison.status) ||
		 comparison_is_thin(&comparison))
		why = &tally->left_out_status;
	else if (worker->image.cfi->overlapping || cfi_has_empty_fde(worker->image.cfi))
		why = &tally->left_out_overlap;
	else if (comparison.verdict[VERDICT_UNPROVEN] || comparison.truth.rules.disturbances)
		why = &tally->left_out_doubt;
	else if (is_faulty(worker, &comparison))
		why = &tally->left_out_faulty;
	for (size_t i = 0; !why && i < comparison.engine_count; i++)
		if (comparison.engine[i].skipped)
			__atomic_add_fetch(&tally->without_bpf, 1, __ATOMIC_RELAXED);
	worker->clean_findings = comparison.findings; /* what else there is to free */
	if (worker->clean.failed)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a run's verdicts");
	if (why)
		__atomic_add_fetch(why, 1, __ATOMIC_RELAXED);
	return why != NULL;
}

static int open_worker(struct worker *worker, struct error *error)
{
	struct compare_options compare = {
		.engine = { &engine_cfi, &engine_table, &engine_bpf },
		.engine_count = worker->options->bpf ? 3 : 2,
		.registers = true,
		.on_judgement = on_judgement,
		.context = worker,
	};

	if (plant_image_open(&worker->image, worker->binary->path, error)) {
		if (error->code != ERROR_NO_CFI)
			return -1;
		__atomic_add_fetch(&worker->tally->left_out_no_cfi, 1, __ATOMIC_RELAXED);
		return 1;
	}
	worker->executed = calloc(worker->image.cfi->fde_count + 1, sizeof(bool));
	if (!worker->executed)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a program");
	for (size_t i = 0; i < worker->binary->file_count; i++) {
		const char *file = worker->binary->file[i], *name = strrchr(file, '/');
		char link[512];

		snprintf(link, sizeof(link), "%s/%s", worker->folder, name ? name + 1 : file);
		if (symlink(file, link))
			return error_set_errno(error, "linking %s", link);
	}
	return comparer_create(&compare, &worker->comparer, error);
}

int plant_check_program(const struct plant_check_options *options,
			const struct corpus_binary *binary, const char *folder,
			struct plant_tally *tally, struct error *error)
{
	FREED struct worker *worker = calloc(1, sizeof(*worker));
	uint64_t random = options->seed;
	int status;

	if (!worker)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a program");
	*worker = (struct worker) {
		.options = options, .binary = binary, .folder = folder, .tally = tally
	};
	for (const char *c = binary->name; *c; c++)
		random = random * 31 + (unsigned char)*c;
	status = open_worker(worker, error);
	if (!status)
		status = run_clean(worker, error);
	__atomic_add_fetch(&tally->taken, 1, __ATOMIC_RELAXED);
	if (!status)
		__atomic_add_fetch(&tally->programs, 1, __ATOMIC_RELAXED);
	for (size_t i = 0; !status && plant_kind_at(i); i++)
		status = plant_kind_everywhere(worker, i, random, error);
	comparer_destroy(worker->comparer);
	plant_image_close(&worker->image);
	free(worker->executed);
	findings_deinit(&worker->clean_findings);
	free(worker->clean.said);
	return status < 0 ? -1 : 0;
}
