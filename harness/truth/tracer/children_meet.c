/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * children_meet.c - processes that are met, and what they execute
 *
 * A new process stops before its first instruction, and the one that made it says so; which is first is not known. On
 * the maker's stack (fork, vfork) it begins with a copy of the maker's frames; on another one (clone with a stack, as
 * posix_spawn makes it) as a thread does.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include "array.h"
#include "attach.h"
#include "children.h"
#include "target_start.h"

static int no_memory(struct children *children)
{
	return error_set(children->error, ERROR_MEMORY, NULL, 0, "no memory for a process");
}

struct member *member_create(struct children *children, pid_t pid)
{
	struct member *member = calloc(1, sizeof(*member));

	if (!member || !ARRAY_GROW(children->member, children->count)) {
		free(member);
		no_memory(children);
		return NULL;
	}
	if (!tracer_process_find(pid, &member->process))
		member->process.pid = pid;
	member->process.number = children->sums.met++;
	tracer_init(&member->tracer, &children->each, children->callbacks, pid, children->error);
	member->tracer.children = children;
	children->member[children->count++] = member;
	children->living++;
	if (children->first)
		watchdog_own(children_watchdog(children), pid);
	return member;
}

void member_destroy(struct member *member)
{
	tracer_deinit(&member->tracer);
	free(member->stop);
	free(member);
}

struct member *children_find(const struct children *children, pid_t pid)
{
	for (size_t i = 0; i < children->count; i++) {
		struct member *member = children->member[i];

		if (member->process.pid == pid && member->state != MEMBER_ENDED && !member->reaped)
			return member;
	}
	return NULL;
}

/* Its decoder is there. False: there are too many. */
static bool make_stepped(struct children *children, struct member *member)
{
	if (!member->tracer.core.decoder && children->stepped == TRACED_PROCESSES_MAX) {
		member->process.left = PROCESS_TOO_MANY;
		return false;
	}
	if (!member->tracer.core.decoder) {
		member->tracer.core.decoder = decoder_create(children->error);
		children->stepped++;
	}
	member->state = MEMBER_STEPPED;
	return true;
}

/* How the process begins that the thread has made. On which stack, its first stop says. */
static int inherit(struct member *member, struct tracer *of, const struct thread *maker)
{
	struct tracer *tracer = &member->tracer;
	struct thread *thread = tracer_add_thread(tracer, member->process.pid, THREAD_NEW);
	uint64_t flags = call_clone_flags(&of->core, &maker->core.regs);

	if (!thread || !tracer->core.decoder)
		return -1;
	tracer->trap_action = of->trap_action;
	tracer->from_pc = of->from_pc;
	tracer->counters.from_reached = of->counters.from_reached;
	/* Who has made it by vfork waits, but not who else is in the same memory. */
	if (flags & CLONE_VM && (!(flags & CLONE_VFORK) || of->thread_count > 1 || of->others))
		tracer->others = of->others = true;
	if (maker->state == THREAD_TO_ENTRY) {
		tracer->entry = of->entry;
		tracer->entry_byte = of->entry_byte;
		tracer->to_entry = true;
		thread->state = THREAD_TO_ENTRY;
		return 0;
	}
	thread->inherits = true;
	thread->core.regs.rsp = maker->core.regs.rsp;
	thread->traps.blocked = maker->traps.blocked;
	return stepped_inherit(&tracer->core, &thread->core, &of->core, &maker->core);
}

/* The process that somebody has made. *ret NULL: it is gone without having been seen: a thread that was let run; a process
 * would have waited for this. -1: no memory; error is set. */
static int find_made(struct children *children, pid_t pid, struct member **ret)
{
	*ret = children_find(children, pid);
	if (*ret || !task_leader(pid))
		return 0;
	*ret = member_create(children, pid);
	return *ret ? 0 : -1;
}

int children_meet(struct children *children, struct tracer *of, const struct thread *maker,
		  pid_t pid)
{
	struct member *member;

	if (find_made(children, pid, &member))
		return -1;
	if (!member)
		return 0;
	return make_stepped(children, member) ? inherit(member, of, maker)
					      : member_set_free(children, member);
}

/* A process that is not stepped has made another one. */
static int meet_free(struct children *children, const struct member *of, pid_t pid)
{
	struct member *member;

	if (find_made(children, pid, &member))
		return -1;
	if (!member)
		return 0;
	member->process.left = of->process.left;
	return member_set_free(children, member);
}

void children_hidden(struct children *children)
{
	children->sums.met++;
	children->sums.left[PROCESS_UNTRACED]++;
}

struct watchdog *children_watchdog(struct children *children)
{
	return &children->first->tracer.watchdog;
}

void children_called_ptrace(struct children *children, const struct tracer *of)
{
	struct member *member = children_find(children, of->core.pid);

	if (!member || member->called_ptrace)
		return;
	member->called_ptrace = true;
	children->sums.called_ptrace++;
}

/* ---- what a process executes -------------------------------------------------------------- */

bool member_is_wanted(struct children *children, struct member *member, pid_t tid)
{
	struct tracer_process *process = &member->process;
	struct user_regs_struct regs;
	struct error ignored;

	tracer_process_name(process->pid, process->name, sizeof(process->name));
	if (!tracer_process_is_named(process, children->options->attach->only)) {
		process->left = PROCESS_NOT_NAMED;
		return false;
	}
	/* Of the program that is a reason to fail. */
	if (member != children->first && !ptrace(PTRACE_GETREGS, tid, NULL, &regs) &&
	    !target_is_64_bit(&regs, &ignored)) {
		process->left = PROCESS_REFUSED;
		return false;
	}
	return make_stepped(children, member);
}

/* ---- processes that are not stepped --------------------------------------------------------- */

/* Whose end is reported, but not taken, does not outlive anybody. */
static uint64_t count_running(const struct children *children)
{
	uint64_t ret = 0;

	for (size_t i = 0; i < children->count; i++)
		ret += children->member[i]->state != MEMBER_ENDED && !children->member[i]->reaped;
	return ret;
}

void member_ended(struct children *children, struct member *member, int status)
{
	struct tracer_process *process = &member->process;

	process->ended = process->over = true;
	process->status = status;
	if (member == children->first)
		children->killed = member->state == MEMBER_STEPPED && WIFSIGNALED(status) &&
				   WTERMSIG(status) == SIGKILL;
	member->state = MEMBER_ENDED;
	children->living--;
	if (!process->begun)
		children->sums.left[process->left]++;
	if (member == children->first && !children->over)
		children->sums.outlived = count_running(children);
}

/* It has executed a program, and is stepped from now on. */
static int begin_stepping(struct children *children, struct member *member, pid_t tid, int status)
{
	if (!member->tracer.core.decoder)
		return -1;
	if (ARRAY_ADD(member->stop, member->stops, (struct member_stop) { tid, status }))
		return 0;
	return no_memory(children);
}

int member_goes_free(struct children *children, struct member *member, pid_t tid, int status)
{
	enum __ptrace_request request = PTRACE_CONT;
	int signal = status >> 16 ? 0 : WSTOPSIG(status);
	unsigned long pid;

	if (!WIFSTOPPED(status)) {
		if (tid == member->process.pid)
			member_ended(children, member, status);
		return 0;
	}
	switch (status >> 16) {
	case PTRACE_EVENT_EXEC:
		if (member_is_wanted(children, member, tid))
			return begin_stepping(children, member, tid, status);
		break;
	case PTRACE_EVENT_CLONE:
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
		if (!ptrace(PTRACE_GETEVENTMSG, tid, NULL, &pid) &&
		    !thread_is_of(member->process.pid, (pid_t)pid) &&
		    meet_free(children, member, (pid_t)pid))
			return -1;
		break;
	case PTRACE_EVENT_STOP: /* job control has stopped it */
		if (WSTOPSIG(status) != SIGTRAP)
			request = PTRACE_LISTEN;
		break;
	default: break;
	}
	/* ESRCH: it was killed meanwhile. */
	if (ptrace(request, tid, NULL, signal) && errno != ESRCH)
		return error_set_errno(children->error, "ptrace could not resume thread %d", tid);
	return 0;
}

int member_set_free(struct children *children, struct member *member)
{
	size_t stops = member->stops;

	member->state = MEMBER_FREE;
	member->stops = 0;
	for (size_t i = 0; i < stops; i++) {
		const struct member_stop stop = member->stop[i];

		if (member_goes_free(children, member, stop.tid, stop.status))
			return -1;
	}
	return 0;
}
