import { isNotNull } from 'drizzle-orm'

import { isUuid } from '../../../lib/ids'
import type { Ctx } from '../../../infra/ctx'
import { of } from '../../../infra/scoped'
import type { FlowIds } from '../../../platform/templates/wire-format'
import { flows } from '../flows/table'

/** Returns a lookup between Flow IDs and platform IDs of a business account. */
export function flowIdsOf(ctx: Pick<Ctx, 'db' | 'organizationId'>, businessId: string): FlowIds {
  const find = (id: string) =>
    of(ctx, flows).find(
      { businessId, deletedAtMs: null },
      isUuid(id) ? { id } : { metaFlowId: id },
      isNotNull(flows.metaFlowId),
    )
  return {
    toPlatformId: (flowId) => find(flowId)?.metaFlowId ?? flowId,
    toLocalId: (platformId) => find(platformId)?.id ?? platformId,
  }
}
