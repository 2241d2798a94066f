/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * corpus.c - `stackproof corpus --cc PATH`: the corpus by a compiler that nobody here knows
 *
 * Builds every program of the corpus by it (corpus/corpus_own.h), then does `stackproof run` over
 * what was built, with whatever options stand behind "--".
 *
 * Exit status: that of run; 2 usage; 77 there is no such compiler, nothing was built; 99 no source
 * tree, or the folder is another's.
 */
#include <argp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "freed.h"
#include "base/cli/options.h"
#include "corpus/manifest/corpus_own.h"
#include "base/cli/command_line.h"
#include "commands.h"

#define RUN_OPTIONS_MAX 64
#define JOBS_MAX	1024

enum { OPTION_FLAGS = 0x100 };

struct arguments {
	struct corpus_own own;
	bool build_only;
	char **run; /* options for run */
	int run_count;
};

static const struct argp_option options[] = {
	{ "cc", INTO_TEXT(arguments, own.cc), "PATH", 0, "builds the programs in C", 0 },
	{ "cxx", INTO_TEXT(arguments, own.cxx), "PATH", 0, "builds those in C++", 0 },
	{ "rustc", INTO_TEXT(arguments, own.rustc), "PATH", 0, "builds those in Rust", 0 },
	{ "assembly", INTO_FLAG(arguments, own.assembly), NULL, 0,
	  "those in assembly, too, by --cc", 0 },
	{ "flags", OPTION_FLAGS, "FLAGS", 0, "for all that is built, behind the corpus's own", 0 },
	{ "linker", INTO_TEXT(arguments, own.linker), "NAME", 0, "by ld.NAME: bfd, lld, gold, mold",
	  0 },
	{ "name", INTO_TEXT(arguments, own.name), "NAME", 0,
	  "what the toolchain is called (default: the compiler's file name)", 0 },
	{ "filter", INTO_TEXT(arguments, own.programs), "GLOB", 0,
	  "only programs whose name matches", 0 },
	{ "output", 'o', "DIR", 0,
	  "where all is made: DIR/corpus-own and DIR/results (default: corpus-NAME here)", 0 },
	{ "tree", INTO_TEXT(arguments, own.tree), "DIR", 0,
	  "stackproof's source tree (default: this folder, that of this program's build, or what "
	  "was "
	  "installed with it)",
	  0 },
	{ "build-only", INTO_FLAG(arguments, build_only), NULL, 0, "don't run it", 0 },
	{ "jobs", 'j', "N", 0, "how much at once (default: CPUs)", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct corpus_own *own = &arguments->own;

	switch (key) {
	case OPTION_FLAGS: own->flags = value; return 0;
	case 'o': own->folder = option_text(state, value, "-o"); return 0;
	case 'j':
		own->jobs = (unsigned int)option_between(state, value, "--jobs", 1, JOBS_MAX);
		return 0;
	case ARGP_KEY_ARGS:
		/* argp leaves out the "--" that stands before them. */
		if (strcmp(state->argv[state->next - 1], "--") != 0)
			argp_error(state,
				   "'%s' is one argument too many: options of run come "
				   "behind \"--\"",
				   state->argv[state->next]);
		arguments->run = state->argv + state->next;
		arguments->run_count = state->argc - state->next;
		if (arguments->run_count > RUN_OPTIONS_MAX)
			argp_error(state, "more than %d options of run", RUN_OPTIONS_MAX);
		return 0;
	case ARGP_KEY_END:
		if (!own->cc && !own->cxx && !own->rustc)
			argp_error(state, "no compiler: --cc, --cxx or --rustc");
		if (own->assembly && !own->cc)
			argp_error(state, "--assembly needs --cc");
		return 0;
	default: return option_into(key, value, state, options);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "--cc PATH [-- OPTION-OF-RUN...]",
	.doc = "Builds the corpus by a compiler that stackproof does not know, steps every program "
	       "and holds the engines against the truth, as `stackproof run` does, on this "
	       "machine's kernel if nothing else is said."
	       "\vExit status: that of run; 77 if there is no such compiler or it built nothing.",
};

/* Whether the options behind "--" have that one, whole or shortened. */
static bool is_given(const struct arguments *arguments, const char *option)
{
	for (int i = 0; i < arguments->run_count; i++) {
		size_t size = strcspn(arguments->run[i], "=");

		if (size > strlen("--") && !strncmp(arguments->run[i], option, size))
			return true;
	}
	return false;
}

/* As the command that it is: the folder is still this process's. */
static enum exit_status run(const struct arguments *arguments)
{
	char corpus[PATH_MAX + 32], results[PATH_MAX + 32], host[] = "host";
	struct {
		char option[16], *value;
	} own[] = { { "--kernels", host }, { "--corpus", corpus }, { "--results", results } };
	char *argv[RUN_OPTIONS_MAX + 8] = { "stackproof run" };
	int count = 1;

	snprintf(corpus, sizeof(corpus), "%s/corpus-own", arguments->own.folder);
	snprintf(results, sizeof(results), "%s/results", arguments->own.folder);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!is_given(arguments, own[i].option)) {
			argv[count++] = own[i].option;
			argv[count++] = own[i].value;
		}
	for (int i = 0; i < arguments->run_count; i++)
		argv[count++] = arguments->run[i];
	return command_run(count, argv);
}

int command_corpus(int argc, char **argv)
{
	struct arguments arguments = {
		.own.jobs = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN),
	};
	struct corpus_own *own = &arguments.own;
	FREED char *folder = NULL;
	struct error error;

	command_parse(&argp, argc, argv, 0, &arguments);
	if (!own->folder) {
		const char *compiler = own->cc ? own->cc : own->cxx ? own->cxx : own->rustc;

		if (asprintf(&folder, "corpus-%s", own->name ? own->name : basename(compiler)) < 0)
			folder = NULL;
		own->folder = folder ? folder : "corpus-own";
	}
	if (corpus_own_build(own, &error)) {
		error_print(stderr, "corpus", &error);
		return error.code == ERROR_TEXT_SYNTAX ? EXIT_USAGE
		       : error.code == ERROR_UNAVAILABLE || error.code == ERROR_PROTOCOL
			       ? EXIT_SKIPPED
			       : EXIT_ENVIRONMENT;
	}
	enum exit_status status = arguments.build_only ? EXIT_OK : run(&arguments);
	return status;
}
