/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * top_keys.c - bytes of the keyboard -> keys -> what is shown
 *
 * Keys without a character are sequences (ECMA-48, 5.4): ESC [ or ESC O, parameters, a last byte from '@' on. The escape
 * key is ESC and nothing behind it: who reads waits for a moment to know.
 */
#include <string.h>
#include "top.h"

static const struct {
	const char *sequence;
	int key;
} sequences[] = {
	{ "A", TOP_KEY_UP },	   { "B", TOP_KEY_DOWN },	{ "H", TOP_KEY_HOME },
	{ "F", TOP_KEY_END },	   { "1~", TOP_KEY_HOME },	{ "4~", TOP_KEY_END },
	{ "5~", TOP_KEY_PAGE_UP }, { "6~", TOP_KEY_PAGE_DOWN },
};

static int find_sequence(const char *bytes, size_t size)
{
	for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++)
		if (strlen(sequences[i].sequence) == size &&
		    !memcmp(sequences[i].sequence, bytes, size))
			return sequences[i].key;
	return TOP_KEY_OTHER;
}

size_t top_key(const char *bytes, size_t size, int *ret)
{
	size_t end = 2;

	*ret = (unsigned char)bytes[0];
	if (*ret == 0x7f)
		*ret = TOP_KEY_BACKSPACE;
	if (*ret != TOP_KEY_ESCAPE)
		return 1;
	if (size < 2)
		return 0;
	if (bytes[1] != '[' && bytes[1] != 'O')
		return 1;
	while (end < size && (bytes[end] < '@' || bytes[end] > '~'))
		end++;
	if (end == size)
		return 0;
	*ret = find_sequence(bytes + 2, end - 1);
	return end + 1;
}

/* The filter's last character, however many bytes it has. */
static void drop_character(char *text)
{
	size_t size = strlen(text);

	while (size && ((unsigned char)text[--size] & 0xc0) == 0x80)
		;
	text[size] = 0;
}

static void type_key(struct top_view *view, int key)
{
	size_t size = strlen(view->filter);

	if (key == TOP_KEY_ESCAPE)
		view->filter[0] = 0;
	if (key == TOP_KEY_ESCAPE || key == TOP_KEY_ENTER) {
		view->typing = false;
	} else if (key == TOP_KEY_BACKSPACE) {
		drop_character(view->filter);
	} else if (key >= ' ' && key < TOP_KEY_UP && size + 1 < sizeof(view->filter)) {
		view->filter[size] = (char)key;
		view->filter[size + 1] = 0;
	}
}

/* False: the key moves nothing. What is too far is made good by top_table_arrange(). */
static bool move(struct top_view *view, int key, unsigned int page)
{
	size_t *at = view->callers ? &view->caller : &view->row, back = 0;

	switch (key) {
	case 'k':
	case TOP_KEY_UP: back = 1; break;
	case 'j':
	case TOP_KEY_DOWN: ++*at; break;
	case TOP_KEY_PAGE_UP: back = page; break;
	case TOP_KEY_PAGE_DOWN: *at += page; break;
	case TOP_KEY_HOME: back = *at; break;
	case TOP_KEY_END: *at = SIZE_MAX / 2; break;
	default: return false;
	}
	*at -= back < *at ? back : *at;
	return true;
}

enum top_wish top_view_key(struct top_view *view, int key, unsigned int page)
{
	if (view->typing) {
		type_key(view, key);
		return TOP_WISH_NONE;
	}
	if (move(view, key, page))
		return TOP_WISH_NONE;
	switch (key) {
	case 'q': return TOP_WISH_QUIT;
	case 'p': view->paused = !view->paused; break;
	case 's': view->by_total = !view->by_total; break;
	case 'g':
		if (!view->callers)
			view->grouping = (view->grouping + 1) % TOP_GROUPINGS;
		break;
	case '/': view->typing = !view->callers; break;
	case TOP_KEY_ESCAPE:
		if (!view->callers)
			view->filter[0] = 0;
		view->callers = false;
		break;
	case TOP_KEY_ENTER:
		if (!view->callers)
			return TOP_WISH_CALLERS;
		view->callers = false;
		break;
	}
	return TOP_WISH_NONE;
}
