import { isObject, textIn, type Config, type Graph, type Node, type NodeType } from './graph'
import { INTERACTIVES, type InteractiveKind } from './fields'
import { storedBy } from './variables'

/** What people call a node: its type, and of interactive messages what they are. */
export type Kind = Exclude<NodeType, 'interactive'> | InteractiveKind

/** The kinds that can be added, in groups as people look for them. */
export const PALETTE = [
  { group: 'send', kinds: ['message', 'media', 'cta_url', 'template'] },
  {
    group: 'ask',
    kinds: ['buttons', 'list', 'prompt', 'location_request', 'contact_request', 'whatsapp_flow'],
  },
  { group: 'sell', kinds: ['product', 'product_list', 'catalog'] },
  { group: 'decide', kinds: ['condition', 'timing', 'ai_response', 'api_call'] },
  {
    group: 'do',
    kinds: ['tag', 'update_contact', 'set_variable', 'assign', 'delay', 'webhook'],
  },
  { group: 'leave', kinds: ['transfer', 'goto_flow', 'end'] },
] as const satisfies { group: string; kinds: readonly Kind[] }[]

const isInteractive = (kind: string): kind is InteractiveKind =>
  INTERACTIVES.some((one) => one === kind)

/** Returns the message of a node of type `interactive`. */
export const messageOf = ({ config }: Pick<Node, 'config'>): Config =>
  isObject(config['interactive']) ? config['interactive'] : {}

/** Returns what people call a node. */
export function kindOf(node: Pick<Node, 'type' | 'config'>): Kind {
  if (node.type !== 'interactive') return node.type
  const kind = textIn(messageOf(node)['type'])
  return isInteractive(kind) ? kind : 'list'
}

/** Words that a new node begins with, in the language of the person. */
export interface Words {
  yes: string
  no: string
  first: string
  choose: string
  open: string
}

/** Returns a name for an answer that no node stores yet. */
function freeVariable(graph: Graph, word: string): string {
  const taken = new Set(graph.nodes.flatMap(storedBy))
  let name = word
  for (let number = 2; taken.has(name); number += 1) name = `${word}_${number}`
  return name
}

/** Returns a new node of a kind: as complete as it can be without knowing what it is for. */
export function newNode(
  graph: Graph,
  kind: Kind,
  words: Words,
): { type: NodeType; config: Config } {
  if (isInteractive(kind))
    return { type: 'interactive', config: { interactive: newMessage(kind, words) } }
  return { type: kind, config: CONFIGS[kind]?.(graph, words) ?? {} }
}

type Maker = (graph: Graph, words: Words) => Config

const CONFIGS: Partial<Record<Kind, Maker>> = {
  message: () => ({ message: '' }),
  media: () => ({ kind: 'image' }),
  buttons: (_, { yes, no }) => ({
    body: '',
    buttons: [
      { id: 'choice_1', title: yes },
      { id: 'choice_2', title: no },
    ],
  }),
  prompt: (graph) => ({ body: '', input: 'text', store_as: freeVariable(graph, 'answer') }),
  whatsapp_flow: (_, { open }) => ({ body: '', cta: open }),
  api_call: () => ({ method: 'GET', url: '', response_mapping: {} }),
  webhook: () => ({ method: 'POST', url: '' }),
  condition: () => ({ expression: '' }),
  timing: () => ({ use_business_hours: true }),
  set_variable: () => ({ set: {} }),
  update_contact: () => ({}),
  delay: () => ({ seconds: 60 }),
  tag: () => ({ add: [], remove: [] }),
  ai_response: () => ({ prompt_template: '{{ message.text }}' }),
  transfer: () => ({ team_id: 'general' }),
}

function newMessage(kind: InteractiveKind, { choose, first, open }: Words): Config {
  switch (kind) {
    case 'list':
      return {
        ...{ type: kind, body: '', button_text: choose },
        sections: [{ title: '', rows: [{ id: 'choice_1', title: first }] }],
      }
    case 'cta_url':
      return { type: kind, body: '', button_text: open, url: 'https://' }
    case 'product':
      return { type: kind, catalog_id: '', product_retailer_id: '' }
    case 'product_list':
      return {
        ...{ type: kind, header: '', body: '', catalog_id: '' },
        sections: [{ title: '', product_retailer_ids: [] }],
      }
    default:
      return { type: kind, body: '' }
  }
}
