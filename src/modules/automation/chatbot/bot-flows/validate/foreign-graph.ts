import { objectOf } from '../../../../../platform/lenient-json'
import { HIDDEN } from '../../../../organization/audit/record'
import type { Ctx } from '../../../../../infra/ctx'
import type { NodeHeaders } from '../secrets'
import { compileAhead } from './compile-ahead'
import type { Finding } from './findings'
import { readGraph } from './read-graph'

/** The graph of a version that another server stored. */
interface ForeignGraph {
  flowId: string
  graph: unknown
  /** The values of headers; those that stayed behind are set anew. */
  headers: unknown
  isDraft: boolean
  /** Whether a server that is trusted has checked it, with its own addresses. */
  isVouched: boolean
}

/**
 * Checks a graph that another server stored as the API checks one, and returns its first problem or
 * `null`. What a version names may have been deleted since it was published, so that is not required.
 */
export async function problemOfForeignGraph(
  ctx: Ctx,
  { flowId, graph, headers, isDraft, isVouched }: ForeignGraph,
): Promise<Finding | null> {
  await compileAhead(ctx, graph)
  const values = objectOf(headers) as NodeHeaders
  const { findings } = readGraph(ctx, graph, {
    ...{ path: 'graph', flowId, isForeign: true },
    isOpen: () => true, // it works already
    stored: (node, name) => ({ value: values[node]?.[name] ?? HIDDEN }),
  })
  const isMinded = ({ severity }: Finding): boolean =>
    isVouched ? severity === 'url' : severity !== 'graph' || !isDraft
  return findings.find(isMinded) ?? null
}
