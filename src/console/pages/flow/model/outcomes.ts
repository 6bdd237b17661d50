import { DEFAULT, isObject, objectsIn, textIn, type Node, type NodeType } from './graph'

/** A button or row that a customer chooses. */
export interface Choice {
  id: string
  title: string
}

type Judged = Pick<Node, 'type' | 'config'>

/** The outcome after a tap on a button or row. */
export const choiceOutcome = (id: string): string => `button:${id}`

/** Node types that send a message, which may fail. */
const SENDING: ReadonlySet<NodeType> = new Set([
  'message',
  'media',
  'template',
  'buttons',
  'prompt',
  'whatsapp_flow',
  'interactive',
])

/** Outcomes that do not depend on the settings of a node. */
const FIXED: Partial<Record<NodeType, readonly string[]>> = {
  buttons: ['max_retries'],
  prompt: ['max_retries'],
  api_call: ['http:2xx', 'http:non2xx'],
  condition: ['true', 'false'],
  timing: ['in_hours', 'out_of_hours'],
  update_contact: ['error'],
  delay: ['error'],
  ai_response: ['error'],
  goto_flow: ['error'],
}

/** Node types with which the flow ends, or goes on elsewhere. */
const LEAVING: ReadonlySet<NodeType> = new Set(['goto_flow', 'transfer', 'end'])

/** Whether the flow ends with a node, or goes on elsewhere. */
export const isLeaving = (type: NodeType): boolean => LEAVING.has(type)

/** Returns the buttons or rows of a node. */
export function choicesOf({ type, config }: Judged): Choice[] {
  const message = type === 'interactive' ? config['interactive'] : config
  if (!isObject(message) || (type !== 'buttons' && type !== 'interactive')) return []
  const rows =
    type === 'buttons'
      ? []
      : objectsIn(message['sections']).flatMap((one) => objectsIn(one['rows']))
  return [...objectsIn(message['buttons']), ...rows]
    .map(({ id, title }) => ({ id: textIn(id), title: textIn(title) }))
    .filter(({ id }) => id !== '')
}

/** Returns the outcomes that a node can have, as the server does. */
export function outcomesOf(node: Judged): string[] {
  const isStrict = node.type === 'interactive' && typeof node.config['max_retries'] === 'number'
  return [
    ...choicesOf(node).map(({ id }) => choiceOutcome(id)),
    ...(FIXED[node.type] ?? []),
    ...(isStrict ? ['max_retries'] : []),
    ...(SENDING.has(node.type) ? ['error'] : []),
    ...(LEAVING.has(node.type) ? [] : [DEFAULT]),
  ]
}

/** Outcomes that most flows leave to the server: it tries again, or hands over to a person. */
const RARE: ReadonlySet<string> = new Set(['max_retries', 'error'])

/** Whether an outcome is one that most flows need not say anything about. */
export const isRare = (outcome: string): boolean => RARE.has(outcome)

/** Returns the outcomes between which a node decides, in the order of their meaning. */
export const branchesOf = (node: Judged): string[] =>
  outcomesOf(node).filter((outcome) => outcome !== DEFAULT && !RARE.has(outcome))
