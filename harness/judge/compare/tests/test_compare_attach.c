/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_attach.c - engines held against the truth of processes that run already
 *
 * The processes are servants, and one whose CFI lies: it must be accused by what a burst has seen of it, and nobody
 * else, though no stack is known to its end.
 */
#include <stdio.h>
#include <stdlib.h>
#include "tests/suite.h"
#include "tests/patience.h"
#include "tests/printed.h"
#include "judge/compare/compare.h"
#include "truth/tracer/attach.h"
#include "truth/tracer/tests/servants.h"

/* Behind its push the row has the CFA where it was before. */
void liar(void);
__asm__(".pushsection .text\n"
	".globl liar\n.type liar, @function\n"
	"liar:\n.cfi_startproc\n"
	"	push %rbx\n	nop\n	nop\n	call liar_leaf\n	nop\n	nop\n	pop "
	"%rbx\n	ret\n"
	".cfi_endproc\n.size liar, . - liar\n"
	".type liar_leaf, @function\n"
	"liar_leaf:\n.cfi_startproc\n	nop\n	nop\n	ret\n.cfi_endproc\n.size liar_leaf, . - "
	"liar_leaf\n"
	".popsection\n");

static int serve_liar(struct service *service)
{
	for (int i = 0; i < 1000; i++) {
		liar();
		servant_work(1);
	}
	return 0;
}

static const struct servant lying = { "liar", serve_liar };

struct attached {
	struct comparer *comparer;
	struct comparison result;
	struct tracer_attach wish;
};

/* Until points points have been compared at once. False: nobody may be traced here. */
static bool compare_attached(struct attached *attached, pid_t pid, bool children, uint64_t points)
{
	const struct engine *engines[] = { engine_find("cfi"), engine_find("table") };
	struct compare_options compare = { .engine_count = 2 };
	const struct tracer_options tracer = { .attach = &attached->wish, .point_limit = points };
	struct error error;

	if (tracer_process_check(pid, &error)) {
		printf("SKIP compare_attach: %s\n", error.message);
		return false;
	}
	compare.engine[0] = engines[0];
	compare.engine[1] = engines[1];
	attached->wish = (struct tracer_attach) { .pid = pid,
						  .children = children,
						  .burst_steps = 150,
						  .burst_ms = 100,
						  .share = 800,
						  .duration_ms = PATIENCE_S * 1000 };
	ck_assert_msg(!comparer_create(&compare, &attached->comparer, &error), "%s", error.message);
	ck_assert_msg(comparer_run_far(attached->comparer, &tracer, &attached->result), "%s",
		      attached->result.cut.early.message);
	return true;
}

static void attached_end(struct attached *attached)
{
	comparison_deinit(&attached->result);
	comparer_destroy(attached->comparer);
}

START_TEST(who_is_right_is_not_accused)
{
	struct attached attached;
	struct service *service;
	pid_t pid = servant_start(&servants[0], &service);

	if (compare_attached(&attached, pid, false, 2000)) {
		const struct comparison *result = &attached.result;
		char *json = PRINTED(file, compare_print_json(file, "servant", result));
		char *text = PRINTED(file, compare_print_text(file, "servant", result));

		ck_assert_uint_eq(result->points, 2000);
		ck_assert_uint_eq(result->verdict[VERDICT_EXACT] +
					  result->verdict[VERDICT_UNPROVEN],
				  result->points);
		ck_assert_uint_lt(result->verdict[VERDICT_UNPROVEN], result->points / 20);
		ck_assert(!comparison_is_thin(result));
		ck_assert_int_eq(result->pid, pid);
		ck_assert_ptr_null(result->next);
		ck_assert_ptr_nonnull(strstr(json, "\"attached\":{\"pid\":"));
		ck_assert_ptr_nonnull(strstr(json, "\"ending\":\"was let go, and goes on\""));
		ck_assert_ptr_nonnull(strstr(text, "the bursts ended: whole "));
		free(json);
		free(text);
		attached_end(&attached);
	}
	ck_assert_int_eq(servant_end(pid, service), 0);
}
END_TEST

START_TEST(who_lies_is_accused)
{
	struct attached attached;
	struct service *service;
	pid_t pid = servant_start(&lying, &service);

	if (compare_attached(&attached, pid, false, 1500)) {
		const struct findings *findings = &attached.result.findings;
		uint64_t accused = 0;

		for (size_t i = 0; i < findings->count; i++) {
			const struct finding *finding = &findings->finding[i];

			if (!finding->count)
				continue;
			ck_assert_msg(!strcmp(finding->function, "liar"), "%s", finding->function);
			ck_assert_int_eq(finding->first.verdict, VERDICT_TABLE_FAULT);
			accused += finding->count;
		}
		ck_assert_uint_gt(accused, 20);
		ck_assert_uint_eq(accused, attached.result.verdict[VERDICT_TABLE_FAULT]);
		attached_end(&attached);
	}
	ck_assert_int_eq(servant_end(pid, service), 0);
}
END_TEST

/* The process waits; those that it has made are at work. One of them lies. */
START_TEST(each_process_has_its_own_result)
{
	struct attached attached;
	struct service *service = mmap(NULL, sizeof(*service), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct service *of[2];
	pid_t *child = (pid_t *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				     -1, 0);
	pid_t pid = fork();

	if (!pid) {
		child[0] = servant_start(&servants[0], &of[0]);
		child[1] = servant_start(&lying, &of[1]);
		service->rounds = 1;
		while (!service->over)
			usleep(1000);
		_exit(servant_end(child[0], of[0]) || servant_end(child[1], of[1]));
	}
	while (!service->rounds)
		usleep(1000);
	if (compare_attached(&attached, pid, true, 6000)) {
		unsigned int honest = 0, lies = 0;

		for (struct comparison *at = &attached.result; at; at = at->next) {
			uint64_t faults = at->verdict[VERDICT_TABLE_FAULT];

			honest += at->points && at->pid == child[0] && !faults;
			lies += at->points && at->pid == child[1] && faults;
			if (at->pid != child[1])
				ck_assert_uint_eq(faults, 0);
		}
		ck_assert_uint_eq(honest, 1);
		ck_assert_uint_eq(lies, 1);
		attached_end(&attached);
	}
	ck_assert_int_eq(servant_end(pid, service), 0);
	munmap(child, 4096);
}
END_TEST

/* The program is honest, the first one that it forks lies, and the second one is honest again. */
static int fork_a_liar(void *context)
{
	for (int i = 0; i < 2; i++) {
		pid_t child = fork();

		if (!child) {
			for (int round = 0; round < 50 && !i; round++)
				liar();
			_exit(servant_work(1) != 0 ? 3 : 4);
		}
		if (waitpid(child, NULL, 0) != child)
			return 9;
	}
	return 0;
}

START_TEST(each_process_is_accused_by_its_own_truth)
{
	struct attached attached = { .wish = { .children = true, .whole = true } };
	struct compare_options compare = { .engine = { engine_find("cfi"), engine_find("table") },
					   .engine_count = 2 };
	const struct tracer_options tracer = { .attach = &attached.wish,
					       .function = fork_a_liar,
					       .timeout_ms = PATIENCE_S * 1000 };
	struct run_processes processes;
	struct error error;

	ck_assert_msg(!comparer_create(&compare, &attached.comparer, &error), "%s", error.message);
	ck_assert_msg(comparer_run_far(attached.comparer, &tracer, &attached.result), "%s",
		      attached.result.cut.early.message);
	for (struct comparison *at = &attached.result; at; at = at->next) {
		ck_assert_uint_gt(at->points, 100);
		ck_assert(at->process_ended);
		ck_assert_uint_eq(at->verdict[VERDICT_TABLE_FAULT] != 0, at->number == 1);
		ck_assert_uint_eq(comparison_has_findings(at), at->number == 1);
		ck_assert_ptr_null(at->open);
	}
	processes = comparison_processes(&attached.result);
	ck_assert_uint_eq(processes.tracer.met, 3);
	ck_assert_uint_eq(processes.judged, 3);
	attached_end(&attached);
}
END_TEST

SUITE(compare_attach, TIMEOUT(PATIENCE_TIMEOUT_S), TEST(who_is_right_is_not_accused),
      TEST(who_lies_is_accused), TEST(each_process_has_its_own_result),
      TEST(each_process_is_accused_by_its_own_truth))
