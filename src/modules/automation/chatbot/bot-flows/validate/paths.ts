import { waits, type Edge } from '../graph'
import type { Findings } from './findings'
import type { ReadNode } from './read-nodes'

/** Reports nodes that no path from the first node reaches. */
export function reportUnreachable(
  entry: string,
  nodes: readonly ReadNode[],
  edges: readonly Edge[],
  findings: Findings,
): void {
  const next = targetsOf(edges)
  const reached = new Set([entry])
  for (const id of reached) for (const target of next.get(id) ?? []) reached.add(target)
  for (const { id, path } of nodes)
    if (id !== null && !reached.has(id)) findings.add(path, 'cannot be reached from `entry_node`')
}

const targetsOf = (edges: readonly Edge[]): Map<string, string[]> => {
  const targets = new Map<string, string[]>()
  for (const { from, to } of edges) targets.set(from, [...(targets.get(from) ?? []), to])
  return targets
}

/**
 * Reports loops that consist only of nodes at which the session does not stop. They would run until
 * the loop guard ends the session.
 */
export function reportEndlessLoops(
  nodes: readonly ReadNode[],
  edges: readonly Edge[],
  findings: Findings,
): void {
  const paths = new Map<string, string>()
  for (const { id, path, node } of nodes)
    if (id !== null && (node === null || !waits(node))) paths.set(id, path)
  const next = targetsOf(edges.filter(({ from, to }) => paths.has(from) && paths.has(to)))
  const done = new Set<string>()
  const under: string[] = []
  const visit = (id: string): void => {
    if (done.has(id)) return
    const since = under.indexOf(id)
    if (since !== -1) {
      const loop = [...under.slice(since), id].join(' → ')
      findings.add(paths.get(id) ?? '', `is in a loop in which no node waits: ${loop}`)
      return
    }
    under.push(id)
    for (const target of next.get(id) ?? []) visit(target)
    under.pop()
    done.add(id)
  }
  for (const id of paths.keys()) visit(id)
}
