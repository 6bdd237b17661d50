import { nodeOf, type Graph } from '../../bot-flows/graph'
import type { FlowVersion } from '../../bot-flows/queries'

/** Node types that send something or wait for the customer. */
const SENDS: ReadonlySet<string> = new Set([
  'message',
  'media',
  'buttons',
  'prompt',
  'whatsapp_flow',
  'interactive',
  'ai_response',
])

/**
 * Reports whether a flow sends a template before anything else, on every way through it. Only such a
 * flow can start outside the 24-hour window.
 */
export function isTemplateFirst({ graph, settings }: FlowVersion): boolean {
  if (settings.initialMessage !== null) return false
  let hasTemplate = false
  const seen = new Set<string>()
  const open = [graph.entry_node]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const node = nodeOf(graph, id)
    if (!node || seen.has(id)) continue
    seen.add(id)
    if (node.type === 'template') hasTemplate = true
    else if (SENDS.has(node.type) || saysSomething(node.config)) return false
    else open.push(...targetsOf(graph, id))
  }
  return hasTemplate
}

const targetsOf = (graph: Graph, id: string): string[] =>
  graph.edges.filter(({ from }) => from === id).map(({ to }) => to)

/** Whether a node that has other work also sends a text. */
function saysSomething(config: object): boolean {
  const { message, body, message_template } = config as Record<string, unknown>
  return [message, body, message_template].some((text) => typeof text === 'string' && text !== '')
}
