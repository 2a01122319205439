/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/script-chains.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rings/chains.h"
#include "scripts/program.h"

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

struct SptScriptChains {
	struct spt_chains *shared;
	int fd;
	char *path;
	GMutex lock;			/* of those who put one */
};

SptScriptChains *spt_script_chains_new(void)
{
	g_autoptr(SptScriptChains) chains = g_new0(SptScriptChains, 1);
	void *at = MAP_FAILED;

	g_mutex_init(&chains->lock);
	chains->fd = memfd_create("sysprof-chains", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (chains->fd >= 0 && ftruncate(chains->fd, sizeof(*chains->shared)) == 0)
		at = mmap(NULL, sizeof(*chains->shared), PROT_READ | PROT_WRITE, MAP_SHARED,
			  chains->fd, 0);
	if (at == MAP_FAILED)
		return NULL;
	chains->shared = at;
	/* From now on nobody else can write. */
	if (fcntl(chains->fd, F_ADD_SEALS,
		  F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) != 0)
		return NULL;
	chains->shared->magic = SPT_CHAINS_MAGIC;
	chains->path = g_strdup_printf("/proc/%d/fd/%d", (int)getpid(), chains->fd);
	return g_steal_pointer(&chains);
}

void spt_script_chains_free(SptScriptChains *chains)
{
	if (!chains)
		return;
	if (chains->shared)
		munmap(chains->shared, sizeof(*chains->shared));
	if (chains->fd >= 0)
		close(chains->fd);
	g_mutex_clear(&chains->lock);
	g_free(chains->path);
	g_free(chains);
}

const char *spt_script_chains_path(const SptScriptChains *chains)
{
	return chains->path;
}

static bool script_chains_has(const struct spt_chains *shared, const struct spt_chains_entry *entry)
{
	for (uint32_t i = 0; i < shared->n; i++)
		if (!memcmp(&shared->entry[i], entry, offsetof(struct spt_chains_entry, chain)))
			return true;
	return false;
}

bool spt_script_chains_put(SptScriptChains *chains, const SptObject *file, GBytes *chain)
{
	struct spt_chains *shared = chains->shared;
	struct spt_chains_entry entry = { .path_hash = spt_chains_hash(spt_object_name(file)) };
	struct stat stat;
	bool has;

	/* A program of frames needs the native frames of code that was made at run time. */
	if (!spt_program_fits(chain) || !spt_program_is_of_stacks(chain) ||
	    g_bytes_get_size(chain) > sizeof(entry.chain) || fstat(spt_object_fd(file), &stat) != 0)
		return false;
	entry.device = stat.st_dev;
	entry.inode = stat.st_ino;
	entry.bytes = g_bytes_get_size(chain);
	memcpy(entry.chain, g_bytes_get_data(chain, NULL), entry.bytes);
	g_mutex_lock(&chains->lock);
	has = script_chains_has(shared, &entry);
	if (!has && shared->n < SPT_CHAINS_MOST) {
		shared->entry[shared->n] = entry;
		/* Pairs with the acquire in spt_chains_look(). */
		__atomic_store_n(&shared->n, shared->n + 1, __ATOMIC_RELEASE);
		has = true;
	}
	g_mutex_unlock(&chains->lock);
	return has;
}
