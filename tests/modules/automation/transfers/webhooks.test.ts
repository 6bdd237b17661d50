import { expect, test } from 'bun:test'

import { Receiver } from '../../../support/receiver'
import { Desk, pathOf } from '../../../support/transfers'

test('endpoints hear of transfers, whatever caused the change', async () => {
  await using receiver = new Receiver()
  await using desk = await Desk.create(1, { env: { EGRESS_ALLOW: new URL(receiver.url).host } })
  const { world, inbox } = desk
  const admin = await world.as('admin')
  await admin.post('/api/webhooks', { name: 'CRM', url: receiver.url, events: ['transfer.*'] })
  await desk.settings({ sla_enabled: true, sla_response_minutes: 5, sla_escalation_minutes: 10 })
  const agent = await desk.agent()
  const transfer = await desk.transfer(0, { notes: 'Refund' })
  await agent.client.post(`${await inbox.path(0)}/claim`)
  await agent.client.post(`${await inbox.path(0)}/release`)
  await agent.client.post(pathOf(transfer, 'pickup'))
  await inbox.passes({ minutes: 6 })
  await inbox.passes({ minutes: 6 })
  await (await world.signIn(agent.email)).put(await inbox.path(0), { state: 'closed' })
  await world.settle()
  expect(receiver.types).toEqual([
    'transfer.created',
    'transfer.assigned',
    'transfer.returned',
    'transfer.assigned',
    'transfer.sla_breached',
    'transfer.escalated',
    'transfer.resumed',
  ])
  expect(receiver.received[0]?.body).toMatchObject({
    type: 'transfer.created',
    data: { id: transfer['id'], notes: 'Refund', contact_id: transfer['contact_id'] },
  })
  const refused = await (
    await world.as('agent')
  ).post('/api/webhooks', { name: 'Mine', url: receiver.url, events: ['transfer.*'] })
  expect(refused.status).toBe(403)
})
