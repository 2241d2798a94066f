/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * memo_world.h - FDEs that go through the memo, for tests
 *
 * A section is made as compilers make it (pc-relative 4-byte pointers). Its FDEs go through the
 * memo one by one, as table_build() sends them, and then every address's rule is held against the
 * reader.
 */
#ifndef STACKPROOF_TESTS_MEMO_WORLD_H
#define STACKPROOF_TESTS_MEMO_WORLD_H

#include <check.h>
#include <inttypes.h>
#include "tests/cfa_bytes.h"
#include "tests/cfi_bytes.h"
#include "table/table_memo.h"

#define RANGE	    0x100 /* of each FDE */
#define FDES_MAX    600
#define SECTION_MAX (96 * FDES_MAX + 4096)
#define VADDR	    0x400000 /* of the section */

struct section {
	uint8_t data[SECTION_MAX];
	size_t size;
	size_t cie;			       /* where it is */
	size_t start[FDES_MAX], end[FDES_MAX]; /* of each FDE's instructions */
	uint64_t pc[FDES_MAX];
	int count;
};

static inline void add(struct section *section, const void *data, size_t size)
{
	ck_assert_uint_le(section->size + size, sizeof(section->data));
	memcpy(section->data + section->size, data, size);
	section->size += size;
}

static inline void add_number(struct section *section, uint64_t value, size_t size)
{
	add(section, &value, size);
}

static inline void patch_length(struct section *section, size_t start)
{
	uint32_t length = section->size - start - 4;

	memcpy(section->data + start, &length, sizeof(length));
}

/* cfa=rsp+8 ra=c-8 */
static inline void add_cie(struct section *section)
{
	section->cie = section->size;
	add_number(section, 0, 8);
	add(section, "\1zR\0\1\x78\x10\1\x1b", 9);
	add(section, CFI_ARRAY(CFA_def_cfa(RSP, 8), CFA_offset(RIP, 1), CFA_nop, CFA_nop), 7);
	patch_length(section, section->cie);
}

static inline void section_init(struct section *section)
{
	memset(section, 0, sizeof(*section));
	add_cie(section);
}

static inline void add_fde(struct section *section, uint64_t pc, uint64_t range,
			   const void *instructions, size_t size)
{
	size_t start = section->size;

	add_number(section, 0, 4);
	add_number(section, section->size - section->cie, 4);
	add_number(section, pc - (VADDR + section->size), 4);
	add_number(section, range, 4);
	add_number(section, 0, 1);
	section->start[section->count] = section->size;
	add(section, instructions, size);
	section->end[section->count] = section->size;
	section->pc[section->count++] = pc;
	patch_length(section, start);
}

/* The memo reads ahead; and no FDE's bytes may be followed by another's by chance. */
static inline void add_tail(struct section *section)
{
	static const uint8_t nothing[2 * MEMO_EDGE_BYTES];

	add_fde(section, TEST_PC + (uint64_t)FDES_MAX * RANGE, 1, nothing, sizeof(nothing));
	section->count--;
}

struct world {
	struct image image;
	struct image_segment segment;
	struct table_builder builder;
	struct memo memo;
	uint32_t root;
	struct cfi *cfi;
};

static inline void world_init(struct world *world, const struct section *section)
{
	struct table_rule rule = { .cfa_register = REGISTER_RSP, .cfa_offset = 8 };
	struct error error;

	memset(world, 0, sizeof(*world));
	rule.saved[TABLE_COLUMN_RA] = 1;
	world->segment = (struct image_segment) { 0, TEST_PC + (FDES_MAX + 1) * RANGE, 0,
						  TEST_PC + (FDES_MAX + 1) * RANGE, true };
	world->image = (struct image) {
		.path = "made",
		.machine = EM_X86_64,
		.eh_frame = { section->data, section->size, VADDR, 0, ".eh_frame" },
		.segment = &world->segment,
		.segment_count = 1,
	};
	ck_assert(!builder_init(&world->builder, &world->image, &error));
	ck_assert(memo_init(&world->memo, &world->builder, memo_nodes(0)));
	world->root = memo_root(&world->memo, builder_short_rule(&world->builder, &rule), 0,
				builder_short_rule(&world->builder, &rule));
	ck_assert_uint_ne(world->root, 0);
	ck_assert_msg(!cfi_create(&world->image, &world->cfi, &error), "%s", error.message);
}

static inline void world_deinit(struct world *world)
{
	builder_abandon(&world->builder);
	cfi_destroy(world->cfi);
}

static inline bool run(struct world *world, const struct section *section, int i, uint64_t range,
		       uint64_t next_pc)
{
	struct memo_fde fde = {
		.pc = section->pc[i],
		.pc_end = section->pc[i] + range,
		.next_pc = next_pc,
		.instructions = section->data + section->start[i],
		.end = section->data + section->end[i],
	};
	struct builder_mark mark = builder_mark(&world->builder);
	bool done;

	builder_jump(&world->builder, fde.pc);
	done = memo_run(&world->memo, world->root, &fde);
	if (!done)
		builder_reset(&world->builder, &mark);
	else
		world->builder.chunk[world->builder.chunk_count - 1].vaddr_end = fde.pc_end;
	return done;
}

/* The table's rule at an address against the reader's. */
static inline void check_address(const char *name, const struct cfi *cfi, const struct table *table,
				 uint64_t vaddr)
{
	uint32_t number = table_find(table, vaddr);
	struct table_rule_full full;
	struct error error;
	struct row row;
	int found = cfi_row_find(cfi, vaddr, &row, &error);

	if (!found) {
		ck_assert_msg(number == TABLE_NO_ROW, "%s: 0x%" PRIx64 ": rule %u, no row", name,
			      vaddr, number);
		return;
	}
	ck_assert_msg(found > 0 && !table_rule_from_row(&row, &full), "%s: 0x%" PRIx64 ": no rule",
		      name, vaddr);
	ck_assert_msg(number >= TABLE_MARKER_COUNT, "%s: 0x%" PRIx64 ": marker %u", name, vaddr,
		      number);
	ck_assert_msg(!memcmp(&table->rule[number], &full.rule, sizeof(full.rule)),
		      "%s: 0x%" PRIx64 ": another rule", name, vaddr);
}

#endif
