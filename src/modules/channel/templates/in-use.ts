import { and, inArray } from 'drizzle-orm'

import { ConflictError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { campaigns } from '../../outreach/campaigns/table'
import type { TemplateRow } from './view'

/** Throws ConflictError `in_use` if a scheduled, running or paused campaign uses one of the templates. */
export function requireUnused(ctx: Ctx, rows: readonly TemplateRow[]): void {
  const user = ctx.db.orm
    .select({ id: campaigns.id, name: campaigns.name })
    .from(campaigns)
    .where(
      inOrganization(
        ctx,
        campaigns,
        and(
          inArray(
            campaigns.templateId,
            rows.map(({ id }) => id),
          ),
          inArray(campaigns.status, ['scheduled', 'sending', 'paused']),
        ),
      ),
    )
    .limit(1)
    .get()
  if (user)
    throw new ConflictError(`Campaign "${user.name}" uses this template.`, {
      code: 'in_use',
      details: { campaign_id: user.id },
    })
}
