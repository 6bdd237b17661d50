import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'

import type { Customer } from '../../src/simulator/customers'
import type { Loose } from '../support/client'
import { PASSWORD } from '../support/world'
import { CHROMIUM } from './support/chromium'
import { closeWithEscape, EXPIRED, LiveWorld, type Journey } from './support/journey'

/** A smallest picture. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGNgGAWjYBSMAggAAAQQAAGFP6pyAAAAAElFTkSuQmCC',
  'base64',
)

/** The marks of a message that the platform has. */
const DONE = /Sent|Delivered|Read/

describe.skipIf(CHROMIUM === null)('the inbox', () => {
  let live: LiveWorld
  let ana: Customer

  beforeAll(async () => {
    live = await LiveWorld.create()
    ana = live.world.simulator.customer({ phone: live.world.tenant.phoneId, name: 'Ana Sol' })
    await ana.says('Are you open today?')
  }, 60_000)

  afterAll(() => live.stop())

  const rowOf = (page: Page, name: string): Locator =>
    page.getByRole('listitem').filter({ hasText: name }).getByRole('link')
  const bubbleOf = (page: Page, words: string): Locator =>
    page.getByRole('log').getByRole('article').filter({ hasText: words })
  const write = async (page: Page, words: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'Message' }).fill(words)
    await page.keyboard.press('Enter')
  }

  async function openAna(journey: Journey): Promise<Page> {
    await journey.signIn('admin')
    await rowOf(journey.page, 'Ana Sol').click()
    await bubbleOf(journey.page, 'Are you open today?').waitFor()
    return journey.page
  }

  test('shows a message when it arrives, sends an answer once, and follows it until it is read', async () => {
    const journey = await live.open()
    const page = await openAna(journey)
    await ana.says('And on Sunday?')
    await bubbleOf(page, 'And on Sunday?').waitFor()
    await write(page, 'Yes, from *nine* to six.')
    const own = bubbleOf(page, 'Yes, from nine to six.')
    await own.getByRole('img', { name: DONE }).waitFor()
    expect([await own.count(), await own.locator('b').innerText()]).toEqual([1, 'nine'])
    await rowOf(page, 'Ana Sol').getByText('Yes, from nine to six.').waitFor()
    await journey.requireAccessible()
    await journey.finish()
  }, 90_000)

  test('opens a conversation with one request', async () => {
    const journey = await live.open()
    const { page } = journey
    await journey.signIn('admin')
    await rowOf(page, 'Ana Sol').waitFor()
    const before = journey.requests.length
    await rowOf(page, 'Ana Sol').click()
    await bubbleOf(page, 'Are you open today?').waitFor()
    await page.getByRole('region', { name: 'Notes' }).waitFor()
    // Who is present is asked for once, when the socket opens.
    const made = journey.requests
      .slice(before)
      .filter((one) => !/\/(read|counts|presence)$/.test(one))
    expect(made).toEqual([expect.stringMatching(/^GET \/api\/conversations\/[0-9a-f-]{36}$/)])
    await journey.finish()
  }, 90_000)

  test('sends once although the answer of the server is lost', async () => {
    const journey = await live.open({ expected: [/ERR_CONNECTION_RESET/] })
    const page = await openAna(journey)
    const replays: (string | undefined)[] = []
    await page.route('**/api/conversations/*/messages', async (route) => {
      if (route.request().method() !== 'POST') return await route.continue()
      const answer = await route.fetch()
      replays.push(answer.headers()['idempotent-replay'])
      return replays.length === 1
        ? await route.abort('connectionreset')
        : await route.fulfill({ response: answer })
    })
    await write(page, 'Only once')
    await bubbleOf(page, 'Only once').getByRole('img', { name: DONE }).waitFor()
    while (replays.length < 2) await Bun.sleep(50)
    expect(await bubbleOf(page, 'Only once').count()).toBe(1)
    expect(replays).toEqual([undefined, 'true'])
    await journey.finish()
  }, 90_000)

  test('keeps a draft over a reload, and sends what was written without a connection', async () => {
    const journey = await live.open({ expected: [/ERR_INTERNET_DISCONNECTED/, /WebSocket/] })
    const page = await openAna(journey)
    await page.getByRole('textbox', { name: 'Message' }).fill('half a sent')
    await page.reload()
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.waitFor()
    expect(await field.inputValue()).toBe('half a sent')
    await page.context().setOffline(true)
    await write(page, 'written offline')
    await page.getByRole('status').filter({ hasText: 'No connection' }).waitFor()
    await ana.says('meanwhile')
    await page.context().setOffline(false)
    await bubbleOf(page, 'meanwhile').waitFor({ timeout: 20_000 })
    await bubbleOf(page, 'written offline').getByRole('img', { name: DONE }).waitFor()
    await page
      .getByRole('status')
      .filter({ hasText: 'No connection' })
      .waitFor({ state: 'detached' })
    await journey.finish()
  }, 90_000)

  test('sends files, writes notes, tags, assigns, snoozes and closes', async () => {
    const admin = await live.world.as('admin')
    await admin.post('/api/tags', { name: 'Regular', color: 'green' })
    const journey = await live.open()
    const page = await openAna(journey)
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'menu.png', mimeType: 'image/png', buffer: PNG })
    await write(page, 'Our menu')
    await page.getByRole('button', { name: 'Open menu.png' }).waitFor()
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'cakes.png', mimeType: 'image/png', buffer: PNG })
    await write(page, 'Our cakes')
    await page.getByRole('button', { name: 'Open cakes.png' }).click()
    const viewer = page.getByRole('dialog', { name: 'cakes.png' })
    await viewer.getByText('2 of 2').waitFor()
    await journey.requireAccessible()
    await page.keyboard.press('ArrowLeft')
    const first = page.getByRole('dialog', { name: 'menu.png' })
    await first.getByText('1 of 2').waitFor()
    await closeWithEscape(first)
    await page.getByRole('button', { name: 'Note', exact: true }).click()
    await page.getByRole('textbox', { name: 'Note' }).fill('She likes it early, ')
    await page.keyboard.type('@acme ag')
    await page.getByRole('list', { name: 'Colleagues' }).getByText('Acme agent').waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page
      .getByRole('region', { name: 'Notes' })
      .getByText('She likes it early, @Acme agent')
      .waitFor()
    await page
      .getByRole('log')
      .getByRole('note', { name: 'Note by Acme admin' })
      .getByText('She likes it early, @Acme agent')
      .waitFor()
    await page.getByRole('region', { name: 'Notes' }).getByRole('button', { name: 'Edit' }).click()
    const edited = page.getByRole('dialog', { name: 'Edit note' })
    await edited.getByRole('textbox').fill('She likes it late.')
    await edited.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('region', { name: 'Notes' }).getByText('She likes it late.').waitFor()
    const told = (await (await live.world.as('agent')).get('/api/me/notifications')).data
    expect((told['items'] as Loose[]).map(({ kind }) => String(kind))).toContain('mention')
    await page.getByRole('button', { name: 'Change tags' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Regular' }).click()
    await page.getByRole('searchbox', { name: 'Search tags' }).fill('Early bird')
    const added = page.getByRole('menuitemcheckbox', { name: 'Add tag “Early bird”' })
    // the field names the entry once typing has paused
    const id = String(await added.getAttribute('id'))
    await page.locator(`input[aria-activedescendant="${id}"]`).waitFor()
    await journey.requireAccessible()
    await added.click()
    await page.keyboard.press('Escape') // forgets what was typed
    await page.keyboard.press('Escape')
    for (const tag of ['Regular', 'Early bird'])
      await page.getByRole('region', { name: 'Tags' }).locator('.chip', { hasText: tag }).waitFor()
    await page.getByRole('button', { name: 'Hand over' }).click()
    await page.getByRole('menuitem', { name: 'Acme agent' }).click()
    await page.locator('.thread-head').getByText('Acme agent').waitFor()
    await page
      .getByRole('log')
      .getByText(/^Acme admin assigned this to Acme agent/)
      .waitFor()
    await page.locator('.thread-head').getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Snooze' }).click()
    await page.getByRole('menuitem', { name: /For an hour/ }).click()
    await page
      .locator('.thread-head')
      .getByText(/Snoozed until/)
      .waitFor()
    const { data } = await admin.get('/api/conversations?state=snoozed')
    const [snoozed] = data['items'] as Loose[]
    expect(snoozed).toMatchObject({ state: 'snoozed', contact: { display_name: 'Ana Sol' } })
    await admin.put(`/api/conversations/${String(snoozed?.['id'])}`, { state: 'open' })
    await journey.finish()
  }, 90_000)

  test('sends a message later, now after all, or not at all', async () => {
    const journey = await live.open()
    const page = await openAna(journey)
    const schedule = async (words: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'Message' }).fill(words)
      await page.getByRole('button', { name: 'Send later' }).click()
      await page.getByRole('menuitem', { name: /Tomorrow/ }).click()
      await scheduled.filter({ hasText: words }).waitFor()
    }
    const scheduled = page.getByRole('list', { name: 'Scheduled messages' }).getByRole('listitem')
    await schedule('We open at nine.')
    await schedule('Forget this.')
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('')
    await journey.requireAccessible()
    await journey.picture('scheduled')
    const forget = scheduled.filter({ hasText: 'Forget this.' })
    await forget.getByRole('button', { name: 'Do not send' }).click()
    await forget.waitFor({ state: 'detached' })
    await scheduled.getByRole('button', { name: 'Send now' }).click()
    await bubbleOf(page, 'We open at nine.').getByRole('img', { name: DONE }).waitFor()
    await scheduled.waitFor({ state: 'detached' })
    await journey.finish()
  }, 90_000)

  test('changes several conversations together, and saves a view', async () => {
    const { world } = live
    const names = ['Carl One', 'Carl Two', 'Carl Three']
    for (const name of names)
      await world.simulator.customer({ phone: world.tenant.phoneId, name }).says('Hi')
    const journey = await live.open({ expected: [/status of 409/] })
    const { page } = journey
    await journey.signIn('admin')
    await page.getByRole('searchbox', { name: 'Search by name or number' }).fill('Carl')
    await rowOf(page, 'Ana Sol').waitFor({ state: 'detached' })
    await rowOf(page, 'Carl Three').click()
    await bubbleOf(page, 'Hi').waitFor()
    await page.locator('.rows').click({ position: { x: 5, y: 400 } })
    await page.keyboard.press('x')
    await page.getByText('1 selected').waitFor()
    await rowOf(page, 'Carl One').click({ modifiers: ['Shift'] })
    await page.getByText('3 selected').waitFor()
    await journey.requireAccessible()
    await journey.picture('bulk')
    const bar = page.getByRole('toolbar', { name: 'Selected conversations' })
    await bar.getByRole('button', { name: 'Snooze' }).click()
    await page.getByRole('menuitem', { name: 'Until the customer writes' }).click()
    await page.locator('.thread-head').getByText('Snoozed until the customer writes').waitFor()
    await page.getByRole('button', { name: /^All open/ }).click()
    await journey.picture('views')
    await page.getByRole('menuitem', { name: 'Save as a view…' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('All the Carls')
    await journey.requireAccessible()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'All the Carls' }).waitFor()
    await rowOf(page, 'Carl Two').waitFor()
    await page.reload()
    await rowOf(page, 'Carl Two').waitFor()
    // two people change the same view: each sees what the other saved, and chooses
    const colleague = await world.as('admin')
    const [stored] = (await colleague.get('/api/views')).data['items'] as [Loose]
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByText('Only unread', { exact: true }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'All the Carls' }).click()
    await page.getByRole('menuitem', { name: 'Change view…' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('My Carls')
    const filter = { search: 'Carl', assigned_to: 'none' }
    world.clock.advance({ seconds: 1 })
    await colleague.put(`/api/views/${stored['id']}`, { name: 'Our Carls', filter })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const clash = page.getByRole('dialog', { name: 'Somebody else saved this meanwhile' })
    const versionsOf = async (field: string): Promise<string[]> =>
      (await clash.getByRole('group', { name: field }).locator('label').allInnerTexts()).map(
        (text) => text.replaceAll(/\s+/g, ' '),
      )
    expect(await versionsOf('Name')).toEqual(['Saved by somebody else Our Carls', 'Yours My Carls'])
    expect(await versionsOf('Filters')).toEqual([
      'Saved by somebody else “Carl” · Unassigned',
      'Yours “Carl” · Only unread',
    ])
    expect(await clash.getByRole('group').count()).toBe(2)
    await journey.requireAccessible()
    await journey.picture('view-clash')
    // what is chosen of the other side is kept, the rest becomes what this person wrote
    await clash.getByRole('group', { name: 'Filters' }).getByText('Unassigned').click()
    await clash.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'My Carls' }).waitFor()
    expect((await colleague.get('/api/views')).data['items']).toMatchObject([
      { name: 'My Carls', filter },
    ])
    await colleague.put(`/api/views/${stored['id']}`, { name: 'All the Carls' })
    await page.reload()
    await page.getByRole('button', { name: 'All the Carls' }).click()
    await page.getByRole('menuitem', { name: 'Delete view' }).click()
    await page.getByRole('button', { name: 'Delete All the Carls' }).click()
    await page.getByRole('button', { name: /^All open/ }).waitFor()
    // Everything that matches is changed after a question that names the number.
    await page.keyboard.press('g')
    await page.keyboard.press('t')
    await page.waitForURL(/\/transfers/)
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await rowOf(page, 'Ana Sol').waitFor()
    await page.getByRole('button', { name: 'Select conversations' }).click()
    await page.getByRole('button', { name: /^Select all/ }).click()
    await bar.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Mark as read' }).click()
    await page.getByRole('button', { name: /^Change \d+ conversations?$/ }).click()
    await page
      .getByRole('status')
      .getByText(/being changed/)
      .waitFor()
    const admin = await world.as('admin')
    const unread = '/api/conversations?state=open&unread=true'
    while ((await admin.get(unread)).data['total'] !== 0) await Bun.sleep(100)
    await journey.finish()
  }, 120_000)

  test('moves with keys, and fits on a phone in the dark from right to left', async () => {
    const journey = await live.open({
      locale: 'ar',
      viewport: { width: 390, height: 780 },
      colorScheme: 'dark',
    })
    const { page } = journey
    await page.locator('input[name=email]').fill(live.world.emailOf('admin', live.world.tenant))
    await page.locator('input[name=password]').fill(PASSWORD)
    await page.locator('button[type=submit]').click()
    await page.getByRole('listitem').first().waitFor()
    expect(await page.evaluate('document.documentElement.dir')).toBe('rtl')
    await page.keyboard.press('j')
    await page.waitForURL(/\/inbox\/[0-9a-f-]{36}/)
    await page.getByRole('article').first().waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await journey.finish()
  }, 90_000)

  test('goes on when the session is renewed in the middle of a sentence', async () => {
    const journey = await live.open({ expected: [EXPIRED] })
    const page = await openAna(journey)
    await page.getByRole('textbox', { name: 'Message' }).fill('before and ')
    live.world.clock.advance({ hours: 2 })
    await page.getByRole('textbox', { name: 'Message' }).press('End')
    await page.keyboard.type('after')
    await page.keyboard.press('Enter')
    await bubbleOf(page, 'before and after').getByRole('img', { name: DONE }).waitFor()
    await journey.finish()
  }, 90_000)

  test('offers templates when the window is closed, and the field again when the customer writes', async () => {
    const { world } = live
    const bob = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Bob Late' })
    await bob.says('Hello?')
    world.clock.advance({ hours: 25 })
    const journey = await live.open()
    const { page } = journey
    await journey.signIn('admin')
    await rowOf(page, 'Bob Late').click()
    await bubbleOf(page, 'Hello?').waitFor()
    await page.getByText('The customer last wrote more than 24 hours ago.').waitFor()
    expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0)
    await bob.says('Are you there?')
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await journey.finish()
  }, 90_000)
})
