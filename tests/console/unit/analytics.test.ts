import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Widget } from '../../../src/console/api/shapes'
import { knownIn, valuesOf } from '../../../src/console/pages/analytics/figures-of'
import { momentsOf } from '../../../src/console/pages/analytics/hours'
import { joined, moved, stepOf } from '../../../src/console/pages/analytics/board-order'
import { queryOf, takenBy, unusedBy } from '../../../src/console/pages/analytics/filters'
import { peopleIn } from '../../../src/console/pages/analytics/people-figures'
import { betterOf, WIDGET_CHOICES } from '../../../src/console/pages/analytics/widget-choices'
import { csvOf } from '../../../src/console/parts/chart/csv'
import { ticksOf } from '../../../src/console/parts/chart/figures'
import { fitted } from '../../../src/console/parts/chart/rows'
import { lineOf } from '../../../src/console/parts/chart/sparkline'
import { formatMoney, setConventions } from '../../../src/console/texts/format'
import { loadLateTexts } from '../../../src/console/texts/texts'

beforeAll(async () => {
  await loadLateTexts()
  setConventions({ timeZone: 'Europe/Berlin', dateFormat: 'DD.MM.YYYY' })
})
afterAll(() => {
  setConventions({ timeZone: 'UTC', dateFormat: 'YYYY-MM-DD' })
})

test('a small course has a gap where nothing is known, not a fall to nothing', () => {
  const line = lineOf([100, null, 100, 100, null, 50])
  expect(line).toBe('M1.0 2.0h1M38.6 2.0L57.4 2.0M95.0 14.0h1')
  expect([lineOf([null, null]), lineOf([4])]).toEqual([null, null])
})

test('deadlines are met in no share of the days without a transfer', () => {
  const spec = { point: 'sla_met_rate' }
  const days = [
    { date: '2026-11-28', sla_met_rate: 0, transfers_handled: 2 },
    { date: '2026-11-29', sla_met_rate: 0, transfers_handled: 0 },
  ]
  expect(valuesOf(spec, { timeline: days })).toEqual([0, null])
})

test('a share or a mean of nothing is not known, and one of something may be none', () => {
  const sums = { total_sent: 0, total_delivered: 4, delivery_rate: 0, read_rate: 0 }
  expect([knownIn(sums, 'delivery_rate'), knownIn(sums, 'read_rate')]).toEqual([null, 0])
  const bot = { auto_resolved: 0, transferred_to_agent: 0, abandoned: 0, resolution_rate: 0 }
  expect(knownIn(bot, 'resolution_rate')).toBeNull()
  expect(knownIn({ ...bot, abandoned: 1 }, 'resolution_rate')).toBe(0)
  expect(knownIn({ avg_queue_seconds: 0, transfers_handled: 0 }, 'avg_queue_seconds')).toBeNull()
  expect(knownIn({ transfers_handled: 0 }, 'transfers_handled')).toBe(0)
})

test('money is told in whole coins, and exactly only below one', () => {
  const written = [4.7502, 11.2, 0, 0.0123, 0.0046, -0.00312].map((one) => formatMoney(one, 'EUR'))
  expect(written).toEqual(['€4.75', '€11.20', '€0.00', '€0.01', '€0.0046', '-€0.0031'])
  expect([formatMoney(3.7, 'JPY'), formatMoney(0.53, 'JPY')]).toEqual(['¥4', '¥0.53'])
  // lines of a chart are told apart
  for (const largest of [0.004, 0.012, 0.03, 0.7, 41]) {
    const lines = ticksOf(largest, 'money EUR').map((one) => formatMoney(one, 'EUR'))
    expect(new Set(lines).size).toBe(lines.length)
  }
})

test('a long name leaves its value room', () => {
  expect(fitted('Marketing', 100)).toBe('Marketing')
  expect(fitted('The message cannot be delivered.', 120)).toBe('The message can…')
  expect(fitted('配信できませんでした', 60)).toBe('配信で…')
})

describe('the filters that all reports share', () => {
  const all = { account: 'a', source: 'agent', team: 't', person: 'p', tag: 'g' }

  test('are those of the report, as the API calls them', () => {
    expect(queryOf('messages', all)).toEqual({ account_id: 'a', source: 'agent' })
    expect(queryOf('quality', all)).toEqual({
      ...{ account_id: 'a', team_id: 't', user_id: 'p', tag_id: 'g' },
    })
    expect(queryOf('bot', { flow: 'f' })).toEqual({ flow_id: 'f' })
    expect(queryOf('campaigns', { campaign: 'c', team: 't' })).toEqual({ campaign_id: 'c' })
    expect(queryOf('mine', all)).toEqual({})
    expect(queryOf('board', all)).toEqual({})
  })

  test('are said when a report does not know them', () => {
    expect(unusedBy('messages', all)).toEqual(['team', 'person', 'tag'])
    expect(unusedBy('quality', all)).toEqual(['source'])
    expect(unusedBy('quality', {})).toEqual([])
  })

  test('of costs are a campaign or a person, not both', () => {
    expect(takenBy('costs', { campaign: 'c', person: 'p' })).toEqual(['campaign'])
    expect(unusedBy('costs', { campaign: 'c', person: 'p' })).toEqual(['person'])
    expect(queryOf('costs', { person: 'p' })).toEqual({ user_id: 'p' })
  })
})

describe('a board', () => {
  const widgets = ['a', 'b', 'c'].map((id) => ({ id })) as unknown as Widget[] // only moved here
  const order = (some: readonly Widget[]): string => some.map(({ id }) => id).join('')

  test('has each widget once, wherever one is moved', () => {
    expect(order(moved(widgets, 2, 0))).toBe('cab')
    expect(order(moved(widgets, 0, 1))).toBe('bac')
    expect(order(moved(widgets, 0, 2))).toBe('bca')
    expect(moved(widgets, 0, -1)).toBe(widgets)
    expect(moved(widgets, 2, 3)).toBe(widgets)
    expect(moved(widgets, 7, 0)).toBe(widgets)
  })

  test('is walked along the lines, which run from the right in Arabic', () => {
    const steps = (isFromRight: boolean) =>
      ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Enter'].map((key) =>
        stepOf({ key }, isFromRight),
      )
    expect(steps(false)).toEqual([-1, 1, -1, 1, 0])
    expect(steps(true)).toEqual([-1, 1, 1, -1, 0])
  })

  test('offers each figure once, and knows which ones should grow', () => {
    expect(new Set(WIDGET_CHOICES.map(({ id }) => id)).size).toBe(WIDGET_CHOICES.length)
    expect(betterOf('summary.avg_first_response_seconds')).toBe('down')
    expect(betterOf('summary.cost')).toBe('down')
    expect(betterOf('summary.sla_met_rate')).toBe('up')
    expect(betterOf('summary.total_sent')).toBeUndefined()
  })
})

test('people who are compared are at most ten, each once', () => {
  const ids = Array.from({ length: 12 }, (_, nth) => `0190${String(nth).padStart(32, '0')}`)
  expect(peopleIn([...ids, 'x', ids[0]].join(','))).toEqual(ids.slice(0, 10))
  expect(peopleIn(undefined)).toEqual([])
})

test('an hour that comes twice is one span of two hours, the last one ends with its day', () => {
  expect(momentsOf('2026-10-25', '2')).toEqual({
    ...{ from: '2026-10-25T00:00:00.000Z', before: '2026-10-25T02:00:00.000Z' },
  })
  expect(momentsOf('2026-10-25', '23').before).toBe('2026-10-25T23:00:00.000Z')
  expect(momentsOf('2026-10-25', undefined)).toEqual({
    ...{ from: '2026-10-24T22:00:00.000Z', before: '2026-10-25T23:00:00.000Z' },
  })
  expect(momentsOf('2026-07-01', '9').from).toBe('2026-07-01T07:00:00.000Z')
})

test('figures are saved as a file that no spreadsheet runs', () => {
  const points = [
    { id: '1', label: '=HYPERLINK("x")', short: '' },
    { id: '2', label: 'Ana, "Lu"', short: '' },
  ]
  const series = [{ id: 's', label: 'Sent', values: [-1.5, null] }]
  expect(csvOf({ unit: 'number', pointName: 'Name', points, series })).toBe(
    'Name,Sent\r\n"\'=HYPERLINK(""x"")",-1.5\r\n"Ana, ""Lu""",\r\n',
  )
})

describe('a board that two people changed at the same time', () => {
  const board = (words: string): Widget[] =>
    words.split(' ').map((id) => ({ id, size: 'small' }) as Widget)
  const idsOf = (widgets: readonly Widget[]): string => widgets.map(({ id }) => id).join(' ')
  const join = (...words: [string, string, string]): string => {
    const [seen, mine, theirs] = words.map(board) as [Widget[], Widget[], Widget[]]
    return idsOf(joined(seen, mine, theirs))
  }

  test('has what both added, and not what one removed', () => {
    expect(join('a b c', 'a b c mine', 'a b c theirs')).toBe('a b c theirs mine')
    expect(join('a b c', 'b c', 'a b c theirs')).toBe('b c theirs')
    expect(join('a b c', 'a b c mine', 'b c')).toBe('b c mine')
    expect(join('a b c', 'b c', 'a b')).toBe('b')
  })

  test('has the order of who moved something, and their own before the other one', () => {
    expect(join('a b c', 'a b c', 'c a b')).toBe('c a b')
    expect(join('a b c', 'c a b', 'a b c theirs')).toBe('c a b theirs')
    expect(join('a b c', 'c a b', 'b a c')).toBe('c a b')
    expect(join('a b c', 'a b', 'c b a')).toBe('b a')
  })

  test('has what each changed of a widget', () => {
    const [a, b] = board('a b') as [Widget, Widget]
    const large = (one: Widget): Widget => ({ ...one, size: 'large' })
    expect(joined([a, b], [large(a), b], [a, large(b)])).toEqual([large(a), large(b)])
    expect(joined([a, b], [{ ...a, size: 'large' }, b], [{ ...a, compare: true }, b])[0]).toEqual(
      large(a),
    )
  })
})
