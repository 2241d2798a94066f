/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_jit_dump.c - which code an address has at which time, files that grow and that lie, and whose file it is
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "jit_dump_made.h"
#include "tests/suite.h"
#include "walk/jit_dump.h"
#include "walk/space_range.h"

#define LAST UINT64_MAX

static struct jit_dump *list, *dump;
static struct error error;
static char *bytes;
static size_t size;
static int file;

static void begin(void)
{
	file = memfd_create("dump", MFD_CLOEXEC);
	ck_assert_int_ge(file, 0);
	dump = jit_dump_create(&list, dup(file));
	ck_assert_ptr_nonnull(dump);
}

static void end(void)
{
	jit_dump_release(dump);
	ck_assert_ptr_null(list);
	close(file);
	free(bytes);
	bytes = NULL;
}

/* A letter for each record: see case 'h' and the others. */
static void make(const char *records)
{
	FILE *to = open_memstream(&bytes, &size);
	char *long_name = calloc(1, JIT_DUMP_NAME_MAX + 1);

	ck_assert(to && long_name);
	memset(long_name, 'x', JIT_DUMP_NAME_MAX);
	for (; *records; records++)
		switch (*records) {
		case 'h': put_header(to, JIT_MAGIC, 1, 0); break;
		case 'c': put_header(to, JIT_MAGIC, 1, 1); break;
		case 'e': put_header(to, 0x4454694a, 1, 0); break;
		case 'v': put_header(to, JIT_MAGIC, 2, 0); break;
		case 'a': put_load(to, 100, 0x1000, 0x100, 1, "a", 0x100); break;
		case 'b': put_load(to, 200, 0x1080, 0x100, 2, "b", 0); break;
		case 'B': put_load(to, 300, 0x1080, 0x10, 3, "later\033[m", 3); break;
		case 'E': put_load(to, 50, 0x1000, 0x10, 4, "early", 0); break;
		case 'f': put_load(to, UINT64_MAX, 0x1000, 0x10, 5, "future", 0); break;
		case 'm': put_move(to, 400, 0x1000, 0x3000, 0x100, 1); break;
		case 'M': put_move(to, 400, 0x1000, 0x3000, 0x100, 99); break;
		case 'n': put_load(to, 400, 0x1000, 0x100, 6, "", 0); break;
		case 'l': put_load(to, 400, 0x1000, 0x100, 7, long_name, 0); break;
		case 'w': put_load(to, 400, UINT64_MAX - 1, 2, 8, "wraps", 0); break;
		case '0': put_load(to, 400, 0x1000, 0, 9, "nothing", 0); break;
		case 'u': put_record(to, 4, 16, 400); break;
		case 's': put_record(to, 0, 16, 400); break;
		case 'z': put_record(to, 3, 15, 400); break;
		case 'g': put_record(to, 2, 70000, 400); break; /* most of it is missing */
		default: ck_abort_msg("%c", *records);
		}
	ck_assert(!fclose(to));
	free(long_name);
}

/* Writes bytes from .. to of them, and has them read. */
static int update(size_t from, size_t to)
{
	ck_assert_int_eq(pwrite(file, bytes + from, to - from, from), to - from);
	return jit_dump_update(dump, &error);
}

static void check_name(const char *what, uint64_t pc, uint64_t time_ns, const char *name)
{
	const struct perf_symbol *found = jit_dump_find(dump, pc, time_ns);

	ck_assert_msg(name ? found && !strcmp(found->name, name) : !found, "%s: 0x%llx is %s", what,
		      (unsigned long long)pc, found ? found->name : "nothing");
	ck_assert(!found || pc - found->start < 0x1000);
}

static const struct {
	const char *rule, *records;
	struct {
		uint64_t pc, time_ns;
		const char *name;
	} ask[6];
	enum error_code code;
} cases[] = {
	{ "nothing", "", .ask = { { 0x1000, LAST, NULL } } },
	{ "a_header", "h", .ask = { { 0x1000, LAST, NULL } } },
	{ "code_from_its_first_to_its_last_byte", "ha",
	  .ask = { { 0xfff, LAST, NULL },
		   { 0x1000, LAST, "a" },
		   { 0x10ff, LAST, "a" },
		   { 0x1100, LAST, NULL } } },
	{ "other_code_since_a_time", "hab",
	  .ask = { { 0x1080, LAST, "b" },
		   { 0x1080, 200, "b" },
		   { 0x1080, 199, "a" },
		   { 0x107f, LAST, "a" } } },
	{ "and_again", "habB",
	  .ask = { { 0x1080, 300, "later?[m" },
		   { 0x1080, 299, "b" },
		   { 0x1090, LAST, "b" },
		   { 0x1080, 100, "a" } } },
	{ "before_all_code_it_is_the_first", "hab",
	  .ask = { { 0x1080, 1, "a" }, { 0x1170, 1, "b" } } },
	{ "times_ascend", "hbE", .ask = { { 0x1000, LAST, "early" }, { 0x1000, 100, "early" } } },
	{ "no_time_is_to_come", "haf",
	  .ask = { { 0x1000, LAST, "a" }, { 0x1000, 100, "a" }, { 0x1000, 1, "a" } },
	  ERROR_PROTOCOL },
	{ "nor_does_it_name_what_has_no_other", "hf", .ask = { { 0x1000, LAST, NULL } },
	  ERROR_PROTOCOL },
	{ "times_of_another_clock", "cabB", .ask = { { 0x1080, 1, "later?[m" } } },
	{ "moved_code", "ham",
	  .ask = { { 0x3000, LAST, "a" }, { 0x1000, LAST, "a" }, { 0x3000, 399, "a" } } },
	{ "moved_code_that_was_not_loaded", "haM", .ask = { { 0x3000, LAST, NULL } } },
	{ "records_of_other_kinds", "huauu", .ask = { { 0x1000, LAST, "a" } } },
	{ "no_name", "hna", .ask = { { 0x1000, LAST, "a" } } },
	{ "a_name_without_end", "hal", .ask = { { 0x1000, LAST, "a" } } },
	{ "a_record_too_small_for_a_name", "hssa", .ask = { { 0x1000, LAST, "a" } } },
	{ "no_size_and_addresses_that_wrap", "ha0w",
	  .ask = { { 0x1000, LAST, "a" }, { UINT64_MAX - 1, LAST, NULL } } },
	{ "a_record_without_a_size_ends_it", "hazb",
	  .ask = { { 0x1000, LAST, "a" }, { 0x1170, LAST, NULL } }, ERROR_PROTOCOL },
	{ "a_record_that_is_not_whole", "hag", .ask = { { 0x1000, LAST, "a" } } },
	{ "bytes_of_another_machine", "ea", .ask = { { 0x1000, LAST, NULL } },
	  .code = ERROR_PROTOCOL },
	{ "another_version", "va", .ask = { { 0x1000, LAST, NULL } }, .code = ERROR_PROTOCOL },
};

static void check_case(int number)
{
	for (int i = 0; i < COUNT(cases[0].ask) && cases[number].ask[i].pc; i++)
		check_name(cases[number].rule, cases[number].ask[i].pc,
			   cases[number].ask[i].time_ns, cases[number].ask[i].name);
}

START_TEST(an_address_has_code_since_a_time)
{
	make(cases[_i].records);
	ck_assert_msg(update(0, size) == (cases[_i].code ? -1 : 0), "%s: %s", cases[_i].rule,
		      error.message);
	ck_assert(!cases[_i].code || error.code == cases[_i].code);
	check_case(_i);
	ck_assert_int_eq(jit_dump_update(dump, &error), 0); /* that was said */
	check_case(_i);
}
END_TEST

/* However it grows: byte by byte, each time that it is looked at. */
START_TEST(a_file_grows)
{
	make(cases[_i].records);
	for (size_t at = 0; at < size; at++)
		update(at, at + 1);
	check_case(_i);
}
END_TEST

START_TEST(a_file_that_is_cut_begins_anew)
{
	make("hab");
	ck_assert_int_eq(update(0, size), 0);
	ck_assert_int_eq(ftruncate(file, 0), 0);
	free(bytes);
	make("hE");
	ck_assert_int_eq(update(0, size), 0);
	check_name("anew", 0x1000, LAST, "early");
	check_name("anew", 0x1080, LAST, NULL);
}
END_TEST

START_TEST(a_file_has_a_limit)
{
	make("ha");
	ck_assert_int_eq(ftruncate(file, (1ll << 30) + 1), 0);
	ck_assert_int_eq(update(0, size), -1);
	ck_assert_int_eq(error.code, ERROR_TABLE_LIMIT);
}
END_TEST

static const struct {
	const char *path;
	bool is_dump;
} paths[] = {
	{ "/tmp/jit-4711.dump", true },
	{ "/jit-1.dump (deleted)", true },
	{ "/home/x/.debug/jit/20261201/jit-4711.dump", true },
	{ "jit-1.dump", false },
	{ "/tmp/jit-.dump", false },
	{ "/tmp/jit-1.dumps", false },
	{ "/tmp/ajit-1.dump", false },
	{ "/tmp/jit-1.dump/libx.so", false },
	{ "", false },
};

START_TEST(a_dump_is_known_by_its_name)
{
	ck_assert_msg(jit_dump_is_path(paths[_i].path) == paths[_i].is_dump, "%s", paths[_i].path);
}
END_TEST

/* A process that maps its dump, and ends: the names stay, and what was added since its mappings were read is there, too. */
START_TEST(names_outlast_the_process)
{
	struct image_store *store = image_store_create();
	struct address_space space = { .pid = 0 }, again = { .pid = 0 }, copy;
	char path[64], text[256];
	void *made = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t address = (uint64_t)made, offset;
	int ready[2], fd;
	FILE *to;
	pid_t pid;

	snprintf(path, sizeof(path), "/tmp/jit-%d.dump", (int)getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	to = fdopen(fd, "w");
	ck_assert(to && !pipe(ready));
	put_header(to, JIT_MAGIC, 1, 0);
	put_load(to, 100, address, 0x100, 1, "before", 0);
	ck_assert(!fflush(to));
	pid = fork();
	if (!pid) {
		if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED ||
		    write(ready[1], "1", 1) != 1)
			_exit(1);
		pause();
	}
	ck_assert_int_eq(read(ready[0], text, 1), 1);
	ck_assert(!unlink(path));
	ck_assert(!address_space_read(&space, store, pid, &error));
	ck_assert(!address_space_read(&again, store, pid, &error));
	ck_assert(space.dump && space.dump == again.dump);
	ck_assert(!address_space_copy(&space, &copy, &error));
	address_space_deinit(&again);
	address_space_deinit(&space);
	put_load(to, 200, address, 0x80, 1, "after", 0);
	ck_assert(!fclose(to));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	address_space_read_names(&copy, &error);
	ck_assert_str_eq(address_space_code_name(&copy, address + 7, LAST, &offset), "after");
	ck_assert_uint_eq(offset, 7);
	ck_assert_str_eq(address_space_code_name(&copy, address + 7, 150, &offset), "before");
	copy.forked_ns = 150; /* the dump is another's, from then on */
	ck_assert_str_eq(address_space_code_name(&copy, address + 7, LAST, &offset), "before");
	copy.forked_ns = 99;
	ck_assert_ptr_null(address_space_code_name(&copy, address + 7, LAST, &offset));
	copy.forked_ns = 1; /* the dump was begun since */
	ck_assert_str_eq(address_space_code_name(&copy, address + 7, LAST, &offset), "after");
	address_space_deinit(&copy);
	ck_assert_ptr_null(*image_store_dumps(store));
	image_store_destroy(store);
	munmap(made, 4096);
	close(ready[0]);
	close(ready[1]);
}
END_TEST

/* _i: of root, as the process; or of another user. */
START_TEST(whose_dump_it_is)
{
	struct image_store *store = image_store_create();
	struct address_space space = { .pid = 0 };
	char path[64];
	void *mapped;
	FILE *to;

	if (geteuid())
		return;
	snprintf(path, sizeof(path), "/tmp/jit-%d.dump", (int)getpid());
	to = fopen(path, "w+e");
	ck_assert_ptr_nonnull(to);
	mapped = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(to), 0);
	ck_assert_ptr_ne(mapped, MAP_FAILED);
	put_header(to, JIT_MAGIC, 1, 0);
	put_load(to, 100, 0x1000, 0x100, 1, "a", 0);
	ck_assert(!fflush(to) && !fchown(fileno(to), _i ? 4711 : 0, -1));
	ck_assert(!address_space_read(&space, store, getpid(), &error) && space.dump);
	ck_assert_int_eq(jit_dump_update(space.dump, &error), -_i);
	ck_assert_int_eq(!jit_dump_find(space.dump, 0x1000, LAST), _i);
	ck_assert(!_i || strstr(error.message, "another user"));
	address_space_deinit(&space);
	image_store_destroy(store);
	munmap(mapped, 4096);
	unlink(path);
	fclose(to);
}
END_TEST

SUITE(jit_dump, FIXTURE(begin, end), LOOP(an_address_has_code_since_a_time, cases),
      LOOP(a_file_grows, cases), TEST(a_file_that_is_cut_begins_anew), TEST(a_file_has_a_limit),
      LOOP(a_dump_is_known_by_its_name, paths), TEST(names_outlast_the_process),
      TIMES(whose_dump_it_is, 2))
