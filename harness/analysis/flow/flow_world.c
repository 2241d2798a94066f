/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_world.c - what the image says of all of its functions
 */
#include <elf.h>
#include <string.h>
#include "cfi/code_name.h"
#include "flow_callees.h"
#include "flow_part.h"
#include "analysis/code/code_convention.h"
#include "flow_world.h"

#define OCAML_BEGIN  "code_begin" /* camlUnit__code_begin, camlUnit.code_begin: every unit has it */
#define SWIFT_PREFIX "$s"	  /* of its mangled names */

/* In an image that can be a process; 0: nowhere. */
static uint64_t first_of(const struct image *image)
{
	Elf64_Phdr interpreter;

	if (image->type == ET_EXEC ||
	    (image->type == ET_DYN && image_program_header(image, PT_INTERP, &interpreter)))
		return image->entry;
	return 0;
}

static void note_languages(struct flow_world *world)
{
	size_t count;
	const struct image_symbol *symbol = image_symbols(world->cfi->image, &count);

	for (size_t i = 0; i < count; i++) {
		const char *name = symbol[i].name;

		world->ocaml |= !strncmp(name, "caml", 4) && strstr(name, OCAML_BEGIN);
		world->swift |= !strncmp(name, SWIFT_PREFIX, sizeof(SWIFT_PREFIX) - 1);
	}
}

/* ---- do functions take arguments off the stack, or make room? ------------------------------- */

#define RETURN_MANY 0xc2 /* ret imm16 */
#define RETURN	    0xc3
#define MOVE_BEFORE 12	 /* bytes before `push; ret` in which rsp is moved */
#define JUMP	    0xff /* jmp reg */
#define POP	    0x58
#define POP_BEFORE  64 /* bytes before `jmp reg` in which that is popped */
#define WORD	    8
#define TAKEN_MOST  4096 /* bytes */
#define MANY_BYTES  3

/* At bytes[at] there is `ret 8`, as far as bytes say. */
static bool is_many(const uint8_t *bytes, uint64_t size, uint64_t at)
{
	unsigned int count = size - at >= MANY_BYTES ? bytes[at + 1] | bytes[at + 2] << 8 : 0;

	return count && !(count % WORD) && count <= TAKEN_MOST;
}

/* Behind that the FDE ends, or padding lies: so it is with one of a function's, and chance bytes are many. */
static bool is_last(const uint8_t *bytes, const struct image_segment *segment, uint64_t at,
		    const struct cfi_fde *fde)
{
	static const char padding[] = "\x90\xcc\x66\x0f"; /* nop, int3, and longer ones */
	uint64_t behind = at + MANY_BYTES;

	return behind == segment->file_bytes ||
	       (fde && segment->vaddr + behind == fde->pc_begin + fde->pc_range) ||
	       (bytes[behind] && strchr(padding, bytes[behind]));
}

/* rsp is moved: add and sub of numbers and registers, lea rsp, [rsp+...], mov rsp of all but rbp. */
static bool moves(const uint8_t *bytes)
{
	const uint8_t prefix = bytes[0], opcode = bytes[1], operands = bytes[2];

	if ((prefix & 0xfa) != 0x48)
		return false;
	switch (opcode) {
	case 0x81:
	case 0x83: return prefix == 0x48 && (operands == 0xc4 || operands == 0xec);
	case 0x8d: return prefix == 0x48 && (operands & 0x3f) == 0x24;
	case 0x89:
		if (operands == 0xec)
			return false;
		/* fall through */
	case 0x01:
	case 0x29: return prefix != 0x49 && (operands & 0xc7) == 0xc4;
	case 0x8b:
		if (operands == 0xe5)
			return false;
		/* fall through */
	case 0x03:
	case 0x2b: return prefix != 0x4c && (operands & 0xf8) == 0xe0;
	default: return false;
	}
}

/* Right before bytes[at] there is `push reg`, `push [reg]` or `mov [rsp], reg`. */
static bool puts_on_top(const uint8_t *bytes, uint64_t at)
{
	if (at && (bytes[at - 1] & 0xf8) == 0x50)
		return true;
	if (at >= 2 && bytes[at - 2] == 0xff && (bytes[at - 1] & 0xf8) == 0x30)
		return true;
	return at >= 4 && (bytes[at - 4] & 0xfb) == 0x48 && bytes[at - 3] == 0x89 &&
	       (bytes[at - 2] & 0xc7) == 0x04 && bytes[at - 1] == 0x24;
}

/* At bytes[at] there is `ret`, behind what puts something where it is returned to, and before that rsp is moved. */
static bool is_by_hand(const uint8_t *bytes, uint64_t at)
{
	if (!puts_on_top(bytes, at))
		return false;
	for (uint64_t i = 4; i <= MOVE_BEFORE && i <= at; i++)
		if (moves(bytes + at - i))
			return true;
	return false;
}

static bool raises(const struct code *code)
{
	return code->effect == EFFECT_POP || code->effect == EFFECT_LEAVE ||
	       (code->effect == EFFECT_ADD && code->constant > 0);
}

/* The word at rsp. */
static bool takes_top(const struct code *code)
{
	return code->reg < REGISTER_GPR_COUNT &&
	       (code->effect == EFFECT_POP ||
		(code->effect == EFFECT_LOAD && code->base == REGISTER_RSP &&
		 code->index == CODE_NO_REGISTER && !code->displacement));
}

/* From pc on a register is popped, kept, and jumped to at to, with rsp elsewhere. Of one that is read only if rsp isn't
 * just raised: so functions end in a call in place of a return. */
static bool pops_and_jumps(const struct flow_world *world, const uint8_t *bytes, uint64_t size,
			   uint64_t pc, uint64_t to)
{
	uint8_t reg = CODE_NO_REGISTER;
	bool moved = false, popped = false;

	while (size) {
		struct code code;

		code_decode(world->decoder, pc, bytes, size, &code);
		if (pc >= to)
			return pc == to && moved && code.flow == CODE_JUMP_INDIRECT &&
			       code.source == reg;
		if (!code.length || (code.flow != CODE_NEXT && code.flow != CODE_BRANCH))
			return false;
		if (reg == CODE_NO_REGISTER) {
			if (!takes_top(&code))
				return false;
			reg = code.reg;
			popped = code.effect == EFFECT_POP;
		} else if (code.written >> reg & 1) {
			return false;
		} else {
			moved |= code.written >> REGISTER_RSP & 1 && (popped || !raises(&code));
		}
		pc += code.length;
		bytes += code.length;
		size -= code.length;
	}
	return false;
}

/* An instruction begins there. Where no FDE says where code begins that is believed of a section of code. */
static bool is_instruction(const struct flow_world *world, const struct cfi_fde *fde, uint64_t pc)
{
	struct code_name name;

	if (fde)
		return flow_part_begins(world->cfi, world->decoder, fde, pc);
	code_name_find(world->cfi->image, world->cfi, pc, &name);
	return name.section[0] != '\0';
}

/* `pop reg` or `mov reg, [rsp]`; high: of r8 to r15. */
static bool may_take_top(const uint8_t *bytes, uint64_t size, bool high, uint8_t reg)
{
	if (bytes[high] == (POP | reg))
		return true;
	return size >= 4 && bytes[0] == (high ? 0x4c : 0x48) && bytes[1] == 0x8b &&
	       bytes[2] == (reg << 3 | 4) && bytes[3] == 0x24;
}

/* At bytes[at] there is `jmp reg`, and before that the register was popped or read, and rsp moved. */
static bool is_by_jump(const struct flow_world *world, const uint8_t *bytes, uint64_t size,
		       uint64_t at, uint64_t pc)
{
	const uint64_t first = at && bytes[at - 1] == 0x41; /* of r8 to r15 */
	const uint8_t reg = bytes[at + 1] & 7;

	for (uint64_t i = 2 + first; i <= POP_BEFORE && i <= at; i++)
		if (may_take_top(bytes + at - i, i, first, reg) &&
		    pops_and_jumps(world, bytes + at - i, size - (at - i), pc - i, pc - first) &&
		    is_instruction(world, cfi_fde_find(world->cfi, pc - i), pc - i))
			return true;
	return false;
}

/* What begins with the byte there is such a return, as far as bytes say. */
static bool is_such(const struct flow_world *world, const uint8_t *bytes, uint64_t size,
		    uint64_t at, uint64_t pc)
{
	switch (bytes[at]) {
	case RETURN: return is_by_hand(bytes, at);
	case RETURN_MANY: return is_many(bytes, size, at);
	default:
		return at + 1 < size && (bytes[at + 1] & 0xf8) == 0xe0 &&
		       is_by_jump(world, bytes, size, at, pc);
	}
}

#define BLOCK 64 /* bytes that are looked at in one step */

/* 0xff is frequent, for numbers below 0 end with it: that a register is jumped to begins with two bytes. */
static bool has_jump(const uint8_t bytes[BLOCK + 1])
{
	uint8_t found = 0;

	for (unsigned int i = 0; i < BLOCK; i++)
		found |= (uint8_t)((bytes[i] == JUMP) & ((bytes[i + 1] & 0xf8) == 0xe0));
	return found;
}

/* The first such byte from begin on, or NULL. */
static const uint8_t *next_of(uint8_t byte, const uint8_t *begin, const uint8_t *end)
{
	if (byte == JUMP)
		while (end - begin > BLOCK && !has_jump(begin))
			begin += BLOCK;
	return memchr(begin, byte, (size_t)(end - begin));
}

/* The function around the return at pc takes as much off the stack as nobody knows, or makes room. */
static bool lowers(const struct flow_world *world, const struct cfi_fde *fde, uint64_t pc)
{
	const struct image_symbol *symbol = fde ? NULL : image_symbol_find(world->cfi->image, pc);

	if (!fde && !symbol)
		return true;
	return (int32_t)flow_popped_by(world, fde ? fde->pc_begin : symbol->pc,
				       FLOW_TAKES_PERHAPS) < 0;
}

/* One that begins with the byte there. */
static void note_return(struct flow_world *world, const struct image_segment *segment,
			const uint8_t *bytes, uint64_t at)
{
	const bool high = bytes[at] == JUMP && at && bytes[at - 1] == 0x41;
	const uint64_t pc = segment->vaddr + at - high;
	const struct cfi_fde *fde;

	if (!is_such(world, bytes, segment->file_bytes, at, segment->vaddr + at))
		return;
	fde = cfi_fde_find(world->cfi, pc);
	if (bytes[at] == RETURN_MANY && !is_last(bytes, segment, at, fde))
		return;
	if (!is_instruction(world, fde, pc))
		return;
	world->pops = true;
	world->lowers |= bytes[at] != RETURN_MANY && lowers(world, fde, pc);
}

static void note_returns(struct flow_world *world, const struct image_segment *segment,
			 uint8_t byte)
{
	const uint8_t *bytes = image_bytes(world->cfi->image, segment->vaddr, segment->file_bytes);
	const uint8_t *found = bytes, *end = bytes ? bytes + segment->file_bytes : NULL;

	for (; found && (found = next_of(byte, found, end)); found++) {
		if (byte == RETURN_MANY ? world->pops : world->lowers)
			return;
		note_return(world, segment, bytes, (uint64_t)(found - bytes));
	}
}

void flow_world_note_popping(struct flow_world *world)
{
	const struct image *image = world->cfi->image;

	for (size_t i = 0; i < image->segment_count; i++) {
		if (!image->segment[i].executable)
			continue;
		note_returns(world, &image->segment[i], RETURN_MANY);
		note_returns(world, &image->segment[i], RETURN);
		note_returns(world, &image->segment[i], JUMP);
	}
}

void flow_world_note(struct flow_world *world)
{
	const struct image *image = world->cfi->image;

	world->first = first_of(image);
	note_languages(world);
	world->go = flow_is_go(image);
	world->unkept = world->go || world->ocaml
				? 0
				: code_convention_unkept(world->cfi, world->decoder,
							 &world->unkept_certain);
	flow_world_note_popping(world);
}
