/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * output_file.h - an output file that is there whole or not at all
 *
 * It is written as PATH.unfinished, and renamed to PATH at the end. If PATH exists and is no regular file (a device,
 * a pipe, a link), it is written directly: the rename would remove it.
 *
 * A command that would overwrite its input, or write two outputs into one file, is refused before it writes anything.
 */
#ifndef STACKPROOF_CLI_OUTPUT_FILE_H
#define STACKPROOF_CLI_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "error.h"

struct output_file {
	FILE *file;	  /* to write to; the other members are private */
	char *path;	  /* PATH */
	char *unfinished; /* PATH.unfinished; NULL: PATH itself is written */
};

/* 0; or -1 with error, and nothing is to be closed. */
int output_file_open(const char *path, struct output_file *ret, struct error *error);
/* Whether the path can be opened so, before there is anything to be written; nothing is made. -1: errno says why not. */
int output_file_check(const char *path, struct error *error);
/* Closes the file. finish: it is complete, and takes its place at PATH. Without finish, and on failure, it
 * is removed, and PATH is as before. 0, or -1. */
int output_file_close(struct output_file *output, bool finish, struct error *error);
/* True if a file may be renamed to path: path does not exist, or is a regular file. False: errno is EEXIST,
 * or says why that is not known. */
bool output_file_may_replace(const char *path);

/* Names of files as two arguments, an array and its length. NULL: a file that was not asked for. */
#define FILE_NAMES(...)                                                                            \
	((const char *const[]) { __VA_ARGS__ }),                                                   \
		sizeof((const char *const[]) { __VA_ARGS__ }) / sizeof(const char *)

/* True if an output is the same regular file, by whatever name, as an input or as another output. stderr
 * says which. */
bool output_files_are_inputs(const char *const *output, size_t outputs, const char *const *input,
			     size_t inputs);
/* The same, where the input is the file of a program. program: its name, which may be searched in PATH; or NULL. */
bool output_files_are_program(const char *const *output, size_t outputs, const char *program);
/* True if two outputs are one regular file, or will be. stderr says which. */
bool output_files_are_one(const char *const *output, size_t outputs);
/* True if an output is the regular file with this st_dev and st_ino. stderr says which. */
bool output_files_have(const char *const *output, size_t outputs, uint64_t device, uint64_t inode);

#endif
