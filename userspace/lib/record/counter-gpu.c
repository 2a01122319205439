/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Graphics: how busy a card is and how much of its memory is used, as far as its driver says so,
 * and which part of the time each recorded process kept an engine busy (DRM's fdinfo).
 */
#include <stdio.h>
#include <string.h>

#include "record/counters.h"

#define CARDS "sys/class/drm"
/* Engines of a process that are counted; real cards have up to eight. */
#define MOST_ENGINES 32

static void put_of_card(SptCounting *counting, const char *card, const char *file,
			const char *what, const char *unit)
{
	g_autofree char *path = g_strdup_printf(CARDS "/%s/device/%s", card, file);
	g_autofree char *name = g_strdup_printf("gpu.%s.%s", card, what);
	double value;

	if (spt_counting_number(counting, path, &value))
		spt_counting_put(counting, name, unit, value);
}

/* Adds "drm-engine-render:  123 ns" of a client to its engine's sum. */
static void add_engines(GHashTable *engines, char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (char **line = lines; *line; line++) {
		char *name = *line + strlen("drm-engine-"), *colon = strchr(*line, ':');
		double *sum;

		if (!g_str_has_prefix(*line, "drm-engine-") || !colon ||
		    !g_str_has_suffix(*line, " ns"))
			continue;
		*colon = '\0';
		sum = g_hash_table_lookup(engines, name);
		if (!sum && g_hash_table_size(engines) >= MOST_ENGINES)
			continue;
		if (!sum) {
			sum = g_new0(double, 1);
			g_hash_table_insert(engines, g_strdup(name), sum);
		}
		*sum += g_ascii_strtod(colon + 1, NULL);
	}
}

/* Descriptors that were duplicated are one client. */
static bool is_new_client(GHashTable *clients, const char *text)
{
	const char *at = strstr(text, "\ndrm-client-id:"), *device = strstr(text, "\ndrm-pdev:");
	const char *end = at ? strchr(at + 1, '\n') : NULL,
		   *device_end = device ? strchr(device + 1, '\n') : NULL;

	return end && g_hash_table_add(clients,
				       g_strdup_printf("%.*s%.*s", (int)(end - at), at,
						       device_end ? (int)(device_end - device) : 0,
						       device ? device : ""));
}

static void read_clients(SptCounting *counting, uint32_t pid)
{
	g_autoptr(GHashTable) engines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
							      g_free);
	g_autoptr(GHashTable) clients = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
							      NULL);
	g_autofree char *directory = g_strdup_printf("proc/%u/fdinfo", pid);
	g_auto(GStrv) files = spt_counting_names(counting, directory);
	GHashTableIter iter;
	gpointer engine, sum;

	for (char **file = files; *file; file++) {
		g_autofree char *path = g_strdup_printf("%s/%s", directory, *file);
		g_autofree char *text = spt_counting_text(counting, path);

		if (text && is_new_client(clients, text))
			add_engines(engines, text);
	}
	g_hash_table_iter_init(&iter, engines);
	while (g_hash_table_iter_next(&iter, &engine, &sum)) {
		g_autofree char *name =
			g_strdup_printf("process.%u.gpu.%s", pid, (const char *)engine);

		spt_counting_rate(counting, name, "%", *(double *)sum, 1e-7);
	}
}

static void read_gpus(SptCounting *counting)
{
	g_auto(GStrv) cards = spt_counting_names(counting, CARDS);
	const GArray *pids = spt_counting_pids(counting);
	bool has_cards = false;

	for (char **card = cards; *card; card++) {
		/* "card0-HDMI-A-1" is a connector. */
		if (!g_str_has_prefix(*card, "card") || strchr(*card, '-'))
			continue;
		has_cards = true;
		put_of_card(counting, *card, "gpu_busy_percent", "busy", "%");
		put_of_card(counting, *card, "mem_info_vram_used", "memory", "bytes");
	}
	for (unsigned i = 0; has_cards && i < pids->len; i++) {
		uint32_t pid = g_array_index(pids, uint32_t, i);

		spt_counting_set_pid(counting, pid);
		read_clients(counting, pid);
	}
	spt_counting_set_pid(counting, 0);
}

const struct spt_counter_source spt_counter_gpu = { "gpu", read_gpus };
