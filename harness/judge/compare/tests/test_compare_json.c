/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_json.c - the fields of compare --json that others read: each by its name and value
 *
 * A comparison is filled by hand with a different number in each place, so that no field can be
 * taken for another. Fields may be added; the ones here are a contract.
 */
#include <string.h>
#include <sys/utsname.h>
#include "tests/printed.h"
#include "tests/suite.h"
#include "base/cli/tests/json_facts.h"
#include "judge/compare/compare.h"

#define LINES 6 /* a finding, an unproven place, a skip, a score, a requirement, the verdicts */

#define FACTS 151

/* Of 200 points, 109 are unproven: 91 were checked. */
static const char facts[] =
	"[{'type':'finding','program':'prog','verdict':'table_fault','kind':'missing',"
	"'image':'/tmp/\\\\xff\\\\xfe','function':'_init','place':'_init+0x4 (prog)',"
	"'address':'0x1004','instruction':'ret','declared':'no FDE covers it','stop':'no_row',"
	"'actual_cfa':'0x7ff0','frame':3,'count':17,'start_file':'crti.o','named_by_debug':true,"
	"'ignored':'a rule','guessed_points':7,'guessed_exact':6,'frames_left_out':4,"
	"'frames':[{'method':'registers'},{'image':'/lib/a','function':'f','address':'0x2008',"
	"'method':'cfi'},{'method':'frame_pointer'}]},"
	"{'type':'unproven','kind':'missing','program':'prog','image':'/tmp/\\\\xff\\\\xfe',"
	"'function':'_init','place':'_init+0x4 (prog)','address':'0x1004','instruction':'ret',"
	"'declared':'no FDE covers it','frame':3,'count':5,'reasons':{'disturbed':3,'open':2}},"
	"{'type':'skip','program':'prog','engine':'bpf','reason':'no_bpf',"
	"'message':'not permitted'},"
	"{'type':'score','program':'prog','engine':'table','points':100,'exact':90,'truncated':5,"
	"'wrong':3,'extra':2,'stops':{'complete':94,'no_row':6},'points_covered':81,"
	"'exact_covered':80,'points_shared':79,'exact_shared':78,'false_complete':7,'silent':8,"
	"'untrapped':9,'unproven':10,'frames':1000,'points_sound':77,'exact_sound':76,"
	"'frames_own':500,'frames_own_right':490,'guessed':{'exact':11,'truncated':12,'wrong':13,"
	"'extra':14,'points':50},'frames_by_method':{'registers':100,'frame_pointer':70,"
	"'cfi':830},'frames_guessed_right':60,'rank':1,'walks':90001,'walk_ns':90002,"
	"'walks_sized':90003,'bytes':90004},"
	"{'type':'requirement','program':'prog','requirement':'table.exact >= 99.75',"
	"'engine':'table','field':'exact','operator':'>=','result':'not_judged',"
	"'message':'the run was cut short'},"
	"{'type':'verdicts','program':'prog','points':200,'exact':101,'walk_fault':102,"
	"'conversion_loss_silent':103,'reader_fault':104,'table_fault':105,"
	"'conversion_loss_flagged':106,'unexplained':107,'absent':108,'unproven':109,"
	"'unproven_by':{'stray_return':39,'memory':40},'doubts':41,'conversion_loss':209,"
	"'kernel_fault':0,'table_fault_missing':33,'uncovered':34,'findings_not_kept':35,"
	"'status':256,'ignored':70,'ignored_findings':42,'truth_digest':'0x1234','checked':91,"
	"'truth':{'steps':300,'threads':301,'children':37,'signals':302,'unrooted':303,"
	"'untrapped':304,'in_transit':36,'unknown_instructions':305,'untraced':319,"
	"'stale_instructions':320,'moved':321,'merged_steps':322,'rseq_sections':323,"
	"'rseq_aborts':324,'timer_signals':325,'timer_signals_late':326,'call_mismatches':327,"
	"'frames':306,'min_frames':307,'max_frames':308,'returns':309,'returns_replaced':310,"
	"'returns_stray':311,'returns_doubled':312,'returns_registers':313,'taken_off':314,"
	"'put_back':315,'frames_moved':328,'abandoned':316,'disturbances':317,"
	"'stack_switches':318},'unread':38,'points_per_second':100,"
	"'ending':'did not come to its end','partial':'error','partial_message':'asked for',"
	"'steps':299}]";

static struct finding_frame frames[] = { { 0 },
					 { .vaddr = 0x2008, .image = "/lib/a", .function = "f" },
					 { .guessed = true } };
static struct finding finding =
	IN_BRACES(.first = { VERDICT_TABLE_FAULT, FAULT_MISSING, .frame = 3, .actual_cfa = 0x7ff0,
			     .stop = STOP_NO_ROW },
		  .count = 17, .unproven = { [DOUBT_DISTURBED] = 3, [DOUBT_OPEN] = 2 },
		  .vaddr = 0x1004, .place = "_init+0x4 (prog)", .function = "_init",
		  .image = "/tmp/\xff\xfe", .instruction = "ret", .declared = "no FDE covers it",
		  .start_file = "crti.o", .named_by_debug = true, .ignored = "a rule",
		  .followed = 7, .followed_exact = 6, .frame = frames, .frame_count = 3,
		  .frames_left_out = 4);
static struct requirement exact;

#define SCORE                                                                                      \
	IN_BRACES(.points = 100, .match = { 90, 5, 3, 2 },                                         \
		  .stop = { [STOP_COMPLETE] = 94, [STOP_NO_ROW] = 6 }, .covered = 81,              \
		  .exact_covered = 80, .shared = 79, .exact_shared = 78, .false_complete = 7,      \
		  .silent = 8, .untrapped = 9, .unproven = 10, .frames = 1000, .sound = 77,        \
		  .exact_sound = 76, .frames_own = 500, .frames_own_right = 490,                   \
		  .guesses = { { 11, 12, 13, 14 }, .frames = 70, .frames_right = 60 })

static const struct comparison filled =
	IN_BRACES(.findings = { &finding, 1, 35 }, .engine_count = 2,
		  .engine = { { .engine = &engine_bpf,
				.skipped = true,
				.skip.message = "not permitted" },
			      { .engine = &engine_table,
				.score = SCORE,
				.cost = { 90001, 90002, 90003, 90004 } } },
		  .requirement = &exact, .requirement_count = 1, .follows_frame_pointers = true,
		  .ignored_findings = 42,
		  .ignored = { [VERDICT_TABLE_FAULT] = 30, [VERDICT_WALK_FAULT] = 40 },
		  .truth_digest = 0x1234, .points = 200,
		  .verdict = { 101, 102, 103, 104, 105, 106, 107, 108, 109 }, .missing = 33,
		  .uncovered = 34, .transit = 36,
		  .unproven = { [DOUBT_STRAY_RETURN] = 39, [DOUBT_MEMORY] = 40 }, .doubts = 41,
		  .status = 256, .unread = 38, .elapsed_ns = 2000000000,
		  .cut = { .early.message = "asked for", .ending = TRACER_FAILED, .steps = 299 },
		  .truth = IN_BRACES(.steps = 300, .threads = 301, .children = 37,
				     .rules.signals = 302, .unrooted = 303, .rules.returns = 309,
				     .rules.returns_replaced = 310, .rules.returns_stray = 311,
				     .rules.returns_doubled = 312, .rules.returns_registers = 313,
				     .rules.taken_off = 314, .rules.put_back = 315,
				     .rules.frames_moved = 328, .rules.abandoned = 316,
				     .rules.disturbances = 317, .rules.stack_switches = 318,
				     .untrapped = 304, .rules.unknown_instructions = 305,
				     .frames = 306, .min_frames = 307, .max_frames = 308,
				     .untraced = 319, .stale_instructions = 320, .moved = 321,
				     .merged_steps = 322, .rseq_sections = 323, .rseq_aborts = 324,
				     .timer_signals = 325, .timer_signals_late = 326,
				     .rules.call_mismatches = 327));

/* Its lines. */
static json_t *print_comparison(const struct comparison *comparison)
{
	return json_lines(PRINTED(file, compare_print_json(file, "prog", comparison)));
}

static json_t *print_filled(void)
{
	struct error error;

	ck_assert(!requirement_parse("table.exact>=99.75", &exact, &error));
	return print_comparison(&filled);
}

START_TEST(field_has_its_name_and_value)
{
	json_t *lines = print_filled();

	ck_assert_uint_eq(json_array_size(lines), LINES);
	ck_assert_int_eq(json_facts(lines, facts, _i), FACTS);
	json_decref(lines);
}
END_TEST

START_TEST(every_line_names_the_kernel_and_what_is_unknown_is_left_out)
{
	json_t *lines = print_filled(), *line;
	struct utsname kernel;
	size_t i;

	uname(&kernel);
	json_facts(lines,
		   "[{'declared_cfa':'-'},{},{},{'method':'-'},{'value':'-','wanted':99.75},"
		   "{'seconds':2.0}]",
		   JSON_FACTS_ALL);
	ck_assert_uint_eq(json_object_size(json_object_get(json_array_get(lines, 3), "stops")), 2);
	json_array_foreach(lines, i, line)
	{
		ck_assert_str_eq(json_string_value(json_object_get(line, "kernel")),
				 kernel.release);
		ck_assert_str_eq(json_string_value(json_object_get(line, "kernel_release")),
				 kernel.release);
	}
	json_decref(lines);
}
END_TEST

/* A run that was whole; what its engine cost is not known. */
START_TEST(a_requirement_that_is_judged)
{
	static const struct {
		const char *text, *facts;
	} cases[] = {
		{ "table.exact >= 99.75",
		  "[{},{'requirement':'table.exact >= 99.75','result':'not_met',"
		  "'message':'it is 75.000000 % (3 of 4 points)','value':75.0}]" },
		{ "table.points == 4", "[{},{'requirement':'table.points == 4','result':'met',"
				       "'message':'it is 4','value':4.0}]" },
	};
	static struct comparison comparison = { .engine_count = 1 };
	struct requirement requirement;
	struct error error;
	json_t *lines;

	comparison.engine[0].engine = &engine_table;
	comparison.engine[0].score.points = 4;
	comparison.engine[0].score.match[MATCH_EXACT] = 3;
	comparison.requirement = &requirement;
	comparison.requirement_count = 1;
	ck_assert(!requirement_parse(cases[_i].text, &requirement, &error));
	lines = print_comparison(&comparison);
	ck_assert_uint_eq(json_array_size(lines), 3);
	json_facts(lines, cases[_i].facts, JSON_FACTS_ALL);
	json_facts(lines, "[{'walks':'-','walk_ns':'-','walks_sized':'-','bytes':'-'}]",
		   JSON_FACTS_ALL);
	json_decref(lines);
}
END_TEST

/* ---- two of everything ---------------------------------------------------------------------- */

/* What is there of one and not of the other: a finding that was only in doubt and one that never was, an engine
 * that can't run here and one in the kernel that is the better one. */
#define PAIR_FACTS 48

static const char pair_facts[] =
	"[{'type':'finding','function':'second','start_file':'-','named_by_debug':'-',"
	"'ignored':'-','guessed_points':'-','frames':'-','actual_cfa':'-','declared_cfa':'0x10'},"
	"{'type':'finding','function':'third','declared_cfa':'-'},"
	"{'type':'unproven','function':'first','count':2,'reasons':{'open':2,'disturbed':'-'}},"
	"{'type':'unproven','function':'third','reasons':{'disturbed':3}},"
	"{'type':'skip','engine':'libdw','reason':'unavailable'},"
	"{'engine':'table','rank':2,'guessed':'-','method':'-','digest':'-','external':'-'},"
	"{'engine':'bpf','rank':1,'method':'tail_calls','digest':'0xabc','guessed':'-'},"
	"{'engine':'own','rank':3,'external':'prog','method':'-'},"
	"{'requirement':'table.points >= 1'},"
	"{'requirement':'bpf.points >= 2'},"
	"{'type':'verdicts','partial':'-','unproven_by':{'open':'-'},'synthesized':{'images':71,"
	"'functions':72,'written':73,'replaced':74},'ending':'exited with status 3'}]";

#define PAIR_LINES 11

static const struct compare_synthesized synthesized = { 71, 72, 73, 74 };
static const struct external_options program = { .command = "prog" };
static const struct engine own = { .name = "own", .external = &program };
static struct finding findings[] = {
	IN_BRACES(.function = "first", .unproven = { [DOUBT_OPEN] = 2 }),
	IN_BRACES(.function = "second", .count = 1, .first.declared_cfa = 0x10),
	IN_BRACES(.function = "third", .count = 1, .unproven = { [DOUBT_DISTURBED] = 3 }),
};
static struct requirement points[2];

#define OF_TEN(of, exact) IN_BRACES(.engine = &(of), .score = { .points = 10, .match = { exact } })

static const struct comparison pairs =
	IN_BRACES(.findings = { findings, 3, 0 }, .engine_count = 4,
		  .engine = { IN_BRACES(.engine = &engine_libdw, .skipped = true),
			      OF_TEN(engine_table, 8), OF_TEN(engine_bpf, 9), OF_TEN(own, 7) },
		  .points = 10, .digest = 0xabc, .bpf_method = "tail_calls",
		  .synthesized = &synthesized, .status = 0x300, .requirement = points,
		  .requirement_count = 2);

START_TEST(each_of_two_has_its_own)
{
	struct error error;
	json_t *lines;

	ck_assert(!requirement_parse("table.points>=1", &points[0], &error));
	ck_assert(!requirement_parse("bpf.points>=2", &points[1], &error));
	lines = print_comparison(&pairs);
	ck_assert_uint_eq(json_array_size(lines), PAIR_LINES);
	ck_assert_int_eq(json_facts(lines, pair_facts, _i), PAIR_FACTS);
	json_decref(lines);
}
END_TEST

SUITE(compare_json, TIMES(field_has_its_name_and_value, FACTS),
      TEST(every_line_names_the_kernel_and_what_is_unknown_is_left_out),
      TIMES(a_requirement_that_is_judged, 2), TIMES(each_of_two_has_its_own, PAIR_FACTS))
