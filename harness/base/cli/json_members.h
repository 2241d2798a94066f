/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * json_members.h - members of a JSON object, set many at a time
 *
 *	json_t *object = JSON_NEW("type", "kernel", "boot_ms", kernel->boot_ms, "objects", array);
 *	JSON_SET(object, "reason", result->reason[0] ? result->reason : NULL);
 *
 * A value's type says what it becomes: an integer of any kind, a real, a truth value, a text of any bytes
 * (json_bytes()), or a json_t, whose reference is taken. A text or a json_t that is NULL sets nothing. A comparison is
 * an int in C: json_boolean() makes a truth value of it.
 */
#ifndef STACKPROOF_JSON_MEMBERS_H
#define STACKPROOF_JSON_MEMBERS_H

#include <jansson.h>
#include <stdbool.h>
#include "freed.h"

/* A json_t that is released where its block ends. */
#define JSON_FREED DEINIT(json_release_at)
static inline void json_release_at(json_t **object)
{
	json_decref(*object);
}

struct json_member {
	const char *key; /* NULL: no more of them */
	json_t *value;
};

/* Sets up to 24 members, in that order. Returns object. */
#define JSON_SET(object, ...)                                                                      \
	json_set_members(object, (const struct json_member[]) { JSON_MEMBERS(__VA_ARGS__), { 0 } })
/* A new object of them. */
#define JSON_NEW(...) JSON_SET(json_object(), __VA_ARGS__)

/* Takes the values' references. Returns object. */
json_t *json_set_members(json_t *object, const struct json_member *members);
json_t *json_of_json(json_t *value);
/* NULL for NULL. */
json_t *json_of_text(const char *text);
json_t *json_of_bool(bool value);

#define JSON_OF(value)                                                                             \
	_Generic((value), json_t * : json_of_json, char * : json_of_text, \
		 const char * : json_of_text, bool : json_of_bool, float : json_real, double : json_real, \
		 default : json_integer)(value)

/* The macro for as many pairs as there are. */
#define JSON_MEMBERS(...)                                                                          \
	JSON_CHOOSE(__VA_ARGS__, JSON_24, JSON_ODD, JSON_23, JSON_ODD, JSON_22, JSON_ODD, JSON_21, \
		    JSON_ODD, JSON_20, JSON_ODD, JSON_19, JSON_ODD, JSON_18, JSON_ODD, JSON_17,    \
		    JSON_ODD, JSON_16, JSON_ODD, JSON_15, JSON_ODD, JSON_14, JSON_ODD, JSON_13,    \
		    JSON_ODD, JSON_12, JSON_ODD, JSON_11, JSON_ODD, JSON_10, JSON_ODD, JSON_9,     \
		    JSON_ODD, JSON_8, JSON_ODD, JSON_7, JSON_ODD, JSON_6, JSON_ODD, JSON_5,        \
		    JSON_ODD, JSON_4, JSON_ODD, JSON_3, JSON_ODD, JSON_2, JSON_ODD, JSON_1,        \
		    JSON_ODD, )                                                                    \
	(__VA_ARGS__)
#define JSON_CHOOSE(k1, v1, k2, v2, k3, v3, k4, v4, k5, v5, k6, v6, k7, v7, k8, v8, k9, v9, k10,   \
		    v10, k11, v11, k12, v12, k13, v13, k14, v14, k15, v15, k16, v16, k17, v17,     \
		    k18, v18, k19, v19, k20, v20, k21, v21, k22, v22, k23, v23, k24, v24, chosen,  \
		    ...)                                                                           \
	chosen
#define JSON_1(key, value)                                                                         \
	{                                                                                          \
		key, JSON_OF(value)                                                                \
	}
#define JSON_2(key, value, ...)	 JSON_1(key, value), JSON_1(__VA_ARGS__)
#define JSON_3(key, value, ...)	 JSON_1(key, value), JSON_2(__VA_ARGS__)
#define JSON_4(key, value, ...)	 JSON_1(key, value), JSON_3(__VA_ARGS__)
#define JSON_5(key, value, ...)	 JSON_1(key, value), JSON_4(__VA_ARGS__)
#define JSON_6(key, value, ...)	 JSON_1(key, value), JSON_5(__VA_ARGS__)
#define JSON_7(key, value, ...)	 JSON_1(key, value), JSON_6(__VA_ARGS__)
#define JSON_8(key, value, ...)	 JSON_1(key, value), JSON_7(__VA_ARGS__)
#define JSON_9(key, value, ...)	 JSON_1(key, value), JSON_8(__VA_ARGS__)
#define JSON_10(key, value, ...) JSON_1(key, value), JSON_9(__VA_ARGS__)
#define JSON_11(key, value, ...) JSON_1(key, value), JSON_10(__VA_ARGS__)
#define JSON_12(key, value, ...) JSON_1(key, value), JSON_11(__VA_ARGS__)
#define JSON_13(key, value, ...) JSON_1(key, value), JSON_12(__VA_ARGS__)
#define JSON_14(key, value, ...) JSON_1(key, value), JSON_13(__VA_ARGS__)
#define JSON_15(key, value, ...) JSON_1(key, value), JSON_14(__VA_ARGS__)
#define JSON_16(key, value, ...) JSON_1(key, value), JSON_15(__VA_ARGS__)
#define JSON_17(key, value, ...) JSON_1(key, value), JSON_16(__VA_ARGS__)
#define JSON_18(key, value, ...) JSON_1(key, value), JSON_17(__VA_ARGS__)
#define JSON_19(key, value, ...) JSON_1(key, value), JSON_18(__VA_ARGS__)
#define JSON_20(key, value, ...) JSON_1(key, value), JSON_19(__VA_ARGS__)
#define JSON_21(key, value, ...) JSON_1(key, value), JSON_20(__VA_ARGS__)
#define JSON_22(key, value, ...) JSON_1(key, value), JSON_21(__VA_ARGS__)
#define JSON_23(key, value, ...) JSON_1(key, value), JSON_22(__VA_ARGS__)
#define JSON_24(key, value, ...) JSON_1(key, value), JSON_23(__VA_ARGS__)

#endif
