/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_referee.c - in which file and section the referee looks: where ours found the address
 */
#include <sys/stat.h>
#include "tests/suite.h"
#include "image/image.h"

static const struct image_section *section_of(const struct image *image, size_t number);
#define image_eh_frame section_of
#include "judge/verdict/referee.c"
#undef image_eh_frame
#include "tests/cfa_bytes.h"
#include "tests/cfi_bytes.h"

#define IN_DEBUG 0x2000 /* TEST_PC is in .eh_frame */
#define IN_NONE	 0x3000

static void put_debug_frame(struct bytes *bytes)
{
	size_t start = begin_entry(bytes);

	put_number(bytes, 0xffffffff, 4);
	put(bytes, "\1\0\1\x78\x10", 5);
	put(bytes, CFI_SIZED(CFA_USUAL));
	end_entry(bytes, start);
	start = begin_entry(bytes);
	put_number(bytes, 0, 4);
	put_number(bytes, IN_DEBUG, 8);
	put_number(bytes, 0x100, 8);
	end_entry(bytes, start);
}

static const struct section_case {
	const char *name;
	bool has_eh_frame, has_debug_frame;
	uint64_t vaddr;
	bool eh_frame; /* is asked */
} cases[] = {
	{ "found_in_eh_frame", true, true, TEST_PC, true },
	{ "found_in_debug_frame", true, true, IN_DEBUG, false },
	{ "found_in_neither", true, true, IN_NONE, true },
	{ "only_eh_frame", true, false, TEST_PC, true },
	{ "only_eh_frame_and_not_there", true, false, IN_NONE, true },
	{ "only_debug_frame", false, true, IN_DEBUG, false },
	{ "only_debug_frame_and_not_there", false, true, IN_NONE, false },
};

START_TEST(section_is_the_one_that_was_read)
{
	const struct section_case *c = &cases[_i];
	struct bytes eh_frame = { .size = 0 }, debug_frame = { .size = 0 };
	struct image image;
	struct error error;
	struct cfi *cfi;

	put_fde(&eh_frame, put_cie(&eh_frame, 0, (struct literal)CFI(CFA_USUAL)), TEST_PC, 0x100,
		(struct literal) { "", 0 });
	put_debug_frame(&debug_frame);
	image = fake_image(&eh_frame);
	if (!c->has_eh_frame)
		memset(&image.eh_frame, 0, sizeof(image.eh_frame));
	if (c->has_debug_frame)
		image.debug_frame = (struct image_section) { debug_frame.data, debug_frame.size, 0,
							     0, ".debug_frame" };
	ck_assert_msg(!cfi_create(&image, &cfi, &error), "%s: %s", c->name, error.message);
	ck_assert_msg(is_eh_frame(cfi, c->vaddr) == c->eh_frame, "%s", c->name);
	ck_assert(is_eh_frame(NULL, c->vaddr));
	cfi_destroy(cfi);
}
END_TEST

/* ---- the file that is opened ------------------------------------------------------------- */

static bool is_this_program(int fd)
{
	struct stat opened, own;

	return !fstat(fd, &opened) && !stat("/proc/self/exe", &own) &&
	       opened.st_ino == own.st_ino && opened.st_dev == own.st_dev;
}

/* Descriptor 0 is one like others. */
static void check_opened(const struct address_space *space, const struct mapping *mapping)
{
	int in = dup(0), fd;

	close(0);
	fd = open_mapped(space, mapping);
	ck_assert_int_eq(fd, 0);
	ck_assert(is_this_program(fd));
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	ck_assert_int_ge(dup2(in, 0), -1);
	close(in);
}

START_TEST(what_is_mapped_is_opened)
{
	struct address_space space = { 0 };
	struct image_store *store = image_store_create();
	struct mapping elsewhere;
	char path[64], *name;
	struct error error;

	ck_assert(!address_space_read(&space, store, getpid(), &error));
	const struct mapping *mapping = address_space_find(&space, (uint64_t)check_opened);

	ck_assert(mapping && mapping->entry);
	check_opened(&space, mapping);
	elsewhere = *mapping; /* where nothing is: its file has a name */
	elsewhere.end += 4096;
	check_opened(&space, &elsewhere);
	/* A name that leads nowhere, as that of a deleted file, or to another file, as that of a library which was replaced:
	 * who may not ask the kernel is done. */
	snprintf(path, sizeof(path), "/proc/self/map_files/%lx-%lx", (long)mapping->start,
		 (long)mapping->end);
	if (!access(path, R_OK) && open(path, O_RDONLY | O_CLOEXEC) >= 0) {
		name = mapping->entry->image->path;
		mapping->entry->image->path = (char *)"/nowhere";
		check_opened(&space, mapping);
		mapping->entry->image->path = (char *)"/bin/sh";
		check_opened(&space, mapping);
		mapping->entry->image->path = name;
	}
	address_space_deinit(&space);
	image_store_destroy(store);
}
END_TEST

static const struct image_section *second;

static const struct image_section *section_of(const struct image *image, size_t number)
{
	ck_assert_uint_eq(number, 1);
	return second;
}

asm(".text\nreferee_nowhere: nop\n");
extern const char nowhere[] asm("referee_nowhere");

/* Of several sections libdw reads one: that it finds no FDE says something only where there is one. */
START_TEST(what_is_not_found_may_be_in_another_section)
{
	static const struct image_section another = { .size = 8 };
	const struct image_section *const sections[] = { NULL, &another, NULL };
	const struct memory_reader memory = { NULL, NULL };
	const struct register_values regs = { .known = 0 };
	struct image_store *store = image_store_create();
	struct referee *referee = referee_create();
	struct address_space space = { 0 };
	struct referee_step step;
	struct error error;

	ck_assert(!address_space_read(&space, store, getpid(), &error));
	for (int i = 0; i < COUNT(sections); i++) {
		second = sections[i];
		referee_step(referee, &space, &regs, (uint64_t)(uintptr_t)nowhere, &memory, &step);
		ck_assert_int_eq(step.known, !second);
		ck_assert_int_eq(step.no_cfi, !second);
		ck_assert(!step.stuck && !step.outermost && !step.unreadable);
	}
	referee_destroy(referee);
	address_space_deinit(&space);
	image_store_destroy(store);
}
END_TEST

START_TEST(nobody_is_no_referee)
{
	referee_destroy(NULL);
}
END_TEST

SUITE(referee, LOOP(section_is_the_one_that_was_read, cases), TEST(what_is_mapped_is_opened),
      TEST(what_is_not_found_may_be_in_another_section), TEST(nobody_is_no_referee))
