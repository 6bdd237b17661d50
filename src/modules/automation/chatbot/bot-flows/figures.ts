import { Type, type Static } from '@sinclair/typebox'
import { sql } from 'drizzle-orm'

import { DAY_MS, isoTime } from '../../../../lib/clock'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { botTrace } from '../engine/table'
import { requireBotFlow } from './find'

/** Days that the figures are of; the trace is kept as long. */
const DAYS = 30

/** How many conversations came to the steps of a flow, and what became of them there. */
export const BotFlowSteps = Type.Object(
  {
    since: Type.String({ format: 'date-time' }),
    steps: Type.Array(
      Type.Object({
        node_id: Type.String(),
        came: Type.Integer({ description: 'Sessions that reached the step.' }),
        went_on: Type.Integer({
          description: 'Of those: went on to another step, to the end, or to a person.',
        }),
        left: Type.Integer({
          description: 'Of those: ended there without an outcome of the step.',
        }),
      }),
      { description: 'Only steps that somebody reached. `came` − `went_on` − `left` wait there.' },
    ),
  },
  { title: 'BotFlowStepFigures' },
)
export type BotFlowSteps = Static<typeof BotFlowSteps>

/**
 * Returns how many sessions of the last 30 days came to the steps of a flow, and went on. A session
 * that came to a step repeatedly counts once. Throws NotFoundError.
 */
export function flowSteps(ctx: ReadCtx, { flowId }: { flowId: string }): BotFlowSteps {
  requireBotFlow(ctx, flowId)
  const sinceMs = ctx.clock.nowMs() - DAYS * DAY_MS
  const steps = ctx.db.orm.all<BotFlowSteps['steps'][number]>(sql`
    with visits as (
      select session_id, node, max(outcome not in ('waits', 'invalid')) as went_on
      from bot_trace
      where organization_id = ${sql.param(ctx.organizationId, botTrace.organizationId)}
        and flow_id = ${sql.param(flowId, botTrace.flowId)} and at_ms >= ${sinceMs}
        and node is not null
      group by node, session_id
    )
    select v.node as node_id, count(*) as came, sum(v.went_on) as went_on,
      sum(not v.went_on and s.status <> 'active') as left
    from visits v
    join bot_sessions s
      on s.organization_id = ${sql.param(ctx.organizationId, botTrace.organizationId)} and s.id = v.session_id
    group by v.node
    order by came desc, v.node`)
  return { since: isoTime(sinceMs), steps }
}
