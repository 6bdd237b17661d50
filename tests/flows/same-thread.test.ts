import { expect, test } from 'bun:test'
import fc from 'fast-check'

import { edit, reaction, revoke, statusChange, textMessage } from '../../src/simulator/payloads'
import type { About, Person, Webhook } from '../../src/simulator/payloads'
import { pick, seededRandom, shuffled } from '../../src/simulator/random'
import {
  asStandby,
  FROM_AGENT,
  handover,
  standbyEcho,
  TO_AGENT,
  TO_OTHER,
} from '../../src/simulator/standby'
import { digestOf } from '../support/digest'
import { lineOf } from '../support/lines'
import { World } from '../support/world'

/** Random days; `bun run test:long` tries more. */
const RUNS = Number(process.env['SAME_THREAD_RUNS'] ?? 4)
const START_S = Date.UTC(2026, 10, 21, 9, 30) / 1_000
const PEOPLE = [1, 2, 3].map((nth) => ({
  waId: String(15_550_300_000 + nth),
  name: `Person ${nth}`,
}))
const SHAPES = ['nested', 'flat'] as const
const STATUSES = ['sent', 'delivered', 'read', 'failed']
const CONTROLS = [
  { control: FROM_AGENT },
  { control: TO_AGENT },
  { control: {} },
  { type: 'control_taken', control: TO_OTHER },
  { type: 'control_taken', control: { metadata: '{"reason":"MARKETING_MESSAGE"}' } },
  { type: 'control_taken', control: { ...TO_OTHER, metadata: 'switchboard:x' } },
] as const

/** What was said and answered so far, to be changed, reacted to and reported about. */
interface Day {
  world: World
  random: () => number
  said: string[]
  answered: Map<string, Person>
}

type Invent = (day: Day, about: About & { id: string }) => Webhook[]

/** In the field of whoever owns the thread just then, which nobody told us. */
const inEither = ({ random }: Day, webhook: Webhook): Webhook =>
  random() < 0.5 ? webhook : asStandby(webhook, pick(random, SHAPES))

const anyMessage = ({ random, said, answered }: Day): string =>
  pick(random, [...said, ...answered.keys(), 'wamid.never']) ?? 'wamid.never'

const INVENTIONS: [share: number, invent: Invent][] = [
  [
    8,
    (day, about) => {
      day.said.push(about.id)
      const body = pick(day.random, ['Hi', 'Blue shoes?', 'stop', 'start']) ?? ''
      return [inEither(day, textMessage(body, about))]
    },
  ],
  [
    2,
    (day, about) => {
      day.said.push(about.id)
      const webhook = textMessage('In both fields', about)
      return [webhook, asStandby(webhook, pick(day.random, SHAPES))]
    },
  ],
  [
    4,
    (day, about) => {
      day.answered.set(about.id, about.person ?? {})
      return [standbyEcho('Answer', { ...about, shape: pick(day.random, SHAPES) })]
    },
  ],
  [
    5,
    (day, about) => {
      const status = pick(day.random, STATUSES) ?? 'sent'
      const error = { code: 131_026, title: 'No', details: 'No' }
      const pricing = { billable: true, pricing_model: 'PMP', category: 'service', type: 'regular' }
      const facts = status === 'failed' ? { error } : { pricing }
      const [id, person] = pick(day.random, [...day.answered]) ?? ['wamid.never', about.person]
      return [inEither(day, statusChange(id, status, facts, { ...about, person: person ?? {} }))]
    },
  ],
  [4, (day, about) => [handover(pick(day.random, CONTROLS), about)]],
  [1, (day, about) => [inEither(day, reaction(anyMessage(day), '👍', about))]],
  [1, (day, about) => [inEither(day, edit(anyMessage(day), 'Edited', about))]],
  [1, (day, about) => [inEither(day, revoke(anyMessage(day), about))]],
]

const CHANCES = INVENTIONS.flatMap(([share, invent]) => Array.from({ length: share }, () => invent))

/** So many happenings on a shared number, in the order of their times. */
function happenings(world: World, count: number, seed: number): Webhook[] {
  const random = seededRandom(seed)
  const day: Day = { world, random, said: [], answered: new Map() }
  return Array.from({ length: count }, (_, nth) => {
    const about = {
      line: lineOf(world.tenant),
      person: pick(random, PEOPLE) ?? {},
      id: `wamid.happening-${nth}`,
      timestamp: START_S - count * 10 + nth * 10,
    }
    return pick(random, CHANCES)?.(day, about) ?? []
  }).flat()
}

/** Posts webhooks in bodies of up to `most` changes. */
async function postAll(world: World, webhooks: Webhook[], most: number): Promise<void> {
  for (let at = 0; at < webhooks.length; at += most) {
    const entry = webhooks.slice(at, at + most).flatMap((webhook) => webhook.entry)
    const { status } = await world.simulator.post({ object: 'whatsapp_business_account', entry })
    expect(status).toBe(200)
  }
  await world.settle()
}

async function rowsAfter(
  seed: number,
  order: { seed: number; most: number } | null,
): Promise<unknown> {
  await using world = await World.create()
  // A confirmation of STOP would be a message of ours.
  const silent = { opt_out_reply: '', opt_in_reply: '' }
  expect((await (await world.as('admin')).put('/api/consent-settings', silent)).status).toBe(200)
  const told = happenings(world, 40, seed)
  if (order === null) await postAll(world, told, 1)
  else await postAll(world, shuffled(seededRandom(order.seed), [...told, ...told]), order.most)
  expect(world.rows("select last_error from inbound_events where state not in ('done')")).toEqual(
    [],
  )
  expect(world.simulator.messages).toEqual([])
  return await digestOf(world)
}

test('messages, answers, handovers and statuses of shared threads leave the same rows in any order', async () => {
  const seed = fc.integer({ min: 1, max: 2 ** 31 - 1 })
  await fc.assert(
    fc.asyncProperty(seed, seed, fc.constantFrom(1, 4, 80), async (day, order, most) => {
      expect(await rowsAfter(day, { seed: order, most })).toEqual(await rowsAfter(day, null))
    }),
    { numRuns: RUNS, seed: 4_711, endOnFailure: true },
  )
}, 60_000)
