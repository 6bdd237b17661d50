import { graphOf } from './bots'
import type { Loose } from './client'

/** Returns numbers from 0 to 1 that depend on the seed alone. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Things that nodes of random graphs refer to. */
export interface Known {
  tagId: string
  userId: string
  url: string
}

const TITLES = ['Red', 'Green', 'Blue', 'Black', 'White']

type RandomNode = [id: string, type: string, config: Loose]

/** A random graph that is valid: a chain of nodes with edges ahead, and back from nodes that wait. */
export function randomGraph(random: () => number, known: Known): Loose {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const size = 2 + Math.floor(random() * 9)
  const nodes: RandomNode[] = Array.from({ length: size }, (_, index) => {
    const isLast = index === size - 1
    return randomNode(`n${index}`, { pick, random, known, isLast })
  })
  const edges: [string, string, string][] = []
  for (const [index, [id, type, config]] of nodes.entries()) {
    for (const outcome of outcomesOf(type, config)) {
      if (random() < 0.4) continue
      const waits = ['buttons', 'prompt', 'interactive'].includes(type)
      const ahead = nodes.slice(index + 1)
      const targets = waits && random() < 0.4 ? nodes.slice(0, index + 1) : ahead
      if (targets.length > 0) edges.push([id, outcome, pick(targets)[0]])
    }
    // Who says how often a question is repeated has to say what follows.
    if (!edges.some(([from, outcome]) => from === id && outcome === 'max_retries'))
      delete config['max_retries']
  }
  return graphOf(nodes, edges)
}

const outcomesOf = (type: string, config: Loose): string[] => {
  if (type === 'condition') return ['true', 'false']
  if (type === 'timing') return ['in_hours', 'out_of_hours']
  if (type === 'prompt') return ['max_retries']
  if (type === 'message' || type === 'update_contact') return ['error']
  if (type === 'api_call') return ['http:2xx', 'http:non2xx']
  if (type !== 'buttons') return []
  return ['max_retries', ...(config['buttons'] as { id: string }[]).map(({ id }) => `button:${id}`)]
}

interface Making {
  pick: <T>(list: readonly T[]) => T
  random: () => number
  known: Known
  isLast: boolean
}

function randomNode(id: string, making: Making): RandomNode {
  const { pick, random, known, isLast } = making
  const name = pick(['a', 'b', 'c'])
  const text = pick([
    `Text {{${name}}} of ${id}`,
    'Hello {{contact_name}}',
    '{{missing}}',
    `{{message.text}}!`,
  ])
  const titled = (title: string): string => (random() < 0.2 ? `${title} {{${name}}}` : title)
  const again = pick(['Not that.', '{{missing}}', `No {{${name}}}.`])
  const type = isLast && random() < 0.5 ? pick(['end', 'transfer']) : pick(TYPES)
  switch (type) {
    case 'message':
      return [id, type, { message: text }]
    case 'set_variable':
      return [id, type, { set: { [name]: pick([1, true, `{{${pick(['a', 'b'])}}}x`, 'value']) } }]
    case 'condition':
      return [
        id,
        type,
        {
          expression: pick(['a == 1', "b contains 'x'", 'c > 3', "contact.language == 'de'", 'a']),
        },
      ]
    case 'timing':
      return [id, type, { use_business_hours: true }]
    case 'prompt':
      return [
        id,
        type,
        {
          body: `Question ${id}`,
          store_as: name,
          input: pick(['any', 'text', 'number', 'email', 'date']),
          max_retries: pick([0, 1, 3]),
          ...(random() < 0.5 ? { validation_error: again } : {}),
          ...(random() < 0.3 ? { validation_regex: '^[a-z0-9]+$' } : {}),
        },
      ]
    case 'buttons': {
      const count = 1 + Math.floor(random() * 5)
      const buttons = TITLES.slice(0, count).map((title) => ({
        id: title.toLowerCase(),
        title: titled(title),
      }))
      const retry = random() < 0.5 ? { retry_message: again } : {}
      return [
        id,
        type,
        { body: `Choose at ${id}`, buttons, store_as: name, max_retries: pick([0, 2]), ...retry },
      ]
    }
    case 'interactive':
      return [
        id,
        type,
        {
          interactive: {
            type: 'list',
            body: `List ${id}`,
            button_text: 'Open',
            sections: [
              { rows: TITLES.map((title) => ({ id: title.toLowerCase(), title: titled(title) })) },
            ],
          },
          store_as: name,
        },
      ]
    case 'delay':
      return [id, type, { seconds: 1 + Math.floor(random() * 60) }]
    case 'update_contact':
      return [
        id,
        type,
        pick<Loose>([
          { name: `Name {{${name}}}` },
          { language: 'de' },
          { attributes: { unknown: '1' } },
        ]),
      ]
    case 'tag':
      return [
        id,
        type,
        pick<Loose>([
          { add: [known.tagId], remove: [] },
          { add: [], remove: [known.tagId] },
        ]),
      ]
    case 'assign':
      return [id, type, { user_id: known.userId }]
    case 'api_call':
      return [
        id,
        type,
        {
          url: `${known.url}/{{${name}}}`,
          response_mapping: { [name]: 'nothing' },
          ...(random() < 0.5 ? { message_template: 'Got {{b}}.' } : {}),
        },
      ]
    case 'webhook':
      return [id, type, { url: known.url }]
    case 'transfer':
      return [id, type, { body: `Over to you, {{${name}}}` }]
    default:
      return [id, type, type === 'end' ? { message: `End ${id}` } : {}]
  }
}

const TYPES = [
  'start',
  'message',
  'message',
  'set_variable',
  'condition',
  'timing',
  'prompt',
  'prompt',
  'buttons',
  'interactive',
  'delay',
  'update_contact',
  'tag',
  'assign',
  'api_call',
  'webhook',
] as const

/** What a customer may say to a random graph: a text, or the ID and title of a button. */
export function randomWords(
  random: () => number,
): { text: string } | { button_id: string; title: string } {
  const title = TITLES[Math.floor(random() * TITLES.length)] ?? 'Red'
  if (random() < 0.3) return { button_id: title.toLowerCase(), title }
  const texts = [
    title,
    '1',
    '2',
    '42',
    'ana@example.com',
    '2026-12-24',
    'word',
    'price',
    'begin',
    'cancel',
    'Two words',
    'agent',
  ]
  return {
    text: texts[Math.floor(random() * (random() < 0.1 ? texts.length : texts.length - 2))] ?? '1',
  }
}
