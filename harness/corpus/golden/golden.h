/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden.h - snapshots of tables and of verdicts, and what keeps them honest
 *
 *	commands/golden.c  the command line and the status
 *	golden_corpus.c		the corpus's files, each with its golden: check
 *	golden_names.c		the tables that have a file
 *	golden_same.c		tables with the same text share one
 *	golden_left.c		goldens whose binary has left the corpus
 *	golden_update.c		what may become a golden, and what is refused
 *	golden_report.c		what is said of each, as text and as JSON
 *	golden_file.c		texts of images and of files; whole or not at all
 *	golden_own.c		of a file with a library in it, what is the program's own
 *	golden_text.c		two tables' texts -> their differences, function by function
 *	golden_explain.c	a row's place in an image: the instruction there, its source line
 *	golden_verdict.c	table faults that the truth found, and the waivers that admit them
 *	golden_findings.c	a run's findings as text, and the snapshots of it
 *	golden_findings_read.c	results.ndjson -> each binary's findings, kernel by kernel
 *	golden_archive.c	many small files <-> one .tar.xz, of which nothing is believed
 *	golden_provenance.c	where a packed binary came from: TOOLCHAIN-VERSION.tsv
 *	golden_pack.c		binaries of the corpus -> GOLDEN/binaries
 *	golden_unpack.c		GOLDEN/binaries -> a corpus without a compiler
 *
 * A golden is the table text (docs/TABLE_TEXT.md) of one file that one version of a toolchain
 * built: GOLDEN/tables/gcc-12.2.0/chain.O2-nofp.txt, or what a run found in one toolchain's
 * binaries: GOLDEN/verdicts/gcc-12.2.0.txt. Either is written only by an explicit `golden update`.
 * docs/GOLDENS.md has the rules.
 */
#ifndef STACKPROOF_GOLDEN_H
#define STACKPROOF_GOLDEN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "corpus/manifest/corpus.h"
#include "base/cases/cases.h"
#include "base/gate/gate.h"
#include "base/ignore/ignore.h"
#include "cfi/cfi.h"

/* ---- golden.c --------------------------------------------------------------------------- */

enum golden_action { GOLDEN_CHECK, GOLDEN_UPDATE, GOLDEN_PACK, GOLDEN_UNPACK, GOLDEN_REMOVE };

struct golden_options {
	enum golden_action action;
	bool force, json, dry_run;
	bool unstepped;		/* update: also what the truth has not seen */
	bool hermetic;		/* check: the packed binaries, and nothing may be skipped */
	bool complete;		/* check: the corpus is all there is; a golden needs a binary */
	bool standalone;	/* unpack: only what needs nothing of the machine */
	const char *all;	/* why everything is to be updated; NULL: only what is named */
	const char *corpus;	/* folder with manifest.tsv */
	const char *golden;	/* folder of the snapshots */
	const char *candidates; /* NULL: beside the corpus */
	const char *verdicts;	/* NDJSON of `run` or of `compare`, or NULL */
	char **name;
	size_t name_count;
};

/* ---- golden_text.c ---------------------------------------------------------------------- */

/* One line of a text: a row, an end, a diagnostic. Pointers go into the text. */
struct golden_line {
	const char *function; /* "" before the first function */
	unsigned occurrence;  /* of that name before: static functions may share one */
	const char *key;      /* "+0x1b", "function", "diagnostic malformed": what it is there */
	const char *rule;     /* the rest of the line */
};

struct golden_text {
	char *copy;
	struct golden_line *line;   /* as written */
	struct golden_line *sorted; /* by function, occurrence and key */
	size_t count;
};

/* What one text says and the other does not. expected or actual is NULL if there is no such line.
 */
struct golden_difference {
	const char *function;
	unsigned occurrence;
	const char *key;
	const char *expected;
	const char *actual;
};

/* Cuts a text of size bytes into lines. -1: out of memory, or it is no table text. */
int golden_text_parse(struct golden_text *ret, const char *text, size_t size, struct error *error);
void golden_text_deinit(struct golden_text *text);
bool golden_text_has_function(const struct golden_text *text, const char *function);
/* The first diagnostic that is not expected (as corpus.tsv says; NULL: none is), or NULL. */
const char *golden_text_diagnostic(const struct golden_text *text, const char *expected);
/* Drops the lines of functions that another text doesn't have. */
void golden_text_keep(struct golden_text *text, const struct golden_text *of);
/* The row or end of a function that holds offset bytes into it: the last one at or before. NULL:
 * the text has no such function, or nothing of it so early. */
const struct golden_line *golden_text_row_at(const struct golden_text *text, const char *function,
					     unsigned occurrence, uint64_t offset);
/* A key as an offset: "+0x1b". False: it is none. */
bool golden_key_offset(const char *key, uint64_t *ret);
/*
 * Counts the differences and gives each to fn (may be NULL), expected's order first, then what is
 * only in actual. The order of functions is no difference: only the linker decides it.
 */
size_t golden_text_diff(const struct golden_text *expected, const struct golden_text *actual,
			void (*fn)(void *context, const struct golden_difference *difference),
			void *context);

/* ---- golden_file.c ---------------------------------------------------------------------- */

/* A table's text with its lines. */
struct golden_table {
	char *data;
	size_t size;
	struct golden_text lines;
	bool partial; /* of an image with a library in it, and nothing says what is the program's */
};

#define GOLDEN_TABLE_BYTES_MAX (256u << 20) /* of a text */

/* The table text of the ELF file at path: golden_own.c says of which functions. */
int golden_table_of_image(const char *path, struct golden_table *ret, struct error *error);
/* A text in a file. 1: read; 0: there is no such file; -1: error. */
int golden_table_of_file(const char *path, struct golden_table *ret, struct error *error);
void golden_table_deinit(struct golden_table *table);

/* All of a file of at most size_max bytes, with a NUL behind; the caller's to free. 1: read; 0:
 * there is none; -1: error. */
int golden_file_read(const char *path, size_t size_max, char **ret, size_t *ret_size,
		     struct error *error);
/* Makes the folders it needs. Whole or not at all: a golden half written would be a golden. */
int golden_file_write(const char *path, const void *data, size_t size, unsigned int mode,
		      struct error *error);

/* ---- golden_own.c ----------------------------------------------------------------------- */

/* table_text_write(), but of a file with a library in it only the program's own functions. */
int golden_own_text_write(FILE *file, const char *path, const struct cfi *cfi, bool *ret_partial,
			  struct error *error);
/* Whether an address of the image at path is the program's own. */
bool golden_own_has(const char *path, uint64_t vaddr);

/* ---- golden_explain.c ------------------------------------------------------------------- */

struct golden_explainer;
/* Opens the image at path for questions about its rows; NULL: it can't be read. */
struct golden_explainer *golden_explainer_create(const char *path);
void golden_explainer_destroy(struct golden_explainer *explainer);

/* A place in an image. */
struct golden_place {
	uint64_t address;
	uint64_t instruction_offset; /* where the instruction begins, in the function; it is the
				      * place's own offset unless that is inside an instruction */
	char instruction[96];
	char source[256]; /* "testprogs/c/chain.c:12"; "" if the image doesn't say */
};

/* The place offset bytes into a function of the image. False: no such place. */
bool golden_explain(struct golden_explainer *explainer, const char *function, unsigned occurrence,
		    uint64_t offset, struct golden_place *ret);

/* ---- golden_verdict.c ------------------------------------------------------------------- */

/* A finding of `stackproof compare --json` that blames the table. */
struct golden_fault {
	char *file; /* base name of the image, or of the program if no image is given */
	char *function;
	char *kind; /* "malformed": nobody can read it, rather than that it is wrong */
};

struct golden_verdicts {
	struct ignore_list waivers; /* GOLDEN/waivers.tsv */
	struct golden_fault *fault;
	size_t fault_count;
	json_t *stepped; /* object: base name of a binary that the truth has seen -> true */
};

/* Adds the table faults in an NDJSON file; other objects are passed over. */
int golden_faults_read(struct golden_verdicts *verdicts, const char *path, struct error *error);
void golden_verdicts_deinit(struct golden_verdicts *verdicts);
/* Whether a waiver names that kind of table fault in the function of that binary. */
bool golden_waived(struct golden_verdicts *verdicts, const char *file, const char *function,
		   const char *kind);
/* Whether the binary of that base name was stepped to its end. */
bool golden_stepped(const struct golden_verdicts *verdicts, const char *file);
/* The first function of the file's text with a table fault that no waiver names and that is not
 * expected (as corpus.tsv says; NULL: nothing is), or NULL. */
const char *golden_verdicts_unwaived(struct golden_verdicts *verdicts, const char *file,
				     const char *expected, const struct golden_text *text);

/* ---- golden_report.c -------------------------------------------------------------------- */

enum golden_outcome { GOLDEN_PASSED, GOLDEN_FAILED, GOLDEN_SKIPPED, GOLDEN_OUTCOME_COUNT };

/* A command that is going on. */
struct golden_run {
	const struct golden_options *options;
	struct golden_verdicts verdicts;
	json_t *findings;  /* golden_findings_read.c; NULL: no run's results were given */
	json_t *snapshots; /* golden_findings.c: toolchain -> what its snapshot says */
	json_t *same;  /* golden_same.c: table -> the one whose file it shares; NULL: not read */
	json_t *texts; /* the same: digest of a text -> the table that has the file */
	bool has_same, same_changed;
	unsigned long count[GOLDEN_OUTCOME_COUNT];
	FILE *out; /* for people */
	struct gate gate;
	struct cases *cases; /* each snapshot is one; NULL: nobody wants them */
};

/* One file of the corpus and its golden. */
struct golden_item {
	const struct corpus_binary *binary;
	const char *path; /* absolute */
	const char *file; /* its base name */
	const char *kind; /* "table" or "verdicts" */
	char name[512];	  /* "gcc-12.2.0/chain.O2-nofp" */
	char golden[4096];
	char candidate[4096];
	json_t *differences;
	size_t difference_count;
	char first[1600]; /* the first difference in one line, for the line that says "failed" */
};

/* Counts the outcome and says it; item's differences are given back. reason: a typed word. */
void golden_finish(struct golden_run *run, struct golden_item *item, enum golden_outcome outcome,
		   const char *reason, const char *detail);
/* The same of what is no item: a name, without differences. */
void golden_finish_name(struct golden_run *run, const char *kind, const char *name,
			enum golden_outcome outcome, const char *reason, const char *detail);
/* Shows the first differences of two tables, each with its instruction in the item's image.
 * Returns how many there are. */
size_t golden_show_differences(struct golden_run *run, struct golden_item *item,
			       const struct golden_table *expected,
			       const struct golden_table *actual);
/* Shows one difference of an item's findings: "gone" or "new". */
void golden_show_finding(struct golden_run *run, struct golden_item *item, const char *change,
			 const char *finding, const char *kernel);

/* ---- golden_corpus.c -------------------------------------------------------------------- */

/* Whether a name on the command line is the item's. No names: every item is meant. */
bool golden_chosen(const struct golden_options *options, const struct golden_item *item);
void golden_item_init(struct golden_item *item, const struct golden_options *options,
		      const struct corpus_binary *binary, const char *path);
/* Checks or updates the goldens of every file of the manifest that is chosen. */
void golden_corpus(struct golden_run *run, const struct manifest *manifest);
/* The first name on the command line that is nobody's, or NULL. */
const char *golden_unknown_name(const struct golden_options *options,
				const struct manifest *manifest);

/* ---- golden_names.c --------------------------------------------------------------------- */

struct golden_names {
	char **name; /* TOOLCHAIN-VERSION/PROGRAM.VARIANT */
	size_t count;
};

/* Adds the tables of a toolchain that have a file of their own. */
int golden_names_of(const struct golden_options *options, const char *toolchain,
		    struct golden_names *ret, struct error *error);
/* All of them. */
int golden_names_read(const struct golden_options *options, struct golden_names *ret,
		      struct error *error);
void golden_names_deinit(struct golden_names *names);

/* ---- golden_same.c ---------------------------------------------------------------------- */

/* A table's golden, by its name (TOOLCHAIN-VERSION/PROGRAM.VARIANT). 1: read; 0: there is none;
 * -1: error. */
int golden_table_read(struct golden_run *run, const char *name, struct golden_table *ret,
		      struct error *error);
/* Makes a text the table's golden. golden_same_write() ends it. */
int golden_table_write(struct golden_run *run, const char *name, const void *data, size_t size,
		       struct error *error);
/* 1: removed; 0: there was none; -1: error. golden_same_write() ends it. */
int golden_table_remove(struct golden_run *run, const char *name, struct error *error);
/* How many of a toolchain's tables share another one's file. fn is given the name behind its slash.
 * -1: error.
 */
int golden_same_each(struct golden_run *run, const char *toolchain,
		     void (*fn)(void *context, const char *name), void *context,
		     struct error *error);
/* Fails each table that has a file of its own, though another one's has the same text (copy), if
 * the goldens have an index at all. */
void golden_same_check(struct golden_run *run);
/* Writes the index, if it has changed. */
int golden_same_write(struct golden_run *run, struct error *error);

/* ---- golden_left.c ---------------------------------------------------------------------- */

/* Fails each golden of the manifest's toolchains that has no binary in it (no_binary). */
void golden_left(struct golden_run *run, const struct manifest *manifest);

/* ---- golden_update.c -------------------------------------------------------------------- */

/* Makes the table the item's golden, or says why not. */
void golden_update_table(struct golden_run *run, struct golden_item *item,
			 const struct golden_table *actual, struct error *error);
/* Why the truth knows nothing of the item's binary, or NULL. */
const char *golden_no_truth(const struct golden_run *run, const struct golden_item *item,
			    const char **ret_detail);

/* ---- golden_findings_read.c ------------------------------------------------------------- */

/*
 * What `run` found in each binary's own files: an object, binary -> kernel -> {"findings": sorted
 * array of {"text", "address", "instruction", "verdict", "kind", "function"}, "cut": bool}. Only
 * binaries that were stepped are in it. *ret_is_run: it is a run's, not a compare's, which knows no
 * corpus. NULL, and error is set: it can't be read.
 */
json_t *golden_findings_read(const char *path, const struct manifest *manifest, bool *ret_is_run,
			     struct error *error);

/* ---- golden_findings.c ------------------------------------------------------------------ */

/* Checks or updates what was found in a binary, against its toolchain's snapshot. */
void golden_findings_binary(struct golden_run *run, const struct corpus_binary *binary);
/* The toolchain's snapshot: binary (PROGRAM.VARIANT) -> array of findings; empty if there is none.
 * NULL: it can't be read. */
const json_t *golden_findings_known(struct golden_run *run, const char *toolchain,
				    struct error *error);
/* Writes the snapshots that were updated. */
int golden_findings_write(struct golden_run *run, struct error *error);

/* ---- golden_archive.c ------------------------------------------------------------------- */

#define GOLDEN_ARCHIVE_BYTES_MAX (4u << 20)  /* of an archive */
#define GOLDEN_MEMBER_BYTES_MAX	 (16u << 20) /* of a file in it */
#define GOLDEN_TOTAL_BYTES_MAX	 (64u << 20) /* of all of them */
#define GOLDEN_MEMBER_COUNT_MAX	 256
#define GOLDEN_SHA256_SIZE	 65 /* in hexadecimal, with a NUL */

struct golden_member {
	char *name; /* a plain file name */
	char *data;
	size_t size;
};

struct golden_archive {
	struct golden_member *member;
	size_t count;
};

/* A name that stays in the folder where it is put. */
bool golden_name_is_plain(const char *name);
/* Takes data over, whatever happens. */
int golden_archive_add(struct golden_archive *archive, const char *name, char *data, size_t size,
		       struct error *error);
const struct golden_member *golden_archive_find(const struct golden_archive *archive,
						const char *name);
/* Equal members in equal order give equal bytes. *ret is the caller's to free. */
int golden_archive_write(const struct golden_archive *archive, char **ret, size_t *ret_size,
			 struct error *error);
/* Reads an .tar.xz of regular files with plain names, and refuses everything else. */
int golden_archive_read(const void *data, size_t size, struct golden_archive *ret,
			struct error *error);
void golden_archive_deinit(struct golden_archive *archive);
int golden_sha256(const void *data, size_t size, char ret[GOLDEN_SHA256_SIZE], struct error *error);

/* ---- golden_provenance.c ---------------------------------------------------------------- */

/* Columns of GOLDEN/binaries/TOOLCHAIN-VERSION.tsv. The first are those of a corpus's manifest. */
enum golden_column {
	GOLDEN_PATH,
	GOLDEN_PROGRAM, /* "-": a library that another line needs */
	GOLDEN_TOOLCHAIN,
	GOLDEN_VARIANT,
	GOLDEN_LANGUAGE,
	GOLDEN_NEEDS,
	GOLDEN_EXPECTED,
	GOLDEN_BYTES,
	GOLDEN_SHA256,	 /* of the packed file */
	GOLDEN_ORIGINAL, /* SHA-256 as it was built, with its debug info */
	GOLDEN_COMPILER, /* what the file's .comment says */
	GOLDEN_PACKAGE,	 /* Debian's package of the compiler, and its version */
	GOLDEN_COMMIT,	 /* of the corpus */
	GOLDEN_COMMAND,
	GOLDEN_COLUMN_COUNT,
};

struct golden_packed {
	char *column[GOLDEN_COLUMN_COUNT];
	size_t bytes;
};

struct golden_provenance {
	struct golden_packed *packed;
	size_t count;
};

/* Adds a line; copies the columns. Tabs and line breaks become blanks. */
int golden_provenance_add(struct golden_provenance *provenance,
			  const char *const column[GOLDEN_COLUMN_COUNT], struct error *error);
int golden_provenance_write(const char *path, const struct golden_provenance *provenance,
			    struct error *error);
int golden_provenance_read(struct golden_provenance *ret, const char *path, struct error *error);
void golden_provenance_deinit(struct golden_provenance *provenance);
/* What the build left about a binary of the corpus: ret[GOLDEN_COMPILER] to ret[GOLDEN_COMMAND],
 * NULL where it is not known; the caller's to free. known: an object, to remember in. */
int golden_provenance_collect(const char *corpus, const char *file, const char *path, json_t *known,
			      char *ret[GOLDEN_COLUMN_COUNT], struct error *error);

/* ---- golden_pack.c, golden_unpack.c ----------------------------------------------------- */

/* Packs the chosen binaries, a toolchain's replacing those it had. */
void golden_pack(struct golden_run *run, const struct manifest *manifest);
/*
 * Unpacks every archive into folder and writes its manifest.tsv. What can't be believed is a failed
 * item and is not written. -1: the folder can't be written, or there is nothing to unpack.
 */
int golden_unpack(struct golden_run *run, const char *folder, struct error *error);

#endif
