/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_profile_page.c - a collected profile as a flame, and as a page: what it says, and hostile names in it
 */
#include <stdlib.h>
#include "base/cli/tests/own_files.h"
#include "profiles/view/view.h"
#include "profiles/write/tests/collected_fixture.h"
#include "reports/report/tests/html_check.h"
#include "tests/printed.h"
#include "tests/suite.h"

static struct error error;

static void put_stack(FILE *file, const struct flame *flame, const struct flame_stack *stack)
{
	const struct flame_group *group = &flame->group[stack->group];

	fprintf(file, "%s", flame_text(flame, group->name));
	if (group->set)
		fprintf(file, " in %s", flame_text(flame, group->set));
	for (uint32_t i = 0; i < stack->frames; i++) {
		uint32_t name = flame->frame[stack->first + i];

		fprintf(file, "; %s/%c", flame_text(flame, name), "ukim"[flame->name[name].kind]);
	}
	fprintf(file, " %lu\n", (unsigned long)stack->value);
}

static void check_flame(const char *name, unsigned int options, const char *expected)
{
	struct collected collected;
	struct flame flame = { 0 };

	collected_fixture(&collected, COLLECTED_CPU);
	ck_assert_int_eq(profile_flame(&collected, options, &flame, &error), 0);
	check_printed(name,
		      PRINTED(file, for (size_t i = 0; i < flame.stacks; i++)
					    put_stack(file, &flame, &flame.stack[i])),
		      expected);
	flame_deinit(&flame);
	collected_deinit(&collected);
}

START_TEST(samples_are_stacks_of_processes)
{
	check_flame("by name", 0,
		    "bash in container c0ffee; _start/u; main/u; work/u; inner/i 3\n"
		    "bash in container c0ffee; [incomplete: no_row]/m; main/u; [bash+0x1500]/u 2\n"
		    "Web Content; [unknown]/u; do_syscall_64/k 1\n"
		    "[unknown]; [lost: no_space]/m 4\n");
}
END_TEST

START_TEST(processes_of_one_name_are_told_apart)
{
	check_flame("by pid", PROFILE_FLAME_BY_PID,
		    "bash[7] in container c0ffee; _start/u; main/u; work/u; inner/i 3\n"
		    "bash[7] in container c0ffee; [incomplete: no_row]/m; main/u; "
		    "[bash+0x1500]/u 2\n"
		    "Web Content[9]; [unknown]/u; do_syscall_64/k 1\n"
		    "[unknown]; [lost: no_space]/m 4\n");
}
END_TEST

/* The page's text; to be freed. */
static char *write_page(const struct collected *collected, const struct record_options *options,
			const struct record_result *result)
{
	const struct profile_page page = { collected, options, result, "0.0" };
	char *text = NULL;
	size_t size = 0;
	FILE *file;

	ck_assert_msg(!profile_page_write(&page, "profile_page.html", &error), "%s", error.message);
	file = fopen("profile_page.html", "re");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_gt(getdelim(&text, &size, 0, file), 0);
	fclose(file);
	remove("profile_page.html");
	return text;
}

START_TEST(the_sentence_has_every_tick)
{
	const struct record_options options = { .rate_hz = 97, .pid = 7 };
	struct record_result result = { .ticks = 10, .stacks = 6, .kernel_threads = 1 };
	struct collected collected;
	char *page;

	result.stop[STACKPROOF_STOP_COMPLETE] = 3;
	result.stop[STACKPROOF_STOP_NO_ROW] = 2;
	result.lost[RECORD_LOST_SPACE] = 4;
	collected_fixture(&collected, COLLECTED_CPU);
	page = write_page(&collected, &options, &result);
	html_check(page);
	ck_assert_ptr_nonnull(
		strstr(page, "<b>10</b> ticks: <b class=\"good\">3</b> with a complete stack "
			     "(30.0 %), <b class=\"\">1</b> of the kernel's threads (10.0 %), "
			     "<b class=\"warn\">2</b> incomplete (20.0 %): no_row 2, "
			     "<b class=\"bad\">4</b> lost (40.0 %): no_space 4.</p>"));
	ck_assert_ptr_nonnull(strstr(page, "2023-11-14 22:13:20 UTC"));
	ck_assert_ptr_nonnull(strstr(page, "cpu-clock, 97 Hz"));
	free(page);
	collected_deinit(&collected);
}
END_TEST

START_TEST(hostile_names_are_escaped)
{
	char *const argv[] = { "a</script>", "\x1b[31m\xff", NULL };
	const struct record_options options = { .rate_hz = 97, .argv = argv };
	const struct record_result result = { .ticks = 1, .stacks = 1 };
	struct collected collected;
	uint32_t task, location;
	char *page;

	collected_init(&collected, COLLECTED_CPU);
	task = add_task(&collected, 1, 1, "x\x1b]0;t\x07</script>", "c\xff<b>");
	location = add_location(&collected, COLLECTED_IN_USER, 0, 1, NAMES("<script>\xff\n\x1b"));
	add_sample(&collected, STACK(&collected, NULL, location), task, 1, 1);
	page = write_page(&collected, &options, &result);
	html_check(page);
	for (const char *at = page; *at; at++)
		ck_assert_msg(((unsigned char)*at >= ' ' || *at == '\n' || *at == '\t') &&
				      *at != '\xff',
			      "a raw byte: %.40s", at);
	ck_assert_ptr_nonnull(strstr(page, "&lt;script&gt;\\xff\\x0a\\x1b</td>"));
	ck_assert_ptr_nonnull(strstr(page, "x\\u005cx1b]0;t\\u005cx07\\u003c/script\\u003e"));
	free(page);
	collected_deinit(&collected);
}
END_TEST

START_TEST(a_full_disk_is_an_error)
{
	const struct record_options options = { .rate_hz = 97 };
	const struct record_result result = { 0 };
	struct collected collected;
	const struct profile_page page = { &collected, &options, &result, "0.0" };

	collected_fixture(&collected, COLLECTED_CPU);
	ck_assert_int_eq(profile_page_write(&page, "/dev/full", &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	collected_deinit(&collected);
}
END_TEST

SUITE(profile_page, FIXTURE(folder_enter, folder_remove), TEST(samples_are_stacks_of_processes),
      TEST(processes_of_one_name_are_told_apart), TEST(the_sentence_has_every_tick),
      TEST(hostile_names_are_escaped), TEST(a_full_disk_is_an_error))
