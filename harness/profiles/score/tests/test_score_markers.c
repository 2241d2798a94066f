/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_markers.c - what this program's profiles say of frames that are missing is no caller, in any format
 */
#include "tests/suite.h"
#include "score_crafted.h"

#define STACK "0:2810 0:2110 0:2010"
#define PERF  "prog 5/5 1.000001: 1 cpu-clock:\n\t 1810 leaf (/x/prog)\n\t 1110 f (/x/prog)\n"
#define MARK  "\t 0 [incomplete: no_row] ([unknown])\n"
#define AT(more)                                                                                   \
	"{\"type\":\"profile_stack\",\"count\":1,\"frames\":[{\"image\":1,\"vaddr\":"              \
	"\"0x2810\"}" more "]}\n"
#define IMAGE "{\"type\":\"profile_image\",\"image\":1,\"path\":\"/x/prog\"}\n"

static const struct crafted_case cases[] = {
	{ "folded", STACK, "[incomplete: no_row];f;leaf 1\n", "truncated 1" },
	{ "folded_behind_the_command", STACK,
	  "prog;main;f;leaf 2\nprog;[incomplete: no_row];f;leaf 1\n", "exact 2 truncated 1" },
	{ "folded_without_a_stack", STACK, "[lost: no_space] 3\n", "empty 3" },
	{ "folded_kernel_only", STACK, "[incomplete: no_row];do_syscall_64_[k] 1\n",
	  "kernel_only 1" },
	{ "perf", STACK, PERF MARK "\n", "truncated 1" },
	{ "perf_of_a_wrong_caller", STACK, PERF "\t 1810 leaf (/x/prog)\n" MARK "\n", "caller 1" },
	{ "stacks", STACK, IMAGE AT(",{\"name\":\"[incomplete: depth]\"}"), "truncated 1" },
	{ "one_within_is_a_frame", STACK,
	  IMAGE AT(",{\"name\":\"[incomplete: depth]\"},{\"image\":1,\"vaddr\":\"0x2010\"}"),
	  "names 1" },
	{ "another_word_is_a_frame", STACK, IMAGE AT(",{\"name\":\"[incomplete]\"}"), "names 1" },
};

START_TEST(markers_are_no_frames)
{
	check_crafted(&cases[_i]);
}
END_TEST

SUITE(score_markers, CRAFTED, LOOP(markers_are_no_frames, cases))
