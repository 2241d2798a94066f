/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * start_file.c - whether code came from a start-up object: crti.o, crtbegin.o, crt1.o
 *
 * They are linked into every program and have functions without CFI, which is nobody's news. So
 * faults there are filed apart, and what is filed there is not looked at: a function of the user's
 * must never get in. A name alone proves nothing, since anybody may call a function frame_dummy,
 * and most of theirs say no size. What proves it is where the code is:
 *
 *	crti.o		.init and .fini, which it begins: no symbol but _init or _fini covers it
 *	crtbegin.o	gcc's crtstuff.c has four functions, all local, which stand in one object one behind
 *			another. And the address is before the end of the function's own instructions
 *	crt1.o		_start, if the program begins there and has crti.o, too
 */
#include <elf.h>
#include <string.h>
#include "verdict.h"
#include "cfi/code_name.h"

static const char *const crtstuff[] = {
	"deregister_tm_clones",
	"register_tm_clones",
	"__do_global_dtors_aux",
	"frame_dummy",
};
#define CRTSTUFF_COUNT (sizeof(crtstuff) / sizeof(crtstuff[0]))

/* Longer than any of the four, in any gcc. */
#define CRTSTUFF_BYTES_MAX 512

/* Behind the segment's end there is nothing: the last instruction ends before. */
static int read_image(void *context, uint64_t address, void *ret, size_t size)
{
	memset(ret, 0, size);
	while (size && !image_bytes(context, address, size))
		size--;
	if (!size)
		return -1;
	memcpy(ret, image_bytes(context, address, size), size);
	return 0;
}

/* Where a conditional jump goes that is length bytes long; 0: it is none. */
static uint64_t branch_target(const uint8_t *bytes, size_t length, uint64_t pc)
{
	int32_t distance;

	if (length == 2 && (bytes[0] & 0xf0) == 0x70)
		return pc + length + (uint64_t)(int8_t)bytes[1];
	if (length != 6 || bytes[0] != 0x0f || (bytes[1] & 0xf0) != 0x80)
		return 0;
	memcpy(&distance, bytes + 2, sizeof(distance));
	return pc + length + (uint64_t)distance;
}

/* ret, or a jump that is always taken: behind it the function goes on only if something jumps
 * there. */
static bool goes_elsewhere(const uint8_t *bytes, size_t length, enum instruction_kind kind)
{
	if (kind == INSTRUCTION_RETURN)
		return true;
	if (length > 2 && (bytes[0] == 0xf2 || bytes[0] == 0x3e))
		bytes++;
	return bytes[0] == 0xeb || bytes[0] == 0xe9 ||
	       (bytes[0] == 0xff && (bytes[1] & 0x38) == 0x20);
}

/* Whether the function that begins at start has an instruction at vaddr. */
static bool instructions_reach(const struct image *image, struct decoder *decoder, uint64_t start,
			       uint64_t vaddr)
{
	const struct memory_reader memory = { read_image, (void *)image };
	uint64_t pc = start, needed = start;

	while (pc - start < CRTSTUFF_BYTES_MAX) {
		struct instruction instruction = decoder_decode(decoder, pc, &memory);
		const uint8_t *bytes = image_bytes(image, pc, instruction.length);

		if (!instruction.length || !bytes)
			return false;
		if (vaddr < pc + instruction.length)
			return true;
		uint64_t target = branch_target(bytes, instruction.length, pc);
		if (target > needed)
			needed = target;
		bool ends = goes_elsewhere(bytes, instruction.length, instruction.kind);
		pc += instruction.length;
		if (ends && needed < pc)
			return false;
	}
	return false;
}

/* All four, with nothing between them. */
static bool stands_in_crtstuff(const struct image *image, const struct image_symbol *symbol)
{
	size_t count, place = 0;
	const struct image_symbol *all = image_symbols(image, &count);
	size_t index = (size_t)(symbol - all);

	while (place < CRTSTUFF_COUNT && strcmp(symbol->name, crtstuff[place]))
		place++;
	if (place == CRTSTUFF_COUNT || index < place || index - place + CRTSTUFF_COUNT > count)
		return false;
	for (size_t i = 0; i < CRTSTUFF_COUNT; i++) {
		const struct image_symbol *other = &all[index - place + i];

		if (other->type != STT_FUNC || other->binding != STB_LOCAL ||
		    strcmp(other->name, crtstuff[i]))
			return false;
	}
	return true;
}

const char *start_file_find(const struct image *image, const struct cfi *cfi, uint64_t vaddr,
			    struct decoder *decoder)
{
	struct code_name name;

	code_name_find(image, cfi, vaddr, &name);
	bool init = !strcmp(name.section, ".init"), fini = !strcmp(name.section, ".fini");
	if ((init || fini) &&
	    (name.kind == CODE_SECTION ||
	     (name.kind == CODE_SYMBOL && !strcmp(name.name, init ? "_init" : "_fini"))))
		return "crti.o";
	if (name.kind != CODE_SYMBOL)
		return NULL;
	if (!strcmp(name.name, "_start"))
		return name.start == image->entry && image_symbol_address(image, "_init") ? "crt1.o"
											  : NULL;
	if (stands_in_crtstuff(image, name.symbol) &&
	    instructions_reach(image, decoder, name.start, vaddr))
		return "crtbegin.o";
	return NULL;
}
