import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'

import type { Loose } from '../support/client'
import { CHROMIUM } from './support/chromium'
import { LiveWorld, type Journey } from './support/journey'

const DAY_MS = 86_400_000

describe.skipIf(CHROMIUM === null)('messages for later, calls, orders and duplicates', () => {
  let live: LiveWorld
  let journey: Journey
  let page: Page

  const itemsOf = async (path: string): Promise<Loose[]> =>
    (await (await live.world.as('admin')).get(path)).data['items'] as Loose[]
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })
  const choose = async (name: string, item: string): Promise<void> => {
    await row(name).getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }

  beforeAll(async () => {
    live = await LiveWorld.create()
    const { simulator, tenant, clock } = live.world
    const ana = simulator.customer({ phone: tenant.phoneId, name: 'Ana Sol' })
    await ana.orders([
      { product_retailer_id: 'cake', quantity: 2, item_price: 19, currency: 'EUR' },
    ])
    await (await ana.calls()).ends(0)
    await live.world.settle()
    const admin = await live.world.as('admin')
    const [contact] = await itemsOf('/api/contacts')
    await admin.post('/api/scheduled-messages', {
      contact_id: contact?.['id'],
      message: { type: 'text', text: 'Your cake is ready' },
      send_at: new Date(clock.nowMs() + 2 * DAY_MS).toISOString(),
    })
    for (const [nth, name] of ['Ben Luz', 'Ben L.'].entries())
      await admin.post('/api/contacts', {
        ...{ name, phone_number: `+1555020000${nth}`, metadata: { email: 'ben@example.com' } },
      })
    journey = await live.open({ path: '/contacts' })
    page = journey.page
    await journey.signIn('admin')
  }, 60_000)

  afterAll(() => live.stop())

  test('a message for later is changed, cancelled, brought back and sent now', async () => {
    await page.getByRole('link', { name: 'Scheduled' }).click()
    await row('Your cake is ready').waitFor()
    const writeDay = async (day: string): Promise<void> => {
      const [year = '', ...rest] = day.split('-')
      await page.getByRole('spinbutton').first().click()
      await page.keyboard.type([...rest, year].join(''))
    }
    const ahead = (days: number): string =>
      new Date(live.world.clock.nowMs() + days * DAY_MS).toISOString().slice(0, 10)
    await writeDay(ahead(3))
    await page.getByText('Nothing matches').waitFor()
    await writeDay(ahead(2))
    await row('Your cake is ready').waitFor()
    await writeDay(ahead(3))
    await page.getByRole('button', { name: 'Show all' }).click()
    await row('Your cake is ready').waitFor()
    await choose('Ana Sol', 'Change time or text')
    await page.getByRole('dialog').getByLabel('Message').fill('Your cake waits for you')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await row('Your cake waits for you').waitFor()
    await choose('Ana Sol', 'Do not send')
    await page.getByText('No messages here').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await choose('Ana Sol', 'Send now')
    await page.getByText('No messages here').waitFor()
    expect(await itemsOf('/api/scheduled-messages?state=sent')).toMatchObject([
      { message: { text: 'Your cake waits for you' }, contact: { display_name: 'Ana Sol' } },
    ])
  }, 60_000)

  test('a missed call is found, and the customer asked for permission', async () => {
    await page.getByRole('link', { name: 'Calls' }).click()
    await row('Ana Sol').getByText('Missed').waitFor()
    await page.getByRole('button', { name: /Outcome/ }).click()
    await page.getByRole('option', { name: 'Answered' }).click()
    await row('Ana Sol').waitFor({ state: 'detached' })
    expect(page.url()).toContain('state=ended')
    await page.goto('/calls?state=missed')
    await choose('Ana Sol', 'Ask for permission to call')
    await page.getByText('The customer has not been asked yet.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
    await page.getByText('The customer was asked').waitFor()
  }, 60_000)

  test('an order shows its lines, and is confirmed', async () => {
    await page.getByRole('link', { name: 'Orders' }).click()
    await page.getByRole('button', { name: '2 × cake' }).click()
    await page.getByRole('dialog').getByText('€38.00').first().waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await choose('Ana Sol', 'Confirm')
    await row('Ana Sol').getByText('Confirmed').waitFor()
  }, 60_000)

  test('duplicates are merged into either side, and separated again', async () => {
    await page.getByRole('link', { name: /Duplicates/ }).click()
    await page.getByText('They have the same email address.').waitFor()
    await journey.requireAccessible()
    await page.getByRole('button', { name: 'Keep this one: Ben L.' }).click()
    await page.getByText('No two contacts look like the same person.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('cell', { name: '+1 555 020 0001' }).waitFor()
    expect(await itemsOf('/api/contacts?search=Ben')).toHaveLength(2)
  }, 60_000)

  test('a pair that is not the same person is put aside, and checked again', async () => {
    await page.getByRole('button', { name: 'Not the same person' }).click()
    await page.getByText('No two contacts look like the same person.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await page.getByRole('button', { name: 'Not the same person' }).click()
    await page.getByText('No two contacts look like the same person.').waitFor()
    await page.getByRole('link', { name: 'Not the same person' }).click()
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByText('Nothing here').waitFor()
    await page.getByRole('link', { name: 'To check' }).click()
    await page.getByRole('cell', { name: '+1 555 020 0001' }).waitFor()
  }, 60_000)

  test('a person’s own data is written into a file that waits on the page', async () => {
    await page.getByRole('link', { name: 'Ben Luz' }).click()
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: /as a file/ }).click()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    expect((await saved).suggestedFilename()).toMatch(/^privacy-export-.*\.zip$/)
  }, 60_000)

  test('had no error of the page', () => journey.finish(), 30_000)
})
