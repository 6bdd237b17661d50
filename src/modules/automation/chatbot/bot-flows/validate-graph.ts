import type { Ctx } from '../../../../infra/ctx'
import { HIDDEN } from '../../../organization/audit/record'
import type { GraphCheck } from './model'
import { compileAhead } from './validate/compile-ahead'
import { shown } from './validate/findings'
import { isNew, readGraph } from './validate/read-graph'

/** Checks a graph and stores nothing. */
export async function validateGraph(ctx: Ctx, graph: Record<string, unknown>): Promise<GraphCheck> {
  await compileAhead(ctx, graph)
  const { findings, warnings } = readGraph(ctx, graph, {
    path: 'body.graph',
    flowId: null,
    stored: () => ({ value: HIDDEN }),
    isOpen: isNew,
  })
  return { valid: findings.length === 0, errors: shown(findings), warnings: shown(warnings) }
}
