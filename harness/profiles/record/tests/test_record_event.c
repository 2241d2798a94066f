/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_record_event.c - names of events that stand for something, and those that don't
 */
#include <fcntl.h>
#include <sys/mman.h>
#include "tests/suite.h"
#include "profiles/record/record_event.c"

static struct error error;
static char path[PATH_MAX];

/* ---- tracepoints --------------------------------------------------------------------------- */

#define SYMBOLS                                                                                    \
	"0000000000000000 T __traceiter_sched_switch\n"                                            \
	"0000000000000000 T __traceiter_sched_wakeup\n"                                            \
	"ffffffff81000000 t __probestub_sched_swiitch\n"                                           \
	"ffffffffc0000000 t __traceiter_ext4_sync\t[ext4]\n"

static const struct {
	const char *name, *wanted, *symbols, *message;
} tracepoints[] = {
	{ "one", "sched_switch", SYMBOLS, NULL },
	{ "one_of_a_module", "ext4_sync", SYMBOLS, NULL },
	{ "a_misspelled_one", "sched_swich", SYMBOLS,
	  "this kernel has no raw tracepoint 'sched_swich': did you mean 'sched_switch'?" },
	{ "the_nearest", "sched_wake", SYMBOLS,
	  "this kernel has no raw tracepoint 'sched_wake': did you mean 'sched_wakeup'?" },
	{ "one_that_is_like_none", "x", SYMBOLS, "this kernel has no raw tracepoint 'x'" },
	{ "a_part_is_none", "sched", SYMBOLS, "this kernel has no raw tracepoint 'sched'" },
	{ "a_kernel_that_names_none", "x", "ffffffff81000000 T _text\n", NULL },
	{ "a_line_that_is_none", "x", "T __traceiter_\n\nx", NULL },
};

START_TEST(tracepoint)
{
	int fd = memfd_create("symbols", 0);
	char name[64];
	int status;

	ck_assert_int_eq(write(fd, tracepoints[_i].symbols, strlen(tracepoints[_i].symbols)),
			 strlen(tracepoints[_i].symbols));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	status = find_tracepoint(tracepoints[_i].wanted, name, &error);
	close(fd);
	ck_assert_msg(status == -!!tracepoints[_i].message, "%s: %d", tracepoints[_i].name, status);
	if (!status)
		return;
	ck_assert_str_eq(error.message, tracepoints[_i].message);
	ck_assert_int_eq(error.system_errno, ENOENT);
}
END_TEST

START_TEST(tracepoint_where_symbols_are_not_readable)
{
	ck_assert_int_eq(find_tracepoint("x", "/no/such", &error), 0);
}
END_TEST

/* ---- functions ----------------------------------------------------------------------------- */

/* Begins with a number that the file has once. */
__attribute__((noinline, noipa, used)) static void only_function(void)
{
	__asm__ volatile("movabs $0x5107d00fc0de0041, %%rax" ::: "rax");
}

/* Whether the number is a few bytes behind an offset of this program. */
static bool is_there(uint64_t offset)
{
	static const uint64_t number = 0x5107d00fc0de0041;
	char bytes[64];
	int fd = open("/proc/self/exe", O_RDONLY);
	ssize_t size = pread(fd, bytes, sizeof(bytes), offset);

	close(fd);
	return size > 0 && memmem(bytes, size, &number, sizeof(number));
}

static int find(const char *file, const char *symbol, uint64_t *offset, pid_t pid)
{
	struct record_options options = { .event = RECORD_UPROBE,
					  .event_name = file,
					  .event_symbol = symbol,
					  .event_offset = *offset,
					  .pid = pid };
	int status = record_event_find(&options, path, &error);

	if (!status)
		ck_assert_ptr_eq(options.event_name, path);
	*offset = options.event_offset;
	return status;
}

START_TEST(function_of_a_file)
{
	uint64_t at = 0, behind = 1;

	ck_assert_msg(!find("/proc/self/exe", "only_function", &at, 0), "%s", error.message);
	ck_assert_str_eq(path, "/proc/self/exe");
	ck_assert(is_there(at));
	ck_assert_int_eq(find("/proc/self/exe", "only_function", &behind, 0), 0);
	ck_assert_uint_eq(behind, at + 1);
}
END_TEST

static const struct {
	const char *name, *file, *symbol;
	uint64_t offset;
	int number;
	const char *message;
} mistakes[] = {
	{ "misspelled", "/proc/self/exe", "only_functoin", 0, ENOENT,
	  "the file has no function 'only_functoin': did you mean 'only_function'?" },
	{ "behind_its_end", "/proc/self/exe", "only_function", 4096, ENOENT,
	  "the offset is behind the end of 'only_function'" },
	{ "chosen_at_run_time", "libc.so.6", "memcpy", 0, ENOENT,
	  "one of several functions is chosen at run time, give its name or an offset: 'memcpy'" },
	{ "no_file", "/no/such", "main", 0, ENOENT, "/no/such: No such file or directory" },
	{ "no_library", "libnone.so.0", "main", 0, ENOENT,
	  "there is no file here and no library that is called 'libnone.so.0'" },
	{ "no_image", "/proc/self/status", "main", 0, 0, NULL },
};

START_TEST(mistake)
{
	uint64_t offset = mistakes[_i].offset;

	ck_assert_int_eq(find(mistakes[_i].file, mistakes[_i].symbol, &offset, 0), -1);
	ck_assert_msg(error.system_errno == mistakes[_i].number, "%s: %s", mistakes[_i].name,
		      error.message);
	if (mistakes[_i].message)
		ck_assert_str_eq(error.message, mistakes[_i].message);
}
END_TEST

START_TEST(library_by_its_name)
{
	uint64_t offset = 0;

	ck_assert_msg(!find("libc.so.6", "malloc", &offset, 0), "%s", error.message);
	ck_assert_ptr_nonnull(strstr(path, "/libc.so.6"));
	ck_assert_uint_gt(offset, 0);
}
END_TEST

/* What the process has mapped is asked before what the machine has. */
START_TEST(library_of_a_process)
{
	uint64_t offset = 0, again = 0;
	char wanted[64], mapped[PATH_MAX];

	ck_assert_msg(!find("libc.so.6", "malloc", &offset, getpid()), "%s", error.message);
	snprintf(wanted, sizeof(wanted), "/proc/%d/root/", getpid());
	ck_assert(!strncmp(path, wanted, strlen(wanted)));
	strcpy(mapped, path);
	ck_assert_int_eq(find(mapped, "malloc", &again, 0), 0);
	ck_assert_uint_eq(again, offset);
}
END_TEST

/* An offset needs nothing of the file but that it is there. */
START_TEST(offset_alone)
{
	uint64_t offset = 77;

	ck_assert_int_eq(find("/proc/self/exe", NULL, &offset, 0), 0);
	ck_assert_uint_eq(offset, 77);
}
END_TEST

SUITE(record_event, LOOP(tracepoint, tracepoints), TEST(tracepoint_where_symbols_are_not_readable),
      TEST(function_of_a_file), LOOP(mistake, mistakes), TEST(library_by_its_name),
      TEST(library_of_a_process), TEST(offset_alone))
