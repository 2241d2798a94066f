/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * toolchains.h - the same programs from many compilers: their table faults, and what changed
 *
 *	toolchain_id.c		splits "gcc-12.2.0+lld-14.0.6" into its parts, and orders by version
 *	toolchains.c		the model: toolchains, and the sums of their binaries
 *	toolchain_faults.c	table faults by function, and the versions that have them
 *	fault_history.c		these versions in words
 *	toolchain_sframe.c	whose SFrame is wrong, or lacks what
 *	toolchain_changes.c	how a function's tables from two toolchains differ
 *	toolchains_text.c, toolchains_json.c, toolchains_html.c	the writers
 *
 * The model is filled from a results folder, and from the tables that report_toolchains.c reads in the
 * binaries. Compilers arrange code differently, so nearly all rows differ. Two versions of a function are
 * therefore compared by the *features* of their tables: how the CFA is found, whether epilogues are
 * described, and so on.
 */
#ifndef STACKPROOF_TOOLCHAINS_H
#define STACKPROOF_TOOLCHAINS_H

#include "reports/report/results.h"
#include "table/unwind_table.h"
#include "tables/prove/sframe_proof.h"

/* ---- toolchain_id.c --------------------------------------------------------------------- */

#define TOOLCHAIN_VERSION_PARTS 4

struct toolchain_id {
	char family[48]; /* "gcc" */
	unsigned int version[TOOLCHAIN_VERSION_PARTS];
	char linker[48]; /* "lld-14.0.6"; "": the usual one */
};

/* Accepts any text: without a version it is a family. */
void toolchain_id_parse(const char *text, struct toolchain_id *ret);
/* By family, then whether the linker is the usual one, then version as numbers, then linker. */
int toolchain_id_compare(const struct toolchain_id *a, const struct toolchain_id *b);
/* "12", or "12.2" and so on if another version in others begins the same. */
void toolchain_short_version(const struct toolchain_id *id,
			     const struct toolchain_id *const *others, size_t count, char *ret,
			     size_t size);

/* ---- toolchain_changes.c ---------------------------------------------------------------- */

/* Features of a function's table. */
enum function_feature {
	FEATURE_FDE = 1 << 0,
	FEATURE_EPILOGUES =
		1 << 1, /* the function has ret instructions, and at each the CFA is rsp+8 */
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

/* A function's table in a few numbers. */
struct function_profile {
	const char *name; /* borrowed */
	uint32_t features;
	uint32_t saved;	 /* bit n: a row has a rule for callee-saved DWARF register n */
	uint64_t length; /* bytes of code */
	uint64_t rows;
	uint64_t rules;	       /* different ones */
	uint64_t cfa_max;      /* largest offset of the CFA from rsp or rbp, in bytes */
	uint64_t returns;      /* ret instructions */
	uint64_t returns_open; /* ret instructions at which the CFA is not rsp+8 */
	uint64_t cfi_bytes;    /* size of the FDE */
};

/* Numbers that may differ between two tables of a function. */
enum function_number {
	NUMBER_SAVED,
	NUMBER_CFA_MAX,
	NUMBER_ROWS,
	NUMBER_RULES,
	NUMBER_BYTES,
	NUMBER_COUNT,
};

/* ADDED, REMOVED: only one side has the function. EQUAL: the same rows. MOVED: the same rules in the same
 * order, but at other offsets. */
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
	const char *program; /* borrowed, as is variant */
	const char *variant;
	enum function_outcome outcome;
	struct function_profile before; /* of an added function only the name, all else 0 */
	struct function_profile after;	/* of a removed function the same */
	uint32_t gained;		/* features */
	uint32_t lost;
	uint32_t numbers; /* bit n: enum function_number */
};

/* Fills gained, lost and numbers from before and after. */
void function_change_classify(struct function_change *change);

/* A feature's name in JSON, and texts for people if only the second toolchain has it (gained), or only the
 * first (lost). */
struct feature_text {
	const char *name;
	const char *gained;
	const char *lost;
};
const struct feature_text *feature_text(unsigned int index);
/* "saved", "cfa_max", ... */
const char *function_number_name(enum function_number number);
/* "rbx rbp r12"; "none". */
void function_saved_print(uint32_t saved, char *ret, size_t size);
/* What the CFA is computed from: "rsp", "rsp rbp", "expression", ...; "no FDE". */
void function_cfa_print(const struct function_profile *profile, char *ret, size_t size);
/* What changed, in one line: "rows 5 -> 7, CFA rsp -> rsp rbp". */
void function_change_print(const struct function_change *change, char *ret, size_t size);

/* Why two toolchains are compared. */
enum pair_reason { PAIR_NEXT_VERSION, PAIR_OTHER_FAMILY, PAIR_OTHER_LINKER, PAIR_SIDE_BY_SIDE };
const char *pair_reason_name(enum pair_reason reason);

struct toolchain_pair {
	size_t from; /* index in toolchains.toolchain */
	size_t to;
	enum pair_reason reason;
	size_t binaries; /* number of programs and variants that both have */
	size_t functions[FUNCTION_OUTCOME_COUNT];
	struct function_change *change; /* functions that are changed, added or removed */
	size_t change_count;
};

/* Similar changes of a pair, under a heading. */
struct change_group {
	char title[64];
	const struct function_change **change;
	size_t count;
};
struct change_groups {
	struct change_group *group; /* most important first; none is empty */
	size_t count;
};
void change_groups_init(struct change_groups *ret, const struct toolchain_pair *pair);
void change_groups_deinit(struct change_groups *groups);

/* ---- toolchain_faults.c ----------------------------------------------------------------- */

/* Whether a toolchain has a fault. */
enum fault_state { FAULT_UNTRIED, FAULT_ABSENT, FAULT_PRESENT };

/* A finding of one binary. */
struct fault_case {
	size_t toolchain; /* index */
	const struct cell *cell;
	struct finding_record finding; /* borrowed from the cell */
};

struct toolchain_fault {
	enum fault_origin origin;
	const char *program; /* "": the same in all programs */
	const char *library; /* file name; "" for other origins */
	char function[256];
	const char *kind;
	struct fault_case *cases;
	size_t case_count;
	enum fault_state *state; /* by toolchain */
	uint64_t points;
	bool expected; /* all cases are expected */
};

/* A kind of finding for people: "no FDE", "a wrong register", ...; an unknown kind as it is. */
const char *fault_kind_text(const char *kind);
struct toolchains;
/* Which versions of each family have the fault: "clang: not there; gcc: new in 10.2.1, still in
 * 12.2.0". */
void fault_history_print(const struct toolchains *model, const struct toolchain_fault *fault,
			 char *ret, size_t size);
/* A finding's place: "aligned_alloca+0xc1", or a PLT section and the address in the image. */
void fault_place_print(const struct finding_record *finding, char *ret, size_t size);
/* How wrong the declared CFA is: "the CFA is 16 bytes higher"; "" if the finding does not have it. */
void fault_actual_print(const struct finding_record *finding, char *ret, size_t size);

/* ---- toolchain_sframe.c ----------------------------------------------------------------- */

#define TOOLCHAIN_SFRAME_FAULTS_MAX 64 /* of a toolchain; more are only counted */

/* Sums over the binaries that have SFrame, of a toolchain or of one binary. */
struct toolchain_sframe {
	size_t binaries;
	unsigned int versions;	     /* bit n: version n */
	uint64_t rows, equal, wrong; /* of the CFI, as of struct sframe_proof */
	uint64_t absent[SFRAME_ABSENCE_COUNT];
	char **fault; /* each once: ".plt.got: another CFA" */
	size_t fault_count;
	uint64_t more_faults;
};

/* Fills ret for one binary; all 0 if it has no SFrame. cfi may be NULL. */
void toolchain_sframe_read(const struct image *image, const struct cfi *cfi,
			   struct toolchain_sframe *ret);
void toolchain_sframe_add(struct toolchain_sframe *to, const struct toolchain_sframe *from);
void toolchain_sframe_deinit(struct toolchain_sframe *sums);
struct toolchains;
json_t *toolchain_sframe_json(const struct toolchain_sframe *sums);
/* One object, or two lines, for each fault, with the toolchains that have it, and that have SFrame without it. */
void toolchain_sframe_print_json(const struct toolchains *model, FILE *file);
void toolchain_sframe_print(const struct toolchains *model, FILE *file);

/* ---- toolchains.c ----------------------------------------------------------------------- */

struct toolchain {
	char *name;
	struct toolchain_id id;
	size_t binaries; /* judged */
	size_t skipped;	 /* could not be built or run here */
	size_t broken;	 /* could not be judged, though they should */
	char *reasons;	 /* why binaries were skipped: "no_root 40, no_bpf 1" */
	uint64_t points;
	uint64_t exact;
	uint64_t table_fault;
	uint64_t flagged; /* flagged conversion losses */
	uint64_t ours;	  /* other faults, and unexplained: not the toolchain's */
	size_t faults;	  /* functions of programs, in compiled code, with a table fault */
	size_t faults_unexpected;
	/* Binaries whose tables could be read, and could not. */
	size_t measured;
	size_t unread;
	char *unread_reason; /* of the first unread binary */
	/* Sums over the functions of measured binaries that are not in assembly. */
	uint64_t functions;
	uint64_t rows;
	uint64_t cfi_bytes; /* of their FDEs */
	uint64_t file_rows; /* of the whole files, whose compact tables have table_bytes */
	uint64_t table_bytes;
	uint64_t returns;
	uint64_t returns_open;
	struct toolchain_sframe sframe;
};

struct toolchains {
	const struct results *results;
	struct toolchain *toolchain; /* sorted by toolchain_id_compare() */
	size_t count;
	struct toolchain_fault *fault; /* sorted by origin, then the most interesting first */
	size_t fault_count;
	struct toolchain_pair *pair;
	size_t pair_count;
};

/*
 * Fills ret's toolchains and faults from the results. A binary counts once, by its cell on the first
 * kernel that judged it: its table is the same on all. "expected" in a finding is true if the corpus
 * expects it. results must outlive ret.
 */
void toolchains_init(struct toolchains *ret, const struct results *results);
void toolchains_deinit(struct toolchains *model);
/* The index of the toolchain of this name, or SIZE_MAX. */
size_t toolchains_find(const struct toolchains *model, const char *name);
/* The toolchain to compare with: the next older version of the family, with the usual linker; for a
 * toolchain with another linker, the same version with the usual one. SIZE_MAX: none. usable[n]: toolchain
 * n may be chosen. */
size_t toolchains_previous(const struct toolchains *model, size_t index, const bool *usable);

/* ---- the writers ------------------------------------------------------------------------ */

struct toolchains_style {
	bool colour;
	bool verbose;	    /* print everything, not only the first of each list */
	unsigned int width; /* columns */
};
void toolchains_print(const struct toolchains *model, const struct toolchains_style *style,
		      FILE *file);
int toolchains_print_json(const struct toolchains *model, FILE *file);
int toolchains_print_html(const struct toolchains *model, FILE *file);

#endif
