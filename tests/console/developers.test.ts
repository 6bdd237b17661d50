import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Customer } from '../../src/simulator/customers'
import { textTo } from '../support/lines'
import { personWith } from '../support/people'
import { Receiver } from '../support/receiver'
import { secondNumber, SECOND_PHONE_ID } from '../support/second-number'
import { PASSWORD } from '../support/world'
import { CHROMIUM } from './support/chromium'
import { EXPIRED, LiveWorld, type Journey } from './support/journey'

/** What a broken receiver answers: markup that must stay text. */
const BROKEN = '<img src=x onerror="document.title=1">This route is gone'

describe.skipIf(CHROMIUM === null)('an integrator', () => {
  let receiver: Receiver
  let live: LiveWorld
  let ana: Customer
  let journey: Journey

  beforeAll(async () => {
    receiver = new Receiver()
    live = await LiveWorld.create({ env: { EGRESS_ALLOW: new URL(receiver.url).host } })
    ana = live.world.simulator.customer({ phone: live.world.tenant.phoneId, name: 'Ana Sol' })
    journey = await live.open({ path: '/settings/webhooks', expected: [/status of 400/] })
    await journey.signIn('admin')
  }, 60_000)

  afterAll(async () => {
    await live.stop()
    await receiver[Symbol.asyncDispose]()
  })

  test('adds an endpoint for some events, keeps its secret, and sees a test arrive', async () => {
    const { page } = journey
    await page.getByText('No endpoints yet').waitFor()
    const reference = await page.getByRole('link', { name: 'Read how' }).getAttribute('href')
    expect((await page.request.get(reference ?? '')).status()).toBe(200)
    await page.getByRole('button', { name: 'New endpoint' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('CRM')
    await page.getByRole('textbox', { name: 'Address' }).fill('https://10.0.0.1/hook')
    await page.getByText('All events, also those').click()
    const events = page.getByRole('region', { name: 'Events' })
    await events.getByText('Messages', { exact: true }).click()
    await page.getByText('A customer wrote').click()
    await page.getByRole('button', { name: 'Example of message.received' }).click()
    const example = page.getByRole('dialog', { name: 'A customer wrote' })
    await example.getByText('"message.received"').waitFor()
    await journey.requireAccessible()
    await example.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This address is not allowed.').first().waitFor()
    await page.getByRole('textbox', { name: 'Address' }).fill(receiver.url)
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your signing secret' })
    const secret = (await dialog.locator('.secret code').textContent()) ?? ''
    await dialog.getByText('I have stored it').click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByText('The test arrived').waitFor()
    await page.getByText('thanks', { exact: true }).waitFor()
    const [arrived] = receiver.received
    expect(arrived?.body.type).toBe('webhook.test')
    expect(arrived && Receiver.isSigned(arrived, secret)).toBe(true)
    await journey.requireAccessible()
  }, 60_000)

  test('finds what a broken receiver answered, and sends one again after it is mended', async () => {
    const { page } = journey
    receiver.reply = () => new Response(BROKEN, { status: 410 })
    for (const words of ['One', 'Two', '<b>Three</b>']) {
      await ana.says(words)
      await live.world.settle()
    }
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('link', { name: 'CRM' }).click()
    await page.getByText(/the receiver answered that this address is gone/).waitFor()
    await page.getByRole('link', { name: 'Deliveries', exact: true }).click()
    const rows = page.getByRole('row').filter({ hasText: 'Missed' })
    await rows.nth(2).waitFor()
    await rows.filter({ hasText: 'answered 410' }).getByRole('link').click()
    await page.getByText(BROKEN).waitFor()
    expect(await page.locator('img[src=x]').count()).toBe(0)
    await page.getByText('"One"').waitFor()
    await journey.requireAccessible()
    await journey.picture('delivery')

    receiver.reply = () => new Response('welcome back')
    const endpoint = new URL(page.url()).pathname.split('/').slice(0, 4).join('/')
    await page.goto(endpoint)
    await page.getByRole('button', { name: 'Resume', exact: true }).click()
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Deliveries', exact: true }).click()
    await rows.filter({ hasText: 'answered 410' }).getByRole('link').click()
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('welcome back').waitFor()
    await page.getByText('The receiver accepted it. Sent by a person.').waitFor()
  }, 60_000)

  test('sends an hour again, and sees how far it is', async () => {
    const { page } = journey
    await page.getByRole('link', { name: 'All deliveries' }).click()
    await page.getByRole('button', { name: 'Send a time span again' }).click()
    await page.getByText('3 deliveries will be sent again').waitFor()
    await journey.requireAccessible()
    const before = receiver.received.length
    await page.getByRole('button', { name: 'Send 3 again' }).click()
    const progress = page.getByRole('group', { name: 'All events were sent again' })
    await progress.getByText('3 of 3').waitFor()
    const texts = receiver.received
      .slice(before)
      .map(({ body }) => (body.data['content'] as { text: string }).text)
    expect(texts).toEqual(['One', 'Two', '<b>Three</b>'])
    await page.getByRole('row').filter({ hasText: 'Arrived' }).nth(3).waitFor()
    await journey.picture('replayed')
  }, 60_000)

  test('replaces the secret, ends the old one, and deletes the endpoint by its name', async () => {
    const { page } = journey
    await page.getByRole('link', { name: 'Overview', exact: true }).click()
    await page.getByRole('button', { name: 'Replace the secret' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Replace the secret' }).click()
    await dialog.getByText('I have stored it').click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByText(/Two secrets sign each request until/).waitFor()
    await page.getByRole('button', { name: 'End the old secret now' }).click()
    await dialog.getByRole('button', { name: 'End the old secret now' }).click()
    await page.getByRole('button', { name: 'Replace the secret' }).waitFor()
    await page.getByRole('button', { name: 'Actions for CRM' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete CRM' }).click()
    await page.getByText('No endpoints yet').waitFor()
  }, 60_000)

  test('changes a key, and takes over that of somebody who left', async () => {
    const { world } = live
    const { page } = journey
    const own = await personWith(world, ['api_keys:create', 'contacts:read'])
    await own.client.post('/api/api-keys', { name: 'Shop', permissions: ['contacts:read'] })
    const admin = await world.as('admin')
    expect((await admin.delete(`/api/users/${own.userId}`)).status).toBe(200)
    await page.getByRole('link', { name: 'API keys' }).click()
    const shop = page.getByRole('listitem').filter({ hasText: 'Shop' })
    await shop.getByText('Its owner has left').waitFor()
    await shop.getByRole('button', { name: 'Actions for Shop' }).click()
    await page.getByRole('menuitem', { name: 'Take over' }).click()
    await shop.getByText('Its owner has left').waitFor({ state: 'detached' })
    await shop.getByRole('button', { name: 'Actions for Shop' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change key' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Web shop')
    await dialog.getByText('Programs can use this key').click()
    await dialog.getByText('See all tags').or(dialog.getByText('tags:read')).first().click()
    await journey.requireAccessible()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Switched off').waitFor()
    const { data } = await admin.get('/api/api-keys')
    expect(data['items']).toMatchObject([
      { name: 'Web shop', is_active: false, permissions: ['contacts:read', 'tags:read'] },
    ])
  }, 60_000)

  test('who only reads changes nothing, and who may not read learns what is missing', async () => {
    const own = await personWith(live.world, ['webhooks:read', 'jobs:read'])
    const reader = await live.open({ path: '/settings/webhooks' })
    const { page } = reader
    await reader.enter(own.email, PASSWORD)
    await page.getByText('No endpoints yet').waitFor()
    expect(await page.getByRole('button', { name: 'New endpoint' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Send queue' }).click()
    await page.getByText('Nothing waits.').waitFor()
    expect(await page.getByRole('button', { name: 'Pause sending' }).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Incoming' }).count()).toBe(0)
    await page.goto('/settings/incoming')
    await page.getByText('You cannot see this').waitFor()
    await reader.finish()
  }, 60_000)

  test('pauses a number, sees why its message waits, and cancels it', async () => {
    const { world } = live
    const { page } = journey
    await page.getByRole('link', { name: 'Send queue' }).click()
    await page.getByRole('button', { name: 'Pause sending' }).click()
    await page.getByRole('textbox', { name: /Why/ }).fill('Wrong price list')
    await page.getByRole('dialog').getByRole('button', { name: 'Pause sending' }).click()
    await page.getByRole('button', { name: 'Resume sending' }).waitFor()
    const admin = await world.as('admin')
    const { data } = await admin.get('/api/contacts?search=Ana')
    const [contact] = data['items'] as { id: string }[]
    await admin.post(`/api/contacts/${contact?.id}/messages`, { type: 'text', text: 'Held' })
    await world.settle()
    await page.getByRole('button', { name: 'Load again' }).click()
    await page.getByRole('listitem').filter({ hasText: 'paused by a person' }).waitFor()
    await journey.requireAccessible()
    await page.getByRole('button', { name: 'Cancel what waits' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel 1 message' }).click()
    await page.getByText('Nothing waits.').waitFor()
    await page.getByRole('button', { name: 'Resume sending' }).click()
    await page.getByRole('button', { name: 'Pause sending' }).waitFor()
    await journey.finish()
  }, 60_000)

  test('as super admin processes what came for an unknown number once it is connected', async () => {
    const { world } = live
    const body = JSON.stringify(textTo(world, 'Anybody there?'))
    const { phoneId } = world.tenant
    await world.simulator.post(body.replaceAll(phoneId ?? '', SECOND_PHONE_ID))
    await world.settle()
    world.clock.advance({ hours: 25 }) // later ones are processed by themselves
    await secondNumber(world)
    const root = await live.open({
      path: '/settings/incoming?state=unrouted',
      expected: [EXPIRED],
    })
    const { page } = root
    await page.clock.setFixedTime(world.clock.nowMs())
    await root.signIn('super')
    await page.getByRole('row').filter({ hasText: 'Number unknown' }).getByRole('link').click()
    await page.getByText('"Anybody there?"').waitFor()
    await root.requireAccessible()
    await page.getByRole('button', { name: 'Process again' }).click()
    await world.eventually(
      () => world.rows("select 1 from messages where preview like 'Anybody%'").length > 0,
    )
    await page.getByRole('button', { name: 'Load again' }).click()
    await page.getByText('Everything in it was applied.').waitFor()
    await root.finish()
  }, 60_000)
})
