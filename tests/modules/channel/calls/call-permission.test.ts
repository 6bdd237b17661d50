import { describe, expect, test } from 'bun:test'

import { DAY_MS, HOUR_MS } from '../../../../src/lib/clock'
import { interactiveReply } from '../../../../src/simulator/payloads'
import type { Loose } from '../../../support/client'
import { deliver, secondsIn, textTo } from '../../../support/lines'
import { secondNumber } from '../../../support/second-number'
import { approvedTemplate } from '../../../support/templates'
import { World } from '../../../support/world'

async function written() {
  const world = await World.create()
  const customer = world.simulator.customer({ phone: world.tenant.phoneId })
  await customer.says('Hello')
  await world.settle()
  const { data } = await (await world.as('manager')).get('/api/contacts')
  const contactId = String((data['items'] as Loose[])[0]?.['id'])
  const path = `/api/contacts/${contactId}/call-permission`
  return {
    world,
    customer,
    contactId,
    path,
    shown: async (): Promise<Loose> => (await (await world.as('manager')).get(path)).data,
    ask: async (body: Loose = { text: 'May we call you?' }) => {
      const answer = await (await world.as('manager')).post(path, body)
      await world.settle()
      return answer
    },
    [Symbol.asyncDispose]: () => world.stop(),
  }
}

describe('the permission to call a contact', () => {
  test('is neither shown nor requested where another app answers the calls of the number', async () => {
    await using at = await written()
    const { world } = at
    world.simulator.shareNumber({ phone: world.tenant.phoneId, roles: ['customer_service'] })
    const refused = {
      status: 400,
      body: {
        code: 'calls_elsewhere',
        message:
          'Another app answers the calls of this phone number. The business sets it in the routing ' +
          'of Meta Business Suite.',
        details: { platform_code: 138_038 },
      },
    }
    expect(await (await world.as('manager')).get(at.path)).toMatchObject(refused)
    expect(await at.ask()).toMatchObject(refused)
    expect(world.simulator.messages).toEqual([])
  })

  test('that the platform refuses with a message fails it for good', async () => {
    await using at = await written()
    const { world } = at
    world.simulator.fail({ code: 138_038 }, { route: 'messages' })
    const { data } = await at.ask()
    world.clock.advance({ hours: 2 })
    await world.settle()
    const message = await (await world.as('manager')).get(`/api/messages/${String(data['id'])}`)
    expect(message.data).toMatchObject({
      status: 'failed',
      error: { code: 'calls_elsewhere', platform_code: 138_038, retryable: false },
    })
    expect(world.simulator.callsOf({ route: 'messages' })).toHaveLength(1)
  })

  test('is requested with an interactive message, and the answer changes it', async () => {
    await using at = await written()
    expect(await at.shown()).toEqual({
      contact_id: at.contactId,
      account_id: at.world.tenant.accountId,
      state: 'none',
      expires_at: null,
      can_request: true,
      next_request_at: null,
    })
    const { status, data } = await at.ask()
    expect([status, data['type'], data['content']]).toMatchObject([
      201,
      'interactive',
      { kind: 'call_permission_request', body: 'May we call you?' },
    ])
    expect(at.customer.received().map(({ body }) => (body as Loose)['interactive'])).toEqual([
      {
        type: 'call_permission_request',
        body: { text: 'May we call you?' },
        action: { name: 'call_permission_request' },
      },
    ])
    expect(await at.shown()).toMatchObject({
      state: 'requested',
      can_request: false,
      next_request_at: '2026-11-22T09:30:00.000Z',
    })
    await at.customer.permitsCalls(at.world.clock.nowMs() + 7 * DAY_MS)
    await at.world.settle()
    expect(await at.shown()).toMatchObject({
      state: 'temporary',
      expires_at: '2026-11-28T09:30:00.000Z',
    })
    const changed = at.world.rows(
      "select contact_id, payload from events where type = 'call.permission_changed'",
    )
    expect(changed.map((row) => [row['contact_id'], JSON.parse(String(row['payload']))])).toEqual([
      [
        at.contactId,
        {
          accountId: at.world.tenant.accountId,
          state: 'temporary',
          expiresAtMs: at.world.clock.nowMs() + 7 * DAY_MS,
        },
      ],
    ])
    at.world.clock.advance({ ms: 7 * DAY_MS })
    expect((await at.shown())['state']).toBe('none')
  })

  test('can be permanent or denied', async () => {
    await using at = await written()
    at.world.stays('the event log')
    await at.ask()
    at.world.clock.advance({ minutes: 1 })
    await at.customer.refusesCalls()
    await at.world.settle()
    expect(await at.shown()).toMatchObject({ state: 'denied', expires_at: null })
    await at.customer.permitsCalls(null)
    await at.world.settle()
    expect(await at.shown()).toMatchObject({ state: 'permanent', expires_at: null })
    const states = at.world
      .rows("select payload from events where type = 'call.permission_changed' order by position")
      .map(({ payload }) => (JSON.parse(payload as string) as Loose)['state'] as string)
    expect(states).toEqual(['denied', 'permanent'])
  })

  test.each(['perhaps', null])(
    'is not given by an answer that nobody knows (%p), and not on another number',
    async (response) => {
      await using at = await written()
      const { world } = at
      world.stays('the event log')
      const second = await secondNumber(world)
      const person = { waId: at.customer.waId }
      await deliver(world, textTo(world, 'Hello too', { line: second, person }))
      await at.ask({ text: 'May we call you?', account_id: second.accountId })
      await at.ask({ text: 'May we call you?', account_id: world.tenant.accountId })
      world.clock.advance({ minutes: 1 })
      const about = { line: second, person, timestamp: secondsIn(world) }
      await deliver(world, interactiveReply('call_permission_reply', { response }, about))
      const stateOf = async (accountId: unknown): Promise<unknown> => {
        const { data } = await (
          await world.as('manager')
        ).get(`${at.path}?account_id=${String(accountId)}`)
        return data['state']
      }
      expect([await stateOf(second.accountId), await stateOf(world.tenant.accountId)]).toEqual([
        'denied',
        'requested',
      ])
      const told = world
        .rows("select payload from events where type = 'call.permission_changed'")
        .map(({ payload }) => JSON.parse(String(payload)) as Loose)
      expect(told).toMatchObject([{ accountId: second.accountId, state: 'denied' }])
    },
  )

  test('is requested once a day and twice in seven days, until a call is answered', async () => {
    await using at = await written()
    const refused = async (): Promise<unknown> => {
      const { status, body } = await at.ask()
      const { code, details } = body as unknown as Loose
      return [status, code, (details as Loose)['retry_at']]
    }
    expect((await at.ask()).status).toBe(201)
    expect(await refused()).toEqual([409, 'permission_request_limit', '2026-11-22T09:30:00.000Z'])
    at.world.clock.advance({ ms: 25 * HOUR_MS })
    await at.customer.says('Still here')
    await at.world.settle()
    expect((await at.ask()).status).toBe(201)
    at.world.clock.advance({ ms: 25 * HOUR_MS })
    await at.customer.says('Again here')
    await at.world.settle()
    expect(await refused()).toEqual([409, 'permission_request_limit', '2026-11-28T09:30:00.000Z'])
    const call = await at.customer.calls()
    await call.ends(60)
    await at.world.settle()
    at.world.clock.advance({ minutes: 1 })
    expect((await at.ask()).status).toBe(201)
  })

  test('is requested by one of several requests at the same moment', async () => {
    await using at = await written()
    const manager = await at.world.as('manager')
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => manager.post(at.path, { text: 'May we call you?' })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201, 409, 409, 409,
    ])
  })

  test('is limited in the same way when it is sent as a message of a conversation', async () => {
    await using at = await written()
    const manager = await at.world.as('manager')
    const path = `/api/contacts/${at.contactId}/messages`
    const body = {
      type: 'interactive',
      interactive: { type: 'call_permission_request', body: 'May we call you?' },
    }
    const asking = await approvedTemplate(at.world, {
      name: 'may_we_call',
      components: [
        { type: 'BODY', text: 'We would like to call you about your order.' },
        { type: 'BUTTONS', buttons: [{ type: 'CALL_PERMISSION_REQUEST' }] },
      ],
    })
    const template = { template_id: asking['id'], contact_id: at.contactId }
    const first = await manager.post(path, body)
    expect(first.status).toBe(201)
    await at.world.settle()
    const answers = await Promise.all([
      manager.post(path, body),
      manager.post('/api/messages', { ...body, contact_id: at.contactId }),
      manager.post('/api/messages/template', template),
      manager.post('/api/messages/preview', { ...body, contact_id: at.contactId }),
    ])
    expect(answers.map(({ status, body: { code } }) => [status, code])).toEqual(
      answers.map(() => [409, 'permission_request_limit']),
    )
    at.world.clock.advance({ ms: 25 * HOUR_MS })
    const later = await at.world.as('manager')
    expect((await later.post('/api/messages/template', template)).status).toBe(201)
  })

  test('takes a template with such a button outside the window', async () => {
    await using at = await written()
    at.world.clock.advance({ ms: 25 * HOUR_MS })
    const closed = await at.ask()
    expect([closed.status, (closed.body as unknown as Loose)['code']]).toEqual([
      400,
      'window_closed',
    ])
    const plain = await approvedTemplate(at.world, {
      name: 'plain',
      components: [{ type: 'BODY', text: 'Hello, we are here for you.' }],
    })
    expect((await at.ask({ template_id: plain['id'] })).status).toBe(400)
    const asking = await approvedTemplate(at.world, {
      name: 'may_we_call',
      components: [
        { type: 'BODY', text: 'We would like to call you about your order.' },
        { type: 'BUTTONS', buttons: [{ type: 'CALL_PERMISSION_REQUEST' }] },
      ],
    })
    const { status, data } = await at.ask({ template_id: asking['id'] })
    expect([status, data['type']]).toEqual([201, 'template'])
    expect((await at.shown())['state']).toBe('requested')
    expect((await at.ask({ template_id: asking['id'] })).status).toBe(409)
  })

  test('is only for those who see the contact and may send', async () => {
    await using at = await written()
    const agent = await at.world.as('agent')
    expect((await agent.get(at.path)).status).toBe(404)
    expect((await agent.post(at.path, { text: 'May we call you?' })).status).toBe(404)
    expect((await (await at.world.as('manager')).post(at.path, {})).status).toBe(400)
  })
})
