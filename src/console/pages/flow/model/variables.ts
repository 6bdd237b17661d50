import { isObject, textIn, type Graph, type Node } from './graph'

/** A value that can be used in texts. */
export interface Variable {
  name: string
  /** The node that stores it; `null` for those that are always there. */
  by: string | null
}

/** Values that every flow knows. */
const ALWAYS = [
  ...['contact_name', 'phone_number', 'contact.language', 'message.text', 'now', '_flow_name'],
]

/** Returns the names that a node stores. */
export function storedBy({ config }: Pick<Node, 'config'>): string[] {
  const named = [config['set'], config['response_mapping']].flatMap((one) =>
    isObject(one) ? Object.keys(one) : [],
  )
  const own = textIn(config['store_as'])
  return own === '' ? named : [own, ...named]
}

/** Returns the nodes from which a node can be reached. */
function ancestorsOf({ edges }: Graph, id: string): Set<string> {
  const found = new Set<string>()
  const pending = [id]
  for (let next = pending.pop(); next !== undefined; next = pending.pop())
    for (const { from, to } of edges)
      if (to === next && !found.has(from)) {
        found.add(from)
        pending.push(from)
      }
  return found
}

/**
 * Returns what can be used in the texts of a node: what is stored on a way to it, what every flow
 * knows, and the own fields of contacts. `id` is `null` for the texts of the flow itself.
 */
export function variablesAt(
  graph: Graph,
  id: string | null,
  fields: readonly string[] = [],
): Variable[] {
  const before = id === null ? null : ancestorsOf(graph, id)
  const stored = graph.nodes
    .filter((node) => before === null || before.has(node.id))
    .flatMap((node) => storedBy(node).map((name): Variable => ({ name, by: node.id })))
  const known = new Set<string>()
  return [
    ...stored,
    ...[...ALWAYS, ...fields.map((key) => `contact.attributes.${key}`)].map((name): Variable => ({
      name,
      by: null,
    })),
  ].filter(({ name }) => !known.has(name) && known.add(name))
}
