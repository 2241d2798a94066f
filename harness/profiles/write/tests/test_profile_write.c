// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * test_profile_write.c - what is written is what the readers of this house read: round trips
 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include "base/cli/tests/own_files.h"
#include "collected_fixture.h"
#include "profiles/profile/tests/profile_fixture.h"
#include "profiles/profile/wire.h"
#include "tests/suite.h"

/* What is read of a profile that is written; to be freed. */
static char *round_trip(const struct collected *collected, enum profile_format format, bool zipped)
{
	uint8_t *bytes;
	size_t size;
	char *text;

	ck_assert_int_eq(
		profile_write_bytes(collected, format, zipped, &bytes, &size, &collecting_error),
		0);
	text = profile_bytes_text(bytes, size, PROFILE_ANY);
	free(bytes);
	return text;
}

#define BASH " (/usr/bin/bash 5c9a) "
#define WORK                                                                                       \
	"inner" BASH "f0x1234 i, work" BASH "f0x1234, main" BASH "f0x1300, _start" BASH "f0x1400"  \
	"\n"
#define TRUNCATED "?" BASH "f0x1500, main" BASH "f0x1300, [incomplete: no_row]\n"
#define KERNEL	  "do_syscall_64 ([kernel.kallsyms]) f0x1a7 k, ? f0x10\n"
#define PERF_WORK                                                                                  \
	"7/8 'bash' cpu-clock x 1: inner f0x1234 i, work (/usr/bin/bash) f0x1234, "                \
	"main (/usr/bin/bash) f0x1300, _start (/usr/bin/bash) f0x1400\n"
#define PERF_TRUNCATED                                                                             \
	"7/8 'bash' cpu-clock x 1: ? (/usr/bin/bash) f0x1500, main (/usr/bin/bash) f0x1300, "      \
	"[incomplete: no_row] r0x0\n"
#define PERF_LOST "0/0 '[unknown]' cpu-clock x 1: [lost: no_space] r0x0\n"

static const struct {
	const char *name;
	enum profile_format format;
	enum collected_type type;
	const char *expected;
} cases[] = {
	{ "pprof", PROFILE_PPROF, COLLECTED_CPU,
	  "7/8 'bash' x 3: " WORK "9/9 'Web Content' x 1: " KERNEL "7/8 'bash' x 2: " TRUNCATED
	  "x 4: [lost: no_space]\n"
	  "pprof 4 of 10\n" },
	{ "pprof_counts_allocations", PROFILE_PPROF, COLLECTED_ALLOCATIONS,
	  "7/8 'bash' x 3: " WORK "9/9 'Web Content' x 1: " KERNEL "7/8 'bash' x 2: " TRUNCATED
	  "x 4: [lost: no_space]\n"
	  "pprof 4 of 10\n" },
	{ "otlp", PROFILE_OTLP, COLLECTED_CPU,
	  "9/9 'Web Content' samples x 1: " KERNEL "samples x 4: [lost: no_space]\n"
	  "7/8 'bash' samples x 3: " WORK "7/8 'bash' samples x 2: " TRUNCATED "otlp 4 of 10\n" },
	{ "otlp_has_one_observation_of_nanoseconds", PROFILE_OTLP, COLLECTED_OFF_CPU,
	  "9/9 'Web Content' off_cpu x 1: " KERNEL "off_cpu x 1: [lost: no_space]\n"
	  "7/8 'bash' off_cpu x 1: " WORK "7/8 'bash' off_cpu x 1: " TRUNCATED "otlp 4 of 4\n" },
	{ "folded", PROFILE_FOLDED, COLLECTED_CPU,
	  "x 3: inner i, work, main, _start, bash\n"
	  "x 2: ? (bash) f0x1500, main, ? (incomplete: no_row), bash\n"
	  "x 1: do_syscall_64 k, ?, Web Content\n"
	  "x 4: ? (lost: no_space)\n"
	  "folded 4 of 10\n" },
	{ "folded_has_nanoseconds", PROFILE_FOLDED, COLLECTED_OFF_CPU,
	  "x 3000000: inner i, work, main, _start, bash\n"
	  "x 2000001: ? (bash) f0x1500, main, ? (incomplete: no_row), bash\n"
	  "x 1000000: do_syscall_64 k, ?, Web Content\n"
	  "x 4000000: ? (lost: no_space)\n"
	  "folded 4 of 10000001\n" },
	{ "perf_has_each_event", PROFILE_PERF_SCRIPT, COLLECTED_CPU,
	  PERF_LOST PERF_LOST PERF_LOST PERF_LOST PERF_WORK PERF_WORK PERF_WORK PERF_TRUNCATED
		  PERF_TRUNCATED
	  "9/9 'Web Content' cpu-clock x 1: do_syscall_64 ([kernel.kallsyms]) "
	  "f0xffffffff810001a7 k, ? (//anon) f0x7f0000000010\n"
	  "perf-script 10 of 10\n" },
};

START_TEST(all_is_read_again)
{
	struct collected collected;

	collected_fixture(&collected, cases[_i].type);
	for (int zipped = 0; zipped < 2; zipped++)
		check_profile_text(cases[_i].name, round_trip(&collected, cases[_i].format, zipped),
				   cases[_i].expected);
	collected_deinit(&collected);
}
END_TEST

static const enum profile_format formats[] = { PROFILE_PPROF, PROFILE_OTLP, PROFILE_FOLDED,
					       PROFILE_PERF_SCRIPT };

/* ---- as text --------------------------------------------------------------------------------- */

static char *written_text(const struct collected *collected, enum profile_format format)
{
	uint8_t *bytes;
	size_t size;

	ck_assert_int_eq(
		profile_write_bytes(collected, format, false, &bytes, &size, &collecting_error), 0);
	return (char *)bytes; /* open_memstream() ends it with a NUL */
}

/* Periods add up to the amount, and each is as far from the one before in time. */
START_TEST(perf_says_times_and_periods)
{
	static const char expected[] = "bash 7/8 1700000000.124456: 1000000 cpu-clock:\n"
				       "\t            1234 inner (inlined)\n"
				       "\t            1234 work (/usr/bin/bash)\n"
				       "\t            1300 main (/usr/bin/bash)\n"
				       "\t            1400 _start (/usr/bin/bash)\n"
				       "\n";
	struct collected collected;
	char *text;

	collected_fixture(&collected, COLLECTED_CPU);
	text = written_text(&collected, PROFILE_PERF_SCRIPT);
	ck_assert_msg(strstr(text, expected), "%s", text);
	ck_assert(strstr(text, "\n\nbash 7/8 1700000000.126456: 1000000 cpu-clock:\n"));
	ck_assert(strstr(text, "\n\nbash 7/8 1700000000.127456: 1000001 cpu-clock:\n"));
	ck_assert(strstr(text, "\n\nbash 7/8 1700000000.128456: 1000000 cpu-clock:\n"));
	free(text);
	collected_deinit(&collected);
}
END_TEST

/* Of a tracepoint's events nothing but their number is there to be shown. */
START_TEST(events_without_an_amount_count)
{
	static const uint64_t amounts[] = { 0, 5 };
	static const char *const shown[] = { "samples", "cpu" }, *const heads[] = { ": 1 cpu-",
										    ": 5 cpu-" };

	for (size_t i = 0; i < 2; i++) {
		struct wire_field field = { 0 };
		struct collected collected;
		uint64_t text = 0, number = 0;
		struct wire wire;
		uint8_t *bytes;
		size_t size;
		char *type = NULL, *script;

		collected_init(&collected, COLLECTED_CPU);
		add_sample(&collected, add_stack(&collected, "no_row", 0, NULL), 0, 1, amounts[i]);
		ck_assert_int_eq(profile_write_bytes(&collected, PROFILE_PPROF, false, &bytes,
						     &size, &collecting_error),
				 0);
		for (int pass = 0; pass < 2; pass++) {
			wire = (struct wire) { bytes, bytes + size, false };
			while (wire_next(&wire, &field))
				if (field.number == 14)
					number = field.value;
				else if (field.number == 6 && pass && text++ == number)
					type = strndup((const char *)field.data, field.size);
		}
		ck_assert_str_eq(type, shown[i]);
		free(type);
		free(bytes);
		script = written_text(&collected, PROFILE_PERF_SCRIPT);
		ck_assert_msg(strstr(script, heads[i]), "%s", script);
		free(script);
		collected_deinit(&collected);
	}
}
END_TEST

/* One that was called otherwise, and one that was met in between: time goes on. */
START_TEST(perf_never_goes_back_in_a_thread_s_time)
{
	static const char *const heads[] = { "sh 7/8 0.000010:", "ls 7/8 0.000020:",
					     "sh 7/8 0.000030:", "sh 7/9 0.000010:" };
	struct collected collected;
	uint32_t stack, sh, ls, other, again;
	const char *at;
	char *text;

	collected_init(&collected, COLLECTED_CPU);
	stack = add_stack(&collected, "no_row", 0, NULL);
	sh = add_task(&collected, 7, 8, "sh", "");
	other = add_task(&collected, 7, 9, "sh", "");
	ls = add_task(&collected, 7, 8, "ls", "");
	again = add_task(&collected, 7, 8, "sh", "c0ffee");
	add_sample(&collected, stack, sh, 1, 10000);
	add_sample(&collected, stack, other, 1, 10000);
	add_sample(&collected, stack, ls, 1, 10000);
	add_sample(&collected, stack, again, 1, 10000);
	at = text = written_text(&collected, PROFILE_PERF_SCRIPT);
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]) && at; i++)
		at = strstr(at, heads[i]);
	ck_assert_msg(at, "%s", text);
	free(text);
	collected_deinit(&collected);
}
END_TEST

/* Without a name: an image in brackets, and where in it. */
START_TEST(folded_stacks_say_images)
{
	static const struct {
		const char *path;
		enum collected_image image;
		const char *expected;
	} images[] = {
		{ "/lib/libc.so.6", COLLECTED_FILE, "[libc.so.6+0x2010] 1\n" },
		{ "/lib/a;b", COLLECTED_FILE, "[a:b+0x2010] 1\n" },
		{ "/lib/", COLLECTED_FILE, "[/lib/+0x2010] 1\n" },
		{ "/lib/lost: x", COLLECTED_FILE, "\\x5blost: x+0x2010] 1\n" },
		{ "[vdso]", COLLECTED_VDSO, "[vdso+0x2010] 1\n" },
		{ "[kernel.kallsyms]", COLLECTED_KERNEL, "[kernel.kallsyms] 1\n" },
		{ "//anon", COLLECTED_ANONYMOUS, "[anon] 1\n" },
		{ "[", COLLECTED_FILE, "[+0x2010] 1\n" },
		{ "", COLLECTED_FILE, "[unknown] 1\n" },
	};

	for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++) {
		struct collected collected;
		uint32_t mapping, location;
		char *text;

		collected_init(&collected, COLLECTED_CPU);
		mapping = add_mapping(&collected, images[i].path, images[i].image, 0x1000, 0x2000);
		location = add_location(&collected, COLLECTED_IN_USER, mapping, 0x1010, NO_NAMES);
		add_sample(&collected, STACK(&collected, NULL, location), 0, 1, 1);
		text = written_text(&collected, PROFILE_FOLDED);
		ck_assert_str_eq(text, images[i].expected);
		free(text);
		collected_deinit(&collected);
	}
}
END_TEST

/* Mappings' places by their ids, which must be their numbers in the order in which they stand; and locations are in theirs. */
static void check_mappings(const struct collected *collected, uint32_t first)
{
	uint64_t start[4] = { 0 }, in[4] = { 0 }, address[4] = { 0 };
	struct wire_field field = { 0 };
	uint32_t mappings = 0, locations = 0;
	struct wire wire;
	uint8_t *bytes;
	size_t size;

	ck_assert_int_eq(profile_write_bytes(collected, PROFILE_PPROF, false, &bytes, &size,
					     &collecting_error),
			 0);
	wire = (struct wire) { bytes, bytes + size, false };
	while (wire_next(&wire, &field)) {
		if (field.number == 3) {
			ck_assert_uint_eq(wire_number_of(wire_of(&field), 1), ++mappings);
			start[mappings] = wire_number_of(wire_of(&field), 2);
		} else if (field.number == 4) {
			locations++;
			in[locations] = wire_number_of(wire_of(&field), 2);
			address[locations] = wire_number_of(wire_of(&field), 3);
		}
	}
	ck_assert_uint_eq(start[1], collected->mapping[first].start);
	ck_assert(mappings == 3 && locations == 3);
	for (int i = 1; i <= 3; i++)
		ck_assert_uint_eq(start[in[i]], address[i]);
	free(bytes);
}

/* Tools take the first mapping for the program's. */
START_TEST(the_executable_is_the_first_mapping)
{
	static const char *const executables[] = { "/bin/x", "/no/such", "" };
	static const uint32_t expected[] = { 3, 2, 2 };

	for (size_t i = 0; i < 3; i++) {
		struct collected collected;
		struct collected_task task = { .pid = 1, .tid = 1 };

		collected_init(&collected, COLLECTED_CPU);
		add_mapping(&collected, "[kernel.kallsyms]", COLLECTED_KERNEL, 0x9000, 0);
		add_mapping(&collected, "/lib/libc.so.6", COLLECTED_FILE, 0x1000, 0);
		add_mapping(&collected, "/bin/x", COLLECTED_FILE, 0x2000, 0);
		for (uint32_t mapping = 1; mapping <= 3; mapping++)
			add_location(&collected, COLLECTED_IN_USER, mapping,
				     collected.mapping[mapping].start, NO_NAMES);
		task.executable = add_text(&collected, executables[i]);
		added(collected_task(&collected, &task, &collecting_error));
		check_mappings(&collected, expected[i]);
		collected_deinit(&collected);
	}
}
END_TEST

/* Two threads, and two addresses of one function, are one line. Who is not known is not there. */
START_TEST(equal_folded_stacks_are_one_line)
{
	struct collected collected;
	uint32_t f, g;
	char *text;

	collected_init(&collected, COLLECTED_CPU);
	f = add_location(&collected, COLLECTED_IN_USER, 0, 0x10, NAMES("f"));
	g = add_location(&collected, COLLECTED_IN_USER, 0, 0x20, NAMES("f"));
	add_sample(&collected, STACK(&collected, NULL, f), add_task(&collected, 1, 1, "a", ""), 1,
		   1);
	add_sample(&collected, STACK(&collected, NULL, g), add_task(&collected, 1, 2, "a", ""), 2,
		   1);
	add_sample(&collected, STACK(&collected, NULL, g), add_task(&collected, 3, 3, "b", ""), 4,
		   1);
	add_sample(&collected, STACK(&collected, NULL, g), add_task(&collected, 4, 4, "", ""), 8,
		   1);
	add_sample(&collected, STACK(&collected, NULL, g), 0, 16, 1);
	add_sample(&collected, add_stack(&collected, NULL, 0, NULL), 0, 32, 1);
	text = written_text(&collected, PROFILE_FOLDED);
	ck_assert_str_eq(text, "a;f 3\nb;f 4\n:4;f 8\nf 16\n[unknown] 32\n");
	free(text);
	collected_deinit(&collected);
}
END_TEST

/* ---- hostile and large ----------------------------------------------------------------------- */

static const struct {
	const char *label, *name;
	const char *line, *message; /* as it is in formats of lines, and in protocol buffers */
	const char *folded;	    /* NULL: as line */
} names[] = {
	{ "newlines_end_no_line",
	  "a\nb 1/2 3.4: 5 x:", "a\\x0ab 1/2 3.4: 5 x:", "a\nb 1/2 3.4: 5 x:", NULL },
	{ "semicolons_part_no_frames", "La;b;", "La;b;", "La;b;", "La:b:" },
	{ "bytes_that_are_no_utf8", "a\xff\xc3", "a\\xff\\xc3", "a\\xff\\xc3", NULL },
	{ "utf8_stays", "h\xc3\xa4\xe2\x82\xac", "h\xc3\xa4\xe2\x82\xac", "h\xc3\xa4\xe2\x82\xac",
	  NULL },
	{ "escapes_reach_no_terminal", "\x1b[2J\x7f\xc2\x85", "\\x1b[2J\\x7f\\xc2\\x85",
	  "\x1b[2J\x7f\xc2\x85", NULL },
	{ "direction_does_not_turn",
	  "a\xe2\x80\xae"
	  "b",
	  "a\\xe2\\x80\\xae"
	  "b",
	  "a\xe2\x80\xae"
	  "b",
	  NULL },
	{ "endings_of_folded_stacks", "f_[k]", "f_[k]", "f_[k]", "f_\\x5bk]" },
	{ "brackets_are_the_names", "f(int) (x)", "f(int) (x)", "f(int) (x)", NULL },
};

/* The name of the innermost frame that is read. */
static int take_name(void *context, const struct profile *profile,
		     const struct profile_sample *sample, struct error *error)
{
	const struct profile_frame *frame = profile_frame(profile, sample->frame[0]);

	ck_assert_uint_eq(sample->count, 1);
	*(char **)context = strdup(profile_text(profile, frame->name));
	return 0;
}

static char *read_name(const struct collected *collected, enum profile_format format)
{
	struct profile profile;
	uint8_t *bytes;
	char path[64], *name = NULL;
	size_t size;
	int file;

	ck_assert_int_eq(
		profile_write_bytes(collected, format, false, &bytes, &size, &collecting_error), 0);
	file = profile_file(bytes, size, path);
	profile_init(&profile);
	ck_assert_int_eq(
		profile_read(&profile, path, PROFILE_ANY, take_name, &name, &collecting_error), 0);
	ck_assert_uint_eq(profile.samples, 1);
	ck_assert_uint_eq(profile_lost(&profile), 0);
	profile_deinit(&profile);
	close(file);
	free(bytes);
	return name;
}

/* A profile whose every text is the name. */
static void named_profile(struct collected *collected, const char *name, uint64_t count,
			  uint64_t amount)
{
	uint32_t mapping, location, task;

	collected_init(collected, COLLECTED_CPU);
	mapping = add_mapping(collected, name, COLLECTED_FILE, 0x1000, 0);
	location = add_location(collected, COLLECTED_IN_USER, mapping, 0x1010, NAMES(name));
	task = add_task(collected, 1, 1, name, name);
	add_sample(collected, STACK(collected, NULL, location), task, count, amount);
}

START_TEST(hostile_names_are_one_frame)
{
	struct collected collected;

	named_profile(&collected, names[_i].name, 1, 1);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		bool is_message = formats[i] == PROFILE_PPROF || formats[i] == PROFILE_OTLP;
		const char *expected = is_message ? names[_i].message : names[_i].line;
		char *name = read_name(&collected, formats[i]);

		if (formats[i] == PROFILE_FOLDED && names[_i].folded)
			expected = names[_i].folded;
		ck_assert_msg(name && !strcmp(name, expected), "%s, %s: '%s' is '%s'",
			      names[_i].label, profile_format_name(formats[i]), expected, name);
		free(name);
	}
	collected_deinit(&collected);
}
END_TEST

START_TEST(long_names_stay_whole)
{
	struct collected collected;
	char *name = malloc(100001);

	memset(name, 'n', 100000);
	name[100000] = '\0';
	named_profile(&collected, name, 1, 1);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		char *read = read_name(&collected, formats[i]);

		ck_assert(!strcmp(read, name));
		free(read);
	}
	free(name);
	collected_deinit(&collected);
}
END_TEST

/* Unpaired brackets of a path would end the frame's image elsewhere. */
START_TEST(brackets_of_paths_are_in_pairs)
{
	static const char *const paths[][2] = { { "/tmp/a (deleted)", "/tmp/a (deleted)" },
						{ "/tmp/a)b", "/tmp/a_b" },
						{ "/tmp/)(", "/tmp/__" },
						{ "/tmp/ (x", "/tmp/ _x" } };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct collected collected;
		char expected[200];
		uint32_t location;

		collected_init(&collected, COLLECTED_CPU);
		location = add_location(
			&collected, COLLECTED_IN_USER,
			add_mapping(&collected, paths[i][0], COLLECTED_FILE, 0x1000, 0), 0x1010,
			NAMES("f"));
		add_sample(&collected, STACK(&collected, NULL, location),
			   add_task(&collected, 1, 1, "a", ""), 1, 1);
		snprintf(expected, sizeof(expected),
			 "1/1 'a' cpu-clock x 1: f (%s) f0x10\nperf-script 1 of 1\n", paths[i][1]);
		check_profile_text(paths[i][0], round_trip(&collected, PROFILE_PERF_SCRIPT, false),
				   expected);
		collected_deinit(&collected);
	}
}
END_TEST

START_TEST(messages_without_samples_are_read)
{
	struct collected collected;

	collected_init(&collected, COLLECTED_CPU);
	check_profile_text("pprof", round_trip(&collected, PROFILE_PPROF, true), "pprof 0 of 0\n");
	check_profile_text("otlp", round_trip(&collected, PROFILE_OTLP, true), "otlp 0 of 0\n");
	collected_deinit(&collected);
}
END_TEST

START_TEST(texts_without_samples_are_empty)
{
	struct collected collected;
	char *text;

	collected_init(&collected, COLLECTED_CPU);
	for (size_t i = 2; i < sizeof(formats) / sizeof(formats[0]); i++) {
		text = written_text(&collected, formats[i]);
		ck_assert_str_eq(text, "");
		free(text);
	}
	collected_deinit(&collected);
}
END_TEST

START_TEST(counts_have_63_bits)
{
	struct collected collected;
	char expected[64];

	named_profile(&collected, "f", PROFILE_COUNT_MAX, PROFILE_COUNT_MAX);
	for (size_t i = 0; i < 3; i++) {
		char *text = round_trip(&collected, formats[i], false);

		snprintf(expected, sizeof(expected), "%s 1 of 9223372036854775807\n",
			 profile_format_name(formats[i]));
		ck_assert_msg(strstr(text, expected), "%s", text);
		free(text);
	}
	ck_assert_int_eq(
		profile_write(&collected, PROFILE_PERF_SCRIPT, "/dev/null", &collecting_error), -1);
	ck_assert_int_eq(collecting_error.code, ERROR_TABLE_LIMIT);
	collected_deinit(&collected);
}
END_TEST

/* More than one buffer of each layer, and a stack of the deepest. */
START_TEST(large_profiles_are_read)
{
	const uint32_t samples = 30000, deepest = PROFILE_FRAMES_MAX - 1;
	uint32_t *location = malloc(deepest * sizeof(*location)), task;
	struct collected collected;

	collected_init(&collected, COLLECTED_CPU);
	task = add_task(&collected, 1, 1, "a", "");
	for (uint32_t i = 0; i < samples; i++) {
		char name[32];
		uint32_t at;

		snprintf(name, sizeof(name), "function_%u", i * 2654435761u);
		at = add_location(&collected, COLLECTED_IN_USER, 0, 0x1000 + i, NAMES(name));
		add_sample(&collected, STACK(&collected, NULL, at, 1, 1, 1), task, 1, 1);
	}
	for (uint32_t i = 0; i < deepest; i++)
		location[i] = 1 + i % samples;
	add_sample(&collected, add_stack(&collected, NULL, deepest, location), task, 1, 1);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		char expected[64], *text = round_trip(&collected, formats[i], true);

		snprintf(expected, sizeof(expected), "\n%s 30001 of 30001\n",
			 profile_format_name(formats[i]));
		ck_assert_msg(strstr(text, expected), "%s", profile_format_name(formats[i]));
		ck_assert_msg(!strstr(text, "\nlost"), "%s", profile_format_name(formats[i]));
		free(text);
	}
	free(location);
	collected_deinit(&collected);
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------- */

START_TEST(a_full_disk_names_the_file)
{
	struct collected collected;

	collected_fixture(&collected, COLLECTED_CPU);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		ck_assert_int_eq(
			profile_write(&collected, formats[i], "/dev/full", &collecting_error), -1);
		ck_assert_int_eq(collecting_error.code, ERROR_SYSTEM);
		ck_assert_int_eq(collecting_error.system_errno, ENOSPC);
		ck_assert(strstr(collecting_error.message, "/dev/full"));
	}
	collected_deinit(&collected);
}
END_TEST

/* The file is as it was before, and nothing lies beside it. */
START_TEST(a_file_is_whole_or_as_before)
{
	struct rlimit before, limit;
	struct collected collected;
	const char *path;

	folder_make();
	path = in_folder("profile");
	file_write_text(path, "before");
	collected_fixture(&collected, COLLECTED_CPU);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = (struct rlimit) { 100, before.rlim_max };
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(profile_write(&collected, PROFILE_PERF_SCRIPT, path, &collecting_error),
			 -1);
	setrlimit(RLIMIT_FSIZE, &before);
	ck_assert_int_eq(collecting_error.system_errno, EFBIG);
	ck_assert(strstr(collecting_error.message, path));
	ck_assert_str_eq(file_text(path), "before");
	ck_assert_int_eq(access(in_folder("profile.unfinished"), F_OK), -1);
	folder_remove();
	collected_deinit(&collected);
}
END_TEST

START_TEST(a_file_is_written_and_read)
{
	struct collected collected;
	const char *path;

	folder_make();
	path = in_folder("profile");
	collected_fixture(&collected, COLLECTED_CPU);
	ck_assert_int_eq(profile_write(&collected, PROFILE_PPROF, path, &collecting_error), 0);
	check_profile_text("file", profile_read_text(path, PROFILE_ANY), cases[0].expected);
	folder_remove();
	collected_deinit(&collected);
}
END_TEST

START_TEST(other_formats_have_no_writer)
{
	struct collected collected;

	collected_init(&collected, COLLECTED_CPU);
	ck_assert_int_eq(
		profile_write(&collected, PROFILE_SPEEDSCOPE, "/dev/null", &collecting_error), -1);
	ck_assert_int_eq(collecting_error.code, ERROR_UNAVAILABLE);
	ck_assert_int_eq(
		profile_write(&collected, PROFILE_FORMAT_COUNT, "/dev/null", &collecting_error),
		-1);
	collected_deinit(&collected);
}
END_TEST

SUITE(profile_write, LOOP(all_is_read_again, cases), TEST(perf_says_times_and_periods),
      TEST(perf_never_goes_back_in_a_thread_s_time), TEST(events_without_an_amount_count),
      TEST(equal_folded_stacks_are_one_line), TEST(the_executable_is_the_first_mapping),
      TEST(folded_stacks_say_images), LOOP(hostile_names_are_one_frame, names),
      TEST(long_names_stay_whole), TEST(brackets_of_paths_are_in_pairs),
      TEST(messages_without_samples_are_read), TEST(texts_without_samples_are_empty),
      TEST(counts_have_63_bits), TEST(large_profiles_are_read), TEST(a_full_disk_names_the_file),
      TEST(a_file_is_whole_or_as_before), TEST(a_file_is_written_and_read),
      TEST(other_formats_have_no_writer))
