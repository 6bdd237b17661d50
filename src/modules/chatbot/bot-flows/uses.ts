import { and, eq, isNull, or } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { botFlowReferences, botFlows, DRAFT } from './table'
import type { ReferenceKind } from './validate/references'

/** A bot flow that names something. */
interface FlowUse {
  kind: 'bot_flow'
  id: string
  name: string
}

/** Flows that an answer lists. */
const MAX_SHOWN = 100

/** Returns the flows whose draft or newest version names a thing, such as a team. */
export const flowsNaming = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  kind: ReferenceKind,
  targetId: string,
): FlowUse[] =>
  ctx.db.orm
    .selectDistinct({ id: botFlows.id, name: botFlows.name })
    .from(botFlowReferences)
    .innerJoin(
      botFlows,
      and(
        eq(botFlows.organizationId, botFlowReferences.organizationId),
        eq(botFlows.id, botFlowReferences.flowId),
      ),
    )
    .where(
      inOrganization(
        ctx,
        botFlowReferences,
        and(
          eq(botFlowReferences.kind, kind),
          eq(botFlowReferences.targetId, targetId),
          isNull(botFlows.deletedAtMs),
          or(eq(botFlowReferences.version, DRAFT), eq(botFlowReferences.version, botFlows.version)),
        ),
      ),
    )
    .orderBy(botFlows.nameKey)
    .limit(MAX_SHOWN)
    .all()
    .map((use) => ({ kind: 'bot_flow', ...use }))
