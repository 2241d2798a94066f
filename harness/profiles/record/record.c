/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * record.c - the loop: changes are followed at once, counts are taken now and then
 *
 * A tick in a process that the walk does not know yet is a stack of one frame, so what the kernel says of processes is
 * followed with a real-time priority, as soon as it is there. To name what was met takes longer than processes may wait,
 * and than others may wait for the CPU. So counts are taken at once, and their stacks are named a few at a time, with
 * pauses: for SLICE_MS of SLICE_MS + PAUSE_MS, until half of the time to the next drain is over.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/child/child.h"
#include "clock.h"
#include "record.h"

#define LOOK_MS	 200 /* for the end of a process, and for what is full */
#define FIRST_MS 200 /* after so long counts are taken the first time */
#define SLICE_MS 2
#define PAUSE_MS 18

struct recorder {
	const struct record_options *options;
	struct record_result *result;
	struct stackproof_images *images;
	struct record_session session;
	struct record_stacks stacks;
	struct collected *whole, part;
	pid_t root, child;
	uint64_t begin_ns;
	unsigned int
		turn_ms; /* record_turn_ms(): the kernel is asked for it, at each event would be too much */
	uint64_t drain_ns; /* when counts were taken; 0: not yet */
	uint64_t part_ns;  /* where the last part ended; 0: there was none */
	bool draining;	   /* some stacks have not been named yet */
	bool naming;	   /* all stacks were given, some places of theirs have no names */
	uint64_t slice_ns; /* no others are before */
	int policy;	   /* of scheduling, and its priority, before */
	struct sched_param priority;
	bool no_room; /* a larger session can't be had */
	struct stackproof_error failure;
};

/* ---- priority ----------------------------------------------------------------------------- */

static bool be_urgent(void)
{
	const struct sched_param parameter = { .sched_priority = 1 };

	return !sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameter);
}

/* As it was. */
static void be_patient(const struct recorder *recorder)
{
	sched_setscheduler(0, recorder->policy, &recorder->priority);
}

/* ---- the program -------------------------------------------------------------------------- */

/*
 * A terminal that others draw on is not the program's: neither as a descriptor nor as /dev/tty (tty_ioctl(4)). It stays in
 * our process group, and so has what keys send to it.
 */
static void do_without_terminal(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int terminal = open("/dev/tty", O_RDWR | O_NONBLOCK | O_CLOEXEC);

	for (int fd = 0; fd <= STDERR_FILENO && null >= 0; fd++)
		if (isatty(fd))
			dup2(null, fd);
	if (terminal >= 0)
		ioctl(terminal, TIOCNOTTY);
}

/* Starts the program, which waits for a byte before it begins. */
static pid_t start(const struct record_options *options, int *ret_gate, struct error *error)
{
	char *const *argv = options->argv;
	int gate[2];
	char byte;
	ssize_t size;
	pid_t pid;

	if (pipe2(gate, O_CLOEXEC))
		return error_set_errno(error, "starting %s", argv[0]);
	pid = fork();
	if (pid < 0)
		error_set_errno(error, "starting %s", argv[0]);
	if (pid == 0) {
		ending_signals_give_back();
		child_give_back();
		close(gate[1]);
		if (options->no_terminal)
			do_without_terminal();
		size = read(gate[0], &byte, 1);
		if (size == 0) /* there is no session: whose fault that is, the parent says */
			_exit(0);
		if (size == 1)
			execvp(argv[0], argv);
		child_not_run(argv[0]);
	}
	close(gate[0]);
	*ret_gate = gate[1];
	return pid;
}

static void wait_for_child(struct recorder *recorder, int flags)
{
	if (!recorder->child || waitpid(recorder->child, &recorder->result->status, flags) <= 0)
		return;
	recorder->child = 0;
	recorder->result->command_ended = !recorder->result->command_not_started;
}

/* Whether a signal has come that is to end it. */
static bool is_ended(const struct recorder *recorder)
{
	struct pollfd signals = { .events = POLLIN };

	if (!recorder->options->signals)
		return false;
	signals.fd = recorder->options->signals->fd;
	return poll(&signals, 1, 0) > 0;
}

static bool is_over(struct recorder *recorder)
{
	wait_for_child(recorder, WNOHANG);
	if (recorder->options->argv)
		return !recorder->child;
	return recorder->root && kill(recorder->root, 0) && errno == ESRCH;
}

/* ---- what was met ------------------------------------------------------------------------- */

static void account(struct recorder *recorder)
{
	struct record_session *session = &recorder->session;
	struct stackproof_session_counters now =
		STACKPROOF_INIT(struct stackproof_session_counters);
	struct stackproof_processes_counters processes =
		STACKPROOF_INIT(struct stackproof_processes_counters);
	struct stackproof_session_counters *seen = &session->seen;
	struct record_stacks *stacks = &recorder->stacks;

	if (stackproof_session_counters(session->session, &now, &recorder->failure) ||
	    stackproof_processes_counters(session->processes, &processes, &recorder->failure))
		return;
	record_stacks_lose(stacks, RECORD_LOST_BUSY, now.lost_busy - seen->lost_busy, 0);
	record_stacks_lose(stacks, RECORD_LOST_REGISTERS, now.lost_registers - seen->lost_registers,
			   0);
	record_stacks_lose(stacks, RECORD_LOST_FULL, now.lost_full - seen->lost_full, 0);
	record_stacks_lose(stacks, RECORD_LOST_COUNT, now.lost_count - seen->lost_count, 0);
	record_stacks_lose(stacks, RECORD_LOST_MEMORY, processes.lost_memory - session->seen_memory,
			   0);
	record_stacks_lose(stacks, RECORD_LOST_RETURN, now.lost_return - seen->lost_return, 0);
	record_stacks_lose(stacks, RECORD_LOST_SHORT, now.off_short - seen->off_short,
			   now.off_short_ns - seen->off_short_ns);
	recorder->result->ticks += now.samples - seen->samples;
	recorder->result->idle += now.idle - seen->idle;
	recorder->result->run_ns += now.run_ns - seen->run_ns;
	recorder->result->runs += now.runs - seen->runs;
	recorder->result->method = now.method;
	recorder->result->moves += processes.moves - session->seen_moves;
	recorder->result->clocks_ended += processes.clocks_ended - session->seen_clocks_ended;
	recorder->result->unnamed = stacks->names.changed;
	recorder->result->names_refused = stacks->names.refused.count;
	snprintf(recorder->result->why_names_refused, sizeof(recorder->result->why_names_refused),
		 "%s", place_names_refused(&stacks->names));
	if (processes.unseen.code != STACKPROOF_OK)
		snprintf(recorder->result->why_unseen, sizeof(recorder->result->why_unseen), "%s",
			 processes.unseen.message);
	session->seen_memory = processes.lost_memory;
	session->seen_moves = processes.moves;
	session->seen_clocks_ended = processes.clocks_ended;
	*seen = now;
}

/* Whatever holds for all that is collected: places are told by images' own addresses; the machine's name, for servers. */
static void describe_all(struct collected *collected)
{
	char name[HOST_NAME_MAX + 1] = "";
	struct error error;
	uint32_t host;

	collected->own_addresses = true;
	if (gethostname(name, sizeof(name) - 1))
		return;
	host = collected_text(collected, name, &error);
	collected->host = host == UINT32_MAX ? 0 : host;
}

static void describe_part(struct recorder *recorder)
{
	const struct collected *whole = recorder->whole;
	struct collected *part = &recorder->part;
	uint64_t since_ns = recorder->part_ns ? recorder->part_ns : recorder->begin_ns;

	part->start_ns = whole->start_ns + (since_ns - recorder->begin_ns);
	part->duration_ns = recorder->drain_ns - since_ns;
	part->period = whole->period;
	describe_all(part);
}

static void begin_drain(struct recorder *recorder)
{
	uint64_t unsent = 0;

	recorder->drain_ns = monotonic_ns();
	recorder->draining = !stackproof_processes_hold_counts(recorder->session.processes, &unsent,
							       &recorder->failure);
	record_stacks_lose(&recorder->stacks, RECORD_LOST_SPACE, unsent, 0);
}

/* Threads that are off their CPUs when the session's events have ended. */
static void hold_still_off(struct recorder *recorder)
{
	uint64_t unsent = 0;

	stackproof_processes_hold_still_off(recorder->session.processes, &unsent,
					    &recorder->failure);
	record_stacks_lose(&recorder->stacks, RECORD_LOST_SPACE, unsent, 0);
}

static void give_part(struct recorder *recorder)
{
	recorder->result->drains++;
	if (recorder->options->on_drain) {
		describe_part(recorder);
		if (recorder->options->in_parts)
			recorder->result->collected += recorder->part.count;
		recorder->options->on_drain(recorder->options->context, &recorder->part);
		collected_deinit(&recorder->part);
		collected_init(&recorder->part, recorder->whole->type);
		record_stacks_next_part(&recorder->stacks);
	}
	recorder->part_ns = recorder->drain_ns;
}

static void end_drain(struct recorder *recorder)
{
	/* It is as long as some turns, about. */
	const uint64_t every_ms = recorder->options->drain_ms - recorder->turn_ms / 2;

	recorder->draining = recorder->naming = false;
	account(recorder);
	if (!recorder->part_ns || recorder->drain_ns >= recorder->part_ns + every_ms * 1000000)
		give_part(recorder);
}

/* Names stacks that were taken, for so long. */
static void go_on_draining(struct recorder *recorder, uint64_t most_ns)
{
	struct record_result *result = recorder->result;
	const uint64_t complete = result->stop[STACKPROOF_STOP_COMPLETE];
	const uint64_t begin_ns = monotonic_ns();
	int more = 0;

	if (!recorder->naming &&
	    stackproof_processes_give_held(recorder->session.processes, record_stacks_add,
					   &recorder->stacks, most_ns, &more, &recorder->failure))
		more = 0;
	recorder->naming = !more;
	while (recorder->naming && (more = record_stacks_name(&recorder->stacks, recorder->images)))
		if (monotonic_ns() - begin_ns >= most_ns)
			break;
	if (!complete && result->stop[STACKPROOF_STOP_COMPLETE])
		result->first_ns = monotonic_ns() - recorder->begin_ns;
	if (!more)
		end_drain(recorder);
}

/* All that there is, when nothing more is to come. */
static void drain(struct recorder *recorder)
{
	be_patient(recorder);
	if (recorder->draining)
		go_on_draining(recorder, UINT64_MAX);
	begin_drain(recorder);
	if (recorder->options->event == RECORD_OFF_CPU)
		hold_still_off(recorder);
	if (recorder->draining)
		go_on_draining(recorder, UINT64_MAX);
	if (recorder->part_ns != recorder->drain_ns)
		give_part(recorder);
	recorder->result->real_time = be_urgent();
}

/* ---- clocks ------------------------------------------------------------------------------- */

/* One that had not been attached yet is no clock lost. */
static void renew_clocks(struct recorder *recorder)
{
	struct record_session *session = &recorder->session;
	struct record_result *result = recorder->result;
	uint64_t since_ns;
	struct error error;
	pid_t pid;

	while (stackproof_processes_next_without_clock(session->processes, &pid, &since_ns)) {
		if (since_ns < session->attach_ns)
			continue;
		if (since_ns < session->attached_ns) {
			error_set(&error, ERROR_SYSTEM, "", 0,
				  "process %d was executed while clocks were attached", pid);
		} else if (!record_session_renew(session, recorder->options, pid, &error)) {
			result->clocks_renewed++;
			result->clocks_gap_ns += monotonic_ns() - since_ns;
			continue;
		}
		if (error.system_errno == ESRCH) {
			result->clocks_ended++;
			continue;
		}
		result->clocks_lost++;
		snprintf(result->why_clock_lost, sizeof(result->why_clock_lost), "%s",
			 error.message);
	}
}

/* ---- room --------------------------------------------------------------------------------- */

/* A larger session can't be had, or would not help: this one goes on. */
static void do_without_room(struct recorder *recorder, const char *why)
{
	snprintf(recorder->result->why_no_larger, sizeof(recorder->result->why_no_larger), "%s",
		 why);
}

/* Another session takes over, if there is too little room. A process with too many mappings for any is refused in the
 * same words again. */
static void look_for_room(struct recorder *recorder)
{
	struct stackproof_processes_counters counters =
		STACKPROOF_INIT(struct stackproof_processes_counters);
	struct record_session old = recorder->session, larger;
	struct record_result *result = recorder->result;
	struct error error;

	if (stackproof_processes_counters(old.processes, &counters, &recorder->failure))
		return;
	if (counters.processes > result->processes_most)
		result->processes_most = counters.processes;
	result->refused += counters.refused - old.seen_refused;
	result->unreadable += counters.unreadable - old.seen_unreadable;
	recorder->session.seen_refused = counters.refused;
	recorder->session.seen_unreadable = counters.unreadable;
	if (counters.refused == old.seen_refused || recorder->no_room)
		return;
	if (counters.refusal.code != STACKPROOF_ERROR_LIMIT || old.room >= RECORD_ROOM_MAX ||
	    !strcmp(result->why_larger, counters.refusal.message)) {
		do_without_room(recorder, counters.refusal.message);
		return;
	}
	if (record_session_open(recorder->options, recorder->root, recorder->images, &old, &larger,
				&error)) {
		if (error.system_errno != ESRCH) { /* the process has not just ended */
			recorder->no_room = true;
			do_without_room(recorder, error.message);
		}
		return;
	}
	snprintf(result->why_larger, sizeof(result->why_larger), "%s", counters.refusal.message);
	stackproof_session_detach(old.session);
	drain(recorder);
	record_session_close(&recorder->session);
	recorder->session = larger;
	recorder->result->sessions++;
}

/* ---- the loop ----------------------------------------------------------------------------- */

static int failed(const struct recorder *recorder, struct error *error)
{
	if (recorder->stacks.error.code != ERROR_NONE) {
		*error = recorder->stacks.error;
		return -1;
	}
	if (recorder->failure.code != STACKPROOF_OK)
		return error_set(error, ERROR_SYSTEM, "", 0, "%s", recorder->failure.message);
	return 0;
}

/* Takes counts when it is time, and names what was taken. Returns how many milliseconds the next call can wait. */
static uint64_t drain_in_turn(struct recorder *recorder)
{
	const uint64_t every_ns = recorder->turn_ms * 1000000ull;
	uint64_t next_ns = recorder->drain_ns ? recorder->drain_ns + every_ns
					      : recorder->begin_ns + FIRST_MS * 1000000ull;
	uint64_t now = monotonic_ns();

	if (!recorder->draining && now >= next_ns)
		begin_drain(recorder);
	if (recorder->draining && now >= recorder->slice_ns) {
		go_on_draining(recorder, SLICE_MS * 1000000ull);
		recorder->slice_ns = now = monotonic_ns();
		if (now < recorder->drain_ns + every_ns / 2)
			recorder->slice_ns += PAUSE_MS * 1000000ull;
	}
	if (recorder->draining)
		next_ns = recorder->slice_ns;
	next_ns = next_ns > now ? next_ns - now : 0;
	return next_ns < LOOK_MS * 1000000ull ? next_ns / 1000000 : LOOK_MS;
}

static int follow(struct recorder *recorder, struct error *error)
{
	const struct record_options *options = recorder->options;
	uint64_t end_ns = options->duration_ms
				  ? recorder->begin_ns + options->duration_ms * 1000000ull
				  : UINT64_MAX;
	uint64_t look_ns = 0, now, wait_ms;
	struct pollfd fds[] = {
		{ .fd = stackproof_processes_fd(recorder->session.processes), .events = POLLIN },
		{ .fd = options->signals ? options->signals->fd : -1, .events = POLLIN },
		{ .fd = options->end_fd ? options->end_fd : -1, .events = POLLIN },
	};

	while ((now = monotonic_ns()) < end_ns) {
		wait_ms = drain_in_turn(recorder);
		if (end_ns - now < wait_ms * 1000000)
			wait_ms = (end_ns - now) / 1000000 + 1;
		if (now >= look_ns) {
			look_for_room(recorder);
			fds[0].fd = stackproof_processes_fd(recorder->session.processes);
			if (is_over(recorder))
				break;
			look_ns = now + LOOK_MS * 1000000ull;
		}
		if (poll(fds, 3, wait_ms) < 0 && errno != EINTR)
			return error_set_errno(error, "waiting");
		if (fds[1].revents || fds[2].revents)
			break;
		if (stackproof_processes_consume(recorder->session.processes, NULL, NULL,
						 &recorder->failure) ||
		    failed(recorder, error))
			return failed(recorder, error);
		renew_clocks(recorder);
	}
	return 0;
}

/* After a signal the program goes on without us, unless it had the signal, too: it is waited for. */
static void finish(struct recorder *recorder)
{
	stackproof_session_detach(recorder->session.session);
	drain(recorder);
	be_patient(recorder);
	wait_for_child(recorder, 0);
	record_session_close(&recorder->session);
}

static int open_parts(struct recorder *recorder, struct error *error)
{
	struct stackproof_error inner;

	recorder->stacks.names.kernel = kernel_symbols_read();
	recorder->stacks.cgroups = cgroup_paths_create();
	if (recorder->options->inlined)
		recorder->stacks.names.dwarf = inlined_names_create();
	if (!recorder->stacks.names.kernel || !recorder->stacks.cgroups ||
	    (recorder->options->inlined && !recorder->stacks.names.dwarf) ||
	    stackproof_images_create(&recorder->images, &inner))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a recorder");
	return 0;
}

/* Each thread's clock is an open file, and 1,024 are few. The program has what was before. */
static void allow_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

static int begin(struct recorder *recorder, struct error *error)
{
	const struct record_options *options = recorder->options;
	int gate = -1, status;

	recorder->root = options->pid;
	recorder->turn_ms = record_turn_ms(options);
	if (options->argv) {
		recorder->child = start(options, &gate, error);
		if (recorder->child < 0) {
			recorder->child = 0;
			return -1;
		}
		recorder->root = recorder->child;
	}
	allow_files();
	status = record_session_open(options, recorder->root, recorder->images, NULL,
				     &recorder->session, error);
	recorder->result->sessions = !status;
	recorder->begin_ns = monotonic_ns();
	recorder->result->real_time = be_urgent();
	recorder->result->command_not_started = gate >= 0 && (status || is_ended(recorder));
	if (gate >= 0 && !recorder->result->command_not_started && write(gate, "", 1) != 1)
		status = error_set_errno(error, "starting %s", options->argv[0]);
	if (gate >= 0)
		close(gate);
	return status;
}

int record_run(const struct record_options *options, struct collected *whole,
	       struct record_result *ret, struct error *error)
{
	struct recorder recorder = { .options = options, .result = ret };
	struct timespec now;
	int status;

	*ret = (struct record_result) { 0 };
	clock_gettime(CLOCK_REALTIME, &now);
	whole->start_ns = now.tv_sec * 1000000000ull + now.tv_nsec;
	whole->period = options->rate_hz ? 1000000000ull / options->rate_hz : 0;
	describe_all(whole);
	collected_init(&recorder.part, whole->type);
	recorder.stacks.result = ret;
	recorder.stacks.period = whole->period;
	recorder.whole = whole;
	if (!options->in_parts)
		recorder.stacks.sink[recorder.stacks.sinks++].collected = whole;
	if (options->on_drain)
		recorder.stacks.sink[recorder.stacks.sinks++].collected = &recorder.part;
	recorder.policy = sched_getscheduler(0);
	sched_getparam(0, &recorder.priority);
	status = open_parts(&recorder, error) || begin(&recorder, error) ? -1 : 0;
	if (!status)
		status = follow(&recorder, error);
	if (recorder.session.session)
		finish(&recorder);
	whole->duration_ns = monotonic_ns() - recorder.begin_ns;
	if (!options->in_parts)
		ret->collected = whole->count;
	if (!status)
		status = failed(&recorder, error);
	if (recorder.child) { /* it never began */
		kill(recorder.child, SIGKILL);
		wait_for_child(&recorder, 0);
	}
	collected_deinit(&recorder.part);
	record_stacks_deinit(&recorder.stacks);
	kernel_symbols_free(recorder.stacks.names.kernel);
	inlined_names_destroy(recorder.stacks.names.dwarf);
	cgroup_paths_destroy(recorder.stacks.cgroups);
	stackproof_images_destroy(recorder.images);
	return status;
}
