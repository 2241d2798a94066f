/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_perf_map.c - the names of code that a process has made: which line has an address, and which
 * file is believed
 *
 * Files are those of children, so that no process's own is touched. What needs root (another user's
 * file, namespaces) says SKIP without.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "walk/perf_map.h"
#include "tests/sanitized.h"

/* ---- lines ------------------------------------------------------------------------------ */

#define ASKS(...) .ask = { __VA_ARGS__ }

static const struct {
	const char *name;
	const char *text;
	struct {
		uint64_t pc;
		const char *name; /* NULL: it has none */
		uint64_t start;
	} ask[6];
	uint64_t malformed;
	size_t pieces;
} cases[] = {
	{ "first_and_last_address", "1000 10 add\n",
	  ASKS({ 0xfff }, { 0x1000, "add", 0x1000 }, { 0x100f, "add", 0x1000 }, { 0x1010 }),
	  .pieces = 1 },
	{ "a_name_is_the_rest_of_the_line", "7f00000000a0 5C LazyCompile:*add /app/sum.js:3 [x]\n",
	  ASKS({ 0x7f00000000a0, "LazyCompile:*add /app/sum.js:3 [x]", 0x7f00000000a0 }),
	  .pieces = 1 },
	{ "lines_in_any_order", "3000 10 c\n1000 10 a\n2000 10 b\n",
	  ASKS({ 0x1001, "a", 0x1000 }, { 0x2001, "b", 0x2000 }, { 0x3001, "c", 0x3000 }),
	  .pieces = 3 },
	{ "the_later_line_wins", "1000 10 old\n1000 10 new\n",
	  ASKS({ 0x1000, "new", 0x1000 }, { 0x100f, "new", 0x1000 }), .pieces = 1 },
	{ "what_is_left_of_the_earlier_one_stays", "1000 100 old\n1040 10 new\n",
	  ASKS({ 0x103f, "old", 0x1000 }, { 0x1040, "new", 0x1040 }, { 0x104f, "new", 0x1040 },
	       { 0x1050, "old", 0x1000 }, { 0x1100 }),
	  .pieces = 3 },
	{ "an_earlier_small_one_is_covered", "1040 10 small\n1000 100 large\n",
	  ASKS({ 0x103f, "large", 0x1000 }, { 0x1048, "large", 0x1000 }), .pieces = 1 },
	{ "three_over_each_other", "1000 30 a\n1020 30 b\n1010 18 c\n",
	  ASKS({ 0x100f, "a", 0x1000 }, { 0x1010, "c", 0x1010 }, { 0x1027, "c", 0x1010 },
	       { 0x1028, "b", 0x1020 }, { 0x104f, "b", 0x1020 }, { 0x1050 }),
	  .pieces = 3 },
	{ "a_later_line_that_ends_uncovers_an_earlier_one", "1000 100 a\n1000 80 b\n1000 40 c\n",
	  ASKS({ 0x103f, "c", 0x1000 }, { 0x1040, "b", 0x1000 }, { 0x1080, "a", 0x1000 }),
	  .pieces = 3 },
	{ "the_last_address_of_all_but_one", "ffffffffffffff00 ff top\n",
	  ASKS({ 0xfffffffffffffffe, "top", 0xffffffffffffff00 }, { UINT64_MAX }), .pieces = 1 },
	{ "a_range_that_wraps_is_none", "ffffffffffffff00 200 wraps\n",
	  ASKS({ 0xffffffffffffff00 }, { 0 }), .malformed = 1 },
	{ "a_size_of_0_is_none", "1000 0 nothing\n", ASKS({ 0x1000 }), .malformed = 1 },
	{ "no_name_is_none", "1000 10 \n1000 10\n1000\n\n", ASKS({ 0x1000 }), .malformed = 4 },
	{ "what_is_not_hexadecimal_is_none",
	  "0x1000 10 a\n1000 g0 b\n 1000 10 c\n1000  10 d\n-1000 10 e\n1000\t10 f\n",
	  ASKS({ 0x1000 }), .malformed = 6 },
	{ "17_digits_are_none", "00000000000001000 10 a\n0000000000001000 10 b\n",
	  ASKS({ 0x1000, "b", 0x1000 }), .malformed = 1, .pieces = 1 },
	{ "a_bad_line_costs_nothing_else", "1000 10 a\nnonsense\n2000 10 b\n",
	  ASKS({ 0x1000, "a", 0x1000 }, { 0x2000, "b", 0x2000 }), .malformed = 1, .pieces = 2 },
	{ "an_unfinished_line_is_not_taken", "1000 10 a\n1000 10 b", ASKS({ 0x1000, "a", 0x1000 }),
	  .malformed = 1, .pieces = 1 },
	{ "control_characters_are_replaced", "1000 10 a\x1b[31m\tb\r\n",
	  ASKS({ 0x1000, "a?[31m?b?", 0x1000 }), .pieces = 1 },
	{ "utf_8_stays", "1000 10 \xc3\xa9t\xc3\xa9\n",
	  ASKS({ 0x1000, "\xc3\xa9t\xc3\xa9", 0x1000 }), .pieces = 1 },
	{ "an_empty_file_names_nothing", "", ASKS({ 0x1000 }) },
};

START_TEST(the_last_line_that_has_an_address_names_it)
{
	struct perf_map *map;
	struct error error;

	ck_assert(!perf_map_create(cases[_i].text, strlen(cases[_i].text), &map, &error));
	ck_assert_msg(map->malformed == cases[_i].malformed, "%s: %d malformed", cases[_i].name,
		      (int)map->malformed);
	ck_assert_msg(map->count == cases[_i].pieces, "%s: %d pieces", cases[_i].name,
		      (int)map->count);
	for (int i = 0; i < COUNT(cases[_i].ask) && (!i || cases[_i].ask[i].pc); i++) {
		const struct perf_symbol *found = perf_map_find(map, cases[_i].ask[i].pc);
		const char *name = cases[_i].ask[i].name;

		ck_assert_msg(!found == !name, "%s: ask %d: %s", cases[_i].name, i,
			      found ? found->name : "no name");
		if (name) {
			ck_assert_str_eq(found->name, name);
			ck_assert_uint_eq(found->start, cases[_i].ask[i].start);
		}
	}
	perf_map_destroy(map);
}
END_TEST

START_TEST(a_nul_is_a_control_character)
{
	static const char text[] = "1000 10 a\0b\n";
	struct perf_map *map;
	struct error error;

	ck_assert(!perf_map_create(text, sizeof(text) - 1, &map, &error));
	ck_assert_str_eq(perf_map_find(map, 0x1000)->name, "a?b");
	perf_map_destroy(map);
}
END_TEST

/* As many as docs/LIMITS.md allows, nested like the layers of an onion: the worst for whoever
 * sorts them. */
START_TEST(lines_have_a_limit)
{
	size_t lines = 1048576 + _i, size = 0;
	char *text = malloc(lines * 24);
	struct perf_map *map;
	struct error error;

	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < lines; i++)
		size += sprintf(text + size, "%zx %zx n\n", 0x1000000 + i, 2 * (1048577 - i) + 1);
	if (_i) {
		ck_assert(perf_map_create(text, size, &map, &error) == -1);
		ck_assert_int_eq(error.code, ERROR_TABLE_LIMIT);
	} else {
		ck_assert(!perf_map_create(text, size, &map, &error));
		/* Each begins with an address of its own, and goes on where the next one ends. */
		ck_assert_uint_eq(map->count, 2 * lines - 1);
		for (size_t i = 0; i < lines; i += 1000)
			ck_assert_uint_eq(perf_map_find(map, 0x1000000 + i)->start, 0x1000000 + i);
		perf_map_destroy(map);
	}
	free(text);
}
END_TEST

/* ---- files ------------------------------------------------------------------------------ */

#define TEXT	"1000 10 made\n"
#define OTHER	"1000 10 again\n"
#define NOBODY	65534
#define SKIPPED 77

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file))
		_exit(1);
}

static void plain(const char *path)
{
	write_file(path, TEXT);
}

static void absent(const char *path)
{
}

static void directory(const char *path)
{
	if (mkdir(path, 0700))
		_exit(1);
}

/* Opening one to read would wait for who writes. */
static void fifo(const char *path)
{
	if (mkfifo(path, 0600))
		_exit(1);
}

static void device(const char *path)
{
	if (symlink("/dev/zero", path))
		_exit(1);
}

static void huge(const char *path)
{
	write_file(path, TEXT);
	if (truncate(path, (64l << 20) + 1)) /* docs/LIMITS.md */
		_exit(1);
}

static void of_another_user(const char *path)
{
	write_file(path, TEXT);
	if (chown(path, NOBODY, NOBODY))
		_exit(SKIPPED);
}

/* What root's process is told by its own user's file is that user's doing. */
static void of_its_own_user(const char *path)
{
	of_another_user(path);
	if (setresuid(NOBODY, NOBODY, NOBODY))
		_exit(SKIPPED);
}

/* The kernel says that its own files have a page. */
static void shorter_than_it_says(const char *path)
{
	static const char file[] = "/sys/kernel/uevent_seqnum";
	struct stat state;

	if (stat(file, &state) || state.st_size < 4096)
		_exit(SKIPPED);
	if (symlink(file, path))
		_exit(1);
}

static void root_folder(pid_t pid, char ret[64])
{
	snprintf(ret, 64, "/tmp/test_perf_map.%d", (int)pid);
}

/* A process in a root of its own: what a link means there it must mean from outside, too. */
static void enter_root(const char *path)
{
	char folder[64];

	root_folder(getpid(), folder);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mkdir(folder, 0700) || mount("tmpfs", folder, "tmpfs", 0, NULL) || chroot(folder) ||
	    chdir("/"))
		_exit(SKIPPED);
	if (mkdir("/real", 0700) || symlink("/real", "/tmp"))
		_exit(1);
}

static void in_a_root_with_links(const char *path)
{
	enter_root(path);
	write_file("/real/map", TEXT);
	if (symlink("/../../real/map", path)) /* a root has no parent */
		_exit(1);
}

/* The link is to a file that exists outside only. */
static void link_out_of_the_root(const char *path)
{
	enter_root(path);
	if (symlink("/etc/passwd", path))
		_exit(1);
}

static const struct {
	const char *name;
	void (*make)(const char *path);
	bool new_pid_namespace;
	int status;
	enum error_code code;
	bool named;
	bool of_others; /* its lines are not ours */
} files[] = {
	{ .name = "a_plain_file", .make = plain, .named = true },
	{ .name = "no_file_is_no_error", .make = absent },
	{ .name = "by_its_innermost_pid", .make = plain, .new_pid_namespace = true, .named = true },
	{ .name = "a_directory", .make = directory, .status = -1, .code = ERROR_PROTOCOL },
	{ .name = "a_fifo_is_not_waited_for", .make = fifo, .status = -1, .code = ERROR_PROTOCOL },
	{ .name = "a_device", .make = device, .status = -1, .code = ERROR_PROTOCOL },
	{ .name = "a_file_too_large", .make = huge, .status = -1, .code = ERROR_TABLE_LIMIT },
	{ .name = "of_another_user",
	  .make = of_another_user,
	  .status = -1,
	  .code = ERROR_PROTOCOL },
	{ .name = "of_its_own_user", .make = of_its_own_user, .named = true },
	{ .name = "a_file_that_ends_early",
	  .make = shorter_than_it_says,
	  .named = true,
	  .of_others = true },
	{ .name = "links_in_its_own_root", .make = in_a_root_with_links, .named = true },
	{ .name = "links_do_not_leave_its_root", .make = link_out_of_the_root },
};

/* Makes its file, says so, waits for the end. */
static void be_child(void (*make)(const char *path), const int ready[2], const int done[2])
{
	char path[64], byte;

	close(ready[0]);
	close(done[1]);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	unlink(path);
	make(path);
	if (write(ready[1], "1", 1) != 1 || read(done[0], &byte, 1))
		_exit(1);
	unlink(path);
	rmdir(path);
	_exit(0);
}

static void end_child(pid_t pid, int done)
{
	char folder[64];

	close(done);
	waitpid(pid, NULL, 0);
	root_folder(pid, folder);
	rmdir(folder); /* what was mounted on it went with the child */
}

/* A child that has made its file, by the PID that it has here. */
static pid_t start_child(int index, int done[2], bool *ret_skip)
{
	int ready[2];
	pid_t pid;
	char byte;

	ck_assert(!pipe(ready) && !pipe(done));
	/* In a name space whose first process has ended the search for leaks can't begin. */
	*ret_skip = files[index].new_pid_namespace && (SANITIZED || unshare(CLONE_NEWPID));
	if (*ret_skip)
		return -1;
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		be_child(files[index].make, ready, done);
	close(ready[1]);
	close(done[0]);
	if (read(ready[0], &byte, 1) != 1) {
		int status;

		waitpid(pid, &status, 0);
		*ret_skip = WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED;
		ck_assert_msg(*ret_skip, "%s: the child failed", files[index].name);
	}
	close(ready[0]);
	return pid;
}

START_TEST(which_file_is_believed)
{
	struct perf_map *map = NULL;
	struct error error;
	int done[2];
	bool skip;
	pid_t pid = start_child(_i, done, &skip);

	if (skip) {
		printf("SKIP: %s: not permitted\n", files[_i].name);
		return;
	}
	ck_assert_msg(perf_map_update(&map, pid, &error) == files[_i].status, "%s: %s",
		      files[_i].name, error.message);
	if (files[_i].status)
		ck_assert_msg(error.code == files[_i].code, "%s: %s", files[_i].name,
			      error.message);
	ck_assert_msg(!map == !files[_i].named, "%s", files[_i].name);
	if (map && !files[_i].of_others)
		ck_assert_str_eq(perf_map_find(map, 0x1000)->name, "made");
	perf_map_destroy(map);
	end_child(pid, done[1]);
}
END_TEST

/* The same object while nothing changes; what was added; nothing, when the file is gone. */
START_TEST(a_map_is_read_again_when_it_changed)
{
	struct perf_map *map = NULL, *before;
	struct error error;
	char path[64];
	int done[2];
	bool skip;
	pid_t pid = start_child(0, done, &skip);

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	ck_assert(!perf_map_update(&map, pid, &error));
	before = map;
	ck_assert(!perf_map_update(&map, pid, &error));
	ck_assert_ptr_eq(map, before);
	FILE *file = fopen(path, "a");
	ck_assert(file && fputs(OTHER, file) >= 0 && !fclose(file));
	ck_assert(!perf_map_update(&map, pid, &error));
	ck_assert_str_eq(perf_map_find(map, 0x1000)->name, "again");
	ck_assert(!unlink(path));
	ck_assert(!perf_map_update(&map, pid, &error));
	ck_assert_ptr_null(map);
	end_child(pid, done[1]);
	ck_assert_int_eq(perf_map_update(&map, pid, &error), -1); /* as is the process */
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
}
END_TEST

/* ---- in an address space ---------------------------------------------------------------- */

/* Names are for code without an image; a line about libc's addresses changes nothing there. */
START_TEST(names_are_for_code_without_an_image)
{
	struct image_store *store = image_store_create();
	struct address_space space = { .pid = 0 };
	uint64_t offset = 0, known = (uint64_t)strlen;
	char path[64], before[256], text[256];
	struct error error;
	uint8_t *made;

	made = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(made, MAP_FAILED);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	FILE *file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file, "%llx 1000 made\n%llx 10 other\n1000 10 nowhere\n", (unsigned long long)made,
		(unsigned long long)known);
	ck_assert(!fclose(file));
	ck_assert(!address_space_read(&space, store, getpid(), &error));
	address_space_describe(&space, known, before, sizeof(before));
	ck_assert_ptr_null(address_space_code_name(&space, (uint64_t)made, UINT64_MAX, &offset));
	ck_assert_msg(!address_space_read_names(&space, &error), "%s", error.message);
	ck_assert_str_eq(address_space_code_name(&space, (uint64_t)made + 9, UINT64_MAX, &offset),
			 "made");
	ck_assert_uint_eq(offset, 9);
	address_space_describe(&space, (uint64_t)made + 10, text, sizeof(text));
	ck_assert_str_eq(text, "made+0xa (perf map)");
	ck_assert_ptr_null(address_space_code_name(&space, known, UINT64_MAX, &offset));
	address_space_describe(&space, known, text, sizeof(text));
	ck_assert_str_eq(text, before);
	ck_assert_ptr_null(address_space_code_name(&space, 0x1000, UINT64_MAX, &offset));
	unlink(path);
	address_space_deinit(&space);
	image_store_destroy(store);
	munmap(made, 4096);
}
END_TEST

SUITE(perf_map, LOOP(the_last_line_that_has_an_address_names_it, cases),
      TEST(a_nul_is_a_control_character), TIMES(lines_have_a_limit, 2),
      LOOP(which_file_is_believed, files), TEST(a_map_is_read_again_when_it_changed),
      TEST(names_are_for_code_without_an_image))
