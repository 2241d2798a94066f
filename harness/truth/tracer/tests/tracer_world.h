/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tracer_world.h - the tracer's loop without a program
 *
 * The kernel is made up, and so is what the other files do of a stop: both write down that they were
 * asked, and one of them may fail. So a case has all that it takes, in the order of the calls.
 */
#ifndef STACKPROOF_TESTS_TRACER_WORLD_H
#define STACKPROOF_TESTS_TRACER_WORLD_H

#include <check.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static long say_ptrace(enum __ptrace_request request, ...);
static pid_t say_waitpid(pid_t pid, int *ret_status, int options);

#define ptrace			say_ptrace
#define waitpid			say_waitpid
#define tracer_start		say_start
#define tracer_end		say_end
#define tracer_enter_program	say_enter
#define tracer_leave_entry	say_leave
#define tracer_memory_open	say_memory
#define tracer_mappings_changed say_mappings
#define tracer_traps_begin	say_traps
#define tracer_rseq_next	say_next
#define thread_begin		say_begin
#define thread_step		say_step
#define thread_point		say_point
#define thread_enter_handler	say_handler
#define thread_die_of_trap	say_die
#define thread_sent_trap	say_sent
#define thread_call_stop	say_call
#define thread_timer_holds	say_timer
#define thread_resume_request	say_request
#define thread_rseq_forget	say_forget
#include "truth/tracer/tracer.c"

#define TID	      77
#define NOBODY	      0x3fffffff /* no thread has this number */
#define PC	      0x401000	 /* where the thread stopped last; the program's entry */
#define STOP(signal)  ((signal) << 8 | 0x7f)
#define EVENT(number) (STOP(SIGTRAP) | (number) << 16)
#define ENDED(status) ((status) << 8)
/* What others say, handed on. */
#define DIED	41
#define SENT	42
#define ENTERED 43

static struct world {
	char said[400];
	const char *fails;  /* which of them */
	int request, error; /* the kernel fails so at that */
	struct user_regs_struct regs;
	int code; /* of the signal that stopped it */
	unsigned long message;
	bool ended, held;
	struct {
		pid_t tid;
		int error, status;
	} wait[6];
	int waits;
	struct thread *next[3];
	int nexts;
} world;

static inline int __attribute__((format(printf, 1, 2))) say(const char *format, ...)
{
	size_t used = strlen(world.said);
	va_list arguments;
	bool fails;

	va_start(arguments, format);
	vsnprintf(world.said + used, sizeof(world.said) - used, format, arguments);
	va_end(arguments);
	fails = world.fails && !strcmp(world.said + used, world.fails);
	used = strlen(world.said);
	snprintf(world.said + used, sizeof(world.said) - used, " ");
	return fails ? -1 : 0;
}

static long say_ptrace(enum __ptrace_request request, ...)
{
	va_list arguments;
	uint64_t second;
	pid_t tid;

	va_start(arguments, request);
	tid = va_arg(arguments, pid_t);
	ck_assert_uint_eq(va_arg(arguments, uint64_t), 0);
	second = va_arg(arguments, uint64_t);
	va_end(arguments);
	if (world.error && (int)request == world.request) {
		errno = world.error;
		return -1;
	}
	switch (request) {
	case PTRACE_GETREGS: memcpy((void *)second, &world.regs, sizeof(world.regs)); break;
	case PTRACE_GETSIGINFO:
		((siginfo_t *)second)->si_code = world.code;
		say("info");
		break;
	case PTRACE_GETEVENTMSG:
		memcpy((void *)second, &world.message, sizeof(world.message));
		break;
	case PTRACE_DETACH: say("detach(%d,%d)", tid == getpid() ? 1 : tid, (int)second); break;
	case PTRACE_CONT: say("continue(%d,%d)", tid, (int)second); break;
	case PTRACE_SINGLESTEP: say("singlestep(%d,%d)", tid, (int)second); break;
	default: ck_abort_msg("request %d", request);
	}
	return 0;
}

static pid_t say_waitpid(pid_t pid, int *ret_status, int options)
{
	int at = world.waits++;

	ck_assert_int_lt(at, COUNT(world.wait));
	ck_assert_int_eq(options, __WALL | __WNOTHREAD);
	say("wait(%d)", pid);
	errno = world.wait[at].error;
	*ret_status = world.wait[at].status;
	return errno ? -1 : world.wait[at].tid;
}

int say_start(struct tracer *tracer)
{
	ck_assert(tracer->core.pid == -1 && tracer->memory_fd < 0 && tracer->go_fd < 0 &&
		  tracer->fail_fd < 0);
	ck_assert(tracer->watchdog.pidfd < 0 && tracer->watchdog.cancel_fd < 0 &&
		  tracer->watchdog.signals.fd < 0);
	ck_assert_ptr_nonnull(tracer->core.decoder);
	tracer->core.pid = TID;
	return say("start");
}

void say_end(struct tracer *tracer)
{
	say("end(%zu)", tracer->thread_count);
	for (size_t i = 0; i < tracer->thread_count; i++)
		thread_destroy(tracer->thread[i]);
	free(tracer->thread);
	decoder_destroy(tracer->core.decoder);
}

int say_enter(struct tracer *tracer, struct thread *thread)
{
	thread->state = THREAD_ENTERING;
	return say("enter") ? -1 : ENTERED;
}

int say_leave(struct tracer *tracer, struct thread *thread)
{
	return say("leave");
}

int say_memory(struct tracer *tracer)
{
	ck_assert_int_eq(tracer->at, TID);
	return say("memory");
}

int say_mappings(struct tracer *tracer, bool replaced)
{
	return say(replaced ? "mappings" : "mappings(same)");
}

int say_traps(struct tracer *tracer, struct thread *thread)
{
	return say("traps");
}

struct thread *say_next(struct tracer *tracer)
{
	return world.next[world.nexts++];
}

void say_begin(struct tracer *tracer, struct thread *thread, bool rooted)
{
	ck_assert_uint_eq(thread->core.regs.rip, world.regs.rip);
	say(rooted ? "begin" : "begin(prefix)");
}

int say_step(struct tracer *tracer, struct thread *thread, struct user_regs_struct *regs)
{
	ck_assert(thread->core.regs.rip == PC && regs->rip == world.regs.rip);
	return say("step");
}

int say_point(struct tracer *tracer, struct thread *thread, bool trapped)
{
	return say(trapped ? "point" : "point(untrapped)");
}

int say_handler(struct tracer *tracer, struct thread *thread, const struct user_regs_struct *regs)
{
	ck_assert_uint_eq(regs->rip, world.regs.rip);
	return say("handler");
}

int say_die(struct tracer *tracer, struct thread *thread)
{
	return say("die") ? -1 : DIED;
}

int say_sent(struct tracer *tracer, struct thread *thread)
{
	return say("sent") ? -1 : SENT;
}

int say_call(struct tracer *tracer, struct thread *thread, const struct user_regs_struct *regs,
	     bool *ret_ended)
{
	*ret_ended = world.ended;
	return say("call");
}

bool say_timer(struct tracer *tracer, struct thread *thread, int signal)
{
	say("timer(%d)", signal);
	return world.held;
}

int say_request(struct tracer *tracer, struct thread *thread, int *signal,
		enum __ptrace_request *ret)
{
	*ret = PTRACE_SINGLESTEP;
	*signal += 100; /* another one goes in */
	return say("request");
}

void say_forget(struct tracer *tracer, struct thread *thread)
{
	say("forget(%d)", thread->core.tid);
}

/* ---- a tracer of one thread ----------------------------------------------------------------- */

static struct error error;
static struct tracer_options options;
static const struct tracer_callbacks callbacks;

static inline struct thread *setup(struct tracer *tracer, enum thread_state state)
{
	memset(&world, 0, sizeof(world));
	memset(&error, 0, sizeof(error));
	options = (struct tracer_options) { 0 };
	*tracer = (struct tracer) { .core.error = &error,
				    .options = &options,
				    .callbacks = &callbacks,
				    .core.pid = getpid(),
				    .at = TID,
				    .entry = PC };
	world.regs.rip = PC;
	struct thread *thread = tracer_add_thread(tracer, TID, state);
	thread->core.regs.rip = PC;
	return thread;
}

static inline void teardown(struct tracer *tracer)
{
	for (size_t i = 0; i < tracer->thread_count; i++)
		thread_destroy(tracer->thread[i]);
	free(tracer->thread);
}

static inline int function(void *context)
{
	return 0;
}

#endif
