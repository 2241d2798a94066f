/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cfa_bytes.h - call frame instructions by their names, as bytes for tests
 *
 *	CFI(CFA_def_cfa(RSP, 8), CFA_offset(RIP, 1))
 *
 * is "\x0c\x07\x08\x90\x01" with its length: a struct literal. Operands are bytes as they are
 * stored, factored: a number below 128, ULEB2(300), SLEB(-2), or several bytes, where LEBs are
 * malformed or padded. The operations of expressions have their names from <dwarf.h>. What can't be
 * said by name, because it is malformed, is said by CFA_*, the opcode alone, and bytes.
 */
#ifndef STACKPROOF_TESTS_CFA_BYTES_H
#define STACKPROOF_TESTS_CFA_BYTES_H

#include "suite.h"
#include <dwarf.h>
#include "cfi/cfi_instruction.h"

/* Instructions, as an array and as a literal. The latter points at an object of the scope. */
#define CFI_ARRAY(...)                                                                             \
	(const uint8_t[])                                                                          \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define CFI(...) IN_BRACES((const char *)CFI_ARRAY(__VA_ARGS__), sizeof(CFI_ARRAY(__VA_ARGS__)))

/* The same as two arguments of a call. */
#define CFI_SIZED(...) CFI_ARRAY(__VA_ARGS__), sizeof(CFI_ARRAY(__VA_ARGS__))

/* What the CIEs of all compilers say. */
#define CFA_USUAL CFA_def_cfa(RSP, 8), CFA_offset(RIP, 1)
/* A CIE behind its length: id, version 1, "zR", alignments 1 and -8, rip, absolute pointers. */
#define CIE_USUAL 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0, CFA_USUAL

/* DWARF's numbers of the registers (psABI, figure 3.36). */
enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R9, R10, R11, R12, R13, R14, R15, RIP };

/* Operands of several bytes, and signed ones. */
#define ULEB2(number) 0x80 | ((number)&0x7f), (number) >> 7
#define SLEB(number)  ((number)&0x7f) /* -64 to 63 */
#define SLEB2(number) 0x80 | ((number)&0x7f), ((number) >> 7) & 0x7f
#define U2(number)    (uint8_t)(number), (uint8_t)((number) >> 8)
#define U4(number)    U2(number), U2((number) >> 16)
#define U8(number)    U4(number), U4((uint64_t)(number) >> 32)
/* An expression: its length, and the operations. */
#define BLOCK(...) sizeof(CFI_ARRAY(__VA_ARGS__)), __VA_ARGS__

/* In the list's order. */
#define CFA_nop				 CFA_NOP
#define CFA_set_loc(...)		 CFA_SET_LOC, __VA_ARGS__ /* as the CIE encodes it */
#define CFA_advance_loc1(delta)		 CFA_ADVANCE_LOC1, delta
#define CFA_advance_loc2(delta)		 CFA_ADVANCE_LOC2, U2(delta)
#define CFA_advance_loc4(delta)		 CFA_ADVANCE_LOC4, U4(delta)
#define CFA_offset_extended(reg, ...)	 CFA_OFFSET_EXTENDED, reg, __VA_ARGS__
#define CFA_restore_extended(...)	 CFA_RESTORE_EXTENDED, __VA_ARGS__
#define CFA_undefined(...)		 CFA_UNDEFINED, __VA_ARGS__
#define CFA_same_value(...)		 CFA_SAME_VALUE, __VA_ARGS__
#define CFA_register(reg, ...)		 CFA_REGISTER, reg, __VA_ARGS__
#define CFA_remember_state		 CFA_REMEMBER_STATE
#define CFA_restore_state		 CFA_RESTORE_STATE
#define CFA_def_cfa(reg, ...)		 CFA_DEF_CFA, reg, __VA_ARGS__
#define CFA_def_cfa_register(...)	 CFA_DEF_CFA_REGISTER, __VA_ARGS__
#define CFA_def_cfa_offset(...)		 CFA_DEF_CFA_OFFSET, __VA_ARGS__
#define CFA_def_cfa_expression(...)	 CFA_DEF_CFA_EXPRESSION, BLOCK(__VA_ARGS__)
#define CFA_expression(reg, ...)	 CFA_EXPRESSION, reg, BLOCK(__VA_ARGS__)
#define CFA_offset_extended_sf(reg, ...) CFA_OFFSET_EXTENDED_SF, reg, __VA_ARGS__
#define CFA_def_cfa_sf(reg, ...)	 CFA_DEF_CFA_SF, reg, __VA_ARGS__
#define CFA_def_cfa_offset_sf(...)	 CFA_DEF_CFA_OFFSET_SF, __VA_ARGS__
#define CFA_val_offset(reg, ...)	 CFA_VAL_OFFSET, reg, __VA_ARGS__
#define CFA_val_offset_sf(reg, ...)	 CFA_VAL_OFFSET_SF, reg, __VA_ARGS__
#define CFA_val_expression(reg, ...)	 CFA_VAL_EXPRESSION, reg, BLOCK(__VA_ARGS__)
#define CFA_MIPS_advance_loc8(delta)	 CFA_MIPS_ADVANCE_LOC8, U8(delta)
#define CFA_AARCH64_negate_ra_state	 CFA_AARCH64_NEGATE_RA_STATE
#define CFA_GNU_args_size(...)		 CFA_GNU_ARGS_SIZE, __VA_ARGS__
#define CFA_GNU_negative_offset_extended(reg, ...)                                                 \
	CFA_GNU_NEGATIVE_OFFSET_EXTENDED, reg, __VA_ARGS__
#define CFA_advance_loc(delta) (CFA_ADVANCE_LOC | (delta))
#define CFA_offset(reg, ...)   (CFA_OFFSET | (reg)), __VA_ARGS__
#define CFA_restore(reg)       (CFA_RESTORE | (reg))

#endif
