/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_address_space.c - the test's own mappings, and some that it makes
 *
 * What is true of them is known otherwise: dlsym() knows where a function is, mmap() what was
 * mapped, getauxval() where the vDSO is.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "walk/space_range.h"

struct fixture {
	struct image_store *store;
	struct address_space space;
};

static void fixture_read(struct fixture *fixture)
{
	struct error error;

	if (!fixture->store)
		fixture->store = image_store_create();
	ck_assert_msg(!address_space_read(&fixture->space, fixture->store, getpid(), &error), "%s",
		      error.message);
}

static void fixture_deinit(struct fixture *fixture)
{
	address_space_deinit(&fixture->space);
	image_store_destroy(fixture->store);
}

static const char *const functions[] = { "raise", "qsort", "getpid", "printf" };

START_TEST(bias_leads_to_the_symbol)
{
	/* The library's own, not one that a sanitizer puts before it. */
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	uint64_t address = (uint64_t)dlsym(libc, functions[_i]);
	struct fixture f = { .store = NULL };
	char text[128];

	fixture_read(&f);
	const struct mapping *mapping = address_space_find(&f.space, address);
	ck_assert(mapping && mapping->entry);
	ck_assert_ptr_nonnull(strstr(mapping->path, "libc"));
	ck_assert_uint_eq(image_symbol_address(mapping->entry->image, functions[_i]),
			  address - mapping->bias);
	ck_assert_ptr_nonnull(
		cfi_fde_find(image_entry_cfi(mapping->entry), address - mapping->bias));
	address_space_describe(&f.space, address + 1, text, sizeof(text));
	ck_assert_msg(strstr(text, "+0x1 (libc") != NULL, "%s", text);
	fixture_deinit(&f);
	dlclose(libc);
}
END_TEST

START_TEST(vdso_is_an_image)
{
	uint64_t start = getauxval(AT_SYSINFO_EHDR);
	struct fixture f = { .store = NULL };

	if (!start)
		return;
	fixture_read(&f);
	const struct mapping *mapping = address_space_find(&f.space, start);
	ck_assert(mapping && mapping->entry);
	ck_assert_str_eq(mapping->path, "[vdso]");
	ck_assert_uint_eq(mapping->bias, start);
	uint64_t gettime = image_symbol_address(mapping->entry->image, "__vdso_clock_gettime");
	ck_assert_uint_ne(gettime, 0);
	ck_assert_uint_ge(table_find(mapping->entry->table, gettime), TABLE_MARKER_COUNT);
	fixture_deinit(&f);
}
END_TEST

/* Executable headers: the kernel joins them and the text to one line of /proc/PID/maps. */
START_TEST(joined_segments_are_told_apart)
{
	uint64_t headers = getauxval(AT_PHDR) & ~(uint64_t)(TABLE_PAGE_SIZE - 1);
	uint64_t here = (uint64_t)fixture_read;
	struct fixture before = { .store = NULL }, f = { .store = NULL };
	struct walk_mapping walk;

	fixture_read(&before);
	const struct mapping *text = address_space_find(&before.space, here);
	ck_assert(text && text->entry && text->start > headers);
	ck_assert_ptr_null(address_space_find(&before.space, headers));
	ck_assert(!mprotect((void *)headers, text->start - headers, PROT_READ | PROT_EXEC));
	fixture_read(&f);
	ck_assert(!mprotect((void *)headers, text->start - headers, PROT_READ));
	const struct mapping *joined = address_space_find(&f.space, here);
	ck_assert(joined && joined->entry);
	ck_assert_uint_eq(joined->start, text->start);
	ck_assert_uint_eq(joined->end, text->end);
	ck_assert_uint_eq(joined->bias, text->bias);
	ck_assert(mapping_for_walk(joined, 0, &walk));
	ck_assert_uint_eq(walk.start, text->start);
	joined = address_space_find(&f.space, headers);
	ck_assert(joined && !joined->entry && joined->end == text->start);
	fixture_deinit(&before);
	fixture_deinit(&f);
}
END_TEST

/* A walk by tables asks for nothing of it; rows and names do. */
START_TEST(cfi_is_read_when_it_is_asked_for)
{
	struct fixture f = { .store = NULL };
	uint64_t here = (uint64_t)fixture_read;
	struct walk_mapping walk;
	const struct row *row;
	struct error error;

	fixture_read(&f);
	const struct mapping *mapping = address_space_find(&f.space, here);
	ck_assert(mapping && mapping->entry && mapping_for_walk(mapping, 0, &walk));
	ck_assert_uint_ge(table_find(mapping->entry->table, here - mapping->bias),
			  TABLE_MARKER_COUNT);
	for (size_t i = 0; i < image_store_count(f.store); i++)
		ck_assert_ptr_null(image_store_get(f.store, i)->cfi_if_read);
	ck_assert_int_eq(image_entry_row(mapping->entry, here - mapping->bias, &row, &error), 1);
	const struct cfi *cfi = image_entry_cfi(mapping->entry);
	ck_assert_ptr_eq(cfi, mapping->entry->cfi_if_read);
	ck_assert_ptr_nonnull(cfi_fde_find(cfi, here - mapping->bias));
	ck_assert_ptr_eq(cfi, image_entry_cfi(mapping->entry));
	fixture_deinit(&f);
}
END_TEST

START_TEST(mapping_is_found_from_start_to_end)
{
	struct fixture f = { .store = NULL };

	fixture_read(&f);
	ck_assert_uint_gt(f.space.mapping_count, 2);
	for (size_t i = 0; i < f.space.mapping_count; i++) {
		const struct mapping *mapping = &f.space.mapping[i];
		bool neighbour = i + 1 < f.space.mapping_count && mapping[1].start == mapping->end;

		ck_assert(!i || mapping[-1].end <= mapping->start);
		ck_assert_ptr_eq(address_space_find(&f.space, mapping->start), mapping);
		ck_assert_ptr_eq(address_space_find(&f.space, mapping->end - 1), mapping);
		ck_assert_ptr_eq(address_space_find(&f.space, mapping->end),
				 neighbour ? mapping + 1 : NULL);
	}
	ck_assert_ptr_null(address_space_find(&f.space, 0));
	ck_assert_ptr_null(address_space_find(&f.space, UINT64_MAX));
	ck_assert_ptr_null(address_space_find(&f.space, (uint64_t)&f));
	fixture_deinit(&f);
}
END_TEST

/* That what BPF gets looks up the same rules as the table does: bpf/tests/test_placement.c. */
START_TEST(walk_mapping_has_the_tables_pages)
{
	struct fixture f = { .store = NULL };
	size_t walkable = 0;

	fixture_read(&f);
	for (size_t i = 0; i < f.space.mapping_count; i++) {
		const struct mapping *mapping = &f.space.mapping[i];
		struct walk_mapping walk;

		if (!mapping_for_walk(mapping, 0, &walk))
			continue;
		const struct table *table = mapping->entry->table;
		ck_assert_uint_eq(walk.start, mapping->start);
		ck_assert_uint_eq(walk.end, mapping->end);
		ck_assert_uint_le(walk.first_page + walk.page_count, table->page_count);
		ck_assert_uint_le((uint64_t)walk.page_count << walk.page_shift,
				  walk.end - walk.start);
		const struct table_segment *segment =
			table_segment_find(table, walk.start - mapping->bias);
		ck_assert_ptr_nonnull(segment);
		ck_assert_uint_eq((uint64_t)(walk.first_page - segment->first_page)
					  << walk.page_shift,
				  walk.start - mapping->bias - segment->vaddr);
		ck_assert_uint_le(walk.first_page + walk.page_count,
				  segment->first_page + segment->page_count);
		walkable++;
	}
	ck_assert_uint_ge(walkable, 3); /* the program, libc, the loader */
	fixture_deinit(&f);
}
END_TEST

START_TEST(anonymous_code_has_no_image)
{
	struct fixture f = { .store = NULL };
	struct walk_mapping walk;
	char text[64];
	void *code = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(code, MAP_FAILED);
	fixture_read(&f);
	const struct mapping *mapping = address_space_find(&f.space, (uint64_t)code);
	ck_assert_ptr_nonnull(mapping);
	ck_assert_ptr_null(mapping->entry);
	ck_assert(!mapping_for_walk(mapping, 0, &walk));
	address_space_describe(&f.space, (uint64_t)code, text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "(anonymous)"));
	munmap(code, 8192);
	fixture_deinit(&f);
}
END_TEST

/* This program's file mapped once more, and its code then copied to anonymous memory in place of
 * the mapping: it is the image's as long as it says the same. */
START_TEST(moved_code_has_its_image)
{
	struct fixture f = { .store = NULL };
	const struct image_segment *segment;
	int fd = open("/proc/self/exe", O_RDONLY);
	const struct mapping *mapping;
	struct image *self;
	struct error error;
	struct stat state;

	ck_assert(!fstat(fd, &state) && !image_create("/proc/self/exe", &self, &error));
	for (segment = self->segment; !segment->executable;)
		segment++;
	uint64_t skipped = segment->vaddr % TABLE_PAGE_SIZE;
	size_t bytes = (skipped + segment->file_bytes + 4095) & ~4095ull;
	size_t room = segment->vaddr - skipped - self->segment->vaddr + bytes;
	uint8_t *file = mmap(NULL, room, PROT_READ, MAP_PRIVATE, fd, 0);

	ck_assert_ptr_ne(file, MAP_FAILED);
	ck_assert_uint_eq(self->segment->file_offset, 0);
	uint8_t *code = mmap(file + room - bytes, bytes, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	ck_assert_ptr_ne(code, MAP_FAILED);
	memcpy(code + skipped, image_bytes(self, segment->vaddr, segment->file_bytes),
	       segment->file_bytes);
	code[skipped + segment->file_bytes / 2] ^= _i == 1; /* it is other code */
	if (_i == 2) /* the mapping before it is not of the file's begin */
		ck_assert(!munmap(file, 4096));
	ck_assert(!mprotect(code, bytes, PROT_READ | PROT_EXEC));
	fixture_read(&f);
	mapping = address_space_find(&f.space, (uint64_t)code + skipped);
	ck_assert_ptr_nonnull(mapping);
	ck_assert_int_eq(mapping->entry != NULL, _i != 1);
	if (mapping->entry)
		ck_assert_uint_eq(mapping->bias, (uint64_t)file - self->segment->vaddr);
	munmap(file, room);
	close(fd);
	image_destroy(self);
	fixture_deinit(&f);
}
END_TEST

/* Maps the executable segment of a copy of this program, which is then removed. */
START_TEST(deleted_file_is_still_read)
{
	char path[] = "/tmp/stackproof-test-XXXXXX";
	struct fixture f = { .store = NULL };
	struct image *self;
	struct error error;
	static char buffer[1 << 16];
	ssize_t size;
	int from = open("/proc/self/exe", O_RDONLY), to = mkstemp(path);

	ck_assert_int_ge(to, 0);
	while ((size = read(from, buffer, sizeof(buffer))) > 0)
		ck_assert_int_eq(write(to, buffer, size), size);
	close(from);
	ck_assert(!image_create(path, &self, &error));
	const struct image_segment *segment = self->segment;
	while (!segment->executable)
		segment++;
	uint64_t offset = segment->file_offset & ~4095ull;
	uint64_t vaddr = segment->vaddr & ~4095ull;
	uint8_t *code = mmap(NULL, segment->file_bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, to,
			     offset);
	ck_assert_ptr_ne(code, MAP_FAILED);
	close(to);
	unlink(path);
	fixture_read(&f);
	const struct mapping *mapping = address_space_find(&f.space, (uint64_t)code);
	ck_assert_ptr_nonnull(mapping);
	ck_assert_ptr_nonnull(strstr(mapping->path, "(deleted)"));
	if (geteuid()) /* map_files needs a privilege */
		goto out;
	ck_assert_ptr_nonnull(mapping->entry);
	ck_assert_uint_eq(mapping->bias, (uint64_t)code - vaddr);
	ck_assert_uint_eq(image_symbol_address(mapping->entry->image, "main"),
			  image_symbol_address(self, "main"));
out:
	munmap(code, segment->file_bytes);
	image_destroy(self);
	fixture_deinit(&f);
}
END_TEST

START_TEST(images_are_met_once)
{
	struct fixture f = { .store = NULL };

	fixture_read(&f);
	size_t count = image_store_count(f.store);
	struct image_entry *first = image_store_get(f.store, 0);
	fixture_read(&f);
	ck_assert_uint_eq(image_store_count(f.store), count);
	ck_assert_ptr_eq(image_store_get(f.store, 0), first);
	ck_assert_ptr_null(image_store_get(f.store, count));
	fixture_deinit(&f);
}
END_TEST

/* Copies from to path, into the same inode. */
static void overwrite(const char *from, const char *path)
{
	char buffer[4096];
	FILE *in = fopen(from, "r"), *out = fopen(path, "w");
	size_t bytes;

	ck_assert(in && out);
	while ((bytes = fread(buffer, 1, sizeof(buffer), in)))
		ck_assert_uint_eq(fwrite(buffer, 1, bytes, out), bytes);
	fclose(in);
	ck_assert(!fclose(out));
}

static struct image_entry *entry_at(const struct fixture *f, const void *address)
{
	const struct mapping *mapping = address_space_find(&f->space, (uint64_t)address);

	ck_assert_ptr_nonnull(mapping);
	return mapping->entry;
}

/* A compiler writes a.out anew, and the next run must not get the last one's table. */
START_TEST(file_that_is_written_anew)
{
	char path[] = "/tmp/test_address_space-XXXXXX";
	struct fixture f = { .store = NULL };
	int fd = mkstemp(path);
	struct image_entry *first;
	void *code;

	ck_assert_int_ge(fd, 0);
	overwrite("/bin/true", path); /* both have code at 0x4000 */
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0x4000);
	ck_assert_ptr_ne(code, MAP_FAILED);
	fixture_read(&f);
	first = entry_at(&f, code);
	ck_assert_ptr_nonnull(first);
	fixture_read(&f);
	ck_assert_ptr_eq(entry_at(&f, code), first);
	overwrite("/bin/ls", path);
	fixture_read(&f);
	ck_assert_ptr_nonnull(entry_at(&f, code));
	ck_assert_ptr_ne(entry_at(&f, code), first);
	munmap(code, 4096);
	close(fd);
	unlink(path);
	fixture_deinit(&f);
}
END_TEST

/* ---- how long images stay --------------------------------------------------------------- */

/* How many images a space has. */
static size_t count_images(const struct address_space *space)
{
	size_t count = 0;

	for (size_t i = 0; i < space->mapping_count; i++) {
		size_t j = 0;

		while (j < i && space->mapping[j].entry != space->mapping[i].entry)
			j++;
		count += space->mapping[i].entry && j == i;
	}
	return count;
}

/* Changes a copy in each way that there is; the images that it has are there, and no others. */
START_TEST(images_stay_while_a_space_has_them)
{
	struct fixture f = { .store = NULL };
	struct address_space copy;
	struct error error;

	fixture_read(&f);
	ck_assert_uint_eq(count_images(&f.space), image_store_count(f.store));
	ck_assert(!address_space_copy(&f.space, &copy, &error));
	for (size_t i = 0; i < f.space.mapping_count; i++) {
		const struct mapping *mapping = &f.space.mapping[i];
		const struct mapping *other = &f.space.mapping[(i + 1) % f.space.mapping_count];
		uint64_t pages = (mapping->end - mapping->start) / 4096;
		/* In its middle, its beginning, its end, or all of it; by another image or none. */
		struct mapped_range range = { .start = mapping->start + 4096 * (pages / 3),
					      .end = mapping->end - 4096 * (pages / 3),
					      .path = "range",
					      .entry = i % 2 ? other->entry : NULL };

		if (i % 4 == 1)
			range.start = mapping->start;
		if (i % 4 == 2)
			range.end = mapping->end;
		ck_assert(!address_space_map(&copy, &range, &error));
	}
	image_store_forget(f.store, 0);
	ck_assert_uint_eq(image_store_count(f.store), count_images(&f.space));
	address_space_deinit(&f.space);
	image_store_forget(f.store, 0);
	ck_assert_uint_eq(image_store_count(f.store), count_images(&copy));
	for (size_t i = 0; i < copy.mapping_count; i++)
		ck_assert(!copy.mapping[i].entry || copy.mapping[i].entry->image->segment_count);
	address_space_deinit(&copy);
	image_store_forget(f.store, 0);
	ck_assert_uint_eq(image_store_count(f.store), 0);
	fixture_read(&f);
	ck_assert_uint_eq(count_images(&f.space), image_store_count(f.store));
	fixture_deinit(&f);
}
END_TEST

/* This program with a byte behind it: another image for each number. */
static struct image_entry *another_image(struct image_store *store, uint8_t number)
{
	FILE *file = fopen("/proc/self/exe", "r");
	struct image_entry *entry;
	struct error error;
	struct stat stat;
	uint8_t *bytes;

	ck_assert(file && !fstat(fileno(file), &stat));
	bytes = malloc(stat.st_size + 1);
	ck_assert_uint_eq(fread(bytes, 1, stat.st_size, file), stat.st_size);
	fclose(file);
	bytes[stat.st_size] = number;
	entry = image_store_copy(store, bytes, stat.st_size + 1, "another", &error);
	ck_assert_msg(entry != NULL, "%s", error.message);
	free(bytes);
	return entry;
}

START_TEST(those_left_last_are_kept)
{
	struct image_store *store = image_store_create();
	struct image_entry *entry[6];

	for (int i = 0; i < 6; i++) {
		entry[i] = another_image(store, i);
		ck_assert_uint_eq(entry[i]->id, i);
	}
	image_entry_hold(entry[0]);
	image_entry_hold(entry[1]);
	image_entry_hold(entry[1]);
	image_entry_release(entry[0]); /* behind 2 to 5 */
	image_store_forget(store, 3);
	ck_assert_uint_eq(image_store_count(store), 4);
	ck_assert_ptr_eq(another_image(store, 0), entry[0]);
	ck_assert_ptr_eq(another_image(store, 1), entry[1]);
	ck_assert_ptr_eq(another_image(store, 4), entry[4]);
	ck_assert_ptr_eq(another_image(store, 5), entry[5]);
	ck_assert_uint_eq(image_store_count(store), 4);
	ck_assert_uint_eq(another_image(store, 2)->id, 6);
	image_entry_release(entry[1]); /* once: it is still had */
	image_store_forget(store, 0);
	ck_assert_uint_eq(image_store_count(store), 1);
	ck_assert_ptr_eq(image_store_get(store, 0), entry[1]);
	image_entry_release(entry[1]);
	image_store_forget(store, 1);
	ck_assert_uint_eq(image_store_count(store), 1);
	image_store_destroy(store);
}
END_TEST

/* A file that is opened again is the image that it was; one that isn't there is an error. */
START_TEST(file_is_opened_once)
{
	struct image_store *store = image_store_create();
	struct image_entry *copy = another_image(store, 0);
	struct error error = { 0 };
	struct image_entry *entry = image_store_open(store, "/proc/self/exe", &error);

	ck_assert_msg(entry && entry != copy, "%s", error.message);
	ck_assert_ptr_eq(image_store_open(store, "/proc/self/exe", &error), entry);
	ck_assert_uint_eq(image_store_count(store), 2);
	ck_assert_ptr_null(image_store_open(store, "/no/such/file", &error));
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_msg(strstr(error.message, "/no/such/file"), "%s", error.message);
	error.code = ERROR_NONE;
	ck_assert_ptr_null(image_store_open(store, "/dev/null", &error));
	ck_assert_int_eq(error.code, ERROR_NOT_ELF);
	ck_assert_uint_eq(image_store_count(store), 2);
	image_store_destroy(store);
}
END_TEST

/* It is there, has no image, and could be opened. */
START_TEST(code_in_no_elf_file)
{
	char path[] = "/tmp/test_address_space-XXXXXX";
	struct fixture f = { .store = NULL };
	int fd = mkstemp(path);
	void *code;

	ck_assert(fd >= 0 && !ftruncate(fd, 4096));
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	ck_assert_ptr_ne(code, MAP_FAILED);
	fixture_read(&f);
	ck_assert_ptr_null(entry_at(&f, code));
	ck_assert_uint_eq(f.space.unopened, 0);
	munmap(code, 4096);
	close(fd);
	unlink(path);
	fixture_deinit(&f);
}
END_TEST

START_TEST(process_that_is_not_there)
{
	struct fixture f = { .store = image_store_create() };
	struct error error = { 0 };

	ck_assert_int_eq(address_space_read(&f.space, f.store, 0x7ffffff0, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_uint_eq(f.space.mapping_count, 0);
	fixture_deinit(&f);
}
END_TEST

SUITE(address_space, LOOP(bias_leads_to_the_symbol, functions), TEST(vdso_is_an_image),
      TEST(joined_segments_are_told_apart), TEST(cfi_is_read_when_it_is_asked_for),
      TEST(mapping_is_found_from_start_to_end), TEST(walk_mapping_has_the_tables_pages),
      TEST(anonymous_code_has_no_image), TEST(deleted_file_is_still_read),
      TEST(images_are_met_once), TEST(file_that_is_written_anew),
      TEST(images_stay_while_a_space_has_them), TEST(those_left_last_are_kept),
      TEST(file_is_opened_once), TEST(code_in_no_elf_file), TEST(process_that_is_not_there),
      TIMES(moved_code_has_its_image, 3))
