import { asc, eq, gt, inArray, sql } from 'drizzle-orm'

import { numberedPage, type Page } from '../../../../lib/page'
import { numberVariants } from '../../../../lib/phone'
import { inOrganization } from '../../../../infra/ctx'
import { apartIn } from './apart'
import { contactsWhere } from '../list/filters'
import { contacts } from '../table'
import type { ContactRow } from '../view'
import { sightOf } from '../sight/visible-history'
import type { DuplicateReason, DuplicateView } from './model'
import { contactAttributes } from '../attributes/table'
import { contactViews } from '../load-views'
import { place } from '../../../../infra/db/compiled'
import type { ReadCtx } from '../../../../infra/read/read-ctx'

/** Number of contacts read by one statement. */
const LOOKED_AT = 1_000

interface Pair {
  ids: [string, string]
  reason: DuplicateReason
}

/**
 * Returns pairs of visible contacts that may be the same person, the older one first; with `apart`
 * those of which somebody said that they are not. Compares phone numbers in all spellings, user IDs,
 * and email addresses in custom fields and metadata. Reads all contacts.
 */
export function duplicatePage(
  ctx: ReadCtx,
  query: { page: number; limit: number; apart: boolean },
): Page<DuplicateView> {
  const isApart = apartIn(ctx)
  const pairs = pairsOf(ctx).filter(({ ids }) => isApart(...ids) === query.apart)
  const from = (query.page - 1) * query.limit
  const shown = pairs.slice(from, from + query.limit)
  const ids = [...new Set(shown.flatMap((pair) => pair.ids))]
  const found =
    ids.length === 0
      ? []
      : ctx.db.orm
          .select()
          .from(contacts)
          .where(inOrganization(ctx, contacts, contactsWhere(ctx, {}, inArray(contacts.id, ids))))
          .all()
  const views = new Map(contactViews(ctx, found, sightOf(ctx)).map((view) => [view.id, view]))
  const items = shown.flatMap(({ ids: [one, other], reason }): DuplicateView[] => {
    const both = [views.get(one), views.get(other)].filter((view) => view !== undefined)
    return both.length === 2 ? [{ contacts: both, reason }] : []
  })
  return numberedPage(items, pairs.length, query)
}

/** The columns that contacts are compared by. */
type Compared = Pick<
  ContactRow,
  'id' | 'phoneNumber' | 'waId' | 'userId' | 'parentUserId' | 'metadata' | 'attributes'
>

function pairsOf(ctx: ReadCtx): Pair[] {
  const emailFields = ctx.db.orm
    .select({ key: contactAttributes.key })
    .from(contactAttributes)
    .where(inOrganization(ctx, contactAttributes, eq(contactAttributes.type, 'email')))
    .all()
    .map(({ key }) => key)
  const holders = new Map<string, string>()
  const pairs = new Map<string, Pair>()
  for (const row of comparedContacts(ctx))
    for (const [reason, word] of wordsOf(row, emailFields)) {
      const holder = holders.get(`${reason} ${word}`)
      if (holder === undefined) holders.set(`${reason} ${word}`, row.id)
      else if (holder !== row.id && !pairs.has(`${holder} ${row.id}`))
        pairs.set(`${holder} ${row.id}`, { ids: [holder, row.id], reason })
    }
  return [...pairs.values()]
}

/** Yields the contacts that the caller can see, a batch at a time in memory. */
function* comparedContacts(ctx: ReadCtx): Generator<Compared> {
  const query = ctx.db.orm
    .select({
      id: contacts.id,
      phoneNumber: contacts.phoneNumber,
      waId: contacts.waId,
      userId: contacts.userId,
      parentUserId: contacts.parentUserId,
      metadata: contacts.metadata,
      attributes: contacts.attributes,
      fits: sql<number>`coalesce((${contactsWhere(ctx, {})}), 0)`,
    })
    .from(contacts)
    .where(inOrganization(ctx, contacts, gt(contacts.id, place(contacts.id, 'after'))))
    .orderBy(asc(contacts.id))
    .limit(LOOKED_AT)
    .prepare()
  for (let [after, isEnd] = ['', false]; !isEnd;) {
    const looked = query.all({ after })
    for (const { fits, ...row } of looked) if (fits === 1) yield row
    after = looked.at(-1)?.id ?? after
    isEnd = looked.length < LOOKED_AT
  }
}

/** Returns the keys that two contacts of the same person share. */
function wordsOf(row: Compared, emailFields: string[]): [DuplicateReason, string][] {
  const numbers = [row.phoneNumber, row.waId].filter((number) => number !== null)
  const ids = [row.userId, row.parentUserId].filter((id) => id !== null)
  return [
    // The first spelling in sort order represents all spellings of a number.
    ...numbers.map((number): [DuplicateReason, string] => [
      'number_variant',
      numberVariants(number).toSorted()[0] ?? number,
    ]),
    ...ids.map((id): [DuplicateReason, string] => ['same_user_id', id]),
    ...emailsOf(row, emailFields).map((email): [DuplicateReason, string] => ['same_email', email]),
  ]
}

function emailsOf(row: Compared, fields: string[]): string[] {
  if (row.attributes === '{}' && row.metadata === '{}') return []
  const attributes = JSON.parse(row.attributes) as Record<string, unknown>
  const metadata = JSON.parse(row.metadata) as Record<string, unknown>
  return [...fields.map((field) => attributes[field]), metadata['email']]
    .filter((email) => typeof email === 'string' && email.includes('@'))
    .map((email) => String(email).trim().toLowerCase())
}
