/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * main.c - the command table, nothing else
 *
 * stackproof is one program with commands, in the manner of bpftool and perf: stackproof COMMAND
 * [OPTIONS] [ARGS]. To add a command, write harness/commands/NAME.c (what it does is a room of its
 * own), declare command_NAME in commands.h and add one line to the table below; the help text is
 * made from it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "array.h"
#include "base/child/child.h"
#include "base/cli/cut_file.h"
#include "base/cli/nearest_word.h"
#include "commit.h"
#include "corpus/compile/compile.h"
#include <unistd.h>
#include "base/cli/exit_status.h"
#include "commands.h"
#include "guests/vm/accelerator.h"
#include "plain_text.h"

static const struct command commands[] = {
	{ "table", command_table, "print an image's unwind table" },
	{ "stat", command_stat, "rows, rules, bytes and losses of images' tables" },
	{ "lint", command_lint, "is the CFI right where nobody ran it: follow the code" },
	{ "synthesize", command_synthesize, "the rows that code without CFI should have" },
	{ "cc", command_cc,
	  "run a compiler, and lint what it writes: make CC=\"stackproof cc gcc\"" },
	{ "prove", command_prove,
	  "proofs: tables against the CFI, the CFI against libdw and readelf" },
	{ "diff", command_diff, "two tables, function by function: images, saved ones, dumps" },
	{ "compare", command_compare, "step a program and hold engines against the truth" },
	{ "step", command_step, "a program in a terminal: truth and engines, point by point" },
	{ "truth", command_truth, "step a program; all its true stacks, in a file" },
	{ "witness", command_witness,
	  "step an instrumented program; hold its own log and the CPU's stack against the truth" },
	{ "replay", command_replay,
	  "play recordings of compare: the walk at each of their points, on this kernel" },
	{ "profile", command_profile, "the stacks of a program or the machine, as a profile" },
	{ "sample", command_sample, "sample a program; hold every stack against a stepped run's" },
	{ "score", command_score, "any profiler's stacks, held against a truth file" },
	{ "doctor", command_doctor, "what this machine can do, and what adds what is missing" },
	{ "kernels", command_kernels, "list or fetch the kernels that can be booted" },
	{ "emulators", command_emulators, "list or fetch a QEMU that takes plugins" },
	{ "vm", command_vm, "run a command in a guest with another kernel" },
	{ "watch", command_watch, "in such a guest: a command under the plugin `watch`" },
	{ "executed", command_executed,
	  "rows that ran in such a guest, held against the true frames" },
	{ "load", command_load, "does this kernel take the BPF programs, and at what cost" },
	{ "corpus", command_corpus, "build and run the corpus by a compiler of your own" },
	{ "run", command_run, "the matrix: corpus x engines x kernels, into a results folder" },
	{ "report", command_report,
	  "a results folder as text, TAP, JUnit or a page; by toolchain" },
	{ "golden", command_golden, "check, update or pack the snapshots" },
	{ "plant", command_plant, "plant a fault in a copy's CFI; prove that faults are caught" },
	{ "generate", command_generate, "a random C program that knows its own result" },
	{ "bench", command_bench, "the project's speed figures, each beside its reference" },
};

#define STACK_LIMIT_MIN (256 * 1024) /* bytes; under a smaller one some die by SIGSEGV */

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

/*
 * A standard descriptor that whoever started us has closed is taken: else the next file that is opened
 * gets its number, and what is printed goes into that file. What is there now refuses what a closed one
 * refuses: reads at 0, writes at 1. Messages at 2 are lost, as they would be.
 */
static void take_closed_descriptors(void)
{
	static const int mode[] = { O_WRONLY, O_RDONLY, O_RDWR };

	for (int fd = 0; fd < (int)(sizeof(mode) / sizeof(mode[0])); fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", mode[fd]) != fd) /* the lowest that is free */
			_exit(EXIT_ENVIRONMENT);
}

/*
 * At exit, argp's of --help included: what was printed must have arrived, on a full disk and with
 * standard output closed, too. A command's own status says nothing then, because nobody can have read
 * what it is about.
 */
static void close_output(void)
{
	bool lost = ferror(stdout) != 0;
	const char *reason = lost ? "not all of it could be written" : NULL;

	errno = 0;
	if (fflush(stdout) || fclose(stdout))
		reason = strerror(errno);
	if (!reason)
		return;
	fprintf(stderr, "stackproof: standard output: %s\n", reason);
	fflush(stderr);
	_exit(EXIT_ENVIRONMENT);
}

/* A variable of the environment that means nothing is a usage error, whatever the command. */
static bool environment_is_valid(void)
{
	const char *accelerator = getenv(ACCELERATOR_VARIABLE);

	if (accelerator_name_is_valid(accelerator))
		return true;
	fprintf(stderr, "stackproof: " ACCELERATOR_VARIABLE " is tcg or kvm, not \"%s\"\n",
		PLAIN_TEXT(accelerator));
	return false;
}

/* Whoever gets a page too few dies without a word. */
static bool stack_may_grow(void)
{
	struct rlimit stack;

	if (getrlimit(RLIMIT_STACK, &stack) || stack.rlim_cur >= STACK_LIMIT_MIN)
		return true;
	fprintf(stderr,
		"stackproof: the limit of its stack is %llu KiB, and %d are wanted (ulimit -s)\n",
		(unsigned long long)stack.rlim_cur / 1024, STACK_LIMIT_MIN / 1024);
	return false;
}

static void print_help(FILE *file)
{
	fprintf(file, "Usage: stackproof COMMAND [OPTIONS] [ARGS]\n\n"
		      "When a stack is wrong, whose fault is it?\n\nCommands:\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(file, "  %-8s  %s\n", commands[i].name, commands[i].summary);
	fprintf(file, "\n  stackproof COMMAND --help  explains a command\n"
		      "  stackproof --version       prints the version\n\n"
		      "Exit status: 0 something was checked and nothing found, 1 findings or "
		      "failures,\n2 usage, 3 unreadable input, 77 nothing was checked, 99 the "
		      "environment failed.\n");
}

static const struct command *find_command(const char *name)
{
	return ARRAY_FIRST(commands, COMMAND_COUNT, command, !strcmp(command->name, name));
}

/* A command that does not exist, and which one, or which of the options in its place, may have been meant. */
static int refuse(const char *name)
{
	struct nearest_word nearest = { NULL, 0 };

	nearest_word_add(&nearest, name, "--help");
	nearest_word_add(&nearest, name, "--version");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		nearest_word_add(&nearest, name, commands[i].name);
	fprintf(stderr, "stackproof: no command \"%s\"", PLAIN_TEXT(name));
	if (nearest.word) {
		fprintf(stderr, ": did you mean \"%s\"?\n", nearest.word);
		return EXIT_USAGE;
	}
	fprintf(stderr, "\n\n");
	print_help(stderr);
	return EXIT_USAGE;
}

/* argv[0] is what usage and errors begin with. */
static int run(const struct command *command, int argc, char **argv)
{
	static char name[64];
	snprintf(name, sizeof(name), "stackproof %s", command->name);
	argv[0] = name;
	cut_file_watch(name);
	return command->run(argc, argv);
}

/* `stackproof help COMMAND` is `stackproof COMMAND --help`. */
static int help(int argc, char **argv)
{
	if (argc < 2) {
		print_help(stdout);
		return EXIT_OK;
	}
	if (argc > 2) {
		fprintf(stderr, "stackproof: help takes one command\n");
		return EXIT_USAGE;
	}
	const struct command *command = find_command(argv[1]);
	if (!command)
		return refuse(argv[1]);
	char option[] = "--help";
	char *arguments[] = { argv[1], option, NULL };
	return run(command, 2, arguments);
}

/* A compiler's name in this program's place, or in that of a command. words: NULL: there is no such compiler. */
static int compile(char **words)
{
	int count = 0;

	if (!words)
		return CHILD_NOT_RUN;
	while (words[count])
		count++;
	return run(find_command("cc"), count, words);
}

int main(int argc, char **argv)
{
	char **compiler = NULL;

	child_ends_are_kept();
	child_full_file_is_an_error();
	take_closed_descriptors();
	if (atexit(close_output)) {
		fprintf(stderr, "stackproof: no memory\n");
		return EXIT_ENVIRONMENT;
	}
	if (!environment_is_valid())
		return EXIT_USAGE;
	if (!stack_may_grow())
		return EXIT_ENVIRONMENT;
	if (compile_named(argv, &compiler) != COMPILE_NOT_NAMED)
		return compile(compiler);
	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return help(argc - 1, argv + 1);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		if (argc > 2) {
			fprintf(stderr, "stackproof: %s takes nothing\n", argv[1]);
			return EXIT_USAGE;
		}
		printf("stackproof %s%s\n", STACKPROOF_VERSION, STACKPROOF_COMMIT);
		return EXIT_OK;
	}
	const struct command *command = find_command(argv[1]);
	if (!command)
		return refuse(argv[1]);
	return run(command, argc - 1, argv + 1);
}
