import { createHash } from 'node:crypto'

import { describe, expect, test } from 'bun:test'

import { callFile } from '../../../../src/simulator/call-payloads'
import { message as messageOf, type Webhook } from '../../../../src/simulator/payloads'
import { oggOpus, SAMPLES } from '../../../../src/simulator/sample-files'
import type { Loose } from '../../../support/client'
import { fetchRaw } from '../../../support/files'
import { deliver, lineOf, secondsIn, valueOf } from '../../../support/lines'
import { World } from '../../../support/world'

const DAY = { hours: 24 }

/** A customer's picture, and the message it became. */
async function picture(
  world: World,
  more: { bytes?: Uint8Array; mime?: string } = {},
): Promise<Loose> {
  await world.simulator
    .customer({ phone: world.tenant.phoneId })
    .sends({ type: 'image', caption: 'Look', ...more })
  world.program.ingest.step()
  // as a server does, which tells of the message while its file is on its way
  world.program.relay.drain()
  await world.settle()
  return await newestMessage(world)
}

async function newestMessage(world: World): Promise<Loose> {
  const [row] = world.rows('select id from messages order by id desc limit 1')
  return (await (await world.as('admin')).get(`/api/messages/${row?.['id']}`)).data
}

const infoOf = async (world: World, message: Loose): Promise<Loose> =>
  (await (await world.as('admin')).get(`/api/media/${message['id']}/info`)).data

/** A report that the recording of a call is available, with a size. */
function recordingOf(world: World, file_size: unknown): Webhook {
  const about = { id: 'wacid.1', line: lineOf(world.tenant), timestamp: secondsIn(world) }
  const webhook = callFile(about, { id: '990000000000002', sha256: 'x' })
  const [call] = valueOf(webhook)['calls'] as { call_recording: { audio: Loose } }[]
  Object.assign(call?.call_recording.audio ?? {}, { file_size })
  return webhook
}

/** Lets time pass in steps until the file is no longer waited for. */
async function passTime(
  world: World,
  message: Loose,
  step: { minutes?: number; hours?: number },
  most: number,
): Promise<Loose> {
  for (let round = 0; round < most; round += 1) {
    const info = await infoOf(world, message)
    if (info['state'] !== 'pending') return info
    world.clock.advance(step)
    await world.settle()
  }
  return await infoOf(world, message)
}

describe('a file a customer sends', () => {
  test.each([0.5, 1e300, -3, 'large'])(
    'is received although the platform names an impossible size: %p',
    async (file_size) => {
      await using world = await World.create()
      const line = lineOf(world.tenant)
      await deliver(
        world,
        messageOf({ type: 'image', image: { id: '990000000000001', file_size } }, { line }),
      )
      expect((await newestMessage(world))['content']).toMatchObject({ size_bytes: null })
      await deliver(world, recordingOf(world, file_size))
      const [call] = (await (await world.as('admin')).get('/api/calls')).data['items'] as Loose[]
      expect(call?.['recording_media_id']).toEqual(expect.any(String))
    },
  )

  test('gets a default name by its type', async () => {
    await using world = await World.create()
    const customer = world.simulator.customer({ phone: world.tenant.phoneId })
    const endings = {
      ...{
        'image/jpeg': 'jpg',
        'image/png': 'png',
        'image/webp': 'webp',
        'video/mp4': 'mp4',
        'application/pdf': 'pdf',
      },
      ...{
        'image/gif': 'gif',
        'video/3gpp': '3gp',
        'audio/mp4': 'm4a',
        'audio/mpeg': 'mp3',
        'audio/aac': 'aac',
        'audio/amr': 'amr',
      },
      ...{ 'audio/ogg; codecs=opus': 'ogg', 'text/plain': 'txt', 'text/csv': 'csv' },
    }
    const names: Record<string, string | undefined> = {}
    for (const mime of Object.keys(endings) as (keyof typeof endings)[]) {
      await customer.sends({
        type: 'document',
        bytes: SAMPLES[mime === 'text/csv' ? 'text/plain' : mime],
        mime,
      })
      await world.settle()
      const response = await fetchRaw(
        await world.as('manager'),
        `/api/media/${(await newestMessage(world))['id']}`,
      )
      names[mime] = /filename="document\.(\w+)"/.exec(
        response.headers.get('content-disposition') ?? '',
      )?.[1]
    }
    expect(names).toEqual(endings)
  })

  test('is downloaded with the token, stored and served; sockets are notified after the message', async () => {
    await using world = await World.create()
    const socket = await world.socket('manager')
    const message = await picture(world)
    const info = await infoOf(world, message)
    const bytes = SAMPLES['image/jpeg']
    expect(message['media']).toEqual({
      id: info['id'],
      url: `/api/media/${info['id']}`,
      mime_type: 'image/jpeg',
      filename: null,
      size_bytes: bytes.length,
      width: 1,
      height: 1,
      duration_ms: null,
      thumbnail_url: `/api/media/${info['id']}/thumbnail`,
      state: 'ready',
    })
    expect(info).toMatchObject({
      kind: 'image',
      width: 1,
      height: 1,
      attempts: 1,
      last_error: null,
      expires_at: null,
    })
    expect(info['sha256']).toBe(createHash('sha256').update(bytes).digest('hex'))
    for (const id of [message['id'], info['id']]) {
      const response = await fetchRaw(await world.as('manager'), `/api/media/${id}`)
      expect(response.headers.get('content-disposition')).toBe('inline; filename="image.jpg"')
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array(bytes))
    }
    await socket.caughtUp()
    const types = socket.frames
      .map(({ type }) => type)
      .filter((type) => type.startsWith('message:'))
    expect(types).toEqual(['message:new', 'message:updated'])
    const [created, updated] = [
      socket.events('message:new')[0],
      socket.events('message:updated')[0],
    ]
    expect(created?.payload['media']).toMatchObject({ state: 'pending', url: null })
    expect(updated?.payload).toEqual({
      id: message['id'],
      contact_id: message['contact_id'],
      changed: ['media'],
      type: 'image',
      content: message['content'],
      media: message['media'],
      edited_at: null,
      revoked_at: null,
    })
    for (const call of [
      ...world.simulator.callsOf({ route: 'media' }),
      ...world.simulator.callsOf({ route: 'media_bytes' }),
    ])
      expect(call.token).toBe(world.tenant.token)
  })

  test('is pending until it is here: 409 with Retry-After', async () => {
    await using world = await World.create()
    world.simulator.answerHtml(503, { route: 'media_bytes', times: Infinity })
    const message = await picture(world)
    const response = await (await world.as('admin')).get(`/api/media/${message['id']}`)
    expect({ status: response.status, code: response.body.code }).toEqual({
      status: 409,
      code: 'media_pending',
    })
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(message['media']).toMatchObject({ state: 'pending', url: null })
    expect(message['content']).toMatchObject({ caption: 'Look' })
  })

  test('is downloaded after two 503 responses of the file host', async () => {
    await using world = await World.create()
    world.simulator.answerHtml(503, { route: 'media_bytes', times: 2 })
    const message = await picture(world)
    expect(await infoOf(world, message)).toMatchObject({
      state: 'pending',
      attempts: 1,
      last_error: { code: 'platform_unreachable' },
    })
    expect(await passTime(world, message, { minutes: 1 }, 10)).toMatchObject({
      state: 'ready',
      attempts: 3,
      last_error: null,
    })
  })

  test('requests a new URL after the old one expired', async () => {
    await using world = await World.create()
    world.simulator.overrideFileFacts({ url: `${world.simulator.url}/_media/1?ext=1` })
    const message = await picture(world)
    expect(await infoOf(world, message)).toMatchObject({
      state: 'pending',
      last_error: { code: 'media_link_expired' },
    })
    expect(await passTime(world, message, { minutes: 1 }, 10)).toMatchObject({
      state: 'ready',
      attempts: 2,
    })
  })

  test('rejects bytes with another checksum', async () => {
    await using world = await World.create()
    world.simulator.overrideFileFacts({
      sha256: createHash('sha256').update('other').digest('base64'),
    })
    const message = await picture(world)
    expect(await infoOf(world, message)).toMatchObject({
      state: 'pending',
      sha256: null,
      last_error: { code: 'media_checksum' },
    })
    expect(await passTime(world, message, { minutes: 1 }, 10)).toMatchObject({ state: 'ready' })
    const kept: string[] = []
    for await (const { name } of world.program.http.files.list()) kept.push(name)
    expect(kept.length).toBe(1)
  })

  test('accepts a checksum in hex, whatever its letters, and rejects another one', async () => {
    await using world = await World.create()
    const hex = (text: string | Uint8Array): string =>
      createHash('sha256').update(text).digest('hex')
    world.simulator.overrideFileFacts({ sha256: hex(SAMPLES['image/jpeg']).toUpperCase() })
    expect(await infoOf(world, await picture(world))).toMatchObject({ state: 'ready', attempts: 1 })
    world.simulator.overrideFileFacts({ sha256: hex('other') })
    expect(await infoOf(world, await picture(world))).toMatchObject({
      state: 'pending',
      last_error: { code: 'media_checksum' },
    })
  })

  test.each([
    ['a host that is not the platform’s', 'http://127.0.0.1:1/_media/1'],
    ['another scheme', 'ftp://lookaside.fbsbx.com/1'],
    ['a host that looks like it', 'https://lookaside.fbsbx.com.example.com/1'],
    ['a user name', 'https://token@lookaside.fbsbx.com/1'],
    ['no address', 'hello'],
  ])('the token is not sent to %s', async (_what, url) => {
    await using world = await World.create()
    world.simulator.overrideFileFacts({ url }, { times: Infinity })
    const message = await picture(world)
    expect(await infoOf(world, message)).toMatchObject({
      state: 'pending',
      last_error: { code: 'media_address_refused' },
    })
    expect(world.simulator.callsOf({ route: 'media_bytes' })).toEqual([])
  })

  test('a redirect is not followed', async () => {
    await using world = await World.create()
    const asked: string[] = []
    using elsewhere = Bun.serve({
      port: 0,
      fetch: (request) => (asked.push(request.url), new Response('x')),
    })
    world.simulator.redirectFile(elsewhere.url.href, { times: Infinity })
    const message = await picture(world)
    expect(await infoOf(world, message)).toMatchObject({
      state: 'pending',
      last_error: { code: 'media_address_refused' },
    })
    expect(asked).toEqual([])
  })

  test('fails after twenty attempts within seven days, with one notification', async () => {
    await using world = await World.create()
    world.stays('the event log')
    world.simulator.overrideFileFacts({ url: 'hello' }, { times: Infinity })
    const message = await picture(world)
    const startedMs = world.clock.nowMs()
    const info = await passTime(world, message, { hours: 3 }, 100)
    expect(info).toMatchObject({
      state: 'failed',
      attempts: 20,
      last_error: { code: 'media_address_refused' },
    })
    expect(world.clock.nowMs() - startedMs).toBeLessThan(7 * 24 * 60 * 60 * 1000)
    expect(world.simulator.callsOf({ route: 'media' }).length).toBe(20)
    const events = world.rows("select payload from events where type = 'message.updated'")
    expect(events.length).toBe(1)
    const response = await (await world.as('admin')).get(`/api/media/${message['id']}`)
    expect({ status: response.status, code: response.body.code }).toEqual({
      status: 404,
      code: 'media_failed',
    })
    expect(
      world.rows("select id from jobs where kind = 'media.download' and state = 'discarded'"),
    ).toEqual([])
  })

  test.each([
    ['it does not exist', { code: 100, message: 'Unsupported get request', subcode: 33 }],
    ['it is refused with an undocumented code', { code: 987_654, message: 'Something else' }],
  ])('fails at once if %s, and can be retried within seven days', async (_what, error) => {
    await using world = await World.create()
    world.simulator.fail(error, { route: 'media' })
    const message = await picture(world)
    expect(await infoOf(world, message)).toMatchObject({
      state: 'failed',
      attempts: 1,
      last_error: { code: 'media_unavailable' },
    })
    const agent = await world.as('manager')
    const again = await agent.post(`/api/media/${message['id']}/retry`)
    expect(again).toMatchObject({
      status: 200,
      data: { state: 'pending', attempts: 0, last_error: null },
    })
    await world.settle()
    expect(await infoOf(world, message)).toMatchObject({ state: 'ready', attempts: 1 })
    expect(await agent.post(`/api/media/${message['id']}/retry`)).toMatchObject({
      status: 409,
      body: { code: 'not_failed' },
    })
  })

  test('cannot be retried after seven days', async () => {
    await using world = await World.create()
    world.simulator.fail({ code: 100, message: 'Unsupported get request' }, { route: 'media' })
    const message = await picture(world)
    for (let day = 0; day < 7; day += 1) world.clock.advance(DAY)
    const manager = await world.as('manager')
    expect(await manager.post(`/api/media/${message['id']}/retry`)).toMatchObject({
      status: 409,
      body: { code: 'media_expired' },
    })
  })

  test('with errors fails at once without a download', async () => {
    await using world = await World.create()
    const webhook = (await world.simulator.customer({ phone: world.tenant.phoneId }).says('first'))
      .webhook
    const change = webhook.entry[0]?.changes[0]?.value as Loose
    change['messages'] = [
      {
        ...(change['messages'] as Loose[])[0],
        id: 'wamid.TOOLARGE',
        type: 'image',
        image: { id: '1003383421387299', mime_type: 'image/jpeg', sha256: 'x' },
        errors: [{ code: 131_052, title: 'Media file size too big' }],
      },
    ]
    await world.simulator.deliver(webhook, world.tenant.phoneId)
    await world.settle()
    expect(await newestMessage(world)).toMatchObject({
      type: 'image',
      media: { state: 'failed', url: null },
    })
    expect(world.simulator.callsOf({ route: 'media' })).toEqual([])
  })

  test('a file larger than 100 MB is not fetched to its end', async () => {
    await using world = await World.create()
    const stored = world.simulator.keepHugeFile(
      100 * 1024 * 1024 + 1,
      'application/pdf',
      world.tenant.phoneId,
    )
    await world.simulator
      .customer({ phone: world.tenant.phoneId })
      .sends({ type: 'document', stored })
    await world.settle()
    expect(await infoOf(world, await newestMessage(world))).toMatchObject({
      state: 'failed',
      last_error: { code: 'media_too_large' },
    })
  })

  test('bytes of another type than the platform says are served with their own type', async () => {
    await using world = await World.create()
    const message = await picture(world, {
      bytes: new TextEncoder().encode('<html><script>alert(1)</script></html>'),
    })
    const response = await fetchRaw(await world.as('admin'), `/api/media/${message['id']}`)
    expect(response.headers.get('content-disposition')).toStartWith('attachment')
    expect(response.headers.get('content-type')).not.toContain('image')
  })

  test('a voice message has its duration', async () => {
    await using world = await World.create()
    await world.simulator
      .customer({ phone: world.tenant.phoneId })
      .sends({ type: 'audio', bytes: oggOpus(), voice: true })
    await world.settle()
    expect(await infoOf(world, await newestMessage(world))).toMatchObject({
      mime_type: 'audio/ogg; codecs=opus',
      duration_ms: 2_000,
    })
  })
})

describe('a number whose files cannot be downloaded', () => {
  test.each([
    ['', 0],
    [', also when the clock is put back by a day meanwhile', 24],
  ])(
    'is left alone for a while after five failures in a row, others are not%s',
    async (_, hours) => {
      await using world = await World.create()
      await world.settle()
      world.clock.advance({ hours })
      world.simulator.fail(
        { code: 190, message: 'Invalid token' },
        { route: 'media', times: Infinity },
      )
      const customer = world.simulator.customer({ phone: world.tenant.phoneId })
      for (let count = 0; count < 12; count += 1) await customer.sends({ type: 'image' })
      await world.settle()
      expect(world.simulator.callsOf({ route: 'media' }).length).toBeLessThan(12)
      world.simulator.clearFaults()
      await world.simulator.customer({ phone: world.other.phoneId }).sends({ type: 'image' })
      await world.settle()
      expect(
        world.rows(
          "select id from media where state = 'ready' and organization_id = ?",
          world.other.id,
        ).length,
      ).toBe(1)
      world.clock.advance({ hours: -hours })
      for (let round = 0; round < 12; round += 1) {
        world.clock.advance({ minutes: 10 })
        await world.settle()
      }
      expect(
        world.rows(
          "select id from media where state = 'ready' and organization_id = ?",
          world.tenant.id,
        ).length,
      ).toBe(12)
      expect(world.rows('select * from media_breakers')).toEqual([])
    },
  )

  test('files of a permanently disconnected number fail', async () => {
    await using world = await World.create()
    world.simulator.answerHtml(503, { route: 'media_bytes', times: Infinity })
    const message = await picture(world)
    await (await world.as('admin')).delete(`/api/accounts/${world.tenant.accountId}`)
    expect(await passTime(world, message, { minutes: 1 }, 10)).toMatchObject({
      state: 'failed',
      last_error: {
        code: 'account_deleted',
        message: 'The phone number that received the file is no longer connected.',
      },
    })
  })
})
