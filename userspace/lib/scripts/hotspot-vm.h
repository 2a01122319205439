/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What HotSpot says of itself in its file, for debuggers: where its variables and members of its
 * structs are (gHotSpotVMStructs and others).  The file may be hostile.
 */
#ifndef SPT_HOTSPOT_VM_H
#define SPT_HOTSPOT_VM_H

#include "object/object.h"

G_BEGIN_DECLS

typedef struct SptHotspotVm SptHotspotVm;

/* NULL: the file does not say anything. */
SptHotspotVm *spt_hotspot_vm_new(const SptObject *file);
void spt_hotspot_vm_free(SptHotspotVm *vm);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptHotspotVm, spt_hotspot_vm_free)

/*
 * What @name is: "TYPE::MEMBER" for its offset, or its address if it is static; "TYPE" for
 * its size; or a constant.  get(): 0 if that is not known, and missing() is @name from then on.
 */
bool spt_hotspot_vm_has(const SptHotspotVm *vm, const char *name);
int32_t spt_hotspot_vm_get(SptHotspotVm *vm, const char *name);
const char *spt_hotspot_vm_missing(const SptHotspotVm *vm);

G_END_DECLS

#endif
