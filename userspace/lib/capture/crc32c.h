/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CRC32C (Castagnoli), the checksum of a capture's blocks. */
#ifndef SPT_CRC32C_H
#define SPT_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of @data behind the data that @crc covers; 0 to begin. */
uint32_t spt_crc32c(uint32_t crc, const void *data, size_t bytes);

#endif
