/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_profile_json.c - JSON of speedscope, and of the Firefox Profiler's processed profiles
 */
#include "tests/suite.h"
#include "profile_fixture.h"

/* JSON with ' for ". */
#define SCHEMA "{'$schema':'https://www.speedscope.app/file-format-schema.json',"
#define FRAMES                                                                                     \
	"'shared':{'frames':[{'name':'main'},{'name':'work+0x10','file':'a.c','line':3},"          \
	"{'name':'0x7f12'},{'line':1},{'name':'do_syscall_64'}]}"
#define SPEEDSCOPE(profiles) SCHEMA FRAMES ",'profiles':[" profiles "]}"
#define OPENS(frame, at)     "{'type':'O','frame':" frame ",'at':" at "}"
#define CLOSES(frame, at)    "{'type':'C','frame':" frame ",'at':" at "}"

#define FIREFOX(version, more)                                                                     \
	"{'meta':{'interval':1,'preprocessedProfileVersion':" version ","                          \
	"'categories':[{'name':'Other'},{'name':'Kernel'}]}," more "}"
#define LIBS                                                                                       \
	"'libs':[{'path':'/bin/p','name':'p','codeId':'5c9a01'},"                                  \
	"{'name':'[kernel.kallsyms]','path':'','codeId':null}]"
#define TEXTS  "'stringArray':['main','0x11ab','inlined','ksys_read']"
#define SHARED LIBS ",'shared':{" TEXTS "},"
#define THREAD(weights, more)                                                                      \
	"'threads':[{'name':'work er','pid':'77','tid':78,"                                        \
	"'samples':{'stack':[2,1,null,3,9],'length':5" weights "},"                                \
	"'stackTable':{'frame':[0,1,2,4],'prefix':[null,0,1,0],'length':4},"                       \
	"'frameTable':{'address':[4424,4523,4523,-1,131],'inlineDepth':[0,0,1,0,0],"               \
	"'func':[0,1,2,1,3],'nativeSymbol':[0,null,null,null,null],'category':[0,0,0,0,1],"        \
	"'length':5},'funcTable':{'name':[0,1,2,3],'resource':[-1,0,0,1],'length':4},"             \
	"'resourceTable':{'lib':[0,1],'name':[0,1],'length':2},"                                   \
	"'nativeSymbols':{'libIndex':[0],'address':[4400],'name':[0],'functionSize':[9],"          \
	"'length':1}" more "}]"
/* Its first, second and fourth samples; the fifth has no stack. */
#define OF(count) "77/78 'work er' x " count ": "
#define OUTER	  "? (/bin/p 5c9a01) b0x11ab, main (/bin/p 5c9a01) b0x1148\n"
#define THREE(first, second, fourth)                                                               \
	OF(first)                                                                                  \
	"inlined (/bin/p 5c9a01) b0x11ab i, " OUTER OF(second)                                     \
	OUTER OF(fourth) "ksys_read ([kernel.kallsyms]) b0x83 k, main (/bin/p 5c9a01) b0x1148\n"
#define NO_FIFTH                                                                                   \
	"lost bad_reference 1\n"                                                                   \
	"sample 5: a stack, frame, function or text that is not there\n"

#define FIRST_OF_FIREFOX 9
/* clang-format off */
static const struct profile_case cases[] = {
	{ "speedscope_sampled", SPEEDSCOPE("{'type':'sampled','name':'thread "
	  "1','unit':'none','startValue':0,'endValue':9,'samples':[[0,1],[0,2],[],[0,4]]"
	  ",'weights':[2,3,4,1]}"),
	  "thread 1 x 2: work+0x10, main\nthread 1 x 3: ? r0x7f12, main\nthread 1 x 4:\n"
	  "thread 1 x 1: do_syscall_64 k, main\nspeedscope 4 of 10\n" },
	{ "speedscope_periods_are_samples", SCHEMA
	  "'profiles':[{'type':'sampled','name':'t','unit':'seconds','samples':[[0,1],[0]],'"
	  "weights':[0.02,0.02]},{'type':'sampled','name':'u','unit':'milliseconds','"
	  "samples':[[0,1],[0]],'weights':[0.5,2]},{'type':'sampled','name':'v','unit':'"
	  "none','samples':[[0],[0]],'weights':[7,7]}]," FRAMES "}",
	  "t x 1: work+0x10, main\nt x 1: main\nu x 500000: work+0x10, main\nu x 2000000: main\n"
	  "v x 7: main\nv x 7: main\nspeedscope 6 of 2500016\n" },
	{ "speedscope_without_weights", SPEEDSCOPE("{'type':'sampled','samples':[[0],[0,1]]}"),
	  "x 1: main\nx 1: work+0x10, main\nspeedscope 2 of 2\n" },
	{ "speedscope_evented",
	  SPEEDSCOPE("{'type':'evented','name':'e','unit':'none','startValue':1,'endValue':9,'"
	  "events':[" OPENS("0", "1") "," OPENS("1", "3") "," OPENS("2", "3") "," CLOSES("2", "6")
	  "," CLOSES("1", "6") "," CLOSES("0", "9") "]}"),
	  "e x 2: main\ne x 3: ? r0x7f12, work+0x10, main\ne x 3: main\nspeedscope 3 of 8\n" },
	{ "speedscope_events_of_time",
	  SPEEDSCOPE("{'type':'evented','name':'e','unit':'microseconds','events':[" OPENS("0", "0")
	  "," CLOSES("0", "2.5") "]}"), "e x 2500: main\nspeedscope 1 of 2500\n" },
	{ "speedscope_what_can_not_be_read",
	  SPEEDSCOPE("{'type':'sampled','unit':'none','samples':[[0,9],[3],['0'],[0],[0],[0],7],'"
	  "weights':[1,1,1,-1,'1']},{'type':'heap'},7,{'type':'evented','unit':'none','events':["
	  OPENS("0", "0") "," CLOSES("1", "2") "," CLOSES("0", "2")
	  "]},{'type':'evented','unit':'none','events':[" OPENS("0", "5") "," CLOSES("0", "3")
	  "]}"), "x 1: main\nx 2: main\nlost bad_head 2\nlost bad_frame 1\nlost bad_count 5\n"
	  "lost bad_reference 2\nsample 1: a frame that is not there\n"
	  "sample 2: a frame that is not there\nsample 4: a weight that is no count\n"
	  "sample 5: a weight that is no count\nsample 6: a weight that is no count\n"
	  "sample 7: a weight that is no count\n"
	  "sample 7: a profile that is neither sampled nor evented\n"
	  "sample 7: a profile that is neither sampled nor evented\n"
	  "sample 8: event 1 closes no frame that is the innermost\n"
	  "sample 9: a weight that is no count\nspeedscope 2 of 3\n" },
	{ "speedscope_before_it_had_a_schema", "{'version':'0.0.1'," FRAMES
	  ",'profiles':[{'type':'sampled','unit':'none','samples':[[0]],'weights':[1]}]}",
	  "x 1: main\nspeedscope 1 of 1\n" },
	{ "speedscope_without_frames", SCHEMA "'profiles':[]}",
	  "error text_syntax: speedscope's JSON lacks shared.frames, or profiles\n"
	  "speedscope 0 of 0\n" },
	{ "speedscope_cut_off", SCHEMA FRAMES ",",
	  "error text_syntax: no JSON: string or '}' expected near end of file in line 1, column "
	  "199\n" "speedscope 0 of 0\n" },
	{ "firefox_with_shared_texts", FIREFOX("56", SHARED THREAD("", "")), THREE("1", "1", "1")
	  NO_FIFTH "firefox 3 of 3\n" },
	{ "firefox_with_the_thread_s_texts", FIREFOX("48", LIBS "," THREAD("", "," TEXTS)),
	  THREE("1", "1", "1") NO_FIFTH "firefox 3 of 3\n" },
	{ "firefox_with_the_thread_s_images", FIREFOX("40", THREAD("", "," TEXTS "," LIBS)),
	  THREE("1", "1", "1") NO_FIFTH "firefox 3 of 3\n" },
	{ "firefox_weights", FIREFOX("56", SHARED
	  THREAD(",'weightType':'samples','weight':[3,4,1,-1,2]", "")), OF("3")
	  "inlined (/bin/p 5c9a01) b0x11ab i, " OUTER OF("4") OUTER
	  "lost bad_count 1\nlost bad_reference 1\nsample 4: a weight that is no count\n"
	  "sample 5: a stack, frame, function or text that is not there\nfirefox 2 of 7\n" },
	{ "firefox_weights_of_time", FIREFOX("56", SHARED
	  THREAD(",'weightType':'tracing-ms','weight':[0.5,2,1,1,2]", "")),
	  THREE("500000", "2000000", "1000000") NO_FIFTH "firefox 3 of 3500000\n" },
	{ "firefox_without_weights", FIREFOX("59", SHARED
	  THREAD(",'weightType':'samples','weight':null", "")), THREE("1", "1", "1") NO_FIFTH
	  "firefox 3 of 3\n" },
	{ "firefox_a_stack_below_itself",
	  "{'meta':{'preprocessedProfileVersion':56},'libs':[],'shared':{'stringArray':['f']},'"
	  "threads':[{'pid':'9.1','tid':'x','samples':{'stack':[0,'1',1]},'stackTable':{'frame':[0,"
	  "7],'prefix':[0,null]},'frameTable':{'func':[0],'address':[-1]},'funcTable':{'name':[0]}}"
	  "]}", "lost too_deep 1\nlost bad_reference 2\nsample 1: more than 65536 frames\n"
	  "sample 2: a stack, frame, function or text that is not there\n"
	  "sample 3: a stack, frame, function or text that is not there\nfirefox 0 of 0\n" },
	{ "firefox_without_threads",
	  "{'meta':{'preprocessedProfileVersion':56},'shared':{'stringArray':[]}}",
	  "error text_syntax: the Firefox Profiler's JSON lacks threads, or the version of a "
	  "processed profile\n" "firefox 0 of 0\n" },
	{ "firefox_with_tables_of_wrong_types",
	  "{'meta':{'preprocessedProfileVersion':56},'threads':[7,{'samples':{'stack':[0]},'"
	  "stackTable':7,'frameTable':[]},{'samples':[]}]}",
	  "lost bad_reference 1\nsample 1: a stack, frame, function or text that is not there\n"
	  "firefox 0 of 0\n" },
};
/* clang-format on */

START_TEST(json_of_others)
{
	check_profile_case(&cases[_i]);
}
END_TEST

/* The first of each, as either. */
START_TEST(hostile_json)
{
	check_case_hostile(&cases[_i ? FIRST_OF_FIREFOX : 0],
			   _i ? PROFILE_FIREFOX : PROFILE_SPEEDSCOPE);
}
END_TEST

/* A small file can have a million samples of one deep stack: their frames have a limit. */
START_TEST(frames_that_samples_share)
{
	struct profile profile = { .shared = PROFILE_SHARED_MAX - 7 };
	struct error error;

	ck_assert_int_eq(profile_share(&profile, 7, &error), 0);
	ck_assert_int_eq(profile_share(&profile, 1, &error), -1);
	ck_assert_int_eq(error.code, ERROR_TABLE_LIMIT);
	ck_assert_str_eq(error.message, "the samples have more than 1073741824 frames");
}
END_TEST

SUITE(profile_json, TIMEOUT(300), LOOP(json_of_others, cases), TIMES(hostile_json, 2),
      TEST(frames_that_samples_share))
