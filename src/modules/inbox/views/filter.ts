import { Type, type TObject } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { eq } from 'drizzle-orm'

import { timeSpanOf } from '../../../lib/local-day'
import type { FieldProblem } from '../../../lib/errors'
import { normalizeId } from '../../../lib/ids'
import { throwProblems } from '../../../lib/input-problems'
import { problemsOf, type SchemaProblem } from '../../../lib/validation-messages'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { findAccount } from '../../channel/accounts/queries'
import { campaignFilters } from '../../outreach/campaigns/list-query'
import { findCampaign } from '../../outreach/campaigns/state'
import { contactFilters } from '../contacts/list/list-query'
import { usableSegments } from '../contacts/segment-filter/condition'
import { conversationFilters, conversationSort } from '../conversations/list-query'
import { findMembership } from '../../organization/memberships/find'
import { segments } from '../../outreach/segments/table'
import { findTeam } from '../teams/find'
import { findTemplate } from '../../channel/templates/queries'
import type { StoredFilter, ViewRow } from './table'

const STRICT = { additionalProperties: false }

/** The query parameters of each list. */
const SCHEMAS: Record<ViewRow['resource'], TObject> = {
  conversations: Type.Object({ ...conversationFilters, sort: conversationSort }, STRICT),
  contacts: Type.Object(contactFilters, STRICT),
  campaigns: Type.Object(campaignFilters, STRICT),
}

/** Reports what is wrong with an ID in a filter, or `null`. */
type CheckId = (ctx: Ctx, id: string, isShared: boolean) => string | null

const unless = (isKnown: boolean, message: string): string | null => (isKnown ? null : message)

/** Checks of the parameters that hold IDs. */
const ID_CHECKS: Record<string, CheckId> = {
  account_id: (ctx, id) =>
    unless(findAccount(ctx, id) !== null, 'is not a phone number of this organization'),
  team_id: (ctx, id) => unless(findTeam(ctx, id) !== null, 'is not a team of this organization'),
  campaign_id: (ctx, id) =>
    unless(findCampaign(ctx, id) !== null, 'is not a campaign of this organization'),
  template_id: (ctx, id) =>
    unless(findTemplate(ctx, id) !== null, 'is not a template of this organization'),
  assigned_to: (ctx, id) =>
    unless(
      id === 'me' ||
        id === 'none' ||
        findMembership(ctx, { organizationId: ctx.organizationId, userId: id }) !== null,
      'is not a member of this organization',
    ),
  segment_id(ctx, id, isShared) {
    const segment = ctx.db.orm
      .select({ isShared: segments.isShared })
      .from(segments)
      .where(inOrganization(ctx, segments, usableSegments(ctx), eq(segments.id, id)))
      .get()
    if (!segment) return 'is not one of your segments'
    return unless(segment.isShared || !isShared, 'is not a shared segment, but the view is shared')
  },
}

/**
 * Returns a filter as it is stored: the query parameters of the list, with IDs in lower case.
 * Throws InvalidError that names each invalid parameter, and each ID that does not exist in the
 * organization. IDs of the filter before stay valid, so that a view can be changed after something
 * it names was deleted.
 */
export function readFilter(
  ctx: Ctx,
  resource: ViewRow['resource'],
  at: { filter: Record<string, unknown>; isShared: boolean; before: StoredFilter | null },
): StoredFilter {
  // The cast holds: TypeBox's errors have these fields, and more.
  const found = Value.Errors(SCHEMAS[resource], at.filter) as Iterable<SchemaProblem>
  throwProblems(problemsOf('body.filter', found))
  const filter = Object.fromEntries(
    Object.entries(at.filter).map(([name, value]) => [
      name,
      name in ID_CHECKS && typeof value === 'string' ? normalizeId(value) : value,
    ]),
  )
  throwProblems([
    ...Object.entries(filter).flatMap(([name, value]): FieldProblem[] => {
      const isKept = name !== 'segment_id' && at.before?.[name] === value
      const message = isKept ? null : (ID_CHECKS[name]?.(ctx, String(value), at.isShared) ?? null)
      return message === null ? [] : [{ path: `body.filter.${name}`, message }]
    }),
    ...(resource === 'campaigns' ? problemsOfDates(filter) : []),
  ])
  return filter
}

/**
 * Whether a list takes a filter of another installation. What it names may have been deleted since it
 * was saved.
 */
export const isFilterOf = (resource: ViewRow['resource'], filter: StoredFilter): boolean =>
  Value.Check(SCHEMAS[resource], filter) &&
  (resource !== 'campaigns' || problemsOfDates(filter).length === 0)

/** Reports dates of the campaign list that cannot be read. */
const problemsOfDates = (filter: StoredFilter): FieldProblem[] =>
  ['from', 'to'].flatMap((name) => {
    const value = filter[name]
    return typeof value !== 'string' || timeSpanOf(value, 'UTC')
      ? []
      : [
          {
            path: `body.filter.${name}`,
            message: 'must be a date (YYYY-MM-DD) or a time with offset',
          },
        ]
  })
