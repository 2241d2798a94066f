/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stepping_estimate.c - how long stepping a program will take, before it is done
 *
 * How many steps there are is counted by stepping the program without points, which is the quickest
 * way, for at most ESTIMATE_STEPPED_MS. If it does not end in that, its CPU time in an unstepped run says
 * between which two numbers: a loop that never waits makes the most, one that waits for each load the least.
 * What a step and a point cost depends on the machine and on the engines: a function of
 * ours is stepped twice, with a point at every step and at every STRIDE-th. Where the program's own steps were
 * cheaper, theirs count: they were more, and neither waited.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>
#include "clock.h"
#include "base/images/debug_link.h"
#include "stepping.h"

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

/* The seconds of so many steps. */
static double seconds_of(const struct stepping_estimate *estimate, uint64_t steps,
			 uint64_t *ret_points)
{
	uint64_t every = estimate->every ? estimate->every : 1;

	*ret_points = (steps + every - 1) / every;
	if (estimate->limit && *ret_points > estimate->limit) {
		*ret_points = estimate->limit;
		steps = estimate->limit * every;
	}
	return ((double)steps * estimate->step_ns + (double)*ret_points * estimate->point_ns) /
		       1e9 +
	       larger(0, estimate->native.seconds - estimate->native.cpu_seconds);
}

static uint64_t every_of(const struct stepping_estimate *estimate, uint64_t steps)
{
	double rest = MINUTE_NS - (double)steps * estimate->step_ns;

	if (estimate->by == ESTIMATE_NONE || rest <= 0)
		return 0;
	return 1 + (uint64_t)((double)steps * estimate->point_ns / rest);
}

void stepping_estimate_derive(struct stepping_estimate *estimate)
{
	double every = (double)(estimate->every ? estimate->every : 1);
	uint64_t fewer;

	if (estimate->by != ESTIMATE_TIME)
		estimate->steps_low = estimate->steps;
	estimate->seconds = seconds_of(estimate, estimate->steps, &estimate->points);
	estimate->seconds_low = seconds_of(estimate, estimate->steps_low, &fewer);
	estimate->every_minute = every_of(estimate, estimate->steps);
	estimate->every_minute_low = every_of(estimate, estimate->steps_low);
	estimate->limit_minute =
		1 + (uint64_t)(MINUTE_NS / (every * estimate->step_ns + estimate->point_ns + 1));
	estimate->measured = true;
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

void stepping_estimate_guess(struct stepping_estimate *estimate, const struct native_rates *rates)
{
	double cpu = estimate->native.cpu_seconds, counted = (double)estimate->stepped;

	/* All of the time may have been the program's, or all of a start the kernel's. */
	estimate->steps = (uint64_t)larger(counted, cpu * rates->most);
	estimate->steps_low = (uint64_t)larger(counted,
					       cpu * rates->least * cpu / (cpu + START_SECONDS));
}

/* What the program has mapped, for the place where it is ended. */
struct mapped {
	struct image_store *store;
	struct address_space space;
};

static int on_mappings(void *context, pid_t pid)
{
	struct mapped *mapped = context;
	struct error ignored; /* then the place has no name */

	address_space_read(&mapped->space, mapped->store, pid, &ignored);
	return 0;
}

/* Without points, as far as it comes in the time. */
static int step(const struct tracer_options *options, struct mapped *mapped,
		struct stepping_estimate *ret, struct error *error)
{
	struct tracer_options quick = *options;
	const struct tracer_callbacks callbacks = { .on_mappings = on_mappings, .context = mapped };
	struct tracer_counters counters;
	uint64_t begin = monotonic_ns();
	struct error why = { .code = ERROR_NONE };
	int status;

	quick.every = 0;
	quick.point_limit = 0;
	if (!quick.timeout_ms || quick.timeout_ms > ESTIMATE_STEPPED_MS)
		quick.timeout_ms = ESTIMATE_STEPPED_MS;
	status = tracer_run(&quick, &callbacks, &counters, &ret->status, error);
	ret->cut.elapsed_ns = monotonic_ns() - begin;
	ret->stepped_seconds = (double)ret->cut.elapsed_ns / 1e9;
	ret->steps = ret->steps_low = ret->stepped = counters.steps;
	ret->threads = counters.threads;
	ret->children = counters.children;
	ret->from_missed = !counters.from_reached;
	if (!status)
		ret->by = ESTIMATE_STEPPED;
	else if (!ret->native.endless && counters.ending == TRACER_TIMEOUT)
		ret->by = ESTIMATE_TIME;
	if (status && counters.ending != TRACER_TIMEOUT) {
		why = *error;
	} else if (ret->native.endless) {
		counters.ending = TRACER_TIMEOUT;
		error_set(&why, ERROR_TIMEOUT, NULL, 0, "the unstepped run was killed after %u ms",
			  options->timeout_ms);
	} else {
		counters.ending = TRACER_ENDED; /* it was stepped as long as is meant */
	}
	run_cut_set(&ret->cut, options, &counters, &mapped->space, &why);
	if (counters.last_pc) /* what is done after this may be ended, too */
		address_space_describe(&mapped->space, counters.last_pc, ret->cut.place,
				       sizeof(ret->cut.place));
	return why.code != ERROR_NONE && counters.ending != TRACER_TIMEOUT ? -1 : 0;
}

static int count_steps(const struct tracer_options *options, struct stepping_estimate *ret,
		       struct error *error)
{
	struct mapped mapped = { .store = debug_link_store() };
	struct native_rates rates;
	int status;

	if (!mapped.store)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for images");
	status = step(options, &mapped, ret, error);
	address_space_deinit(&mapped.space);
	image_store_destroy(mapped.store);
	if (status || ret->by != ESTIMATE_TIME)
		return status;
	if (stepping_native_rates(&rates, error))
		return -1;
	stepping_estimate_guess(ret, &rates);
	return 0;
}

/* ---- all -------------------------------------------------------------------------------- */

/* Standard input is read again by each run, if it can be; else it has nothing. -1: it is not open. */
static off_t prepare_input(struct stepping_estimate *ret)
{
	off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
	FD_CLOSED int null = -1;

	if (at >= 0)
		return at;
	ret->input_is_empty = true;
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	return -1;
}

int stepping_estimate(const struct tracer_options *options, const struct compare_options *engines,
		      struct stepping_estimate *ret, struct error *error)
{
	off_t input;

	const struct tracer_counters none = { .ending = TRACER_INTERRUPTED };

	*ret = (struct stepping_estimate) { .every = options->every ? options->every : 1,
					    .limit = options->point_limit,
					    .by = ESTIMATE_NONE };
	input = prepare_input(ret);
	if (stepping_native(options, &ret->native, error)) {
		if (ret->native.interrupted)
			run_cut_set(&ret->cut, options, &none, NULL, error);
		return -1;
	}
	if (input >= 0)
		lseek(STDIN_FILENO, input, SEEK_SET);
	if (count_steps(options, ret, error))
		return -1;
	if (measure_costs(engines, ret, error)) {
		if (error->system_errno == EINTR) {
			ret->cut.ending = TRACER_INTERRUPTED;
			ret->cut.early = *error;
			/* How far our own function came is not asked. */
			*strchrnul(ret->cut.early.message, ';') = '\0';
		}
		return -1;
	}
	stepping_estimate_derive(ret);
	return 0;
}
