import { afterAll, beforeAll, describe, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'

import { CHROMIUM } from './support/chromium'
import { LiveWorld, type Journey } from './support/journey'

const NEXT = 'flour, water, salt and time'

describe.skipIf(CHROMIUM === null)('a baker with the four values of a number', () => {
  let live: LiveWorld

  beforeAll(async () => {
    live = await LiveWorld.create({ isConnected: false, newConversations: 'general' })
    live.world.program.http.settings.baseUrl = live.world.url
  }, 60_000)

  afterAll(() => live.stop())

  const rowOf = (page: Page, name: string): Locator =>
    page.getByRole('listitem').filter({ hasText: name }).getByRole('link')

  /** Sends an answer and waits until the thread has it. */
  async function answer(page: Page, text: string): Promise<void> {
    await page.getByRole('textbox', { name: 'Message' }).fill(text)
    await page.keyboard.press('Enter')
    await page.getByRole('log').getByRole('article').filter({ hasText: text }).waitFor()
  }

  /** Invites somebody in the settings, and returns the link. */
  async function invite(page: Page, email: string): Promise<string> {
    await page.goto('/settings/people')
    await page.getByRole('button', { name: 'Invite people' }).click()
    await page.getByRole('textbox', { name: 'Email' }).fill(email)
    await page.getByRole('button', { name: 'Create invitation' }).click()
    const dialog = page.getByRole('dialog')
    const link = await dialog.locator('.secret code').innerText()
    await dialog.getByText('I have stored it').click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await dialog.waitFor({ state: 'detached' })
    return link
  }

  /** Opens a link of an invitation in a browser of its own, and joins. */
  async function join(link: string, name: string): Promise<Journey> {
    const { pathname, search, hash } = new URL(link)
    const journey = await live.open({
      path: pathname + search + hash,
      // who hands a customer to others may ask once more for what is no longer theirs
      expected: [/status of 404.*\/api\/(?:contacts|conversations)\//],
    })
    const { page } = journey
    await page.getByLabel('Full name').fill(name)
    await page.getByLabel('Password').fill(NEXT)
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByRole('button', { name: `Your account: ${name}` }).waitFor()
    return journey
  }

  test('connects it, answers, and has colleagues who hand on to each other', async () => {
    const { world } = live
    const { tenant } = world
    const baker = await live.open({ path: '/settings/numbers' })
    const own = baker.page
    await baker.signIn('admin')
    await own.goto('/settings/numbers')
    await own.getByRole('button', { name: 'Connect number' }).first().click()
    await own.getByRole('textbox', { name: 'Name' }).fill('Counter')
    await own.getByRole('textbox', { name: 'Phone number ID' }).fill(tenant.phoneId)
    await own.getByRole('textbox', { name: 'Business account ID' }).fill(tenant.wabaId)
    await own.locator('input[name=access_token]').fill(tenant.token)
    await own.getByRole('button', { name: 'Connect', exact: true }).click()
    const dialog = own.getByRole('dialog', { name: 'Receive messages of Counter' })
    await dialog.getByRole('button', { name: 'Receive messages here' }).click()
    await dialog.getByText('Done. Write to this number').waitFor()
    await dialog.getByRole('link', { name: 'Go on' }).and(own.locator(':focus')).waitFor()

    // a customer's phone
    const ana = world.simulator.customer({ phone: tenant.phoneId, name: 'Ana Sol' })
    await ana.says('Do you have rye bread?')
    await dialog.getByRole('link', { name: 'Open it' }).and(own.locator(':focus')).waitFor()
    await own.keyboard.press('Enter')
    await own.getByRole('log').getByText('Do you have rye bread?').waitFor()
    await answer(own, 'Yes, until noon.')
    await own.keyboard.press('Escape')
    await own.keyboard.press('e')
    await own.getByText('Closed today').waitFor()

    await own.goto('/settings/teams')
    await own.getByRole('button', { name: 'Add team' }).click()
    await own.getByRole('textbox', { name: 'Name' }).fill('Bakehouse')
    await own.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await own.getByRole('listitem').filter({ hasText: 'Bakehouse' }).waitFor()
    const mona = await join(await invite(own, 'mona@example.com'), 'Mona Mill')
    const otto = await join(await invite(own, 'otto@example.com'), 'Otto Oven')
    await own.goto('/settings/teams')
    await own.getByRole('button', { name: 'Actions for Bakehouse' }).click()
    await own.getByRole('menuitem', { name: 'Members' }).click()
    await own.getByRole('button', { name: 'Add member' }).click()
    await own.getByRole('menuitem', { name: /Otto Oven/ }).click()
    await own.getByRole('button', { name: 'Remove Otto Oven' }).waitFor()

    await world.simulator
      .customer({ phone: tenant.phoneId, name: 'Ben Rio' })
      .says('A cake for forty, please')
    const { page } = mona
    await page.goto('/inbox')
    await page.getByRole('navigation', { name: 'Folders' }).getByText('Waiting').click()
    await rowOf(page, 'Ben Rio').click()
    await page.getByRole('log').getByText('A cake for forty, please').waitFor()
    await page.locator('.thread-head').getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Take over' }).click()
    await page.locator('.thread-head').getByText('Mona Mill').waitFor()
    await answer(page, 'I ask our bakers.')
    await page.keyboard.press('Escape')
    await page.keyboard.press('h')
    await page.getByRole('textbox', { name: /^Note/ }).fill('For Saturday, no nuts')
    await page.getByRole('searchbox', { name: 'Search colleagues and teams' }).fill('bake')
    await page.getByRole('menuitem', { name: /Bakehouse/ }).click()
    await page.getByText('Handed over to Bakehouse').waitFor()

    await otto.page.goto('/inbox')
    await rowOf(otto.page, 'Ben Rio').click()
    await otto.page.getByText('For Saturday, no nuts').first().waitFor()
    await otto.picture('baker')
    for (const journey of [baker, mona, otto]) await journey.finish()
  }, 120_000)
})
