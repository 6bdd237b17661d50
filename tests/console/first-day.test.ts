import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'

import words from '../../src/console/texts/en/inbox.json'
import type { Customer } from '../../src/simulator/customers'
import type { Loose } from '../support/client'
import { VERIFY_TOKEN } from '../support/world'
import { PASSWORD } from '../support/world'
import { CHROMIUM } from './support/chromium'
import { closeWithEscape, LiveWorld, type Journey } from './support/journey'

describe.skipIf(CHROMIUM === null)('the first day of an organization', () => {
  let live: LiveWorld
  let ana: Customer
  let admin: Journey
  let agent: Journey

  beforeAll(async () => {
    live = await LiveWorld.create({ newConversations: 'general' })
    ana = live.world.simulator.customer({ phone: live.world.tenant.phoneId, name: 'Ana Sol' })
    admin = await live.open({ path: '/settings', reducedMotion: 'no-preference' })
    // who hands a customer to others may ask once more for what is no longer theirs
    agent = await live.open({ expected: [/status of 404.*\/api\/(?:contacts|conversations)\//] })
    await Promise.all([admin.signIn('admin'), agent.signIn('agent')])
  }, 60_000)

  afterAll(() => live.stop())

  const rowOf = (page: Page, name: string): Locator =>
    page.getByRole('listitem').filter({ hasText: name })

  test('the organization gets its name and its color, which every page shows', async () => {
    const { page } = admin
    const settings = page.getByRole('navigation', { name: 'Settings' })
    await settings.getByRole('link', { name: 'Organization' }).click()
    await page.getByRole('heading', { level: 1, name: 'Organization' }).waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill('Sol Bakery')
    await page.getByRole('button', { name: /^(None )?Color/ }).click()
    await page.getByRole('option', { name: 'Purple' }).click()
    await page.getByText('WhatsApp must leave them as they were written').click()
    await page.getByRole('button', { name: 'Save' }).click()
    const mark = page.getByRole('navigation', { name: 'Main' }).locator('.organization.colored')
    await mark.filter({ hasText: 'Sol Bakery' }).waitFor()
    await page.getByText('Saved').last().waitFor()
    await admin.requireAccessible()
    await admin.picture('organization')
    const root = await live.world.as('admin')
    const stored = async (): Promise<unknown> =>
      (await root.get('/api/organizations/settings')).data['settings']
    expect(await stored()).toMatchObject({ creative_opt_out: true })
    await settings.getByRole('link', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: /Who may join/ }).click()
    await page.getByRole('option', { name: 'Only by invitation' }).click()
    await rowOf(page, 'Acme agent').getByText('Off', { exact: true }).waitFor()
    await admin.requireAccessible()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    expect(await stored()).toMatchObject({ registration_policy: 'invitation' })
    await page.getByRole('button', { name: 'Actions for Acme agent' }).click()
    await page.getByRole('menuitem', { name: 'Sessions' }).click()
    await page.getByRole('dialog').getByText('Where Acme agent is signed in').waitFor()
    await closeWithEscape(page.getByRole('dialog'))
    await page.goto('/inbox')
    await admin.picture('inbox-named')
    await page.locator('.organization.colored', { hasText: 'Sol Bakery' }).waitFor()
  }, 60_000)

  test('a number is connected without a terminal', async () => {
    const { page } = admin
    const { world } = live
    world.program.http.settings.baseUrl = world.url
    const root = await world.as('admin')
    await root.delete(`/api/accounts/${world.tenant.accountId ?? ''}`)
    await page.goto('/settings/numbers')
    await page.getByRole('button', { name: 'Connect number' }).first().click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Counter')
    await page.getByRole('textbox', { name: 'Phone number ID' }).fill(world.tenant.phoneId)
    await page.getByRole('textbox', { name: 'Business account ID' }).fill(world.tenant.wabaId)
    await page.locator('input[name=access_token]').fill(world.tenant.token)
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Receive messages of Counter' })
    await dialog.getByText(`${world.url}/api/webhook`).waitFor()
    await dialog.getByText('WhatsApp cannot reach this server').waitFor()
    const reads = (): number =>
      world.rows("select 1 from audit_logs where action = 'verify_token_read'").length
    expect(reads()).toBe(0)
    await dialog.getByRole('button', { name: 'Show: Verify token' }).click()
    await dialog.getByText(/^[0-9a-f]{64}$/).waitFor()
    expect(reads()).toBe(1)
    await page.context().grantPermissions(['clipboard-write'])
    await dialog.getByRole('button', { name: 'Copy: Verify token' }).click()
    await page.getByText('Copied').waitFor()
    await dialog.getByText('Waiting for WhatsApp’s check').waitFor()
    const token = await dialog.getByText(/^[0-9a-f]{64}$/).innerText()
    const check = `hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=7`
    expect(await (await fetch(`${world.url}/api/webhook?${check}`)).text()).toBe('7')
    await dialog.getByText('WhatsApp has checked the address').waitFor()
    await admin.requireAccessible()
    await admin.picture('receive')
    await closeWithEscape(dialog)
    // whoever runs the server may have entered its own verify token at Meta
    await page.clock.install()
    const row = page.getByRole('listitem').filter({ hasText: 'Counter' })
    await row.getByRole('button', { name: /^Actions/ }).click()
    await page.getByRole('menuitem', { name: /^Receive messages/ }).click()
    await dialog.getByText('Waiting for WhatsApp’s check').waitFor()
    await page.clock.runFor(59_000)
    expect(await dialog.getByText('Nothing has come yet').count()).toBe(0)
    await page.clock.runFor(2_000)
    await dialog.getByText('Nothing has come yet').waitFor()
    await admin.requireAccessible()
    await admin.picture('receive-late')
    const own = `hub.mode=subscribe&hub.verify_token=${VERIFY_TOKEN}&hub.challenge=8`
    expect(await (await fetch(`${world.url}/api/webhook?${own}`)).text()).toBe('8')
    await page.clock.runFor(1_000)
    await dialog.getByText('WhatsApp has checked the address').waitFor()
    expect(await dialog.getByText('Nothing has come yet').count()).toBe(0)
    await page.clock.resume()
    await dialog.getByRole('button', { name: 'Receive messages here' }).click()
    await dialog.getByText('Done. Write to this number').waitFor()
    await closeWithEscape(dialog)
    await row.getByText('Receives no messages yet').waitFor({ state: 'detached' })
    expect(world.simulator.phones.find(({ id }) => id === world.tenant.phoneId)).toMatchObject({
      callbackUrl: `${world.url}/api/webhook`,
    })
    // looking at the health of a number is no look at its token
    await page.getByRole('link', { name: 'Counter' }).click()
    await page.getByText('Last received').waitFor()
    expect(reads()).toBe(1)
  }, 60_000)

  test('every empty folder says what it is for', async () => {
    const { page } = admin
    const FOLDERS = [
      'mine',
      'queue',
      'unassigned',
      'mentions',
      'waiting',
      'snoozed',
      'bot',
      'closing',
      'closed',
    ] as const
    const said = new Set<string>()
    for (const folder of ['all', ...FOLDERS] as const) {
      await page.goto(folder === 'all' ? '/inbox' : `/inbox?view=${folder}`)
      const list = page.locator('.list-pane')
      await list.getByText(words[`inbox.empty.${folder}`], { exact: true }).waitFor()
      await list.getByText(words[`inbox.empty.${folder}-hint`], { exact: true }).waitFor()
      said.add(words[`inbox.empty.${folder}`])
    }
    expect(said.size).toBe(1 + FOLDERS.length)
    const shown = Object.keys(words).filter((key) => /^inbox\.empty\.[a-z]+$/.test(key))
    // The others are what an agent sees of all, and the folders of teams, numbers and saved views.
    expect(shown.length).toBe(said.size + 6)
    await admin.picture('empty-folder')
  }, 60_000)

  test('agents see customers who wait in the general queue, and can take them', async () => {
    const { page } = agent
    await page.getByText('Nobody is waiting for you').waitFor()
    await page.getByText('or wait in your queues').waitFor()
    await ana.says('Are you open today?')
    await rowOf(page, 'Ana Sol').getByRole('link').click()
    await page.getByRole('log').getByText('Are you open today?').waitFor()
    await page.getByRole('log').getByText('transferred this to the general queue').waitFor()
    await page.goto('/transfers')
    await rowOf(page, 'Ana Sol').getByRole('button', { name: 'Pick up' }).click()
    await page.locator('.thread-head').getByText('Acme agent').waitFor()
    await agent.picture('taken')
  }, 60_000)

  test('agents hand them to a colleague, a team or the queue, with a note', async () => {
    const { page } = agent
    const owner = (name: string): Promise<void> =>
      page.locator('.thread-head').getByText(name).waitFor()
    const ownerInPanel = (name: string): Promise<void> =>
      page.getByRole('region', { name: 'Details' }).getByText(name, { exact: true }).waitFor()
    const search = page.getByRole('searchbox', { name: 'Search colleagues and teams' })
    const item = (name: string) => page.getByRole('menuitem', { name })
    const manager = await live.world.as('manager')
    // more teams than a list shows at once, all of them before the one that is meant
    for (let number = 0; number < 51; number += 1)
      await manager.post('/api/teams', { name: `Counter ${number}` })
    await manager.post('/api/teams', { name: 'Returns' })
    await ownerInPanel('Acme agent')
    await page.keyboard.press('h')
    await search.fill('retur')
    await item('Acme manager').waitFor({ state: 'detached' })
    await page.getByRole('textbox', { name: /^Note/ }).fill('Wants to send back a cake')
    await agent.requireAccessible()
    await agent.picture('hand-over')
    await item('Returns').click()
    await page.getByText('Handed over to Returns').waitFor()
    await page.goto('/inbox')
    await page.getByText('Nobody is waiting for you').waitFor()
    const own = admin.page
    await own.goto('/inbox')
    await rowOf(own, 'Ana Sol').getByText('Returns').waitFor()
    await rowOf(own, 'Ana Sol').getByRole('link').click()
    await own.locator('.thread-head').getByText('Returns').waitFor()
    await own.getByRole('region', { name: 'Details' }).getByText('Returns').waitFor()
    await own.getByRole('log').getByText('Wants to send back a cake').waitFor()
    await admin.picture('owner')
    await own.keyboard.press('a')
    await own.getByRole('menuitem', { name: 'Acme agent' }).click()
    await own.locator('.thread-head').getByText('Acme agent').waitFor()
    await rowOf(page, 'Ana Sol').getByRole('link').click()
    await owner('Acme agent')
    await page.keyboard.press('h')
    await item('General queue').click()
    await owner('General queue')
    await ownerInPanel('General queue')
  }, 60_000)

  test('nobody is offered what they may not do', async () => {
    const { page } = agent
    const { world } = live
    const admins = await world.as('admin')
    const { data } = await admins.get('/api/conversations')
    const [ana] = data['items'] as [Loose]
    const contact = String((ana['contact'] as Loose)['id'])
    await admins.put(`/api/contacts/${contact}/assign`, { user_id: world.tenant.userIds.agent })
    await admins.put(`/api/conversations/${String(ana['id'])}/owner`, {
      to: 'user',
      id: world.tenant.userIds.manager,
    })
    await page.locator('.thread-head').getByText('Acme manager').waitFor()
    // whoever has the contact, the panel names the one who has the conversation, too
    const details = page.getByRole('region', { name: 'Details' })
    await details.getByText('Acme manager', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Hand over' }).waitFor({ state: 'detached' })
    await page.keyboard.press('h')
    await page.locator('.thread-head').getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Mark as unread' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Take over' }).count()).toBe(0)
    await page.keyboard.press('Escape')
  }, 60_000)

  test('an admin lets them wait in no queue, and agents are told what they see', async () => {
    const { page } = admin
    await page.goto('/settings/hours')
    await page.getByRole('button', { name: /General queue/ }).click()
    await page.getByRole('option', { name: 'No queue' }).click()
    await page.getByText('They stay unassigned in the inbox').last().waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').last().waitFor()
    const bob = live.world.simulator.customer({
      phone: live.world.tenant.phoneId,
      name: 'Bob Late',
    })
    await bob.says('Hello?')
    await page.goto('/inbox')
    await rowOf(page, 'Bob Late').waitFor()
    await agent.page.goto('/inbox')
    await rowOf(agent.page, 'Ana Sol').waitFor()
    expect(await rowOf(agent.page, 'Bob Late').count()).toBe(0)
    await agent.page.goto('/transfers')
    await agent.page.getByText('New customers are in no queue').waitFor()
    await agent.requireAccessible()
    await agent.finish()
    await admin.finish()
  }, 60_000)

  test('who joined with nothing but the ID of the organization is told what to wait for', async () => {
    const { world } = live
    const person = { email: 'stranger@example.com', password: PASSWORD, full_name: 'A Stranger' }
    const root = await world.as('admin')
    await root.put('/api/organizations/settings', { registration_policy: 'open' })
    const joined = await world.anyone.post('/api/auth/register', {
      ...{ ...person, organization_id: world.tenant.id },
    })
    expect(joined.status).toBe(201)
    const people = (await root.get('/api/users?search=stranger')).data['items'] as Loose[]
    const id = String(people[0]?.['id'])
    const stranger = await live.open()
    const { page } = stranger
    await stranger.enter(person.email, PASSWORD)
    await page.getByText('An administrator has to confirm you').waitFor()
    await page.getByText('You joined without an invitation').waitFor()
    await stranger.requireAccessible()
    await stranger.picture('unconfirmed')
    expect((await root.put(`/api/users/${id}`, { is_confirmed: true })).status).toBe(200)
    await page.reload()
    await page.getByText('Nobody is waiting for you').waitFor()
  }, 60_000)
})
