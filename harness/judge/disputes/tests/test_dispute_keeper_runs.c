/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_dispute_keeper_runs.c - a keeper of several runs, where its cases go, and what it can't do
 *
 * Where ptrace is not permitted it prints SKIP and the reason.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "tests/suite.h"
#include "disputed_points.h"

/* ---- a keeper of several runs ----------------------------------------------------------- */

/* Functions, more than there are findings of. */
__asm__(".text\n"
	".macro keeper_place\n"
	"keeper_place_\\@: nop\n"
	".endm\n"
	"keeper_places: .rept 640; keeper_place; .endr\n");

extern const char keeper_places[];

/* Verdicts, kinds and functions are more than a bundle has cases, and than a run has findings; the next
 * run has one, elsewhere. */
START_TEST(kinds_beyond_a_bundle_are_counted)
{
	static const enum verdict verdicts[] = { VERDICT_TABLE_FAULT, VERDICT_UNEXPLAINED };
	const uint64_t pc[] = { (uint64_t)keeper_leaf_after, (uint64_t)keeper_outer_after };
	struct dispute_wish wish = { .folder = folder, .command = command };
	char *text, wanted[128];
	struct told told = { .name = NULL };
	struct dispute_keeper *keeper;
	struct stopped_child child;
	uint64_t point = 0;

	if (!stop_child(&child))
		return;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	keeper = open_keeper(&wish);
	dispute_keeper_begin(keeper, "./before");
	for (int i = 0; i < 4; i++)
		for (int kind = FAULT_WRONG; kind < FAULT_KIND_COUNT; kind++) {
			told.verdict = verdicts[i / 2];
			told.kind = (enum fault_kind)kind;
			told.at = pc[i % 2];
			tell(keeper, &child, &told);
			settle(keeper, ++point, 'u');
		}
	ck_assert_uint_gt(point, DISPUTES_MAX);
	for (int i = 0; i < 2 * FINDINGS_MAX; i++, point++) {
		told.at = (uint64_t)keeper_places + (uint64_t)i;
		tell(keeper, &child, &told);
	}
	tell(keeper, &child, &told); /* once more, of a kind that is not kept */
	text = end_of(keeper);
	snprintf(wanted, sizeof(wanted), "%s: of more than %u kinds nothing is kept, %d points\n",
		 folder, DISPUTES_MAX, (int)(point + 1 - DISPUTES_MAX));
	ck_assert_msg(strstr(text, wanted) != NULL, "%s", text);
	free(text);
	dispute_keeper_begin(keeper, "./it");
	told.at = (uint64_t)keeper_outer;
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

/* Of each kind so many wait, whatever waits of others; each is settled by its own points. A second run's cases go
 * beside those of the first. */
static const struct {
	struct told told;
	char truth;
} mixed[] = {
	{ { .verdict = VERDICT_TABLE_FAULT, .kind = FAULT_WRONG, .at = (uint64_t)keeper_outer },
	  'u' },
	{ { .verdict = VERDICT_TABLE_FAULT, .kind = FAULT_WRONG }, '.' },
	{ { .verdict = VERDICT_TABLE_FAULT, .kind = FAULT_WRONG }, '.' },
	{ { .verdict = VERDICT_TABLE_FAULT, .kind = FAULT_WRONG }, '.' },
	{ { .verdict = VERDICT_TABLE_FAULT, .kind = FAULT_WRONG }, '.' },
	{ { .verdict = VERDICT_EXACT, .frames = 1 }, 'p' },
	{ { .verdict = VERDICT_EXACT, .frames = 3 }, 'u' },
	{ { .verdict = VERDICT_EXACT, .frames = 3 }, 'p' },
	{ { .verdict = VERDICT_UNEXPLAINED, .kind = FAULT_WRONG }, 'p' },
	{ { .verdict = VERDICT_UNEXPLAINED, .kind = FAULT_WRONG, .at = (uint64_t)keeper_outer },
	  'u' },
	{ { .verdict = VERDICT_TABLE_FAULT, .kind = FAULT_OVERWRITTEN }, 'p' },
	{ { .verdict = VERDICT_EXACT, .frames = 1 }, 'p' },
	{ { .verdict = VERDICT_TABLE_FAULT, .kind = FAULT_WRONG }, 'p' }, /* too late */
	{ { .verdict = VERDICT_TABLE_FAULT, .kind = FAULT_WRONG, .at = (uint64_t)keeper_outer },
	  'p' },
};

static const struct {
	const char *folder;
	uint64_t point;
} mixed_cases[] = {
	{ "01-table_fault-wrong", 14 },
	{ "02-fp-truncated", 6 },
	{ "03-fp-extra", 8 },
	{ "04-unexplained-wrong", 9 },
	{ "05-table_fault-overwritten", 11 },
	{ "06-fp-truncated", 1 }, /* the second run's */
};

START_TEST(each_kind_has_its_own)
{
	static const struct told again = { .verdict = VERDICT_EXACT, .frames = 1 };
	struct engine_list engines = { .count = 0 };
	struct dispute_wish wish = { .folder = folder, .engines = &engines, .command = command };
	struct dispute_keeper *keeper;
	struct dispute_folder images;
	struct stopped_child child;
	char *text, wanted[128];
	struct error error;

	if (!stop_child(&child))
		return;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	keeper = open_keeper(&wish);
	dispute_keeper_begin(keeper, "./before");
	for (int i = 0; i < COUNT(mixed); i++) {
		tell(keeper, &child, &mixed[i].told);
		settle(keeper, (uint64_t)i + 1, mixed[i].truth);
	}
	text = end_of(keeper);
	snprintf(wanted, sizeof(wanted), "\n%s: 2%s", folder, &LEFT_OUT[1]);
	ck_assert_msg(strstr(text, wanted) != NULL, "%s", text);
	free(text);
	dispute_keeper_begin(keeper, "./it");
	tell(keeper, &child, &again);
	settle(keeper, 1, 'p');
	text = end_of(keeper);
	snprintf(wanted, sizeof(wanted), "%s/06-fp-truncated: point 1, ", folder);
	ck_assert_msg(!strncmp(text, wanted, strlen(wanted)), "%s", text);
	free(text);
	for (int i = 0; i < COUNT(mixed_cases); i++) {
		char path[160];
		struct dispute *dispute;

		snprintf(path, sizeof(path), "%s/%s/case", folder, mixed_cases[i].folder);
		dispute = dispute_read(path, &images, &error);
		ck_assert_msg(dispute != NULL, "%s", error.message);
		ck_assert_uint_eq(dispute->point, mixed_cases[i].point);
		ck_assert_str_eq(dispute_text(dispute, "program"), i == 5 ? "./it" : "./before");
		dispute_destroy(dispute);
		dispute_folder_deinit(&images);
	}
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

	if (!stop_child(&child))
		return;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	keeper = open_keeper(&wish);
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

	if (!stop_child(&child))
		return;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/case", folder);
	wish.engines = &engines;
	keeper = open_keeper(&wish);
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
START_TEST(code_of_other_mappings_is_forgotten)
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
	keeper = open_keeper(&wish);
	dispute_keeper_begin(keeper, "./it");
	for (int i = 0; i < 2; i++) {
		dispute_keeper_mappings(keeper);
		tell(keeper, &child[i], &told);
		settle(keeper, (uint64_t)i + 1, i ? 'p' : 'u');
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

/* ---- where cases go --------------------------------------------------------------------- */

static void make_file(const char *path)
{
	FILE *file = fopen(path, "we");

	ck_assert_ptr_nonnull(file);
	fclose(file);
}

/* The keeper's folder, within the test's. */
static const struct {
	const char *name, *at;
	enum { MISSING, THERE, A_FILE } before;
	const char *message; /* NULL: it is there afterwards */
} folders[] = {
	{ "it_is_made", "new", MISSING, NULL },
	{ "it_may_be_there", "old", THERE, NULL },
	{ "a_file_is_none", "file", A_FILE, "file: Not a directory" },
	{ "what_it_is_in_is_not_made", "none/new", MISSING, "none/new: No such file or directory" },
};

START_TEST(cases_have_a_folder)
{
	struct dispute_keeper *keeper = NULL;
	struct dispute_wish wish = { .command = command };
	struct error error = { 0 };
	struct stat status;
	char path[64];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/%s", folder, folders[_i].at);
	if (folders[_i].before == A_FILE)
		make_file(path);
	if (folders[_i].before == THERE)
		ck_assert_int_eq(mkdir(path, 0700), 0);
	wish.folder = path;
	if (folders[_i].message) {
		ck_assert_int_eq(dispute_keeper_create(&wish, &keeper, &error), -1);
		ck_assert_msg(strstr(error.message, folders[_i].message) != NULL, "%s: %s",
			      folders[_i].name, error.message);
	} else {
		keeper = open_keeper(&wish);
		ck_assert_msg(!stat(path, &status) && S_ISDIR(status.st_mode), "%s",
			      folders[_i].name);
	}
	dispute_keeper_destroy(keeper);
	clean();
}
END_TEST

/* What is there already of a name that a case gets. */
static const struct {
	const char *name, *file, *at; /* the case's folder; a case of its own; what is in the way */
	bool a_file;		      /* and is no folder */
	const char *message;	      /* NULL: it is no obstacle */
} ways[] = {
	{ "a_bundle_before", NULL, "01-fp-truncated", false, NULL },
	{ "a_case's_folder_is_a_file", NULL, "01-fp-truncated/case", false, "case: " },
	{ "a_case_is_a_folder", "case", "case", false, "case: " },
	{ "a_case_of_its_own_before", "case", "case", true, NULL },
};

START_TEST(what_can_t_be_written_is_an_error)
{
	const struct told told = { .verdict = VERDICT_EXACT };
	struct engine_list engines = { .count = 0 };
	struct dispute_wish wish = { .at = 1, .engines = &engines, .command = command };
	FILE *said = fopen("/dev/null", "w");
	struct dispute_keeper *keeper;
	struct stopped_child child;
	struct error error = { 0 };
	char path[96], file[96];
	int status;

	if (!stop_child(&child))
		return;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	if (ways[_i].file) {
		snprintf(file, sizeof(file), "%s/%s", folder, ways[_i].file);
		wish.file = file;
	} else {
		wish.folder = folder;
	}
	snprintf(path, sizeof(path), "%s/01-fp-truncated", folder);
	if (!ways[_i].file)
		ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/%s", folder, ways[_i].at);
	if (ways[_i].a_file)
		make_file(path);
	else
		ck_assert(!mkdir(path, 0700) || errno == EEXIST);
	keeper = open_keeper(&wish);
	dispute_keeper_begin(keeper, "./it");
	tell(keeper, &child, &told);
	settle(keeper, 1, 'p');
	status = dispute_keeper_end(keeper, said, &error);
	ck_assert_msg(status == (ways[_i].message ? -1 : 0), "%s: %s", ways[_i].name,
		      error.message);
	if (ways[_i].message)
		ck_assert_msg(strstr(error.message, ways[_i].message) != NULL, "%s: %s",
			      ways[_i].name, error.message);
	fclose(said);
	dispute_keeper_destroy(keeper);
	clean();
	stopped_child_deinit(&child);
}
END_TEST

/* Who asks for a point and for the first of each kind gets both; of each it is known what became of
 * its truth. */
START_TEST(a_case_of_its_own_goes_beside_a_bundle)
{
	const struct told told = { .verdict = VERDICT_EXACT };
	struct engine_list engines = { .count = 0 };
	char file[64], bundle[64], bundled[96], *text, wanted[200];
	struct dispute_wish wish = {
		.file = file, .folder = bundle, .at = 2, .engines = &engines, .command = command
	};
	const char *const path[] = { file, bundled };
	struct dispute_keeper *keeper;
	struct stopped_child child;
	struct dispute_folder images;
	struct error error = { 0 };

	if (!stop_child(&child))
		return;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(file, sizeof(file), "%s/case", folder);
	snprintf(bundle, sizeof(bundle), "%s/bundle", folder);
	snprintf(bundled, sizeof(bundled), "%s/01-fp-truncated/case", bundle);
	keeper = open_keeper(&wish);
	dispute_keeper_begin(keeper, "./it");
	for (uint64_t point = 1; point <= 3; point++) {
		tell(keeper, &child, &told);
		settle(keeper, point, point == 1 ? 'u' : 'p');
	}
	text = end_of(keeper);
	snprintf(wanted, sizeof(wanted), "%s: point 2 is kept\n%s/01-fp-truncated: point 2, ", file,
		 bundle);
	ck_assert_msg(!strncmp(text, wanted, strlen(wanted)), "%s", text);
	for (int i = 0; i < 2; i++) {
		struct dispute *dispute = dispute_read(path[i], &images, &error);

		ck_assert_msg(dispute != NULL, "%s", error.message);
		ck_assert_uint_eq(dispute->point, 2);
		ck_assert_str_eq(dispute_text(dispute, "truth"), "proven");
		ck_assert_str_eq(dispute_text(dispute, "engine"), i ? "fp" : "");
		ck_assert_str_eq(dispute_text(dispute, "match"), i ? "truncated" : "");
		dispute_destroy(dispute);
		dispute_folder_deinit(&images);
	}
	free(text);
	dispute_keeper_destroy(keeper);
	clean();
	stopped_child_deinit(&child);
}
END_TEST

/* What was asked for and is not there is said; the bundle is there all the same, and what it says. */
static const struct {
	uint64_t at;
	const char *message; /* NULL: no failure */
	const char *said;    /* what begins with the case's file */
} both[] = {
	{ 1, NULL, "/case: point 1 is kept\n" },
	{ 3, "there is no point 3 that could be judged", NULL },
	{ UINT64_MAX, "there is no point 18446744073709551615 that could be judged", NULL },
};

START_TEST(a_point_that_is_not_there_and_a_bundle)
{
	const struct told told = { .verdict = VERDICT_EXACT };
	struct engine_list engines = { .count = 0 };
	char file[64], bundle[64], bundled[96], *text, wanted[200];
	struct dispute_wish wish = { .file = file,
				     .folder = bundle,
				     .at = both[_i].at,
				     .engines = &engines,
				     .command = command };
	struct dispute_keeper *keeper;
	struct stopped_child child;
	struct error error = { 0 };
	size_t size;
	FILE *said;

	if (!stop_child(&child))
		return;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(file, sizeof(file), "%s/case", folder);
	snprintf(bundle, sizeof(bundle), "%s/bundle", folder);
	snprintf(bundled, sizeof(bundled), "%s/01-fp-truncated/case", bundle);
	keeper = open_keeper(&wish);
	dispute_keeper_begin(keeper, "./it");
	for (uint64_t point = 1; point <= 2; point++) {
		tell(keeper, &child, &told);
		settle(keeper, point, point == 1 ? 'u' : 'p');
	}
	said = open_memstream(&text, &size);
	ck_assert_int_eq(dispute_keeper_end(keeper, said, &error), both[_i].message ? -1 : 0);
	fclose(said);
	if (both[_i].message)
		ck_assert_str_eq(error.message, both[_i].message);
	ck_assert_int_eq(access(file, R_OK), both[_i].message ? -1 : 0);
	ck_assert_int_eq(access(bundled, R_OK), 0);
	snprintf(wanted, sizeof(wanted), "%s%s%s/01-fp-truncated: point 2, ",
		 both[_i].said ? folder : "", both[_i].said ?: "", bundle);
	ck_assert_msg(!strncmp(text, wanted, strlen(wanted)), "%s", text);
	free(text);
	dispute_keeper_destroy(keeper);
	clean();
	stopped_child_deinit(&child);
}
END_TEST

SUITE(dispute_keeper_runs, TIMEOUT(300), TEST(kinds_beyond_a_bundle_are_counted),
      TEST(each_kind_has_its_own), TEST(a_failure_is_of_its_run),
      TIMES(only_the_point_that_is_asked_for_can_fail, 2),
      TEST(code_of_other_mappings_is_forgotten), LOOP(cases_have_a_folder, folders),
      LOOP(what_can_t_be_written_is_an_error, ways), TEST(a_case_of_its_own_goes_beside_a_bundle),
      LOOP(a_point_that_is_not_there_and_a_bundle, both))
