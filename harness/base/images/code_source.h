/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_source.h - who compiled the code at an address of an image, and of which line
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

/* path: the image's file; debug: of its separate debug file, or NULL. A file without debug info, or
 * that can't be read, knows nothing. NULL: no memory. The caller's: code_sources_close(). */
struct code_sources *code_sources_open(const char *path, const char *debug);
/* The same of an object file. */
struct code_sources *code_sources_open_object(const char *path);
void code_sources_close(struct code_sources *sources);
/* Of an object file: what code_sources_find() wants of an offset in the section of that number. */
uint64_t code_sources_address(const struct code_sources *sources, size_t section, uint64_t offset);
/* address: in the image; of an object file as code_sources_address() says. */
void code_sources_find(struct code_sources *sources, uint64_t address, struct code_source *ret);
/* What .comment says: each compiler that made some of the image once, separated by "; "; or "". */
const char *code_sources_comment(const struct code_sources *sources);

#endif
