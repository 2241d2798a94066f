/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * commands.h - the commands; the file of each parses arguments, calls a wing and prints
 *
 * A command is one function `int command_NAME(int argc, char **argv)`, which returns the exit status.
 * argv[0] is the command's name, and argp parses the options. main.c has the table of all commands.
 */
#ifndef STACKPROOF_COMMANDS_H
#define STACKPROOF_COMMANDS_H

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
int command_doctor(int argc, char **argv);
int command_kernels(int argc, char **argv);
int command_watch(int argc, char **argv);
int command_executed(int argc, char **argv);
int command_emulators(int argc, char **argv);
int command_vm(int argc, char **argv);
int command_load(int argc, char **argv);
int command_corpus(int argc, char **argv);
int command_run(int argc, char **argv);
int command_report(int argc, char **argv);
int command_golden(int argc, char **argv);
int command_plant(int argc, char **argv);
int command_generate(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_profile(int argc, char **argv);
int command_sample(int argc, char **argv);
int command_score(int argc, char **argv);
int command_witness(int argc, char **argv);
int command_bench(int argc, char **argv);

#endif
