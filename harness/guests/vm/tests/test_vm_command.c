/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_vm_command.c - what `vm` and `kernels` print, and end with, letter by letter
 *
 * A shell script stands in for QEMU, as in test_qemu.c: it writes what lies beside the kernel that it
 * is to boot. The kernels are headers only, with a version each. In what is expected @ is the
 * folder of all that, and times are 0.
 */
#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "commands/commands.h"
#include "base/cli/tests/command_output.h"
#include "guests/vm/frame.h"

#define PANIC "Kernel panic - not syncing: x"

static const char qemu[] = "#!/bin/sh\n"
			   "words=\"$*\"\n"
			   "for word; do case $word in */one) k=one;; */two) k=two;; esac; done\n"
			   "cd \"$TEST_FOLDER\" || exit\n"
			   "echo \"$words\" >>words\n"
			   "cat /proc/self/fd/5 >initrd\n"
			   "[ ! -e $k.console ] || cat $k.console >&3\n"
			   "[ ! -e $k.frames ] || cat $k.frames >&4\n"
			   "[ ! -e $k.message ] || cat $k.message >&2\n";

static void write_kernel(const char *name, const char *version)
{
	char image[2048] = { 0 };

	memcpy(image + 0x202, "HdrS", 4);
	image[0x20f] = 0x3; /* 0x300, plus 0x200 */
	snprintf(image + 0x500, 128, "%s (someone) #1", version);
	folder_put(name, image, sizeof(image), 0644);
}

static void set_up(void)
{
	char path[PATH_MAX];

	folder_enter();
	ck_assert(!mkdir("folder", 0755) && !mkdir("folder/prog", 0755));
	folder_put("qemu-system-x86_64", qemu, strlen(qemu), 0755);
	/* This program itself is in the initramfs, but not the folder's name. */
	snprintf(path, sizeof(path), "a program of %s", folder);
	folder_put("prog", path, strlen(path), 0755);
	snprintf(path, sizeof(path), "no program of %s", folder);
	folder_put("text", path, strlen(path), 0644);
	write_kernel("one", "6.1.0-one");
	write_kernel("two", "6.2.0-two");
	snprintf(path, sizeof(path), "/nonexistent::%s/folder:%s:/usr/bin:/bin", folder, folder);
	setenv("PATH", path, 1);
	setenv("TEST_FOLDER", folder, 1);
	setenv("STACKPROOF_ACCEL", "tcg", 1);
	setenv("STACKPROOF_GUEST_INIT", "/bin/true", 1);
	setenv("STACKPROOF_CACHE", in_folder("cache"), 1);
}

/* What the guest of a kernel says: files may be NULL, as may what it prints. */
struct said {
	const char *out, *err;
	const void *files;
	size_t files_size;
	int32_t code; /* below 0: it does not end */
};

static void write_frames(const char *name, const struct said *said)
{
	uint8_t frames[16384];
	uint32_t sequence = 0;
	size_t size = frame_encode(frames, FRAME_READY, 0, sequence++, "6.1.9", 5);

	if (said->out)
		size += frame_encode(frames + size, FRAME_STDOUT, 0, sequence++, said->out,
				     (uint32_t)strlen(said->out));
	if (said->err)
		size += frame_encode(frames + size, FRAME_STDERR, 0, sequence++, said->err,
				     (uint32_t)strlen(said->err));
	if (said->files)
		size += frame_encode(frames + size, FRAME_FILES, 0, sequence++, said->files,
				     (uint32_t)said->files_size);
	if (said->code >= 0) {
		size += frame_encode(frames + size, FRAME_EXIT, 0, sequence++, &said->code,
				     sizeof(said->code));
		size += frame_encode(frames + size, FRAME_DONE, 0, sequence++, NULL, 0);
	}
	folder_put(name, frames, size, 0600);
}

/* The folder's name becomes @, and what is counted in milliseconds 0. */
static void make_plain(const char *output, char *ret, size_t size)
{
	char *end = ret + size - 1;

	while (*output && ret < end) {
		if (!strncmp(output, folder, strlen(folder))) {
			*ret++ = '@';
			output += strlen(folder);
		} else if (!strncmp(output, "_ms\":", 5) && ret + 6 < end) {
			memcpy(ret, "_ms\":0", 6);
			ret += 6;
			for (output += 5; isdigit((unsigned char)*output);)
				output++;
		} else {
			*ret++ = *output++;
		}
	}
	*ret = '\0';
}

/* arguments: words, @ stands for the folder. */
static void expect_status(int (*command)(int, char **), const char *arguments, int status,
			  const char *expected)
{
	char words[1024] = "", *argument[32], plain[8192], *output, *rest, *word;
	int count = 0, got;

	for (const char *at = arguments; *at; at++)
		snprintf(words + strlen(words), sizeof(words) - strlen(words), "%.*s",
			 *at == '@' ? 64 : 1, *at == '@' ? folder : at);
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argument[count++] = word;
	argument[count] = NULL;
	output = command_output(command, argument, &got);
	make_plain(output, plain, sizeof(plain));
	ck_assert_msg(!strcmp(plain, expected), "%s: expected:\n%s\nprinted:\n%s", arguments,
		      expected, plain);
	ck_assert_msg(got == status, "%s: status %d", arguments, got);
	free(output);
}

/* ---- vm ------------------------------------------------------------------------------------ */

#define ONE(...) .one = { __VA_ARGS__ }
#define TWO(...) .two = { __VA_ARGS__ }

static const struct vm_case {
	const char *name;
	struct said one, two;
	const char *console, *message; /* of kernel one; NULL: nothing */
	const char *arguments;
	int status;
	const char *expected;
} cases[] = {
	{ "its_output_and_its_status", ONE(.out = "out\n", .err = "err\n", .code = 3),
	  .arguments = "vm -k @/one -- prog", .status = 3, .expected = "out\nerr\n" },
	{ "nothing", .arguments = "vm -k @/one -- prog a b", .expected = "" },
	{ "of_two_the_first_status", ONE(.out = "1\n", .err = "e\n"), TWO(.out = "2", .code = 5),
	  .arguments = "vm -k @/one,@/two -- prog", .status = 5,
	  .expected = "== kernel @/one (6.1.0-one, emulated)\n@/one: 1\ne\n"
		      "== kernel @/two (6.2.0-two, emulated)\n@/two: 2\n" },
	{ "of_two_each_line_with_its_kernel", ONE(.out = "1\n\n{}\n{\"a\":1.10}\n"),
	  TWO(.out = "{\"kernel_name\":\"6.2\"}\n{not}\n"),
	  .arguments = "vm -k @/one,@/two -- prog",
	  .expected = "== kernel @/one (6.1.0-one, emulated)\n@/one: 1\n@/one: \n"
		      "{\"kernel_name\":\"@/one\"}\n{\"kernel_name\":\"@/one\",\"a\":1.10}\n"
		      "== kernel @/two (6.2.0-two, emulated)\n{\"kernel_name\":\"6.2\"}\n@/two: "
		      "{not}\n" },
	{ "and_not_the_last_one", ONE(.code = 255), TWO(.code = 1),
	  .arguments = "vm -k @/two,@/one -- prog", .status = 1,
	  .expected = "== kernel @/two (6.2.0-two, emulated)\n== kernel @/one (6.1.0-one, "
		      "emulated)\n" },
	{ "json",
	  ONE(.out = "a\xc3\xa4 b\n",
	      .err = "\xff"
		     "b\x80\n",
	      .code = 4),
	  .arguments = "vm --json -k @/one -- prog", .status = 4,
	  .expected = "{\"type\":\"guest\",\"kernel\":\"@/"
		      "one\",\"version\":\"6.1.0-one\",\"outcome\":\"ok\","
		      "\"kvm\":false,\"exit_code\":4,\"boot_ms\":0,\"first_output_ms\":0,\"total_"
		      "ms\":0,"
		      "\"release\":\"6.1.9\",\"splats\":0,\"sentence\":\"\",\"stdout\":\"a\xc3\xa4 "
		      "b\\n\","
		      "\"stderr\":\"\\\\xffb\\\\x80\\n\",\"kernel_name\":\"@/"
		      "one\",\"kernel_release\":\"6.1.9\"}\n" },
	{ "json_of_bytes_beside_text", ONE(.out = "a\xc3\xa4\xff"),
	  .arguments = "vm --json -k @/one -- prog",
	  .expected = "{\"type\":\"guest\",\"kernel\":\"@/"
		      "one\",\"version\":\"6.1.0-one\",\"outcome\":\"ok\","
		      "\"kvm\":false,\"exit_code\":0,\"boot_ms\":0,\"first_output_ms\":0,\"total_"
		      "ms\":0,"
		      "\"release\":\"6.1.9\",\"splats\":0,\"sentence\":\"\",\"stdout\":"
		      "\"a\\\\xc3\\\\xa4\\\\xff\","
		      "\"stderr\":\"\",\"kernel_name\":\"@/one\",\"kernel_release\":\"6.1.9\"}\n" },
	{ "the_kernel_complained", ONE(.out = "x\n", .code = 2),
	  .console = "booting\nWARNING: \033[1m1\nWARNING: 2\nend",
	  .arguments = "vm -k @/one -- prog", .status = 2,
	  .expected = "x\nstackproof vm: @/one: the kernel complained 2 times\n"
		      "-- the console's last lines --\nbooting\nWARNING: [1m1\nWARNING: 2\nend\n" },
	{ "all_is_well_and_the_console_not_shown", ONE(.out = "x\n"), .console = "booting\n",
	  .arguments = "vm -k @/one -- prog", .expected = "x\n" },
	{ "the_console_as_it_comes", ONE(.code = 0), .console = "booting\n",
	  .arguments = "vm --console -k @/one -- prog", .expected = "booting\n" },
	{ "the_kernel_died", ONE(.code = -1), .console = "booting\n" PANIC "\n",
	  .arguments = "vm -k @/one -- prog", .status = 99,
	  .expected = "stackproof vm: @/one: the guest's kernel died in @/prog: " PANIC "\n"
		      "-- the console's last lines --\nbooting\n" PANIC "\n" },
	{ "no_console", ONE(.code = -1), .message = "oh\n", .arguments = "vm -k @/one -- prog",
	  .status = 99,
	  .expected =
		  "stackproof vm: @/one: the guest ended during @/prog without a result: oh\n" },
	{ "it_did_not_start", ONE(.code = -2), .message = "no such machine\n",
	  .arguments = "vm -k @/one -- prog", .status = 99,
	  .expected = "@/one: QEMU did not start: no such machine\n" },
	{ "it_did_not_start_as_json", ONE(.code = -2), .message = "no",
	  .arguments = "vm -j -k @/one -- prog", .status = 99,
	  .expected = "@/one: QEMU did not start: no\n"
		      "{\"type\":\"guest\",\"kernel\":\"@/one\",\"version\":\"6.1.0-one\","
		      "\"outcome\":\"not_started\",\"kvm\":false,\"exit_code\":99,\"boot_ms\":0,"
		      "\"first_output_ms\":0,\"total_ms\":0,\"release\":\"\",\"splats\":0,"
		      "\"sentence\":\"QEMU did not start: no\",\"stdout\":\"\",\"stderr\":\"\","
		      "\"kernel_name\":\"@/one\",\"kernel_release\":\"6.1.0-one\"}\n" },
	{ "no_such_kernel", .arguments = "vm -k @/one,@/three -- prog", .status = 99,
	  .expected = "stackproof vm: @/three: No such file or directory\n" },
	{ "no_such_program", .arguments = "vm -k @/one -- nonexistent-program", .status = 127,
	  .expected = "stackproof vm: nonexistent-program: no such program on this machine\n" },
	{ "a_file_that_is_no_program", .arguments = "vm -k @/one -- text", .status = 127,
	  .expected = "stackproof vm: text: no such program on this machine\n" },
	{ "a_folder_is_no_program", .arguments = "vm -k @/one -- folder/prog", .status = 127,
	  .expected = "stackproof vm: folder/prog: no such program on this machine\n" },
	{ "no_file_of_that_path", .arguments = "vm -k @/one -- ./nonexistent", .status = 127,
	  .expected = "stackproof vm: ./nonexistent: no such program on this machine\n" },
	{ "a_relative_path", ONE(.code = 1), .arguments = "vm -k ./one -- ./prog", .status = 1,
	  .expected = "" },
};

static void write_case(const struct vm_case *c)
{
	if (c->one.code > -2)
		write_frames("one.frames", &c->one);
	write_frames("two.frames", &c->two);
	if (c->console)
		folder_put("one.console", c->console, strlen(c->console), 0600);
	if (c->message)
		folder_put("one.message", c->message, strlen(c->message), 0600);
}

START_TEST(vm_prints_what_the_guest_did)
{
	write_case(&cases[_i]);
	expect_status(command_vm, cases[_i].arguments, cases[_i].status, cases[_i].expected);
}
END_TEST

/* expected has | for NUL and @ for the folder. */
static bool is_in_initrd(const char *expected)
{
	char text[512] = "";
	size_t size, length;

	for (const char *at = expected; *at; at++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%.*s",
			 *at == '@' ? 64 : 1, *at == '@' ? folder : at);
	length = strlen(text);
	for (size_t i = 0; i < length; i++)
		text[i] = text[i] == '|' ? '\0' : text[i];
	const char *content = file_read(in_folder("initrd"), &size);
	return memmem(content, size, text, length) != NULL;
}

START_TEST(vm_takes_along_what_is_named)
{
	write_case(&cases[1]);
	expect_status(command_vm,
		      "vm -k @/one --memory 77 --file text -f @/folder:/there -f text:/other/text "
		      "--timeout 9 -- prog a -k",
		      0, "");
	ck_assert(is_in_initrd("|0|@|0|0|3|@/prog|a|-k|"));
	ck_assert(is_in_initrd("a program of @") && is_in_initrd("no program of @"));
	ck_assert(is_in_initrd("there/prog|") && is_in_initrd("other/text|"));
	ck_assert(!is_in_initrd("/there/prog|") && !is_in_initrd("/other/text|"));
	size_t size;
	ck_assert_ptr_nonnull(strstr(file_read(in_folder("words"), &size), " -m 77 "));
	ck_assert_ptr_nonnull(strstr(file_read(in_folder("words"), &size), "-accel tcg "));
	expect_status(command_vm, "vm -k @/one -o out -- @/prog", 0, "");
	ck_assert(is_in_initrd("|0|@|1|0|1|@/prog|"));
	ck_assert(!is_in_initrd("no program of @"));
}
END_TEST

/* A plugin is no matter of KVM's; a file goes to QEMU as it is, and one of ours by its path. */
START_TEST(vm_under_a_plugin)
{
	write_case(&cases[1]);
	setenv("STACKPROOF_ACCEL", "kvm", 1);
	folder_put("one.message", "counted\n", 8, 0600);
	expect_status(command_vm, "vm -k @/one -e system -p @/x.so,out=y,z -- prog", 0,
		      "counted\n");
	ck_assert_str_eq(strstr(file_text(in_folder("words")), " -plugin ") + 9,
			 in_folder("x.so,out=y,z\n"));
	ck_assert_ptr_nonnull(strstr(file_text(in_folder("words")), "-accel tcg "));
	expect_status(command_vm, "vm -k @/one -e other -p @/x.so -- prog", 99,
		      "stackproof vm: other is no emulator: stackproof emulators list\n");
	setenv("STACKPROOF_PLUGINS", folder, 1);
	expect_status(command_vm, "vm -k @/one -e system -p x -- prog", 99,
		      "stackproof vm: no plugin x: @/x-7.so: No such file or directory\n");
}
END_TEST

/* It is in no folder of PATH. */
START_TEST(vm_has_the_program_itself)
{
	char self[PATH_MAX], expected[PATH_MAX + 64];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	ck_assert_int_gt(length, 0);
	self[length] = '\0';
	write_case(&cases[1]);
	expect_status(command_vm, "vm -k @/one -- stackproof load", 0, "");
	snprintf(expected, sizeof(expected), "|0|@|0|0|2|%s|load|", self);
	ck_assert(is_in_initrd(expected));
	expect_status(command_vm, "vm -k @/one -- prog", 0, "");
	snprintf(expected, sizeof(expected), "%s|", self + 1);
	ck_assert(is_in_initrd(expected) && is_in_initrd("usr/local/bin/stackproof|"));
	/* What the user puts there stays. */
	expect_status(command_vm, "vm -k @/one --file text:/usr/local/bin/stackproof -- prog", 0,
		      "");
	ck_assert(is_in_initrd("usr/local/bin/stackproof|") && is_in_initrd("no program of @"));
}
END_TEST

START_TEST(vm_of_a_working_directory_that_is_gone)
{
	ck_assert(!mkdir("gone", 0755) && !chdir("gone") && !rmdir("../gone"));
	write_case(&cases[1]);
	expect_status(command_vm, "vm -k @/one -- @/prog", 0, "");
	ck_assert(is_in_initrd("|0|/|0|0|1|@/prog|"));
}
END_TEST

/* The third begins when the first has ended, which takes a second. */
START_TEST(vm_runs_two_guests_at_a_time)
{
	static const char slow[] = "#!/bin/sh\n"
				   "cd \"$TEST_FOLDER\" || exit\n"
				   "case \"$*\" in\n"
				   "*-kernel\\ */one*) sleep 1; : >ended;;\n"
				   "*-kernel\\ */three*) [ -e ended ] || exit;;\n"
				   "esac\n"
				   "cat two.frames >&4\n";

	write_case(&cases[1]);
	folder_put("qemu-system-x86_64", slow, strlen(slow), 0755);
	write_kernel("three", "6.3.0-three");
	expect_status(command_vm, "vm -k @/one,@/two,@/three -- prog", 0,
		      "== kernel @/one (6.1.0-one, emulated)\n"
		      "== kernel @/two (6.2.0-two, emulated)\n"
		      "== kernel @/three (6.3.0-three, emulated)\n");
}
END_TEST

/* Nothing is started. */
START_TEST(vm_says_what_it_would_start)
{
	setenv("STACKPROOF_ACCEL", "kvm", 1);
	expect_status(command_vm, "vm -n -k @/one,@/two -m 600 -- prog", 0,
#define WORDS(kernel, memory)                                                                      \
	"qemu-system-x86_64 -accel kvm -machine q35,vmport=off,i8042=off -cpu max -m " memory      \
	" -smp 1 "                                                                                 \
	"-nodefaults -no-user-config -display none -no-reboot -kernel " kernel                     \
	" -initrd initramfs.cpio -append 'console=ttyS0 quiet loglevel=5 panic=-1 "                \
	"mitigations=off lpj=4000000 cryptomgr.notests random.trust_cpu=on no_timer_check' "       \
	"-chardev file,id=console,path=console.log -serial chardev:console -chardev "              \
	"file,id=results,path=results.frames -serial chardev:results\n"
		      WORDS("@/one", "600") WORDS("@/two", "600"));
	expect_status(command_vm, "vm -n -k @/one -m 1048576 -- prog", 0,
		      WORDS("@/one", "1048576"));
	ck_assert(access(in_folder("words"), F_OK) != 0);
}
END_TEST

/* A guest that is emulated is told how fast the clock is: in the line that is shown, and as it is started. */
START_TEST(vm_tells_an_emulated_guest_of_the_clock)
{
	char *output, name[] = "vm", dry[] = "-n", k[] = "-k", kernel[128], end[] = "--",
		      prog[] = "prog";
	char *arguments[] = { name, dry, k, kernel, end, prog, NULL };
	size_t size;
	int status;

	snprintf(kernel, sizeof(kernel), "%s/one", folder);
	output = command_output(command_vm, arguments, &status);
	write_case(&cases[1]);
	expect_status(command_vm, "vm -k @/one -- prog", 0, "");
#if defined(__x86_64__)
	const char *words[] = { output, file_read(in_folder("words"), &size) };

	for (int i = 0; i < COUNT(words); i++) {
		const char *told = strstr(words[i], " tsc_early_khz=");

		ck_assert_msg(told && atoi(told + 15) > 200000, "%s", words[i]);
		ck_assert_ptr_nonnull(strstr(words[i], " -cpu max,la57=off,"));
		ck_assert_ptr_nonnull(strstr(words[i], " -m 512 "));
	}
#endif
	free(output);
}
END_TEST

/* ---- what comes back ------------------------------------------------------------------------ */

static void write_sent(const char *name, const char *file)
{
	char buffer[8192];
	struct archive *archive = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	struct said said = { .files = buffer };

	archive_write_set_format_cpio_newc(archive);
	archive_write_set_bytes_in_last_block(archive, 1);
	ck_assert(!archive_write_open_memory(archive, buffer, sizeof(buffer), &said.files_size));
	archive_entry_set_pathname(entry, file);
	archive_entry_set_mode(entry, S_IFREG | 0644);
	archive_entry_set_size(entry, 1);
	ck_assert(!archive_write_header(archive, entry));
	archive_write_data(archive, "x", 1);
	archive_entry_free(entry);
	archive_write_close(archive);
	archive_write_free(archive);
	write_frames(name, &said);
}

static bool is_there(const char *name)
{
	return !access(in_folder(name), F_OK);
}

START_TEST(vm_output_of_one_and_of_several)
{
	write_sent("one.frames", "a/b");
	write_sent("two.frames", "c");
	expect_status(command_vm, "vm -k @/one -- prog", 0, "");
	ck_assert(!is_there("a"));
	for (int times = 0; times < 2; times++) {
		expect_status(command_vm, "vm -k @/one --output back -- prog", 0, "");
		ck_assert(is_there("back/a/b"));
	}
	expect_status(command_vm, "vm -k @/one,@/two --output=@/all -- prog", 0,
		      "== kernel @/one (6.1.0-one, emulated)\n"
		      "== kernel @/two (6.2.0-two, emulated)\n");
	ck_assert(is_there("all/6.1.0-one/a/b") && is_there("all/6.2.0-two/c"));
	expect_status(command_vm, "vm --json -k @/one --output back -- prog", 0,
		      "{\"type\":\"guest\",\"kernel\":\"@/one\",\"version\":\"6.1.0-one\","
		      "\"outcome\":\"ok\",\"kvm\":false,\"exit_code\":0,\"boot_ms\":0,"
		      "\"first_output_ms\":0,\"total_ms\":0,\"release\":\"6.1.9\",\"splats\":0,"
		      "\"sentence\":\"\",\"stdout\":\"\",\"stderr\":\"\",\"kernel_name\":\"@/"
		      "one\",\"kernel_release\":\"6.1.9\",\"files\":1}\n");
}
END_TEST

/* The guest did well: what can't be kept is the environment's. */
START_TEST(vm_output_that_can_not_be_kept)
{
	write_sent("one.frames", "../up");
	expect_status(command_vm, "vm -k @/one --output text/below -- prog", 99,
		      "stackproof vm: can't make the folder text/below: Not a directory\n");
	expect_status(command_vm, "vm -k @/one --output back -- prog", 99,
		      "stackproof vm: the guest sent a file whose name leads out of the folder: "
		      "../up\n");
	/* One that died sends nothing back. */
	write_frames("one.frames", &(struct said) { .code = -1 });
	expect_status(command_vm, "vm -k @/one --output new -- prog", 99,
		      "stackproof vm: @/one: the guest ended during @/prog without a result\n");
	ck_assert(!is_there("new"));
}
END_TEST

/* ---- kernels --------------------------------------------------------------------------------- */

static const struct {
	const char *arguments;
	int status;
	const char *expected;
} kernels[] = {
	{ "kernels fetch @/one", 0,
	  "@/one 6.1.0-one                                                                        "
	  "         @/one\n" },
	{ "kernels --json fetch @/one @/two", 0,
	  "{\"type\":\"kernel\",\"name\":\"@/one\",\"version\":\"6.1.0-one\",\"package\":\"\","
	  "\"image\":\"@/one\",\"kernel_name\":\"@/one\",\"kernel_release\":\"6.1.0-one\"}\n"
	  "{\"type\":\"kernel\",\"name\":\"@/two\",\"version\":\"6.2.0-two\",\"package\":\"\","
	  "\"image\":\"@/two\",\"kernel_name\":\"@/two\",\"kernel_release\":\"6.2.0-two\"}\n" },
	/* One that is not there does not keep the others away. */
	{ "kernels -j fetch latest @/text @/one", 99,
	  "stackproof kernels: latest is neither a kernel series (5.10, 7.3-rc) nor the path of a "
	  "bzImage\n"
	  "stackproof kernels: @/text is not a bzImage\n"
	  "{\"type\":\"kernel\",\"name\":\"@/one\",\"version\":\"6.1.0-one\",\"package\":\"\","
	  "\"image\":\"@/one\",\"kernel_name\":\"@/one\",\"kernel_release\":\"6.1.0-one\"}\n" },
	/* A path is not looked for anew. */
	{ "kernels --refresh fetch @/nonexistent", 99,
	  "stackproof kernels: @/nonexistent: No such file or directory\n" },
	{ "kernels --refresh fetch latest", 99,
	  "stackproof kernels: latest is neither a kernel series (5.10, 7.3-rc) nor the path of a "
	  "bzImage\n" },
	{ "kernels list more", 2, "stackproof kernels: say `list` or `fetch NAME...`\n" },
	{ "kernels fetch", 2, "stackproof kernels: say `list` or `fetch NAME...`\n" },
	{ "kernels other", 2, "stackproof kernels: say `list` or `fetch NAME...`\n" },
	{ "kernels --refresh list", 2,
	  "stackproof kernels: --all is for list, --refresh for fetch\n" },
	{ "kernels --all fetch @/one", 2,
	  "stackproof kernels: --all is for list, --refresh for fetch\n" },
};

START_TEST(kernels_are_printed)
{
	expect_status(command_kernels, kernels[_i].arguments, kernels[_i].status,
		      kernels[_i].expected);
}
END_TEST

/* apt can't be asked: what is cached is listed, and it is said why that is all. */
START_TEST(kernels_that_are_cached)
{
	folder_put("apt-get", "#!/bin/sh\necho 'E: no'\nexit 1\n", 29, 0755);
	expect_status(
		command_kernels, "kernels list", 99,
		"stackproof kernels: apt's sources on this machine name no mirror of Debian's "
		"security archive: no\n");
	ck_assert(!system("mkdir -p cache/kernels/by-name cache/kernels/6.1-own && "
			  "printf 6.1-own >cache/kernels/by-name/6.1 && "
			  "printf 6.1-own >cache/kernels/by-name/6.1.9 && "
			  "printf 'package: p\\nversion: 1\\n' >cache/kernels/6.1-own/origin && "
			  ": >cache/kernels/6.1-own/vmlinuz"));
#define WHY                                                                                        \
	"stackproof kernels: apt's sources on this machine name no mirror of Debian's security "   \
	"archive: no\nstackproof kernels: the archive could not be asked: these are the ones "     \
	"that are cached\n"
#define REST                                                                                       \
	"6.1-own                          p 1                                                  "   \
	"    @/cache/kernels/6.1-own/vmlinuz\n"
	expect_status(command_kernels, "kernels list", 0, WHY "6.1      " REST);
	expect_status(command_kernels, "kernels list --all", 0,
		      WHY "6.1      " REST "6.1.9    " REST);
	expect_status(command_kernels, "kernels fetch 6.1", 0, "6.1      " REST);
	expect_status(
		command_kernels, "kernels --refresh fetch 6.1", 99,
		"stackproof kernels: apt's sources on this machine name no mirror of Debian's "
		"security archive: no\n");
}
END_TEST

SUITE(vm_command, TIMEOUT(300), FIXTURE(set_up, folder_remove),
      LOOP(vm_prints_what_the_guest_did, cases), TEST(vm_takes_along_what_is_named),
      TEST(vm_under_a_plugin), TEST(vm_has_the_program_itself),
      TEST(vm_of_a_working_directory_that_is_gone), TEST(vm_runs_two_guests_at_a_time),
      TEST(vm_says_what_it_would_start), TEST(vm_tells_an_emulated_guest_of_the_clock),
      TEST(vm_output_of_one_and_of_several), TEST(vm_output_that_can_not_be_kept),
      LOOP(kernels_are_printed, kernels), TEST(kernels_that_are_cached))
