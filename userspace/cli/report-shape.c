/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From options to the shape of stacks. */
#include "report-shape.h"

#include "cmd.h"

void spt_shape_options_add(struct spt_shape_options *options, GArray *entries)
{
	const GOptionEntry ours[] = {
		{ "hide", 0, 0, G_OPTION_ARG_STRING, &options->hide,
		  "Leave out functions: names with * and ?, as in 'malloc|std::*', or /REGEX/; their time counts for their callers",
		  "FNS" },
		{ "merge", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->merge,
		  "Count these functions as one, as in 'malloc|*_malloc' (may be repeated)", "FNS" },
		{ "root-at", 0, 0, G_OPTION_ARG_STRING, &options->root_at,
		  "Begin stacks at these functions, and leave out stacks without them", "FNS" },
		{ "fold-recursion", 0, 0, G_OPTION_ARG_NONE, &options->folds_recursion,
		  "Show a function that calls itself once, with all that it called below it", NULL },
	};

	g_array_append_vals(entries, ours, G_N_ELEMENTS(ours));
}

void spt_shape_options_clear(struct spt_shape_options *options)
{
	g_free(options->hide);
	g_free(options->root_at);
	g_strfreev(options->merge);
	g_clear_pointer(&options->hidden, spt_pattern_free);
	g_clear_pointer(&options->root, spt_pattern_free);
	g_clear_pointer(&options->merged, g_ptr_array_unref);
}

/* NULL: complained, unless @text is. */
static SptPattern *parse(const char *option, const char *text)
{
	g_autoptr(GError) error = NULL;
	SptPattern *pattern = spt_pattern_new(text, &error);

	if (!pattern)
		spt_cli_complain("--%s %s: %s", option, text, error->message);
	return pattern;
}

bool spt_shape_options_parse(struct spt_shape_options *options)
{
	if (options->hide && !(options->hidden = parse("hide", options->hide)))
		return false;
	if (options->root_at && !(options->root = parse("root-at", options->root_at)))
		return false;
	options->merged = g_ptr_array_new_with_free_func((GDestroyNotify)spt_pattern_free);
	for (char **text = options->merge; text && *text; text++) {
		SptPattern *pattern = parse("merge", *text);

		if (!pattern)
			return false;
		g_ptr_array_add(options->merged, pattern);
	}
	options->shape = (SptShape){
		.hidden = options->hidden,
		.merged = (const SptPattern *const *)options->merged->pdata,
		.n_merged = options->merged->len,
		.root = options->root,
		.folds_recursion = options->folds_recursion,
	};
	return true;
}

void spt_shape_options_apply(const struct spt_shape_options *options, SptProfile **profile)
{
	SptProfile *reshaped;

	if (!*profile || spt_shape_is_plain(&options->shape))
		return;
	reshaped = spt_profile_reshape(*profile, &options->shape);
	spt_profile_free(*profile);
	*profile = reshaped;
}
