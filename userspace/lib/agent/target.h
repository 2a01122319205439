/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where an agent sends profiles: a kind of engine and a URL.  A kind knows how its requests look:
 * otlp for OpenTelemetry (schema 1.10) over HTTP, otlp-grpc for the same over gRPC, pyroscope for
 * Grafana Pyroscope, parca for Parca's HTTP gateway.
 */
#ifndef SPT_AGENT_TARGET_H
#define SPT_AGENT_TARGET_H

#include "export/export.h"
#include "export/labels.h"

G_BEGIN_DECLS

typedef struct {
	const char *name;		/* before "=" in --to */
	const char *path;		/* of a URL without one */
	const char *content_type;
	bool is_packed;			/* the whole request, by gzip */
	bool is_grpc;			/* the request is a message of gRPC (grpc.h) */
	/*
	 * Appends the request to @to; nothing, if no sample is to be sent.  False: with a sentence.
	 * @input has labels.
	 */
	bool (*encode)(const SptExportInput *input, GString *to, GError **error);
} SptTargetKind;

typedef struct {
	const SptTargetKind *kind;
	char *url;			/* may have a password: it is in no message */
	char *host;			/* the part of it that messages show */
} SptTarget;

/* @text: "KIND=URL"; for gRPC also "KIND=HOST:PORT", without encryption.  NULL: with a sentence. */
SptTarget *spt_target_new(const char *text, GError **error);
void spt_target_free(SptTarget *target);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptTarget, spt_target_free)

/* As the kind's encode(), packed if the kind is. */
bool spt_target_encode(const SptTarget *target, const SptExportInput *input, GString *to,
		       GError **error);
/*
 * The number of profiles that a receiver says it dropped from what it took, by its answer, and its
 * message, the caller's.
 */
uint64_t spt_target_rejected(const SptTarget *target, const char *answer, size_t bytes,
			     char **ret_message);

/* Kinds that send profiles of pprof. */
bool spt_target_encode_pyroscope(const SptExportInput *input, GString *to, GError **error);
bool spt_target_encode_parca(const SptExportInput *input, GString *to, GError **error);

G_END_DECLS

#endif
