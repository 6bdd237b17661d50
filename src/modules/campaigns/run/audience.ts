import { and, asc, gt, inArray, type SQL } from 'drizzle-orm'

import { fieldSentence, InvalidError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { contactsWhere } from '../../contacts/filters'
import { contacts } from '../../contacts/table'
import type { ContactRow } from '../../contacts/view'
import type { Audience } from '../model'

/** Contacts looked at in one step; so many at most fit. */
const LOOKED_AT = 250

/** Whether an audience names anybody beside those who are brought in. */
export const namesAnybody = (audience: Audience): boolean =>
  audience.segment_id !== null || audience.tag_ids.length > 0

/**
 * The condition on contacts an audience stands for, cut to live ones that `ctx` may see; segment
 * and tags both narrow it. Throws InvalidError for a segment that cannot be read any more.
 */
const conditionOfAudience = (ctx: Ctx, audience: Audience): SQL =>
  readingSegment(() =>
    contactsWhere(ctx, {
      segmentId: audience.segment_id ?? undefined,
      tags: audience.tag_ids.length === 0 ? undefined : audience.tag_ids,
      tagsMode: audience.tags_mode === 'all' ? 'all' : 'any',
    }),
  )

/**
 * Reads the segment of an audience. Throws InvalidError, which names the field of a campaign, for
 * one that cannot be read any more.
 */
export function readingSegment<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error
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

/**
 * The contacts of an audience beyond a place, in the order of their ids; no more than a bounded
 * number is looked at, however few of them fit. `next` is where to go on, `null` at the end.
 */
export function readAudience(
  ctx: Ctx,
  audience: Audience,
  { after, most = LOOKED_AT }: { after: string; most?: number },
): { rows: ContactRow[]; next: string | null } {
  const ids = ctx.db.orm
    .select({ id: contacts.id })
    .from(contacts)
    .where(inOrganization(ctx, contacts, gt(contacts.id, after)))
    .orderBy(asc(contacts.id))
    .limit(most)
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
  return { rows, next: ids.length < most ? null : (ids.at(-1) ?? null) }
}

/**
 * Contacts looked at in one step to see whether there is anybody at all, and how long that may take
 * in all, milliseconds.
 */
const LOOKED_AT_FIRST = 50
const LOOKING_MS = 5

/**
 * Whether an audience has anybody at the moment; one whose first contacts do not fit counts as one
 * that has, when looking takes too long.
 */
export function hasAnybody(ctx: Ctx, audience: Audience): boolean {
  if (!namesAnybody(audience)) return false
  const startedMs = performance.now()
  for (let after: string | null = ''; after !== null;) {
    const part: { rows: ContactRow[]; next: string | null } = readAudience(ctx, audience, {
      after,
      most: LOOKED_AT_FIRST,
    })
    if (part.rows.length > 0) return true
    if (performance.now() - startedMs > LOOKING_MS && part.next !== null) return true
    after = part.next
  }
  return false
}
