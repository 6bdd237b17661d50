import type { IconName } from '../../parts/icons'
import { withoutMarks } from '../../parts/rich-text'
import { formatSeconds } from '../../texts/points'
import { findText, t } from '../../texts/texts'
import { DEFAULT, type Node } from './model/graph'
import { readSimple } from './model/expression'
import { wordsOf } from './model/card'
import { kindOf, type Kind, type Words } from './model/kinds'
import { choicesOf } from './model/outcomes'

/** The icon of each kind of steps. */
export const KIND_ICONS: Readonly<Record<Kind, IconName>> = {
  start: 'play',
  message: 'inbox',
  media: 'image',
  template: 'templates',
  buttons: 'select',
  list: 'list',
  prompt: 'question',
  cta_url: 'link',
  location_request: 'location',
  contact_request: 'contact',
  product: 'cart',
  product_list: 'cart',
  catalog: 'cart',
  whatsapp_flow: 'file',
  api_call: 'refresh',
  webhook: 'send',
  condition: 'filter',
  timing: 'clock',
  set_variable: 'edit',
  update_contact: 'contacts',
  delay: 'pause',
  tag: 'tag',
  assign: 'assign',
  ai_response: 'star',
  transfer: 'team',
  goto_flow: 'forward',
  end: 'stop',
}

/** Returns what a kind of steps is called. */
export const kindName = (kind: Kind): string => t(`flow.kind.${kind}`)

/** Words that new steps begin with. */
export const newWords = (): Words => ({
  yes: t('flow.new.yes'),
  no: t('flow.new.no'),
  first: t('flow.new.first'),
  choose: t('flow.new.choose'),
  open: t('flow.new.open'),
})

/** Returns what a condition asks, in words. */
function conditionWords(expression: string): string {
  const simple = readSimple(expression)
  if (simple === null) return expression
  const { variable, comparison, value } = simple
  return t(`flow.compare-words.${comparison}`, { variable, value })
}

/** Returns the words of a step: what a customer reads, or what it does. */
export function summaryOf(node: Node): string {
  const { type, config } = node
  const words = wordsOf(node).trim()
  if (type === 'condition') return conditionWords(words)
  if (type === 'delay' && typeof config['seconds'] === 'number')
    return formatSeconds(config['seconds'])
  if (type === 'set_variable') return namesIn(config['set'])
  if (type === 'timing')
    return t(config['use_business_hours'] === true ? 'flow.timing.usual' : 'flow.timing.own')
  return words
}

const namesIn = (value: unknown): string =>
  typeof value === 'object' && value !== null ? Object.keys(value).join(', ') : ''

/** Types of steps whose words a customer reads. */
const TALKING = new Set<Node['type']>([
  'message',
  'media',
  'buttons',
  'prompt',
  'interactive',
  'whatsapp_flow',
  'transfer',
  'end',
])

/** Whether a customer reads the words of a step, in which marks count. */
export const isSaid = ({ type }: Node): boolean => TALKING.has(type)

/** Returns the words of a step in one line, without marks. */
export function lineOf(node: Node): string {
  const words = summaryOf(node)
  return (isSaid(node) ? withoutMarks(words) : words).replaceAll(/\s+/g, ' ')
}

/** Returns what people call a step: the name that somebody gave it, or the one of its kind. */
export const nameOfNode = (node: Node): string => node.label ?? kindName(kindOf(node))

/** Returns a step by its name and the beginning of its words, for lists of steps. */
export function titleOf(node: Node): string {
  if (node.label !== null) return node.label
  const words = lineOf(node)
  const name = kindName(kindOf(node))
  const isLong = words.length > MOST_LETTERS
  return words === '' ? name : `${name}: ${words.slice(0, MOST_LETTERS)}${isLong ? '…' : ''}`
}

const MOST_LETTERS = 44

/** Returns what an outcome of a step is called. */
export function outcomeName(node: Node, outcome: string): string {
  const choice = choicesOf(node).find(({ id }) => `button:${id}` === outcome)
  if (choice) return choice.title === '' ? t('flow.outcome.untitled') : choice.title
  if (outcome === DEFAULT) {
    const isOther = node.type === 'condition' || node.type === 'timing' || node.type === 'api_call'
    return t(
      isOther || choicesOf(node).length > 0 ? 'flow.outcome.otherwise' : 'flow.outcome.default',
    )
  }
  return findText(`flow.outcome.${outcome}`) ?? outcome
}
