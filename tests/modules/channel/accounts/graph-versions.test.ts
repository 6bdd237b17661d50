import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { World } from '../../../support/world'

const BEFORE = { startMs: Date.UTC(2027, 3, 6, 9, 30) }

const setVersion = async (world: World, version: string): Promise<void> => {
  const admin = await world.as('admin')
  const { status } = await admin.put(`/api/accounts/${world.tenant.accountId}`, {
    api_version: version,
  })
  expect(status).toBe(200)
}

const nextDay = async (world: World): Promise<void> => {
  world.clock.advance({ hours: 24 })
  await world.settle()
}

const noticesOf = async (world: World, tenant = world.tenant): Promise<Loose[]> =>
  (await (await world.as('admin', tenant)).get('/api/me/notifications')).data['items'] as Loose[]

const V23_NOTICE = {
  kind: 'account_notice',
  severity: 'warning',
  title: 'Graph API version ends: Acme main',
  body:
    'WhatsApp supports Graph API v23.0 until 8 October 2027. Change the version in the settings of ' +
    'the phone number to v25.0 or later.',
}

describe('the Graph API version of a number', () => {
  test('is v25.0 unless another one is chosen', async () => {
    await using world = await World.create()
    const { data } = await (await world.as('admin')).get(`/api/accounts/${world.tenant.accountId}`)
    expect(data['api_version']).toBe('v25.0')
  })

  test('is reported once, six months before it ends, to the organization that uses it', async () => {
    await using world = await World.create(BEFORE)
    await setVersion(world, 'v23.0')
    await nextDay(world) // 7 April
    expect(await noticesOf(world)).toEqual([])
    await nextDay(world)
    expect(await noticesOf(world)).toMatchObject([V23_NOTICE])
    await nextDay(world)
    expect(await noticesOf(world)).toHaveLength(1)
    expect(await noticesOf(world, world.other)).toEqual([])
  })

  test('is reported again for another version, and for one that has ended', async () => {
    await using world = await World.create(BEFORE)
    await setVersion(world, 'v22.0')
    await nextDay(world)
    await setVersion(world, 'v21.0')
    await nextDay(world)
    await setVersion(world, 'v9.0')
    await nextDay(world)
    expect(
      (await noticesOf(world)).map(({ severity, title, body }) => [severity, title, body]),
    ).toEqual([
      [
        'critical',
        'Graph API version has ended: Acme main',
        expect.stringMatching(/^WhatsApp no longer supports Graph API v9\.0\. Change /),
      ],
      ['critical', 'Graph API version has ended: Acme main', expect.stringMatching(/API v21\.0\./)],
      [
        'warning',
        'Graph API version ends: Acme main',
        expect.stringMatching(/^WhatsApp supports Graph API v22\.0 until 20 May 2027\. /),
      ],
    ])
  })

  test('is reported for a number that the platform no longer answers for', async () => {
    await using world = await World.create(BEFORE)
    await setVersion(world, 'v21.0')
    world.simulator.fail({ code: 100 }, { route: 'phone', times: 4 })
    await nextDay(world)
    await nextDay(world)
    const notices = await noticesOf(world)
    expect(
      notices.filter(({ title }) => title === 'Graph API version has ended: Acme main'),
    ).toHaveLength(1)
  })

  test('is told by a test of the number, and not before it is near its end', async () => {
    await using world = await World.create(BEFORE)
    const warnings = async (): Promise<unknown> =>
      (await (await world.as('admin')).post(`/api/accounts/${world.tenant.accountId}/test`)).data[
        'warnings'
      ]
    const before = await warnings()
    await setVersion(world, 'v22.0')
    expect(await warnings()).toEqual([
      ...(before as string[]),
      expect.stringContaining('Graph API v22.0 until 20 May 2027'),
    ])
  })

  test('newer than all known ones, or without an announced end, is no news', async () => {
    await using world = await World.create({ startMs: Date.UTC(2028, 0, 10) })
    for (const version of ['v26.0', 'v27.0', 'v25.0']) {
      await setVersion(world, version)
      await nextDay(world)
    }
    expect(await noticesOf(world)).toEqual([])
  })
})
