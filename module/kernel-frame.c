// SPDX-License-Identifier: GPL-2.0-only
/* The encoding of frames that keeps kernel addresses in the kernel. */
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/kallsyms.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/random.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "arch.h"
#include "compat/export.h"
#include "kernel-frame.h"
#include "sysprof.h"

/*
 * Any exported function of the image serves as ANCHOR: distances between its addresses are the same
 * at every boot.
 */
#define ANCHOR ((unsigned long)&sprint_symbol)
#define IMAGE_MAX SZ_512M

/*
 * The image's ends are found by symbols of kallsyms.  So they are at the same distance from ANCHOR
 * wherever the image is, and reveal no address.
 */
static unsigned long image_start, image_bytes;
static unsigned long area_start;
static u64 module_secret;

/*
 * The module area in pieces of the same size (a page on x86), with a bit for those that had a frame
 * in a sample.  The time of a look-up depends on what is near the address.  So unprivileged openers
 * get no look-up for pieces that no sample has shown: they could find the edges of the area.  A
 * useless look-up for every such frame would cost the same, but still show what is where.
 */
#define PIECES (1UL << 18)
static unsigned int piece_shift;
/* The last one, never shown, represents everything outside. */
static DECLARE_BITMAP(shown, PIECES + 1);

static bool is_named_image(unsigned long ip)
{
	char text[KSYM_SYMBOL_LEN];

	sprint_symbol_no_offset(text, ip);
	return strncmp(text, "0x", 2) && !strchr(text, '[');
}

/* The last of the image's addresses from ANCHOR on, in direction @sign. */
static unsigned long edge(int sign)
{
	unsigned long in = 0, out = IMAGE_MAX, middle;

	while (out - in > sizeof(u32)) {
		middle = ALIGN_DOWN(in + (out - in) / 2, sizeof(u32));
		if (is_named_image(ANCHOR + sign * middle))
			in = middle;
		else
			out = middle;
	}
	return ANCHOR + sign * in;
}

void sysprof_kernel_frame_init(void)
{
	unsigned long bytes;

	image_start = edge(-1);
	image_bytes = edge(1) + sizeof(u32) - image_start;
	area_start = sysprof_arch_module_area(ANCHOR, &bytes);
	piece_shift = order_base_2(bytes) - ilog2(PIECES);
	module_secret = get_random_u64();
}

static bool is_image(unsigned long ip)
{
	return ip - image_start < image_bytes;
}

static unsigned long piece_of(unsigned long ip)
{
	return min((ip - area_start) >> piece_shift, PIECES);
}

static u64 frame(u64 object, u64 offset)
{
	return object << SYSPROF_FRAME_OBJECT_SHIFT | (offset & SYSPROF_FRAME_OFFSET_MASK);
}

u64 sysprof_kernel_frame_encode(unsigned long ip)
{
	unsigned long piece;

	if (is_image(ip))
		return frame(SYSPROF_OBJECT_KERNEL, ip - ANCHOR);
	piece = piece_of(ip);
	if (piece == PIECES)
		return 0;
	/* Most bits are set already: their cache line stays shared between CPUs. */
	if (!test_bit(piece, shown))
		set_bit(piece, shown);
	return frame(SYSPROF_OBJECT_MODULES, ip - area_start + module_secret);
}
SYSPROF_EXPORT(sysprof_kernel_frame_encode);

/* Both kinds are always decoded, so that all refused ones take the same path. */
unsigned long sysprof_kernel_frame_decode(u64 value, bool privileged)
{
	u64 object = value >> SYSPROF_FRAME_OBJECT_SHIFT;
	u64 offset = value & SYSPROF_FRAME_OFFSET_MASK;
	unsigned long image = ANCHOR + sign_extend64(offset, SYSPROF_FRAME_OBJECT_SHIFT - 1);
	unsigned long module = area_start + ((offset - module_secret) & SYSPROF_FRAME_OFFSET_MASK);
	unsigned long piece = piece_of(module);
	bool in_image = is_image(image), beside_image = !is_image(module);
	bool is_shown = test_bit(piece, shown), is_area = piece < PIECES;
	bool is_kernel = (object == SYSPROF_OBJECT_KERNEL) & in_image;
	bool is_module = (object == SYSPROF_OBJECT_MODULES) & beside_image &
			 (is_shown | (privileged & is_area));

	return (image & -(unsigned long)is_kernel) | (module & -(unsigned long)is_module);
}
