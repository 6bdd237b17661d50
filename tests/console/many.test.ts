import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'

import type { Loose } from '../support/client'
import { addMembers } from '../support/people'
import { CHROMIUM } from './support/chromium'
import { closeWithEscape, LiveWorld, type Journey } from './support/journey'

/** More than any field lists at once. Only a search finds the last one. */
const NAMES = [...Array.from({ length: 52 }, (_, at) => `Aa ${at}`), 'Zoo']

describe.skipIf(CHROMIUM === null)('an organization with many of everything', () => {
  let live: LiveWorld
  let journey: Journey
  let page: Page

  beforeAll(async () => {
    live = await LiveWorld.create()
    const { world } = live
    const ana = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Ana Sol' })
    await ana.says('Are you open today?')
    const admin = await world.as('admin')
    for (const name of NAMES)
      for (const made of [
        await admin.post('/api/teams', { name }),
        await admin.post('/api/tags', { name }),
        await admin.post('/api/roles', { name, permissions: ['contacts:read'] }),
      ])
        expect(made.status).toBe(201)
    addMembers(
      world,
      NAMES.map((name) => `${name} Person`),
    )
    journey = await live.open()
    page = journey.page
    await journey.signIn('admin')
  }, 60_000)

  afterAll(() => live.stop())

  const field = (name: string): Locator => page.getByRole('button', { name: new RegExp(name) })
  const option = (name: string): Locator => page.getByRole('option', { name, exact: true })

  /** Searches an option that is not listed, and takes it. */
  const take = async (name: string): Promise<void> => {
    await page.getByRole('option').nth(20).waitFor()
    expect(await option(name).count()).toBe(0)
    await page.getByRole('searchbox', { name: 'Search', exact: true }).fill('zoo')
    await option(name).click()
  }

  test('filters its inbox by each team, tag and colleague, and still knows them after a reload', async () => {
    await page.getByRole('listitem').filter({ hasText: 'Ana Sol' }).waitFor()
    await page.getByRole('button', { name: 'Filters', exact: true }).click()
    await field('Assigned to').click()
    await take('Zoo Person')
    await field('Zoo Person Assigned to').waitFor()
    await field('Team').click()
    await journey.picture('filter-search')
    await take('Zoo')
    await field('Tag').click()
    await take('Zoo')
    await page.waitForURL(/assigned=.*team=.*tags=|tags=.*team=/)
    await page.reload()
    await page.getByRole('button', { name: 'Filters', exact: true }).click()
    for (const name of ['Zoo Person', 'Zoo', 'Zoo']) await field(name).first().waitFor()
    await journey.requireAccessible()
    await journey.picture('filters')
  }, 60_000)

  test('gives a customer a tag that is not listed, and takes it away', async () => {
    await page.goto('/inbox')
    await page.getByRole('listitem').filter({ hasText: 'Ana Sol' }).getByRole('link').click()
    await page.getByRole('button', { name: /Change tags/ }).click()
    const picker = page.getByRole('dialog', { name: 'Tags' })
    await picker.getByRole('searchbox').fill('Aa 7')
    await picker.getByRole('menuitemcheckbox', { name: 'Aa 7' }).click()
    await picker.getByRole('searchbox').fill('zoo')
    await picker.getByRole('menuitemcheckbox', { name: 'Zoo' }).click()
    await picker.getByRole('searchbox').fill('')
    await closeWithEscape(picker)
    const tags = page.getByRole('region', { name: 'Tags' })
    await tags.getByText('Zoo').waitFor()
    expect(await tags.locator('.chip').allInnerTexts()).toEqual(['Aa 7', 'Zoo'])
    await page.getByRole('button', { name: /Change tags/ }).click()
    await picker.getByRole('menuitemcheckbox', { name: 'Zoo' }).click()
    await tags.getByText('Zoo').waitFor({ state: 'detached' })
    await closeWithEscape(picker)
    await page.getByRole('listitem').filter({ hasText: 'Ana Sol' }).getByRole('checkbox').click()
    await page
      .getByRole('toolbar')
      .getByRole('button', { name: /Change tags/ })
      .click()
    await picker.getByRole('searchbox').fill('zoo')
    await picker.getByRole('menuitem', { name: /Zoo/ }).click()
    await tags.getByText('Zoo').waitFor()
  }, 60_000)

  test('hands a conversation to a colleague who is not listed', async () => {
    await page
      .getByRole('button', { name: /^Hand over/ })
      .first()
      .click()
    await page.getByRole('searchbox', { name: 'Search colleagues and teams' }).fill('zoo pers')
    await page.getByRole('menuitem', { name: 'Zoo Person' }).click()
    await page.locator('.thread-head').getByText('Zoo Person').waitFor()
  }, 60_000)

  test('sends new conversations to each team, and gives each role', async () => {
    await page.goto('/settings/hours')
    await field('They wait in').click()
    await take('Zoo')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').last().waitFor()
    await page.reload()
    await field('Zoo').waitFor()
    expect(await page.locator('[data-placeholder]').count()).toBe(0)
    await journey.picture('queue')
    const { data } = await (await live.world.as('admin')).get('/api/organizations/settings')
    const queue = String((data['settings'] as Loose)['new_conversations'])
    expect(live.world.rows('select name from teams where id = ?', queue)).toEqual([{ name: 'Zoo' }])
    await page.goto('/settings/people')
    await page.getByRole('button', { name: 'Invite people' }).click()
    await page.getByRole('textbox', { name: 'Email' }).fill('kim@example.com')
    await field('Role').click()
    await take('Zoo')
    await journey.picture('role')
    await page.getByRole('button', { name: 'Create invitation' }).click()
    await page.getByText('Send this link').waitFor()
    expect(
      live.world.rows('select r.name from invitations i join roles r on r.id = i.role_id'),
    ).toEqual([{ name: 'Zoo' }])
  }, 60_000)

  test('had no error of the page', () => journey.finish(), 30_000)
})
