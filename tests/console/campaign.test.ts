import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'

import { approvedTemplate, numbersOf, setPrice } from '../support/campaigns'
import type { Loose } from '../support/client'
import { personWith } from '../support/people'
import { PASSWORD } from '../support/world'
import { CHROMIUM } from './support/chromium'
import { LiveWorld, type Journey } from './support/journey'

/** More than are cancelled without typing their number. */
const MANY = 1_200
const FEW = 30

describe.skipIf(CHROMIUM === null)('a campaign', () => {
  let live: LiveWorld
  let journey: Journey
  let page: Page
  let templateId: string

  const admin = () => live.world.as('admin')
  const get = async (path: string): Promise<Loose> => (await (await admin()).get(path)).data
  const make = async (path: string, body: Loose): Promise<Loose> => {
    const { status, data } = await (await admin()).post(path, body)
    expect(status).toBeLessThan(300)
    return data
  }
  const draft = async (name: string, people: number, more: Loose = {}): Promise<string> => {
    const { id } = await make('/api/campaigns', {
      ...{ name, account_id: live.world.tenant.accountId, template_id: templateId },
      variable_mapping: { '1': { field: 'name', default: 'there' } },
      ...more,
    })
    const recipients = numbersOf(people, 15_550_600_000).map((phone_number) => ({ phone_number }))
    await make(`/api/campaigns/${String(id)}/recipients/import`, { recipients })
    return String(id)
  }
  /** The numbers of the page that the API has too, by their names there. */
  const shownFigures = async (): Promise<Record<string, number>> => {
    const figures: Record<string, number> = {}
    for (const one of await page.locator('[data-step]').all())
      figures[(await one.getAttribute('data-step')) ?? ''] = Number(
        (await one.locator('b').innerText()).replaceAll(',', ''),
      )
    return figures
  }
  const menuItem = async (name: string, campaign: string): Promise<void> => {
    await page.getByRole('button', { name: `Actions for ${campaign}` }).click()
    await page.getByRole('menuitem', { name }).click()
  }

  beforeAll(async () => {
    live = await LiveWorld.create()
    templateId = await approvedTemplate(live.world)
    // there is nobody to retry
    journey = await live.open({ path: '/campaigns', expected: [/status of 400/] })
    page = journey.page
    await journey.signIn('admin')
  }, 60_000)

  afterAll(() => live.stop())

  test('tells what became of it, to the last number, while it happens', async () => {
    live.world.simulator.fail({ code: 131_026 }, { times: 3 })
    const id = await draft('Spring', FEW, { rate_limit: 5 })
    await page.goto('/campaigns')
    await page.getByRole('link', { name: 'Spring' }).click()
    await page.getByRole('heading', { level: 1, name: 'Spring' }).waitFor()
    await page.getByText('Drafted').waitFor()
    await journey.requireAccessible()
    await make(`/api/campaigns/${id}/start`, {})
    await page.getByText('Running').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    await page.getByText('by a colleague').waitFor()
    const section = page.getByRole('region', { name: 'Not delivered' })
    await section.getByText(/cannot receive messages on WhatsApp/).waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Completed').first().waitFor()

    const customer = live.world.simulator.customer({
      phone: live.world.tenant.phoneId,
      waId: '15550600020',
    })
    await customer.says('Tell me more!')
    await page.locator('[data-step=replied_count] b', { hasText: '1' }).waitFor()
    // nothing else happens to it: its figures are final
    await live.world.settle()
    const progress = await get(`/api/campaigns/${id}/progress`)
    expect(progress).toMatchObject({ total_recipients: FEW, failed_count: 3, replied_count: 1 })
    const shown = await shownFigures()
    expect(Object.keys(shown)).toContainValues(['sent_count', 'read_count', 'failed_count'])
    expect(shown).toEqual(
      Object.fromEntries(Object.keys(shown).map((name) => [name, progress[name]])),
    )
    const left = Object.keys(progress).filter((name) => name.endsWith('_count') && !(name in shown))
    expect(left.filter((name) => progress[name] !== 0)).toEqual([])
    await section.getByText('3 people').waitFor()
    for (const turn of ['Started', 'Paused', 'Resumed', 'Completed'])
      await page.getByRole('region', { name: 'What happened' }).getByText(turn).waitFor()
    await journey.requireAccessible()
    await journey.picture('campaign')
  }, 60_000)

  test('leads from a cause to its people, and back to all', async () => {
    await page.getByRole('link', { name: '3 people' }).click()
    const rows = page.locator('[data-row]')
    await page.getByText('3 entries').waitFor()
    expect(await rows.count()).toBe(3)
    await rows.first().getByText('Not delivered').waitFor()
    await journey.requireAccessible()
    await journey.picture('campaign-people')
    expect(await page.locator('.tabs [aria-current]').allInnerTexts()).toEqual(['People'])
    await page.getByRole('button', { name: 'Only one cause' }).click()
    await page.getByText(`${FEW} entries`).waitFor()
    await page.getByRole('searchbox').fill('15550600020')
    await page.getByText('1 entry').waitFor()
    await page.getByRole('button', { name: /Any state/ }).click()
    await page.getByRole('option', { name: 'Left out' }).click()
    await page.getByText('Nothing matches').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByText(`${FEW} entries`).waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download people (CSV)' }).click()
    expect((await saved).suggestedFilename()).toBe('campaign.csv')
  }, 60_000)

  test('is sent again to those who failed, and copied', async () => {
    await page.getByRole('link', { name: 'Overview' }).click()
    await menuItem('Send again to those who failed', 'Spring')
    await page
      .getByRole('dialog')
      .getByText(/3 people have not received/)
      .waitFor()
    await journey.requireAccessible()
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click()
    // their numbers cannot receive anything, so another try helps nobody
    await page.getByText('Nobody is left for whom another try can help now.').waitFor()
    await menuItem('Copy', 'Spring')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Summer')
    await dialog.getByRole('checkbox').check({ force: true })
    await dialog.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('heading', { level: 1, name: 'Summer' }).waitFor()
    await page.getByText(`${FEW} people are in the list.`).waitFor()
  }, 60_000)

  test('asks for the number before many people get something, or nothing', async () => {
    const id = await draft('Large', MANY, { rate_limit: 1 })
    const { eligible: reached } = await make(`/api/campaigns/${id}/dry-run`, {})
    expect(reached).toBeGreaterThan(1_000)
    await page.goto(`/campaigns/${id}/edit?step=when`)
    await page.getByRole('button', { name: 'Start' }).click()
    const start = page.getByRole('dialog').getByRole('button', { name: 'Start' })
    expect(await start.isDisabled()).toBe(true)
    await page.getByRole('dialog').getByRole('textbox').fill(String(reached))
    await start.click()
    await page.getByText('Running').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    await live.world.settle()
    const left = Number((await get(`/api/campaigns/${id}/progress`))['pending_count'])
    expect(left).toBeGreaterThan(1_000)
    await page
      .locator('[data-step=pending_count] b', { hasText: left.toLocaleString('en') })
      .waitFor()
    await menuItem('Cancel campaign', 'Large')
    const dialog = page.getByRole('dialog')
    const cancel = dialog.getByRole('button', { name: 'Cancel campaign' })
    expect(await cancel.isDisabled()).toBe(true)
    await journey.requireAccessible()
    const field = dialog.getByRole('textbox', { name: /To go on, type/ })
    await field.fill('12')
    expect(await cancel.isDisabled()).toBe(true)
    await field.fill(left.toLocaleString('en'))
    await cancel.click()
    await page.getByText('Cancelled').first().waitFor()
  }, 60_000)

  test('goes on with a larger budget', async () => {
    setPrice(live.world, { micros: 50_000 })
    const budget = { amount: '0.50', currency: 'USD' }
    const id = await draft('Dear', FEW, { rate_limit: 40, budget })
    await make(`/api/campaigns/${id}/start`, {})
    await page.goto(`/campaigns/${id}`)
    await page.getByText('Paused: budget used up').waitFor()
    await page.getByRole('button', { name: 'Actions for Dear' }).click()
    await page.getByRole('menuitem', { name: 'Change the budget' }).click()
    const field = page.getByRole('dialog').getByRole('textbox', { name: 'Budget in USD' })
    expect(await field.inputValue()).toBe('0.50')
    await field.fill('1.2.3')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText(/must be a decimal number/).waitFor()
    await journey.requireAccessible()
    await journey.picture('budget')
    await field.fill('90')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Completed').first().waitFor()
  }, 60_000)

  test('shows what stopped it by itself, and what to do', async () => {
    const id = await draft('Risky', 60, { rate_limit: 40 })
    live.world.simulator.fail({ code: 131_008 }, { times: 40 })
    await make(`/api/campaigns/${id}/start`, {})
    await page.goto(`/campaigns/${id}`)
    await page.getByText('Paused: too many errors').waitFor()
    await page.getByText(/Look at the causes/).waitFor()
    await journey.requireAccessible()
  }, 60_000)

  test('lets nobody do what they may not, and tells others what is missing', async () => {
    const { email } = await personWith(live.world, ['campaigns:read', 'messages:read'])
    const reader = await live.open({ path: '/campaigns' })
    await reader.enter(email, PASSWORD)
    await reader.page.getByRole('navigation', { name: 'Main' }).waitFor()
    await reader.page.goto('/campaigns')
    await reader.page.getByRole('link', { name: 'Risky' }).click()
    await reader.page.getByText('Paused: too many errors').waitFor()
    expect(await reader.page.getByRole('button', { name: 'Resume' }).count()).toBe(0)
    await reader.page.getByRole('button', { name: 'Actions for Risky' }).click()
    expect(await reader.page.getByRole('menuitem').allInnerTexts()).toEqual([
      'Download people (CSV)',
      'Download people (Excel)',
    ])
    await reader.page.keyboard.press('Escape')
    await reader.finish()

    const agent = await live.open({ path: '/campaigns' })
    await agent.signIn('agent')
    await agent.page.goto(new URL(page.url()).pathname)
    await agent.page.getByText(/It needs the permission “See campaigns/).waitFor()
    await agent.finish()
  }, 60_000)

  test('is found by those whom a notification tells of it, and says that it is gone', async () => {
    await page.getByRole('button', { name: 'Notifications' }).click()
    await page.getByRole('button', { name: /Campaign paused: Risky/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Risky' }).waitFor()
    const lost = await live.open({ path: '/campaigns', expected: [/status of 40[04]/] })
    await lost.signIn('admin')
    // a campaign that is gone, and half a link
    for (const id of ['01900000-0000-7000-8000-00000000dead', '01900000-0000']) {
      await lost.page.goto(`/campaigns/${id}`)
      await lost.page.getByText('This does not exist, or you may not see it.').waitFor()
      expect(await lost.page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    }
    await lost.finish()
  }, 60_000)

  test('fits a phone, large letters, and reads from right to left', async () => {
    for (const viewport of [
      { width: 390, height: 844 },
      { width: 360, height: 225 },
    ]) {
      const phone = await live.open({ path: '/campaigns', viewport, colorScheme: 'dark' })
      await phone.signIn('admin')
      await phone.page.goto(new URL(page.url()).pathname)
      await phone.page.evaluate("document.documentElement.dir = 'rtl'")
      await phone.page.locator('[data-step=sent_count]').waitFor()
      expect(await phone.page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(
        false,
      )
      await phone.finish()
    }
  }, 60_000)

  test('had no error of the page', () => journey.finish(), 30_000)
})
