import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Customer } from '../../../../src/simulator/customers'
import type { Client, Loose } from '../../../support/client'
import { ASKING, draftFlow, publishedFlow, RULES } from '../../../support/flows'
import { deliver, statusTo, takenBodies } from '../../../support/lines'
import { personWith } from '../../../support/people'
import type { TestSocket } from '../../../support/socket'
import { World } from '../../../support/world'

let world: World
let manager: Client
let ana: Customer
let contact: Loose
let flow: Loose
let socket: TestSocket

beforeAll(async () => {
  world = await World.create()
  manager = await world.as('manager')
  ana = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Ana' })
  await ana.says('Hello!')
  await world.settle()
  contact = ((await manager.get('/api/contacts')).data['items'] as Loose[])[0] ?? {}
  socket = await world.socket('manager')
  flow = await publishedFlow(world, manager, { name: 'Feedback' })
})

afterAll(() => world.stop())

const send = (more: Loose = {}, client = manager) =>
  client.post(`/api/contacts/${contact['id']}/messages`, {
    type: 'interactive',
    interactive: {
      type: 'flow',
      body: 'How was it?',
      button_text: 'Tell us',
      flow_id: flow['id'],
      ...more,
    },
  })

/** Sends the Flow and delivers it. Returns the message, its token and its platform ID. */
async function sent(
  more: Loose = {},
): Promise<{ message: Loose; token: string; wamid: string; payload: Loose }> {
  const answer = await send(more)
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  await world.settle()
  const { data: message } = await manager.get(`/api/messages/${answer.data['id']}`)
  const payload =
    takenBodies(world).find((body) => body['biz_opaque_callback_data'] === message['id']) ?? {}
  return {
    message,
    payload,
    token: String((message['content'] as Loose)['flow_token']),
    wamid: String(message['wa_message_id']),
  }
}

const lastOfAna = async (): Promise<Loose> =>
  (
    (await manager.get(`/api/contacts/${contact['id']}/messages?direction=incoming`)).data[
      'items'
    ] as Loose[]
  ).at(-1) ?? {}
const responses = async (query = '', client = manager): Promise<Loose> =>
  (await client.get(`/api/flows/${flow['id']}/responses${query}`)).data

describe('sending a Flow', () => {
  test('creates a 128-bit token per message and starts with the given screen and data', async () => {
    const one = await sent({
      screen: 'FEEDBACK',
      data: { name: 'Ana' },
      header: 'Feedback',
      footer: 'Two minutes',
    })
    const two = await sent()
    expect(one.token).toMatch(/^[0-9a-f]{32}$/)
    expect(two.token).not.toBe(one.token)
    expect(one.payload['interactive']).toEqual({
      type: 'flow',
      header: { type: 'text', text: 'Feedback' },
      body: { text: 'How was it?' },
      footer: { text: 'Two minutes' },
      action: {
        name: 'flow',
        parameters: {
          flow_message_version: '3',
          flow_token: one.token,
          flow_id: flow['meta_flow_id'],
          flow_cta: 'Tell us',
          flow_action: 'navigate',
          flow_action_payload: { screen: 'FEEDBACK', data: { name: 'Ana' } },
        },
      },
    })
    expect(
      (two.payload['interactive'] as Loose)['action']['parameters']['flow_action_payload'],
    ).toEqual({ screen: 'FEEDBACK' })
    expect(one.message['content']).toMatchObject({
      kind: 'flow',
      flow_id: flow['id'],
      flow_name: 'Feedback',
      mode: 'published',
    })
    const [row] = world.rows<Loose>(
      'select flow_id, account_id, message_id, expires_at_ms - created_at_ms as life from flow_tokens where token = ?',
      one.token,
    )
    expect(row).toEqual({
      flow_id: flow['id'],
      account_id: world.tenant.accountId,
      message_id: one.message['id'],
      life: 7 * 24 * 3_600_000,
    })
  })

  test('lets the endpoint choose the first screen', async () => {
    await manager.post(`/api/accounts/${world.tenant.accountId}/flow-key`)
    const { id } = await draftFlow(world, manager, {
      json_definition: ASKING,
      endpoint_mode: 'rules',
      endpoint_config: RULES,
    })
    await manager.post(`/api/flows/${id}/save-to-meta`)
    const { payload } = await sent({
      flow_id: id,
      mode: 'draft',
      button_text: 'A label that nobody is shown',
    })
    const { parameters } = (payload['interactive'] as Loose)['action']
    expect(parameters).toMatchObject({ mode: 'draft', flow_action: 'data_exchange' })
    expect(parameters).not.toHaveProperty('flow_action_payload')
  })

  test('is refused with the path of what is wrong', async () => {
    const draft = await draftFlow(world, manager)
    const theirs = await (
      await world.as('admin', world.other)
    ).post('/api/flows', {
      account_id: world.other.accountId,
      name: 'Theirs',
      categories: ['OTHER'],
    })
    const at = 'body.interactive'
    const wrong: [more: Loose, path: string][] = [
      [{ flow_id: undefined }, `${at}.flow_id`],
      [{ flow_id: 'nonsense' }, `${at}.flow_id`],
      [{ flow_id: draft['id'] }, `${at}.flow_id`],
      [{ flow_id: draft['id'], mode: 'draft' }, `${at}.flow_id`],
      [{ flow_id: theirs.data['id'] }, `${at}.flow_id`],
      [{ screen: 'NOWHERE' }, `${at}.screen`],
      [{ button_text: 'x'.repeat(21) }, `${at}.button_text`],
      [{ button_text: 'Go 🎉' }, `${at}.button_text`],
      [{ mode: 'other' }, `${at}.mode`],
      [{ data: JSON.parse('{"__proto__":{"a":1}}') as Loose }, `${at}.data.__proto__`],
    ]
    for (const [more, path] of wrong) {
      const { status, body } = await send(more)
      expect({ more, status, path: body.errors?.[0]?.path }).toEqual({ more, status: 400, path })
    }
    await manager.post(`/api/flows/${draft['id']}/save-to-meta`)
    const agent = await personWith(world, [
      'contacts:read',
      'contacts:read_all',
      'messages:read',
      'messages:create',
    ])
    expect(
      (await send({ flow_id: draft['id'], mode: 'draft' }, agent.client)).body.errors?.[0]?.path,
    ).toBe(`${at}.mode`)
    expect((await send({}, agent.client)).status).toBe(201)
    const preview = await manager.post('/api/messages/preview', {
      contact_id: contact['id'],
      type: 'interactive',
      interactive: { type: 'flow', body: 'x', button_text: 'y', flow_id: flow['id'] },
    })
    expect(
      (preview.data['platform_payload'] as Loose)['interactive']['action']['parameters'],
    ).toMatchObject({ flow_id: flow['meta_flow_id'], flow_token: 'made-when-it-is-sent' })
    await world.settle()
  })

  test('sent once more after a failure gets another token', async () => {
    world.simulator.fail({ code: 131_008 })
    const { data } = await send()
    await world.settle()
    const again = await manager.post(`/api/messages/${data['id']}/resend`)
    expect(again.status).toBe(201)
    expect((again.data['content'] as Loose)['flow_token']).not.toBe(
      (data['content'] as Loose)['flow_token'],
    )
    await world.settle()
    expect(
      (await manager.get(`/api/messages/${again.data['id']}`)).data['stage'] ?? 'sent',
    ).not.toBe('failed')
  })
})

describe('responses', () => {
  test('are matched by token or quoted message, and counted, found and exported', async () => {
    const one = await sent()
    const two = await sent()
    await ana.completesFlow(
      { flow_token: one.token, words: 'Très bien', rating: 5, news: true, extras: ['a', 'b'] },
      { replyTo: one.wamid },
    )
    await world.settle()
    world.clock.advance({ seconds: 5 })
    await ana.completesFlow({ words: '=SUM(A1)' }, { replyTo: two.wamid })
    await world.settle()
    const { items, total } = await responses()
    expect(total).toBe(2)
    const [second, first] = items as Loose[]
    expect(first).toEqual({
      id: expect.any(String),
      contact_id: contact['id'],
      contact: { id: contact['id'], display_name: 'Ana', phone_number: '15550109999' },
      message_id: expect.any(String),
      flow_token: one.token,
      data: {
        flow_token: one.token,
        words: 'Très bien',
        rating: 5,
        news: true,
        extras: ['a', 'b'],
      },
      completed_at: expect.any(String),
    })
    expect(second).toMatchObject({ flow_token: two.token, data: { words: '=SUM(A1)' } })
    expect(
      (await manager.get(`/api/messages/${first?.['message_id']}`)).data['content'],
    ).toMatchObject({
      kind: 'flow_reply',
      flow_id: flow['id'],
    })
    expect((await manager.get(`/api/flows/${flow['id']}`)).data['response_count']).toBe(2)
    expect(((await responses('?search=TRES')).items as Loose[]).map(({ id }) => id)).toEqual([
      first?.['id'],
    ])
    expect(
      (await responses(`?contact_id=${contact['id']}&from=2026-11-21&to=2026-11-21`)).total,
    ).toBe(2)
    expect((await responses('?to=2026-11-20')).total).toBe(0)
    const page = await responses('?limit=1')
    const rest = await responses(`?limit=1&cursor=${page['next_cursor']}`)
    expect([
      (page.items as Loose[])[0]?.['id'],
      (rest.items as Loose[])[0]?.['id'],
      rest['next_cursor'],
    ]).toEqual([second?.['id'], first?.['id'], null])
    const csv = await fetch(`${world.url}/api/flows/${flow['id']}/responses?format=csv`, {
      headers: manager.headers,
    })
    const lines = (await csv.text()).split('\r\n')
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(lines[0]).toBe(
      'id,contact_id,message_id,flow_token,completed_at,words,news,extras,rating',
    )
    expect(lines[1]).toEndWith(",'=SUM(A1),,,")
    expect(lines[2]).toEndWith(',Très bien,true,"[""a"",""b""]",5')
  })

  test('counts once however often it is completed, the first time by the time of the platform', async () => {
    const { token, wamid } = await sent()
    const before = Number((await responses()).total)
    world.simulator.hold()
    await ana.completesFlow({ flow_token: token, words: 'first' }, { replyTo: wamid })
    world.clock.advance({ seconds: 10 })
    await ana.completesFlow({ flow_token: token, words: 'second' }, { replyTo: wamid })
    world.simulator.release('reversed')
    await world.settle()
    const after = await responses()
    expect(after.total).toBe(before + 1)
    expect((after.items as Loose[])[0]?.['data']).toMatchObject({ words: 'first' })
  })

  test('are stored without a Flow if they are no JSON, unknown or foreign', async () => {
    const { token } = await sent()
    const before = Number((await responses()).total)
    await ana.completesFlow('no json at all')
    await ana.completesFlow({ flow_token: 'unknown', words: 'x' })
    const ben = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Ben' })
    await ben.completesFlow({ flow_token: token, words: 'not mine' })
    await world.settle()
    expect((await responses()).total).toBe(before)
    const loose = world.rows<Loose>('select data from flow_responses where flow_id is null ')
    expect(new Set(loose.map(({ data }) => data as string | null))).toEqual(
      new Set([
        null,
        JSON.stringify({ flow_token: 'unknown', words: 'x' }),
        JSON.stringify({ flow_token: token, words: 'not mine' }),
      ]),
    )
    expect((await lastOfAna())['content']).toMatchObject({ flow_id: null })
  })

  test('are visible only to users who see the contact', async () => {
    const person = await personWith(world, ['flows:read', 'contacts:read'])
    expect((await responses('', person.client)).total).toBe(0)
    await (
      await world.as('admin')
    ).put(`/api/contacts/${contact['id']}/assign`, { user_id: person.userId })
    expect(Number((await responses('', person.client)).total)).toBeGreaterThan(0)
  })
})

describe('webhooks of the platform', () => {
  const notices = async (): Promise<string[]> =>
    ((await manager.get('/api/me/notifications')).data['items'] as Loose[])
      .map(({ kind, title }) => `${kind} ${title}`)
      .toSorted()

  test('block a Flow with one notification', async () => {
    const mine = await publishedFlow(world, manager, { name: 'Blocked soon' })
    const meta = String(mine['meta_flow_id'])
    await world.settle()
    world.clock.advance({ seconds: 5 })
    world.simulator.setFlowStatus(meta, 'THROTTLED', 'The endpoint is slow')
    await world.settle()
    expect((await send({ flow_id: mine['id'] })).status).toBe(201)
    world.clock.advance({ seconds: 5 })
    world.simulator.setFlowStatus(meta, 'BLOCKED')
    world.simulator.deliverTwice()
    await world.settle()
    world.simulator.clearFaults()
    expect((await manager.get(`/api/flows/${mine['id']}`)).data['status']).toBe('BLOCKED')
    const refused = await send({ flow_id: mine['id'] })
    expect([refused.status, refused.body.code]).toEqual([400, 'flow_not_sendable'])
    expect(await notices()).toEqual([
      'flow_blocked Flow blocked: Blocked soon',
      'flow_throttled Flow throttled: Blocked soon',
    ])
    world.simulator.sendFlowWebhook(meta, {
      event: 'ENDPOINT_LATENCY',
      message: 'p90 is 9 s',
      p90_latency: 9000,
      threshold: 3000,
      alert_state: 'ACTIVATED',
    })
    await world.settle()
    expect((await manager.get(`/api/flows/${mine['id']}`)).data['health']['errors']).toContainEqual(
      {
        code: null,
        message: 'p90 is 9 s',
        solution: null,
        entity: 'ENDPOINT_LATENCY',
      },
    )
    world.clock.advance({ seconds: 5 })
    world.simulator.setFlowStatus(meta, 'PUBLISHED')
    world.simulator.sendFlowWebhook(meta, { event: 'ENDPOINT_LATENCY', alert_state: 'DEACTIVATED' })
    await world.settle()
    expect((await send({ flow_id: mine['id'] })).status).toBe(201)
    expect(await notices()).toHaveLength(2) // Nobody is told of the end of the trouble.
    const frames = socket
      .events('flow:updated')
      .filter(({ payload }) => payload['id'] === mine['id'])
    expect(frames.map(({ payload }) => payload['status'])).toEqual(
      expect.arrayContaining(['PUBLISHED', 'THROTTLED', 'BLOCKED']),
    )
    expect(frames[0]?.payload).toEqual({
      id: mine['id'],
      account_id: world.tenant.accountId,
      name: 'Blocked soon',
      status: expect.any(String),
      changed: ['id'],
    })
  })

  test('send errors also update the status of a Flow and notify once', async () => {
    const mine = await publishedFlow(world, manager, { name: 'Refused' })
    const statusOf = async (): Promise<unknown> =>
      (await manager.get(`/api/flows/${mine['id']}`)).data['status']
    const before = (await notices()).length
    await world.settle()
    world.clock.advance({ seconds: 5 })
    world.simulator.fail({ code: 132_069 }, { times: 2 })
    await send({ flow_id: mine['id'] })
    await world.settle()
    expect(await statusOf()).toBe('THROTTLED')
    world.simulator.clearFaults()
    world.simulator.fail({ code: 132_068 }, { times: 1 })
    const { data: message } = await send({ flow_id: mine['id'] })
    world.clock.advance({ seconds: 70 }) // what is held before it holds it up no longer
    await world.settle()
    expect(await statusOf()).toBe('BLOCKED')
    expect((await manager.get(`/api/messages/${message['id']}`)).data).toMatchObject({
      status: 'failed',
      error: { code: 'flow_blocked' },
    })
    expect((await send({ flow_id: mine['id'] })).body).toMatchObject({ code: 'flow_not_sendable' })
    expect((await notices()).length - before).toBe(2)
    world.clock.advance({ seconds: 5 })
    world.simulator.setFlowStatus(String(mine['meta_flow_id']), 'PUBLISHED')
    await world.settle()
    expect(await statusOf()).toBe('PUBLISHED')
    // In a later status as well.
    const { wamid } = await sent({ flow_id: mine['id'] })
    await deliver(
      world,
      statusTo(world, wamid, 'failed', {
        facts: { error: { code: 132_068, title: 'Flow is blocked', details: '' } },
      }),
    )
    expect(await statusOf()).toBe('BLOCKED')
  })

  test('are ignored if older than the stored status', async () => {
    const mine = await publishedFlow(world, manager)
    await world.settle()
    const meta = String(mine['meta_flow_id'])
    world.simulator.hold()
    world.clock.advance({ seconds: 2 })
    world.simulator.setFlowStatus(meta, 'BLOCKED')
    world.clock.advance({ seconds: 2 })
    world.simulator.setFlowStatus(meta, 'PUBLISHED')
    world.simulator.release('reversed')
    await world.settle()
    expect((await manager.get(`/api/flows/${mine['id']}`)).data['status']).toBe('PUBLISHED')
  })

  test('about an unknown Flow start a sync', async () => {
    const { id } = world.simulator.addFlow({
      name: 'Made elsewhere',
      status: 'PUBLISHED',
      wabaId: world.tenant.wabaId,
    })
    world.simulator.sendFlowWebhook(id, {
      event: 'FLOW_STATUS_CHANGE',
      old_status: 'DRAFT',
      new_status: 'PUBLISHED',
    })
    await world.settle()
    const { data } = await manager.get('/api/flows?search=made elsewhere')
    expect((data['items'] as Loose[])[0]).toMatchObject({ meta_flow_id: id, status: 'PUBLISHED' })
  })
})

test('erasing a contact deletes its responses and sent Flows', async () => {
  expect(
    Number((await manager.get(`/api/flows/${flow['id']}`)).data['response_count']),
  ).toBeGreaterThan(0)
  await (await world.as('admin')).delete(`/api/contacts/${contact['id']}?purge=true`)
  await world.settle()
  expect((await manager.get(`/api/flows/${flow['id']}`)).data['response_count']).toBe(0)
  expect(world.rows('select token from flow_tokens')).toEqual([])
  expect((await responses()).total).toBe(0)
})

test('a response outlives the message that sent its Flow', async () => {
  const ben = world.simulator.customer({
    phone: world.tenant.phoneId,
    name: 'Ben',
    waId: '15550700001',
  })
  await ben.says('Hello!')
  await world.settle()
  const boss = await world.as('admin')
  const { data: found } = await boss.get('/api/contacts?search=15550700001')
  const body = { contact_id: (found['items'] as Loose[])[0]?.['id'], type: 'interactive' }
  const interactive = {
    type: 'flow',
    body: 'How was it?',
    button_text: 'Tell us',
    flow_id: flow['id'],
  }
  const { data: message } = await boss.post('/api/messages', { ...body, interactive })
  const { flow_token } = message['content'] as Loose
  await boss.put('/api/retention', { messages_days: 10 })
  for (let night = 0; night < 13; night += 1) {
    world.clock.advance({ hours: 24 })
    if (night === 6) await ben.completesFlow({ flow_token, words: 'late' })
    await world.settle()
  }
  const client = await world.as('manager')
  expect((await client.get(`/api/messages/${message['id']}`)).status).toBe(404)
  const { data } = await client.get(`/api/flows/${flow['id']}/responses`)
  expect((data['items'] as Loose[])[0]).toMatchObject({ flow_token: null, data: { words: 'late' } })
  expect((await client.get(`/api/flows/${flow['id']}`)).data['response_count']).toBe(1)
})
