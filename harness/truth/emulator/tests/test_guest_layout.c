/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_guest_layout.c - where a kernel has its members and symbols, by a BTF and a /proc/kallsyms that are made up
 */
#include <bpf/btf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "tests/suite.h"

static const char *kallsyms;
static struct btf *kernel_btf;

static FILE *made_fopen(const char *path, const char *mode)
{
	ck_assert_str_eq(path, "/proc/kallsyms");
	errno = ENOENT;
	return kallsyms ? fmemopen((void *)kallsyms, strlen(kallsyms), "r") : NULL;
}

static struct btf *made_btf(void)
{
	return kernel_btf;
}

#define fopen		      made_fopen
#define btf__load_vmlinux_btf made_btf
#include "truth/emulator/guest_layout.c"
#undef fopen

enum { RED_BLACK = 1, MAPLE = 2, BOTH = 3 };
#define WORD	   8
#define INNER	   16 /* of a nameless struct's member, in it */
#define AT(member) offsetof(struct guest_layout, member)
#define NOWHERE	   SIZE_MAX

/* Of one struct the members follow each other. */
static const struct made_member {
	const char *type, *name;
	int trees; /* of which kernels */
	uint32_t at;
	uint32_t elements; /* of an array; 0: it is none */
	bool inside;	   /* a nameless struct in a nameless union */
	size_t is, counts; /* where struct guest_layout has it */
} made_members[] = {
	{ "task_struct", "mm", BOTH, 2000, 0, false, AT(task_mm), NOWHERE },
	{ "task_struct", "pid", BOTH, 2216, 0, false, AT(task_pid), NOWHERE },
	{ "task_struct", "tgid", BOTH, 2240, 0, true, AT(task_tgid), NOWHERE },
	{ "vm_area_struct", "vm_start", BOTH, 24, 0, true, AT(vma_start), NOWHERE },
	{ "vm_area_struct", "vm_end", BOTH, 48, 0, false, AT(vma_end), NOWHERE },
	{ "vm_area_struct", "vm_rb", RED_BLACK, 64, 0, false, AT(vma_rb), NOWHERE },
	{ "mm_struct", "mm_rb", RED_BLACK, 72, 0, true, AT(mm_tree), NOWHERE },
	{ "mm_struct", "mm_mt", MAPLE, 128, 0, true, AT(mm_tree), NOWHERE },
	{ "rb_node", "rb_right", RED_BLACK, 8, 0, false, AT(rb_right), NOWHERE },
	{ "rb_node", "rb_left", RED_BLACK, 16, 0, false, AT(rb_left), NOWHERE },
	{ "maple_tree", "ma_root", MAPLE, 72, 0, false, AT(tree_root), NOWHERE },
	{ "maple_range_64", "pivot", MAPLE, 8, 15, false, AT(range_pivots), NOWHERE },
	{ "maple_range_64", "slot", MAPLE, 144, 16, true, AT(range_slots), AT(range_count) },
	{ "maple_arange_64", "pivot", MAPLE, 16, 9, false, AT(arange_pivots), NOWHERE },
	{ "maple_arange_64", "slot", MAPLE, 88, 10, false, AT(arange_slots), AT(arange_count) },
};
#define MEMBERS COUNT(made_members)

static void field(struct btf *btf, const char *name, int type, uint32_t at_bytes)
{
	ck_assert_int_eq(btf__add_field(btf, name, type, at_bytes * 8, 0), 0);
}

/* A struct has before its members one of another name in which all their names are, and a nameless one that is no struct. */
static struct btf *make_btf(int tree, const struct made_member *missing)
{
	struct btf *btf = btf__new_empty();
	const int word = btf__add_int(btf, "long", WORD, 0);
	const int decoy = btf__add_struct(btf, "decoy", 0x1000);
	int type[MEMBERS];

	for (int i = 0; i < MEMBERS; i++)
		field(btf, made_members[i].name, word, 4);
	for (int i = 0; i < MEMBERS; i++) {
		const struct made_member *one = &made_members[i];

		type[i] = one->elements ? btf__add_array(btf, word, word, one->elements) : word;
		if (!one->inside)
			continue;
		btf__add_struct(btf, NULL, INNER + WORD);
		field(btf, one == missing ? "other" : one->name, type[i], INNER);
		type[i] = btf__add_union(btf, NULL, INNER + WORD);
		field(btf, NULL, type[i] - 1, 0);
	}
	for (int i = 0; i < MEMBERS; i++) {
		const struct made_member *one = &made_members[i];

		if (!(one->trees & tree))
			continue;
		if (btf__find_by_name_kind(btf, one->type, BTF_KIND_STRUCT) < 0) {
			btf__add_struct(btf, one->type, 0x1000);
			field(btf, "decoy", decoy, 0);
			field(btf, NULL, word, 0);
		}
		if (one->inside)
			field(btf, NULL, type[i], one->at - INNER);
		else
			field(btf, one == missing ? "other" : one->name, type[i], one->at);
	}
	return btf;
}

#define SYMBOLS                                                                                    \
	"ffffffff82000000 D page_offset_base\n"                                                    \
	"000000000001fbc0 A current_task\n"

static const int trees[] = { RED_BLACK, MAPLE };

START_TEST(members_are_found)
{
	struct guest_told told;
	struct error error = { 0 };

	kernel_btf = make_btf(trees[_i], NULL);
	kallsyms = SYMBOLS;
	memset(&told, 0x55, sizeof(told));
	ck_assert_msg(!guest_layout_read(&told, &error), "%s", error.message);
	ck_assert_uint_eq(told.bytes, sizeof(told));
	ck_assert_uint_eq(told.layout.is_maple, trees[_i] == MAPLE);
	for (int i = 0; i < MEMBERS; i++) {
		const struct made_member *one = &made_members[i];
		const char *layout = (const char *)&told.layout;

		if (!(one->trees & trees[_i]))
			continue;
		ck_assert_msg(*(const uint32_t *)(layout + one->is) == one->at, "%s", one->name);
		if (one->counts != NOWHERE)
			ck_assert_uint_eq(*(const uint32_t *)(layout + one->counts), one->elements);
	}
}
END_TEST

START_TEST(missing_member_is_named)
{
	const struct made_member *one = &made_members[_i];
	struct guest_told told;
	char said[100];

	snprintf(said, sizeof(said), "the kernel's BTF has no %s in struct %s", one->name,
		 one->type);
	kallsyms = SYMBOLS;
	for (int i = 0; i < COUNT(trees); i++) {
		struct error error = { 0 };

		if (!(one->trees & trees[i]))
			continue;
		kernel_btf = make_btf(trees[i], one);
		ck_assert_int_eq(guest_layout_read(&told, &error), -1);
		ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
		ck_assert_str_eq(error.message, said);
	}
}
END_TEST

#define BASE	 0xffffffff82000000
#define NO_PLACE "/proc/kallsyms doesn't say where the kernel has "

static const struct {
	const char *name, *text;
	uint64_t task;
	const char *said; /* NULL: nothing is missing */
	bool no_btf;
} symbols[] = {
	{ "current_task", SYMBOLS, .task = 0x1fbc0 },
	{ "pcpu_hot", "20080 A pcpu_hot\nffffffff82000000 D page_offset_base\n", .task = 0x20080 },
	{ "current_task_before_pcpu_hot", "20080 A pcpu_hot\n" SYMBOLS, .task = 0x1fbc0 },
	{ "a_module_s_comes_behind", SYMBOLS "ffffffffc0000000 d current_task\t[module]\n",
	  .task = 0x1fbc0 },
	{ "longer_names", "1 D current_tasks\n2 D page_offset_base_x\n" SYMBOLS, .task = 0x1fbc0 },
	{ "no_line", "no line\n\n" SYMBOLS, .task = 0x1fbc0 },
	{ "hidden", "0000000000000000 D page_offset_base\n0000000000000000 A current_task\n",
	  .said = NO_PLACE "current_task" },
	{ "no_task", "ffffffff82000000 D page_offset_base\n", .said = NO_PLACE "current_task" },
	{ "no_base", "1fbc0 A current_task\n", .said = NO_PLACE "page_offset_base" },
	{ "no_file", .said = "/proc/kallsyms: No such file or directory" },
	{ "no_btf", SYMBOLS, .said = "the kernel's BTF can't be read", .no_btf = true },
};

START_TEST(symbols_are_found)
{
	struct guest_told told;
	struct error error = { 0 };
	int status;

	kernel_btf = symbols[_i].no_btf ? NULL : make_btf(MAPLE, NULL);
	kallsyms = symbols[_i].text;
	memset(&told, 0x55, sizeof(told));
	status = guest_layout_read(&told, &error);
	if (symbols[_i].said) {
		ck_assert_msg(status == -1 && !strcmp(error.message, symbols[_i].said), "%s: %s",
			      symbols[_i].name, error.message);
		return;
	}
	ck_assert_msg(!status, "%s: %s", symbols[_i].name, error.message);
	ck_assert_msg(told.current_task == symbols[_i].task && told.page_offset_base == BASE,
		      "%s: %" PRIx64 " %" PRIx64, symbols[_i].name, told.current_task,
		      told.page_offset_base);
}
END_TEST

/* As many elements as something that is no array has would be read beside it. */
START_TEST(slots_are_an_array)
{
	struct guest_told told;
	struct error error = { 0 };
	struct btf_type *slot;

	kernel_btf = make_btf(MAPLE, NULL);
	kallsyms = SYMBOLS;
	slot = (struct btf_type *)btf__type_by_id(
		kernel_btf, btf__find_by_name_kind(kernel_btf, "maple_arange_64", BTF_KIND_STRUCT));
	btf_members(slot)[btf_vlen(slot) - 1].type = 1;
	ck_assert_int_eq(guest_layout_read(&told, &error), -1);
	ck_assert_str_eq(error.message, "the kernel's BTF has no slot in struct maple_arange_64");
}
END_TEST

SUITE(guest_layout, LOOP(members_are_found, trees), LOOP(missing_member_is_named, made_members),
      LOOP(symbols_are_found, symbols), TEST(slots_are_an_array))
