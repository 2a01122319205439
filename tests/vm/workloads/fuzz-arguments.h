/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments of the device's calls, for fuzz-device: right, or nearly. */
#ifndef FUZZ_ARGUMENTS_H
#define FUZZ_ARGUMENTS_H

#include "fuzz-hand.h"

#include "sysprof-chain.h"
#include "sysprof-event.h"

enum call {
	CALL_OPEN,
	CALL_CLOSE,
	CALL_INFO,
	CALL_CONFIGURE,
	CALL_START,
	CALL_STOP,
	CALL_SNAPSHOT,
	CALL_STATS,
	CALL_NAMES,
	CALL_MAP_FD,
	CALL_RAW_WISH,
	CALL_SLOW,
	CALL_TABLE,
	CALL_CHAIN,
	CALL_REVOKE,
	CALL_TRACEABLE,
	CALL_SOURCES,
	CALL_SOURCE_INFO,
	CALL_SOURCE_STATS,
	CALL_OTHER_IOCTL,
	CALL_MMAP,
	CALL_MAPPING,
	CALL_READ,
	CALL_POLL,
	CALL_CHILD,
	CALL_MARKS,
	CALL_KINDS
};

static int own_mem;	/* /proc/self/mem */
static uint8_t build_id[20];	/* of this program */
static int program_file;	/* the file, open for reading */

static void fill_config(struct hand *hand, struct sysprof_config *config)
{
	/* Large ones are rare: pages are cleared at length, and nothing is learnt of it. */
	static const uint32_t rings[] = { 4096, 4096, 8192, 8192, 65536, 4095, 1 << 31 },
			      large[] = { 0, 1 << 20 };
	uint32_t *lists = (uint32_t *)hand->buffer;

	*config = (struct sysprof_config){
		.period_ns = one_in(hand, 64) ? number(hand) : below(hand, 8) * NS_PER_MS,
		.flags = one_in(hand, 3) ? 1U << below(hand, 6) : 0,
		.form = below(hand, 3),
		.user_mode = one_in(hand, 3) ? below(hand, 6) :
			     one_in(hand, 2) ? SYSPROF_USER_TABLE + 1 :
					       0,
		.max_kernel_frames = below(hand, 200),
		.max_user_frames = below(hand, 400),
		.ring_bytes = one_in(hand, 32) ?
				      large[below(hand, 2)] :
				      rings[below(hand, sizeof(rings) / sizeof(rings[0]))],
		.watermark_bytes = one_in(hand, 2) ? number(hand) : 0,
		.cgroup_fd = one_in(hand, 8) ? slot(hand) : 0,
		.raw_bytes = one_in(hand, 16) ? number(hand) : 0,
	};
	if (one_in(hand, 3)) {
		lists[0] = getpid();
		lists[1] = number(hand);
		config->nr_pids = below(hand, 3);
		config->pids = (uintptr_t)lists;
		config->nr_uids = below(hand, 3);
		config->uids = (uintptr_t)(lists + 1);
		config->cpus_bytes = 8 * below(hand, 3);
		config->cpus = (uintptr_t)(lists + 2);
	}
	if (one_in(hand, 16))
		config->pids = (uintptr_t)place(hand, 256);
}

/*
 * A table that is nearly one, in the buffer's second half, often of this very program: each
 * session that samples it follows it.
 */
static void fill_table(struct hand *hand, struct sysprof_table *arg)
{
	uint8_t *at = hand->buffer + BUFFER_BYTES / 2;
	struct sysprof_table_header *header = (void *)at;
	uint32_t n_rows = below(hand, 64), n_rules = 1 + below(hand, 8),
		 *offsets = (void *)(header + 1), offset = 0;
	uint16_t *rules = (void *)(offsets + n_rows);
	struct sysprof_table_rule *rule = (void *)(at + sizeof(*header) + (n_rows * 6 + 7) / 8 * 8);
	uint32_t n_starts = below(hand, 16), *starts = (void *)(rule + n_rules);

	*header = (struct sysprof_table_header){ SYSPROF_TABLE_MAGIC, SYSPROF_TABLE_VERSION, 62,
						 n_rows, n_rules, n_starts, 0 };
	memset(header + 1, 0,
	       (n_rows * 6 + 7) / 8 * 8 + n_rules * sizeof(*rule) + (n_starts * 4 + 7) / 8 * 8);
	for (uint32_t i = 0; i < n_rows; i++) {
		offsets[i] = offset;
		offset += 1 + below(hand, 4096);
		rules[i] = i + 1 < n_rows ? below(hand, n_rules) : 0;
	}
	for (uint32_t i = 0; i < n_starts; i++)
		starts[i] = i * 512 + below(hand, 512);
	for (uint32_t i = 1; i < n_rules; i++) {
		rule[i] = (struct sysprof_table_rule){
			.cfa = below(hand, 6),
			.cfa_register = one_in(hand, 2) ? 7 : below(hand, 16),
			.ra = one_in(hand, 2) ? 1 : below(hand, 3),
			.ra_register = below(hand, 16),
			.index_register = below(hand, 16),
			.is_signal = one_in(hand, 4),
			.at_cfa = one_in(hand, 2) ? 2 : 0,
			.at_fp = one_in(hand, 4) ? 1 : 0,
			.lost = one_in(hand, 4) ? 4 : 0,
			.cfa_offset = one_in(hand, 4) ? (int32_t)number(hand) :
							(int32_t)(8 * below(hand, 64)),
			.cfa_add = one_in(hand, 4) ? (int32_t)number(hand) : 8,
			.ra_offset = one_in(hand, 4) ? (int32_t)number(hand) :
						       -8 * (int32_t)below(hand, 4),
			.saved = { (int16_t)number(hand), -2 },
		};
	}
	if (one_in(hand, 8))
		at[below(hand, 4096)] = number(hand);
	arg->table = one_in(hand, 16) ? (uintptr_t)place(hand, 4096) : (uintptr_t)at;
	arg->bytes = one_in(hand, 16) ? (uint32_t)number(hand) :
					(uint32_t)((uint8_t *)(starts + (n_starts + 1) / 2 * 2) -
						   at);
	arg->build_id_bytes = 20;
	memcpy(arg->build_id, build_id, 20);
	/* Of many programs, that are not there. */
	if (one_in(hand, 2))
		arg->build_id[0] = number(hand);
	if (one_in(hand, 2)) {
		arg->flags = SYSPROF_TABLE_OF_FILE;
		arg->build_id_bytes = 0;
		memset(arg->build_id, 0, sizeof(arg->build_id));
		arg->fd = one_in(hand, 4) ? slot(hand) : program_file;
	}
}

/*
 * A chain that is nearly one, in the buffer's second half, often of this very program: it walks
 * whatever is in that buffer, as a list or by loads from here and there.
 */
static void fill_chain(struct hand *hand, struct sysprof_chain *arg)
{
	struct {
		struct sysprof_chain_header header;
		struct sysprof_chain_list list;
		struct sysprof_chain_span span;
		struct sysprof_chain_insn insn[32];
	} *chain = (void *)(hand->buffer + BUFFER_BYTES / 2);
	uint64_t there = (uintptr_t)hand->buffer + 8 * below(hand, 512);
	unsigned n = 8 + below(hand, 25), i = 5;

	memset(chain, 0, sizeof(*chain));
	chain->header = (struct sysprof_chain_header){
		.magic = SYSPROF_CHAIN_MAGIC,
		.version = SYSPROF_CHAIN_VERSION,
		.machine = 62,
		.max_frames = 1 + below(hand, SYSPROF_CHAIN_MAX_FRAMES),
		.flags = one_in(hand, 4) ? SYSPROF_CHAIN_FRAMES : 0,
		.n_insns = n,
		.n_lists = 1,
		.n_spans = 1,
	};
	chain->list = (struct sysprof_chain_list){
		.code = 8 * below(hand, 8),
		.next = 8 * below(hand, 8),
		.position = 8 * below(hand, 8),
		.position_bytes = 8,
		.flag_kind = below(hand, 4),
	};
	chain->span = (struct sysprof_chain_span){
		.path = { one_in(hand, 2) ? SYSPROF_SPAN_NONE : 8 * below(hand, 8),
			  SYSPROF_SPAN_NONE, SYSPROF_SPAN_NONE },
		.length = one_in(hand, 2) ? SYSPROF_SPAN_NONE : 8 * below(hand, 8),
		.length_bytes = 8,
		.unit = SYSPROF_SPAN_NONE,
		.max = below(hand, 4096),
	};
	chain->insn[0] = (struct sysprof_chain_insn){ SYSPROF_CHAIN_MOVI, 2, 0, 0,
						      (int)(there >> 32) };
	chain->insn[1] = (struct sysprof_chain_insn){ SYSPROF_CHAIN_SHLI, 2, 2, 0, 16 };
	chain->insn[2] = (struct sysprof_chain_insn){ SYSPROF_CHAIN_ADDI, 2, 2, 0,
						      (int)(there >> 16 & 0xffff) };
	chain->insn[3] = (struct sysprof_chain_insn){ SYSPROF_CHAIN_SHLI, 2, 2, 0, 16 };
	chain->insn[4] = (struct sysprof_chain_insn){ SYSPROF_CHAIN_ADDI, 2, 2, 0,
						      (int)(there & 0xffff) };
	for (; i < n; i++) {
		bool sums = chain->header.flags && one_in(hand, 6);
		uint8_t op = sums ? SYSPROF_CHAIN_SUMS : below(hand, SYSPROF_CHAIN_LOOP);
		bool jumps = op >= SYSPROF_CHAIN_JEQI && op <= SYSPROF_CHAIN_JLT;

		chain->insn[i] = (struct sysprof_chain_insn){
			.op = op,
			.dst = below(hand, 8),
			.src = one_in(hand, 2) ? 2 : below(hand, 8),
			.jump = jumps && i + 2 < n ? below(hand, n - i - 1) : 0,
			.imm = op == SYSPROF_CHAIN_LIST ? 0 : (int)below(hand, 16),
		};
	}
	chain->insn[n - 1] = (struct sysprof_chain_insn){
		one_in(hand, 2) ? SYSPROF_CHAIN_LOOP : SYSPROF_CHAIN_END, 0, 0, 0, 0
	};
	if (one_in(hand, 8))
		((uint8_t *)chain)[below(hand, sizeof(*chain))] = number(hand);
	arg->chain = one_in(hand, 16) ? (uintptr_t)place(hand, 4096) : (uintptr_t)chain;
	arg->bytes = one_in(hand, 16) ? (uint32_t)number(hand) :
					(uint32_t)((uint8_t *)&chain->insn[n] - (uint8_t *)chain);
	if (one_in(hand, 2)) {
		arg->flags = SYSPROF_CHAIN_OF_FILE;
		arg->fd = one_in(hand, 4) ? slot(hand) : program_file;
		return;
	}
	arg->build_id_bytes = 20;
	memcpy(arg->build_id, build_id, 20);
	if (one_in(hand, 2))
		arg->build_id[0] = number(hand);
}

/* Some that are there, in the buffer's second half. */
static void fill_sources(struct hand *hand, struct sysprof_sources *arg)
{
	struct sysprof_source *sources = (void *)(hand->buffer + BUFFER_BYTES / 2);

	arg->nr = one_in(hand, 16) ? (uint32_t)number(hand) : below(hand, 4);
	arg->source_bytes = one_in(hand, 16) ? (uint32_t)number(hand) : sizeof(*sources);
	arg->sources = one_in(hand, 16) ? (uintptr_t)place(hand, 256) : (uintptr_t)sources;
	for (unsigned i = 0; i < 4; i++)
		sources[i] = (struct sysprof_source){
			.kind = one_in(hand, 8) ? below(hand, 40) : i ? 3 : 1,
			.flags = one_in(hand, 4) ? SYSPROF_SOURCE_OPTIONAL : 0,
			.stacks = i ? 0 : below(hand, 8),
			.period = one_in(hand, 3) ? 1000000 : one_in(hand, 8) ? number(hand) : 0,
			.threshold = one_in(hand, 8) ? number(hand) : 0,
		};
}

/* The argument of an ioctl: as it should be, but for what spoil() does; its size. */
static size_t fill(struct hand *hand, enum call call, void *arg)
{
	struct sysprof_snapshot *snapshot = arg;
	struct sysprof_raw_wish *wish = arg;
	struct sysprof_map_fd *map_fd = arg;
	struct sysprof_stats *stats = arg;
	struct sysprof_names *names = arg;

	memset(arg, 0, PAGE);
	switch (call) {
	case CALL_INFO:
		return sizeof(struct sysprof_info);
	case CALL_CONFIGURE:
		fill_config(hand, arg);
		return sizeof(struct sysprof_config);
	case CALL_START:
		return sizeof(struct sysprof_start);
	case CALL_SNAPSHOT:
		snapshot->part = below(hand, 4);
		snapshot->cursor = one_in(hand, 2) ? 0 : number(hand);
		snapshot->buffer_bytes = one_in(hand, 16) ? number(hand) :
					 one_in(hand, 4)  ? below(hand, 65536) :
							    65536;
		snapshot->buffer = (uintptr_t)place(hand, 65536);
		return sizeof(*snapshot);
	case CALL_STATS:
		stats->cpu = one_in(hand, 4) ? number(hand) : below(hand, 4);
		return sizeof(*stats);
	case CALL_NAMES:
		names->nr = one_in(hand, 32) ? number(hand) : below(hand, 8);
		names->names = (uintptr_t)place(hand, names->nr * sizeof(struct sysprof_name));
		for (unsigned i = 0; i < 8; i++)
			((struct sysprof_name *)(hand->buffer + BUFFER_BYTES / 2))[i].frame =
				(uint64_t)below(hand, 4) << SYSPROF_FRAME_OBJECT_SHIFT |
				(number(hand) & SYSPROF_FRAME_OFFSET_MASK);
		return sizeof(*names);
	case CALL_REVOKE:
		/* Never root's own: the session of the reader that lies has to work. */
		((struct sysprof_revoke *)arg)->uid = number(hand) | 1;
		return sizeof(struct sysprof_revoke);
	case CALL_TRACEABLE:
		((struct sysprof_traceable *)arg)->pid =
			one_in(hand, 4) ? number(hand) : (uint32_t)getpid();
		((struct sysprof_traceable *)arg)->fd = one_in(hand, 4) ? (int)number(hand) :
						       one_in(hand, 2)	? slot(hand) :
									  own_mem;
		return sizeof(struct sysprof_traceable);
	case CALL_SOURCES:
		fill_sources(hand, arg);
		return sizeof(struct sysprof_sources);
	case CALL_SOURCE_INFO:
		((struct sysprof_source_infos *)arg)->nr = below(hand, 5);
		((struct sysprof_source_infos *)arg)->info_bytes =
			one_in(hand, 8) ? (uint32_t)number(hand) :
					  sizeof(struct sysprof_source_info);
		((struct sysprof_source_infos *)arg)->infos = (uintptr_t)place(hand, 1024);
		return sizeof(struct sysprof_source_infos);
	case CALL_SOURCE_STATS:
		((struct sysprof_source_stats *)arg)->cpu =
			one_in(hand, 8) ? (uint32_t)number(hand) : below(hand, 2);
		((struct sysprof_source_stats *)arg)->source = one_in(hand, 4) ? below(hand, 5) : 1;
		return sizeof(struct sysprof_source_stats);
	case CALL_TABLE:
		fill_table(hand, arg);
		return sizeof(struct sysprof_table);
	case CALL_CHAIN:
		fill_chain(hand, arg);
		return sizeof(struct sysprof_chain);
	case CALL_SLOW:
		((struct sysprof_slow *)arg)->part =
			one_in(hand, 4) ? (uint32_t)number(hand) : below(hand, 64);
		return sizeof(struct sysprof_slow);
	case CALL_RAW_WISH:
		wish->bytes = one_in(hand, 4) ? number(hand) : below(hand, 16) * 1024;
		if (one_in(hand, 2))
			memset(wish->comm, 'a' + below(hand, 26),
			       1 + below(hand, sizeof(wish->comm)));
		return sizeof(*wish);
	default:
		map_fd->object =
			one_in(hand, 4) ? number(hand) : SYSPROF_OBJECT_FIRST + below(hand, 64);
		return sizeof(*map_fd);
	}
}

#endif
