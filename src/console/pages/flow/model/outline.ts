import { DEFAULT, nodeOf, targetOf, type Graph, type Node } from './graph'
import { branchesOf, isRare, outcomesOf } from './outcomes'

/** The way by which a row is reached. */
interface Way {
  /** How far it is indented. */
  depth: number
  /** The node whose outcome leads here; `null` at the beginning. */
  from: string | null
  condition: string
}

/** A row of the outline: a node where it is met first, a way to one that stands elsewhere, or an open end. */
export type Row =
  | (Way & { kind: 'node'; node: Node })
  | (Way & { kind: 'jump'; to: Node })
  | (Way & {
      kind: 'open'
      /** Whether the flow goes on below, with the outcome `default`. */ goesOn: boolean
    })
  | { kind: 'loose'; depth: 0 }

/** A way that is still to be written down, and where it leads. */
type Task = Way & { to: string | null }

/** Returns which node stands below which way: the one that is met first, with what follows last. */
function claimsOf(graph: Graph, roots: readonly string[]): Map<string, string> {
  const claims = new Map<string, string>()
  const seen = new Set<string>()
  const visit = (start: string, way: string): void => {
    const pending: [id: string, way: string][] = [[start, way]]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const [id, by] = next
      const node = nodeOf(graph, id)
      if (!node || seen.has(id)) continue
      seen.add(id)
      claims.set(id, by)
      const outcomes = outcomesOf(node)
      const order = [
        ...branchesOf(node),
        ...outcomes.filter((outcome) => outcome === DEFAULT),
        ...outcomes.filter(isRare),
      ]
      for (const condition of order.toReversed()) {
        const to = targetOf(graph, id, condition)
        if (to !== null) pending.push([to, wayOf(id, condition)])
      }
    }
  }
  for (const root of roots) visit(root, wayOf(null, root))
  return claims
}

const wayOf = (from: string | null, condition: string): string => JSON.stringify([from, condition])

/**
 * Returns a flow as an indented list. Each node stands once, below the way that leads to it first; other
 * ways jump to it. Branches are indented, and what follows after all of them is not.
 */
export function outlineOf(graph: Graph): Row[] {
  const rows: Row[] = []
  const led = new Set(graph.edges.map(({ to }) => to))
  const ids = graph.nodes.map(({ id }) => id)
  const claims = claimsOf(graph, [graph.entry, ...ids.filter((id) => !led.has(id)), ...ids])
  const writeFrom = (root: string): void => {
    const pending: Task[] = [{ depth: 0, from: null, condition: root, to: root }]
    for (let task = pending.pop(); task !== undefined; task = pending.pop())
      pending.push(...writeWay(graph, task, claims, rows).toReversed())
  }
  const isRoot = (id: string): boolean => claims.get(id) === wayOf(null, id)
  writeFrom(graph.entry)
  const loose = graph.nodes.filter(({ id }) => id !== graph.entry && isRoot(id))
  if (loose.length > 0) rows.push({ kind: 'loose', depth: 0 })
  for (const { id } of loose) writeFrom(id)
  return rows
}

/** Writes one row, and returns what follows it, in order. */
function writeWay(
  graph: Graph,
  { to, ...way }: Task,
  claims: ReadonlyMap<string, string>,
  rows: Row[],
): Task[] {
  const node = to === null ? undefined : nodeOf(graph, to)
  const { from, condition, depth } = way
  if (!node) {
    const goesOn = from !== null && targetOf(graph, from, DEFAULT) !== null
    if (from !== null) rows.push({ ...way, kind: 'open', goesOn })
    return []
  }
  if (claims.get(node.id) !== wayOf(from, condition)) {
    rows.push({ ...way, kind: 'jump', to: node })
    return []
  }
  rows.push({ ...way, kind: 'node', node })
  const next = (outcome: string, deeper: number): Task => ({
    depth: depth + deeper,
    from: node.id,
    condition: outcome,
    to: targetOf(graph, node.id, outcome),
  })
  const branches = branchesOf(node).map((outcome) => next(outcome, 1))
  const rare = outcomesOf(node)
    .filter((outcome) => isRare(outcome) && targetOf(graph, node.id, outcome) !== null)
    .map((outcome) => next(outcome, 1))
  const after = next(DEFAULT, 0)
  return [...branches, ...rare, ...(after.to === null ? [] : [after])]
}
