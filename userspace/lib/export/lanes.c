/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lanes of CPUs and threads as one SVG file that refers to nothing outside of it, in the colours of
 * the viewer.  A lane has a path for each kind: adjacent parts of the same height are one box, so
 * the file stays small where little happens.
 */
#include <math.h>

#include "base/words.h"
#include "export/export.h"
#include "export/svg.h"
#include "profile/selection.h"

#define WIDTH	    1200
#define GUTTER	    180
#define HEAD_HEIGHT 48
#define LANE_HEIGHT 18
#define LANE_INNER  14
#define LEGEND_STEP 90
#define MAX_TICKS   10
#define INDENT	    12
/* Limit for the busiest processes: more are no readable picture. */
#define MAX_LINES 100

struct page {
	const SptLanes *lanes;
	uint64_t start_ns, begin_ns, end_ns;
	SptLaneWanted rows[MAX_LINES];
	bool is_below[MAX_LINES]; /* a thread below its process */
	uint32_t n_rows;
	SptOut *out;
};

static void lanes_add_row(struct page *page, SptLaneOf of, uint32_t number, bool is_below)
{
	if (page->n_rows == MAX_LINES)
		return;
	page->is_below[page->n_rows] = is_below;
	page->rows[page->n_rows++] = (SptLaneWanted){ of, number };
}

/* CPUs, then processes with their threads; a process with a single thread is one line. */
static void list_rows(struct page *page)
{
	const SptLanes *lanes = page->lanes;

	for (uint32_t i = 0; i < lanes->n_cpus; i++)
		lanes_add_row(page, SPT_LANE_OF_CPU, i, false);
	for (uint32_t i = 0; i < lanes->n_processes; i++) {
		const SptLaneProcess *process = &lanes->processes[i];

		if (process->n > 1)
			lanes_add_row(page, SPT_LANE_OF_PROCESS, i, false);
		for (uint32_t j = 0; j < process->n; j++)
			lanes_add_row(page, SPT_LANE_OF_THREAD, process->first + j, process->n > 1);
	}
}

static char *lanes_name_of(const struct page *page, const SptLaneWanted *row)
{
	const SptCapture *capture = page->lanes->capture;
	const SptProcessRow *process;
	const SptThreadRow *thread;

	if (row->of == SPT_LANE_OF_CPU)
		return g_strdup_printf("CPU %u", row->number);
	if (row->of == SPT_LANE_OF_PROCESS) {
		process = &capture->processes[page->lanes->processes[row->number].process];
		return g_strdup_printf("%s (%u)", spt_process_label(process), process->pid);
	}
	thread = &capture->threads[page->lanes->threads[row->number].thread];
	process = &capture->processes[thread->process];
	return g_strdup_printf("%s (%u)",
			       thread->name && *thread->name ? thread->name :
							       spt_process_label(process),
			       thread->tid);
}

/*
 * Where a kind begins and ends in a bucket, from above: kinds are stacked, each with a height by
 * its percentage; every kind that occurs has at least a pixel.
 */
static void place_kinds(const float *shares, unsigned *tops, unsigned *bottoms)
{
	double sum = 0;
	unsigned from = 0;

	for (unsigned kind = 0; kind < SPT_LANE_KINDS; kind++) {
		unsigned to = from;

		if (shares[kind] > 0) {
			sum += (double)shares[kind];
			to = (unsigned)CLAMP(lround(sum * LANE_INNER), (long)from, LANE_INNER);
			to += to == from && from < LANE_INNER;
		}
		bottoms[kind] = LANE_INNER - from;
		tops[kind] = LANE_INNER - to;
		from = to;
	}
}

static void append_boxes(GString *path, unsigned x, unsigned until, unsigned top, unsigned bottom)
{
	if (top < bottom)
		g_string_append_printf(path, "M%u,%uH%uV%uH%uz", x, top, until, bottom, x);
}

static void append_lane(struct page *page, const SptLanesPicture *picture, uint32_t row)
{
	unsigned tops[2][SPT_LANE_KINDS], bottoms[2][SPT_LANE_KINDS], began[SPT_LANE_KINDS] = { 0 };
	GString *paths[SPT_LANE_KINDS];
	const float *shares = picture->shares + (size_t)row * picture->n_buckets * SPT_LANE_KINDS;

	for (unsigned kind = 0; kind < SPT_LANE_KINDS; kind++) {
		paths[kind] = g_string_new(NULL);
		tops[0][kind] = bottoms[0][kind] = 0;
	}
	for (uint32_t i = 0; i < picture->n_buckets; i++) {
		place_kinds(shares + (size_t)i * SPT_LANE_KINDS, tops[1], bottoms[1]);
		for (unsigned kind = 0; kind < SPT_LANE_KINDS; kind++) {
			if (i > 0 && tops[0][kind] == tops[1][kind] &&
			    bottoms[0][kind] == bottoms[1][kind])
				continue;
			append_boxes(paths[kind], began[kind], i, tops[0][kind], bottoms[0][kind]);
			began[kind] = i;
			tops[0][kind] = tops[1][kind];
			bottoms[0][kind] = bottoms[1][kind];
		}
	}
	g_string_append_printf(spt_out_text(page->out), "<g transform=\"translate(%d %u)\">", GUTTER,
			       HEAD_HEIGHT + row * LANE_HEIGHT);
	for (unsigned kind = 0; kind < SPT_LANE_KINDS; kind++) {
		append_boxes(paths[kind], began[kind], picture->n_buckets, tops[0][kind],
			     bottoms[0][kind]);
		if (paths[kind]->len)
			g_string_append_printf(spt_out_text(page->out), "<path class=\"k%u\" d=\"%s\"/>", kind,
					       paths[kind]->str);
		g_string_free(paths[kind], TRUE);
	}
	g_string_append(spt_out_text(page->out), "</g>\n");
}

static void lanes_append_name(struct page *page, uint32_t row)
{
	g_autofree char *name = lanes_name_of(page, &page->rows[row]);

	g_string_append_printf(spt_out_text(page->out),
			       "<svg x=\"%d\" y=\"%u\" width=\"%d\" height=\"%d\">"
			       "<text y=\"12\">",
			       4 + page->is_below[row] * INDENT, HEAD_HEIGHT + row * LANE_HEIGHT,
			       GUTTER - 8 - INDENT, LANE_HEIGHT);
	spt_svg_append_text(spt_out_text(page->out), name);
	g_string_append(spt_out_text(page->out), "</text></svg>\n");
}

static void append_legend(struct page *page)
{
	for (unsigned kind = 0, n = 0; kind < SPT_LANE_KINDS; kind++) {
		unsigned x = GUTTER + n * LEGEND_STEP;

		if (kind == SPT_LANE_IRQ && page->lanes->irqs->len == 0)
			continue;
		n++;
		g_string_append_printf(spt_out_text(page->out),
				       "<path class=\"k%u\" d=\"M%u,6h10v10h-10z\"/>"
				       "<text x=\"%u\" y=\"15\">",
				       kind, x, x + 14);
		spt_svg_append_text(spt_out_text(page->out), spt_words(spt_lane_kind_name(kind)));
		g_string_append(spt_out_text(page->out), "</text>\n");
	}
}

/* One of 1, 2, 5, 10, 20, ... us. */
static uint64_t find_step(uint64_t length_ns)
{
	uint64_t step_ns = 1000;

	for (unsigned i = 0; length_ns / step_ns > MAX_TICKS; i++)
		step_ns = i % 3 == 1 ? step_ns / 2 * 5 : step_ns * 2;
	return step_ns;
}

/* Seconds of the recording, and a line through all lanes. */
static void append_axis(struct page *page)
{
	uint64_t length_ns = page->end_ns - page->begin_ns, step_ns = find_step(length_ns),
		 time = page->begin_ns - MIN(page->start_ns, page->begin_ns);
	unsigned bottom = HEAD_HEIGHT + page->n_rows * LANE_HEIGHT;

	for (time += step_ns - 1; page->start_ns + (time -= time % step_ns) < page->end_ns;
	     time += step_ns) {
		double share = (double)(page->start_ns + time - page->begin_ns) / (double)length_ns;
		unsigned x = GUTTER + (unsigned)(share * (WIDTH - GUTTER));
		char seconds[G_ASCII_DTOSTR_BUF_SIZE];

		g_ascii_formatd(seconds, sizeof(seconds), "%.9g", (double)time / 1e9);
		g_string_append_printf(spt_out_text(page->out),
				       "<path class=\"line\" d=\"M%u.5,34V%u\"/>"
				       "<text x=\"%u\" y=\"42\">%s s</text>\n",
				       x, bottom, x + 4, seconds);
	}
}

static void append_style(struct page *page)
{
	g_string_append(spt_out_text(page->out),
			"<style>text{font:12px system-ui,\"DejaVu Sans\",sans-serif;fill:#222}"
			".page{fill:#fafafa}.line{stroke:#888;stroke-opacity:.4}"
			"@media(prefers-color-scheme:dark){.page{fill:#1e1e1e}text{fill:#eee}}");
	for (unsigned kind = 0; kind < SPT_LANE_LOST; kind++)
		g_string_append_printf(spt_out_text(page->out), ".k%u{fill:#%06x}", kind, spt_lane_color(kind));
	g_string_append_printf(
		spt_out_text(page->out),
		".k%u{fill:url(#lost)}</style>\n<pattern id=\"lost\" width=\"4\" height=\"4\" "
		"patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
		"<path fill=\"#%06x\" d=\"M0,0h2v4H0z\"/></pattern>\n",
		SPT_LANE_LOST, spt_lane_color(SPT_LANE_LOST));
}

static bool write_lanes(const SptExportInput *input, SptOut *out, G_GNUC_UNUSED GError **error)
{
	struct page page = { .lanes = input->lanes,
			     .start_ns = input->start_ns,
			     .begin_ns = input->begin_ns,
			     .end_ns = MAX(input->end_ns, input->begin_ns + 1),
			     .out = out };
	g_autoptr(SptLanesPicture) picture = NULL;

	list_rows(&page);
	picture = spt_lanes_picture(input->lanes, &(SptLanesRequest){ .begin_ns = page.begin_ns,
								      .end_ns = page.end_ns,
								      .n_buckets = WIDTH - GUTTER,
								      .n_rows = page.n_rows,
								      .rows = page.rows });
	g_string_append_printf(spt_out_text(out),
			       "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
			       "height=\"%u\" viewBox=\"0 0 %d %u\">\n",
			       WIDTH, HEAD_HEIGHT + page.n_rows * LANE_HEIGHT, WIDTH,
			       HEAD_HEIGHT + page.n_rows * LANE_HEIGHT);
	append_style(&page);
	g_string_append(spt_out_text(out), "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
	append_legend(&page);
	for (uint32_t row = 0; row < page.n_rows; row++) {
		lanes_append_name(&page, row);
		append_lane(&page, picture, row);
	}
	append_axis(&page);
	g_string_append(spt_out_text(out), "</svg>\n");
	return true;
}

const SptExport spt_export_lanes = {
	.name = "lanes",
	.ending = ".svg",
	.help = "what CPUs and threads did at each time, as a picture",
	.menu = SPT_WORDS("Export _Lanes (SVG)…"),
	.needs = SPT_EXPORT_NEEDS_LANES,
	.carries = SPT_EXPORT_CARRIES_THREADS | SPT_EXPORT_CARRIES_CPUS |
		   SPT_EXPORT_CARRIES_TIMES | SPT_EXPORT_CARRIES_WAITS,
	.write = write_lanes,
};
