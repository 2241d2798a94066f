/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_no_memory.c - every allocation of every step, one after another, finds no memory
 *
 * The heap's functions are this program's own: the one that is to fail says NULL. Each step, from
 * opening a file to a walk, is done again and again, and each time a later allocation of it fails,
 * until none is left to fail. A step either says that there is no memory, and has made nothing; or
 * it has done without, and then its answer is the one it gives otherwise: less is never an answer.
 *
 * The image is this program. AddressSanitizer has a heap of its own: then all this is skipped.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>
#include "suite.h"
#include "walk/address_space.h"
#include "cfi/cfi.h"
#include "cfi/code_name.h"
#include "failing_heap.h"
#include "table/saved_table.h"
#include "walk/image_store.h"
#include "table/unwind_table.h"
#include "walk/walk_rows.h"

#define ALLOCATIONS_MAX 100000 /* a step has fewer */

/* ---- steps ------------------------------------------------------------------------------ */

/* What steps begin from: made before anything fails. */
static struct {
	struct image *image;
	struct cfi *cfi;
	struct table *table;
	char *text;
	size_t text_size;
	struct address_space space;
} made;

static struct register_values here;

/* 0, and a number that stands for the answer; or -1. */
typedef int (*step_fn)(uint64_t *ret, struct error *error);

struct table_sum {
	const struct table *table;
	uint64_t sum;
};

static int add_row(void *context, uint64_t pc, uint64_t pc_end, uint32_t rule)
{
	struct table_sum *sum = context;
	uint64_t row[] = { pc, pc_end, 0 };

	/* Rules have numbers as they come: by which way they came is no difference. */
	row[2] = hash_bytes(&sum->table->rule[rule], sizeof(sum->table->rule[rule]));
	if (rule < TABLE_MARKER_COUNT)
		row[2] = rule;
	sum->sum = (sum->sum ^ hash_bytes(row, sizeof(row))) * 3;
	return 0;
}

static int open_image(uint64_t *ret, struct error *error)
{
	struct image *image = made.image;

	if (image_create("/proc/self/exe", &image, error)) {
		ck_assert_ptr_null(image);
		return -1;
	}
	*ret = hash_bytes(image->eh_frame.data, image->eh_frame.size) + image->segment_count;
	image_destroy(image);
	return 0;
}

/* The names of all code: symbols, stubs, sections. */
static int read_names(uint64_t *ret, struct error *error)
{
	struct code_name name;
	struct image *image;

	if (image_create("/proc/self/exe", &image, error))
		return -1;
	if (code_name_prepare(image, error)) {
		image_destroy(image);
		return -1;
	}
	*ret = 0;
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segment[i];

		for (uint64_t at = 0; segment->executable && at < segment->file_bytes; at += 16) {
			code_name_find(image, NULL, segment->vaddr + at, &name);
			*ret = *ret * 3 + name.start + name.kind;
		}
	}
	image_destroy(image);
	return 0;
}

static int read_cfi(uint64_t *ret, struct error *error)
{
	struct cfi *cfi = made.cfi;

	if (cfi_create(made.image, &cfi, error)) {
		ck_assert_ptr_null(cfi);
		return -1;
	}
	*ret = cfi->fde_count;
	for (size_t i = 0; i < cfi->fde_count; i++)
		*ret += hash_bytes(&cfi->fde[i].pc_begin, sizeof(cfi->fde[i].pc_begin));
	cfi_destroy(cfi);
	return 0;
}

static int sum_table(struct table *table, uint64_t *ret)
{
	struct table_sum sum = { .table = table, .sum = table->lost_fdes };

	table_rows(table, add_row, &sum);
	*ret = sum.sum;
	table_destroy(table);
	return 0;
}

static int build_table(uint64_t *ret, struct error *error)
{
	struct table *table = NULL;

	return table_build(made.image, &table, error) ? -1 : sum_table(table, ret);
}

static int create_table(uint64_t *ret, struct error *error)
{
	struct table *table = NULL;

	return table_create(made.image, made.cfi, &table, error) ? -1 : sum_table(table, ret);
}

static int prove_table(uint64_t *ret, struct error *error)
{
	struct table_proof proof = { 0 };

	if (table_prove(made.cfi, made.table, NULL, NULL, &proof, error))
		return -1;
	*ret = hash_bytes(&proof, sizeof(proof));
	return 0;
}

static int read_text(uint64_t *ret, struct error *error)
{
	struct table_text *text = NULL;

	if (table_text_read(made.text, made.text_size, &text, error))
		return -1;
	*ret = text->function_count * 1000000 + text->row_count * 1000 + text->rules_count;
	table_text_destroy(text);
	return 0;
}

static int create_text(uint64_t *ret, struct error *error)
{
	struct table_text *text = NULL;

	if (table_text_create(made.cfi, &text, error))
		return -1;
	*ret = text->function_count * 1000000 + text->row_count * 1000 + text->rules_count;
	table_text_destroy(text);
	return 0;
}

static int write_text(uint64_t *ret, struct error *error)
{
	static char buffer[1 << 20];
	FILE *file = fmemopen(buffer, sizeof(buffer), "w");
	int status;

	if (!file)
		return error_set_errno(error, "fmemopen");
	status = table_text_write(file, made.cfi, error);
	long size = ftell(file);
	fclose(file);
	*ret = hash_bytes(buffer, size);
	return status;
}

static int read_space(uint64_t *ret, struct error *error)
{
	struct image_store *store = image_store_create();
	struct address_space space = { 0 };
	int status;

	if (!store)
		return error_set(error, ERROR_MEMORY, "", 0, "no store");
	status = address_space_read(&space, store, getpid(), error);
	*ret = space.mapping_count;
	for (size_t i = 0; !status && i < space.mapping_count; i++) {
		const struct mapping *mapping = &space.mapping[i];

		*ret += mapping->start + (mapping->entry ? hash_bytes("i", 1) : 0) + mapping->bias;
	}
	address_space_deinit(&space);
	image_store_destroy(store);
	return status;
}

static int read_self(void *context, uint64_t address, void *ret, size_t size)
{
	struct iovec to = { ret, size }, from = { (void *)(uintptr_t)address, size };

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)size ? 0 : -1;
}

typedef int (*walk_fn)(const struct address_space *space, const struct register_values *regs,
		       const struct memory_reader *memory, struct walk_memo *memo,
		       struct stack *ret, struct error *error);

/* Twice, the second time with what the memo has learned. */
static int walk_by(walk_fn walk, uint64_t *ret, struct error *error)
{
	const struct memory_reader memory = { .read = read_self };
	struct walk_memo *memo = walk_memo_create();
	struct stack stack = { 0 };
	int status = 0;

	*ret = 0;
	for (int i = 0; !status && i < 2; i++) {
		status = walk(&made.space, &here, &memory, memo, &stack, error);
		*ret = *ret * 3 + hash_bytes(stack.pc, stack.count * sizeof(*stack.pc)) +
		       stack.stop;
	}
	stack_deinit(&stack);
	walk_memo_destroy(memo);
	return status;
}

static int walk_by_rows(uint64_t *ret, struct error *error)
{
	return walk_by(walk_rows, ret, error);
}

static int walk_by_table(uint64_t *ret, struct error *error)
{
	return walk_by(walk_table, ret, error);
}

/* ---- every allocation ------------------------------------------------------------------- */

static const struct {
	const char *name;
	step_fn run;
	long every; /* so many allocations: it takes its time */
} steps[] = {
	{ "open_image", open_image, 1 },     { "read_names", read_names, 1 },
	{ "read_cfi", read_cfi, 1 },	     { "build_table", build_table, 1 },
	{ "create_table", create_table, 1 }, { "prove_table", prove_table, 1 },
	{ "write_text", write_text, 1 },     { "read_text", read_text, 1 },
	{ "create_text", create_text, 7 },   { "read_space", read_space, 1 },
	{ "walk_by_rows", walk_by_rows, 1 }, { "walk_by_table", walk_by_table, 1 },
};

static void make(void)
{
	struct error error;
	FILE *file;

	ck_assert(!image_create("/proc/self/exe", &made.image, &error));
	ck_assert(!cfi_create(made.image, &made.cfi, &error));
	ck_assert(!table_build(made.image, &made.table, &error));
	file = open_memstream(&made.text, &made.text_size);
	ck_assert(!table_text_write(file, made.cfi, &error));
	fclose(file);
	ck_assert(!address_space_read(&made.space, image_store_create(), getpid(), &error));
}

START_TEST(no_memory_is_said)
{
	uint64_t right = 0, answer;
	struct error error = { 0 };
	ucontext_t now;

	if (SANITIZED) {
		printf("SKIP: %s: AddressSanitizer has a heap of its own\n", steps[_i].name);
		return;
	}
	make();
	getcontext(&now);
	const greg_t *greg = now.uc_mcontext.gregs;
	here = (struct register_values) {
		.value = { [3] = greg[REG_RBX],
			   [6] = greg[REG_RBP],
			   [7] = greg[REG_RSP],
			   [12] = greg[REG_R12],
			   [13] = greg[REG_R13],
			   [14] = greg[REG_R14],
			   [15] = greg[REG_R15],
			   [16] = greg[REG_RIP] },
		.known = 1 << 3 | 1 << 6 | 1 << 7 | 0xf << 12 | 1 << 16,
	};
	ck_assert_msg(!steps[_i].run(&right, &error), "%s", error.message);
	for (long n = 1;; n += steps[_i].every) {
		error = (struct error) { 0 };
		answer = 0;
		failed = 0;
		until_none = n;
		int status = steps[_i].run(&answer, &error);
		until_none = 0;
		if (!failed)
			break;
		ck_assert_int_lt(n, ALLOCATIONS_MAX);
		if (status)
			ck_assert_msg(error.code == ERROR_MEMORY || (error.code == ERROR_SYSTEM &&
								     error.system_errno == ENOMEM),
				      "allocation %ld: %s: %s", n, error_code_name(error.code),
				      error.message);
		else
			ck_assert_msg(answer == right, "allocation %ld: another answer", n);
	}
}
END_TEST

SUITE(no_memory, TIMEOUT(300), LOOP(no_memory_is_said, steps))
