import type { SQLQueryBindings } from 'bun:sqlite'
import { and, eq, inArray, isNull, min } from 'drizzle-orm'

import { MINUTE_MS } from '../../../lib/clock'
import type { StoredRow } from '../../../infra/arrival'
import { acrossOrganizations, inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { emit } from '../../../infra/outbox/events'
import { runHooks } from '../../../infra/transaction-hooks'
import { directWebhooksIn } from './direct-webhooks'
import { AccountArrived, AccountChanged } from './events'
import { CheckAccount } from './jobs'
import { organizations } from '../../organization/organizations/table'
import { liveAccountIds } from './queries'
import { NO_FLOW_KEY, NO_SECRETS } from './secrets'
import { accounts } from './table'

/**
 * Gives a phone number that was stored as disconnected its own values, in the transaction that
 * completes the import of its organization.
 */
export function connectArrivedIn(tx: Tx, row: StoredRow): void {
  const { organization_id: organization, id, ...archived } = row
  const columns = { ...archived, moved_at_ms: null }
  const assignments = Object.keys(columns).map((column) => `"${column}" = ?`)
  tx.scope.sqlite
    .query(`update accounts set ${assignments.join(', ')} where organization_id = ? and id = ?`)
    .run(...([...Object.values(columns), organization, id] as SQLQueryBindings[]))
}

/**
 * Disconnects a number in copies of organizations that moved to other cells, in the caller's transaction:
 * another organization arrives with it, so it was connected there meanwhile.
 */
export const releaseCopiesIn = (tx: Tx, ctx: Ctx, phoneId: string): void =>
  tx
    .update(accounts)
    .set({
      deletedAtMs: ctx.clock.nowMs(),
      ...{ isDefaultIncoming: false, isDefaultOutgoing: false },
      ...NO_SECRETS,
      ...NO_FLOW_KEY,
    })
    .where(
      acrossOrganizations(
        'the copy belongs to an organization that does not work here',
        and(
          eq(accounts.phoneId, phoneId),
          isNull(accounts.deletedAtMs),
          inArray(
            accounts.organizationId,
            tx
              .select({ id: organizations.id })
              .from(organizations)
              .where(eq(organizations.state, 'moved')),
          ),
        ),
      ),
    )
    .run()

/** Clocks of two cells differ by less. */
const MOST_SKEW_MS = 5 * MINUTE_MS

/**
 * Lets the numbers of an organization that moved work here, in the caller's transaction: deliveries
 * that nobody took since they stopped working are processed, and new ones come here directly.
 */
export function startWorkingIn(tx: Tx, ctx: Ctx, stoppedAtMs: number): void {
  processKeptIn(tx, ctx, stoppedAtMs)
  directArrivedIn(tx, ctx)
  for (const id of liveAccountIds(ctx)) runHooks(tx, ctx, AccountArrived, { accountId: id })
}

/**
 * Directs the webhooks of an organization's numbers to this cell soon, in the caller's transaction: the
 * platform still has the address of the server that they come from.
 */
export function directArrivedIn(tx: Tx, ctx: Ctx): void {
  for (const id of liveAccountIds(ctx)) directWebhooksIn(tx, ctx, id)
}

/**
 * Asks the platform about an organization's numbers soon, in the caller's transaction: until their tokens
 * prove it, nothing tells that they belong to their business accounts.
 */
export function checkArrivedIn(tx: Tx, ctx: Ctx): void {
  for (const id of liveAccountIds(ctx)) enqueue(tx, ctx, CheckAccount, { args: { accountId: id } })
}

/** Has deliveries processed that nobody took since the numbers of an organization stopped working. */
function processKeptIn(tx: Tx, ctx: Ctx, stoppedAtMs: number): void {
  for (const accountId of liveAccountIds(ctx))
    emit(tx, ctx, AccountChanged, {
      contactId: null,
      payload: {
        ...{ accountId, changed: ['id'], isConnected: true },
        stoppedAtMs: stoppedAtMs - MOST_SKEW_MS,
      },
    })
}

/**
 * Takes the numbers of an organization that moves away out of use here, in the caller's transaction. If
 * they are put to use again, deliveries since `atMs` that nobody took are processed.
 */
export function stopWorkingIn(tx: Tx, ctx: Ctx, atMs = ctx.clock.nowMs()): void {
  tx.update(accounts)
    .set({ movedAtMs: atMs })
    .where(inOrganization(ctx, accounts, isNull(accounts.movedAtMs)))
    .run()
}

/** Puts them to use here again, because the organization stays. */
export const workAgainIn = (tx: Tx, ctx: Ctx): void => startWorkingIn(tx, ctx, putToUseIn(tx, ctx))

/** The same if they were out of use for a while only: the platform was not told another address. */
export const resumeWorkIn = (tx: Tx, ctx: Ctx): void => processKeptIn(tx, ctx, putToUseIn(tx, ctx))

/** Returns when the numbers stopped working here. */
function putToUseIn(tx: Tx, ctx: Ctx): number {
  const nowMs = ctx.clock.nowMs()
  const stopped = tx
    .select({ atMs: min(accounts.movedAtMs) })
    .from(accounts)
    .where(inOrganization(ctx, accounts))
    .get()
  tx.update(accounts).set({ movedAtMs: null }).where(inOrganization(ctx, accounts)).run()
  return Math.min(nowMs, stopped?.atMs ?? nowMs)
}
