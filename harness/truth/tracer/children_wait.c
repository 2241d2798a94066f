/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * children_wait.c - what threads report, and whether a process waits
 *
 * While a thread executes an instruction, waitpid(2) may take its time: it comes back. In a system call it perhaps
 * waits for a process that is stopped and whose turn it is not. Then /proc says whether it runs, and if none of the
 * process's threads does, it is another one's turn.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "array.h"
#include "attach.h"
#include "children.h"

#define LOOKS	     32 /* between which we only give up the CPU */
#define POLL_US	     50 /* between the first ones after that */
#define LONG_POLL_US 1000

/* Whether the thread's next stop comes by itself. */
static bool executes(const struct thread *thread)
{
	if (thread->state == THREAD_NEW || thread->state == THREAD_ENTERING)
		return true;
	return thread->state == THREAD_STEPPED && !thread->waits &&
	       thread->core.next.kind != INSTRUCTION_SYSCALL;
}

static bool any_executes(const struct member *member)
{
	const struct tracer *tracer = &member->tracer;

	return ARRAY_ANY(tracer->thread_count, i, executes(tracer->thread[i]));
}

bool member_runs(const struct member *member)
{
	const struct tracer *tracer = &member->tracer;

	if (any_executes(member))
		return true;
	for (size_t i = 0; i < tracer->thread_count; i++) {
		const struct thread *thread = tracer->thread[i];
		struct task_state state;

		if (thread->waits)
			continue;
		if (!task_state_read(tracer->core.pid, thread->core.tid, &state))
			return true; /* its end will be reported */
		/* The first thread may end long before the others, and is reported last. */
		if (state.state == 'Z' && thread->core.tid == tracer->core.pid &&
		    tracer->thread_count > 1)
			continue;
		if (state.state != 'S' && state.state != 'D')
			return true;
	}
	return false;
}

/* The process that the thread is of, or was; NULL: nobody knows, or (error is set) no memory. */
static struct member *find_member(struct children *children, pid_t tid, int status)
{
	struct member *member;
	pid_t pid;

	for (size_t i = 0; i < children->count; i++) {
		member = children->member[(children->at + i) % children->count];
		if (!member->reaped && tracer_find_thread(&member->tracer, tid))
			return member;
	}
	pid = task_leader(tid);
	member = children_find(children, pid ? pid : tid);
	return member || !pid || !WIFSTOPPED(status) ? member : member_create(children, pid);
}

static int set_brief(struct children *children, struct member *member)
{
	member->process.left = PROCESS_BRIEF;
	return member_set_free(children, member);
}

/* It is kept for the process's turn; or answered, if the process is not stepped. */
static int take_note(struct children *children, pid_t tid, int status)
{
	struct member *member = find_member(children, tid, status);

	if (!member)
		return 0; /* a thread that was not stepped has ended */
	if (member->state == MEMBER_FREE)
		return member_goes_free(children, member, tid, status);
	member->reaped = !WIFSTOPPED(status) && tid == member->process.pid;
	if (ARRAY_ADD(member->stop, member->stops, (struct member_stop) { tid, status }))
		/* Of whom that its maker has not told of has ended, nobody tells any more. */
		return member->state == MEMBER_UNTOLD && member->reaped
			       ? set_brief(children, member)
			       : 0;
	return error_set(children->error, ERROR_MEMORY, NULL, 0, "no memory for a stop");
}

/* Who was made by one that ended before it could tell goes on by itself. */
static int free_untold(struct children *children)
{
	for (size_t i = 0; i < children->count; i++) {
		struct member *member = children->member[i];
		struct task_state state;

		if (member->state != MEMBER_UNTOLD ||
		    (task_state_read(member->process.pid, member->process.pid, &state) &&
		     children_find(children, state.parent)))
			continue;
		if (set_brief(children, member))
			return -1;
	}
	return 0;
}

static void pause_for(unsigned int looks)
{
	unsigned int us = looks < LOOKS ? 0 : POLL_US * (looks - LOOKS + 1);

	if (us)
		usleep(us < LONG_POLL_US ? us : LONG_POLL_US);
	else
		sched_yield();
}

int children_hear(struct children *children, const struct member *at_turn)
{
	bool comes = at_turn && any_executes(at_turn);
	int status;
	pid_t tid = waitpid(-1, &status, __WALL | __WNOTHREAD | (comes ? 0 : WNOHANG));

	if (tid > 0) {
		children->quiet = 0;
		return take_note(children, tid, status);
	}
	if (tid < 0 && errno == EINTR)
		return 0;
	if (tid < 0)
		return error_set_errno(children->error, "waitpid");
	pause_for(children->quiet++);
	return children->quiet % LOOKS ? 0 : free_untold(children);
}

void children_kill(struct children *children)
{
	int status;
	pid_t tid;

	for (size_t i = 0; i < children->count; i++)
		if (children->member[i]->state != MEMBER_ENDED && !children->member[i]->reaped &&
		    children->member[i]->process.pid > 0)
			kill(children->member[i]->process.pid, SIGKILL);
	while ((tid = waitpid(-1, &status, __WALL | __WNOTHREAD)) > 0 || errno == EINTR) {
		if (tid > 0 && WIFSTOPPED(status)) /* made in the last moment */
			kill(tid, SIGKILL);
		else if (tid > 0 && tid == children->first->process.pid &&
			 children->first->state != MEMBER_ENDED)
			children->first->process.status = status;
	}
}
