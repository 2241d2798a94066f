/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_plugin_threads.c - what the witness concludes of registers, and of the words on a stack
 */
#include <inttypes.h>
#include <linux/sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "made_guest.h"

/* The thread's frames after code at FUNCTION, the kernel, and going on at pc. */
static const struct kernel_case {
	const char *name, *code;
	uint64_t pc, sp;
	int frames;
	uint64_t restarted;
} kernel_cases[] = {
	{ "fault", NOP, FUNCTION, SP - 16, 2, 1 },
	{ "executed", NOP, FUNCTION + 1, SP - 16, 2, 0 },
	{ "call_that_faulted", CALL, FUNCTION, SP - 16, 2, 1 },
	{ "call", CALL, FUNCTION + 0x40, SP - 24, 3, 0 },
	{ "ret_that_faulted", RET, FUNCTION, SP - 16, 2, 1 },
	{ "ret", RET, PC + 0x15, SP - 8, 1, 0 },
	{ "system_call", SYSCALL, FUNCTION + 2, SP - 16, 2, 0 },
	{ "system_call_again", SYSCALL, FUNCTION, SP - 16, 2, 0 },
};

START_TEST(kernel_ran_between)
{
	const struct kernel_case *c = &kernel_cases[_i];
	struct watched_thread *thread = watch_thread(watch_process(PID), PID);
	uint64_t stacks;

	put(SP - 24, FUNCTION + 5);
	steps(enter(PID, PID), FUNCTION, SP - 16, c->code, registers);
	watch.counters.restarted = 0;
	stacks = thread->process->counters.stacks;
	steps(enter(PID, PID), c->pc, c->sp, NOP, registers);
	ck_assert_msg(thread->steps.shadow.count == (size_t)c->frames, "%s: %zu frames", c->name,
		      thread->steps.shadow.count);
	ck_assert_msg(watch.counters.restarted == c->restarted, "%s: restarted", c->name);
	ck_assert_msg(thread->process->counters.stacks == stacks + (c->pc != FUNCTION),
		      "%s: stacks", c->name);
	ck_assert_uint_eq(watch.counters.unread_tasks, 0);
	ck_assert(!watch.failed);
}
END_TEST

/* ---- signals --------------------------------------------------------------------------------- */

#define HANDLER	 0x403000
#define FRAME_AT (SP - 0x1000)

static const struct signal_case {
	const char *name, *code;
	uint64_t executed;		   /* rip in the frame, less FUNCTION */
	uint64_t rax;			   /* before: a system call's number */
	int saves, as;			   /* a register of the frame that has another value */
	uint64_t handler_rax, signal, rdx; /* rdx: less where it should be */
	uint64_t frame;			   /* another place; 0: FRAME_AT */
	bool no_signal;
} signal_cases[] = {
	{ "before_an_instruction", NOP, 0, 1, REG_RAX, 1, 0, 10, 0, 0, false },
	{ "behind_it", NOP, 1, 1, REG_RAX, 99, 0, 10, 0, 0, false },
	{ "behind_a_system_call", SYSCALL, 2, 1, REG_RAX, -4, 0, 10, 0, 0, false },
	{ "at_a_system_call_again", SYSCALL, 0, 1, REG_RAX, 1, 0, 10, 0, 0, false },
	{ "written_register_differs", POP_RBX, 1, 1, REG_RBX, 99, 0, 10, 0, 0, false },
	{ "sigreturn_to_other_registers", SYSCALL, 2, 15, REG_R12, 99, 0, 10, 0, 0, false },
	{ "last_signal", NOP, 0, 1, REG_RAX, 1, 0, 64, 0, 0, false },
	{ "rbx_differs", NOP, 1, 1, REG_RBX, 99, 0, 10, 0, 0, true },
	{ "rbp_differs", NOP, 1, 1, REG_RBP, 99, 0, 10, 0, 0, true },
	{ "r15_differs", SYSCALL, 2, 1, REG_R15, 99, 0, 10, 0, 0, true },
	{ "no_signal", NOP, 1, 1, REG_RAX, 1, 0, 0, 0, 0, true },
	{ "no_such_signal", NOP, 1, 1, REG_RAX, 1, 0, 65, 0, 0, true },
	{ "rax_is_not_0", NOP, 1, 1, REG_RAX, 1, 1, 10, 0, 0, true },
	{ "rdx_elsewhere", NOP, 1, 1, REG_RAX, 1, 0, 10, 8, 0, true },
	{ "frame_unreadable", NOP, 1, 1, REG_RAX, 1, 0, 10, 0, HIGH - 16, true },
	{ "its_first_word_unreadable", NOP, 1, 1, REG_RAX, 1, 0, 10, 0, LOW - 8, true },
};

START_TEST(signal_is_recognised)
{
	const struct signal_case *c = &signal_cases[_i];
	struct watched_thread *thread = watch_thread(watch_process(PID), PID);
	uint64_t at = c->frame ? c->frame : FRAME_AT;
	struct user_regs_struct regs = registers;
	gregset_t saved = {
		[REG_RBX] = 3,	[REG_RBP] = 5,	     [REG_R12] = 12,
		[REG_R13] = 13, [REG_R14] = 14,	     [REG_R15] = 15,
		[REG_RAX] = 1,	[REG_RSP] = SP - 16, [REG_RIP] = FUNCTION + (greg_t)c->executed
	};
	uint64_t gregs = at + 8 + offsetof(ucontext_t, uc_mcontext.gregs);

	regs.rax = c->rax;
	steps(enter(PID, PID), FUNCTION, SP - 16, c->code, regs);
	saved[c->saves] = c->as;
	if (gregs + sizeof(saved) <= HIGH)
		memcpy(world.stack + (gregs - LOW), saved, sizeof(saved));
	regs.rax = c->handler_rax;
	regs.rdi = c->signal;
	regs.rdx = at + 8 + c->rdx;
	steps(enter(PID, PID), HANDLER, at, NOP, regs);
	ck_assert_msg(!watch.failed, "%s: %s", c->name, watch.error.message);
	ck_assert_msg(thread->process->counters.signals == !c->no_signal, "%s: signals", c->name);
	if (!c->no_signal) {
		const struct shadow_stack *shadow = &thread->steps.shadow;

		ck_assert_msg(shadow->count == 4, "%s: %zu frames", c->name, shadow->count);
		ck_assert_uint_eq(shadow->frame[2].return_address, FUNCTION + c->executed);
	}
}
END_TEST

/* ---- who runs -------------------------------------------------------------------------------- */

START_TEST(others_are_not_watched)
{
	ck_assert_ptr_null(enter(60, 60));
	world.runs.address = 0;
	ck_assert_ptr_null(watch_enter());
	ck_assert_uint_eq(watch.counters.unread_tasks, 1);
	ck_assert_ptr_nonnull(enter(PID, 75));
	ck_assert_uint_eq(watch.counters.strangers, 1);
	ck_assert_str_eq(state(), "70 70:b2 75:s0, ");
	watch.failed = true;
	ck_assert_ptr_null(enter(PID, PID));
}
END_TEST

/* A process that is made with a stack begins there, and has none of its maker's frames. */
#define OWN_STACK (SP - 0x800)
#define ARGS_AT	  (SP - 0x1000)

static const struct made_case {
	const char *name;
	uint64_t rax, rsi;
	struct clone_args args;
	uint64_t sp; /* of the new process */
	int frames;
} made_cases[] = {
	{ "fork", SYS_fork, OWN_STACK, { 0 }, SP - 16, 2 },
	{ "clone", SYS_clone, 0, { 0 }, SP - 16, 2 },
	{ "clone_with_a_stack", SYS_clone, OWN_STACK, { 0 }, OWN_STACK, 0 },
	{ "clone_that_is_elsewhere", SYS_clone, OWN_STACK, { 0 }, OWN_STACK - 8, 2 },
	{ "clone3", SYS_clone3, 64, { 0 }, SP - 16, 2 },
	{ "clone3_with_a_stack",
	  SYS_clone3,
	  64,
	  { .stack = OWN_STACK - 256, .stack_size = 256 },
	  OWN_STACK,
	  0 },
	{ "clone3_with_short_arguments",
	  SYS_clone3,
	  63,
	  { .stack = OWN_STACK - 256, .stack_size = 256 },
	  OWN_STACK,
	  2 },
	{ "not_by_that_call",
	  SYS_vfork,
	  64,
	  { .stack = OWN_STACK - 256, .stack_size = 256 },
	  OWN_STACK,
	  2 },
};

START_TEST(a_given_stack_is_empty)
{
	const struct made_case *c = &made_cases[_i];
	const struct made_event fork = FORK(0, 1, 80, 80, PID, PID);
	struct user_regs_struct regs = registers;
	struct watched_thread *made;

	regs.rax = c->rax;
	regs.rsi = c->rsi;
	regs.rdi = ARGS_AT;
	memcpy(world.stack + (ARGS_AT - LOW), &c->args, sizeof(c->args));
	steps(enter(PID, PID), FUNCTION, SP - 16, SYSCALL, regs);
	write_event(&fork);
	made = enter(80, 80);
	ck_assert_ptr_nonnull(made);
	regs.rax = 0;
	steps(made, FUNCTION + 2, c->sp, NOP, regs);
	ck_assert_msg(!watch.failed, "%s: %s", c->name, watch.error.message);
	ck_assert_msg(made->steps.shadow.count == (size_t)c->frames, "%s: %zu frames", c->name,
		      made->steps.shadow.count);
	ck_assert_msg(made->steps.shadow.rooted, "%s", c->name);
}
END_TEST

/* Of whoever tells and of whatever the guest's memory says, no more are made than there is room for. */
START_TEST(number_is_limited)
{
	struct watched_process *process = watch_process(PID);

	watch.alive = WATCHED_MAX - 1;
	ck_assert_ptr_nonnull(watch_thread_make(process, 71));
	ck_assert(!watch.failed);
	ck_assert_ptr_null(_i ? (void *)watch_thread_make(process, 72)
			      : (void *)watch_process_make(72));
	ck_assert(watch.failed);
	ck_assert_str_eq(watch.error.message, "more than 65536 processes and threads at a time");
}
END_TEST

/* ---- where a program's points begin ----------------------------------------------------------- */

static const struct start_case {
	const char *name;
	uint64_t word[12]; /* at the first instruction's rsp */
	uint64_t sp;	   /* 0: SP */
	bool endless, from_first;
	bool waits; /* for ENTRY */
} start_cases[] = {
#define ENTRY 0x405000
#define WORDS 2, 0x100, 0x200, 0, 0x300, 0
	{ "entry", { WORDS, AT_PHDR, 1, AT_ENTRY, ENTRY }, 0, false, false, true },
	{ "no_environment", { 1, 0x100, 0, 0, AT_ENTRY, ENTRY }, 0, false, false, true },
	{ "not_asked_for", { WORDS, AT_ENTRY, ENTRY }, 0, false, true, false },
	{ "none_said", { WORDS, AT_PHDR, 1, AT_NULL, 0, AT_ENTRY, ENTRY }, 0, false, false, false },
	{ "number_unreadable", { 0 }, HIGH, false, false, false },
	{ "arguments_unreadable", { 2, 0x100 }, HIGH - 16, false, false, false },
	{ "vector_unreadable", { 0, 0, 0, AT_PHDR }, HIGH - 32, false, false, false },
	{ "half_an_entry", { 0, 0, 0, AT_ENTRY }, HIGH - 32, false, false, false },
	{ "without_end", { 0 }, 0, true, false, false },
};

START_TEST(points_begin_at_the_entry)
{
	const struct start_case *c = &start_cases[_i];
	const struct made_event exec = EXEC(0, 1, PID);
	uint64_t sp = c->sp ? c->sp : SP;
	struct watched_thread *thread;

	watch.from_entry = !c->from_first;
	write_event(&exec);
	thread = enter(PID, PID);
	for (int i = 0; i < COUNT(c->word) && sp + i * 8 < HIGH; i++)
		put(sp + i * 8, c->word[i]);
	world.endless = c->endless;
	world.reads = 0;
	steps(thread, FUNCTION, sp, NOP, registers);
	ck_assert_msg(thread->begun == !c->waits, "%s", c->name);
	ck_assert_uint_le(world.reads, START_WORDS_MAX);
	steps(thread, ENTRY, sp, NOP, registers);
	ck_assert(thread->begun);
}
END_TEST

/* ---- code that nobody told of ------------------------------------------------------------------ */

START_TEST(untold_code_is_not_judged)
{
	struct watched_thread *thread = watch_thread(watch_process(PID), PID);
	struct watched_process *process = thread->process;
	struct code_range range = { .start = FUNCTION, .end = FUNCTION + 0x100 };
	uint64_t untold = process->untold;

	ck_assert_uint_eq(untold, 3); /* its first instructions */
	ck_assert(ARRAY_ADD(process->truth.code.range, process->truth.code.count, range));
	watch.truth = "nowhere";
	steps(thread, FUNCTION + 1, SP - 16, NOP, registers);
	ck_assert_uint_eq(process->untold, untold);
	ck_assert_uint_eq(process->truth.untold, 0);
	steps(thread, FUNCTION + 0x100, SP - 16, NOP, registers);
	steps(thread, FUNCTION + 2, SP - 16, NOP, registers);
	ck_assert_uint_eq(process->untold, untold + 1);
	ck_assert_uint_eq(process->truth.untold, 1);
	ck_assert_uint_eq(process->truth.unproven, 1);
	ck_assert_uint_eq(process->truth.points, 3);
	watch.truth = NULL;
}
END_TEST

/* ---- what ends early ---------------------------------------------------------------------------- */

/* Whether the truth file is there, and has the bytes. */
static bool has(const char *path, const char *bytes, size_t size)
{
	char content[4096];
	FILE *file = fopen(path, "re");
	size_t length = file ? fread(content, 1, sizeof(content), file) : 0;

	if (file)
		fclose(file);
	return length && memmem(content, length, bytes, size);
}

#define HAS(path, text) has(path, text, sizeof(text) - 1)

START_TEST(truth_is_saved_while_it_grows)
{
	struct watched_thread *thread = watch_thread(watch_process(PID), PID);
	struct process_truth *truth = &thread->process->truth;
	struct code_range range = { .start = FUNCTION, .end = FUNCTION + 0x100 };
	char path[] = "/tmp/test_plugin_threads.XXXXXX";

	close(mkstemp(path));
	remove(path);
	watch.truth = path;
	ck_assert(ARRAY_ADD(truth->code.range, truth->code.count, range));
	watch_save(); /* the first time it only begins to wait */
	ck_assert(!HAS(path, "killed"));
	ck_assert_uint_gt(watch.next_ns, 0);
	for (int i = 1; i < 5; i++)
		steps(thread, FUNCTION + i, SP - 16, NOP, registers);
	watch_save();
	ck_assert(access(path, F_OK)); /* it is not time */
	watch.next_ns = 1;
	watch_save();
	ck_assert(HAS(path, "\7partial\6killed"));
	ck_assert(HAS(path, "\6proven\4"));
	ck_assert_uint_eq(truth->proven, 0); /* as if nothing had been written */
	ck_assert_uint_eq(thread->truth.pendings, 4);
	watch_forget_all();
	ck_assert(HAS(path, "\6proven\4") && !HAS(path, "killed"));
	ck_assert_uint_eq(watch.written, 1);
	ck_assert_uint_eq(watch.unwritten, 0);
	remove(path);
}
END_TEST

/* A full disk is no reason to watch no more. */
START_TEST(truth_that_cannot_be_written_is_counted)
{
	struct watched_thread *thread = watch_thread(watch_process(PID), PID);

	watch.truth = "/dev/full/there";
	steps(thread, FUNCTION + 1, SP - 16, NOP, registers);
	watch.next_ns = 1;
	watch_save();
	watch_forget_all();
	ck_assert_uint_eq(watch.unwritten, 2);
	ck_assert_uint_eq(watch.written, 0);
	ck_assert(!watch.failed);
	ck_assert_msg(strstr(watch.unwritten_error.message, "/dev/full/there"), "%s",
		      watch.unwritten_error.message);
}
END_TEST

SUITE(plugin_threads, FIXTURE(setup, teardown), LOOP(kernel_ran_between, kernel_cases),
      LOOP(signal_is_recognised, signal_cases), TEST(others_are_not_watched),
      LOOP(a_given_stack_is_empty, made_cases), TIMES(number_is_limited, 2),
      TEST(untold_code_is_not_judged), TEST(truth_is_saved_while_it_grows),
      TEST(truth_that_cannot_be_written_is_counted), LOOP(points_begin_at_the_entry, start_cases))
