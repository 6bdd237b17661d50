import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import type { Page } from 'playwright-core'

import { PASSWORD } from '../support/world'
import { CHROMIUM } from './support/chromium'
import { LiveWorld, pressEscapeIn, type Journey } from './support/journey'

/** Folder for pictures of the screens; none are taken if it is not set. */
const SHOTS = process.env['CONSOLE_SHOTS']

async function picture(page: Page, name: string): Promise<void> {
  if (SHOTS === undefined) return
  mkdirSync(SHOTS, { recursive: true })
  await page.screenshot({ path: join(SHOTS, `${name}.png`) })
}

/** Opens a screen of the settings from their list, and has axe look at it. */
async function visit(journey: Journey, name: string): Promise<void> {
  const { page } = journey
  const list = page.getByRole('navigation', { name: 'Settings' })
  await list.getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await journey.requireAccessible()
}

async function save(page: Page): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** Confirms that a secret was stored; Escape does not close its window. */
async function storeSecret({ page }: Journey, pattern: RegExp): Promise<void> {
  const dialog = page.getByRole('dialog')
  expect(await dialog.locator('.secret code').textContent()).toMatch(pattern)
  await pressEscapeIn(dialog)
  await dialog.getByText('I have stored it').click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
}

describe.skipIf(CHROMIUM === null)('the settings', () => {
  let live: LiveWorld

  beforeAll(async () => {
    live = await LiveWorld.create()
    // The console is bundled at the first request.
    await fetch(live.world.url, { headers: { accept: 'text/html' } })
  }, 60_000)

  afterAll(() => live.stop())

  test('let an admin set up an organization', async () => {
    const journey = await live.open({ path: '/settings' })
    const { page } = journey
    await journey.signIn('admin')

    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()
    await page.getByText('This device', { exact: true }).waitFor()
    await journey.requireAccessible()
    await page.getByRole('textbox', { name: 'Full name' }).fill('Amira Stone')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Your account: Amira Stone' }).waitFor()
    await picture(page, 'profile')

    await visit(journey, 'Tags')
    await page.getByText('No tags yet').waitFor()
    await page.getByRole('button', { name: 'Add tag' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Wholesale')
    await page.getByRole('button', { name: /Color/ }).click()
    await page.getByRole('option', { name: 'Blue' }).click()
    await save(page)
    await page.getByRole('listitem').filter({ hasText: 'Wholesale' }).waitFor()
    await page.getByRole('button', { name: 'Actions for Wholesale' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await picture(page, 'tag-deletion')
    await page.getByRole('button', { name: 'Delete Wholesale' }).click()
    await page.getByText('No tags yet').waitFor()

    await visit(journey, 'Canned responses')
    await page.getByRole('button', { name: 'Add response' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Opening hours')
    await page.getByRole('textbox', { name: 'Shortcut' }).fill('hours')
    await page.getByRole('textbox', { name: 'Text' }).fill('We are here from nine to five.')
    await journey.requireAccessible()
    await picture(page, 'canned-response')
    await save(page)
    await page.getByText('/hours').waitFor()
    await picture(page, 'canned-responses')

    await visit(journey, 'Teams')
    await page.getByRole('button', { name: 'Add team' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Returns')
    await save(page)
    await page.getByRole('button', { name: 'Actions for Returns' }).click()
    await page.getByRole('menuitem', { name: 'Members' }).click()
    await page.getByRole('button', { name: 'Add member' }).click()
    await page.getByRole('menuitem', { name: /agent/ }).click()
    await page.getByRole('button', { name: /^Remove .*agent/ }).waitFor()
    await journey.requireAccessible()
    await picture(page, 'team-members')
    await page.getByRole('button', { name: 'Close' }).last().click()
    await page.getByText('1 member').waitFor()

    await visit(journey, 'People')
    await page.getByRole('button', { name: 'Invite people' }).click()
    await page.getByRole('textbox', { name: 'Email' }).fill('new@example.com')
    await page.getByRole('button', { name: 'Create invitation' }).click()
    await storeSecret(journey, /\/join|token/)
    await page
      .getByRole('region', { name: 'Open invitations' })
      .getByText('new@example.com')
      .waitFor()
    await picture(page, 'people')

    // Somebody who knows nothing but the ID of the organization.
    const { world } = live
    const { status } = await world.anyone.post('/api/auth/register', {
      ...{ email: 'stranger@example.com', password: PASSWORD, full_name: 'A Stranger' },
      organization_id: world.tenant.id,
    })
    expect(status).toBe(201)
    await visit(journey, 'Teams')
    await visit(journey, 'People')
    await page.getByText('Joined without an invitation', { exact: true }).waitFor()
    await picture(page, 'people-unconfirmed')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page
      .getByText('Joined without an invitation', { exact: true })
      .waitFor({ state: 'detached' })

    await visit(journey, 'API keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Shop')
    await page.getByText('See own customers').click()
    await journey.requireAccessible()
    await picture(page, 'api-key')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    await page
      .getByRole('dialog')
      .getByText(/Without .contacts:read_all/)
      .waitFor()
    await picture(page, 'api-key-made')
    await storeSecret(journey, /./)
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Shop' })
      .getByText(/1 permission/)
      .waitFor()
    await picture(page, 'api-keys')
    await journey.finish()
  }, 90_000)

  test('show an agent only what the role allows, and say what is missing', async () => {
    const journey = await live.open({
      path: '/settings/tags',
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
    })
    const { page } = journey
    await journey.signIn('agent')
    await page.getByRole('heading', { level: 1, name: 'Tags' }).waitFor()
    expect(await page.getByRole('button', { name: 'Add tag' }).count()).toBe(0)
    await journey.requireAccessible()
    await visit(journey, 'Profile')
    await picture(page, 'profile-phone-dark')
    const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
    expect(wide).toBe(false)
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Inbox' })
      .click()
    await page.getByText('Nobody is waiting').waitFor()
    await journey.finish()
  }, 60_000)
})
