import { and, eq, gte, inArray, isNull, lt } from 'drizzle-orm'
import { inOrganization } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { contacts } from '../../contacts/table'
import { contactView, numbersOfContact } from '../../contacts/view'
import { isShownHistory } from '../../contacts/sight/visible-history'
import { isVisibleRow, masksNumbers } from '../../contacts/sight/visibility'
import { messageViews } from '../queries'
import { contentView } from '../view'
import { messages } from '../table'
import { searchTextOf } from '../search-index'
import type { FoundMessages } from './model'
import { type Hit } from './postings'
import { type SearchQuery } from './parse-query'
import { containsAll, snippetOf } from './snippet'

/** A search with its filters. */
export interface MessageSearch {
  q: string
  limit: number
  cursor?: string | undefined
  contactId?: string | undefined
  accountId?: string | undefined
  direction?: 'incoming' | 'outgoing' | undefined
  type?: string | undefined
  /** Epoch milliseconds; the start is inclusive, the end exclusive. */
  fromMs?: number | undefined
  beforeMs?: number | undefined
  /** Time after which it returns what it has, milliseconds. */
  maxMs?: number
}

/** Filters hits by visibility, the filters of the search, and masked text. */
export function visibleHits(
  ctx: ReadCtx,
  search: MessageSearch,
  query: SearchQuery,
  hits: Hit[],
): Hit[] {
  if (hits.length === 0) return []
  const { contactId, accountId, direction, type, fromMs, beforeMs } = search
  const rows = ctx.db.orm
    .select({ id: messages.id, type: messages.type })
    .from(messages)
    .innerJoin(
      contacts,
      and(
        eq(contacts.organizationId, messages.organizationId),
        eq(contacts.id, messages.contactId),
      ),
    )
    .where(
      inOrganization(
        ctx,
        messages,
        inArray(
          messages.id,
          hits.map(({ messageId }) => messageId),
        ),
        isNull(contacts.deletedAtMs),
        isVisibleRow(ctx),
        isShownHistory(ctx, { contactId: messages.contactId, atMs: messages.timestampMs }),
        contactId === undefined ? undefined : eq(messages.contactId, contactId),
        accountId === undefined ? undefined : eq(messages.accountId, accountId),
        direction === undefined ? undefined : eq(messages.direction, direction),
        type === undefined ? undefined : eq(messages.type, type),
        fromMs === undefined ? undefined : gte(messages.timestampMs, fromMs),
        beforeMs === undefined ? undefined : lt(messages.timestampMs, beforeMs),
      ),
    )
    .all()
  const seen = new Set(rows.map(({ id }) => id))
  for (const id of masksNumbers(ctx) ? matchesOfHiddenText(ctx, query, rows) : []) seen.delete(id)
  return hits.filter(({ messageId }) => seen.has(messageId))
}

/**
 * Messages that match only in digits hidden from the caller, which templates with phone numbers can
 * contain.
 */
function matchesOfHiddenText(
  ctx: ReadCtx,
  query: SearchQuery,
  rows: { id: string; type: string }[],
): string[] {
  const filledIn = rows.filter(({ type }) => type === 'template').map(({ id }) => id)
  return withContacts(ctx, filledIn)
    .filter(
      (row) =>
        shownText(row, true) !== shownText(row, false) &&
        !containsAll(shownText(row, true), query.terms),
    )
    .map(({ message }) => message.id)
}

type WithContact = ReturnType<typeof withContacts>[number]

/** Loads messages with their contacts. */
const withContacts = (ctx: ReadCtx, ids: string[]) =>
  ids.length === 0
    ? []
    : ctx.db.orm
        .select({ message: messages, contact: contacts })
        .from(messages)
        .innerJoin(
          contacts,
          and(
            eq(contacts.organizationId, messages.organizationId),
            eq(contacts.id, messages.contactId),
          ),
        )
        .where(inOrganization(ctx, messages, inArray(messages.id, ids)))
        .all()

/** The searchable text of a message as the caller sees it. */
const shownText = ({ message, contact }: WithContact, isMasked: boolean): string =>
  searchTextOf(
    message.type,
    contentView(message, isMasked, () => numbersOfContact(contact)),
  )

/** Returns the messages found as the API shows them. */
export function viewsOf(ctx: ReadCtx, query: SearchQuery, hits: Hit[]): FoundMessages['items'] {
  const isMasked = masksNumbers(ctx)
  const rows = withContacts(
    ctx,
    hits.map(({ messageId }) => messageId),
  )
  const views = messageViews(
    ctx,
    rows.map(({ message }) => message),
  )
  const byId = new Map(rows.map((row, index) => [row.message.id, { ...row, view: views[index] }]))
  return hits.flatMap(({ messageId }) => {
    const { view, message, contact } = byId.get(messageId) ?? {}
    if (!view || !message || !contact) return []
    const { id, display_name, phone_number, avatar_url } = contactView(contact, {
      isMasked,
      assignee: null,
    })
    return {
      message: view,
      contact: { id, display_name, phone_number, avatar_url },
      ...snippetOf(shownText({ message, contact }, isMasked), query.terms),
    }
  })
}
