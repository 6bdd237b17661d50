import { describe, expect, test } from 'bun:test'

import { SAMPLES, webp } from '../../../../src/simulator/sample-files'
import type { Answer, Loose } from '../../../support/client'
import { fetchRaw, postForm, upload } from '../../../support/files'
import { World } from '../../../support/world'

const UNKNOWN = '01900000-0000-7000-8000-ffffffffffff'

const pathTo = (world: World, action = '/business_profile'): string =>
  `/api/accounts/${world.tenant.accountId}${action}`

const EMPTY = {
  about: null,
  address: null,
  description: null,
  email: null,
  websites: [],
  vertical: null,
  profile_picture_url: null,
}

describe('the business profile of a number', () => {
  test('is read from the platform for callers who may see numbers', async () => {
    await using world = await World.create()
    const agent = await world.as('agent')
    expect((await agent.get(pathTo(world))).data).toEqual(EMPTY)
    expect((await agent.put(pathTo(world), { about: 'Hi' })).status).toBe(403)
  })

  test('is updated field by field, null clears one, and the audit log has the changes', async () => {
    await using world = await World.create()
    const manager = await world.as('manager')
    const all = {
      about: 'We answer from 9 to 5',
      address: '1 Main Road',
      description: 'd'.repeat(512),
      email: 'hello@example.com',
      websites: ['https://example.com', 'http://shop.example.com/path'],
      vertical: 'RETAIL',
    }
    expect(await manager.put(pathTo(world), all)).toMatchObject({
      status: 200,
      data: { ...all, profile_picture_url: null },
    })
    const changes = { about: 'New', address: null, description: null, email: null, websites: null }
    const changed = { ...EMPTY, about: 'New', vertical: 'RETAIL' }
    expect((await manager.put(pathTo(world), changes)).data).toEqual(changed)
    expect((await manager.get(pathTo(world))).data).toEqual(changed)
    const posts = world.simulator.callsOf({
      route: 'profile',
      where: ({ method }) => method === 'POST',
    })
    expect(posts.at(-1)?.body).toEqual({
      messaging_product: 'whatsapp',
      about: 'New',
      address: '',
      description: '',
      email: '',
      websites: [],
    })
    const log = (await (await world.as('admin')).get('/api/audit-logs?action=profile_updated'))
      .data['items'] as Loose[]
    expect(log).toHaveLength(2)
    expect(((log[0] as Loose)['changes'] as Loose[]).map(({ field }) => field as string)).toEqual([
      'about',
      'address',
      'description',
      'email',
      'websites',
    ])
  })

  test('is also read in the nested form of some platform documents', async () => {
    await using world = await World.create()
    world.simulator.respondOnce('profile', {
      data: [{ business_profile: { about: 'Nested', websites: ['https://example.com'] }, id: '1' }],
    })
    expect((await (await world.as('admin')).get(pathTo(world))).data).toMatchObject({
      about: 'Nested',
      websites: ['https://example.com'],
    })
  })

  test.each<[string, Loose, string]>([
    ['nothing', {}, 'body'],
    ['an empty about', { about: '' }, 'body.about'],
    ['an about of 140', { about: 'a'.repeat(140) }, 'body.about'],
    ['an address of 257', { address: 'a'.repeat(257) }, 'body.address'],
    ['a description of 513', { description: 'a'.repeat(513) }, 'body.description'],
    ['an odd e-mail', { email: 'nobody' }, 'body.email'],
    ['an e-mail of 129', { email: `${'a'.repeat(117)}@example.com` }, 'body.email'],
    [
      'three websites',
      { websites: ['https://a.example', 'https://b.example', 'https://c.example'] },
      'body.websites',
    ],
    ['a website that is none', { websites: ['javascript:alert(1)'] }, 'body.websites.0'],
    [
      'a website of 257',
      { websites: [`https://example.com/${'a'.repeat(237)}`] },
      'body.websites.0',
    ],
    ['an unknown vertical', { vertical: 'PIRACY' }, 'body.vertical'],
  ])('with %s is 400 that names it, and the platform is not asked', async (_, changes, path) => {
    await using world = await World.create()
    const answer = await (await world.as('admin')).put(pathTo(world), changes)
    expect(answer.status).toBe(400)
    expect(answer.body.errors?.map((problem) => problem.path)).toContain(path)
    expect(world.simulator.callsOf({ route: 'profile' })).toEqual([])
  })

  test('that the platform rejects is 400 platform_rejected; unreachable is 503; an unknown number 404', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    expect((await admin.get(`/api/accounts/${UNKNOWN}/business_profile`)).status).toBe(404)
    expect(
      (await admin.put(`/api/accounts/${UNKNOWN}/business_profile`, { about: 'x' })).status,
    ).toBe(404)
    world.simulator.fail({ code: 100 }, { route: 'profile', times: 1 })
    expect(await admin.get(pathTo(world))).toMatchObject({
      status: 400,
      body: { code: 'platform_rejected', details: { platform_code: 100 } },
    })
    await world.simulator.stop()
    for (const answer of [
      await admin.get(pathTo(world)),
      await admin.put(pathTo(world), { about: 'x' }),
    ])
      expect(answer).toMatchObject({ status: 503, body: { code: 'platform_unreachable' } })
  })
})

describe('the profile photo of a number', () => {
  const photo = (world: World): string => pathTo(world, '/business_profile/photo')
  const give = async (world: World, bytes: Uint8Array, type: string): Promise<Answer<Loose>> =>
    upload(await world.as('manager'), { path: photo(world), bytes, type, name: '../../my picture' })

  test.each(['image/jpeg', 'image/png'] as const)(
    '%s is uploaded by the resumable upload and set in the profile',
    async (type) => {
      await using world = await World.create({ env: { EGRESS_ALLOW: '127.0.0.1' } })
      const bytes = SAMPLES[type]
      const answer = await give(world, bytes, type)
      expect(answer.status).toBe(200)
      expect(answer.data['profile_picture_url']).toContain('/_picture/')
      const shown = await fetchRaw(await world.as('agent'), photo(world))
      expect(shown.headers.get('content-type')).toBe(type)
      expect(new Uint8Array(await shown.arrayBuffer())).toEqual(new Uint8Array(bytes))
      expect(world.simulator.callsOf({ route: 'uploads' })).toMatchObject([
        { object: '601000000000001', token: world.tenant.token },
      ])
      expect(world.simulator.callsOf({ route: 'upload_bytes' })).toMatchObject([
        { body: { bytes: bytes.length } },
      ])
      expect(
        (await (await world.as('admin')).get('/api/audit-logs?action=profile_updated')).data[
          'total'
        ],
      ).toBe(1)
      // The staged file is removed right after the response.
      const files = (): string[] => [...new Bun.Glob('**/*').scanSync(world.filesFolder)]
      await world.eventually(() => files().length === 0)
      expect(files()).toEqual([])
    },
  )

  test('is streamed to the platform, up to 5 MB', async () => {
    await using world = await World.create()
    const bytes = new Uint8Array(5 * 1024 * 1024)
    bytes.set(SAMPLES['image/png'])
    expect((await give(world, bytes, 'image/png')).status).toBe(200)
    expect(world.simulator.callsOf({ route: 'upload_bytes' })).toMatchObject([
      { body: { bytes: bytes.length } },
    ])
  })

  test.each<[string, Uint8Array, string, number]>([
    ['larger than 5 MB', new Uint8Array(5 * 1024 * 1024 + 1), 'image/png', 413],
    ['that is a sticker', webp(), 'image/webp', 415],
    ['that only claims to be one', SAMPLES['application/pdf'], 'image/jpeg', 415],
    ['that is empty', new Uint8Array(), 'image/png', 400],
  ])('%s is refused, and the platform is not asked', async (_, bytes, type, status) => {
    await using world = await World.create()
    const answer = await give(world, bytes, type)
    expect({ status: answer.status, hasCode: typeof answer.body.code }).toEqual({
      status,
      hasCode: 'string',
    })
    expect(world.simulator.callsOf({ route: 'uploads' })).toEqual([])
  })

  test('without a file is 400, as JSON 415, of an unknown number 404', async () => {
    await using world = await World.create()
    const manager = await world.as('manager')
    expect((await postForm(manager, photo(world), new FormData())).status).toBe(400)
    expect((await manager.post(photo(world), { file: 'x' })).status).toBe(415)
    const path = `/api/accounts/${UNKNOWN}/business_profile/photo`
    expect(
      (await upload(manager, { path, bytes: SAMPLES['image/png'], type: 'image/png' })).status,
    ).toBe(404)
  })

  test('is 404 if there is none, and 503 if it cannot be fetched', async () => {
    await using world = await World.create()
    const agent = await world.as('agent')
    expect((await agent.get(photo(world))).status).toBe(404)
    await give(world, SAMPLES['image/png'], 'image/png')
    expect(await agent.get(photo(world))).toMatchObject({
      status: 503,
      body: { code: 'platform_unreachable' },
    })
  })

  test('is 404 if what is fetched is no picture', async () => {
    await using world = await World.create({ env: { EGRESS_ALLOW: '127.0.0.1' } })
    const page = Bun.serve({
      port: 0,
      fetch: () => new Response('<script>1</script>', { headers: { 'content-type': 'image/png' } }),
    })
    const address = `http://127.0.0.1:${page.port}/`
    world.simulator.respondOnce('profile', { data: [{ profile_picture_url: address }] })
    const agent = await world.as('agent')
    expect((await agent.get(photo(world))).status).toBe(404)
    await page.stop(true)
  })

  test('that the platform rejects is 400 platform_rejected', async () => {
    await using world = await World.create()
    for (const route of ['uploads', 'upload_bytes'] as const) {
      world.simulator.fail({ code: 100 }, { route })
      expect(await give(world, SAMPLES['image/png'], 'image/png')).toMatchObject({
        status: 400,
        body: { code: 'platform_rejected' },
      })
    }
    world.simulator.loseAnswer({ route: 'upload_bytes' })
    expect(await give(world, SAMPLES['image/png'], 'image/png')).toMatchObject({
      status: 503,
      body: { code: 'platform_unreachable' },
    })
  })

  test('of a number without a known app is 400 app_unknown', async () => {
    await using world = await World.create({ isConnected: false })
    world.simulator.fail({ code: 190 }, { route: 'debug_token', times: Infinity })
    await world.connect(world.tenant)
    expect(await give(world, SAMPLES['image/png'], 'image/png')).toMatchObject({
      status: 400,
      body: { code: 'app_unknown' },
    })
    world.simulator.clearFaults()
    expect((await give(world, SAMPLES['image/png'], 'image/png')).status).toBe(200)
  })
})
