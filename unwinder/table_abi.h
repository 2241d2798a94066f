/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_abi.h - the only types that user space and BPF share
 *
 * A table is what the walk looks a PC up in. It has three arrays:
 *
 *	page[]	one entry per 4 KiB of executable segment
 *	row[]	sorted within a page; 12 bits of offset in the page, 20 bits of rule
 *	rule[]	each distinct set of rules once
 *
 * A page always begins with a row at offset 0 (the one in force where the page starts), so the
 * look-up is: the page's entry, then the last row whose offset is not above the PC's. No load bias
 * is needed: mappings are page-aligned, so a PC and its image address share their low 12 bits.
 *
 *	pc 0x7f12_3456_7abc, mapping starts 0x7f12_3450_0000, its first page is number 40
 *	page   = page[40 + (0x67abc >> 12)] = page[40 + 0x67]
 *	row    = last of row[page.first_row .. + page.row_count) with offset <= 0xabc
 *	rule   = rule[row.rule]
 *
 * Rule numbers below TABLE_MARKER_COUNT are not rules but markers: they say why there is none.
 * Everything the walk can do, and every way it can stop, is named here once.
 */
#ifndef STACKPROOF_TABLE_ABI_H
#define STACKPROOF_TABLE_ABI_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define TABLE_VERSION	      1
#define TABLE_PAGE_SHIFT      12
#define TABLE_PAGE_SIZE	      (1u << TABLE_PAGE_SHIFT)
#define TABLE_ROW_OFFSET_BITS 12
#define TABLE_RULE_MAX	      (1u << (32 - TABLE_ROW_OFFSET_BITS))

/* DWARF register numbers of x86-64 (System V psABI, figure 3.36). */
#define REGISTER_RAX	   0
#define REGISTER_RDX	   1
#define REGISTER_RCX	   2
#define REGISTER_RBX	   3
#define REGISTER_RSI	   4
#define REGISTER_RDI	   5
#define REGISTER_RBP	   6
#define REGISTER_RSP	   7
#define REGISTER_R8	   8
#define REGISTER_R12	   12
#define REGISTER_R13	   13
#define REGISTER_R14	   14
#define REGISTER_R15	   15
#define REGISTER_RIP	   16 /* the return address column */
#define REGISTER_GPR_COUNT 16
#define REGISTER_COUNT	   17
#define CALLEE_SAVED_COUNT 6
/* rbx, rbp, r12, r13, r14, r15: what a function must preserve (psABI, figure 3.4). */
#define CALLEE_SAVED_MASK ((1u << 3) | (1u << 6) | (0xfu << 12))

/* Why a PC has no rule. These are the first rule numbers of every table. */
enum table_marker {
	TABLE_NO_ROW,		      /* no FDE covers the PC */
	TABLE_UNSUPPORTED_EXPRESSION, /* the CFI says it with an expression no rule can hold */
	TABLE_UNSUPPORTED_REGISTER,   /* a register rule of a kind no rule can hold */
	TABLE_OFFSET_RANGE,	      /* an offset does not fit */
	TABLE_MALFORMED,	      /* the FDE's instructions could not be decoded */
	TABLE_TOO_MANY_RULES,	      /* the image has more distinct rules than a row can number */
	TABLE_MARKER_COUNT,
};

/* How the CFA is found. */
enum table_cfa {
	TABLE_CFA_REGISTER, /* reg + offset */
	TABLE_CFA_DEREF,    /* *(reg + offset) + add */
	TABLE_CFA_PLT,	    /* reg + offset + (((pc & 15) >= add) << 3): PLT stubs */
};

/* Where the caller's value of a register is. */
enum table_saved {
	TABLE_SAME,	   /* still in the register; for one the callee may clobber: unknown */
	TABLE_AT_CFA,	   /* *(cfa + offset) */
	TABLE_IS_CFA,	   /* cfa + offset */
	TABLE_UNDEFINED,   /* gone; for the return address: this is the outermost frame */
	TABLE_IN_REGISTER, /* register reg; in wide rules and for the return address only */
	TABLE_AT_REGISTER, /* *(reg + offset); in wide rules only */
	TABLE_IS_REGISTER, /* reg + offset; in wide rules only */
};

#define TABLE_RULE_SIGNAL_FRAME 1u /* 'S' augmentation: the caller was interrupted, not calling */
#define TABLE_RULE_WIDE		2u /* registers are in wide[wide], not in saved_* */

/* One rule. saved_*[] are rbx, rbp, r12, r13, r14, r15. */
struct table_rule {
	__u8 cfa_kind;	   /* enum table_cfa */
	__u8 cfa_register; /* DWARF number, below REGISTER_GPR_COUNT */
	__u8 flags;
	__u8 ra_kind; /* enum table_saved */
	__s32 cfa_offset;
	__s32 cfa_add;
	__s32 ra_offset;			/* from the CFA; or the register's number */
	__u8 saved_kind[CALLEE_SAVED_COUNT];	/* TABLE_SAME .. TABLE_UNDEFINED */
	__u16 wide;				/* index in wide[] if TABLE_RULE_WIDE */
	__s32 saved_offset[CALLEE_SAVED_COUNT]; /* bytes from the CFA */
};

/* Where one register is, in general. */
struct table_wide_register {
	__u8 kind; /* enum table_saved */
	__u8 reg;  /* DWARF number */
	__u16 zero;
	__s32 offset;
};

/* A rule for every column: signal frames and hand-written assembly. The CFA is in the rule. */
struct table_wide_rule {
	struct table_wide_register reg[REGISTER_COUNT];
};

struct table_page {
	__u32 first_row;
	__u32 row_count; /* 1 .. TABLE_PAGE_SIZE */
};

static inline __u32 table_row_pack(__u32 offset, __u32 rule)
{
	return (offset << (32 - TABLE_ROW_OFFSET_BITS)) | rule;
}

static inline __u32 table_row_offset(__u32 row)
{
	return row >> (32 - TABLE_ROW_OFFSET_BITS);
}

static inline __u32 table_row_rule(__u32 row)
{
	return row & (TABLE_RULE_MAX - 1);
}

/* Why a walk ended. Everything but STOP_COMPLETE is a walk that did not prove the stack's end. */
enum stop_reason {
	STOP_NONE,		     /* still going */
	STOP_COMPLETE,		     /* undefined return address: the outermost frame, proven */
	STOP_NO_MAPPING,	     /* the PC is in no mapping that has a table */
	STOP_NO_ROW,		     /* no FDE covers the PC */
	STOP_UNSUPPORTED_EXPRESSION, /* these five: the table's markers */
	STOP_UNSUPPORTED_REGISTER,
	STOP_OFFSET_RANGE,
	STOP_MALFORMED,
	STOP_TOO_MANY_RULES,
	STOP_REGISTER_UNKNOWN, /* a CFA hangs on a register whose value is lost */
	STOP_READ_FAULT,       /* the stack could not be read */
	STOP_NO_PROGRESS,      /* the CFA did not move up and the PC did not change */
	STOP_ZERO_RETURN,      /* a return address of 0: looks like an end, proves none */
	STOP_DEPTH,	       /* as many frames as the walk can hold */
	STOP_BAD_TABLE,	       /* a table index out of range: never, unless tables are torn */
	STOP_HELPER,	       /* the kernel's own helper ended (engine fp): it gives no reason */
	STOP_FOREIGN,	       /* another library ended (engines libdw, ...) with an error */
	STOP_REASON_COUNT,
};

/* The name of a reason, as in JSON: "complete", "no_row". In error.c. */
const char *stop_reason_name(unsigned int reason);

#define WALK_FRAMES_MAX 1024

/* A frame's registers as the walk carries them: by value, or by the address where they lie. */
struct walk_state {
	__u64 pc;		       /* the frame's PC as found, not adjusted */
	__u64 reg[REGISTER_GPR_COUNT]; /* a value, or, if its bit in_memory is set, its address */
	__u32 known;		       /* bit n: register n has a value at all */
	__u32 in_memory;	       /* bit n: reg[n] is the address of the value */
	__u32 exact_pc; /* 1: interrupted at pc (top, or below a signal frame); 0: pc is a return
			   address */
	__u32 stop;	/* enum stop_reason */
};

/* One executable mapping of a process, as BPF sees it. Sorted by start. */
struct walk_mapping {
	__u64 start;
	__u64 end;
	__u32 first_page; /* number in the page array of the page at start */
	__u32 page_count; /* pages of the table behind it */
	__u32 first_rule; /* number in the rule array of the image's rule 0 */
	__u32 first_wide;
};

#ifndef __bpf__
_Static_assert(sizeof(struct table_rule) == 48, "table_rule is shared with BPF");
_Static_assert(sizeof(struct table_wide_rule) == 136, "table_wide_rule is shared with BPF");
_Static_assert(sizeof(struct table_page) == 8, "table_page is shared with BPF");
_Static_assert(sizeof(struct walk_state) == 152, "walk_state is shared with BPF");
_Static_assert(STOP_TOO_MANY_RULES - STOP_NO_ROW == TABLE_TOO_MANY_RULES, "one stop per marker");
_Static_assert(sizeof(struct walk_mapping) == 32, "walk_mapping is shared with BPF");
#endif

#endif
