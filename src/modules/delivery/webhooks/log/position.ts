import { eq, isNull, sql } from 'drizzle-orm'

import { acrossOrganizations, type Ctx, type Deps } from '../../../../infra/ctx'
import { compiled, atMost } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import { newestPosition } from '../../../../infra/outbox/events'
import { webhookEndpoints, webhookReader } from '../table'

const READER = 1

const storedPosition = compiled((orm) =>
  orm
    .select({ position: webhookReader.position })
    .from(webhookReader)
    .where(eq(webhookReader.id, READER))
    .prepare(),
)

/** Returns the position in the event log up to which deliveries were made; 0 before the first. */
export const readerPosition = ({ db }: Pick<Deps, 'db'>): number =>
  storedPosition(db).get()?.position ?? 0

const storePosition = compiled((orm) =>
  orm
    .insert(webhookReader)
    .values({ id: READER, position: sql.placeholder('position') })
    .onConflictDoUpdate({
      target: webhookReader.id,
      set: { position: sql`excluded.position` },
    })
    .prepare(),
)

/** Stores the position, in the transaction that stores the deliveries up to it. */
export const savePositionIn = (_tx: Tx, { db }: Pick<Deps, 'db'>, position: number): void =>
  storePosition(db).run({ position })

/** Compiled, because the reader asks after every transaction that emits events. */
const anyEndpoint = compiled((orm) =>
  orm
    .select({ id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(
      acrossOrganizations('asks only whether there is one', isNull(webhookEndpoints.deletedAtMs)),
    )
    .limit(atMost(1))
    .prepare(),
)

/** Returns whether any organization has an endpoint. */
export const hasEndpoints = ({ db }: Pick<Deps, 'db'>): boolean =>
  anyEndpoint(db).get() !== undefined

/**
 * Lets the reader begin at the end of the log if nobody had an endpoint until now. Runs in the
 * transaction that creates an endpoint.
 */
export function startReadingIn(tx: Tx, ctx: Ctx): void {
  if (!hasEndpoints(ctx)) savePositionIn(tx, ctx, newestPosition(ctx))
}

/**
 * Returns the position up to which events may be pruned: those that no reader needs any more.
 */
export const prunableUpTo = (deps: Pick<Deps, 'db'>): number =>
  hasEndpoints(deps) ? readerPosition(deps) : Infinity
