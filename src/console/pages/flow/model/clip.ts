import { MOST_NODES } from './commands'
import { isObject, readGraph, writeGraph, type Graph, type Node } from './graph'

/** What marks nodes on the clipboard. */
const MARK = 'switchboard-flow'

/** Returns nodes with the ways between them as text for the clipboard. */
export function copy(graph: Graph, ids: readonly string[]): string {
  const wanted = new Set(ids)
  const part: Graph = {
    entry: ids[0] ?? '',
    nodes: graph.nodes.filter(({ id }) => wanted.has(id)),
    edges: graph.edges.filter(({ from, to }) => wanted.has(from) && wanted.has(to)),
  }
  return JSON.stringify({ kind: MARK, graph: writeGraph(part) })
}

/** Reads nodes from the clipboard; `null` if it holds something else. */
export function readClip(text: string): Graph | null {
  try {
    const read: unknown = JSON.parse(text)
    if (!isObject(read) || read['kind'] !== MARK || !isObject(read['graph'])) return null
    const graph = readGraph(read['graph'])
    return graph.nodes.length === 0 ? null : graph
  } catch {
    return null
  }
}

/** How far a copy stands beside what it was copied from. */
const ASIDE = 48

/** Adds copied nodes to a flow, with ids of their own. Returns the flow and the new ids. */
export function paste(graph: Graph, clip: Graph): [graph: Graph, ids: string[]] {
  const nodes: Node[] = [...graph.nodes]
  const taken = new Set(nodes.map(({ id }) => id))
  const named = new Map<string, string>()
  for (const node of clip.nodes.slice(0, MOST_NODES - nodes.length)) {
    let id = node.id
    for (let number = 2; taken.has(id); number += 1) id = `${node.id.slice(0, 56)}_${number}`
    taken.add(id)
    named.set(node.id, id)
    const { position } = node
    nodes.push({
      ...node,
      id,
      position: position && { x: position.x + ASIDE, y: position.y + ASIDE },
    })
  }
  const edges = clip.edges.flatMap(({ from, to, condition }) => {
    const [begins, ends] = [named.get(from), named.get(to)]
    return begins === undefined || ends === undefined ? [] : [{ from: begins, to: ends, condition }]
  })
  const ids = [...named.values()]
  const entry = graph.nodes.length === 0 ? (ids[0] ?? '') : graph.entry
  return [{ entry, nodes, edges: [...graph.edges, ...edges] }, ids]
}
