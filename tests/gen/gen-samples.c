/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gen-samples OUT SAMPLES STACKS [SEED]: a capture of any size, for measuring.
 *
 * STACKS distinct raw stacks, each of which occurs (a few far more often than most), about 20
 * frames deep, grown as real ones are: by leaving an earlier one somewhere and going on by other
 * calls.  Every function calls a few others from up to four places each, so that several raw stacks
 * fold into one path.  All functions are named in the file.
 */
#include <stdio.h>
#include <stdlib.h>

#include "capture/capture.h"

#define FUNCTIONS 6000u
#define FUNCTION_BYTES 256u
#define FILES 24u
#define KERNEL (FILES + 1)
#define KERNEL_FUNCTIONS 1500u		/* the last of all */
#define CALLEES 6u
#define SITES 4u
#define PROCESSES 12u
#define CPUS 4u
#define PERIOD_NS 1000000ull
#define BEGIN_NS 5000000000ull
#define DEPTH_MAX 48u
#define FLUSH_SAMPLES 250000u

struct stack {
	uint32_t node, process;
};

struct generator {
	SptCaptureWriter *writer;
	SptStash *stash;
	struct stack *stacks;
	uint64_t random;
};

static uint64_t random_below(struct generator *generator, uint64_t n)
{
	generator->random ^= generator->random << 13;
	generator->random ^= generator->random >> 7;
	generator->random ^= generator->random << 17;
	return (generator->random >> 11) % n;
}

static uint32_t object_of(uint32_t function)
{
	return function >= FUNCTIONS - KERNEL_FUNCTIONS ? KERNEL : 1 + function % FILES;
}

static void write_state(SptCaptureWriter *writer)
{
	spt_capture_writer_host(writer, "host", "generated");
	spt_capture_writer_host(writer, "cpus", "4");
	spt_capture_writer_host(writer, "period_ns", "1000000");
	spt_capture_writer_host(writer, "start_time", "5000000000");
	for (uint32_t i = 1; i <= FILES; i++) {
		g_autofree char *path = g_strdup_printf("/usr/lib/generated/libpart%u.so", i);

		spt_capture_writer_object(writer, &(SptObjectRow){
							  .id = i,
							  .kind = SPT_OBJECT_FILE,
							  .path = path,
							  .build_id = { 0x5a, (uint8_t)i },
							  .build_id_bytes = 20,
							  .inode = 1000 + i,
							  .bytes = 4u << 20,
							  .mtime_ns = BEGIN_NS,
						  });
	}
	spt_capture_writer_object(writer,
				  &(SptObjectRow){ .id = KERNEL, .kind = SPT_OBJECT_KERNEL });
	for (uint32_t i = 1; i <= PROCESSES; i++) {
		g_autofree char *name = g_strdup_printf("worker-%c", (int)('a' + i % 5));

		spt_capture_writer_process(writer, &(SptProcessRow){
							   .id = i, .pid = 100 + i, .name = name });
		spt_capture_writer_thread(writer, &(SptThreadRow){ .id = 2 * i - 1,
								   .process = i,
								   .tid = 100 + i,
								   .name = name });
		spt_capture_writer_thread(writer, &(SptThreadRow){ .id = 2 * i,
								   .process = i,
								   .tid = 200 + i,
								   .name = "helper" });
	}
	for (uint32_t function = 0; function < FUNCTIONS; function++) {
		static const char *const verbs[] = { "parse",  "render", "copy", "lookup",
						     "insert", "flush",	 "hash", "walk" };
		g_autofree char *symbol =
			g_strdup_printf("%s_item_%u", verbs[function % 8], function);

		for (uint32_t site = 0; site < SITES; site++)
			spt_capture_writer_name(
				writer, &(SptNameRow){
						.object = object_of(function),
						.offset = function * FUNCTION_BYTES + 16 * site,
						.symbol = symbol,
						.distance = 16 * site,
						.symbol_bytes = FUNCTION_BYTES,
					});
	}
}

static uint32_t function_at(const SptStash *stash, uint32_t node)
{
	return node == 0 ? 0 :
			   (uint32_t)(spt_stash_node(stash, node)->frame.offset / FUNCTION_BYTES);
}

static uint32_t depth_of(const SptStash *stash, uint32_t node)
{
	uint32_t depth = 0;

	for (; node != 0; node = spt_stash_node(stash, node)->parent)
		depth++;
	return depth;
}

/* One call further down. */
static uint32_t descend(struct generator *generator, uint32_t node)
{
	uint32_t callee = (function_at(generator->stash, node) * 7 + 1 +
			   (uint32_t)random_below(generator, CALLEES)) %
			  FUNCTIONS;
	SptFrame frame = {
		.object = object_of(callee),
		.offset = callee * FUNCTION_BYTES + 16 * random_below(generator, SITES),
		.kind = SPT_FRAME_CALL,
	};

	return spt_stash_child(generator->stash, node, &frame);
}

static void grow_stacks(struct generator *generator, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct stack *stack = &generator->stacks[i];
		uint32_t known = 0, depth;

		if (i % 1000 >= PROCESSES) {
			*stack = generator->stacks[random_below(generator, i)];
			for (uint64_t up = random_below(generator, 5); up > 0 && stack->node != 0;
			     up--)
				stack->node = spt_stash_node(generator->stash, stack->node)->parent;
		} else {
			stack->node = 0;
			stack->process = i % PROCESSES;
			for (unsigned frame = 0; frame < 14; frame++)
				stack->node = descend(generator, stack->node);
		}
		/* Until it is a new one. */
		for (depth = depth_of(generator->stash, stack->node); known == 0; depth++) {
			uint32_t before = spt_stash_n_nodes(generator->stash);

			if (depth >= DEPTH_MAX) {
				stack->node = 0;
				depth = 0;
			}
			stack->node = descend(generator, stack->node);
			known = spt_stash_n_nodes(generator->stash) > before;
		}
	}
}

static bool write_samples(struct generator *generator, uint64_t n_samples, uint32_t n_stacks,
			  GError **error)
{
	for (uint64_t i = 0; i < n_samples; i++) {
		uint64_t at = random_below(generator, 1u << 20), all = 1u << 20;
		/*
		 * Each stack once, spread over the recording; between them, mostly the first ones.
		 */
		uint64_t every = i * n_stacks / n_samples;
		bool is_new = i == 0 || every != (i - 1) * n_stacks / n_samples;
		const struct stack *stack =
			&generator->stacks[is_new ? every :
						    at * at / all * at / all * n_stacks / all];

		spt_capture_writer_sample(
			generator->writer,
			&(SptSampleRow){
				.time = BEGIN_NS + i / CPUS * PERIOD_NS +
					random_below(generator, PERIOD_NS / 2),
				.cpu = i % CPUS,
				.thread = 1 + 2 * stack->process + (uint32_t)(i % 3 == 0),
				.node = stack->node,
				.weight = 1,
				.delay_ns = 500 + random_below(generator, 3000),
				.context = spt_stash_node(generator->stash, stack->node)
						   ->frame.object == KERNEL,
			});
		if (i % FLUSH_SAMPLES == FLUSH_SAMPLES - 1 &&
		    !spt_capture_writer_flush(generator->writer, generator->stash, error))
			return false;
	}
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		uint64_t delivered = n_samples / CPUS + (cpu < n_samples % CPUS);

		spt_capture_writer_account(generator->writer,
					   &(SptAccountRow){
						   .time = BEGIN_NS + n_samples / CPUS * PERIOD_NS,
						   .cpu = cpu,
						   .grid = delivered,
						   .delivered = delivered,
						   .samples = delivered,
						   .cost_ns = delivered * 900,
						   .ticks = delivered,
					   });
	}
	return true;
}

static bool generate(const char *path, uint64_t n_samples, uint32_t n_stacks, uint64_t seed,
		     GError **error)
{
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(SptCaptureWriter) writer = spt_capture_writer_new(path, error);
	struct generator generator = { .writer = writer, .stash = stash, .random = seed };
	bool ok;

	if (!writer)
		return false;
	generator.stacks = g_new0(struct stack, n_stacks);
	write_state(writer);
	grow_stacks(&generator, n_stacks);
	ok = write_samples(&generator, n_samples, n_stacks, error) &&
	     spt_capture_writer_finish(writer, stash, BEGIN_NS + n_samples / CPUS * PERIOD_NS,
				       error);
	g_free(generator.stacks);
	return ok;
}

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	uint64_t n_samples, n_stacks, seed = 88172645463325252u;

	if (argc < 4 || argc > 5 ||
	    !g_ascii_string_to_unsigned(argv[2], 10, 1, 1u << 30, &n_samples, NULL) ||
	    !g_ascii_string_to_unsigned(argv[3], 10, 1, n_samples, &n_stacks, NULL) ||
	    (argc == 5 && !g_ascii_string_to_unsigned(argv[4], 10, 1, G_MAXUINT64, &seed, NULL))) {
		fprintf(stderr,
			"Usage: gen-samples OUT SAMPLES STACKS [SEED], with STACKS at most SAMPLES\n");
		return 2;
	}
	if (!generate(argv[1], n_samples, (uint32_t)n_stacks, seed, &error)) {
		fprintf(stderr, "gen-samples: %s\n", error->message);
		return 1;
	}
	return 0;
}
