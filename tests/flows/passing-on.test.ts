import { afterAll, beforeAll, expect, test } from 'bun:test'

import { combine, envelope, textMessage, type Webhook } from '../../src/simulator/payloads'
import { STRANGE_LINE } from '../support/lines'
import { CellGroup, type Cell } from '../support/cells'

/** Bodies of the test; 10,000 in `bun run test:long`. */
const BODIES = Number(process.env['CELL_BODIES'] ?? 100)
const AT_ONCE = 8

let group: CellGroup

beforeAll(async () => {
  group = await CellGroup.start()
}, 60_000)

afterAll(async () => await group[Symbol.asyncDispose]())

/** A message in a body, and the cell that has its number. */
interface Expected {
  id: string
  cell: number
}

const lineIn = (cell: number, nth: number) => {
  const { lines } = group.cells[cell] as Cell
  const line = lines[Math.floor(nth / 20) % lines.length]
  if (!line) throw new Error('the cell has no number')
  return line
}

const textIn = (cell: number, nth: number, id: string): Webhook =>
  textMessage(`Text ${nth}`, {
    line: lineIn(cell, nth),
    id,
    person: { waId: String(15_550_400_000 + (nth % 40)), name: 'Ana Sol' },
  })

/** One of the bodies: for one cell, for both, with a large first part, or of a business account. */
function bodyOf(nth: number): { body: Webhook; expected: Expected[] } {
  const id = (more = ''): string => `wamid.body${nth}${more}`
  const cell = nth % 2
  if (nth % 10 === 3)
    return {
      body: combine(textIn(0, nth, id('a')), textIn(1, nth, id('b'))),
      expected: [
        { id: id('a'), cell: 0 },
        { id: id('b'), cell: 1 },
      ],
    }
  if (nth % 100 === 7) {
    // The other cell's number comes after more than 64 KB.
    const padding = Array.from({ length: 60 }, (_, more) => {
      const text = textIn(0, nth, id(`p${more}`))
      const [change] = text.entry[0]?.changes ?? []
      const [message] = (change?.value['messages'] ?? []) as Record<string, unknown>[]
      if (message) message['text'] = { body: 'x'.repeat(1_500) }
      return text
    })
    return {
      body: combine(...padding, textIn(1, nth, id('z'))),
      expected: [
        ...padding.map((_, more) => ({ id: id(`p${more}`), cell: 0 })),
        { id: id('z'), cell: 1 },
      ],
    }
  }
  if (nth % 20 === 4 || nth % 20 === 5)
    return {
      body: envelope(
        { max_daily_conversation_per_phone: 1_000, max_phone_numbers_per_business: nth },
        { line: lineIn(cell, nth), field: 'business_capability_update', time: 1_790_000_000 + nth },
      ),
      expected: [],
    }
  if (nth % 100 === 9)
    return { body: textMessage('Nobody', { line: STRANGE_LINE, id: id() }), expected: [] }
  return { body: textIn(cell, nth, id()), expected: [{ id: id(), cell }] }
}

test(
  'every webhook ends in exactly one cell, the right one, through any door, while cells are killed',
  async () => {
    const [first, second] = group.cells as [Cell, Cell]
    const expected: Expected[] = []
    const killsAt = new Map([
      [Math.floor(BODIES / 3), first],
      [Math.floor((2 * BODIES) / 3), second],
    ])
    const restarts: Promise<void>[] = []
    let next = 0
    const post = async (): Promise<void> => {
      for (let nth = next++; nth < BODIES; nth = next++) {
        const killed = killsAt.get(nth)
        if (killed) restarts.push(killed.restart())
        const made = bodyOf(nth)
        expected.push(...made.expected)
        const doors = nth % 3 === 0 ? [first] : nth % 3 === 1 ? [second] : [second, first]
        for (const door of doors) await group.deliver(made.body, door)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, post))
    await Promise.all(restarts)
    await group.settled(120_000 + BODIES * 50)

    for (const [nth, cell] of group.cells.entries()) {
      const ids = cell
        .rows<{ id: string }>(
          "select wa_message_id as id from messages where direction = 'incoming'",
        )
        .map(({ id }) => id)
      expect(ids.toSorted()).toEqual(
        expected
          .filter((one) => one.cell === nth)
          .map(({ id }) => id)
          .toSorted(),
      )
      // Only the number that nobody connected is left without a cell.
      expect(
        cell.rows(
          "select distinct phone_number_id as number from inbound_events where state = 'unrouted'",
        ),
      ).toEqual([{ number: STRANGE_LINE.phoneNumberId }])
      // What comes only to the address of the app reached the account it is about.
      const capabilities = cell.rows<{ accounts: number }>(
        "select count(distinct account_id) as accounts from inbound_events where field = 'business_capability_update' and state = 'done'",
      )
      expect(capabilities).toEqual([{ accounts: cell.lines.length }])
      expect(
        cell.rows(
          "select distinct business_id as id from inbound_events where field = 'business_capability_update' and state = 'done' order by id",
        ),
      ).toEqual(
        cell.lines
          .map(({ wabaId }) => ({ id: wabaId }))
          .toSorted((a, b) => a.id.localeCompare(b.id)),
      )
      expect(
        cell.rows(
          "select kind, errors from jobs where kind = 'inbound.pass-on' and state = 'discarded'",
        ),
      ).toEqual([])
    }
  },
  BODIES > 1_000 ? 900_000 : 120_000,
)

test('the webhooks of a connected number are directed to its cell', async () => {
  await group.settled()
  const callbacks = group.cells.flatMap(({ lines }) =>
    lines.map(({ phoneNumberId }) => group.simulator.phones.find(({ id }) => id === phoneNumberId)),
  )
  expect(callbacks.map((phone) => phone?.callbackUrl)).toEqual(
    group.cells.flatMap((cell) => cell.lines.map(() => `${cell.url}/api/webhook`)),
  )
})
