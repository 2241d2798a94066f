/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_libdw.c - engine libdw on a stopped child, in a few functions of this program
 *
 * The child goes through outer and middle into one of the others, which stops it. Who has no CFI,
 * or CFI that libdw dies of, ends the walk there. The same walk is asked of a copy of the point, when
 * the child is gone. Where ptrace is not permitted it prints SKIP and the reason.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "engines/built_in/engine.h"
#include "user_registers.h"

/* The CFA is rsp + 8 + (the byte at rsp, of which nothing is taken). */
#define SIZED_CFA ".cfi_escape 0x0f, 9, 0x77, 8, 0x77, 0, 0x94, 1, 0x30, 0x1a, 0x22\n"

/* outer: its return address is undefined. middle: three words below it. The row that libdw dies of
 * begins behind where before stops, and ends with the call; or is of its last byte alone. */
__asm__(".text\n"
	"libdw_outer: .cfi_startproc; .cfi_undefined rip; call libdw_middle\n"
	"libdw_outer_after: nop; .cfi_endproc\n"
	"libdw_middle: .cfi_startproc; sub $24, %rsp; .cfi_adjust_cfa_offset 24; call *%rdi\n"
	"libdw_middle_after: nop; .cfi_endproc\n"
	"libdw_leaf: .cfi_startproc; int3\n"
	"libdw_leaf_after: ret; .cfi_endproc\n"
	"libdw_before: .cfi_startproc; int3; .cfi_endproc\n"
	"libdw_sized: .cfi_startproc; " SIZED_CFA "ret; .cfi_endproc\n"
	"libdw_caller: .cfi_startproc; " SIZED_CFA "call libdw_leaf; .cfi_endproc\n"
	"libdw_caller_after: .cfi_startproc; ret; .cfi_endproc\n"
	"libdw_split: .cfi_startproc; lea libdw_leaf(%rip), %rax; .byte 0xff; .cfi_endproc\n"
	".cfi_startproc; " SIZED_CFA ".byte 0xd0; .cfi_endproc\n"
	"libdw_split_after: .cfi_startproc; ret; .cfi_endproc\n"
	".balign 64\n"
	"libdw_bare: int3\n"
	"libdw_bare_after: .fill 64, 1, 0x90\n");

extern const char libdw_outer[], libdw_outer_after[], libdw_middle_after[], libdw_leaf[],
	libdw_leaf_after[], libdw_before[], libdw_sized[], libdw_caller[], libdw_caller_after[],
	libdw_split[], libdw_split_after[], libdw_bare[], libdw_bare_after[];

#define FINDS(...) .frame = { __VA_ARGS__ }

static const struct {
	const char *name, *function;
	uint32_t limit;
	const char *frame[3];
	uint32_t count;
	enum stop_reason stop;
} cases[] = {
	{ "to_the_end", libdw_leaf, 64,
	  FINDS(libdw_leaf_after, libdw_middle_after, libdw_outer_after), 3, STOP_COMPLETE },
	{ "as_many_as_there_is_room_for", libdw_leaf, 3,
	  FINDS(libdw_leaf_after, libdw_middle_after, libdw_outer_after), 3, STOP_COMPLETE },
	{ "more_than_there_is_room_for", libdw_leaf, 2, FINDS(libdw_leaf_after, libdw_middle_after),
	  2, STOP_DEPTH },
	{ "no_cfi_is_no_end", libdw_bare, 64, FINDS(libdw_bare_after), 1, STOP_FOREIGN },
	{ "a_row_that_it_dies_of", libdw_before, 64, FINDS(libdw_sized), 1, STOP_FOREIGN },
	{ "such_a_row_of_a_caller", libdw_caller, 64, FINDS(libdw_leaf_after, libdw_caller_after),
	  2, STOP_FOREIGN },
	{ "such_a_row_of_a_call's_last_byte", libdw_split, 64,
	  FINDS(libdw_leaf_after, libdw_split_after), 2, STOP_FOREIGN },
};

static void __attribute__((noreturn)) run_child(const char *function)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(1);
	__asm__ volatile("xor %%ebp, %%ebp\n\tcall libdw_outer" : : "D"(function));
	__builtin_unreachable();
}

/* The child at its stop; 0: it must not be traced. */
static pid_t stopped_child(const char *function, struct trace_stop *ret)
{
	pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		run_child(function);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status))
		return 0;
	ck_assert(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
	*ret = (struct trace_stop) { .pid = pid, .tid = pid };
	struct user_regs_struct user;
	ck_assert(!ptrace(PTRACE_GETREGS, pid, NULL, &user));
	ret->regs = register_values_from_user(&user);
	return pid;
}

/* The walk is the case's. */
static void check_walk(int i, void *engine, const struct point *point)
{
	struct stack stack = { .limit = cases[i].limit };
	struct error error;

	for (int times = 0; times < 2; times++) {
		ck_assert_msg(engine_libdw.walk(engine, point, &stack, &error) == ENGINE_STACK,
			      "%s: %s", cases[i].name, error.message);
		ck_assert_msg(stack.count == cases[i].count && stack.stop == cases[i].stop,
			      "%s: %u frames, %s", cases[i].name, stack.count,
			      stop_reason_name(stack.stop));
		for (uint32_t frame = 0; frame < stack.count; frame++)
			ck_assert_msg(stack.pc[frame] == (uint64_t)cases[i].frame[frame],
				      "%s: frame %u is 0x%lx", cases[i].name, frame,
				      (unsigned long)stack.pc[frame]);
	}
	stack_deinit(&stack);
}

START_TEST(stack_of_a_stopped_thread)
{
	struct image_store *store = image_store_create();
	struct address_space space = { 0 };
	struct stack stack = { .limit = 64 };
	struct trace_stop stop;
	struct point point = { .stop = &stop, .space = &space };
	pid_t pid = stopped_child(cases[_i].function, &stop);
	struct error error;
	void *engine;

	if (!pid) {
		printf("SKIP libdw: no ptrace\n");
		image_store_destroy(store);
		return;
	}
	ck_assert_msg(!address_space_read(&space, store, pid, &error), "%s", error.message);
	ck_assert(!engine_libdw.open(NULL, &engine, &error));
	ck_assert(!engine_libdw.mappings(engine, &space, &error));
	check_walk(_i, engine, &point);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* Of who is gone there is no stack, and it is said of whom. */
	ck_assert(!engine_libdw.mappings(engine, &space, &error));
	ck_assert_int_eq(engine_libdw.walk(engine, &point, &stack, &error), ENGINE_ERROR);
	ck_assert_msg(strstr(error.message, "libdw: thread ") != NULL, "%s", error.message);
	engine_libdw.close(engine);
	stack_deinit(&stack);
	address_space_deinit(&space);
	image_store_destroy(store);
}
END_TEST

/* ---- a point that was kept ---------------------------------------------------------------- */

#define KEPT_WORDS 16

struct kept {
	uint64_t sp, word[KEPT_WORDS];
	bool unreadable;
	char maps[1 << 16];
};

static int read_kept(void *context, uint64_t address, void *ret, size_t size)
{
	const struct kept *kept = context;
	uint64_t at = address - kept->sp;

	if (kept->unreadable || at >= sizeof(kept->word) || size > sizeof(kept->word) - at)
		return -1;
	memcpy(ret, (const char *)kept->word + at, size);
	return 0;
}

static void keep(struct kept *kept, const struct trace_stop *stop)
{
	char path[32];
	FILE *file;

	*kept = (struct kept) { .sp = stop->regs.value[REGISTER_RSP] };
	for (int i = 0; i < KEPT_WORDS; i++)
		kept->word[i] = ptrace(PTRACE_PEEKDATA, stop->pid, kept->sp + 8 * i, NULL);
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)stop->pid);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_lt(fread(kept->maps, 1, sizeof(kept->maps) - 1, file),
			  sizeof(kept->maps) - 1);
	fclose(file);
}

START_TEST(stack_of_a_point_that_was_kept)
{
	static struct kept kept;
	struct image_store *store = image_store_create();
	struct memory_reader memory = { read_kept, &kept };
	struct address_space space = { 0 };
	struct stack stack = { .limit = 64 };
	struct register_values regs;
	struct trace_stop stop;
	struct point point = {
		.stop = &stop, .space = &space, .regs = &regs, .memory = &memory, .maps = kept.maps
	};
	pid_t pid = stopped_child(cases[_i].function, &stop);
	struct error error;
	void *engine;

	if (!pid) {
		printf("SKIP libdw: no ptrace\n");
		image_store_destroy(store);
		return;
	}
	ck_assert_msg(!address_space_read(&space, store, pid, &error), "%s", error.message);
	regs = stop.regs;
	keep(&kept, &stop);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ck_assert(!engine_libdw.open(NULL, &engine, &error));
	ck_assert(!engine_libdw.mappings(engine, &space, &error));
	check_walk(_i, engine, &point);
	/* Mappings that are not said to be others are not read again. */
	kept.maps[0] = '\0';
	/* Without memory there is no second frame. How that ends is libdw's word. */
	kept.unreadable = true;
	ck_assert_int_eq(engine_libdw.walk(engine, &point, &stack, &error), ENGINE_STACK);
	ck_assert_uint_eq(stack.count, 1);
	ck_assert_uint_eq(stack.pc[0], (uint64_t)cases[_i].frame[0]);
	engine_libdw.close(engine);
	stack_deinit(&stack);
	address_space_deinit(&space);
	image_store_destroy(store);
}
END_TEST

SUITE(libdw, LOOP(stack_of_a_stopped_thread, cases), LOOP(stack_of_a_point_that_was_kept, cases))
