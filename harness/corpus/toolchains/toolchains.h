/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * toolchains.h - the same programs from many compilers: who has table faults, and what changed
 *
 *	toolchain_id.c		"gcc-12.2.0+lld-14.0.6" in parts, in order of version
 *	toolchains.c		the model: toolchains, and what their binaries came to
 *	toolchain_faults.c	table faults, by function, and the versions that have them
 *	fault_history.c		the same in words
 *	toolchain_changes.c	two toolchains' tables of one function: what kind of change it is
 *	toolchains_text.c, toolchains_json.c, toolchains_html.c	the writers
 *
 * The model is filled from a results folder, and from what toolchains/report_toolchains.c read in
 * the binaries themselves. Compilers arrange code as they like, so rows differ nearly everywhere;
 * what is said of two versions of a function is its table's *features* (how the CFA is found,
 * whether its epilogues are described, ...) and which of them came or went.
 */
#ifndef STACKPROOF_TOOLCHAINS_H
#define STACKPROOF_TOOLCHAINS_H

#include "reports/report/results.h"
#include "table/unwind_table.h"

/* ---- toolchain_id.c --------------------------------------------------------------------- */

#define TOOLCHAIN_VERSION_PARTS 4

struct toolchain_id {
	char family[48]; /* "gcc" */
	unsigned int version[TOOLCHAIN_VERSION_PARTS];
	char linker[48]; /* "lld-14.0.6"; "": the usual one */
};

/* Anything is an id: what has no version is a family. */
void toolchain_id_parse(const char *text, struct toolchain_id *ret);
/* By family, then whether the linker is the usual one, then version as numbers, then linker. */
int toolchain_id_compare(const struct toolchain_id *a, const struct toolchain_id *b);
/* "12", or "12.2" and so on if others has another version that begins so. */
void toolchain_short_version(const struct toolchain_id *id,
			     const struct toolchain_id *const *others, size_t count, char *ret,
			     size_t size);

/* ---- toolchain_changes.c ---------------------------------------------------------------- */

/* What the table of a function has, or does. */
enum function_feature {
	FEATURE_FDE = 1 << 0,
	FEATURE_EPILOGUES =
		1 << 1, /* at each ret the CFA is rsp+8; absent too if there is no ret */
	FEATURE_CFA_RBP = 1 << 2,
	FEATURE_CFA_OTHER = 1 << 3, /* a register other than rsp and rbp */
	FEATURE_CFA_EXPRESSION = 1 << 4,
	FEATURE_SAVED_EXPRESSION = 1 << 5, /* a register's rule is an expression */
	FEATURE_REMEMBER = 1 << 6,	   /* remember_state */
	FEATURE_ARGS_SIZE = 1 << 7,
	FEATURE_PERSONALITY = 1 << 8,
	FEATURE_SIGNAL = 1 << 9,
	FEATURE_MALFORMED = 1 << 10,
};
#define FEATURE_COUNT 11

/* One function's table in a few numbers. name is not this struct's. */
struct function_profile {
	const char *name;
	uint32_t features;
	uint32_t saved;	 /* bit n: DWARF register n (callee-saved) has a rule somewhere */
	uint64_t length; /* bytes of code */
	uint64_t rows;
	uint64_t rules;	       /* distinct */
	uint64_t cfa_max;      /* largest offset from rsp or rbp */
	uint64_t returns;      /* ret instructions */
	uint64_t returns_open; /* those of them whose row does not say rsp+8 */
	uint64_t cfi_bytes;    /* of the FDE */
};

/* What is said of a change: a feature that came or went, or a number that is another. */
enum function_number {
	NUMBER_SAVED,
	NUMBER_CFA_MAX,
	NUMBER_ROWS,
	NUMBER_RULES,
	NUMBER_BYTES,
	NUMBER_COUNT,
};

/* ADDED, REMOVED: a function that only one side has. EQUAL: the same rows. MOVED: the same rules
 * in the same order, at other offsets: the code is another, the table is not. */
enum function_outcome {
	FUNCTION_EQUAL,
	FUNCTION_MOVED,
	FUNCTION_CHANGED,
	FUNCTION_ADDED,
	FUNCTION_REMOVED,
	FUNCTION_OUTCOME_COUNT,
};
const char *function_outcome_name(enum function_outcome outcome);

struct function_change {
	const char *program; /* borrowed, as variant */
	const char *variant;
	enum function_outcome outcome;
	struct function_profile before; /* of an added one: zero but for the name */
	struct function_profile after;
	uint32_t gained; /* features */
	uint32_t lost;
	uint32_t numbers; /* bit n: enum function_number */
};

/* Fills gained, lost and numbers from before and after. */
void function_change_classify(struct function_change *change);

/* A feature's name in JSON, and what people are told of the second toolchain when it came or
 * went. */
struct feature_text {
	const char *name;
	const char *gained;
	const char *lost;
};
const struct feature_text *feature_text(unsigned int index);
/* "saved", "cfa_max", ... and for people. */
const char *function_number_name(enum function_number number);
/* "rbx rbp r12"; "none". */
void function_saved_print(uint32_t saved, char *ret, size_t size);
/* "rsp", "rsp rbp", "expression", ...: what the CFA hangs on. "no FDE" without one. */
void function_cfa_print(const struct function_profile *profile, char *ret, size_t size);
/* One line for one function: "rows 5 -> 7, CFA rsp -> rsp rbp". Nothing that didn't change. */
void function_change_print(const struct function_change *change, char *ret, size_t size);

/* Why two toolchains are held against each other. */
enum pair_reason { PAIR_NEXT_VERSION, PAIR_OTHER_FAMILY, PAIR_OTHER_LINKER, PAIR_SIDE_BY_SIDE };
const char *pair_reason_name(enum pair_reason reason);

struct toolchain_pair {
	size_t from; /* in toolchains.toolchain */
	size_t to;
	enum pair_reason reason;
	size_t binaries; /* that both have, of program and variant */
	size_t functions[FUNCTION_OUTCOME_COUNT];
	struct function_change *change; /* changed, added, removed ones */
	size_t change_count;
};

/* Changes of a pair that have something in common, for a heading with its examples. */
struct change_group {
	char title[64];
	const struct function_change **change;
	size_t count;
};
struct change_groups {
	struct change_group *group; /* what matters most first; none is empty */
	size_t count;
};
void change_groups_init(struct change_groups *ret, const struct toolchain_pair *pair);
void change_groups_deinit(struct change_groups *groups);

/* ---- toolchain_faults.c ----------------------------------------------------------------- */

/* Of a fault and a toolchain. */
enum fault_state { FAULT_UNTRIED, FAULT_ABSENT, FAULT_PRESENT };

/* One finding of one binary. */
struct fault_case {
	size_t toolchain;
	const struct cell *cell;
	const json_t *finding;
	uint64_t points;
	bool expected; /* the corpus said so beforehand */
};

struct toolchain_fault {
	enum fault_origin origin;
	const char *program; /* "": of any */
	const char *library; /* its file's name; "" of other origins */
	char function[256];
	const char *kind;
	struct fault_case *cases;
	size_t case_count;
	enum fault_state *state; /* by toolchain */
	uint64_t points;
	bool expected; /* all of its cases are */
};

/* "no FDE", "a wrong register", ...: a kind of finding for people; the kind itself if it is not
 * known. */
const char *fault_kind_text(const char *kind);
struct toolchains;
/* In which versions of each family it is: "clang: not there; gcc: new in 10.2.1, still in
 * 12.2.0". */
void fault_history_print(const struct toolchains *model, const struct toolchain_fault *fault,
			 char *ret, size_t size);
/* Where a finding is: "aligned_alloca+0xc1", or a PLT section and the address in the image. */
void fault_place_print(const json_t *finding, char *ret, size_t size);
/* "declared cfa=rsp+8 ..." is the finding's own; this says how far off it was: "the CFA is 16
 * higher"; "" if the finding does not know. */
void fault_actual_print(const json_t *finding, char *ret, size_t size);

/* ---- toolchains.c ----------------------------------------------------------------------- */

struct toolchain {
	char *name;
	struct toolchain_id id;
	size_t binaries; /* judged */
	size_t skipped;	 /* could not be built or run here */
	size_t broken;	 /* should have been judged and were not */
	char *reasons;	 /* of the skipped: "no_root 40, no_bpf 1" */
	uint64_t points;
	uint64_t exact;
	uint64_t table_fault;
	uint64_t flagged; /* conversion losses that the walk named */
	uint64_t ours;	  /* any other verdict: not the toolchain's */
	size_t faults;	  /* in compiled code: programs' functions with a table fault */
	size_t faults_unexpected;
	/* Of the binaries' own tables, as far as they could be read. */
	size_t measured;
	size_t unread;
	char *unread_reason; /* of the first */
	/* Of functions in compiled code: assembly is nobody's table. */
	uint64_t functions;
	uint64_t rows;
	uint64_t cfi_bytes; /* of their FDEs */
	uint64_t file_rows; /* of the whole files, whose compact tables have table_bytes */
	uint64_t table_bytes;
	uint64_t returns;
	uint64_t returns_open;
};

struct toolchains {
	const struct results *results;
	struct toolchain *toolchain; /* by family, version, linker */
	size_t count;
	struct toolchain_fault *fault; /* by origin, then what is most interesting */
	size_t fault_count;
	struct toolchain_pair *pair;
	size_t pair_count;
};

/*
 * Fills ret from the results: toolchains and faults. A cell of a binary on several kernels counts
 * once, on the first that judged it: tables are the same everywhere. A finding with a true
 * "expected" is one that the corpus announced. results must outlive ret.
 */
void toolchains_init(struct toolchains *ret, const struct results *results);
void toolchains_deinit(struct toolchains *model);
/* The toolchain by name, or SIZE_MAX. */
size_t toolchains_find(const struct toolchains *model, const char *name);
/* Whether a toolchain was neighbour of the other: newest older version of its family, with the
 * usual linker. SIZE_MAX: none. usable[n]: whether toolchain n may be one. */
size_t toolchains_previous(const struct toolchains *model, size_t index, const bool *usable);

/* ---- the writers ------------------------------------------------------------------------ */

struct toolchains_style {
	bool colour;
	bool verbose;	    /* everything, not the first of each */
	unsigned int width; /* columns */
};
void toolchains_print(const struct toolchains *model, const struct toolchains_style *style,
		      FILE *file);
int toolchains_print_json(const struct toolchains *model, FILE *file);
int toolchains_print_html(const struct toolchains *model, FILE *file);

#endif
