/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_dispute_keeper.c - which points of a run become cases
 *
 * The keeper is told of points of one stopped child, and what became of their truths. Where ptrace is
 * not permitted it prints SKIP and the reason.
 */
#include <sys/utsname.h>
#include "tests/suite.h"
#include "disputed_points.h"
#include "base/cli/exit_status.h"

/* A whole run. What was said goes to *ret_said, to be freed. */
static int run(const struct dispute_wish *wish, struct stopped_child *child,
	       const struct told *told, char **ret_said, struct error *error)
{
	struct dispute_keeper *keeper;
	size_t size;
	FILE *said = open_memstream(ret_said, &size);
	int status;

	ck_assert_msg(!dispute_keeper_create(wish, &keeper, error), "%s", error->message);
	dispute_keeper_begin(keeper, strchr(told->truths, '|') ? "./before" : "./it");
	for (size_t i = 0, point = 1; told->truths[i]; i++) {
		if (told->truths[i] == '|') {
			dispute_keeper_begin(keeper, "./it");
			point = 1;
			continue;
		}
		tell(keeper, child, told);
		settle(keeper, point++, told->truths[i]);
	}
	status = dispute_keeper_end(keeper, said, error);
	dispute_keeper_destroy(keeper);
	fclose(said);
	return status;
}

/* What was run, by what, and where. */
static void assert_origin(const struct dispute *dispute)
{
	const json_t *words = json_object_get(dispute->about, "command");
	struct utsname kernel;

	ck_assert_uint_eq(json_array_size(words), 2);
	for (size_t i = 0; i < 2; i++)
		ck_assert_str_eq(json_string_value(json_array_get(words, i)), command[i]);
	ck_assert_int_eq(uname(&kernel), 0);
	ck_assert_str_eq(dispute_text(dispute, "kernel_release"), kernel.release);
	ck_assert_str_eq(dispute_text(dispute, "stackproof"), STACKPROOF_VERSION);
}

/* The case's point and truth. 0: there is no such case. */
static uint64_t kept_point(const char *path, const struct told *told, char truth[16])
{
	struct dispute_folder images;
	struct error error;
	struct dispute *dispute = dispute_read(path, &images, &error);
	uint64_t point = dispute ? dispute->point : 0;

	snprintf(truth, 16, "%s", dispute ? dispute_text(dispute, "truth") : "");
	if (dispute) {
		ck_assert_str_eq(dispute_text(dispute, "program"), "./it");
		assert_origin(dispute);
		ck_assert(dispute_find_answer(dispute, "fp")->in_kernel);
		ck_assert_int_eq(dispute->rooted, !told->unrooted);
		ck_assert_int_eq(dispute->follows, told->follows);
	}
	dispute_destroy(dispute);
	dispute_folder_deinit(&images);
	return point;
}

/* ---- asked for by number ---------------------------------------------------------------- */

static const struct {
	const char *truth;
	struct told told;
} numbers[] = {
	{ "proven", { "proven", VERDICT_EXACT, FAULT_NONE, "upu", 2, .said = NULL } },
	{ "unproven", { "unproven", VERDICT_UNPROVEN, FAULT_NONE, "pup", 2, .said = NULL } },
	{ "refuted", { "refuted", VERDICT_TABLE_FAULT, FAULT_WRONG, "prp", 2, .said = NULL } },
	{ "open", { "open", VERDICT_EXACT, FAULT_NONE, "p.p", 2, .said = NULL } },
	{ "unproven",
	  { "of_the_last_run", VERDICT_EXACT, FAULT_NONE, "ppp|pup", 2, .said = NULL } },
	{ "", { "not_there_in_the_last_run", VERDICT_EXACT, FAULT_NONE, "pp|p", 0, .said = NULL } },
	{ "open", { "a_claim_that_failed", VERDICT_EXACT, FAULT_NONE, "pcp", 2, .said = NULL } },
	{ "", { "not_there", VERDICT_EXACT, FAULT_NONE, "p", 0, .said = NULL } },
};

START_TEST(a_point_by_its_number)
{
	const struct told *told = &numbers[_i].told;
	struct engine_list engines = { { &engine_fp }, 1, { NULL }, 0 };
	struct dispute_wish wish = {
		.at = 2, .follows = told->follows, .engines = &engines, .command = command
	};
	char path[64], truth[16], *said, *expected;
	struct stopped_child child;
	struct error error = { 0 };

	if (!stop_child(&child))
		return;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/case", folder);
	wish.file = path;
	ck_assert_int_eq(run(&wish, &child, told, &said, &error), told->point ? 0 : -1);
	ck_assert_uint_eq(kept_point(path, told, truth), told->point);
	ck_assert_str_eq(truth, numbers[_i].truth);
	ck_assert(asprintf(&expected, "%s: point 2 is kept\n", path) > 0);
	if (told->point)
		ck_assert_str_eq(said, expected);
	else
		ck_assert_str_eq(error.message, "there is no point 2 that could be judged");
	free(expected);
	free(said);
	clean();
	stopped_child_deinit(&child);
}
END_TEST

/* ---- the first of each kind ------------------------------------------------------------- */

static const struct told kinds[] = {
	{ "an_engine_where_nobody_is_at_fault", VERDICT_EXACT, FAULT_NONE, "pp", 1,
	  "01-fp-truncated", .said = NULL },
	{ "the_first_that_is_proven", VERDICT_EXACT, FAULT_NONE, "u.rp", 4, "01-fp-truncated",
	  .said = NULL },
	{ "four_wait_at_most", VERDICT_EXACT, FAULT_NONE, "....p", 0, .said = LEFT_OUT },
	{ "what_is_settled_waits_no_more", VERDICT_EXACT, FAULT_NONE, "u...p", 5, "01-fp-truncated",
	  .said = NULL },
	{ "what_is_refuted_waits_no_more", VERDICT_EXACT, FAULT_NONE, "r...p", 5, "01-fp-truncated",
	  .said = NULL },
	{ "nothing_is_proven", VERDICT_EXACT, FAULT_NONE, "uu", 0, .said = LEFT_OUT },
	{ "a_verdict", VERDICT_TABLE_FAULT, FAULT_WRONG, "up", 2, "01-table_fault-wrong",
	  .said = NULL },
	{ "a_verdict_that_is_not_proven", VERDICT_TABLE_FAULT, FAULT_WRONG, "u.", 0,
	  .said = LEFT_OUT },
	{ "no_fde_needs_no_proof", VERDICT_TABLE_FAULT, FAULT_MISSING, "u", 1,
	  "01-table_fault-missing", .said = NULL },
	{ "of_those_the_first", VERDICT_TABLE_FAULT, FAULT_MISSING, "uuu", 1,
	  "01-table_fault-missing", .said = NULL },
	{ "but_a_proven_one_is_better", VERDICT_TABLE_FAULT, FAULT_MISSING, "up", 2,
	  "01-table_fault-missing", .said = NULL },
	{ "and_no_refuted_one", VERDICT_TABLE_FAULT, FAULT_MISSING, "r", 0, .said = LEFT_OUT },
	{ "but_the_next_one", VERDICT_TABLE_FAULT, FAULT_MISSING, "r.", 2, "01-table_fault-missing",
	  .said = NULL },
	{ "a_silent_loss_needs_no_proof", VERDICT_CONVERSION_LOSS_SILENT, FAULT_SILENT, ".", 1,
	  "01-conversion_loss-silent", .said = NULL },
	{ "a_walk_fault_needs_no_proof", VERDICT_WALK_FAULT, FAULT_WRONG, ".", 1,
	  "01-walk_fault-wrong", .said = NULL },
	{ "a_flagged_loss_needs_no_proof", VERDICT_CONVERSION_LOSS_FLAGGED, FAULT_FLAGGED, ".", 1,
	  "01-conversion_loss-flagged", .said = NULL },
	{ "a_reader_fault_needs_no_proof", VERDICT_READER_FAULT, FAULT_WRONG, ".", 1,
	  "01-reader_fault-wrong", .said = NULL },
	{ "what_nothing_explains_needs_proof", VERDICT_UNEXPLAINED, FAULT_WRONG, ".", 0,
	  .said = LEFT_OUT },
	{ "of_the_last_run_only", VERDICT_EXACT, FAULT_NONE, "p|up", 2, "01-fp-truncated",
	  .said = NULL },
	{ "a_verdict_of_the_last_run_only", VERDICT_TABLE_FAULT, FAULT_WRONG, "p|up", 2,
	  "01-table_fault-wrong", .said = NULL },
	{ "four_of_each_run_wait", VERDICT_EXACT, FAULT_NONE, "....|p", 1, "01-fp-truncated",
	  .said = NULL },
	{ "what_the_last_run_proves_not", VERDICT_EXACT, FAULT_NONE, "p|u", 0, .said = LEFT_OUT },
	{ "how_it_was_followed_is_kept", VERDICT_TABLE_FAULT, FAULT_WRONG, "p", 1,
	  "01-table_fault-wrong", .follows = true },
	{ "that_it_has_no_root_is_kept", VERDICT_TABLE_FAULT, FAULT_WRONG, "p", 1,
	  "01-table_fault-wrong", .unrooted = true },
	{ "more_than_all", VERDICT_EXACT, FAULT_NONE, "p", 1, "01-fp-extra", .frames = 3 },
	{ "without_a_root_there_may_be_more", VERDICT_EXACT, FAULT_NONE, "p", 0, .unrooted = true,
	  .frames = 3 },
	{ "unproven_is_no_finding", VERDICT_UNPROVEN, FAULT_NONE, "u", 0, .said = NULL },
	{ "absent_is_no_finding", VERDICT_ABSENT, FAULT_NONE, "p", 0, .said = NULL },
};

START_TEST(the_first_of_a_kind)
{
	static const char *const files[] = { "case", "report.txt", "rows.txt", "code.txt" };
	const struct told *told = &kinds[_i];
	struct engine_list engines = { { &engine_fp }, 1, { NULL }, 0 };
	struct dispute_wish wish = {
		.folder = folder, .follows = told->follows, .engines = &engines, .command = command
	};
	char path[160], truth[16], *said;
	struct stopped_child child;
	struct error error = { 0 };

	if (!stop_child(&child))
		return;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_msg(!run(&wish, &child, told, &said, &error), "%s: %s", told->name,
		      error.message);
	if (told->point) {
		for (int i = 0; i < COUNT(files); i++) {
			snprintf(path, sizeof(path), "%s/%s/%s", folder, told->folder, files[i]);
			ck_assert_msg(!access(path, R_OK), "%s: %s", told->name, path);
		}
		snprintf(path, sizeof(path), "%s/%s/case", folder, told->folder);
		ck_assert_msg(kept_point(path, told, truth) == told->point, "%s: point %lu",
			      told->name, (unsigned long)kept_point(path, told, truth));
		snprintf(path, sizeof(path),
			 "%s/%s: point %lu, keeper_leaf_after+0x0 (test_dispute_keeper)\n", folder,
			 told->folder, (unsigned long)told->point);
		ck_assert_msg(!strcmp(said, path), "%s: %s", told->name, said);
	} else {
		ck_assert_int_eq(rmdir(folder), 0);
		ck_assert_ptr_nonnull(mkdtemp(strcpy(folder, "/tmp/disputed_points.XXXXXX")));
		ck_assert_msg(told->said ? strstr(said, told->said) != NULL : !*said, "%s: %s",
			      told->name, said);
	}
	free(said);
	clean();
	stopped_child_deinit(&child);
}
END_TEST

#define TOLD(...) IN_BRACES(__VA_ARGS__)

/* Where the fault is; where nobody's is, or nobody knows where, it is where the thread is. */
static const struct {
	struct told told;
	const char *function;
	int frame;
	const char *instruction, *declared; /* how they begin */
} places[] = {
	{ TOLD("the_fault's", VERDICT_TABLE_FAULT, FAULT_WRONG, "p", .frame = 1), "keeper_outer", 1,
	  "call", "cfa=" },
	{ TOLD("nobody's", VERDICT_EXACT, FAULT_NONE, "p", .frame = 1), "keeper_leaf_after", 0,
	  "pop", "cfa=" },
	{ TOLD("unknown", VERDICT_TABLE_FAULT, FAULT_WRONG, "p", .frame = 1, .nowhere = true),
	  "keeper_leaf_after", 0, "pop", "cfa=" },
};

static void assert_begins(const struct dispute *dispute, const char *key, const char *text)
{
	ck_assert_msg(!strncmp(dispute_text(dispute, key), text, strlen(text)), "%s: %s", key,
		      dispute_text(dispute, key));
}

START_TEST(a_case_has_its_place)
{
	struct engine_list engines = { { &engine_fp }, 1, { NULL }, 0 };
	struct dispute_wish wish = { .at = 1, .engines = &engines, .command = command };
	struct told told = places[_i].told;
	struct stopped_child child;
	struct dispute_folder images;
	struct dispute *dispute;
	struct error error = { 0 };
	char path[64], text[32], *said;
	uint64_t pc;

	if (!stop_child(&child))
		return;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/case", folder);
	wish.file = path;
	told.at = (uint64_t)keeper_outer_after - 1;
	ck_assert_msg(!run(&wish, &child, &told, &said, &error), "%s", error.message);
	dispute = dispute_read(path, &images, &error);
	ck_assert_msg(dispute != NULL, "%s", error.message);
	ck_assert_str_eq(dispute_text(dispute, "function"), places[_i].function);
	ck_assert_int_eq(json_integer_value(json_object_get(dispute->about, "frame")),
			 places[_i].frame);
	pc = places[_i].frame ? told.at : (uint64_t)keeper_leaf_after;
	snprintf(text, sizeof(text), "0x%lx", (unsigned long)pc);
	ck_assert_str_eq(dispute_text(dispute, "pc"), text);
	snprintf(text, sizeof(text), "0x%lx",
		 (unsigned long)(pc - address_space_find(&child.space, pc)->bias));
	ck_assert_str_eq(dispute_text(dispute, "address"), text);
	assert_begins(dispute, "instruction", places[_i].instruction);
	assert_begins(dispute, "declared", places[_i].declared);
	dispute_destroy(dispute);
	dispute_folder_deinit(&images);
	free(said);
	clean();
	stopped_child_deinit(&child);
}
END_TEST

/* What a point costs that comes behind others of its kind: nothing of it is read if it isn't kept. */
static const struct {
	const char *name, *truths; /* of those before */
	bool kept;
} costs[] = {
	{ "the_first", "", true },
	{ "behind_an_unproven_one", "u", true },
	{ "behind_a_proven_one", "p", false },
	{ "behind_a_proven_and_an_unproven_one", "up", false },
	{ "behind_as_many_as_may_wait", "....", false },
};

struct counted_memory {
	const struct memory_reader *from;
	unsigned int reads;
};

static int read_counted(void *context, uint64_t address, void *ret, size_t size)
{
	struct counted_memory *memory = context;

	memory->reads++;
	return memory->from->read(memory->from->context, address, ret, size);
}

START_TEST(what_is_not_kept_is_not_read)
{
	const struct told told = { .verdict = VERDICT_EXACT };
	struct dispute_wish wish = { .folder = folder, .command = command };
	struct counted_memory memory = { NULL, 0 };
	const struct memory_reader reader = { read_counted, &memory };
	const char *truths = costs[_i].truths;
	struct dispute_keeper *keeper;
	struct stopped_child child;

	if (!stop_child(&child))
		return;
	memory.from = &child.reader;
	child.point.memory = &reader;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	keeper = open_keeper(&wish);
	dispute_keeper_begin(keeper, "./it");
	for (uint64_t i = 0; truths[i]; i++) {
		tell(keeper, &child, &told);
		settle(keeper, i + 1, truths[i]);
	}
	memory.reads = 0;
	tell(keeper, &child, &told);
	ck_assert_msg((memory.reads > 0) == costs[_i].kept, "%s", costs[_i].name);
	dispute_keeper_destroy(keeper);
	clean();
	stopped_child_deinit(&child);
}
END_TEST

/* One frame, then three of two: each is a kind of the same engine's. */
START_TEST(an_engine_has_a_case_for_each_way_to_be_wrong)
{
	static const struct told told[] = { { .verdict = VERDICT_EXACT, .frames = 1 },
					    { .verdict = VERDICT_EXACT, .frames = 3 } };
	struct engine_list engines = { { &engine_fp }, 1, { NULL }, 0 };
	struct dispute_wish wish = { .folder = folder, .engines = &engines, .command = command };
	struct dispute_keeper *keeper;
	struct stopped_child child;
	struct error error = { 0 };
	char path[160];
	FILE *said = fopen("/dev/null", "w");

	if (!stop_child(&child))
		return;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	keeper = open_keeper(&wish);
	dispute_keeper_begin(keeper, "./it");
	for (uint64_t i = 0; i < 2; i++) {
		tell(keeper, &child, &told[i]);
		settle(keeper, i + 1, 'p');
	}
	ck_assert_msg(!dispute_keeper_end(keeper, said, &error), "%s", error.message);
	snprintf(path, sizeof(path), "%s/01-fp-truncated/case", folder);
	ck_assert_int_eq(access(path, R_OK), 0);
	snprintf(path, sizeof(path), "%s/02-fp-extra/case", folder);
	ck_assert_int_eq(access(path, R_OK), 0);
	fclose(said);
	dispute_keeper_destroy(keeper);
	clean();
	stopped_child_deinit(&child);
}
END_TEST

/* The first point has two engines' stacks, the second the last engine's only. */
static const struct {
	const char *name, *truths;
	const char *fp, *bpf; /* the folders; NULL: there is none */
	bool left_out;
} engines_cases[] = {
	{ "each_has_its_own", "pp", "01-fp-truncated", "02-bpf-truncated", false },
	{ "both_of_one_point", "pu", "01-fp-truncated", "02-bpf-truncated", false },
	{ "proven_of_one_only", "up", NULL, "01-bpf-truncated", true },
};

START_TEST(engines_have_a_case_each)
{
	static const struct engine *const both[] = { &engine_fp, &engine_bpf, NULL };
	struct engine_list engines = { { &engine_fp, &engine_bpf }, 2, { NULL }, 0 };
	struct dispute_wish wish = { .folder = folder, .engines = &engines, .command = command };
	const struct told told = { .verdict = VERDICT_EXACT };
	struct dispute_keeper *keeper;
	struct stopped_child child;
	char *text, path[160];

	if (!stop_child(&child))
		return;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	keeper = open_keeper(&wish);
	dispute_keeper_begin(keeper, "./it");
	for (uint64_t i = 0; i < 2; i++) {
		tell_of(keeper, &child, &told, both + i);
		settle(keeper, i + 1, engines_cases[_i].truths[i]);
	}
	text = end_of(keeper);
	for (int i = 0; i < 2; i++) {
		const char *wanted = i ? engines_cases[_i].bpf : engines_cases[_i].fp;

		snprintf(path, sizeof(path), "%s/%s/case", folder, wanted ? wanted : "");
		ck_assert_msg(!access(path, R_OK) == !!wanted, "%s: %s", engines_cases[_i].name,
			      text);
	}
	ck_assert_int_eq(strstr(text, LEFT_OUT) != NULL, engines_cases[_i].left_out);
	free(text);
	dispute_keeper_destroy(keeper);
	clean();
	stopped_child_deinit(&child);
}
END_TEST

SUITE(dispute_keeper, TIMEOUT(300), LOOP(a_point_by_its_number, numbers),
      LOOP(the_first_of_a_kind, kinds), LOOP(a_case_has_its_place, places),
      LOOP(what_is_not_kept_is_not_read, costs),
      TEST(an_engine_has_a_case_for_each_way_to_be_wrong),
      LOOP(engines_have_a_case_each, engines_cases))
