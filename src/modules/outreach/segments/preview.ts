import { eq, isNull, sql } from 'drizzle-orm'

import { inOrganization } from '../../../infra/ctx'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { contactsWhere } from '../../inbox/contacts/list/filters'
import { newestContacts } from '../../inbox/contacts/list/list'
import { contacts } from '../../inbox/contacts/table'
import type { SegmentPreview } from './model'
import { boundedSegmentCondition } from '../../inbox/contacts/segment-filter/condition'

/** Number of contacts in a preview. */
const SAMPLE = 10

const sumOf = (condition: unknown) => sql<number>`coalesce(sum(${condition}), 0)`

/**
 * Counts the contacts that match a filter and that the caller can see, and returns some of them.
 * Throws InvalidError for an invalid filter, and `segment_too_expensive`.
 */
export function previewSegment(ctx: ReadCtx, filter: unknown): SegmentPreview {
  const condition = boundedSegmentCondition(ctx, filter)
  const counted = ctx.db.orm
    .select({
      count: sql<number>`count(*)`,
      opted_out: sumOf(eq(contacts.marketingConsent, 'opted_out')),
      blocked: sumOf(sql`${contacts.blockedAtMs} is not null`),
      no_phone: sumOf(sql`coalesce(${contacts.waId}, ${contacts.phoneNumber}) is null`),
    })
    .from(contacts)
    .where(inOrganization(ctx, contacts, contactsWhere(ctx, {}, condition)))
    .get()
  const { count, ...excluded } = counted ?? { count: 0, opted_out: 0, blocked: 0, no_phone: 0 }
  return { count, sample: newestContacts(ctx, { condition }, SAMPLE), excluded }
}

/**
 * Counts the contacts of the organization that match a filter. Throws InvalidError for an invalid
 * filter, and `segment_too_expensive`.
 */
export const countMatches = (ctx: ReadCtx, filter: unknown): number =>
  ctx.db.orm
    .select({ rows: sql<number>`count(*)` })
    .from(contacts)
    .where(
      inOrganization(
        ctx,
        contacts,
        isNull(contacts.deletedAtMs),
        boundedSegmentCondition(ctx, filter),
      ),
    )
    .get()?.rows ?? 0
