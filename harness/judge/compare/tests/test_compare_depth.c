/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_depth.c - no limit on depth loses a run, and none is a finding
 *
 * testprogs/bench/depth.c and depth_calls.S are stepped to a depth at the limit of the walk in BPF,
 * around it and far beyond. The truth has every frame. So have the engines without a limit, at each
 * point; those with one of their own have as many as it allows, are scored truncated for the others,
 * and their stop is depth. Whoever ends there is innocent: all verdicts are exact. Points are few: each
 * costs what its frames cost. As many frames as any stack can have, and more, are points of this
 * program that are made up, in bounded memory: nobody steps a million calls for them. Paths hold at the
 * project's root, where tests are run. Where there is no BPF the engines in the kernel say SKIP, and
 * the others are tested alone.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "tests/suite.h"
#include "judge/compare/comparer.h"
#include "judge/compare/tests/compared_program.h"

#define ALL                                                                                        \
	IN_BRACES(&engine_cfi, &engine_table, &engine_bpf, &engine_fp, &engine_libdw,              \
		  &engine_libunwind)
#define C                                                                                          \
	"-O2 -ffreestanding -fno-stack-protector -fasynchronous-unwind-tables -DSTAY=100 "         \
	"-Itestprogs/c testprogs/bench/depth.c "
#define CALLS "testprogs/bench/depth_calls.S "

#define MEMORY_MAX_KB (1u << 20)  /* that a run may take in all: docs/PERFORMANCE.md says why */
#define STACK_MIN     (16u << 20) /* bytes, of the program */

static const struct depth_case {
	const char *name;
	const char *source;   /* with flags */
	const char *argument; /* of the program; or NULL */
	uint32_t frames;      /* of the deepest point */
	uint64_t every;
	const struct engine *engine[COMPARE_ENGINES_MAX];
	bool frame_pointers;
} cases[] = {
	{ "one_less_than_bpf_has", .source = C "-fomit-frame-pointer", .argument = "1023",
	  .frames = 1023, .every = 199, .engine = ALL },
	{ "as_many_as_bpf_has", .source = C "-fomit-frame-pointer", .argument = "1024",
	  .frames = 1024, .every = 199, .engine = ALL },
	{ "one_more_than_bpf_has", .source = C "-fomit-frame-pointer", .argument = "1025",
	  .frames = 1025, .every = 199, .engine = ALL },
	{ "one_more_with_frame_pointers", .source = C "-fno-omit-frame-pointer", .argument = "1025",
	  .frames = 1025, .every = 199, .engine = ALL, .frame_pointers = true },
	/* And many stops between two points: none may be lost for those that nobody asked for. */
	{ "3000_frames", .source = C "-fno-omit-frame-pointer", .argument = "3000", .frames = 2700,
	  .every = 2003, .engine = ALL, .frame_pointers = true },
	{ "20000_frames", .source = CALLS "-DDEPTH=20000", .frames = 20000, .every = 6667,
	  .engine = ALL },
};

/* What the truth is said to be. */
struct watch {
	uint64_t points, beyond_bpf;
	uint32_t deepest;
	uint64_t wrongly_cut; /* truths that are cut though they fit, or the other way round */
};

static void on_evidence(void *context, const struct evidence *evidence)
{
	struct watch *watch = context;
	uint32_t frames = evidence->truth->count, stop = evidence->truth->stop;
	bool cut = evidence->point->stop->shadow->count >= STACK_FRAMES_MAX;

	watch->points++;
	watch->beyond_bpf += evidence->bpf && frames > WALK_FRAMES_MAX;
	watch->wrongly_cut += stop != (cut ? STOP_DEPTH : STOP_COMPLETE);
	if (frames > watch->deepest)
		watch->deepest = frames;
}

/* As many frames as kernel.perf_event_max_stack allows; 0: not known. */
static uint32_t helper_limit(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_max_stack", "re");
	uint32_t limit = 0;

	if (file && fscanf(file, "%u", &limit) != 1)
		limit = 0;
	if (file)
		fclose(file);
	return limit;
}

static void check_engine(const struct depth_case *c, const struct compare_engine *engine,
			 const struct watch *watch)
{
	const struct engine_score *score = &engine->score;
	const char *name = engine->engine->name;
	uint64_t exact = score->match[MATCH_EXACT], truncated = score->match[MATCH_TRUNCATED];

	if (engine->skipped) {
		printf("SKIP: %s: %s\n", name, engine->skip.message);
		return;
	}
	ck_assert_msg(score->silent == 0, "%s: %s: silent at %lu", c->name, name, score->silent);
	if (engine->engine == &engine_fp) {
		/* Where it does not lose a frame, it is cut at its limit. */
		if (helper_limit() && helper_limit() < 1000 && c->frame_pointers)
			ck_assert_msg(score->stop[STOP_DEPTH] > score->points / 2 && truncated,
				      "%s: fp: %lu times depth", c->name, score->stop[STOP_DEPTH]);
		ck_assert_uint_eq(score->stop[STOP_DEPTH] + score->stop[STOP_HELPER],
				  score->points);
		return;
	}
	ck_assert_msg(score->match[MATCH_WRONG] == 0 && score->match[MATCH_EXTRA] == 0,
		      "%s: %s: %lu wrong", c->name, name, score->match[MATCH_WRONG]);
	if (engine->engine == &engine_bpf) {
		ck_assert_uint_eq(exact, score->points - watch->beyond_bpf);
		ck_assert_uint_eq(truncated, watch->beyond_bpf);
		ck_assert_uint_eq(score->stop[STOP_DEPTH], watch->beyond_bpf);
		ck_assert_uint_eq(score->false_complete, 0);
		return;
	}
	ck_assert_msg(exact == watch->points, "%s: %s: %lu of %lu exact", c->name, name, exact,
		      watch->points);
}

static void run(const struct depth_case *c, struct watch *watch)
{
	struct compare_options options = { .on_evidence = on_evidence, .context = watch };
	const struct tracer_options tracer = { .argv = (char *[]) { program, (char *)c->argument,
								    NULL },
					       .every = c->every,
					       .timeout_ms = 900000 };
	struct comparer *comparer;
	struct comparison comparison;
	struct error error;

	while (c->engine[options.engine_count]) {
		options.engine[options.engine_count] = c->engine[options.engine_count];
		options.engine_count++;
	}
	ck_assert_msg(!comparer_create(&options, &comparer, &error), "%s", error.message);
	ck_assert_msg(!comparer_run(comparer, &tracer, &comparison, &error), "%s: %s", c->name,
		      error.message);
	ck_assert_int_eq(comparison.status, 0);
	ck_assert_uint_eq(comparison.points, watch->points);
	ck_assert_uint_eq(comparison.verdict[VERDICT_EXACT], comparison.points);
	ck_assert_uint_eq(comparison.findings.count, 0);
	for (size_t i = 0; i < comparison.engine_count; i++)
		check_engine(c, &comparison.engine[i], watch);
	comparison_deinit(&comparison);
	comparer_destroy(comparer);
}

START_TEST(at_any_depth)
{
	const struct depth_case *c = &cases[_i];
	struct watch watch = { 0 };
	struct rlimit stack;

	if (shell("gcc-12 -static -nostdlib -Wl,--eh-frame-hdr -o %s %s 2>/dev/null", program,
		  c->source)) {
		printf("SKIP: no gcc-12, or testprogs/bench is not here\n");
		return;
	}
	ck_assert(!getrlimit(RLIMIT_STACK, &stack));
	if (stack.rlim_cur < STACK_MIN) {
		stack.rlim_cur = STACK_MIN;
		ck_assert(!setrlimit(RLIMIT_STACK, &stack)); /* the program's, too */
	}
	run(c, &watch);
	ck_assert_uint_eq(watch.wrongly_cut, 0);
	ck_assert_msg(watch.deepest >= c->frames, "%s: %u frames", c->name, watch.deepest);
}
END_TEST

/* ---- as many as any stack can have ---------------------------------------------------------- */

/* Each frame is its return address, 8 bytes; the outermost one has no caller. */
__asm__(".text\n"
	"depth_frame: .cfi_startproc; call depth_frame\n"
	"depth_frame_after: nop; .cfi_endproc\n"
	"depth_outermost: .cfi_startproc; .cfi_undefined rip; call depth_frame\n"
	"depth_outermost_after: nop; .cfi_endproc\n");

extern const char depth_frame_after[], depth_outermost_after[];

/* From the deepest on it returns; one stack is made, and each has what is left of it. */
static const uint32_t many[] = { STACK_FRAMES_MAX + 9, STACK_FRAMES_MAX + 1, STACK_FRAMES_MAX,
				 STACK_FRAMES_MAX - 1, 2 };

/* The thread is this one, its stack the words; the innermost frame's is the first of as many as there are frames
 * with a caller. */
static void ask_for(struct comparer *comparer, const uint64_t *words, struct shadow_stack *shadow)
{
	struct trace_stop stop = { .pid = getpid(), .tid = getpid(), .shadow = shadow };
	struct error error;

	stop.regs.known = UINT32_MAX;
	stop.regs.value[REGISTER_RIP] = (uint64_t)depth_frame_after;
	stop.regs.value[REGISTER_RSP] = (uint64_t)words;
	ck_assert_msg(!compare_point(comparer, &stop, &error), "%s", error.message);
}

START_TEST(beyond_what_any_stack_can_have)
{
	struct watch watch = { 0 };
	const struct compare_options options = { .engine = { &engine_cfi, &engine_table },
						 .engine_count = 2,
						 .on_evidence = on_evidence,
						 .context = &watch };
	struct comparison comparison = { .engine_count = 2 };
	struct shadow_stack shadow;
	uint64_t *words = calloc(STACK_FRAMES_MAX + 16, sizeof(*words));
	struct comparer *comparer;
	struct rusage usage;
	struct error error;

	ck_assert_ptr_nonnull(words);
	ck_assert_msg(!comparer_create(&options, &comparer, &error), "%s", error.message);
	comparer->result = &comparison;
	for (int i = 0; i < 2; i++)
		comparison.engine[i] = comparer->engine[i];
	compare_observe(comparer);
	ck_assert_int_eq(compare_mappings(comparer, getpid()), 0);
	shadow_stack_init(&shadow, true);
	for (uint32_t i = many[0] - 1; i--;) {
		words[i] = (uint64_t)(i == many[0] - 2 ? depth_outermost_after : depth_frame_after);
		ck_assert(shadow_stack_call(&shadow, (uint64_t)&words[i], words[i], NULL));
	}
	for (int i = 0; i < COUNT(many); i++) {
		watch.deepest = 0;
		shadow.count = many[i] - 1;
		ask_for(comparer, words + (many[0] - many[i]), &shadow);
		ck_assert_uint_eq(watch.deepest,
				  many[i] < STACK_FRAMES_MAX ? many[i] : STACK_FRAMES_MAX);
		ck_assert_uint_eq(watch.wrongly_cut, 0);
	}
	compare_observe_end(comparer);
	ck_assert_uint_eq(comparison.verdict[VERDICT_EXACT], COUNT(many));
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(comparison.engine[i].score.match[MATCH_EXACT], COUNT(many));
		ck_assert_uint_eq(comparison.engine[i].score.stop[STOP_DEPTH], 2);
	}
	ck_assert_uint_eq(comparison.findings.count, 0);
	ck_assert(!getrusage(RUSAGE_SELF, &usage));
	ck_assert_msg(usage.ru_maxrss < MEMORY_MAX_KB, "%ld KiB", usage.ru_maxrss);
	comparison_deinit(&comparison);
	comparer_destroy(comparer);
	shadow_stack_deinit(&shadow);
	free(words);
}
END_TEST

SUITE(compare_depth, TIMEOUT(900), FIXTURE(program_begin, folder_remove), LOOP(at_any_depth, cases),
      TEST(beyond_what_any_stack_can_have))
