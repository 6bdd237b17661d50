import { describe, expect, test } from 'bun:test'

import { standIn } from '../support/hosting'
import { TestSocket } from '../support/socket'
import { World } from '../support/world'

/**
 * Worlds without a number of their own, so that nothing but what a test asks for has happened in
 * them.
 */
const empty = (
  env: { RATE_STANDARD?: string; BASE_URL?: string; ORG_CREATION?: string } = {},
): Promise<World> => World.create({ isConnected: false, env })

describe('an app that serves several test worlds in turn', () => {
  test('uses settings, counters, data and log of the current world', async () => {
    const first = await empty({ RATE_STANDARD: '2' })
    const { url } = first
    expect(
      (await (await first.as('admin')).post('/api/tags', { name: 'Of the first' })).status,
    ).toBe(201)
    const asked = [await first.anyone.get('/api/me'), await first.anyone.get('/api/me')]
    expect(asked.map(({ status }) => status)).toEqual([401, 429]) // the sign-in was counted too
    await first.stop()
    const kept = first.logLines.length

    await using second = await empty({ RATE_STANDARD: '3' })
    expect(second.url).toBe(url)
    const again = [await second.anyone.get('/api/me'), await second.anyone.get('/api/me')]
    expect(again.map(({ status, headers }) => [status, headers.get('x-ratelimit-limit')])).toEqual([
      [401, '3'],
      [401, '3'],
    ])
    expect((await (await second.as('admin')).get('/api/tags')).data['items']).toEqual([])
    expect(first.logLines).toHaveLength(kept)
    expect(second.logLines.filter((line) => line.includes('"route":"/api/me"'))).toHaveLength(2)
  })

  test('forgets failed attempts at the Flow endpoint', async () => {
    const withKey = async (): Promise<World> => {
      const world = await World.create()
      await (await world.as('admin')).post(`/api/accounts/${world.tenant.accountId}/flow-key`, {})
      return world
    }
    const unproven = async (world: World): Promise<number> =>
      (await world.anyone.post(`/api/flows/endpoint/${world.tenant.accountId}`, {})).status
    const first = await withKey()
    const { url } = first
    const seen = new Set<number>()
    for (let nth = 0; nth < 61; nth += 1) seen.add(await unproven(first))
    await first.stop()
    await using second = await withKey()
    expect([second.url, [...seen], await unproven(second)]).toEqual([url, [432, 429], 432])
  })

  test('is created anew for another kind of world, and if something still uses it', async () => {
    const first = await empty()
    await first.stop()
    await using second = await empty({ BASE_URL: 'https://chat.example.com' })
    expect(second.url).not.toBe(first.url)
    const document = (await second.anyone.get('/openapi.json')).body as unknown as {
      servers: { url: string }[]
    }
    expect(document.servers[0]?.url).toBe('https://chat.example.com')

    const third = await empty()
    expect(third.url).toBe(first.url)
    const socket = await TestSocket.open(
      `${third.url.replace('http', 'ws')}/ws?token=${(await third.as('admin')).token}`,
    )
    await third.stop()
    await using fourth = await empty()
    expect(fourth.url).not.toBe(third.url)
    await socket.until('its end', () => socket.closed !== null)
    await socket.close()
  })
})

describe('the stand-in for the program while an app is composed', () => {
  const parts = {
    http: { clock: { nowMs: () => 1 }, settings: { rateBulk: 1, orgCreation: 'x' }, version: '1' },
  }
  let isBuilding = true
  const { http } = standIn(
    () => parts,
    () => isBuilding,
  )

  test('refuses access to anything the app could keep', () => {
    const { clock, settings } = http
    expect(() => clock.nowMs).toThrow('http.clock.nowMs while it is put together')
    expect(() => settings.rateBulk).toThrow('http.settings.rateBulk')
    expect(() => ({ ...settings })).toThrow('http.settings.rateBulk')
    expect([http.version, settings.orgCreation]).toEqual(['1', 'x'])
  })

  test('gives access to the current program afterwards', () => {
    const { clock } = http
    isBuilding = false
    parts.http.clock = { nowMs: () => 2 }
    expect([clock.nowMs(), http.clock.nowMs(), { ...http.settings }]).toEqual([
      2,
      2,
      { rateBulk: 1, orgCreation: 'x' },
    ])
    isBuilding = true
  })
})
