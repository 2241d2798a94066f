/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_abi.h - the table's types, which user space and BPF share (the walk's: bpf/walk.h)
 *
 * A table is what the walk looks a PC up in. Functions begin and end alike, so rows are not stored
 * one by one: a run of close neighbours is cut out, and each distinct run is kept once, as a shape.
 *
 *	page[]	number of the first entry at or behind the start of each 4 KiB page, and one more.
 *		Long stretches of code without rows have none: a mapping's pages end before them
 *	entry[]	sorted; 12 bits of offset in the page, and what begins there: a shape or a rule
 *	shape[]	rows of 6 bits of distance from the entry and 10 bits of rule, the last row first
 *	rule[]	each distinct set of rules once
 *	place[]	where registers are, for the few rules that 16 bytes can't hold
 *
 * The look-up of a PC 0x7f12_3456_7abc in a mapping that starts at 0x7f12_3450_0000:
 *
 *	page	p = 0x67; its entries are entry[page[p] .. page[p + 1])
 *	entry	the last one with offset <= 0xabc; if there is none, the one before page[p], which
 *		lies in an earlier page
 *	row	direct: the rule's number. Else the first of shape[number ...] whose distance is not
 *		above the PC's distance from the entry. A PC in a function's body is beyond them
 *		all, so that mostly the first row is the one. The row of distance 0 ends a shape.
 *	rule	rule[number]
 *
 * No load bias is needed: mappings are page-aligned, so a PC and its image address share their low
 * 12 bits. Rule numbers below TABLE_MARKER_COUNT are not rules but markers: they say why there is
 * none. docs/TABLE_FORMAT.md has the layout with a worked example, and the limits.
 *
 * Everything the walk can do, and every way it can stop, is named here once.
 */
#ifndef STACKPROOF_TABLE_ABI_H
#define STACKPROOF_TABLE_ABI_H

#ifndef __bpf__
#include <linux/types.h>
#endif
#include "cfi/x86_64.h"

/* libbpf's, whose header is for BPF only: the compiler is not to know how a value came about. */
#ifndef barrier_var
#define barrier_var(var) asm volatile("" : "+r"(var))
#endif

#define TABLE_VERSION	  5
#define TABLE_PAGE_SHIFT  12 /* of a page of memory; a table's own may be smaller */
#define TABLE_PAGE_SIZE	  (1u << TABLE_PAGE_SHIFT)
#define TABLE_PAGE_SMALL  8  /* the smallest page's shift: it is larger than a shape's span */
#define TABLE_NUMBER_BITS 19 /* of an entry; the bit above says that it is a rule's */
#define TABLE_NUMBER_MAX  (1u << TABLE_NUMBER_BITS)
#define TABLE_DIRECT	  TABLE_NUMBER_MAX
#define TABLE_SHAPE_BITS  10 /* of a shape's row: the rule's number; rules above stand alone */
#define TABLE_SHAPE_RULES (1u << TABLE_SHAPE_BITS)
#define TABLE_SHAPE_SPAN  (1u << (16 - TABLE_SHAPE_BITS)) /* distances are below this */
#define TABLE_SHAPE_ROWS  12				  /* at most, in one shape */
#define TABLE_PLACES_MAX  17				  /* of one rule */

/* Why a PC has no rule. These are the first rule numbers of every table. */
enum table_marker {
	TABLE_NO_ROW,		      /* no FDE covers the PC */
	TABLE_UNSUPPORTED_EXPRESSION, /* the CFI says it with an expression no rule can hold */
	TABLE_UNSUPPORTED_REGISTER,   /* a register rule of a kind no rule can hold */
	TABLE_OFFSET_RANGE,	      /* an offset does not fit */
	TABLE_MALFORMED,	      /* the FDE's instructions could not be decoded */
	TABLE_TOO_MANY_RULES, /* the image has more distinct rules than an entry can number, or
			       * than its CFI is given memory for */
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
	TABLE_SAME,	  /* still in the register; for one the callee may clobber: unknown */
	TABLE_AT_CFA,	  /* *(cfa + offset) */
	TABLE_IS_CFA,	  /* cfa + offset */
	TABLE_UNDEFINED,  /* gone; for the return address: this is the outermost frame */
	TABLE_AT_ALIGNED, /* *(((cfa - less) & -(1 << reg)) + offset), not for the return address */
	TABLE_IN_REGISTER, /* register reg */
	TABLE_AT_REGISTER, /* *(reg + offset) */
	TABLE_IS_REGISTER, /* reg + offset */
};

#define TABLE_RULE_SIGNAL_FRAME 1u /* 'S' augmentation: the caller was interrupted, not calling */
#define TABLE_RULE_EXTENDED	2u /* registers are in place[], not in saved[] */
#define TABLE_RULE_PLACES_SHIFT 3  /* flags >> this: how many places */

/* A register's code in saved[]: what nearly every function needs, in a byte. */
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

/* What is in front of most rules: the CFA is a register and an offset, and saved[] says the rest.
 * */
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
		__u32 head; /* the four at once, for a comparison */
	};
	__s32 cfa_offset;
	union {
		struct {
			__u8 saved[TABLE_COLUMN_COUNT]; /* TABLE_CODE_* */
			__s8 cfa_add;
		};
		__u64 codes; /* saved[] at once: column c is 8 bits from 8 * c on */
		struct {     /* TABLE_RULE_EXTENDED: registers that are not listed are TABLE_SAME */
			__u32 first_place;
			__s32 cfa_extended_add;
		};
	};
};

/* Where one register is, in general. A rule's places come in the order in which they
 * are applied: whoever reads a register before the one that writes it, the return address last. */
struct table_place {
	__u8 column; /* DWARF number: whose caller's value; REGISTER_RIP: the return address */
	__u8 kind;   /* enum table_saved */
	__u8 reg;    /* DWARF number, rip's, too; of TABLE_AT_ALIGNED the alignment's logarithm */
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
	STOP_GUESSED, /* as STOP_COMPLETE, but a frame on the way was guessed: it proves nothing */
	STOP_COPY_END, /* the stack goes on behind the part of it that was copied (engines perf8k, ...) */
	STOP_REASON_COUNT,
};

/* The name of a reason, as in JSON: "complete", "no_row". In table.c. */
const char *stop_reason_name(unsigned int reason);

/* Of the walk in BPF: what a record holds. Walks in user space go on (STACK_FRAMES_MAX). */
#define WALK_FRAMES_MAX 1024

/* In a frame's PC: there was no CFI, and this PC was found by following the frame pointer,
 * because the walk was told to. Such a frame may be wrong. No address of a program has the bit,
 * nor any other of WALK_PC_NEVER: with one of those it is no mark, but part of what is no
 * address. */
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

/* One executable mapping of a process, or a part of one, as BPF sees it. Sorted by start. */
struct walk_mapping {
	__u64 start;
	__u64 end;
	__u32 first_page;  /* number in the page array of the page at start */
	__u32 page_count;  /* pages of the table behind it; behind those there is no row */
	__u32 first_shape; /* numbers in the arrays of the image's shape row, rule and place 0 */
	__u32 first_rule;
	__u32 first_place;
	__u32 page_shift;  /* of the table's pages: TABLE_PAGE_SMALL .. TABLE_PAGE_SHIFT */
	__u32 first_entry; /* number of the image's first entry: where most of its entries are */
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
