/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_hostile_commands.c - what a command may cost, whoever wrote the section
 *
 * test_hostile.c holds the reader to a heap. Here the commands that take a file are held to what
 * docs/CFI_READING.md says of them: resident memory at most 8 times the section (of diff, both) and
 * 64 MiB (of diff 128), and processor time that grows as the section does. Each runs in a process
 * of its own.
 */
#include <jansson.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "tests/suite.h"
#include "base/cli/tests/command_output.h"
#include "crafted_images.h"
#include "base/cli/exit_status.h"
#include "commands/commands.h"

#ifdef __SANITIZE_ADDRESS__
#define MEMORY_TIMES 8 /* shadow, and what was freed */
#else
#define MEMORY_TIMES 1
#endif

#define SMALL_BYTES (256u << 10)
#define LARGE_BYTES (1u << 20)
#define HUGE_BYTES  (6u << 20)

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *option;
	unsigned int files;
	size_t always; /* bytes; 8 times the sections' size, besides */
} commands[] = {
	{ "table", command_table, "--format=compact", 1, 64u << 20 },
	{ "stat", command_stat, "--json", 1, 64u << 20 },
	{ "prove", command_prove, "--jobs=1", 1, 64u << 20 },
	{ "diff", command_diff, "--summary", 2, 128u << 20 },
};
enum { TABLE, STAT, PROVE, DIFF, COMMAND_COUNT };

struct cost {
	double seconds;
	size_t bytes;
	int status;
};

/* Of one command over one kind of section of so many bytes. */
static struct cost cost_of(size_t command, size_t kind, size_t bytes)
{
	char path[64];
	struct rusage usage;
	int status;

	snprintf(path, sizeof(path), "/tmp/crafted-%d", getpid());
	ck_assert_int_eq(crafted_write(path, kind, bytes), 0);
	pid_t pid = fork();
	if (!pid) {
		char *argument[] = { (char *)commands[command].name,
				     (char *)commands[command].option, path, path, NULL };
		int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
		dup2(nothing, 1);
		dup2(nothing, 2);
		argument[2 + commands[command].files] = NULL;
		status = commands[command].run(2 + (int)commands[command].files, argument);
		fflush(stdout);
		_exit(status);
	}
	ck_assert_int_eq(wait4(pid, &status, 0, &usage), pid);
	unlink(path);
	ck_assert_msg(WIFEXITED(status), "%s of %s: wait status 0x%x", commands[command].name,
		      crafted_kinds[kind].name, status);
	return (struct cost) {
		.seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			   (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6,
		.bytes = (size_t)usage.ru_maxrss << 10,
		.status = WEXITSTATUS(status),
	};
}

static void check_cost(size_t command, size_t kind, size_t bytes, const struct cost *cost)
{
	size_t limit = commands[command].always + 8 * commands[command].files * bytes;

	printf("%-6s %-32s %8zu bytes %6.2f s %4zu MiB, status %d\n", commands[command].name,
	       crafted_kinds[kind].name, bytes, cost->seconds, cost->bytes >> 20, cost->status);
	fflush(stdout);
	/* Neither a failed process nor a table that says something else. Skipped: no row is
	 * read. */
	ck_assert_msg(cost->status == EXIT_OK || cost->status == EXIT_BAD_INPUT ||
			      cost->status == EXIT_SKIPPED,
		      "%s of %s: %d", commands[command].name, crafted_kinds[kind].name,
		      cost->status);
	ck_assert_msg(cost->bytes <= MEMORY_TIMES * limit, "%s of %s: %zu MiB for %zu bytes",
		      commands[command].name, crafted_kinds[kind].name, cost->bytes >> 20, bytes);
}

START_TEST(time_grows_as_the_section_and_memory_is_bounded)
{
	size_t command = (size_t)_i % COMMAND_COUNT, kind = (size_t)_i / COMMAND_COUNT;
	struct cost small = cost_of(command, kind, SMALL_BYTES);
	struct cost large = cost_of(command, kind, LARGE_BYTES);

	check_cost(command, kind, SMALL_BYTES, &small);
	check_cost(command, kind, LARGE_BYTES, &large);
	/* Four times as much; what is quadratic takes sixteen times. Small times are noise. */
	ck_assert_msg(large.seconds <= 8 * small.seconds + 0.5, "%s of %s: %.2f s, then %.2f s",
		      commands[command].name, crafted_kinds[kind].name, small.seconds,
		      large.seconds);
}
END_TEST

/* What takes most for each byte of a section, where the part that is always there is small beside
 * it. */
static const struct {
	size_t command;
	void (*fill)(struct crafted *section);
} hungry[] = {
	{ STAT, rows_that_need_places }, /* 10.7 times, when each build left pieces to the next */
	{ STAT, rows_that_all_differ },
	{ STAT, rows_of_distinct_expressions },
	{ STAT, tiniest_fdes }, /* 9.4 times, when each FDE outside of code was listed */
	{ STAT, least_cies },
	{ TABLE, rows_that_need_places },
	{ TABLE, tiny_fdes_in_no_order },
	{ TABLE, rows_that_alternate },
	{ PROVE, rows_that_alternate },
	{ PROVE, tiniest_fdes },
	{ DIFF, rows_that_alternate },
	{ DIFF, rows_that_need_places },
	{ DIFF, tiny_fdes },
	{ DIFF, tiniest_fdes }, /* 21 times, when both CFIs were there together */
	{ DIFF, fdes_that_overlap },
	{ DIFF, bad_instructions },
};
#define HUNGRY_COUNT (sizeof(hungry) / sizeof(hungry[0]))

START_TEST(memory_is_bounded_by_a_larger_section)
{
	size_t kind = 0;

	while (crafted_kinds[kind].fill != hungry[_i].fill)
		kind++;
	struct cost cost = cost_of(hungry[_i].command, kind, HUGE_BYTES);
	check_cost(hungry[_i].command, kind, HUGE_BYTES, &cost);
}
END_TEST

/* Of FDEs outside of all code 10,000 are said, and how many more there are. */
START_TEST(stat_lists_so_many_fdes_outside_of_code)
{
	char path[64], *output;
	json_int_t listed = 0, more = 0, lost = 0;
	size_t kind = 0;
	int status;

	while (crafted_kinds[kind].fill != tiniest_fdes)
		kind++;
	snprintf(path, sizeof(path), "/tmp/crafted-%d", getpid());
	ck_assert_int_eq(crafted_write(path, kind, SMALL_BYTES), 0);
	output = command_output(command_stat, (char *[]) { "stat", "--json", path, NULL }, &status);
	unlink(path);
	for (char *line = output, *end; (end = strchr(line, '\n')); line = end + 1) {
		json_t *object = json_loadb(line, (size_t)(end - line), 0, NULL);
		const char *type = json_string_value(json_object_get(object, "type"));

		if (!type)
			continue; /* of standard error: how many more there are */
		lost += json_integer_value(
			json_object_get(json_object_get(object, "lost_fdes_by_reason"), "outside"));
		if (!strcmp(type, "stat_lost")) {
			more += json_integer_value(json_object_get(object, "more"));
			listed += json_object_get(object, "pc") != NULL;
		}
		json_decref(object);
		if (!strcmp(type, "stat_total"))
			break;
	}
	free(output);
	ck_assert_int_eq(listed, 10000);
	ck_assert_int_gt(more, 0);
	ck_assert_int_eq(lost % (listed + more), 0); /* the total may say it again */
}
END_TEST

/* A file that is no table is not read to its end: here 8 GiB of nothing. */
static const struct {
	const char *name;
	const char *head;
} sparse[] = {
	{ "nothing", "" },
	{ "saved", "stackproof table text 1\n" },
	{ "readelf", "Contents of the .eh_frame section:\n\n" },
	{ "otel", "# addr   cfa   fp   flags\n" },
};
#define SPARSE_COUNT (sizeof(sparse) / sizeof(sparse[0]))

START_TEST(diff_reads_no_more_than_it_needs)
{
	char path[64];
	struct rusage usage;
	int status;

	snprintf(path, sizeof(path), "/tmp/sparse-%d", getpid());
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ssize_t size = (ssize_t)strlen(sparse[_i].head);
	ck_assert(fd >= 0 && write(fd, sparse[_i].head, (size_t)size) == size);
	ck_assert_int_eq(ftruncate(fd, 8ll << 30), 0);
	close(fd);
	pid_t pid = fork();
	if (!pid) {
		char *argument[] = { "diff", path, path, NULL };
		int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
		dup2(nothing, 2);
		alarm(60);
		_exit(command_diff(3, argument));
	}
	ck_assert_int_eq(wait4(pid, &status, 0, &usage), pid);
	unlink(path);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), EXIT_BAD_INPUT);
	ck_assert_msg(usage.ru_maxrss < MEMORY_TIMES * 64 << 10, "%ld KiB", usage.ru_maxrss);
}
END_TEST

SUITE(hostile_commands, TIMEOUT(300),
      TIMES(time_grows_as_the_section_and_memory_is_bounded, CRAFTED_COUNT *COMMAND_COUNT),
      TIMES(memory_is_bounded_by_a_larger_section, HUNGRY_COUNT),
      TEST(stat_lists_so_many_fdes_outside_of_code),
      TIMES(diff_reads_no_more_than_it_needs, SPARSE_COUNT))
