import { describe, expect, test } from 'bun:test'

import type { Customer } from '../../../../src/simulator/customers'
import { asStandby, handover, TO_AGENT, TO_OTHER } from '../../../../src/simulator/standby'
import { personWith } from '../../../support/people'
import { CampaignFixture } from '../../../support/campaigns'
import type { Client, Loose } from '../../../support/client'
import { deliver, lineOf, secondsIn, textTo } from '../../../support/lines'
import { approvedTemplate } from '../../../support/templates'
import { World } from '../../../support/world'

const ANA = { waId: '15550300001', name: 'Ana' }

/** A world whose customer wrote to us, before the thread was passed to somebody else. */
async function passedTo(owner: 'platform_agent' | 'other_app' | 'unknown'): Promise<{
  world: World
  manager: Client
  path: string
}> {
  const world = await World.create()
  world.simulator.shareNumber({ phone: world.tenant.phoneId })
  const about = () => ({ line: lineOf(world.tenant), person: ANA, timestamp: secondsIn(world) })
  await deliver(world, textTo(world, 'Hi', about()))
  world.clock.advance({ seconds: 5 })
  await deliver(
    world,
    owner === 'unknown'
      ? asStandby(textTo(world, 'Hi?', about()))
      : handover(
          owner === 'other_app'
            ? { type: 'control_taken', control: TO_OTHER }
            : { control: TO_AGENT },
          about(),
        ),
  )
  const manager = await world.as('manager')
  const [conversation] = (await manager.get('/api/conversations')).data['items'] as Loose[]
  expect(conversation?.['thread_owner']).toBe(owner)
  return { world, manager, path: `/api/conversations/${String(conversation?.['id'])}` }
}

const ownerOf = async (client: Client, path: string): Promise<unknown> =>
  (await client.get(path)).data['thread_owner']

const TEXT = { type: 'text', text: 'We are here.' }

describe('a message of ours in a thread of someone else', () => {
  test.each(['platform_agent', 'other_app'] as const)(
    'is refused with the owner (%s), and sent with `take`',
    async (owner) => {
      const { world, manager, path } = await passedTo(owner)
      await using _ = world
      const refused = await manager.post(`${path}/messages`, TEXT)
      expect(refused).toMatchObject({
        status: 409,
        body: { code: 'thread_not_ours', details: { thread_owner: owner } },
      })
      await world.settle()
      expect(world.simulator.messages).toEqual([])
      expect((await manager.post(`${path}/messages`, { ...TEXT, take: true })).status).toBe(201)
      await world.settle()
      expect(world.simulator.messages).toHaveLength(1)
      expect(world.simulator.messages[0]?.body).not.toHaveProperty('take')
      expect(await ownerOf(manager, path)).toBe('us')
      expect((await manager.post(`${path}/messages`, TEXT)).status).toBe(201)
    },
  )

  test('is refused on every route, leaves no file behind, and is told by the preview', async () => {
    const { world, manager } = await passedTo('platform_agent')
    await using _ = world
    const [contact] = (await manager.get('/api/contacts')).data['items'] as Loose[]
    const to = { contact_id: contact?.['id'] }
    const refusals = [
      await manager.post(`/api/contacts/${String(contact?.['id'])}/messages`, TEXT),
      await manager.post('/api/messages', { ...to, ...TEXT }),
      await manager.post('/api/messages/media', {
        ...to,
        type: 'image',
        media_url: 'https://files.example/a.png',
      }),
    ]
    expect(refusals.map(({ status, body }) => [status, (body as Loose)['code']])).toEqual(
      refusals.map(() => [409, 'thread_not_ours']),
    )
    expect(world.rows('select id from media')).toEqual([])
    const preview = await manager.post('/api/messages/preview', { ...to, ...TEXT })
    expect(preview.data['warnings']).toEqual(['thread_not_ours'])
  })

  test('is sent where the owner is unknown, and as a template to anybody', async () => {
    const { world, manager, path } = await passedTo('unknown')
    await using _ = world
    expect((await manager.post(`${path}/messages`, TEXT)).status).toBe(201)
    const other = await passedTo('platform_agent')
    await using __ = other.world
    const template = await approvedTemplate(other.world, {
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Your order is here.' }],
    })
    const [contact] = (await other.manager.get('/api/contacts')).data['items'] as Loose[]
    const sent = await other.manager.post('/api/messages/template', {
      contact_id: contact?.['id'],
      template_id: template['id'],
    })
    expect(sent.status).toBe(201)
    await other.world.settle()
    expect(await ownerOf(other.manager, other.path)).toBe('us')
  })

  test('is one message, however often it is tried, also if the thread was taken meanwhile', async () => {
    const { world, manager, path } = await passedTo('platform_agent')
    await using _ = world
    world.simulator.fail({ code: 131_016, retryAfter: 60 }, { times: 2 })
    const { data } = await manager.post(`${path}/messages`, { ...TEXT, take: true })
    await world.settle()
    world.clock.advance({ seconds: 5 })
    const about = { line: lineOf(world.tenant), person: ANA, timestamp: secondsIn(world) }
    await deliver(world, handover({ type: 'control_taken', control: TO_OTHER }, about))
    expect(await ownerOf(manager, path)).toBe('other_app')
    for (const seconds of [60, 60]) {
      world.clock.advance({ seconds })
      await world.settle()
    }
    const [contact] = (await manager.get('/api/contacts')).data['items'] as Loose[]
    const list = `/api/contacts/${String(contact?.['id'])}/messages?direction=outgoing`
    const thread = async (): Promise<unknown[]> => {
      const { data: shown } = await manager.get(list)
      return (shown['items'] as Loose[]).map((one) => [one['id'], one['status'], one['resend_of']])
    }
    expect(await thread()).toEqual([[data['id'], 'delivered', null]])
    expect(await ownerOf(manager, path)).toBe('us')
    world.simulator.fail({ code: 131_026 })
    const failed = await manager.post(`${path}/messages`, TEXT)
    await world.settle()
    const again = await manager.post(`/api/messages/${String(failed.data['id'])}/resend`)
    await world.settle()
    expect(await thread()).toEqual([
      [data['id'], 'delivered', null],
      [failed.data['id'], 'failed', null],
      [again.data['id'], 'delivered', failed.data['id']],
    ])
  })

  test('is resent only with `take`', async () => {
    const { world, manager, path } = await passedTo('platform_agent')
    await using _ = world
    world.simulator.fail({ code: 131_026 })
    const { data } = await manager.post(`${path}/messages`, { ...TEXT, take: true })
    await world.settle()
    const resend = `/api/messages/${String(data['id'])}/resend`
    expect((await manager.post(resend)).status).toBe(409)
    expect((await manager.post(resend, { take: true })).status).toBe(201)
  })
})

describe('an automatic message', () => {
  const settings = {
    opt_out_keywords: ['stop'],
    opt_in_keywords: [],
    opt_out_reply: 'You are out.',
    opt_in_reply: null,
  }

  test('that waits is not sent once somebody else owns the thread', async () => {
    await using world = await World.create()
    await (await world.as('admin')).put('/api/consent-settings', settings)
    const about = () => ({ line: lineOf(world.tenant), person: ANA, timestamp: secondsIn(world) })
    world.simulator.fail({ code: 131_016 })
    await deliver(world, textTo(world, 'stop', about()))
    world.clock.advance({ seconds: 1 })
    await deliver(world, handover({ control: TO_AGENT }, about()))
    world.clock.advance({ minutes: 10 })
    await world.settle()
    expect(world.simulator.messages).toEqual([])
    expect(
      world.rows(
        "select status, json_extract(error, '$.code') as code from messages where source = 'system'",
      ),
    ).toEqual([{ status: 'failed', code: 'not_owner' }])
  })

  test('is sent while the thread is idle or ours', async () => {
    await using world = await World.create()
    await (await world.as('admin')).put('/api/consent-settings', settings)
    const about = () => ({ line: lineOf(world.tenant), person: ANA, timestamp: secondsIn(world) })
    await deliver(world, handover({ control: TO_AGENT }, about()))
    world.clock.advance({ hours: 30 })
    await deliver(world, textTo(world, 'stop', about()))
    expect(world.simulator.messages).toHaveLength(1)
  })
})

/** A world whose customer was passed to us on a number on which we hold these roles. */
async function ownedWith(roles: string[]): Promise<{
  world: World
  ana: Customer
  manager: Client
  path: string
}> {
  const world = await World.create()
  world.simulator.shareNumber({ phone: world.tenant.phoneId, roles })
  const ana = world.simulator.customer({ phone: world.tenant.phoneId, ...ANA })
  await ana.says('Hi')
  world.clock.advance({ seconds: 5 })
  await ana.isPassedTo('us', { role: 'marketing' })
  await world.settle()
  world.clock.advance({ seconds: 5 })
  const manager = await world.as('manager')
  const [conversation] = (await manager.get('/api/conversations')).data['items'] as Loose[]
  expect(conversation).toMatchObject({ thread_owner: 'us', owner_role: 'marketing' })
  return { world, ana, manager, path: `/api/conversations/${String(conversation?.['id'])}` }
}

describe('POST /api/conversations/{id}/thread', () => {
  test.each([
    ['release', 'idle', 'thread_released', null],
    ['take', 'us', 'thread_taken', 'escalation'],
  ] as const)('%s makes the owner %s', async (action, owner, audited, role) => {
    const { world, manager, path } = await passedTo('platform_agent')
    await using _ = world
    const answer = await manager.post(`${path}/thread`, { action })
    expect(answer).toMatchObject({ status: 200, data: { thread_owner: owner, owner_role: role } })
    await world.settle()
    expect(await ownerOf(manager, path)).toBe(owner)
    const [call] = world.simulator.callsOf({ route: 'thread_control' })
    expect(call?.body).toEqual({
      messaging_product: 'whatsapp',
      to: `+${String(ANA.waId)}`,
      action,
      metadata: expect.stringMatching(/^switchboard:/) as unknown,
    })
    const audit = await (await world.as('admin')).get('/api/audit-logs?resource_type=conversation')
    const entries = audit.data['items'] as Loose[]
    expect(entries[0]).toMatchObject({
      action: audited,
      changes: [
        { field: 'thread_owner', old_value: 'platform_agent', new_value: owner },
        { field: 'owner_role', old_value: 'ai_agent', new_value: role },
      ],
    })
  })

  test.each([
    [undefined, 'other_app', 'escalation'],
    ['ai_agent', 'platform_agent', 'ai_agent'],
    ['ctwa', 'other_app', 'ctwa'],
    ['customer_service', 'other_app', 'customer_service'],
    ['escalation', 'other_app', 'escalation'],
    ['marketing', 'other_app', 'marketing'],
    ['utility', 'other_app', 'utility'],
  ] as const)('passes to %s, and %s owns the thread', async (to_role, owner, role) => {
    const { world, manager, path } = await ownedWith(['calls'])
    await using _ = world
    const body = { action: 'pass', ...(to_role === undefined ? {} : { to_role }) }
    const passed = { thread_owner: owner, owner_role: role }
    expect(await manager.post(`${path}/thread`, body)).toMatchObject({ status: 200, data: passed })
    const [call] = world.simulator.callsOf({ route: 'thread_control' })
    expect(call?.body).toEqual({
      messaging_product: 'whatsapp',
      to: `+${String(ANA.waId)}`,
      action: 'pass',
      metadata: `switchboard:${path.split('/')[3]}`,
      ...(to_role === undefined ? {} : { control_pass: { target_role: to_role } }),
    })
    // the webhook of the handover says the same
    world.clock.advance({ seconds: 2 })
    await world.settle()
    expect((await manager.get(path)).data).toMatchObject(passed)
    const audit = await (await world.as('admin')).get('/api/audit-logs?resource_type=conversation')
    expect((audit.data['items'] as Loose[])[0]).toMatchObject({
      action: 'thread_passed',
      changes: [
        { field: 'thread_owner', old_value: 'us', new_value: owner },
        ...(role === 'marketing'
          ? []
          : [{ field: 'owner_role', old_value: 'marketing', new_value: role }]),
      ],
    })
  })

  test('refuses a target that does not exist, and one for another action', async () => {
    const { world, manager, path } = await ownedWith([])
    await using _ = world
    for (const body of [
      { action: 'pass', to_role: 'calls' },
      { action: 'pass', to_role: null },
      { action: 'take', to_role: 'escalation' },
      { action: 'release', to_role: 'ai_agent' },
    ])
      expect(await manager.post(`${path}/thread`, body)).toMatchObject({
        status: 400,
        body: { code: 'invalid_input', errors: [{ path: 'body.to_role' }] },
      })
    expect(world.simulator.callsOf({ route: 'thread_control' })).toEqual([])
    expect((await manager.get(path)).data).toMatchObject({ thread_owner: 'us' })
  })

  test('says why a pass fails, and changes nothing', async () => {
    const { world, manager, path } = await ownedWith(['escalation'])
    await using _ = world
    expect(await manager.post(`${path}/thread`, { action: 'pass' })).toMatchObject({
      status: 400,
      body: {
        code: 'platform_rejected',
        message: expect.stringContaining('only to a responder that this phone number has'),
        details: { platform_code: 100 },
      },
    })
    expect((await manager.get(path)).data).toMatchObject({
      thread_owner: 'us',
      owner_role: 'marketing',
    })
  })

  test('says that only the escalation partner can take, once and for all, and changes nothing', async () => {
    const { world, manager, path } = await passedTo('platform_agent')
    await using _ = world
    world.simulator.shareNumber({ phone: world.tenant.phoneId, isEscalation: false })
    expect(await manager.post(`${path}/thread`, { action: 'take' })).toMatchObject({
      status: 400,
      body: {
        code: 'not_escalation_partner',
        message:
          'Only the escalation partner of this phone number can take a thread. The business sets ' +
          'it in the routing of Meta Business Suite.',
        details: { platform_code: 2_494_191 },
      },
    })
    expect(await ownerOf(manager, path)).toBe('platform_agent')
    world.clock.advance({ minutes: 30 })
    await world.settle()
    expect(world.simulator.callsOf({ route: 'thread_control' })).toHaveLength(1)
  })

  test('leaves the owner unknown when the answer is lost, and is not repeated', async () => {
    const { world, manager, path } = await passedTo('platform_agent')
    await using _ = world
    world.simulator.loseAnswer({ route: 'thread_control' })
    const answer = await manager.post(`${path}/thread`, { action: 'take' })
    expect(answer).toMatchObject({ status: 200, data: { thread_owner: 'unknown' } })
    world.clock.advance({ minutes: 30 })
    await world.settle()
    expect(world.simulator.callsOf({ route: 'thread_control' })).toHaveLength(1)
  })

  test('needs transfers:assign and sight of the contact', async () => {
    const { world, path } = await passedTo('platform_agent')
    await using _ = world
    const reader = await personWith(world, [
      'contacts:read',
      'contacts:read_all',
      'messages:create',
    ])
    expect((await reader.client.post(`${path}/thread`, { action: 'take' })).status).toBe(403)
    const blind = await personWith(world, ['contacts:read', 'transfers:assign'])
    expect((await blind.client.post(`${path}/thread`, { action: 'take' })).status).toBe(404)
    expect(world.simulator.callsOf({ route: 'thread_control' })).toEqual([])
  })
})

test('a campaign is sent to threads of others too, and its dry run counts them', async () => {
  await using fixture = await CampaignFixture.open()
  const { world } = fixture
  const line = lineOf(world.tenant)
  for (const waId of ['15550200000', '15550200001'])
    await deliver(world, textTo(world, 'Hi', { person: { waId } }))
  world.clock.advance({ seconds: 5 })
  await deliver(
    world,
    handover(
      { control: TO_AGENT },
      { line, person: { waId: '15550200000' }, timestamp: secondsIn(world) },
    ),
  )
  const id = await fixture.draftFor(3)
  expect((await fixture.do(id, 'dry-run')).data).toMatchObject({ eligible: 3, thread_not_ours: 1 })
  await fixture.do(id, 'start')
  await fixture.run(id)
  expect([...fixture.calls().keys()]).toContain('15550200000')
})
