/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_source.h - which compiler made the code at an address of an image, and of which source line
 */
#ifndef STACKPROOF_IMAGES_CODE_SOURCE_H
#define STACKPROOF_IMAGES_CODE_SOURCE_H

#include <stdint.h>
#include "error.h"

struct code_source {
	char producer[512]; /* DW_AT_producer, or "" */
	char file[512];	    /* the source file, with DW_AT_comp_dir, or "" */
	int line, column;   /* 0: not known */
};

struct code_sources;

/* path: the image's file. debug: its separate debug file, or NULL. A file that can't be read counts as one
 * without debug info. NULL: no memory. code_sources_close() closes it. */
struct code_sources *code_sources_open(const char *path, const char *debug);
/* The same for an object file. */
struct code_sources *code_sources_open_object(const char *path);
void code_sources_close(struct code_sources *sources);
/* For an object file: the address that code_sources_find() takes for an offset in the section with that
 * index. 0: there is no such section. */
uint64_t code_sources_address(const struct code_sources *sources, size_t section, uint64_t offset);
/* address: a virtual address of the image; for an object file, from code_sources_address(). */
void code_sources_find(struct code_sources *sources, uint64_t address, struct code_source *ret);
/* The strings of .comment, each once, separated by "; ": they name the compilers of the image's parts. "":
 * there are none. Borrowed from sources. */
const char *code_sources_comment(const struct code_sources *sources);

#endif
