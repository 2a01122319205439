/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The buttons stay when others are shown, so that the keyboard's focus does. */
#include "mark-histogram.h"

#include <glib/gi18n.h>

#include "base/percent.h"
#include "text.h"

#define BAR_HEIGHT 44
#define BAR_WIDTH  20
#define TITLE_LINES 3

struct step {
	GtkWidget *button, *bar, *from;
	double share;			/* of the most marks that a step has */
};

struct _SptMarkHistogram {
	GtkBox parent_instance;
	GtkWidget *title, *all, *longer, *scroller;
	struct step steps[SPT_MARK_STEPS];
	SptMarkTimes *times;
	char *name, *category;
};

G_DEFINE_FINAL_TYPE(SptMarkHistogram, spt_mark_histogram, GTK_TYPE_BOX)

static void mark_histogram_dispose(GObject *object)
{
	SptMarkHistogram *self = SPT_MARK_HISTOGRAM(object);

	g_clear_pointer(&self->times, g_free);
	g_clear_pointer(&self->name, g_free);
	g_clear_pointer(&self->category, g_free);
	G_OBJECT_CLASS(spt_mark_histogram_parent_class)->dispose(object);
}

static void spt_mark_histogram_class_init(SptMarkHistogramClass *class)
{
	G_OBJECT_CLASS(class)->dispose = mark_histogram_dispose;
}

/* Durations from @least_ns, and below @below_ns; 0: without a bound. */
static void restrict_to_times(SptMarkHistogram *self, uint64_t least_ns, uint64_t below_ns)
{
	gtk_widget_activate_action(GTK_WIDGET(self), "views.only-mark", "(sstt)", self->name,
				   self->category, (guint64)least_ns, (guint64)below_ns);
}

static void mark_histogram_on_bar(GtkToggleButton *button, SptMarkHistogram *self)
{
	bool is_longer = gtk_check_button_get_active(GTK_CHECK_BUTTON(self->longer));

	for (unsigned i = 0; i < SPT_MARK_STEPS && self->times; i++) {
		const SptMarkStep *step = &self->times->steps[i];

		if (self->steps[i].button != GTK_WIDGET(button))
			continue;
		/* One that was chosen already shows all again. */
		if (!gtk_toggle_button_get_active(button))
			restrict_to_times(self, 0, 0);
		else
			restrict_to_times(self, step->from_ns, is_longer ? 0 : step->below_ns);
		return;
	}
}

static void draw_mark_bar(GtkDrawingArea *area, cairo_t *cairo, int width, int height,
			  gpointer data)
{
	const struct step *step = data;
	double tall = MAX(step->share * height, 2);
	GdkRGBA color;

	gtk_style_context_get_color(gtk_widget_get_style_context(GTK_WIDGET(area)), &color);
	gdk_cairo_set_source_rgba(cairo, &color);
	cairo_rectangle(cairo, 0, height - (step->share > 0 ? tall : 0), width, tall);
	cairo_fill(cairo);
}

static void add_bar(SptMarkHistogram *self, GtkWidget *row, struct step *step)
{
	GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);

	step->button = gtk_toggle_button_new();
	step->from = gtk_label_new(NULL);
	step->bar = g_object_new(GTK_TYPE_DRAWING_AREA, "accessible-role",
				 GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);
	gtk_drawing_area_set_content_height(GTK_DRAWING_AREA(step->bar), BAR_HEIGHT);
	gtk_drawing_area_set_content_width(GTK_DRAWING_AREA(step->bar), BAR_WIDTH);
	gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(step->bar), draw_mark_bar, step, NULL);
	gtk_widget_add_css_class(step->bar, "mark-bar");
	gtk_widget_add_css_class(step->from, "caption");
	gtk_widget_add_css_class(step->button, "flat");
	gtk_widget_add_css_class(step->button, "mark-step");
	gtk_box_append(GTK_BOX(box), step->bar);
	gtk_box_append(GTK_BOX(box), step->from);
	gtk_button_set_child(GTK_BUTTON(step->button), box);
	gtk_widget_set_visible(step->button, FALSE);
	g_signal_connect(step->button, "clicked", G_CALLBACK(mark_histogram_on_bar), self);
	gtk_box_append(GTK_BOX(row), step->button);
}

static void spt_mark_histogram_init(SptMarkHistogram *self)
{
	GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0),
		  *head = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);

	gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
	gtk_widget_add_css_class(GTK_WIDGET(self), "pane-choice");
	self->title = gtk_label_new(NULL);
	gtk_label_set_xalign(GTK_LABEL(self->title), 0);
	gtk_label_set_wrap(GTK_LABEL(self->title), TRUE);
	gtk_label_set_wrap_mode(GTK_LABEL(self->title), PANGO_WRAP_WORD_CHAR);
	/* Else a stack asks it for its width at a height, and grows while it changes pages. */
	gtk_label_set_ellipsize(GTK_LABEL(self->title), PANGO_ELLIPSIZE_END);
	gtk_label_set_lines(GTK_LABEL(self->title), TITLE_LINES);
	gtk_widget_set_hexpand(self->title, TRUE);
	self->longer = gtk_check_button_new_with_label(_("And longer ones"));
	gtk_widget_set_tooltip_text(self->longer,
				    _("A bar also selects the marks that took longer than it"));
	gtk_box_append(GTK_BOX(head), self->title);
	gtk_box_append(GTK_BOX(head), self->longer);
	for (unsigned i = 0; i < SPT_MARK_STEPS; i++)
		add_bar(self, row, &self->steps[i]);
	self->scroller = gtk_scrolled_window_new();
	gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(self->scroller), GTK_POLICY_AUTOMATIC,
				       GTK_POLICY_NEVER);
	gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(self->scroller), row);
	gtk_box_append(GTK_BOX(self), head);
	gtk_box_append(GTK_BOX(self), self->scroller);
}

GtkWidget *spt_mark_histogram_new(void)
{
	return g_object_new(SPT_TYPE_MARK_HISTOGRAM, NULL);
}

/* What the threads of its marks did meanwhile. */
static char *describe_parts(const SptMarkStep *step)
{
	uint64_t all = spt_mark_step_of_threads(step);

	return g_strdup_printf(
		_("running %.1f %%, runnable %.1f %%, blocked %.1f %%, waiting for a disk %.1f %%"),
		spt_percent(step->running_ns, all), spt_percent(step->runnable_ns, all),
		spt_percent(step->blocked_ns, all), spt_percent(step->disk_ns, all));
}

static char *describe_step(const SptMarkStep *step, const char *from)
{
	g_autofree char *below = spt_text_duration(step->below_ns), *n = spt_text_count(step->n);

	return step->below_ns == UINT64_MAX ?
		       g_strdup_printf(ngettext("%s and longer: %s mark", "%s and longer: %s marks",
						(unsigned long)step->n),
				       from, n) :
		       g_strdup_printf(ngettext("%s to %s: %s mark", "%s to %s: %s marks",
						(unsigned long)step->n),
				       from, below, n);
}

static void show_step(SptMarkHistogram *self, unsigned i, uint64_t most,
		      const SptRestriction *chosen)
{
	const SptMarkStep *step = &self->times->steps[i];
	GtkToggleButton *button = GTK_TOGGLE_BUTTON(self->steps[i].button);
	g_autofree char *from = spt_text_duration(step->from_ns), *text = describe_step(step, from),
			*parts = self->times->has_waits && spt_mark_step_of_threads(step) ?
					 describe_parts(step) :
					 NULL,
			*tip = parts ? g_strdup_printf("%s\n%s", text, parts) : g_strdup(text);
	bool has_bound = chosen->begin_ns || chosen->end_ns;

	self->steps[i].share = (double)step->n / (double)most;
	gtk_label_set_text(GTK_LABEL(self->steps[i].from), from);
	gtk_widget_set_tooltip_text(GTK_WIDGET(button), tip);
	gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, text,
				       GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, parts ? parts : "", -1);
	gtk_toggle_button_set_active(button,
				     has_bound && step->from_ns >= chosen->begin_ns &&
					     (!chosen->end_ns || step->below_ns <= chosen->end_ns));
	gtk_widget_set_sensitive(GTK_WIDGET(button), step->n > 0);
	gtk_widget_queue_draw(self->steps[i].bar);
}

static void show_steps(SptMarkHistogram *self, const SptRestriction *chosen)
{
	const SptMarkStep *steps = self->times->steps;
	unsigned first = 0, last = SPT_MARK_STEPS - 1;
	uint64_t most = 1;

	while (first < last && !steps[first].n)
		first++;
	while (last > first && !steps[last].n)
		last--;
	for (unsigned i = first; i <= last; i++)
		most = MAX(most, steps[i].n);
	for (unsigned i = 0; i < SPT_MARK_STEPS; i++) {
		gtk_widget_set_visible(self->steps[i].button, i >= first && i <= last);
		if (i >= first && i <= last)
			show_step(self, i, most, chosen);
	}
}

static char *describe_marks(SptMarkHistogram *self)
{
	const SptMarkStep *all = &self->times->all;
	g_autofree char *n = spt_text_count(all->n), *sum = spt_text_duration(all->sum_ns),
			*made = NULL;
	const char *name = spt_text_name(self->name, &made);

	if (!all->sum_ns)
		return g_strdup_printf(ngettext("%s: %s mark, a moment", "%s: %s marks, moments",
						(unsigned long)all->n),
				       name, n);
	return g_strdup_printf(ngettext("%s: %s mark, %s in all", "%s: %s marks, %s in all",
					(unsigned long)all->n),
			       name, n, sum);
}

void spt_mark_histogram_show(SptMarkHistogram *self, const SptMarkTimes *times,
			     const SptRestriction *chosen)
{
	bool is_shown = times && chosen && times->all.n,
	     has_steps = is_shown && times->all.sum_ns;
	g_autofree char *text = NULL;

	g_clear_pointer(&self->times, g_free);
	g_clear_pointer(&self->name, g_free);
	g_clear_pointer(&self->category, g_free);
	gtk_widget_set_visible(self->longer, has_steps);
	gtk_widget_set_visible(self->scroller, has_steps);
	if (!is_shown) {
		gtk_label_set_text(GTK_LABEL(self->title),
				   _("A mark that is selected shows here how long it took each time"));
		return;
	}
	self->times = g_memdup2(times, sizeof(*times));
	self->name = g_strdup(chosen->text);
	self->category = g_strdup(chosen->category);
	if (chosen->begin_ns || chosen->end_ns)
		gtk_check_button_set_active(GTK_CHECK_BUTTON(self->longer), !chosen->end_ns);
	text = describe_marks(self);
	gtk_label_set_text(GTK_LABEL(self->title), text);
	show_steps(self, chosen);
}
