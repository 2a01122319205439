// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A BPF program as a socket's filter, most of whose time goes to it: it drops whatever is sent.
 * Needs root, and a kernel that compiles such programs.
 */
#include "workload.h"

#include <linux/bpf.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* More of them are no filter on older kernels (net.core.optmem_max). */
#define INSTRUCTIONS	2000

static int load_filter(void)
{
	static struct bpf_insn code[INSTRUCTIONS + 2];
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insn_cnt = INSTRUCTIONS + 2,
		.insns = (uintptr_t)code,
		.license = (uintptr_t)"GPL",
		.prog_name = "bpf_work",
	};
	int fd;

	code[0] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K };
	/*
	 * Multiplications, which depend on one another, by an even number: it ends at 0, which
	 * drops.
	 */
	for (unsigned i = 1; i <= INSTRUCTIONS; i++)
		code[i] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MUL | BPF_K, .imm = 6 };
	code[INSTRUCTIONS + 1] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd < 0)
		err(1, "cannot load a BPF program");
	return fd;
}

int main(int argc, char **argv)
{
	uint64_t budget = cpu_budget_ns(argc, argv, 2);
	int ends[2], filter = load_filter();

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) ||
	    setsockopt(ends[1], SOL_SOCKET, SO_ATTACH_BPF, &filter, sizeof(filter)))
		err(1, "cannot filter a socket");
	while (process_cpu_ns() < budget)
		if (send(ends[0], "x", 1, 0) != 1)
			err(1, "cannot send");
	truth("bpf", process_cpu_ns());
	return 0;
}
