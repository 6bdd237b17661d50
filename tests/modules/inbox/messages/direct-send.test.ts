import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { accountNews } from '../../../../src/simulator/coexistence'
import { handover, TO_AGENT } from '../../../../src/simulator/standby'
import type { StatusFacts } from '../../../../src/simulator/payloads'
import { approvedTemplate, setPrice } from '../../../support/campaigns'
import type { Answer, Client, Loose } from '../../../support/client'
import { deliver, lineOf, secondsIn, statusTo, takenBodies, textTo } from '../../../support/lines'
import { tracesIn } from '../../../support/sending'
import { World } from '../../../support/world'

let world: World
let client: Client
let contact: Loose

beforeEach(async () => {
  world = await World.create({ tenants: 1 })
  world.simulator.enforce({ enforceWindow: true })
  client = await world.as('admin')
  contact = await world.contactOf()
  setPrice(world, { category: 'UTILITY', micros: 8_000, applies: 'outside_window' })
  setPrice(world, { category: 'SERVICE', micros: 3_000 })
})

afterEach(() => world.stop())

/** Lets time pass; the admin signs in again. */
async function later(by: { hours?: number; minutes?: number }): Promise<void> {
  world.clock.advance(by)
  client = await world.as('admin')
  await world.settle()
}

/** Lets the 24 hours after the customer's message pass. */
const closeWindow = (): Promise<void> => later({ hours: 25 })

const send = (body: Loose): Promise<Answer<Loose>> =>
  client.post(`/api/contacts/${contact['id']}/messages`, body)

/** Sends a body, expects 201, and returns the message when nothing moves any more. */
async function sent(body: Loose): Promise<Loose> {
  const answer = await send(body)
  expect(answer.status).toBe(201)
  await world.settle()
  return await shown(answer.data['id'])
}

const shown = async (id: unknown): Promise<Loose> =>
  (await client.get(`/api/messages/${String(id)}`)).data

const preview = async (body: Loose): Promise<Loose> =>
  (await client.post('/api/messages/preview', { contact_id: contact['id'], ...body })).data

const account = async (): Promise<Loose> =>
  (await client.get(`/api/accounts/${world.tenant.accountId}`)).data

const lastBody = (): Loose => takenBodies(world).at(-1) ?? {}

const TEXT = { type: 'text', text: 'Your table is ready.' }
const DIRECT = { ...TEXT, direct: true }
const REPLIES = {
  type: 'interactive',
  interactive: { type: 'button', body: 'Deliver today?', buttons: [{ id: 'yes', title: 'Yes' }] },
}
const LINK = {
  type: 'interactive',
  interactive: {
    type: 'cta_url',
    header: 'Order 12',
    body: 'It is on its way.',
    button_text: 'Follow',
    url: 'https://example.com/12',
  },
}

describe('a text to a customer who has not written for a day', () => {
  beforeEach(closeWindow)

  test('is refused without `direct`, and sent as a utility message with it', async () => {
    expect(await send(TEXT)).toMatchObject({ status: 400, body: { code: 'window_closed' } })
    const message = await sent(DIRECT)
    expect(message).toMatchObject({
      type: 'text',
      content: { text: 'Your table is ready.' },
      status: 'delivered',
      direct: true,
      template_name: null,
      pricing: { category: 'utility', type: 'regular', billable: true },
      cost: { amount: '0.008', category: 'UTILITY', is_estimate: false, free_reason: null },
      warnings: [],
    })
    const { biz_opaque_callback_data: _, ...body } = lastBody()
    expect(body).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: expect.stringContaining('15550109999'),
      type: 'text',
      text: { body: 'Your table is ready.' },
      category: 'utility',
    })
    const history = (await client.get(`/api/messages/${String(message['id'])}/events`)).data
    expect((history['items'] as Loose[]).filter(({ kind }) => kind === 'attempt')).toEqual([
      expect.objectContaining({ path: 'messages', outcome: 'accepted' }),
    ])
  })

  test('keeps the template that WhatsApp made of it', async () => {
    const [first, second] = [await sent(DIRECT), await sent({ ...DIRECT, text: 'Another one.' })]
    const made = world.simulator.templatesOf(world.tenant.wabaId)
    expect(made.map(({ name }) => name.startsWith('auto_generated_'))).toEqual([true, true])
    expect([first['platform_template_id'], second['platform_template_id']]).toEqual(
      made.map(({ id }) => id),
    )
    const history = (await client.get(`/api/messages/${String(first['id'])}/events`)).data
    expect(
      (history['items'] as Loose[]).flatMap(({ status, template_id }) =>
        status === undefined ? [] : [[status, template_id]],
      ),
    ).toEqual([
      ['sent', made[0]?.id],
      ['delivered', made[0]?.id],
    ])
  })

  test('leaves templates that WhatsApp made out of the list', async () => {
    await sent(DIRECT)
    world.simulator.keepTemplate({ name: 'order_update' }, world.tenant.wabaId)
    const synced = await client.post('/api/templates/sync', {})
    expect(synced.data).toMatchObject({ synced: 1, new: 1 })
    const list = async () =>
      ((await client.get('/api/templates')).data['items'] as Loose[]).map(({ name }) => name)
    expect(await list()).toEqual(['order_update'])
    const [made] = world.simulator.templatesOf(world.tenant.wabaId)
    const calls = world.simulator.callsOf({ route: 'templates' }).length
    await deliver(
      world,
      accountNews(
        'message_template_quality_update',
        {
          previous_quality_score: 'UNKNOWN',
          new_quality_score: 'RED',
          message_template_id: Number(made?.id),
          message_template_name: made?.name,
          message_template_language: 'en_US',
        },
        { line: lineOf(world.tenant), time: secondsIn(world) },
      ),
    )
    expect(world.simulator.callsOf({ route: 'templates' })).toHaveLength(calls)
    expect(await list()).toEqual(['order_update'])
  })

  test('is previewed with its price, its body and the closed window, and nothing is stored', async () => {
    const before = tracesIn(world)
    expect(await preview(DIRECT)).toMatchObject({
      window_open: false,
      estimated_cost: { amount: '0.008', currency: 'USD' },
      platform_path: 'messages',
      platform_payload: { category: 'utility', text: { body: 'Your table is ready.' } },
      warnings: [],
    })
    expect((await preview(TEXT))['platform_payload']).not.toHaveProperty('category')
    expect(tracesIn(world)).toEqual(before)
  })

  test('has an estimated cost until WhatsApp reports it', async () => {
    world.simulator.swallowStatuses()
    expect(await sent(DIRECT)).toMatchObject({
      cost: { amount: '0.008', category: 'UTILITY', is_estimate: true },
    })
  })

  test('can be longer by nothing than 1,024 characters, whatever they are made of', async () => {
    expect(await sent({ ...DIRECT, text: '👋'.repeat(1_024) })).toMatchObject({
      status: 'delivered',
    })
    const before = tracesIn(world)
    expect(await send({ ...DIRECT, text: 'x'.repeat(1_025) })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'body.text' }] },
    })
    expect(tracesIn(world)).toEqual(before)
  })

  test('has no link preview', async () => {
    expect(await send({ ...DIRECT, preview_url: true })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'body.preview_url' }] },
    })
    expect(await sent({ ...DIRECT, preview_url: false })).toMatchObject({ status: 'delivered' })
    expect(lastBody()['text']).toEqual({ body: 'Your table is ready.' })
  })

  test('can have reply buttons, or a link', async () => {
    for (const body of [REPLIES, LINK])
      expect(await sent({ ...body, direct: true })).toMatchObject({
        status: 'delivered',
        direct: true,
        platform_template_id: expect.any(String),
      })
    expect(lastBody()).toMatchObject({ category: 'utility', interactive: { type: 'cta_url' } })
  })

  test.each([
    ['a file', { type: 'image', media_id: '01900000-0000-7000-8000-000000000001' }],
    ['a place', { type: 'location', location: { latitude: 1, longitude: 2 } }],
    [
      'a list',
      {
        type: 'interactive',
        interactive: {
          type: 'list',
          body: 'Which?',
          button_text: 'Show',
          sections: [{ title: 'All', rows: [{ id: 'a', title: 'A' }] }],
        },
      },
    ],
  ])('cannot be %s', async (_, body) => {
    const { status, body: answer } = await send({ ...body, direct: true })
    expect(status).toBe(400)
    expect(answer['errors']).toContainEqual(expect.objectContaining({ path: 'body.direct' }))
    expect(takenBodies(world)).toEqual([])
  })

  test('cannot be a template, which needs it for nothing', async () => {
    const template_id = await approvedTemplate(world, { category: 'UTILITY' })
    const template = { type: 'template', template_id, template_params: { '1': 'Ann' } }
    expect(await send({ ...template, direct: true })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'body.direct', message: 'cannot be combined with template' }] },
    })
    expect(await sent(template)).toMatchObject({ status: 'delivered', direct: false })
  })

  test('reaches people who never wrote, by number and by user ID', async () => {
    for (const to of [{ phone_number: '15550107777' }, { user_id: 'US.94000000000000000001' }]) {
      const answer = await client.post('/api/messages', { ...to, ...DIRECT })
      expect(answer.status).toBe(201)
      await world.settle()
      expect(await shown(answer.data['id'])).toMatchObject({ status: 'delivered', direct: true })
    }
    expect(lastBody()).toMatchObject({ recipient: 'US.94000000000000000001', category: 'utility' })
  })

  test('counts toward the messaging limit like a template', async () => {
    const used = async () =>
      (await client.get(`/api/accounts/${world.tenant.accountId}/health`)).data['limits'] as Loose
    const before = await used()
    await sent(DIRECT)
    await sent(DIRECT)
    expect(await used()).toMatchObject({ used_24h: Number(before['used_24h']) + 1 })
  })

  test('waits while the business may only answer, and goes when that ends', async () => {
    const tell = (value: Loose): Promise<void> =>
      deliver(
        world,
        accountNews('account_update', value, {
          line: lineOf(world.tenant),
          time: secondsIn(world),
        }),
      )
    await tell({
      event: 'ACCOUNT_RESTRICTION',
      restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING' }],
    })
    expect((await preview(DIRECT))['warnings']).toEqual(['account_restricted'])
    const message = await sent(DIRECT)
    expect(message).toMatchObject({ status: 'pending', warnings: ['account_restricted'] })
    await later({ minutes: 5 })
    await tell({ event: 'ACCOUNT_RECONNECTED' })
    expect(await shown(message['id'])).toMatchObject({ status: 'delivered' })
  })

  test('stays a direct message if the customer writes before it is sent', async () => {
    await client.post('/api/outbox/pause', { account_id: world.tenant.accountId })
    const message = await sent(DIRECT)
    await deliver(world, textTo(world, 'Hello?'))
    await client.post('/api/outbox/resume', { account_id: world.tenant.accountId })
    await world.settle()
    expect(await shown(message['id'])).toMatchObject({ status: 'delivered', direct: true })
    expect(lastBody()).toMatchObject({ category: 'utility' })
  })

  test('is sent again in the same way while the window is closed, and as usual once it is open', async () => {
    world.simulator.fail({ code: 131_026 }, { times: 2 })
    const [one, other] = [await sent(DIRECT), await sent(DIRECT)]
    expect([one, other]).toMatchObject([1, 2].map(() => ({ status: 'failed', direct: true })))
    const again = async (id: unknown) => {
      const { status, data } = await client.post(`/api/messages/${String(id)}/resend`, {})
      expect(status).toBe(201)
      await world.settle()
      return await shown(data['id'])
    }
    expect(await again(one['id'])).toMatchObject({ status: 'delivered', direct: true })
    await deliver(world, textTo(world, 'Hello?'))
    expect(await again(other['id'])).toMatchObject({ status: 'delivered', direct: false })
    expect(lastBody()).not.toHaveProperty('category')
  })

  test('can be scheduled, and needs no fallback template then', async () => {
    const { status, data } = await client.post('/api/scheduled-messages', {
      contact_id: contact['id'],
      account_id: world.tenant.accountId,
      message: DIRECT,
      send_at: new Date(world.clock.nowMs() + 3_600_000).toISOString(),
    })
    expect(status).toBe(201)
    await later({ hours: 1, minutes: 1 })
    const scheduled = (await client.get(`/api/scheduled-messages/${String(data['id'])}`)).data
    expect(scheduled).toMatchObject({ state: 'sent', error: null })
    expect(await shown(scheduled['message_id'])).toMatchObject({
      status: 'delivered',
      direct: true,
    })
  })

  test('takes no thread from the app that owns it, and needs no `take`', async () => {
    world.simulator.shareNumber({ phone: world.tenant.phoneId })
    await deliver(
      world,
      handover({ control: TO_AGENT }, { line: lineOf(world.tenant), timestamp: secondsIn(world) }),
    )
    const owner = async () =>
      ((await client.get('/api/conversations')).data['items'] as Loose[])[0]?.['thread_owner']
    expect(await owner()).toBe('platform_agent')
    expect((await preview(DIRECT))['warnings']).toEqual([])
    expect(await sent(DIRECT)).toMatchObject({ status: 'delivered', direct: true })
    expect(await owner()).toBe('platform_agent')
  })

  test('whose answer was lost takes no thread either when its status comes', async () => {
    world.simulator.shareNumber({ phone: world.tenant.phoneId })
    await deliver(
      world,
      handover({ control: TO_AGENT }, { line: lineOf(world.tenant), timestamp: secondsIn(world) }),
    )
    world.simulator.loseAnswer()
    expect(await sent(DIRECT)).toMatchObject({ status: 'delivered', direct: true })
    const [conversation] = (await client.get('/api/conversations')).data['items'] as Loose[]
    expect(conversation?.['thread_owner']).toBe('platform_agent')
  })
})

test('`direct` changes nothing while the window is open', async () => {
  const message = await sent(DIRECT)
  expect(message).toMatchObject({
    status: 'delivered',
    direct: false,
    platform_template_id: null,
    pricing: { category: 'service' },
  })
  expect(lastBody()).not.toHaveProperty('category')
  expect(lastBody()['text']).toEqual({ body: 'Your table is ready.', preview_url: false })
  expect(await preview(DIRECT)).toMatchObject({
    window_open: true,
    estimated_cost: { amount: '0.00' },
  })
})

test('members see on the socket that a message is direct', async () => {
  await closeWindow()
  const socket = await world.socket('admin')
  await sent(DIRECT)
  await socket.caughtUp()
  expect(socket.events('message:new').map(({ payload }) => payload['direct'])).toEqual([true])
})

describe('a business for which WhatsApp has not enabled messages without a template', () => {
  beforeEach(closeWindow)

  test('is told so, before the next one too, until WhatsApp takes one', async () => {
    world.simulator.addPhone({ id: world.tenant.phoneId, hasDirectSend: false })
    expect((await account())['direct_send']).toEqual({ refused_since: null })
    const refused = await sent(DIRECT)
    expect(refused).toMatchObject({
      status: 'failed',
      error: {
        code: 'direct_send_refused',
        platform_code: 100,
        details: expect.stringContaining('requires Direct Send'),
        retryable: false,
      },
    })
    const since = new Date(world.clock.nowMs()).toISOString()
    expect((await account())['direct_send']).toEqual({ refused_since: since })
    expect((await preview(DIRECT))['warnings']).toEqual(['direct_send_refused'])
    await later({ hours: 1 })
    await sent(DIRECT)
    expect((await account())['direct_send']).toEqual({ refused_since: since })
    world.simulator.addPhone({ id: world.tenant.phoneId, hasDirectSend: true })
    await sent(DIRECT)
    expect((await account())['direct_send']).toEqual({ refused_since: null })
    expect((await preview(DIRECT))['warnings']).toEqual([])
  })

  test('is told when WhatsApp stops them', async () => {
    world.simulator.fail({ code: 139_200 }, { times: 1 })
    expect(await sent(DIRECT)).toMatchObject({
      status: 'failed',
      error: { code: 'direct_send_blocked' },
    })
    expect((await account())['direct_send']).not.toEqual({ refused_since: null })
  })

  test('is not suspected because of any other failure, or of another message', async () => {
    world.simulator.fail({ code: 131_026 }, { times: 1 })
    await sent(DIRECT)
    await deliver(world, textTo(world, 'Hello?'))
    world.simulator.fail({ code: 100 }, { times: 1 })
    expect(await sent(DIRECT)).toMatchObject({ error: { code: 'invalid_message' } })
    expect((await account())['direct_send']).toEqual({ refused_since: null })
  })
})

describe('the template that statuses name', () => {
  const named = (templateId: string | undefined): { facts: StatusFacts } => ({
    facts: { templateId },
  })

  test('is kept whatever the order, and not forgotten by a status without it', async () => {
    world.simulator.swallowStatuses()
    const message = await sent(TEXT)
    const id = String(message['wa_message_id'])
    await deliver(world, statusTo(world, id, 'read', named('42')))
    expect(await shown(message['id'])).toMatchObject({ platform_template_id: '42', direct: false })
    await deliver(world, statusTo(world, id, 'sent', named(undefined)))
    await deliver(world, statusTo(world, id, 'read', named(undefined)))
    expect(await shown(message['id'])).toMatchObject({ platform_template_id: '42' })
  })

  test('is kept if the status comes before the answer to the call', async () => {
    await closeWindow()
    world.simulator.statusBeforeAnswer(['sent'])
    const message = await sent(DIRECT)
    expect(message['platform_template_id']).toEqual(
      world.simulator.templatesOf(world.tenant.wabaId)[0]?.id,
    )
  })
})
