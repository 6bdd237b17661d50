import { and, eq, exists, inArray, isNotNull, not, or, sql, type SQL } from 'drizzle-orm'

import { validIds } from '../../../../lib/ids'
import { inOrganization } from '../../../../infra/ctx'
import { campaignRecipients } from '../../../outreach/campaigns/table'
import { tags } from '../../tags/table'
import { tagKey } from '../../tags/queries'
import { contacts, contactTags } from '../table'
import { refuse, type Comparison, asText, asBoolean, listOf } from './values'
import type { FieldScope } from './fields'

/** Matches contacts that have one of the tags, given by ID or name. */
export function tagCondition(ctx: FieldScope, { op, value, path }: Comparison): SQL {
  const hasTag = (condition: SQL | undefined): SQL =>
    sql`exists (select 1 from ${contactTags} where ${inOrganization(ctx, contactTags, eq(contactTags.contactId, contacts.id), condition)})`
  if (op === 'exists') return asBoolean(value, path) ? hasTag(undefined) : not(hasTag(undefined))
  if (!['eq', 'ne', 'in', 'nin', 'contains'].includes(op))
    throw refuse(`${path}.op`, 'is not supported for tags; use eq, ne, in, nin or exists')
  const names =
    op === 'in' || op === 'nin' ? listOf(value, path, asText) : [asText(value, `${path}.value`)]
  const keys = names.map(tagKey)
  const named = ctx.db.orm
    .select({ id: tags.id })
    .from(tags)
    .where(
      inOrganization(ctx, tags, or(inArray(tags.id, validIds(names)), inArray(tags.nameKey, keys))),
    )
    .all()
  const condition = hasTag(
    inArray(
      contactTags.tagId,
      named.map(({ id }) => id),
    ),
  )
  return op === 'ne' || op === 'nin' ? not(condition) : condition
}

/** Matches contacts that were sent a message of one of the campaigns, given by ID. */
export function campaignCondition(ctx: FieldScope, { op, value, path }: Comparison): SQL {
  const sameContact = and(
    eq(campaignRecipients.organizationId, contacts.organizationId),
    eq(campaignRecipients.contactId, contacts.id),
  )
  const wasSent = (condition: SQL | undefined): SQL =>
    exists(
      ctx.db.orm
        .select({ one: sql`1` })
        .from(campaignRecipients)
        .where(
          inOrganization(
            ctx,
            campaignRecipients,
            sameContact,
            isNotNull(campaignRecipients.sentAtMs),
            condition,
          ),
        ),
    )
  if (op === 'exists') return asBoolean(value, path) ? wasSent(undefined) : not(wasSent(undefined))
  if (!['eq', 'ne', 'in', 'nin'].includes(op))
    throw refuse(`${path}.op`, 'is not supported for campaign; use eq, ne, in, nin or exists')
  const ids =
    op === 'in' || op === 'nin' ? listOf(value, path, asText) : [asText(value, `${path}.value`)]
  const condition = wasSent(inArray(campaignRecipients.campaignId, validIds(ids)))
  return op === 'ne' || op === 'nin' ? not(condition) : condition
}
