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
 *
 * Where the symbols were stripped, crtbegin.o's four are known by what they do to each other: the third clears up once, and
 * calls the first for that; the last only jumps to the second; and nothing but padding stands between them.
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

/* Where the instruction at vaddr ends, of the function that begins at start; or where its last one does, if that is
 * before. 0: that
 * is not known. */
static uint64_t end_of(const struct image *image, struct decoder *decoder, uint64_t start,
		       uint64_t vaddr)
{
	const struct memory_reader memory = { read_image, (void *)image };
	uint64_t pc = start, needed = start;

	while (pc - start < CRTSTUFF_BYTES_MAX) {
		struct instruction instruction = decoder_decode(decoder, pc, &memory);
		const uint8_t *bytes = image_bytes(image, pc, instruction.length);

		if (!instruction.length || !bytes)
			return 0;
		if (vaddr < pc + instruction.length)
			return pc + instruction.length;
		uint64_t target = branch_target(bytes, instruction.length, pc);
		if (target > needed)
			needed = target;
		bool ends = goes_elsewhere(bytes, instruction.length, instruction.kind);
		pc += instruction.length;
		if (ends && needed < pc)
			return pc;
	}
	return 0;
}

/* Whether the function that begins at start has an instruction at vaddr. */
static bool instructions_reach(const struct image *image, struct decoder *decoder, uint64_t start,
			       uint64_t vaddr)
{
	return end_of(image, decoder, start, vaddr) > vaddr;
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

/* ---- without symbols --------------------------------------------------------------------------- */

#define CRTSTUFF_ALIGNMENT 16u
#define ENDBR_BYTES	   4u

/* Behind the endbr64 that it may begin with. */
static uint64_t skip_endbr(const struct image *image, uint64_t pc)
{
	static const uint8_t endbr[ENDBR_BYTES] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const uint8_t *bytes = image_bytes(image, pc, sizeof(endbr));

	return bytes && !memcmp(bytes, endbr, sizeof(endbr)) ? pc + sizeof(endbr) : pc;
}

/* Where the call or the jump at pc goes, if it is one with a displacement of 32 bits, or a short jump; 0: it is none. */
static uint64_t target_of(const struct image *image, uint64_t pc, uint8_t opcode)
{
	const uint8_t *bytes = image_bytes(image, pc, 2);
	int32_t distance;

	if (bytes && opcode == 0xe9 && bytes[0] == 0xeb)
		return pc + 2 + (uint64_t)(int8_t)bytes[1];
	bytes = image_bytes(image, pc, 1 + sizeof(distance));
	if (!bytes || bytes[0] != opcode)
		return 0;
	memcpy(&distance, bytes + 1, sizeof(distance));
	return pc + 1 + sizeof(distance) + (uint64_t)(int64_t)distance;
}

/* Some instruction from begin to before end calls target. */
static bool calls(const struct image *image, struct decoder *decoder, uint64_t begin, uint64_t end,
		  uint64_t target)
{
	while (begin < end && target_of(image, begin, 0xe8) != target)
		begin = end_of(image, decoder, begin, begin);
	return begin < end;
}

/* __do_global_dtors_aux begins with `cmp byte ptr [rip + ...], 0`. */
static bool asks_once(const struct image *image, uint64_t pc)
{
	const uint8_t *bytes = image_bytes(image, skip_endbr(image, pc), 2);

	return bytes && bytes[0] == 0x80 && bytes[1] == 0x3d;
}

/* Whether the four begin at first, and one of them has vaddr. */
static bool is_crtstuff(const struct image *image, const struct cfi *cfi, struct decoder *decoder,
			uint64_t first, uint64_t vaddr)
{
	uint64_t begin[CRTSTUFF_COUNT], end[CRTSTUFF_COUNT];
	bool has = false;

	for (size_t i = 0; i < CRTSTUFF_COUNT; i++) {
		begin[i] = i ? (end[i - 1] + CRTSTUFF_ALIGNMENT - 1) & -(uint64_t)CRTSTUFF_ALIGNMENT
			     : first;
		end[i] = cfi_fde_find(cfi, begin[i]) ? 0
						     : end_of(image, decoder, begin[i], UINT64_MAX);
		if (!end[i])
			return false;
		has |= vaddr >= begin[i] && vaddr < end[i];
	}
	return has && asks_once(image, begin[2]) &&
	       calls(image, decoder, begin[2], end[2], begin[0]) &&
	       target_of(image, skip_endbr(image, begin[3]), 0xe9) == begin[1];
}

/* The gap between FDEs has all four, and vaddr is in them. */
static bool gap_has_crtstuff(const struct image *image, const struct cfi *cfi,
			     struct decoder *decoder, uint64_t gap, uint64_t vaddr)
{
	uint64_t first = vaddr & -(uint64_t)CRTSTUFF_ALIGNMENT;

	for (; first >= gap && vaddr - first < CRTSTUFF_BYTES_MAX; first -= CRTSTUFF_ALIGNMENT)
		if (is_crtstuff(image, cfi, decoder, first, vaddr))
			return true;
	return false;
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
	if (name.kind == CODE_GAP && gap_has_crtstuff(image, cfi, decoder, name.start, vaddr))
		return "crtbegin.o";
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
