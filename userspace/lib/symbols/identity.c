/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/identity.h"

#include <string.h>
#include <sys/stat.h>

#include "base/words.h"

const char *spt_identity_problem(const SptObjectRow *row, const SptObject *image)
{
	struct stat st;
	unsigned n;
	const uint8_t *id = spt_object_build_id(image, &n);

	/* The device cuts long build-ids, so the recorded one may be the first part. */
	if (row->build_id_bytes > 0) {
		if (n >= row->build_id_bytes && row->build_id_bytes <= sizeof(row->build_id) &&
		    memcmp(id, row->build_id, row->build_id_bytes) == 0)
			return NULL;
		return SPT_WORDS("is not the file that was recorded (its build-id differs)");
	}
	if (row->mtime_ns == 0)
		return SPT_WORDS(
			"cannot be identified (neither a build-id nor a time was recorded)");
	if (fstat(spt_object_fd(image), &st) != 0)
		return SPT_WORDS("cannot be looked at");
	if ((uint64_t)st.st_size != row->bytes)
		return SPT_WORDS("is not the file that was recorded (its size differs)");
	if ((uint64_t)st.st_mtim.tv_sec * 1000000000u + st.st_mtim.tv_nsec != row->mtime_ns)
		return SPT_WORDS("is not the file that was recorded (it was changed since)");
	return NULL;
}
