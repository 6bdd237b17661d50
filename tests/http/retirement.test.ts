import { afterAll, beforeAll, expect, test } from 'bun:test'

import { Elysia } from 'elysia'

import { guard } from '../../src/http/guard'
import { exampleOf, routesOf } from '../support/routes'
import { World } from '../support/world'

let world: World
beforeAll(async () => {
  world = await World.create()
})
afterAll(() => world.stop())

test('callers who send a field that goes away are told since when and until when it stays', async () => {
  const route = routesOf(world).find(({ label }) => label === 'POST /api/templates')
  const admin = await world.as('admin')
  const told = async (more: object): Promise<(string | null)[]> => {
    const { status, headers } = await admin.post('/api/templates', {
      ...(route && exampleOf(route)),
      ...{ account_id: world.tenant.accountId, ...more },
    })
    expect(status).toBe(201)
    return [headers.get('deprecation'), headers.get('sunset')]
  }
  expect(await told({ name: 'one' })).toEqual([null, null])
  const days = ['@1796083200', 'Wed, 01 Dec 2027 00:00:00 GMT']
  expect(await told({ name: 'two', allow_category_change: true })).toEqual(days)
  expect(await told({ name: 'three', allow_category_change: false })).toEqual(days)
})

test('all callers of a route are told that it, or a field of its answers, goes away', async () => {
  const days = { since: '2027-01-01', sunset: '2027-07-01' }
  const app = new Elysia()
    .use(guard(world.program.http))
    .get('/route', 'ok', { raw: 'test', retires: { of: 'route', ...days } })
    .get('/answer', 'ok', { raw: 'test', retires: { of: 'answer', ...days } })
    .get('/neither', 'ok', { raw: 'test' })
  for (const [path, expected] of [
    ['/route', ['@1798761600', 'Thu, 01 Jul 2027 00:00:00 GMT', true]],
    ['/answer', ['@1798761600', 'Thu, 01 Jul 2027 00:00:00 GMT', undefined]],
    ['/neither', [null, null, undefined]],
  ] as const) {
    const { headers } = await app.handle(new Request(`http://localhost${path}`))
    const { hooks } = app.routes.find((route) => route.path === path) ?? {}
    const { deprecated } = (hooks as { detail: { deprecated?: boolean } }).detail
    expect([headers.get('deprecation'), headers.get('sunset'), deprecated]).toEqual([...expected])
  }
})
