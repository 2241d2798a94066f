/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_symbols.c - functions without an FDE by their symbols, and files that have no CFI at all
 *
 * Assembly, as an object or linked, and which functions of it are told, by name; or why none is.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/json_counts.h"
#include "analysis/lint/lint.h"
#include "analysis/lint/lint_inside.h"
#include "stepped_folder.h"

#define OBJECT	 "-c"
#define STRIPPED "-static -nostdlib -s"
#define LINKED	 "-static -nostdlib -Wl,-e,0"
#define SHARED	 "-shared -nostdlib"

#define TYPE(name)   ".type " name ", @function\n"
#define GLOBAL(name) ".globl " name "\n" TYPE(name) name ": "
#define LOCAL(name)  TYPE(name) name ": "
#define SIZE(name)   ".size " name ", . - " name "\n"
#define FRAME	     "push rbx\npush rbp\nsub rsp, 24\nadd rsp, 24\npop rbp\npop rbx\nret\n"
#define WITH_FDE     GLOBAL("h") ".cfi_startproc\nret\n.cfi_endproc\n" SIZE("h")
#define NEVER	     GLOBAL("never") ".cfi_startproc\nud2\n.cfi_endproc\n" SIZE("never")
#define GRUB_NAME    ".section .modname,\"\"\n.asciz \"ext2\"\n"
#define GRUB_LICENSE ".section .module_license,\"aw\"\n.asciz \"LICENSE=GPLv3+\"\n"
#define PROGRAM	     "-static -nostdlib"
/* What glibc's does: argc, argv and main for the C library. */
#define GIVES_MAIN                                                                                 \
	".globl _start\n_start:\n.cfi_startproc\n.cfi_undefined rip\nxor ebp, ebp\npop rsi\n"      \
	"mov rdx, rsp\nlea rdi, main[rip]\ncall h\nhlt\n.cfi_endproc\n"
#define START_ONLY ".globl _start\n_start: mov eax, 60\nsyscall\n"

static const struct symbol_case {
	const char *rule, *flags, *text;
	const char *expected; /* functions, or why there is none */
} cases[] = {
	/* what is one */
	{ "the commonest fault of assembly", OBJECT, GLOBAL("f") FRAME, "f" },
	{ "with a size", OBJECT, GLOBAL("f") FRAME SIZE("f"), "f" },
	{ "a local one", OBJECT, LOCAL("f") FRAME, "f" },
	{ "beside an FDE", OBJECT, GLOBAL("f") FRAME WITH_FDE, "f" },
	{ "beside an FDE, with a size", OBJECT, GLOBAL("f") FRAME SIZE("f") WITH_FDE, "f" },
	{ "behind one", OBJECT, WITH_FDE GLOBAL("f") FRAME, "f" },
	{ "linked", LINKED, START_ONLY GLOBAL("f") FRAME, "f" },
	{ "linked, beside an FDE", LINKED, WITH_FDE GLOBAL("f") FRAME SIZE("f"), "f" },
	{ "a local one of a file without CFI", LINKED, START_ONLY LOCAL("f") FRAME, "f" },
	{ "exported, without other symbols", SHARED " -s", GLOBAL("f") FRAME SIZE("f"), "f" },
	{ "several", OBJECT, GLOBAL("f") FRAME GLOBAL("g") FRAME GLOBAL("i") "ret\n", "f g i" },
	{ "of several names one", OBJECT, GLOBAL("f") GLOBAL("g") FRAME, "f" },
	{ "in sections of their own", OBJECT,
	  ".section .text.f,\"ax\",@progbits\n" GLOBAL("f") FRAME
	  ".section .text.g,\"ax\",@progbits\n" GLOBAL("g") FRAME,
	  "f g" },
	{ "a jump to another ends it", OBJECT, GLOBAL("f") "mov al, 3\njmp other\n", "f" },
	{ "a computed one, too", OBJECT, GLOBAL("f") "jmp rax\n", "f" },
	{ "it goes round for ever", OBJECT, GLOBAL("f") "1: pause\njmp 1b\n", "f" },
	{ "who is called last perhaps never comes back", OBJECT,
	  GLOBAL("f") "push rax\ncall abort\n", "f" },
	{ "nor who calls the system", OBJECT, GLOBAL("f") "mov eax, 15\nsyscall\n", "f" },
	{ "it ends by a stop", OBJECT, GLOBAL("f") "ud2\n", "f" },
	{ "its branches are followed", OBJECT, GLOBAL("f") "test edi, edi\njz 1f\nret\n1: ret\n",
	  "f" },
	{ "labels in it are none of its ends", OBJECT,
	  GLOBAL("f") "push rbx\n.globl inner\ninner: pop rbx\nret\n", "f" },
	{ "its data behind it is not looked at", OBJECT, GLOBAL("f") "ret\n.long 0, 0, 0, 0\n",
	  "f" },
	{ "behind a call that perhaps never returns is data", OBJECT,
	  GLOBAL("f") "call other\n.long 0, 0\n", "f" },

	{ "who never returns ends it, whatever is behind", OBJECT,
	  NEVER GLOBAL("f") "call never\npush rbx\n.byte 6\n", "f" },
	{ "the same by its name", OBJECT, WITH_FDE GLOBAL("f") "call abort\npush rbx\n.byte 6\n",
	  "f" },
	{ "behind who returns it goes on", OBJECT, GLOBAL("f") "call other\npush rbx\n.byte 6\n",
	  "unfollowed" },
	{ "no-ops behind who perhaps never returns", OBJECT,
	  GLOBAL("f") "push rax\ncall other\nnop\nnop\n", "f" },
	{ "up to the next function, too", OBJECT,
	  GLOBAL("f") "push rax\ncall other\nnop\n" GLOBAL("g") "ret\n", "f g" },
	{ "no-ops alone say nothing", OBJECT, GLOBAL("f") "push rax\nnop\nnop\n", "unfollowed" },
	{ "a call by a pointer may be the last", OBJECT, GLOBAL("f") "push rax\ncall rax\n", "f" },
	{ "what a call was once is no end", OBJECT, GLOBAL("f") "call other\npush rax\n",
	  "unfollowed" },
	{ "of a call of its own code the way goes on", OBJECT,
	  GLOBAL("f") "call 1f\nret\n1: .byte 6\n", "f" },
	{ "a transaction's other way is followed", OBJECT,
	  GLOBAL("f") "xbegin 1f\nret\n1: .byte 6\n", "unfollowed" },
	{ "nor is what begins one left out", OBJECT, GLOBAL("f") "xbegin 1f\n.byte 6\n1: ret\n",
	  "unfollowed" },
	{ "data with a size that are called a function, beside an FDE", OBJECT,
	  WITH_FDE ".data\n" GLOBAL("f") FRAME SIZE("f"), "" },
	{ "to before it nothing is followed", OBJECT, ".byte 6\n" GLOBAL("f") "jmp f-1\n", "f" },

	/* what is none */
	{ "with a size, zeros", OBJECT, WITH_FDE GLOBAL("t") ".long 0, 0\n" SIZE("t"), "" },
	{ "with a size, padding", OBJECT, WITH_FDE GLOBAL("t") "nop\nret\n" SIZE("t"), "" },
	{ "a whole one of .fini", OBJECT,
	  ".section .fini,\"ax\",@progbits\n" GLOBAL("_fini") "ret\n", "unfollowed" },
	{ "with a size it is one there, too", OBJECT,
	  ".section .init,\"ax\",@progbits\n" GLOBAL("i") "ret\n" SIZE("i"), "i" },
	{ "what has an FDE of its own", OBJECT, WITH_FDE, "" },
	{ "in the middle of an FDE", OBJECT,
	  GLOBAL("h") ".cfi_startproc\nnop\n" GLOBAL("i") "ret\n.cfi_endproc\n", "" },
	{ "a piece of .init, linked", LINKED,
	  START_ONLY ".section .init,\"ax\",@progbits\n" LOCAL("i") "ret\n", "unfollowed" },
	{ "data behind labels alone", OBJECT, ".globl f\nf: ret\n.type d, @object\nd: ret\n",
	  "untyped" },
	{ "a function behind labels", OBJECT, "f: ret\n" GLOBAL("g") ".byte 6\n", "unfollowed" },
	{ "code that the file does not have", OBJECT, ".data\n" GLOBAL("d") ".long 1\n",
	  "no_code" },
	{ "a piece of .init", OBJECT,
	  ".section .init,\"ax\",@progbits\n" GLOBAL("_init") "sub rsp, 8\n", "unfollowed" },
	{ "a whole one there", OBJECT, ".section .init,\"ax\",@progbits\n" GLOBAL("_init") "ret\n",
	  "unfollowed" },
	{ "a piece of .fini beside an FDE", OBJECT,
	  WITH_FDE ".section .fini,\"ax\",@progbits\n" GLOBAL("_fini") "sub rsp, 8\nret\n", "" },
	{ "it falls out of its section", OBJECT, GLOBAL("f") "push rbx\nnop\n", "unfollowed" },
	{ "it falls out of its size", OBJECT, GLOBAL("f") "push rbx\n" SIZE("f") "pop rbx\nret\n",
	  "unfollowed" },
	{ "it falls into the next", OBJECT, GLOBAL("t") "mov eax, ebx\n" GLOBAL("f") "ret\n", "f" },
	{ "on one way of two", OBJECT, GLOBAL("f") "jz 1f\nret\n1: nop\n", "unfollowed" },
	{ "zeros", OBJECT, GLOBAL("t") ".long 0, 0\n", "unfollowed" },
	{ "zeros behind an instruction", OBJECT,
	  GLOBAL("t") "nop dword ptr [rax]\ncld\n.long 0, 0\n", "unfollowed" },
	{ "no instruction", OBJECT, GLOBAL("t") ".byte 0x90, 6, 6\n", "unfollowed" },
	{ "numbers", OBJECT, GLOBAL("t") ".long 1, 2, 3, 4\n", "unfollowed" },
	{ "a text", OBJECT, GLOBAL("t") ".ascii \"hello, world\\n\"\nret\n", "unfollowed" },
	{ "letters", OBJECT, GLOBAL("t") ".ascii \"Pool\"\nret\n", "unfollowed" },
	{ "l is one that as an instruction only drivers have", OBJECT,
	  GLOBAL("t") ".ascii \"l\"\nret\n", "unfollowed" },
	{ "m", OBJECT, GLOBAL("t") ".ascii \"m\"\nret\n", "unfollowed" },
	{ "n", OBJECT, GLOBAL("t") ".ascii \"n\"\nret\n", "unfollowed" },
	{ "o", OBJECT, GLOBAL("t") ".ascii \"o\"\nret\n", "unfollowed" },
	{ "as the begin of a longer one it is none", OBJECT,
	  GLOBAL("f") ".byte 0x6b, 0xc0, 3\nret\n", "f" },
	{ "one zero begins an instruction", OBJECT, GLOBAL("f") ".byte 0, 0xc0\nret\n", "f" },
	{ "who leaves for the kernel is not known", OBJECT, GLOBAL("f") "iretq\n", "unfollowed" },

	/* linked, beside an FDE, without a size */
	{ "a function that is code", LINKED, WITH_FDE GLOBAL("f") FRAME, "f" },
	{ "a local one that is code", LINKED, WITH_FDE LOCAL("f") FRAME, "f" },
	{ "in a shared object", SHARED, WITH_FDE GLOBAL("f") FRAME GLOBAL("g") FRAME, "f g" },
	{ "where the CFI is empty", LINKED,
	  ".section .eh_frame,\"a\"\n.long 0\n.text\nret\n" LOCAL("f") FRAME, "f" },
	{ "crtstuff's are in every program", LINKED,
	  WITH_FDE LOCAL("deregister_tm_clones") "ret\n" LOCAL("register_tm_clones") "ret\n" LOCAL(
		  "__do_global_dtors_aux") "ret\n" LOCAL("frame_dummy") "jmp register_tm_clones\n",
	  "" },
	{ "where the process begins", PROGRAM, WITH_FDE GLOBAL("_start") "mov eax, 60\nsyscall\n",
	  "" },
	{ "by another name", PROGRAM " -Wl,-e,first",
	  WITH_FDE GLOBAL("first") "mov eax, 60\nsyscall\n", "" },
	{ "a piece of .fini beside an FDE, linked", LINKED,
	  WITH_FDE ".section .fini,\"ax\",@progbits\n" GLOBAL("_fini") "sub rsp, 8\nret\n", "" },
	{ "data that are called one", LINKED, WITH_FDE GLOBAL("t") ".long 1, 2, 3, 4\n", "" },
	{ "zeros that are called one", LINKED, WITH_FDE GLOBAL("t") ".long 0, 0\nret\n", "" },
	{ "padding that is called one", LINKED, WITH_FDE GLOBAL("t") "nop\nret\n", "" },
	{ "a label behind all code", LINKED, WITH_FDE GLOBAL("t") "", "" },
	{ "a label without a type", LINKED, WITH_FDE ".globl f\nf: ret\n", "" },
	{ "main without a type", PROGRAM, WITH_FDE GIVES_MAIN ".globl main\nmain: " FRAME, "main" },
	{ "main beside a function", PROGRAM,
	  WITH_FDE GIVES_MAIN GLOBAL("f") FRAME ".globl main\nmain: push rbx\npop rbx\nret\n",
	  "f main" },
	{ "main that is typed is told once", PROGRAM, WITH_FDE GIVES_MAIN GLOBAL("main") FRAME,
	  "main" },
	{ "main that has an FDE", PROGRAM,
	  WITH_FDE GIVES_MAIN GLOBAL("main") ".cfi_startproc\nret\n.cfi_endproc\n", "" },

	/* nothing can be known */
	{ "labels", OBJECT, ".globl f\nf: ret\n", "untyped" },
	{ "stripped", STRIPPED, START_ONLY GLOBAL("f") FRAME, "no_symbols" },
	{ "stripped, and a word has its address", STRIPPED,
	  ".globl _start\n_start: xor eax, eax\nret\n.data\n.quad _start\n", "no_symbols" },
	{ "data alone", OBJECT, ".data\n.globl d\nd: .long 1\n", "no_code" },
	{ "nothing at all", OBJECT, "", "no_code" },
	{ "functions of others", OBJECT, "jmp other\n" TYPE("other"), "no_symbols" },
	{ "Go's table", OBJECT, ".section .gopclntab,\"a\"\n.long 1\n.text\n" GLOBAL("f") FRAME,
	  "other_tables" },
	{ "the kernel's", OBJECT, ".section .orc_unwind,\"a\"\n.long 1\n.text\n" GLOBAL("f") FRAME,
	  "other_tables" },
	{ "a module of GRUB's", OBJECT, GRUB_NAME GRUB_LICENSE ".text\n" GLOBAL("f") FRAME,
	  "not_unwound" },
	{ "its name alone", OBJECT, GRUB_NAME ".text\n" GLOBAL("f") FRAME, "f" },
	{ "its license alone", OBJECT, GRUB_LICENSE ".text\n" GLOBAL("f") FRAME, "f" },
	{ "what is linked is no module", LINKED,
	  GRUB_NAME GRUB_LICENSE ".text\n" START_ONLY LOCAL("f") FRAME, "f" },
	{ "a module whose CFI is there", OBJECT,
	  GRUB_NAME GRUB_LICENSE ".text\n" WITH_FDE GLOBAL("f") FRAME, "f" },
	{ "Go by its symbol", OBJECT, GLOBAL("runtime.text") FRAME, "other_tables" },
	{ "a kernel module", OBJECT,
	  ".section .gnu.linkonce.this_module,\"aw\"\n.long 1\n.text\n" GLOBAL("f") FRAME, "" },
	{ "CFI for debuggers is CFI", OBJECT,
	  ".cfi_sections .debug_frame\n" GLOBAL("f") ".cfi_startproc\nret\n.cfi_endproc\n", "" },

	/* hostile */
	{ "a size beyond its section", OBJECT, GLOBAL("f") FRAME ".size f, 0x7fffffffffffffff\n",
	  "f" },
	{ "a size of all there is", OBJECT, GLOBAL("f") FRAME ".size f, -1\n", "f" },
	{ "a size of less than an instruction", OBJECT, GLOBAL("f") "mov eax, 1\nret\n.size f, 1\n",
	  "unfollowed" },
	{ "at the section's end", OBJECT, FRAME GLOBAL("f") "\n", "no_symbols" },
	{ "an address of its own", OBJECT, ".globl f\n" TYPE("f") "f = 0x1234\nret\n",
	  "no_symbols" },
	{ "a function of data's section", OBJECT, ".data\n" GLOBAL("f") FRAME, "no_code" },
	{ "as long as nobody looks", OBJECT, GLOBAL("f") ".fill 70000, 1, 0xfc\n", "f" },
	{ "longer than a window", OBJECT, GLOBAL("f") "jmp 1f\n.fill 70000, 1, 0x90\n1: ret\n",
	  "f" },
	{ "into itself", OBJECT, GLOBAL("f") "jmp f+1\n", "unfollowed" },
};

/* Functions of SP006 in the order of addresses; "" and why there is none. */
static void find(char *functions, size_t size, char *why)
{
	const struct lint_options options = { .only = UINT32_MAX };
	const struct image_path file_path = { .path = path, .named = true };
	char *text = NULL, *save = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);

	functions[0] = why[0] = '\0';
	lint_file(&options, &file_path, file);
	fclose(file);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		json_t *object = json_loads(line, 0, NULL), *count;
		const char *reason;

		if (!strcmp(json_text(object, "id"), "SP006"))
			snprintf(functions + strlen(functions), size - strlen(functions), "%s%s",
				 functions[0] ? " " : "", json_text(object, "function"));
		json_object_foreach(json_object_get(object, "no_cfi_reasons"), reason, count)
			sprintf(why + strlen(why), "%s", reason);
		ck_assert_str_ne(json_text(object, "status"), "unread");
		json_decref(object);
	}
	free(text);
}

START_TEST(functions_are_told)
{
	const struct symbol_case *test = &cases[_i];
	char functions[256], why[64];

	make_of(path, test->flags, test->text);
	find(functions, sizeof(functions), why);
	ck_assert_msg(!functions[0] || !why[0], "%s: %s, and %s", test->rule, functions, why);
	ck_assert_msg(!strcmp(functions[0] ? functions : why, test->expected), "%s: '%s' '%s'",
		      test->rule, functions, why);
}
END_TEST

START_TEST(reasons_have_names_and_texts)
{
	for (int i = LINT_BARE_FOUND + 1; i < LINT_BARE_COUNT; i++) {
		const char *name = lint_bare_name((enum lint_bare)i);

		ck_assert_ptr_nonnull(lint_bare_title_of(name));
		for (int j = LINT_BARE_FOUND + 1; j < i; j++) {
			const char *other = lint_bare_name((enum lint_bare)j);

			ck_assert_str_ne(name, other);
			ck_assert_str_ne(lint_bare_title_of(name), lint_bare_title_of(other));
		}
	}
	ck_assert_ptr_null(lint_bare_title_of("no such"));
}
END_TEST

SUITE(lint_symbols, GROUP(found), FIXTURE(begin, end), LOOP(functions_are_told, cases),
      TEST(reasons_have_names_and_texts))
