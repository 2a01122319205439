/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate --json.  The keys are a contract with scripts (json.md): add some, but never rename one.
 */
#include "annotate.h"
#include "report-metric.h"

struct page {
	SptJson *json;
	const SptMetric *metric;
	const SptCapture *capture;
};

static void add_weights(const struct page *page, uint64_t self, uint64_t total)
{
	spt_metric_add(page->json, "self", page->metric, page->capture, self);
	spt_metric_add(page->json, "total", page->metric, page->capture, total);
}

static void annotate_json_add_file(const struct page *page, const SptAnnotatedFile *file)
{
	SptJson *json = page->json;

	spt_json_object(json, NULL);
	spt_json_text(json, "path", file->path);
	spt_json_text(json, "found", file->found);
	spt_json_text(json, "problem", file->problem);
	spt_json_array(json, "lines");
	for (unsigned i = 0; i < file->lines->len; i++) {
		const SptAnnotatedLine *line = &g_array_index(file->lines, SptAnnotatedLine, i);

		spt_json_object(json, NULL);
		spt_json_count(json, "line", line->number);
		spt_json_text(json, "text", line->text);
		add_weights(page, line->self, line->total);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
	spt_json_end_object(json);
}

static void annotate_json_add_code(const struct page *page, const SptAnnotatedCode *code)
{
	SptJson *json = page->json;

	spt_json_object(json, NULL);
	spt_json_function(json, code->function, code->object);
	spt_json_text(json, "problem", code->problem);
	add_weights(page, code->self, code->total);
	spt_json_array(json, "instructions");
	for (unsigned i = 0; i < code->instructions->len; i++) {
		const SptInstruction *instruction =
			&g_array_index(code->instructions, SptInstruction, i);

		spt_json_object(json, NULL);
		spt_json_count(json, "address", instruction->address);
		spt_json_text(json, "text", instruction->text);
		spt_json_text(json, "path", instruction->file);
		spt_json_count(json, "line", instruction->line);
		add_weights(page, instruction->self, instruction->total);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
	spt_json_end_object(json);
}

void spt_annotate_print_json(const SptCapture *capture, const SptMetric *metric,
			     const char *function, const SptAnnotation *annotation)
{
	SptJson json = { 0 };
	const struct page page = { &json, metric, capture };

	spt_json_object(&json, NULL);
	spt_json_text(&json, "file", capture->path);
	spt_json_count(&json, "samples", annotation->n_samples);
	spt_metric_add_sum(&json, metric, capture, annotation->all);
	spt_json_text(&json, "function", function);
	add_weights(&page, annotation->self, annotation->total);
	spt_json_array(&json, "sources");
	for (unsigned i = 0; i < annotation->files->len; i++)
		annotate_json_add_file(&page, annotation->files->pdata[i]);
	spt_json_end_array(&json);
	spt_json_array(&json, "code");
	for (unsigned i = 0; i < annotation->code->len; i++)
		annotate_json_add_code(&page, annotation->code->pdata[i]);
	spt_json_end_array(&json);
	spt_json_end_object(&json);
}
