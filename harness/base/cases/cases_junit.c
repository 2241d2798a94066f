/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cases_junit.c - JUnit XML, as CI servers read it
 *
 * `failure` is a fault found, `error` something that could not be judged, `skipped` a reason; the
 * three are never mixed. XML 1.0 (section 2.2) has no way to write most control characters, and
 * names and consoles may be full of them: they become '?', as do bytes that are not UTF-8.
 */
#include <libxml/xmlwriter.h>
#include <string.h>
#include "cases.h"
#include "plain_text.h"

/* A copy that XML can hold. */
static xmlChar *xml_text(const char *text)
{
	xmlChar *copy = xmlStrdup(BAD_CAST text);

	for (size_t at = 0, bytes; copy && copy[at]; at += bytes ? bytes : 1) {
		bytes = plain_character((const char *)&copy[at]);
		if (!bytes && copy[at] != '\n' && copy[at] != '\t')
			copy[at] = '?'; /* of a character of several bytes each one */
		/* U+FFFE and U+FFFF are characters of UTF-8, but not of XML 1.0 (2.2). */
		if (bytes == 3 && copy[at] == 0xef && copy[at + 1] == 0xbf && copy[at + 2] >= 0xbe)
			memset(&copy[at], '?', bytes);
	}
	return copy;
}

static void attribute(xmlTextWriter *writer, const char *name, const char *value)
{
	xmlChar *text = xml_text(value);

	xmlTextWriterWriteAttribute(writer, BAD_CAST name, text);
	xmlFree(text);
}

static void attribute_number(xmlTextWriter *writer, const char *name, size_t value)
{
	xmlTextWriterWriteFormatAttribute(writer, BAD_CAST name, "%zu", value);
}

static void attribute_seconds(xmlTextWriter *writer, double seconds)
{
	xmlTextWriterWriteFormatAttribute(writer, BAD_CAST "time", "%.3f", seconds);
}

static void write_output(xmlTextWriter *writer, const char *output)
{
	xmlChar *text;

	if (!output)
		return;
	text = xml_text(output);
	xmlTextWriterWriteElement(writer, BAD_CAST "system-out", text);
	xmlFree(text);
}

static void write_outcome(xmlTextWriter *writer, const struct judged_case *judged)
{
	static const char *const element[CASE_STATUS_COUNT] = {
		[CASE_FAILED] = "failure",
		[CASE_SKIPPED] = "skipped",
		[CASE_ERROR] = "error",
	};

	if (!element[judged->status])
		return;
	xmlTextWriterStartElement(writer, BAD_CAST element[judged->status]);
	attribute(writer, "message", judged->message);
	if (judged->status != CASE_SKIPPED)
		attribute(writer, "type", judged->type ? judged->type : "comparison");
	xmlTextWriterEndElement(writer);
}

static void write_case(xmlTextWriter *writer, const struct judged_case *judged)
{
	xmlTextWriterStartElement(writer, BAD_CAST "testcase");
	attribute(writer, "classname", judged->class_name);
	attribute(writer, "name", judged->name);
	if (judged->file)
		attribute(writer, "file", judged->file);
	attribute_seconds(writer, judged->seconds);
	write_outcome(writer, judged);
	write_output(writer, judged->output);
	xmlTextWriterEndElement(writer);
}

static void write_properties(xmlTextWriter *writer, const struct case_suite *suite)
{
	const char *name;
	json_t *value;

	xmlTextWriterStartElement(writer, BAD_CAST "properties");
	json_object_foreach(suite->property, name, value)
	{
		xmlTextWriterStartElement(writer, BAD_CAST "property");
		attribute(writer, "name", name);
		attribute(writer, "value", json_string_value(value));
		xmlTextWriterEndElement(writer);
	}
	xmlTextWriterEndElement(writer);
}

static double suite_seconds(const struct case_suite *suite)
{
	double seconds = 0;

	for (size_t i = 0; i < suite->count; i++)
		seconds += suite->judged[i].seconds;
	return seconds;
}

static void write_suite(xmlTextWriter *writer, const struct case_suite *suite)
{
	size_t count[CASE_STATUS_COUNT];

	case_suite_count(suite, count);
	xmlTextWriterStartElement(writer, BAD_CAST "testsuite");
	attribute(writer, "name", suite->name);
	attribute_number(writer, "tests", suite->count);
	attribute_number(writer, "failures", count[CASE_FAILED]);
	attribute_number(writer, "errors", count[CASE_ERROR]);
	attribute_number(writer, "skipped", count[CASE_SKIPPED]);
	attribute_seconds(writer, suite_seconds(suite));
	if (suite->property)
		write_properties(writer, suite);
	for (size_t i = 0; i < suite->count; i++)
		write_case(writer, &suite->judged[i]);
	write_output(writer, suite->output);
	xmlTextWriterEndElement(writer);
}

static void write_document(xmlTextWriter *writer, const struct cases *cases)
{
	size_t count[CASE_STATUS_COUNT], tests = 0;
	double seconds = 0;

	cases_count(cases, count);
	for (size_t i = 0; i < cases->count; i++) {
		tests += cases->suite[i].count;
		seconds += suite_seconds(&cases->suite[i]);
	}
	xmlTextWriterSetIndent(writer, 1);
	xmlTextWriterStartDocument(writer, NULL, "UTF-8", NULL);
	xmlTextWriterStartElement(writer, BAD_CAST "testsuites");
	attribute(writer, "name", "stackproof");
	attribute_number(writer, "tests", tests);
	attribute_number(writer, "failures", count[CASE_FAILED]);
	attribute_number(writer, "errors", count[CASE_ERROR]);
	attribute_seconds(writer, cases->seconds < 0 ? seconds : cases->seconds);
	for (size_t i = 0; i < cases->count; i++)
		write_suite(writer, &cases->suite[i]);
	xmlTextWriterEndDocument(writer);
	xmlTextWriterFlush(writer);
}

int cases_print_junit(const struct cases *cases, FILE *file, struct error *error)
{
	xmlBuffer *buffer = xmlBufferCreate();
	xmlTextWriter *writer = buffer ? xmlNewTextWriterMemory(buffer, 0) : NULL;
	int status = -1;

	if (!writer) {
		error_set(error, ERROR_MEMORY, "", 0, "out of memory for JUnit XML");
		goto out;
	}
	write_document(writer, cases);
	size_t size = (size_t)xmlBufferLength(buffer);
	if (fwrite(xmlBufferContent(buffer), 1, size, file) != size)
		error_set_errno(error, "can't write JUnit XML");
	else
		status = 0;
out:
	if (writer)
		xmlFreeTextWriter(writer);
	if (buffer)
		xmlBufferFree(buffer);
	return status;
}
