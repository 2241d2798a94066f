/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * work_cxx.cc - what C++ programs do: containers, sorting by a callable, virtual calls, exceptions through frames
 *
 *	work_cxx ROUNDS
 *
 * A part of the fixed work of `bench profile_costs`: each round does the same. The exit status is 0 only if all rounds
 * came to the same sum.
 */
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#include "../c/testprog.h"

struct shape {
	virtual ~shape() = default;
	virtual long area(long depth) const = 0;
};

struct square : shape {
	FRAME long area(long depth) const override
	{
		return depth * depth;
	}
};

struct nested : shape {
	std::unique_ptr<shape> inner;

	explicit nested(std::unique_ptr<shape> of) : inner(std::move(of))
	{
	}
	FRAME long area(long depth) const override
	{
		long within = inner->area(depth + 1);

		KEEP(within);
		return within + 1;
	}
};

static FRAME long sorted(long seed)
{
	std::vector<long> numbers(200);

	for (long &number : numbers)
		number = seed = (seed * 1103515245 + 12345) & 0x7fffffff;
	std::sort(numbers.begin(), numbers.end(),
		  [](long a, long b) { return a % 1000 < b % 1000; });
	KEEP_MEMORY(numbers.data());
	return numbers.front() % 1000;
}

static FRAME long counted(long seed)
{
	std::map<std::string, long> count;

	for (long i = 0; i < 100; i++)
		count[std::to_string((seed + i * 7) % 31)]++;
	return (long)count.size();
}

static FRAME long thrown(long depth)
{
	if (!depth)
		throw std::runtime_error("thrown");
	long value = thrown(depth - 1);

	KEEP(value);
	return value + 1;
}

static FRAME long caught()
{
	try {
		return thrown(5);
	} catch (const std::exception &exception) {
		return (long)std::string(exception.what()).size();
	}
}

static FRAME long round_of(const shape &shapes)
{
	long sum = sorted(7) + counted(3) + caught() + shapes.area(1);

	KEEP(sum);
	return sum;
}

int main(int argc, char **argv)
{
	std::unique_ptr<shape> shapes = std::make_unique<square>();
	long rounds = argc > 1 ? atol(argv[1]) : 0;

	for (int i = 0; i < 10; i++)
		shapes = std::make_unique<nested>(std::move(shapes));
	long expected = round_of(*shapes);

	for (long i = 1; i < rounds; i++)
		if (round_of(*shapes) != expected)
			return 1;
	return rounds <= 0;
}
