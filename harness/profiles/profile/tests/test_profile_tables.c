/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_profile_tables.c - JSON of speedscope and of the Firefox Profiler that has two of everything
 *
 * Two profiles, threads, images, and tables, of which one says what the other does not; and numbers and weights as JSON
 * has them. ' stands for ".
 */
#include "tests/suite.h"
#include "profile_fixture.h"
#include "profiles/profile/json_profile.h"

/* ---- speedscope --------------------------------------------------------------------------------- */

#define SCOPE(profiles)                                                                            \
	"{'$schema':'https://www.speedscope.app/file-format-schema.json','shared':{'frames':["     \
	"{'name':'main'},{'name':'work'},{'name':'do_syscall_64'},{'name':7},{'name':'leaf'}]},"   \
	"'profiles':[" profiles "]}"
#define OPENS(frame, at)  "{'type':'O','frame':" frame ",'at':" at "}"
#define CLOSES(frame, at) "{'type':'C','frame':" frame ",'at':" at "}"
#define EVENTED(unit, events)                                                                      \
	"{'type':'evented','name':'e','unit':'" unit "','events':[" events "]}"

/* clang-format off */
static const struct profile_case scopes[] = {
	{ "a_profile_has_a_name_of_its_own",
	  SCOPE("{'type':'sampled','name':'a','samples':[[0]]},{'type':'sampled','samples':[[1]]},{"
	  "'type':'sampled','name':'b','samples':[[4]]}"),
	  "a x 1: main\nx 1: work\nb x 1: leaf\nspeedscope 3 of 3\n" },
	{ "and_weights_and_a_unit_of_its_own",
	  SCOPE("{'type':'sampled','unit':'seconds','samples':[[0],[1]],'weights':[0.5,0.5]},{'"
	  "type':'sampled','unit':'seconds','samples':[[0],[1]],'weights':[0.5,0.25]},{'type'"
	  ":'sampled','unit':'bytes','samples':[[0],[1]],'weights':[9,9]},{'type':'sampled','"
	  "samples':[[0],[1]],'weights':[8,8]},{'type':'sampled','samples':[[4]]}"),
	  "x 1: main\nx 1: work\nx 500000000: main\nx 250000000: work\nx 9: main\nx 9: work\n"
	  "x 8: main\nx 8: work\nx 1: leaf\nspeedscope 9 of 750000037\n" },
	{ "what_one_profile_left_open_is_closed", SCOPE(EVENTED("none", OPENS("0", "1") ","
	  OPENS("1", "2")) "," EVENTED("none", OPENS("4", "5") "," CLOSES("4", "8"))),
	  "e x 1: main\ne x 3: leaf\nspeedscope 2 of 4\n" },
	{ "a_stretch_is_up_to_the_next_event", SCOPE(EVENTED("none", OPENS("0", "10") ","
	  CLOSES("0", "12") "," OPENS("1", "20") "," CLOSES("1", "23") "," OPENS("4", "23") ","
	  OPENS("2", "24") "," CLOSES("2", "29") "," CLOSES("4", "30"))),
	  "e x 2: main\ne x 3: work\ne x 1: leaf\ne x 5: do_syscall_64 k, leaf\ne x 1: leaf\n"
	  "speedscope 5 of 12\n" },
	{ "lengths_that_are_alike_are_no_periods", SCOPE(EVENTED("microseconds", OPENS("0", "0") ","
	  CLOSES("0", "2") "," OPENS("1", "2") "," CLOSES("1", "4"))),
	  "e x 2000: main\ne x 2000: work\nspeedscope 2 of 4000\n" },
	{ "behind_a_bad_event_nothing_is_known", SCOPE(EVENTED("none", OPENS("0", "0") ","
	  CLOSES("1", "2") "," OPENS("1", "5") "," CLOSES("1", "9") "," CLOSES("0", "11")) ","
	  EVENTED("none", CLOSES("0", "1") "," OPENS("1", "5") "," CLOSES("1", "9")) ","
	  EVENTED("none", OPENS("0", "0") ",{'type':'X','frame':0,'at':1}" "," CLOSES("0", "3")) ","
	  EVENTED("none", OPENS("0", "0") ",{'frame':0,'at':1}," CLOSES("0", "3")) ","
	  EVENTED("none", OPENS("4", "0") "," CLOSES("4", "7"))),
	  "e x 2: main\ne x 1: main\ne x 1: main\ne x 7: leaf\nlost bad_frame 4\n"
	  "sample 1: event 1 closes no frame that is the innermost\n"
	  "sample 1: event 0 closes no frame that is the innermost\n"
	  "sample 2: event 1 closes no frame that is the innermost\n"
	  "sample 3: event 1 closes no frame that is the innermost\nspeedscope 4 of 11\n" },
	{ "an_event_s_frame_that_is_not_there", SCOPE(EVENTED("none", OPENS("0", "0") ","
	  OPENS("9", "1") "," OPENS("3", "3") "," CLOSES("3", "6") "," CLOSES("9", "10") ","
	  CLOSES("0", "15"))), "e x 1: main\ne x 5: main\nlost bad_reference 3\n"
	  "sample 2: a frame that is not there\nsample 3: a frame that is not there\n"
	  "sample 4: a frame that is not there\nspeedscope 2 of 6\n" },
	{ "an_event_before_the_one_before", SCOPE(EVENTED("none", OPENS("0", "7") ","
	  OPENS("1", "5") "," CLOSES("1", "8") "," CLOSES("0", "9"))),
	  "e x 3: work, main\ne x 1: main\nlost bad_count 1\n"
	  "sample 1: a weight that is no count\nspeedscope 2 of 4\n" },
	{ "a_sample_has_no_frames_of_the_one_before",
	  SCOPE("{'type':'sampled','samples':[[0,1,4],[0],[2,1],[1]]}"),
	  "x 1: leaf, work, main\nx 1: main\n"
	  "x 1: work k, do_syscall_64 k\nx 1: work\nspeedscope 4 of 4\n" },
	{ "a_weight_of_0", SCOPE("{'type':'sampled','samples':[[0],[1]],'weights':[0,3]}"),
	  "x 3: work\nlost zero_count 1\nsample 1: a count of 0\nspeedscope 1 of 3\n" },
	{ "a_name_ends_at_a_nul",
	  "{'shared':{'frames':[{'name':'ma\\u0000in'}]},'profiles':[{'type':'sampled','samples':[["
	  "0]]}]}", "x 1: ma\nspeedscope 1 of 1\n" },
	{ "no_profiles", "{'$schema':'https://www.speedscope.app/x','shared':{'frames':[]}}",
	  "error text_syntax: speedscope's JSON lacks shared.frames, or profiles\n"
	  "speedscope 0 of 0\n" },
};
/* clang-format on */

START_TEST(speedscope)
{
	check_profile_case(&scopes[_i]);
}
END_TEST

/* Of a sample, and of events: as many frames as a sample may have, and one more. */
START_TEST(speedscope_s_most_frames)
{
	for (int more = 0; more < 2; more++) {
		const int frames = PROFILE_FRAMES_MAX + more;
		const char *wanted = more ? "x 1: g\nlost too_deep 2\n"
					    "sample 1: more than 65536 frames\n"
					    "sample 3: more than 65536 frames\nspeedscope 1 of 1\n"
					  : ", g\nspeedscope 3 of 7\n";
		char *input, *text;
		size_t size;
		FILE *file = open_memstream(&input, &size);

		fputs("{\"shared\":{\"frames\":[{\"name\":\"g\"}]},\"profiles\":[{\"type\":"
		      "\"sampled\",\"samples\":[[0",
		      file);
		for (int i = 1; i < frames; i++)
			fputs(",0", file);
		fputs("],[0]]},{\"type\":\"evented\",\"events\":[", file);
		for (int i = 0; i < frames; i++)
			fputs("{\"type\":\"O\",\"frame\":0},", file);
		fputs("{\"type\":\"C\",\"frame\":0,\"at\":5}]}]}", file);
		fclose(file);
		text = profile_bytes_text(input, size, PROFILE_SPEEDSCOPE);
		ck_assert_msg(more ? !strcmp(text, wanted) : strstr(text, wanted) != NULL, "%.300s",
			      text);
		free(text);
		free(input);
	}
}
END_TEST

/* ---- the Firefox Profiler ----------------------------------------------------------------------- */

#define FIREFOX(more)                                                                              \
	"{'meta':{'preprocessedProfileVersion':56,'categories':[{'name':'Other'},"                 \
	"{'name':'Kernel'}]}," more "}"
#define STACKS(frames, prefixes)  "'stackTable':{'frame':[" frames "],'prefix':[" prefixes "]}"
#define FRAMES(funcs, more)	  "'frameTable':{'func':[" funcs "]" more "}"
#define FUNCS(names, more)	  "'funcTable':{'name':[" names "]" more "}"
#define TEXTS(texts)		  "'stringArray':[" texts "]"
#define THREAD(ids, stacks, more) "{" ids "'samples':{'stack':[" stacks "]}" more "}"
/* One stack of one frame of the function f. */
#define SIMPLE STACKS("0", "null") "," FRAMES("0", "") "," FUNCS("0", "") "," TEXTS("'f'")

/* clang-format off */
static const struct profile_case foxes[] = {
	{ "threads_have_tables_of_their_own", FIREFOX("'threads':[" THREAD(
	  "'pid':1,'tid':2,'name':'a',", "1", "," STACKS("0,1", "null,0") "," FRAMES("0,1", "") ","
	  FUNCS("0,1", "") "," TEXTS("'f','g'")) "," THREAD("", "0,1", "," STACKS("0,1",
	  "null,null") "," FRAMES("1,0", "") "," FUNCS("0,1", "") "," TEXTS("'h','i'")) ","
	  THREAD("'pid" "':3," "'nam" "e':'" "c',", "0", "," SIMPLE) "]"),
	  "1/2 'a' x 1: g, f\nx 1: i\nx 1: h\n3/-1 'c' x 1: f\nfirefox 4 of 4\n" },
	{ "a_thread_s_before_the_shared_before_the_file_s",
	  FIREFOX("'shared':{" STACKS("0", "null") "," TEXTS("'shared'") "}," TEXTS("'file'") ","
	  FRAMES("0", "") "," FUNCS("0", "") ",'threads':[" THREAD("", "0", "," TEXTS("'thread'"))
	  "," THREAD("", "0", "") "]"), "x 1: thread\nx 1: shared\nfirefox 2 of 2\n" },
	{ "texts_by_their_older_name", FIREFOX("'stringTable':['old'],'threads':["
	  THREAD("", "0", "," STACKS("0", "null") "," FRAMES("0", "") "," FUNCS("0", "")) ","
	  THREAD("", "0", "," SIMPLE) "]"), "x 1: old\nx 1: f\nfirefox 2 of 2\n" },
	{ "numbers_of_processes", FIREFOX("'threads':[" THREAD("'pid':'9.1','tid':'x',", "0", ","
	  SIMPLE) "," THREAD("'pid':2147483647,'tid':2147483648,", "0", "," SIMPLE) ","
	  THREAD("'pid':'2147483648','tid':'0',", "0", "," SIMPLE) ","
	  THREAD("'pid':-1,'tid':'-1',", "0", "," SIMPLE) ","
	  THREAD("'pid':'','" "tid':null,", "0", "," SIMPLE) "]"),
	  "9/-1 x 1: f\n2147483647/-1 x 1: f\n-1/0 x 1: f\nx 1: f\nx 1: f\nfirefox 5 of 5\n" },
	{ "an_image_s_path_or_what_else_it_is_called", FIREFOX("'libs':[{'path':'/p','debugPath':'/"
	  "d','name':'n','codeId':'1a'},{'path':'','debugPath':'/"
	  "d','name':'n','codeId':'2b'},{'debugPath':'/"
	  "d','name':'n'},{'debugPath':'','name':'n'},{},{'path':7,'codeId':7}],'threads':" "["
	  THREAD("", "0,1,2,3,4,5,0", "," STACKS("0,1,2,3,4,5", "null,null,null,null,null,null") ","
	  FRAMES("0,1,2,3,4,5", ",'address':[1,2,3,4,5,6]") ","
	  FUNCS("0,0,0,0,0,0", ",'resource':[0,1,2,3,4," "5]") ",'resourceTable':"
	  "{'lib':[0,1,2,3," "4,5]}," TEXTS("'f" "'")) "]"),
	  "x 1: f (/p 1a) b0x1\nx 1: f (/d 2b) b0x2\n"
	  "x 1: f (/d) b0x3\nx 1: f (n) b0x4\nx 1: f b0x5\n"
	  "x 1: f b0x6\nx 1: f (/p 1a) b0x1\nfirefox 7 of 7\n" },
	{ "a_frame_s_image_is_its_symbol_s_or_its_function_s",
	  FIREFOX("'libs':[{'path':'/a'},{'path':'/b'}],'threads':[" THREAD("", "0,1,2,3,4", ","
	  STACKS("0,1,2,3,4", "null,null,null,null,null") "," FRAMES("0,0,1,1,0",
	  ",'address':[16,17,18,19,-1],'nativeSymbol':[0,null,0,null," "9]") ","
	  FUNCS("0,0", ",'resource':[0,-1]") ",'resourceTable':{'" "lib':[0]},'" "nativeSymbols':{'"
	  "libIndex':[1]}" "," TEXTS("'f'")) "]"),
	  "x 1: f (/b) b0x10\nx 1: f (/a) b0x11\nx 1: f (/b) b0x12\nx 1: f\nx 1: f (/a)\n"
	  "firefox 5 of 5\n" },
	{ "frames_of_the_kernel_and_inlined_ones", FIREFOX("'libs':[{'path':'/"
	  "a'},{'path':'[kernel.kallsyms]'},{'path':'[guest.kernel]'}],'threads':["
	  THREAD("", "0,1,2,3,4,6", "," STACKS("0,1,2,3,4,0,5", "null,null,null,null,null,null,5")
	  "," FRAMES("0,1,2,0,0,3", ",'category':[0,0,0,1,9,0],'inlineDepth':[0,1,2," "null,-1,0]")
	  "," FUNCS("0,0,0,1", ",'resource':[" "0,1,2,-1]") "," "'" "r" "e" "s" "o" "u" "r" "c" "e"
	  "T" "a" "b" "l" "e" "'" ":" "{" "'" "l" "i" "b" "'" ":" "[" "0" "," "1" "," "2" "]" "}"
	  "," TEXTS("'f','el0_svc'")) "]"), "x 1: f (/a)\nx 1: f ([kernel.kallsyms]) i k\n"
	  "x 1: f ([guest.kernel]) i k\nx 1: f (/a) k\n"
	  "x 1: f (/a)\nx 1: el0_svc k, f (/a)\nfirefox 6 of 6\n" },
	{ "an_entry_of_the_kernel_marks_what_is_in_it", FIREFOX("'threads':[" THREAD("", "3,0", ","
	  STACKS("0,1,0,2", "null,0,1,2") "," FRAMES("0,1,2", "") "," FUNCS("0,1,2", "") ","
	  TEXTS("'f','do_syscall_64','g'")) "]"),
	  "x 1: g k, f k, do_syscall_64 k, f\nx 1: f\nfirefox 2 of 2\n" },
	{ "names_that_are_addresses_or_not_there", FIREFOX("'threads':[" THREAD("",
	  "0,1,2,2,3,'0',true,'x',1.5,0", "," STACKS("0,1,2,3", "null,null,null,null") ","
	  FRAMES("0,1,2,9", "") "," FUNCS("0,1,9", "") "," TEXTS("'0x1f','0'")) "]"),
	  "x 1: ?\nx 1: 0\nx 1: ?\nx 1: ?\nlost bad_reference 6\n"
	  "sample 3: a stack, frame, function or text that is not there\n"
	  "sample 4: a stack, frame, function or text that is not there\n"
	  "sample 5: a stack, frame, function or text that is not there\n"
	  "sample 7: a stack that is no number\nsample 8: a stack that is no number\n"
	  "sample 9: a stack that is no number\nfirefox 4 of 4\n" },
	{ "weights_are_a_thread_s",
	  FIREFOX("'threads':[{'samples':{'stack':[0,0],'weightType':'tracing-ms','weight':[2,2]}"
	  "," SIMPLE "},{'samples':{'stack':[0,0],'weight':[2,2]}," SIMPLE
	  "},{'samples':{'stack':[0,0,0],'weightType':'tracing-ms','weight':[1,2]}," SIMPLE
	  "},{'samples':{'stack':[0],'weight':{}}," SIMPLE "}]"),
	  "x 1: f\nx 1: f\nx 2: f\nx 2: f\nx 1000000: f\nx 2000000: f\nx 1: f\n"
	  "lost bad_count 1\nsample 7: a weight that is no count\nfirefox 7 of 3000007\n" },
	{ "a_name_ends_at_a_nul", FIREFOX("'threads':[" THREAD("", "0", "," STACKS("0", "null") ","
	  FRAMES("0", "") "," FUNCS("0", "") "," TEXTS("'f\\u0000g'")) "]"),
	  "x 1: f\nfirefox 1 of 1\n" },
	{ "no_version", "{'meta':{},'shared':{'stringArray':[]},'threads':[]}",
	  "error text_syntax: the Firefox Profiler's JSON lacks threads, or the version of a "
	  "processed profile\nfirefox 0 of 0\n" },
};
/* clang-format on */

START_TEST(firefox)
{
	check_profile_case(&foxes[_i]);
}
END_TEST

/* ---- numbers ------------------------------------------------------------------------------------ */

static const struct {
	const char *json;
	uint64_t number;
} numbers[] = {
	{ "0", 0 },
	{ "9223372036854775807", INT64_MAX },
	{ "-1", JSON_NONE },
	{ "7.0", 7 },
	{ "0.0", 0 },
	{ "7.5", JSON_NONE },
	{ "-1.0", JSON_NONE },
	{ "9007199254740991.0", 9007199254740991 },
	{ "9007199254740992.0", JSON_NONE },
	{ "\"12\"", 12 },
	{ "\"18446744073709551614\"", UINT64_MAX - 1 },
	{ "\"18446744073709551616\"", JSON_NONE },
	{ "\"1x\"", JSON_NONE },
	{ "\"0x1\"", JSON_NONE },
	{ "\"\"", JSON_NONE },
	{ "true", JSON_NONE },
	{ "null", JSON_NONE },
	{ "[1]", JSON_NONE },
};

START_TEST(a_number)
{
	json_t *json = json_loads(numbers[_i].json, JSON_DECODE_ANY, NULL);

	ck_assert_ptr_nonnull(json);
	ck_assert_msg(json_profile_number(json) == numbers[_i].number, "%s: %" PRIu64,
		      numbers[_i].json, json_profile_number(json));
	json_decref(json);
	json = json_loads("[7,[],\"9\"]", 0, NULL);
	ck_assert_uint_eq(json_profile_cell(json, 0), 7);
	ck_assert_uint_eq(json_profile_cell(json, 1), JSON_NONE);
	ck_assert_uint_eq(json_profile_cell(json, 2), 9);
	ck_assert_uint_eq(json_profile_cell(json, 3), JSON_NONE);
	ck_assert_uint_eq(json_profile_cell(NULL, 0), JSON_NONE);
	json_decref(json);
}
END_TEST

static const struct {
	const char *name, *unit;
	double weight[3], factor;
} factors[] = {
	{ "seconds", "seconds", { 1, 2 }, 1e9 },
	{ "milliseconds", "milliseconds", { 1, 2 }, 1e6 },
	{ "of_firefox", "tracing-ms", { 1, 2 }, 1e6 },
	{ "microseconds", "microseconds", { 1, 2 }, 1e3 },
	{ "nanoseconds", "nanoseconds", { 1, 2 }, 1 },
	{ "no_time", "bytes", { 4, 4, 4 }, 1 },
	{ "nothing_is_said", "", { 4, 4, 4 }, 1 },
	{ "all_alike", "seconds", { 4, 4, 4 }, 0.25 },
	{ "one", "seconds", { 4 }, 0.25 },
	{ "the_first_is_another", "seconds", { 8, 4, 4 }, 1e9 },
	{ "the_last_is_another", "seconds", { 4, 4, 8 }, 1e9 },
	{ "the_last_is_less", "seconds", { 8, 8, 4 }, 1e9 },
	{ "nearly_alike", "seconds", { 1, 1.0000005, 1 }, 1 / 1.0000005 },
	{ "not_nearly", "seconds", { 1, 1.000002, 1 }, 1e9 },
	{ "those_of_0_do_not_count", "seconds", { 0, 4, -4 }, 0.25 },
	{ "none", "milliseconds", { 0 }, 1e6 },
};

START_TEST(a_weight_s_factor)
{
	struct json_weights weights = { 0 };

	for (int i = 0; i < 3; i++)
		json_weights_add(&weights, factors[_i].weight[i]);
	ck_assert_msg(json_weights_factor(&weights, factors[_i].unit) == factors[_i].factor,
		      "%s: %f", factors[_i].name, json_weights_factor(&weights, factors[_i].unit));
}
END_TEST

static const struct {
	double weight, factor;
	bool good;
	uint64_t count;
} weights[] = {
	{ 0, 1e9, true, 0 },
	{ 1, 1, true, 1 },
	{ 0.25, 1, true, 1 },
	{ 1.4, 1, true, 1 },
	{ 1.5, 1, true, 2 },
	{ 2, 1e6, true, 2000000 },
	{ 0x1p61, 1, true, 1ull << 61 },
	{ 0x1p62, 1, false, 0 },
	{ 0x1p61, 2, false, 0 },
	{ -1, 1, false, 0 },
	{ -0.25, 1, false, 0 },
};

START_TEST(a_weight_s_count)
{
	uint64_t count = 77;

	ck_assert_int_eq(json_weights_count(weights[_i].weight, weights[_i].factor, &count),
			 weights[_i].good);
	ck_assert_msg(!weights[_i].good || count == weights[_i].count, "%f: %" PRIu64,
		      weights[_i].weight, count);
}
END_TEST

SUITE(profile_tables, LOOP(speedscope, scopes), TEST(speedscope_s_most_frames),
      LOOP(firefox, foxes), LOOP(a_number, numbers), LOOP(a_weight_s_factor, factors),
      LOOP(a_weight_s_count, weights))
