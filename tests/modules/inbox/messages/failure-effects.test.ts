import { describe, expect, test } from 'bun:test'

import type { BusinessNumber } from '../../../../src/simulator/payloads'
import type { Simulator } from '../../../../src/simulator/platform'
import type { Loose } from '../../../support/client'
import { deliver, lineOf, personOf, statusTo, takenBodies, textTo } from '../../../support/lines'
import { secondNumber } from '../../../support/second-number'
import { World } from '../../../support/world'
import { changeRows } from '../../../support/sql'

/**
 * A world with a contact that has just written; `send` stores a text, `read` shows a message as it
 * is now.
 */
async function withContact() {
  const world = await World.create()
  const contact = await world.contactOf()
  return {
    world,
    contact,
    send: (text = 'Hi') => sendTo(world, contact, text),
    read: async (id: unknown): Promise<Loose> =>
      (await (await world.as('manager')).get(`/api/messages/${String(id)}`)).data,
    [Symbol.asyncDispose]: () => world.stop(),
  }
}

async function sendTo(world: World, contact: Loose, text: string): Promise<string> {
  const answer = await (
    await world.as('manager')
  ).post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text })
  expect(answer.status).toBe(201)
  return String(answer.data['id'])
}

const callsIn = (world: World): number => world.simulator.callsOf({ route: 'messages' }).length

const accountOf = async (world: World): Promise<Loose> =>
  (await (await world.as('admin')).get(`/api/accounts/${world.tenant.accountId}`)).data

const attemptsOf = (world: World): Loose[] =>
  world.rows(
    'select attempt, outcome, http_status, platform_code, ended_at_ms is not null as ended from send_attempts order by message_id, attempt',
  )

describe('temporary errors', () => {
  test.each([131_016, 131_057, 133_004])(
    'code %p is tried again with growing pauses, eight times in all',
    async (code) => {
      await using at = await withContact()
      at.world.simulator.fail({ code }, { times: 8, route: 'messages' })
      const id = await at.send()
      await at.world.settle()
      // Chance is a half in a world: half of 2, 5, 15, 60, 300, 900, 900 s.
      for (const [nth, seconds] of [1, 2.5, 7.5, 30, 150, 450, 450].entries()) {
        expect([callsIn(at.world), (await at.read(id))['status']]).toEqual([nth + 1, 'pending'])
        at.world.clock.advance({ ms: seconds * 1_000 - 1 })
        await at.world.settle()
        expect(callsIn(at.world)).toBe(nth + 1)
        at.world.clock.advance({ ms: 1 })
        await at.world.settle()
      }
      expect(callsIn(at.world)).toBe(8)
      expect(await at.read(id)).toMatchObject({
        status: 'failed',
        error: { code: 'platform_unavailable', platform_code: code, retryable: true },
      })
      expect(attemptsOf(at.world).map(({ outcome }) => outcome as string)).toEqual(
        Array.from({ length: 8 }, () => 'refused'),
      )
    },
  )

  test('retries a refused connection', async () => {
    await using at = await withContact()
    const { world } = at
    await world.simulator.stop()
    const id = await at.send()
    await world.work()
    expect(await at.read(id)).toMatchObject({ status: 'pending' })
    expect(attemptsOf(world)).toMatchObject([{ outcome: 'unreachable', ended: 1 }])
    world.clock.advance({ seconds: 2 })
    await world.work()
    expect(attemptsOf(world).length).toBe(2)
  })

  test('throttling (130429) waits a second each time without using up attempts', async () => {
    await using at = await withContact()
    at.world.simulator.fail({ code: 130_429 }, { times: 12 })
    const id = await at.send()
    for (let nth = 0; nth < 12; nth += 1) {
      await at.world.settle()
      at.world.clock.advance({ seconds: 1 })
    }
    await at.world.settle()
    expect(callsIn(at.world)).toBe(13)
    expect((await at.read(id))['status']).toBe('delivered')
  })

  test('throttling of one contact (131056) delays only that contact, in order', async () => {
    await using at = await withContact()
    const { world } = at
    const other = await world.contactOf(world.tenant, 'Hi', '15550300002')
    world.simulator.fail({ code: 131_056 }, { recipient: String(at.contact['wa_id']), times: 1 })
    const ids = [
      await at.send('One'),
      await at.send('Two'),
      await sendTo(world, other, 'To another'),
    ]
    await world.settle()
    expect(takenBodies(world).map((body) => body['text'].body as string)).toEqual(['To another'])
    world.clock.advance({ seconds: 6 })
    await world.settle()
    expect(takenBodies(world).map((body) => body['text'].body as string)).toEqual([
      'To another',
      'One',
      'Two',
    ])
    for (const id of ids) expect((await at.read(id))['status']).toBe('delivered')
  })

  test.each([131_016, 131_057, 133_004, 131_056])(
    'code %p with Retry-After waits as long as asked, neither shorter nor longer',
    async (code) => {
      await using at = await withContact()
      at.world.simulator.fail({ code, retryAfter: 90 }, { route: 'messages' })
      const id = await at.send()
      await at.world.settle()
      at.world.clock.advance({ ms: 89_999 })
      await at.world.settle()
      expect([callsIn(at.world), (await at.read(id))['status']]).toEqual([1, 'pending'])
      at.world.clock.advance({ ms: 1 })
      await at.world.settle()
      expect([callsIn(at.world), (await at.read(id))['status']]).toEqual([2, 'delivered'])
    },
  )

  test('throttling of one contact (131056) honors Retry-After, in order', async () => {
    await using at = await withContact()
    const { world } = at
    const other = await world.contactOf(world.tenant, 'Hi', '15550300002')
    world.simulator.fail(
      { code: 131_056, retryAfter: 120 },
      { recipient: String(at.contact['wa_id']), times: 1 },
    )
    const bodies = (): string[] => takenBodies(world).map((body) => body['text'].body as string)
    await at.send('One')
    await world.settle()
    await at.send('Two')
    await sendTo(world, other, 'To another')
    // Also after the minute in which a message that is tried again blocks those behind it.
    for (const seconds of [59, 30, 30]) {
      world.clock.advance({ seconds })
      await world.settle()
      expect(bodies()).toEqual(['To another'])
    }
    world.clock.advance({ seconds: 1 })
    await world.settle()
    world.clock.advance({ seconds: 6 })
    await world.settle()
    expect(bodies()).toEqual(['To another', 'One', 'Two'])
  })

  test('a Retry-After of zero keeps the planned pauses', async () => {
    await using at = await withContact()
    at.world.simulator.fail({ code: 131_016, retryAfter: 0 }, { times: 2 })
    const id = await at.send()
    await at.world.settle()
    expect([callsIn(at.world), (await at.read(id))['status']]).toEqual([1, 'pending'])
    at.world.clock.advance({ seconds: 1 })
    await at.world.settle()
    expect([callsIn(at.world), (await at.read(id))['status']]).toEqual([2, 'pending'])
  })

  test.each<[string, (simulator: Simulator) => void, number]>([
    [
      'says when (Retry-After)',
      (simulator) => simulator.fail({ code: 80_007, retryAfter: 90 }),
      90,
    ],
    ['does not say when', (simulator) => simulator.fail({ code: 4 }), 300],
  ])('a used up quota waits as long as asked: the platform %s', async (_, fault, seconds) => {
    await using at = await withContact()
    fault(at.world.simulator)
    const id = await at.send()
    await at.world.settle()
    at.world.clock.advance({ ms: seconds * 1_000 - 1 })
    await at.world.settle()
    expect([callsIn(at.world), (await at.read(id))['status']]).toEqual([1, 'pending'])
    at.world.clock.advance({ ms: 1 })
    await at.world.settle()
    expect([callsIn(at.world), (await at.read(id))['status']]).toEqual([2, 'delivered'])
  })
})

describe('a call with unknown outcome', () => {
  const AMBIGUOUS: [string, (simulator: Simulator) => void][] = [
    ['an HTML page with 502', (simulator) => simulator.answerHtml(502)],
    ['an HTML page with 200', (simulator) => simulator.answerHtml(200)],
    ['code 1', (simulator) => simulator.fail({ code: 1 })],
    ['code 2', (simulator) => simulator.fail({ code: 2 })],
    ['code 131000', (simulator) => simulator.fail({ code: 131_000 })],
    [
      'an answer that was lost',
      (simulator) => {
        simulator.loseAnswer()
        simulator.swallowStatuses()
      },
    ],
  ]

  test.each(AMBIGUOUS)(
    '%s: is never made again, and unknown after ten minutes',
    async (_, fault) => {
      await using at = await withContact()
      fault(at.world.simulator)
      const socket = await at.world.socket('manager')
      const id = await at.send()
      await at.world.settle()
      at.world.clock.advance({ minutes: 9, seconds: 59 })
      await at.world.settle()
      expect([callsIn(at.world), (await at.read(id))['status']]).toEqual([1, 'pending'])
      at.world.clock.advance({ seconds: 1 })
      await at.world.settle()
      expect(await at.read(id)).toMatchObject({
        status: 'unknown',
        error: { code: 'outcome_unknown', retryable: true },
      })
      at.world.clock.advance({ hours: 30 })
      await at.world.settle()
      expect([callsIn(at.world), (await at.read(id))['status']]).toEqual([1, 'unknown'])
      await socket.caughtUp()
      expect(socket.events('message:status').map(({ payload }) => payload['status'])).toEqual([
        'unknown',
      ])
      expect(attemptsOf(at.world)).toMatchObject([{ outcome: 'ambiguous', ended: 1 }])
    },
  )

  test('includes a call that timed out', async () => {
    await using at = await withContact()
    at.world.simulator.slow(2_300)
    at.world.simulator.swallowStatuses()
    const id = await at.send()
    await at.world.settle()
    expect(attemptsOf(at.world)).toMatchObject([{ outcome: 'ambiguous', ended: 1 }])
    at.world.clock.advance({ minutes: 10 })
    await at.world.settle()
    expect([callsIn(at.world), (await at.read(id))['status']]).toEqual([1, 'unknown'])
  })

  test.each(['ambiguous', 'sending'] as const)(
    'behind a number that may not send (%s) it is unknown after the same time, is resolved by a status, and is not sent when the number may',
    async (stage) => {
      await using at = await withContact()
      const { world } = at
      const admin = async () => await world.as('admin')
      if (stage === 'ambiguous') world.simulator.answerHtml(502)
      const id = await at.send()
      if (stage === 'ambiguous') await world.settle()
      else {
        const nowMs = world.clock.nowMs()
        world.rows(
          'insert into send_attempts (organization_id, message_id, attempt, started_at_ms) values (?, ?, 1, ?)',
          world.tenant.id,
          id,
          nowMs,
        )
        world.rows("update messages set stage = 'sending' where id = ?", id)
      }
      const calls = callsIn(world)
      expect(
        (await (await admin()).post('/api/outbox/pause', { account_id: world.tenant.accountId }))
          .status,
      ).toBe(200)
      await world.settle()
      world.clock.advance({ minutes: 9 })
      await world.settle()
      expect((await at.read(id))['status']).toBe('pending')
      world.clock.advance({ minutes: 2 })
      await world.settle()
      expect(await at.read(id)).toMatchObject({
        status: 'unknown',
        error: { code: 'outcome_unknown' },
      })
      expect(attemptsOf(world)).toMatchObject([{ outcome: 'ambiguous', ended: 1 }])
      await deliver(
        world,
        statusTo(world, 'wamid.late', 'delivered', { facts: { callbackData: id } }),
      )
      expect((await at.read(id))['status']).toBe('delivered')
      await (await admin()).post('/api/outbox/resume', { account_id: world.tenant.accountId })
      world.clock.advance({ minutes: 1 })
      await world.settle()
      expect([callsIn(world), (await at.read(id))['status']]).toEqual([calls, 'delivered'])
    },
  )

  test('stays pending while its call is still under way', async () => {
    await using at = await withContact()
    const { world } = at
    world.simulator.slow(1_000)
    const id = await at.send()
    world.program.worker.step()
    await world.simulator.waitForCalls(1, { route: 'messages' })
    world.clock.advance({ minutes: 11 })
    for (let turn = 0; turn < 20; turn++) world.program.worker.step()
    expect(await at.read(id)).toMatchObject({ status: 'pending' })
    await world.settle()
    expect([callsIn(world), (await at.read(id))['status']]).toEqual([1, 'delivered'])
  })

  test('counts its minutes from the last call, also of a message tried again after an hour', async () => {
    await using at = await withContact()
    const { world } = at
    world.simulator.fail({ code: 131_016, retryAfter: 3_600 })
    const id = await at.send()
    await world.settle()
    world.clock.advance({ hours: 1 })
    world.simulator.answerHtml(502)
    await world.settle()
    expect(attemptsOf(world).map(({ outcome }) => outcome as string)).toEqual([
      'refused',
      'ambiguous',
    ])
    for (const minutes of [1, 6, 2]) {
      world.clock.advance({ minutes })
      await world.settle()
      expect((await at.read(id))['status']).toBe('pending')
    }
    world.clock.advance({ minutes: 1 })
    await world.settle()
    expect([callsIn(world), (await at.read(id))['status']]).toEqual([2, 'unknown'])
  })

  test('is not touched by a status of another message under its ID', async () => {
    await using at = await withContact()
    at.world.simulator.followWith(['sent'], { times: Infinity })
    const id = await at.send()
    await at.world.settle()
    const before = await at.read(id)
    expect(before['status']).toBe('sent')
    await deliver(
      at.world,
      statusTo(at.world, 'wamid.foreign', 'read', { facts: { callbackData: id } }),
    )
    expect(await at.read(id)).toEqual(before)
  })

  test('is not resolved by a status of another number that echoes its ID', async () => {
    await using at = await withContact()
    const { world } = at
    const second = await secondNumber(world)
    world.simulator.loseAnswer()
    world.simulator.swallowStatuses()
    const id = await at.send()
    await world.settle()
    const before = await at.read(id)
    for (const line of [second, lineOf(world.other)])
      await deliver(
        world,
        statusTo(world, 'wamid.foreign', 'read', { line, facts: { callbackData: id } }),
      )
    expect(before).toMatchObject({ status: 'pending', wa_message_id: null })
    expect(await at.read(id)).toEqual(before)
    const wamid = String(world.simulator.messages[0]?.wamid)
    await deliver(world, statusTo(world, wamid, 'delivered', { facts: { callbackData: id } }))
    expect(await at.read(id)).toMatchObject({ status: 'delivered', wa_message_id: wamid })
  })

  test('is resolved by a status that echoes the message ID', async () => {
    await using at = await withContact()
    at.world.simulator.loseAnswer()
    const id = await at.send()
    await at.world.settle()
    expect(await at.read(id)).toMatchObject({
      status: 'delivered',
      wa_message_id: at.world.simulator.messages[0]?.wamid,
      error: null,
    })
    at.world.clock.advance({ minutes: 11 })
    await at.world.settle()
    expect([callsIn(at.world), (await at.read(id))['status']]).toEqual([1, 'delivered'])
  })

  test.each([
    ['sent', 'sent'],
    ['read', 'read'],
    ['failed', 'failed'],
  ])('a %s that comes long after it became unknown makes it %s', async (told, status) => {
    await using at = await withContact()
    at.world.simulator.loseAnswer()
    at.world.simulator.swallowStatuses()
    const id = await at.send()
    await at.world.settle()
    at.world.clock.advance({ hours: 2 })
    await at.world.settle()
    expect((await at.read(id))['status']).toBe('unknown')
    const wamid = String(at.world.simulator.messages[0]?.wamid)
    const error = { code: 131_026, title: 'No', details: 'No' }
    await deliver(
      at.world,
      statusTo(at.world, wamid, told, {
        facts: { callbackData: id, ...(told === 'failed' ? { error } : {}) },
      }),
    )
    const after = await at.read(id)
    expect([after['status'], after['wa_message_id']]).toEqual([status, wamid])
    expect((after['error'] as Loose | null)?.['code'] ?? null).toBe(
      told === 'failed' ? 'recipient_unreachable' : null,
    )
    expect(callsIn(at.world)).toBe(1)
  })

  test('is not resolved by an unknown status', async () => {
    await using at = await withContact()
    at.world.simulator.loseAnswer()
    at.world.simulator.swallowStatuses()
    const id = await at.send()
    await at.world.settle()
    await deliver(
      at.world,
      statusTo(at.world, String(at.world.simulator.messages[0]?.wamid), 'held', {
        facts: { callbackData: id },
      }),
    )
    at.world.clock.advance({ minutes: 10 })
    await at.world.settle()
    expect((await at.read(id))['status']).toBe('unknown')
  })

  test('delays later messages of the contact by up to a minute, then warns of the changed order', async () => {
    await using at = await withContact()
    const { world } = at
    const other = await world.contactOf(world.tenant, 'Hi', '15550300002')
    world.simulator.answerHtml(502, { recipient: String(at.contact['wa_id']) })
    const [first, second] = [await at.send('One'), await at.send('Two')]
    await sendTo(world, other, 'To another')
    await world.settle()
    world.clock.advance({ seconds: 59 })
    await world.settle()
    expect(takenBodies(world).map((body) => body['text'].body as string)).toEqual(['To another'])
    world.clock.advance({ seconds: 2 })
    await world.settle()
    expect(takenBodies(world).map((body) => body['text'].body as string)).toEqual([
      'To another',
      'Two',
    ])
    expect([(await at.read(first))['warnings'], (await at.read(second))['warnings']]).toEqual([
      ['out_of_order'],
      [],
    ])
  })

  test('is not repeated after the process was killed during the call', async () => {
    await using at = await withContact()
    const { world } = at
    const id = await at.send()
    world.program.http.db.sqlite.run(
      "update messages set stage = 'sending' where direction = 'outgoing'",
    )
    await world.settle()
    expect([callsIn(world), (await at.read(id))['status']]).toEqual([0, 'pending'])
    world.clock.advance({ minutes: 10 })
    await world.settle()
    expect([callsIn(world), (await at.read(id))['status']]).toEqual([0, 'unknown'])
  })
})

describe('a message that the platform rejects', () => {
  test.each([
    [131_026, 'recipient_unreachable'],
    [131_021, 'recipient_is_sender'],
    [131_030, 'recipient_not_allowed'],
    [100, 'invalid_message'],
    [131_009, 'invalid_message'],
    [131_051, 'unsupported_type'],
    [131_050, 'opted_out'],
    [131_049, 'marketing_limited'],
    [130_472, 'marketing_limited'],
    [424_242, 'platform_rejected'],
  ])('with code %p fails the message once and for all, in our words', async (code, word) => {
    await using at = await withContact()
    const socket = await at.world.socket('manager')
    at.world.simulator.fail({ code, details: 'In words of the platform.' })
    const id = await at.send()
    await at.world.settle()
    at.world.clock.advance({ hours: 25 })
    await at.world.settle()
    expect(callsIn(at.world)).toBe(1)
    const after = await at.read(id)
    expect(after).toMatchObject({
      status: 'failed',
      failed_at: '2026-11-21T09:30:00.000Z',
      wa_message_id: null,
    })
    expect(after['error']).toMatchObject({
      code: word,
      platform_code: code,
      details: 'In words of the platform.',
    })
    expect((after['error'] as Loose)['message']).toMatch(/^[A-Z].{15,}\.$/)
    await socket.caughtUp()
    expect(socket.events('message:status')).toMatchObject([
      { payload: { id, status: 'failed', previous_status: 'pending', error: { code: word } } },
    ])
    expect((await accountOf(at.world))['status']).toBe('active')
  })

  test("masks phone numbers in the platform's error details", async () => {
    await using at = await withContact()
    at.world.simulator.fail({ code: 424_242, details: 'The number 15550109876 is not good.' })
    const id = await at.send()
    await at.world.settle()
    const seen = (await at.read(id))['error'] as Loose
    expect(seen['details']).toBe('The number 15550109876 is not good.')
    const admin = await at.world.as('admin')
    await admin.put(`/api/contacts/${at.contact['id']}/assign`, {
      user_id: at.world.tenant.userIds.agent,
    })
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    const { data } = await (await at.world.as('agent')).get(`/api/messages/${id}`)
    expect(data['error']).toEqual({ ...seen, details: 'The number *******9876 is not good.' })
  })

  test('with a closed window (131047) closes the window for the next text', async () => {
    await using at = await withContact()
    at.world.simulator.fail({ code: 131_047 })
    const id = await at.send()
    await at.world.settle()
    expect(await at.read(id)).toMatchObject({
      status: 'failed',
      error: { code: 'window_closed', platform_code: 131_047 },
    })
    const again = await (
      await at.world.as('manager')
    ).post(`/api/contacts/${at.contact['id']}/messages`, { type: 'text', text: 'Again' })
    expect(again.body.code).toBe('window_closed')
    await deliver(
      at.world,
      textTo(at.world, 'Me again', { person: { waId: String(at.contact['wa_id']) } }),
    )
    at.world.clock.advance({ seconds: 1 })
    await deliver(
      at.world,
      textTo(at.world, 'And again', { person: { waId: String(at.contact['wa_id']) } }),
    )
    await at.send('Welcome back')
  })

  test('of yesterday (131047) closes neither the window of today nor that of another number', async () => {
    await using at = await withContact()
    const { world } = at
    const second = await secondNumber(world)
    const person = { waId: String(at.contact['wa_id']) }
    world.simulator.swallowStatuses({ times: Infinity })
    const writes = (body: string) => deliver(world, textTo(world, body, { line: second, person }))
    const sends = async (text: string, account_id: unknown): Promise<string> => {
      const manager = await world.as('manager')
      const path = `/api/contacts/${String(at.contact['id'])}/messages`
      const { data } = await manager.post(path, { type: 'text', text, account_id })
      await world.settle()
      return String((await at.read(data['id']))['wa_message_id'])
    }
    const refuse = (wamid: string, line: BusinessNumber): Promise<void> =>
      deliver(
        world,
        statusTo(world, wamid, 'failed', {
          line,
          facts: { error: { code: 131_047, title: 'No', details: 'No' } },
        }),
      )
    await writes('To the second')
    const yesterdays = await sends('Yesterday', second.accountId)
    world.clock.advance({ hours: 24 })
    await writes('Next day')
    await deliver(world, textTo(world, 'Next day', { person }))
    world.clock.advance({ minutes: 1 })
    await sends('Taken', second.accountId)
    await refuse(await sends('Refused', world.tenant.accountId), lineOf(world.tenant))
    world.clock.advance({ minutes: 1 })
    await refuse(yesterdays, second)
    const { data } = await (await world.as('manager')).get('/api/conversations')
    expect(
      Object.fromEntries(
        (data['items'] as Loose[]).map((one) => [one['account_id'], one['window_expires_at']]),
      ),
    ).toEqual({
      [String(world.tenant.accountId)]: '2026-11-22T09:31:00.000Z',
      [second.accountId]: '2026-11-23T09:30:00.000Z',
    })
  })

  test('is delivered, with its error kept, if a delivery is reported later', async () => {
    await using at = await withContact()
    at.world.simulator.failLater({ code: 131_047 })
    const id = await at.send()
    await at.world.settle()
    const before = await at.read(id)
    expect(before).toMatchObject({ status: 'failed', error: { platform_code: 131_047 } })
    await deliver(at.world, statusTo(at.world, String(before['wa_message_id']), 'delivered'))
    expect(await at.read(id)).toMatchObject({
      status: 'delivered',
      error: { platform_code: 131_047 },
      failed_at: before['failed_at'],
    })
  })
})

describe('a number that cannot send', () => {
  test('is disconnected once when its token is invalid; held messages are sent in order with a new token', async () => {
    await using at = await withContact()
    const { world } = at
    const other = await world.contactOf(world.tenant, 'Hi', '15550300002')
    const socket = await world.socket('admin')
    world.simulator.addPhone({ id: world.tenant.phoneId, token: 'another-token' })
    const ids: string[] = []
    for (let nth = 0; nth < 6; nth += 1)
      ids.push(await sendTo(world, nth % 2 ? other : at.contact, `Text ${nth}`))
    await world.settle()
    expect(await accountOf(world)).toMatchObject({
      status: 'disconnected',
      last_error: { code: 'credential_rejected' },
    })
    for (const id of ids) expect((await at.read(id))['status']).toBe('pending')
    const callsBefore = callsIn(world)
    expect(callsBefore).toBeLessThanOrEqual(2)
    world.clock.advance({ minutes: 30 })
    await world.settle()
    expect(callsIn(world)).toBe(callsBefore)
    await socket.caughtUp()
    expect(socket.events('account:updated').map(({ payload }) => payload['status'])).toEqual([
      'disconnected',
    ])

    const late = await sendTo(world, at.contact, 'Text 6')
    await world.settle()
    await (
      await world.as('admin')
    ).put(`/api/accounts/${world.tenant.accountId}`, { access_token: 'another-token' })
    await world.settle()
    expect((await accountOf(world))['status']).toBe('active')
    for (const id of [...ids, late]) expect((await at.read(id))['status']).toBe('delivered')
    const textsTo = (contact: Loose): string[] =>
      takenBodies(world)
        .filter((body) => body['to'] === `+${contact['wa_id']}`)
        .map((body) => body['text'].body as string)
    expect(textsTo(at.contact)).toEqual(['Text 0', 'Text 2', 'Text 4', 'Text 6'])
    expect(textsTo(other)).toEqual(['Text 1', 'Text 3', 'Text 5'])
  })

  test("never blocks another organization's phone number", async () => {
    await using at = await withContact()
    const { world } = at
    const contact = await world.contactOf(world.other)
    world.simulator.fail({ code: 190 }, { phone: world.tenant.phoneId, times: Infinity })
    await at.send()
    const bolt = await world.as('manager', world.other)
    const { data } = await bolt.post(`/api/contacts/${contact['id']}/messages`, {
      type: 'text',
      text: 'Hi',
    })
    await world.settle()
    expect((await bolt.get(`/api/messages/${data['id']}`)).data['status']).toBe('delivered')
    expect((await bolt.get('/api/accounts')).data['items']).toMatchObject([{ status: 'active' }])
  })

  test.each([0, 3, 10, 190, 200, 299, 131_005])('code %p disconnects', async (code) => {
    await using at = await withContact()
    at.world.simulator.fail({ code })
    const id = await at.send()
    await at.world.settle()
    expect([(await accountOf(at.world))['status'], (await at.read(id))['status']]).toEqual([
      'disconnected',
      'pending',
    ])
  })

  test.each([368, 131_031, 131_037, 131_044, 131_045, 133_010])(
    'code %p suspends: what is queued is held, new texts are refused',
    async (code) => {
      await using at = await withContact()
      at.world.simulator.fail({ code })
      const id = await at.send()
      await at.world.settle()
      expect([(await accountOf(at.world))['status'], (await at.read(id))['status']]).toEqual([
        'suspended',
        'pending',
      ])
      const refused = await (
        await at.world.as('manager')
      ).post(`/api/contacts/${at.contact['id']}/messages`, { type: 'text', text: 'Again' })
      expect(refused.body.code).toBe('account_inactive')
    },
  )

  test('pauses for an hour because of spam (131048)', async () => {
    await using at = await withContact()
    at.world.simulator.fail({ code: 131_048 })
    const id = await at.send()
    await at.world.settle()
    expect(await accountOf(at.world)).toMatchObject({
      status: 'active',
      paused_until: '2026-11-21T10:30:00.000Z',
    })
    const second = await at.send('Meanwhile')
    await at.world.settle()
    at.world.clock.advance({ minutes: 59 })
    await at.world.settle()
    expect(callsIn(at.world)).toBe(1)
    at.world.clock.advance({ minutes: 1 })
    await at.world.settle()
    for (const each of [id, second]) expect((await at.read(each))['status']).toBe('delivered')
  })

  test('fails its messages as account_disconnected after a day, without a call', async () => {
    await using at = await withContact()
    at.world.simulator.fail({ code: 190 }, { route: 'phone', times: Infinity })
    // so that no look at the number finds that it works
    at.world.simulator.fail({ code: 190 }, { route: 'phone', times: Infinity })
    at.world.program.http.db.sqlite.run("update accounts set status = 'disconnected'")
    const id = await at.send()
    at.world.clock.advance({ hours: 23, minutes: 59 })
    await at.world.settle()
    // The customer wrote meanwhile, so the window is not what fails it.
    await deliver(
      at.world,
      textTo(at.world, 'Hello?', { person: { waId: String(at.contact['wa_id']) } }),
    )
    at.world.clock.advance({ minutes: 11 })
    await at.world.settle()
    expect(await at.read(id)).toMatchObject({
      status: 'failed',
      error: { code: 'account_disconnected', retryable: true },
    })
    expect(callsIn(at.world)).toBe(0)
  })

  test('fails its messages as account_deleted when it was deleted', async () => {
    await using at = await withContact()
    at.world.program.http.db.sqlite.run("update accounts set status = 'disconnected'")
    const held = await at.send('Held')
    await at.world.settle()
    const queued = await at.send('Queued')
    await (await at.world.as('admin')).delete(`/api/accounts/${at.world.tenant.accountId}`)
    await at.world.settle()
    for (const id of [held, queued])
      expect(await at.read(id)).toMatchObject({
        status: 'failed',
        error: { code: 'account_deleted' },
      })
    expect(callsIn(at.world)).toBe(0)
  })
})

describe('a message that waited', () => {
  test('fails as expired after a day of retries', async () => {
    await using at = await withContact()
    at.world.simulator.fail({ code: 4, retryAfter: 86_399 }, { times: Infinity })
    const id = await at.send()
    await at.world.settle()
    await deliver(
      at.world,
      textTo(at.world, 'Hello?', { person: { waId: String(at.contact['wa_id']) } }),
    )
    at.world.clock.advance({ hours: 12 })
    await deliver(
      at.world,
      textTo(at.world, 'Hello?', { person: { waId: String(at.contact['wa_id']) } }),
    )
    at.world.clock.advance({ hours: 24 })
    await at.world.settle()
    expect(await at.read(id)).toMatchObject({ status: 'failed', error: { code: 'expired' } })
    expect(callsIn(at.world)).toBe(1)
  })

  test.each<[string, string, string]>([
    ['its window closed', 'update conversations set last_inbound_at_ms = 1', 'window_closed'],
    ['its contact was blocked', 'update contacts set blocked_at_ms = 1', 'contact_blocked'],
    ['its contact was deleted', 'update contacts set deleted_at_ms = 1', 'contact_deleted'],
  ])('is not sent when %s meanwhile', async (_, change, code) => {
    await using at = await withContact()
    const id = await at.send()
    changeRows(at.world.program.http.db.sqlite, change)
    await at.world.settle()
    const [row] = at.world.rows<{ status: string; error: string }>(
      'select status, error from messages where id = ?',
      id,
    )
    expect([row?.status, (JSON.parse(row?.error ?? 'null') as Loose)['code']]).toEqual([
      'failed',
      code,
    ])
    expect(callsIn(at.world)).toBe(0)
  })
})

describe('order', () => {
  test('delivers thirty simultaneous messages in order', async () => {
    await using at = await withContact()
    const texts = Array.from({ length: 30 }, (_, nth) => `Text ${nth}`)
    await Promise.all(texts.map((text) => at.send(text)))
    const stored = at.world.rows<{ content: string }>(
      "select content from messages where direction = 'outgoing' order by id",
    )
    await at.world.settle()
    const order = stored.map(({ content }) => (JSON.parse(content) as Loose)['text'] as string)
    expect(order.toSorted()).toEqual(texts.toSorted())
    expect(takenBodies(at.world).map((body) => body['text'].body as string)).toEqual(order)
    expect(callsIn(at.world)).toBe(30)
  })

  test('calls for one contact run one after the other; contacts do not wait for each other', async () => {
    await using at = await withContact()
    const { world } = at
    const other = await world.contactOf(world.tenant, 'Hi', String(personOf(2).waId))
    world.simulator.slow(150, { recipient: String(at.contact['wa_id']) })
    await at.send('Slow')
    await at.send('After it')
    await sendTo(world, other, 'Beside')
    await world.settle()
    const texts = world.simulator.messages.map(({ body }) => (body as Loose)['text'].body as string)
    expect(texts.filter((text) => text !== 'Beside')).toEqual(['Slow', 'After it'])
    const answered = world.simulator
      .callsOf({ route: 'messages' })
      .map(({ body }) => (body as Loose)['text'].body as string)
    expect(answered.indexOf('Beside')).toBeLessThan(answered.indexOf('After it'))
  })
})
