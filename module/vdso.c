// SPDX-License-Identifier: GPL-2.0-only
/*
 * The vdso: code that the kernel maps into every process, without a file.  It is found in the
 * process that loads this module.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

#include "arch.h"
#include "build-id.h"
#include "sysprof.h"
#include "vdso.h"

#define VDSO_PATH	"[vdso]"
#define VDSO_MAX_BYTES	(256U << 10)

/* The private data that all its mappings share. */
static const void *vdso_data;
static u64 vdso_buffer[DIV_ROUND_UP(sizeof(struct sysprof_object) + sizeof(VDSO_PATH),
				    sizeof(u64))];
static const struct sysprof_object *vdso_record;

bool sysprof_vdso_is(const struct vm_area_struct *vma)
{
	return vdso_data && vma->vm_private_data == vdso_data;
}

const struct sysprof_object *sysprof_vdso_record(void)
{
	return vdso_record;
}

static void vdso_describe(unsigned long address, size_t bytes)
{
	struct sysprof_object *record = (struct sysprof_object *)vdso_buffer;
	void *image = kvmalloc(bytes, GFP_KERNEL);

	if (image && !copy_from_user(image, (void __user *)address, bytes)) {
		record->record.type = SYSPROF_OBJECT;
		record->record.size = ARRAY_SIZE(vdso_buffer);
		record->object = SYSPROF_OBJECT_VDSO;
		record->bytes = bytes;
		record->path_bytes = strlen(VDSO_PATH);
		strcpy(record->path, VDSO_PATH);
		sysprof_build_id_of_memory(image, bytes, record);
		vdso_record = record;
	}
	kvfree(image);
}

void sysprof_vdso_init(void)
{
	unsigned long address = sysprof_arch_vdso();
	struct vm_area_struct *vma;
	size_t bytes = 0;

	if (!address)
		return;
	mmap_read_lock(current->mm);
	vma = find_vma(current->mm, address);
	if (vma && vma->vm_start <= address && !vma->vm_file) {
		vdso_data = vma->vm_private_data;
		bytes = vma->vm_end - address;
	}
	mmap_read_unlock(current->mm);
	if (bytes && bytes <= VDSO_MAX_BYTES)
		vdso_describe(address, bytes);
}
