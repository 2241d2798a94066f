/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * array.h - arrays that grow
 *
 *	if (!ARRAY_ADD(list->entry, list->count, entry))
 *		return error_set(error, ERROR_MEMORY, ...);
 *
 * An array that grows by one element at a time needs no capacity beside its count: whenever the count
 * is a power of two, the array is reallocated at twice the size. Elements may be removed again. Where
 * many elements are added at once, or the array is filled anew, a capacity is kept: ARRAY_RESERVE().
 */
#ifndef STACKPROOF_ARRAY_H
#define STACKPROOF_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define ARRAY_LEAST 8 /* elements; a power of two */

/* The array with room for one more than count elements of size bytes. NULL: no memory; array stays as it was. */
static inline void *array_grown(void *array, size_t count, size_t size)
{
	size_t bytes;

	if (count & (count - 1) || (count && count < ARRAY_LEAST))
		return array;
	if (__builtin_mul_overflow(count ? 2 * count : ARRAY_LEAST, size, &bytes))
		return NULL;
	return realloc(array, bytes);
}

/* The same with room for wanted elements, at most limit. *capacity: for how many elements there is room. */
static inline void *array_reserved(void *array, size_t *capacity, size_t wanted, size_t limit,
				   size_t size)
{
	size_t bytes, grown = *capacity > limit / 2 ? limit : 2 * *capacity;

	if (*capacity && wanted <= *capacity)
		return array;
	grown = grown > wanted ? grown : wanted;
	grown = grown > ARRAY_LEAST ? grown : ARRAY_LEAST;
	if (wanted > limit || __builtin_mul_overflow(grown, size, &bytes))
		return NULL;
	array = realloc(array, bytes);
	if (array)
		*capacity = grown;
	return array;
}

/* Compares elements that begin with a uint64_t, for qsort(3) and bsearch(3). */
static inline int array_order_u64(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* Binary search: for how many of count elements the expression before, which names an element's number i,
 * is true. The elements must be in order: once it is false, it is false for all elements behind. */
#define ARRAY_BEFORE(count, i, before)                                                             \
	({                                                                                         \
		size_t array_low_ = 0, array_high_ = (count);                                      \
		while (array_low_ < array_high_) {                                                 \
			size_t i = array_low_ + (array_high_ - array_low_) / 2;                    \
			if (before)                                                                \
				array_low_ = i + 1;                                                \
			else                                                                       \
				array_high_ = i;                                                   \
		}                                                                                  \
		array_low_;                                                                        \
	})

/* The number of elements of an array whose size is known. */
#define ARRAY_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Linear search: a pointer to the first of count elements for which the expression is true, which names such a
 * pointer one. NULL: there is none. */
#define ARRAY_FIRST(array, count, one, is)                                                         \
	({                                                                                         \
		__typeof__((array)[0]) *one = NULL;                                                \
		size_t array_at_ = 0, array_count_ = (count);                                      \
		while (array_at_ < array_count_ && (one = &(array)[array_at_], !(is)))             \
			array_at_++;                                                               \
		array_at_ < array_count_ ? one : NULL;                                             \
	})

/* Whether the expression, which names an element's number i, is true for any of count elements. */
#define ARRAY_ANY(count, i, is)                                                                    \
	({                                                                                         \
		size_t i = 0, array_count_ = (count);                                              \
		while (i < array_count_ && !(is))                                                  \
			i++;                                                                       \
		i < array_count_;                                                                  \
	})

/* Defines a function for qsort(3) and bsearch(3), which compares elements of a type by a member; _TWO: and if
 * these are equal, by a second one. */
#define ARRAY_ORDER(name, type, member) ARRAY_ORDER_TWO(name, type, member, member)
#define ARRAY_ORDER_TWO(name, type, first, second)                                                 \
	static int name(const void *left, const void *right)                                       \
	{                                                                                          \
		const type *a = left, *b = right;                                                  \
		if (a->first != b->first)                                                          \
			return a->first < b->first ? -1 : 1;                                       \
		return a->second < b->second ? -1 : a->second > b->second;                         \
	}

/* Makes room for one more element in array, a pointer, which has count elements. An empty one is NULL and 0.
 * False: no memory; nothing has changed. */
#define ARRAY_GROW(array, count)                                                                   \
	({                                                                                         \
		void *array_moved_ = array_grown((array), (count), sizeof(*(array)));              \
		if (array_moved_)                                                                  \
			(array) = array_moved_;                                                    \
		array_moved_ != NULL;                                                              \
	})

/* The same, and puts an element there: an expression, or a compound literal of the elements' type. A pointer to it;
 * NULL: no memory. */
#define ARRAY_ADD(array, count, ...)                                                               \
	({                                                                                         \
		__typeof__(&*(array)) array_added_ = NULL;                                         \
		if (ARRAY_GROW(array, count)) {                                                    \
			(array)[(count)] = __VA_ARGS__;                                            \
			array_added_ = &(array)[(count)++];                                        \
		}                                                                                  \
		array_added_;                                                                      \
	})

/* qsort(3) and bsearch(3) of such an array, which may be empty. The result has the array's type. */
#define ARRAY_SORT(array, count, order)                                                            \
	((count) ? qsort((array), (count), sizeof(*(array)), (order)) : (void)0)
#define ARRAY_FIND(array, count, key, order)                                                       \
	((__typeof__(&*(array)))((count) ? bsearch((key), (array), (count), sizeof(*(array)),      \
						   (order))                                        \
					 : NULL))

/* Makes room for wanted elements in all. capacity, of an unsigned type and 0 at first: for how many array has
 * room. False: no memory, or wanted is more than the type can hold; nothing has changed. */
#define ARRAY_RESERVE(array, capacity, wanted)                                                     \
	({                                                                                         \
		size_t array_room_ = (capacity);                                                   \
		void *array_moved_ = array_reserved((array), &array_room_, (wanted),               \
						    (__typeof__(capacity))-1, sizeof(*(array)));   \
		if (array_moved_) {                                                                \
			(array) = array_moved_;                                                    \
			(capacity) = array_room_;                                                  \
		}                                                                                  \
		array_moved_ != NULL;                                                              \
	})

#endif
