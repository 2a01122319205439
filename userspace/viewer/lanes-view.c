/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * There are few lines; the contents of visible ones are computed in a thread, pixel by pixel.  The
 * selection is a line, and for a thread its state at one time.
 */
#include "lanes-view.h"

#include <glib/gi18n.h>
#include <math.h>

#include "lanes-arrows.h"
#include "query.h"
#include "text.h"
#include "wait-details.h"

#define CLICK_PIXELS 4
#define MORE_LINES   8	/* lines that are computed above and below the visible ones */
#define FEW_CPUS     4	/* CPUs up to this number are open at first */
#define FEW_THREADS  12 /* likewise the threads of the first process */
#define LEAST_WIDTH  256

struct place {
	uint32_t thread;
	uint64_t time;
};

struct _SptLanesView {
	GtkWidget parent_instance;
	SptDocument *document;
	const SptLanes *lanes; /* the document's; NULL: they are being made */
	SptTimeAxis *axis;
	GArray *lines;	  /* SptLaneLine */
	GHashTable *open; /* set: numbers of processes, from 1 */
	bool are_cpus_open;
	SptLanesPicture *picture;
	SptQuery *query;
	/* The selection; is_head: none */
	SptLaneLine line;
	SptLaneMoment moment; /* its range; end 0: none */
	double drag_from, pointer;
	GtkWidget *popover;
	GtkLabel *arrows;     /* says how many there are */
	struct place awaited; /* to be selected once there are lanes; thread 0: none */
	GArray *left;	      /* struct place: waits from which the user went to their wakers */
};

G_DEFINE_FINAL_TYPE(SptLanesView, spt_lanes_view, GTK_TYPE_WIDGET)

static unsigned range, only;

/* Lines. */

static void add_line(SptLanesView *self, SptLaneOf of, uint32_t number, unsigned depth)
{
	const SptLaneLine line = { .wanted = { of, number }, .depth = depth };

	g_array_append_val(self->lines, line);
}

static void lanes_view_add_cpus(SptLanesView *self)
{
	const SptLaneLine head = { .is_head = true,
				   .has_more = true,
				   .is_open = self->are_cpus_open };

	if (!self->lanes->n_cpus)
		return;
	g_array_append_val(self->lines, head);
	for (uint32_t i = 0; self->are_cpus_open && i < self->lanes->n_cpus; i++)
		add_line(self, SPT_LANE_OF_CPU, i, 1);
}

static void lanes_view_add_process(SptLanesView *self, uint32_t number)
{
	const SptLaneProcess *process = &self->lanes->processes[number];
	bool is_open = g_hash_table_contains(self->open, GUINT_TO_POINTER(number + 1));
	SptLaneLine line = { .wanted = { SPT_LANE_OF_PROCESS, number },
			     .has_more = true,
			     .is_open = is_open };

	if (process->n == 1) {
		add_line(self, SPT_LANE_OF_THREAD, process->first, 0);
		return;
	}
	g_array_append_val(self->lines, line);
	for (uint32_t i = 0; is_open && i < process->n; i++)
		add_line(self, SPT_LANE_OF_THREAD, process->first + i, 1);
}

static bool is_line(const SptLaneLine *a, const SptLaneLine *b)
{
	return !a->is_head && !b->is_head && a->wanted.of == b->wanted.of &&
	       a->wanted.number == b->wanted.number;
}

/* Its position; UINT_MAX: it is not visible. */
static unsigned lanes_view_place_of(SptLanesView *self, const SptLaneLine *line)
{
	for (unsigned i = 0; i < self->lines->len; i++)
		if (is_line(&g_array_index(self->lines, SptLaneLine, i), line))
			return i;
	return UINT_MAX;
}

static GtkAdjustment *adjustment_of(SptLanesView *self)
{
	GtkWidget *scrolled = gtk_widget_get_ancestor(GTK_WIDGET(self), GTK_TYPE_SCROLLED_WINDOW);

	return gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scrolled));
}

static void find_view(SptLanesView *self, unsigned *ret_first, unsigned *ret_last)
{
	GtkAdjustment *adjustment = adjustment_of(self);
	double top = gtk_adjustment_get_value(adjustment),
	       bottom = top + MAX(gtk_adjustment_get_page_size(adjustment), SPT_LANE_HEIGHT);

	*ret_first = MIN((unsigned)(top / SPT_LANE_HEIGHT), self->lines->len);
	*ret_last = MIN((unsigned)ceil(bottom / SPT_LANE_HEIGHT) + 1, self->lines->len);
}

/* Computing. */

struct input {
	SptLanesRequest request;
	SptLaneWanted rows[];
};

struct answer {
	const SptLanes *lanes; /* the document's */
	SptLanesPicture *picture;
};

static gpointer lanes_view_compute(SptDocument *document, gconstpointer data)
{
	const struct input *input = data;
	struct answer *answer = g_new0(struct answer, 1);
	SptLanesRequest request = input->request;

	request.rows = input->rows;
	answer->lanes = spt_recording_lanes(document->recording);
	answer->picture = spt_lanes_picture(answer->lanes, &request);
	return answer;
}

static void lanes_view_free_answer(gpointer data)
{
	struct answer *answer = data;

	spt_lanes_picture_free(answer->picture);
	g_free(answer);
}

static void lanes_view_ask(SptLanesView *self)
{
	int width = gtk_widget_get_width(GTK_WIDGET(self)) - (int)self->axis->left;
	struct input *input;
	unsigned first, last;
	uint32_t n = 0;

	if (!self->document)
		return;
	find_view(self, &first, &last);
	first -= MIN(first, MORE_LINES);
	last = MIN(last + MORE_LINES, self->lines->len);
	input = g_malloc0(sizeof(*input) + (last - first) * sizeof(SptLaneWanted));
	for (; first < last; first++) {
		const SptLaneLine *line = &g_array_index(self->lines, SptLaneLine, first);

		if (!line->is_head)
			input->rows[n++] = line->wanted;
	}
	input->request = (SptLanesRequest){
		.begin_ns = self->axis->begin_ns,
		.end_ns = self->axis->until_ns,
		.n_buckets = (uint32_t)MAX(width, LEAST_WIDTH),
		.n_rows = n,
	};
	spt_query_ask(self->query, self->document, input, g_free);
}

/* What a command did comes before what else the CPUs did. */
static void list_lines(SptLanesView *self)
{
	uint32_t above = self->lanes->begins_with_command ? 1 : 0;

	g_array_set_size(self->lines, 0);
	for (uint32_t i = 0; i < above; i++)
		lanes_view_add_process(self, i);
	lanes_view_add_cpus(self);
	for (uint32_t i = above; i < self->lanes->n_processes; i++)
		lanes_view_add_process(self, i);
	gtk_widget_queue_resize(GTK_WIDGET(self));
	gtk_widget_queue_draw(GTK_WIDGET(self));
	lanes_view_ask(self);
}

static void lanes_view_show_answer(gpointer owner, gpointer data)
{
	SptLanesView *self = owner;
	struct answer *answer = data;
	bool is_first = !self->lanes;

	self->lanes = answer->lanes;
	spt_lanes_picture_free(self->picture);
	self->picture = g_steal_pointer(&answer->picture);
	lanes_view_free_answer(answer);
	g_autofree char *count = spt_lanes_arrows_count(self->picture);
	gtk_label_set_text(self->arrows, count);
	if (is_first) {
		self->are_cpus_open = self->lanes->n_cpus <= FEW_CPUS;
		if (self->lanes->n_processes && self->lanes->processes[0].n <= FEW_THREADS)
			g_hash_table_add(self->open, GUINT_TO_POINTER(1));
		list_lines(self);
	}
	gtk_widget_queue_draw(GTK_WIDGET(self));
	if (self->awaited.thread)
		spt_lanes_view_go_to(self, self->awaited.thread, self->awaited.time);
}

static const SptQueryKind lanes_query = {
	.answer = lanes_view_compute,
	.show = lanes_view_show_answer,
	.free_answer = lanes_view_free_answer,
	.shows_progress = true,
	.needs_map = true,
};

/* Texts. */

static void lanes_view_tell(SptLanesView *self)
{
	g_autofree char *moment = !self->line.is_head && self->moment.end ?
					  spt_lane_describe_moment(self->lanes, &self->line,
								   &self->moment, self->axis) :
				  !self->line.is_head ?
					  spt_lane_line_name(self->lanes, &self->line) :
					  g_strdup(_("nothing is selected"));
	g_autofree char *text = g_strdup_printf(_("Lanes of threads, %s"), moment);

	gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, text,
				       -1);
	gtk_widget_queue_draw(GTK_WIDGET(self));
}

static uint64_t time_at(SptLanesView *self, double x)
{
	return spt_time_axis_time(self->axis, gtk_widget_get_width(GTK_WIDGET(self)), x);
}

static uint64_t ns_of_pixel(SptLanesView *self)
{
	return (self->axis->until_ns - self->axis->begin_ns) /
	       (uint64_t)MAX(gtk_widget_get_width(GTK_WIDGET(self)), 1);
}

/* NULL: there is none. */
static const SptLaneLine *line_at(SptLanesView *self, double y)
{
	unsigned line = (unsigned)(MAX(y, 0) / SPT_LANE_HEIGHT);

	return self->lanes && line < self->lines->len ?
		       &g_array_index(self->lines, SptLaneLine, line) :
		       NULL;
}

/* All of it but the lines in view. */
static SptLanesDrawing lanes_view_drawing(SptLanesView *self)
{
	return (SptLanesDrawing){
		.widget = GTK_WIDGET(self),
		.axis = self->axis,
		.lanes = self->lanes,
		.lines = self->lines,
		.picture = self->picture,
		.selected = lanes_view_place_of(self, &self->line),
		.selected_begin = self->moment.begin,
		.selected_end = self->moment.end,
	};
}

static gboolean lanes_view_query_tooltip(GtkWidget *widget, int x, int y, gboolean by_keyboard,
					 GtkTooltip *tooltip)
{
	SptLanesView *self = SPT_LANES_VIEW(widget);
	const SptLaneLine *line = by_keyboard ? NULL : line_at(self, y);
	g_autofree char *text = NULL, *name = NULL;
	SptLanesDrawing drawing;
	SptLaneMoment moment;

	/* Nothing covers what a popover explains. */
	if (!line || line->is_head || (self->popover && gtk_widget_get_visible(self->popover)))
		return FALSE;
	drawing = lanes_view_drawing(self);
	name = spt_lane_line_name(self->lanes, line);
	if (x < self->axis->left)
		text = g_strdup_printf(_("Show only %s"), name);
	else
		text = spt_lanes_arrows_describe(&drawing, x, y);
	if (!text && line->wanted.of == SPT_LANE_OF_CPU)
		text = spt_lane_describe_cpu(self->lanes, line, time_at(self, x),
					     self->axis->start_ns);
	else if (!text && line->wanted.of == SPT_LANE_OF_THREAD &&
		 spt_lanes_at(self->lanes, line->wanted.number, time_at(self, x), ns_of_pixel(self),
			      &moment))
		text = spt_lane_describe_moment(self->lanes, line, &moment, self->axis);
	gtk_tooltip_set_text(tooltip, text);
	return text != NULL;
}

/* Selecting. */

static void close_details(SptLanesView *self)
{
	g_clear_pointer(&self->popover, gtk_widget_unparent);
}

static void show_details(SptLanesView *self)
{
	int width = gtk_widget_get_width(GTK_WIDGET(self));
	uint64_t begin = MAX(self->moment.begin, self->axis->begin_ns),
		 end = MIN(self->moment.end, self->axis->until_ns);
	double x = spt_time_axis_x(self->axis, width, begin + (end - MIN(begin, end)) / 2);
	unsigned place = lanes_view_place_of(self, &self->line);

	close_details(self);
	if (place == UINT_MAX || !self->moment.end)
		return;
	self->popover = gtk_popover_new();
	gtk_popover_set_child(GTK_POPOVER(self->popover),
			      spt_wait_details_new(self->document, self->lanes,
						   self->line.wanted.number, &self->moment));
	gtk_popover_set_position(GTK_POPOVER(self->popover), GTK_POS_BOTTOM);
	gtk_popover_set_pointing_to(GTK_POPOVER(self->popover),
				    &(GdkRectangle){ (int)x, (int)place * SPT_LANE_HEIGHT, 1,
						     SPT_LANE_HEIGHT });
	gtk_widget_set_parent(self->popover, GTK_WIDGET(self));
	gtk_popover_popup(GTK_POPOVER(self->popover));
}

static void select_line(SptLanesView *self, const SptLaneLine *line, const SptLaneMoment *moment)
{
	self->line = *line;
	self->moment = moment ? *moment : (SptLaneMoment){ 0 };
	lanes_view_tell(self);
}

static void scroll_to_line(SptLanesView *self)
{
	unsigned place = lanes_view_place_of(self, &self->line);

	if (place != UINT_MAX)
		gtk_adjustment_clamp_page(adjustment_of(self), place * SPT_LANE_HEIGHT,
					  (place + 1) * SPT_LANE_HEIGHT);
}

static void look_at_moment(SptLanesView *self)
{
	double length = (double)(self->axis->until_ns - self->axis->begin_ns);

	if (self->moment.begin < self->axis->begin_ns || self->moment.begin >= self->axis->until_ns)
		spt_time_axis_look_at(self->axis, (double)self->moment.begin - length / 2, length);
}

static void lanes_view_choose(SptLanesView *self, const SptLaneLine *line)
{
	const SptCapture *capture = self->lanes->capture;
	SptRestriction restriction = { .kind = SPT_RESTRICT_CPU, .number = line->wanted.number };
	g_autofree char *number = NULL;

	if (line->wanted.of == SPT_LANE_OF_THREAD) {
		const SptLaneThread *thread = &self->lanes->threads[line->wanted.number];

		number = g_strdup_printf("%u", capture->threads[thread->thread].tid);
		restriction = (SptRestriction){ .kind = SPT_RESTRICT_THREAD, .text = number };
	} else if (line->wanted.of == SPT_LANE_OF_PROCESS) {
		const SptLaneProcess *process = &self->lanes->processes[line->wanted.number];

		number = g_strdup_printf("%u", capture->processes[process->process].pid);
		restriction = (SptRestriction){ .kind = SPT_RESTRICT_PROCESS, .text = number };
	}
	g_signal_emit(self, only, 0, &restriction);
}

static void turn(SptLanesView *self, const SptLaneLine *line)
{
	gpointer key = GUINT_TO_POINTER(line->wanted.number + 1);

	if (line->is_head)
		self->are_cpus_open = !line->is_open;
	else if (line->is_open)
		g_hash_table_remove(self->open, key);
	else
		g_hash_table_add(self->open, key);
	list_lines(self);
}

static void on_clicked(SptLanesView *self, double x, double y)
{
	const SptLaneLine *line = line_at(self, y);
	SptLaneMoment moment;

	close_details(self);
	if (!line)
		return;
	if (line->has_more && (line->is_head || x < self->axis->left / 5)) {
		turn(self, line);
		return;
	}
	if (x < self->axis->left) {
		lanes_view_choose(self, line);
		return;
	}
	if (line->wanted.of != SPT_LANE_OF_THREAD ||
	    !spt_lanes_at(self->lanes, line->wanted.number, time_at(self, x), ns_of_pixel(self),
			  &moment)) {
		select_line(self, line, NULL);
		return;
	}
	select_line(self, line, &moment);
	show_details(self);
}

static void lanes_view_on_drag_begin(G_GNUC_UNUSED GtkGestureDrag *drag, double x,
				     G_GNUC_UNUSED double y, SptLanesView *self)
{
	self->drag_from = x;
	gtk_widget_grab_focus(GTK_WIDGET(self));
}

static void lanes_view_select_range(SptLanesView *self, double offset, bool is_final)
{
	uint64_t from = time_at(self, self->drag_from),
		 to = time_at(self, self->drag_from + offset), begin = MIN(from, to),
		 end = MAX(MAX(from, to), begin + 1);

	/* The last sample belongs to it. */
	if (end >= self->axis->end_ns)
		end = self->axis->end_ns + 1;
	spt_time_axis_select(self->axis, begin, end);
	g_signal_emit(self, range, 0, begin, end, is_final);
}

static void lanes_view_on_drag_update(G_GNUC_UNUSED GtkGestureDrag *drag, double dx,
				      G_GNUC_UNUSED double dy, SptLanesView *self)
{
	if (self->drag_from >= self->axis->left && fabs(dx) >= CLICK_PIXELS)
		lanes_view_select_range(self, dx, false);
}

static void lanes_view_on_drag_end(GtkGestureDrag *drag, double dx, G_GNUC_UNUSED double dy,
				   SptLanesView *self)
{
	double x, y;

	gtk_gesture_drag_get_start_point(drag, &x, &y);
	if (x >= self->axis->left && fabs(dx) >= CLICK_PIXELS)
		lanes_view_select_range(self, dx, true);
	else
		on_clicked(self, x, y);
}

static void go_to_waker(SptLanesView *self, uint32_t waker, uint64_t time)
{
	uint32_t from = self->lanes->threads[self->line.wanted.number].thread;

	g_array_append_vals(self->left, &(struct place){ from, self->moment.begin }, 1);
	close_details(self);
	spt_lanes_view_go_to(self, waker, time);
}

/* Keys. */

static gboolean on_line_key(GtkWidget *widget, GVariant *arguments, G_GNUC_UNUSED gpointer data)
{
	SptLanesView *self = SPT_LANES_VIEW(widget);
	unsigned place = lanes_view_place_of(self, &self->line);
	int direction;

	g_variant_get(arguments, "(i)", &direction);
	if (!self->lines->len)
		return FALSE;
	do {
		if (place == UINT_MAX)
			place = 0;
		else if ((direction < 0 && place == 0) ||
			 (direction > 0 && place + 1 == self->lines->len))
			return TRUE;
		else
			place += direction;
	} while (g_array_index(self->lines, SptLaneLine, place).is_head);
	select_line(self, &g_array_index(self->lines, SptLaneLine, place), NULL);
	scroll_to_line(self);
	return TRUE;
}

/* From one wait to the next. */
static gboolean on_wait_key(GtkWidget *widget, GVariant *arguments, G_GNUC_UNUSED gpointer data)
{
	SptLanesView *self = SPT_LANES_VIEW(widget);
	const SptWaitIndex *waits;
	uint64_t place, first, last;
	uint32_t thread;
	int direction;

	g_variant_get(arguments, "(i)", &direction);
	if (!self->lanes || self->line.is_head || self->line.wanted.of != SPT_LANE_OF_THREAD)
		return FALSE;
	waits = self->lanes->waits;
	thread = self->lanes->threads[self->line.wanted.number].thread;
	first = waits->first[thread];
	last = waits->first[thread + 1];
	if (first == last)
		return TRUE;
	if (self->moment.wait)
		place = (uint64_t)(self->moment.wait - waits->waits) + (uint64_t)(int64_t)direction;
	else
		place = spt_wait_index_after(waits, thread,
					     self->moment.end ? self->moment.begin :
								self->axis->begin_ns);
	if (place < first || place >= last)
		return TRUE;
	select_line(self, &self->line,
		    &(SptLaneMoment){ .begin = spt_wait_begin(&waits->waits[place]),
				      .end = waits->waits[place].time,
				      .state = waits->waits[place].state,
				      .wait = &waits->waits[place] });
	look_at_moment(self);
	return TRUE;
}

/* Opens and closes a process; goes from a wait to its waker, or to its stacks. */
static gboolean on_return_key(GtkWidget *widget, GVariant *arguments, G_GNUC_UNUSED gpointer data)
{
	SptLanesView *self = SPT_LANES_VIEW(widget);
	const SptWaitRow *wait = self->moment.wait;
	unsigned at = lanes_view_place_of(self, &self->line);
	int is_space;

	g_variant_get(arguments, "(i)", &is_space);
	if (at == UINT_MAX)
		return FALSE;
	if (is_space)
		show_details(self);
	else if (g_array_index(self->lines, SptLaneLine, at).has_more)
		turn(self, &g_array_index(self->lines, SptLaneLine, at));
	else if (wait && wait->waker && self->lanes->lane_of[wait->waker] != UINT32_MAX)
		go_to_waker(self, wait->waker, spt_wait_woken(wait));
	else
		show_details(self);
	return TRUE;
}

/* Goes back to the wait from whose waker the user came. */
static gboolean on_back_key(GtkWidget *widget, G_GNUC_UNUSED GVariant *arguments,
			    G_GNUC_UNUSED gpointer data)
{
	SptLanesView *self = SPT_LANES_VIEW(widget);
	struct place place;

	if (!self->left->len)
		return FALSE;
	place = g_array_index(self->left, struct place, self->left->len - 1);
	g_array_remove_index(self->left, self->left->len - 1);
	spt_lanes_view_go_to(self, place.thread, place.time);
	return TRUE;
}

static gboolean lanes_view_on_zoom_key(GtkWidget *widget, GVariant *arguments,
				       G_GNUC_UNUSED gpointer data)
{
	SptTimeAxis *axis = SPT_LANES_VIEW(widget)->axis;
	int direction;

	g_variant_get(arguments, "(i)", &direction);
	if (direction == 0)
		spt_time_axis_look_at(axis, (double)axis->start_ns,
				      (double)(axis->end_ns - axis->start_ns));
	else
		spt_time_axis_zoom(axis, ((double)axis->begin_ns + (double)axis->until_ns) / 2,
				   direction);
	return TRUE;
}

/* The wheel alone scrolls, as many lanes do not fit; with Ctrl it zooms. */
static gboolean lanes_view_on_scroll(GtkEventController *scroll, double dx, double dy,
				     SptLanesView *self)
{
	GdkModifierType state = gtk_event_controller_get_current_event_state(scroll);

	if (dx == 0 && !(state & (GDK_CONTROL_MASK | GDK_SHIFT_MASK)))
		return FALSE;
	spt_time_axis_scroll(self->axis, scroll, dx, dy, self->pointer,
			     gtk_widget_get_width(GTK_WIDGET(self)));
	return TRUE;
}

static void lanes_view_on_motion(G_GNUC_UNUSED GtkEventControllerMotion *motion, double x,
				 G_GNUC_UNUSED double y, SptLanesView *self)
{
	self->pointer = x;
}

static void on_go_to(GtkWidget *widget, G_GNUC_UNUSED const char *action, GVariant *target)
{
	uint32_t thread;
	uint64_t time;

	g_variant_get(target, "(ut)", &thread, &time);
	go_to_waker(SPT_LANES_VIEW(widget), thread, time);
}

/* The widget. */

static void lanes_view_snapshot_view(GtkWidget *widget, GtkSnapshot *snapshot)
{
	SptLanesView *self = SPT_LANES_VIEW(widget);
	SptLanesDrawing drawing = lanes_view_drawing(self);

	if (!self->lanes)
		return;
	find_view(self, &drawing.first, &drawing.last);
	if (drawing.first < drawing.last)
		spt_lanes_draw(&drawing, snapshot);
}

static void lanes_view_measure(GtkWidget *widget, GtkOrientation orientation,
			       G_GNUC_UNUSED int for_size, int *minimum, int *natural,
			       G_GNUC_UNUSED int *minimum_baseline,
			       G_GNUC_UNUSED int *natural_baseline)
{
	SptLanesView *self = SPT_LANES_VIEW(widget);

	*minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ?
				      100 :
				      (int)MAX(self->lines->len, 1) * SPT_LANE_HEIGHT;
}

static void lanes_view_size_allocate(GtkWidget *widget, G_GNUC_UNUSED int width,
				     G_GNUC_UNUSED int height, G_GNUC_UNUSED int baseline)
{
	SptLanesView *self = SPT_LANES_VIEW(widget);

	lanes_view_ask(self);
	if (self->popover)
		gtk_popover_present(GTK_POPOVER(self->popover));
}

static void lanes_view_on_axis_changed(SptLanesView *self)
{
	lanes_view_ask(self);
	gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void root(GtkWidget *widget)
{
	GTK_WIDGET_CLASS(spt_lanes_view_parent_class)->root(widget);
	g_signal_connect_object(adjustment_of(SPT_LANES_VIEW(widget)), "value-changed",
				G_CALLBACK(lanes_view_on_axis_changed), widget, G_CONNECT_SWAPPED);
}

static void lanes_view_dispose(GObject *object)
{
	SptLanesView *self = SPT_LANES_VIEW(object);

	close_details(self);
	g_clear_pointer(&self->query, spt_query_free);
	g_clear_pointer(&self->picture, spt_lanes_picture_free);
	g_clear_pointer(&self->lines, g_array_unref);
	g_clear_pointer(&self->left, g_array_unref);
	g_clear_pointer(&self->open, g_hash_table_unref);
	g_clear_pointer(&self->document, spt_document_unref);
	g_clear_object(&self->axis);
	G_OBJECT_CLASS(spt_lanes_view_parent_class)->dispose(object);
}

static void lanes_view_add_keys(GtkWidgetClass *class)
{
	static const struct {
		guint key;
		GtkShortcutFunc func;
		int direction;
	} keys[] = {
		{ GDK_KEY_Up, on_line_key, -1 },
		{ GDK_KEY_Down, on_line_key, 1 },
		{ GDK_KEY_Left, on_wait_key, -1 },
		{ GDK_KEY_Right, on_wait_key, 1 },
		{ GDK_KEY_plus, lanes_view_on_zoom_key, 1 },
		{ GDK_KEY_KP_Add, lanes_view_on_zoom_key, 1 },
		{ GDK_KEY_minus, lanes_view_on_zoom_key, -1 },
		{ GDK_KEY_KP_Subtract, lanes_view_on_zoom_key, -1 },
		{ GDK_KEY_0, lanes_view_on_zoom_key, 0 },
		{ GDK_KEY_Home, lanes_view_on_zoom_key, 0 },
		{ GDK_KEY_Return, on_return_key, 0 },
		{ GDK_KEY_KP_Enter, on_return_key, 0 },
		{ GDK_KEY_space, on_return_key, 1 },
		{ GDK_KEY_BackSpace, on_back_key, 0 },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(keys); i++)
		gtk_widget_class_add_binding(class, keys[i].key, 0, keys[i].func, "(i)",
					     keys[i].direction);
}

static void spt_lanes_view_class_init(SptLanesViewClass *class)
{
	GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

	G_OBJECT_CLASS(class)->dispose = lanes_view_dispose;
	widget_class->measure = lanes_view_measure;
	widget_class->size_allocate = lanes_view_size_allocate;
	widget_class->snapshot = lanes_view_snapshot_view;
	widget_class->query_tooltip = lanes_view_query_tooltip;
	widget_class->root = root;
	gtk_widget_class_set_css_name(widget_class, "timeline");
	gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
	gtk_widget_class_install_action(widget_class, "lanes.go-to", "(ut)", on_go_to);
	lanes_view_add_keys(widget_class);
	range = g_signal_new("range", SPT_TYPE_LANES_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
			     G_TYPE_NONE, 3, G_TYPE_UINT64, G_TYPE_UINT64, G_TYPE_BOOLEAN);
	only = g_signal_new("only", SPT_TYPE_LANES_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
			    G_TYPE_NONE, 1, G_TYPE_POINTER);
}

static void spt_lanes_view_init(SptLanesView *self)
{
	GtkGesture *drag = gtk_gesture_drag_new();
	GtkEventController *scroll =
		gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
	GtkEventController *motion = gtk_event_controller_motion_new();

	self->query = spt_query_new(GTK_WIDGET(self), &lanes_query);
	self->lines = g_array_new(FALSE, FALSE, sizeof(SptLaneLine));
	self->left = g_array_new(FALSE, FALSE, sizeof(struct place));
	self->open = g_hash_table_new(NULL, NULL);
	self->line.is_head = true;
	gtk_widget_set_focusable(GTK_WIDGET(self), TRUE);
	gtk_widget_set_has_tooltip(GTK_WIDGET(self), TRUE);
	gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);
	g_signal_connect(drag, "drag-begin", G_CALLBACK(lanes_view_on_drag_begin), self);
	g_signal_connect(drag, "drag-update", G_CALLBACK(lanes_view_on_drag_update), self);
	g_signal_connect(drag, "drag-end", G_CALLBACK(lanes_view_on_drag_end), self);
	gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(drag));
	g_signal_connect(scroll, "scroll", G_CALLBACK(lanes_view_on_scroll), self);
	g_signal_connect(motion, "motion", G_CALLBACK(lanes_view_on_motion), self);
	gtk_widget_add_controller(GTK_WIDGET(self), scroll);
	gtk_widget_add_controller(GTK_WIDGET(self), motion);
}

void spt_lanes_view_set_axis(SptLanesView *self, SptTimeAxis *axis)
{
	self->axis = g_object_ref(axis);
	g_signal_connect_object(axis, "changed", G_CALLBACK(lanes_view_on_axis_changed), self,
				G_CONNECT_SWAPPED);
}

void spt_lanes_view_set_count(SptLanesView *self, GtkLabel *label)
{
	self->arrows = label;
}

void spt_lanes_view_set_document(SptLanesView *self, SptDocument *document)
{
	bool is_known = self->document && spt_document_is_same(self->document, document);

	spt_document_replace(&self->document, document);
	if (is_known)
		return;
	close_details(self);
	spt_query_cancel(self->query);
	self->lanes = NULL;
	g_clear_pointer(&self->picture, spt_lanes_picture_free);
	g_array_set_size(self->lines, 0);
	g_array_set_size(self->left, 0);
	g_hash_table_remove_all(self->open);
	self->line = (SptLaneLine){ .is_head = true };
	self->moment = (SptLaneMoment){ 0 };
	self->awaited.thread = 0;
	lanes_view_tell(self);
	lanes_view_ask(self);
}

void spt_lanes_view_go_to(SptLanesView *self, uint32_t thread, uint64_t time)
{
	uint32_t lane = self->lanes ? self->lanes->lane_of[thread] : UINT32_MAX;
	SptLaneMoment moment;

	self->awaited.thread = self->lanes ? 0 : thread;
	self->awaited.time = time;
	if (lane == UINT32_MAX)
		return;
	g_hash_table_add(self->open, GUINT_TO_POINTER(self->lanes->threads[lane].process + 1));
	list_lines(self);
	if (!spt_lanes_at(self->lanes, lane, time, 0, &moment))
		moment = (SptLaneMoment){ .begin = time, .end = time + 1 };
	select_line(self, &(SptLaneLine){ .wanted = { SPT_LANE_OF_THREAD, lane } }, &moment);
	scroll_to_line(self);
	look_at_moment(self);
	gtk_widget_grab_focus(GTK_WIDGET(self));
}
