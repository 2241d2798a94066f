/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_tracer_traps.c - what the tracer knows of a thread's SIGTRAP, and which flags it puts right
 *
 * The thread is the test's own, asked through /proc; nothing is traced. A signal frame, and what
 * pushf pushed, are words in a file that has the tracee's memory's place.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "tests/suite.h"
#include "truth/tracer/tracer_traps.c"

/* ---- how a program begins ------------------------------------------------------------------ */

static void handle(int signal)
{
}

static const struct {
	const char *name;
	int signal;
	void (*action)(int signal);
	int blocked; /* a signal; 0: none */
	enum trap_action expected;
} action_cases[] = {
	{ "default", SIGTRAP, SIG_DFL, 0, TRAP_ACTION_DEFAULT },
	{ "ignored", SIGTRAP, SIG_IGN, 0, TRAP_ACTION_IGNORE },
	{ "a_library_s_handler", SIGTRAP, handle, 0, TRAP_ACTION_HANDLER },
	{ "another_is_ignored", SIGILL, SIG_IGN, 0, TRAP_ACTION_DEFAULT },
	{ "another_has_a_handler", SIGABRT, handle, 0, TRAP_ACTION_DEFAULT },
	{ "blocked", SIGTRAP, SIG_DFL, SIGTRAP, TRAP_ACTION_DEFAULT },
	{ "blocked_and_ignored", SIGTRAP, SIG_IGN, SIGTRAP, TRAP_ACTION_IGNORE },
	{ "another_is_blocked", SIGTRAP, handle, SIGABRT, TRAP_ACTION_HANDLER },
};

START_TEST(program_begins_with_what_it_has_got)
{
	struct error error = { 0 };
	struct tracer tracer = { .core.error = &error, .trap_action = TRAP_ACTION_HANDLER };
	struct thread thread = { .core.tid = gettid() };
	sigset_t mask;

	if (!action_cases[_i].expected)
		tracer.trap_action = TRAP_ACTION_IGNORE; /* another program's */
	thread.traps.blocked = !action_cases[_i].blocked;
	signal(action_cases[_i].signal, action_cases[_i].action);
	sigemptyset(&mask);
	if (action_cases[_i].blocked)
		sigaddset(&mask, action_cases[_i].blocked);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	ck_assert_msg(!tracer_traps_begin(&tracer, &thread), "%s: %s", action_cases[_i].name,
		      error.message);
	ck_assert_msg(tracer.trap_action == action_cases[_i].expected, "%s: %d",
		      action_cases[_i].name, tracer.trap_action);
	ck_assert_int_eq(thread.traps.blocked, action_cases[_i].blocked == SIGTRAP);
	ck_assert_int_eq(tracer_keeps_handler(&tracer),
			 action_cases[_i].expected == TRAP_ACTION_HANDLER);
}
END_TEST

START_TEST(thread_that_is_gone_is_an_error)
{
	struct error error = { 0 };
	struct tracer tracer = { .core.error = &error };
	struct thread thread = { .core.tid = -1 };

	ck_assert_int_eq(tracer_traps_begin(&tracer, &thread), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_int_eq(error.system_errno, ENOENT);
}
END_TEST

/* ---- flags in memory ----------------------------------------------------------------------- */

#define SP	    0x1000
#define FLAGS_AT    (SP + 8 + offsetof(ucontext_t, uc_mcontext.gregs[REG_EFL]))
#define OTHER_FLAGS 0x246u /* those that a program mostly has */

static int read_file(void *context, uint64_t address, void *ret, size_t size)
{
	return pread(*(const int *)context, ret, size, (off_t)address) == (ssize_t)size ? 0 : -1;
}

static struct tracer tracer_of(int *file, struct error *error)
{
	struct tracer tracer = { .core.error = error };

	*file = memfd_create("memory", MFD_CLOEXEC);
	ck_assert_int_ge(*file, 0);
	tracer.memory_fd = *file;
	tracer.core.memory.read = read_file;
	tracer.core.memory.context = file;
	return tracer;
}

static const struct {
	const char *name;
	uint64_t saved;
	bool own; /* the program had set it itself */
	uint64_t expected;
} flag_cases[] = {
	{ "the_tracer_s_is_taken_out", OTHER_FLAGS | EFLAGS_TF, false, OTHER_FLAGS },
	{ "there_is_none", OTHER_FLAGS, false, OTHER_FLAGS },
	{ "the_program_s_is_put_in", OTHER_FLAGS, true, OTHER_FLAGS | EFLAGS_TF },
	{ "the_program_s_is_there", OTHER_FLAGS | EFLAGS_TF, true, OTHER_FLAGS | EFLAGS_TF },
	{ "all_others_stay", UINT64_MAX, false, ~(uint64_t)EFLAGS_TF },
	{ "none_is_added", 0, true, EFLAGS_TF },
};

START_TEST(saved_flags_are_the_program_s)
{
	struct error error = { 0 };
	int file;
	struct tracer tracer = tracer_of(&file, &error);
	struct thread thread = { .traps = { .own = flag_cases[_i].own } };
	uint64_t words[3] = { 1, flag_cases[_i].saved, 2 };

	ck_assert_int_eq(pwrite(file, words, sizeof(words), FLAGS_AT - 8), sizeof(words));
	ck_assert_int_eq(correct_saved_flags(&tracer, &thread, SP), 0);
	ck_assert_int_eq(pread(file, words, sizeof(words), FLAGS_AT - 8), sizeof(words));
	ck_assert_msg(words[1] == flag_cases[_i].expected, "%s: 0x%" PRIx64, flag_cases[_i].name,
		      words[1]);
	ck_assert_uint_eq(words[0], 1);
	ck_assert_uint_eq(words[2], 2);
	/* Only what is wrong is written. */
	tracer.memory_fd = -1;
	ck_assert_int_eq(correct_saved_flags(&tracer, &thread, SP), 0);
	thread.traps.own = !thread.traps.own;
	ck_assert_int_eq(correct_saved_flags(&tracer, &thread, SP), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	/* A frame that can't be read is the program's own affair. */
	ck_assert_int_eq(correct_saved_flags(&tracer, &thread, SP + 0x10000), 0);
	close(file);
}
END_TEST

static const struct {
	const char *name;
	greg_t rcx; /* rip is SP */
	bool own;
	bool corrected;
} r11_cases[] = {
	{ "left_by_a_system_call", SP, false, true },
	{ "of_who_steps_itself", SP, true, false },
	{ "something_else", SP + 1, false, false },
};

/* Of who was interrupted in a system call, in the frame and in who was made by it. */
START_TEST(flags_in_r11_are_the_program_s)
{
	struct error error = { 0 };
	int file;
	struct tracer tracer = tracer_of(&file, &error);
	struct thread thread = { .traps = { .own = r11_cases[_i].own } };
	greg_t saved[REG_RIP + 1] = {
		[REG_R11] = OTHER_FLAGS | EFLAGS_TF, [REG_RCX] = r11_cases[_i].rcx, [REG_RIP] = SP
	};
	const off_t at = SP + 8 + offsetof(ucontext_t, uc_mcontext.gregs);
	greg_t expected = OTHER_FLAGS | (r11_cases[_i].corrected ? 0 : EFLAGS_TF);

	ck_assert_int_eq(pwrite(file, saved, sizeof(saved), at), sizeof(saved));
	ck_assert_int_eq(correct_saved_r11(&tracer, &thread, SP), 0);
	ck_assert_int_eq(pread(file, saved, sizeof(saved), at), sizeof(saved));
	ck_assert_msg(saved[REG_R11] == expected, "%s: 0x%llx", r11_cases[_i].name, saved[REG_R11]);
	ck_assert_int_eq(saved[REG_RCX], r11_cases[_i].rcx);

	struct user_regs_struct regs = { .r11 = OTHER_FLAGS | EFLAGS_TF,
					 .rcx = (uint64_t)r11_cases[_i].rcx,
					 .rip = SP,
					 .eflags = r11_cases[_i].own ? EFLAGS_TF : 0 };

	/* Nobody has that number: it was killed meanwhile. */
	ck_assert_int_eq(thread_hide_in_new(&tracer, INT32_MAX, &regs), 0);
	ck_assert_uint_eq(regs.r11, (uint64_t)expected);
	close(file);
}
END_TEST

/* What was put right is shown as it was at the trap, and then right again. */
START_TEST(repairs_are_shown_for_a_while)
{
	struct error error = { 0 };
	int file;
	struct tracer tracer = tracer_of(&file, &error);
	struct thread thread = { .core.next = { .traits = { .pushes_flags = true } } };
	struct user_regs_struct regs = { .rsp = SP, .r11 = 5 };
	uint64_t word = OTHER_FLAGS | EFLAGS_TF;

	ck_assert_int_eq(pwrite(file, &word, sizeof(word), SP), sizeof(word));
	ck_assert_int_eq(thread_hide_stepping(&tracer, &thread, &regs), 0);
	thread_note_repair(&thread,
			   &(struct trap_repair) { true, offsetof(struct user_regs_struct, r11),
						   sizeof(uint64_t), 7, 5 });
	/* What was right before is none. */
	thread_note_repair(&thread, &(struct trap_repair) { false, SP, 8, 7, 7 });
	ck_assert_uint_eq(thread.traps.repair_count, 2);
	thread_show_trap(&tracer, &thread, &regs);
	ck_assert_int_eq(pread(file, &word, sizeof(word), SP), sizeof(word));
	ck_assert_uint_eq(word, OTHER_FLAGS | EFLAGS_TF);
	ck_assert_uint_eq(regs.r11, 7);
	thread_hide_trap(&tracer, &thread);
	ck_assert_int_eq(pread(file, &word, sizeof(word), SP), sizeof(word));
	ck_assert_uint_eq(word, OTHER_FLAGS);
	ck_assert_uint_eq(thread.traps.repair_count, 0);
	close(file);
}
END_TEST

#define TRAITS(...) .traits = { __VA_ARGS__ }

static const struct {
	const char *name;
	struct instruction_traits traits;
	bool own;	 /* before */
	uint64_t eflags; /* after it */
	uint64_t pushed; /* what memory holds then */
	bool own_then, rearm;
} hidden_cases[] = {
	{ "pushf", TRAITS(.pushes_flags = true), .eflags = OTHER_FLAGS, .pushed = OTHER_FLAGS },
	{ "pushf_of_who_steps_itself", TRAITS(.pushes_flags = true), .own = true,
	  .eflags = OTHER_FLAGS, .pushed = OTHER_FLAGS | EFLAGS_TF, .own_then = true },
	{ "popf", TRAITS(.pops_flags = true), .eflags = OTHER_FLAGS,
	  .pushed = OTHER_FLAGS | EFLAGS_TF, .rearm = true },
	{ "popf_that_sets_it", TRAITS(.pops_flags = true), .eflags = OTHER_FLAGS | EFLAGS_TF,
	  .pushed = OTHER_FLAGS | EFLAGS_TF, .own_then = true },
	{ "popf_that_ends_it", TRAITS(.pops_flags = true), .own = true, .eflags = OTHER_FLAGS,
	  .pushed = OTHER_FLAGS | EFLAGS_TF, .rearm = true },
	{ "another_instruction", TRAITS(.holds_trap = true), .eflags = OTHER_FLAGS | EFLAGS_TF,
	  .pushed = OTHER_FLAGS | EFLAGS_TF },
};

START_TEST(stepping_is_hidden_from_the_program)
{
	struct error error = { 0 };
	int file;
	struct tracer tracer = tracer_of(&file, &error);
	struct thread thread = { .traps = { .own = hidden_cases[_i].own },
				 .core.next = { .traits = hidden_cases[_i].traits } };
	struct user_regs_struct regs = { .rsp = SP, .eflags = hidden_cases[_i].eflags };
	uint64_t word = OTHER_FLAGS | EFLAGS_TF;

	ck_assert_int_eq(pwrite(file, &word, sizeof(word), SP), sizeof(word));
	ck_assert_int_eq(thread_hide_stepping(&tracer, &thread, &regs), 0);
	ck_assert_int_eq(pread(file, &word, sizeof(word), SP), sizeof(word));
	ck_assert_msg(word == hidden_cases[_i].pushed, "%s: 0x%" PRIx64, hidden_cases[_i].name,
		      word);
	ck_assert_msg(thread.traps.own == hidden_cases[_i].own_then, "%s", hidden_cases[_i].name);
	ck_assert_msg(thread.traps.rearm == hidden_cases[_i].rearm, "%s", hidden_cases[_i].name);
	close(file);
}
END_TEST

/* ---- a SIGTRAP that was sent --------------------------------------------------------------- */

static const struct {
	const char *name;
	enum trap_action action;
	bool blocked;
	int injected;
	bool waits;
} sent_cases[] = {
	{ "default", TRAP_ACTION_DEFAULT, false, SIGTRAP, false },
	{ "to_a_handler", TRAP_ACTION_HANDLER, false, SIGTRAP, false },
	{ "blocked", TRAP_ACTION_HANDLER, true, 0, true },
	{ "ignored", TRAP_ACTION_IGNORE, false, 0, false },
	{ "ignored_and_blocked", TRAP_ACTION_IGNORE, true, 0, false },
};

START_TEST(sent_trap_comes_waits_or_goes)
{
	struct error error = { 0 };
	struct tracer tracer = { .core.error = &error, .trap_action = sent_cases[_i].action };
	struct thread thread = { .core.tid = gettid(),
				 .traps = { .blocked = sent_cases[_i].blocked } };

	for (int times = 0; times < 2; times++) {
		ck_assert_msg(thread_sent_trap(&tracer, &thread) == sent_cases[_i].injected, "%s",
			      sent_cases[_i].name);
		ck_assert_int_eq(thread.traps.pending, sent_cases[_i].waits);
	}
}
END_TEST

SUITE(tracer_traps, LOOP(program_begins_with_what_it_has_got, action_cases),
      TEST(thread_that_is_gone_is_an_error), LOOP(saved_flags_are_the_program_s, flag_cases),
      LOOP(flags_in_r11_are_the_program_s, r11_cases), TEST(repairs_are_shown_for_a_while),
      LOOP(stepping_is_hidden_from_the_program, hidden_cases),
      LOOP(sent_trap_comes_waits_or_goes, sent_cases))
