/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_abi.h - the table's types, which user space and BPF share (the walk's: bpf/walk.h)
 *
 * The walk looks up PCs in a table. Most functions begin and end alike, so rows are not stored one by one:
 * rows that are close to each other form a run, and each distinct run is kept once, as a shape.
 *
 *	page[]	for each page of code the number of the first entry at or behind its start, and one number
 *		more. Long stretches of code without rows have no pages: a mapping's pages end before them
 *	entry[]	sorted; 12 bits of offset in the 4 KiB page, and what begins there: a shape or a rule
 *	shape[]	rows of 6 bits of distance from the entry and 10 bits of rule, the last row first
 *	rule[]	each distinct set of rules once
 *	place[]	where registers are, for the few rules that 16 bytes can't hold
 *
 * The look-up of a PC 0x7f12_3456_7abc in a mapping that starts at 0x7f12_3450_0000:
 *
 *	page	p = 0x67; its entries are entry[page[p] .. page[p + 1])
 *	entry	the last one with offset <= 0xabc; if there is none, the one before page[p], which
 *		lies in an earlier page
 *	row	if the entry is direct, it has the rule's number. Else the first of shape[number ...] whose
 *		distance is not above the PC's distance from the entry. A PC in a function's body is behind
 *		all rows, so it is mostly the first one. The row of distance 0 ends a shape.
 *	rule	rule[number]
 *
 * No load bias is needed: mappings are page-aligned, so a PC and its image address have the same low 12
 * bits. Rule numbers below TABLE_MARKER_COUNT are markers, which say why there is no rule.
 * docs/TABLE_FORMAT.md has the layout with an example, and the limits.
 */
#ifndef STACKPROOF_TABLE_ABI_H
#define STACKPROOF_TABLE_ABI_H

#ifndef __bpf__
#include <linux/types.h>
#endif
#include "cfi/x86_64.h"

/* As in libbpf's header, which is for BPF only: hides from the compiler how var was computed. */
#ifndef barrier_var
#define barrier_var(var) asm volatile("" : "+r"(var))
#endif

#define TABLE_VERSION	  5
#define TABLE_PAGE_SHIFT  12 /* of a page of memory; a table's own may be smaller */
#define TABLE_PAGE_SIZE	  (1u << TABLE_PAGE_SHIFT)
#define TABLE_PAGE_SMALL  8  /* the smallest page's shift: it is larger than a shape's span */
#define TABLE_NUMBER_BITS 19 /* of an entry's number; the bit above says that it is a rule's */
#define TABLE_NUMBER_MAX  (1u << TABLE_NUMBER_BITS)
#define TABLE_DIRECT	  TABLE_NUMBER_MAX
#define TABLE_SHAPE_BITS  10 /* of the rule's number in a shape; higher ones need direct entries */
#define TABLE_SHAPE_RULES (1u << TABLE_SHAPE_BITS)
#define TABLE_SHAPE_SPAN  (1u << (16 - TABLE_SHAPE_BITS)) /* distances are below this */
#define TABLE_SHAPE_ROWS  12				  /* of one shape, at most */
#define TABLE_PLACES_MAX  17				  /* of one rule, at most */

/* Why a PC has no rule. These are the first rule numbers of every table. */
enum table_marker {
	TABLE_NO_ROW,		      /* no FDE covers the PC */
	TABLE_UNSUPPORTED_EXPRESSION, /* an expression that no rule can hold */
	TABLE_UNSUPPORTED_REGISTER,   /* a kind of register rule that no rule can hold */
	TABLE_OFFSET_RANGE,	      /* an offset does not fit */
	TABLE_MALFORMED,	      /* the FDE's instructions could not be decoded */
	TABLE_TOO_MANY_RULES, /* the image has more distinct rules than entries can number, or
			       * than its CFI's size allows memory for */
	TABLE_MARKER_COUNT,
};

/* How the CFA is found. index * scale is 0 in most rules. */
enum table_cfa {
	TABLE_CFA_REGISTER, /* reg + index * scale + offset */
	TABLE_CFA_DEREF,    /* *(reg + index * scale + offset) + add */
	TABLE_CFA_PLT,	    /* reg + offset + (((pc & 15) >= add) << 3): PLT stubs */
};

/* Where the caller's value of a register is: the kinds of a place. */
enum table_saved {
	TABLE_SAME,	   /* still in the register; a caller-saved one is unknown */
	TABLE_AT_CFA,	   /* *(cfa + offset) */
	TABLE_IS_CFA,	   /* cfa + offset */
	TABLE_UNDEFINED,   /* lost; of the return address: this is the outermost frame */
	TABLE_AT_ALIGNED,  /* *(((cfa - less) & -(1 << reg)) + offset); not of the return address */
	TABLE_IN_REGISTER, /* register reg */
	TABLE_AT_REGISTER, /* *(reg + offset) */
	TABLE_IS_REGISTER, /* reg + offset */
};

#define TABLE_RULE_SIGNAL_FRAME 1u /* 'S' augmentation: the caller was interrupted, not calling */
#define TABLE_RULE_EXTENDED	2u /* registers are in place[], not in saved[] */
#define TABLE_RULE_PLACES_SHIFT 3  /* flags >> this: how many places */

/* A register's code in saved[], one byte: enough for nearly all functions. */
#define TABLE_CODE_SAME	     0
#define TABLE_CODE_MAX	     253 /* up to this n: *(cfa - 8 * n) */
#define TABLE_CODE_UNDEFINED 254

/* The columns of saved[]. */
enum table_column {
	TABLE_COLUMN_RBX,
	TABLE_COLUMN_RBP,
	TABLE_COLUMN_R12,
	TABLE_COLUMN_R13,
	TABLE_COLUMN_R14,
	TABLE_COLUMN_R15,
	TABLE_COLUMN_RA,
	TABLE_COLUMN_COUNT,
};

/* table_rule.head of most rules: the CFA is a register plus an offset, and the rule is not extended. */
#define TABLE_HEAD(cfa_register) ((__u32)(cfa_register) << 8)

/* One rule. */
struct table_rule {
	union {
		struct {
			__u8 cfa_kind;	   /* enum table_cfa */
			__u8 cfa_register; /* DWARF number in the low 4 bits, the index register's
					      in the high 4 */
			__u8 cfa_scale;	   /* 0: no index register */
			__u8 flags;
		};
		__u32 head; /* these four at once, for a comparison */
	};
	__s32 cfa_offset;
	union {
		struct {
			__u8 saved[TABLE_COLUMN_COUNT]; /* TABLE_CODE_* */
			__s8 cfa_add;
		};
		__u64 codes; /* saved[] at once: column c is the 8 bits from bit 8 * c on */
		struct {     /* TABLE_RULE_EXTENDED: registers without a place are TABLE_SAME */
			__u32 first_place;
			__s32 cfa_extended_add;
		};
	};
};

/* Where one register is, for extended rules. A rule's places are in the order in which they are applied: a place
 * that reads a register comes before the one that writes it. The return address comes last. */
struct table_place {
	__u8 column; /* DWARF number of the register; REGISTER_RIP: the return address */
	__u8 kind;   /* enum table_saved */
	__u8 reg;    /* DWARF number, may be rip; of TABLE_AT_ALIGNED the alignment's log2 */
	__u8 less;   /* of TABLE_AT_ALIGNED, else 0 */
	__s32 offset;
};

static inline __u32 table_entry_offset(__u32 entry)
{
	return entry >> (32 - TABLE_PAGE_SHIFT);
}

static inline __u32 table_entry_number(__u32 entry)
{
	return entry & (TABLE_NUMBER_MAX - 1);
}

static inline __u32 table_entry_pack(__u32 offset, __u32 what)
{
	return offset << (32 - TABLE_PAGE_SHIFT) | what;
}

static inline __u32 table_shape_distance(__u16 row)
{
	return row >> TABLE_SHAPE_BITS;
}

static inline __u32 table_shape_rule(__u16 row)
{
	return row & (TABLE_SHAPE_RULES - 1);
}

/* Why a walk ended. Only STOP_COMPLETE means that the walk has proven the stack's end. */
enum stop_reason {
	STOP_NONE,		     /* the walk goes on */
	STOP_COMPLETE,		     /* undefined return address: the outermost frame, proven */
	STOP_NO_MAPPING,	     /* the PC is in no mapping that has a table */
	STOP_NO_ROW,		     /* no FDE covers the PC */
	STOP_UNSUPPORTED_EXPRESSION, /* this and the next four: the table's markers */
	STOP_UNSUPPORTED_REGISTER,
	STOP_OFFSET_RANGE,
	STOP_MALFORMED,
	STOP_TOO_MANY_RULES,
	STOP_REGISTER_UNKNOWN, /* a CFA depends on a register whose value is lost */
	STOP_READ_FAULT,       /* the stack could not be read */
	STOP_NO_PROGRESS, /* rsp went down, or neither rsp nor the PC changed; or rbp is no frame pointer */
	STOP_ZERO_RETURN, /* a return address of 0: may be the end, but proves nothing */
	STOP_DEPTH,	  /* as many frames as the walk can hold */
	STOP_BAD_TABLE,	  /* a number out of range: never, unless tables are damaged */
	STOP_HELPER,	  /* the kernel's helper ended (engine fp), without a reason */
	STOP_FOREIGN,	  /* another library ended with an error (engines libdw, ...) */
	STOP_GUESSED,	  /* as STOP_COMPLETE, but a frame was guessed: proves nothing */
	STOP_COPY_END,	  /* the stack goes on behind the copied part (engines perf8k, ...) */
	STOP_URETPROBE, /* a uretprobe has replaced the return address, and the true one isn't known */
	STOP_REASON_COUNT,
};

/* The name of a reason, as in JSON: "complete", "no_row". (table.c) */
const char *stop_reason_name(unsigned int reason);

/* The limit of the walk in BPF: the frames of a record. Walks in user space have STACK_FRAMES_MAX. */
#define WALK_FRAMES_MAX 1024

/* A mark in a frame's PC: the frame was found by the frame pointer, because there was no CFI and the walk was
 * told to go on. Such a frame may be wrong. No address of a program has this bit or a bit of WALK_PC_NEVER. If a
 * PC has a bit of the latter, it is no address, and the bit is no mark. */
#define WALK_PC_GUESSED (1ull << 63)
#define WALK_PC_NEVER	(0x7full << 56)

static inline int walk_is_guessed(__u64 pc)
{
	return (pc & (WALK_PC_GUESSED | WALK_PC_NEVER)) == WALK_PC_GUESSED;
}

/* A frame's PC without that mark. */
static inline __u64 walk_pc(__u64 pc)
{
	return pc & ~WALK_PC_GUESSED;
}

/* A frame's registers during the walk: each by its value, or by the address of its value. */
struct walk_state {
	__u64 pc;		       /* the frame's PC as found, not adjusted */
	__u64 reg[REGISTER_GPR_COUNT]; /* the value; its address if bit n of in_memory is set */
	__u32 known;		       /* bit n: register n is known */
	__u32 in_memory;	       /* bit n: reg[n] is the address of the value */
	__u32 exact_pc; /* 1: interrupted at pc (innermost, or below a signal frame); 0: pc is a
			   return address */
	__u32 stop;	/* enum stop_reason */
};

/* One executable mapping of a process, or a part of one, as BPF sees it. Sorted by start. */
struct walk_mapping {
	__u64 start;
	__u64 end;
	__u32 first_page;  /* number in the page array of the page at start */
	__u32 page_count;  /* how many pages from there on; behind them there is no row */
	__u32 first_shape; /* this and the next two: where the image's numbers 0 are in the arrays */
	__u32 first_rule;
	__u32 first_place;
	__u32 page_shift;  /* of the table's pages: TABLE_PAGE_SMALL .. TABLE_PAGE_SHIFT */
	__u32 first_entry; /* number of the image's first entry; most others are in the same chunk */
	__u32 zero;
};

#ifndef __bpf__
_Static_assert(sizeof(struct table_rule) == 16, "table_rule is shared with BPF");
_Static_assert(sizeof(struct table_place) == 8, "table_place is shared with BPF");
_Static_assert(sizeof(struct walk_state) == 152, "walk_state is shared with BPF");
_Static_assert(STOP_TOO_MANY_RULES - STOP_NO_ROW == TABLE_TOO_MANY_RULES, "one stop per marker");
_Static_assert(sizeof(struct walk_mapping) == 48, "walk_mapping is shared with BPF");
#endif

#endif
