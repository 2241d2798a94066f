/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_plant_worker.c - what became of a planting, by what was said at each point before and after
 *
 * Runs, images and plantings are made up: a point is an address, and whether a row led astray there is
 * what the case says.
 */
#include "tests/suite.h"
#include "base/cli/json_counts.h"
#include "base/cli/tests/command_output.h"
#include "judge/compare/compare.h"
#include "corpus/manifest/corpus.h"
#include "plain_text.h"
#include "corpus/plant/plant.h"

#define IMAGE 0x100000ull /* where the image is; 0x100000 bytes of it */

static struct {
	bool astray, refuses, thin;
	struct comparison comparison;
	int runs, planted, places[64];
	size_t rows;
	char path[512];
	uint64_t point_limit;
} made_up;

static const struct plant_range planted_range = { 0x1000, 0x1010, "victim", "before", "after" };

static bool made_up_effect(const struct planting *planting, const struct point *point,
			   const char *path)
{
	return made_up.astray;
}

static bool made_up_address(const struct point *point, const char *path, uint64_t pc,
			    uint64_t *ret_vaddr)
{
	*ret_vaddr = pc - IMAGE;
	return pc >= IMAGE && pc < 2 * IMAGE;
}

static int made_up_run(struct comparer *comparer, const struct tracer_options *options,
		       struct comparison *ret, struct error *error);

static int made_up_planting(const struct plant_image *image, const struct plant_kind *kind,
			    const struct cfi_fde *fde, size_t row, uint64_t seed,
			    struct planting *ret, struct error *error)
{
	ck_assert_int_lt(made_up.planted, COUNT(made_up.places));
	made_up.places[made_up.planted++] = (int)(fde->pc_begin + row);
	if (made_up.refuses)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "not here");
	*ret = (struct planting) { .kind = kind,
				   .range = (struct plant_range *)&planted_range,
				   .range_count = 1 };
	return 0;
}

static int made_up_write(const struct planting *planting, const char *path, struct error *error)
{
	snprintf(made_up.path, sizeof(made_up.path), "%s", path);
	return 0;
}

static size_t made_up_rows(const struct plant_image *image, const struct plant_kind *kind,
			   const struct cfi_fde *fde)
{
	return made_up.rows;
}

static void made_up_name(const struct image *image, const struct cfi *cfi, uint64_t vaddr,
			 char *name, size_t size)
{
	snprintf(name, size, "gap@0x%llx", (unsigned long long)vaddr);
}

static const struct cfi_fde *made_up_find(const struct cfi *in, uint64_t vaddr)
{
	for (size_t i = 0; i < in->fde_count; i++)
		if (vaddr - in->fde[i].pc_begin < in->fde[i].pc_range)
			return &in->fde[i];
	return NULL;
}

#define plant_has_effect      made_up_effect
#define cfi_fde_find	      made_up_find
#define plant_image_address   made_up_address
#define comparer_run	      made_up_run
#define planting_create	      made_up_planting
#define planting_write	      made_up_write
#define planting_deinit(x)    ((void)(x))
#define comparison_deinit(x)  ((void)(x))
#define comparison_is_thin(x) ((void)(x), made_up.thin)
#define plant_row_count	      made_up_rows
#define finding_name_function made_up_name
#include "corpus/plant/plant_worker.c"

static struct plant_tally tally;
static struct plant_check_options options;
static struct cfi_fde fde[4];
static struct cfi cfi;
static struct worker worker;
static struct planting planting;
static struct outcome next_outcome; /* of each run */

static int made_up_run(struct comparer *comparer, const struct tracer_options *tracer,
		       struct comparison *ret, struct error *error)
{
	made_up.runs++;
	made_up.point_limit = tracer->point_limit;
	ck_assert_str_eq(tracer->argv[0], made_up.path);
	ck_assert_ptr_null(tracer->argv[1]);
	ck_assert_str_eq(tracer->from, "_start");
	ck_assert(tracer->silence_output && tracer->timeout_ms == 60000);
	ck_assert(!worker.at &&
		  !memcmp(&worker.outcome, &(struct outcome) { 0 }, sizeof(worker.outcome)));
	*ret = made_up.comparison;
	worker.outcome = next_outcome;
	worker.at = worker.clean.count;
	return 0;
}

static void set_up(void)
{
	static char name[] = "program";
	static struct corpus_binary binary = { .name = name };
	static bool executed[4];

	options = (struct plant_check_options) { .per_kind = 20, .points_max = 1000 };
	for (int i = 0; i < COUNT(fde); i++)
		fde[i] = (struct cfi_fde) { .pc_begin = 100 * i, .pc_range = 16 };
	cfi = (struct cfi) { .fde = fde, .fde_count = COUNT(fde) };
	planting = (struct planting) { .kind = plant_kind_at(2),
				       .function = "victim",
				       .row = 3,
				       .range = (struct plant_range *)&planted_range,
				       .range_count = 1 };
	worker = (struct worker) { .options = &options,
				   .binary = &binary,
				   .folder = "folder",
				   .tally = &tally,
				   .image = { .cfi = &cfi },
				   .executed = executed,
				   .planting = &planting };
}

/* ---- one point ------------------------------------------------------------------------------ */

START_TEST(each_part_of_what_is_said_counts)
{
	const struct said one = { 1, 2, 3, 4, 5 };
	struct said other = one;

	ck_assert(said_equal(&one, &other));
	other.pc++;
	ck_assert(!said_equal(&one, &other));
	other = one;
	other.blamed++;
	ck_assert(!said_equal(&one, &other));
	other = one;
	other.frame++;
	ck_assert(!said_equal(&one, &other));
	other = one;
	other.verdict++;
	ck_assert(!said_equal(&one, &other));
	other = one;
	other.kind++;
	ck_assert(!said_equal(&one, &other));
}
END_TEST

#define PLANTED	  (IMAGE + 0x1008)
#define ELSEWHERE (IMAGE + 0x1010)
#define OUTSIDE	  0x1008
#define QUIET                                                                                      \
	{                                                                                          \
		9, 0, 0, VERDICT_EXACT, 0                                                          \
	}
#define SAID(verdict, blamed)                                                                      \
	{                                                                                          \
		9, blamed, 1, VERDICT_##verdict, 0                                                 \
	}

/* becomes: f a fault, s silent, u unproven, o other, d another run, 0 nothing. */
static const struct point_case {
	const char *name;
	bool astray;
	char becomes;
	struct said before, now;
} points[] = {
	{ "the_same", false, '0', QUIET, QUIET },
	{ "led_astray_and_the_same", true, 's', QUIET, QUIET },
	{ "blamed_before", true, '0', SAID(TABLE_FAULT, PLANTED), SAID(TABLE_FAULT, PLANTED) },
	{ "another_before", true, 's', SAID(TABLE_FAULT, ELSEWHERE), SAID(TABLE_FAULT, ELSEWHERE) },
	{ "blamed", true, 'f', QUIET, SAID(TABLE_FAULT, PLANTED) },
	{ "blamed_though_it_led_nowhere", false, 'f', QUIET, SAID(TABLE_FAULT, PLANTED) },
	{ "another_is_blamed", true, 'o', QUIET, SAID(TABLE_FAULT, ELSEWHERE) },
	{ "another_image_is_blamed", true, 'o', QUIET, SAID(TABLE_FAULT, OUTSIDE) },
	{ "blamed_of_something_else", true, 'o', QUIET, SAID(WALK_FAULT, PLANTED) },
	{ "exact_now", false, '0', SAID(TABLE_FAULT, PLANTED), QUIET },
	{ "exact_though_led_astray", true, 'o', SAID(TABLE_FAULT, PLANTED), QUIET },
	{ "no_rule_holds_it", false, '0', QUIET, SAID(CONVERSION_LOSS_FLAGGED, PLANTED) },
	{ "no_rule_holds_another", false, 'o', QUIET, SAID(CONVERSION_LOSS_FLAGGED, ELSEWHERE) },
	{ "no_rule_holds_an_error", true, 'o', QUIET, SAID(CONVERSION_LOSS_FLAGGED, PLANTED) },
	{ "unproven", true, 'u', QUIET, SAID(UNPROVEN, 0) },
	{ "another_point", false, 'd', { 8, 0, 0, VERDICT_EXACT, 0 }, QUIET },
};

static void check_outcome(const char *name, const struct outcome *outcome,
			  const struct outcome *wanted)
{
	ck_assert_msg(outcome->faults == wanted->faults && outcome->silent == wanted->silent &&
			      outcome->effect == wanted->effect &&
			      outcome->unproven == wanted->unproven &&
			      outcome->other == wanted->other &&
			      outcome->differs == wanted->differs &&
			      outcome->first_silent == wanted->first_silent &&
			      said_equal(&outcome->first_other, &wanted->first_other),
		      "%s", name);
}

/* What compare says of a point goes to the run at hand. */
static void say(const struct said *said)
{
	struct shadow_stack shadow = { 0 };
	struct trace_stop stop = { .shadow = &shadow };
	struct point point = { .stop = &stop };
	struct judgement judgement = { .verdict = said->verdict,
				       .kind = said->kind,
				       .frame = said->frame,
				       .pc = said->blamed };

	stop.regs.value[REGISTER_RIP] = said->pc;
	on_judgement(&worker, &point, &judgement);
}

START_TEST(a_point_of_a_planting)
{
	const struct point_case *test = &points[_i];
	struct said before = test->before;
	struct outcome wanted = { .effect = test->astray,
				  .faults = test->becomes == 'f',
				  .silent = test->becomes == 's',
				  .first_silent = test->becomes == 's' ? 9 : 0,
				  .unproven = test->becomes == 'u',
				  .other = test->becomes == 'o',
				  .differs = test->becomes == 'd' };

	if (wanted.other)
		wanted.first_other = test->now;
	set_up();
	worker.clean = (struct run_log) { &before, 1, false };
	made_up.astray = test->astray;
	say(&test->now);
	check_outcome(test->name, &worker.outcome, &wanted);
	ck_assert_uint_eq(worker.at, 1);
	/* The clean run had no more. */
	made_up.astray = false;
	say(&test->now);
	ck_assert(worker.outcome.differs);
	ck_assert_uint_eq(worker.at, 1);
}
END_TEST

/* The first of each is kept, all are counted. */
START_TEST(points_add_up)
{
	struct said before[6] = { { .pc = 1 }, { .pc = 2 }, { .pc = 3 },
				  { .pc = 4 }, { .pc = 5 }, { .pc = 6 } };
	const struct outcome wanted = { .faults = 1,
					.silent = 2,
					.effect = 6,
					.unproven = 1,
					.other = 2,
					.first_silent = 2,
					.first_other = { 4, 7, 0, VERDICT_READER_FAULT, 0 } };

	set_up();
	worker.clean = (struct run_log) { before, 6, false };
	made_up.astray = true;
	say(&(struct said) { 1, PLANTED, 0, VERDICT_TABLE_FAULT, 0 });
	say(&before[1]);
	say(&before[2]);
	say(&(struct said) { 4, 7, 0, VERDICT_READER_FAULT, 0 });
	say(&(struct said) { 5, 8, 0, VERDICT_WALK_FAULT, 0 });
	say(&(struct said) { 6, 8, 0, VERDICT_UNPROVEN, 0 });
	check_outcome("all", &worker.outcome, &wanted);
	ck_assert_uint_eq(worker.at, 6);
}
END_TEST

/* ---- one run -------------------------------------------------------------------------------- */

static const struct judge_case {
	const char *name;
	struct outcome outcome;
	size_t at;
	uint64_t named, unproven; /* points of the finding; of the run */
	enum fate fate;
} judged[] = {
	{ "nothing_changed", { .faults = 0 }, 3, 0, 0, FATE_NO_EFFECT },
	{ "caught", { .faults = 2, .effect = 2 }, 3, 2, 0, FATE_CAUGHT },
	{ "another_run", { .faults = 2, .differs = true }, 3, 2, 0, FATE_BROKEN },
	{ "a_shorter_run", { .faults = 2 }, 2, 2, 0, FATE_BROKEN },
	{ "misblamed", { .faults = 2, .other = 1, .silent = 1 }, 3, 2, 0, FATE_MISBLAMED },
	{ "missed", { .faults = 2, .silent = 1 }, 3, 2, 0, FATE_MISSED },
	{ "unproven_at_once", { .unproven = 1 }, 3, 2, 0, FATE_UNPROVEN },
	{ "unproven_later", { .faults = 2 }, 3, 0, 2, FATE_UNPROVEN },
	{ "some_are_unproven_later", { .faults = 2 }, 3, 0, 1, FATE_MISBLAMED },
	{ "not_named", { .faults = 2 }, 3, 0, 0, FATE_MISBLAMED },
};

START_TEST(a_run_is_judged)
{
	const struct judge_case *test = &judged[_i];
	struct finding finding = { .first = { .verdict = VERDICT_TABLE_FAULT },
				   .count = test->named,
				   .image = "folder/000007",
				   .function = "victim" };
	struct comparison comparison = { .findings = { &finding, 1, 0 } };

	set_up();
	strcpy(worker.path, "folder/000007");
	worker.outcome = test->outcome;
	worker.at = test->at;
	worker.clean.count = 3;
	comparison.verdict[VERDICT_UNPROVEN] = test->unproven;
	ck_assert_msg(judge_outcome(&worker, &comparison) == test->fate, "%s: %s", test->name,
		      fate_names[judge_outcome(&worker, &comparison)]);
}
END_TEST

static const struct name_case {
	const char *name;
	enum verdict verdict;
	enum fault_kind kind;
	const char *image, *function;
	uint64_t count, before; /* points; those of the clean run */
	bool named;
} names[] = {
	{ "the_function", VERDICT_TABLE_FAULT, FAULT_WRONG, "path", "victim", 1, 0, true },
	{ "the_gap", VERDICT_TABLE_FAULT, FAULT_MISSING, "path", "gap@0x1000", 1, 0, true },
	{ "another_function", VERDICT_TABLE_FAULT, FAULT_WRONG, "path", "other", 1, 0, false },
	{ "another_image", VERDICT_TABLE_FAULT, FAULT_WRONG, "libc", "victim", 1, 0, false },
	{ "another_verdict", VERDICT_WALK_FAULT, FAULT_WRONG, "path", "victim", 1, 0, false },
	{ "no_more_than_before", VERDICT_TABLE_FAULT, FAULT_WRONG, "path", "victim", 4, 4, false },
	{ "one_more_than_before", VERDICT_TABLE_FAULT, FAULT_WRONG, "path", "victim", 5, 4, true },
	{ "no_points", VERDICT_TABLE_FAULT, FAULT_WRONG, "path", "victim", 0, 0, false },
};

START_TEST(who_is_named)
{
	const struct name_case *test = &names[_i];
	struct finding clean[4] = {
		{ .first = { .verdict = VERDICT_WALK_FAULT, .kind = test->kind }, .count = 90 },
		{ .first = { .verdict = test->verdict, .kind = test->kind + 1 }, .count = 91 },
		{ .first = { .verdict = test->verdict, .kind = test->kind },
		  .function = "another",
		  .count = 92 },
		{ .first = { .verdict = test->verdict, .kind = test->kind }, .count = test->before }
	};
	struct finding found[2] = { { .first = { .verdict = VERDICT_EXACT }, .count = 9 },
				    { .first = { .verdict = test->verdict, .kind = test->kind },
				      .count = test->count } };
	struct comparison comparison = { .findings = { found, 2, 0 } };

	set_up();
	if (test->verdict == VERDICT_WALK_FAULT)
		clean[0].first.verdict = VERDICT_READER_FAULT;
	strcpy(worker.path, "path");
	strcpy(found[1].image, test->image);
	for (int i = 0; i < 4; i++)
		if (i != 2)
			strcpy(clean[i].function, test->function);
	strcpy(found[1].function, test->function);
	worker.clean_findings = (struct findings) { clean, 4, 0 };
	ck_assert_uint_eq(clean_count(&worker, &found[1]), test->before);
	ck_assert_msg(names_function(&worker, &comparison) == test->named, "%s", test->name);
	worker.clean_findings.count = 3;
	ck_assert_uint_eq(clean_count(&worker, &found[1]), 0);
}
END_TEST

static const struct fault_case {
	const char *name;
	uint64_t count;
	const char *image;
	enum fault_kind kind;
	enum verdict verdict;
	bool faulty;
} faults[] = {
	{ "wrong", 1, "path", FAULT_WRONG, VERDICT_TABLE_FAULT, true },
	{ "missing", 1, "path", FAULT_MISSING, VERDICT_TABLE_FAULT, false },
	{ "of_no_points", 0, "path", FAULT_WRONG, VERDICT_TABLE_FAULT, false },
	{ "of_another_image", 1, "libc", FAULT_WRONG, VERDICT_TABLE_FAULT, false },
	{ "a_loss_that_is_flagged", 1, "path", FAULT_FLAGGED, VERDICT_CONVERSION_LOSS_FLAGGED,
	  false },
	{ "a_loss_that_is_not", 1, "path", FAULT_SILENT, VERDICT_CONVERSION_LOSS_SILENT, true },
};

START_TEST(a_program_s_own_faults)
{
	const struct fault_case *test = &faults[_i];
	struct finding found[2] = { { .image = "path" },
				    { .first = { .verdict = test->verdict, .kind = test->kind },
				      .count = test->count } };
	struct comparison comparison = { .findings = { found, 2, 0 } };

	set_up();
	strcpy(worker.path, "path");
	strcpy(found[1].image, test->image);
	ck_assert_msg(is_faulty(&worker, &comparison) == test->faulty, "%s", test->name);
	comparison.findings.count = 1;
	ck_assert(!is_faulty(&worker, &comparison));
}
END_TEST

/* Why a program is left out. */
static const struct clean_case {
	const char *name;
	uint64_t points, threads, execs, unproven, disturbances;
	int status;
	bool thin, overlapping, empty, faulty;
	const uint64_t *why; /* NULL: it is not */
} cleans[] = {
	{ "good", 1000, 1, 0, 0, 0, 0, false, false, false, false, NULL },
	{ "too_long", 1001, 1, 0, 0, 0, 0, false, false, false, false, &tally.left_out_long },
	{ "threads", 1000, 2, 0, 0, 0, 0, false, false, false, false, &tally.left_out_threads },
	{ "another_program", 9, 1, 1, 0, 0, 0, false, false, false, false,
	  &tally.left_out_threads },
	{ "it_fails", 9, 1, 0, 0, 0, 1 << 8, false, false, false, false, &tally.left_out_status },
	{ "it_dies", 9, 1, 0, 0, 0, 11, false, false, false, false, &tally.left_out_status },
	{ "it_is_thin", 9, 1, 0, 0, 0, 0, true, false, false, false, &tally.left_out_status },
	{ "fdes_overlap", 9, 1, 0, 0, 0, 0, false, true, false, false, &tally.left_out_overlap },
	{ "an_fde_is_empty", 9, 1, 0, 0, 0, 0, false, false, true, false, &tally.left_out_overlap },
	{ "a_point_is_unproven", 9, 1, 0, 1, 0, 0, false, false, false, false,
	  &tally.left_out_doubt },
	{ "it_is_disturbed", 9, 1, 0, 0, 1, 0, false, false, false, false, &tally.left_out_doubt },
	{ "it_is_faulty", 9, 1, 0, 0, 0, 0, false, false, false, true, &tally.left_out_faulty },
	{ "the_first_reason_counts", 1001, 2, 1, 1, 1, 11, true, true, true, true,
	  &tally.left_out_long },
};

START_TEST(the_clean_run)
{
	const struct clean_case *test = &cleans[_i];
	struct finding finding = { .first = { .verdict = VERDICT_TABLE_FAULT, .kind = FAULT_WRONG },
				   .image = "folder/000000" };
	uint64_t sum = 0;
	struct error error;

	set_up();
	tally = (struct plant_tally) { .next = 0 };
	worker.planting = NULL;
	made_up.comparison =
		(struct comparison) { .points = test->points,
				      .status = test->status,
				      .engine_count = 3,
				      .findings = { &finding, 1, 0 },
				      .truth = { .threads = test->threads,
						 .execs = test->execs,
						 .rules.disturbances = test->disturbances } };
	made_up.comparison.verdict[VERDICT_UNPROVEN] = test->unproven;
	made_up.comparison.engine[2].skipped = true;
	finding.count = test->faulty;
	made_up.thin = test->thin;
	cfi.overlapping = test->overlapping;
	fde[1].pc_range = test->empty ? 0 : 16;
	ck_assert_msg(run_clean(&worker, &error) == (test->why != NULL), "%s", test->name);
	ck_assert(!test->why || *test->why == 1);
	sum = tally.left_out_long + tally.left_out_threads + tally.left_out_status +
	      tally.left_out_overlap + tally.left_out_doubt + tally.left_out_faulty;
	ck_assert_uint_eq(sum, test->why != NULL);
	ck_assert_uint_eq(tally.without_bpf, test->why == NULL);
	ck_assert_ptr_eq(worker.clean_findings.finding, &finding);
	ck_assert_uint_eq(made_up.point_limit, 1001);
	ck_assert_str_eq(worker.path, "folder/000000");
	worker.clean.failed = true;
	ck_assert_int_eq(run_clean(&worker, &error), -1);
	ck_assert_str_eq(worker.path, "folder/000001");
	ck_assert_str_eq(error.message, "no memory for a run's verdicts");
}
END_TEST

/* ---- what is said --------------------------------------------------------------------------- */

static enum fate said_fate;

static int say_fate(int count, char **arguments)
{
	count_fate(&worker, said_fate);
	printf("%d%d%d%d%d%d %d %d\n", (int)tally.kind[2].caught, (int)tally.kind[2].missed,
	       (int)tally.kind[2].misblamed, (int)tally.kind[2].broken, (int)tally.kind[2].unproven,
	       (int)tally.kind[2].no_effect, (int)tally.faults, (int)tally.points);
	return 0;
}

START_TEST(fates_are_counted_and_said)
{
	static const char *const counts[] = { "100000 4 30\n", "010000 4 30\n", "001000 4 30\n",
					      "000100 4 30\n", "000010 4 30\n", "000001 4 30\n" };
	static char name[] = "plant";
	char *arguments[] = { name, NULL }, *said, wanted[640];
	bool fails = _i == FATE_MISSED || _i == FATE_MISBLAMED || _i == FATE_BROKEN;
	int status;

	set_up();
	said_fate = _i;
	worker.clean.count = 30;
	worker.outcome = (struct outcome) { .faults = 4,
					    .silent = 2,
					    .effect = 7,
					    .first_silent = 0xabc,
					    .other = _i == FATE_MISBLAMED,
					    .first_other = { 0xd, 0xe, 5, VERDICT_WALK_FAULT,
							     FAULT_WRONG } };
	said = command_output(say_fate, arguments, &status);
	snprintf(wanted, sizeof(wanted),
		 "FAIL %s: program %s in victim row 3, 0x1000..0x1010: was before, is after\n"
		 "\t7 points led astray, 2 of them unnoticed (pc 0xabc), 4 table faults, %d "
		 "otherwise%s\n%s",
		 fate_names[_i], plant_kind_at(2)->name, _i == FATE_MISBLAMED,
		 _i == FATE_MISBLAMED ? ": walk_fault (wrong) at pc 0xd, frame 5, blamed 0xe" : "",
		 counts[_i]);
	ck_assert_str_eq(said, fails ? wanted : counts[_i]);
	free(said);
	options.json = true;
	said = command_output(say_fate, arguments, &status);
	snprintf(wanted, sizeof(wanted),
		 "{\"type\":\"planted\",\"program\":\"program\",\"kind\":\"%s\","
		 "\"function\":\"victim\",\"row\":3,\"pc\":\"0x1000\",\"pc_end\":\"0x1010\","
		 "\"declared\":\"before\",\"planted\":\"after\",\"fate\":\"%s\",\"points\":7,"
		 "\"table_faults\":4}\n%s",
		 plant_kind_at(2)->name, fate_names[_i], counts[_i]);
	ck_assert_str_eq(said, wanted);
	free(said);
}
END_TEST

/* ---- how many, and where -------------------------------------------------------------------- */

static const struct share_case {
	struct plant_count count;
	uint64_t programs;
	unsigned int share;
} shares[] = {
	{ { .caught = 0 }, 0, 1 },	 { { .caught = 0 }, 1, 6 },
	{ { .caught = 5 }, 10, 1 },	 { { .caught = 5 }, 11, 6 },
	{ { .caught = 19 }, 10, 1 },	 { { .caught = 20 }, 10, 0 },
	{ { .caught = 21 }, 10, 0 },	 { { .caught = 16 }, 100, 4 },
	{ { 3, 3, 3, 3, 9, 9 }, 25, 6 }, { { 3, 3, 3, 3, 9, 9 }, 24, 1 },
	{ { 5, 5, 5, 5, 0, 0 }, 99, 0 }, { { .unproven = 50, .no_effect = 50 }, 1, 6 },
};

START_TEST(how_many_a_program_gets)
{
	set_up();
	tally = (struct plant_tally) { .programs = shares[_i].programs };
	tally.kind[7] = shares[_i].count;
	ck_assert_uint_eq(share(&worker, 7), shares[_i].share);
}
END_TEST

START_TEST(places_are_rows_that_were_looked_up)
{
	struct place place[8];

	set_up();
	made_up.rows = 3;
	memset(worker.executed, 0, 4);
	ck_assert_uint_eq(list_places(&worker, plant_kind_at(0), place, 8), 0);
	worker.executed[1] = worker.executed[3] = true;
	ck_assert_uint_eq(list_places(&worker, plant_kind_at(0), place, 8), 6);
	for (size_t i = 0; i < 6; i++) {
		ck_assert_ptr_eq(place[i].fde, &fde[i < 3 ? 1 : 3]);
		ck_assert_uint_eq(place[i].row, i % 3);
	}
	ck_assert_uint_eq(list_places(&worker, plant_kind_at(0), place, 4), 4);
	made_up.rows = 0;
	ck_assert_uint_eq(list_places(&worker, plant_kind_at(0), place, 8), 0);
}
END_TEST

static const struct everywhere_case {
	const char *name;
	bool refuses;
	struct outcome outcome; /* of each run */
	size_t rows;
	int planted, runs;
} everywheres[] = {
	{ "refused_at_each", true, { .faults = 0 }, 4, 16, 0 },
	{ "no_effect_at_each", false, { .faults = 0 }, 4, 16, 16 },
	{ "no_effect_at_more", false, { .faults = 0 }, 8, 16, 16 },
	{ "refused_at_more", true, { .faults = 0 }, 8, 32, 0 },
	{ "missed_at_each", false, { .silent = 1 }, 4, 6, 6 },
	{ "nowhere", false, { .silent = 1 }, 0, 0, 0 },
};

/* Each place is tried once at most. */
START_TEST(a_kind_in_a_program)
{
	const struct everywhere_case *test = &everywheres[_i];
	static const int in_order[] = { 301, 3, 2, 201, 200, 102 };
	bool seen[512] = { false };
	int first[64];
	struct error error;

	options.json = false;
	for (int again = 0; again < 3; again++) {
		FILE *out = stdout;

		set_up();
		tally = (struct plant_tally) { .programs = 1 };
		memset(worker.executed, 1, 4);
		worker.planting = NULL;
		made_up.rows = test->rows;
		made_up.refuses = test->refuses;
		made_up.planted = made_up.runs = 0;
		made_up.comparison = (struct comparison) { .points = 1 };
		next_outcome = test->outcome;
		stdout = fopen("/dev/null", "we");
		ck_assert_int_eq(plant_kind_everywhere(&worker, 2, again == 2 ? 99 : 7, &error), 0);
		fclose(stdout);
		stdout = out;
		ck_assert_msg(made_up.planted == test->planted && made_up.runs == test->runs,
			      "%s: %d, %d", test->name, made_up.planted, made_up.runs);
		for (int i = 0; i < made_up.planted; i++) {
			int place = made_up.places[i];

			ck_assert(again || !seen[place]);
			seen[place] = true;
		}
		if (!again && _i == 4)
			ck_assert(!memcmp(made_up.places, in_order, sizeof(in_order)));
		if (!again)
			memcpy(first, made_up.places, sizeof(first));
		/* The same order by the same number, another one by another. */
		ck_assert_int_eq(!memcmp(first, made_up.places, sizeof(int) * made_up.planted),
				 again < 2 || !made_up.planted);
	}
	ck_assert_ptr_null(worker.planting);
}
END_TEST

/* ---- where the clean run was ---------------------------------------------------------------- */

START_TEST(what_was_looked_up_is_noted)
{
	struct shadow_frame frame[2] = { { .return_address = IMAGE + 116 },
					 { .return_address = 301 } };
	struct shadow_stack shadow = { .frame = frame, .count = 2 };
	struct trace_stop stop = { .shadow = &shadow };
	struct point point = { .stop = &stop };
	const struct judgement judgement = {
		.verdict = VERDICT_WALK_FAULT, .kind = FAULT_WRONG, .frame = 4, .pc = 77
	};

	set_up();
	worker.planting = NULL;
	memset(worker.executed, 0, 4);
	stop.regs.value[REGISTER_RIP] = IMAGE + 208;
	on_judgement(&worker, &point, &judgement);
	ck_assert_uint_eq(worker.clean.count, 1);
	ck_assert(
		said_equal(&worker.clean.said[0],
			   &(struct said) { IMAGE + 208, 77, 4, VERDICT_WALK_FAULT, FAULT_WRONG }));
	/* The PC's, the caller's whose call is the byte before; and none of another image. */
	ck_assert(!worker.executed[0] && worker.executed[1] && worker.executed[2] &&
		  !worker.executed[3]);
	free(worker.clean.said);
}
END_TEST

SUITE(plant_worker, TIMEOUT(300), TEST(each_part_of_what_is_said_counts),
      LOOP(a_point_of_a_planting, points), TEST(points_add_up), LOOP(a_run_is_judged, judged),
      LOOP(who_is_named, names), LOOP(a_program_s_own_faults, faults), LOOP(the_clean_run, cleans),
      LOOP(fates_are_counted_and_said, fate_names), LOOP(how_many_a_program_gets, shares),
      TEST(places_are_rows_that_were_looked_up), LOOP(a_kind_in_a_program, everywheres),
      TEST(what_was_looked_up_is_noted))
