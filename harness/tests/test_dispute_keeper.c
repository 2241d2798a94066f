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
#include <sys/mman.h>
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
	const char *truths; /* of each point: p proven, u unproven, r refuted, c claim not proven, .
			    and | where another run begins */
	uint64_t point;	    /* that is kept; 0: none */
	const char *folder, *said;
	bool unrooted, follows;
	uint32_t frames; /* that the engine has; 0: one */
	uint64_t at;	 /* the fault's PC; 0: the leaf's */
	uint32_t frame;	 /* of the fault */
	bool nowhere;	 /* the fault has no PC */
};

/* Tells of a point with its true stack, and the engines'. */
static void tell_of(struct dispute_keeper *keeper, struct stopped_child *child,
		    const struct told *told, const struct engine *const *engine)
{
	const uint64_t pc[] = { (uint64_t)keeper_leaf_after, (uint64_t)keeper_outer_after, 0x1000 };
	struct stack truth = { 0 }, other = { 0 };
	struct judgement judgement = { .verdict = told->verdict,
				       .kind = told->kind,
				       .pc = told->nowhere ? 0 : told->at ?: pc[0],
				       .frame = told->frame };
	struct evidence evidence = { .point = &child->point, .truth = &truth };
	struct shadow_stack shadow = { .rooted = !told->unrooted };
	struct error error;

	child->stop.shadow = &shadow;
	ck_assert(!stack_set(&truth, pc, 2, STOP_COMPLETE, &error));
	ck_assert(!stack_set(&other, pc, told->frames ?: 1, STOP_HELPER, &error));
	dispute_keeper_evidence(keeper, &evidence);
	while (*engine)
		dispute_keeper_stack(keeper, *engine++, &other);
	ck_assert_msg(!dispute_keeper_point(keeper, &child->point, &judgement, &error), "%s",
		      error.message);
	stack_deinit(&truth);
	stack_deinit(&other);
	child->stop.shadow = NULL;
}

static void tell(struct dispute_keeper *keeper, struct stopped_child *child,
		 const struct told *told)
{
	static const struct engine *const fp[] = { &engine_fp, NULL };

	tell_of(keeper, child, told, fp);
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
		ck_assert_uint_eq(json_array_size(json_object_get(dispute->about, "command")), 2);
		ck_assert(dispute_find_answer(dispute, "fp")->in_kernel);
		ck_assert_int_eq(dispute->rooted, !told->unrooted);
		ck_assert_int_eq(dispute->follows, told->follows);
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

	if (!stopped_child_init(&child, keeper_outer, 0, 0, 0)) {
		printf("SKIP dispute_keeper: no ptrace\n");
		return;
	}
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

#define LEFT_OUT "1 kinds of findings are left out, the truth of no point is proven\n"

static const struct told kinds[] = {
	{ "an_engine_where_nobody_is_at_fault", VERDICT_EXACT, FAULT_NONE, "pp", 1,
	  "01-fp-truncated", .said = NULL },
	{ "the_first_that_is_proven", VERDICT_EXACT, FAULT_NONE, "u.rp", 4, "01-fp-truncated",
	  .said = NULL },
	{ "four_wait_at_most", VERDICT_EXACT, FAULT_NONE, "....p", 0, .said = LEFT_OUT },
	{ "what_is_settled_waits_no_more", VERDICT_EXACT, FAULT_NONE, "u...p", 5, "01-fp-truncated",
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
		ck_assert_msg(kept_point(path, told, truth) == told->point, "%s: point %lu",
			      told->name, (unsigned long)kept_point(path, told, truth));
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

/* Where the fault is; where nobody's is, or nobody knows where, it is where the thread is. */
static const struct {
	struct told told;
	const char *function;
	int frame;
} places[] = {
	{ { "the_fault's", VERDICT_TABLE_FAULT, FAULT_WRONG, "p", .frame = 1 }, "keeper_outer", 1 },
	{ { "nobody's", VERDICT_EXACT, FAULT_NONE, "p", .frame = 1 }, "keeper_leaf_after", 0 },
	{ { "unknown", VERDICT_TABLE_FAULT, FAULT_WRONG, "p", .frame = 1, .nowhere = true },
	  "keeper_leaf_after",
	  0 },
};

START_TEST(a_case_has_its_place)
{
	struct engine_list engines = { { &engine_fp }, 1, { NULL }, 0 };
	struct dispute_wish wish = { .at = 1, .engines = &engines, .command = command };
	struct told told = places[_i].told;
	struct stopped_child child;
	struct dispute_folder images;
	struct dispute *dispute;
	struct error error = { 0 };
	char path[64], *said;

	if (!stopped_child_init(&child, keeper_outer, 0, 0, 0)) {
		printf("SKIP dispute_keeper: no ptrace\n");
		return;
	}
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
	struct error error = { 0 };

	if (!stopped_child_init(&child, keeper_outer, 0, 0, 0)) {
		printf("SKIP dispute_keeper: no ptrace\n");
		return;
	}
	memory.from = &child.reader;
	child.point.memory = &reader;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_msg(!dispute_keeper_create(&wish, &keeper, &error), "%s", error.message);
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

	if (!stopped_child_init(&child, keeper_outer, 0, 0, 0)) {
		printf("SKIP dispute_keeper: no ptrace\n");
		return;
	}
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_msg(!dispute_keeper_create(&wish, &keeper, &error), "%s", error.message);
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
	struct error error = { 0 };
	char *text, path[160];
	size_t size;
	FILE *said;

	if (!stopped_child_init(&child, keeper_outer, 0, 0, 0)) {
		printf("SKIP dispute_keeper: no ptrace\n");
		return;
	}
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_msg(!dispute_keeper_create(&wish, &keeper, &error), "%s", error.message);
	dispute_keeper_begin(keeper, "./it");
	for (uint64_t i = 0; i < 2; i++) {
		tell_of(keeper, &child, &told, both + i);
		settle(keeper, i + 1, engines_cases[_i].truths[i]);
	}
	said = open_memstream(&text, &size);
	ck_assert_msg(!dispute_keeper_end(keeper, said, &error), "%s", error.message);
	fclose(said);
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

/* ---- a keeper of several runs ----------------------------------------------------------- */

static char *end_of(struct dispute_keeper *keeper)
{
	struct error error;
	char *text;
	size_t size;
	FILE *said = open_memstream(&text, &size);

	ck_assert_msg(!dispute_keeper_end(keeper, said, &error), "%s", error.message);
	fclose(said);
	return text;
}

/* Verdicts, kinds and functions are more than a bundle has cases; the next run has one. */
START_TEST(kinds_beyond_a_bundle_are_counted)
{
	static const enum verdict verdicts[] = { VERDICT_TABLE_FAULT, VERDICT_UNEXPLAINED };
	const uint64_t pc[] = { (uint64_t)keeper_leaf_after, (uint64_t)keeper_outer_after };
	struct dispute_wish wish = { .folder = folder, .command = command };
	char *text, wanted[128];
	struct told told = { .name = NULL };
	struct dispute_keeper *keeper;
	struct stopped_child child;
	struct error error = { 0 };
	uint64_t point = 0;

	if (!stopped_child_init(&child, keeper_outer, 0, 0, 0)) {
		printf("SKIP dispute_keeper: no ptrace\n");
		return;
	}
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_msg(!dispute_keeper_create(&wish, &keeper, &error), "%s", error.message);
	dispute_keeper_begin(keeper, "./before");
	for (int i = 0; i < 4; i++)
		for (int kind = FAULT_WRONG; kind < FAULT_KIND_COUNT; kind++) {
			told.verdict = verdicts[i / 2];
			told.kind = (enum fault_kind)kind;
			told.at = pc[i % 2];
			tell(keeper, &child, &told);
			settle(keeper, ++point, 'u');
		}
	tell(keeper, &child, &told); /* once more, of a kind that is not kept */
	ck_assert_uint_gt(point, DISPUTES_MAX);
	text = end_of(keeper);
	snprintf(wanted, sizeof(wanted), "%s: of more than %u kinds nothing is kept, %d points\n",
		 folder, DISPUTES_MAX, (int)(point + 1 - DISPUTES_MAX));
	ck_assert_msg(strstr(text, wanted) != NULL, "%s", text);
	free(text);
	dispute_keeper_begin(keeper, "./it");
	tell(keeper, &child, &told);
	settle(keeper, 1, 'u');
	text = end_of(keeper);
	snprintf(wanted, sizeof(wanted), "%s: %s", folder, LEFT_OUT);
	ck_assert_str_eq(text, wanted);
	free(text);
	dispute_keeper_destroy(keeper);
	clean();
	stopped_child_deinit(&child);
}
END_TEST

/* The first is told, at the next point; and not of the next run. */
START_TEST(a_failure_is_of_its_run)
{
	const struct told told = { .verdict = VERDICT_EXACT };
	struct dispute_wish wish = { .folder = folder, .command = command };
	struct stack longest = { .count = STACK_FRAMES_MAX + 1 },
		     longer = { .count = STACK_FRAMES_MAX + 2 };
	struct judgement judgement = { .verdict = VERDICT_EXACT };
	struct dispute_keeper *keeper;
	struct stopped_child child;
	struct evidence evidence;
	struct error error = { 0 };
	char wanted[64];

	if (!stopped_child_init(&child, keeper_outer, 0, 0, 0)) {
		printf("SKIP dispute_keeper: no ptrace\n");
		return;
	}
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_msg(!dispute_keeper_create(&wish, &keeper, &error), "%s", error.message);
	dispute_keeper_begin(keeper, "./before");
	evidence = (struct evidence) { .point = &child.point, .truth = &longest };
	dispute_keeper_evidence(keeper, &evidence);
	dispute_keeper_stack(keeper, &engine_fp, &longer);
	ck_assert_int_eq(dispute_keeper_point(keeper, &child.point, &judgement, &error), -1);
	snprintf(wanted, sizeof(wanted), "a stack of %u frames; ", STACK_FRAMES_MAX + 1);
	ck_assert_msg(!strncmp(error.message, wanted, strlen(wanted)), "%s", error.message);
	dispute_keeper_begin(keeper, "./it");
	tell(keeper, &child, &told);
	free(end_of(keeper));
	dispute_keeper_destroy(keeper);
	clean();
	stopped_child_deinit(&child);
}
END_TEST

/* What can't be kept of a point is no failure unless that point is asked for. */
START_TEST(only_the_point_that_is_asked_for_can_fail)
{
	const struct told told = { .verdict = VERDICT_EXACT };
	char path[64];
	struct dispute_wish wish = { .file = path, .at = 1 + _i, .command = command };
	struct stack longest = { .count = STACK_FRAMES_MAX + 1 };
	struct judgement judgement = { .verdict = VERDICT_EXACT };
	struct engine_list engines = { .count = 0 };
	struct dispute_keeper *keeper;
	struct stopped_child child;
	struct evidence evidence;
	struct error error = { 0 };

	if (!stopped_child_init(&child, keeper_outer, 0, 0, 0)) {
		printf("SKIP dispute_keeper: no ptrace\n");
		return;
	}
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/case", folder);
	wish.engines = &engines;
	ck_assert_msg(!dispute_keeper_create(&wish, &keeper, &error), "%s", error.message);
	dispute_keeper_begin(keeper, "./it");
	evidence = (struct evidence) { .point = &child.point, .truth = &longest };
	dispute_keeper_evidence(keeper, &evidence);
	ck_assert_int_eq(dispute_keeper_point(keeper, &child.point, &judgement, &error),
			 _i ? 0 : -1);
	if (_i) {
		tell(keeper, &child, &told);
		free(end_of(keeper));
		ck_assert_int_eq(access(path, R_OK), 0);
	}
	dispute_keeper_destroy(keeper);
	clean();
	stopped_child_deinit(&child);
}
END_TEST

/* Before the return address at 6 there was a call, and is an instruction that begins before 5. */
START_TEST(code_of_the_last_run_is_forgotten)
{
	static const uint8_t codes[2][8] = { { 0xcc, 0xe8, 0, 0, 0, 0, 0x90, 0x90 },
					     { 0xcc, 0x0f, 0x1f, 0x44, 0, 0, 0x90, 0x90 } };
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct engine_list engines = { .count = 0 };
	struct dispute_wish wish = { .folder = folder, .engines = &engines, .command = command };
	const struct told told = { .verdict = VERDICT_TABLE_FAULT,
				   .kind = FAULT_WRONG,
				   .at = (uint64_t)code + 5,
				   .frame = 1 };
	struct dispute_folder images;
	struct dispute_keeper *keeper;
	struct stopped_child child[2];
	struct dispute *dispute;
	struct error error = { 0 };
	char path[160];

	ck_assert_ptr_ne(code, MAP_FAILED);
	for (int i = 0; i < 2; i++) {
		memcpy(code, codes[i], sizeof(codes[i]));
		if (!stopped_child_init(&child[i], code, 0, 0, 0)) {
			printf("SKIP dispute_keeper: no ptrace\n");
			return;
		}
	}
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_msg(!dispute_keeper_create(&wish, &keeper, &error), "%s", error.message);
	for (int i = 0; i < 2; i++) {
		dispute_keeper_begin(keeper, "./it");
		tell(keeper, &child[i], &told);
		settle(keeper, 1, 'p');
	}
	free(end_of(keeper));
	snprintf(path, sizeof(path), "%s/01-table_fault-wrong/case", folder);
	dispute = dispute_read(path, &images, &error);
	ck_assert_msg(dispute != NULL, "%s", error.message);
	ck_assert_msg(!strncmp(dispute_text(dispute, "instruction"), "add ", 4), "%s",
		      dispute_text(dispute, "instruction"));
	dispute_destroy(dispute);
	dispute_folder_deinit(&images);
	dispute_keeper_destroy(keeper);
	clean();
	stopped_child_deinit(&child[0]);
	stopped_child_deinit(&child[1]);
	munmap(code, 4096);
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
	tcase_add_loop_test(tcase, a_case_has_its_place, 0, COUNT(places));
	tcase_add_loop_test(tcase, what_is_not_kept_is_not_read, 0, COUNT(costs));
	tcase_add_test(tcase, an_engine_has_a_case_for_each_way_to_be_wrong);
	tcase_add_loop_test(tcase, engines_have_a_case_each, 0, COUNT(engines_cases));
	tcase_add_test(tcase, kinds_beyond_a_bundle_are_counted);
	tcase_add_test(tcase, a_failure_is_of_its_run);
	tcase_add_loop_test(tcase, only_the_point_that_is_asked_for_can_fail, 0, 2);
	tcase_add_test(tcase, code_of_the_last_run_is_forgotten);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
