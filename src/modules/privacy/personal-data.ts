import { and, asc, eq, gt, sql } from 'drizzle-orm'

import { isoTime } from '../../lib/clock'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { readEvent } from '../../infra/outbox/events'
import { events } from '../../infra/outbox/table'
import type { aiUsage } from '../ai/table'
import { calls } from '../calls/table'
import type { campaignRecipients } from '../campaigns/table'
import { contactIdentities, contacts, contactTags } from '../contacts/table'
import { conversations } from '../conversations/table'
import { importRows } from '../imports/table'
import type { timelineEntries } from '../conversations/timeline/table'
import { media } from '../media/table'
import { messages } from '../messages/table'
import { messageStatuses } from '../messages/status/table'
import { type messageReactions } from '../messages/reactions/table'
import { type messageRevisions } from '../messages/inbound/table'
import type { notes } from '../contacts/notes/table'
import type { botSessions, botTrace } from '../chatbot/engine/table'
import type { orders } from '../orders/table'
import type { scheduledMessages } from '../scheduled-messages/table'
import type { transfers } from '../transfers/table'
import { tags } from '../tags/table'
import { contactConsents } from '../contacts/consent/table'
import { archiveJson, archiveRow, type Facts } from './archive-row'
import { uuidValue } from '../../infra/db/uuid'

/** Number of rows read in one step. */
const STEP = 25

type OfContact =
  | typeof messageReactions
  | typeof messageRevisions
  | typeof contactConsents
  | typeof campaignRecipients
  | typeof notes
  | typeof calls
  | typeof orders
  | typeof aiUsage
  | typeof transfers
  | typeof scheduledMessages
  | typeof timelineEntries
  | typeof botSessions
  | typeof botTrace

/** Yields the facts of a contact's rows in a table, in batches and in insertion order. */
export function* factsOf(ctx: Ctx, table: OfContact, contactId: string): Generator<Facts[]> {
  for (const rows of rowsOf(ctx, table, contactId)) yield rows.map(archiveRow)
}

/** Yields the rows of a table that belong to a contact, in batches and in insertion order. */
function* rowsOf<T extends OfContact>(
  ctx: Ctx,
  table: T,
  contactId: string,
): Generator<T['$inferSelect'][]> {
  const ids = ctx.db.orm
    .select({ rowid: sql<number>`rowid` })
    .from(table)
    .where(inOrganization(ctx, table, eq(table.contactId, contactId)))
    .all()
    .map(({ rowid }) => rowid)
    .toSorted((a, b) => a - b)
  for (let from = 0; from < ids.length; from += STEP) {
    const these = JSON.stringify(ids.slice(from, from + STEP))
    yield ctx.db.orm
      .select()
      .from(table)
      .where(inOrganization(ctx, table, sql`rowid in (select value from json_each(${these}))`))
      .all() as T['$inferSelect'][]
  }
}

/** Returns the numbers and user IDs of a contact, oldest first. A contact has some dozens at most. */
const identitiesOf = (ctx: Ctx, contactId: string): Facts[] =>
  ctx.db.orm
    .select()
    .from(contactIdentities)
    .where(inOrganization(ctx, contactIdentities, eq(contactIdentities.contactId, contactId)))
    .orderBy(contactIdentities.firstSeenAtMs, contactIdentities.kind, contactIdentities.value)
    .all()
    .map(archiveRow)

/** Returns the identifying values of a contact's rows. */
export function contactFacts(ctx: Ctx, contactId: string): Facts {
  const row = ctx.db.orm
    .select()
    .from(contacts)
    .where(inOrganization(ctx, contacts, eq(contacts.id, contactId)))
    .get()
  const tagNames = ctx.db.orm
    .select({ name: tags.name })
    .from(contactTags)
    .innerJoin(
      tags,
      and(eq(tags.organizationId, contactTags.organizationId), eq(tags.id, contactTags.tagId)),
    )
    .where(inOrganization(ctx, contactTags, eq(contactTags.contactId, contactId)))
    .all()
  return {
    ...(row ? archiveRow(row) : {}),
    identities: identitiesOf(ctx, contactId),
    consents: [...factsOf(ctx, contactConsents, contactId)].flat(),
    tags: tagNames.map(({ name }) => name),
  }
}

/** Returns a contact's conversations, at most one per phone number of the organization. */
export const conversationFacts = (ctx: Ctx, contactId: string): Facts[] =>
  ctx.db.orm
    .select()
    .from(conversations)
    .where(inOrganization(ctx, conversations, eq(conversations.contactId, contactId)))
    .all()
    .map(({ firstReferral, lastReferral, ...row }) => ({
      ...archiveRow(row),
      first_referral: archiveJson(firstReferral),
      last_referral: archiveJson(lastReferral),
    }))

/** Number of import report rows checked in one step. */
const LOOKED_AT = 250

/** Yields the import report rows about a contact. */
export function* importFacts(ctx: Ctx, contactId: string): Generator<Facts[]> {
  for (let after = { importId: '', row: 0 }; ;) {
    const rows = ctx.db.orm
      .select()
      .from(importRows)
      .where(
        inOrganization(
          ctx,
          importRows,
          sql`(${importRows.importId}, ${importRows.row}) > (${uuidValue(after.importId)}, ${after.row})`,
        ),
      )
      .orderBy(asc(importRows.importId), asc(importRows.row))
      .limit(LOOKED_AT)
      .all()
    yield rows.filter(({ targetId }) => targetId === contactId).map(archiveRow)
    const last = rows.at(-1)
    if (rows.length < LOOKED_AT || !last) return
    after = last
  }
}

/** Yields the logged events of a contact, oldest first. */
export function* eventFacts(ctx: Ctx, contactId: string): Generator<Facts[]> {
  for (let after = 0; ;) {
    const rows = ctx.db.orm
      .select()
      .from(events)
      .where(
        inOrganization(
          ctx,
          events,
          and(eq(events.contactId, contactId), gt(events.position, after)),
        ),
      )
      .orderBy(asc(events.position))
      .limit(LOOKED_AT)
      .all()
    yield rows.map(readEvent).map(({ type, payload, atMs }) => ({
      at: isoTime(atMs),
      type,
      payload: archiveRow(payload as Facts),
    }))
    if (rows.length < LOOKED_AT) return
    after = rows.at(-1)?.position ?? after
  }
}

/** A media file: its name in the archive and in the file store. */
export interface FileOfMessage {
  name: string
  mediaId: string
  storedAs: string
}

const placeOf = (file: { id: string; filename: string | null }): string =>
  `files/${file.id}${/\.[A-Za-z0-9]{1,8}$/.exec(file.filename ?? '')?.[0] ?? ''}`

function fileOf(ctx: Ctx, mediaId: string | null): FileOfMessage | null {
  if (mediaId === null) return null
  const row = ctx.db.orm
    .select()
    .from(media)
    .where(inOrganization(ctx, media, eq(media.id, mediaId)))
    .get()
  return row?.storedAs ? { name: placeOf(row), mediaId, storedAs: row.storedAs } : null
}

/**
 * Yields a contact's messages, oldest first, each with its statuses and file name. Adds each file
 * to `files` once.
 */
export function* messageFacts(
  ctx: Ctx,
  contactId: string,
  files: Map<string, FileOfMessage>,
): Generator<Facts[]> {
  const { timestampMs, id } = messages
  for (let after = { timestampMs: -1, id: '' }; ;) {
    const rows = ctx.db.orm
      .select()
      .from(messages)
      .where(
        inOrganization(
          ctx,
          messages,
          and(
            eq(messages.contactId, contactId),
            sql`(${timestampMs}, ${id}) > (${after.timestampMs}, ${uuidValue(after.id)})`,
          ),
        ),
      )
      .orderBy(asc(timestampMs), asc(id))
      .limit(STEP)
      .all()
    for (const { sendOptions: _options, row: _row, ...row } of rows) {
      const file = fileOf(ctx, row.mediaId)
      if (file) files.set(file.name, file)
      const shown = archiveRow({ ...row, warnings: row.warnings ?? '[]' })
      yield [{ ...shown, statuses: statusesOf(ctx, row), file: file?.name ?? null }]
    }
    const last = rows.at(-1)
    if (rows.length < STEP || !last) return
    after = last
  }
}

/**
 * Yields a contact's calls, oldest first, each with the names of its files. Adds each file to
 * `files` once.
 */
export function* callFacts(
  ctx: Ctx,
  contactId: string,
  files: Map<string, FileOfMessage>,
): Generator<Facts[]> {
  for (const rows of rowsOf(ctx, calls, contactId))
    yield rows.map((row) => {
      const own = [row.recordingMediaId, row.transcriptMediaId].flatMap(
        (mediaId) => fileOf(ctx, mediaId) ?? [],
      )
      for (const file of own) files.set(file.name, file)
      return { ...archiveRow(row), files: own.map(({ name }) => name) }
    })
}

const statusesOf = (
  ctx: Ctx,
  { accountId, waMessageId }: Pick<typeof messages.$inferSelect, 'accountId' | 'waMessageId'>,
): Facts[] =>
  waMessageId === null
    ? []
    : ctx.db.orm
        .select()
        .from(messageStatuses)
        .where(
          inOrganization(
            ctx,
            messageStatuses,
            and(
              eq(messageStatuses.accountId, accountId),
              eq(messageStatuses.waMessageId, waMessageId),
            ),
          ),
        )
        .all()
        .map(archiveRow)
