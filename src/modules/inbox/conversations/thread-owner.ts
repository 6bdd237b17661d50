import { eq } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import { ConflictError } from '../../../lib/errors'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import type { Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { accounts } from '../../channel/accounts/table'
import { ConversationHandedOver } from './events'
import { findConversationById, type ConversationRow } from './row'
import { deriveOwner, type ThreadFact, type ThreadOwner } from './rules'
import { conversations } from './table'
import {
  addOwnFactsIn,
  firstFactOf,
  insertFactIn,
  newestFactsOf,
  newestRoleOf,
} from './thread-facts'
import { changeConversationIn } from './update'

const ownerById = compiled((orm) =>
  orm
    .select({ threadOwner: conversations.threadOwner, ownerSinceMs: conversations.ownerSinceMs })
    .from(conversations)
    .where(
      inOrganization(anyScope, conversations, eq(conversations.id, place(conversations.id, 'id'))),
    )
    .prepare(),
)

/** Beginning of the metadata that our own handovers carry. */
const OWN_MARK = 'switchboard:'

/**
 * Metadata of a handover of this server, by which its webhook is recognized. It names the
 * conversation, because the other responder of a number may run this software too.
 */
export const handoverMetadata = (conversationId: string): string => `${OWN_MARK}${conversationId}`

/** How a fact is recorded. */
interface Recording {
  /** Whether to suppress the handover event. */
  isQuiet?: boolean
  /**
   * Whether it happened just now, after everything known: the platform's clock may be ahead of ours,
   * and its times are in seconds.
   */
  isLatest?: boolean
}

/**
 * Records that a customer's message reached us or that the platform accepted one of ours: the thread
 * is ours from then on. Reads one row if the owner was never in question, in the caller's
 * transaction.
 */
export function recordOwnMessageIn(
  tx: Tx,
  ctx: Ctx,
  { conversationId, atMs }: { conversationId: string; atMs: number },
  recording: Recording = {},
): void {
  const known = ownerById(ctx.db).get({ organizationId: ctx.organizationId, id: conversationId })
  if (!known || (known.threadOwner === 'us' && known.ownerSinceMs === null)) return
  const row = findConversationById(ctx, conversationId)
  if (!row) return
  // Nobody else ever had this thread; only the number is known to be shared.
  if (row.ownerSinceMs === null) changeConversationIn(tx, ctx, row, { threadOwner: 'us' })
  else recordThreadFactIn(tx, ctx, row, { kind: 'us', atMs }, recording)
}

/**
 * Records a fact about the owner of a thread, derives the owner from all facts and publishes a
 * change, in the caller's transaction.
 */
export function recordThreadFactIn(
  tx: Tx,
  ctx: Ctx,
  row: ConversationRow,
  { kind, atMs, role = null }: ThreadFact,
  { isQuiet = false, isLatest = false }: Recording = {},
): ConversationRow {
  if (row.ownerSinceMs === null) addOwnFactsIn(tx, ctx, row)
  const newestMs = isLatest
    ? Math.max(0, ...Object.values(newestFactsOf(ctx, row.id)).map((ms) => ms ?? 0))
    : 0
  insertFactIn(tx, ctx, row.id, {
    kind,
    atMs: isLatest ? Math.max(atMs, newestMs + 1) : atMs,
    role,
  })
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
  const ownerRole = newestRoleOf(ctx, row.id, { kind: derived.owner, sinceMs: ownerSinceMs })
  const set = { threadOwner: derived.owner, ownerSinceMs, ownerRole }
  if (
    set.threadOwner === row.threadOwner &&
    set.ownerSinceMs === row.ownerSinceMs &&
    set.ownerRole === row.ownerRole
  )
    return row
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
  'threadOwner' | 'ownerSinceMs' | 'ownerRole' | 'lastInboundAtMs' | 'createdAtMs'
>

/**
 * Returns the owner of a thread at `nowMs`, since when, and its role. On a shared number a thread is idle 24
 * hours after the customer's last message (platform documentation).
 */
export function threadOwnerAt(
  row: ThreadColumns,
  { isShared, nowMs }: { isShared: boolean; nowMs: number },
): { owner: ThreadOwner; sinceMs: number | null; role: string | null } {
  const { threadOwner: owner, ownerSinceMs: sinceMs, ownerRole: role } = row
  const idleAtMs =
    (Math.max(row.lastInboundAtMs ?? 0, sinceMs ?? 0) || row.createdAtMs) + IDLE_AFTER_MS
  return isShared && owner !== 'idle' && nowMs >= idleAtMs
    ? { owner: 'idle', sinceMs: idleAtMs, role: null }
    : { owner, sinceMs, role }
}

/** Owners whose thread an automatic message of ours would take away, or may take away. */
const HOLDS_BACK: ReadonlySet<ThreadOwner> = new Set(['platform_agent', 'other_app', 'unknown'])

/** Whether automatic messages are held back while this owner has the thread. */
export const holdsBackAutomaticMessages = (owner: ThreadOwner): boolean => HOLDS_BACK.has(owner)

/** Whether a thread belongs to someone else, so that people have to take it over knowingly. */
export const isOthersThread = (owner: ThreadOwner): boolean =>
  owner === 'platform_agent' || owner === 'other_app'

const sharedById = compiled((orm) =>
  orm
    .select({ sharedAtMs: accounts.sharedAtMs })
    .from(accounts)
    .where(inOrganization(anyScope, accounts, eq(accounts.id, place(accounts.id, 'id'))))
    .prepare(),
)

/** Whether a number is known to be shared with another app or the platform's own agent. */
const isSharedNumber = (scope: Pick<Ctx, 'db' | 'organizationId'>, accountId: string): boolean =>
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

/**
 * Rejects a message in a thread that the platform's agent or another app owns, because it would take
 * the thread away. Throws ConflictError `thread_not_ours` with the owner.
 */
export function requireOwnThread(
  ctx: Pick<Ctx, 'db' | 'organizationId' | 'clock'>,
  row: ConversationRow,
): void {
  const owner = currentThreadOwner(ctx, row)
  if (!isOthersThread(owner)) return
  const who = owner === 'other_app' ? 'Another app' : "The platform's agent"
  throw new ConflictError(
    `${who} answers this customer at present. Send \`take: true\` to take over.`,
    { code: 'thread_not_ours', details: { thread_owner: owner } },
  )
}
