import { and, count, desc, eq, gte, inArray, isNull, lt, sql, type SQL } from 'drizzle-orm'

import { fieldSentence, InvalidError } from '../../../lib/errors'
import { timeSpanOf } from '../../../lib/local-day'
import { numberedPage, totalAtEnd, type Page } from '../../../lib/page'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import { holdsText } from '../../../infra/search-keys'
import { getOrganization } from '../../organization/organizations/service'
import { templates } from '../../channel/templates/table'
import type { CampaignView } from './model'
import type { CampaignStatus } from './rules'
import { etaOf } from './results/progress'
import { getCampaignRow } from './state'
import { campaignCounts, campaignRecipients, campaigns } from './table'
import { campaignView, type CampaignRow } from './view'
import type { ReadCtx } from '../../../infra/read/read-ctx'

/** Filters of the campaign list. */
export interface CampaignFilter {
  status?: CampaignStatus | undefined
  accountId?: string | undefined
  templateId?: string | undefined
  /** The segment of the audience. */
  segmentId?: string | undefined
  search?: string | undefined
  /** Range of creation times: dates in the organization's time zone, or times with offset. */
  from?: string | undefined
  to?: string | undefined
}

/** Returns the condition of the filters. Throws InvalidError for an invalid date. */
const matching = (ctx: ReadCtx, query: CampaignFilter): SQL | undefined =>
  and(
    isNull(campaigns.deletedAtMs),
    query.status === undefined ? undefined : eq(campaigns.status, query.status),
    query.accountId === undefined ? undefined : eq(campaigns.accountId, query.accountId),
    query.templateId === undefined ? undefined : eq(campaigns.templateId, query.templateId),
    query.segmentId === undefined
      ? undefined
      : sql`${campaigns.audience} ->> '$.segment_id' = ${query.segmentId}`,
    query.search === undefined ? undefined : holdsText(campaigns.nameKey, query.search),
    createdWithin(ctx, query),
  )

/** Counts matching campaigns, up to `most`. Throws InvalidError for an invalid date. */
export const countCampaignsUpTo = (ctx: ReadCtx, filter: CampaignFilter, most: number): number =>
  ctx.db.orm
    .select({ id: campaigns.id })
    .from(campaigns)
    .where(inOrganization(ctx, campaigns, matching(ctx, filter)))
    .limit(most)
    .all().length

/** Returns a page of campaigns, newest first. Throws InvalidError for an invalid date. */
export function listCampaigns(
  ctx: Ctx,
  query: CampaignFilter & { page: number; limit: number },
): Page<CampaignView> {
  const filter = inOrganization(ctx, campaigns, matching(ctx, query))
  const rows = ctx.db.orm
    .select()
    .from(campaigns)
    .where(filter)
    .orderBy(desc(campaigns.createdAtMs), desc(campaigns.id))
    .limit(query.limit + 1)
    .offset((query.page - 1) * query.limit)
    .all()
  const total =
    totalAtEnd(rows.length, query) ??
    ctx.db.orm.select({ rows: count() }).from(campaigns).where(filter).get()?.rows ??
    0
  return numberedPage(campaignViews(ctx, rows.slice(0, query.limit)), total, query)
}

function createdWithin(ctx: ReadCtx, { from, to }: CampaignFilter): SQL | undefined {
  const { timezone } = getOrganization(ctx)
  const span = (written: string | undefined, name: string) => {
    if (written === undefined) return undefined
    const found = timeSpanOf(written, timezone)
    if (found) return found
    const path = `query.${name}`
    const message = 'must be a date (YYYY-MM-DD) or a time with offset'
    throw new InvalidError(fieldSentence(path, message), {
      code: 'invalid_input',
      errors: [{ path, message }],
    })
  }
  const [first, last] = [span(from, 'from'), span(to, 'to')]
  return and(
    first && gte(campaigns.createdAtMs, first.fromMs),
    last && lt(campaigns.createdAtMs, last.beforeMs),
  )
}

/** Returns the views of campaigns. Reads counters and template names of all of them at once. */
function campaignViews(ctx: Ctx, rows: CampaignRow[]): CampaignView[] {
  if (rows.length === 0) return []
  const nowMs = ctx.clock.nowMs()
  const ids = rows.map(({ id }) => id)
  const counts = ctx.db.orm
    .select()
    .from(campaignCounts)
    .where(inOrganization(ctx, campaignCounts, inArray(campaignCounts.campaignId, ids)))
    .all()
  const named = ctx.db.orm
    .select({ id: templates.id, name: templates.name })
    .from(templates)
    .where(
      inOrganization(
        ctx,
        templates,
        inArray(
          templates.id,
          rows.flatMap(({ templateId }) => templateId ?? []),
        ),
      ),
    )
    .all()
  return rows.flatMap((row) => {
    const own = counts.find(({ campaignId }) => campaignId === row.id)
    const templateName = named.find(({ id }) => id === row.templateId)?.name ?? null
    return own
      ? [
          campaignView(row, {
            counts: own,
            lacksPrice: lacksPrice(ctx, row.id),
            templateName,
            etaAtMs: etaOf(ctx, row, nowMs),
          }),
        ]
      : []
  })
}

/** Reports whether the platform charges for a message of the campaign whose price is unknown. */
const lacksPrice = (ctx: Ctx, campaignId: string): boolean =>
  unpricedRecipient(ctx.db).get({ organizationId: ctx.organizationId, campaignId }) !== undefined

const unpricedRecipient = compiled((orm) =>
  orm
    .select({ id: campaignRecipients.id })
    .from(campaignRecipients)
    .where(
      inOrganization(
        anyScope,
        campaignRecipients,
        and(
          eq(campaignRecipients.campaignId, place(campaignRecipients.campaignId, 'campaignId')),
          // The text matches the partial index.
          sql`${campaignRecipients.isCostActual} = 1 and ${campaignRecipients.costMicros} is null`,
        ),
      ),
    )
    .limit(1)
    .prepare(),
)

/** Returns the view of a campaign row. */
export function campaignViewOf(ctx: Ctx, row: CampaignRow): CampaignView {
  const [view] = campaignViews(ctx, [row])
  if (!view) throw new Error('campaign counters missing')
  return view
}

/** Returns a campaign. Throws NotFoundError. */
export const getCampaign = (ctx: Ctx, id: string): CampaignView =>
  campaignViewOf(ctx, getCampaignRow(ctx, id))
