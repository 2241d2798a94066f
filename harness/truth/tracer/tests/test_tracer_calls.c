/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_tracer_calls.c - what a system call will do to SIGTRAP, read before it runs
 *
 * The tracee's memory holds three words: a mask with SIGTRAP, one without, and where the first is,
 * as pselect6 has it. A signal frame's words are at FRAME; the other addresses can't be read.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include "tests/suite.h"
#include "truth/tracer/tracer.h"

#define WITH	0x1000
#define WITHOUT 0x1008
#define PAIR	0x1010
#define HANDLER 0x1018
#define FRAME	0x2000
#define ADDRESS 0x401010 /* of a handler */
#define OTHERS	(~(uint64_t)SIGTRAP_BIT)

struct frame_words {
	uint64_t mask, flags;
};

static int read_words(void *context, uint64_t address, void *ret, size_t size)
{
	const struct frame_words *frame = context;
	uint64_t word;

	switch (address) {
	case WITH: word = SIGTRAP_BIT; break;
	case WITHOUT: word = OTHERS; break;
	case PAIR: word = WITH; break;
	case HANDLER: word = ADDRESS; break;
	case FRAME + offsetof(ucontext_t, uc_sigmask): word = frame->mask; break;
	case FRAME + offsetof(ucontext_t, uc_mcontext.gregs[REG_EFL]): word = frame->flags; break;
	default: return -1;
	}
	ck_assert_uint_eq(size, sizeof(word));
	memcpy(ret, &word, sizeof(word));
	return 0;
}

static const struct call_case {
	const char *name;
	struct user_regs_struct regs;
	bool was_blocked;
	struct frame_words frame;
	bool blocks, waits, own, sets_handler;
	uint64_t handler;
} cases[] = {
	{ "read", .regs = { .rax = SYS_read, .rsi = WITH }, .was_blocked = true },
	{ "block", .regs = { .rax = SYS_rt_sigprocmask, .rdi = SIG_BLOCK, .rsi = WITH },
	  .blocks = true },
	{ "block_others", .regs = { .rax = SYS_rt_sigprocmask, .rdi = SIG_BLOCK, .rsi = WITHOUT } },
	{ "block_others_while_it_is",
	  .regs = { .rax = SYS_rt_sigprocmask, .rdi = SIG_BLOCK, .rsi = WITHOUT },
	  .was_blocked = true, .blocks = true },
	{ "unblock", .regs = { .rax = SYS_rt_sigprocmask, .rdi = SIG_UNBLOCK, .rsi = WITH },
	  .was_blocked = true },
	{ "unblock_others",
	  .regs = { .rax = SYS_rt_sigprocmask, .rdi = SIG_UNBLOCK, .rsi = WITHOUT },
	  .was_blocked = true, .blocks = true },
	{ "unblock_others_while_it_is_open",
	  .regs = { .rax = SYS_rt_sigprocmask, .rdi = SIG_UNBLOCK, .rsi = WITHOUT } },
	{ "set_with_it", .regs = { .rax = SYS_rt_sigprocmask, .rdi = SIG_SETMASK, .rsi = WITH },
	  .blocks = true },
	{ "set_without_it",
	  .regs = { .rax = SYS_rt_sigprocmask, .rdi = SIG_SETMASK, .rsi = WITHOUT },
	  .was_blocked = true },
	{ "ask_only", .regs = { .rax = SYS_rt_sigprocmask, .rdi = SIG_SETMASK },
	  .was_blocked = true, .blocks = true },
	{ "sigreturn", .regs = { .rax = SYS_rt_sigreturn, .rsp = FRAME },
	  .frame = { OTHERS, OTHERS & ~(uint64_t)EFLAGS_TF }, .was_blocked = true },
	{ "sigreturn_to_who_blocks_it", .regs = { .rax = SYS_rt_sigreturn, .rsp = FRAME },
	  .frame = { SIGTRAP_BIT, 0 }, .blocks = true },
	{ "sigreturn_to_who_steps_itself", .regs = { .rax = SYS_rt_sigreturn, .rsp = FRAME },
	  .frame = { 0, EFLAGS_TF }, .own = true },
	{ "sigreturn_from_what_can_not_be_read",
	  .regs = { .rax = SYS_rt_sigreturn, .rsp = FRAME + 8 },
	  .frame = { SIGTRAP_BIT, EFLAGS_TF } },
	{ "sigsuspend", .regs = { .rax = SYS_rt_sigsuspend, .rdi = WITH }, .blocks = true,
	  .waits = true },
	{ "sigsuspend_without_it", .regs = { .rax = SYS_rt_sigsuspend,
					     .rdi = WITHOUT,
					     .rsi = WITH,
					     .r8 = WITH,
					     .r10 = WITH } },
	{ "ppoll", .regs = { .rax = SYS_ppoll, .r10 = WITH }, .blocks = true, .waits = true },
	{ "ppoll_without_a_mask", .regs = { .rax = SYS_ppoll, .rdi = WITH, .r8 = WITH } },
	{ "pselect6", .regs = { .rax = SYS_pselect6, .r9 = PAIR }, .blocks = true, .waits = true },
	{ "pselect6_without_a_mask", .regs = { .rax = SYS_pselect6, .r9 = WITHOUT } },
	{ "epoll_pwait", .regs = { .rax = SYS_epoll_pwait, .r8 = WITH }, .blocks = true,
	  .waits = true },
	{ "epoll_pwait2", .regs = { .rax = SYS_epoll_pwait2, .r8 = WITH }, .blocks = true,
	  .waits = true },
	{ "a_handler", .regs = { .rax = SYS_rt_sigaction, .rdi = SIGTRAP, .rsi = HANDLER },
	  .sets_handler = true, .handler = ADDRESS },
	{ "a_handler_is_asked_for",
	  .regs = { .rax = SYS_rt_sigaction, .rdi = SIGTRAP, .rdx = HANDLER } },
	{ "another_signal_s_handler",
	  .regs = { .rax = SYS_rt_sigaction, .rdi = SIGSEGV, .rsi = HANDLER }, .handler = ADDRESS },
};

START_TEST(call_is_read_before_it_runs)
{
	const struct call_case *c = &cases[_i];
	struct tracer tracer = { .core.memory = { read_words, (void *)&c->frame } };
	struct thread thread = { .core.regs = c->regs, .traps = { .blocked = c->was_blocked } };
	const struct call_watch *call = &thread.call;

	memset(&thread.call, 0xff, sizeof(thread.call)); /* what the call before has left */
	thread_call_begin(&tracer, &thread);
	ck_assert(call->known);
	ck_assert_msg(call->blocks == c->blocks, "%s: blocks", c->name);
	ck_assert_msg(call->waits == c->waits, "%s: waits", c->name);
	ck_assert_msg(call->own == c->own, "%s: steps itself", c->name);
	ck_assert_msg(call->sets_handler == c->sets_handler && call->trap_handler == c->handler,
		      "%s: handler", c->name);
	ck_assert(!call->entered);
	/* Nothing is as it will be yet. */
	ck_assert_int_eq(thread.traps.blocked, c->was_blocked);
}
END_TEST

SUITE(tracer_calls, LOOP(call_is_read_before_it_runs, cases))
