/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An object's hue comes from its name, so it needs no memory of earlier pictures. */
#include "palette.h"

#include <adwaita.h>

#include "preferences.h"
#include "profile/categories.h"

#define SHADES 3
#define SHADE_STEP 0.035f

static GdkRGBA palette_color_of(unsigned rgb)
{
	return (GdkRGBA){ (float)(rgb >> 16) / 255, (float)(rgb >> 8 & 0xff) / 255,
			  (float)(rgb & 0xff) / 255, 1 };
}

/* Neighbours of one object have different shades. */
static GdkRGBA shade(GdkRGBA color, const char *name)
{
	float by = 1 - SHADE_STEP * (float)(g_str_hash(name) % SHADES);

	return (GdkRGBA){ color.red * by, color.green * by, color.blue * by, 1 };
}

GdkRGBA spt_palette_object(unsigned i)
{
	static const unsigned objects[] = { 0xf6c26b, 0xb7d98b, 0x8fd8c6, 0xf3aea6,
					    0xd9c3f0, 0xe6d86e, 0xf2c3a0, 0xc9d3a8 };

	return palette_color_of(objects[i % G_N_ELEMENTS(objects)]);
}

GdkRGBA spt_palette_color(const SptFunction *function)
{
	static const unsigned kernel = 0x9cc6f0, process = 0xcdd1d6, nameless = 0xe9dcc5,
			      user = 0xf2b56b;

	if (!function || function->is_process)
		return shade(palette_color_of(process), function ? function->name : "");
	if (function->is_kernel)
		return shade(palette_color_of(kernel), function->name);
	if (spt_preferences_colors() == SPT_COLORS_SIDE)
		return shade(palette_color_of(user), function->name);
	if (!function->has_symbol)
		return shade(palette_color_of(nameless), function->name);
	return shade(spt_palette_object(g_str_hash(function->object)), function->name);
}

GdkRGBA spt_palette_category(uint32_t category)
{
	static const unsigned categories[] = { 0xf6c26b, 0x9cc6f0, 0xb7d98b, 0xf3aea6,
					       0xd9c3f0, 0x8fd8c6, 0xe6d86e, 0xd5b48c,
					       0xa9b7ee, 0xf2a7cf, 0xc3e6c8, 0xb9d0d4 };
	static const unsigned other = 0xe8e2d8;

	return palette_color_of(category == SPT_CATEGORY_OTHER ?
					other :
					categories[(category - 1) % G_N_ELEMENTS(categories)]);
}

GdkRGBA spt_palette_change(double part)
{
	/* Most of a picture: it has to be near the background, and a name readable on it. */
	bool is_dark = adw_style_manager_get_dark(adw_style_manager_get_default());
	const GdkRGBA same = palette_color_of(is_dark ? 0x9a9a9e : 0xe4e4e4),
		      most = part > 0 ? palette_color_of(0xf0806c) : palette_color_of(0x6ea2f0);
	float by = (float)CLAMP(part > 0 ? part : -part, 0, 1);

	return (GdkRGBA){ same.red + (most.red - same.red) * by,
			  same.green + (most.green - same.green) * by,
			  same.blue + (most.blue - same.blue) * by, 1 };
}
