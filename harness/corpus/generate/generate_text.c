/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * generate_text.c - graph -> C
 *
 * The order: what takes the C library's place, the words that no compiler knows, structs,
 * prototypes, functions, and run(), which calls the graph's roots and compares. One function's
 * text is what its interface makes of the arguments, its steps, and the return.
 */
#include <inttypes.h>
#include "generate.h"

void print_options(FILE *file, const struct generate_options *options)
{
	fprintf(file, "--seed %" PRIu64, options->seed);
	if (options->functions)
		fprintf(file, " --functions %u", options->functions);
	if (options->depth)
		fprintf(file, " --depth %u", options->depth);
	if (options->hosted)
		fprintf(file, " --hosted");
	for (unsigned int f = 0; f < GENERATE_FUNCTIONS_MAX; f++) {
		if (options->dropped[f]) {
			fprintf(file, " --drop %u", f);
			continue;
		}
		for (unsigned int s = 0; s < FUNCTION_STEPS_MAX; s++)
			if (options->dropped_steps[f] & 1u << s)
				fprintf(file, " --drop %u.%u", f, s);
		if (options->dropped_attributes[f])
			fprintf(file, " --drop %u.attributes", f);
	}
}

static void print_head(FILE *file, const struct graph *graph)
{
	const struct generate_options *options = &graph->options;

	fprintf(file, "/*\n * stackproof generate ");
	print_options(file, options);
	fprintf(file, "\n *\n * Its exit status is 0 if it computed what it must.%s\n */\n",
		options->hosted ? "" : " Link with -static -nostdlib.");
}

/* The spellings of what not every compiler has. */
static void print_macros(FILE *file)
{
	fputs("typedef unsigned long u64;\ntypedef unsigned int u32;\n\n"
	      "#define NOINLINE __attribute__((noinline))\n"
	      "#define REALIGN __attribute__((force_align_arg_pointer))\n"
	      "#define PATCHABLE __attribute__((patchable_function_entry(5, 0)))\n"
	      "#define IN_SECTION __attribute__((section(\".text.apart\")))\n"
	      "#ifdef __clang__\n"
	      "#define ALONE NOINLINE\n"
	      "#define UNOPTIMISED NOINLINE __attribute__((optnone))\n"
	      "#else\n"
	      "#define ALONE __attribute__((noipa))\n"
	      "#define UNOPTIMISED NOINLINE __attribute__((optimize(\"O0\")))\n"
	      "#endif\n"
	      "#if __has_attribute(zero_call_used_regs)\n"
	      "#define ZERO_REGS __attribute__((zero_call_used_regs(\"used\")))\n"
	      "#else\n"
	      "#define ZERO_REGS\n"
	      "#endif\n"
	      "/* gcc's, from 15 on, refuses where it can't; clang's can always. */\n"
	      "#if defined(__clang__) && __has_attribute(musttail)\n"
	      "#define RETURN_BY_JUMP __attribute__((musttail)) return\n"
	      "#else\n"
	      "#define RETURN_BY_JUMP return\n"
	      "#endif\n\n",
	      file);
}

static void print_words(FILE *file, const struct graph *graph)
{
	bool sized[32] = { false };

	fprintf(file, "static volatile u64 source[] = {\n");
	for (unsigned int i = 0; i < GENERATE_SOURCES; i++)
		fprintf(file, "\t" KEY ",\n", graph->source[i]);
	fprintf(file, "};\n");
	if (graph_has_step(graph, "aligned"))
		fprintf(file, "static volatile u64 seen;\n");
	if (graph_has_step(graph, "catch"))
		fprintf(file, "static volatile u64 jumped;\n");
	if (graph_has_step(graph, "signal"))
		fprintf(file, "static volatile u64 signal_word;\n");
	for (unsigned int f = 0; f < graph->functions; f++) {
		const struct function *function = &graph->function[f];
		unsigned int n = function->extra;

		if (function->dropped || sized[n] ||
		    (function->interface != INTERFACE_STRUCT &&
		     function->interface != INTERFACE_RETURNS))
			continue;
		sized[n] = true;
		fprintf(file, "struct words%u {\n\tu64 x, d, w[%u];\n};\n", n, n);
	}
	fputc('\n', file);
}

static void print_attributes(FILE *file, const struct function *function)
{
	static const char *const text[ATTRIBUTE_COUNT] = {
		"",
		"__attribute__((cold)) ",
		"__attribute__((hot)) ",
		"ALONE ",
		"UNOPTIMISED ",
		"REALIGN ",
		"__attribute__((ms_abi)) ",
		"IN_SECTION ",
		"PATCHABLE ",
		"ZERO_REGS ",
		"",
	};

	if (!(function->attributes & ATTRIBUTE_GLOBAL))
		fprintf(file, "static ");
	if (!(function->attributes & ATTRIBUTE_INLINE))
		fprintf(file, "NOINLINE ");
	for (unsigned int i = 0; i < ATTRIBUTE_COUNT; i++)
		if (function->attributes & 1u << i)
			fputs(text[i], file);
}

static void print_signature(FILE *file, const struct graph *graph, unsigned int f)
{
	const struct function *function = &graph->function[f];
	unsigned int n = function->extra;

	switch (function->interface) {
	case INTERFACE_PLAIN: fprintf(file, "u64 f%u(u64 x, u32 d)", f); break;
	case INTERFACE_MANY:
		fprintf(file, "u64 f%u(u64 x, u32 d", f);
		for (unsigned int i = 1; i <= n; i++)
			fprintf(file, ", u64 a%u", i);
		fprintf(file, ")");
		break;
	case INTERFACE_VARIADIC: fprintf(file, "u64 f%u(u32 count, ...)", f); break;
	case INTERFACE_STRUCT: fprintf(file, "u64 f%u(struct words%u given)", f, n); break;
	case INTERFACE_RETURNS: fprintf(file, "struct words%u f%u(u64 x, u32 d)", n, f); break;
	case INTERFACE_DOUBLE: fprintf(file, "u64 f%u(double z, u64 x, u32 d)", f); break;
	case INTERFACE_POINTER: fprintf(file, "u64 f%u(u64 *given, u32 d)", f); break;
	}
}

/* Before the steps: argument_worth() is this in numbers. */
static void print_arguments(FILE *file, const struct function *function)
{
	unsigned int n = function->extra;

	switch (function->interface) {
	case INTERFACE_PLAIN:
	case INTERFACE_RETURNS: break;
	case INTERFACE_MANY:
		fprintf(file, "\tx +=");
		for (unsigned int i = 1; i <= n; i++)
			fprintf(file, "%s %u * a%u", i > 1 ? " +" : "", i + 1, i);
		fprintf(file, ";\n");
		break;
	case INTERFACE_VARIADIC:
		fprintf(file, "\t__builtin_va_list list;\n\tu64 x;\n\tu32 d;\n\n"
			      "\t__builtin_va_start(list, count);\n"
			      "\td = __builtin_va_arg(list, u32);\n"
			      "\tx = __builtin_va_arg(list, u64);\n"
			      "\tx += (u64)__builtin_va_arg(list, double);\n"
			      "\tfor (u32 i = 0; i < count; i++)\n"
			      "\t\tx = x * 3 + __builtin_va_arg(list, u64);\n"
			      "\t__builtin_va_end(list);\n");
		break;
	case INTERFACE_STRUCT:
		fprintf(file,
			"\tu64 x = given.x;\n\tu32 d = (u32)given.d;\n\n"
			"\tx = x * 3 + given.w[0];\n\tx ^= given.w[%u];\n",
			n - 1);
		break;
	case INTERFACE_DOUBLE: fprintf(file, "\tx += (u64)(z * 3.0);\n"); break;
	case INTERFACE_POINTER:
		fprintf(file, "\tu64 x = *given;\n\n\t*given = x * 7 + 1;\n");
		break;
	}
	fprintf(file, "\t(void)d;\n");
}

void print_return(FILE *file, const struct site *site, const char *value, unsigned int tabs)
{
	const struct function *function = &site->graph->function[site->function];
	unsigned int n = function->extra;

	if (function->interface == INTERFACE_RETURNS)
		fprintf(file, "%.*sreturn (struct words%u){ .x = %s, .w = { [%u] = %s * 3 } };\n",
			tabs, "\t\t\t\t", n, value, n - 1, value);
	else
		fprintf(file, "%.*sreturn %s;\n", tabs, "\t\t\t\t", value);
}

void print_rounds(FILE *file, const struct step *step)
{
	switch (step->rounds_are) {
	case ROUNDS_FIXED: fprintf(file, "%uu", step->rounds); break;
	case ROUNDS_SAME: fprintf(file, "d"); break;
	case ROUNDS_LESS: fprintf(file, "d - 1"); break;
	}
}

/* The call of a function with a for x. */
static void print_given(FILE *file, const struct graph *graph, unsigned int f,
			const struct step *step)
{
	const struct function *function = &graph->function[f];
	unsigned int n = function->extra;

	switch (function->interface) {
	case INTERFACE_PLAIN:
	case INTERFACE_RETURNS:
	case INTERFACE_MANY:
		fprintf(file, "f%u(a, ", f);
		print_rounds(file, step);
		for (unsigned int i = 1; i <= n && function->interface == INTERFACE_MANY; i++)
			fprintf(file, ", a + %u", i);
		fprintf(file, ")");
		break;
	case INTERFACE_VARIADIC:
		fprintf(file, "f%u(%uu, (u32)(", f, n);
		print_rounds(file, step);
		fprintf(file, "), a, %u.0", n);
		for (unsigned int i = 1; i <= n; i++)
			fprintf(file, ", a + %u", i);
		fprintf(file, ")");
		break;
	case INTERFACE_STRUCT:
		fprintf(file, "f%u((struct words%u){ a, ", f, n);
		print_rounds(file, step);
		fprintf(file, ", { [0] = a + 1, [%u] = a ^ %u } })", n - 1, n);
		break;
	case INTERFACE_DOUBLE:
		fprintf(file, "f%u((double)(a %% 65536), a, ", f);
		print_rounds(file, step);
		fprintf(file, ")");
		break;
	case INTERFACE_POINTER:
		fprintf(file, "f%u(&a, ", f);
		print_rounds(file, step);
		fprintf(file, ")");
		break;
	}
}

/* "target operator f(argument);" in a block of its own. */
static void print_statement(FILE *file, const struct graph *graph, unsigned int f,
			    const struct step *step, const char *begin, unsigned int tabs)
{
	const struct function *function = &graph->function[f];
	const char *indent = "\t\t\t\t\t";

	if (function->interface == INTERFACE_RETURNS) {
		fprintf(file, "%.*sstruct words%u got = ", tabs, indent, function->extra);
		print_given(file, graph, f, step);
		fprintf(file, ";\n\n%.*s%s(got.x ^ got.w[%u]);\n", tabs, indent, begin,
			function->extra - 1);
		return;
	}
	fprintf(file, "%.*s%s", tabs, indent, begin);
	print_given(file, graph, f, step);
	fprintf(file, ";\n");
	if (function->interface == INTERFACE_POINTER)
		fprintf(file, "%.*sx += a;\n", tabs, indent);
}

void print_call(FILE *file, const struct site *site, unsigned int callee, unsigned int tabs)
{
	const struct step *step = site->step;
	const char *indent = "\t\t\t\t";

	if (step->callee[callee] == NO_CALLEE) {
		fprintf(file, "%.*sx = x * 5 + " KEY ";\n", tabs, indent, step->key[1]);
		return;
	}
	fprintf(file, "%.*s{\n%.*su64 a = x ^ " KEY ";\n\n", tabs, indent, tabs + 1, indent,
		step->key[0]);
	print_statement(file, site->graph, step->callee[callee], step, "x += ", tabs + 1);
	fprintf(file, "%.*s}\n", tabs, indent);
}

static void print_function(FILE *file, const struct graph *graph, unsigned int f)
{
	const struct function *function = &graph->function[f];
	struct site site = { graph, f, 0, NULL };
	bool last = false;

	for (unsigned int s = 0; s < function->steps; s++) {
		site = (struct site) { graph, f, s, &function->step[s] };
		if (site.step->kind->print_before)
			site.step->kind->print_before(file, &site);
	}
	print_attributes(file, function);
	print_signature(file, graph, f);
	fprintf(file, "\n{\n");
	print_arguments(file, function);
	for (unsigned int s = 0; s < function->steps; s++) {
		site = (struct site) { graph, f, s, &function->step[s] };
		site.step->kind->print(file, &site);
		last = site.step->kind->last;
	}
	if (!last)
		print_return(file, &site, "x", 1);
	fprintf(file, "}\n\n");
}

static void print_handler(FILE *file, const struct graph *graph)
{
	struct step step = { .rounds = 1 };

	if (!graph_has_step(graph, "signal"))
		return;
	fprintf(file, "static void on_signal(int number)\n{\n\tu64 x = signal_word, a = x;\n\n"
		      "\t(void)number;\n");
	print_statement(file, graph, graph->handler_callee, &step, "x += ", 1);
	fprintf(file, "\tsignal_word = x * 5 + 1;\n}\n\n");
}

static void print_run(FILE *file, const struct graph *graph, uint64_t expected)
{
	if (graph->ends_inside)
		fprintf(file,
			"static _Noreturn NOINLINE void finish(u64 x)\n{\n"
			"\tvolatile u64 room[4];\n\n\troom[x %% 4] = x;\n"
			"\tgive_up(room[x %% 4] == " KEY " ? 0 : 1);\n}\n\n",
			expected);
	fprintf(file, "%s\n{\n\tu64 x = source[0];\n\n",
		graph->options.hosted ? "int main(void)" : "int run(void)");
	if (graph_has_step(graph, "signal"))
		fprintf(file, "\tcatch_signals();\n");
	for (unsigned int i = 0; i < graph->roots; i++) {
		struct step step = { .rounds = graph->root_rounds[i] };

		/* A pointer's callee changes a: "x +=" is behind the multiplication. */
		fprintf(file, "\t{\n\t\tu64 a = x;\n\n\t\tx *= 3;\n");
		print_statement(file, graph, graph->root[i], &step, "x += ", 2);
		fprintf(file, "\t}\n");
	}
	if (graph->ends_inside)
		fprintf(file, "\tfinish(x);\n}\n");
	else
		fprintf(file, "\treturn x == " KEY " ? 0 : 1;\n}\n", expected);
}

void graph_print(FILE *file, const struct graph *graph, uint64_t expected)
{
	print_head(file, graph);
	if (graph->options.hosted)
		fprintf(file, "#include <signal.h>\n#include <unistd.h>\n\n");
	print_macros(file);
	print_words(file, graph);
	graph_print_system(file, graph);
	for (unsigned int f = 0; f < graph->functions; f++) {
		if (graph->function[f].dropped)
			continue;
		print_attributes(file, &graph->function[f]);
		print_signature(file, graph, f);
		fprintf(file, ";\n");
	}
	fputc('\n', file);
	for (unsigned int f = 0; f < graph->functions; f++)
		if (!graph->function[f].dropped)
			print_function(file, graph, f);
	print_handler(file, graph);
	print_run(file, graph, expected);
}

int generate_program(const struct generate_options *options, FILE *file, struct error *error)
{
	struct graph graph;
	struct worth worth;
	uint64_t expected;

	if (graph_draw(options, &graph, error))
		return -1;
	expected = graph_worth(&graph, &worth);
	graph_print(file, &graph, expected);
	if (fflush(file) || ferror(file))
		return error_set_errno(error, "writing the program");
	return 0;
}
