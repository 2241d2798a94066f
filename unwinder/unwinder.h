/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * unwinder.h - from ELF bytes to a walk
 *
 * The whole public interface, sectioned by .c file in the order in which data flows:
 *
 *	elf_image -> cfi_section -> cfi_program -> row -> table -> address_space -> walk
 *
 * Functions that can fail return 0 or -1 and fill the caller's struct error (never NULL). Nothing
 * here prints to a terminal or exits; what writes text takes a FILE. No BPF, no ptrace.
 */
#ifndef STACKPROOF_UNWINDER_H
#define STACKPROOF_UNWINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include "expression.h"
#include "stack.h"
#include "table_abi.h"

/* ---- error.c ---------------------------------------------------------------------------- */

enum error_code {
	ERROR_NONE,
	ERROR_SYSTEM,		/* a system call failed: see system_errno */
	ERROR_MEMORY,		/* out of memory */
	ERROR_NOT_ELF,		/* no ELF magic, or too short for an ELF header */
	ERROR_UNSUPPORTED_ELF,	/* class, byte order or machine that is not read here */
	ERROR_ELF_BOUNDS,	/* a header, segment or section reaches past the file's end */
	ERROR_RELOCATION,	/* of an object file: one that can't be resolved */
	ERROR_NO_CFI,		/* the image has neither .eh_frame nor .debug_frame */
	ERROR_CFI_LENGTH,	/* a CIE's or FDE's length reaches past the section's end */
	ERROR_CFI_TRUNCATED,	/* a field reaches past its CIE's or FDE's end */
	ERROR_CIE_POINTER,	/* an FDE points at no CIE */
	ERROR_CIE_VERSION,	/* a version that is not read */
	ERROR_CIE_AUGMENTATION, /* an augmentation whose length is unknown */
	ERROR_POINTER_ENCODING, /* DW_EH_PE_* that is not defined */
	ERROR_CFI_REGISTER,	/* a register number that the machine does not have */
	ERROR_CFI_INSTRUCTION,	/* DW_CFA_* that is not defined for the machine */
	ERROR_CFI_STATE, /* restore_state without remember_state, offset rule without a register */
	ERROR_CFI_RANGE, /* an FDE's PC range wraps, or an advance leaves it */
	ERROR_SEARCH_TABLE,	   /* .eh_frame_hdr is malformed, or disagrees with .eh_frame */
	ERROR_EXPRESSION,	   /* an expression that is malformed or not evaluated here */
	ERROR_EXPRESSION_MEMORY,   /* an expression read memory that could not be read */
	ERROR_EXPRESSION_REGISTER, /* an expression needs a register whose value is not known */
	ERROR_TABLE_LIMIT,	   /* more pages, rows or rules than the format numbers */
	ERROR_TEXT_SYNTAX, /* a saved table's line that does not parse; offset is the line */
	ERROR_UNAVAILABLE, /* the environment lacks it: no BPF, no VM, no privilege, no compiler */
	ERROR_PROTOCOL,	   /* a child, tracee or guest did what it must not */
	ERROR_TIMEOUT,
	ERROR_CODE_COUNT,
};

/* What went wrong, and where. Owned by the caller; a plain value. */
struct error {
	enum error_code code;
	int system_errno;  /* with ERROR_SYSTEM, else 0 */
	char section[24];  /* "" if the error is not inside a section */
	uint64_t offset;   /* bytes from the section's start; from the file's if section is "", and
			    * always with ERROR_ELF_BOUNDS */
	char message[232]; /* one sentence, no newline, no full stop; of a long one both ends */
};

/* Fills ret and returns -1, so that `return error_set(...)` reads as what it does. */
int error_set(struct error *ret, enum error_code code, const char *section, uint64_t offset,
	      const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The same for errno: "what: strerror". */
int error_set_errno(struct error *ret, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* "cfi_length": the code's name in JSON and tests. */
const char *error_code_name(enum error_code code);
/* Writes "PATH: SECTION+0xOFFSET: MESSAGE" (parts that are absent left out) and a newline. */
void error_print(FILE *file, const char *path, const struct error *error);

/* A growing list of errors: one bad FDE is a diagnostic, not a failure. Zero-initialise. */
struct error_list {
	struct error *error;
	size_t count;
	size_t dropped; /* beyond ERROR_LIST_MAX, only counted */
};
#define ERROR_LIST_MAX 1000
void error_list_add(struct error_list *list, const struct error *error);
void error_list_deinit(struct error_list *list);

/* ---- elf_image.c ------------------------------------------------------------------------ */

/* One PT_LOAD. Addresses are the image's own (unbiased). */
struct image_segment {
	uint64_t vaddr;
	uint64_t memory_bytes;
	uint64_t file_offset;
	uint64_t file_bytes;
	bool executable;
};

/* Bytes of a section, in memory. name is NULL if the image has no such section; data is NULL then,
 * if it is empty, and if its bytes are elsewhere (SHT_NOBITS: size is not 0). */
struct image_section {
	const uint8_t *data;
	size_t size;
	uint64_t vaddr;
	uint64_t file_offset;
	const char *name;
};

/* A symbol of code in .symtab or .dynsym: STT_FUNC, STT_GNU_IFUNC, and STT_NOTYPE, as assembly
 * without .type has it. Sorted by pc; of several names of one pc the one to show comes first: a
 * function, then global, then shortest, then by the alphabet. */
struct image_symbol {
	uint64_t pc;
	uint64_t size;	  /* 0 if the symbol says none */
	uint64_t end;	  /* of what it covers at most: docs/NAMES.md */
	const char *name; /* in the image's string table */
	uint8_t binding;  /* STB_* */
	uint8_t type;	  /* STT_* */
	uint16_t section; /* that pc is an offset in, of an object file; else 0 */
};

#define BUILD_ID_MAX 64

struct image {
	char *path;
	uint16_t machine; /* EM_* */
	uint16_t type;	  /* ET_* */
	uint64_t entry;
	struct image_segment *segment;
	size_t segment_count;
	struct image_section eh_frame; /* of several, where a run-time begins: elf_section.c */
	unsigned int empty_eh_frames;  /* before the first that has bytes */
	struct image_section eh_frame_hdr;
	struct image_section debug_frame; /* its name may be ".zdebug_frame" */
	struct error debug_frame_error;	  /* why it has no data, if it can't be read */
	uint64_t text_vaddr;		  /* base of DW_EH_PE_textrel; 0 if none */
	uint64_t data_vaddr; /* base of DW_EH_PE_datarel (.got, else .eh_frame_hdr); 0 if none */
	struct image_symbol *symbol; /* read by the first image_symbol*() call; NULL before */
	size_t symbol_count;
	uint8_t build_id[BUILD_ID_MAX];
	size_t build_id_size;
	struct image *debug; /* owned; NULL without image_adopt_debug() */
	void *priv;	     /* file mapping and libelf handle, owned by elf_image.c */
};

/* Opens and checks the ELF file at path. *ret is owned by the caller: image_destroy. */
int image_create(const char *path, struct image **ret, struct error *error);
/* The same over size bytes at data (copied); name stands for the path: the vDSO. */
int image_create_memory(const void *data, size_t size, const char *name, struct image **ret,
			struct error *error);
void image_destroy(struct image *image);
/* Takes .debug_frame and the symbols from the image's separate debug file, which image owns from
 * then on. Its addresses must be the same. */
void image_adopt_debug(struct image *image, struct image *debug);
/* All symbols of code. Sorting them takes longer than building a table, so they are read when
 * first asked for: the image caches them. */
const struct image_symbol *image_symbols(const struct image *image, size_t *ret_count);
/* The symbol that covers vaddr: the innermost that has a size, else one without, which reaches
 * to the next symbol or its section's end. NULL: none. Where the CFI is at hand,
 * code_name_find() knows better. */
const struct image_symbol *image_symbol_find(const struct image *image, uint64_t vaddr);
/* The symbol's address by name, or 0. */
uint64_t image_symbol_address(const struct image *image, const char *name);
/* Bytes of the file behind addresses vaddr .. vaddr+size, or NULL if no segment holds them. */
const uint8_t *image_bytes(const struct image *image, uint64_t vaddr, size_t size);

/* ---- cfi_section.c ---------------------------------------------------------------------- */

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
void cfi_destroy(struct cfi *cfi);
/* The FDE that covers vaddr, or NULL. Overlaps: the one with the highest pc_begin. (cfi_by_pc.c) */
const struct cfi_fde *cfi_fde_find(const struct cfi *cfi, uint64_t vaddr);
bool cfi_has_empty_fde(const struct cfi *cfi);
/* The symbol that covers the FDE's first PC, or NULL: code_name_find()'s, but in an object file,
 * where sections lie over each other, one of the FDE's own section. (elf_relocate.c) */
const struct image_symbol *cfi_fde_symbol(const struct cfi *cfi, const struct cfi_fde *fde);

/* ---- code_name.c ------------------------------------------------------------------------ */

enum code_name_kind {
	CODE_SYMBOL,
	CODE_STUB,    /* an entry of a PLT: "read@plt" */
	CODE_SECTION, /* of .init, .fini or a PLT, what no symbol covers and is no stub */
	CODE_FDE,     /* an FDE's, without a symbol */
	CODE_GAP,     /* neither: behind the last FDE before it, in its section */
};

/* Which function an address is in. docs/NAMES.md has the rules. */
struct code_name {
	enum code_name_kind kind;
	uint64_t start;	     /* where it begins */
	const char *name;    /* in the image, of a stub its function's; NULL of an FDE or a gap */
	uint64_t resolver;   /* of a stub whose name is NULL: which function picks its target */
	const char *section; /* that vaddr lies in, if it holds code; else "" */
	const struct image_symbol *symbol; /* of CODE_SYMBOL, else NULL */
};

/* Names vaddr. cfi is the image's, or NULL: then a symbol without size may reach too far. */
void code_name_find(const struct image *image, const struct cfi *cfi, uint64_t vaddr,
		    struct code_name *ret);
/* What people read: "main", "read@plt", ".init", "fde@0x1230", "gap@0x6210". */
void code_name_print(const struct code_name *name, char *text, size_t size);
/* What a fault is filed under: the same, but of a stub its section (".plt"). A linker writes
 * them all at once, with one FDE or none. */
void code_name_print_place(const struct code_name *name, char *text, size_t size);

/* ---- eh_frame_hdr.c --------------------------------------------------------------------- */

/*
 * Holds the image's .eh_frame_hdr, if it has one, against its .eh_frame: what the header says of
 * it, the order of its search table, an FDE at each entry, an entry for each FDE that has a range.
 * Adds each difference to ret. Unwinders search that table: an FDE that isn't in it is never found.
 */
void eh_frame_hdr_check(const struct cfi *cfi, struct error_list *ret);

/* ---- row.c, x86_64.c -------------------------------------------------------------------- */

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
	bool ra_signed; /* AArch64: the return address holds a pointer authentication code */
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

/* ---- cfi_program.c ---------------------------------------------------------------------- */

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

/* ---- cfi_query.c ------------------------------------------------------------------------ */

/* Raw rows of all FDEs: what `readelf -wF` prints for them. */
uint64_t cfi_row_count(const struct cfi *cfi);
/* Adds to ret all that is wrong with cfi: its diagnostics, what eh_frame_hdr_check() finds, and one
 * error for each FDE whose instructions are malformed. */
void cfi_check(const struct cfi *cfi, struct error_list *ret);
/* The row at vaddr: 1 found, 0 no FDE covers it, -1 error. */
int cfi_row_find(const struct cfi *cfi, uint64_t vaddr, struct row *ret, struct error *error);

/* ---- table.c, table_rule.c, table_build.c ----------------------------------------------- */

/* An executable segment, or a part of one: vaddr is rounded down to a page. Its first page has
 * an entry at offset 0; behind its pages there is no row. */
struct table_segment {
	uint64_t vaddr;
	uint64_t bytes; /* of address space, those behind the pages, too */
	uint32_t first_page;
	uint32_t page_count;
};

/* The arrays that table_abi.h explains, and what became of the CFI. */
struct table {
	struct table_segment *segment;
	uint32_t segment_count;
	uint32_t *page; /* page_count + 1 */
	uint32_t page_count;
	uint32_t page_shift; /* a page has 1 << page_shift bytes */
	uint32_t *entry;
	uint32_t entry_count;
	uint16_t *shape;
	uint32_t shape_count;	 /* rows of all shapes */
	struct table_rule *rule; /* [0 .. TABLE_MARKER_COUNT) are zero: markers */
	uint32_t rule_count;
	struct table_place *place;
	uint32_t place_count;
	uint64_t fde_count;		   /* that were read */
	uint64_t cfi_row_count;		   /* canonical rows, before merging; at least one an FDE */
	uint64_t lost[TABLE_MARKER_COUNT]; /* CFI rows that became a marker, by marker */
	uint64_t lost_fdes; /* not read, or in no executable segment: lost_cfi.h names them */
};

/*
 * Builds the table of every executable segment from an image's CFI as cfi_create() reads it, where
 * there is .eh_frame alone the fast way: what was met before is not interpreted again. The table
 * says the same as that of table_create(). No CFI at all: all TABLE_NO_ROW.
 */
int table_build(const struct image *image, struct table **ret, struct error *error);
/* The same from CFI already read, row by row with cfi_rows(). cfi may be NULL or empty. */
int table_create(const struct image *image, const struct cfi *cfi, struct table **ret,
		 struct error *error);
void table_destroy(struct table *table);
/* Where a segment's pages end. */
static inline uint64_t table_pages_end(const struct table *table,
				       const struct table_segment *segment)
{
	return segment->vaddr + ((uint64_t)segment->page_count << table->page_shift);
}
/* Where an entry of a segment's page number p is. */
static inline uint64_t table_entry_vaddr(const struct table *table,
					 const struct table_segment *segment, uint32_t p,
					 uint32_t entry)
{
	uint64_t vaddr = segment->vaddr + ((uint64_t)p << table->page_shift);

	return (vaddr & ~(uint64_t)(TABLE_PAGE_SIZE - 1)) + table_entry_offset(entry);
}
/* Bytes that BPF is given for the image. */
uint64_t table_bytes(const struct table *table);
/* The rule number in force at an image address; TABLE_NO_ROW outside. */
uint32_t table_find(const struct table *table, uint64_t vaddr);
/* The segment that holds vaddr, or NULL: it is not executable. */
const struct table_segment *table_segment_find(const struct table *table, uint64_t vaddr);
/* Every stretch of addresses with one rule, in order of address: rule holds for pc .. pc_end.
 * Neighbours always differ. Non-zero from fn stops, and is returned. */
typedef int (*table_row_fn)(void *context, uint64_t pc, uint64_t pc_end, uint32_t rule);
int table_rows(const struct table *table, table_row_fn fn, void *context);

/* A rule and its places, by value. */
struct table_rule_full {
	struct table_rule rule; /* first_place is 0 */
	struct table_place place[TABLE_PLACES_MAX];
};
/* Turns a row into a rule; returns 0 or the marker that says why no rule can hold it. */
enum table_marker table_rule_from_row(const struct row *row, struct table_rule_full *ret);
/* The places of rule number of a table, and how many: NULL and 0 if it is not extended. */
const struct table_place *table_rule_places(const struct table *table, uint32_t number,
					    uint32_t *ret_count);
/* Where a rule says that the caller's value of a register is, whether it is extended or not.
 * place: the rule's places, or NULL. */
struct table_place table_rule_place(const struct table_rule *rule, const struct table_place *place,
				    unsigned int column);
/* "no_row", "unsupported_expression", ... */
const char *table_marker_name(enum table_marker marker);

/* ---- table_proof.c, rule_proof.c -------------------------------------------------------- */

#define TABLE_PROOF_WHY 96

/* What became of the CFI in the table. */
struct table_proof {
	uint64_t rows;			      /* of the CFI, at addresses that the table has */
	uint64_t equal;			      /* they lead to the same caller as their rule */
	uint64_t flagged[TABLE_MARKER_COUNT]; /* a marker says why there is no rule */
	uint64_t silent;		      /* rows, and gaps: neither. Not one may be */
	uint64_t gaps;			      /* stretches of addresses that no FDE covers */
	uint64_t outside;		      /* rows in no executable segment */
	uint64_t evaluated;		      /* distinct pairs of a row and a rule */
};

/* A silent difference, at pc .. pc_end of the table. */
struct table_proof_finding {
	uint64_t pc;
	uint64_t pc_end;
	const struct row *row; /* NULL: no FDE is there, or it is malformed */
	uint32_t rule;
	char why[TABLE_PROOF_WHY];
};
typedef void (*table_proof_fn)(void *context, const struct table_proof_finding *finding);

/* Holds every row and every gap of cfi (may be NULL) against table, and each silent difference is
 * given to fn (may be NULL). Fails only for want of memory. */
int table_prove(const struct cfi *cfi, const struct table *table, table_proof_fn fn, void *context,
		struct table_proof *ret, struct error *error);
/* True if the row and rule number of table lead to the same caller from made-up registers and
 * memory, in every one of many draws. False: ret_why says what differs. */
bool table_rule_proves(const struct row *row, const struct table *table, uint32_t rule,
		       char *ret_why, size_t why_size);

/* ---- image_store.c ---------------------------------------------------------------------- */

/* What a file is known by. One that is written anew may get the inode of one that is gone. */
struct file_version {
	uint64_t device, inode;
	uint64_t size, modified_ns;
};

/* An image with all that was made of it, shared by every process that maps it. */
struct image_entry {
	struct file_version version;
	struct image *image;
	struct table *table;
	uint32_t id; /* no other image of the store has, or had, the same; from 0 on */
	/* private */
	struct image_store *store;
	struct cfi *cfi_if_read; /* image_entry_cfi() */
	struct row_cache *rows;	 /* image_entry_row() */
	uint32_t references;	 /* mappings of address spaces that have it */
	uint64_t unused_since;	 /* by the store's clock */
};

/* The image's CFI, as of cfi_create(); it may be empty, and is never NULL. A walk by tables
 * needs none, so it is read when first asked for. Valid as long as the entry. Not thread-safe. */
const struct cfi *image_entry_cfi(struct image_entry *entry);
/*
 * cfi_row_find() with a memory: rows found lately are not interpreted again. 1 found, 0 no FDE
 * covers vaddr, -1 error. *ret is valid until the next call for the entry. Not thread-safe.
 */
int image_entry_row(struct image_entry *entry, uint64_t vaddr, const struct row **ret,
		    struct error *error);

/* Images met so far. Entries keep their address until the store is destroyed, or forgets them. */
struct image_store;
struct image_store *image_store_create(void);
void image_store_destroy(struct image_store *store);
size_t image_store_count(const struct image_store *store);
struct image_entry *image_store_get(const struct image_store *store, size_t index);
/* The image in a file, or in size bytes at data (copied) that name stands for, met before or
 * added now. The store's; NULL: error is set. */
struct image_entry *image_store_open(struct image_store *store, const char *path,
				     struct error *error);
struct image_entry *image_store_copy(struct image_store *store, const void *data, size_t size,
				     const char *name, struct error *error);
/* Forgets images that no address space has, but for so many: those that had been in one last.
 * What has been opened or copied, and is in none yet, is such an image, too. */
void image_store_forget(struct image_store *store, size_t keep);

/* ---- process.c -------------------------------------------------------------------------- */

/* Whether the thread has memory: not once it ends, nor if it is the kernel's. */
bool thread_has_memory(pid_t tid);
/* The process's number; or if its first thread has ended, that of another which has memory: what
 * to ask /proc and process_vm_readv(2) by. 0: there is none. */
pid_t process_living_thread(pid_t pid);

/* ---- address_space.c -------------------------------------------------------------------- */

/* One executable mapping. vaddr of a PC = pc - bias. */
struct mapping {
	uint64_t start;
	uint64_t end;
	uint64_t bias;
	struct image_entry *entry; /* NULL: anonymous, or its file can't be read as ELF */
	char *path;
	uint64_t name_hash; /* of the path's last part: the same wherever the file lies */
};

struct perf_map; /* private: perf_map.h */

struct address_space {
	pid_t pid;
	struct mapping *mapping; /* executable ones only, sorted by start */
	size_t mapping_count;
	struct image_store *store; /* borrowed */
	struct perf_map *names;	   /* NULL without address_space_read_names() */
};

/* Reads /proc/PID/maps, adding images to the store as needed; through another thread if the
 * first has ended. space: zeroed, or filled before. */
int address_space_read(struct address_space *space, struct image_store *store, pid_t pid,
		       struct error *error);
void address_space_deinit(struct address_space *space);
const struct mapping *address_space_find(const struct address_space *space, uint64_t pc);
/*
 * Reads, or reads again if it has changed, what the process calls the code that it has made itself:
 * its perf map, /tmp/perf-PID.map. No such file is no error. Names are forgotten when mappings are
 * read. A space that is only borrowed can be given names, too: they are no part of the mappings. */
int address_space_read_names(const struct address_space *space, struct error *error);
/* The name of code that is executable but in no image, as last read, and how far into it the PC is.
 * NULL: it has none. Valid until names or mappings are read again. */
const char *address_space_code_name(const struct address_space *space, uint64_t pc,
				    uint64_t *ret_offset);
/* Writes "function+0x12 (image)" for a PC into text. */
void address_space_describe(const struct address_space *space, uint64_t pc, char *text,
			    size_t size);
/* What BPF gets for a mapping, part by part from number 0 on, in order of address: page, rule
 * and wide numbers are relative to the image's own table. False: there is no such part, or no
 * table. */
bool mapping_for_walk(const struct mapping *mapping, uint32_t number, struct walk_mapping *ret);

/* ---- walk.c ----------------------------------------------------------------------------- */

/*
 * What the last walk found. With it the next one is faster where the stacks are alike, and never
 * different: see walk_memo.h. One for walk_rows, another for walk_table; reset when mappings
 * change.
 */
struct walk_memo;
struct walk_memo *walk_memo_create(void);
void walk_memo_destroy(struct walk_memo *memo);
void walk_memo_reset(struct walk_memo *memo);

/* Walks with canonical rows (engine cfi): every expression is evaluated. memo may be NULL. ret:
 * zeroed, or filled before; stack_deinit(). 0, or -1 with ERROR_MEMORY: what ret holds is no
 * stack then. */
int walk_rows(const struct address_space *space, const struct register_values *regs,
	      const struct memory_reader *memory, struct walk_memo *memo, struct stack *ret,
	      struct error *error);
/* Walks with compact tables and step.h (engine table): the twin of the walk in BPF, which ends at
 * WALK_FRAMES_MAX. As walk_rows(). */
int walk_table(const struct address_space *space, const struct register_values *regs,
	       const struct memory_reader *memory, struct walk_memo *memo, struct stack *ret,
	       struct error *error);
/*
 * walk_table(), but where there is no CFI it goes on by the frame pointer: the twin of a session
 * with follow_frame_pointers. A PC that was found so has its bit WALK_PC_GUESSED set, and a stack
 * with such a PC is never STOP_COMPLETE, but STOP_GUESSED. A memo of its own, too.
 */
int walk_table_following(const struct address_space *space, const struct register_values *regs,
			 const struct memory_reader *memory, struct walk_memo *memo,
			 struct stack *ret, struct error *error);
/* A walk that could go on by the frame pointer stops so instead. */
static inline bool stop_is_without_cfi(uint32_t stop)
{
	return stop == STOP_NO_MAPPING || stop == STOP_NO_ROW;
}
/* One frame with canonical rows. On return regs is the caller's. STOP_NONE: went on. */
enum stop_reason walk_rows_step(const struct address_space *space, struct register_values *regs,
				bool *exact_pc, const struct memory_reader *memory);

#endif
