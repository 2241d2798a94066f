/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_libgcc.c - engine libgcc on stacks made by hand, over a few functions of this program
 *
 * The functions never run. Only their CFI counts, and which addresses lie on a stack of words. The
 * stack and the code are at this program's addresses, which are not those of libgcc_host: what is
 * read, and what stop follows from what libgcc says, is the engine's. So is that an address which
 * libgcc_host has itself ends the walk, and that no walk leaves anything to the next one. Without
 * libgcc_host it prints SKIP and the reason.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "engines/built_in/engine.h"
#include "engines/external/external.h"
#include "engines/external/tests/external_points.h"

#define WORDS	6000			      /* 12 pages, which are read ahead */
#define ENDLESS -1			      /* words like the first, as far as anybody reads */
#define HOME	0x74000000ull		      /* where libgcc_host is */
#define LOADER	"/lib64/ld-linux-x86-64.so.2" /* an image, if it is there */

/*
 * outer: its return address is undefined. plain: the return address is on top. last: three words
 * below it, and its last instruction is a call, so that it goes on at the first byte of next. bare:
 * no CFI. saved: rbx is on top, then the return address. frame: by rbp. caught: a signal's frame.
 * round: the return address is its own. unknown: a DWARF operation that nobody has defined.
 * divides: by 0. wild: the CFA is what lies at an address where nothing is.
 */
__asm__(".text\n"
	"libgcc_outer: .cfi_startproc; .cfi_undefined rip; call libgcc_plain\n"
	"libgcc_outer_after: nop; .cfi_endproc\n"
	"libgcc_plain: .cfi_startproc; nop\n"
	"libgcc_plain_after: nop; ret; .cfi_endproc\n"
	"libgcc_last: .cfi_startproc; sub $24, %rsp; .cfi_adjust_cfa_offset 24\n"
	"call libgcc_plain; .cfi_endproc\n"
	"libgcc_next: .cfi_startproc; nop; ret; .cfi_endproc\n"
	"libgcc_saved: .cfi_startproc; .cfi_adjust_cfa_offset 8; .cfi_offset rbx, -16; nop\n"
	"ret; .cfi_endproc\n"
	"libgcc_by_rbx: .cfi_startproc; .cfi_def_cfa rbx, 16; nop\n"
	"libgcc_by_rbx_after: nop; ret; .cfi_endproc\n"
	"libgcc_caught: .cfi_startproc; .cfi_signal_frame; nop\n"
	"libgcc_caught_after: nop; ret; .cfi_endproc\n"
	"libgcc_round: .cfi_startproc; .cfi_def_cfa_offset 0; .cfi_same_value rip; nop\n"
	"libgcc_round_after: nop; ret; .cfi_endproc\n"
	"libgcc_unknown: .cfi_startproc; .cfi_escape 0x0f, 1, 0xdf; nop; ret; .cfi_endproc\n"
	"libgcc_divides: .cfi_startproc; .cfi_escape 0x0f, 3, 0x38, 0x30, 0x1b; nop; ret\n"
	".cfi_endproc\n"
	"libgcc_wild: .cfi_startproc; .cfi_escape 0x0f, 2, 0x30, 0x06; nop; ret; .cfi_endproc\n"
	"libgcc_bare: nop; ret\n");

extern const char libgcc_outer_after[], libgcc_plain[], libgcc_plain_after[], libgcc_next[],
	libgcc_saved[], libgcc_by_rbx_after[], libgcc_caught_after[], libgcc_round[],
	libgcc_round_after[], libgcc_unknown[], libgcc_divides[], libgcc_wild[], libgcc_bare[];

#define OUTER	libgcc_outer_after
#define PLAIN	libgcc_plain
#define NEXT	libgcc_next
#define BY_RBX	libgcc_by_rbx_after
#define CAUGHT	libgcc_caught_after
#define BARE	libgcc_bare
#define JUNK	((const char *)0x5a5a5a5a5a5a)
#define AT_HOME ((const char *)HOME + 0x40)
#define FILL	((const char *)1)	  /* libgcc_plain_after in all words from here on */
#define WORD(n) ((const char *)(2 + (n))) /* the address of that word */

#define STACK(...) .word = { __VA_ARGS__ }
#define FINDS(...) .frame = { __VA_ARGS__ }

static const struct walk_case {
	const char *name;
	const char *pc;
	const char *word[5]; /* from rsp up; NULL is a word of 0 */
	int words;	     /* that can be read */
	const char *frame[4];
	uint32_t count;
	enum stop_reason stop;
} cases[] = {
	{ "an_undefined_return_address_is_the_end", PLAIN, STACK(OUTER), .words = 1,
	  FINDS(PLAIN, OUTER), .count = 2, .stop = STOP_COMPLETE },
	{ "the_end_at_once", OUTER, STACK(JUNK), .words = 1, FINDS(OUTER), .count = 1,
	  .stop = STOP_COMPLETE },
	{ "a_return_address_is_looked_up_in_its_call", PLAIN, STACK(NEXT, JUNK, JUNK, JUNK, OUTER),
	  .words = 5, FINDS(PLAIN, NEXT, OUTER), .count = 3, .stop = STOP_COMPLETE },
	{ "where_the_thread_is_is_looked_up_as_it_is", NEXT, STACK(OUTER, JUNK, JUNK, JUNK, JUNK),
	  .words = 5, FINDS(NEXT, OUTER), .count = 2, .stop = STOP_COMPLETE },
	/* What a signal interrupted is no return address: looked up as it is. */
	{ "a_signals_frame", PLAIN, STACK(CAUGHT, NEXT, OUTER), .words = 3,
	  FINDS(PLAIN, CAUGHT, NEXT, OUTER), .count = 4, .stop = STOP_COMPLETE },
	{ "a_register_that_is_saved", libgcc_saved, STACK(WORD(2), BY_RBX, JUNK, OUTER), .words = 4,
	  FINDS(libgcc_saved, BY_RBX, OUTER), .count = 3, .stop = STOP_COMPLETE },
	{ "a_return_address_of_0_proves_no_end", PLAIN, .words = 1, FINDS(PLAIN), .count = 1,
	  .stop = STOP_ZERO_RETURN },
	{ "no_memory_is_no_end", PLAIN, FINDS(PLAIN), .count = 1, .stop = STOP_READ_FAULT },
	{ "no_cfi_is_no_end", BARE, STACK(OUTER), .words = 1, FINDS(BARE), .count = 1,
	  .stop = STOP_NO_ROW },
	{ "no_cfi_further_out", PLAIN, STACK(BARE + 1, OUTER), .words = 2, FINDS(PLAIN, BARE + 1),
	  .count = 2, .stop = STOP_NO_ROW },
	/* libgcc looks at the code there, and would crash. */
	{ "code_that_is_not_mapped", JUNK, STACK(OUTER), .words = 1, FINDS(JUNK), .count = 1,
	  .stop = STOP_READ_FAULT },
	{ "it_goes_round", libgcc_round_after, STACK(OUTER), .words = 1, FINDS(libgcc_round_after),
	  .count = 1, .stop = STOP_NO_PROGRESS },
	{ "it_calls_abort", libgcc_unknown, STACK(OUTER), .words = 1, FINDS(libgcc_unknown),
	  .count = 1, .stop = STOP_FOREIGN },
	{ "it_divides_by_0", libgcc_divides, STACK(OUTER), .words = 1, FINDS(libgcc_divides),
	  .count = 1, .stop = STOP_FOREIGN },
	{ "a_cfa_that_cannot_be_read", libgcc_wild, STACK(OUTER), .words = 1, FINDS(libgcc_wild),
	  .count = 1, .stop = STOP_READ_FAULT },
	{ "a_cfa_at_home", libgcc_saved, STACK(AT_HOME, BY_RBX, JUNK, OUTER), .words = 4,
	  FINDS(libgcc_saved, BY_RBX), .count = 2, .stop = STOP_UNSUPPORTED_EXPRESSION },
	{ "code_at_home", PLAIN, STACK(AT_HOME, OUTER), .words = 2, FINDS(PLAIN, AT_HOME),
	  .count = 2, .stop = STOP_UNSUPPORTED_EXPRESSION },
	{ "the_thread_at_home", AT_HOME, STACK(OUTER), .words = 1, FINDS(AT_HOME), .count = 1,
	  .stop = STOP_UNSUPPORTED_EXPRESSION },
	{ "a_stack_of_many_pages", PLAIN, STACK(FILL), .words = WORDS,
	  FINDS(PLAIN, libgcc_plain_after, libgcc_plain_after), .count = WORDS + 1,
	  .stop = STOP_ZERO_RETURN },
	{ "as_many_frames_as_there_is_room_for", PLAIN, STACK(FILL), .words = ENDLESS,
	  FINDS(PLAIN, libgcc_plain_after, libgcc_plain_after), .count = STACK_FRAMES_MAX,
	  .stop = STOP_DEPTH },
};

struct words {
	uint64_t word[WORDS] __attribute__((aligned(4096)));
	size_t readable;
	bool endless;
};

/* The words, and zeros behind them on their last page; else nothing. */
static int read_words(void *context, uint64_t address, void *ret, size_t size)
{
	const struct words *words = context;
	uint64_t begin = (uint64_t)words->word, used = words->readable * sizeof(words->word[0]);
	uint64_t page_end = begin + (used + 4095) / 4096 * 4096;

	if (address >= begin && words->endless) {
		for (size_t i = 0; i < size / sizeof(words->word[0]); i++)
			((uint64_t *)ret)[i] = words->word[0];
		return 0;
	}
	if (address < begin || address + size > page_end)
		return -1;
	memset(ret, 0, size);
	if (address < begin + used)
		memcpy(ret, (const void *)address,
		       size < begin + used - address ? size : begin + used - address);
	return 0;
}

static void fill_words(const struct walk_case *c, struct words *ret)
{
	bool fill = false;

	ret->endless = c->words == ENDLESS;
	ret->readable = ret->endless ? 1 : c->words;
	for (size_t i = 0; i < ret->readable; i++) {
		const char *word = i < (size_t)COUNT(c->word) ? c->word[i] : NULL;

		fill |= word == FILL;
		if (word >= WORD(0) && word < WORD(COUNT(c->word)))
			word = (const char *)&ret->word[word - WORD(0)];
		ret->word[i] = (uint64_t)(fill ? libgcc_plain_after : word);
	}
}

static void check_walk(const struct walk_case *c, void *engine)
{
	static struct words words;
	static struct stack stack;
	struct memory_reader memory = { .read = read_words, .context = &words };
	struct register_values regs = { .known = UINT32_MAX };
	struct point point = { .regs = &regs, .memory = &memory };
	struct external_report report;
	struct error error;

	fill_words(c, &words);
	regs.value[REGISTER_RIP] = (uint64_t)c->pc;
	regs.value[REGISTER_RSP] = (uint64_t)words.word;
	ck_assert_int_eq(engine_libgcc.walk(engine, &point, &stack, &error), ENGINE_STACK);
	engine_external_report(engine, &report);
	ck_assert_msg(report.starts == 0, "%s: %s", c->name, report.failure);
	ck_assert_msg(stack.count == c->count && stack.stop == c->stop,
		      "%s: %u frames, %s; not %u frames, %s", c->name, stack.count,
		      stop_reason_name(stack.stop), c->count, stop_reason_name(c->stop));
	for (uint32_t i = 0; i < c->count && i < (uint32_t)COUNT(c->frame) && c->frame[i]; i++)
		ck_assert_msg(stack.pc[i] == (uint64_t)c->frame[i],
			      "%s: frame %u is 0x%lx, not 0x%lx", c->name, i, stack.pc[i],
			      (uint64_t)c->frame[i]);
}

/* False: it is not built here. */
static bool open_engine(void **ret)
{
	struct error error;

	set_engine_host();
	if (!engine_open(&engine_libgcc, NULL, ret, &error))
		return true;
	ck_assert_msg(error.code == ERROR_UNAVAILABLE, "%s", error.message);
	printf("SKIP libgcc: %s\n", error.message);
	return false;
}

/* All on one engine, forwards and back: nothing that it remembers of one may serve another. */
START_TEST(walks)
{
	struct image_store *store = image_store_create();
	struct address_space space = { 0 };
	struct error error;
	void *engine;

	if (open_engine(&engine)) {
		ck_assert_msg(!address_space_read(&space, store, getpid(), &error), "%s",
			      error.message);
		ck_assert(!engine_libgcc.mappings(engine, &space, &error));
		for (int i = 0; i < COUNT(cases); i++)
			check_walk(&cases[i], engine);
		for (int i = COUNT(cases) - 1; i >= 0; i--)
			check_walk(&cases[i], engine);
		address_space_deinit(&space);
		engine_libgcc.close(engine);
	}
	image_store_destroy(store);
}
END_TEST

/* A walk in this program's code as if it were elsewhere, where that can't be. */
static const struct lack_case {
	const char *name;
	const char *path;
	uint64_t start;
	uint32_t count;
	enum stop_reason stop;
	const char *said; /* NULL: nothing */
} lack_cases[] = {
	{ "a_file_that_is_not_there", "/nonexistent/file", 0x1000000, 1,
	  STOP_UNSUPPORTED_EXPRESSION,
	  "libgcc_host: /nonexistent/file at 0x1000000: No such file or directory\n" },
	{ "a_file_that_is_no_image", "/proc/self/maps", 0x1000000, 1, STOP_UNSUPPORTED_EXPRESSION,
	  "libgcc_host: /proc/self/maps at 0x1000000: Exec format error\n" },
	{ "an_image_at_home", LOADER, HOME, 1, STOP_UNSUPPORTED_EXPRESSION,
	  "libgcc_host: " LOADER " at 0x74000000: the addresses are taken\n" },
	{ "a_vdso_that_cannot_be_read", "[vdso]", 0x1000000, 1, STOP_UNSUPPORTED_EXPRESSION,
	  "libgcc_host: [vdso] at 0x1000000: Bad address\n" },
	{ "no_file_at_all", "", 0x1000000, 1, STOP_NO_ROW, NULL },
};

/* Code that can be looked at, if the first point's stack can't. */
static int read_zeros(void *context, uint64_t address, void *ret, size_t size)
{
	const struct lack_case *c = context;

	if (!strcmp(c->path, "[vdso]"))
		return -1;
	memset(ret, 0, size);
	return 0;
}

START_TEST(lacks)
{
	const struct lack_case *c = &lack_cases[_i];
	struct external_mapping mapping = {
		.start = c->start, .end = c->start + 0x1000, .bias = c->start, .path = c->path
	};
	struct memory_reader memory = { .read = read_zeros, .context = (void *)c };
	struct register_values regs = { .known = UINT32_MAX };
	struct point point = { .regs = &regs, .memory = &memory };
	struct stack stack = { 0 };
	struct external_report report;
	struct error error;
	void *engine;

	if (!open_engine(&engine))
		return;
	regs.value[REGISTER_RIP] = c->start + 0x10;
	regs.value[REGISTER_RSP] = 0x2000000;
	ck_assert(!external_mappings(engine, &mapping, 1, &error));
	ck_assert_int_eq(engine_libgcc.walk(engine, &point, &stack, &error), ENGINE_STACK);
	engine_external_report(engine, &report);
	ck_assert_msg(report.starts == 0, "%s: %s", c->name, report.failure);
	ck_assert_msg(stack.count == c->count && stack.stop == c->stop, "%s: %u frames, %s",
		      c->name, stack.count, stop_reason_name(stack.stop));
	ck_assert_str_eq(report.said, c->said ?: "");
	stack_deinit(&stack);
	engine_libgcc.close(engine);
}
END_TEST

/* A static program has no .eh_frame_hdr: its .eh_frame is registered. _start ends the stack. */
START_TEST(static_program)
{
	char path[PATH_MAX];
	Elf64_Ehdr header;
	struct external_mapping mapping = { .path = in_build("guest_init", path) };
	struct memory_reader memory = { .read = read_zeros, .context = (void *)&lack_cases[0] };
	struct register_values regs = { .known = UINT32_MAX };
	struct point point = { .regs = &regs, .memory = &memory };
	FILE *file = fopen(path, "r");
	struct stack stack = { 0 };
	struct error error;
	void *engine;

	ck_assert_msg(file && fread(&header, sizeof(header), 1, file) == 1, "%s", path);
	fclose(file);
	ck_assert_int_eq(header.e_type, ET_EXEC);
	if (!open_engine(&engine))
		return;
	mapping.start = header.e_entry & ~4095ull;
	mapping.end = mapping.start + 4096;
	regs.value[REGISTER_RIP] = header.e_entry;
	regs.value[REGISTER_RSP] = 0x2000000;
	/* Again after other mappings: what was registered for the first is not there any more. */
	for (int i = 0; i < 2; i++) {
		ck_assert(!external_mappings(engine, &mapping, 1, &error));
		ck_assert_int_eq(engine_libgcc.walk(engine, &point, &stack, &error), ENGINE_STACK);
		ck_assert_msg(stack.count == 1 && stack.stop == STOP_COMPLETE, "%u frames, %s",
			      stack.count, stop_reason_name(stack.stop));
		ck_assert(!external_mappings(engine, NULL, 0, &error));
		ck_assert_int_eq(engine_libgcc.walk(engine, &point, &stack, &error), ENGINE_STACK);
		ck_assert_msg(stack.count == 1 && stack.stop == STOP_NO_MAPPING, "%u frames, %s",
			      stack.count, stop_reason_name(stack.stop));
	}
	stack_deinit(&stack);
	engine_libgcc.close(engine);
}
END_TEST

/* Without the program beside engine_host it is a skip. */
START_TEST(not_built)
{
	struct error error;
	void *engine;

	setenv("STACKPROOF_ENGINE_HOST", "/bin/sh", 1);
	ck_assert(engine_open(&engine_libgcc, NULL, &engine, &error));
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_str_eq(error.message, "/bin/libgcc_host is not there");
}
END_TEST

SUITE(libgcc, TEST(walks), LOOP(lacks, lack_cases), TEST(static_program), TEST(not_built))
