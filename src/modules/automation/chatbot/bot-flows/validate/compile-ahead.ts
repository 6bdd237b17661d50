import { yieldEvery } from '../../../../../infra/event-loop'
import type { Ctx } from '../../../../../infra/ctx'
import { listOf, objectOf } from '../../../../../platform/lenient-json'
import { placeholdersIn } from '../../../../../infra/liquid/compiled-cache'
import { textsIn } from './texts'

/** Placeholders and tags of a graph. Compiling more of them takes too long. */
export const MAX_PLACEHOLDERS = 5_000

const HOLD_MS = 4

/** Returns the number of placeholders and tags in the texts of a graph. */
export const placeholdersOf = (nodes: readonly unknown[]): number =>
  nodes.reduce<number>(
    (sum, node) =>
      textsIn(objectOf(node).config, '').reduce((all, [, text]) => all + placeholdersIn(text), sum),
    0,
  )

/**
 * Compiles the texts of a graph and lets requests run in between, so that the transaction that
 * checks the graph finds them compiled. A graph with too many is left to the check, which refuses
 * it.
 */
export async function compileAhead(ctx: Pick<Ctx, 'liquid'>, graph: unknown): Promise<void> {
  const nodes = listOf(objectOf(graph).nodes)
  if (placeholdersOf(nodes) > MAX_PLACEHOLDERS) return
  const yieldIfDue = yieldEvery(HOLD_MS)
  for (const node of nodes) {
    const { config } = objectOf(node)
    const { expression, validation_regex: pattern } = objectOf(config)
    if (typeof expression === 'string') ctx.liquid.expressionProblem(expression)
    if (typeof pattern === 'string') ctx.liquid.patternProblem(pattern)
    for (const [, text] of textsIn(config, '')) {
      ctx.liquid.templateProblem(text)
      await yieldIfDue()
    }
  }
}
