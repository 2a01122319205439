/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How warm the machine is, and how fast its fans turn: thermal zones and sensors (hwmon). */
#include <stdio.h>

#include "record/counters.h"

#define ZONES	"sys/class/thermal"
#define SENSORS "sys/class/hwmon"

static void read_thermal_zone(SptCounting *counting, const char *zone)
{
	g_autofree char *path = g_strdup_printf(ZONES "/%s/temp", zone);
	g_autofree char *type_path = g_strdup_printf(ZONES "/%s/type", zone);
	g_autofree char *type = spt_counting_text(counting, type_path), *name = NULL;
	double millidegrees;
	unsigned number;

	if (!type || sscanf(zone, "thermal_zone%u", &number) != 1 ||
	    !spt_counting_number(counting, path, &millidegrees))
		return;
	name = g_strdup_printf("temperature.%s.%u", g_strstrip(type), number);
	spt_counting_put(counting, name, "\302\260C", millidegrees / 1000);
}

/* "temp1_input" in thousandths of a degree, named by "temp1_label" if there is one; "fan1_input". */
static void read_sensor(SptCounting *counting, const char *device, const char *device_name,
			const char *file)
{
	g_autofree char *path = g_strdup_printf(SENSORS "/%s/%s", device, file);
	g_autofree char *label_path = NULL, *label = NULL, *name = NULL;
	unsigned number;
	bool is_fan = sscanf(file, "fan%u_input", &number) == 1;
	double value;

	if ((!is_fan && sscanf(file, "temp%u_input", &number) != 1) ||
	    !g_str_has_suffix(file, "_input") || !spt_counting_number(counting, path, &value))
		return;
	label_path = g_strdup_printf(SENSORS "/%s/%s%u_label", device, is_fan ? "fan" : "temp",
				     number);
	label = spt_counting_text(counting, label_path);
	name = label ? g_strdup_printf("%s.%s.%s", is_fan ? "fan" : "temperature", device_name,
				       g_strstrip(label)) :
		       g_strdup_printf("%s.%s.%u", is_fan ? "fan" : "temperature", device_name,
				       number);
	spt_counting_put(counting, name, is_fan ? "/min" : "\302\260C",
			 is_fan ? value : value / 1000);
}

static void read_sensors(SptCounting *counting, const char *device)
{
	g_autofree char *path = g_strdup_printf(SENSORS "/%s", device);
	g_autofree char *name_path = g_strdup_printf(SENSORS "/%s/name", device);
	g_autofree char *name = spt_counting_text(counting, name_path);
	g_auto(GStrv) files = spt_counting_names(counting, path);

	for (char **file = files; name && *file; file++)
		read_sensor(counting, device, g_strstrip(name), *file);
}

static void read_temperatures(SptCounting *counting)
{
	g_auto(GStrv) zones = spt_counting_names(counting, ZONES),
		      devices = spt_counting_names(counting, SENSORS);

	for (char **zone = zones; *zone; zone++)
		read_thermal_zone(counting, *zone);
	for (char **device = devices; *device; device++)
		read_sensors(counting, *device);
}

const struct spt_counter_source spt_counter_temperature = { "temperature", read_temperatures };
