/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * diff.h - two tables in one shape: functions, and rows as words
 *
 * Each side of a comparison becomes a struct diff_table, whatever it was. Its rows are words in a
 * *dialect*: what the poorer of the two sides can say. A dialect is one file: it turns a canonical
 * row into its words, and reads another tool's dump into the same words, so that equal words mean
 * that the tool says what the CFI says, as far as it can say it. Words are kept once (diff_intern),
 * so rows are compared by pointer.
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

/* A section may have one for each 11 of its bytes, so little is kept of it. */
struct diff_function {
	const char *name; /* the table's; NULL: diff_function_name() says how it is called */
	uint64_t pc;
	uint64_t length;
	uint32_t first_row; /* in diff_table.row */
	uint32_t row_count;
	uint32_t number; /* of "fde.3"; 0: without a name it is called by its pc */
	enum error_code diagnostic : 8;
	bool named : 1;
	bool has_pc : 1;
	bool signal : 1;
};

/* Functions and rows of a table: their numbers have 32 bits. */
#define DIFF_COUNT_MAX (UINT32_MAX - 1)
/* Of all names of a table. Chromium's have 90 MB. */
#define DIFF_NAME_BYTES_MAX (256u << 20)

struct diff_dialect;
struct diff_names;

struct diff_table {
	const struct diff_dialect *dialect;
	struct diff_words *words; /* borrowed: both sides share it */
	bool flat;		  /* one function from 0 on: rows by address, functions unknown */
	struct diff_function *function;
	size_t function_count;
	struct diff_row *row;
	size_t row_count;
	struct diff_names *names; /* blocks of them, the last one first */
	size_t name_bytes;
};

/* Words kept once: equal words are the same pointer. */
struct diff_words {
	void *tree;
};
/* Says so: -1. */
int diff_no_memory(struct error *error);
/* NULL without memory. */
const char *diff_intern(struct diff_words *words, const char *text);
void diff_words_deinit(struct diff_words *words);

void diff_table_deinit(struct diff_table *table);
/* name is copied; NULL: diff_function_name() makes it. 0, or -1: no memory, or a limit. */
int diff_table_add_function(struct diff_table *table, const char *name,
			    const struct diff_function *function, struct error *error);
#define DIFF_NUMBER_BYTES 32
/* What function is called: its name, "fde.3" or "0x2f020", these two in buffer. */
const char *diff_function_name(const struct diff_function *function,
			       char buffer[DIFF_NUMBER_BYTES]);
/* A row of the last function. A second one at an offset replaces the first, one that says what
 * the one before it says is left out. Offsets must not fall. */
int diff_table_add_row(struct diff_table *table, uint64_t offset, const char *text,
		       struct error *error);
/* The same from a canonical row, in the table's dialect. */
int diff_table_add_canonical(struct diff_table *table, uint64_t offset, const struct row *row,
			     struct error *error);
/* Everything that a saved table says, in ret->dialect; ret->words is set, the rest zero. */
int diff_table_from_text(struct diff_table *ret, const struct table_text *text,
			 struct error *error);
/* The same of an image, function by function: all of its text is never there at once. */
int diff_table_from_cfi(struct diff_table *ret, const struct cfi *cfi, struct error *error);
/* A flat table cut into the functions of other, by address. What lies in none of them becomes a
 * function of its own. */
int diff_table_cut(struct diff_table *ret, const struct diff_table *flat,
		   const struct diff_table *other, struct error *error);

/* ---- diff_readelf.c, diff_parca.c, diff_otel.c: what a dump says --------------------------- */

struct diff_dialect {
	const char *name;     /* for --from and JSON */
	const char *compared; /* what it can say, for people */
	bool says_signal;     /* whether a frame is a signal's */
	uint32_t registers;   /* a bit for each that a dump has words for, REGISTER_RIP's too */
	void (*print)(FILE *file, const struct row *row);
	bool (*detect)(const char *line); /* is this a line of such a dump? NULL: not a dump */
	/* text ends in a NUL and may be changed. ret->dialect and ret->words are set. Malformed:
	 * ERROR_TEXT_SYNTAX, the line's number as offset. */
	int (*read)(char *text, struct diff_table *ret, struct error *error);
};

extern const struct diff_dialect diff_dialect_text;
extern const struct diff_dialect diff_dialect_readelf;
extern const struct diff_dialect diff_dialect_parca;
extern const struct diff_dialect diff_dialect_parca_rows;
extern const struct diff_dialect diff_dialect_otel;

/* The dialect by the name that --from takes, or by a dump's first lines; NULL: none. */
const struct diff_dialect *diff_dialect_find(const char *name);
const struct diff_dialect *diff_dialect_detect(const char *text);

/* ---- diff_file.c: what a file holds ------------------------------------------------------ */

struct diff_file {
	const char *path; /* "-": standard input */
	char *bytes;	  /* end in a NUL that size does not count */
	size_t size;
	const struct diff_dialect *dialect; /* of a dump; NULL: an image or a saved table */
};

/* Reads it, but of an image's file only the beginning: it is mapped. from: the dialect's name, or
 * "text", of what is no ELF file; NULL: its first lines tell. diff_file_forget() in all cases. */
int diff_file_read(struct diff_file *file, const char *from, struct error *error);
bool diff_file_is_elf(const struct diff_file *file);
/* A dump's table; ret->words is set, the rest zero. The bytes are forgotten. */
int diff_file_table(struct diff_file *file, struct diff_table *ret, struct error *error);
/* Only its bytes. */
void diff_file_forget(struct diff_file *file);

/* ---- diff_rules.c: a dump's words as a row ------------------------------------------------ */

enum diff_said {
	DIFF_SAYS_RULES,
	DIFF_SAYS_NO_ROW,
	DIFF_SAYS_INVALID,	/* otel: it can't say it */
	DIFF_SAYS_PLT,		/* otel: whichever of the PLT's forms */
	DIFF_SAYS_FRAMEPOINTER, /* otel */
	DIFF_SAYS_OTHER,	/* a command that its tool has no name for */
	DIFF_SAID_COUNT,
};
/* "invalid", of the middle ones. */
const char *diff_said_name(enum diff_said said);

#define DIFF_EXPRESSION_BYTES 256 /* of a row's */

/* The inverse of a dialect's print() and read(), as far as the words say it: *ret_declared has the
 * dialect's registers, and ROW_DECLARES_CFA if the CFA is said. A register of which they say no more
 * than that there is a rule is RULE_VAL_EXPRESSION without bytes. PCs are left as they are. */
enum diff_said diff_rules_read(const struct diff_dialect *dialect, const char *words,
			       struct row *ret, uint32_t *ret_declared,
			       uint8_t expression[DIFF_EXPRESSION_BYTES]);

/* ---- diff_rows.c: a dump as a source of rows ------------------------------------------------ */

struct dumped_rows;

/* What the file says. from: as of diff_file_read(). path must outlive it. 0, or -1: unreadable, or no
 * dump. */
int dumped_rows_create(const char *path, const char *from, struct dumped_rows **ret,
		       struct error *error);
void dumped_rows_destroy(struct dumped_rows *dump);
struct row_source dumped_rows_source(struct dumped_rows *dump);

/* ---- what readers of dumps share ---------------------------------------------------------- */

/* Fills error with ERROR_TEXT_SYNTAX, "line N: what"; -1. */
int diff_syntax(struct error *error, uint64_t line, const char *what);
/* Words that dialects share: " ra=c-8" with the space, from the rule itself. */
void diff_print_rule(FILE *file, const char *name, const struct row_rule *rule);

/* ---- diff_match.c: which function is which ------------------------------------------------- */

#define DIFF_NONE UINT32_MAX

struct diff_match {
	uint32_t *of_a; /* for each function of a, the index in b, or DIFF_NONE */
	uint32_t *of_b;
};

/* by_address: one is a dump of the other. Else by name, and what has none by contents and order. */
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
		gate; /* says in the summary what was lost before; functions and differences are added */
};

/* Writes what differs, then the summary; counts are filled. Where an entry was lost, a
 * difference is no finding: it may be that entry's. */
void diff_report_write(struct diff_report *report, const struct diff_table *a,
		       const struct diff_table *b, const struct diff_match *match);
#endif
