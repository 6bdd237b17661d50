import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { CATALOG } from '../../../../src/modules/insight/analytics/figures'
import type { Answer, Client, Loose } from '../../../support/client'
import { World } from '../../../support/world'

let world: World
let manager: Client
let admin: Client

const PATH = '/api/analytics/board'

beforeAll(async () => {
  world = await World.create()
})

afterAll(() => world.stop())

beforeEach(async () => {
  manager = await world.as('manager')
  admin = await world.as('admin')
  await manager.delete(PATH)
})

const SENT = {
  title: 'Sent',
  report: 'messages',
  metric: 'summary.total_sent',
  kind: 'number',
  period: 'week',
}
const put = (widgets: Loose[], client = manager): Promise<Answer<Loose>> =>
  client.put(PATH, { widgets })
const widgetsOf = (answer: Answer<Loose>): Loose[] => answer.data['widgets'] as Loose[]
const pathsOf = ({ body }: Answer<Loose>): string[] =>
  body.errors?.map(({ path }) => path ?? '') ?? []

describe('a board', () => {
  test('begins with six widgets made from the catalog, which it accepts itself', async () => {
    const first = await manager.get(PATH)
    expect(first.data['is_default']).toBe(true)
    expect(widgetsOf(first)).toHaveLength(6)
    const saved = await put(widgetsOf(first))
    expect([saved.status, saved.data['is_default']]).toEqual([200, false])
    expect(widgetsOf(saved)).toEqual(widgetsOf(first))
  })

  test('keeps its widgets in their order, and belongs to one person', async () => {
    const saved = await put([SENT, { ...SENT, id: 'second', title: 'Again', compare: true }])
    expect(widgetsOf(saved).map(({ title, compare }) => [title, compare])).toEqual([
      ['Sent', false],
      ['Again', true],
    ])
    expect(widgetsOf(await manager.get(PATH))).toEqual(widgetsOf(saved))
    expect((await admin.get(PATH)).data['is_default']).toBe(true)
    expect((await manager.delete(PATH)).status).toBe(200)
    expect((await manager.get(PATH)).data['is_default']).toBe(true)
  })

  test('gives numbers little room and the others more, unless somebody says otherwise', async () => {
    const line = { ...SENT, metric: 'timeline', kind: 'line' }
    const saved = await put([SENT, line, { ...SENT, size: 'large' }, { ...line, size: 'small' }])
    const sizes = (answer: Answer<Loose>) => widgetsOf(answer).map(({ size }) => size as unknown)
    expect(sizes(saved)).toEqual(['small', 'large', 'large', 'small'])
    expect(sizes(await manager.get(PATH))).toEqual(sizes(saved))
    expect(pathsOf(await put([{ ...SENT, size: 'huge' }]))).toEqual(['body.widgets.0.size'])
  })

  test('can show every figure of every report', async () => {
    const metrics = Object.entries(CATALOG).flatMap(([report, parts]) =>
      Object.entries(parts).flatMap(([part, figures]) =>
        Object.keys(figures).map((name) => ({ ...SENT, report, metric: `${part}.${name}` })),
      ),
    )
    for (let from = 0; from < metrics.length; from += 24)
      expect((await put(metrics.slice(from, from + 24))).status).toBe(200)
  })

  test('can show sums over all rows and the rows of a list, and nothing that they do not hold', async () => {
    const widgetOf = ([report, metric]: readonly [string, string]): Loose => ({
      ...SENT,
      report,
      metric,
    })
    const shown = [
      ['agents', 'summary.messages_sent'],
      ['campaigns', 'summary.actual_cost'],
      ['costs', 'groups.cost'],
      ['costs', 'timeline.billable_messages'],
    ] as const
    expect((await put(shown.map(widgetOf))).status).toBe(200)
    const missing = [
      ['messages', 'groups.sent'],
      ['costs', 'groups.ai_cost'],
      ['costs', 'items.cost'],
    ] as const
    expect(pathsOf(await put(missing.map(widgetOf)))).toEqual([
      'body.widgets.0.metric',
      'body.widgets.1.metric',
      'body.widgets.2.metric',
    ])
  })

  test('refuses unknown metrics and filters and foreign IDs with their paths', async () => {
    const { accountId } = world.tenant
    const refused = await put([
      { ...SENT, metric: 'summary.luck' },
      { ...SENT, filters: { weather: 'sunny' } },
      { ...SENT, filters: { account_id: world.other.accountId } },
      { ...SENT, filters: { granularity: 'minute' } },
      { ...SENT, filters: { account_id: accountId, direction: 'incoming' } },
      { ...SENT, report: 'chatbot', metric: 'by_flow', filters: { flow_id: accountId } },
    ])
    expect(refused.status).toBe(400)
    expect(pathsOf(refused)).toEqual([
      'body.widgets.0.metric',
      'body.widgets.1.filters.weather',
      'body.widgets.2.filters.account_id',
      'body.widgets.3.filters.granularity',
      'body.widgets.5.filters.flow_id',
    ])
    expect(
      pathsOf(
        await put([
          { ...SENT, id: 'one' },
          { ...SENT, id: 'one' },
        ]),
      ),
    ).toEqual(['body.widgets.1.id'])
    expect((await put(Array.from({ length: 25 }, () => SENT))).status).toBe(400)
    expect((await put([{ ...SENT, title: 'x'.repeat(61) }])).status).toBe(400)
  })

  test('says that a filter points at something deleted, and stays editable', async () => {
    const { data } = await admin.post('/api/teams', { name: 'Night shift' })
    const id = String((data['team'] as Loose)['id'])
    const widget = {
      ...{ title: 'Night', report: 'agents', metric: 'items', kind: 'table', period: 'week' },
      filters: { team_id: id },
    }
    expect(widgetsOf(await put([widget]))[0]).toMatchObject({ problem: null })
    await admin.delete(`/api/teams/${id}`)
    const [shown] = widgetsOf(await manager.get(PATH))
    expect(shown).toMatchObject({ problem: 'deleted', filters: { team_id: id } })
    expect((await put([{ ...shown, title: 'Renamed' }])).status).toBe(200)
  })

  test('of the organization is what people without a board of their own see', async () => {
    const path = `${PATH}/organization`
    expect((await manager.put(path, { widgets: [SENT] })).status).toBe(403)
    expect((await admin.put(path, { widgets: [SENT] })).status).toBe(200)
    const seen = await manager.get(PATH)
    expect([seen.data['is_default'], widgetsOf(seen).map(({ title }) => title)]).toEqual([
      true,
      ['Sent'],
    ])
    expect((await manager.get(path)).data['is_default']).toBe(false)
    expect((await (await world.as('agent')).get(PATH)).status).toBe(403)
  })
})
