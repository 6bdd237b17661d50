import { expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { startMailbox } from '../../../support/mailbox'
import { personWith } from '../../../support/people'
import { Receiver } from '../../../support/receiver'
import { World } from '../../../support/world'

async function withEndpoint(env: Record<string, string> = {}) {
  const receiver = new Receiver()
  const world = await World.create({
    env: { EGRESS_ALLOW: new URL(receiver.url).host, ...env },
  })
  const admin = await world.as('admin')
  const about = { name: 'CRM', url: receiver.url, events: ['contact.created'] }
  const path = `/api/webhooks/${(await admin.post('/api/webhooks', about)).data['id']}`
  let number = 6_500_000
  return {
    receiver,
    world,
    path,
    get: async (url = path): Promise<Loose> => (await (await world.as('admin')).get(url)).data,
    notices: async (): Promise<string[]> =>
      (
        (await (await world.as('admin')).get('/api/me/notifications')).data['items'] as Loose[]
      ).flatMap(({ kind }) => (String(kind).startsWith('webhook') ? [String(kind)] : [])),
    happens: async (): Promise<void> => {
      await admin.post('/api/contacts', { phone_number: `+1555${(number += 1)}` })
      await world.settle()
    },
    after: async (time: { hours?: number; seconds?: number }): Promise<void> => {
      world.clock.advance(time)
      await world.settle()
    },
    async [Symbol.asyncDispose]() {
      await world.stop()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

test('a server that was off for days does not disable an endpoint that failed before', async () => {
  await using at = await withEndpoint()
  at.receiver.reply = () => new Response('', { status: 500 })
  await at.happens()
  at.receiver.reply = () => new Response('')
  await at.after({ hours: 6 * 24 })
  expect(await at.get()).toMatchObject({ state: 'healthy', is_active: true })
  expect(await at.notices()).not.toContain('webhook_disabled')
})

test('notices are mailed to members who may change endpoints, unless they want no mail', async () => {
  const mailbox = await startMailbox()
  await using at = await withEndpoint({ SMTP_URL: mailbox.url })
  const silent = await personWith(at.world, ['webhooks:update'])
  await silent.client.put('/api/me/settings', { email_notifications: false })
  await personWith(at.world, ['webhooks:read'])
  at.receiver.reply = () => new Response('', { status: 410 })
  await at.happens()
  await at.after({ hours: 24 })
  expect(mailbox.mails.map(({ to }) => to.join()).toSorted()).toEqual([
    at.world.emailOf('admin', at.world.tenant),
    at.world.emailOf('manager', at.world.tenant),
  ])
  const [mail] = mailbox.mails
  expect(mail?.text).toContain('Subject: Webhook endpoint disabled: CRM')
  expect(mail?.text).toContain('It answered 410 Gone.')
  expect(mail?.link).toEndWith(`/settings${at.path.slice('/api'.length)}`)
  await mailbox.stop()
})

test('several requests that are answered 410 at the same time disable the endpoint once', async () => {
  await using at = await withEndpoint()
  const answers = Promise.withResolvers<undefined>()
  at.receiver.reply = async () => {
    await answers.promise
    return new Response('', { status: 410 })
  }
  const admin = await at.world.as('admin')
  for (let nth = 0; nth < 6; nth += 1)
    await admin.post('/api/contacts', { phone_number: `+1555${6_600_000 + nth}` })
  const settled = at.world.settle()
  await at.world.eventually(() => at.receiver.received.length === 6)
  answers.resolve(undefined)
  await settled
  expect(await at.get()).toMatchObject({ state: 'disabled', disabled_reason: 'gone' })
  expect(await at.notices()).toEqual(['webhook_disabled'])
  expect((await admin.get('/api/audit-logs?action=updated')).data['items']).toHaveLength(1)
})
