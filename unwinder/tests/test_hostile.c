/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_hostile.c - what reading a section may cost, whoever wrote it
 *
 * Reading is all that a user does with a section: cfi_create(), every row, strict and raw, the
 * check, and look-ups. The heap that this takes at its peak, beside the image itself, is at most
 * three times the section's size for what compilers write; a section made to hurt gets at most
 * 64 MiB and 10 s of processor time per MiB. Each hostile section here has 1 MiB of the one thing
 * that its name says. The heap is counted by malloc() and its kin, which this program replaces.
 */
#include <endian.h>
#include <inttypes.h>
#include <malloc.h>
#include <time.h>
#include <zlib.h>
#include "suite.h"
#include "cfa_bytes.h"
#include "cfi_bytes.h"
#include "cfi/cfi_section.h"

/* ---- the heap ---------------------------------------------------------------------------- */

/* For 1 MiB. Sanitizers check every access: they are given more, and their heap isn't counted. */
#ifdef __SANITIZE_ADDRESS__
#define SECONDS_MAX 100
#else
#define SECONDS_MAX 10
#endif

static size_t heap_now;
static size_t heap_peak;

#ifndef __SANITIZE_ADDRESS__
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

static void *count_block(void *block)
{
	heap_now += malloc_usable_size(block);
	heap_peak = heap_now > heap_peak ? heap_now : heap_peak;
	return block;
}

void *malloc(size_t size)
{
	return count_block(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
	return count_block(__libc_calloc(count, size));
}

void free(void *block)
{
	heap_now -= malloc_usable_size(block);
	__libc_free(block);
}

/* The old block and the new one may both be there for a moment: that counts. */
void *realloc(void *block, size_t size)
{
	size_t before = malloc_usable_size(block);
	void *ret = __libc_realloc(block, size);
	if (!ret && size)
		return NULL;
	if (ret)
		count_block(ret);
	heap_now -= before;
	return ret;
}
#endif

/* ---- reading all ------------------------------------------------------------------------- */

struct cost {
	size_t heap;
	double seconds;
	size_t fdes;
	uint64_t rows;
};

static int count_row(void *context, const struct row *row)
{
	++*(uint64_t *)context;
	return 0;
}

static struct cost read_section(const struct image *image)
{
	struct cost cost = { 0 };
	struct error error;
	size_t before = heap_now;
	heap_peak = heap_now;
	clock_t start = clock();
	struct cfi *cfi = cfi_of(image);
	for (size_t i = 0; i < cfi->fde_count; i++)
		cfi_rows(cfi, &cfi->fde[i], count_row, &cost.rows, &error);
	cfi_row_count(cfi);
	struct error_list found = { 0 };
	cfi_check(cfi, &found);
	error_list_deinit(&found);
	uint64_t pc = 1;
	for (size_t i = 0; i < 100000; i++, pc = pc * 6364136223846793005u + 1442695040888963407u)
		cfi_fde_find(cfi, pc >> 44);
	cost.fdes = cfi->fde_count;
	cfi_destroy(cfi);
	cost.seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	cost.heap = heap_peak - before;
	return cost;
}

static void print_cost(const char *name, size_t size, const struct cost *cost)
{
	printf("%-44s %8zu bytes %7zu FDEs %8" PRIu64 " rows %6.2f s %9zu bytes of heap = %.2fx\n",
	       name, size, cost->fdes, cost->rows, cost->seconds, cost->heap,
	       (double)cost->heap / (double)size);
	fflush(stdout);
}

/* ---- what compilers write ---------------------------------------------------------------- */

static const char *const images[] = {
	"/proc/self/exe",
	"/lib/x86_64-linux-gnu/libc.so.6",
	"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
	"/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1",
	"/usr/lib/gcc/x86_64-linux-gnu/12/cc1",
};

START_TEST(three_times_the_section)
{
	struct image *image;
	struct error error;
	if (image_create(images[_i], &image, &error)) {
		fprintf(stderr, "%s: not here\n", images[_i]);
		ck_assert_int_ne(_i, 0);
		return;
	}
	struct cost cost = read_section(image);
	print_cost(images[_i], image->eh_frame.size, &cost);
	ck_assert_msg(cost.heap <= 3 * image->eh_frame.size, "%s: %zu bytes of heap for %zu",
		      images[_i], cost.heap, image->eh_frame.size);
	ck_assert_uint_gt(cost.rows, 100);
	image_destroy(image);
}
END_TEST

/* ---- what somebody wrote to hurt --------------------------------------------------------- */

#define SECTION_BYTES (1u << 20)

struct section {
	uint8_t *data;
	size_t size;
};

/* False: it is full. */
static bool add(struct section *section, const void *data, size_t size)
{
	if (size > SECTION_BYTES - section->size)
		return false;
	memcpy(section->data + section->size, data, size);
	section->size += size;
	return true;
}

static bool add_number(struct section *section, uint64_t value, size_t size)
{
	return add(section, &value, size);
}

/* The head of an entry of that many bytes behind its id, and its id or pointer to the CIE at 0. */
static bool add_head(struct section *section, bool is_cie, size_t size)
{
	uint64_t pointer = is_cie ? 0 : section->size + 4;
	return SECTION_BYTES - section->size >= 8 + size && add_number(section, 4 + size, 4) &&
	       add_number(section, pointer, 4);
}

static void add_cie(struct section *section, uint8_t encoding, const void *instructions,
		    size_t size)
{
	add_head(section, true, 9 + size);
	add(section, "\1zR\0\1\x78\x10\1", 8);
	add_number(section, encoding, 1);
	add(section, instructions, size);
}

/* FDEs of 11 bytes, the least there can be, after a CIE with these instructions. */
static void fill_with_fdes(struct section *section, const void *instructions, size_t size,
			   bool have_ranges)
{
	add_cie(section, 0x01, instructions, size);
	while (add_head(section, false, 3)) {
		add_number(section, section->size % 0x7f, 1);
		add_number(section, have_ranges ? 0x7f - section->size % 7 : 0, 1);
		add_number(section, 0, 1);
	}
}

static void fdes_without_a_range(struct section *section)
{
	fill_with_fdes(section, "", 0, false);
}

static void least_fdes_that_overlap(struct section *section)
{
	fill_with_fdes(section, "", 0, true);
}

/* Each executes the CIE's instructions again. */
static void least_fdes_with_a_long_cie(struct section *section)
{
	uint8_t instructions[CIE_INSTRUCTION_BYTES_MAX];
	for (size_t i = 0; i < sizeof(instructions); i += 2)
		memcpy(instructions + i, CFI_SIZED(CFA_remember_state, CFA_restore(RBX)));
	fill_with_fdes(section, instructions, sizeof(instructions), true);
}

/* The first covers all PCs, the others one each: the way back to it is long. */
static void one_fde_around_all(struct section *section)
{
	add_cie(section, 0x03, "", 0);
	for (uint64_t i = 0; add_head(section, false, 9); i++) {
		add_number(section, i * 16, 4);
		add_number(section, i ? 1 : 0x7fffffff, 4);
		add_number(section, 0, 1);
	}
}

static void fdes_of_huge_ranges(struct section *section)
{
	add_cie(section, 0x03, "", 0);
	for (uint32_t i = 0; add_head(section, false, 9); i++) {
		add_number(section, (i * 2654435761u) >> 8, 4);
		add_number(section, 0x7fffffff, 4);
		add_number(section, 0, 1);
	}
}

/* Further apart than 4 GiB and in no order. */
static void fdes_all_over_the_address_space(struct section *section)
{
	add_cie(section, 0x04, "", 0);
	for (uint64_t i = 0; add_head(section, false, 17); i++) {
		add_number(section, i * 0x9e3779b97f4a7c15u >> 1, 8);
		add_number(section, 1, 8);
		add_number(section, 0, 1);
	}
}

static void least_cies(struct section *section)
{
	while (add_head(section, true, 5))
		add(section, "\1\0\1\x78\x10", 5);
}

static void empty_cies(struct section *section)
{
	while (add_head(section, true, 0))
		;
}

static void fdes_of_no_cie(struct section *section)
{
	while (add_head(section, false, 0))
		;
}

/* One FDE whose instructions are unit again and again. */
static void fill_one_fde(struct section *section, const void *unit, size_t size)
{
	add_cie(section, 0x03, CFI_SIZED(CFA_USUAL));
	size_t left = SECTION_BYTES - section->size - 8 - 9;
	add_head(section, false, left / size * size + 9);
	add_number(section, 0x1000, 4);
	add_number(section, 0x7fffffff, 4);
	add_number(section, 0, 1);
	while (add(section, unit, size))
		;
}

static void nothing_but_remember_state(struct section *section)
{
	fill_one_fde(section, CFI_SIZED(CFA_remember_state));
}

static void remembered_states_that_differ(struct section *section)
{
	fill_one_fde(section, CFI_SIZED(CFA_remember_state, CFA_restore(RBX)));
}

static void remembered_states_of_vector_registers(struct section *section)
{
	fill_one_fde(section, CFI_SIZED(CFA_remember_state, CFA_restore(18)));
}

static void remembered_states_that_differ_much(struct section *section)
{
	fill_one_fde(section,
		     CFI_SIZED(CFA_remember_state, CFA_restore(RAX), CFA_restore(RDX),
			       CFA_restore(RCX), CFA_restore(RBX), CFA_restore(RSI),
			       CFA_restore(RDI), CFA_restore(RBP), CFA_restore(RSP),
			       CFA_restore(R8), CFA_restore(R9), CFA_restore(R10), CFA_restore(R11),
			       CFA_restore(R12), CFA_restore(R13), CFA_restore(R14)));
}

static void advances_by_one(struct section *section)
{
	fill_one_fde(section, CFI_SIZED(CFA_advance_loc(1)));
}

static void rows_that_differ(struct section *section)
{
	fill_one_fde(section, CFI_SIZED(CFA_advance_loc(1), CFA_restore(RBX)));
}

static void lebs_of_nothing_but_padding(struct section *section)
{
	add_cie(section, 0x01, "", 0);
	while (add_head(section, false, 4096)) {
		for (size_t i = 0; i < 4093; i++)
			add_number(section, 0x80, 1);
		add(section, "\0\1\0", 3);
	}
}

static void one_leb(struct section *section)
{
	add_cie(section, 0x03, CFI_SIZED(CFA_USUAL));
	add_head(section, false, SECTION_BYTES - section->size - 8);
	add(section, "\0\x10\0\0\0\0\0\x10\0\x0e", 10);
	while (add_number(section, 0x80, 1))
		;
}

static void lengths_that_leave_the_section(struct section *section)
{
	while (add(section, "\0\0\xff\x7f", 4))
		;
}

/* After every bad length an FDE, so that the list is taken up again each time. */
static void bad_lengths_between_good_fdes(struct section *section)
{
	add_cie(section, 0x03, "", 0);
	while (add(section, "\0\0\xff\x7f\1", 5) && add_head(section, false, 9))
		add(section, "\0\x10\0\0\x10\0\0\0\0", 9);
}

/* The same, and their CIE is long. */
static void bad_lengths_and_a_long_augmentation(struct section *section)
{
	add_head(section, true, SECTION_BYTES / 2);
	add(section, "\1z", 2);
	while (section->size < SECTION_BYTES / 2)
		add(section, "X", 1);
	add(section, "\0\1\x78\x10\0", 5);
	section->size = 8 + SECTION_BYTES / 2;
	while (add(section, "\0\0\xff\x7f\1", 5) && add_head(section, false, 17))
		add(section, "\0\x10\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\0", 17);
}

static void random_bytes(struct section *section)
{
	unsigned int seed = 4;
	add_cie(section, 0x03, "", 0);
	while (add_number(section, (uint64_t)rand_r(&seed) >> 5, 1))
		;
}

static void random_small_words(struct section *section)
{
	unsigned int seed = 5;
	add_cie(section, 0x03, "", 0);
	while (add_number(section, (uint64_t)rand_r(&seed) % 40, 4))
		;
}

static const struct {
	const char *name;
	void (*fill)(struct section *section);
	size_t fdes; /* at least so many are read */
} hostile[] = {
#define HOSTILE(name, fdes) IN_BRACES(#name, name, fdes)
	HOSTILE(fdes_without_a_range, 95000),
	HOSTILE(least_fdes_that_overlap, 95000),
	HOSTILE(least_fdes_with_a_long_cie, 95000),
	HOSTILE(one_fde_around_all, 61000),
	HOSTILE(fdes_of_huge_ranges, 61000),
	HOSTILE(fdes_all_over_the_address_space, 41000),
	HOSTILE(least_cies, 0),
	HOSTILE(empty_cies, 0),
	HOSTILE(fdes_of_no_cie, 0),
	HOSTILE(nothing_but_remember_state, 1),
	HOSTILE(remembered_states_that_differ, 1),
	HOSTILE(remembered_states_of_vector_registers, 1),
	HOSTILE(remembered_states_that_differ_much, 1),
	HOSTILE(advances_by_one, 1),
	HOSTILE(rows_that_differ, 1),
	HOSTILE(lebs_of_nothing_but_padding, 250),
	HOSTILE(one_leb, 1),
	HOSTILE(lengths_that_leave_the_section, 0),
	HOSTILE(bad_lengths_between_good_fdes, 40000),
	HOSTILE(bad_lengths_and_a_long_augmentation, 15000),
	HOSTILE(random_bytes, 0),
	HOSTILE(random_small_words, 0),
};

START_TEST(hostile_section_is_bounded)
{
	struct section section = { .data = calloc(1, SECTION_BYTES) };
	hostile[_i].fill(&section);
	ck_assert_uint_gt(section.size, SECTION_BYTES - 5000);
	struct image image = {
		.path = "hostile",
		.machine = EM_X86_64,
		.eh_frame = { section.data, section.size, TEST_SECTION_VADDR, 0, ".eh_frame" },
	};
	struct cost cost = read_section(&image);
	print_cost(hostile[_i].name, section.size, &cost);
	ck_assert_msg(cost.heap <= 64u << 20, "%s: %zu bytes of heap", hostile[_i].name, cost.heap);
	ck_assert_msg(cost.seconds <= SECONDS_MAX, "%s: %.1f s", hostile[_i].name, cost.seconds);
	ck_assert_msg(cost.fdes >= hostile[_i].fdes, "%s: %zu FDEs", hostile[_i].name, cost.fdes);
	free(section.data);
}
END_TEST

/* A section too large for its entries to be kept: some are lost, and that is said. */
START_TEST(memory_ends_before_the_section)
{
	enum { COPIES = 24 };
	struct section section = { .data = calloc(1, SECTION_BYTES) };
	least_cies(&section);
	uint8_t *data = malloc(COPIES * section.size);
	ck_assert_ptr_nonnull(data);
	for (size_t i = 0; i < COPIES; i++)
		memcpy(data + i * section.size, section.data, section.size);
	struct image image = {
		.path = "hostile",
		.machine = EM_X86_64,
		.eh_frame = { data, COPIES * section.size, TEST_SECTION_VADDR, 0, ".eh_frame" },
	};
	size_t before = heap_now;
	heap_peak = heap_now;
	struct cfi *cfi = cfi_of(&image);
	/* Half of it is for CIEs. */
	ck_assert_uint_eq(cfi->cie_count, 3 * image.eh_frame.size / 2 / sizeof(*cfi->cie));
	ck_assert_uint_eq(cfi->diagnostics.count, ERROR_LIST_MAX);
	ck_assert_int_eq(cfi->diagnostics.error[0].code, ERROR_MEMORY);
	ck_assert_uint_eq(cfi->cie_count + cfi->diagnostics.count + cfi->diagnostics.dropped,
			  image.eh_frame.size / 13);
	ck_assert_uint_le(heap_peak - before, 3 * image.eh_frame.size);
	cfi_destroy(cfi);
	free(data);
	free(section.data);
}
END_TEST

/* All of .debug_frame is added to a small .eh_frame: for a while it is there twice. */
START_TEST(added_fdes_are_kept_in_little_memory)
{
	enum { FDES = 40000 };
	struct section section = { .data = calloc(1, SECTION_BYTES) };
	struct bytes eh_frame = { .size = 0 };
	size_t cie = put_cie(&eh_frame, 0, (struct literal)CFI(CFA_USUAL));
	put_fde(&eh_frame, cie, TEST_PC, 1, (struct literal)BYTES("\0"));
	add_number(&section, 12, 4);
	add_number(&section, UINT32_MAX, 4);
	add(&section, "\3\0\1\x78\x10\0\0\0", 8);
	for (uint64_t i = 0; i < FDES; i++) {
		add_number(&section, 20, 4);
		add_number(&section, 0, 4);
		add_number(&section, 0x10000 + i * 7919 % FDES * 16, 8); /* not in order */
		add_number(&section, 16, 8);
	}
	struct image image = fake_image(&eh_frame);
	image.debug_frame = (struct image_section) { section.data, section.size, 0, 0,
						     ".debug_frame" };
	size_t before = heap_now;
	heap_peak = heap_now;
	struct cfi *cfi = cfi_of(&image);
	ck_assert_uint_eq(cfi->debug_fde_count, FDES);
	ck_assert_uint_eq(cfi->by_pc_count, FDES + 1);
	ck_assert_msg(heap_peak - before <= 4 * section.size, "%zu bytes of heap for %zu",
		      heap_peak - before, section.size);
	cfi_destroy(cfi);
	free(section.data);
}
END_TEST

/* 64 MiB of zeros, deflated to 64 KiB: in both ways to say so. */
static const struct {
	const char *name;
	bool gnu;
	size_t inflated;
	bool good;
} bombs[] = {
	{ ".debug_frame", false, 64u << 20, false },
	{ ".zdebug_frame", true, 64u << 20, false },
	{ ".debug_frame", false, 12u << 20, true },
	{ ".zdebug_frame", true, 12u << 20, true },
};

/* A file of nothing but that section. */
static uint8_t *make_bomb(size_t index, size_t *ret_size)
{
	static const char names[] = "\0.debug_frame\0.zdebug_frame";
	size_t inflated = bombs[index].inflated;
	uLongf deflated = compressBound(inflated);
	size_t start = sizeof(Elf64_Ehdr) + 64 + (bombs[index].gnu ? 12 : sizeof(Elf64_Chdr));
	uint8_t *zeros = calloc(1, inflated);
	uint8_t *file = calloc(1, start + deflated + 3 * sizeof(Elf64_Shdr));
	ck_assert(zeros && file);
	ck_assert_int_eq(compress(file + start, &deflated, zeros, inflated), Z_OK);
	free(zeros);
	const Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
				    .e_type = ET_DYN,
				    .e_machine = EM_X86_64,
				    .e_version = 1,
				    .e_shoff = (start + deflated + 7) & ~7ul,
				    .e_ehsize = 64,
				    .e_shentsize = 64,
				    .e_shnum = 3,
				    .e_shstrndx = 2 };
	const size_t at = sizeof(header) + 64;
	const Elf64_Shdr sections[3] = {
		[1] = { bombs[index].gnu ? 14 : 1, SHT_PROGBITS,
			bombs[index].gnu ? 0 : SHF_COMPRESSED, 0, at, start - at + deflated, 0, 0,
			8, 0 },
		[2] = { 0, SHT_STRTAB, 0, 0, sizeof(header), sizeof(names), 0, 0, 1, 0 },
	};
	const Elf64_Chdr compressed = { ELFCOMPRESS_ZLIB, 0, inflated, 8 };
	const uint64_t size = htobe64(inflated);
	memcpy(file, &header, sizeof(header));
	memcpy(file + sizeof(header), names, sizeof(names));
	if (bombs[index].gnu)
		memcpy(memcpy(file + at, "ZLIB", 4) + 4, &size, 8);
	else
		memcpy(file + at, &compressed, sizeof(compressed));
	memcpy(file + header.e_shoff, sections, sizeof(sections));
	*ret_size = header.e_shoff + sizeof(sections);
	return file;
}

START_TEST(inflating_is_bounded)
{
	size_t size;
	uint8_t *file = make_bomb((size_t)_i, &size);
	struct image *image;
	struct cfi *cfi;
	struct error error;
	size_t before = heap_now;
	heap_peak = heap_now;
	ck_assert_int_eq(image_create_memory(file, size, "bomb", &image, &error), 0);
	int result = cfi_create(image, &cfi, &error);
	ck_assert_int_eq(result, bombs[_i].good ? 0 : -1);
	ck_assert(bombs[_i].good || error.code == ERROR_ELF_BOUNDS);
	ck_assert_msg(heap_peak - before <= 64u << 20, "%zu bytes of heap", heap_peak - before);
	cfi_destroy(cfi);
	image_destroy(image);
	free(file);
}
END_TEST

SUITE(hostile, LOOP(three_times_the_section, images), LOOP(hostile_section_is_bounded, hostile),
      TEST(memory_ends_before_the_section), TEST(added_fdes_are_kept_in_little_memory),
      LOOP(inflating_is_bounded, bombs))
