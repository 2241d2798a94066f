/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_object.c - object files that were not linked, and what lint says of each
 *
 * A case is a file of assembly. It is assembled and not linked, and what a person reads of it is
 * expected letter by letter: findings with their sections, and what the FDEs and relocations came to.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/finding/tests/finding_fixture.h"
#include "tests/suite.h"
#include "base/child/child.h"
#include "assembly_fixture.h"
#include "analysis/lint/lint.h"

#define SECTION(name)  ".section " name ",\"ax\",@progbits; "
#define FUNCTION(name) ".globl " name "; .type " name ", @function; " name ": startproc; "
#define LOCAL(name)    ".type " name ", @function; " name ": startproc; "
#define END(name)      "endproc; .size " name ", .-" name "; "
#define PUSH_RBX       "push rbx; cfa 16; offset rbx, -16; "
#define POP_RBX	       "pop rbx; cfa 8; "
#define PUSH	       "push rax; cfa 16; "
#define POP	       "pop rax; cfa 8; "
#define WRONG	       "push rbx; nop; cfa 32; nop; pop rbx; ret; "
#define ALL_PROVEN(number)                                                                         \
	"f.o: " number " of " number " FDEs proven (100.000 %), 0 with mismatches"
#define NONE_PROVEN(reason)                                                                        \
	"f.o: 0 of 1 FDEs proven (0.000 %), 0 with mismatches, 1 unproven (" reason ")"
#define ONE_WRONG "f.o: 0 of 1 FDEs proven (0.000 %), 1 with mismatches"

/* A function without CFI, and the FDE of another place. */
#define CALLED SECTION(".text.f") ".globl f; .type f, @function; f: ret; .size f, .-f; "
#define BY_HAND(begin)                                                                             \
	".section .eh_frame,\"a\",@unwind; 1: .long 3f-2f; 2: .long 0; .byte 1; .asciz \"zR\"; "   \
	".byte 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1; .p2align 3; 3: .long 5f-4f; 4: .long "   \
	".-1b, " begin ", 1; .byte 0; .p2align 3; 5: "

static const struct object_case {
	const char *rule, *assembly, *expected;
} object_cases[] = {
	{ "each section has a place of its own",
	  SECTION(".text.f") FUNCTION("f") "ret; " END("f") SECTION(".text.g") FUNCTION("g")
		  PUSH POP "ret; " END("g"),
	  ALL_PROVEN("2") "\n" },
	{ "a finding says its section",
	  SECTION(".text.f") FUNCTION("f") "ret; " END("f") SECTION(".text.g")
		  FUNCTION("g") "push rax; nop; pop rax; ret; " END("g"),
	  "f.o: g+0x1 (.text.g+0x1): SP001 the CFA is elsewhere\n        0x0  push rax\n"
	  "     -> 0x1  nop\n        0x2  pop rax\n        0x3  ret\n    up to       0x3\n"
	  "    declared    cfa=rsp+8\n    actual      cfa=rsp+16\n"
	  "f.o: 1 of 2 FDEs proven (50.000 %), 1 with mismatches\n" },
	{ "a function without a symbol is named by its section",
	  "nop; startproc; push rax; pop rax; ret; endproc",
	  "f.o: fde@.text+0x1+0x1 (.text+0x2): SP001 the CFA is elsewhere\n        0x1  push rax\n"
	  "     -> 0x2  pop rax\n        0x3  ret\n"
	  "    declared    cfa=rsp+8\n    actual      cfa=rsp+16\n" ONE_WRONG "\n" },
	{ "a way through another section, and back",
	  SECTION(".text.f") FUNCTION("f") PUSH_RBX
	  "test edi, edi; jne f_cold; 1: " POP_RBX "ret; " END("f") SECTION(".text.unlikely.f")
		  LOCAL("f_cold") "cfa 16; offset rbx, -16; mov ebx, 5; jmp 1b; " END("f_cold"),
	  ALL_PROVEN("2") "\n" },
	{ "the same with another CFA there: both sections are said",
	  SECTION(".text.f") FUNCTION("f") PUSH_RBX
	  "test edi, edi; jne f_cold; 1: nop; " POP_RBX "ret; " END("f") SECTION(".text.unlikely.f")
		  LOCAL("f_cold") "cfa 16; offset rbx, -16; push rax; cfa 24; jmp 1b; " END(
			  "f_cold"),
	  "f.o: f+0x9 (.text.f+0x9): SP001 the CFA is elsewhere\n        0x0  push rbx\n"
	  "        0x1  test edi, edi\n        0x3  jnz 0x9\n     -> 0x9  nop\n        0xa  pop "
	  "rbx\n        0xb  ret\n"
	  "    by          the jump at .text.unlikely.f+0x1; "
	  "other ways may bring what is declared\n"
	  "    path        0x3 jnz 0x9; .text.unlikely.f+0x1 jmp 0x6\n"
	  "    declared    cfa=rsp+16\n    actual      cfa=rsp+24\n"
	  "f.o: 1 of 2 FDEs proven (50.000 %), 1 with mismatches\n" },
	{ "an FDE that is longer than its section",
	  SECTION(".text.f") ".globl f; .type f, @function; f: ret; .size f, .-f; " SECTION(
		  ".text.g")
		  FUNCTION("g") "ret; " END(
			  "g") ".section .eh_frame,\"a\",@unwind; 1: .long 3f-2f; 2: .long 0; "
			       ".byte 1; .asciz \"zR\"; .byte 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, "
			       "0x90, 1; .p2align 3; 3: .long 5f-4f; 4: .long .-1b, f-., 2; "
			       ".byte 0; .p2align 3; 5: ",
	  "f.o: f (.text.f+0x0): SP012 an FDE reaches beyond its function\n     -> 0x0  ret\n"
	  "    up to       0x1\n"
	  "    declared    an FDE of 2 bytes from .text.f+0x0\n    actual      the code ends at "
	  ".text.f+0x1\n"
	  "f.o: 2 of 2 FDEs proven (100.000 %), 0 with mismatches\n" },
	{ "an FDE whose place another file says may be that of any code", CALLED BY_HAND("place-."),
	  NONE_PROVEN("instructions that can't be decoded") "\n" },
	{ "one that lies elsewhere in this file is not",
	  CALLED SECTION(".text.g") "g: ret; " BY_HAND("g-."),
	  "f.o: f (.text.f+0x0): SP006 code that is reached, and no FDE covers it\n     -> 0x0  "
	  "ret\n    up to       0x1\n    declared    no FDE covers it\n    actual      it is a "
	  "function, or something leads there\n" ALL_PROVEN("1") "\n" },
	{ "nor one of a file in which nothing is relocated", CALLED BY_HAND("1 << 20"),
	  NONE_PROVEN("instructions that can't be decoded") "\n" },
	{ "an FDE over bytes that nobody executes: they may be text",
	  ".section .blob,\"a\",@progbits; " FUNCTION("f") WRONG END("f") SECTION(".text.g")
		  FUNCTION("g") "ret; " END("g"),
	  "f.o: 1 of 2 FDEs proven (50.000 %), 0 with mismatches, 1 unproven (parts that nothing "
	  "was seen to lead to)\n" },
	{ "calls and addresses in such bytes are none",
	  ".section .blob,\"a\",@progbits; " FUNCTION("f") "call g+1; lea rax, h[rip]; ret; " END(
		  "f") SECTION(".text.g") FUNCTION("g") PUSH POP
	  "ret; " END("g") ".p2align 4; h: ret",
	  "f.o: 1 of 2 FDEs proven (50.000 %), 0 with mismatches, 1 unproven (parts that nothing "
	  "was seen to lead to)\n" },
	{ "a name that never returns, by way of a PLT",
	  FUNCTION("f") PUSH "call abort@PLT; cfa 8; int3; " END("f"), ALL_PROVEN("1") "\n" },
	{ "the same name, of a function of this file that returns",
	  FUNCTION("f") PUSH "call exit; cfa 8; int3; " END("f") LOCAL("exit") "ret; " END("exit"),
	  "f.o: 1 of 2 FDEs proven (50.000 %), 0 with mismatches, 1 unproven (behind a call that "
	  "perhaps never returns)\n" },
	{ "a weak function that never returns: another file may have one that does",
	  FUNCTION("f") PUSH
	  "call 9f; cfa 8; int3; " END("f") ".weak g; 9: " FUNCTION("g") "ud2; " END("g"),
	  "f.o: 1 of 2 FDEs proven (50.000 %), 0 with mismatches, 1 unproven (behind a call that "
	  "perhaps never returns)\n" },
	{ "one that is not weak",
	  FUNCTION("f") PUSH "call 9f; cfa 8; int3; " END("f") "9: " FUNCTION("g") "ud2; " END("g"),
	  ALL_PROVEN("2") "\n" },
	{ "a name that never returns, directly",
	  FUNCTION("f") PUSH
	  ".byte 0xe8; .reloc ., R_X86_64_PC32, abort-4; .long 0; cfa 8; " END("f"),
	  ALL_PROVEN("1") "\n" },
	{ "a name that never returns, by way of the GOT",
	  FUNCTION("f") PUSH "call [abort@GOTPCREL+rip]; cfa 8; int3; " END("f"),
	  ALL_PROVEN("1") "\n" },
	{ "another name is taken to return",
	  FUNCTION("f") PUSH "call g@PLT; cfa 8; nop; ret; " END("f"),
	  NONE_PROVEN("behind a call that perhaps never returns") "\n" },
	{ "the name of what is called stands beside the instruction",
	  FUNCTION("f") "push rax; call g@PLT; pop rax; ret; " END("f"),
	  "f.o: f+0x1 (.text+0x1): SP001 the CFA is elsewhere\n"
	  "        0x0  push rax\n     -> 0x1  call 0x6 (g)\n        0x6  pop rax\n        0x7  "
	  "ret\n"
	  "    declared    cfa=rsp+8\n    actual      cfa=rsp+16\n" ONE_WRONG "\n" },
	{ "a jump to a function elsewhere, also by way of the GOT",
	  FUNCTION("f") PUSH POP "jmp g@PLT; " END("f") FUNCTION("h") PUSH POP
	  "jmp [g@GOTPCREL+rip]; " END("h"),
	  ALL_PROVEN("2") "\n" },
	{ "a jump table of distances",
	  FUNCTION("f") PUSH_RBX
	  "cmp edi, 1; ja 1f; mov edi, edi; lea rdx, 9f[rip]; movsxd rax, dword ptr [rdx+rdi*4]; "
	  "add rax, rdx; jmp rax; 2: mov ebx, 5; 1: " POP_RBX
	  "ret; " END("f") ".section .rodata.f,\"a\"; 9: .long 2b-9b, 1b-9b",
	  ALL_PROVEN("1") "\n" },
	{ "a jump table of addresses",
	  FUNCTION("f") PUSH_RBX
	  "cmp edi, 1; ja 1f; mov edi, edi; jmp [9f+rdi*8]; 2: mov ebx, 5; 1: " POP_RBX
	  "ret; " END("f") ".section .rodata.f,\"a\"; 9: .quad 2b, 1b",
	  ALL_PROVEN("1") "\n" },
	{ "a jump table of addresses that another file has",
	  FUNCTION("f") PUSH_RBX
	  "cmp edi, 1; ja 1f; mov edi, edi; jmp [9f+rdi*8]; 2: mov ebx, 5; 1: " POP_RBX
	  "ret; " END("f") ".section .rodata.f,\"a\"; 9: .quad g, 1b",
	  NONE_PROVEN("behind a jump whose targets are not known") "\n" },
	{ "a jump whose relocation a linker makes a number of leads anywhere",
	  FUNCTION("f") PUSH ".byte 0xe9; .reloc ., R_X86_64_SIZE32, g; .long 0; " POP
			     "ret; " END("f"),
	  NONE_PROVEN("behind a jump whose targets are not known") "\n" },
	{ "a call of that kind comes back",
	  FUNCTION("f") PUSH ".byte 0xe8; .reloc ., R_X86_64_SIZE32, g; .long 0; " POP
			     "ret; " END("f"),
	  ALL_PROVEN("1") "\n" },
	{ "a branch of that kind is not followed",
	  FUNCTION("f") PUSH ".byte 0x0f, 0x84; .reloc ., R_X86_64_SIZE32, g; .long 0; " POP
			     "ret; " END("f"),
	  NONE_PROVEN("code that no way leads to") "\n" },
	{ "a branch out of its section is not followed",
	  FUNCTION("f") PUSH
	  "test edi, edi; .byte 0xe9; .reloc ., R_X86_64_PC32, .text+995; .long 0; " POP
	  "ret; " END("f"),
	  "f.o: 0 of 1 FDEs proven (0.000 %), 0 with mismatches, 1 unproven (behind a jump whose "
	  "targets are not known); relocations: 1 out of their section\n" },
	{ "a frame's size that another file has is not known",
	  FUNCTION("f") "sub rsp, offset frame; ret; " END("f"),
	  NONE_PROVEN("a value that can't be followed") "\n" },
	{ "a frame's size that this file has",
	  ".globl frame; .set frame, 24; " FUNCTION(
		  "f") "sub rsp, offset frame; cfa 32; add rsp, 24; cfa 8; ret; " END("f"),
	  ALL_PROVEN("1") "\n" },
	{ "an address that is not known, stored where a register is saved",
	  FUNCTION("f") PUSH_RBX "mov qword ptr [rsp], offset g; " POP_RBX "ret; " END("f"),
	  "f.o: f+0x9 (.text+0x9): SP003 a register is declared saved where it is not\n"
	  "        0x0  push rbx\n        0x1  mov qword ptr [rsp], 0x00 (g)\n     -> 0x9  pop "
	  "rbx\n"
	  "        0xa  ret\n    declared    rbx=c-16\n    actual      there is another "
	  "value\n" ONE_WRONG "\n" },
	{ "an address that is not known, in a register of the caller",
	  FUNCTION("f") "same_value rbx; lea rbx, g[rip]; ret; " END("f"),
	  "f.o: f+0x7 (.text+0x7): SP004 a register is declared unchanged, and was overwritten\n"
	  "        0x0  lea rbx, [0x7] (g)\n     -> 0x7  ret\n    up to       0x8\n    declared    "
	  "rbx=same\n    actual      it is another value\n" ONE_WRONG "\n" },
	{ "what is read at one, too",
	  FUNCTION("f") "same_value rbx; mov rbx, g@GOTPCREL[rip]; ret; " END("f"),
	  "f.o: f+0x7 (.text+0x7): SP004 a register is declared unchanged, and was overwritten\n"
	  "        0x0  mov rbx, [0x7] (g)\n     -> 0x7  ret\n    up to       0x8\n    declared    "
	  "rbx=same\n    actual      it is another value\n" ONE_WRONG "\n" },
	{ "an address of this file is said as a place",
	  FUNCTION("f") "same_value rbx; lea rbx, f[rip+3]; ret; " END("f"),
	  "f.o: f+0x7 (.text+0x7): SP004 a register is declared unchanged, and was overwritten\n"
	  "        0x0  lea rbx, [0x7] (f)\n     -> 0x7  ret\n    up to       0x8\n    declared    "
	  "rbx=same\n    actual      it is .text+0x3\n" ONE_WRONG "\n" },
	{ "thread-local variables and sizes disturb nothing",
	  FUNCTION("f") PUSH "mov rax, fs:[0]; lea rdi, v@tlsgd[rip]; mov rcx, v@gottpoff[rip]; "
			     "lea rdx, v@tpoff[rax]; " POP "ret; " END("f"),
	  ALL_PROVEN("1") "\n" },
	{ "weak symbols are told of: another file may have its own",
	  ".weak g, h; " FUNCTION("g") "ret; " END("g") FUNCTION("f") PUSH "call g; call h; " POP
									   "ret; " END("f"),
	  ALL_PROVEN("2") "; relocations: 2 to weak symbols\n" },
	{ "code that goes on behind its section's end meets no other",
	  SECTION(".text.f") FUNCTION("f") "nop; " END("f")
		  SECTION(".text.g") "ret; .balign 64; ret",
	  ALL_PROVEN("1") "\n" },
	{ "code in another section without an FDE",
	  FUNCTION("f") PUSH "call g; " POP "ret; " END("f") SECTION(".text.g") "g: ret",
	  "f.o: g (.text.g+0x0): SP006 code that is reached, and no FDE covers it\n"
	  "     -> 0x0  ret\n    up to       0x1\n    declared    no FDE covers it\n"
	  "    actual      it is a function, or something leads there\n" ALL_PROVEN("1") "\n" },
	{ "a group of sections of which a linker keeps one",
	  ".section .text.g,\"axG\",@progbits,g,comdat; .weak g; " LOCAL("g") PUSH POP
	  "ret; " END("g") ".text; " FUNCTION("f") "jmp g; " END("f"),
	  ALL_PROVEN("2") "; relocations: 1 to weak symbols\n" },
	{ "what others may call begins as a function does", FUNCTION("f") "cfa 16; ret; " END("f"),
	  "f.o: f (.text+0x0): SP005 the first row is not that of a function that was called\n"
	  "     -> 0x0  ret\n    up to       0x1\n    declared    cfa=rsp+16\n"
	  "    actual      cfa=rsp+8\n" ONE_WRONG "\n" },
	{ "a hidden one may be entered in another way",
	  ".hidden f; " FUNCTION("f") "cfa 16; pop rax; cfa 8; ret; " END("f"),
	  NONE_PROVEN("parts that nothing was seen to lead to") "\n" },
	{ "an object file without functions", ".data; .quad 5", "f.o: no CFI: it has no code\n" },
	{ "a kernel module", ".section .gnu.linkonce.this_module,\"aw\"; .quad 5",
	  "f.o: no CFI: a kernel module\n" },
};

static void run(const char *const *argv)
{
	struct child_command child = { .argv = argv, .errors = false };
	struct error error;
	pid_t pid = child_start(&child, NULL, &error);

	ck_assert_int_gt(pid, 0);
	ck_assert_msg(child_end(pid, false) == 0, "%s", argv[0]);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
}

static char folder[] = "/tmp/test_lint_object.XXXXXX";

static void enter_folder(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static void leave_folder(void)
{
	const char *const remove[] = { "rm", "-r", folder, NULL };

	ck_assert_int_eq(chdir("/"), 0);
	run(remove);
}

/* What a person reads of all images of a path. */
static char *text_of(const char *path)
{
	const struct lint_options options = { .only = UINT32_MAX };
	struct image_list list = { NULL };
	char *text = NULL, *json = NULL;
	size_t size, json_size;
	FILE *output = open_memstream(&text, &size);
	struct error error;

	ck_assert_int_eq(image_list_add(&list, path, &error), 0);
	image_list_finish(&list, 1);
	for (size_t i = 0; i < list.count; i++) {
		FILE *file = open_memstream(&json, &json_size);
		char *rest, *line;

		lint_file(&options, &list.image[i], file);
		fclose(file);
		rest = json;
		while ((line = strsep(&rest, "\n")) && *line) {
			json_t *object = json_loads(line, 0, NULL);

			lint_text_print(output, RECORD(object), false);
			json_decref(object);
		}
		free(json);
	}
	image_list_deinit(&list);
	fclose(output);
	return text;
}

/* Makes f.o. */
static void make_object(const char *assembly)
{
	static const char *const assemble[] = { "gcc-12", "-c",	 "-masm=intel", "-o",
						"f.o",	  "f.s", NULL };
	char *whole, *text = spelled(assembly);

	ck_assert_int_gt(asprintf(&whole, ".intel_syntax noprefix\n.text\n%s", text), 0);
	free(text);
	write_file("f.s", whole);
	run(assemble);
	free(whole);
}

START_TEST(an_object_file_is_judged)
{
	const struct object_case *test = &object_cases[_i];
	char *text;

	enter_folder();
	make_object(test->assembly);
	text = text_of("f.o");
	ck_assert_msg(!strcmp(text, test->expected), "%s:\n%s\nexpected:\n%s", test->rule, text,
		      test->expected);
	free(text);
	leave_folder();
}
END_TEST

/* Code is covered by FDEs that lie in it. */
static const struct {
	const char *assembly, *expected;
} cover_cases[] = {
	{ SECTION(".text.f") FUNCTION("f") "ret; " END("f") "nop; " SECTION(".text.g") FUNCTION("g")
		  PUSH POP "ret; " END("g"),
	  "\"executable_bytes\":5,\"covered_bytes\":4" },
	{ CALLED BY_HAND("1 << 20"), "\"executable_bytes\":1,\"covered_bytes\":0" },
	{ SECTION(".text.g") "ret; " CALLED
			     ".section .eh_frame,\"a\",@unwind; 1: .long 3f-2f; 2: .long 0; .byte "
			     "1; .asciz \"zR\"; .byte 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1; "
			     ".p2align 3; 3: .long 5f-4f; 4: .long .-1b, f-., 2; .byte 0; "
			     ".p2align 3; 5: ",
	  "\"executable_bytes\":2,\"covered_bytes\":1" },
	{ ".section .blob,\"a\",@progbits; " FUNCTION("f") WRONG END("f") SECTION(".text.g")
		  FUNCTION("g") "ret; " END("g") "nop",
	  "\"executable_bytes\":2,\"covered_bytes\":1" },
};

START_TEST(what_fdes_cover_is_counted)
{
	const struct lint_options options = { .only = UINT32_MAX };
	struct image_list list = { NULL };
	char *json = NULL;
	size_t size;
	FILE *file = open_memstream(&json, &size);
	struct error error;

	enter_folder();
	make_object(cover_cases[_i].assembly);
	ck_assert_int_eq(image_list_add(&list, "f.o", &error), 0);
	lint_file(&options, &list.image[0], file);
	fclose(file);
	ck_assert_msg(strstr(json, cover_cases[_i].expected) != NULL, "%s", json);
	free(json);
	image_list_deinit(&list);
	leave_folder();
}
END_TEST

/* Exceptions, jump tables, cold fragments and static data, as compilers write them. */
static const char language[] = "#include <stdexcept>\n"
			       "extern int g(int) noexcept(false);\n"
			       "struct held { int *p; ~held(); };\n"
			       "inline int twice(int i) { if (i > 1000) throw "
			       "std::length_error(\"much\"); return 2 * i; }\n"
			       "int f(int i)\n"
			       "{\n"
			       "	held h{&i};\n"
			       "	try {\n"
			       "		switch (i) {\n"
			       "		case 0: return g(5) + 1;\n"
			       "		case 1: return g(7) + twice(i);\n"
			       "		case 2: return g(9) - 1;\n"
			       "		case 3: return g(2) * i;\n"
			       "		case 4: return g(i) / 3;\n"
			       "		case 5: throw i;\n"
			       "		}\n"
			       "	} catch (const std::runtime_error &e) {\n"
			       "		return e.what()[0];\n"
			       "	} catch (int j) {\n"
			       "		return g(j);\n"
			       "	}\n"
			       "	return i;\n"
			       "}\n"
			       "int h(int *p, int n) { int s = 0; for (int i = 0; i < n; "
			       "i++) s += f(p[i]) + twice(i); return s; }\n";

static const struct compiled_case {
	const char *compiler, *option, *expected;
} compiled_cases[] = {
	{ "/usr/bin/g++-12", "-O2", "4 of 4" },
	{ "/usr/bin/g++-12", "-ffunction-sections", "4 of 4" },
	{ "/usr/bin/g++-12", "-fPIC", "4 of 4" },
	{ "/usr/bin/g++-12", "-fno-plt", "4 of 4" },
	{ "/usr/bin/g++-12", "-mcmodel=large", "2 of 4" },
	{ "/usr/bin/g++-12", "-fno-reorder-blocks-and-partition", "2 of 2" },
	{ "/usr/bin/clang++-14", "-O2", "2 of 2" },
	{ "/usr/bin/clang++-14", "-ffunction-sections", "2 of 2" },
	{ "/usr/bin/clang++-14", "-fPIC", "2 of 2" },
	{ "/usr/bin/clang++-14", "-fno-plt", "2 of 2" },
};

START_TEST(a_compiled_object_is_proven)
{
	const struct compiled_case *test = &compiled_cases[_i];
	const char *const compile[] = { test->compiler, "-c",  "-O2",  test->option,
					"-o",		"f.o", "f.cc", NULL };
	char *text;

	if (access(test->compiler, X_OK))
		return;
	enter_folder();
	write_file("f.cc", language);
	run(compile);
	text = text_of("f.o");
	ck_assert_msg(!strncmp(text + strlen("f.o: "), test->expected, strlen(test->expected)) &&
			      strstr(text, " 0 with mismatches"),
		      "%s %s: %s", test->compiler, test->option, text);
	free(text);
	leave_folder();
}
END_TEST

START_TEST(members_of_an_archive_are_judged)
{
	static const char *const compile[] = { "gcc-12", "-c", "f.s", "g.s", NULL };
	static const char *const pack[] = { "ar", "rc", "l.a", "f.o", "g.o", NULL };
	char *text;

	enter_folder();
	write_file("f.s", "f:	.cfi_startproc\n	ret\n	.cfi_endproc\n");
	write_file("g.s", "g:	.cfi_startproc\n	push %rax\n	ret\n	.cfi_endproc\n");
	run(compile);
	run(pack);
	text = text_of("l.a");
	ck_assert_str_eq(text, "l.a(f.o): 1 of 1 FDEs proven (100.000 %), 0 with mismatches\n"
			       "l.a(g.o): g+0x1 (.text+0x1): SP001 the CFA is elsewhere\n"
			       "        0x0  push rax\n     -> 0x1  ret\n    up to       0x2\n    "
			       "declared    cfa=rsp+8\n    actual      cfa=rsp+16\n"
			       "l.a(g.o): 0 of 1 FDEs proven (0.000 %), 1 with mismatches\n");
	free(text);
	leave_folder();
}
END_TEST

START_TEST(members_of_an_rlib_are_judged)
{
	static const char *const compile[] = {
		"rustc", "--crate-type=rlib", "-O", "-o", "l.rlib", "l.rs", NULL
	};
	struct child_command child = { .argv = compile, .errors = false };
	struct error error;
	char *text;
	pid_t pid;
	int status;

	enter_folder();
	write_file("l.rs", "pub fn f(v: &[u32], i: usize) -> u32 { v[i] / v[i + 1] }\n"
			   "pub fn g(s: &str) -> String { format!(\"{}!\", s) }\n");
	pid = child_start(&child, NULL, &error);
	ck_assert_int_gt(pid, 0);
	status = child_end(pid, false);
	if (!status) { /* else there is no rustc */
		text = text_of("l.rlib");
		ck_assert_ptr_nonnull(strstr(text, "FDEs proven (100.000 %), 0 with mismatches"));
		ck_assert_ptr_null(strstr(text, "SP0"));
		free(text);
	}
	leave_folder();
}
END_TEST

START_TEST(a_debug_file_is_said_to_be_one)
{
	static const char *const compile[] = { "gcc-12", "-shared", "-nostdlib", "-g",
					       "-o",	 "f.so",    "f.c",	 NULL };
	static const char *const split[] = { "objcopy", "--only-keep-debug", "f.so", "f.debug",
					     NULL };
	char *text;

	enter_folder();
	write_file("f.c", "int f(int i) { return i + 1; }\n");
	run(compile);
	run(split);
	text = text_of("f.debug");
	ck_assert_str_eq(text, "f.debug: no CFI: a debug file, whose code is in another\n");
	free(text);
	leave_folder();
}
END_TEST

/* -fno-asynchronous-unwind-tables -g leaves .debug_frame alone, which is not loaded. */
START_TEST(debug_frame_alone_is_read)
{
	static const char *const plain[] = {
		"gcc-12", "-c", "-O2", "-g", "-fno-asynchronous-unwind-tables", "f.c", NULL
	};
	static const char *const compressed[] = {
		"gcc-12", "-c", "-O2", "-g", "-gz", "-fno-asynchronous-unwind-tables", "f.c", NULL
	};
	const char *const *const commands[] = { plain, compressed };

	enter_folder();
	write_file("f.c", "int g(int);\nint f(int i) { return g(i) + i; }\n"
			  "int h(int i) { return f(i) + i; }\n");
	for (size_t i = 0; i < 2; i++) {
		char *text;

		run(commands[i]);
		text = text_of("f.o");
		ck_assert_str_eq(text, "f.o: 2 of 2 FDEs proven (100.000 %), 0 with mismatches\n");
		free(text);
	}
	leave_folder();
}
END_TEST

SUITE(lint_object, LOOP(an_object_file_is_judged, object_cases),
      LOOP(what_fdes_cover_is_counted, cover_cases),
      LOOP(a_compiled_object_is_proven, compiled_cases), TEST(members_of_an_archive_are_judged),
      TEST(members_of_an_rlib_are_judged), TEST(a_debug_file_is_said_to_be_one),
      TEST(debug_frame_alone_is_read))
