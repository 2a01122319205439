/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of the flight recorder's memory for declared kinds: their rows have texts, and as many
 * values as the kind has fields.
 */
#ifndef SPT_FLIGHT_DECLARED_H
#define SPT_FLIGHT_DECLARED_H

#include "capture/sink.h"

G_BEGIN_DECLS

typedef struct SptFlightDeclared SptFlightDeclared;

SptFlightDeclared *spt_flight_declared_new(void);
void spt_flight_declared_free(SptFlightDeclared *declared);

/* Kinds beyond SPT_DECLARED_KINDS, by id, are not kept. */
void spt_flight_declared_declare(SptFlightDeclared *declared, const SptDeclarationRow *row);
/* A row of a kind that is not kept is dropped. */
void spt_flight_declared_put(SptFlightDeclared *declared, const SptDeclaredRow *row);
/* Drops events that were over before @begin. */
void spt_flight_declared_forget(SptFlightDeclared *declared, uint64_t begin);
/* Adds the threads of all rows, as a set. */
void spt_flight_declared_add_threads(const SptFlightDeclared *declared, GHashTable *threads);
/* Replaces each row's node by what @move returns for it. */
void spt_flight_declared_move_nodes(SptFlightDeclared *declared,
				    uint32_t (*move)(uint32_t node, void *data), void *data);
/* Puts declarations and rows into @to. */
void spt_flight_declared_give(const SptFlightDeclared *declared, SptSink *to);

G_END_DECLS

#endif
