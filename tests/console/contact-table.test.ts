import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'

import { numbersOf } from '../support/campaigns'
import type { Loose } from '../support/client'
import { CHROMIUM } from './support/chromium'
import { LiveWorld, type Journey } from './support/journey'

/** More than one page of the list. */
const OTHERS = 110

describe.skipIf(CHROMIUM === null)('the table of contacts', () => {
  let live: LiveWorld
  let journey: Journey
  let page: Page

  const admin = () => live.world.as('admin')
  const make = async (path: string, body: Loose): Promise<Loose> => {
    const { status, data } = await (await admin()).post(path, body)
    expect(status).toBeLessThan(300)
    return data
  }
  const row = (name: string): Locator => page.locator('[data-row]').filter({ hasText: name })
  const bar = (): Locator => page.getByRole('toolbar', { name: 'Selected entries' })
  const totalOf = async (query: string): Promise<unknown> =>
    (await (await admin()).get(`/api/contacts?limit=1&${query}`)).data['total']

  beforeAll(async () => {
    live = await LiveWorld.create()
    await make('/api/tags', { name: 'Regular', color: 'green' })
    await make('/api/contact-attributes', { key: 'town', label: 'Town', type: 'text' })
    await make('/api/contact-attributes', { key: 'bought', label: 'Last purchase', type: 'date' })
    const today = new Date(live.world.clock.nowMs())
    for (const [nth, phone_number] of numbersOf(OTHERS, 15_550_300_000).entries())
      await make('/api/contacts', {
        phone_number,
        name: `Guest ${String(nth).padStart(3, '0')}`,
        attributes: {
          town: nth % 2 === 0 ? 'Bremen' : 'Kiel',
          bought: new Date(today.getTime() - nth * 10 * 86_400_000).toISOString().slice(0, 10),
        },
        ...(nth < 20 ? { marketing_consent: 'opted_in' } : {}),
      })
    // the number of contacts changes while a question is open
    journey = await live.open({ expected: [/status of 409/] })
    page = journey.page
    await journey.signIn('admin')
  }, 60_000)

  afterAll(() => live.stop())

  test('select with the keyboard, and take a tag back', async () => {
    await page.goto('/contacts?sort=name&order=asc')
    await row('Guest 000').waitFor()
    await row('Guest 000').focus()
    await page.keyboard.press('x')
    await bar().getByText('1 selected').waitFor()
    for (let nth = 0; nth < 3; nth += 1) await page.keyboard.press('j')
    await page.keyboard.press('Shift+X')
    await bar().getByText('4 selected').waitFor()
    await page.keyboard.press(' ')
    await bar().getByText('3 selected').waitFor()
    await journey.requireAccessible()
    await journey.picture('table-selected')
    await bar().getByRole('button', { name: 'Tags' }).click()
    await page.getByRole('menuitem', { name: 'Add Regular' }).click()
    await row('Guest 002').getByText('Regular').waitFor()
    expect(await totalOf('tags=Regular')).toBe(3)
    await page.getByRole('button', { name: 'Undo' }).click()
    await row('Guest 002').getByText('Regular').waitFor({ state: 'detached' })
    await page.keyboard.press('End')
    await page
      .locator('[data-row]:focus')
      .filter({ hasText: `Guest ${OTHERS - 1}` })
      .waitFor()
    await page.keyboard.press('Home')
    await row('Guest 000').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await bar().waitFor({ state: 'detached' })
    await page.keyboard.press('ArrowDown')
    await row('Guest 001').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Shift+ArrowDown')
    await bar().getByText('3 selected').waitFor()
    await page.keyboard.press('Shift+ArrowUp')
    await bar().getByText('2 selected').waitFor()
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Guest 003' }).waitFor()
    await page.goBack()
    await row('Guest 003').and(page.locator(':focus')).waitFor()
  }, 60_000)

  test('select all that match, and ask with their number', async () => {
    await page.goto('/contacts')
    await row('Guest').first().waitFor()
    await page.getByRole('checkbox', { name: 'Select all loaded' }).click()
    await bar()
      .getByRole('button', { name: `Select all ${OTHERS} that match` })
      .click()
    await bar().getByText(`${OTHERS} selected`).waitFor()
    await bar().getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Block', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: `Block ${OTHERS} contacts?` })
    await dialog.waitFor()
    await journey.requireAccessible()
    // somebody comes while the question is open
    await make('/api/contacts', { phone_number: '+15550499999', name: 'Newcomer' })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`it is ${OTHERS + 1} now`).waitFor()
    expect(await totalOf('blocked=true')).toBe(0)
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await bar().waitFor({ state: 'detached' })
    await live.world.settle()
    expect(await totalOf('blocked=true')).toBe(OTHERS + 1)
    expect(await totalOf('')).toBe(OTHERS + 1)
  }, 60_000)

  test('show the columns that a person chose, at all devices', async () => {
    // what another device keeps meanwhile stays
    const admin = await live.world.as('admin')
    await admin.put('/api/me/settings', { ui: { 'table.campaigns': { columns: ['status'] } } })
    await page.getByRole('button', { name: 'Columns' }).click()
    const picker = page.getByRole('dialog', { name: 'Columns' })
    await picker.getByText('Town', { exact: true }).click()
    await picker.getByRole('button', { name: 'Move Town forward' }).click()
    await journey.requireAccessible()
    await journey.picture('table-columns')
    await page.keyboard.press('Escape')
    await row(`Guest ${OTHERS - 1}`)
      .getByText('Kiel')
      .waitFor()
    const other = await live.open({ path: '/contacts' })
    await other.signIn('admin')
    await other.page.getByRole('columnheader', { name: 'Town' }).waitFor()
    const { data } = await admin.get('/api/me/settings')
    const { ui } = data['settings'] as { ui: object }
    expect(Object.keys(ui)).toEqual(['table.campaigns', 'table.contacts'])
    await other.finish()
  }, 60_000)

  test('find people by conditions, and save them as a segment', async () => {
    await page.goto('/contacts')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    const conditions = page.getByRole('group', { name: 'Conditions' })
    await conditions.getByRole('button', { name: 'Add condition' }).click()
    const first = conditions.getByRole('group', { name: 'Condition 1' })
    await first.getByRole('button', { name: /Field/ }).click()
    await page.getByRole('option', { name: 'Last purchase' }).click()
    await first.getByRole('textbox', { name: 'Days' }).fill('90')
    await page.getByText('10 entries').waitFor()
    await conditions.getByRole('button', { name: 'Add condition' }).click()
    const second = conditions.getByRole('group', { name: 'Condition 2' })
    await second.getByRole('button', { name: /Field/ }).click()
    await page.getByRole('option', { name: 'Marketing consent' }).click()
    await second.getByRole('button', { name: /^Value:/ }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Opted in' }).click()
    await page.keyboard.press('Escape')
    await journey.requireAccessible()
    await journey.picture('filter-open')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByText('Last purchase in the last 90 days').waitFor()
    await page.reload()
    await page.getByText('Last purchase in the last 90 days').waitFor()
    await page.getByText('10 entries').waitFor()
    await journey.requireAccessible()
    await journey.picture('filter-chips')
    await page.getByRole('button', { name: 'Save as segment' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Buyers we may write to')
    await page.getByRole('button', { name: 'Save segment' }).click()
    const tabs = page.getByRole('navigation', { name: 'Segments and views' })
    await tabs.getByRole('link', { name: /Buyers we may write to/ }).waitFor()
    await page.getByText('10 entries').waitFor()
    await tabs.getByRole('button', { name: 'Edit segment' }).click()
    await page.getByRole('heading', { level: 1, name: 'Buyers we may write to' }).waitFor()
    await page.getByText('10 people match').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Guest 009' }).waitFor()
    await journey.requireAccessible()
    await journey.picture('segment')
    await page.getByRole('textbox', { name: 'Days' }).fill('30')
    await page.getByText('4 people match').waitFor()
    await page.keyboard.press('Control+s')
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Show all in the list' }).click()
    await page.getByText('4 entries').waitFor()
  }, 60_000)

  test('keep a search as a view, rename, share and delete it', async () => {
    await page.goto('/contacts?q=Guest%2010')
    await page.getByRole('button', { name: 'Save as view' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Tens')
    await page.keyboard.press('Enter')
    const tabs = page.getByRole('navigation', { name: 'Segments and views' })
    await tabs.getByRole('link', { name: 'Tens' }).waitFor()
    await tabs.getByRole('link', { name: 'Everybody' }).click()
    await page.getByText(`${OTHERS + 1} entries`).waitFor()
    await tabs.getByRole('link', { name: 'Tens' }).click()
    await page.getByText('11 entries').waitFor()
    await tabs.getByRole('button', { name: 'View Tens' }).click()
    await page.getByRole('menuitem', { name: 'Rename or share' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('The tens')
    await page.getByRole('dialog').getByText('Everybody in the organization sees it').click()
    await journey.requireAccessible()
    await page.keyboard.press('Enter')
    await tabs.getByRole('link', { name: 'The tens' }).waitFor()
    const { data } = await (await admin()).get('/api/views?resource=contacts')
    expect(data['items']).toMatchObject([
      { name: 'The tens', is_shared: true, filter: { search: 'Guest 10' } },
    ])
    await tabs.getByRole('button', { name: 'View The tens' }).click()
    await page.getByRole('menuitem', { name: 'Delete view' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete view' }).click()
    await tabs.getByRole('link', { name: 'The tens' }).waitFor({ state: 'detached' })
  }, 60_000)

  test('save what is shown as a file', async () => {
    await page
      .getByRole('navigation', { name: 'Segments and views' })
      .getByRole('link', { name: /Buyers/ })
      .click()
    await page.getByText('4 entries').waitFor()
    const downloaded = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV of this list' }).click()
    const file = await (await downloaded).path()
    const lines = readFileSync(file, 'utf8').trim().split('\r\n')
    expect(lines[0]).toContain('display_name')
    expect(lines[0]).toContain('attributes.town')
    expect(lines).toHaveLength(5)
  }, 60_000)

  test('had no error of the page', () => journey.finish(), 30_000)
})
