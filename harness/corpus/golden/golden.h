/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden.h - snapshots of tables and of verdicts (goldens): checked, updated, packed
 *
 *	commands/golden.c  the command line and the status
 *	golden_corpus.c		checks the corpus's files, each against its golden
 *	golden_names.c		the tables that have a file
 *	golden_same.c		tables with the same text share a file
 *	golden_left.c		goldens whose binary is no longer in the corpus
 *	golden_update.c		updates goldens, and refuses what must not become one
 *	golden_report.c		prints the results as text and as JSON
 *	golden_file.c		reads texts of images and of files; writes files atomically
 *	golden_own.c		the program's own functions in a file that has a library linked in
 *	golden_text.c		two tables' texts -> their differences, function by function
 *	golden_explain.c	a row's place in an image: the instruction there, its source line
 *	golden_verdict.c	table faults that the truth found, and the waivers that admit them
 *	golden_findings.c	a run's findings as text, and their snapshots
 *	golden_findings_read.c	results.ndjson -> each binary's findings, kernel by kernel
 *	golden_archive.c	many small files <-> one .tar.xz, distrusting every byte
 *	golden_provenance.c	the origin of packed binaries: TOOLCHAIN-VERSION.tsv
 *	golden_pack.c		binaries of the corpus -> GOLDEN/binaries
 *	golden_unpack.c		GOLDEN/binaries -> a corpus without a compiler
 *
 * A golden is the table text (docs/TABLE_TEXT.md) of a file that one version of a toolchain built:
 * GOLDEN/tables/gcc-12.2.0/chain.O2-nofp.txt. Or it is a run's findings in one toolchain's binaries:
 * GOLDEN/verdicts/gcc-12.2.0.txt. Only an explicit `golden update` writes goldens. docs/GOLDENS.md has the
 * rules.
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
#include "base/finding/finding_record.h"
#include "base/gate/gate.h"
#include "base/ignore/ignore.h"
#include "cfi/cfi.h"

/* ---- golden.c --------------------------------------------------------------------------- */

enum golden_action { GOLDEN_CHECK, GOLDEN_UPDATE, GOLDEN_PACK, GOLDEN_UNPACK, GOLDEN_REMOVE };

struct golden_options {
	enum golden_action action;
	bool force, json, dry_run;
	bool unstepped;		/* update: also binaries that were not stepped */
	bool hermetic;		/* check: the packed binaries, and none may be skipped */
	bool complete;		/* check: the corpus is complete, so each golden needs a binary */
	bool standalone;	/* unpack: only binaries that need nothing of the machine */
	const char *all;	/* why all goldens are updated; NULL: only the named ones are */
	const char *corpus;	/* folder with manifest.tsv */
	const char *golden;	/* folder of the snapshots */
	const char *candidates; /* folder of the new texts; NULL: beside the corpus */
	const char *verdicts;	/* NDJSON of `run` or of `compare`, or NULL */
	char **name;
	size_t name_count;
};

/* ---- golden_text.c ---------------------------------------------------------------------- */

/* A line of a text: a row, an end, a diagnostic. Pointers are borrowed from the text. */
struct golden_line {
	const char *function; /* "" before the first function */
	unsigned occurrence;  /* how many functions of this name come before: names may be shared */
	const char *key;      /* what the line is: "+0x1b", "function", "diagnostic malformed" */
	const char *rule;     /* the rest of the line */
};

struct golden_text {
	char *copy;
	struct golden_line *line;   /* as written */
	struct golden_line *sorted; /* by function, occurrence and key */
	size_t count;
};

/* A line that differs between two texts. expected or actual is NULL if that text has no such line. */
struct golden_difference {
	const char *function;
	unsigned occurrence;
	const char *key;
	const char *expected;
	const char *actual;
};

/* Copies a text of size bytes, and cuts it into lines. -1: out of memory, or not a table text. */
int golden_text_parse(struct golden_text *ret, const char *text, size_t size, struct error *error);
void golden_text_deinit(struct golden_text *text);
bool golden_text_has_function(const struct golden_text *text, const char *function);
/* The first diagnostic that corpus.tsv's words in expected do not expect, or NULL. expected NULL: none
 * is expected. */
const char *golden_text_diagnostic(const struct golden_text *text, const char *expected);
/* Drops the lines of functions that the text of does not have. */
void golden_text_keep(struct golden_text *text, const struct golden_text *of);
/* The row or end of a function that is in force offset bytes into it: the last at or before offset. NULL:
 * there is no such function, or no such row. */
const struct golden_line *golden_text_row_at(const struct golden_text *text, const char *function,
					     unsigned occurrence, uint64_t offset);
/* Reads a key like "+0x1b" as an offset. False: the key is not an offset. */
bool golden_key_offset(const char *key, uint64_t *ret);
/*
 * Returns the number of differences, and gives each to fn (may be NULL): first in expected's order, then
 * the lines that only actual has. The order of functions does not matter: the linker decides it.
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
	bool partial; /* a library is linked in, and which functions are the program's is not known */
};

#define GOLDEN_TABLE_BYTES_MAX (256u << 20) /* of a text */

/* Makes the table text of the ELF file at path, of the functions that golden_own.c chooses. */
int golden_table_of_image(const char *path, struct golden_table *ret, struct error *error);
/* Reads a text from a file. 1: read; 0: there is no such file; -1: error. */
int golden_table_of_file(const char *path, struct golden_table *ret, struct error *error);
void golden_table_deinit(struct golden_table *table);

/* Reads a file of at most size_max bytes, and adds a NUL; free() *ret. 1: read; 0: there is no such file;
 * -1: error. */
int golden_file_read(const char *path, size_t size_max, char **ret, size_t *ret_size,
		     struct error *error);
/* Writes a file atomically, and makes the folders that it needs. */
int golden_file_write(const char *path, const void *data, size_t size, unsigned int mode,
		      struct error *error);

/* ---- golden_own.c ----------------------------------------------------------------------- */

/* table_text_write(), but only with the program's own functions if path has a library linked in.
 * *ret_partial: as in struct golden_table. */
int golden_own_text_write(FILE *file, const char *path, const struct cfi *cfi, bool *ret_partial,
			  struct error *error);
/* True if the code at vaddr of the image at path is the program's own. */
bool golden_own_has(const char *path, uint64_t vaddr);

/* ---- golden_explain.c ------------------------------------------------------------------- */

struct golden_explainer;
/* Opens the image at path for questions about its rows; NULL: it can't be read. */
struct golden_explainer *golden_explainer_create(const char *path);
void golden_explainer_destroy(struct golden_explainer *explainer);

/* A place in an image. */
struct golden_place {
	uint64_t address;
	uint64_t instruction_offset; /* in the function, of the instruction's begin; less than the
				      * place's offset if that is inside the instruction */
	char instruction[96];
	char source[256]; /* "testprogs/c/chain.c:12"; "" if the image doesn't say */
};

/* Describes the place offset bytes into a function. False: the image has no such place. */
bool golden_explain(struct golden_explainer *explainer, const char *function, unsigned occurrence,
		    uint64_t offset, struct golden_place *ret);

/* ---- golden_verdict.c ------------------------------------------------------------------- */

/* What was found in one binary on one kernel. */
struct golden_cell {
	const struct corpus_binary *binary; /* borrowed */
	char *kernel;
	struct finding_set
		findings; /* in the binary's own files; the key is the text, by which they are sorted */
	bool stepped;	  /* to its end */
	bool cut;	  /* there were more than are kept */
};

/* What `run` or `compare` found. */
struct golden_verdicts {
	struct ignore_list waivers; /* GOLDEN/waivers.tsv */
	struct finding_set
		faults;	 /* findings that blame the table; the key is the base name of the image */
	json_t *stepped; /* object: base name of a binary that was stepped to its end -> true */
	bool of_run;	 /* false: of `compare`, which knows no corpus */
	struct golden_cell *cell;
	size_t cell_count;
};

void golden_verdicts_deinit(struct golden_verdicts *verdicts);
/* True if a waiver names this kind of table fault in this function of this binary. */
bool golden_waived(struct golden_verdicts *verdicts, const char *file, const char *function,
		   const char *kind);
/* True if the binary of this base name was stepped to its end. */
bool golden_stepped(const struct golden_verdicts *verdicts, const char *file);
/* The first function in the file's text with a table fault that no waiver names, and that corpus.tsv's
 * words in expected do not expect (NULL: none is expected); or NULL. */
const char *golden_verdicts_unwaived(struct golden_verdicts *verdicts, const char *file,
				     const char *expected, const struct golden_text *text);

/* ---- golden_report.c -------------------------------------------------------------------- */

enum golden_outcome { GOLDEN_PASSED, GOLDEN_FAILED, GOLDEN_SKIPPED, GOLDEN_OUTCOME_COUNT };

/* The state of a golden command. */
struct golden_run {
	const struct golden_options *options;
	struct golden_verdicts verdicts;
	json_t *snapshots; /* golden_findings.c: toolchain -> its snapshot's content */
	json_t *same;  /* golden_same.c: table -> the table whose file it shares; NULL: not read */
	json_t *texts; /* golden_same.c: digest of a text -> the table that has the file */
	bool has_same, same_changed;
	unsigned long count[GOLDEN_OUTCOME_COUNT];
	FILE *out; /* for people */
	struct gate gate;
	struct cases *cases; /* gets a case for each snapshot; or NULL */
};

/* A file of the corpus and its golden. */
struct golden_item {
	const struct corpus_binary *binary;
	const char *path;     /* absolute */
	const char *file;     /* base name of path */
	const char *kind;     /* "table" or "verdicts" */
	char name[512];	      /* "gcc-12.2.0/chain.O2-nofp" */
	char golden[4096];    /* path */
	char candidate[4096]; /* path of the new text */
	json_t *differences;
	size_t difference_count;
	char first[1600]; /* the first difference as one line, for the line "failed" */
};

/* Counts and prints the outcome, and releases item's differences. reason: a fixed word, or NULL. */
void golden_finish(struct golden_run *run, struct golden_item *item, enum golden_outcome outcome,
		   const char *reason, const char *detail);
/* The same for a name that has no item. */
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

/* True if a name on the command line means the item, or there are no names. */
bool golden_chosen(const struct golden_options *options, const struct golden_item *item);
void golden_item_init(struct golden_item *item, const struct golden_options *options,
		      const struct corpus_binary *binary, const char *path);
/* Checks or updates the goldens of the manifest's chosen files. */
void golden_corpus(struct golden_run *run, const struct manifest *manifest);
/* The first name on the command line that means no item; or NULL. */
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
/* Finds those of all toolchains. */
int golden_names_read(const struct golden_options *options, struct golden_names *ret,
		      struct error *error);
void golden_names_deinit(struct golden_names *names);

/* ---- golden_same.c ---------------------------------------------------------------------- */

/* Reads the golden of a table, TOOLCHAIN-VERSION/PROGRAM.VARIANT. 1: read; 0: there is none; -1: error. */
int golden_table_read(struct golden_run *run, const char *name, struct golden_table *ret,
		      struct error *error);
/* Makes a text the table's golden. Call golden_same_write() at last. */
int golden_table_write(struct golden_run *run, const char *name, const void *data, size_t size,
		       struct error *error);
/* Removes a golden. 1: removed; 0: there was none; -1: error. Call golden_same_write() at last. */
int golden_table_remove(struct golden_run *run, const char *name, struct error *error);
/* Gives fn (may be NULL) each of a toolchain's tables that share another table's file, by the name after
 * the slash. Returns their number. -1: error. */
int golden_same_each(struct golden_run *run, const char *toolchain,
		     void (*fn)(void *context, const char *name), void *context,
		     struct error *error);
/* If the goldens have an index: fails each table that has a file of its own, though another table's file
 * has the same text (copy). */
void golden_same_check(struct golden_run *run);
/* Writes the index, if it has changed. */
int golden_same_write(struct golden_run *run, struct error *error);

/* ---- golden_left.c ---------------------------------------------------------------------- */

/* Fails each golden of the manifest's toolchains whose binary the manifest does not have (no_binary). */
void golden_left(struct golden_run *run, const struct manifest *manifest);

/* ---- golden_update.c -------------------------------------------------------------------- */

/* Makes the table the item's golden, or reports why not. */
void golden_update_table(struct golden_run *run, struct golden_item *item,
			 const struct golden_table *actual, struct error *error);
/* Why no truth of the item's binary is known, in a fixed word; *ret_detail: in a sentence. NULL: it is
 * known, or not needed. */
const char *golden_no_truth(const struct golden_run *run, const struct golden_item *item,
			    const char **ret_detail);

/* ---- golden_findings_read.c ------------------------------------------------------------- */

/* Adds what an NDJSON file says. The manifest must outlive verdicts. -1: it can't be read. */
int golden_verdicts_read(struct golden_verdicts *verdicts, const char *path,
			 const struct manifest *manifest, struct error *error);

/* ---- golden_findings.c ------------------------------------------------------------------ */

/* Checks or updates a binary's findings in its toolchain's snapshot. */
void golden_findings_binary(struct golden_run *run, const struct corpus_binary *binary);
/* The toolchain's snapshot: binary (PROGRAM.VARIANT) -> array of findings; empty if there is none.
 * Borrowed from run. NULL: it can't be read. */
const json_t *golden_findings_known(struct golden_run *run, const char *toolchain,
				    struct error *error);
/* Writes the snapshots that were updated. */
int golden_findings_write(struct golden_run *run, struct error *error);

/* ---- golden_archive.c ------------------------------------------------------------------- */

#define GOLDEN_ARCHIVE_BYTES_MAX (4u << 20)  /* of an archive */
#define GOLDEN_MEMBER_BYTES_MAX	 (16u << 20) /* of a file in it */
#define GOLDEN_TOTAL_BYTES_MAX	 (64u << 20) /* of all files in it */
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

/* True if a file of this name can't lie outside of the folder where it is put. */
bool golden_name_is_plain(const char *name);
/* Adds a file. Takes data over, also on error. */
int golden_archive_add(struct golden_archive *archive, const char *name, char *data, size_t size,
		       struct error *error);
const struct golden_member *golden_archive_find(const struct golden_archive *archive,
						const char *name);
/* Packs the archive. Equal members in equal order give equal bytes. free() *ret. */
int golden_archive_write(const struct golden_archive *archive, char **ret, size_t *ret_size,
			 struct error *error);
/* Reads a .tar.xz of regular files with plain names, and refuses everything else. */
int golden_archive_read(const void *data, size_t size, struct golden_archive *ret,
			struct error *error);
void golden_archive_deinit(struct golden_archive *archive);
int golden_sha256(const void *data, size_t size, char ret[GOLDEN_SHA256_SIZE], struct error *error);

/* ---- golden_provenance.c ---------------------------------------------------------------- */

/* Columns of GOLDEN/binaries/TOOLCHAIN-VERSION.tsv. The first ones are those of a corpus's manifest. */
enum golden_column {
	GOLDEN_PATH,
	GOLDEN_PROGRAM, /* "-": the line is a library that another line needs */
	GOLDEN_TOOLCHAIN,
	GOLDEN_VARIANT,
	GOLDEN_LANGUAGE,
	GOLDEN_NEEDS,
	GOLDEN_EXPECTED,
	GOLDEN_BYTES,
	GOLDEN_SHA256,	 /* of the packed file */
	GOLDEN_ORIGINAL, /* SHA-256 of the file as it was built, with its debug info */
	GOLDEN_COMPILER, /* the file's .comment */
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
/* Sets ret[GOLDEN_COMPILER] to ret[GOLDEN_COMMAND] by what the build recorded about a binary of the corpus.
 * NULL: not known. The caller's to free. known: a JSON object, used as a cache. */
int golden_provenance_collect(const char *corpus, const char *file, const char *path, json_t *known,
			      char *ret[GOLDEN_COLUMN_COUNT], struct error *error);

/* ---- golden_pack.c, golden_unpack.c ----------------------------------------------------- */

/* Packs the chosen binaries, which replace their toolchains' packed ones. */
void golden_pack(struct golden_run *run, const struct manifest *manifest);
/*
 * Unpacks every archive into folder, and writes its manifest.tsv. A file that fails a check is a failed
 * item, and is not written. -1: the folder can't be written, or there is nothing to unpack.
 */
int golden_unpack(struct golden_run *run, const char *folder, struct error *error);

#endif
