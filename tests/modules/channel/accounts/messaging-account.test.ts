import { describe, expect, test } from 'bun:test'

import { approvedTemplate } from '../../../support/campaigns'
import type { Answer, Loose } from '../../../support/client'
import { deliver, lineOf, statusTo, takenBodies, textTo } from '../../../support/lines'
import { World } from '../../../support/world'

const [PAYER, OTHER_PAYER] = ['701000000000001', '701000000000002']
const SECOND = '301000000000077'
const REJECTED = 'messaging_account_rejected'

const pathOf = (world: World): string => `/api/accounts/${world.tenant.accountId}`

const accountOf = async (world: World): Promise<Loose> =>
  (await (await world.as('admin')).get(pathOf(world))).data

const payAs = async (world: World, id: string | null): Promise<Loose> =>
  (await (await world.as('admin')).put(pathOf(world), { messaging_account_id: id })).data

/** WhatsApp lets one of these messaging accounts pay for what the first tenant's number sends. */
const offer = (world: World, ...messagingAccounts: string[]): unknown =>
  world.simulator.addPhone({ id: world.tenant.phoneId, messagingAccounts })

/** Sends to a contact and waits until nothing moves. Returns the message. */
async function send(world: World, contact: Loose, more: Loose = {}): Promise<Loose> {
  const admin = await world.as('admin')
  const { data } = await admin.post(`/api/contacts/${contact['id']}/messages`, {
    type: 'text',
    text: 'Hi',
    ...more,
  })
  await world.settle()
  return (await admin.get(`/api/messages/${data['id']}`)).data
}

const payersIn = (world: World): unknown[] =>
  takenBodies(world).map(({ messaging_account_id }) => messaging_account_id as unknown)

const notices = (world: World): Loose[] =>
  world.rows("select title, body from notifications where kind = 'account_suspended'")

describe('the messaging account of a number', () => {
  test('is set, changed, shown, cleared and audited; another number does not keep it', async () => {
    await using world = await World.create({ isConnected: false })
    const admin = await world.as('admin')
    const { phoneId, wabaId, token } = world.tenant
    const ids = { phone_id: phoneId, business_id: wabaId, access_token: token }
    const created = await admin.post('/api/accounts', {
      name: 'Main',
      ...ids,
      messaging_account_id: PAYER,
    })
    expect(created).toMatchObject({ status: 201, data: { messaging_account_id: PAYER } })
    const path = `/api/accounts/${created.data['id']}`
    const change = async (body: Loose): Promise<unknown> =>
      (await admin.put(path, body)).data['messaging_account_id']
    expect(await change({ name: 'Same' })).toBe(PAYER)
    expect(await change({ messaging_account_id: OTHER_PAYER })).toBe(OTHER_PAYER)
    const refused = await admin.put(path, { messaging_account_id: 'act_7' })
    expect([refused.status, refused.body.errors]).toMatchObject([
      400,
      [{ path: 'body.messaging_account_id' }],
    ])
    expect(await change({ messaging_account_id: null })).toBeNull()
    const { data } = await admin.get('/api/audit-logs?resource_type=account&action=updated')
    expect((data['items'] as Loose[]).map(({ changes }) => changes as unknown)).toEqual([
      [{ field: 'messaging_account_id', old_value: OTHER_PAYER, new_value: null }],
      [{ field: 'messaging_account_id', old_value: PAYER, new_value: OTHER_PAYER }],
      [{ field: 'name', old_value: 'Main', new_value: 'Same' }],
    ])
    await change({ messaging_account_id: PAYER })
    world.simulator.addPhone({ id: SECOND, wabaId, token })
    expect(await change({ phone_id: SECOND })).toBeNull()
    expect(await change({ phone_id: phoneId, messaging_account_id: PAYER })).toBe(PAYER)
    // A number that is connected anew begins without it.
    await admin.delete(path)
    const again = await admin.post('/api/accounts', { name: 'Again', ...ids })
    expect(again.data).toMatchObject({ id: created.data['id'], messaging_account_id: null })
  })

  test('is named in every message of this number and of no other one', async () => {
    await using world = await World.create()
    const contact = await world.contactOf()
    const stranger = await world.contactOf(world.other)
    const admin = await world.as('admin')
    const { wabaId, token, accountId } = world.tenant
    offer(world, PAYER, OTHER_PAYER)
    await payAs(world, PAYER)
    world.simulator.addPhone({ id: SECOND, wabaId, token })
    const { data: second } = await admin.post('/api/accounts', {
      name: 'Second',
      phone_id: SECOND,
      business_id: wabaId,
      access_token: token,
    })
    const line = { ...lineOf(world.tenant), phoneNumberId: SECOND }
    const person = { waId: String(contact['wa_id']), userId: String(contact['user_id']) }
    await deliver(world, textTo(world, 'To the second', { line, person }))
    const { wa_message_id } = await send(world, contact, { account_id: accountId })
    expect(wa_message_id).toBeString()
    const template = await approvedTemplate(world, { category: 'MARKETING' })
    for (const policy of ['never', 'always']) {
      await admin.put(pathOf(world), { marketing_path: { policy } })
      const { data } = await admin.post('/api/messages/template', {
        contact_id: contact['id'],
        account_id: accountId,
        template_id: template,
        template_params: { '1': 'Ann' },
      })
      await world.settle()
      expect((await admin.get(`/api/messages/${data['id']}`)).data['status']).toBe('delivered')
    }
    const messages = (await admin.get(`/api/contacts/${contact['id']}/messages`)).data['items']
    const [hello] = messages as Loose[]
    const reaction = `/api/contacts/${contact['id']}/messages/${hello?.['id']}/reaction`
    expect((await admin.post(reaction, { emoji: '👍' })).status).toBe(200)
    await world.settle()
    await send(world, contact, { account_id: second['id'] })
    const bolt = await world.as('admin', world.other)
    await bolt.post(`/api/contacts/${stranger['id']}/messages`, { type: 'text', text: 'Hi' })
    await world.settle()
    expect(payersIn(world)).toEqual([PAYER, PAYER, PAYER, PAYER, undefined, undefined])
    const preview = { contact_id: contact['id'], account_id: accountId, type: 'text', text: 'Hi' }
    expect((await admin.post('/api/messages/preview', preview)).data).toMatchObject({
      platform_payload: { messaging_account_id: PAYER },
    })
  })

  test.each<[string, string | null]>([
    ['needed and not set', null],
    ['set to a wrong one', '799999999999999'],
  ])(
    'that is %s stops the number once, says what to do, and loses no message',
    async (_, payer) => {
      await using world = await World.create()
      const contact = await world.contactOf()
      const other = await world.contactOf(world.tenant, 'Hi', '15550300002')
      offer(world, PAYER, OTHER_PAYER)
      if (payer !== null) await payAs(world, payer)
      const admin = await world.as('admin')
      const write = async (to: Loose): Promise<Answer<Loose>> =>
        await admin.post(`/api/contacts/${to['id']}/messages`, { type: 'text', text: 'Hi' })
      const [first, second] = [await write(contact), await write(other)].map(({ data }) => data)
      await world.settle()
      expect(await accountOf(world)).toMatchObject({
        status: 'suspended',
        status_reason: REJECTED,
        last_error: {
          code: REJECTED,
          message:
            'WhatsApp asks for the messaging account of this number, or does not accept the one ' +
            'that is set. Enter its ID in the settings of the number.',
        },
      })
      expect(world.simulator.callsOf({ route: 'messages' }).length).toBeLessThanOrEqual(2)
      const told = notices(world)
      expect(told.length).toBeGreaterThan(0)
      for (const { body } of told) expect(body).toContain('messaging account')
      const refused = await write(contact)
      expect([refused.status, refused.body]).toMatchObject([
        400,
        {
          code: 'account_inactive',
          message: expect.stringContaining('Enter its ID in the settings') as unknown,
        },
      ])
      // Something else that changes is no answer.
      await (await world.as('admin')).put(pathOf(world), { name: 'Renamed' })
      await world.settle()
      expect((await accountOf(world))['status']).toBe('suspended')
      expect(await payAs(world, OTHER_PAYER)).toMatchObject({ status: 'active', last_error: null })
      await world.settle()
      for (const message of [first, second])
        expect((await admin.get(`/api/messages/${message?.['id']}`)).data['status']).toBe(
          'delivered',
        )
      expect(payersIn(world)).toEqual([OTHER_PAYER, OTHER_PAYER])
      expect(notices(world)).toEqual(told)
    },
  )

  test('that a status reports as wrong stops the number and fails the message', async () => {
    await using world = await World.create()
    const contact = await world.contactOf()
    world.simulator.failLater({ code: 100, details: 'messaging_account_id cannot pay' })
    const message = await send(world, contact)
    expect(message).toMatchObject({
      status: 'failed',
      error: { code: REJECTED, platform_code: 100, details: 'messaging_account_id cannot pay' },
    })
    expect(await accountOf(world)).toMatchObject({ status: 'suspended', status_reason: REJECTED })
  })

  test('does not stop the number when it was changed during the call', async () => {
    await using world = await World.create()
    const contact = await world.contactOf()
    offer(world, PAYER, OTHER_PAYER)
    world.simulator.slow(150)
    const sent = send(world, contact)
    await world.simulator.waitForCalls(1, { route: 'messages' })
    await payAs(world, PAYER)
    const { id } = await sent
    await world.settle()
    const { data } = await (await world.as('admin')).get(`/api/messages/${id}`)
    expect([data['status'], (await accountOf(world))['status']]).toEqual(['delivered', 'active'])
    expect(notices(world)).toEqual([])
  })

  test('has nothing to do with another wrong value: only the message fails', async () => {
    await using world = await World.create()
    const contact = await world.contactOf()
    world.simulator.fail({ code: 100, details: 'Param messaging_product is not valid' })
    expect(await send(world, contact)).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_message' },
    })
    await deliver(world, statusTo(world, 'wamid.unknown', 'delivered'))
    expect((await accountOf(world))['status']).toBe('active')
  })
})
