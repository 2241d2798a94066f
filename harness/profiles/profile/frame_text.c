/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * frame_text.c - a frame as text: its name, offset, image and marks; and a count as text
 *
 * What the tools of the FlameGraph project put behind a name is taken off: _[k] kernel, _[i] inlined,
 * _[j] compiled at run time, _[w] who woke it. Many profilers don't mark the kernel's frames; then
 * the kernel's own entries tell them, below which is user space.
 *
 * Names of C++ have blanks, brackets, '!', '`' and '+' of their own ("operator!=", "f() [clone .cold]",
 * "`anonymous namespace'::g"), so an image is taken from a name only where it can be nothing else.
 */
#include <ctype.h>
#include <string.h>
#include "array.h"
#include "frame_text.h"

/* Where the kernel is entered (arch/x86/entry, arch/arm64/kernel/entry.S): their beginnings. */
static const char *const entry_beginnings[] = {
	"entry_SYSCALL_",
	"entry_SYSCALL32_",
	"entry_SYSENTER_",
	"entry_INT80_",
	"asm_exc_",
	"asm_sysvec_",
	"asm_fred_",
	"asm_common_interrupt",
	"asm_spurious_interrupt",
	"ret_from_fork",
	"do_syscall_64",
	"x64_sys_call",
	"__x64_sys_",
	"__ia32_sys_",
	"syscall_return_via_sysret",
	"swapgs_restore_regs_and_return_to_usermode",
	"native_irq_return_iret",
	"async_page_fault",
	"__do_page_fault",
	"do_user_addr_fault",
	"apic_timer_interrupt",
	"reschedule_interrupt",
	"call_function_interrupt",
	"call_function_single_interrupt",
	"system_call_fastpath",
	"sysenter_fastpath",
	"el0t_64_",
	"el0t_32_",
	"el0_sync",
	"el0_svc",
	"el0_irq",
	"__arm64_sys_",
};

bool frame_text_enters_kernel(const char *name)
{
	return ARRAY_ANY(ARRAY_COUNT(entry_beginnings), i,
			 !strncmp(name, entry_beginnings[i], strlen(entry_beginnings[i])));
}

/* Takes a suffix "_[k]" away: its letter, or 0. */
static char take_suffix(struct span *text)
{
	const char *end = text->at + text->size;

	if (text->size < 5 || memcmp(end - 4, "_[", 2) || end[-1] != ']' ||
	    !strchr("kijw", end[-2]))
		return 0;
	text->size -= 4;
	return end[-2];
}

/* "fde@0x1230[libc.so.6]", as this program names what has no symbol. */
static bool is_our_name(struct span text)
{
	return span_begins(text, "fde@0x") || span_begins(text, "gap@0x") || span_begins(text, ".");
}

/* The image in brackets at the end, which is taken away, with the blanks before it; or none. */
static struct span take_image_behind(struct span *text)
{
	const char *open = text->size ? memrchr(text->at, '[', text->size) : NULL;
	struct span image = { "", 0 };

	if (!open || open == text->at || text->at[text->size - 1] != ']')
		return image;
	image = (struct span) { open + 1, text->at + text->size - 1 - (open + 1) };
	if (!is_our_name(*text) && /* "f() [clone .cold]", "operator new []" */
	    (!image.size || open[-1] != ' ' || memchr(image.at, ' ', image.size)))
		return (struct span) { "", 0 };
	text->size = open - text->at;
	while (text->size && text->at[text->size - 1] == ' ')
		text->size--;
	return image;
}

/* A character that a path has, and that no name of a function has before a '!' or a '`'. */
static bool is_of_path(char c)
{
	return isalnum((unsigned char)c) || strchr("._-+/[]~@", c);
}

/* The image before a '!' or a '`', which is taken away; or none. */
static struct span take_image_before(struct span *text)
{
	size_t size = 0;
	struct span image = { "", 0 };

	while (size < text->size && text->at[size] && is_of_path(text->at[size]))
		size++;
	if (!size || size + 1 >= text->size || (text->at[size] != '!' && text->at[size] != '`'))
		return image;
	image = (struct span) { text->at, size };
	if (span_is(image, "operator") || strchr("=('", text->at[size + 1]))
		return (struct span) { "", 0 };
	text->at += size + 1;
	text->size -= size + 1;
	return image;
}

static bool is_kernel_image(struct span image)
{
	return span_begins(image, "kernel") || span_begins(image, "[kernel") ||
	       span_begins(image, "[guest.kernel") || span_is(image, "vmlinux") ||
	       span_is(image, "[k]");
}

uint64_t frame_text_take_offset(struct span *text, bool decimal)
{
	const char *plus = text->size ? memrchr(text->at, '+', text->size) : NULL;
	struct span number;
	uint64_t value;

	if (!plus || plus == text->at)
		return PROFILE_NO_OFFSET;
	number = (struct span) { plus + 1, text->at + text->size - (plus + 1) };
	if (span_begins(number, "0x"))
		number = (struct span) { number.at + 2, number.size - 2 };
	else if (decimal && span_decimal(number, &value)) {
		text->size = plus - text->at;
		return value;
	} else {
		return PROFILE_NO_OFFSET;
	}
	if (!span_hexadecimal(number, &value))
		return PROFILE_NO_OFFSET;
	text->size = plus - text->at;
	return value;
}

static bool is_address(struct span text, uint64_t *ret)
{
	return span_begins(text, "0x") &&
	       span_hexadecimal((struct span) { text.at + 2, text.size - 2 }, ret);
}

/* "libc.so.6+0x2724a", as perf's dsoff, in the file; "libc.so.6 <7f1e2724a>", in the process: takes
 * the address away, which the frame gets. */
static void take_address(struct span *image, struct profile_frame *frame)
{
	const char *end = image->at + image->size, *blank = memrchr(image->at, ' ', image->size);
	struct span address = { blank, blank ? end - blank : 0 };
	uint64_t offset = frame_text_take_offset(image, false);

	if (offset != PROFILE_NO_OFFSET) {
		frame->kind = PROFILE_FILE_OFFSET;
		frame->address = offset;
	} else if (blank > image->at && span_begins(address, " <") && end[-1] == '>' &&
		   span_hexadecimal((struct span) { blank + 2, address.size - 3 },
				    &frame->address)) {
		frame->kind = PROFILE_RUNTIME;
		image->size -= address.size;
	}
}

/* All of the text is an image in brackets, maybe with an address. */
static bool take_image_alone(struct span *text, struct span *ret, struct profile_frame *frame)
{
	struct span image = { text->at + 1, text->size - 2 };

	if (text->size <= 2 || text->at[0] != '[' || text->at[text->size - 1] != ']' ||
	    memmem(text->at, text->size, "] [", 3)) /* "[unknown] [libc.so.6]" */
		return false;
	take_address(&image, frame);
	*ret = image;
	text->size = 0;
	return true;
}

static bool is_unknown(struct span text)
{
	return span_is(text, PROFILE_TEXT_UNKNOWN) || span_is(text, "[[unknown]]") ||
	       span_begins(text, "[Missed ");
}

uint32_t frame_text_add(struct profile *profile, struct span text, bool decimal_offset,
			struct error *error)
{
	struct profile_frame frame = { .mapped = PROFILE_NO_OFFSET,
				       .name_offset = PROFILE_NO_OFFSET };
	const struct span all = text;
	char suffix = take_suffix(&text);
	struct span image = { "", 0 };

	frame.flags = suffix == 'k' ? PROFILE_KERNEL : suffix == 'i' ? PROFILE_INLINED : 0;
	if (is_unknown(text))
		text.size = 0;
	if (!take_image_alone(&text, &image, &frame)) {
		image = take_image_before(&text);
		if (!image.size)
			image = take_image_behind(&text);
	}
	if (span_is(image, "unknown"))
		image.size = 0;
	if (is_kernel_image(image))
		frame.flags |= PROFILE_KERNEL;
	if (is_unknown(text))
		text.size = 0;
	if (!frame.kind && is_address(text, &frame.address)) {
		text.size = 0;
		frame.flags |= frame.address >> 63 ? PROFILE_KERNEL : 0;
		if (image.size) /* it could be an offset in it */
			frame.address = 0;
		else
			frame.kind = PROFILE_RUNTIME;
	} else if (text.size) {
		frame.name_offset = frame_text_take_offset(&text, decimal_offset);
	}
	frame.image = profile_text_add(profile, image.at, image.size, error);
	frame.name = profile_text_add(profile, text.at, text.size, error);
	if (text.size != all.size)
		frame.text = profile_text_add(profile, all.at, all.size, error);
	if (frame.image == UINT32_MAX || frame.name == UINT32_MAX || frame.text == UINT32_MAX)
		return UINT32_MAX;
	return profile_frame_add(profile, &frame, error);
}

int frame_text_mark_kernel(struct profile *profile, uint32_t *frame, size_t count,
			   struct error *error)
{
	size_t kernel = 0;

	for (size_t i = 0; i < count; i++) {
		const struct profile_frame *at = &profile->frame[frame[i]];

		if (at->flags & PROFILE_KERNEL ||
		    (at->name && frame_text_enters_kernel(profile_text(profile, at->name))))
			kernel = i + 1;
	}
	for (size_t i = 0; i < kernel; i++) {
		struct profile_frame copy = profile->frame[frame[i]];

		copy.flags |= PROFILE_KERNEL;
		frame[i] = profile_frame_add(profile, &copy, error);
		if (frame[i] == UINT32_MAX)
			return -1;
	}
	return 0;
}

bool count_text_read(struct span text, uint64_t scale, uint64_t *ret, bool *ret_fraction)
{
	const char *point = text.size ? memchr(text.at, '.', text.size) : NULL;
	struct span whole = { text.at, point ? (size_t)(point - text.at) : text.size };
	uint64_t unit = scale, part = 0;
	bool rounds_up = false, is_decided = false;

	*ret_fraction = false;
	if (!span_decimal(whole, ret) || __builtin_mul_overflow(*ret, scale, ret))
		return false;
	for (const char *at = point ? point + 1 : NULL; at && at < text.at + text.size; at++) {
		unsigned int digit = (unsigned char)*at - '0';

		if (digit > 9)
			return false;
		*ret_fraction |= digit != 0;
		if (unit == 1) { /* the first digit that is left out rounds */
			rounds_up |= !is_decided && digit >= 5;
			is_decided = true;
			continue;
		}
		unit /= 10;
		part += digit * unit;
	}
	if (__builtin_add_overflow(*ret, part + rounds_up, ret))
		return false;
	if (!*ret && *ret_fraction)
		*ret = 1;
	return true;
}
