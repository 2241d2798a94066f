/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_lookup.c - nanoseconds from a PC to its caller's, against libunwind and libdw
 *
 * What is timed is what every frame of a walk does: find the rule in force at a PC, compute the CFA
 * with it, read the return address. Stack and registers are made up; each side gets the same ones
 * and the same PCs, drawn at random from the addresses that libLLVM's FDEs cover, and must come to
 * the CFA that the canonical row says: a look-up that is wrong is no measurement. PCs whose CFA is
 * an expression, or whose return address is not at CFA-8, are left out (the PLT's).
 *
 *	warm	few PCs again and again: all that they need is in the CPU's caches
 *	cold	many PCs, a batch at a time, the caches swept before each batch
 *
 * Finding the mapping that holds a PC is not timed on any side. libunwind's own cache of rules is
 * large enough for all PCs in both: it never reads CFI while the clock runs.
 *
 * libunwind unwinds its own process, so libLLVM is loaded for it; all this happens in a child that
 * goes away with what libLLVM leaves behind, and hands the times back in shared memory.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/child/child.h"
#include "bench.h"
#include "clock.h"

#define POINTS	       4096u
#define WARM_POINTS    64u
#define WARM_ROUNDS    100u
#define COLD_BATCH     512u
#define COLD_BATCHES   4u /* per run */
#define STACK_BYTES    (8u << 20)
#define OFFSET_MAX     (1 << 20)
#define RETURN_ADDRESS 0x1111111111111111ull /* wherever the stack is read */
#define TIMEOUT_S      120

struct shared {
	double ours[BENCH_RUNS_MAX];
	double theirs[BENCH_RUNS_MAX];
	int status;
	struct error error;
	char note[300];
};

/* ---- our side --------------------------------------------------------------------------- */

static int ours_open(struct bench_lookup *lookup, const struct bench_points *points, bool cold,
		     struct error *error)
{
	return 0;
}

static uint64_t ours_run(struct bench_lookup *lookup, const struct bench_points *points,
			 unsigned int begin, unsigned int count)
{
	const struct table *table = points->table;
	uint64_t sum = 0;

	for (unsigned int i = begin; i < begin + count; i++) {
		const struct table_rule *rule = &table->rule[table_find(table, points->vaddr[i])];
		uint64_t cfa = points->reg[rule->cfa_register % REGISTER_GPR_COUNT] +
			       rule->cfa_offset;

		if (((const volatile uint64_t *)cfa)[-1] != RETURN_ADDRESS)
			return 0;
		sum += cfa;
	}
	return sum;
}

static void ours_close(struct bench_lookup *lookup)
{
}

static const struct bench_lookup ours_lookup = {
	.name = "the table",
	.open = ours_open,
	.run = ours_run,
	.close = ours_close,
};

/* ---- points ----------------------------------------------------------------------------- */

/* Can all sides do it with the made-up stack? */
static bool usable(const struct row *row)
{
	return row->cfa.kind == RULE_CFA_REGISTER && row->cfa.reg < REGISTER_GPR_COUNT &&
	       row->cfa.offset > -OFFSET_MAX && row->cfa.offset < OFFSET_MAX &&
	       row->reg[REGISTER_RIP].kind == RULE_OFFSET && row->reg[REGISTER_RIP].offset == -8;
}

static int draw_points(struct bench_drawer *drawer, struct bench_points *ret, struct error *error)
{
	for (unsigned int tries = 0; ret->count < POINTS; tries++) {
		uint64_t vaddr = bench_draw(drawer);
		struct row row;

		if (tries == 16 * POINTS)
			return error_set(error, ERROR_UNAVAILABLE, "", 0, "too few plain rows");
		if (cfi_row_find(drawer->cfi, vaddr, &row, error) != 1 || !usable(&row))
			continue;
		ret->vaddr[ret->count] = vaddr;
		ret->cfa[ret->count++] = ret->reg[row.cfa.reg] + row.cfa.offset;
	}
	return 0;
}

/* reg[]: each another address near the middle of a stack that is all return addresses. */
static int make_points(struct bench_points *ret, struct error *error)
{
	struct bench_drawer drawer;
	uint64_t *stack;
	int status = -1;

	stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED)
		return error_set_errno(error, "mmap");
	memset(stack, RETURN_ADDRESS & 0xff, STACK_BYTES);
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
		ret->reg[i] = (uint64_t)stack + STACK_BYTES / 2 + i * 4096;
	ret->vaddr = calloc(POINTS, sizeof(*ret->vaddr));
	ret->cfa = calloc(POINTS, sizeof(*ret->cfa));
	if (!ret->vaddr || !ret->cfa)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	if (!bench_drawer_init(&drawer, ret->image, error))
		status = draw_points(&drawer, ret, error);
	bench_drawer_deinit(&drawer);
	return status;
}

/* ---- measuring -------------------------------------------------------------------------- */

/* Every point, held against its row; then each side has met every PC, and what it caches is
 * full. */
static int check(struct bench_lookup *lookup, const struct bench_points *points,
		 struct error *error)
{
	for (unsigned int i = 0; i < points->count; i++) {
		uint64_t cfa = lookup->run(lookup, points, i, 1);

		if (cfa != points->cfa[i])
			return error_set(error, ERROR_PROTOCOL, "", 0,
					 "%s: CFA %#llx at %#llx, where the row says %#llx",
					 lookup->name, (unsigned long long)cfa,
					 (unsigned long long)points->vaddr[i],
					 (unsigned long long)points->cfa[i]);
	}
	return 0;
}

/* Nanoseconds a look-up: the median round, since in some other programs had the CPU. */
static double measure(struct bench_lookup *lookup, const struct bench_points *points,
		      const struct bench_sweep *sweep, unsigned int run)
{
	unsigned int rounds = sweep ? COLD_BATCHES : WARM_ROUNDS;
	unsigned int count = sweep ? COLD_BATCH : WARM_POINTS;
	double round[WARM_ROUNDS > COLD_BATCHES ? WARM_ROUNDS : COLD_BATCHES];
	volatile uint64_t sum = 0; /* so that nothing is left out */

	for (unsigned int i = 0; i < rounds; i++) {
		unsigned int begin = sweep ? (run * rounds + i) * count % points->count : 0;

		if (sweep)
			bench_sweep_caches(sweep);
		uint64_t before = monotonic_ns();
		sum += lookup->run(lookup, points, begin, count);
		uint64_t between = monotonic_ns();
		round[i] = (double)(between - before);
		if (!lookup->overhead)
			continue;
		sum += lookup->overhead(lookup, points, begin, count);
		round[i] -= (double)(monotonic_ns() - between);
	}
	return bench_median(round, rounds) / count;
}

static int measure_both(const struct bench_options *options, const char *path,
			struct bench_lookup *theirs, bool cold, struct shared *ret)
{
	struct bench_lookup ours = ours_lookup;
	struct bench_points points = { .path = path };
	struct bench_sweep sweep;
	struct table *table;

	/* What is made here ends with the process. */
	if (image_create(path, &points.image, &ret->error) ||
	    bench_build(points.image, &table, &ret->error) || make_points(&points, &ret->error) ||
	    (cold && bench_sweep_init(&sweep, &ret->error)) ||
	    theirs->open(theirs, &points, cold, &ret->error))
		return -1;
	points.table = table;
	if (!check(&ours, &points, &ret->error) && !check(theirs, &points, &ret->error)) {
		for (unsigned int i = 0; i < options->runs; i++) {
			ret->ours[i] = measure(&ours, &points, cold ? &sweep : NULL, i);
			ret->theirs[i] = measure(theirs, &points, cold ? &sweep : NULL, i);
		}
		memcpy(ret->note, theirs->note, sizeof(ret->note));
		ret->status = 0;
	}
	theirs->close(theirs);
	return ret->status;
}

static int measure_in_child(const struct bench_options *options, const char *path,
			    struct bench_lookup *theirs, bool cold, struct shared *ret,
			    struct error *error)
{
	int status;

	fflush(NULL);
	pid_t pid = child_fork();
	if (pid < 0)
		return error_set_errno(error, "fork");
	if (!pid) {
		alarm(TIMEOUT_S);
		_exit(measure_both(options, path, theirs, cold, ret) ? 1 : 0);
	}
	status = child_end(pid, false);
	if (WIFSIGNALED(status))
		return error_set(error, ERROR_PROTOCOL, "", 0, "looking up ended by signal %d",
				 WTERMSIG(status));
	if (ret->status)
		*error = ret->error;
	return ret->status;
}

static int bench(const struct bench_options *options, struct bench_lookup *theirs, bool cold,
		 struct bench_figure *ret, struct error *error)
{
	char path[4096];
	int status = -1;
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return error_set_errno(error, "mmap");
	shared->status = -1;
	if (bench_image_find(ret->subject, path, error) ||
	    measure_in_child(options, path, theirs, cold, shared, error))
		goto out;
	ret->value = bench_median(shared->ours, options->runs);
	ret->unit = "ns/PC";
	ret->reference = theirs->name;
	ret->reference_value = bench_median(shared->theirs, options->runs);
	ret->ratio = ret->reference_value / ret->value;
	snprintf(ret->note, sizeof(ret->note), "%u random PCs of %.300s%s; %s",
		 cold ? POINTS : WARM_POINTS, path, cold ? ", caches swept" : "", shared->note);
	status = 0;
out:
	munmap(shared, sizeof(*shared));
	return status;
}

int bench_lookup_warm(const struct bench_options *options, struct bench_figure *ret,
		      struct error *error)
{
	struct bench_lookup theirs;

	bench_lookup_libunwind(&theirs);
	return bench(options, &theirs, false, ret, error);
}

int bench_lookup_cold(const struct bench_options *options, struct bench_figure *ret,
		      struct error *error)
{
	struct bench_lookup theirs;

	bench_lookup_libunwind(&theirs);
	return bench(options, &theirs, true, ret, error);
}

int bench_lookup_warm_libdw(const struct bench_options *options, struct bench_figure *ret,
			    struct error *error)
{
	struct bench_lookup theirs;

	bench_lookup_libdw(&theirs);
	return bench(options, &theirs, false, ret, error);
}

int bench_lookup_cold_libdw(const struct bench_options *options, struct bench_figure *ret,
			    struct error *error)
{
	struct bench_lookup theirs;

	bench_lookup_libdw(&theirs);
	return bench(options, &theirs, true, ret, error);
}
