/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_contexts.c - the tree of true stacks, as the comparer tells them, and the file's header
 *
 * Stacks, mappings and memory are made up; test_contexts.c steps a program.
 */
#include "tests/suite.h"
#include "truth/contexts/contexts.h"

static char *written; /* the header's fields: "name=text;" */
static bool can_write;

static int made_up_write(const struct context_tree *tree, const struct truth_field *field,
			 size_t count, const char *path, struct error *error);
#define context_write made_up_write
#include "judge/compare/compare_contexts.c"

static int made_up_write(const struct context_tree *tree, const struct truth_field *field,
			 size_t count, const char *path, struct error *error)
{
	size_t size;
	FILE *file = open_memstream(&written, &size);

	ck_assert_str_eq(path, "out");
	for (size_t i = 0; i < count; i++)
		if (!field[i].text)
			fprintf(file, "%s=%llu;", field[i].name,
				(unsigned long long)field[i].number);
		else if (strcmp(field[i].name, "kernel") && strcmp(field[i].name, "machine"))
			fprintf(file, "%s=%s;", field[i].name, field[i].text);
	fclose(file);
	return can_write ? 0 : error_set(error, ERROR_SYSTEM, "", 0, "no room");
}

static const struct tracer_options no_tracer;
static const struct contexts_options no_options = { .tracer = &no_tracer };
static struct stepping stepping, *processes[] = { &stepping };
static struct contexts contexts = {
	.options = &no_options, .process = processes, .count = 1, .now = &stepping
};
static struct shadow_stack shadow;
static struct trace_stop stop;
static struct register_values regs;
static struct mapping mappings[2];
static struct address_space space;
static struct memory_reader memory;
static const struct point point = {
	.stop = &stop, .space = &space, .regs = &regs, .memory = &memory
};
static const char *name_in_memory; /* at 0x9000 */

static unsigned int call_ends_in; /* a system call is at each address that ends so: 0f */

static int read_memory(void *context, uint64_t address, void *ret, size_t size)
{
	static const uint8_t call[] = { 0x0f, 0x05 };

	if (address >= 0x9000) {
		if (!name_in_memory || size != 1)
			return -1;
		*(char *)ret = name_in_memory[address - 0x9000];
		return 0;
	}
	memset(ret, 0x90, size);
	if ((address & 0xff) == call_ends_in)
		memcpy(ret, call, size < 2 ? size : 2);
	return 0;
}

static void set_up(void)
{
	struct error error;

	stepping = (struct stepping) { .options = &no_options };
	ck_assert_int_eq(context_tree_init(&stepping.tree, &error), 0);
	shadow = (struct shadow_stack) { .rooted = true };
	stop = (struct trace_stop) { .shadow = &shadow };
	regs = (struct register_values) { .value = { 0 } };
	mappings[0] = (struct mapping) { .start = 0x1000, .end = 0x2000, .path = (char *)"/code" };
	mappings[1] = (struct mapping) { .start = 0x3000, .end = 0x4000, .path = (char *)"" };
	space = (struct address_space) { .mapping = mappings, .mapping_count = 2 };
	memory = (struct memory_reader) { .read = read_memory };
	name_in_memory = NULL;
	call_ends_in = 0xf;
}

static void tear_down(void)
{
	stepping_deinit(&stepping);
}

/* A point's stack, innermost first, 0 ends it. Its mark. */
static uint64_t tell(const uint64_t *pc, enum stop_reason reason)
{
	struct stack truth = { .pc = (uint64_t *)pc, .stop = reason };
	struct error error = { 0 };
	uint64_t mark = UINT64_MAX;

	while (pc[truth.count])
		truth.count++;
	regs.value[REGISTER_RIP] = pc[0];
	ck_assert_msg(!on_reading(&contexts, &point, &truth, &mark, &error), "%s", error.message);
	return mark;
}

#define TELL(...) tell((const uint64_t[]) { __VA_ARGS__, 0 }, STOP_COMPLETE)

/* "1000/1004": the way to a node, the outermost first. */
static void check_way(uint64_t mark, const char *wanted)
{
	char way[200] = "";
	uint32_t number = mark / MARK_NODE;

	for (; number > CONTEXT_ROOT_OPEN; number = stepping.tree.node[number].parent) {
		char longer[sizeof(way)];

		snprintf(longer, sizeof(longer), "/%llx%.150s",
			 (unsigned long long)stepping.tree.node[number].address, way);
		strcpy(way, longer);
	}
	ck_assert_str_eq(way, wanted);
	ck_assert_uint_eq(number, mark & MARK_OPEN ? CONTEXT_ROOT_OPEN : CONTEXT_ROOT_WHOLE);
}

/* ---- stacks ----------------------------------------------------------------------------------- */

START_TEST(a_stack_is_a_way)
{
	uint64_t first = TELL(0x1010, 0x1100, 0x1200), deeper, other;

	check_way(first, "/1200/1100/1010");
	ck_assert_uint_eq(first % MARK_NODE, 0);
	ck_assert_uint_eq(TELL(0x1010, 0x1100, 0x1200), first);
	deeper = TELL(0x1020, 0x1014, 0x1100, 0x1200);
	check_way(deeper, "/1200/1100/1014/1020");
	/* The innermost address is no return address, though it is the same number. */
	other = TELL(0x1014, 0x1100, 0x1200);
	check_way(other, "/1200/1100/1014");
	check_way(TELL(0x1010, 0x1100, 0x1300), "/1300/1100/1010");
	check_way(TELL(0x1200), "/1200");
	ck_assert_uint_eq(TELL(0x1010, 0x1100, 0x1200), first);
	check_way(deeper, "/1200/1100/1014/1020");
}
END_TEST

START_TEST(what_is_open_has_its_own_root)
{
	uint64_t whole = TELL(0x1010, 0x1100), open, deep;

	shadow.rooted = false;
	open = TELL(0x1010, 0x1100);
	ck_assert_uint_eq(open % MARK_NODE, MARK_OPEN);
	ck_assert_uint_ne(open / MARK_NODE, whole / MARK_NODE);
	check_way(open, "/1100/1010");
	ck_assert_uint_eq(stepping.too_deep, 0);
	shadow.rooted = true;
	ck_assert_uint_eq(TELL(0x1010, 0x1100), whole);
	deep = tell((const uint64_t[]) { 0x1010, 0x1100, 0 }, STOP_DEPTH);
	ck_assert_uint_eq(deep, open);
	ck_assert_uint_eq(stepping.too_deep, 1);
}
END_TEST

START_TEST(images_of_mappings)
{
	const struct context_tree *tree = &stepping.tree;
	uint32_t file = tree->node[TELL(0x1010) / MARK_NODE].image,
		 none = tree->node[TELL(0x8010) / MARK_NODE].image,
		 anonymous = tree->node[TELL(0x3010) / MARK_NODE].image;

	ck_assert(file != none && file != anonymous && none != anonymous);
	ck_assert_int_eq(tree->image[file].kind, TRUTH_IMAGE_OTHER);
	ck_assert_str_eq(tree->image[file].path, "/code");
	ck_assert_int_eq(tree->image[anonymous].kind, TRUTH_IMAGE_ANONYMOUS);
	/* A call may be its mapping's last instruction: behind it is another. */
	ck_assert_uint_eq(tree->node[tree->node[TELL(0x1010, 0x2000) / MARK_NODE].parent].image,
			  file);
	ck_assert_uint_eq(tree->node[TELL(0x2000) / MARK_NODE].image, none);
	/* What was interrupted goes on at its own address, which may be its mapping's first. */
	struct shadow_frame frames[] = { { .return_address = 0x1000, .interrupted = true },
					 { .return_address = 0x1300 } };
	uint32_t handler;

	shadow.frame = frames;
	shadow.count = 2;
	handler = TELL(0x1010, 0x1300, 0x1000) / MARK_NODE;
	check_way(handler * MARK_NODE, "/1000/1300/1010");
	handler = tree->node[handler].parent;
	ck_assert(tree->node[handler].interrupts);
	ck_assert_uint_eq(tree->node[tree->node[handler].parent].image, file);
	ck_assert(!tree->node[tree->node[handler].parent].interrupts);
	shadow.count = 0;
	/* Mappings are looked up again when they have changed. */
	mappings[0].path = (char *)"/other";
	ck_assert_uint_eq(tree->node[TELL(0x1020) / MARK_NODE].image, file);
	on_mappings(&contexts);
	ck_assert_str_eq(tree->image[tree->node[TELL(0x1010) / MARK_NODE].image].path, "/other");
}
END_TEST

/* Callers, too: the last stack's nodes are of the mappings before. */
START_TEST(callers_images_after_mappings_changed)
{
	const struct context_tree *tree = &stepping.tree;
	uint64_t before = TELL(0x1010, 0x1100, 0x1200), behind;

	mappings[0].path = (char *)"/other";
	on_mappings(&contexts);
	behind = TELL(0x1010, 0x1100, 0x1200);
	check_way(behind, "/1200/1100/1010");
	ck_assert_uint_ne(behind, before);
	for (uint32_t number = behind / MARK_NODE; number > CONTEXT_ROOT_OPEN;
	     number = tree->node[number].parent)
		ck_assert_str_eq(tree->image[tree->node[number].image].path, "/other");
}
END_TEST

/* A file's addresses are its own, wherever it is mapped; what it is tells its path, or where it came from. */
static struct image file_image = { .build_id = { 1, 2, 3 }, .build_id_size = 3 };

static const struct entry_case {
	const char *path;
	uint64_t inode;
	enum truth_image_kind kind;
} entries[] = {
	{ "/code", 7, TRUTH_IMAGE_FILE },
	{ "[vdso]", VDSO_INODE, TRUTH_IMAGE_VDSO },
	{ "/memfd:jit (deleted)", 7, TRUTH_IMAGE_MEMFD },
	{ "/memfd", 7, TRUTH_IMAGE_FILE },
};

START_TEST(addresses_are_the_image_s)
{
	struct image_entry entry = { .image = &file_image, .version.inode = entries[_i].inode };
	const struct context_tree *tree = &stepping.tree;
	const struct truth_image *image;
	uint32_t before, behind;
	uint64_t mark;

	mappings[0].path = (char *)entries[_i].path;
	mappings[0].entry = &entry;
	mappings[0].bias = 0xff0;
	mark = TELL(0x1010, 0x1100, 0x3010);
	check_way(mark, "/3010/110/20");
	before = mark / MARK_NODE;
	image = &tree->image[tree->node[before].image];
	ck_assert_int_eq(image->kind, entries[_i].kind);
	ck_assert_str_eq(image->path, entries[_i].path);
	ck_assert_uint_eq(image->build_id_size, 3);
	ck_assert_mem_eq(image->build_id, file_image.build_id, 3);
	/* Mapped elsewhere it is the same image, and the same stack but for the caller that is no file's. */
	mappings[0].start += 0x1000, mappings[0].end += 0x1000, mappings[0].bias += 0x1000;
	on_mappings(&contexts);
	behind = TELL(0x2010, 0x2100, 0x3010) / MARK_NODE;
	ck_assert_uint_eq(behind, before);
	/* Another build of it is another. */
	mappings[0].entry = &(struct image_entry) {
		.image = &(struct image) { .build_id = { 1, 2, 4 }, .build_id_size = 3 },
		.version.inode = entries[_i].inode
	};
	on_mappings(&contexts);
	ck_assert_uint_ne(TELL(0x2010, 0x2100, 0x3010) / MARK_NODE, before);
}
END_TEST

/* Once the code of a file is known it is not read again; what others have may change. */
START_TEST(code_of_a_file_is_asked_for_once)
{
	struct image_entry entry = { .image = &file_image };
	bool once;

	if (_i < COUNT(entries)) {
		mappings[0].path = (char *)entries[_i].path;
		entry.version.inode = entries[_i].inode;
		mappings[0].entry = &entry;
	}
	once = mappings[0].entry && entries[_i].kind != TRUTH_IMAGE_MEMFD;
	ck_assert_uint_eq(TELL(0x1010) & MARK_CALLS_KERNEL, 0);
	ck_assert_uint_eq(TELL(0x100f) & MARK_CALLS_KERNEL, MARK_CALLS_KERNEL);
	call_ends_in = 0x10;
	ck_assert_uint_eq(TELL(0x1010) & MARK_CALLS_KERNEL, once ? 0 : MARK_CALLS_KERNEL);
	ck_assert_uint_eq(TELL(0x100f) & MARK_CALLS_KERNEL, once ? MARK_CALLS_KERNEL : 0);
	/* Of another address it is, the first time. */
	ck_assert_uint_eq(TELL(0x1110) & MARK_CALLS_KERNEL, MARK_CALLS_KERNEL);
}
END_TEST

static const char *path_of(uint64_t mark)
{
	return stepping.tree.image[stepping.tree.node[mark / MARK_NODE].image].path;
}

/* Two mappings more than before, or two others: none of them is taken for one of before. */
START_TEST(mappings_are_numbered_anew)
{
	struct mapping more[] = {
		{ .start = 0x100, .end = 0x200, .path = (char *)"/a" },
		{ .start = 0x1000, .end = 0x2000, .path = (char *)"/b" },
		{ .start = 0x3000, .end = 0x4000, .path = (char *)"/c" },
		{ .start = 0x5000, .end = 0x6000, .path = (char *)"/d" },
	};
	static const uint64_t pcs[] = { 0x110, 0x1110, 0x3110, 0x5110 };

	TELL(0x1010), TELL(0x3010);
	space = (struct address_space) { .mapping = more, .mapping_count = 4 };
	on_mappings(&contexts);
	for (int i = 0; i < 4; i++)
		ck_assert_str_eq(path_of(TELL(pcs[i])), more[i].path);
	for (int i = 0; i < 4; i++)
		more[i].path = more[3 - i].path;
	on_mappings(&contexts);
	for (int i = 4; i--;)
		ck_assert_str_eq(path_of(TELL(pcs[i])), more[i].path);
}
END_TEST

/* Which frame was interrupted is known of each stack, whatever the one before had in common with it. */
START_TEST(handlers_interrupt_what_they_return_to)
{
	struct shadow_frame frames[] = { { .return_address = 0x1300 },
					 { .return_address = 0x1200, .interrupted = true },
					 { .return_address = 0x1100 } };
	const struct context_tree *tree = &stepping.tree;
	uint32_t plain = TELL(0x1010, 0x1100, 0x1200, 0x1300) / MARK_NODE, at;

	for (at = plain; at > CONTEXT_ROOT_OPEN; at = tree->node[at].parent)
		ck_assert(!tree->node[at].interrupts);
	shadow.frame = frames;
	shadow.count = 3;
	at = TELL(0x1020, 0x1110, 0x1200, 0x1300) / MARK_NODE;
	ck_assert(!tree->node[at].interrupts);
	at = tree->node[at].parent; /* 0x1110, the handler */
	ck_assert(tree->node[at].interrupts);
	at = tree->node[at].parent;
	ck_assert(!tree->node[at].interrupts);
	/* The handler's own caller, and the outermost frame, interrupt nothing. */
	ck_assert(!tree->node[tree->node[at].parent].interrupts);
	shadow.count = 0;
}
END_TEST

/* ---- system calls ------------------------------------------------------------------------------ */

START_TEST(points_are_counted_when_they_are_decided)
{
	uint64_t plain = TELL(0x1010, 0x1100), call = TELL(0x100f, 0x1100), open;
	const struct context_node *node, *behind;
	uint32_t before;

	ck_assert_uint_eq(plain % MARK_NODE, 0);
	ck_assert_uint_eq(call % MARK_NODE, MARK_CALLS_KERNEL);
	shadow.rooted = false;
	open = TELL(0x100f);
	before = stepping.tree.node_count;
	ck_assert_uint_eq(open % MARK_NODE, MARK_CALLS_KERNEL | MARK_OPEN);
	on_proven(&contexts, plain, 3, true);
	on_proven(&contexts, plain, 4, false);
	on_proven(&contexts, call, 5, true);
	on_proven(&contexts, call, 6, false);
	ck_assert_uint_eq(stepping.open, 0);
	on_proven(&contexts, open, 7, true);
	on_proven(&contexts, open, 2, false); /* what is in doubt is open all the same */
	ck_assert_uint_eq(stepping.proven, 15);
	ck_assert_uint_eq(stepping.unproven, 12);
	ck_assert_uint_eq(stepping.open, 9);
	ck_assert_uint_eq(stepping.system_calls, 20);
	node = &stepping.tree.node[plain / MARK_NODE];
	ck_assert(node->points == 3 && node->unproven == 4 && !node->in_kernel);
	node = &stepping.tree.node[call / MARK_NODE];
	ck_assert(node->points == 5 && node->unproven == 6 && !node->in_kernel);
	/* In the kernel the thread is behind the instruction. */
	ck_assert_uint_eq(stepping.tree.node_count, before + 2);
	behind = &stepping.tree.node[TELL(0x1011) / MARK_NODE];
	ck_assert(behind->in_kernel == 7 && behind->unproven == 2 && !behind->points);
	shadow.rooted = true;
	behind = &stepping.tree.node[TELL(0x1011, 0x1100) / MARK_NODE];
	ck_assert(behind->in_kernel == 5 && behind->unproven == 6 && !behind->points);
	ck_assert_uint_eq(stepping.tree.node_count, before + 2);
}
END_TEST

/* A file's code is asked for once; a program may write other code into memory of no file. */
START_TEST(code_of_no_file_is_asked_for_each_time)
{
	uint64_t plain = TELL(0x3010), call = TELL(0x300f);

	ck_assert_uint_eq(plain % MARK_NODE, 0);
	ck_assert_uint_eq(call % MARK_NODE, MARK_CALLS_KERNEL);
	call_ends_in = 0x10;
	ck_assert_uint_eq(TELL(0x3010), plain | MARK_CALLS_KERNEL);
	ck_assert_uint_eq(TELL(0x300f), call & ~(uint64_t)MARK_CALLS_KERNEL);
}
END_TEST

static const struct name_case {
	uint64_t call, option, address;
	const char *in_memory, *name; /* NULL: none */
} names[] = {
	{ SYS_prctl, PR_SET_NAME, 0x9000, "worker", "worker" },
	{ SYS_prctl, PR_SET_NAME, 0x9000, "123456789012345", "123456789012345" },
	{ SYS_prctl, PR_SET_NAME, 0x9000, "1234567890123456", "123456789012345" },
	{ SYS_prctl, PR_SET_NAME, 0x9000, "", NULL },
	{ SYS_prctl, PR_SET_NAME, 0x9000, NULL, NULL },
	{ SYS_prctl, PR_GET_NAME, 0x9000, "worker", NULL },
	{ SYS_prctl + 1, PR_SET_NAME, 0x9000, "worker", NULL },
};

START_TEST(names_of_threads)
{
	const struct name_case *test = &names[_i];

	name_in_memory = test->in_memory;
	regs.value[REGISTER_RAX] = test->call;
	regs.value[REGISTER_RDI] = test->option;
	regs.value[REGISTER_RSI] = test->address;
	TELL(0x1010); /* no system call */
	ck_assert_uint_eq(stepping.names, 0);
	for (int again = 0; again < 2; again++) {
		TELL(0x100f);
		ck_assert_uint_eq(stepping.names, test->name != NULL);
	}
	if (!test->name)
		return;
	ck_assert_str_eq(stepping.name[0], test->name);
	name_in_memory = "another";
	TELL(0x100f);
	ck_assert_uint_eq(stepping.names, 2);
	ck_assert_str_eq(stepping.name[1], "another");
	/* Each once, be it the first or the last. */
	TELL(0x100f);
	name_in_memory = test->in_memory;
	TELL(0x100f);
	ck_assert_uint_eq(stepping.names, 2);
	stepping.names = TRUTH_THREAD_NAMES_MAX;
	name_in_memory = "more";
	TELL(0x100f);
	ck_assert_uint_eq(stepping.names, TRUTH_THREAD_NAMES_MAX);
}
END_TEST

/* ---- who begins at the first point ------------------------------------------------------------ */

struct beginning {
	int calls, result;
};

static int begin(void *context, pid_t pid, struct error *error)
{
	struct beginning *beginning = context;

	beginning->calls++;
	return beginning->result ? error_set(error, ERROR_PROTOCOL, "", 0, "of process %d", pid)
				 : 0;
}

/* Called once, also where the first point has two readings; neither of them is in the tree. */
START_TEST(the_first_point_is_not_in_the_tree)
{
	struct beginning beginning = { 0 };
	const struct contexts_options begins = { .tracer = &no_tracer,
						 .begin = begin,
						 .context = &beginning };
	uint64_t first, other, second;

	stepping.options = &begins;
	first = TELL(0x1010, 0x1100);
	other = TELL(0x100f, 0x1200);
	ck_assert_int_eq(beginning.calls, 1);
	ck_assert(!on_point(&contexts, &point, NULL, NULL));
	second = TELL(0x1010, 0x1100);
	ck_assert_int_eq(beginning.calls, 1);
	on_proven(&contexts, first, 1, true);
	on_proven(&contexts, other, 1, false);
	on_proven(&contexts, second, 2, true);
	ck_assert_uint_eq(stepping.proven, 2);
	ck_assert_uint_eq(stepping.unproven + stepping.system_calls, 0);
	ck_assert_uint_eq(stepping.tree.node[second / MARK_NODE].points, 2);
	ck_assert_uint_eq(first / MARK_NODE, second / MARK_NODE);
}
END_TEST

START_TEST(what_can_not_begin_ends_the_run)
{
	struct beginning beginning = { .result = -1 };
	const struct contexts_options begins = { .tracer = &no_tracer,
						 .begin = begin,
						 .context = &beginning };
	uint64_t mark, pc[] = { 0x1010 };
	struct stack truth = { .pc = pc, .count = 1 };
	struct error error = { 0 };

	stepping.options = &begins;
	stop.pid = 17;
	ck_assert(on_reading(&contexts, &point, &truth, &mark, &error));
	ck_assert_str_eq(error.message, "of process 17");
}
END_TEST

START_TEST(a_failure_ends_the_run)
{
	uint64_t mark, pc[] = { 0x1010 };
	struct stack truth = { .pc = pc, .count = 1 };
	struct error error = { 0 };

	stepping.failed = true;
	error_set(&stepping.error, ERROR_MEMORY, "", 0, "before");
	ck_assert_int_eq(on_reading(&contexts, &point, &truth, &mark, &error), -1);
	ck_assert_str_eq(error.message, "before");
}
END_TEST

/* ---- the end ----------------------------------------------------------------------------------- */

static char *argv[] = { (char *)"./it", (char *)"-x", NULL };
static struct tracer_options tracer = { .argv = argv, .from = "main" };
static struct contexts_options options = { .tracer = &tracer, .output = "out", .version = "9" };

START_TEST(the_header)
{
	char thread[2][THREAD_NAME_BYTES] = { "one", "two" };
	struct comparison comparison = { .points = 9,
					 .unread = 8,
					 .status = 256,
					 .elapsed_ns = 77,
					 .truth = { .steps = 1,
						    .threads = 2,
						    .children = 3,
						    .untraced = 4,
						    .execs = 5,
						    .merged_steps = 6,
						    .max_frames = 7 } };
	struct error error;
	char wanted[1024], ending[128];

	stepping.options = contexts.options = &options;
	stepping.proven = 20, stepping.unproven = 30, stepping.open = 40;
	stepping.system_calls = 50, stepping.too_deep = 60;
	stepping.name = thread, stepping.names = 2;
	comparison.unproven[1] = 10;
	comparison.unproven[DOUBT_REASON_COUNT - 1] = 20;
	if (_i) {
		strcpy(comparison.cut.place, "there");
		comparison.cut.ending = TRACER_LIMIT;
	}
	can_write = true;
	tracer.every = _i ? 16 : 0;
	tracer.randomize = _i;
	tracer.from = _i ? NULL : "main";
	compare_ending_text(&comparison, ending, sizeof(ending));
	ck_assert_int_eq(write_file(&stepping, &comparison, "out", NULL, 0, &error), 0);
	snprintf(wanted, sizeof(wanted),
		 "program=./it;argument=./it;argument=-x;stackproof=9;%sending=%s;%s"
		 "thread_name=one;thread_name=two;steps=1;points=50;proven=20;unproven=30;"
		 "unproven_%s=10;unproven_%s=20;open=40;every=%d;aslr=%d;system_calls=50;threads=2;"
		 "children=3;"
		 "untraced=4;execs=5;unread=8;too_deep=60;merged_steps=6;max_frames=7;"
		 "wait_status=256;elapsed_ns=77;",
		 _i ? "" : "from=main;", ending, _i ? "partial=limit;ended_at=there;" : "",
		 doubt_reason_name(1), doubt_reason_name(DOUBT_REASON_COUNT - 1), _i ? 16 : 1, _i);
	ck_assert_str_eq(written, wanted);
	free(written);
	stepping.name = NULL, stepping.names = 0;
	can_write = false;
	ck_assert_int_eq(write_file(&stepping, &comparison, "out", NULL, 0, &error), -1);
	ck_assert_str_eq(error.message, "no room");
	free(written);
}
END_TEST

static const struct finish_case {
	const char *name;
	uint64_t proven, unproven, open, points, unmarked;
	bool failed, can_write, written, thin, environment, findings;
	const char *early; /* "": none */
} finishes[] = {
	{ "good", 9, 9, 9, 18, 0, false, true, true, false, false, false, "" },
	{ "most_is_unproven", 9, 10, 0, 19, 0, false, true, true, true, false, true, "" },
	{ "most_is_open", 19, 0, 10, 19, 0, false, true, true, true, false, true, "" },
	{ "half_is_open", 20, 0, 10, 20, 0, false, true, true, false, false, false, "" },
	{ "nothing_was_met", 0, 0, 0, 0, 0, false, true, false, false, false, false, "" },
	{ "it_can_not_be_written", 9, 10, 0, 19, 0, false, false, false, false, true, false,
	  "no room" },
	{ "it_failed", 9, 10, 0, 19, 0, true, true, false, false, true, false, "it failed" },
	{ "marks_are_missing", 9, 10, 0, 19, 1, false, true, false, false, true, false,
	  "no memory for marks" },
};

START_TEST(what_came_of_it)
{
	const struct finish_case *test = &finishes[_i];
	struct comparison comparison = { .points = test->points,
					 .unmarked = test->unmarked,
					 .unread = 3,
					 .cut = { .steps = 55 },
					 .truth = { .untraced = 4 } };
	struct contexts_result result = { .written = false };

	stepping.options = contexts.options = &options;
	stepping.proven = test->proven, stepping.unproven = test->unproven;
	stepping.open = test->open;
	stepping.failed = test->failed;
	error_set(&stepping.error, ERROR_MEMORY, "", 0, "it failed");
	can_write = test->can_write;
	written = NULL;
	options.strict = _i & 1;
	finish(&contexts, &comparison, &result);
	free(written);
	ck_assert_msg(result.written == test->written && result.thin == test->thin, "%s",
		      test->name);
	ck_assert_msg(result.gate.environment == test->environment &&
			      result.gate.findings == test->findings,
		      "%s", test->name);
	ck_assert_str_eq(result.cut.early.message, test->early);
	ck_assert_uint_eq(result.cut.steps, 55);
	ck_assert_str_eq(result.gate.unit, "points");
	ck_assert_int_eq(result.gate.strict, _i & 1);
	ck_assert_uint_eq(result.gate.checked, test->proven);
	ck_assert_uint_eq(result.gate.left[GATE_UNPROVEN], test->unproven);
	ck_assert_uint_eq(result.gate.left[GATE_LOST_POINTS], 3);
	ck_assert_uint_eq(result.gate.left[GATE_UNTRACED], 4);
	ck_assert_ptr_null(result.partial);
	contexts_result_deinit(&result);
}
END_TEST

START_TEST(a_run_that_met_its_limit)
{
	struct comparison comparison = { .points = 5, .cut = { .ending = TRACER_LIMIT } };
	struct contexts_result result = { .written = false };

	stepping.options = contexts.options = &options;
	can_write = true;
	finish(&contexts, &comparison, &result);
	ck_assert_str_eq(result.partial, "limit");
	ck_assert_ptr_nonnull(strstr(written, ";partial=limit;"));
	ck_assert(result.written);
	contexts_result_deinit(&result);
	free(written);
}
END_TEST

/* What it has is no verdict on the program, however thin. */
START_TEST(a_run_that_was_cut_short)
{
	struct comparison comparison = { .points = 19, .cut = { .ending = TRACER_TIMEOUT } };
	struct contexts_result result = { .written = false };

	stepping.options = contexts.options = &options;
	stepping.proven = 9, stepping.unproven = 10;
	can_write = true;
	finish(&contexts, &comparison, &result);
	free(written);
	ck_assert_str_eq(result.partial, "timeout");
	ck_assert(result.written && result.thin);
	ck_assert(result.gate.environment && !result.gate.findings);
	ck_assert_int_eq(gate_status(&result.gate), 99);
	contexts_result_deinit(&result);
}
END_TEST

SUITE(compare_contexts, TIMEOUT(300), FIXTURE(set_up, tear_down), TEST(a_stack_is_a_way),
      TEST(what_is_open_has_its_own_root), TEST(images_of_mappings),
      TEST(callers_images_after_mappings_changed), LOOP(addresses_are_the_image_s, entries),
      TIMES(code_of_a_file_is_asked_for_once, COUNT(entries) + 1), TEST(mappings_are_numbered_anew),
      TEST(handlers_interrupt_what_they_return_to), TEST(points_are_counted_when_they_are_decided),
      TEST(code_of_no_file_is_asked_for_each_time), LOOP(names_of_threads, names),
      TEST(the_first_point_is_not_in_the_tree), TEST(what_can_not_begin_ends_the_run),
      TEST(a_failure_ends_the_run), TIMES(the_header, 2), LOOP(what_came_of_it, finishes),
      TEST(a_run_that_met_its_limit), TEST(a_run_that_was_cut_short))
