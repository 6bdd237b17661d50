import { expect, test } from 'bun:test'

import { World } from '../../../support/world'
import { csvTable } from '../../../../src/modules/insight/analytics/report/csv'
import { Type } from '@sinclair/typebox'

test('a report is a CSV file when the query or the header asks for one', async () => {
  await using world = await World.create()
  const manager = await world.as('manager')
  for (const [path, headers] of [
    ['/api/analytics/costs?format=csv', {}],
    ['/api/analytics/costs', { accept: 'text/csv' }],
  ] as const) {
    const response = await fetch(world.url + path, { headers: { ...manager.headers, ...headers } })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toContain('costs.csv')
    const [header, ...rest] = (await response.text()).split('\r\n')
    expect(header).toStartWith('key,name,billable_messages,')
    expect(rest).toEqual([''])
  }
  expect((await manager.get('/api/analytics/costs?format=xlsx')).status).toBe(400)
})

test('CSV files of reports count as bulk operations', async () => {
  await using world = await World.create({ env: { RATE_BULK: '1' } })
  const manager = await world.as('manager')
  expect((await manager.get('/api/analytics/costs')).status).toBe(200)
  const file = (): Promise<Response> =>
    fetch(`${world.url}/api/analytics/costs?format=csv`, { headers: manager.headers })
  expect((await file()).status).toBe(200)
  expect((await file()).status).toBe(429)
  expect((await manager.get('/api/analytics/costs')).status).toBe(200)
})

test('cells of reports are never run as formulas', () => {
  const schema = Type.Object({
    name: Type.String(),
    count: Type.Integer(),
    list: Type.Array(Type.String()),
  })
  const lines = [
    ...csvTable(schema, [
      { name: '=1+1', count: 2, list: ['a'] },
      { name: 'a "b"', count: 0, list: [] },
    ]),
  ]
  expect(lines.join('')).toBe('\uFEFFname,count,list\r\n\'=1+1,2,"[""a""]"\r\n"a ""b""",0,[]\r\n')
})
