import { and, eq, inArray, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { imports } from '../../imports/table'

/** The import that still brings recipients into a campaign from a file; `null` when none does. */
export const fileUnderWay = (ctx: Ctx, campaignId: string): string | null =>
  ctx.db.orm
    .select({ id: imports.id })
    .from(imports)
    .where(
      inOrganization(
        ctx,
        imports,
        and(
          inArray(imports.status, ['queued', 'running']),
          eq(imports.target, 'recipients'),
          sql`json_extract(${imports.options}, '$.campaignId') = ${campaignId}`,
        ),
      ),
    )
    .limit(1)
    .get()?.id ?? null
