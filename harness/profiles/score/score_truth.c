/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_truth.c - a truth file: its images, places, functions and leaves
 *
 * The file has addresses. What they are called is read of the images, if they are here and those that
 * ran; of others nothing is called anything, and only addresses can be compared.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "cfi/code_name.h"
#include "base/images/debug_link.h"
#include "base/images/own_vdso.h"
#include "score_name.h"
#include "score_spelling.h"
#include "score_truth.h"

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for the truth's names");
}

/* ---- images --------------------------------------------------------------------------------- */

static int open_image(struct score_image *image, const char *path, struct error *error)
{
	const struct truth_image *truth = image->truth;
	const char *slash = strrchr(truth->path, '/');
	enum truth_identity identity;
	struct error ignored;

	image->name = slash && slash[1] ? slash + 1
		      : truth->path[0]	? truth->path
					: truth_image_kind_name(truth->kind);
	if (truth->kind == TRUTH_IMAGE_VDSO)
		image->image = own_vdso_open(&ignored);
	else if (truth->kind == TRUTH_IMAGE_FILE && image_create(path, &image->image, &ignored))
		image->image = NULL;
	if (!image->image)
		return 0;
	identity = truth_image_identity(truth, image->image);
	if (identity != TRUTH_SAME) {
		image->other_build = truth->kind == TRUTH_IMAGE_FILE && identity == TRUTH_CHANGED;
		image->is_unproven = truth->kind == TRUTH_IMAGE_FILE && identity == TRUTH_UNPROVEN;
		image_destroy(image->image);
		image->image = NULL;
		return 0;
	}
	debug_link_adopt(image->image);
	if (cfi_create(image->image, &image->cfi, &ignored)) {
		cfi_destroy(image->cfi); /* an empty one, of an image without CFI */
		image->cfi = NULL;
	}
	return code_name_prepare(image->image, error);
}

/* The program's own image: its file's; else the only one of that name. */
static void find_main(struct score_truth *truth, size_t count)
{
	FREED char *real = realpath(truth->program, NULL);
	const char *slash = strrchr(truth->program, '/');
	size_t named = 0, image = 0;

	for (size_t i = 0; i < count; i++) {
		if (real && !strcmp(truth->image[i].truth->path, real))
			truth->main_image = i;
		if (!strcmp(truth->image[i].name, slash ? slash + 1 : truth->program)) {
			image = i;
			named++;
		}
	}
	if (truth->main_image == UINT32_MAX && named == 1)
		truth->main_image = image;
}

static int open_images(struct score_truth *truth, struct error *error)
{
	size_t count = truth_file_image_count(truth->file);

	truth->image = calloc(count + 1, sizeof(*truth->image));
	if (!truth->image)
		return no_memory(error);
	for (size_t i = 0; i < count; i++) {
		FREED char *path = truth_file_image_path(truth->file, i);

		if (!path)
			return no_memory(error);
		truth->image[i].truth = truth_file_image(truth->file, i);
		if (open_image(&truth->image[i], path, error))
			return -1;
	}
	find_main(truth, count);
	return 0;
}

bool score_truth_vaddr(const struct score_image *image, uint64_t offset, uint64_t *ret)
{
	for (size_t i = 0; image->image && i < image->image->segment_count; i++) {
		const struct image_segment *segment = &image->image->segment[i];

		if (!segment->executable || offset - segment->file_offset >= segment->file_bytes)
			continue;
		*ret = offset - segment->file_offset + segment->vaddr;
		return true;
	}
	return false;
}

static uint64_t offset_of(const struct score_image *image, uint64_t vaddr)
{
	for (size_t i = 0; image->image && i < image->image->segment_count; i++) {
		const struct image_segment *segment = &image->image->segment[i];

		if (vaddr - segment->vaddr < segment->file_bytes)
			return vaddr - segment->vaddr + segment->file_offset;
	}
	return SCORE_NO_OFFSET;
}

/* ---- keys ----------------------------------------------------------------------------------- */

struct adding_key {
	struct score_truth *truth;
	uint32_t function; /* 0: only the key */
	uint32_t symbol;   /* 0: it is not known */
	struct error *error;
};

int score_truth_add_key(struct score_truth *truth, const char *key, uint32_t *ret, bool *ret_is_new,
			struct error *error)
{
	uint32_t number;

	*ret_is_new = false;
	number = profile_texts_add(&truth->keys, key, strlen(key), ret_is_new, error);
	if (number == UINT32_MAX)
		return -1;
	if (!ARRAY_RESERVE(truth->key_first, truth->key_room, number + 1ul) ||
	    !ARRAY_RESERVE(truth->key_last, truth->key_last_room, number + 1ul) ||
	    !ARRAY_RESERVE(truth->symbol_first, truth->symbol_room, number + 1ul))
		return no_memory(error);
	if (*ret_is_new)
		truth->key_first[number] = truth->key_last[number] = truth->symbol_first[number] =
			0;
	*ret = number;
	return 0;
}

int score_truth_add_function(struct score_truth *truth, uint32_t key, uint32_t function,
			     struct error *error)
{
	uint32_t last = truth->key_last[key];

	if (last && truth->keyed[last].function == function)
		return 0;
	if (!ARRAY_GROW(truth->keyed, truth->keyed_count))
		return no_memory(error);
	truth->keyed[truth->keyed_count] = (struct score_keyed) { function, 0 };
	if (last)
		truth->keyed[last].next = truth->keyed_count;
	else
		truth->key_first[key] = truth->keyed_count;
	truth->key_last[key] = truth->keyed_count++;
	return 0;
}

static int add_symbol(struct score_truth *truth, uint32_t key, uint32_t symbol, struct error *error)
{
	uint32_t first = truth->symbol_first[key];

	if (first && truth->symbol[first].function == symbol)
		return 0;
	if (!ARRAY_ADD(truth->symbol, truth->symbols, (struct score_keyed) { symbol, first }))
		return no_memory(error);
	truth->symbol_first[key] = truth->symbols - 1;
	return 0;
}

static int add_key(void *context, const char *key, enum spelling spelling)
{
	struct adding_key *adding = context;
	uint32_t number;
	bool is_new;

	(void)spelling;
	if (score_truth_add_key(adding->truth, key, &number, &is_new, adding->error))
		return -1;
	if (!number)
		return 0;
	if (adding->function &&
	    score_truth_add_function(adding->truth, number, adding->function, adding->error))
		return -1;
	return adding->symbol ? add_symbol(adding->truth, number, adding->symbol, adding->error)
			      : 0;
}

static int add_keys(struct adding_key *adding, const char *name)
{
	return name_keys(name, add_key, adding) ? -1 : 0;
}

bool score_truth_has_key(const struct score_truth *truth, uint32_t key, uint32_t function)
{
	for (uint32_t at = truth->key_first[key]; at; at = truth->keyed[at].next)
		if (truth->keyed[at].function == function)
			return true;
	return false;
}

uint32_t score_truth_key(const struct score_truth *truth, const char *key)
{
	return profile_texts_find(&truth->keys, key, strlen(key));
}

int score_truth_symbols(struct score_truth *truth, struct error *error)
{
	struct adding_key adding = { .truth = truth, .error = error };

	if (truth->symbols_read)
		return 0;
	for (size_t i = 0; i < truth_file_image_count(truth->file); i++) {
		const struct image *image = truth->image[i].image;
		size_t count = 0;
		const struct image_symbol *symbol = image ? image_symbols(image, &count) : NULL;

		truth->image[i].first_symbol = adding.symbol + 1;
		for (size_t j = 0; j < count; j++) {
			adding.symbol++;
			if (add_keys(&adding, symbol[j].name))
				return -1;
		}
	}
	truth->symbols_read = true;
	return 0;
}

const struct image_symbol *score_truth_symbol(const struct score_truth *truth, uint32_t number,
					      uint32_t *ret_image)
{
	size_t image = truth_file_image_count(truth->file) - 1, count;

	while (truth->image[image].first_symbol > number)
		image--;
	*ret_image = image;
	return image_symbols(truth->image[image].image, &count) + number -
	       truth->image[image].first_symbol;
}

struct asking {
	const struct score_truth *truth;
	uint32_t image;
	score_symbol_fn *fn;
	void *context;
};

static int ask_key(void *context, const char *key, enum spelling spelling)
{
	struct asking *asking = context;
	const struct score_truth *truth = asking->truth;
	uint32_t number = score_truth_key(truth, key), image;
	int status = 0;

	(void)spelling;
	for (uint32_t at = number ? truth->symbol_first[number] : 0; at && !status;
	     at = truth->symbol[at].next) {
		const struct image_symbol *symbol =
			score_truth_symbol(truth, truth->symbol[at].function, &image);

		if (asking->image == UINT32_MAX || asking->image == image)
			status = asking->fn(asking->context, image, symbol);
	}
	return status;
}

int score_truth_each_symbol(const struct score_truth *truth, const char *name, uint32_t image,
			    score_symbol_fn *fn, void *context)
{
	struct asking asking = { truth, image, fn, context };

	return name_spellings(name, ask_key, &asking);
}

/* ---- functions ------------------------------------------------------------------------------ */

/* The first of the symbols at or behind pc. */
static size_t symbols_before(const struct image_symbol *symbol, size_t count, uint64_t pc)
{
	return ARRAY_BEFORE(count, i, symbol[i].pc < pc);
}

/* All names of a symbol's address are the function's. */
static int add_names(struct score_truth *truth, uint32_t number, const struct image *image,
		     const struct code_name *name, struct error *error)
{
	struct adding_key adding = { truth, number, 0, error };
	char text[NAME_KEY_MAX];
	size_t count;
	const struct image_symbol *symbol = image_symbols(image, &count);

	code_name_print(name, text, sizeof(text));
	truth->function[number].name = strdup(text);
	if (!truth->function[number].name)
		return no_memory(error);
	if (name->kind != CODE_SYMBOL && add_keys(&adding, text))
		return -1;
	truth->function[number].is_named = name->kind == CODE_STUB || name->kind == CODE_SYMBOL;
	if (name->kind != CODE_SYMBOL)
		return 0;
	for (size_t i = symbols_before(symbol, count, name->start);
	     i < count && symbol[i].pc == name->start; i++)
		if (add_keys(&adding, symbol[i].name))
			return -1;
	truth->function[number].is_symbol = true;
	return 0;
}

enum name_grade score_truth_grade(const struct score_truth *truth, const struct name_asked *name,
				  uint32_t number)
{
	const struct score_function *function = &truth->function[number];
	const struct image *image = truth->image[function->image].image;
	enum name_grade best = NAME_OTHER;
	size_t count = 0;
	const struct image_symbol *symbol = image ? image_symbols(image, &count) : NULL;

	if (!function->is_symbol)
		return name_grade(name, function->name);
	for (size_t i = symbols_before(symbol, count, function->start);
	     i < count && symbol[i].pc == function->start; i++) {
		enum name_grade grade = name_grade(name, symbol[i].name);

		best = grade > best ? grade : best;
	}
	return best;
}

static bool function_equal(void *context, uint32_t number)
{
	const struct score_function *const *pair = context;

	return pair[0][number].image == pair[1]->image && pair[0][number].start == pair[1]->start &&
	       pair[0][number].is_gap == pair[1]->is_gap;
}

static int add_function(struct score_truth *truth, uint32_t image, uint64_t address, uint32_t *ret,
			struct error *error)
{
	const struct score_image *in = &truth->image[image];
	struct code_name name = { .kind = CODE_SYMBOL, .start = address };
	struct score_function wanted = { .image = image };
	const struct score_function *pair[] = { truth->function, &wanted };
	uint32_t *slot;
	char text[64];

	if (in->image)
		code_name_find(in->image, in->cfi, address, &name);
	wanted.start = name.start;
	wanted.is_gap = name.kind == CODE_GAP;
	slot = number_map_find(&truth->function_map,
			       number_hash(image, &wanted.start, sizeof(wanted.start)),
			       function_equal, pair);
	if (!slot)
		return no_memory(error);
	*ret = *slot;
	if (*slot)
		return 0;
	if (!ARRAY_ADD(truth->function, truth->functions, wanted))
		return no_memory(error);
	*ret = *slot = truth->functions - 1;
	if (in->image)
		return add_names(truth, *ret, in->image, &name, error);
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
	truth->function[*ret].name = strdup(text);
	return truth->function[*ret].name ? 0 : no_memory(error);
}

uint32_t score_truth_function(const struct score_truth *truth, uint32_t image, uint64_t address)
{
	const struct score_image *in = &truth->image[image];
	struct score_function wanted = { .image = image, .start = address };
	const struct score_function *pair[] = { truth->function, &wanted };
	struct code_name name;

	if (in->image) {
		code_name_find(in->image, in->cfi, address, &name);
		wanted.start = name.start;
		wanted.is_gap = name.kind == CODE_GAP;
	}
	return number_map_get(&truth->function_map,
			      number_hash(image, &wanted.start, sizeof(wanted.start)),
			      function_equal, pair);
}

/* What who goes by symbols alone calls an address that none covers: the function before. */
static int add_nearest(struct score_truth *truth, uint32_t image, uint64_t address, uint32_t *ret,
		       struct error *error)
{
	size_t count, at;
	const struct image_symbol *symbol = image_symbols(truth->image[image].image, &count);

	at = symbols_before(symbol, count, address + 1);
	return at ? add_function(truth, image, symbol[at - 1].pc, ret, error) : 0;
}

/* What who sees only exported symbols calls an address whose function is none of them: the last one
 * before. A local symbol is not in .dynsym, and gone from a stripped copy. */
static int add_exported(struct score_truth *truth, uint32_t function, uint64_t address,
			uint32_t *ret, struct error *error)
{
	uint32_t image = truth->function[function].image;
	size_t count, at;
	const struct image_symbol *symbol = image_symbols(truth->image[image].image, &count);

	at = symbols_before(symbol, count, address + 1);
	while (at && symbol[at - 1].binding == STB_LOCAL)
		at--;
	if (!at || (symbol[at - 1].pc == truth->function[function].start &&
		    !truth->function[function].is_gap))
		return 0;
	return add_function(truth, image, symbol[at - 1].pc, ret, error);
}

/* What the function is called at an address by those who have not its symbols: "fde@0x1230". A
 * function may have several such names. */
static int add_unnamed(struct score_truth *truth, uint32_t function, uint64_t address,
		       struct error *error)
{
	const struct score_image *in = &truth->image[truth->function[function].image];
	struct adding_key adding = { truth, function, 0, error };
	struct code_name name;
	char text[64];

	code_name_find_unnamed(in->image, in->cfi, address, &name);
	if (name.kind == CODE_STUB)
		return 0;
	code_name_print(&name, text, sizeof(text));
	return add_key(&adding, text, SPELLING_FULL);
}

/* ---- places --------------------------------------------------------------------------------- */

static uint64_t place_hash(const struct score_place *place)
{
	return number_hash(place->image * 2ull + place->is_caller, &place->address,
			   sizeof(place->address));
}

static bool place_equal(void *context, uint32_t number)
{
	const struct score_place *const *pair = context, *a = &pair[0][number], *b = pair[1];

	return a->address == b->address && a->image == b->image && a->is_caller == b->is_caller;
}

/* before: it is named by the byte before. */
static int add_place(struct score_truth *truth, const struct truth_node *node, bool is_caller,
		     bool before, uint32_t *ret, struct error *error)
{
	struct score_place wanted = { .image = node->image,
				      .address = node->address,
				      .is_caller = is_caller };
	const struct score_place *pair[] = { truth->place, &wanted };
	uint32_t *slot = number_map_find(&truth->place_map, place_hash(&wanted), place_equal, pair);
	const struct score_image *image = &truth->image[node->image];

	if (!slot)
		return no_memory(error);
	*ret = *slot;
	if (*slot)
		return 0;
	wanted.offset = offset_of(image, node->address);
	before = before && image->image;
	if (add_function(truth, node->image, node->address - before, &wanted.function, error) ||
	    (image->image && add_unnamed(truth, wanted.function, node->address - before, error)))
		return -1;
	if (image->image && !truth->function[wanted.function].is_named)
		truth->image[node->image].is_stripped = true;
	if (image->image && !truth->function[wanted.function].is_symbol &&
	    add_nearest(truth, node->image, node->address - before, &wanted.nearest, error))
		return -1;
	if (image->image &&
	    add_exported(truth, wanted.function, node->address - before, &wanted.exported, error))
		return -1;
	if (!ARRAY_ADD(truth->place, truth->places, wanted))
		return no_memory(error);
	*ret = *slot = truth->places - 1;
	return 0;
}

uint32_t score_truth_place(const struct score_truth *truth, uint32_t image, uint64_t address,
			   bool is_caller)
{
	struct score_place wanted = { .image = image, .address = address, .is_caller = is_caller };
	const struct score_place *pair[] = { truth->place, &wanted };

	return number_map_get(&truth->place_map, place_hash(&wanted), place_equal, pair);
}

/* An address of which no call is the reason: a signal came there, or it is a signal's frame. */
static bool is_interrupted(const struct score_truth *truth, uint32_t number)
{
	const struct truth_node *node = truth_file_node(truth->file, number);

	for (uint32_t child = number + 1; child < node->end;
	     child = truth_file_node(truth->file, child)->end)
		if (truth_file_node(truth->file, child)->interrupts)
			return true;
	return node->interrupts;
}

static int add_places(struct score_truth *truth, struct error *error)
{
	uint32_t count = truth_file_node_count(truth->file);

	truth->leaf_place = calloc(count, sizeof(*truth->leaf_place));
	truth->caller_place = calloc(count, sizeof(*truth->caller_place));
	if (!truth->leaf_place || !truth->caller_place)
		return no_memory(error);
	for (uint32_t i = 0; i < count; i++) {
		const struct truth_node *node = truth_file_node(truth->file, i);

		if (!node->depth)
			continue;
		if (node->points || node->unproven || node->in_kernel) {
			truth->stacks++;
			if (add_place(truth, node, false, false, &truth->leaf_place[i], error))
				return -1;
		}
		if (node->end > i + 1 && add_place(truth, node, true, !is_interrupted(truth, i),
						   &truth->caller_place[i], error))
			return -1;
	}
	return 0;
}

/* ---- leaves --------------------------------------------------------------------------------- */

/* By function, then by parent; what is proven first. */
static int compare_leaves(const void *a, const void *b)
{
	const struct score_leaf *one = a, *other = b;

	if (one->function != other->function)
		return one->function < other->function ? -1 : 1;
	if (one->parent != other->parent)
		return one->parent < other->parent ? -1 : 1;
	if (one->proven != other->proven)
		return one->proven ? -1 : 1;
	return (one->node > other->node) - (one->node < other->node);
}

/* The first of each function and parent stays. */
static void join_leaves(struct score_truth *truth)
{
	struct score_leaf *leaf = truth->leaf;
	uint32_t left = 0;

	for (uint32_t i = 0; i < truth->stacks; i++) {
		truth->function[leaf[i].function].is_doubted |= leaf[i].is_doubted;
		if (!left || leaf[left - 1].function != leaf[i].function ||
		    leaf[left - 1].parent != leaf[i].parent)
			leaf[left++] = leaf[i];
	}
	truth->leaves = left;
	for (uint32_t i = 0; i < left; i++) {
		struct score_function *function = &truth->function[leaf[i].function];

		if (!function->end_leaf) {
			function->first_leaf = i;
			function->leaf_place = truth->leaf_place[leaf[i].node];
		}
		function->end_leaf = i + 1;
	}
}

/* By caller's place, or the leaf's if nothing is below it. */
static void mark_outermost(struct score_truth *truth)
{
	for (uint32_t i = 0; i < truth_file_node_count(truth->file); i++) {
		uint32_t place = truth->caller_place[i] ? truth->caller_place[i]
							: truth->leaf_place[i];

		if (place && truth_file_node(truth->file, i)->depth == 1)
			truth->function[truth->place[place].function].is_outermost = true;
	}
}

static int add_leaves(struct score_truth *truth, struct error *error)
{
	uint32_t count = truth_file_node_count(truth->file);

	truth->leaf = calloc(truth->stacks + 1ul, sizeof(*truth->leaf));
	if (!truth->leaf)
		return no_memory(error);
	truth->stacks = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct truth_node *node = truth_file_node(truth->file, i);

		if (!truth->leaf_place[i])
			continue;
		truth->leaf[truth->stacks++] = (struct score_leaf) {
			.node = i,
			.function = truth->place[truth->leaf_place[i]].function,
			.parent = node->parent,
			.proven = truth_node_is_proven(node),
			.is_doubted = node->unproven != 0,
		};
	}
	if (truth->stacks)
		qsort(truth->leaf, truth->stacks, sizeof(*truth->leaf), compare_leaves);
	join_leaves(truth);
	mark_outermost(truth);
	return 0;
}

/* ---- all of it ------------------------------------------------------------------------------ */

const char *score_truth_gap(const struct score_truth *truth)
{
	return truth_file_number(truth->file, "driven") ? truth_file_lost(truth->file)
							: truth_file_gap(truth->file);
}

bool score_truth_attached(const struct score_truth *truth)
{
	return truth_file_number(truth->file, "attached") != 0;
}

double score_truth_unproven(const struct score_truth *truth)
{
	uint64_t points = truth_file_number(truth->file, "points");

	return points ? 100.0 * truth_file_number(truth->file, "unproven") / points : 0;
}

int score_truth_add_name(struct score_truth *truth, const char *name, struct error *error)
{
	return ARRAY_ADD(truth->name, truth->names, name) ? 0 : no_memory(error);
}

static int add_thread_names(struct score_truth *truth, struct error *error)
{
	for (size_t i = 0; i < truth_file_field_count(truth->file); i++) {
		const struct truth_field *field = truth_file_field(truth->file, i);

		if (field->text && !strcmp(field->name, "thread_name") &&
		    score_truth_add_name(truth, field->text, error))
			return -1;
	}
	return 0;
}

/* ---- where images were mapped ------------------------------------------------------------------ */

ARRAY_ORDER_TWO(by_bias, struct score_bias, image, bias)

static int add_biases(struct score_truth *truth, struct error *error)
{
	size_t kept = 0;

	for (size_t i = 0; i < truth_file_entry_count(truth->file); i++) {
		const struct truth_entry *entry = truth_file_entry(truth->file, i);
		const struct truth_node *node = truth_file_node(truth->file, entry->node);
		const struct score_bias bias = { node->image, entry->pc - node->address };

		/* Neighbours are mostly alike. */
		if (truth->biases && truth->bias[truth->biases - 1].image == bias.image &&
		    truth->bias[truth->biases - 1].bias == bias.bias)
			continue;
		if (!ARRAY_ADD(truth->bias, truth->biases, bias))
			return no_memory(error);
	}
	ARRAY_SORT(truth->bias, truth->biases, by_bias);
	for (size_t i = 0; i < truth->biases; i++)
		if (!kept || by_bias(&truth->bias[kept - 1], &truth->bias[i]))
			truth->bias[kept++] = truth->bias[i];
	truth->biases = kept;
	return 0;
}

enum frame_match score_truth_runtime(const struct score_truth *truth, uint32_t place,
				     uint64_t address)
{
	const struct score_place *at = &truth->place[place];
	size_t first = ARRAY_BEFORE(truth->biases, i, truth->bias[i].image < at->image);

	if (first == truth->biases || truth->bias[first].image != at->image)
		return FRAME_MAYBE;
	for (size_t i = first; i < truth->biases && truth->bias[i].image == at->image; i++)
		if (address - truth->bias[i].bias == at->address ||
		    (at->is_caller && address + 1 - truth->bias[i].bias == at->address))
			return FRAME_YES;
	return FRAME_NO;
}

int score_truth_open(struct score_truth *truth, const char *path, struct error *error)
{
	return score_truth_open_in(truth, path, NULL, error);
}

int score_truth_open_in(struct score_truth *truth, const char *path, const char *root,
			struct error *error)
{
	const char *slash;

	*truth = (struct score_truth) { .main_image = UINT32_MAX };
	if (truth_file_open(path, &truth->file, error))
		return -1;
	truth_file_set_root(truth->file, root);
	if (truth_file_number(truth->file, "driven"))
		truth->same = (struct score_same) { .build = true, .run = true };
	truth->program = truth_file_text(truth->file, "program");
	truth->program = truth->program ? truth->program : "";
	slash = strrchr(truth->program, '/');
	snprintf(truth->comm, sizeof(truth->comm), "%s", slash ? slash + 1 : truth->program);
	/* Number 0 is none of each. */
	if (!ARRAY_GROW(truth->function, 0) || !ARRAY_GROW(truth->place, 0) ||
	    !ARRAY_GROW(truth->keyed, 0) || !ARRAY_GROW(truth->symbol, 0) ||
	    !ARRAY_RESERVE(truth->key_first, truth->key_room, 1)) {
		no_memory(error);
		goto bad;
	}
	truth->function[truth->functions++] = (struct score_function) { 0 };
	truth->place[truth->places++] = (struct score_place) { 0 };
	truth->keyed[truth->keyed_count++] = (struct score_keyed) { 0 };
	truth->symbol[truth->symbols++] = (struct score_keyed) { 0 };
	truth->key_first[0] = 0;
	if (!add_thread_names(truth, error) && !add_biases(truth, error) &&
	    !open_images(truth, error) && !add_places(truth, error) && !add_leaves(truth, error))
		return 0;
bad:
	score_truth_close(truth);
	return -1;
}

void score_truth_close(struct score_truth *truth)
{
	free(truth->bias);
	for (size_t i = 0; truth->image && i < truth_file_image_count(truth->file); i++) {
		cfi_destroy(truth->image[i].cfi);
		image_destroy(truth->image[i].image);
		profile_texts_deinit(&truth->image[i].inlined);
		score_dwarf_close(truth->image[i].dwarf);
	}
	for (uint32_t i = 0; i < truth->functions; i++)
		free(truth->function[i].name);
	truth_file_close(truth->file);
	free(truth->image);
	free(truth->function);
	free(truth->place);
	number_map_deinit(&truth->function_map);
	number_map_deinit(&truth->place_map);
	free(truth->leaf_place);
	free(truth->caller_place);
	free(truth->leaf);
	profile_texts_deinit(&truth->keys);
	free(truth->key_first);
	free(truth->key_last);
	free(truth->keyed);
	free(truth->symbol_first);
	free(truth->symbol);
	free(truth->name);
	*truth = (struct score_truth) { 0 };
}

void score_truth_describe(const struct score_truth *truth, uint32_t number, uint64_t address,
			  bool is_caller, char *text, size_t size)
{
	const struct score_image *image = &truth->image[number];
	struct code_name name;
	char function[NAME_KEY_MAX];

	if (!image->image) {
		snprintf(text, size, "0x%llx (%s)", (unsigned long long)address, image->name);
		return;
	}
	code_name_find(image->image, image->cfi, address - is_caller, &name);
	code_name_print(&name, function, sizeof(function));
	snprintf(text, size, "%s+0x%llx (%s)", function, (unsigned long long)(address - name.start),
		 image->name);
}
