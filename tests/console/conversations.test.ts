import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'

import type { Customer } from '../../src/simulator/customers'
import type { Loose } from '../support/client'
import { personWith } from '../support/people'
import { PASSWORD } from '../support/world'
import { CHROMIUM } from './support/chromium'
import { EXPIRED, LiveWorld, type Journey } from './support/journey'

describe.skipIf(CHROMIUM === null)('conversations', () => {
  let live: LiveWorld
  let ana: Customer
  let journey: Journey
  let page: Page

  beforeAll(async () => {
    live = await LiveWorld.create()
    ana = live.world.simulator.customer({ phone: live.world.tenant.phoneId, name: 'Ana Sol' })
    await ana.says('Are you open today?')
    // a second request for the permission to call is refused
    journey = await live.open({ expected: [EXPIRED, /status of 409/] })
    page = journey.page
    await journey.signIn('admin')
    await open(page, 'Ana Sol')
  }, 60_000)

  afterAll(() => live.stop())

  const rowOf = (at: Page, name: string): Locator =>
    at.getByRole('listitem').filter({ hasText: name }).getByRole('link')
  const bubbleOf = (words: string | RegExp): Locator =>
    page.getByRole('log').getByRole('article').filter({ hasText: words })
  const open = async (at: Page, name: string): Promise<void> => {
    await rowOf(at, name).click()
    await at.locator('.thread-head h2', { hasText: name }).waitFor()
  }
  /** Opens a window for somebody whose role has only these permissions. */
  async function visitor(permissions: string[], path = '/inbox'): Promise<Journey> {
    const { email } = await personWith(live.world, permissions)
    const visit = await live.open({ path })
    await visit.enter(email, PASSWORD)
    await visit.page.getByRole('navigation', { name: 'Main' }).waitFor()
    return visit
  }

  test('leave the list while they are snoozed, and come back when it is time', async () => {
    await page.getByRole('button', { name: 'Snooze' }).click()
    await page.getByRole('menuitem', { name: /For an hour/ }).click()
    await rowOf(page, 'Ana Sol').waitFor({ state: 'detached' })
    await page
      .locator('.thread-head')
      .getByText(/Snoozed until/)
      .waitFor()
    await page.goto('/inbox?view=snoozed')
    await rowOf(page, 'Ana Sol').waitFor()
    live.world.clock.advance({ hours: 1 })
    await rowOf(page, 'Ana Sol').waitFor({ state: 'detached' })
    await page.goto('/inbox')
    await open(page, 'Ana Sol')
    await page
      .getByRole('log')
      .getByText(/^This is open again/)
      .waitFor()
  }, 60_000)

  test('are snoozed until a day and a time of one’s choice', async () => {
    await page.getByRole('button', { name: 'Snooze' }).click()
    await page.getByRole('menuitem', { name: 'Choose a time…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Snooze until' })
    await dialog.getByText('By the clock of UTC.').waitFor()
    const day = new Date(Date.now() + 3 * 24 * 3_600_000).toISOString().slice(0, 10)
    const [year = '', month = '', date = ''] = day.split('-')
    await dialog.getByRole('spinbutton', { name: /month, Day/ }).focus()
    await page.keyboard.type(`${month}${date}${year}`)
    await dialog.getByRole('textbox', { name: 'Time' }).fill('15:30')
    await journey.requireAccessible()
    await journey.picture('later')
    await dialog.getByRole('button', { name: 'Snooze' }).click()
    await rowOf(page, 'Ana Sol').waitFor({ state: 'detached' })
    const admin = await live.world.as('admin')
    const { data } = await admin.get('/api/conversations?state=snoozed')
    const [{ id, snoozed_until: until }] = data['items'] as [Loose]
    expect(until).toBe(`${day}T15:30:00.000Z`)
    await admin.put(`/api/conversations/${String(id)}`, { state: 'open' })
    await open(page, 'Ana Sol')
  }, 60_000)

  test('show calls while they last, and how they ended', async () => {
    const missed = await ana.calls()
    await bubbleOf('Call is ringing').waitFor()
    await missed.ends(0)
    await bubbleOf('Missed call').waitFor()
    expect(await bubbleOf('Call is ringing').count()).toBe(0)
    const call = await ana.calls()
    await bubbleOf('Call is ringing').waitFor()
    await call.answered()
    await call.ends(75)
    await bubbleOf(/(?<!\d)1:15/).waitFor()
    await call.isRecorded()
    await bubbleOf(/(?<!\d)1:15/)
      .getByRole('button', { name: 'Play voice message' })
      .waitFor()
    await journey.requireAccessible()
  }, 60_000)

  test('are opened from the notice of a mention, which appears at once', async () => {
    const { world } = live
    const agent = await live.open({ path: '/settings/profile' })
    await agent.signIn('agent')
    const bell = agent.page.getByRole('button', { name: 'Notifications' })
    await bell.waitFor()
    const admin = await world.as('admin')
    const { data } = await admin.get('/api/contacts?search=Ana')
    const [contact] = data['items'] as Loose[]
    const path = `/api/contacts/${String(contact?.['id'])}`
    await admin.put(`${path}/assign`, { user_id: world.tenant.userIds.agent })
    await admin.post(`${path}/notes`, {
      content: 'Please call her, @Acme agent',
      mentions: [world.tenant.userIds.agent],
    })
    await agent.page.getByText(/mentioned you/).waitFor()
    await bell.getByText('1', { exact: true }).waitFor()
    await bell.click()
    await agent.requireAccessible()
    await agent.page
      .getByRole('dialog')
      .getByRole('button', { name: /mentioned you/ })
      .click()
    await agent.page.getByText('Please call her, @Acme agent').first().waitFor()
    await bell.getByText('1', { exact: true }).waitFor({ state: 'detached' })
    await agent.finish()
  }, 60_000)

  test('say how to begin where nothing has been written', async () => {
    const admin = await live.world.as('admin')
    const body = { phone_number: '+1 555 030 0077', name: 'Nora New' }
    const { data } = await admin.post('/api/contacts', body)
    const made = await admin.post('/api/conversations', { contact_id: data['id'] })
    const visit = await journey.openTab(`/inbox/${String(made.data['id'])}`)
    await visit.getByText('Nothing has been written yet').waitFor()
    await visit.getByRole('button', { name: 'Choose a template' }).click()
    await visit.getByRole('searchbox', { name: 'Search templates' }).waitFor()
    await visit.close()
  }, 60_000)

  test('are shown to each role as far as it may see and do', async () => {
    const reader = await visitor(['messages:read', 'contacts:read', 'contacts:read_all'])
    await open(reader.page, 'Ana Sol')
    await reader.page.getByRole('log').getByText('Are you open today?').waitFor()
    for (const name of ['Message', 'Note'])
      expect(await reader.page.getByRole('textbox', { name }).count()).toBe(0)
    for (const name of ['Snooze', 'Hand over', 'Close', 'Change tags'])
      expect(await reader.page.getByRole('button', { name, exact: true }).count()).toBe(0)
    await reader.finish()
    const stranger = await visitor(['tags:read'])
    await stranger.page.getByText('Read and search conversations and notes').waitFor()
    await stranger.page.goto('/search?q=bread')
    await stranger.page.getByText('Read and search conversations and notes').waitFor()
    expect(stranger.requests.filter((one) => /conversations|messages/.test(one))).toEqual([])
    await stranger.finish()
  }, 60_000)

  test('never show a masked number, wherever the contact appears', async () => {
    const { world } = live
    const admin = await world.as('admin')
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    const number = '15550300099'
    await world.contactOf(world.tenant, 'My number is hidden', number)
    const agent = await visitor([
      ...['messages:read', 'messages:create', 'contacts:read', 'contacts:read_all'],
    ])
    await rowOf(agent.page, 'My number is hidden').click()
    await agent.page.getByRole('log').getByText('My number is hidden').waitFor()
    await agent.page.getByRole('link', { name: /profile/ }).click()
    await agent.page.getByRole('heading', { level: 1 }).waitFor()
    const answers: string[] = []
    agent.page.on('response', async (answer) => {
      if (answer.url().includes('/api/')) answers.push(await answer.text().catch(() => ''))
    })
    await agent.page.goto(`/search?q=0099`)
    await agent.page.getByRole('region', { name: 'Contacts' }).getByRole('link').click()
    await agent.page.getByRole('heading', { level: 1 }).waitFor()
    expect(await agent.page.content()).not.toContain(number)
    expect(answers.length).toBeGreaterThan(0)
    expect(answers.filter((text) => text.includes(number))).toEqual([])
    await agent.finish()
    await admin.put('/api/organizations/settings', { mask_phone_numbers: false })
  }, 60_000)

  test('ask a customer for the permission to call, once a day', async () => {
    const ask = async (): Promise<Locator> => {
      await page.locator('.thread-head').getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Ask for permission to call' }).click()
      return page.getByRole('dialog', { name: 'Ask for permission to call' })
    }
    const dialog = await ask()
    const words = dialog.getByRole('textbox', { name: 'Message to the customer' })
    expect(await words.inputValue()).toBe('May we call you?')
    await words.fill('May we call you about the bread?')
    await journey.requireAccessible()
    await journey.picture('ask-to-call')
    await dialog.getByRole('button', { name: 'Send' }).click()
    await page.getByText('The customer was asked').waitFor()
    await bubbleOf('May we call you about the bread?').waitFor()
    const again = await ask()
    await again.getByRole('button', { name: 'Send' }).click()
    await again.getByText(/WhatsApp allows one request a day/).waitFor()
    await again.getByRole('button', { name: 'Cancel' }).click()
    await again.waitFor({ state: 'detached' })
    expect(live.world.simulator.messages.map(({ body }) => (body as Loose)['type'])).toEqual(
      expect.arrayContaining(['interactive']),
    )
  }, 60_000)

  /** Gives the number other roles, which the server learns when the number is tested. */
  async function giveRoles(roles: string[]): Promise<void> {
    const { world } = live
    world.simulator.shareNumber({ phone: world.tenant.phoneId, roles })
    const tested = await (
      await world.as('admin')
    ).post(`/api/accounts/${String(world.tenant.accountId)}/test`)
    expect(tested.data['connected']).toBe(true)
  }

  test('offer to take over and to call only where the role of the number allows it', async () => {
    const menu = page.locator('.thread-head').getByRole('button', { name: 'More' })
    const askItem = page.getByRole('menuitem', { name: 'Ask for permission to call' })
    const notice = page.locator('.owner-notice')
    const takeOver = notice.getByRole('button', { name: 'Take over' })
    const showsCall = async (): Promise<boolean> => {
      await menu.click()
      await page.getByRole('menuitem', { name: 'Mark as unread' }).waitFor()
      const isShown = await askItem.isVisible()
      await page.keyboard.press('Escape')
      await askItem.or(page.getByRole('menu')).first().waitFor({ state: 'detached' })
      return isShown
    }
    await giveRoles(['marketing'])
    live.world.clock.advance({ seconds: 2 }) // handovers are told in whole seconds
    await ana.isPassedTo('other')
    await notice
      .getByText(
        'Another app is answering this customer: Escalation partner. You cannot take over on this ' +
          'number, but you can send a template or write a note.',
      )
      .waitFor()
    expect([await takeOver.count(), await showsCall()]).toEqual([0, false])
    await journey.requireAccessible()
    await journey.picture('no-take')
    await giveRoles(['escalation', 'calls'])
    live.world.clock.advance({ seconds: 2 })
    await ana.isPassedTo('agent')
    await notice.getByText("Meta's agent is answering this customer.", { exact: true }).waitFor()
    await takeOver.waitFor()
    expect(await showsCall()).toBe(true)
    // somebody whose own role does not allow it
    const reader = await visitor(
      ['messages:read', 'messages:create', 'contacts:read', 'contacts:read_all'],
      new URL(page.url()).pathname,
    )
    await reader.page.getByText("Meta's agent is answering this customer.").waitFor()
    expect(await reader.page.locator('.owner-notice').getByRole('button').count()).toBe(0)
    await reader.finish()
    live.world.clock.advance({ seconds: 2 })
    await ana.isPassedTo('us', {
      role: 'customer_service',
      summary: 'Ana asks for rye bread on *Fridays*, two loaves.',
    })
    await notice.waitFor({ state: 'detached' })
    const note = page.getByRole('log').getByRole('note', { name: "Summary · Meta's agent" })
    await note.getByText('Ana asks for rye bread on').waitFor()
    expect(await note.locator('b, strong').last().textContent()).toBe('Fridays')
    await journey.requireAccessible()
    await journey.picture('handover-note')
  }, 90_000)

  test('are only observed while another answers, until a person takes over', async () => {
    live.world.clock.advance({ seconds: 2 }) // handovers are told in whole seconds
    await ana.isPassedTo('agent')
    await page.getByText("Meta's agent is answering this customer.").waitFor()
    await ana.says('Do you have rye bread?')
    await ana.isAnsweredByAgent('Yes, on Fridays.')
    await bubbleOf('Yes, on Fridays.').waitFor()
    await bubbleOf('Do you have rye bread?').waitFor()
    await journey.requireAccessible()
    await page.locator('.owner-notice').getByRole('button', { name: 'Take over' }).click()
    await page.locator('.owner-notice').waitFor({ state: 'detached' })
    await page.getByRole('textbox', { name: 'Message' }).fill('And on Saturdays.')
    await page.keyboard.press('Enter')
    await bubbleOf('And on Saturdays.')
      .getByRole('img', { name: /Sent|Delivered|Read/ })
      .waitFor()
  }, 60_000)

  test('go on under a new ID of the customer, and say so without showing it', async () => {
    await ana.changesUserId('US.90000000000000000999')
    const log = page.getByRole('log', { name: 'Messages' })
    await log.getByText('This customer has a new WhatsApp ID.').waitFor()
    await ana.says('And on Sundays?')
    await bubbleOf('And on Sundays?').waitFor()
    expect(await log.textContent()).not.toContain('US.9')
    await journey.requireAccessible()
  }, 60_000)

  test('had no error of the page', () => journey.finish(), 30_000)
})
