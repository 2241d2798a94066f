/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_memo.c - the memo of call frame instructions, and the FDEs that it can do
 *
 * What is interpreted here changes 16-byte rules: the CFA as a register and an offset, a
 * callee-saved register or the return address at the CFA less a multiple of 8, remember and
 * restore. Any other instruction, and any operand that the rule can't hold, ends in false:
 * table_build.c then asks cfi_rows(), which knows them all. So this file may be incomplete but
 * never wrong, and `prove` holds every row of it against cfi_rows().
 */
#include <emmintrin.h>
#include <stddef.h>
#include <string.h>
#include "hash.h"
#include "cfi/cfi_instruction.h"
#include "table_memo.h"

/* Of libc's section, various as few, a node is made of each 37 bytes; libLLVM's 33 times as long
 * has hardly more of them. What is not used is never touched. */
#define NODES_LEAST	 64
#define NODES_AT_ONCE	 8192
#define BYTES_A_NODE	 40
#define LONG_INSTRUCTION 12 /* bytes; none has more that is not padded */

/* Nobody's compiler comes near these. They bound what a hostile section can cost: what is new
 * beyond them goes the plain way. */
#define NODE_BITS 17
#define NODE_MAX  (1u << NODE_BITS)
#define CHAIN_MAX 64 /* buckets that are looked at for one edge */

#define KEY_BYTES 32 /* an edge is found by its first bytes: these, or fewer */

/* Bytes that count, if n of them do: key_masks + KEY_BYTES - n. */
static const uint8_t key_masks[2 * KEY_BYTES] = {
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
};

/* Where a register lies in saved[]; -1: not there. */
static const int8_t register_column[REGISTER_COUNT] = {
	-1,
	-1,
	-1,
	TABLE_COLUMN_RBX,
	-1,
	-1,
	TABLE_COLUMN_RBP,
	-1,
	-1,
	-1,
	-1,
	-1,
	TABLE_COLUMN_R12,
	TABLE_COLUMN_R13,
	TABLE_COLUMN_R14,
	TABLE_COLUMN_R15,
	TABLE_COLUMN_RA,
};

/* A row of a node: its distance above its rule. */
#define PACK_BITS (TABLE_NUMBER_BITS + 1)
#define PACK_LOW  ((1u << PACK_BITS) - 1)

static inline uint32_t pack(uint32_t high, uint32_t low)
{
	return high << PACK_BITS | low;
}

/* ---- the tree --------------------------------------------------------------------------- */

/* Room for one more than count. What it grows from is left behind: so it grows by much. */
static bool grow(struct memo *memo, void *array, uint32_t *capacity, uint32_t count, size_t size)
{
	void **at = array;
	uint32_t wanted = *capacity < NODE_MAX / 4 ? *capacity * 4 : NODE_MAX;
	void *grown;

	if (count < *capacity)
		return true;
	if (count >= NODE_MAX)
		return false;
	grown = scratch_grow(&memo->builder->scratch, *at, count * size, wanted * size);
	if (!grown)
		return false;
	*at = grown;
	*capacity = wanted;
	return true;
}

uint32_t memo_nodes(uint64_t section_bytes)
{
	uint32_t nodes = NODES_LEAST;

	while (nodes < NODES_AT_ONCE && nodes < section_bytes / BYTES_A_NODE)
		nodes *= 2;
	return nodes;
}

bool memo_init(struct memo *memo, struct table_builder *builder, uint32_t nodes)
{
	struct scratch *scratch = &builder->scratch;

	*memo = (struct memo) {
		.builder = builder,
		.node = scratch_take(scratch, nodes * sizeof(*memo->node)),
		.detail = scratch_take(scratch, nodes * sizeof(*memo->detail)),
		.tail = scratch_take(scratch, nodes / 4 * sizeof(*memo->tail)),
		.cell = scratch_take(scratch, nodes / 4 * sizeof(*memo->cell)),
		.node_count = 1,
		.node_capacity = nodes,
		.detail_capacity = nodes,
		.edge_count = 1,
		.tail_count = 1,
		.tail_capacity = nodes / 4,
		.cell_count = 1,
		.cell_capacity = nodes / 4,
		.roots.scratch = scratch,
		.cells.scratch = scratch,
		.bucket_bits = __builtin_ctz(nodes * 2),
	};
	memo->bucket = scratch_take(scratch, sizeof(*memo->bucket) << memo->bucket_bits);
	return memo->node && memo->detail && memo->tail && memo->cell && memo->bucket &&
	       number_map_reserve(&memo->roots, nodes);
}

/* Room for one node more. */
static bool grow_nodes(struct memo *memo)
{
	return grow(memo, &memo->node, &memo->node_capacity, memo->node_count,
		    sizeof(*memo->node)) &&
	       grow(memo, &memo->detail, &memo->detail_capacity, memo->node_count,
		    sizeof(*memo->detail));
}

struct root_key {
	const struct memo *memo;
	uint32_t rule, stack, initial;
};

static bool root_equal(void *context, uint32_t number)
{
	const struct root_key *key = context;
	const struct memo_detail *detail = &key->memo->detail[number];

	return detail->rule == key->rule && detail->stack == key->stack &&
	       detail->initial == key->initial;
}

uint32_t memo_root(struct memo *memo, uint32_t rule, uint32_t stack, uint32_t initial)
{
	struct root_key key = { memo, rule, stack, initial };
	uint64_t state[2] = { (uint64_t)rule << 32 | stack, initial };
	uint32_t *slot = number_map_find(&memo->roots, number_hash(0, state, sizeof(state)),
					 root_equal, &key);

	if (slot && *slot)
		return *slot;
	if (!slot || !grow_nodes(memo))
		return 0;
	memo->node[memo->node_count] = (struct memo_node) { .root = memo->node_count,
							    .row_count = 1 };
	memo->detail[memo->node_count] = (struct memo_detail) {
		.rule = rule, .stack = stack, .initial = initial, .row = { pack(0, rule) }
	};
	return *slot = memo->node_count++;
}

static bool cell_equal(void *context, uint32_t number)
{
	const struct root_key *key = context;
	const struct memo_cell *cell = &key->memo->cell[number];

	return cell->rule == key->rule && cell->parent == key->stack;
}

/* The stack with a rule on top. 0: no memory. */
static uint32_t remember(struct memo *memo, uint32_t rule, uint32_t stack)
{
	struct root_key key = { .memo = memo, .rule = rule, .stack = stack };
	uint64_t state = (uint64_t)rule << 32 | stack;
	uint32_t *slot = number_map_find(&memo->cells, number_hash(0, &state, sizeof(state)),
					 cell_equal, &key);

	if (slot && *slot)
		return *slot;
	if (!slot ||
	    !grow(memo, &memo->cell, &memo->cell_capacity, memo->cell_count, sizeof(*memo->cell)))
		return 0;
	memo->cell[memo->cell_count] = (struct memo_cell) { rule, stack };
	return *slot = memo->cell_count++;
}

/* ---- new bytes -------------------------------------------------------------------------- */

/* The advances, by opcode. They come in no order that a CPU could guess: so what each is, is looked
 * up, and no branch depends on it. */
enum advance_kind { NO_ADVANCE, ADVANCE_IN_OPCODE, ADVANCE_1, ADVANCE_2, ADVANCE_4 };

static const uint8_t advance_kinds[256] = {
	[CFA_ADVANCE_LOC1] = ADVANCE_1,
	[CFA_ADVANCE_LOC2] = ADVANCE_2,
	[CFA_ADVANCE_LOC4] = ADVANCE_4,
	[CFA_ADVANCE_LOC... CFA_ADVANCE_LOC | CFI_LOW_BITS] = ADVANCE_IN_OPCODE,
};

static const struct {
	uint32_t opcode_bits, operand_bits; /* that are the distance */
	uint32_t bytes;
} advances[] = {
	[ADVANCE_IN_OPCODE] = { CFI_LOW_BITS, 0, 1 },
	[ADVANCE_1] = { 0, UINT8_MAX, 2 },
	[ADVANCE_2] = { 0, UINT16_MAX, 3 },
	[ADVANCE_4] = { 0, UINT32_MAX, 5 },
};

/* An advance: its operand and length. The hot loop asks it of each instruction, and bytes behind
 * the end may be read: so it is not cfi_instruction_read(). */
static inline bool read_advance(const uint8_t *at, uint32_t *ret_delta, uint32_t *ret_bytes)
{
	enum advance_kind kind = advance_kinds[*at];
	uint32_t operand;

	memcpy(&operand, at + 1, sizeof(operand));
	*ret_delta = (operand & advances[kind].operand_bits) | (*at & advances[kind].opcode_bits);
	*ret_bytes = advances[kind].bytes;
	return kind != NO_ADVANCE;
}

/* Does an advance end the run? */
static inline bool ends_run(const struct memo_node *node, uint32_t delta)
{
	return delta > RUN_GAP_MAX || node->row_count == TABLE_SHAPE_ROWS ||
	       node->distance + delta >= TABLE_SHAPE_SPAN;
}

/* What is being interpreted: the node to come, and its rule, whose number is not known while it
 * changes. */
struct memo_state {
	struct memo *memo;
	struct memo_node node;
	struct memo_detail detail;
	struct table_rule rule;
	bool changed;
};

static bool store_row(struct memo_state *state)
{
	struct table_builder *builder = state->memo->builder;

	if (state->changed)
		state->detail.rule = builder_short_rule(builder, &state->rule);
	state->changed = false;
	state->detail.row[state->node.row_count - 1] = pack(state->node.distance,
							    state->detail.rule);
	return state->detail.rule >= TABLE_MARKER_COUNT;
}

static void take_rule(struct memo_state *state, uint32_t number)
{
	state->detail.rule = number;
	state->rule = state->memo->builder->table->rule[number];
	state->changed = false;
}

static bool advance(struct memo_state *state, uint32_t delta)
{
	struct memo_node *node = &state->node;

	if (!store_row(state))
		return false;
	if (!delta)
		return true;
	node->closed++;
	node->distance += delta;
	state->detail.row[node->row_count++] = pack(node->distance, state->detail.rule);
	return true;
}

static bool set_offset(struct memo_state *state, uint64_t reg, uint64_t factored)
{
	if (reg >= REGISTER_COUNT || register_column[reg] < 0 || !factored ||
	    factored > TABLE_CODE_MAX)
		return false;
	state->rule.saved[register_column[reg]] = factored;
	state->changed = true;
	return true;
}

static bool restore(struct memo_state *state, uint64_t reg)
{
	const struct table_rule *initial =
		&state->memo->builder->table->rule[state->detail.initial];

	if (reg >= REGISTER_COUNT || reg == REGISTER_RSP)
		return false;
	/* Nothing here ever sets a register that saved[] does not have. */
	if (register_column[reg] >= 0)
		state->rule.saved[register_column[reg]] = initial->saved[register_column[reg]];
	state->changed = true;
	return true;
}

static bool set_cfa(struct memo_state *state, uint64_t reg, uint64_t offset)
{
	if (reg >= REGISTER_GPR_COUNT || offset > INT32_MAX)
		return false;
	state->rule.cfa_register = reg;
	state->rule.cfa_offset = offset;
	state->changed = true;
	return true;
}

static bool remember_or_recall(struct memo_state *state, uint8_t opcode)
{
	if (opcode == CFA_REMEMBER_STATE) {
		if (!store_row(state))
			return false;
		state->detail.stack = remember(state->memo, state->detail.rule,
					       state->detail.stack);
		return state->detail.stack != 0;
	}
	if (!state->detail.stack)
		return false;
	take_rule(state, state->memo->cell[state->detail.stack].rule);
	state->detail.stack = state->memo->cell[state->detail.stack].parent;
	return true;
}

/* One instruction that is no advance. False: not here. */
static bool execute(struct memo_state *state, struct reader *reader)
{
	struct cfi_instruction instruction;

	if (!cfi_instruction_read(reader, &instruction))
		return false;
	uint64_t a = instruction.a, b = instruction.b;

	switch (instruction.opcode) {
	case CFA_NOP:
	case CFA_GNU_ARGS_SIZE: return true;
	case CFA_OFFSET: return set_offset(state, a, b);
	case CFA_RESTORE:
	case CFA_RESTORE_EXTENDED: return restore(state, a);
	case CFA_REMEMBER_STATE:
	case CFA_RESTORE_STATE: return remember_or_recall(state, instruction.opcode);
	case CFA_DEF_CFA: return set_cfa(state, a, b);
	case CFA_DEF_CFA_REGISTER: return set_cfa(state, a, state->rule.cfa_offset);
	case CFA_DEF_CFA_OFFSET: return set_cfa(state, state->rule.cfa_register, a);
	default: return false;
	}
}

/* Interprets from at as far as one edge goes. Returns its length, 0: not here. */
static uint32_t interpret(struct memo_state *state, const uint8_t *at, const uint8_t *end)
{
	struct reader reader = { at, end };
	struct memo_state before;
	uint32_t bytes = 0;

	/* Beyond the end there is only padding, but an operand's zero bytes may lie there. */
	while (reader.at < end && bytes < MEMO_EDGE_BYTES) {
		uint32_t delta, size;

		if (bytes > MEMO_EDGE_BYTES - LONG_INSTRUCTION)
			before = *state;
		if (read_advance(reader.at, &delta, &size)) {
			if (ends_run(&state->node, delta) || size > reader_left(&reader))
				break;
			reader.at += size;
			if (!advance(state, delta))
				return 0;
		} else if (!execute(state, &reader)) {
			return 0;
		}
		if (reader.at - at > MEMO_EDGE_BYTES) {
			if (bytes <= MEMO_EDGE_BYTES - LONG_INSTRUCTION)
				return 0;
			*state = before;
			break;
		}
		bytes = reader.at - at;
	}
	return store_row(state) ? bytes : 0;
}

static inline uint64_t bits_of(__m128i low, __m128i high)
{
	return (uint32_t)_mm_movemask_epi8(low) | (uint64_t)(uint32_t)_mm_movemask_epi8(high) << 16;
}

/* Which of 16 bytes may begin a long advance, as far as they and the one before each can tell. */
static inline __m128i may_cut(const uint8_t *at)
{
	const __m128i byte = _mm_loadu_si128((const __m128i *)at);
	const __m128i before = _mm_loadu_si128((const __m128i *)(at - 1));
	/* 0x50 .. 0x7f: DW_CFA_advance_loc by 16 or more; but an operand behind 0x0e */
	const __m128i in_opcode = _mm_andnot_si128(
		_mm_cmpeq_epi8(before, _mm_set1_epi8(CFA_DEF_CFA_OFFSET)),
		_mm_cmpgt_epi8(byte, _mm_set1_epi8(CFA_ADVANCE_LOC + RUN_GAP_MAX)));
	/* 0x02, 0x03: its longer forms; but operands behind DW_CFA_offset */
	const __m128i longer = _mm_andnot_si128(_mm_cmpgt_epi8(_mm_setzero_si128(), before),
						_mm_cmpeq_epi8(_mm_or_si128(byte, _mm_set1_epi8(1)),
							       _mm_set1_epi8(CFA_ADVANCE_LOC2)));

	return _mm_or_si128(in_opcode, longer);
}

/*
 * How long the edge at `at` may be: what lies before the next long advance, at most
 * MEMO_EDGE_BYTES, and never behind `left`. Where an advance may begin is only guessed, from bytes
 * and the ones before them. The same bytes guess the same.
 */
static inline uint32_t guess_bytes(const uint8_t *at, size_t left)
{
	uint64_t most = left < MEMO_EDGE_BYTES ? left : MEMO_EDGE_BYTES;
	uint64_t cut = bits_of(may_cut(at), may_cut(at + 16)) |
		       bits_of(may_cut(at + 32), _mm_setzero_si128()) << 32 | 1ull << most;

	return __builtin_ctzll(cut & ~1ull);
}

/* The key of the bytes at `at`: of as many as are guessed to be the edge's, at most KEY_BYTES. A
 * wrong guess finds nothing, or an edge that does not match. */
static inline uint32_t key_of(const uint8_t *at, uint32_t guess, uint32_t from)
{
	uint32_t size = guess < KEY_BYTES ? guess : KEY_BYTES;
	const __m128i *byte = (const __m128i *)at;
	const __m128i *mask = (const __m128i *)(key_masks + KEY_BYTES - size);
	uint64_t word[4];
	_mm_storeu_si128((__m128i *)word,
			 _mm_and_si128(_mm_loadu_si128(byte), _mm_loadu_si128(mask)));
	_mm_storeu_si128((__m128i *)word + 1,
			 _mm_and_si128(_mm_loadu_si128(byte + 1), _mm_loadu_si128(mask + 1)));
	word[0] = (word[0] ^ word[2]) * HASH_GOLDEN;
	word[1] = (word[1] ^ word[3] << 7) * 0xbf58476d1ce4e5b9ull;
	word[0] ^= word[0] >> 32 ^ word[1] ^ word[1] >> 29;
	/* The node is known last. */
	return (word[0] + from * 0xd6e8feb86659fd93ull) * 0x94d049bb133111ebull >> 32;
}

/* A bucket holds a node's number, and above it bits of its edge's key that don't choose the bucket:
 * so that other edges' nodes are not touched. 0: it is free. */
static inline uint32_t bucket_tag(uint32_t key)
{
	return key << NODE_BITS;
}

static inline uint32_t bucket_node(uint32_t bucket)
{
	return bucket & (NODE_MAX - 1);
}

static void link_edge(struct memo *memo, uint32_t number)
{
	uint32_t key = memo->node[number].key, last = (1u << memo->bucket_bits) - 1;
	uint32_t at = key >> (32 - memo->bucket_bits);

	while (memo->bucket[at])
		at = (at + 1) & last;
	memo->bucket[at] = bucket_tag(key) | number;
}

static bool more_buckets(struct memo *memo)
{
	uint32_t *bucket = scratch_take(&memo->builder->scratch,
					sizeof(*bucket) << (memo->bucket_bits + 1));

	if (!bucket)
		return false;
	memo->bucket = bucket;
	memo->bucket_bits++;
	for (uint32_t i = 1; i < memo->node_count; i++)
		if (memo->node[i].bytes)
			link_edge(memo, i);
	return true;
}

/* Adds the edge for the bytes at `at`, and its node. 0: not here, or no memory. */
static __attribute__((noinline)) uint32_t add_edge(struct memo *memo, uint32_t from, uint32_t key,
						   const uint8_t *at, const uint8_t *end)
{
	struct memo_state state = { .memo = memo,
				    .node = memo->node[from],
				    .detail = memo->detail[from] };
	struct memo_node *node = &state.node;

	take_rule(&state, state.detail.rule);
	node->bytes = interpret(&state, at, end);
	if (!node->bytes || !grow_nodes(memo))
		return 0;
	if (memo->edge_count >> (memo->bucket_bits - 1) && !more_buckets(memo))
		return 0;
	memset(node->byte, 0, sizeof(node->byte));
	memcpy(node->byte, at, node->bytes);
	node->key = key;
	node->from = from;
	node->root = node->what = node->tail = 0;
	memo->node[memo->node_count] = *node;
	memo->detail[memo->node_count] = state.detail;
	link_edge(memo, memo->node_count);
	memo->edge_count++;
	return memo->node_count++;
}

/* ---- bytes met before ------------------------------------------------------------------- */

static inline __m128i same_bytes(const uint8_t *a, const uint8_t *b)
{
	return _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)a),
			      _mm_loadu_si128((const __m128i *)b));
}

/* MEMO_AHEAD_BYTES are compared, whatever lies behind the edge's. */
static inline bool edge_matches(const struct memo_node *node, const uint8_t *at)
{
	const uint8_t *byte = (const uint8_t *)node;
	uint64_t same = bits_of(same_bytes(byte, at), same_bytes(byte + 16, at + 16)) |
			bits_of(same_bytes(byte + 32, at + 32), _mm_setzero_si128()) << 32;

	_Static_assert(!offsetof(struct memo_node, byte), "they are first");
	return !(~same << (64 - node->bytes));
}

/* The node to which the edge with the bytes at `at` leads; so many are left there. */
static inline uint32_t find_edge(struct memo *memo, uint32_t from, const uint8_t *at, size_t left,
				 uint32_t guess)
{
	uint32_t key = key_of(at, guess, from), last = (1u << memo->bucket_bits) - 1, bucket;
	uint32_t i = key >> (32 - memo->bucket_bits), steps = 0;

	for (; (bucket = memo->bucket[i]); i = (i + 1) & last) {
		const struct memo_node *node = &memo->node[bucket_node(bucket)];

		if (!((bucket ^ bucket_tag(key)) >> NODE_BITS) && node->from == from &&
		    node->bytes <= left && edge_matches(node, at))
			return bucket_node(bucket);
		if (++steps == CHAIN_MAX)
			return 0;
	}
	return add_edge(memo, from, key, at, at + left);
}

/* A run that is no single entry: each row by itself. */
static void append_rows(struct memo *memo, uint32_t node, uint64_t vaddr)
{
	const uint32_t *row = memo->detail[node].row;

	for (uint32_t i = 0; i < memo->node[node].row_count; i++)
		builder_row(memo->builder, vaddr + (row[i] >> PACK_BITS), row[i] & PACK_LOW);
}

/* Where it is kept what the entry holds: of the run that ends at a node, with a row `none` bytes
 * behind its last one that says that there is none, if none is not 0. NULL: no memory. */
static uint32_t *place_of(struct memo *memo, struct memo_node *node, uint32_t none)
{
	if (!none)
		return &node->what;
	if (!node->tail) {
		if (!grow(memo, &memo->tail, &memo->tail_capacity, memo->tail_count,
			  sizeof(*memo->tail)))
			return NULL;
		node->tail = memo->tail_count++;
	}
	return &memo->tail[node->tail].what[none];
}

/* What it holds. 0: no single entry can. */
static __attribute__((noinline)) uint32_t make_run(struct memo *memo, uint32_t at, uint32_t none)
{
	struct memo_node *node = &memo->node[at];
	const uint32_t *from = memo->detail[at].row;
	struct run_row row[TABLE_SHAPE_ROWS + 1];
	uint32_t count = 0, *place;

	for (uint32_t i = 0; i < node->row_count; i++)
		if (!count || row[count - 1].rule != (from[i] & PACK_LOW))
			row[count++] = (struct run_row) { from[i] >> PACK_BITS,
							  from[i] & PACK_LOW };
	if (none)
		row[count++] = (struct run_row) { node->distance + none, TABLE_NO_ROW };
	if (count > TABLE_SHAPE_ROWS || row[count - 1].distance >= TABLE_SHAPE_SPAN)
		return 0;
	place = place_of(memo, node, none);
	return place ? (*place = builder_run(memo->builder, row, count)) : 0;
}

static inline bool append_run(struct memo *memo, uint32_t at, uint64_t vaddr, uint32_t none)
{
	const struct memo_node *node = &memo->node[at];
	uint32_t what = none ? memo->tail[node->tail].what[none] : node->what;

	if (!what && !(what = make_run(memo, at, none)))
		return false;
	builder_entry(memo->builder, vaddr, what);
	return true;
}

/* The end of an FDE whose last run began at vaddr. */
static bool end_fde(struct memo *memo, uint32_t at, uint64_t vaddr, const struct memo_fde *fde)
{
	uint64_t last = vaddr + memo->node[at].distance, none;

	if (last >= fde->pc_end)
		return false; /* beyond the FDE, or the last row is empty */
	none = fde->next_pc == fde->pc_end ? 0 : fde->pc_end - last;
	if (none <= RUN_GAP_MAX && append_run(memo, at, vaddr, none))
		return true;
	if (append_run(memo, at, vaddr, 0)) {
		if (none)
			builder_entry(memo->builder, fde->pc_end, TABLE_DIRECT | TABLE_NO_ROW);
		return true;
	}
	append_rows(memo, at, vaddr);
	if (none)
		builder_row(memo->builder, fde->pc_end, TABLE_NO_ROW);
	builder_cut(memo->builder);
	return true;
}

/* The node where the next run begins. 0: no memory. */
static uint32_t next_root(struct memo *memo, uint32_t node)
{
	uint32_t root = memo->node[node].root;

	if (!root) {
		const struct memo_detail *detail = &memo->detail[node];

		root = memo_root(memo, detail->rule, detail->stack, detail->initial);
		memo->node[node].root = root; /* the nodes may have moved */
	}
	return root;
}

/* An FDE's header lies before its instructions, so that 8 bytes before any of them may be read. */
static inline const uint8_t *skip_padding(const uint8_t *at, const uint8_t *end)
{
	uint32_t zeros;

	do { /* once, nearly always */
		uint64_t last;

		memcpy(&last, end - sizeof(last), sizeof(last));
		zeros = __builtin_clzll(last | 1) / 8; /* 7 at most */
		end -= zeros;
	} while (zeros == 7 && end > at);
	return end > at ? end : at;
}

/* The number, which is nearly always the guess: with that the CPU goes on behind the branch, and
 * does not wait for the number, which lies in memory. A compiler that knew that the two are the
 * same there would need no branch. */
static inline uint32_t guessed(uint32_t number, uint32_t guess)
{
	if (number == guess) {
		__asm__("" : "+r"(guess));
		return guess;
	}
	return number;
}

bool memo_run(struct memo *memo, uint32_t root, const struct memo_fde *fde)
{
	const uint8_t *at = fde->instructions;
	const uint8_t *end = fde->end;
	uint64_t vaddr = fde->pc, closed = 1;
	uint32_t node = root;

	/* Padding: DW_CFA_nop, or the zero bytes of a last operand, which interpret() refuses. */
	end = skip_padding(at, end);
	while (at < end) {
		uint32_t delta, size;

		if (read_advance(at, &delta, &size) && ends_run(&memo->node[node], delta)) {
			if (size > end - at)
				return false;
			if (!append_run(memo, node, vaddr, 0)) {
				append_rows(memo, node, vaddr);
				builder_cut(memo->builder);
			}
			closed += memo->node[node].closed + !!delta;
			vaddr += memo->node[node].distance + delta;
			node = next_root(memo, node);
			if (!node || vaddr >= fde->pc_end)
				return false;
			at += size;
			continue;
		}
		uint32_t guess = guess_bytes(at, end - at);

		node = find_edge(memo, node, at, end - at, guess);
		if (!node)
			return false;
		at += guessed(memo->node[node].bytes, guess);
	}
	memo->builder->table->cfi_row_count += closed + memo->node[node].closed;
	return end_fde(memo, node, vaddr, fde);
}
