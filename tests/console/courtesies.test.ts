import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'

import { graphOf } from '../support/bots'
import type { Customer } from '../../src/simulator/customers'
import { CHROMIUM } from './support/chromium'
import { LiveWorld, type Journey } from './support/journey'

/** Messages that fill more than what a thread loads at once. */
const MANY = 70
/** Longer than what is not shown stays in the cache. */
const FORGOTTEN_MS = 6 * 60_000

describe.skipIf(CHROMIUM === null)('what a conversation tells', () => {
  let live: LiveWorld
  let ana: Customer
  let journey: Journey
  let page: Page
  /** What WhatsApp calls the first message. */
  let first: string

  beforeAll(async () => {
    live = await LiveWorld.create()
    const { world } = live
    ana = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Ana Sol' })
    first = (await ana.says('Are you open today?')).id
    await world.settle()
    await (
      await world.as('admin')
    ).put(`/api/accounts/${world.tenant.accountId}`, { auto_read_receipt: true })
    journey = await live.open({ expected: [/status of 409/] })
    page = journey.page
    await journey.signIn('admin')
    await page.getByRole('listitem').filter({ hasText: 'Ana Sol' }).getByRole('link').click()
    await page.getByRole('log').getByText('Are you open today?').waitFor()
  }, 60_000)

  afterAll(() => live.stop())

  const field = (): Locator => page.getByRole('textbox', { name: 'Message' })
  const choose = (mode: string): Promise<void> =>
    page.locator('.composer').getByText(mode, { exact: true }).click()
  const typingShown = (): number =>
    live.world.simulator.calls.filter(({ body }) =>
      JSON.stringify(body ?? null).includes('typing_indicator'),
    ).length
  const conversation = async (): Promise<{ id: string; contact: { id: string } }> => {
    const { data } = await (await live.world.as('admin')).get('/api/conversations')
    return (data['items'] as { id: string; contact: { id: string } }[])[0] ?? raise()
  }
  const raise = (): never => {
    throw new Error('there is no conversation')
  }

  test('shows the customer that somebody types, once in 20 seconds, and not for notes', async () => {
    await choose('Note')
    await page.getByRole('textbox', { name: 'Note' }).pressSequentially('for us')
    await page.getByRole('textbox', { name: 'Note' }).fill('')
    await choose('Message')
    expect(typingShown()).toBe(0)
    await field().pressSequentially('Yes, until six')
    await live.world.eventually(() => typingShown() === 1)
    await field().fill('')
    expect(journey.requests.filter((one) => one.endsWith('/typing'))).toHaveLength(1)
  }, 60_000)

  test('names the person or the queue to which somebody transfers', async () => {
    const { contact } = await conversation()
    const manager = await live.world.as('manager')
    const body = { contact_id: contact.id, account_id: live.world.tenant.accountId }
    const { data } = await manager.post('/api/chatbot/transfers', body)
    await page.getByText('Acme manager transferred this to the general queue').waitFor()
    const { id } = data['transfer'] as { id: string }
    await manager.put(`/api/chatbot/transfers/${id}/resume`, {})
    await (await live.world.as('agent')).put('/api/me/availability', { is_available: true })
    const again = await manager.post('/api/chatbot/transfers', {
      ...body,
      agent_id: live.world.tenant.userIds.agent,
    })
    expect(again.status).toBe(201)
    await page.reload()
    await page.getByText('Acme manager transferred this to Acme agent').waitFor()
    expect(await page.getByText('someone').count()).toBe(0)
  }, 60_000)

  test('writes dates as the language does, unless the organization chose a pattern', async () => {
    const now = new Date()
    const { timezone } = (await (await live.world.as('admin')).get('/api/me')).data['organization'][
      'settings'
    ]
    const written = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: timezone })
    const title = (): Promise<string | null> =>
      page.getByRole('log').locator('.event time').first().getAttribute('title')
    expect(await title()).toStartWith(written.format(now))
    const admin = await live.world.as('admin')
    await admin.put('/api/organizations/settings', { date_format: 'DD.MM.YYYY' })
    await page.reload()
    await page.getByRole('log').locator('.event').first().waitFor()
    expect(await title()).toMatch(/^\d\d\.\d\d\.\d{4} /)
  }, 60_000)

  test('offers to load templates if there are none', async () => {
    await choose('Template')
    await page.getByText('The templates of this number are not loaded').waitFor()
    await journey.requireAccessible()
    await journey.picture('templates-unloaded')
    await page.getByRole('button', { name: 'Load templates' }).click()
    await page.getByText(/\d+ templates? loaded|No templates found/).waitFor()
  }, 60_000)

  test('names the colleague who answered, although older messages are shown', async () => {
    const { id } = await conversation()
    const manager = await live.world.as('manager')
    const { data } = await manager.get(`/api/conversations/${id}/messages?limit=100`)
    const items = data['items'] as { id: string; wa_message_id: string }[]
    const old = items.find((one) => one.wa_message_id === first)?.id ?? ''
    for (let number = 0; number < MANY; number += 1) {
      await ana.says(`line ${number}`)
      if (number % 5 === 4) await live.world.settle()
    }
    await page.clock.install()
    await page.goto(`/inbox/${id}?message=${old}`)
    await page.getByRole('log').getByText('Are you open today?').waitFor()
    // the newest messages, which came with the conversation and are not shown, are forgotten
    await page.clock.fastForward(FORGOTTEN_MS)
    await field().fill('Yes, we are.')
    live.world.clock.advance({ seconds: 5 }) // the page knows the server's time but roughly
    await manager.post(`/api/conversations/${id}/messages`, { type: 'text', text: 'Until six' })
    await live.world.settle()
    await page.getByRole('listitem').filter({ hasText: 'Until six' }).waitFor()
    await field().press('Enter')
    await page.getByText('Acme manager answered meanwhile.').waitFor()
    expect(await page.getByText('Colleague answered').count()).toBe(0)
  }, 60_000)

  test('shows until when a flow of the bot waits, as long as it does', async () => {
    const { world } = live
    const admin = await world.as('admin')
    await admin.put('/api/chatbot/settings', { chatbot_enabled: true, debounce_seconds: 0 })
    await admin.post('/api/chatbot/flows', {
      name: 'Later',
      enabled: true,
      trigger_keywords: ['later'],
      graph: graphOf([
        ['wait', 'delay', { seconds: 3_600 }],
        ['end', 'end'],
      ]),
    })
    const cleo = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Cleo Day' })
    await cleo.says('later')
    await world.settle()
    await page.goto('/inbox?view=bot')
    const row = page.getByRole('listitem').filter({ hasText: 'Cleo Day' })
    await row.getByRole('img', { name: /^The bot waits until / }).waitFor()
    await row.getByRole('link').click()
    const waits = page.locator('.composer').getByText('The bot waits until')
    await waits.waitFor()
    await journey.requireAccessible()
    await journey.picture('bot-waits')
    await cleo.says('cancel')
    await world.settle()
    await waits.waitFor({ state: 'detached' })
  }, 60_000)
})
