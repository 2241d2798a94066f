/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_dispute_collect.c - what of a stopped child's point is kept, and when whole images are
 *
 * Where ptrace is not permitted it prints SKIP and the reason.
 */
#include <elf.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include "tests/suite.h"
#include "walk/image_store.h"
#include "judge/verdict/verdict.h"

#define PAGE	    4096u
#define AROUND_CODE 128u
#define RED_ZONE    128u

/* Pages of code, of which somebody says that one has frames; and so much CFI that what is said of the
 * child's functions is pages behind the section's begin. */
__asm__(".text\n"
	".balign 4096\n"
	".skip 4096, 0xcc\n"
	"dispute_page: .skip 3 * 4096, 0xcc\n"
	".rept 1000; .cfi_startproc; nop; .cfi_endproc; .endr\n");

extern const char dispute_page[];

#include "disputed_child.h"

/* ---- what of a point is kept --------------------------------------------------------------- */

/* The map that has the address; NULL: none. */
static const struct dispute_map *map_of(const struct dispute *dispute, uint64_t address)
{
	for (size_t i = 0; i < dispute->map_count; i++)
		if (address >= dispute->map[i].start && address < dispute->map[i].end)
			return &dispute->map[i];
	return NULL;
}

/* The code at pc can be read, in memory and in the file that the maps name. */
static void assert_code_is_kept(struct dispute *dispute, uint64_t pc)
{
	const struct dispute_map *map = map_of(dispute, pc);
	const struct dispute_image *image;
	uint64_t offset;
	bool kept = false;

	ck_assert(map && map->image >= 0);
	ck_assert(page_set_find(&dispute->memory, pc & ~(uint64_t)(PAGE - 1)));
	image = &dispute->image[map->image];
	offset = pc - map->start + map->offset;
	for (size_t i = 0; i < image->range_count; i++)
		kept |= offset - image->range[i].offset < image->range[i].size;
	ck_assert_msg(kept, "%s: offset 0x%lx", image->path, (unsigned long)offset);
}

/* Of the truth's frames, and of those that only an engine has, which can't be asked again: up to so
 * many bytes before and behind, be it on another page. */
START_TEST(code_of_every_frame_is_kept)
{
	const uint64_t pc[] = { (uint64_t)strtoull, (uint64_t)dispute_collect,
				(uint64_t)dispute_page + 8, (uint64_t)dispute_page + PAGE - 8 };
	static uint8_t own[2 * PAGE]; /* a stack without words that may be return addresses */
	struct shadow_stack shadow = { .rooted = true };
	struct stack other[2] = { { 0 } };
	const struct dispute_said said[] = { { &engine_fp, &other[0] },
					     { &engine_bpf, &other[1] } };
	struct stopped_child child;
	struct dispute *dispute;
	struct error error;

	if (!stop_child(&child, (uint64_t)own + PAGE))
		return;
	/* Of both engines; and that a frame was guessed is no part of its address. */
	for (int i = 0; i < 2; i++)
		ck_assert(!stack_set(&other[i], pc + 2 * i, 2, STOP_COMPLETE, &error));
	other[1].pc[0] |= WALK_PC_GUESSED;
	other[1].has_marks = true;
	dispute = collect_said(&child, &shadow, said, 2, false);
	assert_code_is_kept(dispute, (uint64_t)dispute_leaf_after);
	assert_code_is_kept(dispute, (uint64_t)dispute_middle_after);
	assert_code_is_kept(dispute, (uint64_t)dispute_outer_after);
	for (int i = 0; i < COUNT(pc); i++) {
		assert_code_is_kept(dispute, pc[i] - AROUND_CODE);
		assert_code_is_kept(dispute, pc[i] + AROUND_CODE - 1);
	}
	for (int i = 0; i < 2; i++)
		stack_deinit(&other[i]);
	dispute_destroy(dispute);
	stopped_child_deinit(&child);
}
END_TEST

/* Before a frame that is less than so many bytes behind its image's begin there is nothing. */
START_TEST(code_at_the_begin_of_an_image_is_kept)
{
	const uint64_t begin = getauxval(AT_SYSINFO_EHDR), pc = begin + 16;
	struct shadow_stack shadow = { .rooted = true };
	struct stack other = { 0 };
	const struct dispute_said said = { &engine_fp, &other };
	struct stopped_child child;
	struct dispute *dispute;
	struct error error;

	if (!begin || !stop_child(&child, 0))
		return;
	ck_assert(!stack_set(&other, &pc, 1, STOP_COMPLETE, &error));
	dispute = collect_said(&child, &shadow, &said, 1, false);
	assert_code_is_kept(dispute, begin);
	assert_code_is_kept(dispute, pc + AROUND_CODE - 1);
	stack_deinit(&other);
	dispute_destroy(dispute);
	stopped_child_deinit(&child);
}
END_TEST

/* Of three pages the one in the middle is code, and nobody's file. */
static const struct {
	const char *name;
	uint64_t frame;
	bool kept[3];
} no_files[] = {
	{ "at_its_begin", PAGE, { true, true, false } },
	{ "at_its_end", 2 * PAGE - 1, { false, true, true } },
	{ "behind_its_end", 2 * PAGE, { false, false, false } },
};

START_TEST(code_of_no_file_is_kept)
{
	static uint8_t own[2 * PAGE];
	uint8_t *code = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);
	const uint64_t pc = (uint64_t)code + no_files[_i].frame;
	struct shadow_stack shadow = { .rooted = true };
	struct stack other = { 0 };
	const struct dispute_said said = { &engine_fp, &other };
	struct stopped_child child;
	struct dispute *dispute;
	struct error error;

	ck_assert(code != MAP_FAILED && !mprotect(code + PAGE, PAGE, PROT_READ | PROT_EXEC));
	if (!stop_child(&child, (uint64_t)own + PAGE))
		return;
	ck_assert(!stack_set(&other, &pc, 1, STOP_COMPLETE, &error));
	dispute = collect_said(&child, &shadow, &said, 1, false);
	for (int i = 0; i < 3; i++)
		ck_assert_msg(!!page_set_find(&dispute->memory, (uint64_t)code + i * PAGE) ==
				      no_files[_i].kept[i],
			      "%s: page %d", no_files[_i].name, i);
	stack_deinit(&other);
	dispute_destroy(dispute);
	stopped_child_deinit(&child);
	munmap(code, 3 * PAGE);
}
END_TEST

/* How far above rsp the outermost frame is, a page from there that is kept, and one that is not. An
 * engine reads 256 KiB itself. */
static const struct {
	const char *name;
	uint64_t frame, kept, not_kept;
	uint64_t other; /* where another mapping begins; 0: none does */
	uint64_t inner; /* how far the frame within it is; 0: eight bytes */
} depths[] = {
	{ "what_engines_read", 0x100, 0x3e000, 0x42000, 0, 0 },
	{ "as_far_as_its_frames", 0x50000, 0x50000, 0x53000, 0, 0 },
	{ "but_no_megabyte", 0x180000, 0x3e000, 0x42000, 0, 0 },
	{ "as_those_that_are_nearer", 0x180000, 0x50000, 0x53000, 0, 0x50000 },
	{ "and_no_other_mapping", 0x50000, 0x47000, 0x48000, 0x48000, 0 },
};

START_TEST(stack_is_kept_as_far_as_its_frames)
{
	const size_t size = 2u << 20;
	uint8_t *own = mmap(NULL, size + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	uint64_t sp = (uint64_t)own + PAGE;
	struct shadow_frame frame[] = { { .slot = sp + depths[_i].frame },
					{ .slot = sp + (depths[_i].inner ?: 8) } };
	struct shadow_stack shadow = { .rooted = true, .frame = frame, .count = COUNT(frame) };
	struct stopped_child child;
	struct dispute *dispute;

	ck_assert(own != MAP_FAILED);
	if (depths[_i].other)
		ck_assert(!mprotect(own + PAGE + depths[_i].other, PAGE, PROT_READ));
	if (!stop_child(&child, sp))
		return;
	dispute = collect_said(&child, &shadow, NULL, 0, false);
	ck_assert_msg(page_set_find(&dispute->memory, sp + depths[_i].kept) != NULL, "%s",
		      depths[_i].name);
	ck_assert_msg(!page_set_find(&dispute->memory, sp + depths[_i].not_kept), "%s",
		      depths[_i].name);
	dispute_destroy(dispute);
	stopped_child_deinit(&child);
	munmap(own, size + PAGE);
}
END_TEST

/* rsp is so far above a page, six words below where the child began. */
static const struct {
	const char *name;
	uint64_t above;
	bool kept; /* the page below */
} red_zones[] = {
	{ "what_is_below_rsp_is_the_function's", 0, true },
	{ "to_its_last_byte", RED_ZONE - 8, true },
	{ "and_no_further", RED_ZONE, false },
};

START_TEST(stack_is_kept_from_the_red_zone_on)
{
	uint8_t *own = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	uint64_t sp = (uint64_t)own + PAGE + red_zones[_i].above;
	struct shadow_stack shadow = { .rooted = true };
	struct stopped_child child;
	struct dispute *dispute;

	ck_assert(own != MAP_FAILED);
	if (!stop_child(&child, sp + 48))
		return;
	ck_assert_uint_eq(child.regs.value[REGISTER_RSP], sp);
	dispute = collect_said(&child, &shadow, NULL, 0, false);
	ck_assert(page_set_find(&dispute->memory, (uint64_t)own + PAGE));
	ck_assert_msg(!!page_set_find(&dispute->memory, (uint64_t)own) == red_zones[_i].kept, "%s",
		      red_zones[_i].name);
	dispute_destroy(dispute);
	stopped_child_deinit(&child);
	munmap(own, 2 * PAGE);
}
END_TEST

static size_t count_entries(const struct address_space *space)
{
	size_t count = 0;

	for (size_t i = 0; i < space->mapping_count; i++) {
		bool is_new = space->mapping[i].entry;

		for (size_t before = 0; before < i; before++)
			is_new &= space->mapping[before].entry != space->mapping[i].entry;
		count += is_new;
	}
	return count;
}

START_TEST(an_image_that_is_mapped_twice_is_kept_once)
{
	struct shadow_stack shadow = { .rooted = true };
	struct stopped_child child;
	struct address_space space;
	struct dispute *dispute;

	if (!stop_child(&child, 0))
		return;
	space = child.space;
	space.mapping_count *= 2;
	space.mapping = calloc(space.mapping_count, sizeof(*space.mapping));
	for (size_t i = 0; i < space.mapping_count; i++)
		space.mapping[i] = child.space.mapping[i / 2];
	child.point.space = &space;
	dispute = collect_said(&child, &shadow, NULL, 0, false);
	ck_assert_uint_eq(dispute->code_count, space.mapping_count);
	ck_assert_uint_eq(dispute->image_count, count_entries(&space));
	dispute_destroy(dispute);
	free(space.mapping);
	stopped_child_deinit(&child);
}
END_TEST

/* A copy of this program, a byte longer; its .eh_frame is found by who looks for its segment only. */
static void copy_self(char *path)
{
	int to = mkstemp(path);
	FILE *from = fopen("/proc/self/exe", "re");
	char *bytes;
	Elf64_Ehdr *header;
	Elf64_Shdr *section;
	long size;

	ck_assert(from && to >= 0 && !fseek(from, 0, SEEK_END));
	size = ftell(from);
	rewind(from);
	bytes = calloc(1, size + 1);
	ck_assert_uint_eq(fread(bytes, 1, size, from), size);
	fclose(from);
	header = (Elf64_Ehdr *)bytes;
	section = (Elf64_Shdr *)(bytes + header->e_shoff);
	for (int i = 0; i < header->e_shnum; i++) {
		const char *names = bytes + section[header->e_shstrndx].sh_offset;

		if (strcmp(names + section[i].sh_name, ".eh_frame"))
			continue;
		section[i].sh_name++;
		section[i].sh_type = SHT_PROGBITS;
	}
	ck_assert_int_eq(write(to, bytes, size + 1), size + 1);
	close(to);
	free(bytes);
}

/* The child's address space with mappings of its own, to be freed; the one of our code. */
static struct mapping *own_mapping(struct stopped_child *child, struct address_space *space)
{
	uint64_t at = (uint64_t)dispute_outer;
	struct mapping *own = NULL;

	*space = child->space;
	space->mapping = calloc(space->mapping_count, sizeof(*space->mapping));
	for (size_t i = 0; i < space->mapping_count; i++) {
		space->mapping[i] = child->space.mapping[i];
		if (at >= space->mapping[i].start && at < space->mapping[i].end)
			own = &space->mapping[i];
	}
	child->point.space = space;
	ck_assert(own && own->entry);
	return own;
}

/* The file at a path may be another by now: whoever opened it would not get what was mapped. */
static const struct {
	const char *name;
	bool longer, other; /* what was mapped had another size, or is another inode */
} paths[] = {
	{ "the_same_file", false, false },
	{ "another_of_the_same_size", false, true },
	{ "the_same_of_another_size", true, false },
};

START_TEST(maps_name_an_image_if_its_path_still_leads_to_it)
{
	char copy[] = "/tmp/test_dispute_collect.XXXXXX";
	struct shadow_stack shadow = { .rooted = true };
	struct image_entry entry;
	struct stopped_child child;
	struct address_space space;
	struct dispute *dispute;
	struct mapping *own;
	struct error error;
	bool named;

	if (!stop_child(&child, 0))
		return;
	copy_self(copy);
	own = own_mapping(&child, &space);
	entry = paths[_i].longer ? *image_store_open(child.store, copy, &error) : *own->entry;
	entry.version = own->entry->version;
	entry.version.inode += paths[_i].other;
	entry.references = 1;
	own->entry = &entry;
	dispute = collect_said(&child, &shadow, NULL, 0, false);
	for (size_t i = 0; i < dispute->map_count; i++) {
		const struct dispute_map *map = &dispute->map[i];

		if (map->image >= 0)
			ck_assert_str_eq(dispute->image[map->image].path, map->path);
	}
	named = map_of(dispute, (uint64_t)dispute_outer)->image >= 0;
	ck_assert_msg(named == (!paths[_i].longer && !paths[_i].other), "%s", paths[_i].name);
	/* What has no file at all is named as well. */
	for (size_t i = 0; i < space.mapping_count; i++)
		if (!strcmp(space.mapping[i].path, "[vdso]") && space.mapping[i].entry)
			ck_assert_int_ge(map_of(dispute, space.mapping[i].start)->image, 0);
	dispute_destroy(dispute);
	free(space.mapping);
	stopped_child_deinit(&child);
	unlink(copy);
}
END_TEST

/* As many images as a case can hold, of a thread that is gone; and one more. */
static const struct {
	size_t images;
	const char *message;
} images[] = {
	{ DISPUTE_IMAGES_MAX, "/proc/-1/maps" },
	{ DISPUTE_IMAGES_MAX + 1, "more than 4096 images" },
};

START_TEST(images_are_limited)
{
	struct image_entry *entry = calloc(images[_i].images, sizeof(*entry));
	struct mapping *mapping = calloc(images[_i].images, sizeof(*mapping)), *own;
	struct shadow_stack shadow = { .rooted = true };
	struct stack truth = { 0 };
	struct stopped_child child;
	struct address_space space;
	struct error error;

	if (!stop_child(&child, 0))
		return;
	own = own_mapping(&child, &space);
	for (size_t i = 0; i < images[_i].images; i++) {
		entry[i] = *own->entry;
		entry[i].references = 1;
		mapping[i] = *own;
		mapping[i].entry = &entry[i];
	}
	free(space.mapping);
	space.mapping = mapping;
	space.mapping_count = images[_i].images;
	child.stop.shadow = &shadow;
	child.stop.tid = -1;
	ck_assert_ptr_null(dispute_collect(&child.point, &truth, NULL, 0, false, &error));
	ck_assert_msg(strstr(error.message, images[_i].message) != NULL, "%s", error.message);
	for (size_t i = 0; i < images[_i].images; i++)
		ck_assert_uint_eq(entry[i].references, 1);
	free(entry);
	free(mapping);
	stopped_child_deinit(&child);
}
END_TEST

START_TEST(what_the_run_says_of_the_stack_is_kept)
{
	struct shadow_stack shadow = { .rooted = _i & 1 };
	struct stopped_child child;
	struct dispute *dispute;

	if (!stop_child(&child, 0))
		return;
	dispute = collect_said(&child, &shadow, NULL, 0, _i & 2);
	ck_assert_int_eq(dispute->tid, child.stop.tid);
	ck_assert_mem_eq(&dispute->regs, &child.regs, sizeof(dispute->regs));
	ck_assert_uint_eq(dispute->truth.count, 3);
	ck_assert_int_eq(dispute->rooted, _i & 1);
	ck_assert_int_eq(dispute->follows, !!(_i & 2));
	dispute_destroy(dispute);
	stopped_child_deinit(&child);
}
END_TEST

/* ---- who says another stack of the case ---------------------------------------------------- */

static const struct {
	const char *name;
	struct {
		const struct engine *engine;
		uint32_t frames; /* of the truth, that it said at the point */
		bool differs;
	} said[2];
	bool whole;
} answers[] = {
	{ "both_as_before", { { &engine_cfi, 3, false }, { &engine_libdw, 3, false } }, false },
	{ "the_first_another", { { &engine_cfi, 2, true }, { &engine_libdw, 3, false } }, true },
	{ "the_last_another", { { &engine_cfi, 3, false }, { &engine_libdw, 2, true } }, true },
	{ "none_any_more", { { &engine_dumb, 3, true }, { &engine_cfi, 3, false } }, true },
	{ "one_that_can_t_be_asked",
	  { { &engine_fp, 1, false }, { &engine_cfi, 3, false } },
	  false },
};

static bool is_all(const struct dispute_image *image)
{
	return image->range_count == 1 && !image->range[0].offset &&
	       image->range[0].size == image->file_bytes;
}

START_TEST(who_says_another_stack_is_asked_on_whole_images)
{
	const uint64_t pc[] = { (uint64_t)dispute_leaf_after, (uint64_t)dispute_middle_after,
				(uint64_t)dispute_outer_after };
	struct shadow_stack shadow = { .rooted = true };
	struct stack stack[2] = { { 0 } };
	struct dispute_said said[2];
	struct stopped_child child;
	struct dispute *dispute;
	struct error error;

	if (!stop_child(&child, 0))
		return;
	for (int i = 0; i < 2; i++) {
		ck_assert(!stack_set(&stack[i], pc, answers[_i].said[i].frames, STOP_COMPLETE,
				     &error));
		said[i] = (struct dispute_said) { answers[_i].said[i].engine, &stack[i] };
	}
	dispute = collect_said(&child, &shadow, said, 2, false);
	for (int i = 0; i < 2; i++) {
		const struct dispute_answer *answer = dispute_find_answer(dispute,
									  said[i].engine->name);

		ck_assert_msg(answer->differs == answers[_i].said[i].differs, "%s: %s",
			      answers[_i].name, answer->engine);
		/* What it said at the point stays. */
		ck_assert(answer->asked && stack_equal(&answer->stack, &stack[i]));
		stack_deinit(&stack[i]);
	}
	for (size_t i = 0; i < dispute->image_count; i++)
		ck_assert_msg(dispute->image[i].whole == answers[_i].whole &&
				      (!answers[_i].whole || is_all(&dispute->image[i])),
			      "%s: %s", answers[_i].name, dispute->image[i].path);
	dispute_destroy(dispute);
	stopped_child_deinit(&child);
}
END_TEST

/* An image whose CFI is where nobody thought of: engines that the case has only part of it for go
 * wrong, those that were asked at the point and those that were not. */
START_TEST(what_is_said_of_whole_images_counts)
{
	static const struct engine *const asked[] = { &engine_cfi, &engine_table };
	const uint64_t pc[] = { (uint64_t)dispute_leaf_after, (uint64_t)dispute_middle_after,
				(uint64_t)dispute_outer_after };
	char copy[] = "/tmp/test_dispute_collect.XXXXXX";
	struct shadow_stack shadow = { .rooted = true };
	struct stack stack = { 0 };
	struct dispute_said said = { asked[_i], &stack };
	struct stopped_child child;
	struct address_space space;
	struct dispute *dispute;
	struct mapping *own;
	struct error error;

	if (!stop_child(&child, 0))
		return;
	copy_self(copy);
	own = own_mapping(&child, &space);
	own->entry = image_store_open(child.store, copy, &error);
	ck_assert_msg(own->entry != NULL, "%s", error.message);
	ck_assert(!stack_set(&stack, pc, 3, STOP_COMPLETE, &error));
	dispute = collect_said(&child, &shadow, &said, 1, false);
	ck_assert(dispute->image[0].whole);
	for (int i = 0; i < 2; i++) {
		const struct dispute_answer *answer = dispute_find_answer(dispute, asked[i]->name);

		ck_assert(answer && answer->asked == (i == _i));
		ck_assert_msg(!answer->differs, "%s", answer->engine);
		ck_assert_msg(answer->stack.count == 3, "%s: %u", answer->engine,
			      answer->stack.count);
	}
	stack_deinit(&stack);
	dispute_destroy(dispute);
	free(space.mapping);
	stopped_child_deinit(&child);
	unlink(copy);
}
END_TEST

/* ---- whose the answers are ----------------------------------------------------------------- */

static enum engine_answer say_one_frame(void *engine, const struct point *point, struct stack *ret,
					struct error *error)
{
	const uint64_t pc = (uint64_t)dispute_leaf_after;

	return stack_set(ret, &pc, 1, STOP_HELPER, error) ? ENGINE_ERROR : ENGINE_STACK;
}

/* One of its own that has a built-in one's name is not mistaken for it. */
START_TEST(what_an_engine_is_goes_with_its_answer)
{
	struct error error;
	struct engine *external = engine_external_create("outside=false", &error);
	const struct engine own = {
		.name = "cfi", .open = open_nothing, .close = close_nothing, .walk = say_one_frame
	};
	const struct engine *const engine[] = { &own, &engine_fp, external };
	const uint64_t pc = (uint64_t)dispute_leaf_after;
	struct shadow_stack shadow = { .rooted = true };
	struct dispute_said said[COUNT(engine)];
	struct stack stack = { 0 };
	struct stopped_child child;
	struct dispute *dispute;

	ck_assert_ptr_nonnull(external);
	if (!stop_child(&child, 0))
		return;
	ck_assert(!stack_set(&stack, &pc, 1, STOP_HELPER, &error));
	for (int i = 0; i < COUNT(engine); i++)
		said[i] = (struct dispute_said) { engine[i], &stack };
	dispute = collect_said(&child, &shadow, said, COUNT(said), false);
	for (int i = 0; i < COUNT(engine); i++) {
		const struct dispute_answer *answer = dispute_find_answer(dispute, engine[i]->name);

		ck_assert_int_eq(answer->in_kernel, engine[i] == &engine_fp);
		ck_assert_int_eq(answer->external, engine[i] == external);
		ck_assert_int_eq(answer->differs, engine[i] == external); /* it did not start */
	}
	stack_deinit(&stack);
	dispute_destroy(dispute);
	stopped_child_deinit(&child);
	engine_external_destroy(external);
}
END_TEST

SUITE(dispute_collect, TEST(code_of_every_frame_is_kept),
      TEST(code_at_the_begin_of_an_image_is_kept), LOOP(code_of_no_file_is_kept, no_files),
      LOOP(stack_is_kept_as_far_as_its_frames, depths),
      LOOP(stack_is_kept_from_the_red_zone_on, red_zones),
      TEST(an_image_that_is_mapped_twice_is_kept_once),
      LOOP(maps_name_an_image_if_its_path_still_leads_to_it, paths),
      LOOP(images_are_limited, images), TIMES(what_the_run_says_of_the_stack_is_kept, 4),
      LOOP(who_says_another_stack_is_asked_on_whole_images, answers),
      TIMES(what_is_said_of_whole_images_counts, 2), TEST(what_an_engine_is_goes_with_its_answer))
