/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * diff.h - compares two tables, function by function
 *
 * Each side of a comparison becomes a struct diff_table. Its rows are texts, *words*, in a *dialect* that has words
 * for what both sides can say. A dialect is one file. It writes a canonical row in its words, and reads another
 * tool's dump into the same words. So equal words mean that the tool says what the CFI says, as far as it can say it.
 * Each text is kept once (diff_intern()), so rows are compared by pointer.
 *
 * A side is no row_source (tables/rows/row_source.h), which says what holds at a PC: two builds of one program have
 * other PCs, a saved table has none at all, and a dialect's words say what a row can't ("none", "plt"). What both need,
 * reading another tool's dump, is diff_file_table(), and a source is made of that.
 */
#ifndef STACKPROOF_DIFF_H
#define STACKPROOF_DIFF_H

#include <stdio.h>
#include "base/gate/gate.h"
#include "table/saved_table.h"
#include "tables/rows/row_source.h"

/* ---- diff_table.c: what is compared ------------------------------------------------------- */

struct diff_row {
	uint64_t offset;   /* from the function's start */
	const char *words; /* interned */
};

/* Kept small: a section may have a function for each 11 of its bytes. */
struct diff_function {
	const char *name; /* the table's; NULL: diff_function_name() makes it */
	uint64_t pc;
	uint64_t length;
	uint32_t first_row; /* in diff_table.row */
	uint32_t row_count;
	uint32_t number; /* 3 of "fde.3"; 0: without a name it is called by its pc */
	enum error_code diagnostic : 8;
	bool named : 1;
	bool has_pc : 1;
	bool signal : 1;
};

/* The most functions, and the most rows, of a table: their indices have 32 bits. */
#define DIFF_COUNT_MAX (UINT32_MAX - 1)
/* The most bytes of all names of a table. Chromium's have 90 MB. */
#define DIFF_NAME_BYTES_MAX (256u << 20)

struct diff_dialect;
struct diff_names;

struct diff_table {
	const struct diff_dialect *dialect;
	struct diff_words *words; /* borrowed: both sides share it */
	bool flat; /* its functions are unknown: one from address 0 on has all rows */
	struct diff_function *function;
	size_t function_count;
	struct diff_row *row;
	size_t row_count;
	struct diff_names *names; /* a list of blocks, the last one first */
	size_t name_bytes;
};

/* Texts kept once: equal words are the same pointer. Zero-initialise. */
struct diff_words {
	void *tree;
};
/* Sets error to ERROR_MEMORY, and returns -1. */
int diff_no_memory(struct error *error);
/* The kept copy of text, which words owns; NULL: no memory. */
const char *diff_intern(struct diff_words *words, const char *text);
void diff_words_deinit(struct diff_words *words);

void diff_table_deinit(struct diff_table *table);
/* Appends a copy of function, without rows. name is copied; NULL: diff_function_name() makes it. -1: no
 * memory, or a limit. */
int diff_table_add_function(struct diff_table *table, const char *name,
			    const struct diff_function *function, struct error *error);
#define DIFF_NUMBER_BYTES 32
/* The function's name. Without one, "fde.3" or "0x2f020", in buffer. */
const char *diff_function_name(const struct diff_function *function,
			       char buffer[DIFF_NUMBER_BYTES]);
/* Appends a row to the last function. Offsets must not fall. A row at the same offset as the last one
 * replaces that. A row with the same words as the last one is left out. */
int diff_table_add_row(struct diff_table *table, uint64_t offset, const char *text,
		       struct error *error);
/* The same for a canonical row, in the table's dialect. */
int diff_table_add_canonical(struct diff_table *table, uint64_t offset, const struct row *row,
			     struct error *error);
/* Fills ret from a saved table. ret->dialect and ret->words are set before, the rest is zero. */
int diff_table_from_text(struct diff_table *ret, const struct table_text *text,
			 struct error *error);
/* The same for an image. The text is made for one function at a time. */
int diff_table_from_cfi(struct diff_table *ret, const struct cfi *cfi, struct error *error);
/* Cuts a flat table into the functions of other, by address. Rows outside of them become functions of their own. */
int diff_table_cut(struct diff_table *ret, const struct diff_table *flat,
		   const struct diff_table *other, struct error *error);

/* ---- diff_readelf.c, diff_parca.c, diff_otel.c: what a dump says --------------------------- */

struct diff_dialect {
	const char *name;     /* for --from and JSON */
	const char *compared; /* what it has words for, for people */
	bool says_signal;     /* has a word for signal frames */
	uint32_t registers;   /* bits of registers that a dump has words for, REGISTER_RIP's too */
	void (*print)(FILE *file, const struct row *row);
	bool (*detect)(const char *line); /* whether line is of such a dump; NULL: no dumps */
	/* Reads a dump. text ends in a NUL and may be changed. ret->dialect and ret->words are set before.
	 * If a line is malformed: ERROR_TEXT_SYNTAX, with its number as offset. */
	int (*read)(char *text, struct diff_table *ret, struct error *error);
};

extern const struct diff_dialect diff_dialect_text;
extern const struct diff_dialect diff_dialect_readelf;
extern const struct diff_dialect diff_dialect_parca;
extern const struct diff_dialect diff_dialect_parca_rows;
extern const struct diff_dialect diff_dialect_otel;

/* ---- diff_sframe.c: an image's SFrame ------------------------------------------------------ */

struct sframe;
/* No dump: an image's own, without detect() and read(). */
extern const struct diff_dialect diff_dialect_sframe;
/* Fills ret from the SFrame of an image, which must be x86-64's. ret->dialect and ret->words are set before, the rest
 * is zero. */
int diff_table_from_sframe(struct diff_table *ret, const struct sframe *sframe,
			   struct error *error);

/* Finds a dialect by its name, as --from takes it, or by a dump's first lines. NULL: none. */
const struct diff_dialect *diff_dialect_find(const char *name);
const struct diff_dialect *diff_dialect_detect(const char *text);

/* ---- diff_file.c: what a file holds ------------------------------------------------------ */

struct diff_file {
	const char *path; /* "-": standard input */
	char *bytes;	  /* a NUL follows, which size does not count */
	size_t size;
	const struct diff_dialect *dialect; /* of a dump; NULL: an image or a saved table */
};

/* Reads the file. Of an ELF file that has a name it reads only the beginning: images are mapped. from: a
 * dialect's name, or "text"; NULL: the first lines tell. Call diff_file_forget() in any case. */
int diff_file_read(struct diff_file *file, const char *from, struct error *error);
bool diff_file_is_elf(const struct diff_file *file);
/* Reads a dump into ret, and frees the bytes. ret->words is set before, the rest is zero. */
int diff_file_table(struct diff_file *file, struct diff_table *ret, struct error *error);
/* Frees the bytes. */
void diff_file_forget(struct diff_file *file);

/* ---- diff_rules.c: a dump's words as a row ------------------------------------------------ */

enum diff_said {
	DIFF_SAYS_RULES,
	DIFF_SAYS_NO_ROW,
	DIFF_SAYS_INVALID,	/* otel: its format can't hold the rule */
	DIFF_SAYS_PLT,		/* otel: a rule for the PLT, of any form */
	DIFF_SAYS_FRAMEPOINTER, /* otel */
	DIFF_SAYS_OTHER,	/* none of these: an unknown command */
	DIFF_SAID_COUNT,
};
/* "invalid"; "" for DIFF_SAYS_RULES. */
const char *diff_said_name(enum diff_said said);

#define DIFF_EXPRESSION_BYTES 256 /* of all expressions of a row */

/* Turns words into a row: the inverse of the dialect's print(). The row's PCs are kept, and its expressions
 * are in expression. *ret_declared: bits of the dialect's registers, and ROW_DECLARES_CFA if the words give
 * the CFA. If the words only say that a register has a rule, that is RULE_VAL_EXPRESSION without bytes. */
enum diff_said diff_rules_read(const struct diff_dialect *dialect, const char *words,
			       struct row *ret, uint32_t *ret_declared,
			       uint8_t expression[DIFF_EXPRESSION_BYTES]);

/* ---- diff_rows.c: a dump as a source of rows ------------------------------------------------ */

struct dumped_rows;

/* Reads a dump. from: as of diff_file_read(). path is borrowed until dumped_rows_destroy(). -1: the file is
 * unreadable, or no dump. */
int dumped_rows_create(const char *path, const char *from, struct dumped_rows **ret,
		       struct error *error);
void dumped_rows_destroy(struct dumped_rows *dump);
struct row_source dumped_rows_source(struct dumped_rows *dump);

/* ---- what readers of dumps share ---------------------------------------------------------- */

/* Sets error to ERROR_TEXT_SYNTAX, "line N: what", and returns -1. */
int diff_syntax(struct error *error, uint64_t line, const char *what);
/* Writes a rule in words that dialects share: " ra=c-8", with the space. name: "ra". */
void diff_print_rule(FILE *file, const char *name, const struct row_rule *rule);

/* ---- diff_match.c: which function is which ------------------------------------------------- */

#define DIFF_NONE UINT32_MAX

struct diff_match {
	uint32_t *of_a; /* for each function of a, the index in b, or DIFF_NONE */
	uint32_t *of_b;
};

/* by_address: one table is a dump of the other's image. Else by name, and functions without one by contents
 * and order. -1: no memory. */
int diff_match(const struct diff_table *a, const struct diff_table *b, bool by_address,
	       struct diff_match *ret, struct error *error);
void diff_match_deinit(struct diff_match *match);
/* True if two functions say the same, whatever their names. */
bool diff_function_equal(const struct diff_table *a, const struct diff_function *fa,
			 const struct diff_table *b, const struct diff_function *fb);

/* ---- diff_report.c: what is said about it -------------------------------------------------- */

struct diff_counts {
	size_t functions_equal;
	size_t functions_changed;
	size_t functions_added;
	size_t functions_removed;
	size_t rows_changed;
	size_t rows_added;
	size_t rows_removed;
};

struct diff_report {
	FILE *file;
	bool json;
	bool summary;	  /* nothing but the last line */
	const char *func; /* a glob of function names; NULL: all */
	const char *path_a;
	const char *path_b;
	struct diff_counts counts;
	struct gate *
		gate; /* borrowed; has what could not be read; functions and differences are added */
};

/* Writes the differences and the summary, and fills counts. If entries could not be read, differences are no
 * findings: they may come from those entries. */
void diff_report_write(struct diff_report *report, const struct diff_table *a,
		       const struct diff_table *b, const struct diff_match *match);
#endif
