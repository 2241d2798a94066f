/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * harness.h - what every command shares: the command table's entry and the exit status
 *
 * A command is one file in commands/, which parses arguments and prints, with one function
 * `int command_NAME(int argc, char **argv)`; argv[0] is the command's name, options are parsed with
 * argp. main.c lists them all.
 */
#ifndef STACKPROOF_HARNESS_H
#define STACKPROOF_HARNESS_H

#include <stdbool.h>

#define STACKPROOF_VERSION "0.1"

/* gate/gate.h decides which. */
enum exit_status {
	EXIT_OK = 0,	       /* something was checked, and nothing found */
	EXIT_FINDINGS = 1,     /* findings or failed comparisons */
	EXIT_USAGE = 2,	       /* the command line */
	EXIT_BAD_INPUT = 3,    /* unreadable or malformed input */
	EXIT_SKIPPED = 77,     /* nothing was checked */
	EXIT_ENVIRONMENT = 99, /* no VM, no privilege, a guest that died */
};

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary; /* one line for `stackproof help` */
};

int command_table(int argc, char **argv);
int command_stat(int argc, char **argv);
int command_prove(int argc, char **argv);
int command_synthesize(int argc, char **argv);
int command_lint(int argc, char **argv);
int command_cc(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_step(int argc, char **argv);
int command_truth(int argc, char **argv);
int command_kernels(int argc, char **argv);
int command_vm(int argc, char **argv);
int command_load(int argc, char **argv);
int command_corpus(int argc, char **argv);
int command_run(int argc, char **argv);
int command_report(int argc, char **argv);
int command_golden(int argc, char **argv);
int command_plant(int argc, char **argv);
int command_generate(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_sample(int argc, char **argv);
int command_score(int argc, char **argv);
int command_witness(int argc, char **argv);
int command_bench(int argc, char **argv);

/* argp_parse(3) of a command, without an index of the first argument; of a long option that does
 * not exist it says which one was meant, if that is to be seen. An option with a value that comes a second
 * time is refused, without OPTION_AGAIN (cli/options.h). It returns if all was read, and else exits with
 * EXIT_USAGE. (cli/command_line.c) */
struct argp;
void command_parse(const struct argp *argp, int argc, char **argv, unsigned int flags, void *input);

/* argp that exits with EXIT_USAGE on a bad command line. Every command declares its argp. */
#define ARGP_ERR_EXIT EXIT_USAGE

#endif
