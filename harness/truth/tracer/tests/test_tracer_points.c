/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_tracer_points.c - which stops are points, what is counted of them, and parts of a step
 *
 * The thread is made up; its memory is one page of the test's own.
 */
#include <errno.h>
#include <inttypes.h>
#include "tests/suite.h"
#include "truth/tracer/tracer_step.c"

#define PC 0x401000ull

/* ---- points -------------------------------------------------------------------------------- */

struct seen {
	struct trace_stop stop; /* the last */
	int stops, passed;
};

static int see_stop(void *context, const struct trace_stop *stop, struct error *error)
{
	struct seen *seen = context;

	seen->stop = *stop;
	seen->stops++;
	return 5;
}

static int see_passed(void *context, pid_t tid, uint64_t pc, struct error *error)
{
	ck_assert_int_eq(tid, 77);
	((struct seen *)context)->passed++;
	return 6;
}

static const struct point_case {
	const char *name;
	uint64_t rip, from_pc, steps;
	unsigned int every;
	uint64_t limit;
	size_t threads;
	bool to_entry, looked, untrapped, unrooted;
	bool is_point, passed, stops;
	bool nobody; /* wants to know */
} point_cases[] = {
	{ "a_point", .rip = PC, .steps = 7, .threads = 1, .is_point = true },
	{ "before_the_entry", .rip = PC, .threads = 1, .to_entry = true, .passed = true },
	{ "before_the_symbol", .rip = PC, .from_pc = PC + 1, .threads = 1, .passed = true },
	{ "at_the_symbol", .rip = PC, .from_pc = PC, .threads = 1, .is_point = true },
	{ "every_one", .rip = PC, .steps = 7, .every = 1, .threads = 1, .is_point = true },
	{ "every_second_one_is_not_this", .rip = PC, .steps = 7, .every = 2, .threads = 1,
	  .passed = true },
	{ "every_second_one_is_this", .rip = PC, .steps = 8, .every = 2, .threads = 1,
	  .is_point = true },
	{ "the_page_without_code", .rip = 0xffffffffff600000, .threads = 1 },
	{ "the_last", .rip = PC, .limit = 1, .threads = 1, .is_point = true, .stops = true },
	{ "the_last_but_one", .rip = PC, .limit = 2, .threads = 1, .is_point = true },
	{ "with_another_thread", .rip = PC, .threads = 2, .is_point = true },
	{ "looked_at", .rip = PC, .threads = 1, .looked = true, .is_point = true },
	{ "without_a_trap", .rip = PC, .threads = 1, .untrapped = true, .is_point = true },
	{ "of_a_prefix", .rip = PC, .threads = 1, .unrooted = true, .is_point = true },
	{ "nobody_wants_it", .rip = PC, .threads = 1, .nobody = true, .is_point = true },
	{ "nobody_wants_what_is_passed", .rip = PC, .threads = 1, .to_entry = true,
	  .nobody = true },
};

START_TEST(stop_is_a_point_or_is_passed)
{
	const struct point_case *c = &point_cases[_i];
	struct seen seen = { .stops = 0 };
	const struct tracer_options options = { .every = c->every, .point_limit = c->limit };
	struct tracer_callbacks callbacks = { .context = &seen };
	struct tracer tracer = { .options = &options,
				 .callbacks = &callbacks,
				 .pid = 70,
				 .thread_count = c->threads,
				 .to_entry = c->to_entry,
				 .from_pc = c->from_pc };
	struct thread thread = { .tid = 77, .steps = c->steps, .looked = c->looked };
	bool told = c->is_point && !c->nobody;

	if (!c->nobody) {
		callbacks.on_stop = see_stop;
		callbacks.on_passed = see_passed;
	}
	thread.regs.rip = c->rip;
	shadow_stack_init(&thread.shadow, !c->unrooted);
	ck_assert_msg(thread_point(&tracer, &thread, !c->untrapped) == (told	    ? 5
									: c->passed ? 6
										    : 0),
		      "%s", c->name);
	ck_assert_msg(seen.stops == told && seen.passed == c->passed, "%s: %d, %d", c->name,
		      seen.stops, seen.passed);
	ck_assert_uint_eq(tracer.counters.points, c->is_point);
	ck_assert_uint_eq(tracer.counters.untrapped, c->untrapped);
	ck_assert_uint_eq(tracer.counters.unrooted, c->unrooted);
	ck_assert_int_eq(tracer.stopping, c->stops);
	ck_assert_uint_eq(tracer.from_pc, c->is_point ? 0 : c->from_pc);
	if (told) {
		ck_assert(seen.stop.pid == 70 && seen.stop.tid == 77);
		ck_assert_uint_eq(seen.stop.regs.value[REGISTER_RIP], c->rip);
		ck_assert_ptr_eq(seen.stop.shadow, &thread.shadow);
		ck_assert_int_eq(seen.stop.alone, c->threads == 1);
		ck_assert_int_eq(seen.stop.looked, c->looked);
		ck_assert_int_eq(seen.stop.trapped, !c->untrapped);
	}
	shadow_stack_deinit(&thread.shadow);
}
END_TEST

START_TEST(depth_of_points_is_counted)
{
	static const size_t depths[] = { 3, 5, 2, 2, 4 };
	struct tracer_counters counters = { 0 };
	struct thread thread = { .shadow = { .rooted = true } };

	for (int i = 0; i < COUNT(depths); i++) {
		thread.shadow.count = depths[i];
		count_point(&counters, &thread, i != 1);
		if (i == 0)
			ck_assert(counters.min_frames == 3 && counters.max_frames == 3);
	}
	ck_assert_uint_eq(counters.points, 5);
	ck_assert_uint_eq(counters.frames, 16);
	ck_assert_uint_eq(counters.min_frames, 2);
	ck_assert_uint_eq(counters.max_frames, 5);
	ck_assert_uint_eq(counters.untrapped, 1);
	ck_assert_uint_eq(counters.unrooted, 0);
	thread.shadow.rooted = false;
	count_point(&counters, &thread, true);
	ck_assert_uint_eq(counters.unrooted, 1);
}
END_TEST

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
	struct thread thread = { .stack = { 0x1000, 0x8000 }, .base = 0x7800 };

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
	ck_assert_msg(may_change_code(change_cases[_i].number, change_cases[_i].protection) ==
			      change_cases[_i].may,
		      "%s", change_cases[_i].name);
}
END_TEST

START_TEST(errors_are_the_last_4095)
{
	ck_assert(is_error((uint64_t)-1));
	ck_assert(is_error((uint64_t)-4095));
	ck_assert(!is_error((uint64_t)-4096));
	ck_assert(!is_error(0));
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
	struct thread thread = { .next = { .kind = sigreturn_cases[_i].kind } };

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

static void setup(struct tracer *tracer, struct thread *thread)
{
	static struct error error;
	static struct tracer_callbacks callbacks;

	*tracer = (struct tracer) { .error = &error, .callbacks = &callbacks, .memory_fd = -1 };
	tracer->memory.read = read_own;
	tracer->decoder = decoder_create(&error);
	ck_assert_ptr_nonnull(tracer->decoder);
	*thread = (struct thread) { .tid = 77, .may_continue = true };
	thread->stack = (struct address_range) { (uint64_t)stack_bytes,
						 (uint64_t)stack_bytes + sizeof(stack_bytes) };
	thread->base = thread->stack.high;
	shadow_stack_init(&thread->shadow, true);
}

static void teardown(struct tracer *tracer, struct thread *thread)
{
	shadow_stack_deinit(&thread->shadow);
	decoder_destroy(tracer->decoder);
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
	struct tracer tracer;
	struct thread thread;

	build_frame();
	setup(&tracer, &thread);
	if (handler_cases[_i].alternate) {
		frame->context.uc_stack.ss_flags = 0;
		frame->context.uc_stack.ss_sp = stack_bytes;
		frame->context.uc_stack.ss_size = 4096;
	}
	thread_enter_handler(&tracer, &thread, &regs); /* the mask can't be asked for */
	ck_assert_uint_eq(tracer.counters.signals, 1);
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
	teardown(&tracer, &thread);
}
END_TEST

START_TEST(handler_without_a_frame_is_an_error)
{
	struct user_regs_struct regs = { .rip = PC, .rsp = (uint64_t)stack_bytes + 8000 };
	struct tracer tracer;
	struct thread thread;

	setup(&tracer, &thread);
	ck_assert_int_eq(thread_enter_handler(&tracer, &thread, &regs), -1);
	ck_assert_int_eq(tracer.error->code, ERROR_PROTOCOL);
	ck_assert_uint_eq(tracer.counters.signals, 0);
	teardown(&tracer, &thread);
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
	struct tracer tracer;
	struct thread thread;

	build_frame();
	setup(&tracer, &thread);
	memcpy((void *)(uintptr_t)regs.rsp, &return_cases[_i].word, sizeof(uint64_t));
	thread_enter_handler(&tracer, &thread, &handler);
	thread.next = (struct instruction) { .kind = INSTRUCTION_SYSCALL, .length = 2 };
	ck_assert_int_eq(apply_sigreturn(&tracer, &thread, &regs), 0);
	ck_assert_msg(thread.shadow.count == return_cases[_i].frames, "%s: %zu frames",
		      return_cases[_i].name, thread.shadow.count);
	if (thread.shadow.count) {
		ck_assert(thread.shadow.frame[0].planted);
		ck_assert_uint_eq(thread.shadow.frame[0].slot, regs.rsp);
		ck_assert_uint_eq(thread.shadow.frame[0].return_address, PC);
	}
	ck_assert_uint_eq(tracer.counters.disturbances, return_cases[_i].disturbances);
	ck_assert_int_eq(thread.next.sp_source, return_cases[_i].sp ? SP_FROM_MEMORY : SP_MOVED);
	teardown(&tracer, &thread);
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
	struct thread thread = { .derived = derived_cases[_i].before };

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
	struct tracer tracer;
	struct thread thread;

	setup(&tracer, &thread);
	memset(stack_bytes, 0, sizeof(stack_bytes));
	if (!popped_cases[_i].readable)
		regs.rsp = 0x1000;
	else
		memcpy(stack_bytes + 512 - 8, &word, sizeof(word));
	ck_assert_msg(is_popped(&tracer, &regs) == popped_cases[_i].popped, "%s",
		      popped_cases[_i].name);
	teardown(&tracer, &thread);
}
END_TEST

/* What the step before had to put right, and what was looked at, is of that step alone, whether or not it was a
 * point. */
START_TEST(each_step_begins_anew)
{
	struct user_regs_struct regs = { .rip = (uint64_t)stack_bytes + 17,
					 .rsp = (uint64_t)stack_bytes + 512 };
	struct tracer tracer;
	struct thread thread;

	setup(&tracer, &thread);
	memset(stack_bytes, 0x90, sizeof(stack_bytes));
	thread.regs = regs;
	thread.regs.rip--;
	thread.next = tracer_decode(&tracer, thread.regs.rip);
	thread.looked = true;
	thread.traps.repair[0] = (struct trap_repair) { .at = 1, .size = 8, .seen = 2, .right = 3 };
	thread.traps.repair_count = 1;
	ck_assert_int_eq(thread_step(&tracer, &thread, &regs), 0);
	ck_assert_uint_eq(thread.traps.repair_count, 0);
	ck_assert(!thread.looked);
	ck_assert_uint_eq(thread.regs.rip, regs.rip);
	ck_assert_uint_eq(tracer.counters.last_pc, regs.rip);
	ck_assert_uint_eq(tracer.counters.steps, 1);
	ck_assert_uint_eq(thread.steps, 1);
	teardown(&tracer, &thread);
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
	struct tracer tracer;
	struct thread thread;

	setup(&tracer, &thread);
	ck_assert_int_eq(push_call(&tracer, &thread, &regs, PC + 5), 0);
	if (saved_cases[_i].changed)
		*saved[saved_cases[_i].changed - 1] = 99;
	thread.regs.rsp = regs.rsp;
	thread.regs.rip = PC + 70;
	regs.rsp += 8;
	ck_assert_int_eq(apply_return(&tracer, &thread, &regs), 0);
	ck_assert_msg(tracer.counters.returns_registers == (saved_cases[_i].changed > 0), "%s",
		      saved_cases[_i].name);
	ck_assert_uint_eq(tracer.counters.returns, 1);
	ck_assert_uint_eq(thread.shadow.at, PC + 70);
	teardown(&tracer, &thread);
}
END_TEST

SUITE(tracer_points, LOOP(stop_is_a_point_or_is_passed, point_cases),
      TEST(depth_of_points_is_counted), LOOP(rsp_may_be_on_another_stack, switch_cases),
      LOOP(code_may_change_by_some_calls, change_cases), TEST(errors_are_the_last_4095),
      LOOP(sigreturn_is_known, sigreturn_cases), LOOP(handler_has_two_frames, handler_cases),
      TEST(handler_without_a_frame_is_an_error), LOOP(handler_lets_it_go_on, return_cases),
      LOOP(what_is_computed_from_rsp_is_followed, derived_cases),
      LOOP(jump_to_what_was_popped, popped_cases), TEST(each_step_begins_anew),
      LOOP(ret_brings_back_what_a_call_left, saved_cases))
