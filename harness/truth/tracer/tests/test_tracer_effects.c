/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_tracer_effects.c - what the tracer does around a step, and in which order
 *
 * What others do of a step is made up and written down. tracer_step.c is included.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "tests/suite.h"

#define stepped_begin		say_begin
#define stepped_end		say_end
#define stepped_apply		say_apply
#define stepped_enter_handler	say_enter
#define thread_executed		say_executed
#define thread_hide_stepping	say_hide
#define thread_rseq_find	say_find
#define thread_rseq_step	say_rseq
#define thread_traps_in_handler say_traps
#define tracer_mappings_changed say_mappings
#define tracer_is_volatile	say_volatile
#include "truth/tracer/tracer_step.c"

#define PC  0x401000
#define PID 70

static struct world {
	char said[200];
	const char *fails;
	bool is_volatile;
	uint8_t code[64]; /* from PC on */
	struct tracer tracer;
	struct thread thread;
	struct user_regs_struct regs; /* after the step */
} world;

static struct error error;

static inline int __attribute__((format(printf, 1, 2))) say(const char *format, ...)
{
	size_t begin = strlen(world.said), used;
	va_list arguments;
	bool fails;

	va_start(arguments, format);
	vsnprintf(world.said + begin, sizeof(world.said) - begin, format, arguments);
	va_end(arguments);
	fails = world.fails && !strcmp(world.said + begin, world.fails);
	used = strlen(world.said);
	snprintf(world.said + used, sizeof(world.said) - used, " ");
	return fails ? -1 : 0;
}

void say_begin(struct stepped_process *process, struct stepped_thread *thread, bool rooted,
	       bool made)
{
	say("begin%s%s", rooted ? "" : "(prefix)", made ? "(made)" : "");
}

void say_end(struct stepped_thread *thread)
{
	say("end");
}

int say_apply(struct stepped_process *process, struct stepped_thread *thread,
	      const struct user_regs_struct *regs)
{
	return say("apply");
}

int say_enter(struct stepped_process *process, struct stepped_thread *thread,
	      const struct user_regs_struct *regs)
{
	return say("enter");
}

void say_executed(struct tracer *tracer, struct thread *thread, const struct user_regs_struct *regs)
{
	ck_assert_uint_eq(thread->core.regs.rip, PC);
	say("executed");
}

int say_hide(struct tracer *tracer, struct thread *thread, struct user_regs_struct *regs)
{
	regs->rax = 0x77; /* what shows the tracer is taken out */
	return say("hide");
}

void say_find(struct tracer *tracer, struct thread *thread)
{
	say("find");
}

void say_rseq(struct tracer *tracer, struct thread *thread, const struct user_regs_struct *regs)
{
	ck_assert_uint_eq(thread->core.regs.rip, PC);
	say("rseq");
}

int say_traps(struct tracer *tracer, struct thread *thread, uint64_t sp)
{
	return say("traps(%" PRIx64 ")", sp);
}

int say_mappings(struct tracer *tracer, bool replaced)
{
	return say(replaced ? "mappings" : "mappings(same)");
}

bool say_volatile(const struct tracer *tracer, uint64_t pc)
{
	say("volatile");
	return world.is_volatile;
}

static int read_memory(void *context, uint64_t address, void *ret, size_t size)
{
	if (address < PC || address + size > PC + sizeof(world.code))
		return -1;
	memcpy(ret, world.code + (address - PC), size);
	return 0;
}

static struct thread *setup(void)
{
	static const struct tracer_callbacks callbacks;

	memset(&world, 0, sizeof(world));
	memset(world.code, 0x90, sizeof(world.code));
	tracer_init(&world.tracer, NULL, &callbacks, PID, &error);
	world.tracer.core.memory.read = read_memory;
	world.tracer.core.decoder = decoder_create(&error);
	ck_assert_ptr_nonnull(world.tracer.core.decoder);
	world.thread.core.tid = PID;
	world.thread.core.regs.rip = PC;
	world.regs.rip = PC + 3;
	world.code[3] = 0xc3;
	return &world.thread;
}

static void teardown(void)
{
	decoder_destroy(world.tracer.core.decoder);
}

/* ---- the code ------------------------------------------------------------------------------- */

/* Code that may change by itself is read each time; other code once. */
static const struct {
	size_t volatiles;
	bool is_volatile;
	const char *said;
	bool again;
} decode_cases[] = { { 0, true, "", false },
		     { 1, false, "volatile volatile ", false },
		     { 1, true, "volatile volatile ", true } };

START_TEST(code_is_decoded)
{
	setup();
	world.tracer.volatile_count = decode_cases[_i].volatiles;
	world.is_volatile = decode_cases[_i].is_volatile;
	ck_assert_int_eq(tracer_decode(&world.tracer, PC).kind, INSTRUCTION_OTHER);
	world.code[0] = 0xc3;
	ck_assert_int_eq(tracer_decode(&world.tracer, PC).kind,
			 decode_cases[_i].again ? INSTRUCTION_RETURN : INSTRUCTION_OTHER);
	ck_assert_str_eq(world.said, decode_cases[_i].said);
	teardown();
}
END_TEST

static const struct {
	enum thread_state state;
	pid_t tid;
	bool rooted;
	const char *said;
} begin_cases[] = {
	{ THREAD_ENTERING, PID, true, "begin find " },
	{ THREAD_STARTING, PID, false, "begin(prefix) find " },
	{ THREAD_NEW, PID, true, "begin(made) find " }, /* fork(2) */
	{ THREAD_NEW, PID + 1, true, "begin(made) find " },
	{ THREAD_ENTERING, PID + 1, true, "begin(made) find " },
};

START_TEST(thread_begins_to_be_stepped)
{
	struct thread *thread = setup();

	thread->state = begin_cases[_i].state;
	thread->core.tid = begin_cases[_i].tid;
	world.code[0] = 0xc3;
	thread_begin(&world.tracer, thread, begin_cases[_i].rooted);
	ck_assert_str_eq(world.said, begin_cases[_i].said);
	ck_assert_int_eq(thread->state, THREAD_STEPPED);
	ck_assert_int_eq(thread->core.next.kind, INSTRUCTION_RETURN);
	ck_assert_uint_eq(thread->core.next.length, 1);
	world.said[0] = 0;
	thread_destroy(calloc(1, sizeof(*thread)));
	ck_assert_str_eq(world.said, "end ");
	teardown();
}
END_TEST

/* ---- a step --------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum instruction_kind kind;
	uint64_t number, rdi, rdx, result; /* of a system call */
	const char *fails, *said;
	int ret;
	uint64_t children;
} step_cases[] = {
	{ "plain", .said = "executed apply hide rseq " },
	{ "can_not_be_applied", .fails = "apply", .said = "executed apply ", .ret = -1 },
	{ "can_not_be_hidden", .fails = "hide", .said = "executed apply hide ", .ret = -1 },
	{ "no_call", INSTRUCTION_OTHER, SYS_munmap, .said = "executed apply hide rseq " },
	{ "call_that_can_not_be_applied", INSTRUCTION_SYSCALL, SYS_munmap, .fails = "apply",
	  .said = "executed apply ", .ret = -1 },
	{ "read", INSTRUCTION_SYSCALL, SYS_read, 0, PROT_EXEC, 8,
	  .said = "executed apply hide rseq " },
	{ "mmap_of_code", INSTRUCTION_SYSCALL, SYS_mmap, 0, PROT_EXEC, 0x10000,
	  .said = "executed apply mappings(same) hide rseq " },
	{ "mmap_of_data", INSTRUCTION_SYSCALL, SYS_mmap, 0, PROT_READ, 0x10000,
	  .said = "executed apply hide rseq " },
	{ "mmap_that_fails", INSTRUCTION_SYSCALL, SYS_mmap, 0, PROT_EXEC, -ENOMEM,
	  .said = "executed apply hide rseq " },
	{ "read_that_fails", INSTRUCTION_SYSCALL, SYS_read, 0, 0, -EIO,
	  .said = "executed apply hide rseq " },
	{ "mappings_fail", INSTRUCTION_SYSCALL, SYS_munmap, .fails = "mappings(same)",
	  .said = "executed apply mappings(same) ", .ret = -1 },
	{ "clone", INSTRUCTION_SYSCALL, SYS_clone, CLONE_UNTRACED, 0, 9,
	  .said = "executed apply hide rseq ", .children = 1 },
};

START_TEST(step_is_over)
{
	struct thread *thread = setup();

	thread->steps = 9;
	thread->traps.repair_count = 1;
	thread->core.next.kind = step_cases[_i].kind;
	thread->core.regs.rax = step_cases[_i].number;
	thread->core.regs.rdi = step_cases[_i].rdi;
	thread->core.regs.rdx = step_cases[_i].rdx;
	world.regs.rax = step_cases[_i].result;
	world.fails = step_cases[_i].fails;
	ck_assert_msg(thread_step(&world.tracer, thread, &world.regs) == step_cases[_i].ret, "%s",
		      step_cases[_i].name);
	ck_assert_msg(!strcmp(world.said, step_cases[_i].said), "%s: %s", step_cases[_i].name,
		      world.said);
	ck_assert_uint_eq(world.tracer.counters.steps, 1);
	ck_assert_uint_eq(world.tracer.counters.children, step_cases[_i].children);
	ck_assert_uint_eq(thread->steps, 10);
	ck_assert_uint_eq(thread->traps.repair_count, 0);
	ck_assert_uint_eq(thread->core.regs.rip, step_cases[_i].ret ? PC : PC + 3);
	ck_assert_uint_eq(world.tracer.counters.last_pc, step_cases[_i].ret ? 0 : PC + 3);
	if (!step_cases[_i].ret) {
		ck_assert_uint_eq(thread->core.regs.rax, 0x77);
		ck_assert_int_eq(thread->core.next.kind, INSTRUCTION_RETURN);
	}
	teardown();
}
END_TEST

static const struct {
	const char *fails, *said;
} enter_cases[] = {
	{ NULL, "enter traps(7100) " },
	{ "enter", "enter " },
	{ "traps(7100)", "enter traps(7100) " },
};

START_TEST(handler_is_entered)
{
	struct thread *thread = setup();

	world.regs.rsp = 0x7100;
	world.fails = enter_cases[_i].fails;
	ck_assert_int_eq(thread_enter_handler(&world.tracer, thread, &world.regs), _i ? -1 : 0);
	ck_assert_str_eq(world.said, enter_cases[_i].said);
	teardown();
}
END_TEST

SUITE(tracer_effects, LOOP(code_is_decoded, decode_cases),
      LOOP(thread_begins_to_be_stepped, begin_cases), LOOP(step_is_over, step_cases),
      LOOP(handler_is_entered, enter_cases))
