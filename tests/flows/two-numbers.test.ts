import { expect, test } from 'bun:test'

import { deliver, lineOf, textTo } from '../support/lines'
import { World } from '../support/world'

const SECOND = '301000000000077'

/** A world whose first tenant has a second number, to which the same customer has written. */
async function withTwoNumbers() {
  const world = await World.create()
  const { wabaId, token } = world.tenant
  const contact = await world.contactOf()
  world.simulator.addPhone({
    id: SECOND,
    wabaId,
    token,
    displayPhoneNumber: '+1 555-010-0077',
    verifiedName: 'Second',
  })
  const admin = await world.as('admin')
  const { data } = await admin.post('/api/accounts', {
    name: 'Second',
    phone_id: SECOND,
    business_id: wabaId,
    access_token: token,
  })
  const person = { waId: String(contact['wa_id']), userId: String(contact['user_id']) }
  await deliver(
    world,
    textTo(world, 'Hello too', {
      line: { ...lineOf(world.tenant), phoneNumberId: SECOND },
      person,
    }),
  )
  const send = async (text: string, accountId: unknown): Promise<string> => {
    const answer = await admin.post(`/api/contacts/${contact['id']}/messages`, {
      type: 'text',
      text,
      account_id: accountId,
    })
    expect(answer.status).toBe(201)
    return String(answer.data['id'])
  }
  const read = async (id: string) =>
    (await (await world.as('admin')).get(`/api/messages/${id}`)).data
  return { world, admin, second: data['id'], send, read }
}

test('waiting messages of one number do not delay messages of another number to the same contact', async () => {
  const { world, admin, second, send, read } = await withTwoNumbers()
  await using _ = world
  await admin.post('/api/outbox/pause', {
    account_id: world.tenant.accountId,
    reason: 'Maintenance',
  })
  const [held, free] = [await send('Held', world.tenant.accountId), await send('Free', second)]
  await world.settle()
  expect([(await read(held))['status'], (await read(free))['status']]).toEqual([
    'pending',
    'delivered',
  ])
  await admin.post('/api/outbox/resume', { account_id: world.tenant.accountId })
  await world.settle()
  expect((await read(held))['status']).toBe('delivered')
})

test('a message waiting for a retry is not overtaken by messages of another number', async () => {
  const { world, second, send, read } = await withTwoNumbers()
  await using _ = world
  world.simulator.fail({ code: 131_056 }, { phone: world.tenant.phoneId, times: 1 })
  const waiting = await send('Waiting', world.tenant.accountId)
  await world.settle()
  const other = await send('Other', second)
  await world.settle()
  expect([(await read(waiting))['status'], (await read(other))['status']]).toEqual([
    'pending',
    'delivered',
  ])
  expect((await read(waiting))['warnings']).toEqual([])
})
