import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'

import { approvedTemplate, numbersOf } from '../support/campaigns'
import type { Loose } from '../support/client'
import { CHROMIUM } from './support/chromium'
import { LiveWorld, type Journey } from './support/journey'

/** More than one page of the list. */
const OTHERS = 120
const PHONE = { width: 390, height: 844 }

/** Where a page is scrolled to, pixels. */
const topOf = (page: Page): Promise<number> =>
  page.evaluate("Math.round(document.querySelector('main').scrollTop)")
const isWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > innerWidth')

describe.skipIf(CHROMIUM === null)('the lists', () => {
  let live: LiveWorld
  let journey: Journey
  let page: Page

  const admin = () => live.world.as('admin')
  const make = async (path: string, body: Loose): Promise<Loose> => {
    const { status, data } = await (await admin()).post(path, body)
    expect(status).toBeLessThan(300)
    return data
  }
  const rowOf = (name: string): Locator =>
    page.getByRole('row').filter({ hasText: name }).and(page.locator('[data-row]'))
  const names = (): Promise<string[]> => page.locator('[data-row] td[data-first] a').allInnerTexts()

  beforeAll(async () => {
    live = await LiveWorld.create()
    const { tenant } = live.world
    await make('/api/tags', { name: 'Regular', color: 'green' })
    for (const [nth, phone_number] of numbersOf(OTHERS, 15_550_300_000).entries())
      await make('/api/contacts', { phone_number, name: `Guest ${String(nth).padStart(3, '0')}` })
    await make('/api/contacts', {
      phone_number: '+15550400001',
      name: 'Zoë Müller',
      tags: ['Regular'],
      assigned_to: tenant.userIds.agent,
      marketing_consent: 'opted_in',
    })
    // there is a contact with a number already
    journey = await live.open({ expected: [/status of 409/] })
    page = journey.page
    await journey.signIn('admin')
  }, 60_000)

  afterAll(() => live.stop())

  test('find a contact by name, by keys, and lead back to the same place', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor()
    const table = page.getByRole('table', { name: 'Contacts' })
    await rowOf('Guest').first().waitFor()
    await page.getByText(`${OTHERS + 1} entries`).waitFor()
    expect(await table.getAttribute('aria-rowcount')).toBe(String(OTHERS + 2))
    await journey.requireAccessible()

    const field = page.getByRole('searchbox')
    await field.fill('zoë')
    await page.getByText('1 entry').waitFor()
    expect(new URL(page.url()).searchParams.get('q')).toBe('zoë')
    await rowOf('Zoë Müller').getByText('Regular').waitFor()
    await rowOf('Zoë Müller').getByText('Acme agent').waitFor()
    await rowOf('Zoë Müller').getByText('Opted in').waitFor()
    await page.getByRole('heading', { level: 1 }).focus()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Zoë Müller' }).waitFor()
    await page.goBack()
    await page.locator('[data-row]:focus', { hasText: 'Zoë Müller' }).waitFor()
    expect(await field.inputValue()).toBe('zoë')

    await field.fill('nobody has this name')
    await page.getByText('Nothing matches').waitFor()
    await journey.requireAccessible()
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByText(`${OTHERS + 1} entries`).waitFor()
    expect(await field.inputValue()).toBe('')
  }, 60_000)

  test('sort, load what is scrolled to, and return there with "Back"', async () => {
    await page.getByRole('button', { name: 'Name' }).click()
    await rowOf('Guest 000').waitFor()
    const title = page.getByRole('columnheader', { name: 'Name' })
    expect(await title.getAttribute('aria-sort')).toBe('ascending')
    await page.getByRole('button', { name: 'Name' }).click()
    await rowOf('Zoë Müller').waitFor()
    expect((await names())[0]).toBe('Zoë Müller')
    expect(new URL(page.url()).searchParams.get('order')).toBe('desc')
    const guest = rowOf('Guest 030')
    while (!(await guest.isVisible())) {
      await page.getByRole('main').hover()
      await page.mouse.wheel(0, 600)
      await page.locator('[data-row]').first().waitFor()
    }
    // only the rows in view are drawn, below the titles that stay
    expect(await page.locator('[data-row]').count()).toBeLessThan(60)
    expect(await title.isVisible()).toBe(true)
    await guest.scrollIntoViewIfNeeded()
    const top = await topOf(page)
    expect(top).toBeGreaterThan(1_000)
    await guest.getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Guest 030' }).waitFor()
    await page.goBack()
    await page.locator('[data-row]:focus', { hasText: 'Guest 030' }).waitFor()
    expect(Math.abs((await topOf(page)) - top)).toBeLessThan(3)
    // another filter begins at its beginning, and so does a link to the list
    await page.getByRole('link', { name: 'Contacts' }).click()
    await page.getByText('Last message').waitFor()
    await rowOf('Guest').first().waitFor()
    expect(await topOf(page)).toBe(0)
  }, 60_000)

  test('filter by tag and owner, and follow what happens', async () => {
    const { world } = live
    await page.getByRole('button', { name: /Any tag/ }).click()
    await page.getByRole('option', { name: 'Regular' }).click()
    await page.getByText('1 entry').waitFor()
    await page.getByRole('button', { name: /Any owner/ }).click()
    await page.getByRole('option', { name: 'Unassigned' }).click()
    await page.getByText('Nothing matches').waitFor()
    await page.goto('/contacts')
    await page.getByText(`${OTHERS + 1} entries`).waitFor()
    // who writes comes first, with the time
    await world.simulator.customer({ phone: world.tenant.phoneId, name: 'Ana Sol' }).says('Hello!')
    await rowOf('Ana Sol').locator('time').waitFor()
    await page.locator('[data-row]').first().filter({ hasText: 'Ana Sol' }).waitFor()
    const { data } = await (await admin()).get('/api/contacts?search=Ana')
    const [ana] = data['items'] as Loose[]
    await (await admin()).put(`/api/contacts/${String(ana?.['id'])}`, { name: 'Ana Luz' })
    await rowOf('Ana Luz').waitFor()
    await (await admin()).delete(`/api/contacts/${String(ana?.['id'])}`)
    await rowOf('Ana Luz').waitFor({ state: 'detached' })
  }, 60_000)

  test('add a contact, and say when there is one with this number', async () => {
    await page.getByRole('button', { name: 'New contact' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Phone number' }).fill('+1 555 040 0001')
    await journey.requireAccessible()
    await dialog.getByRole('button', { name: 'Add contact' }).click()
    await dialog.getByText('There is a contact with this number already.').waitFor()
    await dialog.getByRole('textbox', { name: 'Phone number' }).fill('+1 555 040 0002')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Bob Late')
    await dialog.getByRole('button', { name: 'Add contact' }).click()
    await page.getByRole('heading', { level: 1, name: 'Bob Late' }).waitFor()
    await page.goBack()
    await rowOf('Bob Late').waitFor()
  }, 60_000)

  test('show what WhatsApp thinks of each template', async () => {
    const { world } = live
    await page.goto('/templates')
    await page.getByText('No templates yet').waitFor()
    await approvedTemplate(world)
    await rowOf('news').getByText('Approved', { exact: true }).waitFor()
    await rowOf('news')
      .getByText(/^Hello .* we have news/)
      .waitFor()
    const { data } = await (await admin()).get('/api/templates')
    const [news] = data['items'] as Loose[]
    await world.simulator.review(String(news?.['platform_id']), {
      event: 'REJECTED',
      reason: 'INVALID_FORMAT',
    })
    await rowOf('news')
      .getByText(/formatting are not as WhatsApp wants them/)
      .waitFor()
    await page.getByRole('button', { name: /Any state/ }).click()
    await page.getByRole('option', { name: 'Rejected' }).click()
    await page.getByText('1 entry').waitFor()
    await journey.requireAccessible()
    await page.getByRole('heading', { level: 1 }).focus()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'news' }).waitFor()
    await page
      .getByRole('figure')
      .getByText(/we have news for you today/)
      .waitFor()
    await page.goBack()
    await page.getByText('1 entry').waitFor()
    world.clock.advance({ seconds: 2 }) // WhatsApp tells seconds: of two events in one, neither is the later
    await world.simulator.review(String(news?.['platform_id']), { event: 'APPROVED' })
    await page.getByText('Nothing matches').waitFor()
    await page.getByRole('button', { name: 'Load from WhatsApp' }).click()
    await page.getByText(/^1 template is up to date/).waitFor()
  }, 60_000)

  test('show how far a campaign is, pause, resume and cancel it', async () => {
    const { world } = live
    await page.goto('/campaigns')
    await page.getByText('No campaigns yet').waitFor()
    const { data } = await (await admin()).get('/api/templates')
    const [news] = data['items'] as Loose[]
    const { id } = await make('/api/campaigns', {
      name: 'Spring',
      account_id: world.tenant.accountId,
      template_id: news?.['id'],
      variable_mapping: { '1': { field: 'name', default: 'there' } },
      rate_limit: 1,
    })
    const recipients = numbersOf(50, 15_550_500_000).map((phone_number) => ({ phone_number }))
    await make(`/api/campaigns/${String(id)}/recipients/import`, { recipients })
    await page.reload()
    await rowOf('Spring').getByText('Draft').waitFor()
    const actions = page.getByRole('button', { name: 'Actions for Spring' })
    // the keys of a row: its menu, and the question before it is deleted
    await rowOf('Spring').focus()
    await page.keyboard.press('Delete')
    await page.getByRole('dialog', { name: /Spring/ }).waitFor()
    await page.keyboard.press('Escape')
    await rowOf('Spring').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Shift+F10')
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Edit', 'Delete the draft'])
    await page.keyboard.press('Escape')
    await make(`/api/campaigns/${String(id)}/start`, {})
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('dialog', { name: 'Columns' }).getByText('Drafted on').click()
    await page.keyboard.press('Escape')
    await rowOf('Spring').locator('td[data-label="Drafted on"] time').waitFor()
    const asked = journey.requests.length
    await rowOf('Spring').getByText('Running').waitFor()
    await rowOf('Spring').getByRole('progressbar', { name: 'Progress of Spring' }).waitFor()
    const sent = rowOf('Spring').locator('td[data-label=Sent]')
    await sent.filter({ hasText: /^([3-9]|\d\d)$/ }).waitFor()
    // the figures come by themselves
    expect(journey.requests.length - asked).toBeLessThan(6)
    await journey.requireAccessible()
    await actions.click()
    await page.getByRole('menuitem', { name: 'Pause' }).click()
    await rowOf('Spring').getByText('by a colleague').waitFor()
    await actions.click()
    await page.getByRole('menuitem', { name: 'Resume' }).click()
    await rowOf('Spring').getByText('Running').waitFor()
    await actions.click()
    await page.getByRole('menuitem', { name: 'Cancel campaign' }).click()
    await page.getByRole('dialog').getByText('Cancel Spring?').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel campaign' }).click()
    await rowOf('Spring').getByText('Cancelled').waitFor()
    await page.getByRole('button', { name: /Any state/ }).click()
    await page.getByRole('option', { name: 'Paused' }).click()
    await page.getByText('Nothing matches').waitFor()
  }, 60_000)

  test('say that a list cannot be loaded, and load it when asked again', async () => {
    const broken = await live.open({ path: '/inbox', expected: [/status of 500/] })
    await broken.signIn('manager')
    const answer = {
      status: 500,
      json: { status: 'error', code: 'internal_error', message: 'No.' },
    }
    await broken.page.route('**/api/contacts/search', (route) => route.fulfill(answer))
    await broken.page.getByRole('link', { name: 'Contacts' }).click()
    await broken.page.getByRole('alert').waitFor()
    await broken.requireAccessible()
    await broken.page.unroute('**/api/contacts/search')
    await broken.page.getByRole('button', { name: 'Try again' }).click()
    await broken.page.locator('[data-row]').first().waitFor()
    await broken.finish()
  }, 60_000)

  test('show an agent only what they may see', async () => {
    const agent = await live.open({ path: '/contacts' })
    await agent.signIn('agent')
    await agent.page.goto('/contacts')
    await agent.page.getByText('Zoë Müller').waitFor()
    expect(await agent.page.getByText('Guest').count()).toBe(0)
    expect(await agent.page.getByRole('button', { name: 'New contact' }).count()).toBe(0)
    const rail = agent.page.getByRole('navigation', { name: 'Main' })
    expect(await rail.getByRole('link').allInnerTexts()).not.toContain('Campaigns')
    await agent.page.goto('/campaigns')
    await agent.page.getByText(/It needs the permission “See campaigns/).waitFor()
    await agent.page.goto('/templates')
    await agent.page.getByText('news').first().waitFor()
    expect(await agent.page.getByRole('button', { name: 'Load from WhatsApp' }).count()).toBe(0)
    await agent.finish()
  }, 60_000)

  test('are cards on a phone, with the other places in a menu', async () => {
    for (const dir of ['ltr', 'rtl']) {
      const phone = await live.open({ viewport: PHONE, colorScheme: 'dark' })
      await phone.signIn('admin')
      await phone.page.evaluate(`document.documentElement.dir = '${dir}'`)
      const rail = phone.page.getByRole('navigation', { name: 'Main' })
      expect(await rail.getByRole('link').allInnerTexts()).toEqual([
        'Inbox',
        'Contacts',
        'Campaigns',
        'Analytics',
      ])
      for (const place of ['Contacts', 'Campaigns']) {
        await rail.getByRole('link', { name: place }).click()
        await phone.page.getByRole('heading', { level: 1, name: place }).waitFor()
        await phone.page.locator('[data-row]').first().waitFor()
        expect(await isWide(phone.page)).toBe(false)
        await phone.requireAccessible()
      }
      await rail.getByRole('button', { name: 'More' }).click()
      await phone.page.getByRole('menuitem', { name: 'Templates' }).click()
      await phone.page.locator('[data-row]').first().waitFor()
      expect(await isWide(phone.page)).toBe(false)
      await phone.finish()
    }
  }, 90_000)

  test('had no error of the page', () => journey.finish(), 30_000)
})
