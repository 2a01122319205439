/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters of the machine: files below a root of the test's own, twice, a second apart. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/declared.h"
#include "record/counters.h"
#include "record/recorder.h"

#define PID 4711

struct fixture {
	char *root, *path;
	SptOutput *output;
	SptSaid *said;
	SptTasks *tasks;
	SptCounters *counters;
	SptCapture *capture;
};

static void put_file(const struct fixture *fixture, const char *path, const char *text)
{
	g_autofree char *whole = g_build_filename(fixture->root, path, NULL);
	g_autofree char *directory = g_path_get_dirname(whole);

	g_assert_cmpint(g_mkdir_with_parents(directory, 0700), ==, 0);
	g_assert_true(g_file_set_contents(whole, text, -1, NULL));
}

static void on_process(G_GNUC_UNUSED const SptProcess *process, G_GNUC_UNUSED void *data)
{
}

static void on_thread(G_GNUC_UNUSED const SptThread *thread, G_GNUC_UNUSED void *data)
{
}

static void on_space(G_GNUC_UNUSED uint64_t mm, G_GNUC_UNUSED void *data)
{
}

static void begin(struct fixture *fixture, bool has_process)
{
	const SptTasksListener listener = { on_process, on_thread, on_space, NULL };
	const SptCounterOptions options = { .has_sources = true, .root = fixture->root };
	const SptProcess process = { .pid = PID };

	fixture->path = g_build_filename(fixture->root, "capture", NULL);
	fixture->output = spt_output_new(&(SptRecorderOptions){ .output = fixture->path }, NULL,
					 NULL);
	g_assert_nonnull(fixture->output);
	fixture->said = spt_said_new(fixture->output);
	fixture->tasks = spt_tasks_new(&listener);
	fixture->counters = spt_counters_new(fixture->said, &options, NULL);
	if (has_process)
		spt_counters_process(fixture->counters, &process);
}

static void read_at(struct fixture *fixture, unsigned second)
{
	spt_counters_step(fixture->counters, fixture->tasks, second * 1000000000ULL);
}

static void end(struct fixture *fixture)
{
	g_autofree char *path = NULL;

	g_assert_true(spt_output_finish(fixture->output, 100000000000ULL, &path, NULL));
	fixture->capture = spt_capture_open(fixture->path, NULL);
	g_assert_nonnull(fixture->capture);
}

/* The last value of a counter, whose unit has to be this one; its number of values. */
static unsigned last_value(const struct fixture *fixture, const char *name, const char *unit,
			   double *ret)
{
	const SptDeclared *kind = spt_declared_find(fixture->capture, name);
	g_autoptr(SptDeclaredReader) reader = NULL;
	const SptDeclaredRow *rows;
	unsigned n_values = 0;
	uint32_t n;

	if (!kind)
		return 0;
	g_assert_cmpstr(kind->fields[0].type == SPT_VALUE_BYTES ? "bytes" : kind->fields[0].unit, ==,
			unit);
	reader = spt_declared_reader_new(fixture->capture, kind);
	while ((rows = spt_declared_reader_next(reader, &n))) {
		*ret = spt_value_real(&kind->fields[0], rows[n - 1].values[0]);
		n_values += n;
	}
	return n_values;
}

static void assert_value(const struct fixture *fixture, const char *name, const char *unit,
			 double value)
{
	double found = 0;

	g_test_message("%s", name);
	g_assert_cmpuint(last_value(fixture, name, unit, &found), >, 0);
	g_assert_cmpfloat_with_epsilon(found, value, 1e-6);
}

static void assert_none(const struct fixture *fixture, const char *name)
{
	g_assert_null(spt_declared_find(fixture->capture, name));
}

static void set_up(struct fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	fixture->root = g_dir_make_tmp("test-counters-XXXXXX", NULL);
	g_assert_nonnull(fixture->root);
}

static void tear_down(struct fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	g_autofree char *remove = g_strdup_printf("rm -r '%s'", fixture->root);

	spt_capture_free(fixture->capture);
	spt_counters_free(fixture->counters);
	spt_tasks_free(fixture->tasks);
	spt_said_free(fixture->said);
	spt_output_free(fixture->output);
	g_assert_true(g_spawn_command_line_sync(remove, NULL, NULL, NULL, NULL));
	g_free(fixture->path);
	g_free(fixture->root);
}

static void test_power(struct fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	put_file(fixture, "sys/class/powercap/intel-rapl/enabled", "1\n");
	put_file(fixture, "sys/class/powercap/intel-rapl:0/name", "package-0\n");
	put_file(fixture, "sys/class/powercap/intel-rapl:0/energy_uj", "1000000\n");
	put_file(fixture, "sys/class/powercap/intel-rapl:1/name", "dram\n");
	put_file(fixture, "sys/class/powercap/intel-rapl:1/energy_uj", "262143000000\n");
	put_file(fixture, "sys/class/power_supply/BAT0/power_now", "7500000\n");
	put_file(fixture, "sys/class/power_supply/BAT0/capacity", "81\n");
	begin(fixture, false);
	read_at(fixture, 1);
	put_file(fixture, "sys/class/powercap/intel-rapl:0/energy_uj", "16000000\n");
	put_file(fixture, "sys/class/powercap/intel-rapl:1/energy_uj", "5\n");
	read_at(fixture, 2);
	end(fixture);
	assert_value(fixture, "power.package-0.0", "W", 15);
	assert_value(fixture, "power.BAT0", "W", 7.5);
	assert_value(fixture, "battery.BAT0", "%", 81);
	/* It has begun anew, and says nothing of that second. */
	assert_none(fixture, "power.dram.1");
}

static void test_temperature(struct fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	put_file(fixture, "sys/class/thermal/thermal_zone3/type", "x86_pkg_temp\n");
	put_file(fixture, "sys/class/thermal/thermal_zone3/temp", "61500\n");
	put_file(fixture, "sys/class/hwmon/hwmon0/name", "coretemp\n");
	put_file(fixture, "sys/class/hwmon/hwmon0/temp2_input", "48000\n");
	put_file(fixture, "sys/class/hwmon/hwmon0/temp2_label", "Core 0\n");
	put_file(fixture, "sys/class/hwmon/hwmon0/temp2_max", "100000\n");
	put_file(fixture, "sys/class/hwmon/hwmon0/fan1_input", "1250\n");
	put_file(fixture, "sys/class/hwmon/hwmon0/temp9_input", "nothing\n");
	begin(fixture, false);
	read_at(fixture, 1);
	end(fixture);
	assert_value(fixture, "temperature.x86_pkg_temp.3", "\302\260C", 61.5);
	assert_value(fixture, "temperature.coretemp.Core 0", "\302\260C", 48);
	assert_value(fixture, "fan.coretemp.1", "/min", 1250);
	assert_none(fixture, "temperature.coretemp.9");
}

static void test_idle(struct fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	put_file(fixture, "sys/devices/system/cpu/cpu1/cpuidle/state2/name", "C6\n");
	put_file(fixture, "sys/devices/system/cpu/cpu1/cpuidle/state2/time", "1000000\n");
	put_file(fixture, "sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq", "1\n");
	begin(fixture, false);
	read_at(fixture, 1);
	put_file(fixture, "sys/devices/system/cpu/cpu1/cpuidle/state2/time", "1250000\n");
	read_at(fixture, 2);
	end(fixture);
	assert_value(fixture, "cpu.1.idle.C6", "%", 25);
}

static void put_clients(const struct fixture *fixture, const char *render)
{
	g_autofree char *one = g_strdup_printf("pos:\t0\ndrm-driver:\ti915\ndrm-client-id:\t7\n"
					       "drm-engine-render:\t%s ns\n"
					       "drm-engine-capacity-video:\t2\n",
					       render);

	put_file(fixture, "proc/4711/fdinfo/3", one);
	/* The same client by another descriptor. */
	put_file(fixture, "proc/4711/fdinfo/4", one);
	put_file(fixture, "proc/4711/fdinfo/5", "pos:\t0\nflags:\t02\n");
}

static void test_gpu(struct fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	put_file(fixture, "sys/class/drm/card0/device/gpu_busy_percent", "43\n");
	put_file(fixture, "sys/class/drm/card0/device/mem_info_vram_used", "8192\n");
	put_file(fixture, "sys/class/drm/card0-DP-1/device/gpu_busy_percent", "99\n");
	put_clients(fixture, "1000");
	begin(fixture, true);
	read_at(fixture, 1);
	put_clients(fixture, "500001000");
	read_at(fixture, 2);
	end(fixture);
	assert_value(fixture, "gpu.card0.busy", "%", 43);
	assert_value(fixture, "gpu.card0.memory", "bytes", 8192);
	assert_value(fixture, "process.4711.gpu.render", "%", 50);
	assert_none(fixture, "gpu.card0-DP-1.busy");
}

static void test_cgroup(struct fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	put_file(fixture, "proc/4711/cgroup", "1:name=systemd:/x\n0::/user.slice/app\n");
	put_file(fixture, "sys/fs/cgroup/user.slice/app/cpu.stat",
		 "usage_usec 1000000\nuser_usec 1\nnr_throttled 1\nthrottled_usec 0\n");
	put_file(fixture, "sys/fs/cgroup/user.slice/app/memory.current", "4096\n");
	put_file(fixture, "sys/fs/cgroup/user.slice/app/pids.current", "3\n");
	begin(fixture, true);
	read_at(fixture, 1);
	put_file(fixture, "sys/fs/cgroup/user.slice/app/cpu.stat",
		 "usage_usec 2500000\nuser_usec 1\nnr_throttled 1\nthrottled_usec 100000\n");
	read_at(fixture, 2);
	end(fixture);
	assert_value(fixture, "cgroup./user.slice/app.cpu", "%", 150);
	assert_value(fixture, "cgroup./user.slice/app.throttled", "%", 10);
	assert_value(fixture, "cgroup./user.slice/app.memory", "bytes", 4096);
	assert_value(fixture, "cgroup./user.slice/app.processes", "", 3);
}

static void test_process(struct fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	put_file(fixture, "proc/4711/stat",
		 "4711 (a ) b) S 1 1 1 0 -1 4194304 100 0 10 0 5 5 0 0 20 0 4 0 100 1000 25 0");
	put_file(fixture, "proc/4711/status",
		 "Name:\ta\nvoluntary_ctxt_switches:\t10\nnonvoluntary_ctxt_switches:\t3\n");
	begin(fixture, true);
	read_at(fixture, 1);
	put_file(fixture, "proc/4711/stat",
		 "4711 (a ) b) S 1 1 1 0 -1 4194304 150 0 12 0 30 30 0 0 20 0 4 0 100 1000 25 0");
	put_file(fixture, "proc/4711/status",
		 "Name:\ta\nvoluntary_ctxt_switches:\t30\nnonvoluntary_ctxt_switches:\t8\n");
	read_at(fixture, 2);
	end(fixture);
	assert_value(fixture, "process.4711.cpu", "%", 5000.0 / (double)sysconf(_SC_CLK_TCK));
	assert_value(fixture, "process.4711.threads", "", 4);
	assert_value(fixture, "process.4711.minor-faults", "/s", 50);
	assert_value(fixture, "process.4711.major-faults", "/s", 2);
	assert_value(fixture, "process.4711.waits", "/s", 20);
	assert_value(fixture, "process.4711.preempted", "/s", 5);
}

/* 64 processes, of which a second has a quarter: each has all its values, and rates a second. */
static void test_turns(struct fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	begin(fixture, false);
	for (uint32_t i = 0; i < 64; i++)
		spt_counters_process(fixture->counters, &(SptProcess){ .pid = 100 + i });
	for (unsigned second = 1; second <= 9; second++) {
		for (unsigned i = 0; i < 64; i++) {
			g_autofree char *path = g_strdup_printf("proc/%u/io", 100 + i),
					*text = g_strdup_printf("read_bytes: %u\n", 1000 * second);

			put_file(fixture, path, text);
		}
		read_at(fixture, second);
	}
	end(fixture);
	for (unsigned i = 0; i < 64; i++) {
		g_autofree char *name = g_strdup_printf("process.%u.read", 100 + i);
		double value;

		g_assert_cmpuint(last_value(fixture, name, "bytes/s", &value), ==, 2);
		g_assert_cmpfloat_with_epsilon(value, 1000, 1e-6);
	}
}

/* The largest ten, and only at each tenth reading. */
static void test_allocinfo(struct fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	g_autoptr(GString) text = g_string_new("allocinfo - version: 1.0\n#     <size>  <calls> <tag info>\n");
	double value = 0;

	for (unsigned i = 1; i <= 20; i++)
		g_string_append_printf(text, "%12u %8u mm/a.c:%u func:f%u\n", i * 1000, i, i, i);
	put_file(fixture, "proc/allocinfo", text->str);
	begin(fixture, false);
	for (unsigned second = 1; second <= 12; second++)
		read_at(fixture, second);
	end(fixture);
	assert_value(fixture, "allocated.mm/a.c:20 func:f20", "bytes", 20000);
	assert_value(fixture, "allocated.mm/a.c:11 func:f11", "bytes", 11000);
	assert_none(fixture, "allocated.mm/a.c:10 func:f10");
	g_assert_cmpuint(last_value(fixture, "allocated.mm/a.c:20 func:f20", "bytes", &value), ==,
			 2);
}

/* More files than there can be are refused: none is dropped without a word. */
static void test_files(struct fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	const char *const files[] = { "own=/many/*", NULL };
	const SptCounterOptions options = { .root = fixture->root, .files = files };
	g_autoptr(GError) error = NULL;

	for (unsigned i = 1; i <= 257; i++) {
		g_autofree char *path = g_strdup_printf("many/%u", i);

		put_file(fixture, path, "1");
		if (i == 256)
			spt_counters_free(spt_counters_new(NULL, &options, &error));
		g_assert_no_error(error);
	}
	g_assert_null(spt_counters_new(NULL, &options, &error));
	g_assert_true(g_str_has_prefix(error->message, "--counter names more than 256 files"));
	begin(fixture, false);
	end(fixture);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(name)                                                                                  \
	g_test_add("/counters/" #name, struct fixture, NULL, set_up, test_##name, tear_down)
	ADD(power);
	ADD(temperature);
	ADD(idle);
	ADD(gpu);
	ADD(cgroup);
	ADD(process);
	ADD(turns);
	ADD(allocinfo);
	ADD(files);
	return g_test_run();
}
