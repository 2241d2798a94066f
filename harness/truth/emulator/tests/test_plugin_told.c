/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_plugin_told.c - who is heard: the agent, and nobody beside it
 */
#include <stdio.h>
#include <string.h>
#include "tests/suite.h"
#include "truth/emulator/plugin_told.c"

struct watch watch;

static struct {
	uint64_t teller; /* its page tables */
	bool words;	 /* they are at its rdi */
	const char *wrong;
	uint32_t watched;
	bool dead;	/* the agent */
	bool no_memory; /* of the witness's */
	int forgotten, cut, events, clocks, given;
	struct watched_process process;
} world;

bool guest_kernel_is_told(uint64_t address)
{
	return world.words;
}

uint64_t guest_kernel_tables(uint64_t cr3)
{
	return cr3;
}

const char *guest_kernel_told(struct guest_kernel *kernel, uint64_t address, uint64_t cr3)
{
	kernel->told.watched = world.watched;
	return world.wrong;
}

bool guest_kernel_agent(const struct guest_kernel *kernel, uint64_t gs_base, uint64_t cr3,
			struct guest_agent *ret)
{
	ret->tables = cr3;
	return cr3;
}

bool guest_kernel_agent_lives(const struct guest_kernel *kernel, const struct guest_agent *agent)
{
	return !world.dead;
}

bool guest_kernel_task(const struct guest_kernel *kernel, uint64_t gs_base, struct guest_task *ret)
{
	ret->pid = 80;
	return true;
}

struct watched_process *watch_process(pid_t pid)
{
	return NULL;
}

void watch_clock(uint64_t address)
{
	world.clocks++;
}

void watch_given(uint64_t address)
{
	world.given++;
}

const char *walks_told(const struct guest_kernel *kernel, uint64_t cr3)
{
	return NULL;
}

uint64_t watch_register(enum watch_register number)
{
	return world.teller;
}

void watch_events(void)
{
	world.events++;
}

void watch_forget_all(void)
{
	world.forgotten++;
	world.cut += watch.over;
}

struct watched_process *watch_process_make(pid_t pid)
{
	return world.no_memory ? NULL : &world.process;
}

/*
 * Each is a word or two: A, B: the process of these page tables tells of a program; a, b: that it is over; ?: A executes the
 * nop, and has no words; !: A has words that can't be used; d: the agent dies; l: it is looked for; m: A tells, and there is
 * no memory for a process.
 */
static void play(char what)
{
	const struct user_regs_struct regs = { 0 };

	world.words = what != '?';
	world.wrong = what == '!' ? "nonsense" : NULL;
	world.no_memory = what == 'm';
	world.teller = what == 'B' || what == 'b' ? 0x2000 : 0x1000;
	world.watched = what == 'a' || what == 'b' ? 0 : 70;
	if (what == 'd')
		world.dead = true;
	else if (what == 'l')
		watch_look_for_agent();
	else
		watch_told(GUEST_TELLS, &regs);
}

static const struct told_case {
	const char *name, *played;
	bool told;
	uint64_t agent; /* its page tables, if told */
	uint64_t impostors, lost;
	int forgotten, cut;
	bool wrong;
} cases[] = {
	{ "one", "A", true, 0x1000, 0, 0, 0, 0, false },
	{ "one_to_its_end", "Aa", false, 0, 0, 0, 1, 0, false },
	{ "one_after_another", "AaBb", false, 0, 0, 0, 2, 0, false },
	{ "one_tells_of_two_programs", "AA", true, 0x1000, 0, 0, 0, 0, false },
	{ "another_meanwhile", "AB", true, 0x1000, 1, 0, 0, 0, false },
	{ "another_can't_end_it", "Ab", true, 0x1000, 1, 0, 0, 0, false },
	{ "a_chance_nop", "?", false, 0, 1, 0, 0, 0, false },
	{ "a_chance_nop_of_the_agent's", "A?", true, 0x1000, 1, 0, 0, 0, false },
	{ "words_that_can't_be_used", "!", false, 0, 0, 0, 0, 0, true },
	{ "then_good_ones", "!A", true, 0x1000, 0, 0, 0, 0, true },
	{ "it_dies", "Adl", false, 0, 0, 1, 1, 1, false },
	{ "it_dies_and_another_tells", "AdB", true, 0x2000, 0, 1, 1, 1, false },
	{ "looked_for_while_it_lives", "Al", true, 0x1000, 0, 0, 0, 0, false },
	{ "looked_for_when_there_is_none", "l", false, 0, 0, 0, 0, 0, false },
	{ "no_memory", "m", false, 0, 0, 0, 0, 0, false },
};

START_TEST(agent_alone_is_heard)
{
	const struct told_case *c = &cases[_i];

	memset(&world, 0, sizeof(world));
	memset(&watch, 0, sizeof(watch));
	for (const char *at = c->played; *at; at++)
		play(*at);
	ck_assert_msg(watch.told == c->told, "%s", c->name);
	if (c->told)
		ck_assert_msg(watch.agent.tables == c->agent, "%s", c->name);
	ck_assert_uint_eq(watch.counters.impostors, c->impostors);
	ck_assert_uint_eq(watch.counters.agents_lost, c->lost);
	ck_assert_int_eq(world.forgotten, c->forgotten);
	ck_assert_int_eq(world.cut, c->cut);
	ck_assert(!watch.wrong == !c->wrong);
	ck_assert(!watch.over);
	if (c->told)
		ck_assert(world.process.root);
}
END_TEST

SUITE(plugin_told, LOOP(agent_alone_is_heard, cases))
