/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscap-read FILE: what libsysprof-capture, GNOME Sysprof's own library, finds in a capture, a
 * line each: "sample PID TID CPU outermost;...;innermost", "allocation PID TID BYTES stack",
 * "process PID NAME", "mark PID DURATION group name", "value NUMBER VALUE".
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sysprof-capture.h>

#define MOST_NAMES (1u << 20)

static const char *names[MOST_NAMES];

static void read_names(const SysprofCaptureJitmap *jitmap)
{
	SysprofCaptureJitmapIter iter;
	SysprofCaptureAddress address;
	const char *name;

	sysprof_capture_jitmap_iter_init(&iter, jitmap);
	while (sysprof_capture_jitmap_iter_next(&iter, &address, &name)) {
		address -= SYSPROF_CAPTURE_JITMAP_MARK;
		if (address < MOST_NAMES)
			names[address] = strdup(name);
	}
}

static void print_stack(const SysprofCaptureAddress *addresses, unsigned n)
{
	for (unsigned i = n; i > 0; i--) {
		uint64_t number = addresses[i - 1] - SYSPROF_CAPTURE_JITMAP_MARK;

		printf("%s%s", i < n ? ";" : " ",
		       number < MOST_NAMES && names[number] ? names[number] : "?");
	}
	putchar('\n');
}

static void print_values(const SysprofCaptureCounterSet *set)
{
	for (unsigned i = 0; i < set->n_values; i++)
		for (unsigned j = 0; j < 8; j++)
			if (set->values[i].ids[j])
				printf("value %" PRIu32 " %g\n", set->values[i].ids[j],
				       set->values[i].values[j].vdbl);
}

/* False: it cannot be read, or is of a type that nobody asked for. */
static bool print_frame(SysprofCaptureReader *reader, SysprofCaptureFrameType type)
{
	const SysprofCaptureJitmap *jitmap;
	const SysprofCaptureSample *sample;
	const SysprofCaptureAllocation *allocation;
	const SysprofCaptureProcess *process;
	const SysprofCaptureMark *mark;
	const SysprofCaptureLog *line;
	const SysprofCaptureCounterSet *set;

	switch (type) {
	case SYSPROF_CAPTURE_FRAME_JITMAP:
		if (!(jitmap = sysprof_capture_reader_read_jitmap(reader)))
			return false;
		read_names(jitmap);
		return true;
	case SYSPROF_CAPTURE_FRAME_SAMPLE:
		if (!(sample = sysprof_capture_reader_read_sample(reader)))
			return false;
		printf("sample %d %d %d", sample->frame.pid, sample->tid, sample->frame.cpu);
		print_stack(sample->addrs, sample->n_addrs);
		return true;
	case SYSPROF_CAPTURE_FRAME_ALLOCATION:
		if (!(allocation = sysprof_capture_reader_read_allocation(reader)))
			return false;
		printf("allocation %d %d %" PRId64, allocation->frame.pid, allocation->tid,
		       allocation->alloc_size);
		print_stack(allocation->addrs, allocation->n_addrs);
		return true;
	case SYSPROF_CAPTURE_FRAME_PROCESS:
		if (!(process = sysprof_capture_reader_read_process(reader)))
			return false;
		printf("process %d %s\n", process->frame.pid, process->cmdline);
		return true;
	case SYSPROF_CAPTURE_FRAME_MARK:
		if (!(mark = sysprof_capture_reader_read_mark(reader)))
			return false;
		printf("mark %d %" PRId64 " %s %s\n", mark->frame.pid, mark->duration, mark->group,
		       mark->name);
		return true;
	case SYSPROF_CAPTURE_FRAME_CTRDEF:
		return sysprof_capture_reader_read_counter_define(reader);
	case SYSPROF_CAPTURE_FRAME_LOG:
		if (!(line = sysprof_capture_reader_read_log(reader)))
			return false;
		printf("log %d %d %s %s\n", line->frame.pid, line->severity, line->domain,
		       line->message);
		return true;
	case SYSPROF_CAPTURE_FRAME_CTRSET:
		if (!(set = sysprof_capture_reader_read_counter_set(reader)))
			return false;
		print_values(set);
		return true;
	default:
		return false;
	}
}

int main(int argc, char **argv)
{
	SysprofCaptureReader *reader = argc == 2 ? sysprof_capture_reader_new(argv[1]) : NULL;
	SysprofCaptureFrameType type;

	if (!reader) {
		fprintf(stderr, "syscap-read: the library cannot open it\n");
		return 1;
	}
	printf("time %" PRId64 " %" PRId64 "\n", sysprof_capture_reader_get_start_time(reader),
	       sysprof_capture_reader_get_end_time(reader));
	while (sysprof_capture_reader_peek_type(reader, &type))
		if (!print_frame(reader, type)) {
			fprintf(stderr, "syscap-read: a frame of type %d cannot be read\n", type);
			return 1;
		}
	return 0;
}
