/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_profile_places.c - of every format: where a sample is said to be, what samples share, and what ends the reading
 *
 * Each input has something before its first sample and between two. Its last sample is too much: the counts add up to
 * more than a sum may be, which is an error with that sample's place. ' stands for " in JSON.
 */
#include "tests/suite.h"
#include "profile_fixture.h"

#define LARGEST "9223372036854775807"
#define STACK(count)                                                                               \
	"{'type':'profile_stack','count':" count ",'frames':[{'name':'f'},{'name':'g'}]}\n"
#define HUGE "4e18"

static const struct place_case {
	const char *name;
	enum profile_format format;
	const char *input;
	size_t size; /* 0: up to the NUL */
	const char *said;
	const char *shared; /* frames that are counted, or NULL: they are not shared */
} cases[] = {
	{ "folded", PROFILE_FOLDED, "# x\na;b 1\n\nnone\nb 2\na " LARGEST "\n", 0,
	  "2x1 5x2 !line 6 ", NULL },
	{ "perf_script", PROFILE_PERF_SCRIPT,
	  "# x\na 1/1 1.0: b: \n\t 1 f (/a)\n\nnone\n\na 1/1 1.0: b: \n\t 1 f (/a)\n\n", 0,
	  "2x1 7x1 ", NULL },
	{ "perf_script_without_callchains", PROFILE_PERF_SCRIPT,
	  "# x\na 1/1 1.0: b:  1 f (/a)\n\na 1/1 1.0: b:  1 f (/a)\n", 0, "2x1 4x1 ", NULL },
	{ "perf_script_without_heads", PROFILE_PERF_SCRIPT,
	  "a 1/1 1.0: b: \n\t 1 f (/a)\n\n\n\t 1 f (/a)\n\t 2 g (/a)\n\n\n\t 1 f (/a)\n\n", 0,
	  "1x1 5x1 9x1 ", NULL },
	{ "bpftrace", PROFILE_BPFTRACE,
	  "x\n@a[\n    f+1\n]: 1\n@n: 3\n@b[p, \n    f+1\n    g+1\n]: 2\n@c[\n    f+1\n]: " LARGEST
	  "\n",
	  0, "2x1 6x2 !line 10 ", NULL },
	{ "stacks", PROFILE_STACKS, "\n" STACK("1") "[]\n" STACK("2") STACK(LARGEST), 0,
	  "2x1 4x2 !line 5 ", NULL },
	{ "pprof", PROFILE_PPROF,
	  "\x12\2\x10\1\x12\4\x10\2\x10\7\x12\x0a\x10\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 22,
	  "2x1 6x2 !pprof 12 ", NULL },
	{ "speedscope", PROFILE_SPEEDSCOPE,
	  "{'shared':{'frames':[{'name':'f'}]},'profiles':[{'type':'sampled','samples':[[0,0],[9],["
	  "0]],'weights':[1,1,2]},{'type':'sampled','samples':[[],[0,0,0]]},{'type':'evented','"
	  "events':[{'type':'O','frame':0,'at':0},{'type':'C','frame':0,'at':" HUGE
	  "},{'type':'O','frame':0,'at':" HUGE
	  "},{'type':'C','frame':0,'at':8e18},{'type':'O','frame':0,'at':8e18},{'type':'C','frame':"
	  "0,'at':12e18}]}]}",
	  0, "1x1 3x2 4x1 5x1 6x4000000000000000000 7x4000000000000000000 !sample 8 ", "9" },
	{ "firefox", PROFILE_FIREFOX,
	  "{'meta':{'preprocessedProfileVersion':1},'stackTable':{'frame':[0,0],'prefix':[null,0]},"
	  "'frameTable':{'func':[0]},'funcTable':{'name':[0]},'stringArray':['f'],'threads':[{'"
	  "samples':{'stack':[1,null,0,9],'weight':[1,1,2,1]}},{'samples':{'stack':[]}},{'samples':"
	  "{'stack':[1,0,0],'weight':[" HUGE "," HUGE "," HUGE "]}}]}",
	  0, "1x1 3x2 5x4000000000000000000 6x4000000000000000000 !sample 7 ", "7" },
	{ "otlp", PROFILE_OTLP,
	  "{'resourceProfiles':[{'scopeProfiles':[{'profiles':[{'samples':[{'stackIndex':1,'values'"
	  ":[1]},{'stackIndex':9,'values':[1]}]},{'samples':[{'stackIndex':2,'values':[2]}]}]}]},{'"
	  "scopeProfiles':[{'profiles':[{'samples':[{'stackIndex':1,'values':['" LARGEST
	  "']}]}]}]}],'dictionary':{'locationTable':[{},{'address':7}],'stackTable':[{},{'"
	  "locationIndices':[1,1]},{'locationIndices':[1]}]}}",
	  0, "1x1 3x2 !sample 4 ", "5" },
};

/* The input, with " for '; to be freed. */
static char *input_of(const struct place_case *test, size_t *ret_size)
{
	char *input = malloc(*ret_size = test->size ? test->size : strlen(test->input));

	for (size_t i = 0; i < *ret_size; i++)
		input[i] = test->input[i] == '\'' ? '"' : test->input[i];
	return input;
}

static int read_case(const struct place_case *test, struct profile *profile, profile_sample_fn *fn,
		     void *context, struct error *error)
{
	char path[64], *input;
	size_t size;
	int file, status;

	input = input_of(test, &size);
	file = profile_file(input, size, path);
	profile_init(profile);
	status = profile_read(profile, path, test->format, fn, context, error);
	close(file);
	free(input);
	return status;
}

static int print_place(void *context, const struct profile *profile,
		       const struct profile_sample *sample, struct error *error)
{
	fprintf(context, "%" PRIu64 "x%" PRIu64 " ", sample->place, sample->count);
	return 0;
}

START_TEST(a_sample_has_its_place)
{
	const struct place_case *test = &cases[_i];
	struct profile profile;
	struct error error;
	char *said;
	size_t size;
	FILE *file = open_memstream(&said, &size);

	if (read_case(test, &profile, print_place, file, &error))
		fprintf(file, "!%s %" PRIu64 " ", error.section, error.offset);
	fclose(file);
	ck_assert_msg(!strcmp(said, test->said), "%s: %s", test->name, said);
	ck_assert_msg(profile.shared == (test->shared ? strtoull(test->shared, NULL, 10) : 0),
		      "%s: %" PRIu64 " are shared", test->name, profile.shared);
	profile_deinit(&profile);
	free(said);
}
END_TEST

static int enough(void *context, const struct profile *profile, const struct profile_sample *sample,
		  struct error *error)
{
	return --*(int *)context ? 0 : error_set(error, ERROR_SYSTEM, "", 7, "enough");
}

/* Whoever gets the samples says enough, at any of them: then no other is read, and nothing is said to be lost. */
START_TEST(reading_ends_when_told)
{
	const struct place_case *test = &cases[_i];
	int samples = 0;

	for (const char *at = test->said; (at = strchr(at, 'x')); at++)
		samples++;
	ck_assert_int_gt(samples, 1);
	for (int told = 1; told <= samples; told++) {
		struct profile profile;
		struct error error;
		int left = told;

		ck_assert_int_eq(read_case(test, &profile, enough, &left, &error), -1);
		ck_assert_msg(!strcmp(error.message, "enough") && error.offset == 7, "%s: %s",
			      test->name, error.message);
		ck_assert_msg(!left && profile.samples == (uint64_t)told, "%s: %d", test->name,
			      told);
		ck_assert_msg(!profile.lost[PROFILE_CUT_OFF], "%s: cut off", test->name);
		profile_deinit(&profile);
	}
}
END_TEST

/* What its number counts, as people read it. */
START_TEST(a_place_has_a_word)
{
	static const char *const words[] = {
		[PROFILE_ANY] = "line",	      [PROFILE_PERF_SCRIPT] = "line",
		[PROFILE_PERF_DATA] = "line", [PROFILE_FOLDED] = "line",
		[PROFILE_PPROF] = "offset",   [PROFILE_STACKS] = "line",
		[PROFILE_BPFTRACE] = "line",  [PROFILE_SPEEDSCOPE] = "sample",
		[PROFILE_FIREFOX] = "sample", [PROFILE_OTLP] = "sample",
	};

	ck_assert_int_eq(COUNT(words), PROFILE_FORMAT_COUNT);
	for (int i = 0; i < COUNT(words); i++)
		ck_assert_str_eq(profile_place_word(i), words[i]);
}
END_TEST

/* ---- lines that are longer than any is ------------------------------------------------------- */

/* Whatever the format of lines: what is behind one has its own number, and is read. */
static const struct long_case {
	const char *name;
	enum profile_format format;
	const char *before, *after, *wanted;
} long_cases[] = {
	{ "folded", PROFILE_FOLDED, "a 1\n", "b 1\nc\n",
	  "x 1: a\nx 1: b\nlost bad_count 1\nlost too_long 2\n"
	  "line 2: a line of more than 16777216 bytes\nline 3: a line of more than 16777216 bytes\n"
	  "line 5: no count at the line's end\nfolded 2 of 2\n" },
	{ "bpftrace", PROFILE_BPFTRACE, "@a[\n    f+1\n", "]: 1\n@a[\n    f+1\n]: -1\n",
	  "lost bad_count 1\nlost too_long 2\nline 3: a line that is too long\n"
	  "line 4: a line that is too long\nline 8: the map's value is no count\n"
	  "bpftrace 0 of 0\n" },
};

START_TEST(what_is_behind_a_long_line)
{
	const struct long_case *test = &long_cases[_i];
	char *input, *blanks = malloc(PROFILE_LINE_MAX + 1);
	size_t size;
	FILE *file = open_memstream(&input, &size);

	memset(blanks, 'a', PROFILE_LINE_MAX + 1);
	fputs(test->before, file);
	for (int i = 0; i < 2; i++)
		fprintf(file, "%.*s\n", PROFILE_LINE_MAX + 1, blanks);
	fputs(test->after, file);
	fclose(file);
	check_profile_text(test->name, profile_bytes_text(input, size, test->format), test->wanted);
	free(blanks);
	free(input);
}
END_TEST

SUITE(profile_places, LOOP(a_sample_has_its_place, cases), LOOP(reading_ends_when_told, cases),
      TEST(a_place_has_a_word), LOOP(what_is_behind_a_long_line, long_cases))
