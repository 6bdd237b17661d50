import { expect, test } from 'bun:test'

import { Receiver } from '../../support/receiver'
import { World } from '../../support/world'

test('a change of consent names the purpose, the source and the time of the change', async () => {
  await using receiver = new Receiver()
  await using world = await World.create({
    env: { EGRESS_ALLOW: new URL(receiver.url).host },
  })
  const admin = await world.as('admin')
  const { id } = await world.contactOf()
  await admin.post('/api/webhooks', {
    name: 'CRM',
    url: receiver.url,
    events: ['contact.consent_changed'],
  })
  await admin.post(`/api/contacts/${id}/consents`, { state: 'opted_in' })
  world.clock.advance({ seconds: 30 })
  await world.settle()
  expect(receiver.received.map(({ body }) => body.data)).toEqual([
    {
      contact_id: id,
      purpose: 'marketing',
      state: 'opted_in',
      source: 'agent',
      at: '2026-11-21T09:30:00.000Z',
    },
  ])
})
