/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_executed.c - findings and proofs of lint, held against what ran
 *
 * Once with runs that a test thinks of, so that each outcome comes up, those that accuse lint, too. And
 * once as a user does it: programs of a few instructions of assembly, with rows that are right and wrong, are stepped.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "commands/commands.h"
#include "base/cli/json_counts.h"
#include "base/cli/tests/command_output.h"
#include "base/cli/exit_status.h"
#include "analysis/lint/lint_executed.c"
#include "truth/tracer/tests/stepped_program.h"

static char folder[] = "/tmp/test_lint_executed.XXXXXX", program[64], truth[64];

static void begin(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(program, sizeof(program), "%s/program", folder);
	snprintf(truth, sizeof(truth), "%s/truth", folder);
}

static void end(void)
{
	unlink(program);
	unlink(truth);
	rmdir(folder);
	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
}

/* ---- runs that are thought of ------------------------------------------------------------- */

/* An FDE from 0x401000 to 0x401010, and nothing else. */
#define NOPS                                                                                       \
	".globl _start\n_start:\n.cfi_startproc\n.fill 15, 1, 0x90\nret\n.cfi_endproc\n"           \
	".fill 16, 1, 0x90\n"

#define BIT(reg) (1u << REGISTER_##reg)
#define STACK	 (BIT(RSP) | BIT(RIP))

/* Of the code from CODE on: what lint says; what ran, how often, and how often it was right; and what was wrong. */
#define CODE 0x401000
#define FINDING(id_, begin, end, ...)                                                              \
	.finding = { .id = LINT_##id_, .pc = CODE + (begin), .pc_end = CODE + (end), __VA_ARGS__ }
#define RAN(at, points_, right_, ...)                                                              \
	{                                                                                          \
		.pc = CODE + (at), .points = (points_), .right = (right_), __VA_ARGS__             \
	}
#define WRONG(at, kind_, registers_, count_, ...)                                                  \
	{                                                                                          \
		.pc = CODE + (at), .kind = FAULT_##kind_, .registers = (registers_),               \
		.count = (count_), __VA_ARGS__                                                     \
	}

static const struct finding_case {
	const char *rule;
	struct lint_finding finding;
	struct executed_place place[3];
	struct executed_fault fault[2];
	uint64_t agreeing; /* some path to it is right */
	uint64_t every;
	const char *expected;
} finding_cases[] = {
	{ "nothing of it ran", FINDING(CFA, 2, 4), .place = { RAN(1, 1, 1), RAN(4, 1, 1) },
	  .expected = "not_executed false 0 0 0" },
	{ "it was wrong", FINDING(CFA, 2, 4), .place = { RAN(2, 2, 0) },
	  .fault = { WRONG(2, WRONG, STACK, 2) }, .expected = "confirmed true 2 2 0" },
	{ "it was wrong at its last instruction, and right before", FINDING(CFA, 2, 4),
	  .place = { RAN(2, 2, 2), RAN(3, 1, 0) }, .fault = { WRONG(3, WRONG, STACK, 1) },
	  .expected = "confirmed true 3 1 2" },
	{ "its caller's frame was wrong, and it was not looked at itself", FINDING(CFA, 2, 4),
	  .fault = { WRONG(3, WRONG, STACK, 5) }, .expected = "confirmed true 0 5 0" },
	{ "the CFA alone was wrong", FINDING(ENTRY, 2, 3), .place = { RAN(2, 1, 0) },
	  .fault = { WRONG(2, REGISTER, BIT(RSP), 1) }, .expected = "confirmed true 1 1 0" },
	{ "it was right each time: a false accusation", FINDING(CFA, 2, 4),
	  .place = { RAN(2, 2, 2), RAN(3, 1, 1) }, .expected = "contradicted true 3 0 3" },
	{ "once it is not known whether it was right", FINDING(CFA, 2, 4),
	  .place = { RAN(2, 2, 2), RAN(3, 2, 1) }, .expected = "undecided doubted true 4 0 3" },
	{ "something else was wrong", FINDING(CFA, 2, 4), .place = { RAN(2, 1, 1) },
	  .fault = { WRONG(2, REGISTER, BIT(RBX), 1) },
	  .expected = "undecided doubted true 1 0 1" },
	{ "on another way it is right, and that way was taken", FINDING(CFA, 2, 4),
	  .place = { RAN(2, 2, 2) }, .agreeing = CODE + 3,
	  .expected = "undecided other_way true 2 0 2" },
	{ "the way beside its last instruction is none of it", FINDING(CFA, 2, 4),
	  .place = { RAN(2, 2, 2) }, .agreeing = CODE + 4, .expected = "contradicted true 2 0 2" },
	{ "of one way: others don't count", FINDING(CFA, 2, 2, .from = CODE + 1),
	  .place = { RAN(2, 2, 2, .from = CODE) }, .expected = "not_executed false 0 0 0" },
	{ "of one way: it was taken, and wrong", FINDING(CFA, 2, 2, .from = CODE + 1),
	  .place = { RAN(2, 2, 2, .from = CODE), RAN(2, 1, 0, .from = CODE + 1) },
	  .fault = { WRONG(2, WRONG, STACK, 1, .from = CODE + 1) },
	  .expected = "confirmed true 1 1 0" },
	{ "of one way: it was taken, and right", FINDING(CFA, 2, 2, .from = CODE + 1),
	  .place = { RAN(2, 1, 1, .from = CODE + 1) }, .agreeing = CODE + 2,
	  .expected = "contradicted true 1 0 1" },
	{ "of one way, and ways are not known", FINDING(CFA, 2, 2, .from = CODE + 1),
	  .place = { RAN(2, 2, 2) }, .every = 3, .expected = "undecided other_way true 2 0 2" },
	{ "a register that was wrong", FINDING(OVERWRITTEN, 2, 4, .reg = REGISTER_RBX),
	  .place = { RAN(2, 1, 0) }, .fault = { WRONG(2, REGISTER, BIT(RBX) | BIT(R12), 1) },
	  .expected = "confirmed true 1 1 0" },
	{ "another register was", FINDING(OVERWRITTEN, 2, 4, .reg = REGISTER_RBX),
	  .place = { RAN(2, 1, 0) }, .fault = { WRONG(2, REGISTER, BIT(R12), 1) },
	  .expected = "undecided doubted true 1 0 0" },
	{ "a register that had one value each time may have it by chance",
	  FINDING(NOT_SAVED, 2, 4, .reg = REGISTER_RBX),
	  .place = { RAN(2, 3, 3, .varied = BIT(R12)) },
	  .expected = "undecided same_value true 3 0 3" },
	{ "one that had several can't", FINDING(NOT_SAVED, 2, 4, .reg = REGISTER_RBX),
	  .place = { RAN(2, 3, 3, .varied = BIT(RBX)) }, .expected = "contradicted true 3 0 3" },
	{ "a register that is not stepped", FINDING(NOT_SAVED, 2, 4, .reg = REGISTER_RSI),
	  .place = { RAN(2, 3, 3) }, .expected = "undecided not_compared true 3 0 3" },
	{ "code without a row ran", FINDING(UNCOVERED, 0x12, 0x13), .place = { RAN(0x12, 3, 0) },
	  .expected = "confirmed true 3 0 0" },
	{ "instructions of CFI that break off, and rows that are not there",
	  FINDING(BROKEN_OFF, 2, 0x10), .place = { RAN(2, 2, 2), RAN(3, 1, 0) },
	  .fault = { WRONG(3, MALFORMED, BIT(RIP), 1) }, .expected = "confirmed true 3 1 2" },
	{ "that no FDE covers another place accuses none here", FINDING(CFA, 2, 4),
	  .place = { RAN(2, 1, 0) }, .fault = { WRONG(2, MISSING, BIT(RIP), 1) },
	  .expected = "undecided doubted true 1 0 0" },
	{ "a row inside of an instruction that ran", FINDING(ROW_INSIDE, 2, 6),
	  .place = { RAN(2, 3, 3), RAN(6, 3, 3) }, .expected = "confirmed true 3 0 3" },
	{ "what ran began inside, too", FINDING(ROW_INSIDE, 2, 6),
	  .place = { RAN(2, 3, 3), RAN(5, 1, 1) }, .expected = "contradicted true 4 0 4" },
	{ "a register that is declared lost makes no stack wrong", FINDING(LOST, 2, 4),
	  .place = { RAN(2, 1, 0) }, .expected = "undecided not_of_a_stack true 1 0 0" },
	{ "two FDEs, and nothing of them ran", FINDING(OVERLAP, 2, 4),
	  .expected = "not_executed false 0 0 0" },
	{ "an FDE that is too long, and what it covers ran", FINDING(BEYOND, 2, 4),
	  .place = { RAN(2, 2, 2) }, .expected = "undecided not_of_a_stack true 2 0 2" },
	{ "a section is no instruction's", .finding = { .id = LINT_SECTION },
	  .place = { { .pc = 0, .points = 1 } }, .expected = "undecided not_of_a_stack - 0 0 0" },
	{ "another table's row is not what ran", FINDING(CFA, 2, 3, .table = "compact"),
	  .place = { RAN(2, 3, 3) }, .expected = " - 0 0 0" },
	{ "the search table is no instruction's", .finding = { .id = LINT_SEARCH_TABLE },
	  .place = { { .pc = 0, .points = 1 } }, .expected = "undecided not_of_a_stack - 0 0 0" },
};

struct bench {
	struct image *image;
	struct cfi *cfi;
	struct executed executed;
	struct lint_join join;
};

static void bench_init(struct bench *bench)
{
	struct truth_image image = { .kind = TRUTH_IMAGE_FILE, .path = program };
	struct error error;
	uint32_t number;

	make_program(program, NOPS);
	ck_assert_int_eq(image_create(program, &bench->image, &error), 0);
	ck_assert_int_eq(cfi_create(bench->image, &bench->cfi, &error), 0);
	image.build_id = bench->image->build_id;
	image.build_id_size = bench->image->build_id_size;
	ck_assert_int_eq(executed_init(&bench->executed, &error), 0);
	ck_assert_int_eq(context_tree_image(&bench->executed.images, &image, &number, &error), 0);
	bench->executed.stepped = true;
}

static void bench_run(struct bench *bench, const struct executed_place *place, int place_count,
		      const struct executed_fault *fault, int fault_count)
{
	for (int i = 0; i < place_count && (place[i].points || place[i].calls); i++) {
		uint32_t number = executed_place(&bench->executed, 0, place[i].pc, place[i].from);

		bench->executed.place[number - 1] = place[i];
	}
	for (int i = 0; i < fault_count && fault[i].kind; i++)
		ck_assert_uint_ne(executed_fault(&bench->executed, &fault[i]), 0);
	executed_sort(&bench->executed);
	lint_join_init(&bench->join, &bench->executed, bench->cfi, program);
	ck_assert_int_eq(bench->join.identity, EXECUTED_BUILD_ID);
}

static void bench_deinit(struct bench *bench)
{
	lint_join_deinit(&bench->join);
	executed_deinit(&bench->executed);
	cfi_destroy(bench->cfi);
	image_destroy(bench->image);
}

/* outcome [because] executed points wrong right */
static void say_finding(const json_t *object, char *text, size_t size)
{
	const json_t *executed = json_object_get(object, "executed");
	const char *because = json_text(object, "because");

	snprintf(text, size,
		 "%s%s%s %s %" JSON_INTEGER_FORMAT " %" JSON_INTEGER_FORMAT
		 " %" JSON_INTEGER_FORMAT,
		 json_text(object, "outcome"), because[0] ? " " : "", because,
		 !executed		  ? "-"
		 : json_is_true(executed) ? "true"
					  : "false",
		 json_count(object, "points"), json_count(object, "wrong"),
		 json_count(object, "right"));
}

START_TEST(a_finding_is_confirmed_or_not)
{
	const struct finding_case *test = &finding_cases[_i];
	struct lint_point point = { .pc = test->agreeing, .outcome = FLOW_ROW_PROVEN };
	json_t *object = json_object();
	struct bench bench;
	struct error error;
	char text[128];

	bench_init(&bench);
	bench.executed.every = test->every ? test->every : 1;
	/* It is only kept of what ran. */
	if (test->agreeing && test->agreeing != test->place[0].pc)
		ck_assert_uint_ne(executed_place(&bench.executed, 0, test->agreeing, 1), 0);
	bench_run(&bench, test->place, COUNT(test->place), test->fault, COUNT(test->fault));
	if (test->agreeing)
		lint_join_point(&bench.join, &point);
	point.outcome = FLOW_ROW_MISMATCH;
	point.pc = test->finding.pc;
	lint_join_point(&bench.join, &point);
	ck_assert_int_eq(lint_join_finish(&bench.join, &error), 0);
	lint_join_finding(&bench.join, &test->finding, object);
	say_finding(object, text, sizeof(text));
	ck_assert_msg(!strcmp(text, test->expected), "%s: %s", test->rule, text);
	for (int i = 0; i < LINT_OUTCOME_COUNT; i++)
		ck_assert_uint_eq(bench.join.outcomes[i], !strncmp(text, lint_outcome_names[i],
								   strlen(lint_outcome_names[i])));
	json_decref(object);
	bench_deinit(&bench);
}
END_TEST

static const struct fault_case {
	const char *rule;
	struct executed_fault fault[3];
	uint32_t agreed;     /* registers of which lint says nothing there */
	struct lint_fde fde; /* of some begin: no instruction of it was judged */
	const char *expected;
} fault_cases[] = {
	{ "a finding of lint", .fault = { WRONG(2, WRONG, STACK, 2) },
	  .expected = "401002 wrong x2 mismatch: agrees\n" },
	{ "lint could not follow", .fault = { WRONG(4, WRONG, STACK, 2) },
	  .expected = "401004 wrong x2 unproven: unproven value_unknown\n" },
	{ "lint had proven it", .fault = { WRONG(0, WRONG, STACK, 2) },
	  .expected = "401000 wrong x2 proven: contradicted\n" },
	{ "a call is looked up at its last byte", .fault = { WRONG(0xa, WRONG, STACK, 2) },
	  .expected = "40100a wrong x2 proven: contradicted\n" },
	{ "there is no row", .fault = { WRONG(0x11, MISSING, STACK, 2) },
	  .expected = "401011 missing x2 no_row: agrees\n" },
	{ "ways to one place are one, what is only in doubt is none",
	  .fault = { WRONG(2, WRONG, STACK, 2), WRONG(2, WRONG, STACK, 3, .from = 9),
		     WRONG(3, WRONG, STACK, 0, .doubted = 3) },
	  .expected = "401002 wrong x5 mismatch: agrees\n" },
	{ "the next image's is none of this one",
	  .fault = { WRONG(2, WRONG, STACK, 2), WRONG(2, WRONG, STACK, 3, .image = 1) },
	  .expected = "401002 wrong x2 mismatch: agrees\n" },
	{ "a register", .fault = { WRONG(0, REGISTER, BIT(RBX), 1) },
	  .expected = "401000 register x1 proven: contradicted\n" },
	{ "a register that is agreed on with the caller",
	  .fault = { WRONG(0, REGISTER, BIT(RBX), 1) }, .agreed = BIT(RBX),
	  .expected = "401000 register x1 proven: assumed\n" },
	{ "one of two is", .fault = { WRONG(0, REGISTER, BIT(RBX) | BIT(RBP), 1) },
	  .agreed = BIT(RBX), .expected = "401000 register x1 proven: contradicted\n" },
	{ "a register that is declared lost",
	  .fault = { WRONG(0, REGISTER, BIT(RBX), 1, .lost = true) },
	  .expected = "401000 register x1 proven: assumed\n" },
	{ "what lint takes for granted",
	  .fault = { WRONG(0, NO_END, STACK, 1), WRONG(0, OVERWRITTEN, STACK, 1),
		     WRONG(0, SIGNAL_FLAG, STACK, 1) },
	  .expected = "401000 no_end x1 proven: assumed\n401000 overwritten x1 proven: assumed\n"
		      "401000 signal_flag x1 proven: assumed\n" },
	{ "no way leads there in a function that could not be followed: padding, too",
	  .fault = { WRONG(4, WRONG, STACK, 1) },
	  .fde = { .begin = CODE, .outcome = FLOW_ROW_UNPROVEN, .reason = FLOW_NO_ENTRY },
	  .expected = "401004 wrong x1 unproven: unproven no_entry\n" },
	{ "in one that could be", .fault = { WRONG(4, WRONG, STACK, 1) },
	  .fde = { .begin = CODE, .outcome = FLOW_ROW_PROVEN, .reason = FLOW_MALFORMED },
	  .expected = "401004 wrong x1 unproven: unproven not_reached\n" },
	{ "a row that says nothing that can be read", .fault = { WRONG(0, MALFORMED, STACK, 1) },
	  .expected = "401000 malformed x1 proven: contradicted\n" },
};

START_TEST(a_fault_agrees_or_not)
{
	const struct fault_case *test = &fault_cases[_i];
	struct lint_point point = { .pc = 0x401000,
				    .function = 0x401000,
				    .agreed = test->agreed,
				    .outcome = FLOW_ROW_PROVEN };
	enum lint_agreement agreement;
	struct bench bench;
	struct error error;
	char *text;
	size_t size;
	uint32_t at = 0;
	uint64_t pc;
	json_t *object;
	FILE *file = open_memstream(&text, &size);

	bench_init(&bench);
	bench_run(&bench, NULL, 0, test->fault, COUNT(test->fault));
	lint_join_fde(&bench.join, &test->fde);
	if (!test->fde.begin) { /* of 2, 2, 2, and 5 bytes */
		lint_join_judged(&bench.join, 0x401006, FLOW_ROW_PROVEN, FLOW_REASON_COUNT);
		lint_join_judged(&bench.join, 0x401000, FLOW_ROW_PROVEN, FLOW_REASON_COUNT);
		lint_join_judged(&bench.join, 0x401002, FLOW_ROW_MISMATCH, FLOW_REASON_COUNT);
		lint_join_judged(&bench.join, 0x401004, FLOW_ROW_UNPROVEN, FLOW_VALUE_UNKNOWN);
	}
	lint_join_point(&bench.join, &point);
	ck_assert_int_eq(lint_join_finish(&bench.join, &error), 0);
	while ((object = lint_join_fault(&bench.join, &at, &pc, &agreement))) {
		ck_assert_str_eq(lint_agreement_names[agreement], json_text(object, "outcome"));
		fprintf(file, "%" PRIx64 " %s x%" JSON_INTEGER_FORMAT " %s: %s%s%s\n", pc,
			json_text(object, "kind"), json_count(object, "count"),
			json_text(object, "lint"), json_text(object, "outcome"),
			json_object_get(object, "reason") ? " " : "", json_text(object, "reason"));
		json_decref(object);
	}
	fclose(file);
	ck_assert_msg(!strcmp(text, test->expected), "%s:\n%s\nexpected:\n%s", test->rule, text,
		      test->expected);
	free(text);
	bench_deinit(&bench);
}
END_TEST

/* ---- programs ----------------------------------------------------------------------------- */

#define FORGOTTEN F "push rbx\nnop\npop rbx\nret\n" END_F

static const struct program_case {
	const char *rule, *text, *option, *expected;
	int status;
} programs[] = {
	{ "rows that are right", START "call f\n" EXIT F "nop\nret\n" END_F, "--step-every=1",
	  "ran 6: 6 proven, 0 mismatch\n", EXIT_OK },
	{ "a push without a directive, and it ran", START "call f\n" EXIT FORGOTTEN,
	  "--step-every=1",
	  "f SP001 confirmed true 2 2 0\nf+1 wrong x1 mismatch: agrees\n"
	  "f+2 wrong x1 mismatch: agrees\nran 8: 6 proven, 2 mismatch\n",
	  EXIT_FINDINGS },
	{ "the same that nobody called", START EXIT FORGOTTEN, "--step-every=1",
	  "f SP001 not_executed false 0 0 0\nran 3: 3 proven, 0 mismatch\n", EXIT_FINDINGS },
	{ "a register that is overwritten with what the caller had in it",
	  START "xor ebx, ebx\ncall f\n" EXIT F
		".cfi_same_value rbx\nxor ebx, ebx\nnop\nret\n" END_F,
	  "--step-every=1",
	  "f SP004 undecided same_value true 2 0 2\nran 8: 6 proven, 2 mismatch\n", EXIT_FINDINGS },
	{ "with another value",
	  START "mov ebx, 5\ncall f\n" EXIT F "push rbx\n.cfi_def_cfa_offset 16\nxor ebx, ebx\n"
		"nop\npop rbx\n.cfi_def_cfa_offset 8\nret\n" END_F,
	  "--step-every=1",
	  "f SP004 confirmed true 2 2 0\nf+3 register x1 mismatch: agrees\n"
	  "f+4 register x1 mismatch: agrees\nran 10: 8 proven, 2 mismatch\n",
	  EXIT_FINDINGS },
	{ "of two ways the right one was taken",
	  START "xor edi, edi\ncall f\n" EXIT F
		"test edi, edi\nje 1f\npush rax\n.cfi_def_cfa_offset 16\n"
		".cfi_def_cfa_offset 8\n1: nop\nret\n" END_F,
	  "--step-every=1", "f SP001 not_executed false 0 0 0\nran 9: 7 proven, 1 mismatch\n",
	  EXIT_FINDINGS },
	{ "code without a row",
	  START "call f\n" EXIT ".type f, @function\nf: cdq\nret\n.size f, . - f\n",
	  "--step-every=1",
	  "f SP006 confirmed true 2 2 0\nf missing x1 no_row: agrees\n"
	  "f+1 missing x1 no_row: agrees\nran 4: 4 proven, 0 mismatch\n",
	  EXIT_FINDINGS },
	{ "only every second instruction is looked at", START "call f\n" EXIT FORGOTTEN,
	  "--step-every=2",
	  "f SP001 confirmed true 1 1 0\nf+1 wrong x1 mismatch: agrees\n"
	  "ran 4: 3 proven, 1 mismatch\n",
	  EXIT_FINDINGS },
};

/* Each object's line, as short as it can be. */
static char *say_objects(char *output)
{
	char *text, *line, *rest = output, words[128];
	size_t size;
	FILE *file = open_memstream(&text, &size);

	while ((line = strsep(&rest, "\n"))) {
		json_t *object = json_loads(line, 0, NULL);
		const char *type = json_text(object, "type");
		const json_t *ran = json_object_get(json_object_get(object, "executed"),
						    "instructions");

		say_finding(object, words, sizeof(words));
		if (!strcmp(type, "lint_finding"))
			fprintf(file, "%s %s %s\n", json_text(object, "function"),
				json_text(object, "id"), words);
		else if (!strcmp(type, "lint_stepped"))
			fprintf(file,
				json_count(object, "offset")
					? "%s+%" JSON_INTEGER_FORMAT " %s x%" JSON_INTEGER_FORMAT
					  " %s: %s\n"
					: "%s%.0" JSON_INTEGER_FORMAT " %s x%" JSON_INTEGER_FORMAT
					  " %s: %s\n",
				json_text(object, "function"), json_count(object, "offset"),
				json_text(object, "kind"), json_count(object, "count"),
				json_text(object, "lint"), json_text(object, "outcome"));
		else if (!strcmp(type, "lint"))
			fprintf(file,
				"ran %" JSON_INTEGER_FORMAT ": %" JSON_INTEGER_FORMAT
				" proven, %" JSON_INTEGER_FORMAT " mismatch\n",
				json_count(ran, "all"), json_count(ran, "proven"),
				json_count(ran, "mismatch"));
		json_decref(object);
	}
	fclose(file);
	return text;
}

START_TEST(a_program_is_stepped)
{
	const struct program_case *test = &programs[_i];
	char *arguments[] = { "stackproof lint", "--json", "--confirm", (char *)test->option,
			      program,		 "--",	   program,	NULL };
	char *output, *text;
	int status;

	make_program(program, test->text);
	output = command_output(command_lint, arguments, &status);
	ck_assert_msg(status == test->status, "%s: %d %s", test->rule, status, output);
	text = say_objects(output);
	ck_assert_msg(!strcmp(text, test->expected), "%s:\n%s\nexpected:\n%s", test->rule, text,
		      test->expected);
	free(text);
	free(output);
}
END_TEST

/* From the rows on to the line that has a time in it: the rest is not about runs. */
static void check_text(const char *output, const char *format)
{
	char *expected, *end;
	const char *begins = strstr(output, "    declared"), *total;

	ck_assert_ptr_nonnull(begins);
	total = strstr(begins, "\n1 images in ");
	ck_assert_int_ge(asprintf(&expected, format, program), 0);
	ck_assert_ptr_nonnull(total);
	end = strndup(begins, (size_t)(total + 1 - begins));
	ck_assert_msg(!strcmp(end, expected), "%s\nexpected:\n%s", end, expected);
	free(end);
	free(expected);
}

START_TEST(text_of_a_run)
{
	char *arguments[] = { "stackproof lint", "--confirm", "--", program, NULL };
	char *output;
	int status;

	make_program(program, START "call f\n" EXIT FORGOTTEN);
	output = command_output(command_lint, arguments, &status);
	ck_assert_int_eq(status, EXIT_FINDINGS);
	check_text(output,
		   "    declared    cfa=rsp+8\n"
		   "    actual      cfa=rsp+16\n"
		   "    executed    2 points: wrong at 2, right at 0: confirmed\n"
		   "%s: 1 of 2 FDEs proven (50.000 %%), 1 with mismatches\n"
		   "    ran (by build_id): 8 instructions (6 proven, 2 with mismatches, 0 "
		   "unproven), 2 FDEs (1 proven, 1 with mismatches, 0 unproven)\n"
		   "    findings: 0 undecided, 0 contradicted, 1 confirmed, 0 not_executed\n"
		   "    stepped faults: 2 agrees, 0 unproven, 0 assumed, 0 contradicted\n");
	ck_assert_ptr_nonnull(
		strstr(output, "\nheld against 8 points of a run, one at each instruction; 0 in "
			       "doubt\n"));
	free(output);
}
END_TEST

START_TEST(text_of_a_truth_file)
{
	char option[96];
	char *step[] = { "stackproof truth", "--output", truth, "--every=1", "--", program, NULL };
	char *arguments[] = { "stackproof lint", option, NULL };
	char *output;
	int status;

	snprintf(option, sizeof(option), "--executed=%s", truth);
	make_program(program, START "call f\n" EXIT F "push rbx\ncall g\npop rbx\nret\n" END_F
				    ".type g, @function\ng:\n.cfi_startproc\nret\n.cfi_endproc\n"
				    ".size g, . - g\n");
	free(command_output(command_truth, step, &status));
	ck_assert_int_eq(status, EXIT_OK);
	output = command_output(command_lint, arguments, &status);
	ck_assert_int_eq(status, EXIT_FINDINGS);
	check_text(output, "    declared    cfa=rsp+8\n"
			   "    actual      cfa=rsp+16\n"
			   "    executed    1 points, below its call 1\n"
			   "%s: 2 of 3 FDEs proven (66.667 %%), 1 with mismatches\n"
			   "    ran (by build_id): 9 instructions (6 proven, 1 with mismatches, 2 "
			   "unproven), 3 FDEs (2 proven, 1 with mismatches, 0 unproven)\n");
	free(output);
	/* Another build of it. */
	make_program(program, START "call f\n" EXIT FORGOTTEN);
	output = command_output(command_lint, arguments, &status);
	ck_assert_int_eq(status, EXIT_FINDINGS);
	check_text(output, "    declared    cfa=rsp+8\n"
			   "    actual      cfa=rsp+16\n"
			   "%s: 1 of 2 FDEs proven (50.000 %%), 1 with mismatches\n"
			   "    ran: nothing is known: the run had another build of it\n");
	ck_assert_ptr_nonnull(strstr(output, "1 images of which the run had another build"));
	free(output);
}
END_TEST

/* All right, and nothing of it is known to have run: that is not a success. */
START_TEST(an_image_that_the_run_did_not_have)
{
	char option[96], copy[96];
	char *step[] = { "stackproof truth", "--output", truth, "--every=1", "--", program, NULL };
	char *arguments[] = { "stackproof lint", option, copy, NULL };
	char *both[] = { "stackproof lint", option, copy, program, NULL };
	char *output, *line;
	int status;

	snprintf(option, sizeof(option), "--executed=%s", truth);
	snprintf(copy, sizeof(copy), "%s.other", program);
	make_program(program, START "call f\n" EXIT F "nop\nret\n" END_F);
	ck_assert_int_eq(rename(program, copy), 0);
	make_program(program, START EXIT);
	free(command_output(command_truth, step, &status));
	ck_assert_int_eq(status, EXIT_OK);
	output = command_output(command_lint, arguments, &status);
	ck_assert_int_eq(status, EXIT_SKIPPED);
	line = strstr(output, "checked: ");
	ck_assert_ptr_nonnull(line);
	ck_assert_str_eq(line, "checked: 0 FDEs; not checked: 1 images that the run did not have; "
			       "100.00 % of the code has CFI; nothing was checked\n");
	free(output);
	output = command_output(command_lint, both, &status);
	ck_assert_int_eq(status, EXIT_OK);
	line = strstr(output, "checked: ");
	ck_assert_ptr_nonnull(line);
	ck_assert_str_eq(line, "checked: 1 FDEs; not checked: 1 images that the run did not have; "
			       "100.00 % of the code has CFI\n");
	free(output);
	ck_assert_int_eq(unlink(copy), 0);
}
END_TEST

START_TEST(refusals)
{
	static const struct {
		const char *argument[4], *message;
		int status;
	} cases[] = {
		{ { "--confirm" }, "--confirm needs -- PROGRAM", EXIT_USAGE },
		{ { "--confirm=/nothing/here", "/x" }, "/nothing/here", EXIT_BAD_INPUT },
		{ { "--confirm=/x", "--confirm", "--", "/x" }, "is given twice", EXIT_USAGE },
		{ { "--confirm=/dev/null", "/x" }, "no run's verdicts", EXIT_BAD_INPUT },
		{ { "--confirm", "--" }, "--confirm needs -- PROGRAM", EXIT_USAGE },
		{ { "--confirm", "--executed=/x", "--", "/x" }, "one run each", EXIT_USAGE },
		{ { "--confirm=/x", "--executed=/x", "/x" }, "one run each", EXIT_USAGE },
		{ { "--step-every=0", "/x" }, "--step-every", EXIT_USAGE },
		{ { "--step-timeout=0", "/x" }, "--step-timeout", EXIT_USAGE },
		{ { "--executed=/nothing/here", "/x" }, "/nothing/here", EXIT_BAD_INPUT },
		{ { "--executed=/dev/null", "/x" }, "no regular file", EXIT_BAD_INPUT },
		{ { "--confirm", "--", "/nothing/here" }, "/nothing/here", EXIT_BAD_INPUT },
	};

	for (int i = 0; i < COUNT(cases); i++) {
		char *arguments[8] = { "stackproof lint" }, *output;
		int status;

		for (int at = 0; at < 4 && cases[i].argument[at]; at++)
			arguments[at + 1] = (char *)cases[i].argument[at];
		output = command_output(command_lint, arguments, &status);
		ck_assert_msg(status == cases[i].status && strstr(output, cases[i].message),
			      "%d: %d %s", i, status, output);
		free(output);
	}
}
END_TEST

SUITE(lint_executed, GROUP(joins), FIXTURE(begin, end),
      LOOP(a_finding_is_confirmed_or_not, finding_cases), LOOP(a_fault_agrees_or_not, fault_cases),
      GROUP(runs), FIXTURE(begin, end), LOOP(a_program_is_stepped, programs), TEST(text_of_a_run),
      TEST(text_of_a_truth_file), TEST(an_image_that_the_run_did_not_have), TEST(refusals))
