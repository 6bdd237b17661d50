import { and, asc, gt, inArray, type SQL } from 'drizzle-orm'

import { fieldSentence, InvalidError } from '../../../../lib/errors'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { contactsWhere } from '../../../inbox/contacts/list/filters'
import { segmentCondition } from '../../../inbox/contacts/segment-filter/condition'
import { contacts } from '../../../inbox/contacts/table'
import type { ContactRow } from '../../../inbox/contacts/view'
import type { Audience } from '../model'

/** Contacts read in one step, matching or not. */
const SCAN_LIMIT = 250

/** Reports whether an audience selects contacts in addition to imported recipients. */
export const selectsContacts = (audience: Audience): boolean =>
  audience.segment_id !== null || audience.filter !== null || audience.tag_ids.length > 0

/**
 * Returns the condition for contacts that match both segment, filter and tags and are visible in `ctx`.
 * Throws InvalidError if the segment uses a deleted custom field.
 */
const conditionOfAudience = (ctx: Ctx, audience: Audience): SQL =>
  readSegment(() =>
    contactsWhere(
      ctx,
      {
        segmentId: audience.segment_id ?? undefined,
        tags: audience.tag_ids.length === 0 ? undefined : audience.tag_ids,
        tagsMode: audience.tags_mode === 'all' ? 'all' : 'any',
      },
      filterOf(ctx, audience),
    ),
  )

const filterOf = (ctx: Ctx, { filter }: Audience): SQL | undefined =>
  filter === null ? undefined : readFilter(() => segmentCondition(ctx, filter))

const FILTER_PATH = 'body.audience.filter'

/** Runs `read` and reports what is wrong with a filter at its place in the audience. */
export function readFilter<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error
    const errors = (error.errors ?? []).map(({ path, message }) => ({
      path: path.replace(/^body\.filter/, FILTER_PATH),
      message,
    }))
    const [first] = errors
    throw new InvalidError(fieldSentence(first?.path ?? FILTER_PATH, first?.message), {
      code: error.code,
      errors,
    })
  }
}

/**
 * Runs `read` and reports a segment that uses a deleted custom field as an InvalidError of
 * `audience.segment_id`.
 */
export function readSegment<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof InvalidError) || isOfFilter(error)) throw error
    const problem = {
      path: 'body.audience.segment_id',
      message: 'is a segment that uses a deleted custom field',
    }
    throw new InvalidError(fieldSentence(problem.path, problem.message), {
      code: 'invalid_input',
      errors: [problem],
    })
  }
}

const isOfFilter = ({ errors }: InvalidError): boolean =>
  errors?.[0]?.path.startsWith(FILTER_PATH) === true

/**
 * Returns matching contacts after the ID `after`, in the order of their IDs. Reads at most `limit`
 * contacts, matching or not. `next` is the position to continue from, `null` at the end.
 */
export function readAudience(
  ctx: Ctx,
  audience: Audience,
  { after, limit = SCAN_LIMIT }: { after: string; limit?: number },
): { rows: ContactRow[]; next: string | null } {
  const ids = ctx.db.orm
    .select({ id: contacts.id })
    .from(contacts)
    .where(inOrganization(ctx, contacts, gt(contacts.id, after)))
    .orderBy(asc(contacts.id))
    .limit(limit)
    .all()
    .map(({ id }) => id)
  if (ids.length === 0) return { rows: [], next: null }
  const rows = ctx.db.orm
    .select()
    .from(contacts)
    .where(
      inOrganization(
        ctx,
        contacts,
        and(inArray(contacts.id, ids), conditionOfAudience(ctx, audience)),
      ),
    )
    .orderBy(asc(contacts.id))
    .all()
  return { rows, next: ids.length < limit ? null : (ids.at(-1) ?? null) }
}

/**
 * Contacts read in one step to find a first match, and the maximum duration of the search,
 * milliseconds.
 */
const FIRST_SCAN_LIMIT = 50
const MAX_SEARCH_MS = 5

/**
 * Reports whether an audience has a contact. Assumes that it has one if the search takes too long.
 */
export function hasContacts(ctx: Ctx, audience: Audience): boolean {
  if (!selectsContacts(audience)) return false
  const startedMs = performance.now()
  for (let after: string | null = ''; after !== null;) {
    const page: { rows: ContactRow[]; next: string | null } = readAudience(ctx, audience, {
      after,
      limit: FIRST_SCAN_LIMIT,
    })
    if (page.rows.length > 0) return true
    if (performance.now() - startedMs > MAX_SEARCH_MS && page.next !== null) return true
    after = page.next
  }
  return false
}
