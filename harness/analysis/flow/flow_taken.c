/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_taken.c - addresses of code in words and in instructions
 *
 * What is relocated is read from the dynamic section, by the program header, since a file may have lost its
 * section headers: DT_RELA with R_X86_64_RELATIVE and R_X86_64_IRELATIVE (psABI, 4.4.1), and DT_RELR, which
 * says where such words are: an even entry is an address, an odd one a bit for each of the 63 words behind.
 */
#include <elf.h>
#include <string.h>
#include "flow_code_map.h"
#include "flow_part.h"
#include "flow_taken.h"

static void tell(const struct image *image, uint64_t pc, flow_taken_fn fn, void *context)
{
	if (pc && image_is_code(image, pc))
		fn(context, pc);
}

/* The word there. */
static void tell_word(const struct image *image, uint64_t at, flow_taken_fn fn, void *context)
{
	const uint8_t *bytes = image_bytes(image, at, sizeof(uint64_t));
	uint64_t pc;

	if (!bytes)
		return;
	memcpy(&pc, bytes, sizeof(pc));
	tell(image, pc, fn, context);
}

/* ---- relocations ---------------------------------------------------------------------------- */

struct tables {
	uint64_t rela, rela_bytes, relr, relr_bytes;
};

/* ret: of zeros. */
static void read_tables(const struct image *image, const Elf64_Phdr *dynamic, struct tables *ret)
{
	for (uint64_t at = 0; dynamic->p_filesz - at >= sizeof(Elf64_Dyn);
	     at += sizeof(Elf64_Dyn)) {
		const uint8_t *bytes = image_bytes(image, dynamic->p_vaddr + at, sizeof(Elf64_Dyn));
		Elf64_Dyn entry;

		if (!bytes)
			return;
		memcpy(&entry, bytes, sizeof(entry));
		switch (entry.d_tag) {
		case DT_NULL: return;
		case DT_RELA: ret->rela = entry.d_un.d_ptr; break;
		case DT_RELASZ: ret->rela_bytes = entry.d_un.d_val; break;
		case DT_RELR: ret->relr = entry.d_un.d_ptr; break;
		case DT_RELRSZ: ret->relr_bytes = entry.d_un.d_val; break;
		}
	}
}

static void tell_rela(const struct image *image, const struct tables *tables, flow_taken_fn fn,
		      void *context)
{
	const uint8_t *bytes = image_bytes(image, tables->rela, tables->rela_bytes);

	for (uint64_t i = 0; bytes && i < tables->rela_bytes / sizeof(Elf64_Rela); i++) {
		Elf64_Rela rela;

		memcpy(&rela, bytes + i * sizeof(rela), sizeof(rela));
		if (ELF64_R_TYPE(rela.r_info) == R_X86_64_RELATIVE ||
		    ELF64_R_TYPE(rela.r_info) == R_X86_64_IRELATIVE)
			tell(image, (uint64_t)rela.r_addend, fn, context);
	}
}

static void tell_relr(const struct image *image, const struct tables *tables, flow_taken_fn fn,
		      void *context)
{
	const uint8_t *bytes = image_bytes(image, tables->relr, tables->relr_bytes);
	uint64_t next = 0;

	for (uint64_t i = 0; bytes && i < tables->relr_bytes / sizeof(uint64_t); i++) {
		uint64_t entry;

		memcpy(&entry, bytes + i * sizeof(entry), sizeof(entry));
		if (entry % 2 == 0) {
			tell_word(image, entry, fn, context);
			next = entry + 8;
			continue;
		}
		for (unsigned int bit = 1; bit < 64; bit++)
			if (entry >> bit & 1)
				tell_word(image, next + bit * 8 - 8, fn, context);
		next += UINT64_C(63) * 8;
	}
}

/* Where code lies at a fixed address any word may be one. Few are near code, and most are 0: these are not looked up. */
static void tell_words(const struct image *image, const struct flow_code_map *map,
		       const struct image_segment *segment, flow_taken_fn fn, void *context)
{
	const uint8_t *bytes = image_bytes(image, segment->vaddr, segment->file_bytes);
	uint64_t pc;

	if (!bytes)
		return;
	for (uint64_t at = -segment->vaddr % 8; at + 8 <= segment->file_bytes; at += 8) {
		memcpy(&pc, bytes + at, sizeof(pc));
		if (flow_code_map_at(map, pc) != FLOW_CODE_NONE)
			tell(image, pc, fn, context);
	}
}

void flow_taken_words(const struct image *image, flow_taken_fn fn, void *context)
{
	Elf64_Phdr dynamic;
	struct tables tables = { 0 };
	struct flow_code_map map;
	struct error error;

	if (image_program_header(image, PT_DYNAMIC, &dynamic)) {
		read_tables(image, &dynamic, &tables);
		tell_rela(image, &tables, fn, context);
		tell_relr(image, &tables, fn, context);
	}
	if (image->type != ET_EXEC)
		return;
	if (!flow_code_map_init(&map, image, &error))
		for (size_t i = 0; i < image->segment_count; i++)
			tell_words(image, &map, &image->segment[i], fn, context);
	flow_code_map_deinit(&map);
}

/* ---- instructions --------------------------------------------------------------------------- */

uint64_t flow_taken_by(const struct image *image, const struct code *code)
{
	uint64_t pc = 0;

	if (code->effect == EFFECT_ADDRESS && code->base == CODE_NO_REGISTER &&
	    code->index == CODE_NO_REGISTER)
		pc = (uint64_t)code->displacement;
	else if (code->effect == EFFECT_CONSTANT && image->type == ET_EXEC)
		pc = (uint64_t)code->constant;
	return pc && image_is_code(image, pc) ? pc : 0;
}

/* Some instruction ends at pc behind which code of a function may end, or nothing is there. */
static bool is_behind_end(const struct image *image, struct code_decoder *decoder, uint64_t pc)
{
	if (!image_code_segment(image, pc - 1))
		return true;
	for (unsigned int length = 1; length <= CODE_BYTES_MAX; length++) {
		const uint8_t *bytes = image_bytes(image, pc - length, length);
		struct code code;

		if (!bytes)
			return false;
		code_decode(decoder, pc - length, bytes, length, &code);
		if (code.length != length)
			continue;
		if (code.is_padding || (code.flow != CODE_NEXT && code.flow != CODE_BRANCH &&
					code.flow != CODE_BEGIN && code.flow != CODE_UNKNOWN))
			return true;
	}
	return false;
}

bool flow_taken_may_begin(const struct image *image, struct code_decoder *decoder, uint64_t pc)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t size;
	const uint8_t *bytes = image_bytes_most(image, pc, CODE_BYTES_MAX, &size);
	struct code code;

	if (!bytes)
		return false;
	if (size >= sizeof(endbr64) && !memcmp(bytes, endbr64, sizeof(endbr64)))
		return true;
	code_decode(decoder, pc, bytes, size, &code);
	return pc % FLOW_FUNCTION_ALIGNMENT == 0 && code.length && !code.is_padding &&
	       is_behind_end(image, decoder, pc);
}
