import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { World } from '../../../support/world'

const pathTo = (world: World, action: string): string =>
  `/api/accounts/${world.tenant.accountId}${action}`

const pinsOf = (world: World): string[] =>
  world.simulator.callsOf({ route: 'register' }).map(({ body }) => String((body as Loose)['pin']))

/** A world whose number is not registered at the platform yet. */
async function unregistered(more: Loose = {}): Promise<World> {
  const world = await World.create({ isConnected: false })
  world.simulator.addPhone({ id: world.tenant.phoneId, status: 'PENDING' })
  await world.connect(world.tenant, more)
  return world
}

describe('registering a number', () => {
  test('creates a secret PIN and activates a number that waited for it', async () => {
    await using world = await unregistered()
    const manager = await world.as('manager')
    expect((await manager.get(pathTo(world, ''))).data).toMatchObject({
      status: 'pending',
      has_pin: false,
    })
    const answer = await manager.post(pathTo(world, '/register'))
    expect(answer).toMatchObject({ status: 200, data: { registered: true } })
    const [pin = ''] = pinsOf(world)
    expect(pin).toMatch(/^\d{6}$/)
    expect(world.simulator.storedKeys(world.tenant.phoneId).pin).toBe(pin)
    await world.settle()
    expect((await manager.get(pathTo(world, ''))).data).toMatchObject({
      status: 'active',
      has_pin: true,
    })
    await manager.post(pathTo(world, '/register'))
    expect(pinsOf(world)).toEqual([pin, pin])
    const log = await (await world.as('admin')).get('/api/audit-logs?action=registered')
    expect(log.data['items'] as Loose[]).toHaveLength(2)
    const stored = Buffer.from(world.program.http.db.sqlite.serialize()).toString('latin1')
    for (const text of [stored, JSON.stringify([answer.body, log.body, world.logLines])])
      expect(text).not.toContain(`"${pin}"`)
  })

  test('uses the stored PIN, or the given one, which is stored', async () => {
    await using world = await unregistered({ pin: '111111' })
    const admin = await world.as('admin')
    await admin.post(pathTo(world, '/register'))
    world.simulator.addPhone({ id: world.tenant.phoneId, pin: '222222' })
    await admin.post(pathTo(world, '/register'), { pin: '222222' })
    await admin.post(pathTo(world, '/register'))
    expect(pinsOf(world)).toEqual(['111111', '222222', '222222'])
  })

  test('sets the region for stored content before the registration', async () => {
    await using world = await unregistered()
    const admin = await world.as('admin')
    const register = (region: string) =>
      admin.post(pathTo(world, '/register'), { data_localization_region: region })
    expect(await register('XX')).toMatchObject({
      status: 400,
      body: { code: 'platform_rejected', details: { platform_code: 100 } },
    })
    expect(pinsOf(world)).toEqual([])
    expect((await register('DE')).data).toEqual({ registered: true })
    expect(world.simulator.callsOf({ route: 'settings' }).map(({ body }) => body)).toEqual(
      ['XX', 'DE'].map((region) => ({
        storage_configuration: {
          status: 'IN_COUNTRY_STORAGE_ENABLED',
          data_localization_region: region,
        },
      })),
    )
    const [call] = world.simulator.callsOf({ route: 'register' })
    expect(Object.keys(call?.body as Loose).toSorted()).toEqual(['messaging_product', 'pin'])
    expect(await register('IN')).toMatchObject({ status: 400, body: { code: 'platform_rejected' } })
  })

  test('with a rejected PIN is 400 with its code and keeps the stored one', async () => {
    await using world = await unregistered({ pin: '111111' })
    const admin = await world.as('admin')
    await admin.post(pathTo(world, '/register'))
    const refused = await admin.post(pathTo(world, '/register'), { pin: '999999' })
    expect(refused).toMatchObject({
      status: 400,
      body: { code: 'platform_rejected', details: { platform_code: 133_005 } },
    })
    expect(refused.body.message).toContain('133005')
    expect((await admin.post(pathTo(world, '/register'))).status).toBe(200)
    for (const pin of ['12345', '1234567', 'abcdef', 123_456])
      expect(
        (await admin.post(pathTo(world, '/register'), { pin })).body.errors?.map(
          ({ path }) => path,
        ),
      ).toEqual(['body.pin'])
  })

  test('is 429 after ten in 72 hours without a call, and possible again when the first is old', async () => {
    await using world = await unregistered()
    for (let nth = 0; nth < 10; nth += 1) {
      expect((await (await world.as('admin')).post(pathTo(world, '/register'))).status).toBe(200)
      world.clock.advance({ hours: 1 })
    }
    const refused = await (await world.as('admin')).post(pathTo(world, '/register'))
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_registrations' } })
    expect(refused.headers.get('retry-after')).toBe(String(62 * 3_600))
    expect(pinsOf(world)).toHaveLength(10)
    world.clock.advance({ hours: 62 })
    expect((await (await world.as('admin')).post(pathTo(world, '/register'))).status).toBe(200)
  })

  test('is 429 when the platform counted ten registrations made elsewhere', async () => {
    await using world = await unregistered()
    const admin = await world.as('admin')
    world.simulator.fail({ code: 133_016, retryAfter: 600 }, { route: 'register' })
    const refused = await admin.post(pathTo(world, '/register'))
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_registrations' } })
    expect(refused.headers.get('retry-after')).toBe('600')
  })

  test('without a response is 503 and keeps the new PIN', async () => {
    await using world = await unregistered()
    const admin = await world.as('admin')
    world.simulator.loseAnswer({ route: 'register' })
    expect(await admin.post(pathTo(world, '/register'))).toMatchObject({
      status: 503,
      body: { code: 'platform_unreachable' },
    })
    expect((await admin.get(pathTo(world, ''))).data).toMatchObject({ has_pin: true })
    expect((await admin.post(pathTo(world, '/register'))).status).toBe(200)
    expect(new Set(pinsOf(world)).size).toBe(1)
  })

  test('does not count a call that never reached the platform; an unknown number is 404', async () => {
    await using world = await unregistered()
    const admin = await world.as('admin')
    expect(
      (await admin.post('/api/accounts/01900000-0000-7000-8000-ffffffffffff/register')).status,
    ).toBe(404)
    await world.simulator.stop()
    const counted = () => world.rows('select registrations from accounts')
    // on a connection that was open it may have been under way
    await admin.post(pathTo(world, '/register'))
    const before = counted()
    for (let nth = 0; nth < 12; nth += 1)
      expect(await admin.post(pathTo(world, '/register'))).toMatchObject({
        status: 503,
        body: { code: 'platform_unreachable' },
      })
    expect(counted()).toEqual(before)
  })
})
