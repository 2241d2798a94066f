/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plant_check.c - `plant --check`: the corpus, planted and compared
 *
 * Workers (processes, because each needs a CPU and a BPF session of its own) take programs from a
 * shared list and count what became of each planting in shared memory. At the end there is a table
 * of kinds, and the line that scripts/check adds up.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cli/json_counts.h"
#include "base/cases/cases.h"
#include "base/child/child.h"
#include "base/cli/own_folder.h"
#include "plant.h"
#include "corpus/manifest/corpus.h"
#include "base/cli/exit_status.h"
#include "plain_text.h"
#include "array.h"

/* ---- the order of programs -------------------------------------------------------------- */

struct turn {
	struct corpus_binary binary;
	size_t variant; /* of its program, from 0 */
	size_t place;
};

ARRAY_ORDER_TWO(compare_turns, struct turn, variant, place)

/* First one variant of each program, then another of each, chosen by the seed. */
static int order_programs(struct manifest *manifest, uint64_t seed, struct error *error)
{
	FREED struct turn *turn = calloc(manifest->count + 1, sizeof(*turn));
	struct random_data data = { 0 };
	char state[64];

	if (!turn)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for the corpus");
	initstate_r(seed, state, sizeof(state), &data);
	for (size_t i = 0; i < manifest->count; i++) {
		int32_t random;

		random_r(&data, &random);
		turn[i] = turn[random % (i + 1)];
		turn[random % (i + 1)] = (struct turn) { .binary = manifest->binary[i] };
	}
	for (size_t i = 0; i < manifest->count; i++) {
		turn[i].place = i;
		for (size_t j = 0; j < i; j++)
			turn[i].variant += !strcmp(turn[i].binary.program, turn[j].binary.program);
	}
	qsort(turn, manifest->count, sizeof(*turn), compare_turns);
	for (size_t i = 0; i < manifest->count; i++)
		manifest->binary[i] = turn[i].binary;
	return 0;
}

/* ---- workers ---------------------------------------------------------------------------- */

/* Tracer and program share a CPU: each worker has its own. */
static void pin_worker(unsigned int number)
{
	cpu_set_t allowed, one;
	unsigned int seen = 0, count;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	count = CPU_COUNT(&allowed);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed) || seen++ != number % count)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

static int run_worker(const struct plant_check_options *options, const struct manifest *manifest,
		      struct plant_tally *tally)
{
	size_t index;
	int status = 0;

	while (__atomic_load_n(&tally->taken, __ATOMIC_RELAXED) < options->programs &&
	       (index = __atomic_fetch_add(&tally->next, 1, __ATOMIC_RELAXED)) < manifest->count) {
		const struct corpus_binary *binary = &manifest->binary[index];
		struct error error;
		char *folder;
		int result;

		if (binary->skip || binary->missing) {
			__atomic_add_fetch(&tally->skipped, 1, __ATOMIC_RELAXED);
			continue;
		}
		folder = own_folder_create("plant", &error);
		result = folder ? plant_check_program(options, binary, folder, tally, &error) : -1;
		own_folder_remove(folder);
		if (result) {
			printf("FAIL %s: %s\n", PLAIN_TEXT(binary->name), error.message);
			fflush(stdout);
			__atomic_add_fetch(&tally->failed, 1, __ATOMIC_RELAXED);
			status = 1;
		}
	}
	return status;
}

static int run_workers(const struct plant_check_options *options, const struct manifest *manifest,
		       struct plant_tally *tally)
{
	pid_t child[64];
	unsigned int jobs = options->jobs < 1		     ? 1
			    : options->jobs > PLANT_JOBS_MAX ? PLANT_JOBS_MAX
							     : options->jobs;
	int failures = 0;

	fflush(stdout);
	for (unsigned int i = 0; i < jobs; i++) {
		child[i] = child_fork();
		if (child[i] == 0) {
			pin_worker(i);
			_exit(run_worker(options, manifest, tally));
		}
	}
	for (unsigned int i = 0; i < jobs; i++) {
		int status = child[i] > 0 ? child_end(child[i], false) : -1;

		if (child[i] < 0 || !WIFEXITED(status)) {
			printf("FAIL worker %u: %s %d\n", i, child[i] < 0 ? "fork:" : "signal",
			       child[i] < 0 ? errno : WTERMSIG(status));
			failures++;
		}
	}
	return failures;
}

/* ---- the result ------------------------------------------------------------------------- */

/* At most so many of the noticed faults may stay unproven. In the corpus one in 20 does: which
 * programs give a kind its 20 plantings depends on who is ready first, and a function that ends the
 * program (a PLT entry of exit(), too) never shows by its return what its row says of its caller. */
#define UNPROVEN_ONE_IN 10

static struct plant_count total(const struct plant_tally *tally)
{
	struct plant_count sum = { .caught = 0 };

	for (size_t i = 0; plant_kind_at(i); i++) {
		sum.caught += tally->kind[i].caught;
		sum.missed += tally->kind[i].missed;
		sum.misblamed += tally->kind[i].misblamed;
		sum.broken += tally->kind[i].broken;
		sum.unproven += tally->kind[i].unproven;
		sum.no_effect += tally->kind[i].no_effect;
	}
	return sum;
}

static uint64_t planted(const struct plant_count *count)
{
	return count->caught + count->missed + count->misblamed + count->broken;
}

static void print_row(const char *name, const struct plant_count *count)
{
	printf("%-20s %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %9" PRIu64 " %8" PRIu64 " %8" PRIu64
	       " %10" PRIu64 "\n",
	       name, planted(count), count->caught, count->missed, count->misblamed, count->broken,
	       count->unproven, count->no_effect);
}

static void print_table(const struct plant_tally *tally)
{
	struct plant_count sum = total(tally);

	printf("%-20s %8s %8s %8s %9s %8s %8s %10s\n", "kind", "planted", "caught", "missed",
	       "misblamed", "broken", "unproven", "no effect");
	for (size_t i = 0; plant_kind_at(i); i++)
		print_row(plant_kind_at(i)->name, &tally->kind[i]);
	print_row("all", &sum);
	printf("%" PRIu64 " programs, %" PRIu64 " points compared, %" PRIu64
	       " of them became table faults of what was planted\n",
	       tally->programs, tally->points, tally->faults);
	printf("left out: %" PRIu64 " programs that run too long, %" PRIu64
	       " with threads, %" PRIu64 " that fail or are too shallow, %" PRIu64
	       " without .eh_frame, %" PRIu64 " whose FDEs overlap, %" PRIu64
	       " whose own CFI is wrong, %" PRIu64 " whose truth is in doubt\n",
	       tally->left_out_long, tally->left_out_threads, tally->left_out_status,
	       tally->left_out_no_cfi, tally->left_out_overlap, tally->left_out_faulty,
	       tally->left_out_doubt);
	if (tally->without_bpf)
		printf("engine bpf can't run here: engines cfi and table in %" PRIu64 " programs\n",
		       tally->without_bpf);
}

static void print_json(const struct plant_tally *tally, const struct gate *gate)
{
	struct plant_count sum = total(tally);
	json_t *kinds = json_object(), *object;

	for (size_t i = 0; plant_kind_at(i); i++)
		JSON_SET(kinds, plant_kind_at(i)->name,
			 JSON_NEW("planted", planted(&tally->kind[i]), "caught",
				  tally->kind[i].caught, "no_effect", tally->kind[i].no_effect));
	object = JSON_NEW("type", "plant_check", "planted", planted(&sum), "caught", sum.caught,
			  "missed", sum.missed, "misblamed", sum.misblamed, "broken", sum.broken,
			  "unproven", sum.unproven, "programs", tally->programs, "points",
			  tally->points, "bpf", json_boolean(!tally->without_bpf), "kinds", kinds);
	gate_json(gate, object);
	json_line(stdout, object);
}

/* A kind of fault is a case: all that were planted are caught. Workers are processes of their own,
 * so single plantings are not to be had here. */
static void add_cases(struct cases *cases, const struct plant_tally *tally)
{
	for (size_t i = 0; plant_kind_at(i); i++) {
		const struct plant_count *count = &tally->kind[i];
		uint64_t all = planted(count);
		char message[160];

		snprintf(message, sizeof(message),
			 "%" PRIu64 " of %" PRIu64 " caught, %" PRIu64 " missed, %" PRIu64
			 " misblamed, %" PRIu64 " broken, %" PRIu64 " unproven",
			 count->caught, all, count->missed, count->misblamed, count->broken,
			 count->unproven);
		cases_add(cases, "plant", plant_kind_at(i)->name,
			  !all			? CASE_SKIPPED
			  : count->caught < all ? CASE_FAILED
						: CASE_PASSED,
			  all ? message : "nothing of this kind was planted");
	}
}

static int finish(const struct plant_check_options *options, const struct plant_tally *tally,
		  int crashed)
{
	struct plant_count sum = total(tally);
	struct gate gate = options->gate;
	uint64_t failed = planted(&sum) - sum.caught + tally->failed + crashed;

	if (sum.unproven * UNPROVEN_ONE_IN > sum.caught) {
		printf("FAIL %" PRIu64 " plantings stayed unproven, %" PRIu64 " were caught\n",
		       sum.unproven, sum.caught);
		failed++;
	}
	if (planted(&sum) < options->least) {
		printf("FAIL only %" PRIu64 " plantings, at least %" PRIu64 " were to be made\n",
		       planted(&sum), options->least);
		failed++;
	}
	if (options->cases)
		add_cases(options->cases, tally);
	gate.checked = planted(&sum);
	gate.findings = failed;
	gate_leave(&gate, GATE_SKIPPED, tally->skipped);
	gate_leave(&gate, GATE_ENGINES, tally->without_bpf);
	if (options->json) {
		print_json(tally, &gate);
	} else {
		print_table(tally);
		if (!gate_is_clean(&gate))
			gate_print(&gate, stdout);
		printf("%" PRIu64 " passed, %" PRIu64 " failed, %" PRIu64 " skipped\n", sum.caught,
		       failed, tally->skipped);
	}
	return gate_status(&gate);
}

int plant_check(const struct plant_check_options *options)
{
	struct plant_tally *tally;
	struct manifest manifest DEINIT(manifest_deinit) = { 0 };
	struct error error;
	int crashed, status;

	if (manifest_read(&manifest, options->corpus, &error)) {
		error_print(stderr, "stackproof plant", &error);
		return EXIT_BAD_INPUT;
	}
	if (options->glob)
		manifest_filter(&manifest, options->glob);
	if (order_programs(&manifest, options->seed, &error)) {
		error_print(stderr, "stackproof plant", &error);
		return EXIT_ENVIRONMENT;
	}
	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (tally == MAP_FAILED)
		return EXIT_ENVIRONMENT;
	crashed = run_workers(options, &manifest, tally);
	status = finish(options, tally, crashed);
	munmap(tally, sizeof(*tally));
	return status;
}
