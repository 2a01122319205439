/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file appears complete or not at all. */
#include "export-menu.h"

#include <glib/gi18n.h>

#include "export/export.h"
#include "files.h"

struct work {
	GtkWindow *parent;
	SptDocument *document;
	const SptExport *format;
	char *path;
};

static void free_work(gpointer data)
{
	struct work *work = data;

	g_object_unref(work->parent);
	spt_document_unref(work->document);
	g_free(work->path);
	g_free(work);
}

static void write_in_thread(GTask *task, G_GNUC_UNUSED gpointer source, gpointer data,
			    G_GNUC_UNUSED GCancellable *cancellable)
{
	const struct work *work = data;
	GError *error = NULL;
	g_autoptr(SptOut) out = spt_out_new_file(work->path, &error);

	if (out && spt_document_export(work->document, work->format, out, &error) &&
	    spt_out_finish(out, &error))
		g_task_return_boolean(task, TRUE);
	else
		g_task_return_error(task, error);
}

static void on_written(G_GNUC_UNUSED GObject *source, GAsyncResult *result,
		       G_GNUC_UNUSED gpointer data)
{
	const struct work *work = g_task_get_task_data(G_TASK(result));
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;

	if (g_task_propagate_boolean(G_TASK(result), &error))
		return;
	text = g_strdup_printf(_("Cannot export to %s: %s."), work->path, error->message);
	gtk_widget_activate_action(GTK_WIDGET(work->parent), "win.complain", "s", text);
}

static void share_on_chosen(GFile *file, gpointer data)
{
	struct work *work = data;
	g_autoptr(GTask) task = g_task_new(NULL, NULL, on_written, NULL);
	struct work *own = g_memdup2(work, sizeof(*work));

	own->path = g_file_get_path(file);
	g_object_ref(own->parent);
	spt_document_ref(own->document);
	g_task_set_task_data(task, own, free_work);
	if (own->path)
		g_task_run_in_thread(task, write_in_thread);
	else
		g_task_return_new_error(task, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
					_("it is not a file of this machine"));
}

void spt_share_add_formats(GMenu *menu)
{
	const SptExport *format;

	for (unsigned i = 0; (format = spt_export_format(i)); i++) {
		g_autoptr(GMenuItem) item = g_menu_item_new(_(format->menu), NULL);

		g_menu_item_set_action_and_target(item, "win.export", "s", format->name);
		g_menu_insert_item(menu, (int)i, item);
	}
}

void spt_share_export(GtkWindow *parent, SptDocument *document, const char *format,
		      const char *stem)
{
	const SptExport *found = spt_export_find(format);
	g_autofree char *name = NULL;
	struct work *work;

	if (!found)
		return;
	name = g_strconcat(stem, found->ending, NULL);
	work = g_new0(struct work, 1);
	*work = (struct work){ g_object_ref(parent), spt_document_ref(document), found, NULL };
	spt_files_choose(parent, SPT_FILES_EXPORT, name, share_on_chosen, work, free_work);
}

struct picture {
	GtkWindow *parent;
	GdkTexture *texture;
};

static void free_picture(gpointer data)
{
	struct picture *picture = data;

	g_object_unref(picture->parent);
	g_object_unref(picture->texture);
	g_free(picture);
}

static void on_picture_place_chosen(GFile *file, gpointer data)
{
	const struct picture *picture = data;
	const char *path = g_file_peek_path(file);
	g_autofree char *text = NULL;

	if (path && gdk_texture_save_to_png(picture->texture, path))
		return;
	text = path ? g_strdup_printf(_("Cannot save the picture as %s: choose a file that you can write."),
				      path) :
		      g_strdup(_("Cannot save the picture there: choose a file on this machine."));
	gtk_widget_activate_action(GTK_WIDGET(picture->parent), "win.complain", "s", text);
}

void spt_share_picture(GtkWindow *parent, GtkWidget *widget, const char *stem)
{
	g_autoptr(GdkPaintable) paintable = gtk_widget_paintable_new(widget);
	g_autofree char *name = g_strconcat(stem, ".png", NULL);
	int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
	GtkSnapshot *snapshot = gtk_snapshot_new();
	g_autoptr(GskRenderNode) node = NULL;
	struct picture *picture;
	GdkRGBA background;

	if (gtk_style_context_lookup_color(gtk_widget_get_style_context(widget), "theme_bg_color",
					   &background))
		gtk_snapshot_append_color(snapshot, &background,
					  &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
	gdk_paintable_snapshot(paintable, snapshot, width, height);
	node = gtk_snapshot_free_to_node(snapshot);
	if (!node)
		return;
	picture = g_new(struct picture, 1);
	*picture = (struct picture){
		g_object_ref(parent),
		gsk_renderer_render_texture(gtk_native_get_renderer(GTK_NATIVE(parent)), node,
					    NULL),
	};
	spt_files_choose(parent, SPT_FILES_EXPORT, name, on_picture_place_chosen, picture,
			 free_picture);
}

/* Limit for a clipboard or a printer; nobody reads more. */
#define LIST_MAX 10000
#define LINES_OF_PAGE 66
#define FONT "Monospace 9"

static GString *write_table(const SptDocument *document, const uint32_t *list, uint32_t n,
			    bool is_html)
{
	GString *text = g_string_new(NULL);
	g_autoptr(SptOut) out = spt_out_new_memory(text);

	spt_export_table(document->profile, list, MIN(n, LIST_MAX), is_html, out);
	return text;
}

void spt_share_copy(GtkWidget *widget, const SptDocument *document, const uint32_t *list,
		    uint32_t n)
{
	g_autoptr(GString) text = write_table(document, list, n, false);
	g_autoptr(GBytes) html = g_string_free_to_bytes(write_table(document, list, n, true));
	GdkContentProvider *forms[] = {
		gdk_content_provider_new_typed(G_TYPE_STRING, text->str),
		gdk_content_provider_new_for_bytes("text/html", html),
	};
	g_autoptr(GdkContentProvider) both =
		gdk_content_provider_new_union(forms, G_N_ELEMENTS(forms));

	gdk_clipboard_set_content(gtk_widget_get_clipboard(widget), both);
}

static void on_begin_print(GtkPrintOperation *operation, G_GNUC_UNUSED GtkPrintContext *context,
			   char **lines)
{
	unsigned n = g_strv_length(lines);

	gtk_print_operation_set_n_pages(operation,
					(int)MAX((n + LINES_OF_PAGE - 1) / LINES_OF_PAGE, 1));
}

static void on_draw_page(G_GNUC_UNUSED GtkPrintOperation *operation, GtkPrintContext *context,
			 int page, char **lines)
{
	g_autoptr(PangoLayout) layout = gtk_print_context_create_pango_layout(context);
	PangoFontDescription *font = pango_font_description_from_string(FONT);
	g_autoptr(GString) text = g_string_new(NULL);

	for (unsigned i = 0; i < LINES_OF_PAGE && lines[page * LINES_OF_PAGE + i]; i++)
		g_string_append_printf(text, "%s\n", lines[page * LINES_OF_PAGE + i]);
	pango_layout_set_font_description(layout, font);
	pango_layout_set_text(layout, text->str, -1);
	pango_cairo_show_layout(gtk_print_context_get_cairo_context(context), layout);
	pango_font_description_free(font);
}

static void free_lines(gpointer lines, G_GNUC_UNUSED GClosure *closure)
{
	g_strfreev(lines);
}

void spt_share_print(GtkWindow *parent, const SptDocument *document, const uint32_t *list,
		     uint32_t n)
{
	g_autoptr(GString) table = write_table(document, list, n, false);
	g_autoptr(GtkPrintOperation) operation = gtk_print_operation_new();
	g_autoptr(GError) error = NULL;
	char **lines = g_strsplit(g_strchomp(table->str), "\n", -1);

	g_signal_connect_data(operation, "begin-print", G_CALLBACK(on_begin_print), lines,
			      free_lines, 0);
	g_signal_connect(operation, "draw-page", G_CALLBACK(on_draw_page), lines);
	if (gtk_print_operation_run(operation, GTK_PRINT_OPERATION_ACTION_PRINT_DIALOG, parent,
				    &error) == GTK_PRINT_OPERATION_RESULT_ERROR)
		gtk_widget_activate_action(GTK_WIDGET(parent), "win.complain", "s", error->message);
}
