/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stepping_estimate.c - how long stepping a program will take, before it is done
 *
 * How many steps there are is counted by stepping the program without points, which is the quickest
 * way, for at most ESTIMATE_STEPPED_MS. If it does not end in that, its CPU time in an unstepped run says
 * roughly how many. What a step and a point cost depends on the machine and on the engines: a function of
 * ours is stepped twice, with a point at every step and at every STRIDE-th. Where the program's own steps were
 * cheaper, theirs count: they were more, and neither waited.
 */
#include <string.h>
#include <unistd.h>
#include <fcntl.h>
#include "clock.h"
#include "stepping/stepping.h"

#define ESTIMATE_STEPPED_MS 20000u
/* Of a process's CPU time that much goes into its start: the kernel's work, and code that is in no cache. */
#define START_SECONDS 5e-3
#define MINUTE_NS     60e9
#define STRIDE	      20u
#define POINTS_DENSE  1500u
#define POINTS_THIN   500u
#define POINTS_BEFORE 100u /* until all is mapped and cached */
#define DEPTH	      8	   /* of the function's frames, on top of ours */

static double larger(double a, double b)
{
	return a > b ? a : b;
}

void stepping_estimate_derive(struct stepping_estimate *estimate)
{
	double step = estimate->step_ns, point = estimate->point_ns;
	uint64_t every = estimate->every ? estimate->every : 1, steps = estimate->steps;
	double rest = MINUTE_NS - (double)steps * step;

	estimate->points = (steps + every - 1) / every;
	if (estimate->limit && estimate->points > estimate->limit) {
		estimate->points = estimate->limit;
		steps = estimate->limit * every;
	}
	estimate->seconds = ((double)steps * step + (double)estimate->points * point) / 1e9 +
			    larger(0, estimate->native.seconds - estimate->native.cpu_seconds);
	estimate->every_minute = 0;
	if (estimate->by != ESTIMATE_NONE && rest > 0)
		estimate->every_minute = 1 + (uint64_t)((double)estimate->steps * point / rest);
	estimate->limit_minute = 1 + (uint64_t)(MINUTE_NS / ((double)every * step + point + 1));
}

/* ---- costs ------------------------------------------------------------------------------ */

static int __attribute__((noipa)) deep(int depth)
{
	volatile int kept = depth;

	return depth ? deep(depth - 1) + kept : kept;
}

/* More instructions than are ever stepped: the limit of points ends it. */
static int workload(void *context)
{
	volatile int sum = 0;

	for (int i = 0; i < 1000000; i++)
		sum += deep(DEPTH);
	return sum & 1;
}

struct watch {
	uint64_t points, first_ns, last_ns;
};

static void on_judgement(void *context, const struct point *point,
			 const struct judgement *judgement)
{
	struct watch *watch = context;

	watch->last_ns = monotonic_ns();
	if (++watch->points == POINTS_BEFORE)
		watch->first_ns = watch->last_ns;
}

/* From one point to the next, in nanoseconds. */
static int measure(struct comparer *comparer, struct watch *watch, uint64_t every, uint64_t points,
		   double *ret, struct error *error)
{
	const struct tracer_options options = { .function = workload,
						.every = every,
						.point_limit = points + POINTS_BEFORE,
						.silence_output = true,
						.ended_by_signals = true };
	struct comparison comparison;

	*watch = (struct watch) { 0 };
	if (comparer_run(comparer, &options, &comparison, error))
		return -1;
	comparison_deinit(&comparison);
	if (watch->points <= POINTS_BEFORE)
		return error_set(error, ERROR_PROTOCOL, "", 0,
				 "what points cost can't be measured");
	*ret = (double)(watch->last_ns - watch->first_ns) / (double)(watch->points - POINTS_BEFORE);
	return 0;
}

static int measure_costs(const struct compare_options *engines, struct stepping_estimate *ret,
			 struct error *error)
{
	struct watch watch;
	struct compare_options options = { .engine_count = engines->engine_count,
					   .method = engines->method,
					   .follow_frame_pointers = engines->follow_frame_pointers,
					   .registers = engines->registers,
					   .on_judgement = on_judgement,
					   .context = &watch };
	struct comparer *comparer;
	double dense, thin;
	int status;

	memcpy(options.engine, engines->engine, sizeof(options.engine));
	if (comparer_create(&options, &comparer, error))
		return -1;
	status = measure(comparer, &watch, 1, POINTS_DENSE, &dense, error) ||
		 measure(comparer, &watch, STRIDE, POINTS_THIN, &thin, error);
	comparer_destroy(comparer);
	if (status)
		return -1;
	ret->step_ns = larger(0, (thin - dense) / (STRIDE - 1));
	if (ret->stepped > POINTS_THIN * STRIDE &&
	    ret->stepped_seconds * 1e9 / ret->stepped < ret->step_ns)
		ret->step_ns = ret->stepped_seconds * 1e9 / ret->stepped;
	ret->point_ns = larger(0, dense - ret->step_ns);
	return 0;
}

/* ---- steps ------------------------------------------------------------------------------ */

/* By CPU time, and a loop's rate; more than was counted. */
static uint64_t guess_steps(uint64_t stepped, double cpu_seconds, double rate)
{
	double guess = cpu_seconds * rate * cpu_seconds / (cpu_seconds + START_SECONDS);

	return (uint64_t)larger((double)stepped, guess);
}

/* Without points, as far as it comes in the time. */
static int count_steps(const struct tracer_options *options, struct stepping_estimate *ret,
		       struct error *error)
{
	struct tracer_options quick = *options;
	const struct tracer_callbacks callbacks = { 0 };
	struct tracer_counters counters;
	uint64_t begin = monotonic_ns();
	int status;

	quick.every = 0;
	quick.point_limit = 0;
	if (!quick.timeout_ms || quick.timeout_ms > ESTIMATE_STEPPED_MS)
		quick.timeout_ms = ESTIMATE_STEPPED_MS;
	status = tracer_run(&quick, &callbacks, &counters, &ret->status, error);
	if (status && counters.ending != TRACER_TIMEOUT)
		return -1;
	ret->stepped_seconds = (double)(monotonic_ns() - begin) / 1e9;
	ret->steps = ret->stepped = counters.steps;
	ret->threads = counters.threads;
	ret->children = counters.children;
	ret->from_missed = !counters.from_reached;
	if (!status)
		ret->by = ESTIMATE_STEPPED;
	else if (ret->native.endless)
		ret->by = ESTIMATE_NONE;
	else
		ret->by = ESTIMATE_TIME;
	if (ret->by == ESTIMATE_TIME)
		ret->steps = guess_steps(ret->stepped, ret->native.cpu_seconds,
					 stepping_native_rate());
	return 0;
}

/* ---- all -------------------------------------------------------------------------------- */

/* Standard input is read again by each run, if it can be; else it has nothing. -1: it is not open. */
static off_t prepare_input(struct stepping_estimate *ret)
{
	off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
	int null;

	if (at >= 0)
		return at;
	ret->input_is_empty = true;
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		close(null);
	}
	return -1;
}

int stepping_estimate(const struct tracer_options *options, const struct compare_options *engines,
		      struct stepping_estimate *ret, struct error *error)
{
	off_t input;

	*ret = (struct stepping_estimate) { .every = options->every ? options->every : 1,
					    .limit = options->point_limit };
	input = prepare_input(ret);
	if (stepping_native(options, &ret->native, error))
		return -1;
	if (input >= 0)
		lseek(STDIN_FILENO, input, SEEK_SET);
	if (count_steps(options, ret, error) || measure_costs(engines, ret, error))
		return -1;
	stepping_estimate_derive(ret);
	return 0;
}
