import { parse } from 'csv-parse/sync'
import { expect, test } from 'bun:test'

import { CampaignFixture, setPrice } from '../../../support/campaigns'
import type { Client, Loose } from '../../../support/client'

/** Returns the rows of a report's file by column, each cell as its text. */
async function fileOf(client: Client, url: string, path: string): Promise<Loose[]> {
  const response = await fetch(url + path + (path.includes('?') ? '&' : '?') + 'format=csv', {
    headers: client.headers,
  })
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  return parse(await response.text(), { columns: true, bom: true })
}

/** Returns a row of a report as its file writes it. */
const written = (row: Loose): Loose =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]: [string, unknown]) => {
      const text = value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
      return [column, /^[=+\-@]/.test(text) ? `'${text}` : text]
    }),
  )

test('the file of each report has the same rows as its answer', async () => {
  await using fixture = await CampaignFixture.open()
  const { world } = fixture
  setPrice(world, { category: 'MARKETING', micros: 25_000 })
  setPrice(world, { category: 'SERVICE', micros: 8_000 })
  const contact = await world.contactOf(world.tenant, 'Hello', '15550107001')
  // Last week had more new contacts than this one, so that a figure is negative.
  for (const nth of [2, 3]) await world.contactOf(world.tenant, 'Hi', `1555010700${nth}`)
  world.clock.advance({ hours: 24 * 3 })
  const manager = await world.as('manager')
  await manager.post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text: 'Hello' })
  const name = '=HYPERLINK("https://example.com";"a, b")'
  const campaignId = await fixture.draftFor(['12025550111'], { name })
  await fixture.do(campaignId, 'start')
  await fixture.run(campaignId)
  await fixture.draftFor(['12025550112'])
  const agent = world.tenant.userIds.manager
  const other = world.tenant.userIds.agent
  for (const [path, rowsOf] of [
    ['messages', ({ timeline }) => timeline],
    ['messages?granularity=hour&start_date=2026-11-20', ({ timeline }) => timeline],
    ['chatbot', ({ timeline }) => timeline],
    ['agents', ({ items }) => items],
    [`agents/comparison?user_ids=${agent},${other}`, ({ agents }) => agents],
    [`agents/${agent}?granularity=week`, ({ timeline }) => timeline],
    ['campaigns', ({ items }) => items],
    ['costs', ({ groups }) => groups],
    ['costs?group_by=campaign', ({ groups }) => groups],
    [
      'dashboard?period=week',
      (dashboard) =>
        ['contacts', 'messages', 'campaigns', 'chatbot', 'transfers'].flatMap((area) =>
          Object.entries(dashboard[area] as Loose).map(([figure, value]) => ({
            ...{ area, figure, value },
          })),
        ),
    ],
  ] as readonly [string, (report: Loose) => unknown][]) {
    const client = await world.as('manager')
    const { data } = await client.get(`/api/analytics/${path}`)
    const rows = (rowsOf(data) as Loose[]).map(written)
    expect(rows.length).toBeGreaterThan(0)
    expect([path, await fileOf(client, world.url, `/api/analytics/${path}`)]).toEqual([path, rows])
  }
})
