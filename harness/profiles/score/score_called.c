/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_called.c - a frame's name against the names of what is at its address, as keys (score_name.h)
 *
 * The name's first key that any symbol has is what it means. If a symbol at the address has it, too, they agree. What
 * debugging information has there may have less to say: "f" of f(int), if it has no linkage names. So with the names of
 * inlined functions any key agrees; and a name of which the other is a part ("ns::f", "f.part") is in doubt.
 */
#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "cfi/code_name.h"
#include "freed.h"
#include "score_build.h"
#include "score_name.h"
#include "score_called.h"
#include "score_spelling.h"

#define ADDRESSES_MAX 3	 /* that a frame may have, where its format leaves that open */
#define OUTER_LOOKED  64 /* symbols before a function's that may have it within them */

enum answer { NOT_ASKED, NOT_CHECKED, AGREES, CONTRADICTS };

struct asking {
	struct score_truth *truth;
	uint32_t image;
	uint64_t address[ADDRESSES_MAX];
	size_t addresses;
	bool is_caller, may_inline;
	const char *name;
	struct profile_texts symbols; /* keys of the symbols at the addresses */
	struct profile_texts inlined; /* of what the DWARF has there */
	struct profile_texts near;    /* of exported symbols before them */
	bool is_symbol;		      /* one covers an address by its size */
	bool is_stub;		      /* or what passes calls on does */
	bool has_dwarf;
	struct error *error;
};

/* ---- what is there ---------------------------------------------------------------------------- */

struct adding {
	struct profile_texts *keys;
	struct error *error;
};

static int add_key(void *context, const char *key, enum spelling spelling)
{
	const struct adding *adding = context;
	bool is_new;

	(void)spelling;
	return profile_texts_add(adding->keys, key, strlen(key), &is_new, adding->error) ==
			       UINT32_MAX
		       ? -1
		       : 0;
}

/* Thunks (Itanium ABI, 5.1.4.2) are called what they jump to, or not. */
static bool is_thunk(const char *name)
{
	return !strncmp(name, "_ZT", 3) && name[3] && strchr("hvc", name[3]);
}

/* All symbols that cover pc, and those that begin where its function does. */
static int add_symbols(struct asking *asking, uint64_t pc, const struct code_name *at)
{
	const struct image *image = asking->truth->image[asking->image].image;
	struct adding adding = { &asking->symbols, asking->error };
	size_t count, behind, looked = 0;
	const struct image_symbol *symbol = image_symbols(image, &count);

	behind = ARRAY_BEFORE(count, i, symbol[i].pc <= pc);
	for (size_t i = behind; i && looked < OUTER_LOOKED; i--) {
		const struct image_symbol *one = &symbol[i - 1];

		looked += one->pc < at->start;
		if (one->pc != at->start && one->end <= pc)
			continue;
		asking->is_symbol |= pc - one->pc < one->size;
		asking->is_stub |= is_thunk(one->name);
		if (name_keys(one->name, add_key, &adding))
			return -1;
	}
	adding.keys = &asking->near;
	while (behind && symbol[behind - 1].binding == STB_LOCAL)
		behind--;
	return behind ? name_keys(symbol[behind - 1].name, add_key, &adding) : 0;
}

static int add_there(struct asking *asking)
{
	const struct score_image *image = &asking->truth->image[asking->image];
	struct code_name at;

	for (size_t i = 0; i < asking->addresses; i++) {
		uint64_t pc = asking->address[i] - asking->is_caller;

		code_name_find(image->image, image->cfi, pc, &at);
		asking->is_stub |= at.kind == CODE_STUB || at.kind == CODE_SECTION;
		if (at.kind == CODE_SYMBOL && add_symbols(asking, pc, &at))
			return -1;
	}
	return 0;
}

/* Who looks up lines takes the byte before of callers, or of all. */
static int add_inlined(struct asking *asking)
{
	for (size_t i = 0; i < asking->addresses; i++)
		for (uint64_t back = 0; back <= 1; back++) {
			int found = score_truth_names_at(asking->truth, asking->image,
							 asking->address[i] - back,
							 &asking->inlined, asking->error);

			if (found < 0)
				return -1;
			asking->has_dwarf |= found > 0 && back == asking->is_caller;
		}
	return 0;
}

/* ---- what the name says ----------------------------------------------------------------------- */

static int has_key(void *context, const char *key, enum spelling spelling)
{
	(void)spelling;
	return profile_texts_find(context, key, strlen(key)) != 0;
}

/* Of the name's first key alone: a symbol at the address has it. Then the others need not be read. */
static int is_first(void *context, const char *key, enum spelling spelling)
{
	return has_key(context, key, spelling) ? 1 : 2;
}

/* 2: a symbol at the address has the name's first key that any has; 1: only others have it. */
static int find_meant(void *context, const char *key, enum spelling spelling)
{
	const struct asking *asking = context;
	uint32_t number = score_truth_key(asking->truth, key);

	if (!number || !asking->truth->symbol_first[number])
		return 0;
	return has_key((void *)&asking->symbols, key, spelling) ? 2 : 1;
}

static int find_inlined(void *context, const char *key, enum spelling spelling)
{
	const struct asking *asking = context;

	return spelling <= SPELLING_BARE && score_truth_inlines(asking->truth, asking->image, key);
}

/* part is whole, or a part of it between characters that are in no word. */
static bool is_part(const char *part, const char *whole)
{
	size_t size = strlen(part);

	for (const char *at = whole; size && (at = strstr(at, part)); at++)
		if ((at == whole || !(isalnum((unsigned char)at[-1]) || at[-1] == '_')) &&
		    !(isalnum((unsigned char)at[size]) || at[size] == '_'))
			return true;
	return false;
}

static bool is_short_form(const char *name, const struct profile_texts *keys)
{
	for (uint32_t i = 1; i <= keys->count; i++) {
		const char *key = profile_texts_get(keys, i);

		if (is_part(name, key) || is_part(key, name))
			return true;
	}
	return false;
}

/* Its symbol is at the resolver: which function that chose, and is called so too, nobody knows. */
static int is_ifunc(void *context, uint32_t image, const struct image_symbol *symbol)
{
	(void)context;
	(void)image;
	return symbol->type == STT_GNU_IFUNC;
}

static int ask(struct asking *asking, enum answer *ret)
{
	int meant;

	*ret = NOT_CHECKED;
	if (add_there(asking))
		return -1;
	if (asking->is_stub)
		return 0;
	*ret = AGREES;
	if (name_spellings(asking->name, is_first, &asking->symbols) == 1)
		return 0;
	if (score_truth_symbols(asking->truth, asking->error))
		return -1;
	meant = name_spellings(asking->name, find_meant, asking);
	if (meant == 2)
		return 0;
	if (add_inlined(asking))
		return -1;
	if (name_spellings(asking->name, has_key, &asking->inlined))
		return 0;
	*ret = NOT_CHECKED;
	if ((!asking->has_dwarf && (!asking->is_symbol || asking->may_inline)) ||
	    is_short_form(asking->name, &asking->symbols) ||
	    is_short_form(asking->name, &asking->inlined) ||
	    name_spellings(asking->name, has_key, &asking->near) ||
	    score_truth_each_symbol(asking->truth, asking->name, asking->image, is_ifunc, NULL))
		return 0;
	if (meant || (asking->has_dwarf && name_spellings(asking->name, find_inlined, asking)))
		*ret = CONTRADICTS;
	return 0;
}

/* ---- a frame ---------------------------------------------------------------------------------- */

/* perf's address may be an offset in the file or the process's: score_frame.c. */
static void set_addresses(struct asking *asking, const struct profile_frame *in,
			  const struct score_frame *frame)
{
	uint64_t mapped;

	asking->address[asking->addresses++] = frame->address;
	if (frame->other != SCORE_NO_OFFSET)
		asking->address[asking->addresses++] = frame->other;
	if (in->kind == PROFILE_FILE_OFFSET && in->mapped != PROFILE_NO_OFFSET &&
	    score_truth_vaddr(&asking->truth->image[asking->image], in->mapped, &mapped))
		asking->address[asking->addresses++] = mapped;
}

/* Behind a call, but maybe put there by who makes a stack: then what begins there is meant, and not what calls before. */
static bool is_put(struct score_code *code, const struct asking *asking)
{
	return ARRAY_ANY(asking->addresses, i,
			 asking->is_caller &&
				 score_code_is_taken(code, asking->image, asking->address[i]));
}

int score_called_ask(struct score_called *called, struct score_truth *truth,
		     struct score_code *code, const struct profile *profile, uint32_t number,
		     const struct score_frame *frame, bool is_caller, struct error *error)
{
	const struct profile_frame *in = profile_frame(profile, number);
	struct asking asking = { .truth = truth,
				 .image = frame->image,
				 .is_caller = is_caller,
				 .may_inline = in->flags & (PROFILE_INLINED | PROFILE_REPEATED),
				 .name = profile_text(profile, in->name),
				 .error = error };
	size_t at = number * 2ul + is_caller, room = called->room;
	enum answer answer;
	int status;

	if (frame->how != FRAME_ADDRESS || in->kind == PROFILE_NO_ADDRESS || !in->name ||
	    !truth->image[frame->image].image || score_build_is_open(truth, frame) ||
	    score_build_is_unsaid(truth, frame))
		return 0;
	if (!ARRAY_RESERVE(called->asked, called->room, at + 1))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for names");
	memset(called->asked + room, NOT_ASKED, called->room - room);
	if (called->asked[at] != NOT_ASKED)
		return called->asked[at] == CONTRADICTS;
	set_addresses(&asking, in, frame);
	status = ask(&asking, &answer);
	if (!status && answer == CONTRADICTS && is_put(code, &asking))
		answer = NOT_CHECKED;
	profile_texts_deinit(&asking.symbols);
	profile_texts_deinit(&asking.inlined);
	profile_texts_deinit(&asking.near);
	if (status)
		return -1;
	called->asked[at] = answer;
	called->frames++;
	called->checked += answer != NOT_CHECKED;
	if (answer != CONTRADICTS)
		return 0;
	if (called->contradict < SCORE_CALLED_KEPT)
		called->first[called->contradict] = (struct score_called_frame) { number,
										  is_caller };
	called->contradict++;
	return 1;
}

void score_called_deinit(struct score_called *called)
{
	free(called->asked);
}
