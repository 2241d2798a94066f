/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * step_command.c - what a person types at the prompt of `stackproof step`
 *
 * A word, or its first letter, and for some a number: "n 10", "go 4000", "b". The number is decimal
 * and at least 1.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "step.h"
#include "plain_text.h"

enum number { NUMBER_NONE, NUMBER_MAY, NUMBER_MUST };

static const struct {
	const char *word;
	enum step_kind kind;
	enum number number;
	const char *help;
} words[] = {
	{ "next", STEP_NEXT, NUMBER_MAY, "n [N]   the next point, or N points on" },
	{ "call", STEP_CALL, NUMBER_NONE, "c       to the next call instruction" },
	{ "out", STEP_OUT, NUMBER_NONE, "o       until this thread has fewer frames" },
	{ "differ", STEP_DIFFER, NUMBER_NONE,
	  "d       to the next point at which another engine than before is not exact, or the "
	  "verdict is another fault" },
	{ "go", STEP_GO, NUMBER_MUST, "g N     to point N" },
	{ "back", STEP_BACK, NUMBER_MAY, "b [N]   the point before, or N points back" },
	{ "run", STEP_RUN, NUMBER_NONE, "r       to the program's end" },
	{ "help", STEP_HELP, NUMBER_NONE, "h, ?    this" },
	{ "?", STEP_HELP, NUMBER_NONE, NULL },
	{ "quit", STEP_QUIT, NUMBER_NONE, "q       end the program, and this" },
};

#define WORD_COUNT (sizeof(words) / sizeof(words[0]))

void step_command_help(FILE *file)
{
	for (size_t i = 0; i < WORD_COUNT; i++)
		if (words[i].help)
			fprintf(file, "  %s\n", words[i].help);
	fputs("  An empty line is the last command again. Behind a point that was gone back to, n "
	      "and g show what is\n  known already; c, o and d go on from the last one. = the "
	      "truth's frame, x another one, - none, + "
	      "one that the truth has not.\n",
	      file);
}

static bool is_number(const char *text, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
	return *ret && !errno && !*end;
}

void step_command_parse(const char *line, const struct step_command *before,
			struct step_command *ret)
{
	char word[64] = "", number[64] = "", more[2] = "";
	int count = sscanf(line, " %63s %63s %1s", word, number, more);

	*ret = (struct step_command) { .kind = STEP_NOTHING, .number = 1 };
	if (count < 1) {
		*ret = *before;
		return;
	}
	for (size_t i = 0; i < WORD_COUNT; i++) {
		if (strcmp(word, words[i].word) != 0 && (word[0] != words[i].word[0] || word[1]))
			continue;
		if (count > 2 || (count > 1 && words[i].number == NUMBER_NONE))
			snprintf(ret->message, sizeof(ret->message), "%s takes %s", words[i].word,
				 words[i].number == NUMBER_NONE ? "no number" : "one number");
		else if (count > 1 ? !is_number(number, &ret->number)
				   : words[i].number == NUMBER_MUST)
			snprintf(ret->message, sizeof(ret->message),
				 "%s takes a decimal number from 1 on", words[i].word);
		else
			ret->kind = words[i].kind;
		return;
	}
	snprintf(ret->message, sizeof(ret->message), "no command is called \"%.40s\": h helps",
		 PLAIN_TEXT(word));
}
