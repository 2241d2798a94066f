/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_tracer_steps.c - what one step was, and restartable sequences, on a thread that is made up
 *
 * Its memory is a file: a struct rseq, a section's descriptor, and a few bytes of code.
 */
#include <fcntl.h>
#include <linux/rseq.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/suite.h"
#include "truth/tracer/tracer.c"
#include "truth/tracer/tracer_executed.c"
static long say_ptrace(int request, pid_t tid, size_t size, void *ret);
#define ptrace say_ptrace
#include "truth/tracer/tracer_rseq.c"
#undef ptrace

#define AREA	0x1000
#define SECTION 0x2000 /* its descriptor */
#define CODE	0x3000
#define START	0x401000
#define BYTES	16
#define FIELD	(AREA + offsetof(struct rseq, rseq_cs))

static int read_file(void *context, uint64_t address, void *ret, size_t size)
{
	const struct tracer *tracer = context;

	return pread(tracer->memory_fd, ret, size, (off_t)address) == (ssize_t)size ? 0 : -1;
}

static void write_file(const struct tracer *tracer, uint64_t address, const void *bytes,
		       size_t size)
{
	ck_assert_int_eq(pwrite(tracer->memory_fd, bytes, size, (off_t)address), (ssize_t)size);
}

static void set_field(const struct tracer *tracer, uint64_t section)
{
	write_file(tracer, FIELD, &section, sizeof(section));
}

static uint64_t field_of(const struct tracer *tracer)
{
	uint64_t ret = 1;

	ck_assert_int_eq(pread(tracer->memory_fd, &ret, sizeof(ret), FIELD), sizeof(ret));
	return ret;
}

static void setup(struct tracer *tracer)
{
	const struct rseq_cs section = { .start_ip = START, .post_commit_offset = BYTES };
	/* mov %eax, %ss; push %rbx; nop */
	static const uint8_t code[] = { 0x8e, 0xd0, 0x53, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
					0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90 };
	static struct error error;

	*tracer = (struct tracer) { .core.memory = { read_file, tracer }, .core.error = &error };
	tracer->memory_fd = memfd_create("test_tracer_steps", MFD_CLOEXEC);
	ck_assert_int_ge(tracer->memory_fd, 0);
	tracer->core.decoder = decoder_create(&error);
	ck_assert_ptr_nonnull(tracer->core.decoder);
	write_file(tracer, SECTION, &section, sizeof(section));
	write_file(tracer, CODE, code, sizeof(code));
	set_field(tracer, SECTION);
}

static void teardown(struct tracer *tracer)
{
	decoder_destroy(tracer->core.decoder);
	close(tracer->memory_fd);
}

/* ---- two instructions in one step --------------------------------------------------------- */

static const struct {
	const char *name;
	bool holds_trap;
	uint64_t rip; /* after the step */
	bool merged;
} merged_cases[] = {
	{ "mov_ss_alone", true, CODE + 2, false },
	{ "mov_ss_and_the_next", true, CODE + 3, true },
	{ "mov_ss_and_a_jump_back", true, CODE - 2, true },
	{ "another", false, CODE + 2, false },
	{ "another_that_jumped", false, CODE - 2, false },
};

START_TEST(mov_ss_takes_the_next_along)
{
	struct user_regs_struct after = { .rip = merged_cases[_i].rip };
	struct thread thread = { .core.regs = { .rip = CODE },
				 .core.next = { .kind = INSTRUCTION_OTHER, .length = 2 } };
	bool merged = merged_cases[_i].merged;
	struct tracer tracer;

	setup(&tracer);
	thread.core.next.traits.holds_trap = merged_cases[_i].holds_trap;
	thread.core.next.traits.jumps = !merged_cases[_i].holds_trap;
	thread_executed(&tracer, &thread, &after);
	ck_assert_msg(tracer.counters.merged_steps == merged, "%s", merged_cases[_i].name);
	ck_assert_uint_eq(thread.core.regs.rip, merged ? CODE + 2 : CODE);
	ck_assert_msg(thread.core.next.length == (merged ? 1 : 2), "%s", merged_cases[_i].name);
	teardown(&tracer);
}
END_TEST

/* ---- whether the bytes are read again ----------------------------------------------------- */

static const struct {
	const char *name;
	struct instruction executed;
	int64_t rip, rsp; /* moved by */
	bool rcx;	  /* is the next rip */
	bool doubtful;
} doubt_cases[] = {
	{ "goes_on", { .length = 3 }, 3, 0, false, false },
	{ "syscall_by_its_rcx", { .length = 3 }, 3, 0, true, true },
	{ "jump_out_of_none", { .length = 3 }, 4, 0, false, true },
	{ "jump", { .length = 3, .traits = { .jumps = true } }, 9, 0, false, false },
	{ "again", { .length = 3 }, 0, 0, false, false },
	{ "unknown_length", { .length = 0 }, 9, 0, false, false },
	{ "push", { .length = 2 }, 2, -8, false, false },
	{ "longest_push", { .length = 4 }, 4, -8, false, false },
	{ "call_of_the_next", { .length = 5 }, 5, -8, false, true },
	{ "push_that_jumped", { .length = 2 }, 9, -8, false, true },
	{ "pop", { .length = 1 }, 1, 8, false, false },
	{ "pop_that_jumped", { .length = 1 }, 9, 8, false, true },
	{ "larger_push", { .length = 4 }, 4, -16, false, true },
	{ "larger_pop", { .length = 4 }, 4, 16, false, true },
	{ "call", { .kind = INSTRUCTION_CALL, .length = 5 }, 99, -8, false, false },
	{ "call_without_a_push", { .kind = INSTRUCTION_CALL, .length = 5 }, 99, 0, false, true },
	{ "call_that_popped", { .kind = INSTRUCTION_CALL, .length = 5 }, 99, 8, false, true },
	{ "ret", { .kind = INSTRUCTION_RETURN, .length = 1 }, 99, 8, false, false },
	{ "ret_n", { .kind = INSTRUCTION_RETURN, .length = 3 }, 99, 24, false, false },
	{ "ret_too_short", { .kind = INSTRUCTION_RETURN, .length = 1 }, 99, 7, false, true },
	{ "ret_to_the_next", { .kind = INSTRUCTION_RETURN, .length = 1 }, 1, 8, false, true },
	{ "system_call", { .kind = INSTRUCTION_SYSCALL, .length = 2 }, 2, 0, false, true },
	{ "unknown", { .kind = INSTRUCTION_UNKNOWN, .length = 2 }, 99, 16, true, false },
	{ "trap", { .kind = INSTRUCTION_TRAP, .length = 1 }, 1, 0, false, false },
};

START_TEST(doubtful_is_what_contradicts)
{
	const struct user_regs_struct before = { .rip = START, .rsp = 0x7000 };
	struct user_regs_struct after = { .rip = START + (uint64_t)doubt_cases[_i].rip,
					  .rsp = 0x7000 + (uint64_t)doubt_cases[_i].rsp };
	struct instruction executed = doubt_cases[_i].executed;

	if (executed.kind == (enum instruction_kind)0)
		executed.kind = INSTRUCTION_OTHER;
	after.rcx = doubt_cases[_i].rcx ? after.rip : 0;
	ck_assert_msg(is_doubtful(&executed, &before, &after) == doubt_cases[_i].doubtful, "%s",
		      doubt_cases[_i].name);
}
END_TEST

/* ---- what it was, read again ---------------------------------------------------------------- */

static const struct {
	const char *name;
	struct instruction executed;
	int64_t rip; /* moved by */
	bool moved;
} moved_cases[] = {
	{ "out_of_what_does_not_jump", { .length = 3 }, 9, true },
	{ "back", { .length = 3 }, -3, true },
	{ "to_the_next", { .length = 3 }, 3, false },
	{ "again", { .length = 3 }, 0, false },
	{ "by_a_jump", { .length = 3, .traits = { .jumps = true } }, 9, false },
	{ "of_unknown_length", { .length = 0 }, 9, false },
	{ "unknown", { .kind = INSTRUCTION_UNKNOWN, .length = 3 }, 9, false },
};

START_TEST(thread_was_moved)
{
	const struct user_regs_struct before = { .rip = START };
	const struct user_regs_struct after = { .rip = START + (uint64_t)moved_cases[_i].rip };

	ck_assert_msg(was_moved(&moved_cases[_i].executed, &before, &after) ==
			      moved_cases[_i].moved,
		      "%s", moved_cases[_i].name);
}
END_TEST

static const struct {
	const char *name;
	uint8_t byte; /* there now, instead of a nop */
	uint64_t rip, area;
	bool stale, moved;
} renewed_cases[] = {
	{ "as_it_was", 0x90, CODE + 4, AREA, false, false },
	{ "as_it_was_and_it_went_elsewhere", 0x90, CODE + 9, AREA, false, true },
	{ "without_an_area", 0x90, CODE + 9, 0, false, true },
	{ "another_one", 0xc3, CODE + 9, AREA, true, false },
};

START_TEST(doubtful_bytes_are_read_again)
{
	struct user_regs_struct after = { .rip = renewed_cases[_i].rip, .rsp = 0x7008 };
	struct thread thread = { .core.regs = { .rip = CODE + 3, .rsp = 0x7000 },
				 .rseq = { .area = renewed_cases[_i].area } };
	struct tracer tracer;

	setup(&tracer);
	thread.core.next = tracer_decode(&tracer, CODE + 3);
	thread.core.next.length = 2; /* so that rsp and rip contradict it */
	write_file(&tracer, CODE + 3, &renewed_cases[_i].byte, 1);
	thread_executed(&tracer, &thread, &after);
	ck_assert_msg(tracer.counters.stale_instructions == renewed_cases[_i].stale &&
			      tracer.counters.moved == renewed_cases[_i].moved,
		      "%s", renewed_cases[_i].name);
	ck_assert_uint_eq(thread.core.next.length, 1);
	ck_assert_int_eq(thread.core.next.kind,
			 renewed_cases[_i].stale ? INSTRUCTION_RETURN : INSTRUCTION_OTHER);
	ck_assert_int_eq(thread.rseq.polled, renewed_cases[_i].moved && renewed_cases[_i].area);
	teardown(&tracer);
}
END_TEST

START_TEST(page_without_code_has_a_beginning_and_an_end)
{
	ck_assert(is_vsyscall(0xffffffffff600000) && is_vsyscall(0xffffffffff600fff));
	ck_assert(!is_vsyscall(0xffffffffff5fffff) && !is_vsyscall(0xffffffffff601000));
}
END_TEST

/* What was called there returns at once; in most kernels with the instruction behind the call. */
static const struct {
	const char *name;
	size_t frames;
	uint64_t rsp, rip; /* rip: after the step */
	bool followed;
	size_t frames_after;
} page_cases[] = {
	{ "only_returned", 1, SECTION, CODE + 2, false, 1 },
	{ "and_the_next", 1, SECTION, CODE + 3, true, 0 },
	{ "and_the_next_by_memory", 1, SECTION + 8, CODE + 3, true, 0 },
	{ "by_memory_on_an_empty_stack", 0, SECTION + 8, CODE + 3, true, 0 },
	{ "only_returned_by_memory", 0, SECTION + 8, CODE + 2, false, 0 },
	{ "nothing_is_known", 0, 1ull << 40, CODE + 3, false, 0 },
};

START_TEST(page_without_code_returns)
{
	/* Before the frame and behind it are others, which are none. */
	struct shadow_frame frames[3] = { { .slot = SECTION + 8, .return_address = 1 },
					  { .slot = SECTION, .return_address = CODE + 2 },
					  { .slot = SECTION + 8, .return_address = 2 } };
	struct user_regs_struct after = { .rip = page_cases[_i].rip };
	struct thread thread = {
		.core.regs = { .rip = 0xffffffffff600400, .rsp = page_cases[_i].rsp },
		.core.shadow = { .frame = frames + 1, .count = page_cases[_i].frames }
	};
	const uint64_t word = CODE + 2;
	bool followed = page_cases[_i].followed;
	struct tracer tracer;

	setup(&tracer);
	write_file(&tracer, SECTION + 8, &word, sizeof(word));
	thread_executed(&tracer, &thread, &after);
	ck_assert_msg(tracer.counters.merged_steps == followed, "%s", page_cases[_i].name);
	ck_assert_uint_eq(thread.core.regs.rsp, page_cases[_i].rsp + (followed ? 8 : 0));
	ck_assert_uint_eq(thread.core.regs.rip, followed ? CODE + 2 : 0xffffffffff600400);
	ck_assert_int_eq(thread.core.next.kind, followed ? INSTRUCTION_OTHER : INSTRUCTION_RETURN);
	ck_assert_uint_eq(thread.core.next.length, followed ? 1 : 0);
	ck_assert_uint_eq(thread.core.shadow.count, page_cases[_i].frames_after);
	teardown(&tracer);
}
END_TEST

/* ---- restartable sequences ---------------------------------------------------------------- */

static struct thread storing_thread(void)
{
	struct thread thread = { .rseq = { .area = AREA }, .core.next = { .length = 4 } };

	thread.core.next.traits.stores = true;
	thread.core.next.traits.store.base = BASE_NONE;
	thread.core.next.traits.store.index = BASE_NONE;
	thread.core.next.traits.store.displacement = FIELD;
	return thread;
}

static void step_to(struct tracer *tracer, struct thread *thread, uint64_t rip)
{
	const struct user_regs_struct regs = { .rip = rip };

	thread_rseq_step(tracer, thread, &regs);
}

static const struct {
	const char *name;
	uint64_t rip;
	int32_t displacement; /* of the store, from the field */
	uint32_t version;
	bool stores, polled, entered;
} enter_cases[] = {
	{ "first_byte", START, 0, 0, true, false, true },
	{ "last_byte", START + BYTES - 1, 0, 0, true, false, true },
	{ "before_it", START - 1, 0, 0, true, false, false },
	{ "behind_it", START + BYTES, 0, 0, true, false, false },
	{ "of_no_known_version", START, 0, 1, true, false, false },
	{ "no_store", START, 0, 0, false, false, false },
	{ "no_store_but_one_was_missed", START, 0, 0, false, true, true },
	{ "longest_store", START, -STORE_BYTES_MAX, 0, true, false, true },
	{ "store_before_it", START, -STORE_BYTES_MAX - 1, 0, true, false, false },
	{ "store_of_64_bytes", START, -64, 0, true, false, true },
	{ "store_of_65_bytes", START, -65, 0, true, false, false },
	{ "store_to_its_last_byte", START, 7, 0, true, false, true },
	{ "store_behind_it", START, 8, 0, true, false, false },
};

START_TEST(section_is_entered_by_a_store)
{
	const uint32_t version = enter_cases[_i].version;
	bool entered = enter_cases[_i].entered;
	struct thread thread = storing_thread();
	struct tracer tracer;

	setup(&tracer);
	write_file(&tracer, SECTION, &version, sizeof(version));
	thread.core.next.traits.stores = enter_cases[_i].stores;
	thread.core.next.traits.store.displacement += enter_cases[_i].displacement;
	thread.rseq.polled = enter_cases[_i].polled;
	step_to(&tracer, &thread, enter_cases[_i].rip);
	ck_assert_msg(tracer.counters.rseq_sections == entered, "%s", enter_cases[_i].name);
	ck_assert_ptr_eq(tracer.in_section, entered ? &thread : NULL);
	ck_assert_uint_eq(thread.rseq.section, entered ? SECTION : 0);
	/* The kernel does not see it while the tracer does. */
	ck_assert_uint_eq(field_of(&tracer), entered ? 0 : SECTION);
	teardown(&tracer);
}
END_TEST

START_TEST(section_is_left_at_its_end)
{
	static const struct {
		uint64_t rip;
		bool in;
	} places[] = { { START, true },
		       { START + BYTES - 1, true },
		       { START + BYTES, false },
		       { START - 1, false } };
	struct thread thread = storing_thread();
	struct tracer tracer;

	setup(&tracer);
	step_to(&tracer, &thread, START);
	thread.core.next.traits.stores = false;
	step_to(&tracer, &thread, places[_i].rip);
	ck_assert_uint_eq(thread.rseq.section, places[_i].in ? SECTION : 0);
	ck_assert_ptr_eq(tracer.in_section, places[_i].in ? &thread : NULL);
	ck_assert_uint_eq(tracer.counters.rseq_aborts, 0);
	teardown(&tracer);
}
END_TEST

#define STEPS_MAX 4096

START_TEST(section_is_given_up_after_so_many_steps)
{
	struct thread thread = storing_thread();
	struct tracer tracer;

	setup(&tracer);
	step_to(&tracer, &thread, START);
	thread.core.next.traits.stores = false;
	for (int i = 0; i < STEPS_MAX; i++)
		step_to(&tracer, &thread, START + 1);
	ck_assert_ptr_eq(tracer.in_section, &thread);
	ck_assert_uint_eq(tracer.counters.rseq_aborts, 0);
	step_to(&tracer, &thread, START + 1);
	ck_assert_ptr_null(tracer.in_section);
	ck_assert_uint_eq(tracer.counters.rseq_aborts, 1);
	ck_assert_uint_eq(field_of(&tracer), SECTION);
	thread_rseq_give_up(&tracer, &thread); /* it is in none */
	ck_assert_uint_eq(tracer.counters.rseq_aborts, 1);
	teardown(&tracer);
}
END_TEST

/* Who has registered no area, and whose memory can't be written. */
START_TEST(section_of_what_can_not_be_hidden)
{
	struct thread thread = storing_thread(), other = storing_thread();
	struct tracer tracer;
	char path[32];
	int file;

	setup(&tracer);
	other.rseq.area = 0;
	other.rseq.polled = true;
	step_to(&tracer, &other, START);
	file = tracer.memory_fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	tracer.memory_fd = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(tracer.memory_fd, 0);
	step_to(&tracer, &thread, START);
	ck_assert_uint_eq(tracer.counters.rseq_sections, 0);
	ck_assert_ptr_null(tracer.in_section);
	close(file);
	teardown(&tracer);
}
END_TEST

static struct {
	long result;
	uint64_t area;
} kernel;

static long say_ptrace(int request, pid_t tid, size_t size, void *ret)
{
	ck_assert_int_eq(request, 0x420f); /* PTRACE_GET_RSEQ_CONFIGURATION */
	ck_assert_int_eq(tid, 77);
	ck_assert_uint_eq(size, 24);
	if (kernel.result >= 0)
		memcpy(ret, &kernel.area, sizeof(kernel.area));
	return kernel.result;
}

/* Where the kernel does not say it, what is known stays. */
START_TEST(area_is_asked_for)
{
	static const struct {
		long result;
		uint64_t area;
	} answers[] = { { 24, AREA }, { 0, AREA }, { -1, 7 } };
	struct thread thread = { .core.tid = 77, .rseq = { .area = 7 } };
	struct tracer tracer = { .core.pid = 77 };

	kernel.result = answers[_i].result;
	kernel.area = AREA;
	thread_rseq_find(&tracer, &thread);
	ck_assert_uint_eq(thread.rseq.area, answers[_i].area);
}
END_TEST

/* The field that the tracer has cleared says nothing; another section's pointer ends the first. */
START_TEST(section_is_in_force_until_another_is)
{
	const struct rseq_cs other = { .start_ip = START + 100, .post_commit_offset = BYTES };
	struct thread thread = storing_thread();
	struct tracer tracer;

	setup(&tracer);
	thread.rseq.steps = 4000;
	step_to(&tracer, &thread, START);
	ck_assert_uint_eq(thread.rseq.steps, 0);
	step_to(&tracer, &thread, START + 1);
	ck_assert_uint_eq(thread.rseq.section, SECTION);
	ck_assert_ptr_eq(tracer.in_section, &thread);
	write_file(&tracer, SECTION + 64, &other, sizeof(other));
	set_field(&tracer, SECTION + 64); /* where rip is not */
	step_to(&tracer, &thread, START + 2);
	ck_assert_uint_eq(thread.rseq.section, 0);
	ck_assert_ptr_null(tracer.in_section);
	ck_assert_uint_eq(tracer.counters.rseq_sections, 1);
	teardown(&tracer);
}
END_TEST

/* Without an area nothing is read, whatever lies where it would be. */
START_TEST(without_an_area_there_is_no_section)
{
	struct thread thread = { .rseq = { .polled = true } };
	const uint64_t section = SECTION;
	struct tracer tracer;

	setup(&tracer);
	write_file(&tracer, offsetof(struct rseq, rseq_cs), &section, sizeof(section));
	step_to(&tracer, &thread, START);
	ck_assert_uint_eq(tracer.counters.rseq_sections, 0);
	ck_assert_ptr_null(tracer.in_section);
	teardown(&tracer);
}
END_TEST

/* The first thread of all has its turn, too. */
START_TEST(turn_is_the_first_thread_s)
{
	struct thread first = { .rseq = { .section = SECTION } }, second = first;
	struct thread *threads[] = { &first, &second };
	struct tracer tracer = { .thread = threads, .thread_count = 2, .in_section = &second };

	thread_rseq_forget(&tracer, &second);
	ck_assert_ptr_eq(tracer.in_section, &first);
}
END_TEST

/* Two have begun one: the second has its turn when the first is out of its own, or gone. */
START_TEST(sections_come_one_after_the_other)
{
	struct thread first = storing_thread(), second = storing_thread(), third = { 0 };
	struct thread *threads[] = { &first, &third, &second };
	struct tracer tracer;

	setup(&tracer);
	tracer.thread = threads;
	tracer.thread_count = COUNT(threads);
	step_to(&tracer, &first, START);
	set_field(&tracer, SECTION);
	step_to(&tracer, &second, START);
	ck_assert_ptr_eq(tracer.in_section, &first);
	thread_rseq_forget(&tracer, &third);
	ck_assert_ptr_eq(tracer.in_section, &first);
	thread_rseq_forget(&tracer, &first);
	ck_assert_ptr_eq(tracer.in_section, &second);
	thread_rseq_forget(&tracer, &second);
	ck_assert_ptr_null(tracer.in_section);
	teardown(&tracer);
}
END_TEST

static const struct {
	const char *name;
	bool section; /* thread 0 is in one */
	bool waits[2];
	enum thread_state state; /* of thread 1 */
	enum instruction_kind next;
	int who; /* -1: nobody */
} turn_cases[] = {
	{ "nobody_waits", false, { false, false }, THREAD_STEPPED, INSTRUCTION_OTHER, -1 },
	{ "one_waits", false, { false, true }, THREAD_STEPPED, INSTRUCTION_OTHER, 1 },
	{ "both_wait", false, { true, true }, THREAD_STEPPED, INSTRUCTION_OTHER, 0 },
	{ "owner_waits_for_one", true, { true, false }, THREAD_STEPPED, INSTRUCTION_OTHER, -1 },
	{ "other_waits", true, { true, true }, THREAD_STEPPED, INSTRUCTION_OTHER, 0 },
	{ "other_is_in_a_call", true, { true, false }, THREAD_STEPPED, INSTRUCTION_SYSCALL, 0 },
	{ "other_is_new", true, { true, false }, THREAD_NEW, INSTRUCTION_OTHER, 0 },
	{ "owner_goes_on", true, { false, true }, THREAD_STEPPED, INSTRUCTION_OTHER, -1 },
};

START_TEST(who_goes_on_next)
{
	struct thread thread[2] = { { .state = THREAD_STEPPED,
				      .waits = turn_cases[_i].waits[0],
				      .core.next = { .kind = INSTRUCTION_OTHER } },
				    { .state = turn_cases[_i].state,
				      .waits = turn_cases[_i].waits[1],
				      .core.next = { .kind = turn_cases[_i].next } } };
	struct thread *threads[] = { &thread[0], &thread[1] };
	struct tracer tracer = { .thread = threads, .thread_count = 2 };

	tracer.in_section = turn_cases[_i].section ? &thread[0] : NULL;
	ck_assert_msg(tracer_rseq_next(&tracer) ==
			      (turn_cases[_i].who < 0 ? NULL : &thread[turn_cases[_i].who]),
		      "%s", turn_cases[_i].name);
}
END_TEST

/* ---- threads that end --------------------------------------------------------------------- */

/* Of three the one that ends: what it held is the next one's. */
START_TEST(thread_that_ends_holds_nothing)
{
	struct thread *thread[3];
	struct tracer tracer;

	setup(&tracer);
	for (int i = 0; i < 3; i++) {
		thread[i] = tracer_add_thread(&tracer, 100 + i,
					      i == 2 ? THREAD_FOREIGN : THREAD_STEPPED);
		ck_assert_ptr_nonnull(thread[i]);
		ck_assert_int_eq(thread[i]->core.tid, 100 + i);
		thread[i]->waits = true;
	}
	ck_assert_uint_eq(tracer.counters.threads, 2);
	tracer.waiting = 3;
	tracer.in_section = thread[0];
	thread[0]->rseq.section = thread[1]->rseq.section = SECTION;
	remove_thread(&tracer, 99); /* nobody */
	ck_assert_uint_eq(tracer.thread_count, 3);
	remove_thread(&tracer, 100);
	ck_assert_ptr_eq(tracer.in_section, thread[1]);
	ck_assert_uint_eq(tracer.waiting, 2);
	ck_assert_uint_eq(tracer.thread_count, 2);
	thread[2]->waits = false;
	tracer.waiting = 1;
	remove_thread(&tracer, 102);
	ck_assert_uint_eq(tracer.waiting, 1);
	ck_assert_ptr_eq(tracer.in_section, thread[1]);
	remove_thread(&tracer, 101);
	ck_assert_ptr_null(tracer.in_section);
	ck_assert_uint_eq(tracer.waiting, 0);
	ck_assert_uint_eq(tracer.thread_count, 0);
	free(tracer.thread);
	teardown(&tracer);
}
END_TEST

START_TEST(exec_leaves_one_thread_and_other_processes)
{
	struct tracer tracer;

	setup(&tracer);
	for (int i = 0; i < 4; i++)
		ck_assert_ptr_nonnull(tracer_add_thread(&tracer, 100 + i,
							i == 2 ? THREAD_FOREIGN : THREAD_STEPPED));
	tracer.in_section = tracer.thread[3];
	remove_other_threads(&tracer, 101);
	ck_assert_uint_eq(tracer.thread_count, 2);
	ck_assert_int_eq(tracer.thread[0]->core.tid + tracer.thread[1]->core.tid, 101 + 102);
	ck_assert_ptr_null(tracer.in_section);
	remove_thread(&tracer, 101);
	remove_thread(&tracer, 102);
	free(tracer.thread);
	teardown(&tracer);
}
END_TEST

/* Nobody goes on while another may execute something; nobody is asked for if nobody waits. */
START_TEST(who_waits_goes_on_waiting)
{
	struct thread owner = { .state = THREAD_STEPPED, .rseq = { .section = SECTION } };
	struct thread other = { .state = THREAD_STEPPED };
	struct thread *threads[] = { &owner, &other };
	struct tracer tracer = { .thread = threads, .thread_count = 2, .in_section = &owner };

	ck_assert_int_eq(resume_waiting(&tracer), 0);
	ck_assert_int_eq(resume_or_wait(&tracer, &owner, SIGUSR1), 0);
	ck_assert(owner.waits && !other.waits);
	ck_assert_int_eq(owner.signal, SIGUSR1);
	ck_assert_uint_eq(tracer.waiting, 1);
	/* The owner was let go: who waits does so until it is out. */
	owner.waits = false;
	other.waits = true;
	ck_assert_int_eq(resume_waiting(&tracer), 0);
	ck_assert(other.waits);
	ck_assert_uint_eq(tracer.waiting, 1);
}
END_TEST

SUITE(tracer_steps, LOOP(mov_ss_takes_the_next_along, merged_cases),
      LOOP(doubtful_is_what_contradicts, doubt_cases), LOOP(thread_was_moved, moved_cases),
      LOOP(doubtful_bytes_are_read_again, renewed_cases),
      TEST(page_without_code_has_a_beginning_and_an_end),
      LOOP(page_without_code_returns, page_cases), LOOP(section_is_entered_by_a_store, enter_cases),
      TIMES(section_is_left_at_its_end, 4), TEST(section_is_given_up_after_so_many_steps),
      TEST(section_of_what_can_not_be_hidden), TIMES(area_is_asked_for, 3),
      TEST(section_is_in_force_until_another_is), TEST(without_an_area_there_is_no_section),
      TEST(turn_is_the_first_thread_s), TEST(sections_come_one_after_the_other),
      LOOP(who_goes_on_next, turn_cases), TEST(thread_that_ends_holds_nothing),
      TEST(exec_leaves_one_thread_and_other_processes), TEST(who_waits_goes_on_waiting))
