/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * corpus_own.h - the corpus built by a user's compilers
 *
 * testprogs/toolchains.tsv lists the project's own compilers. Here the corpus is built by a compiler that
 * is not in the list, from the sources of a stackproof tree, into another folder.
 */
#ifndef STACKPROOF_CORPUS_OWN_H
#define STACKPROOF_CORPUS_OWN_H

#include <stdbool.h>
#include "error.h"

/* The folder beside an installed program with the needed parts of a source tree (the Makefile's install). */
#define CORPUS_OWN_SOURCES "corpus-sources"

struct corpus_own {
	const char *cc, *cxx,
		*rustc;	  /* names in PATH, or paths; NULL: programs in its language are left out */
	bool assembly;	  /* cc builds the programs in assembly, too */
	const char *name; /* of the toolchain; NULL: the compiler's file name */
	const char *linker;   /* ld.LINKER; NULL: the compiler's default */
	const char *flags;    /* for all builds; NULL: none */
	const char *programs; /* a glob; NULL: all */
	const char *tree;     /* the folder of testprogs/ and scripts/; NULL: corpus_own_tree() */
	const char *folder;   /* for all output */
	unsigned int jobs;
	int lock; /* set by corpus_own_build(): keeps the folder ours until it is closed (cli/folder_lock.h) */
};

/* Finds a stackproof tree: the current folder, the parent of the running program's folder, or
 * CORPUS_OWN_SOURCES beside the program. The caller's to free; NULL and ERROR_UNAVAILABLE: none is a tree. */
char *corpus_own_tree(struct error *error);

/*
 * Builds FOLDER/corpus-own, with a manifest (corpus.h), by make, whose output goes to standard error.
 * Programs that the compiler can't build are skip:not_built in the manifest. ERROR_UNAVAILABLE: no make,
 * compiler, or tree. ERROR_PROTOCOL: nothing was built. ERROR_TEXT_SYNTAX: a name that make or a file
 * can't have. ERROR_SYSTEM: another stackproof writes into the folder.
 */
int corpus_own_build(struct corpus_own *own, struct error *error);

#endif
