import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import type { Page } from 'playwright-core'

import { SAMPLES } from '../../src/simulator/sample-files'
import type { Loose } from '../support/client'
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
  /** The program that a custom action calls. */
  let desk: Bun.Server<undefined>

  beforeAll(async () => {
    desk = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response('<b>No such queue</b>', { status: 404 }),
    })
    const env = { EGRESS_ALLOW: `127.0.0.1,127.0.0.1:${desk.port}` }
    live = await LiveWorld.create({ env })
    // The console is bundled at the first request.
    await fetch(live.world.url, { headers: { accept: 'text/html' } })
  }, 60_000)

  afterAll(async () => {
    await live.stop()
    await desk.stop(true)
  })

  test('let an admin set up an organization', async () => {
    const journey = await live.open({ path: '/settings', expected: [/status of 409/] })
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

    await visit(journey, 'Custom fields')
    await page.getByRole('button', { name: 'Add field' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Kind of contract')
    await page.getByRole('button', { name: /What it holds/ }).click()
    await page.getByRole('option', { name: 'One of a list' }).click()
    await page.getByRole('textbox', { name: 'Choices' }).fill('Free\n\n Pro ')
    await save(page)
    await page.getByRole('listitem').filter({ hasText: 'kind_of_contract' }).waitFor()
    const contact = await live.world.contactOf()
    const admin = await live.world.as('admin')
    const attributes = { kind_of_contract: 'Pro' }
    expect((await admin.put(`/api/contacts/${contact['id']}`, { attributes })).status).toBe(200)
    await page.getByRole('button', { name: 'Actions for Kind of contract' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Tariff')
    // somebody else changes the same name meanwhile
    const { data: fields } = await admin.get('/api/contact-attributes')
    const field = `/api/contact-attributes/${(fields['items'] as Loose[])[0]?.['id']}`
    live.world.clock.advance({ seconds: 1 })
    await admin.put(field, { label: 'Plan', options: ['Free', 'Pro', 'Team'] })
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Plan', { exact: true }).waitFor()
    await journey.requireAccessible()
    await page.getByRole('dialog').last().getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').first().waitFor({ state: 'detached' })
    expect((await admin.get(field)).data).toMatchObject({
      label: 'Tariff',
      options: ['Free', 'Pro', 'Team'],
    })
    await page.getByRole('button', { name: 'Actions for Tariff' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByText('1 contact loses its value.').waitFor()
    await page.getByRole('button', { name: 'Delete Tariff' }).click()
    await page.getByText('No custom fields yet').waitFor()

    await visit(journey, 'Custom actions')
    await page.getByRole('button', { name: 'Add action' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Create a ticket')
    const address = `http://127.0.0.1:${desk.port}/tickets/{{contact.id}}`
    await page.getByRole('textbox', { name: 'Address' }).fill(address)
    await page.getByRole('button', { name: 'Add header' }).click()
    await page.getByRole('textbox', { name: 'Header' }).fill('X-Key')
    await page.getByRole('textbox', { name: 'Value' }).fill('secret-4711')
    await journey.requireAccessible()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Create a ticket' }).waitFor()
    await page.getByRole('button', { name: /Customer whose values/ }).click()
    await page.getByRole('option').first().click()
    await page.getByRole('button', { name: 'Run the test' }).click()
    await page.getByText(/^Answer 404 after/).waitFor()
    await page.getByText('<b>No such queue</b>', { exact: true }).waitFor()
    await page.getByText('x-key: ***').waitFor()
    await page.getByText(new RegExp(`^POST .*${contact['id']}$`)).waitFor()
    await journey.requireAccessible()

    await visit(journey, 'Teams')
    await page.getByRole('button', { name: 'Add team' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Returns')
    await save(page)
    await page.getByRole('button', { name: 'Actions for Returns' }).click()
    await page.getByRole('menuitem', { name: 'Members' }).click()
    await page.getByRole('button', { name: 'Add member' }).click()
    await page.getByRole('menuitem', { name: /agent/ }).click()
    await page.getByRole('button', { name: /^Remove .*agent/ }).waitFor()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Actions for/ })
      .click()
    await page.getByRole('menuitem', { name: 'Make manager' }).click()
    const manager = page.getByRole('dialog').getByText('Manager', { exact: true })
    await manager.waitFor()
    await page.getByRole('button', { name: /^Remove .*agent/ }).click()
    await manager.waitFor({ state: 'detached' })
    // the note is within reach while the window is open
    await page.getByRole('button', { name: 'Undo' }).click()
    await manager.waitFor()
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

  test('give a number its profile, its calls and the ways to its chat', async () => {
    const { world } = live
    world.program.http.settings.baseUrl = world.url
    const number = `/api/accounts/${world.tenant.accountId ?? ''}`
    // what the server reads is what WhatsApp has
    const stored = async (part: string): Promise<Loose> =>
      (await (await world.as('admin')).get(`${number}/${part}`)).data
    const journey = await live.open({ path: '/settings/numbers', expected: [/status of 400/] })
    const { page } = journey
    await journey.signIn('admin')
    const saveAll = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    }
    const open = async (tab: string): Promise<void> => {
      const tabs = page.getByRole('navigation', { name: 'Parts of this number' })
      await tabs.getByRole('link', { name: tab }).click()
    }
    await page.getByRole('link', { name: 'Acme main' }).click()
    await page.getByText('Messages of this number do not arrive here').waitFor()
    await page.getByText('New chats wait until somebody takes them.').waitFor()
    await journey.requireAccessible()

    await open('Profile')
    const preview = page.getByRole('figure', { name: 'As a customer sees it' })
    const picture = {
      name: 'logo.png',
      mimeType: 'image/png',
      buffer: Buffer.from(SAMPLES['image/png']),
    }
    await page.locator('input[type=file]').setInputFiles(picture)
    await preview.locator('img').waitFor()
    await page.getByRole('textbox', { name: 'About' }).fill('Cakes 🎂')
    await page.getByText('8 of 139 characters').waitFor()
    await preview.getByText('Cakes 🎂').waitFor()
    await page.getByRole('button', { name: /Line of business/ }).click()
    await page.getByRole('option', { name: 'Restaurant' }).click()
    await page.getByRole('textbox', { name: 'Email' }).fill('nobody')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.field[data-invalid] input[name=email]').waitFor()
    await page.getByRole('textbox', { name: 'Email' }).fill('hello@acme.example.com')
    await page.getByRole('textbox', { name: 'Website 1' }).fill('https://acme.example.com')
    await journey.requireAccessible()
    await saveAll()
    expect(await stored('business_profile')).toMatchObject({
      about: 'Cakes 🎂',
      vertical: 'RESTAURANT',
      email: 'hello@acme.example.com',
      websites: ['https://acme.example.com'],
    })

    await open('Calls')
    await page.getByText('Customers can call this number on WhatsApp').click()
    await page.getByText('Customers can call at certain hours only').click()
    await page.getByText('Ask callers whether you may call back').click()
    await page.getByText('Send calls to our telephone system').click()
    await page.getByRole('textbox', { name: 'Its address' }).fill('sip.acme.example.com')
    world.simulator.fail({ code: 138_017 }, { route: 'settings' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^WhatsApp lets this number take calls only once/).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await storeSecret(journey, /^password-of-/)
    const calling = await stored('calling')
    expect(calling).toMatchObject({
      status: 'ENABLED',
      callback_permission: 'ENABLED',
      sip: { enabled: true, servers: [{ hostname: 'sip.acme.example.com' }] },
    })
    expect(calling['hours']).toHaveLength(5)
    await journey.requireAccessible()

    await open('Ways to the chat')
    await page.getByRole('button', { name: 'New link' }).click()
    await page.getByRole('textbox', { name: 'Message' }).fill('Is my cake ready?')
    await save(page)
    await page.getByRole('button', { name: 'QR code' }).click()
    await page.getByRole('img', { name: 'QR code: Is my cake ready?' }).waitFor()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the picture' }).click(),
    ])
    expect(saved.suggestedFilename()).toMatch(/^whatsapp-\w+\.png$/)
    await journey.requireAccessible()
    await pressEscapeIn(page.getByRole('dialog'))
    await page.getByRole('button', { name: 'Add question' }).click()
    await page.getByRole('textbox', { name: 'Question 1' }).fill('When are you open?')
    await page.getByRole('button', { name: 'Add command' }).click()
    await page.getByRole('textbox', { name: 'Command 1', exact: true }).fill('/order')
    await page.getByRole('textbox', { name: 'What command 1 does' }).fill('Where is my order?')
    await page.getByText('WhatsApp tells us when').click()
    await page.getByRole('textbox', { name: 'Username' }).fill('@acme.cakes')
    await page.getByText('Customers see the catalog').click()
    await journey.requireAccessible()
    await saveAll()
    expect(await stored('entry-points')).toMatchObject({
      links: [{ message: 'Is my cake ready?' }],
      ice_breakers: ['When are you open?'],
      commands: [{ name: 'order', description: 'Where is my order?' }],
      welcome: true,
      commerce: { cart_enabled: true, catalog_visible: true },
      username: { name: 'acme.cakes' },
    })
    await page.getByRole('button', { name: 'Actions for Is my cake ready?' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete Is my cake ready?' }).click()
    await page.getByText(/^No link yet/).waitFor()
    expect((await stored('entry-points'))['links']).toEqual([])

    await open('Connection')
    await page.getByRole('button', { name: 'Receive messages here' }).click()
    await page.getByRole('button', { name: 'Stop receiving' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop receiving' }).click()
    await page.getByText('Messages do not arrive here yet.').waitFor()
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByText(/BEGIN PUBLIC KEY/).waitFor()
    await journey.requireAccessible()
    await journey.finish()
  }, 90_000)

  test('say what is kept, what goes, and what leaves as a file', async () => {
    const { world } = live
    const customer = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Ana Sol' })
    await customer.says('An old question')
    await world.settle()
    world.clock.advance({ hours: 192 })
    const admin = await world.as('admin')
    const journey = await live.open({
      path: '/settings/consent',
      expected: [/status of 400.*retention\/preview/],
    })
    const { page } = journey
    await journey.signIn('admin')
    const saveAll = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Save', exact: true }).click()
    }
    const back = page.getByRole('textbox', { name: 'Words, one in each line' }).last()
    await back.fill('START\n stop ')
    await saveAll()
    await page.getByText('This word stands in both lists.').waitFor()
    await back.fill('START\n\n yes please ')
    await page
      .getByRole('button', { name: /Our answer/ })
      .last()
      .click()
    await page.getByRole('option', { name: 'None' }).click()
    await journey.requireAccessible()
    await saveAll()
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    expect((await admin.get('/api/consent-settings')).data).toMatchObject({
      opt_in_keywords: ['START', 'yes please'],
      opt_in_reply: '',
      opt_out_reply: null,
    })

    await visit(journey, 'Keeping data')
    await page.getByText('Nothing.').waitFor()
    const preview = page.getByRole('region', { name: 'What would go' })
    await page.getByRole('textbox', { name: 'Messages', exact: true }).fill('3')
    await preview.getByText('Please check the marked fields.').waitFor()
    await page.getByRole('textbox', { name: 'Messages', exact: true }).fill('7')
    await preview.getByText(/^\d+ messages?$/).waitFor()
    const gone = await preview.getByRole('listitem').first().innerText()
    await saveAll()
    const question = page.getByRole('dialog')
    await question.getByText(gone, { exact: true }).waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect((await admin.get('/api/retention')).data['messages_days']).toBeNull()
    await saveAll()
    await journey.requireAccessible()
    await question.getByRole('button', { name: 'Save and erase' }).click()
    await page.getByText(/^Shorter times count from/).waitFor()
    expect((await admin.get('/api/retention')).data['messages_days']).toBe(7)

    await visit(journey, 'Exports')
    await page.getByRole('button', { name: 'New export' }).click()
    // the usual columns are chosen; one of them is left out
    const column = (name: string) => page.getByRole('dialog').getByRole('checkbox', { name })
    expect(await column('Data of programs').isChecked()).toBe(false)
    await page.getByRole('dialog').getByText('Country', { exact: true }).click()
    const [asked] = await Promise.all([
      page.waitForRequest((request) => request.url().endsWith('/api/export')),
      page.getByRole('button', { name: 'Write the file' }).click(),
    ])
    const { columns } = asked.postDataJSON() as { columns?: string[] }
    expect(columns).toContain('name')
    expect(columns).not.toContain('metadata')
    expect(columns).not.toContain('country')
    const file = page.getByRole('button', { name: 'Download Contacts' })
    await file.waitFor()
    const [saved] = await Promise.all([page.waitForEvent('download'), file.click()])
    expect(saved.suggestedFilename()).toMatch(/^contacts-.*\.csv$/)

    await visit(journey, 'Archives')
    await page.getByRole('button', { name: 'New archive' }).click()
    await page.getByRole('button', { name: 'Write the archive' }).click()
    await page.getByText('Ready', { exact: true }).waitFor()
    await journey.requireAccessible()

    const { data: contacts } = await admin.get('/api/contacts?search=Ana')
    const id = String((contacts['items'] as Loose[])[0]?.['id'])
    await visit(journey, 'Privacy requests')
    await page.getByText('No privacy requests yet').waitFor()
    await admin.post(`/api/contacts/${id}/erase`, { confirm: id })
    await page.getByRole('link', { name: 'Erasure' }).click()
    await page.getByText('Done', { exact: true }).first().waitFor()
    await page.getByRole('region', { name: 'Receipt' }).getByText('Numbers and names').waitFor()
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
    const number = `/settings/numbers/${live.world.tenant.accountId ?? ''}`
    for (const [part, text] of [
      ['', 'Last received'],
      ['/profile', 'Cakes 🎂'],
      ['/calling', 'sip.acme.example.com'],
      ['/entry-points', 'When are you open?'],
      ['/connection', 'Phone number ID'],
    ] as const) {
      await page.goto(`${number}${part}`)
      await page.getByText(text).waitFor()
      const writes = ':is(input, textarea, button:not([aria-label^="Copy"]))'
      expect(await page.locator('#content').locator(writes).count()).toBe(0)
    }
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

    const admin = await live.world.as('admin')
    const permissions = ['messages:read', 'messages:create']
    const { data: role } = await admin.post('/api/roles', { name: 'Writer', permissions })
    const { tenant } = live.world
    await admin.put(`/api/users/${tenant.userIds.agent}`, { role_id: role['id'] })
    await page.goto(`${number}/profile`)
    await page.getByText('You cannot see this').waitFor()
    await page.getByText(/See the connected phone numbers/).waitFor()
    // also where the page knows everything already, and at once when a right is taken back
    await page.goto('/settings/organization')
    await page.getByText('You cannot see this').waitFor()
    const roleWith = (...more: string[]) =>
      admin.put(`/api/roles/${String(role['id'])}`, { permissions: [...permissions, ...more] })
    await roleWith('chatbot:read', 'chatbot:update')
    await page.goto('/settings/hours')
    await page.getByRole('switch', { name: 'We have opening hours' }).waitFor()
    await roleWith()
    await page.getByText('You cannot see this').waitFor()
    // who may not see the inbox begins elsewhere
    await admin.put(`/api/roles/${String(role['id'])}`, { permissions: ['templates:read'] })
    await page.goto('/')
    await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor()
    await journey.finish()
  }, 60_000)
})
