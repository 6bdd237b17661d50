import { and, desc, eq, inArray, sql } from 'drizzle-orm'

import { freeObjectProblems } from '../../lib/free-object'
import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { conversations } from '../conversations/table'
import { messages } from '../messages/table'
import { appendConsentIn, updateConsentIn } from './consent/ledger'
import { addIdentityIn, holdersOf, restoreNumberIn, type SenderIds } from './identities'
import { indexContactIn } from './search/index-contact'
import { METADATA_LIMITS } from './model'
import { countryOfSender } from './phone-numbers'
import { changeContactIn, findContact } from './service'
import { contactConsents, contactIdentities, contactMerges, contacts, contactTags } from './table'
import { addTagsIn, tagsThatFit } from './tags'
import type { ContactRow } from './view'

/** Changes a merge made to the two contacts, as needed to undo it. */
export interface ContactUndo {
  /** Columns of the surviving contact, before and after. */
  fields: [column: keyof ContactRow, before: unknown, after: unknown][]
  identities: { kind: string; value: string }[]
  tags: string[]
  consents: string[]
  /** Consent entry added by the merge. */
  consent: string | null
  /** IDs of the surviving contact before the merge. Missing in old merges. */
  ids?: Pick<ContactRow, IdColumn>
}

const ID_COLUMNS = {
  phoneNumber: 'phone',
  waId: 'phone',
  userId: 'user_id',
  parentUserId: 'parent_user_id',
} as const
type IdColumn = keyof typeof ID_COLUMNS

/** Columns that the surviving contact takes from the other one if its own are empty. */
const FILLED_COLUMNS = [
  'name',
  'profileName',
  'username',
  'phoneNumber',
  'waId',
  'userId',
  'parentUserId',
  'country',
  'language',
  'accountId',
  'assignedTo',
  'blockedAtMs',
  'platformBlockedAtMs',
] as const

/** Names reported by the platform. If both contacts are one person, the names used last count. */
const PLATFORM_NAMES = ['profileName', 'username'] as const
const NUMBER_COLUMNS = ['phoneNumber', 'waId', 'country'] as const

/** Two contacts, one of which is merged into the other. */
export interface MergePair {
  source: ContactRow
  target: ContactRow
  /** Whether the platform reported that they are one person; otherwise a user merged them. */
  isOnePerson: boolean
}

/**
 * Merges a contact into another one: moves IDs, tags and consents, fills empty fields and deletes
 * the source. An opt-out of either contact counts. If both are one person, the names used last are
 * kept, so the order of their messages does not matter. Returns the data to undo the merge.
 * Conversations, messages and notes are merged by their own modules. Runs inside the caller's
 * transaction.
 */
export function mergeContactIn(tx: Tx, ctx: Ctx, pair: MergePair): ContactUndo {
  const { source, target } = pair
  const identities = moveIdentitiesIn(tx, ctx, source.id, target.id)
  const tags = copyTagsIn(tx, ctx, source.id, target.id)
  const consents = moveConsentsIn(tx, ctx, { from: source.id, to: target.id })
  changeContactIn(tx, ctx, source.id, { deletedAtMs: ctx.clock.nowMs(), mergedInto: target.id })
  const filled = mergedColumns(pair)
  const fields = Object.entries(filled)
    .map(([column, after]): ContactUndo['fields'][number] => [
      column as keyof ContactRow,
      target[column as keyof ContactRow],
      after,
    ])
    .filter(([, before, after]) => before !== after)
  indexContactIn(tx, ctx, changeContactIn(tx, ctx, target.id, filled))
  const { phoneNumber, waId, userId, parentUserId } = target
  const consent = keepOptOutIn(tx, ctx, source, target)
  return {
    fields,
    identities,
    tags,
    consents,
    consent,
    ids: { phoneNumber, waId, userId, parentUserId },
  }
}

function mergedColumns({ source, target, isOnePerson }: MergePair): Partial<ContactRow> {
  const filled = Object.fromEntries(
    FILLED_COLUMNS.map((column) => [column, target[column] ?? source[column]]),
  ) as Partial<ContactRow>
  const isSourceNewer = isOnePerson && (source.lastInboundAtMs ?? 0) > (target.lastInboundAtMs ?? 0)
  const names = isSourceNewer
    ? Object.fromEntries(PLATFORM_NAMES.map((column) => [column, source[column] ?? target[column]]))
    : {}
  const number =
    isSourceNewer && source.phoneNumber !== null
      ? Object.fromEntries(NUMBER_COLUMNS.map((column) => [column, source[column]]))
      : {}
  return {
    ...filled,
    ...names,
    ...number,
    metadata: JSON.stringify(
      mergeMetadata(
        JSON.parse(target.metadata) as FreeObject,
        JSON.parse(source.metadata) as FreeObject,
      ),
    ),
    attributes: JSON.stringify({
      ...(JSON.parse(source.attributes) as FreeObject),
      ...(JSON.parse(target.attributes) as FreeObject),
    }),
    firstSeenAtMs: Math.min(source.firstSeenAtMs, target.firstSeenAtMs),
  }
}

type FreeObject = Record<string, unknown>

/** Adds metadata of another contact to a contact's own, up to the size limit. */
function mergeMetadata(own: FreeObject, others: FreeObject): FreeObject {
  return Object.entries(others).reduce((pair, [key, value]) => {
    if (Object.hasOwn(own, key)) return pair
    const larger = { ...pair, [key]: value }
    return freeObjectProblems(larger, 'metadata', METADATA_LIMITS).length === 0 ? larger : pair
  }, own)
}

function moveIdentitiesIn(tx: Tx, ctx: Ctx, from: string, to: string): ContactUndo['identities'] {
  return tx
    .update(contactIdentities)
    .set({ contactId: to })
    .where(inOrganization(ctx, contactIdentities, eq(contactIdentities.contactId, from)))
    .returning({ kind: contactIdentities.kind, value: contactIdentities.value })
    .all()
}

/**
 * Copies tags up to the limit. The source keeps its own, which are not counted while it is merged.
 */
function copyTagsIn(tx: Tx, ctx: Ctx, from: string, to: string): string[] {
  const tagsOfSource = tx
    .select({ tagId: contactTags.tagId })
    .from(contactTags)
    .where(inOrganization(ctx, contactTags, eq(contactTags.contactId, from)))
    .orderBy(contactTags.tagId)
    .all()
  const { fresh } = tagsThatFit(
    ctx,
    to,
    tagsOfSource.map(({ tagId }) => tagId),
  )
  addTagsIn(tx, ctx, to, fresh)
  return fresh
}

function moveConsentsIn(
  tx: Tx,
  ctx: Ctx,
  move: { from: string; to: string; ids?: string[] },
): string[] {
  const chosen = move.ids === undefined ? undefined : inArray(contactConsents.id, move.ids)
  return tx
    .update(contactConsents)
    .set({ contactId: move.to })
    .where(
      inOrganization(ctx, contactConsents, and(eq(contactConsents.contactId, move.from), chosen)),
    )
    .returning({ id: contactConsents.id })
    .all()
    .map(({ id }) => id)
}

/**
 * Keeps an opt-out of either contact, whichever entry is newer. Returns the ID of the added entry,
 * or `null` if none was needed.
 */
function keepOptOutIn(tx: Tx, ctx: Ctx, source: ContactRow, target: ContactRow): string | null {
  updateConsentIn(tx, ctx, target.id)
  const isOut = [source, target].some(({ marketingConsent }) => marketingConsent === 'opted_out')
  if (!isOut || findContact(ctx, target.id)?.marketingConsent === 'opted_out') return null
  const evidence = 'One of two merged contacts had opted out.'
  return appendConsentIn(tx, ctx, {
    contactId: target.id,
    state: 'opted_out',
    source: 'agent',
    evidence,
  }).id
}

/** Stores a merge and the data to undo it, in the transaction of the merge. Returns its ID. */
export function recordMergeIn(
  tx: Tx,
  ctx: Ctx,
  merge: { targetId: string; sourceId: string; undo: object },
): string {
  const id = ctx.ids.next()
  const { undo, ...ids } = merge
  tx.insert(contactMerges)
    .values({
      organizationId: ctx.organizationId,
      id,
      ...ids,
      undo: JSON.stringify(undo),
      actorId: ctx.actor.userId,
      mergedAtMs: ctx.clock.nowMs(),
    })
    .run()
  return id
}

/**
 * Undoes the merge of a contact. Later changes stay, and a number that now belongs to another
 * contact is not returned. Runs inside the caller's transaction.
 */
export function splitContactIn(
  tx: Tx,
  ctx: Ctx,
  source: ContactRow,
  target: ContactRow,
  undo: ContactUndo,
): void {
  for (const { kind, value } of undo.identities)
    tx.update(contactIdentities)
      .set({ contactId: source.id })
      .where(
        inOrganization(
          ctx,
          contactIdentities,
          and(
            eq(contactIdentities.contactId, target.id),
            sql`${contactIdentities.kind} = ${kind}`,
            eq(contactIdentities.value, value),
          ),
        ),
      )
      .run()
  if (undo.tags.length > 0)
    tx.delete(contactTags)
      .where(
        inOrganization(
          ctx,
          contactTags,
          and(eq(contactTags.contactId, target.id), inArray(contactTags.tagId, undo.tags)),
        ),
      )
      .run()
  moveConsentsIn(tx, ctx, { from: target.id, to: source.id, ids: undo.consents })
  if (undo.consent !== null)
    tx.delete(contactConsents)
      .where(inOrganization(ctx, contactConsents, eq(contactConsents.id, undo.consent)))
      .run()
  const former = undo.fields
    .filter(([column, , after]) => target[column] === after)
    .map(([column, before]) => [column, before])
  const restored = { ...target, ...(Object.fromEntries(former) as Partial<ContactRow>) }
  indexContactIn(
    tx,
    ctx,
    changeContactIn(tx, ctx, target.id, {
      ...Object.fromEntries(former),
      ...reclaimIdentitiesIn(tx, ctx, restored, undo.ids),
    }),
  )
  indexContactIn(
    tx,
    ctx,
    changeContactIn(tx, ctx, source.id, {
      ...reclaimIdentitiesIn(tx, ctx, source),
      deletedAtMs: null,
      mergedInto: null,
    }),
  )
  for (const { id } of [source, target]) updateConsentIn(tx, ctx, id)
}

const NO_IDS: SenderIds = { phone: null, userId: null, parentUserId: null }

/**
 * Gives a separated contact its numbers and IDs back, including those given up in the meantime.
 * Returns the columns whose value now belongs to another contact: reset to the value in `before`,
 * else to `null`. Runs inside the caller's transaction.
 */
function reclaimIdentitiesIn(
  tx: Tx,
  ctx: Ctx,
  row: ContactRow,
  before?: Pick<ContactRow, IdColumn>,
): Partial<ContactRow> {
  const isOwn = (column: IdColumn, value: string): boolean => {
    const kind = ID_COLUMNS[column]
    const field = ({ phone: 'phone', user_id: 'userId', parent_user_id: 'parentUserId' } as const)[
      kind
    ]
    const holders = holdersOf(ctx, { ...NO_IDS, [field]: value })
    if (holders.length === 0) addIdentityIn(tx, ctx, row.id, { kind, value, accountId: null })
    else if (holders.includes(row.id) && kind === 'phone') restoreNumberIn(tx, ctx, row.id, value)
    return holders.length === 0 || holders.includes(row.id)
  }
  const lost = (Object.keys(ID_COLUMNS) as IdColumn[]).filter(
    (column) => row[column] !== null && !isOwn(column, row[column]),
  )
  const columns = lost.map((column) => {
    const former = before?.[column] ?? null
    return [column, former !== null && isOwn(column, former) ? former : null] as const
  })
  const own = Object.fromEntries(columns) as Partial<ContactRow>
  const { phoneNumber: phone, userId, parentUserId } = { ...row, ...own }
  return {
    ...own,
    ...('phoneNumber' in own ? { country: countryOfSender({ phone, userId, parentUserId }) } : {}),
  }
}

/**
 * Recomputes a contact's totals from its conversations and messages. Runs inside the caller's
 * transaction.
 */
export function recomputeContactIn(tx: Tx, ctx: Ctx, contactId: string): ContactRow {
  const own = inOrganization(ctx, conversations, eq(conversations.contactId, contactId))
  const sums = tx
    .select({
      unread: sql<number>`coalesce(sum(${conversations.unreadCount}), 0)`,
      lastInboundAtMs: sql<number | null>`max(${conversations.lastInboundAtMs})`,
      windowClosedAtMs: sql<number | null>`max(${conversations.windowClosedAtMs})`,
    })
    .from(conversations)
    .where(own)
    .get()
  const newest = tx
    .select({
      atMs: messages.timestampMs,
      preview: messages.preview,
      accountId: messages.accountId,
    })
    .from(messages)
    .where(inOrganization(ctx, messages, eq(messages.contactId, contactId)))
    .orderBy(desc(messages.timestampMs), desc(messages.id))
    .limit(1)
    .get()
  return changeContactIn(tx, ctx, contactId, {
    unreadCount: sums?.unread ?? 0,
    lastInboundAtMs: sums?.lastInboundAtMs ?? null,
    windowClosedAtMs: sums?.windowClosedAtMs ?? null,
    lastMessageAtMs: newest?.atMs ?? null,
    lastMessagePreview: newest?.preview ?? null,
    ...(newest ? { accountId: newest.accountId } : {}),
  })
}

/** A row of the merges table. */
export type MergeRow = typeof contactMerges.$inferSelect

/** Returns the merge, or `null`. */
export const findMerge = (ctx: Pick<Ctx, 'db' | 'organizationId'>, id: string): MergeRow | null =>
  ctx.db.orm
    .select()
    .from(contactMerges)
    .where(inOrganization(ctx, contactMerges, eq(contactMerges.id, id)))
    .get() ?? null

/** Marks a merge as undone, in the transaction that undoes it. */
export function closeMergeIn(tx: Tx, ctx: Ctx, id: string): void {
  tx.update(contactMerges)
    .set({ undoneAtMs: ctx.clock.nowMs(), undo: '{}' })
    .where(inOrganization(ctx, contactMerges, eq(contactMerges.id, id)))
    .run()
}

/** Sorts the IDs of active contacts, oldest first. */
export const oldestFirst = (ctx: Pick<Ctx, 'db' | 'organizationId'>, ids: string[]): string[] =>
  ctx.db.orm
    .select({ id: contacts.id })
    .from(contacts)
    .where(inOrganization(ctx, contacts, inArray(contacts.id, ids)))
    .orderBy(contacts.createdAtMs, contacts.id)
    .all()
    .map(({ id }) => id)
