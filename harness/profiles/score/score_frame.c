/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_frame.c - a profile's frame against a place of the truth
 *
 * perf's text does not say whether an address is an offset in the image's file or the process's
 * own, where it could be both (in a program that is not position-independent and larger than where
 * it is mapped). The name and the offset behind it decide then; without them the offset is believed
 * if there is code.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "hex_text.h"
#include "score_frame.h"
#include "score_name.h"
#include "score_spelling.h"

#define DELETED " (deleted)"

/* ---- the image ------------------------------------------------------------------------------ */

static bool same_file(const char *a, const char *b)
{
	size_t size = strlen(a), deleted = strlen(DELETED);

	if (size > deleted && !strcmp(a + size - deleted, DELETED))
		size -= deleted;
	return !strncmp(a, b, size) && (!b[size] || !strcmp(b + size, DELETED));
}

static bool same_path(const char *a, const char *b)
{
	/* Of what folded stacks put in brackets, the brackets are taken off. */
	return !strcmp(a, "vdso") ? !strcmp(b, "[vdso]") : same_file(a, b);
}

/* How many images are meant by a path: one, or by its last part all that have it. */
static size_t find_path(const struct score_truth *truth, const char *path, uint32_t *ret)
{
	size_t count = truth_file_image_count(truth->file), found = 0;
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;

	/* A file that was replaced in the run is there twice. */
	for (size_t i = 0; i < count; i++)
		if (same_path(path, truth->image[i].truth->path)) {
			*ret = i;
			found++;
		}
	if (found)
		return found;
	for (size_t i = 0; i < count; i++)
		if (same_path(last, truth->image[i].name)) {
			*ret = i;
			found++;
		}
	return found;
}

/* False: it is none of the truth's. */
static bool find_image(const struct score_truth *truth, const struct profile *profile,
		       const struct profile_frame *frame, struct score_frame *ret)
{
	uint8_t build_id[BUILD_ID_MAX];
	size_t size = hex_bytes(profile_text(profile, frame->build_id), build_id, sizeof(build_id)),
	       found;

	if (size && truth_file_find_image(truth->file, build_id, size, NULL, &ret->image)) {
		ret->has_image = ret->by_build_id = true;
		return true;
	}
	if (!frame->image)
		return true;
	found = find_path(truth, profile_text(profile, frame->image), &ret->image);
	ret->has_image = found == 1;
	ret->other_build = found == 1 && size && truth->image[ret->image].truth->build_id_size;
	return found > 0;
}

/* ---- the name ------------------------------------------------------------------------------- */

struct taking_key {
	struct score_truth *truth;
	struct score_frame *frame;
	enum spelling spelling; /* in which a symbol has it */
};

/* The first that a symbol has. */
static int take_key(void *context, const char *key, enum spelling spelling)
{
	struct taking_key *taking = context;

	taking->spelling = spelling;
	taking->frame->key = score_truth_key(taking->truth, key);
	return taking->frame->key != 0;
}

/* Some image's DWARF says that a function of that name is inlined somewhere. It may have no
 * parameters there, where a demangler's name has; or be spelled otherwise, if that is all by which a symbol has it. */
static int find_inlined(void *context, const char *key, enum spelling spelling)
{
	struct taking_key *taking = context;
	const struct score_frame *frame = taking->frame;
	size_t count = truth_file_image_count(taking->truth->file);

	for (size_t i = 0; (spelling <= SPELLING_BARE || spelling <= taking->spelling) && i < count;
	     i++)
		if ((!frame->has_image || frame->image == i) &&
		    score_truth_inlines(taking->truth, i, key))
			return 1;
	return 0;
}

/* ---- which functions of the key ------------------------------------------------------------- */

/* The symbols of the frame's key, and its functions that have none, one after another. */
struct candidate {
	const char *name;
	uint32_t image;
	uint64_t start;
	uint32_t symbol, function; /* indices of the next ones */
};

static struct candidate first_candidate(const struct score_truth *truth, uint32_t key)
{
	return (struct candidate) { .symbol = truth->symbol_first[key],
				    .function = truth->key_first[key] };
}

/* False: there are no more in the frame's image. */
static bool next_candidate(const struct score_truth *truth, const struct score_frame *frame,
			   struct candidate *ret)
{
	while (ret->symbol) {
		const struct image_symbol *symbol =
			score_truth_symbol(truth, truth->symbol[ret->symbol].function, &ret->image);

		ret->symbol = truth->symbol[ret->symbol].next;
		ret->name = symbol->name;
		ret->start = symbol->pc;
		if (!frame->has_image || frame->image == ret->image)
			return true;
	}
	while (ret->function) {
		const struct score_function *function =
			&truth->function[truth->keyed[ret->function].function];

		ret->function = truth->keyed[ret->function].next;
		ret->name = function->name;
		ret->image = function->image;
		ret->start = function->start;
		if (!function->is_symbol && (!frame->has_image || frame->image == ret->image))
			return true;
	}
	return false;
}

/* All that has the key is at one address, or none of it was run. */
static bool is_decided(const struct score_truth *truth, const struct score_frame *frame)
{
	struct candidate at = first_candidate(truth, frame->key), first;
	bool found = next_candidate(truth, frame, &at);

	first = at;
	if (!truth->key_first[frame->key])
		return true;
	while (found && next_candidate(truth, frame, &at))
		if (at.image != first.image || at.start != first.start)
			return false;
	return true;
}

static bool has_text(const struct score_truth *truth, const struct score_frame *frame,
		     const char *name)
{
	struct candidate at = first_candidate(truth, frame->key);

	while (next_candidate(truth, frame, &at))
		if (name_is_text(name, at.name))
			return true;
	return false;
}

static enum name_grade best_grade(const struct score_truth *truth, const struct score_frame *frame,
				  const struct name_asked *name)
{
	struct candidate at = first_candidate(truth, frame->key);
	enum name_grade best = NAME_OTHER;

	while (best != NAME_WHOLE && next_candidate(truth, frame, &at)) {
		enum name_grade grade = name_has_words(name, at.name) ? name_grade(name, at.name)
								      : NAME_OTHER;

		best = grade > best ? grade : best;
	}
	return best;
}

/* A symbol of the frame's key has the whole name. */
static bool is_whole(const struct score_truth *truth, const struct score_frame *frame,
		     const char *name, struct name_asked *ret_asked)
{
	name_ask(name, ret_asked);
	return best_grade(truth, frame, ret_asked) == NAME_WHOLE;
}

/* The key's functions differ by more than clones do: what a name says could be any one's. */
static bool are_several(const struct score_truth *truth, const struct score_frame *frame)
{
	struct candidate at = first_candidate(truth, frame->key);
	const char *first = next_candidate(truth, frame, &at) ? at.name : NULL;

	while (next_candidate(truth, frame, &at))
		if (!name_is_clone(first, at.name))
			return true;
	return false;
}

/*
 * Makes keys of the frame's own, of the functions that the name means and of those that it may mean. Whose whole
 * spelling it is, is meant for certain; who leaves something out has that name for others, too. If there is none
 * such, any that it may be short for is meant.
 */
static int decide(struct score_truth *truth, const struct name_asked *name, enum name_grade best,
		  struct score_frame *frame, struct error *error)
{
	char text[NAME_KEY_MAX + 32];
	uint32_t from = frame->key, *const to[] = { &frame->key, &frame->doubtful };
	bool is_new;

	for (int i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "\n%d %d %s", i,
			 frame->has_image ? (int)frame->image : -1, name->name);
		if (score_truth_add_key(truth, text, to[i], &is_new, error))
			return -1;
	}
	for (uint32_t at = truth->key_first[from]; is_new && at; at = truth->keyed[at].next) {
		uint32_t function = truth->keyed[at].function;
		enum name_grade grade = score_truth_grade(truth, name, function);
		unsigned int less = grade < best ? best - grade : 0;

		if (less < 2 && score_truth_add_function(truth, *to[less], function, error))
			return -1;
	}
	return 0;
}

static int resolve_meant(struct score_truth *truth, const char *name, struct score_frame *ret,
			 struct error *error)
{
	struct score_frame cut = { 0 }, whole = *ret;
	struct taking_key taking_cut = { .truth = truth, .frame = &cut };
	struct name_asked asked;
	char text[NAME_KEY_MAX];
	enum name_grade best;
	bool has_note;

	snprintf(text, sizeof(text), "%s", name);
	has_note = name_cut_note(text);
	if (!ret->key || (!has_note && is_decided(truth, ret)))
		return 0;
	name_ask(name, &asked);
	best = best_grade(truth, ret, &asked);
	if (has_note && has_text(truth, ret, name) && name_spellings(text, take_key, &taking_cut)) {
		/* A symbol that looks like another one's name and a note: nobody can tell. */
		if (decide(truth, &asked, best, &whole, error))
			return -1;
		ret->key = cut.key;
		ret->other_whole = whole.key;
		return 0;
	}
	if (has_note && best != NAME_WHOLE) {
		name_ask(text, &asked);
		best = best_grade(truth, ret, &asked);
	}
	if (best >= NAME_MEANT)
		return decide(truth, &asked, best, ret, error);
	ret->is_strange = name_has_details(&asked) && are_several(truth, ret);
	return 0;
}

static int resolve_name(struct score_truth *truth, const char *name, struct score_frame *ret,
			struct error *error)
{
	struct taking_key taking = { .truth = truth, .frame = ret };

	if (score_truth_symbols(truth, error))
		return -1;
	name_spellings(name, take_key, &taking);
	ret->is_symbol = ret->key != 0;
	ret->symbol_key = ret->key;
	if (resolve_meant(truth, name, ret, error))
		return -1;
	ret->may_inline = !ret->is_symbol || name_spellings(name, find_inlined, &taking);
	return 0;
}

/* ---- the address ---------------------------------------------------------------------------- */

/* The places behind the symbols that a name may mean, in all images or in one. */
struct places {
	uint64_t name_offset; /* behind a symbol */
	uint64_t wanted;
	uint32_t image; /* of the last one */
	uint64_t address;
	size_t count;	 /* of different ones */
	bool has_wanted; /* one of the addresses is that */
	bool has_inside; /* one is before its symbol's end */
};

static int add_place(void *context, uint32_t image, const struct image_symbol *symbol)
{
	struct places *places = context;
	uint64_t address = symbol->pc + places->name_offset;

	places->has_wanted |= address == places->wanted;
	places->has_inside |= places->name_offset < symbol->end - symbol->pc;
	places->count += !places->count || places->image != image || places->address != address;
	places->image = image;
	places->address = address;
	return 0;
}

static struct places places_of(const struct score_truth *truth, const char *name,
			       uint64_t name_offset, uint32_t image, uint64_t wanted)
{
	struct places ret = { .name_offset = name_offset, .wanted = wanted };

	score_truth_each_symbol(truth, name, image, add_place, &ret);
	return ret;
}

/* A symbol of that name in the image begins name_offset before vaddr. */
static bool check_symbol(const struct score_truth *truth, uint32_t image, const char *name,
			 uint64_t name_offset, uint64_t vaddr)
{
	return places_of(truth, name, name_offset, image, vaddr).has_wanted;
}

/* All symbols of that name in the image begin at one address. */
static bool find_symbol(const struct score_truth *truth, uint32_t image, const char *name,
			uint64_t name_offset, uint64_t *ret)
{
	struct places places = places_of(truth, name, name_offset, image, 0);

	*ret = places.count == 1 ? places.address : *ret;
	return places.count == 1;
}

static bool is_code(const struct score_image *image, uint64_t vaddr)
{
	for (size_t i = 0; image->image && i < image->image->segment_count; i++)
		if (image->image->segment[i].executable &&
		    vaddr - image->image->segment[i].vaddr < image->image->segment[i].file_bytes)
			return true;
	return false;
}

/*
 * It is an offset in the file, or the image's own address, and who wrote it does not say which: "[libc.so.6+0x2724a]", or a
 * number that lies below the mapping that pprof has for it. Such are of profilers that have made the process's addresses the
 * image's (lightswitch), and write where it was mapped all the same.
 */
static bool is_either(const struct score_image *image, const struct profile *profile,
		      const struct profile_frame *frame)
{
	bool is_open = profile->format == PROFILE_FOLDED
			       ? frame->kind == PROFILE_FILE_OFFSET
			       : profile->format == PROFILE_PPROF && frame->kind == PROFILE_RUNTIME;

	return is_open && is_code(image, frame->address);
}

/* What address the frame has in its image, where no name is asked for it. */
static bool plain_address(const struct score_truth *truth, const struct profile_frame *frame,
			  const struct score_frame *in, uint64_t *ret)
{
	const struct score_image *image = &truth->image[in->image];

	*ret = frame->address;
	if (!in->has_image)
		return false;
	if (frame->kind == PROFILE_RELATIVE && image->image && image->image->segment_count) {
		*ret += image->image->segment[0].vaddr;
		return true;
	}
	return frame->kind == PROFILE_VADDR ||
	       (frame->kind == PROFILE_FILE_OFFSET && frame->mapped == PROFILE_NO_OFFSET &&
		score_truth_vaddr(image, frame->address, ret));
}

/* What image and address the frame has as the truth counts them. False: it can't be said. */
static bool resolve_address(const struct score_truth *truth, const struct profile *profile,
			    const struct profile_frame *frame, const struct score_frame *in,
			    uint64_t *ret)
{
	const struct score_image *image = &truth->image[in->image];
	const char *name = profile_text(profile, frame->name);
	bool named = frame->name && frame->name_offset != PROFILE_NO_OFFSET, is_offset, is_mapped;
	uint64_t mapped;

	if (plain_address(truth, frame, in, ret))
		return true;
	is_offset = frame->kind == PROFILE_FILE_OFFSET &&
		    score_truth_vaddr(image, frame->address, ret);
	is_mapped = frame->mapped != PROFILE_NO_OFFSET &&
		    score_truth_vaddr(image, frame->mapped, &mapped);
	if (is_offset && is_mapped && named &&
	    check_symbol(truth, in->image, name, frame->name_offset, mapped) &&
	    !check_symbol(truth, in->image, name, frame->name_offset, *ret))
		is_offset = false;
	if (is_offset)
		return true;
	if (is_mapped) {
		*ret = mapped;
		return true;
	}
	if (in->has_image && is_either(image, profile, frame)) {
		*ret = frame->address;
		return true;
	}
	return named && find_symbol(truth, in->image, name, frame->name_offset, ret);
}

/* The offset is inside a symbol of one of the functions that have the key, in the frame's image if it
 * has one. */
static bool is_inside(const struct score_truth *truth, uint32_t key, uint64_t name_offset,
		      const struct score_frame *frame)
{
	for (uint32_t at = truth->key_first[key]; at; at = truth->keyed[at].next) {
		const struct score_function *function = &truth->function[truth->keyed[at].function];
		const struct image *image = truth->image[function->image].image;
		size_t count = 0;
		const struct image_symbol *symbol = image ? image_symbols(image, &count) : NULL;

		if (frame->has_image && frame->image != function->image)
			continue;
		for (size_t i = 0; i < count; i++)
			if (symbol[i].pc == function->start &&
			    name_offset < symbol[i].end - symbol[i].pc)
				return true;
	}
	return false;
}

/* The offset is beyond the end of each symbol of that name: who sees few symbols calls code by the
 * last one before. So it is an address, and the name says nothing of the function. If there is only
 * one such symbol, the frame has the address. */
static bool is_beyond(const struct score_truth *truth, const char *name, uint64_t name_offset,
		      struct score_frame *ret)
{
	struct places places = places_of(truth, name, name_offset,
					 ret->has_image ? ret->image : UINT32_MAX, 0);

	if (places.has_inside)
		return false;
	if (places.count == 1) {
		ret->how = FRAME_ADDRESS;
		ret->has_image = true;
		ret->image = places.image;
		ret->address = places.address;
	}
	return places.count > 0;
}

/* A name with an offset, and no address. */
static int resolve_offset(struct score_truth *truth, const struct profile *profile,
			  const struct profile_frame *frame, struct score_frame *ret,
			  struct error *error)
{
	const char *name = profile_text(profile, frame->name);
	struct score_frame named = *ret;

	if (resolve_name(truth, name, &named, error))
		return -1;
	ret->is_beyond = named.is_symbol && !is_inside(truth, named.key, frame->name_offset, ret) &&
			 is_beyond(truth, name, frame->name_offset, ret);
	return 0;
}

/* The symbol before vaddr is called name, or one that begins there with it. */
static bool is_named(const struct score_truth *truth, uint32_t number, const char *name,
		     uint64_t vaddr)
{
	size_t count = 0;
	const struct image_symbol *symbol = image_symbols(truth->image[number].image, &count);
	uint64_t start = UINT64_MAX;

	for (size_t i = 0; i < count && symbol[i].pc <= vaddr; i++)
		start = symbol[i].pc;
	return start != UINT64_MAX && check_symbol(truth, number, name, vaddr - start, vaddr);
}

/* Some symbol of the image is at vaddr. */
static bool is_symbol_at(const struct score_image *image, uint64_t vaddr)
{
	size_t count = 0;
	const struct image_symbol *symbol = image_symbols(image->image, &count);

	return ARRAY_ANY(count, i, symbol[i].pc == vaddr);
}

static bool is_offset_of_code(const struct score_truth *truth, uint64_t offset)
{
	uint64_t vaddr;

	return ARRAY_ANY(truth_file_image_count(truth->file), i,
			 score_truth_vaddr(&truth->image[i], offset, &vaddr));
}

/* How a frame whose image is not said may be in an image. */
enum unsaid {
	UNSAID_NAME, /* the name, and the offset behind it, are right at that offset in the file */
	UNSAID_SYMBOL, /* only the offset behind the name is: perf may have the name of the DWARF */
	UNSAID_ALONE, /* the name is there, but not the address: old versions print the process's */
	UNSAID_COUNT,
};

static bool is_unsaid_in(const struct score_truth *truth, uint32_t number,
			 const struct profile *profile, const struct profile_frame *frame,
			 enum unsaid how, uint64_t *ret)
{
	const struct score_image *image = &truth->image[number];
	const char *name = profile_text(profile, frame->name);
	bool has_offset = frame->name_offset != PROFILE_NO_OFFSET;

	if (how == UNSAID_ALONE)
		return has_offset && find_symbol(truth, number, name, frame->name_offset, ret);
	if (!score_truth_vaddr(image, frame->address, ret))
		return false;
	if (how == UNSAID_SYMBOL) /* of a stripped one nobody knows */
		return has_offset &&
		       (image->is_stripped || is_symbol_at(image, *ret - frame->name_offset));
	return has_offset ? check_symbol(truth, number, name, frame->name_offset, *ret)
			  : is_named(truth, number, name, *ret);
}

/* The only image that a frame may be in whose image is not said: then it has an address there. */
static void find_unsaid(const struct score_truth *truth, const struct profile *profile,
			const struct profile_frame *frame, struct score_frame *ret)
{
	size_t found = 0, image = 0;
	enum unsaid by = UNSAID_NAME;
	uint64_t address = 0;

	for (enum unsaid how = UNSAID_NAME; how < UNSAID_COUNT && frame->name && !found; how++)
		for (size_t i = 0; i < truth_file_image_count(truth->file); i++) {
			uint64_t vaddr;

			if ((how == UNSAID_ALONE && is_offset_of_code(truth, frame->address)) ||
			    !is_unsaid_in(truth, i, profile, frame, how, &vaddr))
				continue;
			image = i;
			address = vaddr;
			by = how;
			found++;
		}
	if (found != 1 || (by == UNSAID_SYMBOL && truth->image[image].is_stripped))
		return;
	ret->has_image = true;
	ret->image = image;
	ret->how = FRAME_ADDRESS;
	ret->address = address;
}

/* The path is one of an image, not of what code that a program makes is said to be in. */
static bool is_file(const char *path)
{
	static const char *const made[] = { "//anon", "/memfd:", "/dev/", "/tmp/perf-", "/SYSV" };

	return !ARRAY_ANY(ARRAY_COUNT(made), i, !strncmp(path, made[i], strlen(made[i]))) &&
	       path[0] == '/';
}

/*
 * pprof's addresses may be those of functions: who adds up by functions (lightswitch, once it has symbols) has no other
 * any more. So one at which a symbol begins, and nothing returns, stands for a function, which the name tells.
 */
static bool is_function_s(const struct score_truth *truth, const struct profile *profile,
			  const struct profile_frame *frame, const struct score_frame *at)
{
	return profile->format == PROFILE_PPROF && frame->name && truth->image[at->image].image &&
	       is_symbol_at(&truth->image[at->image], at->address) &&
	       !score_truth_place(truth, at->image, at->address, true);
}

/* The reading that the frame's address is not. */
static void set_other(const struct score_image *image, const struct profile_frame *frame,
		      struct score_frame *ret)
{
	uint64_t other = frame->address;

	if (other != ret->address || score_truth_vaddr(image, frame->address, &other))
		ret->other = other == ret->address ? SCORE_NO_OFFSET : other;
}

/* A frame as its format has it. */
static int resolve(struct score_truth *truth, const struct profile *profile, uint32_t number,
		   struct score_frame *ret, struct error *error)
{
	const struct profile_frame *frame = profile_frame(profile, number);
	bool is_perf = profile->format == PROFILE_PERF_SCRIPT ||
		       profile->format == PROFILE_PERF_DATA,
	     is_known;
	/* "libc!read": what an image is called in a text need not be its file's name. */
	bool is_spelled = profile->format == PROFILE_FOLDED && frame->name &&
			  !strchr(profile_text(profile, frame->image), '/');
	uint64_t address;

	*ret = (struct score_frame) { .ready = true,
				      .how = FRAME_NOTHING,
				      .runtime = frame->kind == PROFILE_RUNTIME && !frame->image
							 ? frame->address
							 : SCORE_NO_OFFSET,
				      .other = SCORE_NO_OFFSET };
	is_known = find_image(truth, profile, frame, ret);
	ret->name_offset = frame->name_offset;
	if (frame->name && !plain_address(truth, frame, ret, &address) &&
	    score_truth_symbols(truth, error))
		return -1;
	if ((is_known || is_spelled) && frame->name && frame->kind == PROFILE_NO_ADDRESS &&
	    frame->name_offset != PROFILE_NO_OFFSET &&
	    resolve_offset(truth, profile, frame, ret, error))
		return -1;
	if (ret->how == FRAME_ADDRESS)
		return 0;
	if (ret->has_image && resolve_address(truth, profile, frame, ret, &ret->address) &&
	    !is_function_s(truth, profile, frame, ret)) {
		ret->how = FRAME_ADDRESS;
		if (is_either(&truth->image[ret->image], profile, frame))
			set_other(&truth->image[ret->image], frame, ret);
		return 0;
	}
	if (!frame->image && frame->kind == PROFILE_FILE_OFFSET) {
		ret->how = FRAME_OFFSET;
		ret->address = frame->address;
		find_unsaid(truth, profile, frame, ret);
		if (ret->has_image || !frame->name || is_offset_of_code(truth, frame->address))
			return 0;
	}
	/* perf knows all mappings with code. */
	if ((!is_known && !is_spelled) ||
	    (is_perf && frame->kind == PROFILE_RUNTIME && !frame->image)) {
		ret->how = is_file(profile_text(profile, frame->image)) ? FRAME_ABSENT
									: FRAME_FOREIGN;
		return 0;
	}
	if (frame->name) {
		ret->how = FRAME_NAME;
		return resolve_name(truth, profile_text(profile, frame->name), ret, error);
	}
	ret->how = ret->has_image ? FRAME_IMAGE : FRAME_NOTHING;
	return 0;
}

/* All that the text has of the frame is a symbol's name: "lib!x". If its parts may mean something, too,
 * nobody can tell. */
static int resolve_text(struct score_truth *truth, const char *text, const char *name,
			struct score_frame *ret, struct error *error)
{
	struct score_frame all = { .ready = true,
				   .how = FRAME_NAME,
				   .is_text = true,
				   .other = SCORE_NO_OFFSET,
				   .name_offset = PROFILE_NO_OFFSET },
			   part = { 0 };
	struct taking_key taking = { .truth = truth, .frame = &all };
	struct name_asked asked;

	if (score_truth_symbols(truth, error))
		return -1;
	if (ret->how == FRAME_NOTHING || !name_spellings(text, take_key, &taking) ||
	    !is_whole(truth, &all, text, &asked))
		return 0;
	if (*name && resolve_name(truth, name, &part, error))
		return -1;
	if (!part.key && (*name || (ret->how != FRAME_ADDRESS && ret->how != FRAME_OFFSET &&
				    ret->how != FRAME_IMAGE))) {
		*ret = all;
		return resolve_name(truth, text, ret, error);
	}
	if (decide(truth, &asked, NAME_WHOLE, &all, error))
		return -1;
	ret->other_whole = all.key;
	ret->doubtful = 0;
	ret->is_symbol = ret->may_inline = true;
	if (ret->how == FRAME_ADDRESS || ret->how == FRAME_OFFSET)
		ret->how = !*name ? FRAME_IMAGE : FRAME_NAME;
	ret->key = ret->how == FRAME_NAME ? part.key : 0;
	return 0;
}

int score_frame_resolve(struct score_truth *truth, const struct profile *profile, uint32_t number,
			struct score_frame *ret, struct error *error)
{
	const struct profile_frame *frame = profile_frame(profile, number);

	if (resolve(truth, profile, number, ret, error))
		return -1;
	return frame->text ? resolve_text(truth, profile_text(profile, frame->text),
					  profile_text(profile, frame->name), ret, error)
			   : 0;
}

bool score_frame_is_signal(const struct score_truth *truth, const struct score_frame *frame)
{
	const struct score_image *in = frame->has_image ? &truth->image[frame->image] : NULL;

	if (frame->how != FRAME_ADDRESS || !in || !in->image || !in->cfi)
		return false;
	for (uint64_t back = 0; back <= 1; back++) {
		const struct cfi_fde *fde = cfi_fde_find(in->cfi, frame->address - back);

		if (fde && in->cfi->cie[fde->cie].signal_frame)
			return true;
	}
	return false;
}

uint32_t score_frame_inlined(struct score_truth *truth, const struct score_frame *frame)
{
	return frame->how == FRAME_ADDRESS
		       ? score_truth_inlined_at(truth, frame->image, frame->address)
		       : UINT32_MAX;
}

/* ---- matching ------------------------------------------------------------------------------- */

/* Who sees only exported symbols calls the place by that function, and so its address, if an offset
 * is said, is not before the place's own function. */
static bool is_exported(const struct score_truth *truth, const struct score_frame *frame,
			const struct score_place *place, uint32_t function)
{
	return function == place->exported &&
	       (frame->name_offset == PROFILE_NO_OFFSET ||
		truth->function[function].start + frame->name_offset >=
			truth->function[place->function].start);
}

/* The image has a symbol of the key. */
static bool is_symbol_in(const struct score_truth *truth, uint32_t key, uint32_t image)
{
	uint32_t in;

	for (uint32_t at = truth->symbol_first[key]; at; at = truth->symbol[at].next) {
		score_truth_symbol(truth, truth->symbol[at].function, &in);
		if (in == image)
			return true;
	}
	return false;
}

/*
 * The name is that of an IFUNC of the place's image. Its symbol is at the resolver, and which function that chose nobody
 * has written down: who follows the call calls that one so (memcpy for __memmove_avx_unaligned_erms).
 */
static bool may_be_chosen(const struct score_truth *truth, uint32_t key, uint32_t image)
{
	for (uint32_t at = truth->symbol_first[key]; at; at = truth->symbol[at].next) {
		uint32_t in;
		const struct image_symbol *symbol =
			score_truth_symbol(truth, truth->symbol[at].function, &in);

		if (in == image && symbol->type == STT_GNU_IFUNC)
			return true;
	}
	return false;
}

/* The place is a stub of the PLT, and the name is that of the function which it calls. */
static bool is_called_by_stub(const struct score_truth *truth, uint32_t key, uint32_t function)
{
	const struct score_function *stub = &truth->function[function];
	size_t size = strlen(stub->name), plt = strlen("@plt");
	char name[NAME_KEY_MAX], text[NAME_KEY_MAX];

	if (!stub->is_named || stub->is_symbol || size <= plt || size >= sizeof(name) ||
	    strcmp(stub->name + size - plt, "@plt") != 0)
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)(size - plt), stub->name);
	name_key(name, text);
	return score_truth_key(truth, text) == key;
}

static enum frame_match match_name(const struct score_truth *truth, const struct score_frame *frame,
				   const struct score_place *place)
{
	const uint32_t keys[] = { frame->key, frame->doubtful };
	bool is_near = false;

	for (int i = 0; i < 2; i++)
		for (uint32_t at = truth->key_first[keys[i]]; at; at = truth->keyed[at].next) {
			uint32_t function = truth->keyed[at].function;

			if (i == 0 && function == place->function)
				return frame->is_beyond || frame->is_strange ? FRAME_MAYBE
									     : FRAME_YES;
			is_near |= function &&
				   (function == place->function || function == place->nearest ||
				    is_exported(truth, frame, place, function));
		}
	is_near = is_near || (frame->symbol_key &&
			      (may_be_chosen(truth, frame->symbol_key, place->image) ||
			       is_called_by_stub(truth, frame->symbol_key, place->function)));
	if (truth->function[place->function].is_named)
		return is_near ? FRAME_MAYBE : FRAME_NO;
	/* A name from elsewhere, or that of the symbol before, may be meant for what has none. One that is another
	 * image's symbol may be this one's, too, where the table of symbols is not here. */
	return !frame->is_symbol || is_near || !is_symbol_in(truth, frame->symbol_key, place->image)
		       ? FRAME_MAYBE
		       : FRAME_NO;
}

/* Of a caller, which may be the byte before: leaves with an address are looked up by it. */
static bool is_at(uint64_t there, uint64_t address)
{
	return there == address || there == address + 1;
}

static enum frame_match match(const struct score_truth *truth, const struct score_frame *frame,
			      uint32_t number)
{
	const struct score_place *place = &truth->place[number];
	unsigned int kind = truth->image[place->image].truth->kind;
	bool same = !frame->has_image || frame->image == place->image;

	switch ((enum frame_how)frame->how) {
	case FRAME_ADDRESS:
		return same && (is_at(place->address, frame->address) ||
				(frame->other != SCORE_NO_OFFSET &&
				 is_at(place->address, frame->other)))
			       ? FRAME_YES
			       : FRAME_NO;
	case FRAME_OFFSET:
		return place->offset != SCORE_NO_OFFSET && is_at(place->offset, frame->address)
			       ? FRAME_YES
			       : FRAME_NO;
	case FRAME_NAME: return same ? match_name(truth, frame, place) : FRAME_NO;
	case FRAME_IMAGE: return same ? FRAME_MAYBE : FRAME_NO;
	case FRAME_ABSENT: return FRAME_NO;
	case FRAME_FOREIGN:
		return kind == TRUTH_IMAGE_FILE || kind == TRUTH_IMAGE_VDSO ? FRAME_NO
									    : FRAME_MAYBE;
	case FRAME_NOTHING: return FRAME_MAYBE;
	}
	return FRAME_NO;
}

enum frame_match score_frame_match(const struct score_truth *truth, const struct score_frame *frame,
				   uint32_t number)
{
	enum frame_match ret = match(truth, frame, number);

	if (!frame->other_whole)
		return ret;
	return ret != FRAME_NO || score_truth_has_key(truth, frame->other_whole,
						      truth->place[number].function)
		       ? FRAME_MAYBE
		       : FRAME_NO;
}

void score_frame_describe(const struct score_truth *truth, const struct profile *profile,
			  uint32_t number, const struct score_frame *frame, bool is_caller,
			  char *text, size_t size)
{
	const struct profile_frame *in = profile_frame(profile, number);
	const char *image = profile_text(profile, in->image), *slash = strrchr(image, '/');
	char offset[32] = "", address[32] = "";

	if (frame->how == FRAME_ADDRESS && truth->image[frame->image].image) {
		score_truth_describe(truth, frame->image, frame->address, is_caller, text, size);
		return;
	}
	if (frame->is_text) {
		snprintf(text, size, "%s", profile_text(profile, in->text));
		return;
	}
	image = slash && slash[1] ? slash + 1 : image;
	if (in->name_offset != PROFILE_NO_OFFSET)
		snprintf(offset, sizeof(offset), "+0x%llx", (unsigned long long)in->name_offset);
	if (in->kind != PROFILE_NO_ADDRESS && !in->name)
		snprintf(address, sizeof(address), "0x%llx", (unsigned long long)in->address);
	snprintf(text, size, "%s%s%s%s%s", in->name ? profile_text(profile, in->name) : address,
		 *address || in->name ? offset : PROFILE_TEXT_UNKNOWN, *image ? " (" : "", image,
		 *image ? ")" : "");
}
