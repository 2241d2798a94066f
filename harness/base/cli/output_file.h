/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * output_file.h - a file that a person has named, which is there whole or not at all
 *
 * It is written beside its place, as PATH.unfinished, and takes the place at the end. What is there
 * and is no regular file (a device, a pipe, a link) is written into instead: taking its place would
 * take it away.
 *
 * A command that would write over what it reads, or twice into one file, is refused before it writes
 * anything.
 */
#ifndef STACKPROOF_CLI_OUTPUT_FILE_H
#define STACKPROOF_CLI_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "error.h"

struct output_file {
	FILE *file;	  /* to write to; private otherwise */
	char *path;	  /* where it will be */
	char *unfinished; /* where it is; NULL: there already */
};

/* 0, or -1: then there is nothing to close. */
int output_file_open(const char *path, struct output_file *ret, struct error *error);
/* finish: all was written that was to be. If not, or if it fails, no file is left behind, and what
 * was there before still is. */
int output_file_close(struct output_file *output, bool finish, struct error *error);
/* What is there may be replaced by another file: nothing is, or a regular one. False: errno is
 * EEXIST, or says why that is not known. */
bool output_file_may_replace(const char *path);

/* Names of files, as two arguments; NULL is a file that nobody asked for. */
#define FILE_NAMES(...)                                                                            \
	((const char *const[]) { __VA_ARGS__ }),                                                   \
		sizeof((const char *const[]) { __VA_ARGS__ }) / sizeof(const char *)

/* An output is, by whatever name, a regular file that is an input, or another output: that is said. */
bool output_files_are_inputs(const char *const *output, size_t outputs, const char *const *input,
			     size_t inputs);
/* The same of a program that is run: the file that its name means. */
bool output_files_are_program(const char *const *output, size_t outputs, const char *program);
/* Two outputs are one regular file, or will be. */
bool output_files_are_one(const char *const *output, size_t outputs);
/* The same of one input, by its st_dev and st_ino; nothing of two outputs. */
bool output_files_have(const char *const *output, size_t outputs, uint64_t device, uint64_t inode);

#endif
