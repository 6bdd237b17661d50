import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'

import type { Customer } from '../../src/simulator/customers'
import { SAMPLES } from '../../src/simulator/sample-files'
import { CHROMIUM } from './support/chromium'
import { LiveWorld, waitForSound, type Journey } from './support/journey'

/** The marks of a message that the platform has. */
const DONE = /Sent|Delivered|Read/

describe.skipIf(CHROMIUM === null)('what is typed reaches whom it is for', () => {
  let live: LiveWorld
  let ana: Customer
  let journey: Journey
  let page: Page

  beforeAll(async () => {
    live = await LiveWorld.create()
    const { simulator, tenant } = live.world
    ana = simulator.customer({ phone: tenant.phoneId, name: 'Ana Sol' })
    await ana.says('Are you open today?')
    await simulator.customer({ phone: tenant.phoneId, name: 'Ben Roe' }).says('Hello?')
    journey = await live.open({ expected: [/status of (404|422)/] })
    page = journey.page
    await journey.signIn('admin')
    await open('Ana Sol')
  }, 60_000)

  afterAll(() => live.stop())

  const rowOf = (name: string): Locator =>
    page.getByRole('listitem').filter({ hasText: name }).getByRole('link')
  const open = async (name: string): Promise<void> => {
    await rowOf(name).click()
    await page.locator('.thread-head h2', { hasText: name }).waitFor()
  }
  const bubbleOf = (words: string): Locator =>
    page.getByRole('log').getByRole('article').filter({ hasText: words })
  const recordings = (): Locator =>
    page
      .getByRole('log')
      .getByRole('article')
      .filter({ has: page.locator('.player') })
  const saves = (): number => journey.requests.filter((one) => /^POST .*\/notes$/.test(one)).length
  const message = (): Locator => page.getByRole('textbox', { name: 'Message' })
  const note = (): Locator => page.getByRole('textbox', { name: 'Note' })
  const choose = (mode: 'Message' | 'Note'): Promise<void> =>
    page.getByRole('button', { name: mode, exact: true }).click()

  test('a note that is not saved stays a note', async () => {
    await choose('Note')
    await note().fill('pays late, be careful')
    await page.reload()
    await note().waitFor()
    expect(await note().inputValue()).toBe('pays late, be careful')
    await choose('Message')
    expect(await message().inputValue()).toBe('')
    await message().fill('Until six.')
    await open('Ben Roe')
    await rowOf('Until six.').waitFor()
    await open('Ana Sol')
    expect(await message().inputValue()).toBe('Until six.')
    await choose('Note')
    expect(await note().inputValue()).toBe('pays late, be careful')
    await note().fill('')
    await choose('Message')
    await message().fill('')
    expect(ana.received()).toEqual([])
  }, 60_000)

  test('the place to write does not move while the conversation is loaded', async () => {
    const { promise: mayLoad, resolve: load } = Promise.withResolvers<void>()
    await page.goto('/inbox')
    await page.route(/\/api\/conversations\/[0-9a-f-]{36}\?/, async (route) => {
      await mayLoad
      await route.continue()
    })
    await open('Ben Roe')
    const place = async () => (await message().boundingBox())?.y
    const first = await place()
    await page.getByRole('status', { name: 'Loading' }).first().waitFor()
    expect(await place()).toBe(first ?? 0)
    load()
    await bubbleOf('Hello?').waitFor()
    expect(await place()).toBe(first ?? 0)
    await page.unrouteAll({ behavior: 'wait' })
  }, 60_000)

  test('a note that is begun before the conversation is loaded stays open when it leaves the list', async () => {
    const { promise: isClosed, resolve: tellClosed } = Promise.withResolvers<void>()
    const one = /\/api\/conversations\/[0-9a-f-]{36}\?/
    await page.goto('/inbox')
    await page.route(one, async (route) => {
      await isClosed
      await route.continue()
    })
    await open('Ben Roe')
    await choose('Note')
    await note().pressSequentially('calls')
    const manager = await live.world.as('manager')
    const { data } = await manager.get('/api/conversations?search=Ben')
    const [{ id }] = data['items'] as [{ id: string }]
    await manager.put(`/api/conversations/${id}`, { state: 'closed' })
    await rowOf('Ben Roe').waitFor({ state: 'detached' })
    await page.keyboard.type(' on Monday')
    tellClosed()
    await bubbleOf('Hello?').waitFor()
    expect(await note().inputValue()).toBe('calls on Monday')
    await note().fill('')
    await choose('Message')
    await page.unrouteAll({ behavior: 'wait' })
    await manager.put(`/api/conversations/${id}`, { state: 'open' })
    await open('Ana Sol')
  }, 60_000)

  test('a recording leaves what is typed, and is not sent beside an answer unasked', async () => {
    const { data } = await (await live.world.as('manager')).get('/api/conversations?search=Ana')
    const [{ contact }] = data['items'] as [{ contact: { id: string } }]
    await message().fill('Let me explain')
    await page.getByRole('button', { name: 'Record a voice message' }).click()
    await waitForSound(page)
    await page.getByRole('button', { name: 'Stop recording' }).click()
    await page.locator('.voice .player').waitFor()
    const manager = await live.world.as('manager')
    await manager.post(`/api/contacts/${contact.id}/messages`, { type: 'text', text: 'Until six.' })
    await bubbleOf('Until six.').waitFor()
    await page.getByRole('button', { name: 'Send recording' }).click()
    await page.getByText('Acme manager answered meanwhile.').waitFor()
    expect(await recordings().count()).toBe(0)
    await page.getByRole('button', { name: 'Send recording' }).click()
    await recordings().getByRole('img', { name: DONE }).waitFor()
    expect(await message().inputValue()).toBe('Let me explain')
    await message().fill('')
  }, 60_000)

  const SOUND = {
    name: 'hymn.mp3',
    mimeType: 'audio/mpeg',
    buffer: Buffer.from(SAMPLES['audio/mpeg']),
  }
  const PAPER = {
    name: 'menu.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from(SAMPLES['application/pdf']),
  }
  const attach = (files: (typeof SOUND)[]): Promise<void> =>
    page.locator('input[type=file]').setInputFiles(files)

  test('words beside a file that has no caption are sent', async () => {
    await attach([SOUND])
    await message().fill('Our hymn')
    await message().press('Enter')
    await bubbleOf('Our hymn').getByRole('img', { name: DONE }).waitFor()
    await attach([SOUND, PAPER])
    await message().fill('Our menu')
    await message().press('Enter')
    await bubbleOf('Our menu').filter({ hasText: 'menu.pdf' }).waitFor()
    await bubbleOf('Our menu').getByRole('img', { name: DONE }).waitFor()
    expect(await bubbleOf('Our menu').count()).toBe(1)
    const long = 'long '.repeat(300).trim()
    await attach([PAPER])
    await message().fill(long)
    await message().press('Enter')
    await bubbleOf(long).getByRole('img', { name: DONE }).waitFor()
    const sent = ana.received().map(({ body }) => (body as { type: string }).type)
    expect(sent.slice(-5)).toEqual(['text', 'audio', 'document', 'document', 'text'])
  }, 60_000)

  test('files are taken although more are chosen at once, and wait in their conversation', async () => {
    await attach([SOUND])
    await attach([PAPER])
    const areChosen = async (): Promise<void> => {
      for (const name of [SOUND.name, PAPER.name])
        await page.locator('.composer').getByText(name).waitFor()
    }
    await areChosen()
    await open('Ben Roe')
    expect(await page.locator('.composer').getByText(PAPER.name).count()).toBe(0)
    await rowOf('hymn.mp3').getByText('Draft').waitFor()
    await open('Ana Sol')
    await areChosen()
    await choose('Note')
    await choose('Message')
    await areChosen()
    await page.reload()
    await message().waitFor()
  }, 60_000)

  test('a text that is too long stays, and says so', async () => {
    await message().fill('x'.repeat(4_100))
    await message().press('Enter')
    await page.getByText('4 over the limit of 4,096 characters.').waitFor()
    expect((await message().inputValue()).length).toBe(4_100)
    await journey.requireAccessible()
    await message().fill('')
  }, 60_000)

  test('a very long message shows its beginning first', async () => {
    await ana.says(`first${'\n'.repeat(3_000)}last`)
    const long = bubbleOf('first').last()
    await long.getByRole('button', { name: 'Show all' }).waitFor()
    expect((await long.boundingBox())?.height).toBeLessThan(900)
    await long.getByRole('button', { name: 'Show all' }).click()
    await long.getByText('last').waitFor()
  }, 60_000)

  test('what is sent in one tab is not kept in another, and what is typed there is', async () => {
    await open('Ben Roe')
    const other = await journey.openTab(new URL(page.url()).pathname)
    const there = other.getByRole('textbox', { name: 'Message' })
    const isThere = async (words: string): Promise<void> => {
      while ((await there.inputValue()) !== words) await Bun.sleep(20)
    }
    await there.waitFor()
    await message().fill('We open at nine.')
    await isThere('We open at nine.')
    await message().press('Enter')
    await isThere('')
    await bubbleOf('We open at nine.').getByRole('img', { name: DONE }).waitFor()
    // words that another tab has sent are not those that are typed here by now
    await there.fill('And at ten')
    while ((await message().inputValue()) !== 'And at ten') await Bun.sleep(20)
    const key = `Object.keys(localStorage).find((name) => name.startsWith('draft/'))`
    const change = `{ key: ${key}, newValue: null, oldValue: '{"text":"Something else"}' }`
    await other.evaluate(`void dispatchEvent(new StorageEvent('storage', ${change}))`)
    expect(await there.inputValue()).toBe('And at ten')
    await other.close()
    await message().fill('')
  }, 60_000)

  test('a note is saved once, and what is typed meanwhile stays', async () => {
    await page.route(
      /\/notes$/,
      async (route) => {
        const response = await route.fetch()
        await page.waitForTimeout(400)
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    const before = saves()
    await choose('Note')
    await note().fill('likes rye')
    const saved = page.waitForResponse(/\/notes$/)
    await note().press('Enter')
    await note().press('Enter')
    await note().pressSequentially('and plum cake')
    await saved
    await page.getByRole('log').getByRole('note').getByText('likes rye').waitFor()
    expect(await note().inputValue()).toBe('and plum cake')
    expect(saves() - before).toBe(1)
  }, 60_000)

  test('a note that cannot be saved stands in the field again', async () => {
    await page.route(
      /\/notes$/,
      async (route) => {
        await page.waitForTimeout(400)
        await route.fulfill({ status: 422, body: '{}' })
      },
      { times: 1 },
    )
    await note().press('Enter')
    await note().pressSequentially('later')
    while ((await note().inputValue()) === 'later') await page.waitForTimeout(50)
    expect(await note().inputValue()).toBe('and plum cake\nlater')
    await note().fill('')
  }, 60_000)

  test('who was mentioned is still told after a reload', async () => {
    await note().fill('Please call her, ')
    await page.keyboard.type('@acme ag')
    await page.getByRole('list', { name: 'Colleagues' }).getByText('Acme agent').waitFor()
    await page.keyboard.press('Enter')
    await page.reload()
    await note().waitFor()
    expect(await note().inputValue()).toBe('Please call her, @Acme agent ')
    const saved = page.waitForRequest(/\/notes$/)
    await note().press('Enter')
    const body = (await saved).postDataJSON() as { mentions: string[] }
    expect(body.mentions).toEqual([live.world.tenant.userIds.agent])
    await page.getByRole('log').getByRole('note').getByText('Please call her').waitFor()
  }, 60_000)

  test('what was begun for a customer who is deleted goes with them', async () => {
    await choose('Message')
    await open('Ben Roe')
    await message().fill('never sent')
    const admin = await live.world.as('admin')
    const { data } = await admin.get('/api/contacts?search=Ben')
    const [ben] = data['items'] as [{ id: string }]
    await admin.delete(`/api/contacts/${ben.id}`)
    await message().waitFor({ state: 'detached' })
    await rowOf('Ben Roe').waitFor({ state: 'detached' })
    expect(await page.evaluate('Object.values(localStorage).join()')).not.toContain('never sent')
    await open('Ana Sol')
  }, 60_000)

  test('had no error of the page', () => journey.finish(), 30_000)
})
