import { and, eq, inArray, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { imports } from '../../../data/imports/table'

/** Returns the ID of an unfinished import of recipients into the campaign, or `null`. */
export const pendingImport = (ctx: Ctx, campaignId: string): string | null =>
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
