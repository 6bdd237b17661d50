import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { accountNews } from '../../../../src/simulator/coexistence'
import { approvedTemplate } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'
import { deliver, lineOf, secondsIn, takenBodies } from '../../../support/lines'
import { World } from '../../../support/world'

let world: World
let templateId: string

beforeEach(async () => {
  world = await World.create({ tenants: 1 })
  templateId = await approvedTemplate(world)
})

afterEach(() => world.stop())

const tell = (value: Loose): Promise<void> =>
  deliver(
    world,
    accountNews('account_update', value, { line: lineOf(world.tenant), time: secondsIn(world) }),
  )

/** Restricts the business account: without an end unless one is given, in seconds from now. */
const restrict = (
  endsInS?: number,
  restriction_type = 'RESTRICTED_BIZ_INITIATED_MESSAGING',
): Promise<void> => {
  const expiration = endsInS === undefined ? {} : { expiration: secondsIn(world) + endsInS }
  return tell({
    event: 'ACCOUNT_RESTRICTION',
    restriction_info: [{ restriction_type, ...expiration }],
  })
}

const lift = async (): Promise<void> => {
  world.clock.advance({ minutes: 5 })
  await tell({ event: 'ACCOUNT_RECONNECTED' })
}

const account = async (): Promise<Loose> =>
  (await (await world.as('admin')).get(`/api/accounts/${world.tenant.accountId}`)).data

/** Sends the template to a number, expects 201. */
async function send(phone_number: string): Promise<Loose> {
  const body = { phone_number, template_id: templateId, template_params: { '1': 'you' } }
  const answer = await (await world.as('admin')).post('/api/messages/template', body)
  expect(answer.status).toBe(201)
  await world.settle()
  return answer.data
}

const statusOf = async (message: Loose): Promise<unknown> =>
  (await (await world.as('admin')).get(`/api/messages/${message['id']}`)).data['status']

const held = async (): Promise<unknown[]> =>
  ((await (await world.as('admin')).get('/api/outbox?stage=held')).data['items'] as Loose[]).map(
    ({ held_reason }) => held_reason,
  )

const takenBy = (number: string): number =>
  takenBodies(world).filter(({ to }) => to === `+${number}`).length

describe('a phone number that may only answer', () => {
  test('holds templates outside the window until the restriction ends, and warns the sender', async () => {
    await restrict()
    expect(await account()).toMatchObject({
      status: 'active',
      restricted_since: expect.any(String) as string,
      restricted_until: null,
    })
    const preview = {
      phone_number: '15550501001',
      type: 'template',
      template_id: templateId,
      template_params: { '1': 'you' },
    }
    expect(
      (await (await world.as('admin')).post('/api/messages/preview', preview)).data['warnings'],
    ).toEqual(['account_restricted'])
    const text = { phone_number: '15550501001', type: 'text', text: 'Hi' }
    expect(
      (await (await world.as('admin')).post('/api/messages/preview', text)).data,
    ).toMatchObject({ window_open: false, warnings: [] })
    const message = await send('15550501001')
    expect(message['warnings']).toEqual(['account_restricted'])
    expect([await statusOf(message), await held(), takenBy('15550501001')]).toEqual([
      'pending',
      ['restricted'],
      0,
    ])
    world.clock.advance({ hours: 3 })
    await world.settle()
    expect([await statusOf(message), takenBy('15550501001')]).toEqual(['pending', 0])
    await lift()
    expect([await statusOf(message), takenBy('15550501001')]).toEqual(['delivered', 1])
    expect(await account()).toMatchObject({ restricted_since: null, restricted_until: null })
  })

  test('sends answers, also as templates, and releases held messages when the customer writes', async () => {
    const ana = world.simulator.customer({ phone: world.tenant.phoneId, waId: '15550501002' })
    const contact = await world.contactOf(world.tenant, 'Hello!', '15550501003')
    await restrict()
    const { data: text } = await (
      await world.as('admin')
    ).post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text: 'An answer' })
    await world.settle()
    expect(await statusOf(text)).toBe('delivered')
    const template = await send('15550501003')
    expect([template['warnings'], await statusOf(template)]).toEqual([[], 'delivered'])
    const waiting = await send('15550501002')
    const other = await send('15550501004')
    expect(await held()).toEqual(['restricted', 'restricted'])
    await ana.says('I have a question')
    await world.settle()
    expect([await statusOf(waiting), await statusOf(other)]).toEqual(['delivered', 'pending'])
  })

  test('releases held messages when the customer calls', async () => {
    const ana = world.simulator.customer({ phone: world.tenant.phoneId, waId: '15550501012' })
    await restrict()
    const waiting = await send('15550501012')
    const other = await send('15550501013')
    expect(await held()).toEqual(['restricted', 'restricted'])
    await ana.calls()
    await world.settle()
    expect([await statusOf(waiting), await statusOf(other)]).toEqual(['delivered', 'pending'])
  })

  test('ends at the announced time and makes no call before', async () => {
    await restrict(3_600)
    const message = await send('15550501005')
    world.clock.advance({ minutes: 59 })
    await world.settle()
    expect([await statusOf(message), takenBy('15550501005')]).toEqual(['pending', 0])
    world.clock.advance({ minutes: 2 })
    await world.settle()
    expect(await statusOf(message)).toBe('delivered')
  })

  test('lets held messages be canceled, and fails them as expired after a day', async () => {
    await restrict()
    const [first, second] = [await send('15550501006'), await send('15550501007')]
    expect(
      (await (await world.as('admin')).post(`/api/messages/${first['id']}/cancel`)).status,
    ).toBe(200)
    world.clock.advance({ hours: 25 })
    await world.settle()
    const { data } = await (await world.as('admin')).get(`/api/messages/${second['id']}`)
    expect(data).toMatchObject({ status: 'failed', error: { code: 'expired' } })
    expect(takenBodies(world)).toEqual([])
  })

  test('is lifted when a person resumes the number and the platform confirms it', async () => {
    await restrict()
    const message = await send('15550501008')
    expect(
      (await (await world.as('admin')).post(`/api/accounts/${world.tenant.accountId}/resume`))
        .status,
    ).toBe(200)
    await world.settle()
    expect([await statusOf(message), (await account())['restricted_since']]).toEqual([
      'delivered',
      null,
    ])
  })
})

describe('a restriction', () => {
  test.each([
    'RESTRICTED_ADD_PHONE_NUMBER_ACTION',
    'RESTRICTED_UTILITY_TEMPLATES',
    'RESTRICTED_USER_INITIATED_CALLING',
  ])('of something else (%s) keeps nothing back', async (type) => {
    await restrict(undefined, type)
    expect(await account()).toMatchObject({ restricted_since: null })
    expect(await statusOf(await send('15550501009'))).toBe('delivered')
  })

  test('lasts until its last cause ends; a cause without an end outlasts all', async () => {
    const at = secondsIn(world)
    const messaging = (expiration: unknown): Loose => ({
      restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING',
      expiration,
    })
    const other = {
      restriction_type: 'RESTRICTED_ADD_PHONE_NUMBER_ACTION',
      expiration: at + 90_000,
    }
    await tell({
      event: 'ACCOUNT_RESTRICTION',
      restriction_info: [messaging(at + 60), messaging(String(at + 3_600)), other],
    })
    expect(await account()).toMatchObject({
      restricted_until: new Date((at + 3_600) * 1_000).toISOString(),
    })
    world.clock.advance({ seconds: 5 })
    await tell({
      event: 'ACCOUNT_RESTRICTION',
      restriction_info: [messaging(at + 60), messaging(undefined)],
    })
    expect(await account()).toMatchObject({
      restricted_since: expect.any(String) as string,
      restricted_until: null,
    })
  })

  test('does not affect another business account', async () => {
    const phone = world.simulator.addPhone({ wabaId: '201000000000099', token: 'token-99' })
    const second = {
      name: 'Other business',
      phone_id: phone.id,
      business_id: phone.wabaId,
      access_token: phone.token,
    }
    const { data } = await (await world.as('admin')).post('/api/accounts', second)
    await restrict()
    const there = (await (await world.as('admin')).get(`/api/accounts/${data['id']}`)).data
    expect(there).toMatchObject({ restricted_since: null })
  })
})
