/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_step_handlers.c - handlers, system calls, and parts of a step
 *
 * The thread is made up; its memory is two pages of the test's own.
 */
#include <inttypes.h>
#include <sys/mman.h>
#include "tests/suite.h"
#include "truth/steps/step_apply.c"

#define PC 0x401000ull

/* ---- whether another stack is looked for --------------------------------------------------- */

static const struct {
	const char *name;
	enum sp_source source;
	uint64_t sp; /* from 0x7000, in 0x1000 to 0x8000, with the base at 0x7800 */
	bool may;
} switch_cases[] = {
	{ "moved", SP_MOVED, 0x6000, false },
	{ "moved_to_the_lowest", SP_MOVED, 0x1000, false },
	{ "moved_out_below", SP_MOVED, 0xff8, true },
	{ "moved_to_the_base", SP_MOVED, 0x7800, false },
	{ "moved_above_the_base", SP_MOVED, 0x7808, true },
	{ "moved_out_above", SP_MOVED, 0x8000, true },
	{ "set", SP_FROM_REGISTER, 0x7000, true },
	{ "loaded", SP_FROM_MEMORY, 0x7000, true },
	{ "by_a_frame_pointer_up", SP_FROM_FRAME, 0x7008, false },
	{ "by_a_frame_pointer_to_where_it_was", SP_FROM_FRAME, 0x7000, false },
	{ "by_a_frame_pointer_down", SP_FROM_FRAME, 0x6ff8, true },
};

START_TEST(rsp_may_be_on_another_stack)
{
	struct stepped_thread thread = { .stack = { 0x1000, 0x8000 }, .base = 0x7800 };

	thread.regs.rsp = 0x7000;
	thread.next.sp_source = switch_cases[_i].source;
	ck_assert_msg(may_switch(&thread, switch_cases[_i].sp) == switch_cases[_i].may, "%s",
		      switch_cases[_i].name);
	/* Of a stack whose mapping ends at its base, the end is another mapping's. */
	thread.base = thread.stack.high;
	thread.next.sp_source = SP_MOVED;
	ck_assert(may_switch(&thread, thread.stack.high));
	ck_assert(!may_switch(&thread, thread.stack.high - 8));
}
END_TEST

/* ---- system calls -------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint64_t number, protection;
	bool may;
} change_cases[] = {
	{ "mmap_of_data", SYS_mmap, PROT_READ | PROT_WRITE, false },
	{ "mmap_of_code", SYS_mmap, PROT_READ | PROT_EXEC, true },
	{ "mprotect_of_data", SYS_mprotect, PROT_READ, false },
	{ "mprotect_of_code", SYS_mprotect, PROT_EXEC, true },
	{ "pkey_mprotect_of_data", SYS_pkey_mprotect, PROT_READ, false },
	{ "pkey_mprotect_of_code", SYS_pkey_mprotect, PROT_EXEC, true },
	{ "munmap", SYS_munmap, 0, true },
	{ "mremap", SYS_mremap, 0, true },
	{ "remap_file_pages", SYS_remap_file_pages, 0, true },
	{ "shmat", SYS_shmat, 0, true },
	{ "shmdt", SYS_shmdt, 0, true },
	{ "mmap_of_32_bits", 90, 0, true },
	{ "munmap_of_32_bits", 91, 0, true },
	{ "mprotect_of_32_bits", 125, 0, true },
	{ "mremap_of_32_bits", 163, 0, true },
	{ "mmap2_of_32_bits", 192, 0, true },
	{ "read", SYS_read, PROT_EXEC, false },
};

START_TEST(code_may_change_by_some_calls)
{
	ck_assert_msg(call_may_change_code(change_cases[_i].number, change_cases[_i].protection) ==
			      change_cases[_i].may,
		      "%s", change_cases[_i].name);
}
END_TEST

START_TEST(errors_are_the_last_4095)
{
	ck_assert(call_failed((uint64_t)-1));
	ck_assert(call_failed((uint64_t)-4095));
	ck_assert(!call_failed((uint64_t)-4096));
	ck_assert(!call_failed(0));
}
END_TEST

static const struct {
	const char *name;
	enum instruction_kind kind;
	uint64_t number;
	bool legacy, is;
} sigreturn_cases[] = {
	{ "sigreturn", INSTRUCTION_SYSCALL, SYS_rt_sigreturn, false, true },
	{ "of_32_bits", INSTRUCTION_SYSCALL, SYS_rt_sigreturn, true, false },
	{ "another_call", INSTRUCTION_SYSCALL, SYS_read, false, false },
	{ "its_number_only", INSTRUCTION_OTHER, SYS_rt_sigreturn, false, false },
};

START_TEST(sigreturn_is_known)
{
	struct stepped_thread thread = { .next = { .kind = sigreturn_cases[_i].kind } };

	thread.regs.rax = sigreturn_cases[_i].number;
	thread.next.traits.legacy_call = sigreturn_cases[_i].legacy;
	ck_assert_msg(is_sigreturn(&thread) == sigreturn_cases[_i].is, "%s",
		      sigreturn_cases[_i].name);
}
END_TEST

/* ---- handlers ------------------------------------------------------------------------------- */

static uint8_t stack_bytes[8192] __attribute__((aligned(4096)));

static int read_own(void *context, uint64_t address, void *ret, size_t size)
{
	uint64_t low = (uint64_t)stack_bytes;

	if (address < low || address + size > low + sizeof(stack_bytes))
		return -1;
	memcpy(ret, (const void *)address, size);
	return 0;
}

#define FRAME_AT    ((uint64_t)stack_bytes + 1024)
#define INTERRUPTED ((uint64_t)stack_bytes + 6000)

static struct step_counters counters;

static struct instruction decode(void *context, uint64_t pc)
{
	return (struct instruction) { .length = 1 };
}

static void setup(struct stepped_process *process, struct stepped_thread *thread)
{
	static struct error error;

	counters = (struct step_counters) { 0 };
	*process = (struct stepped_process) {
		.error = &error, .counters = &counters, .memory.read = read_own, .decode = decode
	};
	*thread = (struct stepped_thread) { .tid = 77, .may_continue = true };
	thread->stack = (struct address_range) { (uint64_t)stack_bytes,
						 (uint64_t)stack_bytes + sizeof(stack_bytes) };
	thread->base = thread->stack.high;
	shadow_stack_init(&thread->shadow, true);
}

/* As the kernel builds it; the flags are those that a program has. */
static void build_frame(void)
{
	struct rt_signal_frame *frame = (void *)FRAME_AT;
	greg_t *regs = frame->context.uc_mcontext.gregs;

	memset(stack_bytes, 0, sizeof(stack_bytes));
	frame->restorer = 0x400900;
	regs[REG_RIP] = PC;
	regs[REG_RSP] = INTERRUPTED;
	regs[REG_RBX] = 3;
	regs[REG_RBP] = 5;
	regs[REG_R12] = 12;
	regs[REG_R13] = 13;
	regs[REG_R14] = 14;
	regs[REG_R15] = 15;
	frame->context.uc_stack.ss_flags = SS_DISABLE;
	frame->context.uc_stack.ss_sp = (void *)0x5000;
	frame->context.uc_stack.ss_size = 0x1000;
}

static const struct {
	const char *name;
	bool alternate;
	size_t regions;
} handler_cases[] = {
	{ "on_its_own_stack", false, 0 },
	{ "on_an_alternate_one", true, 1 },
};

START_TEST(handler_has_two_frames)
{
	static const uint64_t saved[CALLEE_SAVED_COUNT] = { 3, 5, 12, 13, 14, 15 };
	struct user_regs_struct regs = { .rip = PC + 64, .rsp = FRAME_AT };
	struct rt_signal_frame *frame = (void *)FRAME_AT;
	const struct shadow_frame *shadow;
	struct stepped_process process;
	struct stepped_thread thread;

	build_frame();
	setup(&process, &thread);
	if (handler_cases[_i].alternate) {
		frame->context.uc_stack.ss_flags = 0;
		frame->context.uc_stack.ss_sp = stack_bytes;
		frame->context.uc_stack.ss_size = 4096;
	}
	stepped_enter_handler(&process, &thread, &regs);
	ck_assert_uint_eq(counters.signals, 1);
	ck_assert(!thread.may_continue);
	ck_assert_uint_eq(thread.regs.rip, PC + 64);
	ck_assert_uint_eq(thread.regs.rsp, FRAME_AT);
	ck_assert_uint_eq(thread.shadow.count, 2);
	shadow = thread.shadow.frame;
	ck_assert(shadow[0].interrupted && !shadow[1].interrupted);
	ck_assert_uint_eq(shadow[0].slot, (uint64_t)&frame->context.uc_mcontext.gregs[REG_RIP]);
	ck_assert_uint_eq(shadow[0].return_address, PC);
	ck_assert_uint_eq(shadow[0].interrupted_sp, INTERRUPTED);
	ck_assert_uint_eq(shadow[0].interrupted_sum,
			  registers_sum(frame->context.uc_mcontext.gregs));
	ck_assert_mem_eq(shadow[0].callee_saved, saved, sizeof(saved));
	ck_assert_uint_eq(shadow[1].slot, FRAME_AT);
	ck_assert_uint_eq(shadow[1].return_address, 0x400900);
	ck_assert_uint_eq(thread.shadow.region_count, handler_cases[_i].regions);
	if (handler_cases[_i].alternate) {
		ck_assert_uint_eq(thread.shadow.region[0].low, (uint64_t)stack_bytes);
		ck_assert_uint_eq(thread.shadow.region[0].high, (uint64_t)stack_bytes + 4096);
	}
	shadow_stack_deinit(&thread.shadow);
}
END_TEST

START_TEST(handler_without_a_frame_is_an_error)
{
	struct user_regs_struct regs = { .rip = PC, .rsp = (uint64_t)stack_bytes + 8000 };
	struct stepped_process process;
	struct stepped_thread thread;

	setup(&process, &thread);
	ck_assert_int_eq(stepped_enter_handler(&process, &thread, &regs), -1);
	ck_assert_int_eq(process.error->code, ERROR_PROTOCOL);
	ck_assert_uint_eq(counters.signals, 0);
	shadow_stack_deinit(&thread.shadow);
}
END_TEST

/* Where a handler lets the interrupted code go on. */
static const struct {
	const char *name;
	uint64_t pc, sp; /* sp: below where it was interrupted */
	uint64_t word;	 /* there */
	size_t frames;	 /* then */
	uint64_t disturbances;
} return_cases[] = {
	{ "where_it_was", PC, 0, PC, 0, 0 },
	{ "elsewhere", PC + 9, 0, 0, 0, 0 },
	{ "in_a_call", PC + 0x100, 8, PC, 1, 1 },
	{ "in_no_call", PC + 0x100, 8, PC + 1, 0, 1 },
	{ "on_another_place_of_the_stack", PC, 8, PC, 0, 1 },
};

START_TEST(handler_lets_it_go_on)
{
	struct user_regs_struct regs = { .rip = return_cases[_i].pc,
					 .rsp = INTERRUPTED - return_cases[_i].sp };
	struct user_regs_struct handler = { .rip = PC + 64, .rsp = FRAME_AT };
	struct stepped_process process;
	struct stepped_thread thread;

	build_frame();
	setup(&process, &thread);
	memcpy((void *)(uintptr_t)regs.rsp, &return_cases[_i].word, sizeof(uint64_t));
	stepped_enter_handler(&process, &thread, &handler);
	thread.next = (struct instruction) { .kind = INSTRUCTION_SYSCALL, .length = 2 };
	ck_assert_int_eq(apply_sigreturn(&process, &thread, &regs), 0);
	ck_assert_msg(thread.shadow.count == return_cases[_i].frames, "%s: %zu frames",
		      return_cases[_i].name, thread.shadow.count);
	if (thread.shadow.count) {
		ck_assert(thread.shadow.frame[0].planted);
		ck_assert_uint_eq(thread.shadow.frame[0].slot, regs.rsp);
		ck_assert_uint_eq(thread.shadow.frame[0].return_address, PC);
	}
	ck_assert_uint_eq(counters.disturbances, return_cases[_i].disturbances);
	ck_assert_int_eq(thread.next.sp_source, return_cases[_i].sp ? SP_FROM_MEMORY : SP_MOVED);
	shadow_stack_deinit(&thread.shadow);
}
END_TEST

/* ---- parts of a step ------------------------------------------------------------------------ */

static const struct {
	const char *name;
	uint16_t before, writes, from, after;
} derived_cases[] = {
	{ "nothing", 0, 0x1, 0, 0 },
	{ "from_rsp", 0, 0x1, 1u << 4, 0x1 },
	{ "from_what_was_so", 0x2, 0x1, 0x2, 0x3 },
	{ "from_something_else", 0x2, 0x1, 0x4, 0x2 },
	{ "overwritten", 0x3, 0x1, 0x4, 0x2 },
	{ "from_itself", 0x1, 0x1, 0x1, 0x1 },
};

START_TEST(what_is_computed_from_rsp_is_followed)
{
	struct stepped_thread thread = { .derived = derived_cases[_i].before };

	thread.next.writes = derived_cases[_i].writes;
	thread.next.computed_from = derived_cases[_i].from;
	ck_assert_msg(derived_after(&thread) == derived_cases[_i].after, "%s",
		      derived_cases[_i].name);
}
END_TEST

static const struct {
	const char *name;
	int64_t below; /* what lies below rsp: rip plus this */
	bool readable, popped;
} popped_cases[] = {
	{ "its_target", 0, true, true },
	{ "another_word", 1, true, false },
	{ "nothing", 0, false, false },
};

START_TEST(jump_to_what_was_popped)
{
	struct user_regs_struct regs = { .rip = PC, .rsp = (uint64_t)stack_bytes + 512 };
	uint64_t word = PC + (uint64_t)popped_cases[_i].below;
	struct stepped_process process;
	struct stepped_thread thread;

	setup(&process, &thread);
	memset(stack_bytes, 0, sizeof(stack_bytes));
	if (!popped_cases[_i].readable)
		regs.rsp = 0x1000;
	else
		memcpy(stack_bytes + 512 - 8, &word, sizeof(word));
	ck_assert_msg(is_popped(&process, &regs) == popped_cases[_i].popped, "%s",
		      popped_cases[_i].name);
	shadow_stack_deinit(&thread.shadow);
}
END_TEST

/* Registers at a call are kept, and held against those at its ret. */
static const struct {
	const char *name;
	int changed; /* which one, from 1 on; 0: none */
} saved_cases[] = {
	{ "none", 0 }, { "rbx", 1 }, { "rbp", 2 }, { "r12", 3 },
	{ "r13", 4 },  { "r14", 5 }, { "r15", 6 },
};

START_TEST(ret_brings_back_what_a_call_left)
{
	struct user_regs_struct regs = { .rip = PC + 5,
					 .rsp = (uint64_t)stack_bytes + 512,
					 .rbx = 1,
					 .rbp = 2,
					 .r12 = 3,
					 .r13 = 4,
					 .r14 = 5,
					 .r15 = 6 };
	unsigned long long *const saved[] = { &regs.rbx, &regs.rbp, &regs.r12,
					      &regs.r13, &regs.r14, &regs.r15 };
	struct stepped_process process;
	struct stepped_thread thread;

	setup(&process, &thread);
	ck_assert_int_eq(push_call(&process, &thread, &regs, PC + 5), 0);
	if (saved_cases[_i].changed)
		*saved[saved_cases[_i].changed - 1] = 99;
	thread.regs.rsp = regs.rsp;
	thread.regs.rip = PC + 70;
	regs.rsp += 8;
	ck_assert_int_eq(apply_return(&process, &thread, &regs), 0);
	ck_assert_msg(counters.returns_registers == (saved_cases[_i].changed > 0), "%s",
		      saved_cases[_i].name);
	ck_assert_uint_eq(counters.returns, 1);
	ck_assert_uint_eq(thread.shadow.at, PC + 70);
	shadow_stack_deinit(&thread.shadow);
}
END_TEST

SUITE(step_handlers, LOOP(rsp_may_be_on_another_stack, switch_cases),
      LOOP(code_may_change_by_some_calls, change_cases), TEST(errors_are_the_last_4095),
      LOOP(sigreturn_is_known, sigreturn_cases), LOOP(handler_has_two_frames, handler_cases),
      TEST(handler_without_a_frame_is_an_error), LOOP(handler_lets_it_go_on, return_cases),
      LOOP(what_is_computed_from_rsp_is_followed, derived_cases),
      LOOP(jump_to_what_was_popped, popped_cases),
      LOOP(ret_brings_back_what_a_call_left, saved_cases))
