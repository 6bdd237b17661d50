import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { NotFoundError } from '../../../../../lib/errors'
import { systemCtx, type Ctx, type Deps } from '../../../../../infra/ctx'
import { transact } from '../../../../../infra/db/transact'
import {
  getOrganization,
  requireOpenOrganization,
  requireWritable,
} from '../../../../organization/organizations/service'
import { findScheduledReport } from '../queries'
import { removeRecipientIn } from '../recipients'

/** Sealed content of a link: the report and the person. */
const Claims = Type.Object({ org: Type.String(), report: Type.String(), user: Type.String() })

const PURPOSE = 'report-unsubscribe'

/** Path of the links, without the token. */
const LINK_PATH = '/api/analytics/unsubscribe'

/** Returns the link with which a person takes themselves off a scheduled report. It never expires. */
export function unsubscribeUrl(
  ctx: Ctx,
  { reportId, userId }: { reportId: string; userId: string },
): string {
  const claims: Static<typeof Claims> = { org: ctx.organizationId, report: reportId, user: userId }
  return `${ctx.settings.baseUrl}${LINK_PATH}/${ctx.vault.seal(JSON.stringify(claims), PURPOSE)}`
}

/** A subscription that a link is about. */
interface Subscription {
  organizationName: string
  every: 'week' | 'month'
}

/**
 * Returns the subscription of a link. Throws NotFoundError if the link is invalid or the report was
 * deleted, ConflictError `moved`, and UnavailableError while the organization is imported.
 */
export const subscriptionOf = (deps: Deps, token: string): Subscription =>
  open(deps, token).subscription

/**
 * Takes the person of a link off the report, also repeatedly. Throws as above, and UnavailableError
 * `organization_moving`.
 */
export function unsubscribe(deps: Deps, token: string): Subscription {
  const { ctx, reportId, userId, subscription } = open(deps, token)
  transact(deps.db, (tx) => {
    requireWritable(deps, ctx.organizationId)
    removeRecipientIn(tx, ctx, { reportId, userId })
  })
  return subscription
}

function open(deps: Deps, token: string) {
  const claims = read(deps, token)
  if (claims) requireOpenOrganization(deps, claims.org)
  const ctx = claims && systemCtx(deps, claims.org)
  const report = ctx && findScheduledReport(ctx, claims.report)
  if (!report) throw new NotFoundError('Scheduled report')
  return {
    ctx,
    reportId: report.id,
    userId: claims.user,
    subscription: { organizationName: getOrganization(ctx).name, every: report.every },
  }
}

function read(deps: Deps, token: string): Static<typeof Claims> | null {
  try {
    const claims: unknown = JSON.parse(deps.vault.open(token, PURPOSE))
    return Value.Check(Claims, claims) ? claims : null
  } catch {
    return null
  }
}
