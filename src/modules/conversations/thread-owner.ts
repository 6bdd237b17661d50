import { eq } from 'drizzle-orm'

import { DAY_MS } from '../../lib/clock'
import { anyScope, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import type { Tx } from '../../infra/db/transact'
import { uuidPlaceholder } from '../../infra/db/uuid'
import { emit } from '../../infra/outbox/events'
import { accounts } from '../accounts/table'
import { ConversationHandedOver } from './events'
import { findConversationById, type ConversationRow } from './row'
import { deriveOwner, type ThreadFact, type ThreadOwner } from './rules'
import { conversations } from './table'
import { addOwnFactsIn, firstFactOf, insertFactIn, newestFactsOf } from './thread-facts'
import { changeConversationIn } from './update'

const ownerById = compiled((orm) =>
  orm
    .select({ threadOwner: conversations.threadOwner, ownerSinceMs: conversations.ownerSinceMs })
    .from(conversations)
    .where(inOrganization(anyScope, conversations, eq(conversations.id, uuidPlaceholder('id'))))
    .prepare(),
)

/** Beginning of the metadata that our own handovers carry. */
const OWN_MARK = 'switchboard:'

/** Whether a handover with this metadata was caused by this server. */
export const isOwnHandover = (metadata: string | null): boolean =>
  metadata?.startsWith(OWN_MARK) === true

/**
 * Records that a customer's message reached us or that the platform accepted one of ours: the thread
 * is ours from then on. Reads one row if the owner was never in question, in the caller's
 * transaction.
 */
export function recordOwnMessageIn(
  tx: Tx,
  ctx: Ctx,
  message: { conversationId: string; atMs: number; isQuiet?: boolean },
): void {
  const { conversationId, atMs, isQuiet = false } = message
  const known = ownerById(ctx.db).get({ organizationId: ctx.organizationId, id: conversationId })
  if (!known || (known.threadOwner === 'us' && known.ownerSinceMs === null)) return
  const row = findConversationById(ctx, conversationId)
  if (!row) return
  // Nobody else ever had this thread; only the number is known to be shared.
  if (row.ownerSinceMs === null) changeConversationIn(tx, ctx, row, { threadOwner: 'us' })
  else recordThreadFactIn(tx, ctx, row, { kind: 'us', atMs }, { isQuiet })
}

/**
 * Records a fact about the owner of a thread, derives the owner from all facts and publishes a
 * change, in the caller's transaction. `isQuiet` suppresses the handover event.
 */
export function recordThreadFactIn(
  tx: Tx,
  ctx: Ctx,
  row: ConversationRow,
  fact: ThreadFact,
  { isQuiet = false }: { isQuiet?: boolean } = {},
): ConversationRow {
  if (row.ownerSinceMs === null) addOwnFactsIn(tx, ctx, row)
  insertFactIn(tx, ctx, row.id, fact)
  return updateOwnerIn(tx, ctx, row, isQuiet)
}

/**
 * Derives the owner of a thread again after its facts have changed, in the caller's transaction.
 */
export function updateOwnerIn(
  tx: Tx,
  ctx: Ctx,
  row: ConversationRow,
  isQuiet: boolean,
): ConversationRow {
  const derived = deriveOwner(newestFactsOf(ctx, row.id))
  if (!derived) return row
  const { kinds, afterMs, latestMs } = derived.since
  const firsts = kinds
    .map((kind) => firstFactOf(ctx, row.id, { kind, afterMs }))
    .filter((atMs) => atMs !== null)
  const ownerSinceMs = firsts.length === 0 ? latestMs : Math.min(...firsts)
  const set = { threadOwner: derived.owner, ownerSinceMs }
  if (set.threadOwner === row.threadOwner && set.ownerSinceMs === row.ownerSinceMs) return row
  const after = changeConversationIn(tx, ctx, row, set)
  if (after.threadOwner !== row.threadOwner && !isQuiet)
    emit(tx, ctx, ConversationHandedOver, {
      contactId: row.contactId,
      payload: {
        conversationId: row.id,
        contactId: row.contactId,
        from: row.threadOwner,
        to: after.threadOwner,
      },
    })
  return after
}

/** How long a thread stays with its owner without a message of the customer. */
const IDLE_AFTER_MS = DAY_MS

/** The columns that the owner of a thread depends on. */
export type ThreadColumns = Pick<
  ConversationRow,
  'threadOwner' | 'ownerSinceMs' | 'lastInboundAtMs' | 'createdAtMs'
>

/**
 * Returns the owner of a thread at `nowMs`, and since when. On a shared number a thread is idle 24
 * hours after the customer's last message (platform documentation).
 */
export function threadOwnerAt(
  row: ThreadColumns,
  { isShared, nowMs }: { isShared: boolean; nowMs: number },
): { owner: ThreadOwner; sinceMs: number | null } {
  const { threadOwner: owner, ownerSinceMs: sinceMs } = row
  const idleAtMs =
    (Math.max(row.lastInboundAtMs ?? 0, sinceMs ?? 0) || row.createdAtMs) + IDLE_AFTER_MS
  return isShared && owner !== 'idle' && nowMs >= idleAtMs
    ? { owner: 'idle', sinceMs: idleAtMs }
    : { owner, sinceMs }
}

/** Owners whose thread an automatic message of ours would take away, or may take away. */
const HOLDS_BACK: ReadonlySet<ThreadOwner> = new Set(['platform_agent', 'other_app', 'unknown'])

/** Whether automatic messages are held back while this owner has the thread. */
export const holdsBackAutomaticMessages = (owner: ThreadOwner): boolean => HOLDS_BACK.has(owner)

const sharedById = compiled((orm) =>
  orm
    .select({ sharedAtMs: accounts.sharedAtMs })
    .from(accounts)
    .where(inOrganization(anyScope, accounts, eq(accounts.id, uuidPlaceholder('id'))))
    .prepare(),
)

/** Whether a number is known to be shared with another app or the platform's own agent. */
export const isSharedNumber = (
  scope: Pick<Ctx, 'db' | 'organizationId'>,
  accountId: string,
): boolean =>
  (sharedById(scope.db).get({ organizationId: scope.organizationId, id: accountId })?.sharedAtMs ??
    null) !== null

/** Returns who owns the thread of a conversation now. */
export const currentThreadOwner = (
  ctx: Pick<Ctx, 'db' | 'organizationId' | 'clock'>,
  row: ConversationRow,
): ThreadOwner =>
  threadOwnerAt(row, {
    isShared: isSharedNumber(ctx, row.accountId),
    nowMs: ctx.clock.nowMs(),
  }).owner
