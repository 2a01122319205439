/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines and instructions of a function, each with its weight.  Files are read and code is
 * disassembled only while the page is visible.
 */
#include <glib/gi18n.h>
#include <inttypes.h>

#include "compat-gtk.h"
#include "editor.h"
#include "narrow.h"
#include "pages.h"
#include "query.h"
#include "table.h"
#include "text.h"

#define SHARE_WIDTH 80
#define LINE_WIDTH 56
#define ADDRESS_WIDTH 96
#define PLACE_WIDTH 110
#define MAX_ROWS 10000
/* A function of more lines than this is shown only where it has code. */
#define WHOLE_LINES 3000
#define NOTHING (-1.0)			/* as a percentage: none is shown */

#define SPT_TYPE_SOURCE_PANE (spt_source_pane_get_type())
G_DECLARE_FINAL_TYPE(SptSourcePane, spt_source_pane, SPT, SOURCE_PANE, GtkBox)

struct _SptSourcePane {
	GtkBox parent_instance;
	GtkWidget *title, *edit;
	SptTable *source, *code;
	char *path;			/* what the button opens, and where; NULL: nothing */
	uint32_t line;
	SptDocument *document;
	uint32_t function;
	SptQuery *query;
};

G_DEFINE_FINAL_TYPE(SptSourcePane, spt_source_pane, GTK_TYPE_BOX)

/* A table while it is filled. */
struct filling {
	SptTable *table;
	unsigned n_columns, n_rows;
	unsigned hottest_row;
	uint64_t hottest, all;
};

static void source_pane_add_row(struct filling *filling, const SptTableCell *cells)
{
	if (filling->n_rows < MAX_ROWS)
		spt_table_set_row(filling->table, filling->n_rows, cells);
	filling->n_rows++;
}

static void add_text(struct filling *filling, const char *text, bool is_heading)
{
	SptTableCell cells[SPT_TABLE_COLUMNS_MAX] = { { .number = NOTHING },
						      { .number = NOTHING } };

	cells[filling->n_columns - 1] = (SptTableCell){ .text = text, .number = is_heading };
	source_pane_add_row(filling, cells);
}

static SptTableCell source_pane_share_of(const struct filling *filling, uint64_t weight)
{
	return (SptTableCell){ .number = weight && filling->all ?
						 100.0 * (double)weight / (double)filling->all :
						 NOTHING };
}

static void note_heat(struct filling *filling, uint64_t weight)
{
	if (weight > filling->hottest) {
		filling->hottest = weight;
		filling->hottest_row = filling->n_rows;
	}
}

static void source_pane_finish(struct filling *filling)
{
	g_autofree char *more = NULL;

	if (filling->n_rows > MAX_ROWS) {
		more = g_strdup_printf(ngettext("%u more is not shown: %s annotate prints it",
						"%u more are not shown: %s annotate prints them",
						filling->n_rows - MAX_ROWS + 1),
				       filling->n_rows - MAX_ROWS + 1, spt_text_cli());
		filling->n_rows = MAX_ROWS - 1;
		add_text(filling, more, false);
	}
	spt_table_set_end(filling->table, filling->n_rows);
	if (filling->n_rows > 0)
		spt_table_show_row(filling->table, filling->hottest_row < filling->n_rows ?
							   filling->hottest_row :
							   0);
}

/* The whole function, with its comments and what is not compiled, unless it is very long. */
static bool shows_line(const SptAnnotatedFile *file, unsigned i)
{
	bool has_text = g_array_index(file->lines, SptAnnotatedLine, i).text != NULL;

	return (has_text && file->lines->len <= WHOLE_LINES) || spt_annotated_file_shows(file, i);
}

static void source_pane_add_file(struct filling *filling, const SptAnnotatedFile *file)
{
	g_autofree char *problem =
		file->problem ? g_strdup_printf(_("The file %s"), _(file->problem)) : NULL;
	bool was_shown = true;

	add_text(filling, file->found ? file->found : file->path, true);
	if (problem)
		add_text(filling, problem, false);
	for (unsigned i = 0; i < file->lines->len; i++) {
		const SptAnnotatedLine *line = &g_array_index(file->lines, SptAnnotatedLine, i);
		g_autofree char *number = g_strdup_printf("%" PRIu32, line->number), *text = NULL;
		bool is_shown = shows_line(file, i);

		if (is_shown) {
			text = spt_annotated_line_text(line);
			note_heat(filling, line->self ? line->self : line->total);
			source_pane_add_row(filling,
					    (const SptTableCell[]){
						    source_pane_share_of(filling, line->self),
						    source_pane_share_of(filling, line->total),
						    { .text = number },
						    { .text = text } });
		} else if (was_shown && file->found) {
			add_text(filling, "…", false);
		}
		was_shown = is_shown;
	}
}

static void source_pane_add_code(struct filling *filling, const SptAnnotatedCode *code)
{
	g_autofree char *heading = g_strdup_printf(_("%s in %s"), code->function, code->object);
	g_autofree char *problem =
		code->problem ? g_strdup_printf(_("No instructions: %s"), _(code->problem)) : NULL;
	uint64_t next = code->start;

	add_text(filling, heading, true);
	if (problem)
		add_text(filling, problem, false);
	for (unsigned i = 0; i < code->instructions->len; i++) {
		const SptInstruction *instruction =
			&g_array_index(code->instructions, SptInstruction, i);
		g_autofree char *address = g_strdup_printf("%" PRIx64, instruction->address);
		g_autofree char *file =
			instruction->file ? g_path_get_basename(instruction->file) : NULL;
		g_autofree char *place =
			file ? g_strdup_printf("%" PRIu32 " %s", instruction->line, file) : NULL;

		if (instruction->offset != next)
			add_text(filling, "…", false);
		next = instruction->offset + instruction->bytes;
		note_heat(filling, instruction->self ? instruction->self : instruction->total);
		source_pane_add_row(filling,
				    (const SptTableCell[]){
					    source_pane_share_of(filling, instruction->self),
					    source_pane_share_of(filling, instruction->total),
					    { .text = address },
					    { .text = place },
					    { .text = instruction->text } });
	}
}

static void source_pane_say(SptSourcePane *self, const char *text)
{
	gtk_inscription_set_text(GTK_INSCRIPTION(self->title), text);
	gtk_widget_set_tooltip_text(self->title, text);
}

static void source_pane_tell(SptSourcePane *self, const SptAnnotation *annotation)
{
	const SptFunction *function = &self->document->calls.functions[self->function];
	g_autofree char *made = NULL, *made_object = NULL, *text = NULL;
	double all = (double)MAX(annotation->all, 1);

	text = g_strdup_printf(
		_("%s in %s: self %.2f %%, total %.2f %% of what is shown; percentages below are of its total"),
		spt_text_name(function->name, &made), spt_text_name(function->object, &made_object),
		100.0 * (double)annotation->self / all, 100.0 * (double)annotation->total / all);
	source_pane_say(self, text);
}

static void set_place(SptSourcePane *self, const char *path, uint32_t line)
{
	g_free(self->path);
	self->path = g_strdup(path);
	self->line = line;
	gtk_widget_set_visible(self->edit, path != NULL);
}

/* The line with the most of the function, in the first file that was found. */
static void find_place(SptSourcePane *self, const SptAnnotation *annotation)
{
	const SptAnnotatedFile *file = NULL;
	const SptAnnotatedLine *hottest = NULL;

	for (unsigned i = 0; i < annotation->files->len && !(file && file->found); i++)
		file = annotation->files->pdata[i];
	for (unsigned i = 0; file && file->found && i < file->lines->len; i++) {
		const SptAnnotatedLine *line = &g_array_index(file->lines, SptAnnotatedLine, i);

		if (!hottest || MAX(line->self, line->total) > MAX(hottest->self, hottest->total))
			hottest = line;
	}
	set_place(self, hottest ? file->found : NULL, hottest ? hottest->number : 0);
}

static void on_edit(SptSourcePane *self)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;

	if (!self->path || spt_editor_open(self->path, self->line, &error))
		return;
	text = g_strdup_printf(_("Cannot open %s: %s"), self->path, error->message);
	source_pane_say(self, text);
}

static void show_nothing(SptSourcePane *self, const char *why)
{
	source_pane_say(self, why);
	spt_table_set_end(self->source, 0);
	spt_table_set_end(self->code, 0);
	set_place(self, NULL, 0);
}

static void source_pane_show(SptSourcePane *self, const SptAnnotation *annotation)
{
	struct filling source = { .table = self->source, .n_columns = 4, .all = annotation->total };
	struct filling code = { .table = self->code, .n_columns = 5, .all = annotation->total };

	source_pane_tell(self, annotation);
	find_place(self, annotation);
	for (unsigned i = 0; i < annotation->files->len; i++)
		source_pane_add_file(&source, annotation->files->pdata[i]);
	if (annotation->files->len == 0)
		add_text(
			&source,
			self->document->calls.functions[self->function].is_kernel ?
				_("No lines: the kernel's debug information is not on this machine. Install the package with its debug symbols") :
				_("No lines: there is no debug information for it. Install that of its package, or compile it with -g"),
			false);
	source_pane_finish(&source);
	for (unsigned i = 0; i < annotation->code->len; i++)
		source_pane_add_code(&code, annotation->code->pdata[i]);
	if (annotation->code->len == 0)
		add_text(&code,
			 _("No instructions: it has no symbol that says where it begins and ends"),
			 false);
	source_pane_finish(&code);
}

static gpointer source_pane_annotate(SptDocument *document, gconstpointer function)
{
	return spt_document_annotate(document, GPOINTER_TO_UINT(function));
}

static void show_annotation(gpointer owner, gpointer answer)
{
	g_autoptr(SptAnnotation) annotation = answer;

	if (annotation)
		source_pane_show(owner, annotation);
	else
		show_nothing(owner,
			     _("This is no single function, so it has no lines or instructions"));
}

static const SptQueryKind annotation_query = {
	.answer = source_pane_annotate,
	.show = show_annotation,
	.free_answer = (GDestroyNotify)spt_annotation_free,
	.needs_map = true,
};

static void source_pane_dispose(GObject *object)
{
	g_clear_pointer(&SPT_SOURCE_PANE(object)->query, spt_query_free);
	g_clear_pointer(&SPT_SOURCE_PANE(object)->document, spt_document_unref);
	g_clear_pointer(&SPT_SOURCE_PANE(object)->path, g_free);
	G_OBJECT_CLASS(spt_source_pane_parent_class)->dispose(object);
}

static void spt_source_pane_class_init(SptSourcePaneClass *class)
{
	G_OBJECT_CLASS(class)->dispose = source_pane_dispose;
}

static void spt_source_pane_init(SptSourcePane *self)
{
	static const SptTableColumn source[] = {
		{ N_("Self"), SPT_CELL_SHARE, SHARE_WIDTH },
		{ N_("Total"), SPT_CELL_SHARE, -SHARE_WIDTH },
		{ N_("Line"), SPT_CELL_NUMBER, LINE_WIDTH },
		{ N_("Source"), SPT_CELL_CODE, 0 },
	};
	static const SptTableColumn code[] = {
		{ N_("Self"), SPT_CELL_SHARE, SHARE_WIDTH },
		{ N_("Total"), SPT_CELL_SHARE, -SHARE_WIDTH },
		{ N_("Address"), SPT_CELL_NUMBER, -ADDRESS_WIDTH },
		{ N_("Line"), SPT_CELL_DIM, -PLACE_WIDTH },
		{ N_("Instruction"), SPT_CELL_CODE, 0 },
	};
	GtkWidget *paned =
		g_object_new(GTK_TYPE_PANED, "shrink-start-child", FALSE, "shrink-end-child", FALSE,
			     "vexpand", TRUE, NULL);
	GtkWidget *header = g_object_new(GTK_TYPE_BOX, "spacing", 9, NULL);

	self->query = spt_query_new(GTK_WIDGET(self), &annotation_query);
	self->function = UINT32_MAX;
	gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
	/* A label would make a low window wider, to have fewer lines. */
	self->title = spt_compat_aligned(
		g_object_new(GTK_TYPE_INSCRIPTION, "yalign", 0.5, "min-lines", 2, "hexpand", TRUE,
			     "text-overflow", GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END, NULL),
		false);
	self->edit = g_object_new(GTK_TYPE_BUTTON, "label", _("Open in Editor"), "visible", FALSE,
				  "valign", GTK_ALIGN_CENTER, NULL);
	g_signal_connect_object(self->edit, "clicked", G_CALLBACK(on_edit), self,
				G_CONNECT_SWAPPED);
	gtk_widget_add_css_class(header, "pane-header");
	gtk_widget_add_css_class(self->title, "numeric");
	self->source = SPT_TABLE(spt_table_new(_("Source"), source, G_N_ELEMENTS(source), false));
	self->code = SPT_TABLE(spt_table_new(_("Instructions"), code, G_N_ELEMENTS(code), false));
	gtk_paned_set_start_child(GTK_PANED(paned), GTK_WIDGET(self->source));
	gtk_paned_set_end_child(GTK_PANED(paned), GTK_WIDGET(self->code));
	gtk_box_append(GTK_BOX(header), self->title);
	gtk_box_append(GTK_BOX(header), self->edit);
	gtk_box_append(GTK_BOX(self), header);
	spt_narrow_stack(paned);
	gtk_box_append(GTK_BOX(self), paned);
}

static GtkWidget *source_pane_new(void)
{
	return g_object_new(SPT_TYPE_SOURCE_PANE, NULL);
}

static void source_pane_set_function(GtkWidget *pane, SptDocument *document,
				     uint32_t function, G_GNUC_UNUSED GArray *path)
{
	SptSourcePane *self = SPT_SOURCE_PANE(pane);

	/* Another path to the same function. */
	if (document == self->document && function == self->function)
		return;
	spt_document_replace(&self->document, document);
	self->function = function;
	if (function != UINT32_MAX && !document->calls.functions[function].is_process) {
		/* The first one can take seconds, and an empty page says nothing. */
		if (!gtk_inscription_get_text(GTK_INSCRIPTION(self->title)))
			source_pane_say(self, _("Reading source and instructions…"));
		spt_query_ask(self->query, document, GUINT_TO_POINTER(function), NULL);
		return;
	}
	spt_query_cancel(self->query);
	show_nothing(
		self,
		_("Select a function among Functions: its lines and instructions are shown here"));
}

const SptPage spt_page_source = {
	.name = "source",
	.title = N_("Source"),
	.help = N_("Source and instructions"),
	.key = "<Alt>3",
	.icon = "spt-source-symbolic",
	.new = source_pane_new,
	.show = source_pane_set_function,
};
