/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cfi.h - call frame information, and its rows
 *
 *	cfi_section.c -> cfi_program.c -> row.c -> cfi_query.c
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

/* Offsets and sizes of entries have 32 bits: a section of 4 GiB or more is not read. Pointers point into the
 * section. These structures are small, because the section's size bounds the memory for them. */

/* Common Information Entry (DWARF 5, 6.4.1; LSB 5, 10.6.1). */
struct cfi_cie {
	const struct image_section *section; /* of the CIE and its FDEs */
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
	uint8_t fde_encoding;  /* DW_EH_PE_*, from augmentation 'R' */
	uint8_t lsda_encoding; /* the same from 'L' */
	bool has_augmentation_data;
	bool signal_frame; /* augmentation 'S' */
	bool is_64bit;	   /* 64-bit DWARF */
};

/* Frame Description Entry (DWARF 5, 6.4.1). pc_begin is an image address, pc_range a number of bytes. */
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
 * All entries of one section, in the section's order. Behind those of .eh_frame come the entries of the
 * file's other sections .eh_frame, and then those that .debug_frame adds: its CIEs, and, in order of PC,
 * its FDEs that share no address with an FDE of .eh_frame.
 */
struct cfi {
	const struct image *image; /* borrowed: must outlive this */
	const struct image_section *section;
	bool is_eh_frame;
	struct cfi_cie *cie; /* readable ones */
	size_t cie_count;
	struct cfi_fde *fde; /* readable ones */
	size_t fde_count;
	size_t other_fde_count; /* how many are of other sections .eh_frame */
	size_t debug_fde_count; /* how many are of .debug_frame, behind those */
	/* Indices of the FDEs that cover code, sorted by pc_begin, then by offset. FDEs with pc_range 0
	 * are missing, and in a linked image those at address 0, too (docs/CFI_READING.md). */
	uint32_t *by_pc;
	size_t by_pc_count;
	bool overlapping;	       /* two FDEs of by_pc share a PC */
	uint64_t *reach;	       /* private to cfi_by_pc.c; only if overlapping */
	struct error_list diagnostics; /* one per entry or section that could not be read */
};

/*
 * Reads .eh_frame, and from .debug_frame the FDEs of code that .eh_frame does not cover. Entries that
 * can't be read are left out, with a diagnostic; so is a malformed .debug_frame, if there is .eh_frame.
 * -1: ERROR_NO_CFI if there is no section at all, and then *ret is empty, and still the caller's; another
 * error for example if the image is of another machine. *ret: cfi_destroy().
 */
int cfi_create(const struct image *image, struct cfi **ret, struct error *error);
/* The same for ".eh_frame" (all of them), ".eh_frame[7]" (that one alone) or ".debug_frame". */
int cfi_create_section(const struct image *image, const char *name, struct cfi **ret,
		       struct error *error);
/*
 * Reads one section, which has data, alone. Some memory is allowed whatever the section's size;
 * share: among how many sections that is divided. -1: the section is too large (ERROR_CFI_LENGTH), or
 * ERROR_MEMORY; *ret is then NULL.
 */
int cfi_create_alone(const struct image *image, const struct image_section *section,
		     unsigned int share, struct cfi **ret, struct error *error);
void cfi_destroy(struct cfi *cfi);
DEINIT_AT(cfi_destroy, cfi)
/* The FDE that covers vaddr, or NULL; of several that with the highest pc_begin. (cfi_by_pc.c) */
const struct cfi_fde *cfi_fde_find(const struct cfi *cfi, uint64_t vaddr);
/* Whether cfi_fde_find() has an FDE that begins at vaddr. */
bool cfi_fde_begins(const struct cfi *cfi, uint64_t vaddr);
/* The last FDE of by_pc that begins before vaddr, or NULL. */
const struct cfi_fde *cfi_fde_before(const struct cfi *cfi, uint64_t vaddr);
/* The lowest begin of an FDE of by_pc at vaddr or behind it; UINT64_MAX: none. */
uint64_t cfi_next_begin(const struct cfi *cfi, uint64_t vaddr);
/* Whether an FDE has pc_range 0. */
bool cfi_has_empty_fde(const struct cfi *cfi);
/* The symbol that covers the FDE's first PC, or NULL. In an object file, where all sections begin at 0, the symbol
 * is one of the FDE's section; else it is code_name_find()'s. (code_name.c) */
const struct image_symbol *cfi_fde_symbol(const struct cfi *cfi, const struct cfi_fde *fde);
/* In an object file, the number of the section that the FDE's code is in; 0: no relocation says it, or the image is
 * linked. (code_name.c) */
uint16_t cfi_fde_code_section(const struct cfi *cfi, const struct cfi_fde *fde);

/* ---- search_table.c -------------------------------------------------------------------------- */

/*
 * Checks the image's .eh_frame_hdr, if there is one, against .eh_frame: the address in its header, the
 * order of its search table, an FDE for each entry, an entry for each FDE that has a range. Adds an error
 * to ret for each difference. Unwinders search this table, so they never find an FDE that it lacks.
 */
void eh_frame_hdr_check(const struct cfi *cfi, struct error_list *ret);

/* ---- row.c, x86_64.c ------------------------------------------------------------------------- */

/* How the caller's value of a register is found. DWARF 5, 6.4.1. */
enum rule_kind {
	RULE_UNSPECIFIED,    /* no rule: the ABI decides (x86_64.c) */
	RULE_UNDEFINED,	     /* can't be recovered */
	RULE_SAME_VALUE,     /* still in the register */
	RULE_OFFSET,	     /* *(cfa + offset) */
	RULE_VAL_OFFSET,     /* cfa + offset */
	RULE_REGISTER,	     /* in register reg */
	RULE_EXPRESSION,     /* *(expression), with the CFA pushed first */
	RULE_VAL_EXPRESSION, /* the expression's value, with the CFA pushed first */
	RULE_CFA_REGISTER,   /* CFA only: reg + offset */
	RULE_CFA_EXPRESSION, /* CFA only: the expression's value, nothing pushed */
};

struct row_rule {
	enum rule_kind kind;
	uint32_t reg;
	int64_t offset;		   /* bytes: already times the alignment factor */
	const uint8_t *expression; /* in the section */
	uint64_t expression_bytes;
};

/* The canonical rules for pc .. pc_end: all that the CFI says. */
struct row {
	uint64_t pc;
	uint64_t pc_end;
	struct row_rule cfa;
	struct row_rule reg[REGISTER_COUNT]; /* by DWARF number; [16] is the return address */
	uint64_t args_size;		     /* DW_CFA_GNU_args_size */
	uint64_t high; /* a hash of the rules of registers above REGISTER_RIP; 0: none has one */
	bool signal_frame;
	bool ra_signed; /* AArch64: the return address has a pointer authentication code */
};

/* Whether the rules are equal, whatever the PCs. Expressions are compared by their bytes, the rules of registers
 * above REGISTER_RIP by their hash. */
bool row_equal(const struct row *a, const struct row *b);
/* Writes one rule: "rsp+16"; "c-8": *(cfa - 8); "v+0": cfa + 0; "undefined"; "same"; "rbx": in this register;
 * "exp(breg7+8)": at the expression's address; "val_exp(...)": the expression's value; "none". */
void row_rule_print(FILE *file, const struct row_rule *rule);
/* Writes a row's rules, without a newline: "cfa=rsp+16 ra=c-8 rbp=c-16". */
void row_print(FILE *file, const struct row *row);
/* The psABI's name of a DWARF register: "rax" .. "r15", "rip"; NULL above REGISTER_RIP. */
const char *register_name(unsigned int reg);
/* The inverse. -1: no register has this name. */
int register_number(const char *name);
/* What RULE_UNSPECIFIED means for a register: RULE_SAME_VALUE for a callee-saved one, RULE_VAL_OFFSET with
 * offset 0 (the CFA) for rsp, else RULE_UNDEFINED. */
enum rule_kind register_default_rule(unsigned int reg);

/* ---- cfi_program.c --------------------------------------------------------------------------- */

/* Is given each row, in order of PC, valid during the call; its expressions point into the section. Anything but 0 ends
 * cfi_rows(), which returns it: no negative number, for -1 is an error. */
typedef int (*cfi_row_fn)(void *context, const struct row *row);

/*
 * Executes the FDE's instructions and gives each row to fn. Of several rows for one PC only the last is
 * given, so pc < pc_end. 0: all were given. Malformed instructions: the rows before them have been given; returns -1,
 * and error has the section and offset.
 */
int cfi_rows(const struct cfi *cfi, const struct cfi_fde *fde, cfi_row_fn fn, void *context,
	     struct error *error);
/*
 * The same as a dump tool shows it: a row at every advance, even if it is empty or outside of the FDE
 * (pc_end is where the next row begins). high[] has the rules of the registers above REGISTER_RIP, by
 * DWARF number less REGISTER_COUNT. fde NULL: the row of cie. An entry of nothing but DW_CFA_nop has no
 * rows; a malformed one gives those before the error, and then -1.
 */
struct cfi_raw_row {
	const struct row *row;
	const struct row_rule *high; /* high_count rules */
	uint32_t high_count;
};
#define CFI_REGISTER_MAX 255 /* no register of the psABI has a higher number */
typedef int (*cfi_raw_row_fn)(void *context, const struct cfi_raw_row *row);
int cfi_raw_rows(const struct cfi *cfi, const struct cfi_cie *cie, const struct cfi_fde *fde,
		 cfi_raw_row_fn fn, void *context, struct error *error);
/* Sets mentioned[n], which the caller has cleared, for each register n that has a rule in the instructions of cie, and of
 * fde unless it is NULL. Returns the highest n, or -1. Stops where the instructions are malformed. */
int cfi_registers(const struct cfi *cfi, const struct cfi_cie *cie, const struct cfi_fde *fde,
		  bool mentioned[CFI_REGISTER_MAX + 1]);

/* ---- cfi_query.c ----------------------------------------------------------------------------- */

/* How many rows cfi_raw_rows() gives for all FDEs, as `readelf -wF` prints them. */
uint64_t cfi_row_count(const struct cfi *cfi);
/* Adds to ret all errors of cfi: its diagnostics, those of eh_frame_hdr_check(), and one for each FDE with
 * malformed instructions. */
void cfi_check(const struct cfi *cfi, struct error_list *ret);
/* Finds the row at vaddr. 1: *ret is set; 0: no FDE covers vaddr; -1: error. */
int cfi_row_find(const struct cfi *cfi, uint64_t vaddr, struct row *ret, struct error *error);

#endif
