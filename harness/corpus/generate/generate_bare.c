/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * generate_bare.c - what a generated program has in place of a C library
 *
 * A C library's start is some 5,000 instructions, of which a guest steps 2,000 a second. So a
 * program starts itself, and its system calls are functions of assembly (with their call frame
 * information, since all of it is stepped, too). What compilers need without saying: memset,
 * memcpy, and for stack protectors a thread area with a guard (at %fs:40, psABI) and
 * __stack_chk_fail.
 *
 * A restorer is what a signal handler returns to: its frame is the interrupted one, and all
 * registers are in the struct ucontext at rsp (gregs from 40 on: r8 to r15, rdi, rsi, rbp, rbx,
 * rdx, rax, rcx, rsp, rip).
 */
#include "generate.h"

static const char start[] =
	"/* The return address of the outermost frame is undefined: here walks end. */\n"
	"__asm__(\".data\\n\"\n"
	"\t\".balign 16\\n\"\n"
	"\t\"thread_area:\\n\"\n"
	"\t\"\t.quad thread_area, 0, 0, 0, 0, 0x5bd1e995a7c3f200\\n\"\n"
	"\t\".text\\n\"\n"
	"\t\".globl _start\\n\"\n"
	"\t\".type _start, @function\\n\"\n"
	"\t\"_start:\\n\"\n"
	"\t\"\t.cfi_startproc\\n\"\n"
	"\t\"\t.cfi_undefined %rip\\n\"\n"
	"\t\"\tmov $158, %eax\\n\" /* arch_prctl(ARCH_SET_FS) */\n"
	"\t\"\tmov $0x1002, %edi\\n\"\n"
	"\t\"\tlea thread_area(%rip), %rsi\\n\"\n"
	"\t\"\tsyscall\\n\"\n"
	"\t\"\tcall run\\n\"\n"
	"\t\"\tmov %eax, %edi\\n\"\n"
	"\t\"\tmov $231, %eax\\n\" /* exit_group */\n"
	"\t\"\tsyscall\\n\"\n"
	"\t\"\t.cfi_endproc\\n\"\n"
	"\t\".size _start, . - _start\\n\"\n"
	"\t\".type leave, @function\\n\"\n"
	"\t\"leave:\\n\"\n"
	"\t\"\t.cfi_startproc\\n\"\n"
	"\t\"\tmov $231, %eax\\n\"\n"
	"\t\"\tsyscall\\n\"\n"
	"\t\"\t.cfi_endproc\\n\"\n"
	"\t\".size leave, . - leave\\n\");\n"
	"\n"
	"_Noreturn void leave(int status);\n"
	"void *memset(void *to, int byte, u64 size);\n"
	"void *memcpy(void *to, const void *from, u64 size);\n"
	"_Noreturn void __stack_chk_fail(void);\n"
	"int run(void) __attribute__((used));\n"
	"\n"
	"/* volatile: else these loops become calls of what they are. By words: all that is copied "
	"is made of them. */\n"
	"void *memset(void *to, int byte, u64 size)\n"
	"{\n"
	"\tu64 word = 0x0101010101010101 * (unsigned char)byte;\n"
	"\n"
	"\tif (size % 8)\n"
	"\t\tleave(6);\n"
	"\tfor (u64 i = 0; i < size / 8; i++)\n"
	"\t\t((volatile u64 *)to)[i] = word;\n"
	"\treturn to;\n"
	"}\n"
	"\n"
	"void *memcpy(void *to, const void *from, u64 size)\n"
	"{\n"
	"\tif (size % 8)\n"
	"\t\tleave(6);\n"
	"\tfor (u64 i = 0; i < size / 8; i++)\n"
	"\t\t((volatile u64 *)to)[i] = ((const u64 *)from)[i];\n"
	"\treturn to;\n"
	"}\n"
	"\n"
	"void __stack_chk_fail(void)\n"
	"{\n"
	"\tleave(7);\n"
	"}\n"
	"\n";

static const char signals[] =
	"__asm__(\".text\\n\"\n"
	"\t\".type raise_signal, @function\\n\"\n"
	"\t\"raise_signal:\\n\"\n"
	"\t\"\t.cfi_startproc\\n\"\n"
	"\t\"\tmov $39, %eax\\n\" /* getpid */\n"
	"\t\"\tsyscall\\n\"\n"
	"\t\"\tmov %eax, %edi\\n\"\n"
	"\t\"\tmov $10, %esi\\n\" /* SIGUSR1 */\n"
	"\t\"\tmov $62, %eax\\n\" /* kill */\n"
	"\t\"\tsyscall\\n\"\n"
	"\t\"\tret\\n\"\n"
	"\t\"\t.cfi_endproc\\n\"\n"
	"\t\".size raise_signal, . - raise_signal\\n\"\n"
	"\t\".type set_action, @function\\n\"\n"
	"\t\"set_action:\\n\"\n"
	"\t\"\t.cfi_startproc\\n\"\n"
	"\t\"\tmov %rdi, %rsi\\n\"\n"
	"\t\"\tmov $10, %edi\\n\"\n"
	"\t\"\txor %edx, %edx\\n\"\n"
	"\t\"\tmov $8, %r10d\\n\"\n"
	"\t\"\tmov $13, %eax\\n\" /* rt_sigaction */\n"
	"\t\"\tsyscall\\n\"\n"
	"\t\"\tret\\n\"\n"
	"\t\"\t.cfi_endproc\\n\"\n"
	"\t\".size set_action, . - set_action\\n\"\n"
	"\t/* Looked up at its address less 1, as every return address: the nop is its FDE's. */\n"
	"\t\".type restorer, @function\\n\"\n"
	"\t\"\t.cfi_startproc\\n\"\n"
	"\t\"\t.cfi_signal_frame\\n\"\n"
	"\t\"\t.cfi_escape 0x0f, 4, 0x77, 0xa0, 0x01, 0x06\\n\" /* CFA = *(rsp + 160): rsp */\n"
	"\t\"\t.cfi_escape 0x10, 0, 3, 0x77, 0x90, 0x01\\n\"   /* rax at rsp + 144 */\n"
	"\t\"\t.cfi_escape 0x10, 1, 3, 0x77, 0x88, 0x01\\n\"   /* rdx at rsp + 136 */\n"
	"\t\"\t.cfi_escape 0x10, 2, 3, 0x77, 0x98, 0x01\\n\"   /* rcx at rsp + 152 */\n"
	"\t\"\t.cfi_escape 0x10, 3, 3, 0x77, 0x80, 0x01\\n\"   /* rbx at rsp + 128 */\n"
	"\t\"\t.cfi_escape 0x10, 4, 3, 0x77, 0xf0, 0x00\\n\"   /* rsi at rsp + 112 */\n"
	"\t\"\t.cfi_escape 0x10, 5, 3, 0x77, 0xe8, 0x00\\n\"   /* rdi at rsp + 104 */\n"
	"\t\"\t.cfi_escape 0x10, 6, 3, 0x77, 0xf8, 0x00\\n\"   /* rbp at rsp + 120 */\n"
	"\t\"\t.cfi_escape 0x10, 8, 2, 0x77, 40\\n\"	      /* r8 at rsp + 40 */\n"
	"\t\"\t.cfi_escape 0x10, 9, 2, 0x77, 48\\n\"\n"
	"\t\"\t.cfi_escape 0x10, 10, 2, 0x77, 56\\n\"\n"
	"\t\"\t.cfi_escape 0x10, 11, 3, 0x77, 0xc0, 0x00\\n\"\n"
	"\t\"\t.cfi_escape 0x10, 12, 3, 0x77, 0xc8, 0x00\\n\"\n"
	"\t\"\t.cfi_escape 0x10, 13, 3, 0x77, 0xd0, 0x00\\n\"\n"
	"\t\"\t.cfi_escape 0x10, 14, 3, 0x77, 0xd8, 0x00\\n\"\n"
	"\t\"\t.cfi_escape 0x10, 15, 3, 0x77, 0xe0, 0x00\\n\"\n"
	"\t\"\t.cfi_escape 0x10, 16, 3, 0x77, 0xa8, 0x01\\n\"  /* rip at rsp + 168 */\n"
	"\t\"\tnop\\n\"\n"
	"\t\"restorer:\\n\"\n"
	"\t\"\tmov $15, %eax\\n\" /* rt_sigreturn */\n"
	"\t\"\tsyscall\\n\"\n"
	"\t\"\t.cfi_endproc\\n\"\n"
	"\t\".size restorer, . - restorer\\n\");\n"
	"\n"
	"/* The kernel's struct sigaction. */\n"
	"struct action {\n"
	"\tvoid (*handler)(int);\n"
	"\tu64 flags;\n"
	"\tvoid (*restorer)(void);\n"
	"\tu64 mask;\n"
	"};\n"
	"\n"
	"void restorer(void);\n"
	"void raise_signal(void);\n"
	"int set_action(const struct action *action);\n"
	"\n"
	"static void catch_signals(void)\n"
	"{\n"
	"\t/* SA_NODEFER: handlers may be interrupted; SA_RESTORER. */\n"
	"\tstruct action action = { on_signal, 0x44000000, restorer, 0 };\n"
	"\n"
	"\tif (set_action(&action))\n"
	"\t\tleave(8);\n"
	"}\n"
	"\n";

static const char hosted_signals[] =
	"static void raise_signal(void)\n"
	"{\n"
	"\traise(SIGUSR1);\n"
	"}\n"
	"\n"
	"static void catch_signals(void)\n"
	"{\n"
	"\tstruct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_NODEFER };\n"
	"\n"
	"\tif (sigaction(SIGUSR1, &action, 0))\n"
	"\t\t_exit(8);\n"
	"}\n"
	"\n";

void graph_print_system(FILE *file, const struct graph *graph)
{
	bool hosted = graph->options.hosted;

	if (!hosted)
		fputs(start, file);
	if (graph_has_step(graph, "signal")) {
		fputs("static void on_signal(int number);\n\n", file);
		fputs(hosted ? hosted_signals : signals, file);
	}
	if (graph->ends_inside || graph_has_step(graph, "guard"))
		fprintf(file,
			"static _Noreturn NOINLINE void give_up(int status)\n{\n\t%s(status);\n"
			"}\n\n",
			hosted ? "_exit" : "leave");
}
