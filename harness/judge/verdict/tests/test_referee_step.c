/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_referee_step.c - what the referee says of one frame: each answer that it has
 *
 * The functions below have the rules that their names say. They are never called: the referee reads
 * this program's own CFI, and registers and memory are the test's.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "walk/address_space.h"
#include "judge/verdict/verdict.h"

#define RSP	  0x7000
#define RBX	  0xb0b0
#define RAX	  0xaaaa
#define RIP	  0x1919
#define ALL_KNOWN ((1u << REGISTER_COUNT) - 1)

/* Each a byte long; the rules hold from its first. */
#define RULES(name, rules)                                                                         \
	asm(".text\nreferee_" #name ": .cfi_startproc\n" rules "\n nop\n .cfi_endproc\n");         \
	extern const char name[] asm("referee_" #name);

asm(".text\nreferee_bare: nop\n");
extern const char bare[] asm("referee_bare");

RULES(usual, "")
RULES(saves_rbx, ".cfi_def_cfa_offset 24\n .cfi_offset %rbx, -24")
RULES(keeps_rbx, ".cfi_same_value %rbx")
RULES(outermost, ".cfi_undefined %rip")
RULES(returns_to_itself, ".cfi_same_value %rip")
RULES(link_register, ".cfi_register %rip, %rax")
/* DW_CFA_def_cfa_expression, two bytes: DW_OP_lit16, DW_OP_nop. */
RULES(no_memory, ".cfi_escape 0x0f, 0x02, 0x40, 0x96")
/* ... DW_OP_push_object_address: there is no object. */
RULES(no_cfa, ".cfi_escape 0x0f, 0x02, 0x97, 0x96")
/* DW_CFA_expression of the return address: DW_OP_push_object_address. */
RULES(no_return_address, ".cfi_escape 0x10, 0x10, 0x01, 0x97")

/* The words at and around RSP, one for each address; nothing else can be read. */
static int read_word(void *context, uint64_t address, void *ret, size_t size)
{
	uint64_t word = address + 0x100000;

	if (address < RSP - 64 || address >= RSP + 64 || size > sizeof(word))
		return -1;
	memcpy(ret, &word, size);
	return 0;
}

static const struct memory_reader memory = { .read = read_word };

#define STEP(...) IN_BRACES(__VA_ARGS__)

static const struct step_case {
	const char *name;
	const char *pc; /* NULL: in no image */
	uint32_t unknown;
	struct referee_step step;
} cases[] = {
	{ "usual", usual, 0,
	  STEP(.known = true, .cfa = RSP + 8, .return_address = RSP + 0x100000) },
	{ "deeper", saves_rbx, 0,
	  STEP(.known = true, .cfa = RSP + 24, .return_address = RSP + 16 + 0x100000) },
	{ "undefined", outermost, 0, STEP(.known = true, .outermost = true, .cfa = RSP + 8) },
	{ "same_value", returns_to_itself, 0,
	  STEP(.known = true, .cfa = RSP + 8, .return_address = RIP) },
	{ "same_value_unknown", returns_to_itself, 1u << REGISTER_RIP,
	  STEP(.stuck = true, .cfa = RSP + 8) },
	{ "in_a_register", link_register, 0,
	  STEP(.known = true, .cfa = RSP + 8, .return_address = RAX) },
	{ "in_an_unknown_register", link_register, 1, STEP(.stuck = true, .cfa = RSP + 8) },
	{ "unreadable", no_memory, 0,
	  STEP(.known = true, .unreadable = true, .cfa = 16, .return_address = 8) },
	{ "cfa_not_evaluated", no_cfa, 0, STEP(.stuck = true) },
	{ "cfa_of_an_unknown_register", usual, 1u << REGISTER_RSP, STEP(.stuck = true) },
	{ "return_address_not_evaluated", no_return_address, 0,
	  STEP(.stuck = true, .cfa = RSP + 8) },
	{ "without_cfi", bare, 0, STEP(.known = true, .no_cfi = true) },
	{ "nowhere", NULL, 0, STEP(.known = false) },
};

static int open_files(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int ret = 0;

	ck_assert_ptr_nonnull(folder);
	while (readdir(folder))
		ret++;
	closedir(folder);
	return ret;
}

static int files_before;
static struct image_store *store;
static struct address_space space;
static struct referee *referee;

static void set_up(void)
{
	struct error error;

	files_before = open_files();
	store = image_store_create();
	referee = referee_create();
	ck_assert(store && referee);
	ck_assert_msg(!address_space_read(&space, store, getpid(), &error), "%s", error.message);
}

static void tear_down(void)
{
	referee_destroy(referee);
	address_space_deinit(&space);
	image_store_destroy(store);
	ck_assert_int_eq(open_files(), files_before);
}

static struct register_values registers_without(uint32_t unknown)
{
	struct register_values ret = { .known = ALL_KNOWN & ~unknown };

	ret.value[REGISTER_RAX] = RAX;
	ret.value[REGISTER_RBX] = RBX;
	ret.value[REGISTER_RSP] = RSP;
	ret.value[REGISTER_RIP] = RIP;
	return ret;
}

START_TEST(step_is_as_the_rules_are)
{
	const struct step_case *c = &cases[_i];
	struct register_values regs = registers_without(c->unknown);
	struct referee_step step;

	referee_step(referee, &space, &regs, (uint64_t)(uintptr_t)c->pc, &memory, &step);
	ck_assert_msg(step.known == c->step.known && step.stuck == c->step.stuck, "%s: %d %d",
		      c->name, step.known, step.stuck);
	ck_assert_msg(step.no_cfi == c->step.no_cfi && step.outermost == c->step.outermost &&
			      step.unreadable == c->step.unreadable,
		      "%s: %d %d %d", c->name, step.no_cfi, step.outermost, step.unreadable);
	ck_assert_msg(step.cfa == c->step.cfa, "%s: 0x%lx", c->name, step.cfa);
	ck_assert_msg(step.return_address == c->step.return_address, "%s: 0x%lx", c->name,
		      step.return_address);
}
END_TEST

static bool reads(const char *pc, uint32_t unknown, unsigned int reg, uint64_t value)
{
	struct register_values regs = registers_without(unknown);

	return referee_reads(referee, &space, &regs, (uint64_t)(uintptr_t)pc, reg, value, &memory);
}

START_TEST(registers_are_read_as_the_rules_say)
{
	ck_assert(reads(saves_rbx, 0, REGISTER_RBX, RSP + 0x100000));
	ck_assert(!reads(saves_rbx, 0, REGISTER_RBX, RBX));
	ck_assert(reads(keeps_rbx, 0, REGISTER_RBX, RBX));
	ck_assert(!reads(keeps_rbx, 0, REGISTER_RBX, RBX + 1));
	ck_assert(!reads(keeps_rbx, 1u << REGISTER_RBX, REGISTER_RBX, RBX));
	ck_assert(!reads(keeps_rbx, 1u << REGISTER_RSP, REGISTER_RBX, RBX));
	ck_assert(!reads(outermost, 0, REGISTER_RIP, 0));
	ck_assert(!reads(bare, 0, REGISTER_RBX, RBX));
	ck_assert(!reads(NULL, 0, REGISTER_RBX, RBX));
}
END_TEST

SUITE(referee_step, FIXTURE(set_up, tear_down), LOOP(step_is_as_the_rules_are, cases),
      TEST(registers_are_read_as_the_rules_say))
