import { expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { World } from '../../../support/world'

test('a rejected send is shown as a discarded job with its reason', async () => {
  await using world = await World.create()
  world.stays('jobs')
  const contact = await world.contactOf()
  const admin = await world.as('admin')
  world.simulator.fail({ code: 131026 })
  const { data: message } = await admin.post(`/api/contacts/${contact['id']}/messages`, {
    type: 'text',
    text: 'Hello',
  })
  await world.settle()
  expect((await admin.get(`/api/messages/${message['id']}`)).data).toMatchObject({
    status: 'failed',
    error: { platform_code: 131026 },
  })
  const { data } = await admin.get('/api/jobs?state=discarded')
  expect(
    (data['items'] as Loose[]).map(({ kind, state, last_error }) => ({ kind, state, last_error })),
  ).toEqual([
    { kind: 'message.send', state: 'discarded', last_error: 'recipient_unreachable (131026)' },
  ])
})

test('a send that is retried shows its attempts and the last error', async () => {
  await using world = await World.create()
  world.stays('jobs')
  const contact = await world.contactOf()
  const admin = await world.as('admin')
  world.simulator.fail({ code: 131056 })
  await admin.post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text: 'Hello' })
  await world.settle()
  const [job] = (await admin.get('/api/jobs?kind=message.send')).data['items'] as Loose[]
  expect(job).toMatchObject({ state: 'retryable', attempt: 1 })
  expect(job?.['last_error']).toContain('131056')
  world.clock.advance({ seconds: 7 })
  await world.settle()
  expect((await admin.get('/api/jobs?kind=message.send')).data['items']).toMatchObject([
    { state: 'completed' },
  ])
})

test('a text of NUL characters is blank, and NUL is never sent', async () => {
  await using world = await World.create()
  const contact = await world.contactOf()
  const admin = await world.as('admin')
  const send = (text: string) =>
    admin.post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text })
  expect((await send('\0\0')).status).toBe(400)
  expect((await send('a\0b')).data['content']).toEqual({ text: 'ab' })
})
