import { and, eq, inArray, sql } from 'drizzle-orm'

import { type Ctx, anyScope, hasIdIn, inOrganization } from '../../../infra/ctx'
import { atMost, compiled, place } from '../../../infra/db/compiled'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { isoTime } from '../../../lib/clock'
import { InvalidError } from '../../../lib/errors'
import { maskNumbersIn, maskPhone, maskPhonesIn } from '../../../lib/phone'
import { callPreview } from '../../../platform/call-summary'
import { calls } from '../../channel/calls/table'
import { users } from '../../organization/users/table'
import { conversations } from '../conversations/table'
import { messages } from '../messages/table'
import type { ContactDetails, ContactView } from './model'
import { type ContactSight, sightOf } from './sight/visible-history'
import { contactIdentities, contacts } from './table'
import { tagsOf } from './tags'
import { type ContactRow, contactView, numbersOfContact, windowEndMs } from './view'

/** Returns the contact as the API shows it to the caller. */
export function viewOf(ctx: Ctx, row: ContactRow): ContactView {
  const [view] = contactViews(ctx, [row], sightOf(ctx))
  if (!view) throw new Error(`contact ${row.id} has no view`)
  return view
}

/**
 * Returns contacts as the API shows them. Reads the names of assignees, the tags and the previews
 * with one query each.
 */
export function contactViews(
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
  rows: ContactRow[],
  sight: ContactSight,
): ContactView[] {
  const ids = [...new Set(rows.map(({ assignedTo }) => assignedTo).filter((id) => id !== null))]
  const people =
    ids.length === 0
      ? []
      : ctx.db.orm
          .select({ id: users.id, full_name: users.fullName })
          .from(users)
          .where(inArray(users.id, ids))
          .all()
  const byId = new Map(people.map((person) => [person.id, person]))
  const tags = tagsOf(
    ctx,
    rows.map(({ id }) => id),
  )
  const previews = newestPreviews(ctx, rows, sight)
  const windowEnds = endsOfClosedWindows(ctx, rows)
  return rows.map((row) =>
    contactView(row, {
      isMasked: sight.isMasked,
      windowEndMs: windowEnds.get(row.id),
      preview: previews.get(row.id),
      assignee: row.assignedTo === null ? null : (byId.get(row.assignedTo) ?? null),
      tags: tags.get(row.id),
    }),
  )
}

/**
 * Returns when the latest window of each contact ends, for contacts with a window closed by the
 * platform. Reads all their conversations with one query.
 */
function endsOfClosedWindows(
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
  rows: ContactRow[],
): Map<string, number | null> {
  const ids = rows.filter(({ windowClosedAtMs }) => windowClosedAtMs !== null).map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const { contactId, lastInboundAtMs, windowClosedAtMs } = conversations
  const closedOnes = ctx.db.orm
    .select({ contactId, lastInboundAtMs, windowClosedAtMs })
    .from(conversations)
    .where(inOrganization(ctx, conversations, inArray(contactId, ids)))
    .all()
  const byContact = Map.groupBy(closedOnes, (one) => one.contactId)
  return new Map(
    [...byContact].map(([id, all]) => [
      id,
      Math.max(...all.map((one) => windowEndMs(one) ?? 0)) || null,
    ]),
  )
}

/** Compiled, because a new contact is shown on sockets. */
const identitiesOf = compiled((orm) =>
  orm
    .select()
    .from(contactIdentities)
    .where(
      inOrganization(
        anyScope,
        contactIdentities,
        eq(contactIdentities.contactId, place(contactIdentities.contactId, 'contactId')),
      ),
    )
    .orderBy(contactIdentities.kind, contactIdentities.value)
    .limit(atMost(100))
    .prepare(),
)

/** Returns a contact with its identities, as the API and the WebSocket show it. */
export function contactDetails(
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
  row: ContactRow,
  sight: ContactSight,
): ContactDetails {
  const [view] = contactViews(ctx, [row], sight)
  if (!view) throw new InvalidError('The contact could not be read.')
  const { organizationId } = ctx
  const identities = identitiesOf(ctx.db).all({ organizationId, contactId: row.id })
  return {
    ...view,
    identities: identities.map((identity) => ({
      kind: identity.kind,
      value:
        sight.isMasked && identity.kind === 'phone' ? maskPhone(identity.value) : identity.value,
      account_id: identity.accountId,
      first_seen_at: isoTime(identity.firstSeenAtMs),
    })),
    platform_blocked: row.platformBlockedAtMs !== null,
  }
}

/** Condition for the messages or calls of a contact at the time of its newest one. */
const isAtNewestTime = (table: typeof messages | typeof calls) =>
  sql`${table.organizationId} = ${contacts.organizationId} and ${table.contactId} = ${contacts.id} and ${table.timestampMs} = ${contacts.lastMessageAtMs}`

/** One step in an index finds each of them, however many share a time. */
const NEWEST_MESSAGE = sql`(select max(${messages.row}) from ${messages} where ${isAtNewestTime(messages)})`
const NEWEST_CALL = sql`(select max(${calls.id}) from ${calls} where ${isAtNewestTime(calls)})`

const newestOf = compiled((orm) =>
  orm
    .select({
      contactId: contacts.id,
      message: { id: messages.id, type: messages.type, preview: messages.preview },
      call: { id: calls.id, direction: calls.direction, state: calls.state },
    })
    .from(contacts)
    .leftJoin(messages, eq(messages.row, NEWEST_MESSAGE))
    .leftJoin(
      calls,
      and(eq(calls.organizationId, contacts.organizationId), eq(calls.id, NEWEST_CALL)),
    )
    .where(inOrganization(anyScope, contacts, hasIdIn(contacts.id)))
    .prepare(),
)

/** The newest message or call of a contact. */
interface Newest {
  preview: string
  /** Whether it is a system message of the platform, which may contain phone numbers. */
  isSystem: boolean
}

function newestIn({ message, call }: ReturnType<ReturnType<typeof newestOf>['all']>[number]) {
  if (call && (message === null || call.id > message.id))
    return { preview: callPreview(call.direction, call.state), isSystem: false }
  return message && { preview: message.preview, isSystem: message.type === 'system' }
}

function masked({ preview, isSystem }: Newest, contact: ContactRow): string {
  return isSystem ? maskPhonesIn(preview) : maskNumbersIn(preview, numbersOfContact(contact))
}

/**
 * Returns the preview of the newest message or call of each contact, by contact, unless there is
 * none or it is older than the history that is shown. Reads them with one query.
 */
function newestPreviews(
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
  rows: ContactRow[],
  { isMasked, historyFromMs }: ContactSight,
): Map<string, string> {
  const isSeen = ({ id, lastMessageAtMs }: ContactRow): boolean =>
    lastMessageAtMs !== null && lastMessageAtMs >= (historyFromMs(id) ?? 0)
  const byId = new Map(rows.filter(isSeen).map((row) => [row.id, row]))
  if (byId.size === 0) return new Map()
  const { organizationId } = ctx
  const found = newestOf(ctx.db).all({ organizationId, ids: JSON.stringify([...byId.keys()]) })
  const previews = new Map<string, string>()
  for (const one of found) {
    const newest = newestIn(one)
    const contact = byId.get(one.contactId)
    if (newest && contact)
      previews.set(contact.id, isMasked ? masked(newest, contact) : newest.preview)
  }
  return previews
}
