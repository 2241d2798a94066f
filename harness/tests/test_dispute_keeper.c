/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_dispute_keeper.c - which points of a run become cases
 *
 * The keeper is told of points of one stopped child, and what became of their truths. Where ptrace is
 * not permitted it prints SKIP and the reason.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include "disputes/disputes.h"
#include "stopped_child.h"
#include "verdict/verdict.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

__asm__(".text\n"
	".balign 16\n"
	"keeper_leaf: .cfi_startproc; push %rbx; .cfi_adjust_cfa_offset 8; int3\n"
	"keeper_leaf_after: pop %rbx; .cfi_adjust_cfa_offset -8; ret; .cfi_endproc\n"
	"keeper_outer: .cfi_startproc; .cfi_undefined rip; call keeper_leaf\n"
	"keeper_outer_after: nop; .cfi_endproc\n");

extern const char keeper_outer[], keeper_leaf_after[], keeper_outer_after[];

static char folder[] = "/tmp/test_dispute_keeper.XXXXXX";
static char *command[] = { (char *)"compare", (char *)"--it", NULL };

struct told {
	const char *name; /* of a table */
	enum verdict verdict;
	enum fault_kind kind;
	const char
		*truths; /* of each point: p proven, u unproven, r refuted, c claim not proven, . */
	uint64_t point;	 /* that is kept; 0: none */
	const char *folder, *said;
};

/* Tells of a point with its true stack, and an engine's that has one frame of it. */
static void tell(struct dispute_keeper *keeper, struct stopped_child *child,
		 const struct told *told)
{
	const uint64_t pc[] = { (uint64_t)keeper_leaf_after, (uint64_t)keeper_outer_after };
	struct stack truth = { 0 }, short_one = { 0 };
	struct judgement judgement = { .verdict = told->verdict, .kind = told->kind, .pc = pc[0] };
	struct evidence evidence = { .point = &child->point, .truth = &truth };
	struct shadow_stack shadow = { .rooted = true };
	struct error error;

	child->stop.shadow = &shadow;
	ck_assert(!stack_set(&truth, pc, 2, STOP_COMPLETE, &error));
	ck_assert(!stack_set(&short_one, pc, 1, STOP_HELPER, &error));
	dispute_keeper_evidence(keeper, &evidence);
	dispute_keeper_stack(keeper, &engine_fp, &short_one);
	ck_assert_msg(!dispute_keeper_point(keeper, &child->point, &judgement, &error), "%s",
		      error.message);
	stack_deinit(&truth);
	stack_deinit(&short_one);
	child->stop.shadow = NULL;
}

static void settle(struct dispute_keeper *keeper, uint64_t point, char truth)
{
	if (truth != '.')
		dispute_keeper_settle(keeper, point, truth == 'r' || truth == 'c',
				      truth == 'p' || truth == 'r');
}

/* A whole run. What was said goes to *ret_said, to be freed. */
static int run(const struct dispute_wish *wish, struct stopped_child *child,
	       const struct told *told, char **ret_said, struct error *error)
{
	struct dispute_keeper *keeper;
	size_t size;
	FILE *said = open_memstream(ret_said, &size);
	int status;

	ck_assert_msg(!dispute_keeper_create(wish, &keeper, error), "%s", error->message);
	dispute_keeper_begin(keeper, "./it");
	for (size_t i = 0; told->truths[i]; i++) {
		tell(keeper, child, told);
		settle(keeper, i + 1, told->truths[i]);
	}
	status = dispute_keeper_end(keeper, said, error);
	dispute_keeper_destroy(keeper);
	fclose(said);
	return status;
}

/* The case's point and truth. 0: there is no such case. */
static uint64_t kept_point(const char *path, char truth[16])
{
	struct dispute_folder images;
	struct error error;
	struct dispute *dispute = dispute_read(path, &images, &error);
	uint64_t point = dispute ? dispute->point : 0;

	snprintf(truth, 16, "%s", dispute ? dispute_text(dispute, "truth") : "");
	if (dispute) {
		ck_assert_str_eq(dispute_text(dispute, "program"), "./it");
		ck_assert_uint_eq(json_array_size(json_object_get(dispute->about, "command")), 2);
		ck_assert(dispute_find_answer(dispute, "fp")->in_kernel);
	}
	dispute_destroy(dispute);
	dispute_folder_deinit(&images);
	return point;
}

static void clean(void)
{
	char *argv;

	ck_assert(asprintf(&argv, "rm -r %s", folder) > 0);
	ck_assert_int_eq(system(argv), 0);
	free(argv);
}

/* ---- asked for by number ---------------------------------------------------------------- */

static const struct {
	const char *truth;
	struct told told;
} numbers[] = {
	{ "proven", { "proven", VERDICT_EXACT, FAULT_NONE, "upu", 2, NULL, NULL } },
	{ "unproven", { "unproven", VERDICT_UNPROVEN, FAULT_NONE, "pup", 2, NULL, NULL } },
	{ "refuted", { "refuted", VERDICT_TABLE_FAULT, FAULT_WRONG, "prp", 2, NULL, NULL } },
	{ "open", { "open", VERDICT_EXACT, FAULT_NONE, "p.p", 2, NULL, NULL } },
	{ "open", { "a_claim_that_failed", VERDICT_EXACT, FAULT_NONE, "pcp", 2, NULL, NULL } },
	{ "", { "not_there", VERDICT_EXACT, FAULT_NONE, "p", 0, NULL, NULL } },
};

START_TEST(a_point_by_its_number)
{
	const struct told *told = &numbers[_i].told;
	struct engine_list engines = { { &engine_fp }, 1, { NULL }, 0 };
	struct dispute_wish wish = { .at = 2, .engines = &engines, .command = command };
	char path[64], truth[16], *said, *expected;
	struct stopped_child child;
	struct error error = { 0 };

	if (!stopped_child_init(&child, keeper_outer, 0, 0, 0)) {
		printf("SKIP dispute_keeper: no ptrace\n");
		return;
	}
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/case", folder);
	wish.file = path;
	ck_assert_int_eq(run(&wish, &child, told, &said, &error), told->point ? 0 : -1);
	ck_assert_uint_eq(kept_point(path, truth), told->point);
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

#define LEFT_OUT "1 kinds of findings are left out, the truth of no point is proven\n"

static const struct told kinds[] = {
	{ "an_engine_where_nobody_is_at_fault", VERDICT_EXACT, FAULT_NONE, "pp", 1,
	  "01-fp-truncated", NULL },
	{ "the_first_that_is_proven", VERDICT_EXACT, FAULT_NONE, "u.rp", 4, "01-fp-truncated",
	  NULL },
	{ "four_wait_at_most", VERDICT_EXACT, FAULT_NONE, "....p", 0, NULL, LEFT_OUT },
	{ "what_is_settled_waits_no_more", VERDICT_EXACT, FAULT_NONE, "u...p", 5, "01-fp-truncated",
	  NULL },
	{ "nothing_is_proven", VERDICT_EXACT, FAULT_NONE, "uu", 0, NULL, LEFT_OUT },
	{ "a_verdict", VERDICT_TABLE_FAULT, FAULT_WRONG, "up", 2, "01-table_fault-wrong", NULL },
	{ "a_verdict_that_is_not_proven", VERDICT_TABLE_FAULT, FAULT_WRONG, "u.", 0, NULL,
	  LEFT_OUT },
	{ "no_fde_needs_no_proof", VERDICT_TABLE_FAULT, FAULT_MISSING, "u", 1,
	  "01-table_fault-missing", NULL },
	{ "but_a_proven_one_is_better", VERDICT_TABLE_FAULT, FAULT_MISSING, "up", 2,
	  "01-table_fault-missing", NULL },
	{ "and_no_refuted_one", VERDICT_TABLE_FAULT, FAULT_MISSING, "r", 0, NULL, LEFT_OUT },
	{ "a_silent_loss_needs_no_proof", VERDICT_CONVERSION_LOSS_SILENT, FAULT_SILENT, ".", 1,
	  "01-conversion_loss-silent", NULL },
	{ "a_walk_fault_needs_no_proof", VERDICT_WALK_FAULT, FAULT_WRONG, ".", 1,
	  "01-walk_fault-wrong", NULL },
	{ "unproven_is_no_finding", VERDICT_UNPROVEN, FAULT_NONE, "u", 0, NULL, NULL },
	{ "absent_is_no_finding", VERDICT_ABSENT, FAULT_NONE, "p", 0, NULL, NULL },
};

START_TEST(the_first_of_a_kind)
{
	static const char *const files[] = { "case", "report.txt", "rows.txt", "code.txt" };
	const struct told *told = &kinds[_i];
	struct engine_list engines = { { &engine_fp }, 1, { NULL }, 0 };
	struct dispute_wish wish = { .folder = folder, .engines = &engines, .command = command };
	char path[160], truth[16], *said;
	struct stopped_child child;
	struct error error = { 0 };

	if (!stopped_child_init(&child, keeper_outer, 0, 0, 0)) {
		printf("SKIP dispute_keeper: no ptrace\n");
		return;
	}
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_msg(!run(&wish, &child, told, &said, &error), "%s: %s", told->name,
		      error.message);
	if (told->point) {
		for (int i = 0; i < COUNT(files); i++) {
			snprintf(path, sizeof(path), "%s/%s/%s", folder, told->folder, files[i]);
			ck_assert_msg(!access(path, R_OK), "%s: %s", told->name, path);
		}
		snprintf(path, sizeof(path), "%s/%s/case", folder, told->folder);
		ck_assert_msg(kept_point(path, truth) == told->point, "%s: point %lu", told->name,
			      (unsigned long)kept_point(path, truth));
		snprintf(path, sizeof(path),
			 "%s/%s: point %lu, keeper_leaf_after+0x0 (test_dispute_keeper)\n", folder,
			 told->folder, (unsigned long)told->point);
		ck_assert_msg(!strcmp(said, path), "%s: %s", told->name, said);
	} else {
		ck_assert_int_eq(rmdir(folder), 0);
		ck_assert_ptr_nonnull(mkdtemp(strcpy(folder, "/tmp/test_dispute_keeper.XXXXXX")));
		ck_assert_msg(told->said ? strstr(said, told->said) != NULL : !*said, "%s: %s",
			      told->name, said);
	}
	free(said);
	clean();
	stopped_child_deinit(&child);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dispute_keeper");
	TCase *tcase = tcase_create("dispute_keeper");
	SRunner *runner = srunner_create(suite);

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, a_point_by_its_number, 0, COUNT(numbers));
	tcase_add_loop_test(tcase, the_first_of_a_kind, 0, COUNT(kinds));
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
