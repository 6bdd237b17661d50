import { and, eq, isNotNull, isNull } from 'drizzle-orm'

import { isUuid } from '../../../lib/ids'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { FlowIds } from '../../../platform/templates/wire-format'
import { flows } from '../flows/table'

/** Returns a lookup between Flow IDs and platform IDs of a business account. */
export function flowIdsOf(ctx: Pick<Ctx, 'db' | 'organizationId'>, businessId: string): FlowIds {
  const find = (id: string) =>
    ctx.db.orm
      .select({ id: flows.id, metaFlowId: flows.metaFlowId })
      .from(flows)
      .where(
        inOrganization(
          ctx,
          flows,
          and(
            eq(flows.businessId, businessId),
            isUuid(id) ? eq(flows.id, id) : eq(flows.metaFlowId, id),
            isNull(flows.deletedAtMs),
            isNotNull(flows.metaFlowId),
          ),
        ),
      )
      .get()
  return {
    toPlatformId: (flowId) => find(flowId)?.metaFlowId ?? flowId,
    toLocalId: (platformId) => find(platformId)?.id ?? platformId,
  }
}
