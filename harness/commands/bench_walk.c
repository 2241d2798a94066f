/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_walk.c - what a walk in the kernel costs, against the kernel's frame-pointer helper
 *
 * The walk samples a program built without frame pointers, bpf_get_stack the same program built
 * with them; each stands 100 functions deep (testprogs/bench/deep.c) and spins. The kernel's own
 * accounting (BPF_STATS_RUN_TIME) gives nanoseconds per run of the program, which includes looking
 * the process up, reading registers and sending the record. The sides alternate. A round whose
 * stacks are not all as deep as the program is no measurement but an error: a walk that stops early
 * is cheap.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "bench.h"
#include "session.h"

#define SAMPLE_HZ   4999
#define ROUND_MS    400
#define SETTLE_MS   50 /* of CPU time: by then the program spins, and has loaded all it loads */
#define SETTLE_MAX  10000
#define DEPTH	    100
#define MIN_SAMPLES 50
#define CONSUME_MS  20

struct side {
	bool frame_pointer;
	pid_t pid;
	struct bpf_session *session;
	struct image_store *store;
	struct address_space space;
	double ns[BENCH_RUNS_MAX];     /* per walk */
	double frames[BENCH_RUNS_MAX]; /* per walk */
};

static void sleep_ms(unsigned int ms)
{
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000l };

	while (nanosleep(&time, &time) && errno == EINTR)
		;
}

/* Time on the clock says little: on a busy machine the program may not have run at all. */
static int settle(pid_t pid, struct error *error)
{
	struct timespec used;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock))
		return error_set(error, ERROR_PROTOCOL, "", 0, "the walked program ended");
	for (unsigned int ms = 0; ms < SETTLE_MAX; ms += 10) {
		sleep_ms(10);
		if (clock_gettime(clock, &used))
			return error_set(error, ERROR_PROTOCOL, "", 0, "the walked program ended");
		if (used.tv_sec || used.tv_nsec >= SETTLE_MS * 1000000l)
			return 0;
	}
	return error_set(error, ERROR_TIMEOUT, "", 0, "the walked program got no CPU in %d s",
			 SETTLE_MAX / 1000);
}

static int start(struct side *side, const char *programs, const char *name, struct error *error)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s.%s", programs, name,
		 side->frame_pointer ? "fp" : "nofp");
	if (access(path, X_OK))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%s is not built", path);
	side->pid = fork();
	if (side->pid < 0)
		return error_set_errno(error, "fork");
	if (!side->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(path, path, (char *)NULL);
		_exit(127);
	}
	if (settle(side->pid, error))
		return -1;
	kill(side->pid, SIGSTOP);
	return 0;
}

static int prepare(struct side *side, const char *programs, const char *name, struct error *error)
{
	struct bpf_session_options options = { .only_frame_pointer = side->frame_pointer };

	if (bpf_session_open(&options, &side->session, error))
		return -1;
	if (start(side, programs, name, error))
		return -1;
	side->store = image_store_create();
	if (!side->store)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for images");
	if (address_space_read(&side->space, side->store, side->pid, error) ||
	    bpf_session_set_process(side->session, &side->space, error))
		return -1;
	return bpf_session_attach_samples(side->session, side->pid, -1, SAMPLE_HZ, error);
}

static void drop(void *context, const struct walk_record *record, bool frame_pointer)
{
}

static int totals(const struct side *side, uint64_t *ns, uint64_t *runs,
		  struct walk_counters *counters, struct error *error)
{
	if (bpf_session_run_time(side->session, side->frame_pointer, ns, runs, error))
		return -1;
	return bpf_session_counters(side->session, side->frame_pointer, counters, error);
}

static int measure(struct side *side, unsigned int round, struct error *error)
{
	struct walk_counters before, after;
	uint64_t ns_before, runs_before, ns, runs, stacks;

	if (totals(side, &ns_before, &runs_before, &before, error))
		return -1;
	kill(side->pid, SIGCONT);
	for (unsigned int ms = 0; ms < ROUND_MS; ms += CONSUME_MS) {
		sleep_ms(CONSUME_MS);
		if (bpf_session_consume(side->session, drop, NULL, error))
			return -1;
	}
	kill(side->pid, SIGSTOP);
	sleep_ms(5);
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
	if (side->frames[round] < DEPTH)
		return error_set(error, ERROR_PROTOCOL, "", 0,
				 "%s stacks are %.1f frames deep, of at least %d",
				 side->frame_pointer ? "the helper's" : "the walk's",
				 side->frames[round], DEPTH);
	return 0;
}

static void finish(struct side *side)
{
	if (side->pid > 0) {
		kill(side->pid, SIGKILL);
		waitpid(side->pid, NULL, 0);
	}
	bpf_session_close(side->session);
	address_space_deinit(&side->space);
	image_store_destroy(side->store);
}

static int bench_walk(const struct bench_options *options, const char *name,
		      struct bench_figure *ret, struct error *error)
{
	struct side walk = { .frame_pointer = false }, helper = { .frame_pointer = true };
	int stats = -1, status = -1;

	if (prepare(&walk, options->programs, name, error) ||
	    prepare(&helper, options->programs, name, error))
		goto out;
	stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (stats < 0) {
		error_set(error, ERROR_UNAVAILABLE, "", 0, "BPF_ENABLE_STATS: %s", strerror(errno));
		goto out;
	}
	for (unsigned int round = 0; round < options->runs; round++)
		if (measure(&walk, round, error) || measure(&helper, round, error))
			goto out;
	ret->value = bench_median(walk.ns, options->runs) /
		     bench_median(walk.frames, options->runs);
	ret->unit = "ns/frame";
	ret->reference = "bpf_get_stack over frame pointers";
	ret->reference_value = bench_median(helper.ns, options->runs) /
			       bench_median(helper.frames, options->runs);
	ret->ratio = bench_median(walk.ns, options->runs) / bench_median(helper.ns, options->runs);
	snprintf(ret->note, sizeof(ret->note),
		 "a walk: %.0f ns for %.1f frames without frame pointers (%s), %.0f ns for %.1f "
		 "with",
		 bench_median(walk.ns, options->runs), bench_median(walk.frames, options->runs),
		 bpf_session_method_name(walk.session), bench_median(helper.ns, options->runs),
		 bench_median(helper.frames, options->runs));
	status = 0;
out:
	if (stats >= 0)
		close(stats);
	finish(&walk);
	finish(&helper);
	return status;
}

int bench_walk_one_image(const struct bench_options *options, struct bench_figure *ret,
			 struct error *error)
{
	return bench_walk(options, "one", ret, error);
}

int bench_walk_five_images(const struct bench_options *options, struct bench_figure *ret,
			   struct error *error)
{
	return bench_walk(options, "five", ret, error);
}
