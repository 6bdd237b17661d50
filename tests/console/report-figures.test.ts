import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { CampaignFixture, setPrice } from '../support/campaigns'
import type { Client, Loose } from '../support/client'
import { pathOf } from '../support/transfers'

/** A figure as a screen shows it. */
interface Spec {
  id: string
  point?: string
  share?: readonly [string, string]
  better?: 'up' | 'down'
  unit: string
}
interface Report {
  summary: Loose
  timeline: ({ date: string } & Loose)[]
}
interface Line {
  look?: string
  values: (number | null)[]
}

/** What the screens make of reports: code of the browser, which this program does not know by type. */
interface Model {
  totalOf: (spec: Spec, report: Report) => number | null
  valuesOf: (spec: Spec, report: Report) => (number | null)[]
  changeOf: (
    value: number | null,
    earlier: number | null,
    better?: string,
  ) => { share: number | null; look: string } | null
  courseOf: (of: Loose) => { points: { id: string; label: string }[]; series: Line[] }
}
const load = async (path: string): Promise<unknown> => await import(`../../src/console/${path}`)

/** Sunday the 25th has 25 hours in Berlin. */
const DAYS = { now: ['2026-10-24', '2026-10-26'], before: ['2026-10-21', '2026-10-23'] } as const

let fixture: CampaignFixture
let admin: Client
let model: Model
let specs: Record<string, readonly Spec[]>
let formatValue: (value: number | null, unit: string) => string
let customers = 0

/** Moves the clock to a time. */
const goTo = (time: string): void => {
  const { clock } = fixture.world
  clock.advance({ ms: Date.parse(time) - clock.nowMs() })
}

/** A customer writes at a time, and is answered some minutes later. */
async function talk(time: string, minutes: number): Promise<void> {
  const { world } = fixture
  customers += 1
  goTo(time)
  const contact = await world.contactOf(world.tenant, 'Hello?', `1202555${1_000 + customers}`)
  const [manager, agent] = [await world.as('manager'), await world.as('agent')]
  const id = String(contact['id'])
  const { data } = await manager.post('/api/chatbot/transfers', { contact_id: id })
  const transfer = data['transfer'] as Loose
  await agent.post(pathOf(transfer, 'pickup'))
  world.clock.advance({ minutes })
  const reply = { type: 'text', text: 'Here we are' }
  const sent = await agent.post(`/api/contacts/${id}/messages`, reply)
  if (sent.status !== 201) throw new Error(JSON.stringify(sent.body))
  await world.settle()
  await agent.put(pathOf(transfer, 'resume'))
}

/** A campaign to some people. */
async function campaign(people: string[]): Promise<void> {
  const id = await fixture.draftFor(people)
  await fixture.do(id, 'start')
  await fixture.run(id)
}

beforeAll(async () => {
  fixture = await CampaignFixture.open({ startMs: Date.parse('2026-10-21T06:00:00Z') })
  const { world } = fixture
  setPrice(world, { category: 'MARKETING', micros: 25_000 })
  setPrice(world, { category: 'SERVICE', micros: 8_000 })
  world.simulator.freeServiceMessages(0)
  admin = await world.as('admin')
  await admin.put('/api/organizations/settings', { timezone: 'Europe/Berlin' })
  await admin.put('/api/chatbot/settings', { chatbot_enabled: true, debounce_seconds: 0 })
  await admin.post('/api/chatbot/keywords', { keywords: ['hours'], response: 'From 9 to 5' })
  // before: two days with something
  await talk('2026-10-22T08:00:00Z', 2)
  await campaign(['12025550111', '12025550112'])
  await talk('2026-10-23T21:30:00Z', 4) // 23:30 of the 23rd
  // now: around the hour that comes twice, and at the edges of the days
  await talk('2026-10-23T22:10:00Z', 1) // 0:10 of the 24th
  world.simulator.followWith(['sent', 'delivered', 'read'], { recipient: '12025550121' })
  for (const recipient of ['12025550122', '12025550125'])
    world.simulator.followWith(['failed'], { recipient })
  world.simulator.followWith(['sent'], { recipient: '12025550124' })
  await campaign(['12025550121', '12025550122', '12025550123', '12025550124', '12025550125'])
  await talk('2026-10-25T00:20:00Z', 5) // 2:20 in summer
  await talk('2026-10-25T01:20:00Z', 15) // 2:20 in winter
  await talk('2026-10-25T22:40:00Z', 3) // 23:40
  const bot = world.simulator.customer({ phone: world.tenant.phoneId })
  await bot.says('hours')
  await world.settle()
  await talk('2026-10-26T22:50:00Z', 2)
  await world.settle()
  admin = await world.as('admin')
  model = (await load('pages/analytics/figures-of')) as Model
  const { costSpecs, ...lists } = (await load('pages/analytics/specs')) as {
    costSpecs: (currency: string) => readonly Spec[]
  } & Record<string, readonly Spec[]>
  const { TEAM_SPECS, PERSON_SPECS } = (await load('pages/analytics/people-figures')) as Record<
    string,
    readonly Spec[]
  >
  specs = { ...lists, COST_SPECS: costSpecs('USD'), TEAM_SPECS, PERSON_SPECS } as typeof specs
  formatValue = ((await load('parts/chart/figures')) as { formatValue: typeof formatValue })
    .formatValue
  const { setConventions } = (await load('texts/format')) as {
    setConventions: (conventions: Loose) => void
  }
  setConventions({ timeZone: 'Europe/Berlin', dateFormat: 'DD.MM.YYYY' })
}, 60_000)

afterAll(() => fixture.world.stop())

const read = async (path: string, [from, to]: readonly string[], more = ''): Promise<Report> => {
  const { data } = await admin.get(`${path}?start_date=${from}&end_date=${to}${more}`)
  const summary = (data['summary'] ?? data['agent']) as Loose
  return { summary, timeline: (data['timeline'] ?? []) as Report['timeline'] }
}

const tabs: [tab: string, specs: string, path: () => string][] = [
  ['Messages', 'MESSAGE_SPECS', () => '/api/analytics/messages'],
  ['People', 'TEAM_SPECS', () => '/api/analytics/agents'],
  [
    'one person',
    'PERSON_SPECS',
    () => `/api/analytics/agents/${fixture.world.tenant.userIds.agent}`,
  ],
  ['Bot', 'BOT_SPECS', () => '/api/analytics/chatbot'],
  ['Campaigns', 'CAMPAIGN_SPECS', () => '/api/analytics/campaigns'],
  ['Costs', 'COST_SPECS', () => '/api/analytics/costs'],
  ['Quality', 'QUALITY_SPECS', () => '/api/analytics/quality'],
]

/** What shares are of, of which there may be nothing. */
const WHOLES: Record<string, string[]> = {
  delivery_rate: ['total_sent', 'sent'],
  read_rate: ['total_delivered', 'delivered'],
  reply_rate: ['delivered'],
  resolution_rate: ['auto_resolved', 'transferred_to_agent', 'abandoned'],
  avg_messages_per_conversation: ['total_conversations'],
  sla_met_rate: ['transfers_handled'],
}
/** Returns a figure; the mean and the share of nothing are `null`, which the API tells as 0. */
function exact(holder: Loose, name: string): number | null {
  const value = holder[name]
  const wholes = (WHOLES[name] ?? []).map((one) => holder[one]).filter((one) => one !== undefined)
  const isOfNothing =
    /^(?:avg|median)_.*_seconds$/.test(name) ||
    (wholes.length > 0 && wholes.every((one) => one === 0))
  return value === null || (value === 0 && isOfNothing) ? null : Number(value)
}

describe.each(tabs)('the screen of %s', (_tab, name, path) => {
  test('shows the numbers of the API, and how they changed', async () => {
    const [now, before] = [await read(path(), DAYS.now), await read(path(), DAYS.before)]
    const list = specs[name] ?? []
    expect(list.length).toBeGreaterThan(3)
    for (const spec of list) {
      expect([spec.id, spec.id in now.summary]).toEqual([spec.id, true])
      const [value, earlier] = [model.totalOf(spec, now), model.totalOf(spec, before)]
      expect([spec.id, value]).toEqual([spec.id, exact(now.summary, spec.id)])
      expect([spec.id, earlier]).toEqual([spec.id, exact(before.summary, spec.id)])
      const change = model.changeOf(value, earlier, spec.better)
      if (value === null || earlier === null) expect(change).toBeNull()
      else if (earlier === 0) expect(change).toEqual({ share: null, look: 'muted' })
      else {
        expect((change?.share ?? 0) * earlier + earlier).toBeCloseTo(value, 9)
        const isGood = spec.better === 'up' ? value > earlier : value < earlier
        expect(change?.look).toBe(
          spec.better === undefined || value === earlier ? 'muted' : isGood ? 'good' : 'bad',
        )
      }
    }
  })

  test('draws the points of the API, by the day and by the hour', async () => {
    for (const granularity of ['day', 'hour']) {
      const more = `&granularity=${granularity}`
      const now = await read(path(), DAYS.now, more).catch(() => null)
      if (!now || now.timeline.length === 0) continue
      const before = await read(path(), DAYS.before, more)
      // three days, of which one has 25 hours
      expect(now.timeline).toHaveLength(granularity === 'day' ? 3 : 73)
      for (const spec of specs[name] ?? []) {
        const values = model.valuesOf(spec, now)
        const { point, share } = spec
        if (point !== undefined) {
          const wanted = now.timeline.map((one) => exact(one, point))
          expect([spec.id, values]).toEqual([spec.id, wanted])
          // what is counted adds up to the number above
          if (spec.unit === 'number' || spec.unit.startsWith('money'))
            expect(values.reduce<number>((sum, one) => sum + (one ?? 0), 0)).toBeCloseTo(
              Number(now.summary[spec.id]),
              6,
            )
        }
        if (share) {
          // the parts are those of the share above
          const [part, whole] = share.map((field) =>
            now.timeline.reduce((sum, one) => sum + Number(one[field]), 0),
          )
          expect((100 * (part ?? 0)) / (whole ?? 1)).toBeCloseTo(Number(now.summary[spec.id]), 0)
          for (const [nth, one] of now.timeline.entries()) {
            const whole = Number(one[share[1]])
            const percent = Math.round((Number(one[share[0]]) / whole) * 1_000) / 10
            expect(values[nth]).toBe(whole === 0 ? null : percent)
          }
        }
        const { points, series } = model.courseOf({
          ...{ spec, now, before, granularity, beforeName: 'before' },
        })
        expect(points.map(({ id }) => id)).toEqual(now.timeline.map(({ date }) => date))
        expect(series[0]?.values).toEqual(values)
        expect(series[1]?.look).toBe('before')
        // the same hour of the day before, also after the night that has one more
        if (granularity === 'day') expect(series[1]?.values).toEqual(model.valuesOf(spec, before))
        else expect(series[1]?.values.at(-1)).toBe(model.valuesOf(spec, before).at(-1) ?? null)
      }
    }
  })
})

test('something was measured everywhere', async () => {
  const summaries = await Promise.all(
    tabs.map(async ([, name, path]) => [name, (await read(path(), DAYS.now)).summary] as const),
  )
  expect(Object.fromEntries(summaries)).toMatchObject({
    MESSAGE_SPECS: { total_received: 6, total_read: 1, total_failed: 2 },
    TEAM_SPECS: { transfers_handled: 5, avg_first_response_seconds: 312 },
    PERSON_SPECS: { transfers_handled: 5 },
    BOT_SPECS: { total_conversations: expect.any(Number) as number },
    CAMPAIGN_SPECS: { recipients: 5 },
    QUALITY_SPECS: { answers: 5 },
  })
  const costs = Object.fromEntries(summaries)['COST_SPECS']
  expect(Number(costs?.['cost'])).toBeGreaterThan(0.1)
})

test('an hour that comes twice has both its answers, each in its own point', async () => {
  const quality = await read('/api/analytics/quality', DAYS.now, '&granularity=hour')
  const spec = (specs['QUALITY_SPECS'] ?? []).find(({ id }) => id === 'answers')
  if (!spec) throw new Error('no figure of answers')
  const { points, series } = model.courseOf({
    ...{ spec, now: quality, before: undefined, beforeName: '', granularity: 'hour' },
  })
  const twice = points.flatMap(({ id, label }, nth) =>
    id.startsWith('2026-10-25T02') ? [[id, label, series[0]?.values[nth]]] : [],
  )
  expect(twice).toEqual([
    ['2026-10-25T02:00:00+02:00', expect.stringMatching(/^25\.10\.2026 0?2:00/), 1],
    ['2026-10-25T02:00:00+01:00', expect.stringMatching(/^25\.10\.2026 0?2:00/), 1],
  ])
  expect(formatValue(312, 'seconds')).toMatch(/^5 min 12 sec$/)
})

test('a board shows the same numbers, and the courses that there are', async () => {
  const { numberIn, courseIn } = (await load('pages/analytics/widget-data')) as {
    numberIn: (report: object, metric: string) => number | null
    courseIn: (report: object, metric: string) => (number | null)[] | null
  }
  const { WIDGET_CHOICES } = (await load('pages/analytics/widget-choices')) as {
    WIDGET_CHOICES: readonly { report: string; metric: string; kind: string; id: string }[]
  }
  const drawn: string[] = []
  for (const { report, metric, kind, id } of WIDGET_CHOICES) {
    const span = `start_date=${DAYS.now[0]}&end_date=${DAYS.now[1]}`
    const query = report === 'dashboard' ? 'period=week' : span
    const { status, data } = await admin.get(`/api/analytics/${report}?${query}`)
    expect([id, status]).toEqual([id, 200])
    const [part = '', field = part] = metric.split('.')
    expect([id, part in data]).toEqual([id, true])
    if (kind !== 'number') continue
    const holder = (data[part] ?? {}) as Loose
    expect([id, numberIn(data, metric)]).toEqual([id, exact(holder, field)])
    const course = courseIn(data, metric)
    if (course) {
      expect([id, course.length]).toEqual([id, 3])
      drawn.push(id)
    }
  }
  expect(drawn).toContain('messages summary.total_sent')
  expect(drawn).toContain('messages summary.delivery_rate')
  expect(drawn).toContain('costs summary.cost')
  expect(drawn).not.toContain('agents summary.messages_sent')
})
