/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_image.c - what the image says of all of its functions
 *
 * Where its code's bytes are, which addresses something keeps, languages, and whether functions pop their arguments.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "flow_paths.h"
#include "analysis/code/code.h"
#include "analysis/objects/object.h"
#include "cfi/code_name.h"

/* ==== the owner of all that is known of an image ============================================ */

bool flow_world_take(struct flow_world *world, const struct cfi *cfi)
{
	flow_callees_destroy(world->callees);
	world->cfi = cfi;
	world->callees = flow_callees_create(cfi, world->decoder, world->object != NULL);
	if (!world->callees)
		flow_lack(world, "an image's instructions");
	return world->callees;
}

int flow_world_init(struct flow_world *world, const struct cfi *cfi, const struct object *object,
		    struct error *error)
{
	*world = (struct flow_world) { .cfi = cfi, .object = object, .error = error };
	error->code = ERROR_NONE;
	if (flow_code_map_init(&world->map, cfi->image, error))
		return -1;
	world->decoder = code_decoder_create();
	world->clobbers = calloc(1, sizeof(*world->clobbers));
	world->proof = flow_proof_create();
	world->target = malloc(FLOW_TARGETS_MAX * sizeof(*world->target));
	if (!world->decoder || !world->clobbers || !world->proof || !world->target)
		return error_set(error, ERROR_MEMORY, NULL, 0, "an image's instructions");
	if (object)
		code_decoder_leave_unknown(world->decoder, object->unknown, object->unknown_count);
	return flow_world_take(world, cfi) ? 0 : -1;
}

void flow_world_deinit(struct flow_world *world)
{
	flow_callees_destroy(world->callees);
	flow_clobbers_destroy(world->clobbers);
	flow_proof_destroy(world->proof);
	code_decoder_destroy(world->decoder);
	flow_code_map_deinit(&world->map);
	free(world->target);
}

/* ==== executable bytes, counted one behind the other ======================================== */

/*
 * Segments that lie within a page of each other are one stretch: an object file, laid out in memory, has many.
 */

#define NEAR 4096 /* bytes */

ARRAY_ORDER(compare_stretches, struct flow_code_stretch, begin)

/* Those that are near are joined; the others' places are found. */
static void settle(struct flow_code_map *map)
{
	struct flow_code_stretch *stretch = map->stretch;
	size_t kept = 0;

	for (size_t i = 0; i < map->count; i++) {
		uint64_t end = kept ? stretch[kept - 1].begin + stretch[kept - 1].size : 0;

		if (!kept || (stretch[i].begin > end && stretch[i].begin - end > NEAR))
			stretch[kept++] = stretch[i];
		else if (stretch[i].begin + stretch[i].size > end)
			stretch[kept - 1].size = stretch[i].begin + stretch[i].size -
						 stretch[kept - 1].begin;
	}
	map->count = kept;
	for (size_t i = 0; i < kept; i++) {
		stretch[i].before = map->size;
		map->size += (size_t)stretch[i].size;
	}
}

int flow_code_map_init(struct flow_code_map *map, const struct image *image, struct error *error)
{
	*map = (struct flow_code_map) { NULL };
	map->stretch = calloc(image->segment_count + 1, sizeof(*map->stretch));
	if (!map->stretch)
		return error_set(error, ERROR_MEMORY, NULL, 0, "an image's code");
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segment[i];

		if (!segment->executable || !segment->file_bytes)
			continue;
		if (segment->file_bytes > FLOW_IMAGE_BYTES_MAX)
			return error_set(error, ERROR_TABLE_LIMIT, NULL, 0,
					 "%" PRIu64 " executable bytes at %#" PRIx64,
					 segment->file_bytes, segment->vaddr);
		map->stretch[map->count++] = (struct flow_code_stretch) {
			.begin = segment->vaddr, .size = segment->file_bytes
		};
	}
	qsort(map->stretch, map->count, sizeof(*map->stretch), compare_stretches);
	settle(map);
	if (map->size > FLOW_IMAGE_BYTES_MAX)
		return error_set(error, ERROR_TABLE_LIMIT, NULL, 0, "%zu executable bytes",
				 map->size);
	return 0;
}

void flow_code_map_deinit(struct flow_code_map *map)
{
	free(map->stretch);
	map->stretch = NULL;
	map->count = map->size = 0;
}

size_t flow_code_map_search(const struct flow_code_map *map, uint64_t pc)
{
	size_t low = ARRAY_BEFORE(map->count, i, map->stretch[i].begin <= pc);

	if (!low || pc - map->stretch[low - 1].begin >= map->stretch[low - 1].size)
		return FLOW_CODE_NONE;
	return map->stretch[low - 1].before + (size_t)(pc - map->stretch[low - 1].begin);
}

/* ==== addresses of code in words and in instructions ======================================== */

/*
 * What is relocated is read from the dynamic section, by the program header, since a file may have lost its
 * section headers: DT_RELA with R_X86_64_RELATIVE and R_X86_64_IRELATIVE (psABI, 4.4.1), and DT_RELR, which
 * says where such words are: an even entry is an address, an odd one a bit for each of the 63 words behind.
 */

static void tell(const struct image *image, uint64_t pc, flow_address_fn fn, void *context)
{
	if (pc && image_is_code(image, pc))
		fn(context, pc);
}

/* The word there. */
static void tell_word(const struct image *image, uint64_t at, flow_address_fn fn, void *context)
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

static void tell_rela(const struct image *image, const struct tables *tables, flow_address_fn fn,
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

static void tell_relr(const struct image *image, const struct tables *tables, flow_address_fn fn,
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
		       const struct image_segment *segment, flow_address_fn fn, void *context)
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

void flow_address_taken_words(const struct flow_world *world, flow_address_fn fn, void *context)
{
	const struct image *image = world->cfi->image;
	Elf64_Phdr dynamic;
	struct tables tables = { 0 };

	if (image_program_header(image, PT_DYNAMIC, &dynamic)) {
		read_tables(image, &dynamic, &tables);
		tell_rela(image, &tables, fn, context);
		tell_relr(image, &tables, fn, context);
	}
	for (size_t i = 0; image->type == ET_EXEC && i < image->segment_count; i++)
		tell_words(image, &world->map, &image->segment[i], fn, context);
}

/* ---- instructions --------------------------------------------------------------------------- */

uint64_t flow_address_taken_by(const struct image *image, const struct code *code)
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

bool flow_function_may_begin(const struct image *image, struct code_decoder *decoder, uint64_t pc)
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

/* ==== languages, and whether functions pop their arguments ================================== */

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
	const uint8_t *bytes = fde ? flow_fde_bytes(world->cfi->image, fde) : NULL;
	struct code_name name;
	struct code code;
	uint64_t at = 0;

	for (; bytes && at < pc - fde->pc_begin; at += code.length ? code.length : 1)
		code_decode(world->decoder, fde->pc_begin + at, bytes + at, fde->pc_range - at,
			    &code);
	if (fde)
		return bytes && at == pc - fde->pc_begin;
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
	return (int32_t)flow_callee_pop_by(world, fde ? fde->pc_begin : symbol->pc,
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

static void note_popping(struct flow_world *world)
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

static void note_conventions(struct flow_world *world)
{
	const struct image *image = world->cfi->image;

	world->first = first_of(image);
	note_languages(world);
	world->go = code_is_go(image);
	world->unkept = world->go || world->ocaml
				? 0
				: code_convention_unkept(world->cfi, world->decoder,
							 &world->unkept_certain);
}

void flow_world_note(struct flow_world *world)
{
	if (!world->never_by_code)
		note_conventions(world);
	note_popping(world);
}
