/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * generate_flags.c - seed -> a compiler's flags
 *
 * Those that change what a frame looks like, or when it is made, each drawn by itself: how the
 * stack is addressed, what is saved where, what is probed, checked and marked, what moves. Only
 * flags that all versions from gcc 11 and clang 13 on know, and that ask nothing of the processor
 * (guests differ).
 */
#include <string.h>
#include "generate.h"

#define GCC   (1 << FAMILY_GCC)
#define CLANG (1 << FAMILY_CLANG)
#define BOTH  (GCC | CLANG)

static const struct flag {
	unsigned int families, percent;
	const char *text;
} flags[] = {
	{ GCC, 15, "-fcf-protection" },
	/* Its "return" half does nothing but break __builtin_setjmp at -O0 (15 and later). */
	{ CLANG, 15, "-fcf-protection=branch" },
	{ BOTH, 20, "-mno-red-zone" },
	{ BOTH, 15, "-fstack-protector-all" },
	{ BOTH, 15, "-fstack-clash-protection" },
	{ BOTH, 10, "-mstackrealign" },
	{ BOTH, 10, "-fno-plt" },
	{ BOTH, 12, "-fno-optimize-sibling-calls" },
	{ BOTH, 12, "-fno-jump-tables" },
	{ BOTH, 12, "-ffunction-sections" },
	{ BOTH, 20, "-falign-functions=1" },
	{ BOTH, 10, "-mno-omit-leaf-frame-pointer" },
	{ BOTH, 8, "-fpatchable-function-entry=3" },
	{ BOTH, 10, "-g" },
	{ GCC, 12, "-fno-shrink-wrap" },
	{ GCC, 12, "-fno-shrink-wrap-separate" },
	{ GCC, 12, "-maccumulate-outgoing-args" },
	{ GCC, 12, "-mno-push-args" },
	{ GCC, 12, "-fno-reorder-blocks-and-partition" },
	{ GCC, 12, "-fno-ipa-ra" },
	{ GCC, 10, "-fno-schedule-insns2" },
	{ GCC, 10, "-fno-defer-pop" },
	{ GCC, 10, "-fno-combine-stack-adjustments" },
	{ GCC, 10, "-fno-crossjumping" },
	{ GCC, 10, "-fira-region=all" },
	{ GCC, 12, "-mtune=znver2" },
	{ GCC, 12, "-mtune=bonnell" },
	{ GCC, 8, "-fno-guess-branch-probability" },
	{ GCC, 8, "-fwrapv" },
	{ CLANG, 12, "-mllvm -enable-shrink-wrap=false" },
	{ CLANG, 10, "-mllvm -enable-tail-merge=true" },
	{ CLANG, 10, "-mllvm -disable-block-placement" },
	{ CLANG, 8, "-mllvm -enable-machine-outliner" },
	{ CLANG, 10, "-mtune=znver2" },
	{ CLANG, 8, "-mllvm -x86-pad-for-align" },
};

/* Each with what the linker must be told: it makes a PIE by default, which code that has a place
 * can't be. */
static const char *const positions[] = { "-fno-pie -no-pie", "-fPIE", "-fPIC" };

/* The i-th of a list's words. */
static const char *word_at(const char *list, unsigned int i, int *ret_length)
{
	for (;;) {
		list += strspn(list, " ,");
		*ret_length = (int)strcspn(list, " ,");
		if (!i-- || !*ret_length)
			return list;
		list += *ret_length;
	}
}

/* What a seed says to one question about a family's flags: a flag more in the table leaves all
 * other answers as they were. */
static void ask(struct random *ret, uint64_t seed, enum compiler_family family, const char *what)
{
	char purpose[80];

	snprintf(purpose, sizeof(purpose), "%s: %s", family == FAMILY_GCC ? "gcc" : "clang", what);
	random_init(ret, seed, purpose);
}

void generate_flags(uint64_t seed, enum compiler_family family, const char *levels, FILE *file)
{
	struct random random;
	unsigned int words = 0;
	const char *level;
	int length;

	while (word_at(levels, words, &length), length)
		words++;
	ask(&random, seed, family, "level");
	level = word_at(levels, words ? random_below(&random, words) : 0, &length);
	ask(&random, seed, family, "frame pointer and position");
	fprintf(file, "-%.*s %s %s", length, level,
		random_chance(&random, 50) ? "-fomit-frame-pointer" : "-fno-omit-frame-pointer",
		positions[random_below(&random, 3)]);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		ask(&random, seed, family, flags[i].text);
		if (random_chance(&random, flags[i].percent) && flags[i].families & 1u << family)
			fprintf(file, " %s", flags[i].text);
	}
	fputc('\n', file);
}
