/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Labels for engines that keep profiles of many hosts: whose a process is, by its control group.
 * Processes with equal labels are a set.
 *
 * service.name is the systemd unit, or else the container or pod, or else "system", and for threads
 * of the kernel "kernel".  systemd.unit, container.id and k8s.pod.uid are there if the path of the
 * group has them; host.name, host.arch, os.type and kernel.release are in all sets.  What a process
 * says of itself replaces and adds labels of its own service alone.
 */
#ifndef SPT_EXPORT_LABELS_H
#define SPT_EXPORT_LABELS_H

#include "capture/capture.h"

G_BEGIN_DECLS

/* All begin "KEY=", and are lists with a NULL at their end, or NULL. */
typedef struct {
	const char *const *added;	/* "KEY=VALUE": in all sets; replaces a label of that key */
	/* "KEY=PATTERN" (glob.h): with these there are only sets that match one of each key, */
	const char *const *only;
	const char *const *except;	/* ... and without sets that match one of these */
} SptLabelRules;

typedef struct {
	const char *key, *value;	/* value: one line of UTF-8 */
} SptLabel;

#define SPT_LABELS_MAX 32

typedef struct {
	unsigned n;
	SptLabel labels[SPT_LABELS_MAX];	/* in the order of their keys */
} SptLabelSet;

typedef struct SptLabels SptLabels;

/*
 * Labels that a process publishes, which stay as long as the labels do; NULL: none.  They are
 * untrusted.
 */
typedef struct {
	const SptLabelSet *(*find)(const SptProcessRow *process, void *data);
	/* What number @key means as a key of attributes of spans (links.h). */
	const char *(*find_key)(const SptProcessRow *process, unsigned key, void *data);
	void *data;
} SptLabelSource;

/* A clause about the first rule that is wrong, or NULL. */
const char *spt_label_rules_problem(const SptLabelRules *rules);
/*
 * @rules, @source: NULL for none.  Owned by the caller, as @capture is, which outlives it.
 */
SptLabels *spt_labels_new(const SptCapture *capture, const SptLabelRules *rules,
			  const SptLabelSource *source);
void spt_labels_free(SptLabels *labels);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptLabels, spt_labels_free)

unsigned spt_labels_n_sets(const SptLabels *labels);
const SptLabelSet *spt_labels_set(const SptLabels *labels, unsigned i);
/* The number of a process's set (0: of no known one); UINT_MAX: the rules leave it out. */
unsigned spt_labels_of(const SptLabels *labels, uint32_t process);
/* The key of attributes of the process's spans that has this number; NULL: it is not known. */
const char *spt_labels_span_key(const SptLabels *labels, const SptProcessRow *process,
				unsigned key);
/* NULL: the set has none. */
const char *spt_label_set_value(const SptLabelSet *set, const char *key);

/* Parts of the path of a control group, each the caller's, or NULL: it has none. */
char *spt_cgroup_unit(const char *path);
char *spt_cgroup_container(const char *path);
char *spt_cgroup_pod(const char *path);

G_END_DECLS

#endif
