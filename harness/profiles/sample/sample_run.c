/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample_run.c - runs of a program under a clock, until there are samples enough
 *
 * One session for all runs at one rate, so that its counters are the account of that rate. The
 * kernel counts too how often it ran the program that samples (BPF_STATS_RUN_TIME): the one figure
 * of the account that the program does not keep itself.
 *
 * Each run ends by itself: what a program does at its end is sampled like the rest. The clock is
 * taken off only when the process is gone, and then the rest of the ring buffer is read.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "freed.h"
#include "array.h"
#include "base/child/ending_signals.h"
#include "clock.h"
#include "sample.h"
#include "truth/tracer/target_start.h"
#include "process_events.h"

static const struct sample_clock clocks[] = {
	{ "cpu", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
};

const struct sample_clock *sample_clock_find(const char *name)
{
	return ARRAY_FIRST(clocks, ARRAY_COUNT(clocks), clock, strcmp(clock->name, name) == 0);
}

struct sampler {
	const struct sample_options *options;
	const struct sample_truth *truth;
	struct sample_score *score;
	struct bpf_session *session;
	struct process_events *events; /* NULL: no children, and no other program */
	struct stack stack;	       /* of the record at hand */
	uint32_t profiled;	       /* generation of the mappings that the profile has */
	pid_t pid;		       /* of the run at hand; 0: it is gone */
	struct ending_signals signals;
	struct error error; /* of the first record that failed: it can't end the reading */
	bool failed;
};

/* Whose frames these are in the profile is what the walk knew. Where that was not true any more, by
 * mappings of the program before, nobody knows: such a stack is not in it. */
static void add_to_profile(struct sampler *sampler, const struct walk_record *record,
			   const struct address_space *space)
{
	FILE *file = sampler->options->profile;

	if (!file || !space)
		return;
	if (record->generation != sampler->profiled) {
		sample_profile_images(file, space);
		sampler->profiled = record->generation;
	}
	sample_profile_stack(file, space, sampler->options->clock->name, &sampler->stack);
}

static int take(struct sampler *sampler, const struct walk_record *record,
		const struct address_space *space, bool raced, struct error *error)
{
	struct stack *stack = &sampler->stack;
	enum sample_class class;
	bool whole;

	if (sample_stack(record, stack, error) ||
	    sample_judge(sampler->truth, stack, &class, &whole, error))
		return -1;
	add_to_profile(sampler, record, space);
	if (raced && sample_class_is_finding(class))
		class = SAMPLE_RACED;
	return sample_score_add(sampler->score, class, whole, stack, error);
}

static void on_record(void *context, const struct walk_record *record, bool frame_pointer)
{
	struct sampler *sampler = context;

	sampler->failed = sampler->failed ||
			  take(sampler, record, &sampler->score->space, false, &sampler->error);
}

static void on_stack(void *context, const struct process_stack *stack)
{
	struct sampler *sampler = context;

	sampler->failed = sampler->failed ||
			  take(sampler, stack->record, stack->raced ? NULL : stack->space,
			       stack->raced, &sampler->error);
}

static int consume(struct sampler *sampler, struct error *error)
{
	if (sampler->events ? process_events_consume(sampler->events, on_stack, sampler, error)
			    : bpf_session_consume(sampler->session, on_record, sampler, error))
		return -1;
	if (sampler->failed)
		*error = sampler->error;
	return sampler->failed ? -1 : 0;
}

/* Reads stacks until the program ends. */
static int watch(struct sampler *sampler, struct error *error)
{
	uint64_t deadline_ns = monotonic_ns() + sampler->options->timeout_ms * 1000000ull;
	struct rusage usage;
	int status, signal;

	for (;;) {
		pid_t got = wait4(sampler->pid, &status, WNOHANG, &usage);

		if (got < 0 && errno != EINTR)
			return error_set_errno(error, "wait4");
		if (got == sampler->pid)
			break;
		if (consume(sampler, error))
			return -1;
		signal = ending_signals_take(&sampler->signals);
		if (signal)
			return ending_signals_error(error, signal);
		if (monotonic_ns() > deadline_ns)
			return error_set(error, ERROR_TIMEOUT, "", 0,
					 "the program ran for more than %u ms",
					 sampler->options->timeout_ms);
		usleep(sampler->options->drain_ms * 1000);
	}
	sampler->pid = 0;
	sampler->score->cpu_ns += (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000ull +
				  (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000ull;
	if (status != sampler->truth->status)
		return error_set(error, ERROR_PROTOCOL, "", 0,
				 "the program ended with status 0x%x, in the stepped run with 0x%x",
				 status, sampler->truth->status);
	return 0;
}

/* The program is stopped at its entry point. */
static int give_mappings(struct sampler *sampler, struct image_store *store, pid_t pid,
			 struct error *error)
{
	const struct process_events_options tree = { .pid = pid,
						     .alone = !sampler->options->children };

	if (address_space_read(&sampler->score->space, store, pid, error) ||
	    sample_truth_same_layout(sampler->truth, &sampler->score->space, error))
		return -1;
	if (!sampler->options->children && !sampler->truth->execs)
		return bpf_session_set_process(sampler->session, &sampler->score->space, error);
	return process_events_open(sampler->session, store, &tree, &sampler->events, error) ||
			       process_events_add_existing(sampler->events, error)
		       ? -1
		       : 0;
}

/* What the kernel allows, or 0 if it does not say. */
static unsigned int rate_limit(void)
{
	FILE_CLOSED FILE *file = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
	unsigned int limit = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%u", &limit) != 1)
		limit = 0;
	return limit;
}

static int start_clock(struct sampler *sampler, pid_t pid, struct error *error)
{
	struct perf_event_attr attr = {
		.type = sampler->options->clock->type,
		.size = sizeof(attr),
		.config = sampler->options->clock->config,
		.sample_freq = sampler->score->rate_hz,
		.freq = 1,
		.inherit = 1,
	};

	unsigned int limit = rate_limit();

	if (limit && sampler->score->rate_hz > limit)
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "kernel.perf_event_max_sample_rate is %u", limit);
	return bpf_session_attach_event(sampler->session, &attr, pid, -1, error);
}

static void stop_following(struct sampler *sampler)
{
	struct process_events_counters counters;

	if (!sampler->events)
		return;
	process_events_counters(sampler->events, &counters);
	sampler->score->lost_memory += counters.lost_memory;
	process_events_close(sampler->events);
	sampler->events = NULL;
}

static int run_once(struct sampler *sampler, struct image_store *store, struct error *error)
{
	const struct target_program program = { .argv = sampler->options->argv,
						.silence_output = true };
	struct sample_score *score = sampler->score;
	int status = -1;
	pid_t pid;

	if (target_start(&program, sampler->options->timeout_ms, &pid, error))
		return -1;
	sampler->pid = pid;
	if (!give_mappings(sampler, store, pid, error) && !start_clock(sampler, pid, error) &&
	    !target_release(pid, error))
		status = watch(sampler, error);
	if (sampler->pid) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	bpf_session_detach(sampler->session);
	if (!status)
		status = consume(sampler, error);
	stop_following(sampler);
	bpf_session_forget_process(sampler->session, pid);
	score->runs++;
	return status;
}

static int run_all(struct sampler *sampler, struct image_store *store, struct error *error)
{
	struct sample_score *score = sampler->score;
	const struct sample_options *options = sampler->options;
	struct error ignored;
	int status = 0;
	uint64_t ns;

	sample_set_forget_met(sampler->truth->stacks);
	while (!status && score->runs < options->run_limit && score->records < options->samples)
		status = run_once(sampler, store, error);
	/* What was sampled until then is told, whatever ended it: the first error counts. */
	if (status)
		error = &ignored;
	if (bpf_session_counters(sampler->session, false, &score->counters, error))
		return -1;
	if (score->entries_known && bpf_session_run_time(sampler->session, WALK_ENTRY_SAMPLE, false,
							 &ns, &score->entries, error))
		return -1;
	score->met = sample_set_met(sampler->truth->stacks);
	return status;
}

int sample_run(const struct sample_options *options, const struct sample_truth *truth,
	       struct image_store *store, struct sample_score *score, struct error *error)
{
	const struct bpf_session_options session = { .process_capacity = options->children ? 256
											   : 4,
						     .method = options->method };
	struct sampler sampler = { .options = options, .truth = truth, .score = score };
	int status = -1;
	FD_CLOSED int stats = bpf_enable_stats(BPF_STATS_RUN_TIME);

	score->entries_known = stats >= 0;
	if (ending_signals_hold(&sampler.signals, error))
		goto out;
	if (!bpf_session_open(&session, &sampler.session, error)) {
		snprintf(score->method, sizeof(score->method), "%s",
			 bpf_session_method_name(sampler.session));
		status = run_all(&sampler, store, error);
	}
	bpf_session_close(sampler.session);
	stack_deinit(&sampler.stack);
	ending_signals_release(&sampler.signals);
out:
	return status;
}
