import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Loose } from '../support/client'
import { addMembers } from '../support/people'
import { codeOf } from '../support/second-factor'
import { PASSWORD } from '../support/world'
import { CHROMIUM } from './support/chromium'
import { closeWithEscape, LiveWorld, type Journey } from './support/journey'

describe.skipIf(CHROMIUM === null)('running an organization', () => {
  let live: LiveWorld
  let journey: Journey

  beforeAll(async () => {
    live = await LiveWorld.create()
    journey = await live.open({ path: '/transfers' })
    await journey.signIn('admin')
  }, 120_000)

  afterAll(() => live.stop())

  test('shows who waits, lets one person take the customer, and gives back', async () => {
    const { world } = live
    const { page } = journey
    const admin = await world.as('admin')
    const rowOf = (name: string) => page.getByRole('listitem').filter({ hasText: name })
    await page.getByText('Nobody is waiting').waitFor()

    const settings = { sla_enabled: true, sla_response_minutes: 10, sla_resolution_minutes: 60 }
    expect((await admin.put('/api/chatbot/settings', settings)).status).toBe(200)
    const { data } = await admin.post('/api/teams', { name: 'Returns' })
    const transfers: Loose[] = []
    for (const [name, team] of [
      ['Ana Sol', String((data['team'] as Loose)['id'])],
      ['Bob Late', 'general'],
    ] as const) {
      await world.simulator.customer({ phone: world.tenant.phoneId, name }).says('A person, please')
      await world.settle()
      const found = (await admin.get(`/api/contacts?search=${name.slice(0, 3)}`)).data
      const contact_id = String((found['items'] as Loose[])[0]?.['id'])
      const body = { contact_id, team_id: team, priority: 5, notes: 'Asks for a refund' }
      const made = await admin.post('/api/chatbot/transfers', body)
      transfers.push(made.data['transfer'] as Loose)
    }
    await rowOf('Ana Sol').getByText('Returns').waitFor()
    await rowOf('Bob Late')
      .getByText(/Answer due in/)
      .waitFor()
    await journey.requireAccessible()
    await journey.picture('transfers')

    // a supervisor gives a customer to a colleague by keys
    for (let step = 0; step < transfers.length; step += 1) {
      await page.keyboard.press('j')
      if ((await page.locator('li:focus').innerText()).includes('Ana Sol')) break
    }
    await page.keyboard.press('a')
    await page.getByRole('dialog').getByRole('menuitem', { name: 'Acme agent' }).click()
    await rowOf('Ana Sol').waitFor({ state: 'detached' })
    await rowOf('Bob Late').getByRole('button', { name: 'Pick up' }).click()
    await page.getByRole('log').getByText('A person, please').waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Mine' }).click()
    await rowOf('Bob Late').getByRole('button', { name: 'Actions for Bob Late' }).click()
    await page.getByRole('menuitem', { name: 'Give back to the queue' }).click()
    await rowOf('Bob Late').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Waiting' }).click()
    await page.keyboard.press('p')
    await page.getByRole('log').getByText('A person, please').waitFor()

    // and by dragging, where a few colleagues are listed and a search finds the others
    addMembers(
      live.world,
      Array.from({ length: 100 }, (_, at) => `Zz ${at}`),
    )
    await page.goto('/transfers?show=active')
    await page.locator('.tabs [aria-current]').first().waitFor()
    expect(await page.locator('.tabs [aria-current]').allInnerTexts()).toEqual(['All active'])
    await rowOf('Bob Late').getByText('Bob Late').hover()
    await page.mouse.down()
    await page.mouse.move(600, 400, { steps: 3 })
    const target = page.locator('.drop-target').filter({ hasText: 'Acme manager' })
    await target.hover()
    await page.locator('.drop-on').getByText('The others are found with “Assign”.').waitFor()
    await page.mouse.up()
    await rowOf('Bob Late')
      .getByText(/Acme manager/)
      .waitFor()
    await page.locator('.drop-on').waitFor({ state: 'detached' })
  }, 120_000)

  test('leads through the first steps, and shows how a number works', async () => {
    const { page } = journey
    await page.goto('/')
    await page.getByRole('heading', { level: 1, name: 'First steps' }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Connect a phone number' }).waitFor()
    await journey.requireAccessible()
    await journey.picture('welcome')
    const manager = await live.open({ path: '/' })
    await manager.signIn('manager')
    const steps = manager.page.getByRole('list', { name: 'First steps' })
    await steps.getByText('Connect a phone number').waitFor()
    expect(await steps.getByText('Invite a colleague').count()).toBe(0)
    await manager.page.getByRole('button', { name: 'Hide this list' }).click()
    await manager.page.waitForURL(/inbox/)
    await manager.page.goto('/')
    await manager.page.waitForURL(/inbox/)
    await manager.finish()
    await page.goto('/settings/numbers')
    const row = page.getByRole('listitem').filter({ hasText: 'Connected' })
    await row.getByRole('link').click()
    await page.getByRole('button', { name: 'Test the connection' }).click()
    await page.getByText('The connection works').waitFor()
    await page.getByText('Customer service, Replies to marketing').waitFor()
    await journey.requireAccessible()
    await journey.picture('number-health')
    const { world } = live
    const test = page.getByRole('button', { name: 'Test the connection' })
    world.simulator.fail({ code: 100 }, { route: 'routing_roles' })
    await test.click()
    const roles = page.locator('.facts > div').filter({ hasText: "Roles in WhatsApp's routing" })
    await roles.getByText('unknown').waitFor()
    world.simulator.shareNumber({ phone: world.tenant.phoneId, roles: [], isStandby: false })
    await test.click()
    await roles.getByText('none').waitFor()
    await page.getByText(/^Nothing that customers write arrives here/).waitFor()
    await journey.requireAccessible()
    await journey.picture('number-without-role')
    await page.getByRole('link', { name: 'Numbers' }).click()
    await row.getByText('No role in the routing').waitFor()

    const { simulator } = live.world
    const second = { id: '301000000000077', wabaId: '201000000000077', token: 'token-77' }
    simulator.addPhone({ ...second, displayPhoneNumber: '+1 555-010-0077', verifiedName: 'Two' })
    await page.getByRole('button', { name: 'Connect number' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Second')
    await dialog.getByRole('textbox', { name: 'Phone number ID' }).fill(second.id)
    await dialog.getByRole('textbox', { name: 'Business account ID' }).fill(second.wabaId)
    await dialog.locator('input[name=access_token]').fill(second.token)
    await journey.requireAccessible()
    await journey.picture('number-dialog')
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('dialog').getByText('/api/webhook').waitFor()
    await closeWithEscape(page.getByRole('dialog'))
    await page.getByRole('listitem').filter({ hasText: 'Second' }).waitFor()
    await journey.picture('numbers')

    await page.getByRole('link', { name: 'Second' }).click()
    await page.getByRole('link', { name: 'Connection' }).click()
    const version = page.getByRole('textbox', { name: 'Graph API version' })
    expect(await version.inputValue()).toBe('v25.0')
    await version.fill('v26.0')
    await page.getByRole('textbox', { name: 'Messaging account ID' }).fill(' 701000000000001 ')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    const { data } = await (await live.world.as('admin')).get('/api/accounts')
    const saved = (data['items'] as Loose[]).map(({ name, api_version, messaging_account_id }) =>
      [name, api_version, messaging_account_id].join(' '),
    )
    expect(saved.toSorted()).toEqual(['Acme main v25.0 ', 'Second v26.0 701000000000001'])
  }, 120_000)

  test('tells what happened, and turns two-factor authentication on and off', async () => {
    const { page } = journey
    const { world } = live
    await page.goto('/settings/profile')
    const section = page.getByRole('region', { name: 'Two-factor authentication' })
    await section.getByRole('button', { name: 'Turn on' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('input[name=current_password]').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByRole('img', { name: 'QR code' }).waitFor()
    await journey.requireAccessible()
    await journey.picture('two-factor')
    const secret = (await dialog.locator('code').innerText()).trim()
    await dialog.getByRole('textbox', { name: 'Code' }).fill(codeOf(world, secret))
    await dialog.getByRole('button', { name: 'Turn on' }).click()
    await dialog.getByText('I have stored it').click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await section.getByRole('button', { name: 'Turn off' }).click()
    await dialog.locator('input[name=current_password]').fill(PASSWORD)
    world.clock.advance({ seconds: 30 }) // a code counts once
    await dialog.getByRole('textbox', { name: 'Code' }).fill(codeOf(world, secret))
    await dialog.getByRole('button', { name: 'Turn off' }).click()
    await section.getByRole('button', { name: 'Turn on' }).waitFor()

    const bell = page.getByRole('button', { name: 'Notifications' })
    await bell.click()
    await page.getByRole('heading', { name: 'Notifications' }).waitFor()
    await journey.picture('notifications')
  }, 120_000)

  test('had no error of the page', () => journey.finish(), 30_000)
})
