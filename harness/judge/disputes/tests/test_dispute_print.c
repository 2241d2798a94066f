/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_dispute_print.c - what is said of a case's answers, letter by letter
 *
 * One answer of each result, of a case whose code is in no image. Callers are behind the last instruction of what is
 * mapped.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/printed.h"
#include "tests/suite.h"
#include "judge/disputes/disputes.h"
#include "judge/verdict/verdict.h"

#define CASE                                                                                       \
	"{\"format\":\"stackproof case\",\"version\":1,\"about\":{\"program\":\"./i\\u001bt\","    \
	"\"verdict\":\"table_fault\",\"kind\":\"wrong\",\"place\":\"f+0x1 (it)\","                 \
	"\"truth\":\"proven\"},"                                                                   \
	"\"point\":17,\"thread\":42,\"follow_frame_pointers\":false,\"cut\":false,"                \
	"\"registers\":{\"rax\":\"0x1\",\"rdx\":\"0x2\",\"rcx\":\"0x3\",\"rbx\":\"0x4\","          \
	"\"rsi\":\"0x5\",\"rdi\":\"0x6\",\"rbp\":\"0x7\",\"rsp\":\"0x7000\",\"r8\":\"0x9\","       \
	"\"r9\":\"0xa\",\"r10\":\"0xb\",\"r11\":\"0xc\",\"r12\":\"0xd\",\"r13\":\"0xe\","          \
	"\"r14\":\"0xf\",\"r15\":\"0x10\",\"rip\":\"0x1000\"},"                                    \
	"\"truth\":{\"rooted\":true,\"stop\":\"complete\",\"frames\":[\"0x1000\",\"0x3000\"]},"    \
	"\"answers\":[{\"engine\":\"cfi\",\"asked\":true,\"in_kernel\":false,"                     \
	"\"external\":false,\"differs\":false,\"stop\":\"no_row\",\"frames\":[\"0x1000\"]}],"      \
	"\"images\":[],\"code\":[{\"start\":\"0x1000\",\"end\":\"0x3000\",\"bias\":\"0x0\","       \
	"\"image\":-1,\"path\":\"/x/"                                                              \
	"jit\"},{\"start\":\"0x8000\",\"end\":\"0x9000\",\"bias\":\"0x0\",\"image\":-1,\"path\":"  \
	"\"/x/lib\"}],\"maps\":[],\"memory\":[],\"unreadable\":[]}"

static uint64_t both[] = { 0x1000, 0x3000 }, other[] = { 0x1000, 0x9000 };

/* An answer that is the truth, one that is not the kept one, and three that are none. */
static struct dispute_verdict verdicts[] = {
	{ "new", .result = DISPUTE_NEW, .match = MATCH_EXACT, .right = 2, .missed = 3,
	  .stack = { .count = 2, .stop = STOP_COMPLETE, .pc = both } },
	{ "cfi", .result = DISPUTE_DIFFERS, .match = MATCH_WRONG, .right = 0, .same_frames = 1,
	  .stack = { .count = 2, .stop = STOP_FOREIGN, .pc = other } },
	{ "bpf", .result = DISPUTE_SKIPPED, .reason = "needs_kernel", .message = "not here" },
	{ "o\nwn", .result = DISPUTE_FAILED,
	  .message = "it di\x07"
		     "ed" },
};

static const char text[] = "c: point 17 of ./i?t, table_fault (wrong) at f+0x1 (it), truth proven\n"
			   "  new        new      exact, 2 of 2 frames right, complete; "
			   "3 reads of memory that the case does not have\n"
			   "  cfi        differs  wrong, 0 of 2 frames right, foreign\n"
			   "    frame 1, kept  ends: no_row\n"
			   "    frame 1, here  0x9000 (lib)\n"
			   "  bpf        skipped  not here\n"
			   "  o?wn       failed   it di?ed\n";

#define FRAME(pc, place) "{\"pc\":\"" pc "\",\"place\":\"" place "\"}"
#define TRUE_STACK                                                                                 \
	"{\"stop\":\"complete\",\"frames\":[" FRAME("0x1000", "0x1000 (jit)") "," FRAME(           \
		"0x3000", "0x3000 (jit)") "]}"

static const char json[] =
	"{\"type\":\"answer\",\"case\":\"c\",\"engine\":\"new\",\"result\":\"new\","
	"\"match\":\"exact\",\"right\":2,\"missed\":3,\"stack\":" TRUE_STACK "}\n"
	"{\"type\":\"answer\",\"case\":\"c\",\"engine\":\"cfi\",\"result\":\"differs\","
	"\"match\":\"wrong\",\"right\":0,\"missed\":0,\"stack\":{\"stop\":\"foreign\","
	"\"frames\":[" FRAME("0x1000", "0x1000 (jit)") "," FRAME(
		"0x9000",
		"0x9000 (lib)") "]},\"same_frames\":1,\"kept\":{\"stop\":\"no_row\","
				"\"frames\":[" FRAME(
					"0x1000",
					"0x1000 (jit)") "]}}\n"
							"{\"type\":\"answer\",\"case\":\"c\","
							"\"engine\":\"bpf\",\"result\":"
							"\"skipped\","
							"\"reason\":\"needs_kernel\","
							"\"message\":\"not here\"}\n"
							"{\"type\":\"answer\",\"case\":\"c\","
							"\"engine\":\"o\\nwn\",\"result\":"
							"\"failed\","
							"\"message\":\"it di\\u0007ed\"}\n"
							"{\"type\":\"case\",\"case\":\"c\","
							"\"point\":17,\"about\":{\"program\":"
							"\"./i\\u001Bt\","
							"\"verdict\":\"table_fault\",\"kind\":"
							"\"wrong\",\"place\":\"f+0x1 (it)\","
							"\"truth\":\"proven\"},"
							"\"truth\":" TRUE_STACK
							",\"same\":0,\"differs\":1,\"new\":1,"
							"\"skipped\":1,\"failed\":1}\n";

static const struct {
	typeof(dispute_print_text) *print;
	const char *expected;
} formats[] = { { dispute_print_text, text }, { dispute_print_json, json } };

START_TEST(answers_as_they_are_said)
{
	struct dispute_folder folder = { (char *)"/nowhere" };
	struct dispute_replay replay = { verdicts, 4, { 0, 1, 1, 1, 1 } };
	struct dispute_stage *stage;
	struct error error;
	struct dispute *dispute = dispute_from_json(CASE, strlen(CASE), &error);

	ck_assert_msg(dispute != NULL, "%s", error.message);
	ck_assert_msg(!dispute_stage_create(dispute, &folder, &stage, &error), "%s", error.message);
	verdicts[1].kept = dispute_find_answer(dispute, "cfi");
	check_printed("", PRINTED(file, formats[_i].print(file, "c", dispute, stage, &replay)),
		      formats[_i].expected);
	dispute_stage_destroy(stage);
	dispute_destroy(dispute);
}
END_TEST

/* Result, match -> is it a finding? */
static const struct {
	enum dispute_result result;
	enum match match;
	bool finding;
} findings[] = {
	{ DISPUTE_SAME, MATCH_EXACT, false },	 { DISPUTE_SAME, MATCH_WRONG, false },
	{ DISPUTE_DIFFERS, MATCH_EXACT, true },	 { DISPUTE_DIFFERS, MATCH_TRUNCATED, true },
	{ DISPUTE_NEW, MATCH_EXACT, false },	 { DISPUTE_NEW, MATCH_EXTRA, true },
	{ DISPUTE_SKIPPED, MATCH_WRONG, false }, { DISPUTE_FAILED, MATCH_EXACT, true },
};

START_TEST(what_is_a_finding)
{
	struct dispute_verdict verdict = { .result = findings[_i].result,
					   .match = findings[_i].match };

	ck_assert_int_eq(dispute_is_finding(&verdict), findings[_i].finding);
}
END_TEST

SUITE(dispute_print, TIMES(answers_as_they_are_said, 2), TIMES(what_is_a_finding, 8))
