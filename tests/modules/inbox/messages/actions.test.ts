import { describe, expect, test } from 'bun:test'

import type { Simulator } from '../../../../src/simulator/platform'
import type { Answer, Loose } from '../../../support/client'
import { deliver, statusTo, takenBodies, textTo } from '../../../support/lines'
import { Outbox } from '../../../support/outbox'
import { openSendFixture, sendForm, type SendFixture } from '../../../support/sending'
import { SAMPLES } from '../../../../src/simulator/sample-files'
import { changeRows } from '../../../support/sql'

const post = (fixture: SendFixture, id: unknown, verb: string): Promise<Answer<Loose>> =>
  fixture.client.post(`/api/messages/${String(id)}/${verb}`)

async function accepted(
  fixture: SendFixture,
  body: Loose = { type: 'text', text: 'Hi' },
): Promise<string> {
  const answer = await fixture.send(body)
  expect(answer.status).toBe(201)
  return String(answer.data['id'])
}

const read = async ({ world }: SendFixture, id: unknown): Promise<Loose> =>
  (await (await world.as('manager')).get(`/api/messages/${String(id)}`)).data

describe('resending a message', () => {
  test('creates a new message that names the failed one, which stays unchanged', async () => {
    await using fixture = await openSendFixture()
    fixture.world.simulator.fail({ code: 131_009 }, { times: 2 })
    const id = await accepted(fixture, {
      type: 'text',
      text: 'Hi',
      preview_url: true,
      client_ref: 'order-7',
    })
    await fixture.world.settle()
    expect((await post(fixture, id, 'resend')).status).toBe(201) // fails, too
    await fixture.world.settle()
    const again = await post(fixture, id, 'resend')
    expect([again.status, again.data]).toMatchObject([
      201,
      {
        status: 'pending',
        resend_of: id,
        content: { text: 'Hi' },
        warnings: [],
        client_ref: 'order-7',
        sent_by: { name: 'Acme manager' },
      },
    ])
    await fixture.world.settle()
    expect([
      (await read(fixture, id))['status'],
      (await read(fixture, again.data['id']))['status'],
    ]).toEqual(['failed', 'delivered'])
    const late = await post(fixture, id, 'resend') // by somebody who does not see that yet
    expect([late.status, late.body.code]).toEqual([409, 'already_resent'])
    expect(takenBodies(fixture.world).map((body) => body['text'] as Loose)).toEqual([
      { body: 'Hi', preview_url: true },
    ])
  })

  test('warns that an unknown message may have arrived; if both arrive, both are shown', async () => {
    await using fixture = await openSendFixture()
    const { world } = fixture
    world.simulator.loseAnswer()
    world.simulator.swallowStatuses()
    const id = await accepted(fixture)
    await world.settle()
    world.clock.advance({ minutes: 10 })
    await world.settle()
    expect((await read(fixture, id))['status']).toBe('unknown')
    const again = await post(fixture, id, 'resend')
    expect(again.data['warnings']).toEqual(['The first message may have arrived.'])
    await world.settle()
    const wamid = String(world.simulator.messages[0]?.wamid)
    await deliver(world, statusTo(world, wamid, 'delivered', { facts: { callbackData: id } }))
    expect([
      (await read(fixture, id))['status'],
      (await read(fixture, again.data['id']))['status'],
    ]).toEqual(['delivered', 'delivered'])
  })

  test('keeps the file, the quote and the phone number', async () => {
    await using fixture = await openSendFixture()
    const { world } = fixture
    const { data } = await fixture.client.get(`/api/contacts/${fixture.contact['id']}/messages`)
    const quoted = (data['items'] as Loose[])[0] as Loose
    const file = { name: 'a.jpg', type: 'image/jpeg', bytes: SAMPLES['image/jpeg'] }
    const { body } = await sendForm(fixture.client, '/api/media', { kind: 'image' }, file)
    world.simulator.fail({ code: 131_009 })
    const id = await accepted(fixture, {
      type: 'image',
      media_id: body.data['id'],
      caption: 'Look',
      reply_to: quoted['id'],
    })
    await world.settle()
    const again = await post(fixture, id, 'resend')
    await world.settle()
    expect(await read(fixture, again.data['id'])).toMatchObject({
      status: 'delivered',
      media: { id: body.data['id'] },
      reply_to: { id: quoted['id'] },
    })
    expect(takenBodies(world)).toMatchObject([
      { image: { caption: 'Look' }, context: { message_id: quoted['wa_message_id'] } },
    ])
  })

  test('rejects a message that neither failed nor is unknown', async () => {
    await using fixture = await openSendFixture()
    const id = await accepted(fixture)
    const early = await post(fixture, id, 'resend')
    expect([early.status, early.body.code]).toEqual([409, 'not_resendable'])
    await fixture.world.settle()
    expect((await post(fixture, id, 'resend')).status).toBe(409)
    const { data } = await fixture.client.get(
      `/api/contacts/${fixture.contact['id']}/messages?direction=incoming`,
    )
    expect((await post(fixture, (data['items'] as Loose[])[0]?.['id'], 'resend')).body.code).toBe(
      'not_resendable',
    )
  })

  test.each<[string, string, string]>([
    ['the window is closed', 'update conversations set last_inbound_at_ms = 1', 'window_closed'],
    ['the contact is blocked', 'update contacts set blocked_at_ms = 1', 'contact_blocked'],
    ['the number is suspended', `update accounts set status = 'suspended'`, 'account_inactive'],
  ])('is refused like a new one when %s', async (_, change, code) => {
    await using fixture = await openSendFixture()
    fixture.world.simulator.fail({ code: 131_009 })
    const id = await accepted(fixture)
    await fixture.world.settle()
    changeRows(fixture.world.program.http.db.sqlite, change)
    const again = await post(fixture, id, 'resend')
    expect([again.status, again.body.code]).toEqual([400, code])
    expect(fixture.world.rows(`select id from messages where direction = 'outgoing'`)).toHaveLength(
      1,
    )
  })

  test('happens when its discarded job is retried', async () => {
    await using fixture = await openSendFixture()
    fixture.world.stays('jobs')
    const { world } = fixture
    world.simulator.fail({ code: 131_026 })
    const id = await accepted(fixture)
    await world.settle()
    const admin = await world.as('admin')
    const { data } = await admin.get('/api/jobs?state=discarded')
    expect(
      (await admin.post(`/api/jobs/${(data['items'] as Loose[])[0]?.['id']}/retry`)).status,
    ).toBe(200)
    await world.settle()
    expect(
      world.rows('select resend_of_id, status from messages where resend_of_id is not null'),
    ).toEqual([{ resend_of_id: id, status: 'delivered' }])
    expect((await read(fixture, id))['status']).toBe('failed')
  })
})

describe('canceling a message', () => {
  const STAGES: [string, (fixture: SendFixture) => Promise<string>][] = [
    ['queued', (fixture) => accepted(fixture)],
    [
      'held',
      async (fixture) => {
        fixture.world.program.http.db.sqlite.run(`update accounts set status = 'disconnected'`)
        const id = await accepted(fixture)
        await fixture.world.settle()
        return id
      },
    ],
    [
      'to be tried again',
      async (fixture) => {
        fixture.world.simulator.fail({ code: 131_016 })
        const id = await accepted(fixture)
        await fixture.world.settle()
        return id
      },
    ],
  ]
  test.each(STAGES)(
    'that is %s: it fails as cancelled, everybody hears of it, and nothing is sent',
    async (_, prepare) => {
      await using fixture = await openSendFixture()
      const { world } = fixture
      const id = await prepare(fixture)
      const calls = world.simulator.callsOf({ route: 'messages' }).length
      const socket = await world.socket('admin')
      const answer = await post(fixture, id, 'cancel')
      expect([answer.status, answer.data]).toMatchObject([
        200,
        { id, status: 'failed', error: { code: 'cancelled' } },
      ])
      world.program.http.db.sqlite.run(`update accounts set status = 'active'`)
      const next = await accepted(fixture, { type: 'text', text: 'Next' })
      await world.settle()
      expect(world.simulator.callsOf({ route: 'messages' }).length).toBe(calls + 1)
      expect((await read(fixture, next))['status']).toBe('delivered')
      await socket.caughtUp()
      expect(
        socket.events('message:status').filter(({ payload }) => payload['id'] === id),
      ).toMatchObject([{ payload: { status: 'failed', error: { code: 'cancelled' } } }])
    },
  )

  test('is rejected once the message was submitted or has ended', async () => {
    await using fixture = await openSendFixture()
    const { world } = fixture
    const id = await accepted(fixture)
    world.simulator.slow(100)
    const settled = world.settle()
    await world.simulator.waitForCalls(1, { route: 'messages' })
    const during = await post(fixture, id, 'cancel')
    await settled
    const after = await post(fixture, id, 'cancel')
    expect([during.status, during.body.code, after.status]).toEqual([409, 'already_sent', 409])
    expect((await read(fixture, id))['status']).toBe('delivered')
  })
})

describe('the events of a message', () => {
  test('lists calls and reported statuses in order', async () => {
    await using fixture = await openSendFixture()
    const { world } = fixture
    world.simulator.fail({ code: 131_016 })
    const id = await accepted(fixture)
    await world.settle()
    world.clock.advance({ seconds: 1 })
    await world.settle()
    const wamid = String((await read(fixture, id))['wa_message_id'])
    world.clock.advance({ seconds: 5 })
    await deliver(world, statusTo(world, wamid, 'held_for_a_while'))
    const error = { code: 131_026, title: 'Undeliverable', details: 'No' }
    await deliver(world, statusTo(world, wamid, 'failed', { facts: { error } }))
    const { data } = await fixture.client.get(`/api/messages/${id}/events`)
    expect(data['items']).toMatchObject([
      {
        kind: 'attempt',
        attempt: 1,
        outcome: 'refused',
        http_status: 500,
        platform_code: 131_016,
        timestamp: '2026-11-21T09:30:00.000Z',
      },
      { kind: 'attempt', attempt: 2, outcome: 'accepted', ended_at: '2026-11-21T09:30:01.000Z' },
      {
        kind: 'status',
        status: 'sent',
        pricing: { category: 'service', billable: false, pricing_model: 'PMP' },
      },
      { kind: 'status', status: 'delivered' },
      { kind: 'status', status: 'held_for_a_while', received_at: '2026-11-21T09:30:06.000Z' },
      { kind: 'status', status: 'failed', errors: [{ code: 131_026, title: 'Undeliverable' }] },
    ])
    expect((data['items'] as Loose[])[0]?.['trace_id']).toBeString()
  })

  test('lists the edits and the deletion of a customer’s message', async () => {
    await using fixture = await openSendFixture()
    const { world } = fixture
    const ids = { original: 'wamid.original', edit: 'wamid.edit', revoke: 'wamid.revoke' }
    const person = { waId: String(fixture.contact['wa_id']) }
    const at = Math.floor(world.clock.nowMs() / 1_000)
    await deliver(world, textTo(world, 'First words', { id: ids.original, person, timestamp: at }))
    const change = (item: Loose, id: string, timestamp: number) => {
      const webhook = textTo(world, 'x', { id, person, timestamp })
      const [message] = (webhook.entry[0]?.changes[0]?.value ?? {})['messages'] as Loose[]
      delete message?.['text']
      Object.assign(message ?? {}, item)
      return deliver(world, webhook)
    }
    const edit = {
      original_message_id: ids.original,
      message: { context: { id: 'M0' }, type: 'text', text: { body: 'Better words' } },
    }
    await change({ type: 'edit', edit }, ids.edit, at + 1)
    await change(
      { type: 'revoke', revoke: { original_message_id: ids.original } },
      ids.revoke,
      at + 2,
    )
    const [row] = world.rows<{ id: string }>(
      'select id from messages where wa_message_id = ?',
      ids.original,
    )
    const { data } = await fixture.client.get(`/api/messages/${row?.id}/events`)
    // Once it was revoked nobody can read it here either.
    const told = (data['items'] as Loose[]).map(({ kind, content }) => [kind, content])
    expect(told).toEqual([
      ['original', null],
      ['edit', null],
      ['revoke', null],
    ])
  })
})

describe('a reaction of ours', () => {
  const reactionOf = (
    fixture: SendFixture,
    messageId: unknown,
    emoji: string,
    client = fixture.client,
  ) =>
    client.post(`/api/contacts/${fixture.contact['id']}/messages/${String(messageId)}/reaction`, {
      emoji,
    })

  /** A fixture and the customer's message to react to. */
  async function withMessage() {
    const fixture = await openSendFixture()
    const { data } = await fixture.client.get(`/api/contacts/${fixture.contact['id']}/messages`)
    const message = (data['items'] as Loose[])[0] as Loose
    const shown = async (): Promise<unknown[]> =>
      ((await read(fixture, message['id']))['reactions'] as Loose[]).map(({ emoji }) => emoji)
    return {
      fixture,
      world: fixture.world,
      message,
      shown,
      react: (emoji: string) => reactionOf(fixture, message['id'], emoji),
      [Symbol.asyncDispose]: () => fixture.world.stop(),
    }
  }

  test('is shown at once, sent to the platform and published to everyone who sees the message', async () => {
    await using at = await withMessage()
    const socket = await at.world.socket('admin')
    const answer = await at.react('👍')
    const reaction = {
      emoji: '👍',
      by: 'user',
      user_id: at.world.tenant.userIds.manager,
      contact_id: null,
    }
    expect([answer.status, answer.data]).toMatchObject([
      200,
      { message_id: at.message['id'], reactions: [reaction] },
    ])
    await at.world.settle()
    expect(takenBodies(at.world)).toEqual([
      {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: `+${String(at.fixture.contact['wa_id'])}`,
        type: 'reaction',
        reaction: { message_id: at.message['wa_message_id'], emoji: '👍' },
        biz_opaque_callback_data: `reaction:${at.message['id']}`,
      },
    ])
    expect(await at.shown()).toEqual(['👍'])
    await socket.caughtUp()
    expect(socket.events('message:reaction')).toMatchObject([
      { payload: { message_id: at.message['id'], by: 'user', emoji: '👍' } },
    ])
    expect(at.world.rows(`select outcomes from inbound_events where outcomes <> '[]'`)).toEqual([])
  })

  test('is replaced by another emoji and removed by an empty one', async () => {
    await using at = await withMessage()
    for (const emoji of ['👍', '❤️', '']) {
      expect((await at.react(emoji)).status).toBe(200)
      await at.world.settle()
    }
    expect(
      takenBodies(at.world).map(({ reaction }) => (reaction as Loose)['emoji'] as string),
    ).toEqual(['👍', '❤️', ''])
    expect(await at.shown()).toEqual([])
  })

  test('is sent once, as last changed, if it changes before it is sent', async () => {
    await using at = await withMessage()
    await at.react('👍')
    await at.react('🎉')
    await at.world.settle()
    expect(
      takenBodies(at.world).map(({ reaction }) => (reaction as Loose)['emoji'] as string),
    ).toEqual(['🎉'])
    expect(await at.shown()).toEqual(['🎉'])
  })

  const REFUSALS: [string, (simulator: Simulator) => void][] = [
    ['refuses it', (simulator) => simulator.fail({ code: 131_009 })],
    ['says so in a later status', (simulator) => simulator.failLater({ code: 131_026 })],
  ]
  test.each(REFUSALS)('is replaced by the previous one when the platform %s', async (_, fault) => {
    await using at = await withMessage()
    await at.react('👍')
    await at.world.settle()
    const socket = await at.world.socket('admin')
    fault(at.world.simulator)
    await at.react('🎉')
    expect(await at.shown()).toEqual(['🎉'])
    await at.world.settle()
    expect(await at.shown()).toEqual(['👍'])
    await socket.caughtUp()
    expect(socket.events('message:reaction').map(({ payload }) => payload['emoji'])).toEqual([
      '🎉',
      '👍',
    ])
  })

  test('waits like a message for its phone number and for retries, in order', async () => {
    await using at = await withMessage()
    at.world.simulator.fail({ code: 131_016 })
    await at.react('👍')
    await at.world.settle()
    expect(takenBodies(at.world)).toEqual([])
    at.world.program.http.db.sqlite.run(`update accounts set status = 'disconnected'`)
    at.world.clock.advance({ minutes: 5 })
    await at.world.settle()
    expect([takenBodies(at.world), await at.shown()]).toEqual([[], ['👍']])
    at.world.program.http.db.sqlite.run(`update accounts set status = 'active'`)
    await at.world.settle()
    expect(takenBodies(at.world).length).toBe(1)
  })

  test('is not sent twice after an interrupted call', async () => {
    await using at = await withMessage()
    at.world.simulator.loseAnswer()
    at.world.simulator.swallowStatuses()
    await at.react('👍')
    await at.world.settle()
    at.world.clock.advance({ hours: 1 })
    await at.world.settle()
    expect([at.world.simulator.callsOf({ route: 'messages' }).length, await at.shown()]).toEqual([
      1,
      ['👍'],
    ])
  })

  test('is reverted when every attempt to send it ended with its process', async () => {
    await using at = await withMessage()
    await at.react('👍')
    await at.world.settle()
    await at.react('🎉')
    at.world.program.http.db.sqlite.run(
      "update jobs set attempt = max_attempts where kind = 'message.send-reaction' and state = 'available'",
    )
    await at.world.settle()
    expect([takenBodies(at.world).length, await at.shown()]).toEqual([1, ['👍']])
    const admin = await at.world.as('admin')
    expect((await admin.get('/api/jobs?state=discarded')).data['items']).toMatchObject([
      { kind: 'message.send-reaction' },
    ])
  })

  test('is reverted when it expires before it could be sent', async () => {
    await using at = await withMessage()
    at.world.program.http.db.sqlite.run(`update accounts set status = 'disconnected'`)
    await at.react('👍')
    at.world.clock.advance({ hours: 25 })
    at.world.program.http.db.sqlite.run(`update accounts set status = 'active'`)
    await at.world.settle()
    expect([at.world.simulator.callsOf({ route: 'messages' }).length, await at.shown()]).toEqual([
      0,
      [],
    ])
  })

  test.each(['a', '👍👍', ' ', '1', '👍 '])(
    'is one emoji and nothing else: not %p',
    async (emoji) => {
      await using at = await withMessage()
      const answer = await at.react(emoji)
      expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, 'body.emoji'])
    },
  )

  test.each(['❤', '👨‍👩‍👧', '🇩🇪', '1️⃣', '👍🏽'])('accepts %s', async (emoji) => {
    await using at = await withMessage()
    expect((await at.react(emoji)).status).toBe(200)
  })

  test.each<[string, string, string]>([
    [
      'to a message older than thirty days',
      `update messages set timestamp_ms = timestamp_ms - 31 * 86400000`,
      'not_reactable',
    ],
    ['outside the window', 'update conversations set last_inbound_at_ms = 1', 'window_closed'],
    ['to a blocked contact', 'update contacts set blocked_at_ms = 1', 'contact_blocked'],
    ['from a suspended number', `update accounts set status = 'suspended'`, 'account_inactive'],
    [
      'to a message the platform gave no id',
      `update messages set wa_message_id = 'digest:x'`,
      'not_reactable',
    ],
  ])('%s is refused', async (_, change, code) => {
    await using at = await withMessage()
    changeRows(at.world.program.http.db.sqlite, change)
    const answer = await at.react('👍')
    expect([answer.status, answer.body.code]).toEqual([400, code])
    expect(at.world.rows('select 1 from message_reactions')).toEqual([])
  })

  test('rejects a message of another contact or one that is not visible', async () => {
    await using at = await withMessage()
    const other = await at.world.contactOf(at.world.tenant, 'Hi', '15550300077')
    const path = `/api/contacts/${other['id']}/messages/${at.message['id']}/reaction`
    expect((await at.fixture.client.post(path, { emoji: '👍' })).status).toBe(404)
    const agent = await at.world.as('agent')
    expect((await reactionOf(at.fixture, at.message['id'], '👍', agent)).status).toBe(404)
    for (const verb of ['resend', 'cancel'])
      expect((await agent.post(`/api/messages/${at.message['id']}/${verb}`)).status).toBe(404)
    expect((await agent.get(`/api/messages/${at.message['id']}/events`)).status).toBe(404)
  })
})

test('messages and reactions of a phone number reach a contact in order', async () => {
  await using outbox = await Outbox.open({ tenants: 1 })
  const { world } = outbox
  const [contact] = await outbox.contacts(1)
  const manager = await world.as('manager')
  const { data } = await manager.get(`/api/contacts/${contact?.['id']}/messages`)
  await outbox.send(contact ?? {}, 'Before')
  await manager.post(
    `/api/contacts/${contact?.['id']}/messages/${(data['items'] as Loose[])[0]?.['id']}/reaction`,
    { emoji: '👍' },
  )
  await outbox.send(contact ?? {}, 'After')
  await world.settle()
  expect(takenBodies(world).map(({ type }) => type as string)).toEqual(['text', 'reaction', 'text'])
})
