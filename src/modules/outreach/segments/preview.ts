import { eq, isNull, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { contactsWhere } from '../../inbox/contacts/filters'
import { newestContacts } from '../../inbox/contacts/queries'
import { countAllContacts, sumOverContacts } from '../../inbox/contacts/scan'
import { contacts } from '../../inbox/contacts/table'
import type { SegmentPreview } from './model'
import { boundedSegmentCondition } from '../../inbox/contacts/segment-filter/condition'

/** Number of contacts in a preview. */
const SAMPLE = 10

/**
 * Counts the contacts that match a filter and that the caller can see, and returns some of them.
 * Throws InvalidError for an invalid filter, and `segment_too_expensive`.
 */
export async function previewSegment(ctx: Ctx, filter: unknown): Promise<SegmentPreview> {
  const condition = boundedSegmentCondition(ctx, filter)
  const counted = await sumOverContacts(ctx, contactsWhere(ctx, { condition }), {
    opted_out: sql`(${eq(contacts.marketingConsent, 'opted_out')})`,
    blocked: sql`(${contacts.blockedAtMs} is not null)`,
    no_phone: sql`(coalesce(${contacts.waId}, ${contacts.phoneNumber}) is null)`,
  })
  const { rows, ...excluded } = counted
  return { count: rows, sample: await newestContacts(ctx, { condition }, SAMPLE), excluded }
}

/**
 * Counts the contacts of the organization that match a filter. Throws InvalidError for an invalid
 * filter, and `segment_too_expensive`.
 */
export async function countMatches(ctx: Ctx, filter: unknown): Promise<number> {
  const found = inOrganization(
    ctx,
    contacts,
    isNull(contacts.deletedAtMs),
    boundedSegmentCondition(ctx, filter),
  )
  return await countAllContacts(ctx, found)
}
