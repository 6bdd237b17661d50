import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page, Route } from 'playwright-core'

import type { Loose } from '../support/client'
import { CHROMIUM } from './support/chromium'
import { LiveWorld, type Journey } from './support/journey'

/** The number of a customer without a name, and how it is shown. */
const NUMBER = '+15550109901'
const SHOWN = '+1 555 010 9901'
/** More than a row counts. */
const UNREAD = 12
/** Pixels by which what is loaded may stand beside its outline. */
const MOVED_PX = 2

const SIDES = ['x', 'y', 'width', 'height'] as const
type Box = Record<(typeof SIDES)[number], number>

describe.skipIf(CHROMIUM === null)('the looks of the console', () => {
  let live: LiveWorld
  let journey: Journey
  let page: Page
  let contactId: string
  let conversationId: string

  const styleOf = (selector: string, property: string): Promise<string> =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`)
  const boxOf = (selector: string): Promise<Box> =>
    page.evaluate(`document.querySelector('${selector}').getBoundingClientRect().toJSON()`)
  const rowOf = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  const openAna = async (): Promise<void> => {
    await page.goto(`/inbox/${conversationId}`)
    await page.getByRole('log').getByText('question 11', { exact: true }).waitFor()
  }

  beforeAll(async () => {
    live = await LiveWorld.create()
    const { simulator, tenant } = live.world
    const ana = simulator.customer({ phone: tenant.phoneId, name: 'Ana Sol' })
    for (let nth = 0; nth < UNREAD; nth += 1) await ana.says(`question ${nth}`)
    await live.world.settle()
    const admin = await live.world.as('admin')
    const { data } = await admin.get('/api/conversations?search=Ana')
    const [found] = data['items'] as { id: string; contact: { id: string } }[]
    conversationId = String(found?.id)
    contactId = String(found?.contact.id)
    const tag = await admin.post('/api/tags', { name: 'Regular', color: 'green' })
    await admin.put(`/api/contacts/${contactId}/tags`, { tag_ids: [tag.data['id']] })
    const nameless = await admin.post('/api/contacts', { phone_number: NUMBER })
    const asked = await admin.post('/api/conversations', { contact_id: nameless.data['id'] })
    expect(asked.status).toBeLessThan(300)
    await admin.post(`/api/conversations/${String(asked.data['id'])}/notes`, { content: 'Call.' })
    journey = await live.open({ reducedMotion: 'no-preference' })
    page = journey.page
    await journey.signIn('admin')
    await rowOf('Ana Sol').waitFor()
  }, 60_000)

  afterAll(() => live.stop())

  test('cap the count of a row, and say all of it to those who listen', async () => {
    const badge = rowOf('Ana Sol').locator('.badge')
    expect(await badge.locator('[aria-hidden]').innerText()).toBe('9+')
    expect(await badge.innerText()).toContain('12 unread')
  })

  test('write a number one way on every screen, which the search finds', async () => {
    const { data } = await (await live.world.as('admin')).get('/api/contacts?search=9901')
    const [nameless] = data['items'] as Loose[]
    const paths = [
      ...['/inbox', `/inbox/${conversationId}`, '/contacts', '/search?q=9901', '/transfers'],
      ...[`/contacts/${contactId}`, `/contacts/${String(nameless?.['id'])}`],
      ...['/campaigns', '/templates', '/settings/numbers', '/settings/people'],
    ]
    const raw: string[] = []
    for (const path of paths) {
      await page.goto(path)
      await page.getByRole('heading').first().waitFor()
      await page.waitForLoadState('networkidle')
      const text = await page.locator('body').innerText()
      for (const one of text.match(/(?<![\w-])\+?\d{9,}(?![\w-])/g) ?? [])
        raw.push(`${path}: ${one}`)
    }
    expect(raw).toEqual([])
    await page.goto('/contacts')
    const link = page.getByRole('link', { name: SHOWN })
    await link.waitFor()
    // as it is copied from the page
    await page.getByRole('searchbox').fill((await link.innerText()).trim())
    await page.waitForURL(/q=/)
    await link.waitFor()
  }, 60_000)

  test('keep a conversation where its outline was', async () => {
    await page.goto('/search')
    await page.getByRole('heading', { level: 1 }).waitFor()
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
    const hold = async (route: Route): Promise<void> => {
      await released
      await route.continue()
    }
    await page.route(/\/api\/conversations(\/[\w-]{36})?\?/, hold)
    await page.route(/\/api\/auth\/refresh/, async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as { data: Loose }
      // a start brings the list along; here it is loaded as at any other time
      await route.fulfill({ response, json: { ...body, data: { ...body.data, start: {} } } })
    })
    await page.goto(`/inbox/${conversationId}`)
    await page.locator('.thread-outline-messages .skeleton').first().waitFor()
    await page.locator('.list-pane .skeleton').first().waitFor()
    const PARTS = [
      ['.thread-outline-head', '.thread-head'],
      ['.thread-outline-composer', '.composer'],
      ['.panel-outline', '.panel'],
      ['.list-pane .skeletons', '.rows ul'],
    ] as const
    const before = await Promise.all(PARTS.map(([outline]) => boxOf(outline)))
    release(undefined)
    await page.getByRole('log').getByText('question 11', { exact: true }).waitFor()
    await rowOf('Ana Sol').waitFor()
    const moved: string[] = []
    for (const [nth, [outline, part]] of PARTS.entries()) {
      const after = await boxOf(part)
      // more rows may follow than the outline has
      for (const side of part === '.rows ul' ? SIDES.slice(0, 3) : SIDES)
        if (Math.abs(after[side] - (before[nth]?.[side] ?? 0)) > MOVED_PX)
          moved.push(`${outline} ${side}: ${before[nth]?.[side]} to ${after[side]}`)
    }
    expect(moved).toEqual([])
    await page.unrouteAll({ behavior: 'wait' })
  }, 60_000)

  test('move for 150 ms at most, and not at all for who wants no motion', async () => {
    await openAna()
    expect(await styleOf('.messages', 'animationDuration')).toBe('0.15s')
    await page.getByRole('button', { name: 'Hide contact' }).first().click()
    await page.getByText('Regular').first().waitFor() // the head has the tags now
    expect(await page.locator('.thread-head').innerText()).toContain('555')
    await page.getByRole('button', { name: 'Show contact' }).click()
    expect(await styleOf('.panel', 'animationName')).toBe('slide-in')
    expect(await styleOf('.panel', 'animationDuration')).toBe('0.15s')
    await page.emulateMedia({ reducedMotion: 'reduce' })
    expect(await styleOf('.panel', 'animationName')).toBe('none')
    expect(await styleOf('.messages', 'animationName')).toBe('none')
    await page.emulateMedia({ reducedMotion: 'no-preference' })
  }, 60_000)

  test('let one button speak at a time', async () => {
    await openAna()
    const send = '.writer-tools .button.primary'
    const off = await styleOf(send, 'backgroundColor')
    await page.getByRole('textbox', { name: 'Message' }).fill('Good day')
    await page
      .getByRole('button', { name: 'Send', exact: true })
      .and(page.locator(':enabled'))
      .waitFor()
    // its color changes in a moment, not at once
    await page.waitForFunction(
      `getComputedStyle(document.querySelector('${send}')).backgroundColor !== '${off}'`,
    )
    expect(await styleOf('.thread-head .button.plain', 'borderColor')).toBe('rgba(0, 0, 0, 0)')
    const [plain, primary] = [
      await styleOf('.thread-head .button.plain', 'fontWeight'),
      await styleOf(send, 'fontWeight'),
    ]
    expect(Number(plain)).toBeLessThan(Number(primary))
    await page.getByRole('textbox', { name: 'Message' }).fill('')
  }, 60_000)

  test('have room for the name of the list beside the folders', async () => {
    await page.setViewportSize({ width: 1_360, height: 800 })
    await page.goto('/inbox')
    await page.locator('.folders').waitFor()
    const cut = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.view-button .view-name'))`
    expect(await page.evaluate(cut)).toBe(0)
    await page.setViewportSize({ width: 1_280, height: 800 })
  }, 60_000)

  test('keep the head of a contact where its outline was', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
    await page.goto('/contacts')
    const link = page.getByRole('link', { name: 'Ana Sol' })
    await link.waitFor()
    await page.route(/\/api\/contacts\/[\w-]{36}$/, async (route) => {
      await released
      await route.continue()
    })
    await link.click()
    await page.locator('.contact-outline').first().waitFor()
    const PARTS = ['.page-head .avatar', '.contact-side', '.contact-columns > :nth-child(2)']
    const before = await Promise.all(PARTS.map(boxOf))
    release(undefined)
    await page.getByRole('heading', { level: 1, name: 'Ana Sol' }).waitFor()
    const after = await Promise.all(PARTS.map(boxOf))
    for (const [nth, box] of after.entries())
      for (const side of ['x', 'y', 'width'] as const)
        expect(Math.abs(box[side] - (before[nth]?.[side] ?? 0))).toBeLessThanOrEqual(MOVED_PX)
    await page.unrouteAll({ behavior: 'wait' })
  }, 60_000)

  test('have one edge in all cards of a contact', async () => {
    await page.goto(`/contacts/${contactId}`)
    await page.getByRole('heading', { name: 'Consents' }).waitFor()
    const insets =
      await page.evaluate(`[...document.querySelectorAll('.contact-side, .section')].flatMap(
      (card) => [...card.querySelectorAll(':is(h2, h3)')].map((title) =>
        Math.round(title.getBoundingClientRect().x - card.getBoundingClientRect().x)))`)
    expect([...new Set(insets as number[])]).toEqual([17])
    await journey.finish()
  }, 60_000)
})
