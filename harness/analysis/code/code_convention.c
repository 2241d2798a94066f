/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_convention.c - registers that an image's functions do not keep, though the psABI's do
 *
 * A row without a rule for rbx says by the psABI that it still has what the caller had in it. A compiler with
 * another convention writes the same row and means nothing by it (Zig's own back end, others that write their
 * code themselves), and no name or section tells of it. The code does: many of its functions overwrite the
 * register before anything has saved it, and return. In code that keeps to the psABI none does, but for a few
 * in assembly.
 *
 * Of an image's FDEs so many are looked at, evenly, each from its begin on in order of address. rbp is a
 * frame's, and never one of these.
 */
#include "cfi/cfi.h"
#include "code.h"

#define FDES_MOST    1024u
#define BYTES_MOST   1024u /* of each */
#define OVERWRITTEN  8u	   /* functions at least */
#define SHARE_OF_ALL 4u	   /* and one in so many of those that use the register */
#define CERTAIN	     64u   /* as many are no mistake */

static const uint8_t kept[] = { REGISTER_RBX, REGISTER_R12, REGISTER_R13, REGISTER_R14,
				REGISTER_R15 };

/* How many functions did what first. */
struct uses {
	uint32_t overwrites[REGISTER_GPR_COUNT];
	uint32_t saves[REGISTER_GPR_COUNT];
};

/* What a function's own code does. */
struct function {
	uint32_t saved, overwritten;
	bool returns;
};

static void look(const struct code *code, struct function *ret)
{
	uint32_t done = ret->saved | ret->overwritten;

	ret->returns |= code->flow == CODE_RETURN;
	if ((code->effect == EFFECT_PUSH || code->effect == EFFECT_STORE ||
	     code->effect == EFFECT_MOVE || code->effect == EFFECT_EXCHANGE) &&
	    code->source < REGISTER_GPR_COUNT)
		ret->saved |= (1u << code->source) & ~done;
	ret->overwritten |= code->written & ~(done | ret->saved);
}

static void count_fde(const struct cfi *cfi, const struct cfi_fde *fde,
		      struct code_decoder *decoder, struct uses *uses)
{
	size_t wanted = fde->pc_range < BYTES_MOST ? fde->pc_range : BYTES_MOST, size;
	const uint8_t *bytes = image_bytes_most(cfi->image, fde->pc_begin, wanted, &size);
	struct function function = { .saved = 0 };
	struct code code;

	for (size_t at = 0; at < size; at += code.length) {
		code_decode(decoder, fde->pc_begin + at, bytes + at, size - at, &code);
		if (!code.length)
			break;
		look(&code, &function);
	}
	for (size_t i = 0; i < sizeof(kept); i++) {
		uses->saves[kept[i]] += function.saved >> kept[i] & 1;
		uses->overwrites[kept[i]] += function.returns &&
					     function.overwritten >> kept[i] & 1;
	}
}

uint32_t code_convention_unkept(const struct cfi *cfi, struct code_decoder *decoder,
				uint32_t *ret_certain)
{
	size_t step = cfi->by_pc_count / FDES_MOST + 1;
	struct uses uses = { .saves = { 0 } };
	uint32_t unkept = 0;

	*ret_certain = 0;
	for (size_t i = 0; i < cfi->by_pc_count; i += step)
		count_fde(cfi, &cfi->fde[cfi->by_pc[i]], decoder, &uses);
	for (size_t i = 0; i < sizeof(kept); i++) {
		uint32_t overwrites = uses.overwrites[kept[i]];

		if (overwrites >= OVERWRITTEN &&
		    overwrites * SHARE_OF_ALL >= overwrites + uses.saves[kept[i]]) {
			unkept |= 1u << kept[i];
			*ret_certain |= (uint32_t)(overwrites >= CERTAIN) << kept[i];
		}
	}
	return unkept;
}

#define GO_TEXT "runtime.text" /* Go's linker puts it into whatever it links */

bool code_is_go(const struct image *image)
{
	return image_symbol_address(image, GO_TEXT) != 0;
}
