/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * main_address.c - where main is in a program that has lost its symbols
 *
 * The kernel leaves argc where rsp stands at the entry point, and argv behind it (System V ABI,
 * 3.4.1). What the C library's first code calls with a function, argc and argv is its
 * __libc_start_main, and that function is main:
 *
 *	glibc's _start		pop %rsi; mov %rsp, %rdx; ...; mov $main, %rdi; call
 *	musl's _start		mov %rsp, %rdi; ...; call _start_c
 *	musl's _start_c		mov (%rdi), %esi; lea 8(%rdi), %rdx; ...; lea main(%rip), %rdi; jmp
 *
 * The code is followed from the entry point on for these three registers and rsp alone, up to the
 * first instruction that goes elsewhere; into what it calls if that is given the stack. Any other
 * beginning says nothing of main: no guess is made.
 */
#include <capstone/capstone.h>
#include <string.h>
#include "image/image.h"
#include "tracer.h"

#define INSTRUCTIONS_MAX 32 /* of each of the two functions */
#define FUNCTIONS_MAX	 2

enum value_kind {
	VALUE_UNKNOWN,
	VALUE_STACK, /* rsp at the entry point, plus number */
	VALUE_ARGC,  /* what lies there */
	VALUE_ADDRESS,
};

struct value {
	enum value_kind kind;
	int64_t number;
};

enum followed {
	FOLLOWED_RSP,
	FOLLOWED_RDI,
	FOLLOWED_RSI,
	FOLLOWED_RDX,
	FOLLOWED_COUNT,
};

static const x86_reg names[FOLLOWED_COUNT][2] = {
	[FOLLOWED_RSP] = { X86_REG_RSP, X86_REG_ESP },
	[FOLLOWED_RDI] = { X86_REG_RDI, X86_REG_EDI },
	[FOLLOWED_RSI] = { X86_REG_RSI, X86_REG_ESI },
	[FOLLOWED_RDX] = { X86_REG_RDX, X86_REG_EDX },
};

struct start {
	csh capstone;
	const struct image *image;
	struct value value[FOLLOWED_COUNT];
};

/* FOLLOWED_COUNT: it is another. */
static enum followed followed_of(unsigned int name)
{
	enum followed at = 0;

	while (at < FOLLOWED_COUNT && name != names[at][0] && name != names[at][1])
		at++;
	return at;
}

static bool is_at(struct value value, enum value_kind kind, int64_t number)
{
	return value.kind == kind && value.number == number;
}

/* The sum that a memory operand addresses. */
static struct value address_of(const struct start *start, const cs_insn *instruction,
			       const x86_op_mem *operand)
{
	enum followed base = followed_of(operand->base);
	struct value ret = { VALUE_UNKNOWN, 0 };

	if (operand->index != X86_REG_INVALID || operand->segment != X86_REG_INVALID)
		return ret;
	if (operand->base == X86_REG_RIP)
		ret = (struct value) { VALUE_ADDRESS,
				       (int64_t)(instruction->address + instruction->size) };
	else if (base < FOLLOWED_COUNT)
		ret = start->value[base];
	ret.number += operand->disp;
	return ret;
}

/* What an instruction puts into its first operand; of what is not followed: nothing known. */
static struct value result_of(const struct start *start, const cs_insn *instruction)
{
	const cs_x86 *x86 = &instruction->detail->x86;
	const cs_x86_op *source = &x86->operands[1];
	struct value from = { VALUE_UNKNOWN, 0 };

	if (x86->op_count != 2 ||
	    (instruction->id != X86_INS_MOV && instruction->id != X86_INS_LEA))
		return from;
	if (source->type == X86_OP_IMM)
		return (struct value) { VALUE_ADDRESS, source->imm };
	if (source->type == X86_OP_REG) {
		enum followed of = followed_of(source->reg);

		return of < FOLLOWED_COUNT ? start->value[of] : from;
	}
	from = address_of(start, instruction, &source->mem);
	if (instruction->id == X86_INS_LEA)
		return from;
	/* What is loaded: argc alone is known. */
	return (struct value) { is_at(from, VALUE_STACK, 0) ? VALUE_ARGC : VALUE_UNKNOWN, 0 };
}

/* The registers that it writes are what it makes of them, or not known any more. */
static void follow(struct start *start, const cs_insn *instruction)
{
	const cs_x86 *x86 = &instruction->detail->x86;
	struct value result = result_of(start, instruction), *sp = &start->value[FOLLOWED_RSP];
	cs_regs read, written;
	uint8_t reads, writes;

	if (instruction->id == X86_INS_POP) {
		result.kind = is_at(*sp, VALUE_STACK, 0) ? VALUE_ARGC : VALUE_UNKNOWN;
		sp->number += (int64_t)sizeof(uint64_t);
	}
	if (cs_regs_access(start->capstone, instruction, read, &reads, written, &writes))
		writes = 0;
	for (uint8_t i = 0; i < writes; i++) {
		enum followed at = followed_of(written[i]);
		bool is_target = x86->op_count && x86->operands[0].type == X86_OP_REG &&
				 x86->operands[0].reg == written[i];

		if (at < FOLLOWED_COUNT && (is_target || at != FOLLOWED_RSP))
			start->value[at] = is_target ? result : (struct value) { VALUE_UNKNOWN, 0 };
	}
	if (instruction->id == X86_INS_PUSH)
		sp->number -= (int64_t)sizeof(uint64_t);
}

/* To where code goes on that leaves its straight way; *ret_target: 0 if memory says so. */
static bool leaves(const cs_insn *instruction, uint64_t *ret_target)
{
	const cs_x86 *x86 = &instruction->detail->x86;

	*ret_target = x86->op_count && x86->operands[0].type == X86_OP_IMM
			      ? (uint64_t)x86->operands[0].imm
			      : 0;
	return instruction->id == X86_INS_CALL || instruction->id == X86_INS_JMP;
}

/* Goes from pc on to the next call or jump. False: there is none that is sure to be come to. */
static bool follow_function(struct start *start, uint64_t pc, uint64_t *ret_target)
{
	cs_insn *instruction = cs_malloc(start->capstone);
	bool left = false, jumps = false;

	for (int i = 0; instruction && i < INSTRUCTIONS_MAX && !left && !jumps; i++) {
		size_t size;
		const uint8_t *code = image_bytes_most(start->image, pc, INSTRUCTION_BYTES_MAX,
						       &size);

		if (!code || !cs_disasm_iter(start->capstone, &code, &size, &pc, instruction))
			break;
		left = leaves(instruction, ret_target);
		jumps = !left && (cs_insn_group(start->capstone, instruction, CS_GRP_JUMP) ||
				  cs_insn_group(start->capstone, instruction, CS_GRP_RET));
		if (!left)
			follow(start, instruction);
	}
	if (instruction)
		cs_free(instruction, 1);
	return left;
}

uint64_t image_main_address(const struct image *image)
{
	struct start start = { .image = image, .value[FOLLOWED_RSP] = { VALUE_STACK, 0 } };
	const struct value *value = start.value;
	uint64_t pc = image->entry, ret = 0;

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &start.capstone) != CS_ERR_OK)
		return 0;
	cs_option(start.capstone, CS_OPT_DETAIL, CS_OPT_ON);
	for (int i = 0; i < FUNCTIONS_MAX && pc && follow_function(&start, pc, &pc); i++) {
		uint64_t function = (uint64_t)value[FOLLOWED_RDI].number;

		if (value[FOLLOWED_RDI].kind == VALUE_ADDRESS &&
		    value[FOLLOWED_RSI].kind == VALUE_ARGC &&
		    is_at(value[FOLLOWED_RDX], VALUE_STACK, sizeof(uint64_t))) {
			ret = image_bytes(image, function, 1) ? function : 0;
			break;
		}
		if (!is_at(value[FOLLOWED_RDI], VALUE_STACK, 0))
			break;
		start.value[FOLLOWED_RSP].kind = VALUE_UNKNOWN;
	}
	cs_close(&start.capstone);
	return ret;
}
