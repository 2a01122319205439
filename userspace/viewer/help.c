/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shows the text of the manual page in the sources.  It supports a dozen requests: headings,
 * paragraphs, terms, examples, bold and italic words.
 */
#include "help.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <stdbool.h>
#include <string.h>

#define PAGE "/io/github/sysprof_trace/Sysprof/sysprof-profiling.man"
#define WIDTH  680
#define HEIGHT 720
#define MARGIN 18
#define TERM_INDENT 24

struct writer {
	GtkTextBuffer *buffer;
	bool is_example, is_term, is_below_term, begins; /* a paragraph */
};

/* Escapes as in the page: \- \(lq \(rq \(bu \& and \fB, \fI, \fR in a line. */
static void help_put(struct writer *writer, const char *text, const char *tag)
{
	g_autoptr(GString) run = g_string_new(NULL);
	const char *now = tag, *then;
	GtkTextIter end;

	while (*text || run->len) {
		then = now;
		if (g_str_has_prefix(text, "\\f") && text[2]) {
			then = text[2] == 'B' ? "bold" : text[2] == 'I' ? "italic" : tag;
			text += 3;
		} else if (g_str_has_prefix(text, "\\(lq")) {
			g_string_append(run, "“");
			text += 4;
		} else if (g_str_has_prefix(text, "\\(rq")) {
			g_string_append(run, "”");
			text += 4;
		} else if (g_str_has_prefix(text, "\\&")) {
			text += 2;
		} else if (*text == '\\' && text[1]) {
			g_string_append_c(run, text[1] == 'e' ? '\\' : text[1]);
			text += 2;
		} else if (*text) {
			g_string_append_c(run, *text++);
		}
		if (then == now && *text)
			continue;
		gtk_text_buffer_get_end_iter(writer->buffer, &end);
		gtk_text_buffer_insert_with_tags_by_name(
			writer->buffer, &end, run->str, -1,
			writer->is_example	? "example" :
			writer->is_below_term ? "below" :
						"plain",
			now ? now : "plain", NULL);
		g_string_truncate(run, 0);
		now = then;
	}
}

static void break_line(struct writer *writer, const char *lines)
{
	GtkTextIter end;

	if (!writer->begins) {
		gtk_text_buffer_get_end_iter(writer->buffer, &end);
		gtk_text_buffer_insert(writer->buffer, &end, lines, -1);
	}
	writer->begins = true;
}

static void put_words(struct writer *writer, const char *text, const char *tag)
{
	if (!writer->begins)
		help_put(writer, " ", NULL);
	help_put(writer, text, tag);
	writer->begins = false;
}

/* ".BR word (7)," and similar: words in the two fonts in turn, without spaces. */
static void put_in_turn(struct writer *writer, const char *line, const char *first,
			const char *second)
{
	g_auto(GStrv) words = NULL;

	if (!g_shell_parse_argv(line, NULL, &words, NULL))
		words = g_strsplit(line, " ", -1);
	for (unsigned i = 0; words[i]; i++) {
		if (i == 0)
			put_words(writer, words[i], first);
		else
			help_put(writer, words[i], i % 2 ? second : first);
	}
}

/* The line after ".TP" is a term; the following text is below it. */
static void end_term(struct writer *writer)
{
	if (!writer->is_term)
		return;
	writer->is_term = false;
	break_line(writer, "\n");
	writer->is_below_term = true;
}

static void take_request(struct writer *writer, const char *line)
{
	if (g_str_has_prefix(line, ".SH ") || g_str_has_prefix(line, ".SS ")) {
		g_autofree char *title = g_strdup(line + 4);

		writer->is_below_term = false;
		break_line(writer, "\n\n");
		put_words(writer, title, line[2] == 'H' ? "section" : "heading");
		break_line(writer, "\n");
	} else if (strcmp(line, ".PP") == 0) {
		writer->is_below_term = false;
		break_line(writer, "\n\n");
	} else if (strcmp(line, ".TP") == 0) {
		writer->is_below_term = false;
		break_line(writer, "\n");
		writer->is_term = true;
	} else if (strcmp(line, ".nf") == 0) {
		break_line(writer, "\n");
		writer->is_example = true;
	} else if (strcmp(line, ".fi") == 0) {
		writer->is_example = false;
	} else if (g_str_has_prefix(line, ".B ") || g_str_has_prefix(line, ".I ")) {
		put_words(writer, line + 3, line[1] == 'B' ? "bold" : "italic");
		end_term(writer);
	} else if (g_str_has_prefix(line, ".BR ")) {
		put_in_turn(writer, line + 4, "bold", NULL);
		end_term(writer);
	} else if (g_str_has_prefix(line, ".IR ")) {
		put_in_turn(writer, line + 4, "italic", NULL);
		end_term(writer);
	}
}

static void help_take_line(struct writer *writer, const char *line)
{
	if (*line == '.') {
		take_request(writer, line);
	} else if (writer->is_example) {
		help_put(writer, line, NULL);
		writer->begins = false;
		break_line(writer, "\n");
	} else if (*line) {
		put_words(writer, line, NULL);
		end_term(writer);
	}
}

static GtkTextBuffer *new_buffer(void)
{
	GtkTextBuffer *buffer = gtk_text_buffer_new(NULL);

	gtk_text_buffer_create_tag(buffer, "plain", NULL);
	gtk_text_buffer_create_tag(buffer, "bold", "weight", PANGO_WEIGHT_BOLD, NULL);
	gtk_text_buffer_create_tag(buffer, "italic", "style", PANGO_STYLE_ITALIC, NULL);
	gtk_text_buffer_create_tag(buffer, "example", "family", "monospace", "left-margin",
				   MARGIN + TERM_INDENT, NULL);
	gtk_text_buffer_create_tag(buffer, "below", "left-margin", MARGIN + TERM_INDENT, NULL);
	gtk_text_buffer_create_tag(buffer, "section", "weight", PANGO_WEIGHT_BOLD, "scale",
				   PANGO_SCALE_X_LARGE, NULL);
	gtk_text_buffer_create_tag(buffer, "heading", "weight", PANGO_WEIGHT_BOLD, "scale",
				   PANGO_SCALE_LARGE, "pixels-below-lines", 3, NULL);
	return buffer;
}

static GtkTextBuffer *help_read_page(void)
{
	g_autoptr(GBytes) bytes = g_resources_lookup_data(PAGE, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
	g_auto(GStrv) lines =
		g_strsplit(bytes ? g_bytes_get_data(bytes, NULL) : "", "\n", -1);
	struct writer writer = { .buffer = new_buffer(), .begins = true };

	for (unsigned i = 0; lines[i]; i++)
		if (!g_str_has_prefix(lines[i], ".\\\"") && strcmp(lines[i], ".SH DESCRIPTION") != 0)
			help_take_line(&writer, lines[i]);
	return writer.buffer;
}

/* As in dialogs. */
static gboolean on_close(GtkWidget *window, G_GNUC_UNUSED GVariant *arguments,
			 G_GNUC_UNUSED gpointer data)
{
	gtk_window_close(GTK_WINDOW(window));
	return TRUE;
}

static void close_by(GtkWidget *window, const char *keys)
{
	GtkEventController *controller = gtk_shortcut_controller_new();

	gtk_shortcut_controller_add_shortcut(
		GTK_SHORTCUT_CONTROLLER(controller),
		gtk_shortcut_new(gtk_shortcut_trigger_parse_string(keys),
				 gtk_callback_action_new(on_close, NULL, NULL)));
	gtk_widget_add_controller(window, controller);
}

void spt_help_show(GtkWindow *parent)
{
	g_autoptr(GtkTextBuffer) buffer = help_read_page();
	GtkWidget *text = gtk_text_view_new_with_buffer(buffer),
		  *scrolled = gtk_scrolled_window_new(), *bar = adw_header_bar_new(),
		  *top = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0),
		  *window = g_object_new(ADW_TYPE_WINDOW, "title", _("Profiling for Newcomers"),
					 "transient-for", parent, "default-width",
					 MIN(WIDTH, gtk_widget_get_width(GTK_WIDGET(parent))),
					 "default-height", HEIGHT, NULL);

	g_object_set(text, "editable", FALSE, "cursor-visible", FALSE, "wrap-mode",
		     GTK_WRAP_WORD_CHAR, "left-margin", MARGIN, "right-margin", MARGIN,
		     "top-margin", MARGIN, "bottom-margin", MARGIN, NULL);
	gtk_accessible_update_property(GTK_ACCESSIBLE(text), GTK_ACCESSIBLE_PROPERTY_LABEL,
				       _("Profiling for newcomers"), -1);
	gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), text);
	g_object_set(scrolled, "vexpand", TRUE, "hscrollbar-policy", GTK_POLICY_NEVER, NULL);
	gtk_box_append(GTK_BOX(top), bar);
	gtk_box_append(GTK_BOX(top), scrolled);
	adw_window_set_content(ADW_WINDOW(window), top);
	close_by(window, "Escape|<Control>w");
	gtk_window_present(GTK_WINDOW(window));
}
