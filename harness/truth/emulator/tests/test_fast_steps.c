/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_fast_steps.c - calls and returns alone give the stacks that every instruction gives
 *
 * A random program runs on a machine of this test's: blocks of a few instructions that move rsp. One thread is
 * told of every instruction (steps.h), its twin of what fast_block() asks for, as by QEMU's callbacks. Before each
 * block both have the same open frames, but where the twin says that a frame may have been put back.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "truth/emulator/fast.h"

#define LOW	   0x100000
#define HIGH	   0x120000
#define CODE	   0x401000
#define BLOCKS	   20000
#define LENGTH_MAX 4

enum operation { CALL, RET, RET_16, POP, PUSH, ADD_8, ADD_24, SUB_8, SUB_40, LEAVE, LONGJMP, JUMP };

static const struct {
	uint8_t bytes[8];
	uint8_t weight;
	int64_t moves;
	bool ends; /* its block */
} operations[] = {
	[CALL] = { { 0xe8 }, 30, -8, true },
	[RET] = { { 0xc3 }, 28, 8, true },
	[RET_16] = { { 0xc2, 16 }, 2, 24, true },
	[POP] = { { 0x5b }, 5, 8, false },
	[PUSH] = { { 0x53 }, 14, -8, false },
	[ADD_8] = { { 0x48, 0x83, 0xc4, 8 }, 2, 8, false },
	[ADD_24] = { { 0x48, 0x83, 0xc4, 24 }, 1, 24, false },
	[SUB_8] = { { 0x48, 0x83, 0xec, 8 }, 4, -8, false },
	[SUB_40] = { { 0x48, 0x83, 0xec, 40 }, 4, -40, false },
	[LEAVE] = { { 0xc9 }, 3, 0, false },
	[LONGJMP] = { { 0x48, 0x89, 0xcc }, 1, 0, false }, /* mov rsp, rcx */
	[JUMP] = { { 0xeb, 0 }, 20, 0, true },
};

static struct machine {
	uint8_t memory[HIGH - LOW];
	struct user_regs_struct regs;
	uint64_t random;
} machine;

struct side {
	struct step_counters counters;
	struct stepped_process process;
	struct stepped_thread thread;
};

static struct error error;
static struct instruction at;

static int read_memory(void *context, uint64_t address, void *ret, size_t size)
{
	if (address < LOW || address > HIGH - size)
		return -1;
	memcpy(ret, machine.memory + (address - LOW), size);
	return 0;
}

static int read_bytes(void *context, uint64_t address, void *ret, size_t size)
{
	memcpy(ret, context, size);
	return 0;
}

static bool find_mapping(void *context, uint64_t address, struct address_range *ret)
{
	*ret = (struct address_range) { LOW, HIGH };
	return address >= LOW && address < HIGH;
}

static struct instruction decode_at(void *context, uint64_t pc)
{
	return at;
}

static void begin(struct side *side, struct decoder *decoder)
{
	*side = (struct side) { 0 };
	side->process = (struct stepped_process) { .pid = 1,
						   .error = &error,
						   .counters = &side->counters,
						   .memory = { .read = read_memory },
						   .decoder = decoder,
						   .find_mapping = find_mapping,
						   .decode = decode_at };
	side->thread.tid = 1;
	side->thread.regs = machine.regs;
	stepped_begin(&side->process, &side->thread, true, false);
}

static void end(struct side *side)
{
	stepped_end(&side->thread);
	stack_pool_clear(&side->process.stacks);
}

static uint64_t draw(uint64_t below)
{
	machine.random = machine.random * 6364136223846793005ull + 1442695040888963407ull;
	return (machine.random >> 33) % below;
}

static enum operation draw_operation(void)
{
	uint64_t sum = 0, drawn;

	for (int i = 0; i < COUNT(operations); i++)
		sum += operations[i].weight;
	drawn = draw(sum);
	for (int i = 0;; i++) {
		if (drawn < operations[i].weight)
			return i;
		drawn -= operations[i].weight;
	}
}

/* The slot of a frame that is open, from the innermost one on. */
static uint64_t slot_of(const struct stepped_thread *thread, uint64_t which)
{
	const struct shadow_stack *shadow = &thread->shadow;

	return which < shadow->count ? shadow->frame[shadow->count - 1 - which].slot
				     : HIGH - 0x1000;
}

static void execute(enum operation operation, const struct instruction *instruction)
{
	struct user_regs_struct *regs = &machine.regs;
	uint64_t next = regs->rip + instruction->length, word = 0;

	regs->rip = next;
	switch (operation) {
	case CALL:
		memcpy(machine.memory + (regs->rsp - 8 - LOW), &next, sizeof(next));
		regs->rip = CODE + 16 * draw(1000);
		break;
	case RET:
	case RET_16:
		read_memory(NULL, regs->rsp, &word, sizeof(word));
		regs->rip = word;
		break;
	case PUSH:
		word = 1;
		memcpy(machine.memory + (regs->rsp - 8 - LOW), &word, sizeof(word));
		break;
	case LEAVE: regs->rsp = regs->rbp + 8; break;
	case LONGJMP: regs->rsp = regs->rcx; break;
	case JUMP: regs->rip = CODE + 16 * draw(1000); break;
	default: break;
	}
	regs->rsp += operations[operation].moves;
}

/* What a plugin of QEMU's is called for at an instruction. */
static void see_before(struct fast_state *state, const struct fast_instruction *one)
{
	if (one->tries && state->words->room < one->enough)
		fast_try(state);
	if (one->need == FAST_STEP || (one->may_step && state->words->stepping))
		ck_assert(!fast_step(state, &machine.regs, &one->instruction, one->derived));
}

static void see_access(struct fast_state *state, const struct fast_instruction *one,
		       const struct user_regs_struct *before)
{
	uint64_t slot = before->rsp - 8, pushed = before->rip + one->instruction.length;

	if (one->need == FAST_CALL && !fast_called(state, slot, pushed) && !state->words->stepping)
		ck_assert(!fast_call(state, &one->instruction, slot, pushed));
	if (one->need == FAST_RETURN && !fast_returned(state, before->rsp, machine.regs.rsp) &&
	    !state->words->stepping)
		ck_assert(!fast_return(state, &one->instruction, before->rsp, machine.regs.rip,
				       machine.regs.rsp));
	if (one->need == FAST_LEAVE && !state->words->stepping)
		ck_assert(!fast_leave(state, before->rbp));
}

static bool equal(const struct side *exact, const struct side *fast)
{
	const struct shadow_stack *one = &exact->thread.shadow, *other = &fast->thread.shadow;

	if (one->rooted != other->rooted ||
	    one->count != fast_open(&fast->thread, machine.regs.rsp))
		return false;
	for (size_t i = 0; i < one->count; i++)
		if (one->frame[i].return_address != other->frame[i].return_address)
			return false;
	return true;
}

/* looks: at blocks' beginnings as if the kernel had run. */
static void run(uint64_t seed, bool looks)
{
	struct decoder *decoder = decoder_create(&error);
	struct side exact, fast;
	struct fast_words words = { 0 };
	struct fast_state state = { .process = &fast.process,
				    .thread = &fast.thread,
				    .words = &words };
	uint64_t doubtful = 0, frames = 0;

	memset(&machine, 0, sizeof(machine));
	machine.random = seed;
	machine.regs.rsp = HIGH - 0x1000;
	machine.regs.rip = CODE;
	begin(&exact, decoder);
	begin(&fast, decoder);
	fast_sync(&state, machine.regs.rsp);
	for (int i = 0; i < BLOCKS; i++) {
		/* Nothing will be certain any more. */
		if (fast.thread.doubt == UINT64_MAX) {
			end(&exact);
			end(&fast);
			begin(&exact, decoder);
			begin(&fast, decoder);
			fast_sync(&state, machine.regs.rsp);
		}
		enum operation operation[LENGTH_MAX + 1];
		struct fast_instruction block[LENGTH_MAX + 1] = { 0 };
		size_t count = 0;
		int64_t raised;

		do {
			struct memory_reader memory = { read_bytes, block[count].bytes };

			/* Neither the stack's end nor its beginning is reached. */
			operation[count] = count == LENGTH_MAX ? JUMP : draw_operation();
			if (machine.regs.rsp < LOW + 0x4000)
				operation[count] = LONGJMP;
			if (machine.regs.rsp > HIGH - 0x1100)
				operation[count] = CALL;
			memcpy(block[count].bytes, operations[operation[count]].bytes, 8);
			block[count].instruction = decoder_decode(decoder, 0, &memory);
		} while (!operations[operation[count++]].ends && count <= LENGTH_MAX);
		/* leave: from somewhere in the function's frame, or beyond it */
		machine.regs.rbp = slot_of(&exact.thread, !draw(8)) - 8 * draw(3);
		if (machine.regs.rbp < machine.regs.rsp)
			machine.regs.rbp = machine.regs.rsp;
		machine.regs.rcx = slot_of(&exact.thread, 2 + draw(60)) - 8 * draw(2);
		raised = fast_block(block, count);
		for (size_t k = 0; k < count; k++) {
			struct user_regs_struct before = machine.regs;

			at = block[k].instruction;
			exact.thread.next = at;
			see_before(&state, &block[k]);
			execute(operation[k], &at);
			see_access(&state, &block[k], &before);
			ck_assert(!stepped_apply(&exact.process, &exact.thread, &machine.regs));
			exact.thread.regs = machine.regs;
		}
		words.room -= raised;
		if (looks || fast.thread.pending || words.stepping || fast_attends(&state)) {
			ck_assert(!fast_settle(&state, &machine.regs));
			fast_sync(&state, machine.regs.rsp);
		}
		frames += exact.thread.shadow.count;
		if (fast_is_doubtful(&fast.thread, machine.regs.rsp))
			doubtful++;
		else
			ck_assert_msg(equal(&exact, &fast),
				      "seed %d, block %d: %zu frames, not %zu", (int)seed, i,
				      fast_open(&fast.thread, machine.regs.rsp),
				      exact.thread.shadow.count);
	}
	ck_assert_uint_gt(frames, BLOCKS * 2);
	ck_assert_uint_lt(doubtful, BLOCKS / 3);
	end(&exact);
	end(&fast);
	decoder_destroy(decoder);
}

START_TEST(random_programs_have_the_same_stacks)
{
	run(_i / 2 + 1, _i % 2);
}
END_TEST

static const int programs[40];

SUITE(fast_steps, LOOP(random_programs_have_the_same_stacks, programs))
