/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the frame clock: all work of this thread from the end of a frame to the end of the next one,
 * including GTK's.
 */
#include "work.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

static struct {
	double last_ms;
	bool is_complete, is_delivered;
} frame;

double spt_work_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double process_cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void work_on_end(G_GNUC_UNUSED GdkFrameClock *clock, G_GNUC_UNUSED gpointer data)
{
	double now_ms = spt_work_ms();

	g_debug("a frame in %.2f ms of CPU time", now_ms - frame.last_ms);
	frame.last_ms = now_ms;
	if (frame.is_complete && !frame.is_delivered) {
		frame.is_delivered = true;
		g_debug("the picture is complete at %" G_GINT64_FORMAT
			" us, after %.1f ms of CPU time",
			g_get_monotonic_time(), process_cpu_ms());
	}
}

void spt_work_watch(GtkWidget *window)
{
	GdkFrameClock *clock;

	if (g_log_writer_default_would_drop(G_LOG_LEVEL_DEBUG, G_LOG_DOMAIN))
		return;
	gtk_widget_realize(window);
	clock = gtk_widget_get_frame_clock(window);
	g_signal_connect_after(clock, "after-paint", G_CALLBACK(work_on_end), NULL);
}

void spt_work_is_complete(void)
{
	frame.is_complete = true;
}
