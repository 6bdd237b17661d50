import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'

import type { Customer } from '../../src/simulator/customers'
import type { Loose } from '../support/client'
import { CHROMIUM } from './support/chromium'
import { EXPIRED, LiveWorld, type Journey } from './support/journey'
import { pressOn, typeInto } from './support/keyboard'

/** A Tuesday afternoon that is still to come. */
const TUESDAY = new Date('2037-12-01T17:00:00Z')

describe.skipIf(CHROMIUM === null)('an owner decides how a team works', () => {
  let live: LiveWorld
  let ana: Customer
  let owner: Journey
  let agent: Journey

  beforeAll(async () => {
    live = await LiveWorld.create({ startMs: TUESDAY.getTime() })
    ana = live.world.simulator.customer({ phone: live.world.tenant.phoneId, name: 'Ana Sol' })
    owner = await live.open({ path: '/settings', expected: [EXPIRED, /status of 409/] })
    agent = await live.open({ expected: [EXPIRED] })
    for (const { page } of [owner, agent]) await page.clock.setFixedTime(TUESDAY)
    await Promise.all([owner.signIn('admin'), agent.signIn('agent')])
  }, 60_000)

  afterAll(() => live.stop())

  /** Opens a screen of the settings from their list, by keys. */
  const open = async (page: Page, name: string): Promise<void> => {
    const list = page.getByRole('navigation', { name: 'Settings' })
    await pressOn(page, list.getByRole('link', { name, exact: true }))
    await page.getByRole('heading', { level: 1, name }).waitFor()
  }
  const save = async (page: Page): Promise<void> => {
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
  }
  const itemOf = (page: Page, name: string): Locator =>
    page.getByRole('listitem').filter({ hasText: name })

  test('the settings stand in groups, and new chats have a team', async () => {
    const { page } = owner
    const groups = page.getByRole('navigation', { name: 'Settings' }).getByRole('heading')
    expect(await groups.allInnerTexts()).toEqual([
      'You',
      'Organization',
      'Channels',
      'People',
      'Content',
      'Developers',
      'Data',
      'Security',
    ])
    await open(page, 'Teams')
    await pressOn(page, page.getByRole('button', { name: 'Add team' }))
    await page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('Counter')
    await page.keyboard.press('Enter')
    await itemOf(page, 'Counter').waitFor()
  }, 60_000)

  test('opening hours are set, and the server says what they mean now', async () => {
    const { page } = owner
    await open(page, 'Hours and waiting')
    await page.getByText('Now: open', { exact: true }).waitFor()
    await pressOn(page, page.getByRole('switch', { name: 'We have opening hours' }), 'Space')
    // Saturday begins like the day before
    await pressOn(page, page.getByRole('checkbox', { name: 'Saturday' }), 'Space')
    const end = page.getByRole('textbox', { name: 'Saturday, until' })
    expect(await end.inputValue()).toBe('6:00 PM')
    await typeInto(page, end, 'noon')
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByText('Write a time such as 9:30.').waitFor()
    await typeInto(page, end, '18')
    await page.keyboard.press('Tab')
    expect(await end.inputValue()).toBe('6:00 PM')
    await pressOn(page, page.getByRole('button', { name: 'Add hours: Saturday' }))
    const begin = page.getByRole('textbox', { name: 'Saturday, from' })
    expect(await begin.last().inputValue()).toBe('7:00 PM')
    const remove = page.getByRole('button', { name: 'Remove these hours: Saturday' })
    await pressOn(page, remove.last())
    expect(await begin.count()).toBe(1)
    await pressOn(page, page.getByRole('button', { name: /They wait in/ }))
    await page.getByRole('option', { name: 'Counter' }).waitFor()
    await page.keyboard.type('Cou')
    await page.keyboard.press('Enter')
    const text = page.getByRole('textbox', { name: 'Text', exact: true })
    await typeInto(page, text, 'Closed until {{ opens_at }}.')
    await owner.requireAccessible()
    await owner.picture('hours')
    await save(page)
    await page.getByText('Now: open until 6:00 PM').waitFor()
    await page.reload()
    await page.getByRole('checkbox', { name: 'Sunday' }).waitFor()
    expect(await page.getByRole('checkbox', { name: 'Sunday' }).isChecked()).toBe(false)
    expect(await page.getByRole('checkbox', { name: 'Saturday' }).isChecked()).toBe(true)
    await page
      .getByRole('button', { name: /Counter.*They wait in|They wait in.*Counter/ })
      .waitFor()
  }, 60_000)

  test('a holiday closes a day, and nothing unsaved is lost by accident', async () => {
    const { page } = owner
    await page.getByRole('button', { name: 'Add holiday' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('spinbutton', { name: /month, Date/ }).focus()
    await page.keyboard.type('12252037')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Christmas')
    await owner.requireAccessible()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await itemOf(page, 'Christmas').getByText('Closed').waitFor()
    await page.getByRole('link', { name: 'Tags' }).click()
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await page.keyboard.press('Control+s')
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    await itemOf(page, 'Christmas')
      .getByRole('button', { name: /Actions/ })
      .click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Discard' }).click()
    await itemOf(page, 'Christmas').waitFor()
    await owner.picture('holidays')
  }, 60_000)

  test('at seven a customer hears that it is closed, and waits in the team', async () => {
    live.world.clock.advance({ hours: 2 })
    for (const { page } of [owner, agent])
      await page.clock.setFixedTime(TUESDAY.getTime() + 2 * 3_600_000)
    await ana.says('Are you there?')
    await live.world.eventually(() => ana.received().length > 0)
    const [text] = ana.received()
    expect(JSON.stringify(text?.body)).toContain('Closed until')
    const { page } = owner
    await page.reload()
    await page.getByText('Now: closed, opens Wednesday 9:00 AM').waitFor()
    await page.getByRole('link', { name: 'Inbox' }).click()
    await page.getByRole('link', { name: 'Transfers' }).click()
    await itemOf(page, 'Ana Sol').getByText('Counter').waitFor()
    expect(await itemOf(agent.page, 'Ana Sol').count()).toBe(0)
  }, 60_000)

  test('a new role shows its effect at once', async () => {
    const { page } = owner
    await page.getByRole('link', { name: 'Settings' }).click()
    await open(page, 'Roles')
    await owner.requireAccessible()
    await owner.picture('roles')
    await page.getByRole('link', { name: 'Manager' }).click()
    await page.getByText('A role of the system, which nobody can change.').waitFor()
    expect(await page.getByRole('checkbox').count()).toBe(0)
    await owner.requireAccessible()
    await open(page, 'Roles')
    await pressOn(page, page.getByRole('button', { name: 'New role' }))
    await typeInto(page, page.getByRole('textbox', { name: 'Name' }), 'Senior agent')
    const seen = page.getByRole('region', { name: 'What this role sees' })
    await seen.getByText(/^(Only own|Own) customers/).waitFor()
    await pressOn(page, page.getByRole('checkbox', { name: 'See all customers' }), 'Space')
    await seen.getByText('All customers and their conversations').waitFor()
    const differences = page.getByRole('region', { name: 'Compared with Agent' })
    await differences.getByText('See all customers').waitFor()
    await page
      .getByRole('row', { name: /See all customers/ })
      .getByText('added')
      .waitFor()
    await owner.requireAccessible()
    await owner.picture('new-role')
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByRole('heading', { level: 1, name: 'Senior agent' }).waitFor()

    // the list of the settings is a hundred permissions away
    await page.keyboard.press('ControlOrMeta+k')
    const commands = page.getByRole('dialog', { name: 'Commands' })
    await commands.waitFor()
    await page.keyboard.type('People')
    await commands
      .getByRole('menuitem', { name: /People/ })
      .first()
      .waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor()
    await pressOn(page, page.getByRole('button', { name: 'Actions for Acme agent' }))
    await page.getByRole('menuitem', { name: 'Edit' }).waitFor()
    await page.keyboard.type('Edit')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await pressOn(page, dialog.getByRole('button', { name: /Role/ }))
    await page.getByRole('option', { name: 'Senior agent' }).waitFor()
    await page.keyboard.type('Senior')
    await page.keyboard.press('Enter')
    await pressOn(page, dialog.getByRole('button', { name: 'Save' }))
    await itemOf(agent.page, 'Ana Sol').waitFor()

    await agent.page.getByRole('link', { name: 'Settings' }).click()
    await open(agent.page, 'Tags')
    await agent.page.getByText('No tags yet').waitFor()
    expect(await agent.page.getByRole('button', { name: 'Add tag' }).count()).toBe(0)
    await open(page, 'Roles')
    await pressOn(page, page.getByRole('link', { name: 'Senior agent' }))
    await pressOn(page, page.getByRole('checkbox', { name: 'Add tags' }), 'Space')
    await save(page)
    await agent.page.getByRole('button', { name: 'Add tag' }).waitFor()
  }, 90_000)

  test('an owner helps a colleague who cannot sign in, and ends sessions', async () => {
    const { page } = owner
    await open(page, 'People')
    const choose = async (action: string): Promise<void> => {
      await page.getByRole('button', { name: 'Actions for Acme agent' }).click()
      await page.getByRole('menuitem', { name: action }).click()
    }
    await choose('Link for a new password')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Create the link' }).click()
    expect(await dialog.locator('.secret code').innerText()).toContain('http')
    await owner.requireAccessible()
    await owner.picture('reset-link')
    await dialog.getByText('I have stored it').click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await choose('Set as away')
    await itemOf(page, 'Acme agent').getByText('Away').waitFor()
    await choose('Set as available')
    await itemOf(page, 'Acme agent').getByText('Away').waitFor({ state: 'detached' })
    await choose('Sessions')
    await dialog.getByText(/Last used/).waitFor()
    await owner.requireAccessible()
    await owner.picture('sessions-of')
    await dialog.getByRole('button', { name: 'End all sessions' }).click()
    await page
      .getByRole('dialog', { name: 'End all sessions' })
      .getByRole('button', { name: 'End all sessions' })
      .click()
    await page.getByText('All sessions of Acme agent have ended').waitFor()
    await agent.page.getByRole('button', { name: 'Sign in' }).waitFor()
    await page.getByRole('searchbox', { name: 'Search people' }).fill('nobody at all')
    await page.getByText('Nothing found').waitFor()
    await page.getByRole('searchbox', { name: 'Search people' }).fill('manager')
    await itemOf(page, 'Acme manager').waitFor()
    expect(await itemOf(page, 'Acme agent').count()).toBe(0)
    await owner.picture('people')
  }, 60_000)

  test('the organization has its clock, its formats and its privacy', async () => {
    const { page } = owner
    await open(page, 'Organization')
    await page.getByRole('button', { name: /Time zone/ }).click()
    await page.getByRole('searchbox', { name: 'Search' }).fill('berlin')
    await page.getByRole('option', { name: 'Europe/Berlin' }).click()
    await page.getByRole('button', { name: /Dates/ }).click()
    await page.getByRole('option', { name: '01.12.2037' }).click()
    await page.getByText('Hide phone numbers, except').click()
    await page.getByRole('button', { name: /^Not chosen Language|Language/ }).click()
    await page.getByRole('option', { name: 'English' }).click()
    await page.getByText('Watch what messages cost').click()
    await page.getByRole('textbox', { name: 'Amount per month' }).fill('250,5')
    await page.getByRole('textbox', { name: 'Warn at, percent' }).fill('90, 60')
    await owner.requireAccessible()
    await owner.picture('organization')
    await save(page)
    await open(page, 'Hours and waiting')
    await page.getByText('By the clock of Europe/Berlin.').waitFor()
    const { data } = await (await live.world.as('admin')).get('/api/organizations/settings')
    expect(data['settings']).toMatchObject({
      language: 'en',
      spend: { monthly: expect.stringMatching(/^250\.50?$/), currency: 'EUR', warn_at: [60, 90] },
    })
    await itemOf(page, '25.12.2037').waitFor()
  }, 60_000)

  test('what two people save at the same time is kept, or chosen from', async () => {
    const { page } = owner
    const other = await live.world.as('admin')
    const saved = async (): Promise<Loose> => (await other.get('/api/organizations/settings')).data
    const { name } = await saved()
    await open(page, 'Organization')
    const field = page.getByRole('textbox', { name: 'Name' })

    await field.fill('First')
    live.world.clock.advance({ seconds: 1 })
    await other.put('/api/organizations/settings', { mask_phone_numbers: false })
    await save(page)
    expect(await saved()).toMatchObject({ name: 'First', settings: { mask_phone_numbers: false } })
    await page.getByRole('switch', { name: /Hide phone numbers/, checked: false }).waitFor()

    await field.fill('Second')
    await page.getByText('Hide phone numbers, except').click()
    live.world.clock.advance({ seconds: 1 })
    await other.put('/api/organizations/settings', { name: 'Theirs' })
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Somebody else saved this meanwhile' })
    await dialog.getByRole('radio', { name: 'Yours Second', checked: true }).waitFor()
    await owner.requireAccessible()
    await owner.picture('merge')
    await dialog.getByText('Theirs', { exact: true }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    expect(await field.inputValue()).toBe('Theirs')
    expect(await saved()).toMatchObject({ name: 'Theirs', settings: { mask_phone_numbers: true } })
    await other.put('/api/organizations/settings', { name })
  }, 60_000)

  test('had no error of the page', async () => {
    await owner.finish()
  }, 30_000)
})
