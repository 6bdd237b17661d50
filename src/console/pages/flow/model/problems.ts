import type { Graph } from './graph'

/** Something the server found, and the part of the flow it is about. */
export interface Problem {
  /** The node to look at; `null` for the flow itself. */
  node: string | null
  /** The setting of the node, such as `buttons.0.title`. */
  field: string | null
  /** The outcome, if it is about a way. */
  condition: string | null
  message: string
  isError: boolean
}

/** Hosts that stand for the own one in what is ready in the gallery. They belong to nobody. */
const EXAMPLE = /\bexample\.(?:com|net|org)\b/

/** Returns the steps in which an address is still an example. */
export const withExample = ({ nodes }: Graph): Graph['nodes'] =>
  nodes.filter(({ config }) => EXAMPLE.test(JSON.stringify(config)))

const PATH = /(?:^|\.)graph\.(nodes|edges)\.(\d+)(?:\.(.*))?$/

/** Reads a problem of the server: its path counts the nodes and ways as they were sent. */
export function readProblem(
  { nodes, edges }: Graph,
  { path, message }: { path: string; message: string },
  isError: boolean,
): Problem {
  const [, kind, index, rest = ''] = PATH.exec(path) ?? []
  const at = Number(index)
  const edge = kind === 'edges' ? edges[at] : undefined
  const node = kind === 'nodes' ? (nodes[at]?.id ?? null) : (edge?.from ?? null)
  const field = kind === 'nodes' && rest !== '' ? rest.replace(/^config\./, '') : null
  return { node, field, condition: edge?.condition ?? null, message, isError }
}
