import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'

import type { Loose } from '../support/client'
import { CHROMIUM } from './support/chromium'
import { closeWithEscape, LiveWorld, type Journey } from './support/journey'

/** A smallest picture. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGNgGAWjYBSMAggAAAQQAAGFP6pyAAAAAElFTkSuQmCC',
  'base64',
)
const NAMES = ['Ana Sol', 'Bob Late', 'Cem Oz']

describe.skipIf(CHROMIUM === null)('the list of conversations', () => {
  let live: LiveWorld
  let journey: Journey
  let page: Page

  beforeAll(async () => {
    live = await LiveWorld.create()
    const { world } = live
    for (const name of NAMES) {
      await world.simulator.customer({ phone: world.tenant.phoneId, name }).says(`I am ${name}`)
      await world.settle()
      world.clock.advance({ seconds: 1 })
    }
    const admin = await world.as('admin')
    const { data } = await admin.get('/api/conversations')
    const [, bob] = data['items'] as Loose[]
    await admin.put(`/api/conversations/${String(bob?.['id'])}/assign`, {
      user_id: world.tenant.userIds.agent,
    })
    journey = await live.open()
    page = journey.page
    await journey.signIn('admin')
    await rows()
      .nth(NAMES.length - 1)
      .waitFor()
  }, 60_000)

  afterAll(() => live.stop())

  const rows = (): Locator =>
    page.getByRole('list', { name: 'Conversations' }).getByRole('listitem')
  const names = (): Promise<string[]> => page.locator('.row-name').allInnerTexts()
  const requireShown = async (where: Page, image: string): Promise<void> => {
    await where.locator(image).waitFor()
    const isShown = `document.querySelector('${image}').naturalWidth > 0`
    while ((await where.evaluate(isShown)) !== true) await Bun.sleep(20)
  }
  const choose = async (label: string, option: string): Promise<void> => {
    await page.getByRole('button', { name: 'Filters' }).click()
    const filters = page.getByRole('dialog', { name: 'Filters' })
    await filters.getByRole('button', { name: label }).click()
    await page.getByRole('option', { name: option }).click()
    // The key closes the topmost layer, which the options are until they are gone.
    await page.getByRole('option', { name: option }).waitFor({ state: 'detached' })
    await closeWithEscape(filters)
  }

  test('shows what it can of an address that means nothing', async () => {
    const address = page.url()
    for (const path of ['/inbox?q=true&sort=x', '/inbox?q={"a":1}', '/search?q=[1]']) {
      await page.goto(new URL(path, address).href)
      if (path.startsWith('/inbox')) await rows().nth(1).waitFor()
      else await page.getByRole('searchbox').waitFor()
    }
    await page.goto(address)
    await rows().nth(1).waitFor()
  })

  test('is filtered by colleague and put in another order, and the address keeps both', async () => {
    expect(await names()).toEqual(NAMES.toReversed())
    await choose('Order', 'Longest waiting first')
    await page.waitForURL(/sort=oldest_unanswered/)
    await page.locator('.row-name').first().getByText('Ana Sol').waitFor()
    await choose('Assigned to', 'Acme agent')
    await rows().nth(1).waitFor({ state: 'detached' })
    await rows().first().waitFor() // no row is there while the new list is loaded
    expect(await names()).toEqual(['Bob Late'])
    await journey.requireAccessible()
    await page.reload()
    await rows().first().waitFor()
    expect(await names()).toEqual(['Bob Late'])
    await choose('Assigned to', 'Unassigned')
    await rows().nth(1).waitFor()
    expect(await names()).toEqual(['Ana Sol', 'Cem Oz'])
    await choose('Assigned to', 'Any')
    await choose('Order', 'Newest first')
    await page.waitForURL((url) => url.search === '')
  }, 60_000)

  test('is as wide as the person makes it, also after a reload', async () => {
    await rows().first().getByRole('link').click()
    const widthOf = async (pane: string): Promise<number> =>
      (await page.locator(pane).boundingBox())?.width ?? 0
    const line = page.getByRole('separator', { name: 'Width of the list' })
    const before = await widthOf('.list-pane')
    const { x = 0, y = 0 } = (await line.boundingBox()) ?? {}
    await page.mouse.move(x + 4, y + 200)
    await page.mouse.down()
    await page.mouse.move(x + 64, y + 210, { steps: 3 })
    await page.mouse.up()
    expect(await widthOf('.list-pane')).toBe(Math.round(before) + 60)
    const panel = page.getByRole('separator', { name: 'Width of the contact' })
    await panel.press('ArrowLeft')
    const wide = [await widthOf('.list-pane'), await widthOf('.panel')]
    await journey.requireAccessible()
    await page.reload()
    await page.locator('.panel').waitFor()
    expect([await widthOf('.list-pane'), await widthOf('.panel')]).toEqual(wide)
    await line.dblclick()
    expect(await widthOf('.list-pane')).toBe(before)
  }, 60_000)

  test('stands beside the logo of the organization', async () => {
    expect(await page.locator('.rail img').count()).toBe(0)
    const form = new FormData()
    form.append('logo', new File([PNG], 'logo.png', { type: 'image/png' }))
    const { headers } = await live.world.as('admin')
    const address = `${live.url}/api/organizations/branding`
    expect((await fetch(address, { method: 'PUT', body: form, headers })).status).toBe(200)
    await page.reload()
    await requireShown(page, '.rail img')
  }, 60_000)

  test('shows the logo of the only organization to people who are not signed in', async () => {
    const admin = await live.world.as('admin')
    const { data } = await admin.post('/api/organizations/invitations', {})
    const link = new URL(String(data['invite_url']))
    const stranger = await live.open({ path: '/inbox' })
    await requireShown(stranger.page, '.brand-logo')
    await stranger.requireAccessible()
    await stranger.page.goto(link.pathname + link.hash)
    await requireShown(stranger.page, '#logo')
    await stranger.finish()
  }, 60_000)

  test('had no error of the page', () => journey.finish(), 30_000)
})
