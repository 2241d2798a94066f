// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// arena.cc - a larger program: containers in an arena that runs out, and recovers by exceptions
//
// Rules: what real C++ is made of, all at once: templates of the library instantiated here,
// thousands of short calls through them, allocation from inside them, an exception thrown seven
// frames deep in the library's code and caught here after destructors of half-built containers ran,
// calls through std::function into lambdas. Every allocation counts, so that one that is lost or
// freed twice is seen.
//
// The work: words are counted in a map, in an arena of growing size, until one is large enough.
#include <cstddef>
#include <functional>
#include <map>
#include <new>
#include <string>
#include <vector>
#include "../c/testprog.h"

namespace
{

// Free blocks of each size are kept in a list; new ones are cut off the front. Throws when it is full.
class arena {
    public:
	arena(char *begin, std::size_t size) : at(begin), end(begin + size)
	{
	}

	FRAME void *allocate(std::size_t size)
	{
		std::size_t number = (size + unit - 1) / unit;

		if (number < lists && list[number]) {
			block *found = list[number];

			list[number] = found->next;
			live++;
			return found;
		}
		if (number * unit > static_cast<std::size_t>(end - at))
			fail();

		char *found = at;

		at += number * unit;
		live++;
		return found;
	}

	FRAME void release(void *pointer, std::size_t size)
	{
		std::size_t number = (size + unit - 1) / unit;

		live--;
		if (number >= lists)
			return;
		list[number] = new (pointer) block { list[number] };
	}

	int live = 0;

    private:
	struct block {
		block *next;
	};

	static constexpr std::size_t unit = 16, lists = 16;

	[[noreturn]] FRAME void fail()
	{
		throw std::bad_alloc();
	}

	char *at, *end;
	block *list[lists] = {};
};

template <typename T> struct in_arena {
	using value_type = T;

	arena *from;

	in_arena(arena *where) : from(where)
	{
	}
	template <typename U> in_arena(const in_arena<U> &other) : from(other.from)
	{
	}
	T *allocate(std::size_t count)
	{
		return static_cast<T *>(from->allocate(count * sizeof(T)));
	}
	void deallocate(T *pointer, std::size_t count)
	{
		from->release(pointer, count * sizeof(T));
	}
	template <typename U> bool operator==(const in_arena<U> &other) const
	{
		return from == other.from;
	}
	template <typename U> bool operator!=(const in_arena<U> &other) const
	{
		return from != other.from;
	}
};

using word = std::basic_string<char, std::char_traits<char>, in_arena<char>>;
using counts = std::map<word, int, std::less<word>, in_arena<std::pair<const word, int>>>;
using list = std::vector<const word *, in_arena<const word *>>;

const char text[] = "the quick brown fox jumps over the lazy dog and the extraordinarily long-winded dog sleeps";

// Calls function with each word.
FRAME void for_each_word(arena &from, const std::function<void(word &&)> &function)
{
	const char *begin = text;

	for (const char *at = text;; at++) {
		if (*at && *at != ' ')
			continue;
		function(word(begin, at, in_arena<char>(&from)));
		if (!*at)
			return;
		begin = at + 1;
	}
}

// The words that are there more than once.
FRAME int repeated(arena &from, const counts &table)
{
	list found { in_arena<const word *>(&from) };
	int sum = 0;

	for (const auto &entry : table)
		if (entry.second > 1)
			found.push_back(&entry.first);
	for (const word *entry : found)
		sum += table.at(*entry);
	return sum;
}

FRAME int count_words(arena &from, const std::function<void(word &&)> &count, const counts &table)
{
	for_each_word(from, count);

	int sum = repeated(from, table);

	KEEP(sum);
	return sum * 100 + static_cast<int>(table.size());
}

// *result: what was counted. False: the arena is full.
FRAME bool try_in_arena(arena &from, int *result)
{
	counts table { std::less<word>(), in_arena<std::pair<const word, int>>(&from) };
	std::function<void(word &&)> count = [&table](word &&next) {
		table[static_cast<word &&>(next)]++;
	};

	try {
		*result = count_words(from, count, table);
		return true;
	} catch (const std::bad_alloc &) {
		return false;
	}
}

// How often it didn't fit; *result: what came of it then.
FRAME int count_in_growing_arena(char *memory, std::size_t begin, std::size_t end, int *result)
{
	int failures = 0;

	for (std::size_t size = begin; size <= end; size *= 4) {
		arena from(memory, size);

		bool fits = try_in_arena(from, result);

		if (from.live)
			return -1;
		if (fits)
			return failures;
		failures++;
	}
	return -1;
}

}

int main()
{
	static char memory[2048] __attribute__((aligned(16)));
	int result = 0;
	int failures = count_in_growing_arena(memory, 512, sizeof(memory), &result);

	// "the" three times, "dog" twice; twelve words
	return failures != 1 || result != 512;
}
