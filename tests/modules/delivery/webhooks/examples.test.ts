import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { WEBHOOK_EVENTS } from '../../../../src/modules/delivery/realtime/webhook-events'
import { Receiver, type Received } from '../../../support/receiver'
import { STORIES } from './example-stories'

const FILE = join(import.meta.dir, '../../../../src/modules/delivery/webhooks/events/examples.json')
const TYPES = WEBHOOK_EVENTS.map(({ value }) => value)

/** More events than a story has. */
const STORY_SEQ = 10_000

/** IDs that the server made, in the worlds of all stories and with the number of a story. */
const MADE_ID = /(01900000|d7e00000)-0000-([47]000-8000-[0-9a-f]{12})/g
const ID_OF_STORY = /(01900000|d7e00000)-\d{4}-[47]000-8000-[0-9a-f]{12}/g

/** Returns a body with IDs and positions that no other story has: each begins its own world. */
function ofStory(body: Body, nth: number): Body {
  const story = String(nth + 1).padStart(4, '0')
  const text = JSON.stringify(body).replaceAll(MADE_ID, `$1-${story}-$2`)
  const own = JSON.parse(text) as Body
  return { ...own, seq: own.seq && own.seq + nth * STORY_SEQ }
}

type Body = Received['body']

/** The first body of each type, in the order of the catalog. */
let happened: Record<string, Body> = {}

/** Returns a function that numbers values in the order of their first appearance. */
function numbering(): (value: string) => number {
  const known = new Map<string, number>()
  return (value) => {
    const number = known.get(value) ?? known.size + 1
    known.set(value, number)
    return number
  }
}

/** Names of the worlds of tests, and what readers of an example see instead. */
const SHOWN: [name: RegExp, shown: string][] = [
  [/"Acme manager"/g, '"Lena Fischer"'],
  [/"Own Role"/g, '"Tom Berger"'],
  [/"Customer \d+"/g, '"Ana Sol"'],
  [/"Offer"/g, '"Winter sale"'],
]

/** Returns a text with names that a reader expects. */
const withNames = (text: string): string =>
  SHOWN.reduce((shown, [name, by]) => shown.replaceAll(name, by), text)

/**
 * Returns the bodies with IDs, positions and tokens numbered by their appearance, so that the
 * examples stay the same if the server makes more IDs than before.
 */
function renumbered(bodies: Record<string, Body>): Record<string, Body> {
  const [uuid, event, seq] = [numbering(), numbering(), numbering()]
  const text = withNames(JSON.stringify(bodies))
    .replaceAll(
      ID_OF_STORY,
      (id) => `019a52b0-1c00-7000-8000-${String(uuid(id)).padStart(12, '0')}`,
    )
    .replaceAll(/evt_[0-9a-f]{32}/g, (id) => `evt_${String(event(id)).padStart(32, '0')}`)
    .replaceAll(/"flow_token":"[0-9a-f]{32}"/g, `"flow_token":"${'0123456789abcdef'.repeat(2)}"`)
    .replaceAll(/"seq":[1-9]\d*/g, (at) => `"seq":${184_466 + seq(at)}`)
  return JSON.parse(text) as Record<string, Body>
}

beforeAll(async () => {
  const bodies: Body[] = []
  for (const [nth, story] of STORIES.entries()) {
    await using receiver = new Receiver()
    await story({ env: { EGRESS_ALLOW: new URL(receiver.url).host } }, async (world) => {
      const { data } = await (
        await world.as('admin')
      ).post('/api/webhooks', { name: 'CRM', url: receiver.url, events: ['*'] })
      return String(data['id'])
    })
    const received = receiver.received.map(({ body }) => body).toSorted((a, b) => a.seq - b.seq)
    bodies.push(...received.map((body) => ofStory(body, nth)))
  }
  const first: Record<string, Body> = {}
  for (const type of TYPES) {
    const body = bodies.find((one) => one.type === type)
    if (body) first[type] = body
  }
  happened = renumbered(first)
  if (process.env['UPDATE_EXAMPLES'] === '1') {
    writeFileSync(FILE, JSON.stringify(happened, null, 2))
    Bun.spawnSync(['bun', 'x', 'oxfmt', FILE])
  }
}, 60_000)

describe('the documented example', () => {
  test('exists for every event type of the catalog', () => {
    expect(Object.keys(happened)).toEqual(TYPES)
  })

  test.each(TYPES)(
    'of %s is what an endpoint receives (renew them with UPDATE_EXAMPLES=1)',
    (type) => {
      const examples = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Body>
      expect(happened[type]).toEqual(examples[type] as Body)
    },
  )
})
