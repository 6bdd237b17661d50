import { and, eq, sql } from 'drizzle-orm'

import { maskNumbersIn, maskPhonesIn } from '../../../lib/phone'
import { anyScope, hasIdIn, inOrganization } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { callPreview } from '../../../platform/call-summary'
import { calls } from '../../channel/calls/table'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { messages } from '../messages/table'
import { contacts } from './table'
import { type ContactRow, numbersOfContact } from './view'
import type { ContactSight } from './visible-history'

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
export function newestPreviews(
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
