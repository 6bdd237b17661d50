import { textIn, type Node } from './graph'
import { messageOf } from './kinds'
import { CARD_WIDTH, type Size } from './layout'
import { branchesOf } from './outcomes'

/** Returns the words of a node that a customer reads, or that say what it does. */
export function wordsOf({ type, config }: Pick<Node, 'type' | 'config'>): string {
  const message = type === 'interactive' ? messageOf({ config }) : config
  switch (type) {
    case 'message':
    case 'end':
      return textIn(message['message'])
    case 'media':
      return textIn(message['caption'])
    case 'condition':
      return textIn(message['expression'])
    case 'ai_response':
      return textIn(message['prompt_template'])
    case 'api_call':
    case 'webhook':
      return textIn(message['url'])
    default:
      return textIn(message['body'])
  }
}

/** Measures of a card, as its styles have them. */
const HEAD = 44
const LINE = 20
const PORT = 34
/** Letters in a line of a card, and lines of its text that are shown. */
const LETTERS = 32
const MOST_LINES = 4

/** Returns the lines that a text takes on a card. */
const linesOf = (text: string): number =>
  Math.min(
    MOST_LINES,
    text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LETTERS)), 0),
  )

/** Returns about how large the card of a node is, before it is drawn. */
export function sizeOf(node: Pick<Node, 'type' | 'config'>): Size {
  const words = wordsOf(node)
  const picture = node.type === 'media' ? 48 : 0
  const height = HEAD + picture + (words === '' ? LINE : linesOf(words) * LINE + 8)
  return { width: CARD_WIDTH, height: height + (branchesOf(node).length + 1) * PORT }
}
