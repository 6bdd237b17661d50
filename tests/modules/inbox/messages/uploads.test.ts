import { describe, expect, test } from 'bun:test'

import { SAMPLES } from '../../../../src/simulator/sample-files'
import type { Loose } from '../../../support/client'
import { deliver, takenBodies, textTo } from '../../../support/lines'
import { openSendFixture, sendForm, type SendFixture } from '../../../support/sending'

const PICTURE = { name: 'a.jpg', type: 'image/jpeg', bytes: SAMPLES['image/jpeg'] }

/** A fixture with a picture that was handed in. */
async function withPicture() {
  const fixture = await openSendFixture({ tenants: 1 })
  const { world } = fixture
  const { body } = await sendForm(fixture.client, '/api/media', { kind: 'image' }, PICTURE)
  const mediaId = String(body.data['id'])
  const send = async (message: Loose, contact = fixture.contact): Promise<string> => {
    const answer = await (
      await world.as('manager')
    ).post(`/api/contacts/${contact['id']}/messages`, message)
    expect(answer.status).toBe(201)
    return String(answer.data['id'])
  }
  return {
    fixture,
    world,
    send,
    picture: (contact?: Loose) => send({ type: 'image', media_id: mediaId }, contact),
    read: async (id: string): Promise<Loose> =>
      (await (await world.as('manager')).get(`/api/messages/${id}`)).data,
    uploads: () => world.simulator.callsOf({ route: 'media' }).length,
    [Symbol.asyncDispose]: () => world.stop(),
  }
}

const typesTaken = ({ world }: Pick<SendFixture, 'world'>): string[] =>
  takenBodies(world).map(({ type }) => type as string)

describe('the file of a message', () => {
  test('is uploaded once per phone number and reused for 25 days', async () => {
    await using at = await withPicture()
    at.world.stays('uploads to the platform')
    for (let nth = 0; nth < 3; nth += 1) await at.picture()
    await at.world.settle()
    expect([at.uploads(), typesTaken(at)]).toEqual([1, ['image', 'image', 'image']])
    const person = { waId: String(at.fixture.contact['wa_id']) }
    for (const [days, uploads] of [
      [24, 1],
      [1, 2],
    ] as const) {
      at.world.clock.advance({ hours: days * 24 })
      await deliver(at.world, textTo(at.world, 'Hello?', { person }))
      await at.picture()
      await at.world.settle()
      expect({ days, uploads: at.uploads() }).toEqual({ days, uploads })
    }
  })

  test('delays only its contact, by up to a minute, and then warns of the changed order', async () => {
    await using at = await withPicture()
    const { world } = at
    const other = await world.contactOf(world.tenant, 'Hi', '15550300002')
    world.simulator.answerHtml(503, { route: 'media', times: 5 })
    const stuck = await at.picture()
    const next = await at.send({ type: 'text', text: 'Next' })
    await at.send({ type: 'text', text: 'To another' }, other)
    await world.settle()
    const { data } = await (await world.as('admin')).get('/api/outbox')
    expect((data['items'] as Loose[]).map(({ message_id, stage }) => [message_id, stage])).toEqual([
      [stuck, 'uploading'],
      [next, 'queued'],
    ])
    expect(takenBodies(world).map((body) => (body['text'] as Loose)['body'] as string)).toEqual([
      'To another',
    ])
    for (let seconds = 0; seconds < 59; seconds += 1) {
      world.clock.advance({ seconds: 1 })
      await world.settle()
    }
    expect(takenBodies(world)).toHaveLength(1)
    world.clock.advance({ seconds: 2 })
    await world.settle()
    expect(typesTaken(at)).toEqual(['text', 'text'])
    world.clock.advance({ minutes: 10 })
    await world.settle()
    expect(await at.read(stuck)).toMatchObject({ status: 'delivered', warnings: ['out_of_order'] })
    expect((await at.read(next))['warnings']).toEqual([])
  })

  test('fails the message after eight failed uploads', async () => {
    await using at = await withPicture()
    at.world.simulator.answerHtml(503, { route: 'media', times: Infinity })
    const id = await at.picture()
    await at.world.settle()
    for (let nth = 0; nth < 8; nth += 1) {
      at.world.clock.advance({ minutes: 15 })
      await at.world.settle()
    }
    expect([at.uploads(), at.world.simulator.callsOf({ route: 'messages' }).length]).toEqual([8, 0])
    expect(await at.read(id)).toMatchObject({
      status: 'failed',
      error: { code: 'platform_unreachable', retryable: true },
    })
  })

  test.each([131_016, 131_057, 133_004])(
    'that is refused with %p and Retry-After goes up again when the platform asks for it',
    async (code) => {
      await using at = await withPicture()
      at.world.simulator.fail({ code, retryAfter: 90 }, { route: 'media' })
      const id = await at.picture()
      await at.world.settle()
      at.world.clock.advance({ ms: 89_999 })
      await at.world.settle()
      expect([at.uploads(), typesTaken(at)]).toEqual([1, []])
      at.world.clock.advance({ ms: 1 })
      await at.world.settle()
      expect([at.uploads(), typesTaken(at)]).toEqual([2, ['image']])
      expect(await at.read(id)).toMatchObject({ status: 'delivered' })
    },
  )

  test('fails the message at once if the platform rejects it', async () => {
    await using at = await withPicture()
    at.world.simulator.fail({ code: 131_053 }, { route: 'media' })
    const id = await at.picture()
    await at.world.settle()
    expect(await at.read(id)).toMatchObject({
      status: 'failed',
      error: { code: 'media_rejected', platform_code: 131_053 },
    })
    expect(at.uploads()).toBe(1)
  })

  test.each([131_052, 131_053])(
    'that the platform lost (%p) goes up once more, and the message with it',
    async (code) => {
      await using at = await withPicture()
      at.world.simulator.fail({ code })
      const id = await at.picture()
      await at.world.settle()
      expect([at.uploads(), (await at.read(id))['status']]).toEqual([2, 'delivered'])
      const ids = at.world.simulator
        .callsOf({ route: 'messages' })
        .map(({ body }) => ((body as Loose)['image'] as Loose)['id'] as string)
      expect(new Set(ids).size).toBe(2)
    },
  )

  test('fails the message if the platform rejects it twice', async () => {
    await using at = await withPicture()
    at.world.simulator.fail({ code: 131_053 }, { times: 2 })
    const id = await at.picture()
    await at.world.settle()
    at.world.clock.advance({ hours: 1 })
    await at.world.settle()
    expect([at.uploads(), at.world.simulator.callsOf({ route: 'messages' }).length]).toEqual([2, 2])
    expect(await at.read(id)).toMatchObject({ status: 'failed', error: { code: 'media_rejected' } })
  })

  test('waits for a new token if the token is rejected during the upload', async () => {
    await using at = await withPicture()
    const { world } = at
    world.simulator.addPhone({ id: world.tenant.phoneId, token: 'another-token' })
    const id = await at.picture()
    await world.settle()
    const admin = await world.as('admin')
    expect((await admin.get(`/api/accounts/${world.tenant.accountId}`)).data['status']).toBe(
      'disconnected',
    )
    expect((await at.read(id))['status']).toBe('pending')
    await admin.put(`/api/accounts/${world.tenant.accountId}`, { access_token: 'another-token' })
    await world.settle()
    expect((await at.read(id))['status']).toBe('delivered')
  })

  test('is not uploaded further after its message was canceled', async () => {
    await using at = await withPicture()
    at.world.simulator.answerHtml(503, { route: 'media' })
    const id = await at.picture()
    await at.world.settle()
    expect((await at.fixture.client.post(`/api/messages/${id}/cancel`)).status).toBe(200)
    at.world.clock.advance({ minutes: 10 })
    await at.world.settle()
    expect([at.uploads(), takenBodies(at.world)]).toEqual([1, []])
    expect(await at.read(id)).toMatchObject({ status: 'failed', error: { code: 'cancelled' } })
  })
})
