/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cfi.h - call frame information, and the rows that it comes to
 *
 *	cfi_section -> cfi_program -> row -> cfi_query
 *
 * DWARF 5, 6.4; LSB 5, 10.6 for .eh_frame and its search table.
 */
#ifndef STACKPROOF_CFI_H
#define STACKPROOF_CFI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "image/image.h"
#include "x86_64.h"

/* ---- cfi_section.c --------------------------------------------------------------------------- */

/* Offsets and sizes of entries have 32 bits: a section of 4 GiB is not read. Pointers go into the
 * section. What is kept of an FDE is little, because memory is bounded by the section's size. */

/* Common Information Entry (DWARF 5, 6.4.1; LSB 5, 10.6.1). */
struct cfi_cie {
	const struct image_section *section; /* its own, and its FDEs' */
	uint32_t offset;		     /* of the length field in the section */
	uint32_t length;		     /* as the length field says */
	const char *augmentation;
	uint64_t code_alignment;
	int64_t data_alignment;
	uint64_t return_register;
	const uint8_t *augmentation_data;
	uint32_t augmentation_data_bytes;
	uint32_t instruction_bytes;
	const uint8_t *instructions;
	uint8_t version;
	uint8_t address_bytes;
	uint8_t fde_encoding;  /* DW_EH_PE_*; 'R' */
	uint8_t lsda_encoding; /* 'L' */
	bool has_augmentation_data;
	bool signal_frame; /* 'S' */
	bool is_64bit;	   /* 64-bit DWARF */
};

/* Frame Description Entry. pc_begin .. pc_begin+pc_range are image addresses. */
struct cfi_fde {
	uint64_t pc_begin;
	uint64_t pc_range;
	const uint8_t *instructions;
	uint32_t instruction_bytes;
	uint32_t offset;
	uint32_t length;
	uint32_t cie; /* index in cfi.cie */
};

/*
 * Every entry of one section, in the section's order. Behind those of .eh_frame come those of the
 * file's other sections .eh_frame, one by one, and then what .debug_frame adds to them: its CIEs,
 * and its FDEs of code that no FDE of .eh_frame covers any of, in order of PC.
 */
struct cfi {
	const struct image *image; /* borrowed: must outlive this */
	const struct image_section *section;
	bool is_eh_frame;
	struct cfi_cie *cie; /* those that could be read */
	size_t cie_count;
	struct cfi_fde *fde; /* those that could be read */
	size_t fde_count;
	size_t other_fde_count; /* how many of them further sections .eh_frame added */
	size_t debug_fde_count; /* and .debug_frame, behind those */
	/* Indices of FDEs that cover code, sorted by pc_begin, then offset: not those with
	 * pc_range 0, and in a linked image not those at 0 (docs/CFI_READING.md). */
	uint32_t *by_pc;
	size_t by_pc_count;
	bool overlapping;	       /* two FDEs of by_pc share a PC */
	uint64_t *reach;	       /* private to cfi_fde_find(); only if overlapping */
	struct error_list diagnostics; /* one per entry that was lost, and per .debug_frame */
};

/*
 * Reads .eh_frame, and of .debug_frame what .eh_frame says nothing of (all of it when there is no
 * .eh_frame). Entries that can't be read are left out with a diagnostic, and so is a .debug_frame
 * beside .eh_frame that can't be read at all; fails with ERROR_NO_CFI if there is no section at
 * all, and then *ret is empty and may still be used and destroyed. An image of another machine
 * fails.
 */
int cfi_create(const struct image *image, struct cfi **ret, struct error *error);
/* The same for ".eh_frame" (all of them), ".eh_frame[7]" (that one alone) or ".debug_frame". */
int cfi_create_section(const struct image *image, const char *name, struct cfi **ret,
		       struct error *error);
/*
 * Reads one section, which has data, alone. share: among how many sections the memory is shared
 * that is given whatever their size. 0; -1: the section is too large (ERROR_CFI_LENGTH), or
 * ERROR_MEMORY, and *ret is NULL.
 */
int cfi_create_alone(const struct image *image, const struct image_section *section,
		     unsigned int share, struct cfi **ret, struct error *error);
void cfi_destroy(struct cfi *cfi);
/* The FDE that covers vaddr, or NULL. Overlaps: the one with the highest pc_begin. (cfi_by_pc.c) */
const struct cfi_fde *cfi_fde_find(const struct cfi *cfi, uint64_t vaddr);
/* That FDE begins there. */
bool cfi_fde_begins(const struct cfi *cfi, uint64_t vaddr);
bool cfi_has_empty_fde(const struct cfi *cfi);
/* The symbol that covers the FDE's first PC, or NULL: code_name_find()'s, but in an object file,
 * where sections lie over each other, one of the FDE's own section. (code_name.c) */
const struct image_symbol *cfi_fde_symbol(const struct cfi *cfi, const struct cfi_fde *fde);

/* ---- search_table.c -------------------------------------------------------------------------- */

/*
 * Holds the image's .eh_frame_hdr, if it has one, against its .eh_frame: what the header says of
 * it, the order of its search table, an FDE at each entry, an entry for each FDE that has a range.
 * Adds each difference to ret. Unwinders search that table: an FDE that isn't in it is never found.
 */
void eh_frame_hdr_check(const struct cfi *cfi, struct error_list *ret);

/* ---- row.c, x86_64.c ------------------------------------------------------------------------- */

/* How the caller's value of a register is found. DWARF 5, 6.4.1. */
enum rule_kind {
	RULE_UNSPECIFIED,    /* no rule: the ABI decides (x86_64.c) */
	RULE_UNDEFINED,	     /* it can't be recovered */
	RULE_SAME_VALUE,     /* it is still in the register */
	RULE_OFFSET,	     /* *(cfa + offset) */
	RULE_VAL_OFFSET,     /* cfa + offset */
	RULE_REGISTER,	     /* reg */
	RULE_EXPRESSION,     /* *(expression, with the CFA pushed first) */
	RULE_VAL_EXPRESSION, /* expression, with the CFA pushed first */
	RULE_CFA_REGISTER,   /* CFA only: reg + offset */
	RULE_CFA_EXPRESSION, /* CFA only: expression, nothing pushed */
};

struct row_rule {
	enum rule_kind kind;
	uint32_t reg;
	int64_t offset;
	const uint8_t *expression; /* in the section */
	uint64_t expression_bytes;
};

/* The canonical rules for pc .. pc_end. Loses nothing that the CFI says. */
struct row {
	uint64_t pc;
	uint64_t pc_end;
	struct row_rule cfa;
	struct row_rule reg[REGISTER_COUNT]; /* by DWARF number; [16] is the return address */
	uint64_t args_size;		     /* DW_CFA_GNU_args_size */
	bool signal_frame;
	bool high_rules; /* registers above REGISTER_RIP have rules, here or before in the FDE */
	bool ra_signed;	 /* AArch64: the return address holds a pointer authentication code */
};

/* True if the rules (not the PCs) are equal; expressions are compared by their bytes. */
bool row_equal(const struct row *a, const struct row *b);
/* Writes one rule: "rsp+16", "c-8" (at the CFA less 8), "v+0" (is the CFA), "undefined", "same",
 * "rbx" (in that register), "exp(breg7+8)" (at that address), "val_exp(...)" (that value),
 * "none". */
void row_rule_print(FILE *file, const struct row_rule *rule);
/* Writes one row's rules: "cfa=rsp+16 ra=c-8 rbp=c-16". No newline. */
void row_print(FILE *file, const struct row *row);
/* The psABI's name of a DWARF register: "rax" .. "r15", "rip"; NULL above REGISTER_RIP. */
const char *register_name(unsigned int reg);
/* The inverse: -1 if there is none. */
int register_number(const char *name);
/* What RULE_UNSPECIFIED means for a register: RULE_SAME_VALUE for those the callee preserves,
 * RULE_VAL_OFFSET (with offset 0: the CFA itself) for rsp, else RULE_UNDEFINED. */
enum rule_kind register_default_rule(unsigned int reg);

/* ---- cfi_program.c --------------------------------------------------------------------------- */

/* Called for each row in order of PC. Non-zero stops, and is what cfi_rows returns. */
typedef int (*cfi_row_fn)(void *context, const struct row *row);

/*
 * Executes the FDE's instructions and gives each row. Rows of one PC are merged (the last wins),
 * so pc < pc_end always. On malformed instructions the rows before them have been given; returns -1
 * and error has section and offset.
 */
int cfi_rows(const struct cfi *cfi, const struct cfi_fde *fde, cfi_row_fn fn, void *context,
	     struct error *error);
/*
 * The same without judgment, as a dump tool shows it: a row at every advance, even if it is empty
 * or outside of the FDE (pc_end is where the next one begins); each state of the registers above
 * REGISTER_RIP in high[], by DWARF number less REGISTER_COUNT. fde NULL: the CIE's own row. Entries
 * of nothing but DW_CFA_nop give none; malformed ones give what was decoded, and then -1.
 */
struct cfi_raw_row {
	const struct row *row;
	const struct row_rule *high; /* high_count rules */
	uint32_t high_count;
};
#define CFI_REGISTER_MAX 255 /* above any number the psABI gives away */
typedef int (*cfi_raw_row_fn)(void *context, const struct cfi_raw_row *row);
int cfi_raw_rows(const struct cfi *cfi, const struct cfi_cie *cie, const struct cfi_fde *fde,
		 cfi_raw_row_fn fn, void *context, struct error *error);
/* Sets mentioned[n] for each register whose rule the instructions of cie (and fde, unless NULL)
 * set, and returns the highest such number, or -1 for none. Stops where they are malformed. */
int cfi_registers(const struct cfi *cfi, const struct cfi_cie *cie, const struct cfi_fde *fde,
		  bool mentioned[CFI_REGISTER_MAX + 1]);

/* ---- cfi_query.c ----------------------------------------------------------------------------- */

/* Raw rows of all FDEs: what `readelf -wF` prints for them. */
uint64_t cfi_row_count(const struct cfi *cfi);
/* Adds to ret all that is wrong with cfi: its diagnostics, what eh_frame_hdr_check() finds, and one
 * error for each FDE whose instructions are malformed. */
void cfi_check(const struct cfi *cfi, struct error_list *ret);
/* The row at vaddr: 1 found, 0 no FDE covers it, -1 error. */
int cfi_row_find(const struct cfi *cfi, uint64_t vaddr, struct row *ret, struct error *error);

#endif
