/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * junit.c - JUnit XML, as CI servers read it
 *
 * A testsuite per kernel, a testcase per cell: classname is "toolchain.variant", name the program.
 * `failure` is a fault found, `error` something that could not be judged, `skipped` a typed reason;
 * the three are never mixed. A guest that did not end well has its console's end in system-out.
 * XML 1.0 (section 2.2) has no way to write most control characters and consoles are full of them:
 * they become '?', as do bytes that are not UTF-8.
 */
#include <libxml/xmlwriter.h>
#include <stdlib.h>
#include <string.h>
#include "report/results.h"
#include "plain_text.h"

#define CONSOLE_BYTES_MAX 65536

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

static void element_text(xmlTextWriter *writer, const char *name, const char *value)
{
	xmlChar *text = xml_text(value);

	xmlTextWriterWriteElement(writer, BAD_CAST name, text);
	xmlFree(text);
}

static void write_outcome(xmlTextWriter *writer, const struct cell *cell)
{
	static const char *const element[CELL_STATUS_COUNT] = {
		[CELL_PENDING] = "error",
		[CELL_FAILED] = "failure",
		[CELL_SKIPPED] = "skipped",
		[CELL_ERROR] = "error",
	};

	if (!element[cell->status])
		return;
	xmlTextWriterStartElement(writer, BAD_CAST element[cell->status]);
	attribute(writer, "message", cell->reason);
	if (cell->status != CELL_SKIPPED)
		attribute(writer, "type", cell->environment ? "environment" : "comparison");
	xmlTextWriterEndElement(writer);
}

/* What compare found in this cell, a finding per line, as it printed it. */
static void write_findings(xmlTextWriter *writer, const struct cell *cell)
{
	size_t index;
	json_t *object;
	bool open = false;

	json_array_foreach(cell->objects, index, object)
	{
		const char *type = json_string_value(json_object_get(object, "type"));
		if (!type || strcmp(type, "finding"))
			continue;
		if (!open)
			xmlTextWriterStartElement(writer, BAD_CAST "system-out");
		open = true;
		char *line = json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII);
		xmlTextWriterWriteString(writer, BAD_CAST(line ? line : ""));
		xmlTextWriterWriteString(writer, BAD_CAST "\n");
		free(line);
	}
	if (open)
		xmlTextWriterEndElement(writer);
}

static void write_case(xmlTextWriter *writer, const struct cell *cell)
{
	char class[256];

	snprintf(class, sizeof(class), "%s.%s", cell->toolchain, cell->variant);
	xmlTextWriterStartElement(writer, BAD_CAST "testcase");
	attribute(writer, "classname", class);
	attribute(writer, "name", cell->program);
	attribute(writer, "file", cell->binary);
	xmlTextWriterWriteFormatAttribute(writer, BAD_CAST "time", "%.3f", cell->seconds);
	write_outcome(writer, cell);
	write_findings(writer, cell);
	xmlTextWriterEndElement(writer);
}

static void write_property(xmlTextWriter *writer, const char *name, const char *value)
{
	if (!value[0])
		return;
	xmlTextWriterStartElement(writer, BAD_CAST "property");
	attribute(writer, "name", name);
	attribute(writer, "value", value);
	xmlTextWriterEndElement(writer);
}

/* The end of the console of a guest that did not end well. */
static void write_console(xmlTextWriter *writer, const struct results_kernel *kernel,
			  const char *folder)
{
	char path[4096];

	if (!folder || !kernel->outcome[0] || !strcmp(kernel->outcome, "ok"))
		return;
	results_path(path, sizeof(path), folder, "kernels", kernel->name, "console");
	FILE *file = fopen(path, "re");
	if (!file)
		return;
	/* Shorter than that: the seek fails and all of it is read. */
	if (fseek(file, -(long)CONSOLE_BYTES_MAX, SEEK_END))
		rewind(file);
	char *text = malloc(CONSOLE_BYTES_MAX + 1);
	size_t size = text ? fread(text, 1, CONSOLE_BYTES_MAX, file) : 0;
	for (size_t i = 0; i < size; i++) {
		if (!text[i])
			text[i] = '?';
	}
	if (size) {
		text[size] = '\0';
		element_text(writer, "system-out", text);
	}
	free(text);
	fclose(file);
}

static void write_suite(xmlTextWriter *writer, const struct results *results,
			const struct results_kernel *kernel, const char *folder)
{
	size_t count[CELL_STATUS_COUNT];
	double seconds = 0;

	results_count(results, kernel->name, count);
	for (size_t i = 0; i < results->cell_count; i++) {
		if (!strcmp(results->cell[i].kernel, kernel->name))
			seconds += results->cell[i].seconds;
	}
	xmlTextWriterStartElement(writer, BAD_CAST "testsuite");
	attribute(writer, "name", kernel->name);
	attribute_number(writer, "tests",
			 count[CELL_PENDING] + count[CELL_PASSED] + count[CELL_FAILED] +
				 count[CELL_SKIPPED] + count[CELL_ERROR]);
	attribute_number(writer, "failures", count[CELL_FAILED]);
	attribute_number(writer, "errors", count[CELL_ERROR] + count[CELL_PENDING]);
	attribute_number(writer, "skipped", count[CELL_SKIPPED]);
	xmlTextWriterWriteFormatAttribute(writer, BAD_CAST "time", "%.3f", seconds);

	xmlTextWriterStartElement(writer, BAD_CAST "properties");
	write_property(writer, "kernel.version", kernel->version);
	write_property(writer, "kernel.package", kernel->package);
	write_property(writer, "kernel.accelerator", kernel->accelerator);
	write_property(writer, "kernel.outcome", kernel->outcome);
	write_property(writer, "kernel.sentence", kernel->sentence);
	xmlTextWriterEndElement(writer);
	for (size_t i = 0; i < results->cell_count; i++) {
		if (!strcmp(results->cell[i].kernel, kernel->name))
			write_case(writer, &results->cell[i]);
	}
	write_console(writer, kernel, folder);
	xmlTextWriterEndElement(writer);
}

/* Cells that were never reached belong to no kernel; a CI server must still see them. */
static void write_missing(xmlTextWriter *writer, const struct results *results)
{
	if (!results->missing)
		return;
	xmlTextWriterStartElement(writer, BAD_CAST "testsuite");
	attribute(writer, "name", "missing");
	attribute_number(writer, "tests", 1);
	attribute_number(writer, "errors", 1);
	xmlTextWriterStartElement(writer, BAD_CAST "testcase");
	attribute(writer, "classname", "run");
	attribute(writer, "name", "finished");
	xmlTextWriterStartElement(writer, BAD_CAST "error");
	attribute(writer, "type", "environment");
	xmlTextWriterWriteFormatAttribute(writer, BAD_CAST "message",
					  "the run was cut short: %zu cells are missing",
					  results->missing);
	xmlTextWriterEndElement(writer);
	xmlTextWriterEndElement(writer);
	xmlTextWriterEndElement(writer);
}

int junit_print(const struct results *results, const char *folder, FILE *file, struct error *error)
{
	xmlBuffer *buffer = xmlBufferCreate();
	xmlTextWriter *writer = buffer ? xmlNewTextWriterMemory(buffer, 0) : NULL;
	size_t count[CELL_STATUS_COUNT];
	int status = -1;

	if (!writer) {
		error_set(error, ERROR_MEMORY, "", 0, "out of memory for JUnit XML");
		goto out;
	}
	results_count(results, NULL, count);
	xmlTextWriterSetIndent(writer, 1);
	xmlTextWriterStartDocument(writer, NULL, "UTF-8", NULL);
	xmlTextWriterStartElement(writer, BAD_CAST "testsuites");
	attribute(writer, "name", "stackproof");
	attribute_number(writer, "tests", results->cell_count + (results->missing ? 1 : 0));
	attribute_number(writer, "failures", count[CELL_FAILED]);
	attribute_number(writer, "errors",
			 count[CELL_ERROR] + count[CELL_PENDING] + (results->missing ? 1 : 0));
	xmlTextWriterWriteFormatAttribute(writer, BAD_CAST "time", "%.3f", results->seconds);
	for (size_t i = 0; i < results->kernel_count; i++)
		write_suite(writer, results, &results->kernel[i], folder);
	write_missing(writer, results);
	xmlTextWriterEndDocument(writer);
	xmlTextWriterFlush(writer);

	size_t size = xmlBufferLength(buffer);
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
