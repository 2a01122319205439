/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The messages of a profile of pprof, unpacked: tables of its texts, functions, mappings and
 * locations, which may stand anywhere in it, and its samples one by one.  Nothing in it is trusted:
 * what refers to something that is not there is refused or means nothing, and tables are bounded.
 */
#ifndef SPT_IMPORT_PPROF_TABLES_H
#define SPT_IMPORT_PPROF_TABLES_H

#include "base/pairs.h"
#include "import/import.h"

G_BEGIN_DECLS

#define SPT_PPROF_TYPES_MAX 64

/* Of formats/pprof.proto. */
typedef struct SptPprofSample SptPprofSample;

/* Texts are of the tables. */
struct pprof_function {
	const char *name, *file;
};

struct pprof_mapping {
	uint64_t start, limit, offset; /* of its memory; of start in the file */
	const char *file, *build_id;   /* build_id: hexadecimal */
};

struct pprof_line {
	uint64_t function; /* an id */
	uint32_t line;
};

struct pprof_location {
	uint64_t mapping, address;    /* mapping: an id, or 0 */
	uint32_t first_line, n_lines; /* of the table of lines; innermost first */
};

struct pprof_type {
	const char *name, *unit;
};

struct pprof_tables {
	const uint8_t *bytes, *end; /* all messages; borrowed */
	GStringChunk *chunk;
	GPtrArray *texts; /* const char */
	GArray *functions, *mappings, *locations, *lines;
	/* (id, 0) -> index */
	struct spt_pairs function_ids, mapping_ids, location_ids;
	struct pprof_type types[SPT_PPROF_TYPES_MAX], period_type;
	unsigned n_types, shown; /* shown: index of the type that readers show first */
	/* By type: the greatest divisor of all its values. */
	uint64_t divisors[SPT_PPROF_TYPES_MAX];
	uint64_t period, time_ns, duration_ns;
	uint64_t n_samples;
};

/* Reads all but the samples' contents.  False: with a clause; cleared all the same. */
bool spt_pprof_tables_init(struct pprof_tables *tables, const uint8_t *bytes, size_t n,
			   GError **error);
void spt_pprof_tables_clear(struct pprof_tables *tables);

/* "" for a number without a text. */
const char *spt_pprof_text(const struct pprof_tables *tables, int64_t number);
/* NULL: there is none with this id. */
const struct pprof_function *spt_pprof_function(const struct pprof_tables *tables, uint64_t id);
const struct pprof_mapping *spt_pprof_mapping(const struct pprof_tables *tables, uint64_t id);
/* Its index; UINT32_MAX: there is none with this id. */
uint32_t spt_pprof_location(const struct pprof_tables *tables, uint64_t id);

/*
 * Calls @take for each sample; it returns NULL, or a clause, marked for translation, of what is
 * wrong with it.  False: with a clause.
 */
typedef const char *(*SptPprofTake)(const SptPprofSample *sample, void *data);
bool spt_pprof_each_sample(const struct pprof_tables *tables, SptPprofTake take, void *data,
			   GError **error);

G_END_DECLS

#endif
