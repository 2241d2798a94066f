/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_walk.c - what a walk in the kernel costs, against the kernel's frame-pointer helper
 *
 * The walk samples a program built without frame pointers, bpf_get_stack the same program built
 * with them; each stands 10 to 1,000 frames deep (testprogs/bench/deep.c) and spins. The kernel's
 * own accounting (BPF_STATS_RUN_TIME) gives nanoseconds per run of the program, which includes
 * looking the process up, reading registers and sending the record. The sides alternate. A round
 * whose stacks are not all as deep as the program is no measurement but an error: a walk that stops
 * early is cheap.
 */
#include <assert.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/child/child.h"
#include "bench.h"
#include "session.h"

#define SAMPLE_HZ   4999
#define ROUND_MS    400
#define SETTLE_MS   50 /* of CPU time: by then the program spins, and has loaded all it loads */
#define SETTLE_MAX  10000
#define MIN_SAMPLES 50
#define CONSUME_MS  20

/* A program of testprogs/bench/deep.c, and how it is started. */
struct program {
	const char *name, *shape;
	unsigned int depth, mappings;
	bool no_memo; /* the walk looks every PC up, as if it had not met it before */
};

struct side {
	const struct program *program;
	bool frame_pointer;
	pid_t pid;
	struct bpf_session *session;
	struct image_store *store;
	struct address_space space;
	double ns[BENCH_RUNS_MAX];     /* per walk */
	double frames[BENCH_RUNS_MAX]; /* per walk */
	double lookups;		       /* per walk, in the last round */
};

void bench_sleep_ms(unsigned int ms)
{
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000l };

	while (nanosleep(&time, &time) && errno == EINTR)
		;
}

/* Time on the clock says little: on a busy machine the program may not have run at all. */
int bench_settle(pid_t pid, struct error *error)
{
	struct timespec used;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock))
		return error_set(error, ERROR_PROTOCOL, "", 0, "the walked program ended");
	for (unsigned int ms = 0; ms < SETTLE_MAX; ms += 10) {
		bench_sleep_ms(10);
		if (clock_gettime(clock, &used))
			return error_set(error, ERROR_PROTOCOL, "", 0, "the walked program ended");
		if (used.tv_sec || used.tv_nsec >= SETTLE_MS * 1000000l)
			return 0;
	}
	return error_set(error, ERROR_TIMEOUT, "", 0, "the walked program got no CPU in %d s",
			 SETTLE_MAX / 1000);
}

static int start(struct side *side, const char *programs, struct error *error)
{
	const struct program *program = side->program;
	char path[4200], depth[16], mappings[16];
	const char *argv[] = { path, program->shape, depth, mappings, NULL };

	snprintf(path, sizeof(path), "%s/%s.%s", programs, program->name,
		 side->frame_pointer ? "fp" : "nofp");
	snprintf(depth, sizeof(depth), "%u", program->depth);
	snprintf(mappings, sizeof(mappings), "%u", program->mappings);
	if (access(path, X_OK))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%s is not built", path);
	side->pid = child_start(&(struct child_command) { .argv = argv }, NULL, error);
	if (side->pid < 0)
		return -1;
	if (bench_settle(side->pid, error))
		return -1;
	kill(side->pid, SIGSTOP);
	return 0;
}

static int prepare(struct side *side, const char *programs, struct error *error)
{
	struct bpf_session_options options = { .entries = 1u << WALK_ENTRY_SAMPLE,
					       .no_memo = side->program->no_memo,
					       .only_frame_pointer = side->frame_pointer };

	if (bpf_session_open(&options, &side->session, error))
		return -1;
	if (start(side, programs, error))
		return -1;
	side->store = image_store_create();
	if (!side->store)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for images");
	if (address_space_read(&side->space, side->store, side->pid, error) ||
	    bpf_session_set_process(side->session, &side->space, error))
		return -1;
	if (side->space.mapping_count < side->program->mappings)
		return error_set(error, ERROR_PROTOCOL, "", 0, "the program has %zu mappings only",
				 side->space.mapping_count);
	return bpf_session_attach_samples(side->session, side->pid, -1, SAMPLE_HZ, error);
}

static void drop(void *context, const struct walk_record *record, bool frame_pointer)
{
}

static int totals(const struct side *side, uint64_t *ns, uint64_t *runs,
		  struct walk_counters *counters, struct error *error)
{
	if (bpf_session_run_time(side->session, WALK_ENTRY_SAMPLE, side->frame_pointer, ns, runs,
				 error))
		return -1;
	return bpf_session_counters(side->session, side->frame_pointer, counters, error);
}

/* How many frames bpf_get_stack gives at most (kernel.perf_event_max_stack). */
static unsigned int helper_depth(void)
{
	FILE_CLOSED FILE *file = fopen("/proc/sys/kernel/perf_event_max_stack", "re");
	unsigned int depth;

	return file && fscanf(file, "%u", &depth) == 1 ? depth : 127;
}

static int measure(struct side *side, unsigned int round, struct error *error)
{
	struct walk_counters before, after;
	uint64_t ns_before, runs_before, ns, runs, stacks;

	if (totals(side, &ns_before, &runs_before, &before, error))
		return -1;
	kill(side->pid, SIGCONT);
	for (unsigned int ms = 0; ms < ROUND_MS; ms += CONSUME_MS) {
		bench_sleep_ms(CONSUME_MS);
		if (bpf_session_consume(side->session, drop, NULL, error))
			return -1;
	}
	kill(side->pid, SIGSTOP);
	bench_sleep_ms(5);
	if (totals(side, &ns, &runs, &after, error))
		return -1;
	stacks = after.stacks - before.stacks;
	runs -= runs_before;
	if (stacks < MIN_SAMPLES || runs < MIN_SAMPLES)
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "only %llu samples in %d ms: the clock does not sample here",
				 (unsigned long long)stacks, ROUND_MS);
	side->ns[round] = (double)(ns - ns_before) / runs;
	side->frames[round] = (double)(after.frames - before.frames) / stacks;
	side->lookups = (double)(after.lookups - before.lookups) / stacks;
	unsigned int depth = side->program->depth;
	if (side->frame_pointer && depth > helper_depth())
		depth = helper_depth();
	if (side->frames[round] < depth)
		return error_set(error, ERROR_PROTOCOL, "", 0,
				 "%s stacks are %.1f frames deep, of at least %u",
				 side->frame_pointer ? "the helper's" : "the walk's",
				 side->frames[round], depth);
	return 0;
}

static void finish(struct side *side)
{
	if (side->pid > 0) {
		child_end(side->pid, true);
	}
	bpf_session_close(side->session);
	address_space_deinit(&side->space);
	image_store_destroy(side->store);
}

/* One program, sampled by both. */
struct pair {
	struct side walk, helper;
	double walk_ns, helper_ns, walk_frames, helper_frames; /* medians, of one walk */
};

static int prepare_pair(struct pair *pair, const struct program *program, const char *programs,
			struct error *error)
{
	pair->walk = (struct side) { .program = program };
	pair->helper = (struct side) { .program = program, .frame_pointer = true };
	return prepare(&pair->walk, programs, error) || prepare(&pair->helper, programs, error) ? -1
												: 0;
}

/* All pairs' sides in turn, runs times. */
static int measure_pairs(struct pair *pair, unsigned int count, unsigned int runs,
			 struct error *error)
{
	FD_CLOSED int stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	int status = 0;

	if (stats < 0)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "BPF_ENABLE_STATS: %s",
				 strerror(errno));
	for (unsigned int round = 0; round < runs && !status; round++)
		for (unsigned int i = 0; i < count && !status; i++)
			status = measure(&pair[i].walk, round, error) ||
				 measure(&pair[i].helper, round, error);
	if (status)
		return -1;
	for (unsigned int i = 0; i < count; i++) {
		pair[i].walk_ns = bench_median(pair[i].walk.ns, runs);
		pair[i].walk_frames = bench_median(pair[i].walk.frames, runs);
		pair[i].helper_ns = bench_median(pair[i].helper.ns, runs);
		pair[i].helper_frames = bench_median(pair[i].helper.frames, runs);
	}
	return 0;
}

static void finish_pair(struct pair *pair)
{
	finish(&pair->walk);
	finish(&pair->helper);
}

static const struct {
	const char *figure;
	struct program program;
} figures[] = {
	{ "walk_one_image", { "one", "chain", 100, 0, false } },
	{ "walk_five_images", { "five", "chain", 100, 200, false } },
	{ "walk_one_image_new", { "one", "chain", 100, 0, true } },
	{ "walk_five_images_new", { "five", "chain", 100, 200, true } },
	{ "walk_recursion", { "one", "recursion", 100, 0, false } },
	{ "walk_shallow", { "one", "chain", 10, 0, false } },
	{ "walk_deep", { "one", "chain", 1000, 0, false } },
};

static const struct program *find_program(const char *figure)
{
	size_t i = 0;

	while (strcmp(figures[i].figure, figure) != 0) {
		i++;
		assert(i < sizeof(figures) / sizeof(figures[0]));
	}
	return &figures[i].program;
}

int bench_walk(const struct bench_options *options, struct bench_figure *ret, struct error *error)
{
	const struct program *program = find_program(ret->name);
	struct pair pair = { 0 };
	int status = -1;

	if (prepare_pair(&pair, program, options->programs, error) ||
	    measure_pairs(&pair, 1, options->runs, error))
		goto out;
	ret->value = pair.walk_ns / pair.walk_frames;
	ret->unit = "ns/frame";
	ret->reference = "bpf_get_stack over frame pointers";
	ret->reference_value = pair.helper_ns / pair.helper_frames;
	ret->ratio = pair.walk_ns / pair.helper_ns;
	/* A walk that the helper cuts off is compared by its frames. */
	if (program->depth > helper_depth())
		ret->ratio = ret->value / ret->reference_value;
	snprintf(ret->note, sizeof(ret->note),
		 "a walk: %.0f ns for %.1f frames without frame pointers (%s; %.1f not in the "
		 "memo), %.0f ns for %.1f with; %zu mappings",
		 pair.walk_ns, pair.walk_frames, bpf_session_method_name(pair.walk.session),
		 pair.walk.lookups, pair.helper_ns, pair.helper_frames,
		 pair.walk.space.mapping_count);
	status = 0;
out:
	finish_pair(&pair);
	return status;
}

/* A line through two depths: what a walk costs before its first frame. */
int bench_walk_fixed(const struct bench_options *options, struct bench_figure *ret,
		     struct error *error)
{
	struct pair pair[2] = { 0 };
	int status = -1;

	if (prepare_pair(&pair[0], find_program("walk_shallow"), options->programs, error) ||
	    prepare_pair(&pair[1], find_program("walk_one_image"), options->programs, error) ||
	    measure_pairs(pair, 2, options->runs, error))
		goto out;
	double walk_frame = (pair[1].walk_ns - pair[0].walk_ns) /
			    (pair[1].walk_frames - pair[0].walk_frames);
	double helper_frame = (pair[1].helper_ns - pair[0].helper_ns) /
			      (pair[1].helper_frames - pair[0].helper_frames);
	ret->value = pair[0].walk_ns - pair[0].walk_frames * walk_frame;
	ret->unit = "ns/walk";
	ret->reference = "bpf_get_stack over frame pointers";
	ret->reference_value = pair[0].helper_ns - pair[0].helper_frames * helper_frame;
	ret->ratio = ret->value / ret->reference_value;
	snprintf(ret->note, sizeof(ret->note),
		 "then %.1f ns a frame without frame pointers, %.1f with: %.2f times (the line "
		 "through depths 10 and 100)",
		 walk_frame, helper_frame, walk_frame / helper_frame);
	status = 0;
out:
	finish_pair(&pair[0]);
	finish_pair(&pair[1]);
	return status;
}
