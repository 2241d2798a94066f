/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * corpus_own.h - the corpus by compilers that no file of the tree names
 *
 * testprogs/toolchains.tsv lists the compilers that the project itself builds with. Whoever writes a
 * compiler has another one: here it is one for as long as it takes, with sources from a tree of
 * stackproof's and all that is made in a folder elsewhere.
 */
#ifndef STACKPROOF_CORPUS_OWN_H
#define STACKPROOF_CORPUS_OWN_H

#include <stdbool.h>
#include "error.h"

/* Beside an installed program: what is needed of a source tree (the Makefile's install). */
#define CORPUS_OWN_SOURCES "corpus-sources"

struct corpus_own {
	const char *cc, *cxx,
		*rustc;	      /* names in PATH or paths; NULL: programs of it are left out */
	bool assembly;	      /* the programs in assembly, too, by cc */
	const char *name;     /* of the toolchain; NULL: the compiler's file name */
	const char *linker;   /* ld.LINKER; NULL: the one that it takes */
	const char *flags;    /* for all that it builds; NULL: none */
	const char *programs; /* a glob; NULL: all */
	const char *tree;     /* where testprogs/ and scripts/ are; NULL: corpus_own_tree() */
	const char *folder;   /* for all that is made */
	unsigned int jobs;
	int lock; /* corpus_own_build() sets it: the folder is ours until it is closed (cli/folder_lock.h) */
};

/* The current folder, or the one that the build folder of the running program lies in, or what was installed beside
 * it. The caller's to free; ERROR_UNAVAILABLE: none is a tree of stackproof's. */
char *corpus_own_tree(struct error *error);

/*
 * Builds FOLDER/corpus-own, with a manifest (corpus.h), by make, whose output goes to standard error.
 * What the compiler can't build is skip:not_built there. ERROR_UNAVAILABLE: no make, no compiler, no
 * tree. ERROR_PROTOCOL: nothing was built. ERROR_TEXT_SYNTAX: a name that make or a file can't have.
 * ERROR_SYSTEM: another stackproof writes into the folder.
 */
int corpus_own_build(struct corpus_own *own, struct error *error);

#endif
