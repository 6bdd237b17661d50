import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { CHROMIUM } from './support/chromium'
import { LiveWorld } from './support/journey'

describe.skipIf(CHROMIUM === null)('the styles of a page that is opened later', () => {
  let live: LiveWorld

  beforeAll(async () => {
    live = await LiveWorld.create()
    const admin = await live.world.as('admin')
    await admin.post('/api/contacts', { phone_number: '+15550400001', name: 'Zoë Müller' })
  }, 60_000)

  afterAll(() => live.stop())

  test('are there before the page is shown, and are asked for again if they failed', async () => {
    const journey = await live.open({ expected: [/ERR_FAILED|could not be loaded/] })
    const { page } = journey
    await journey.signIn('admin')
    const title = page.getByRole('heading', { level: 1, name: 'Contacts' })
    const link = page.getByRole('link', { name: 'Contacts' })

    const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
    await page.route('**/assets/tables-*.css', async (route) => {
      await released
      await route.abort()
    })
    const asked = page.waitForRequest(/\/assets\/tables-/)
    const code = page.waitForResponse(/\/assets\/contacts-.+\.js$/)
    await link.click()
    await Promise.all([asked, code.then((response) => response.finished())])
    await page.evaluate('new Promise((done) => requestIdleCallback(done))')
    expect(await title.isVisible()).toBe(false)
    release(undefined)
    const reload = page.getByRole('button', { name: 'Reload' })
    await reload.waitFor()
    await page.unroute('**/assets/tables-*.css')

    await reload.click()
    await title.waitFor()
    await page.getByRole('table', { name: 'Contacts' }).waitFor()
    expect(
      await page.evaluate("getComputedStyle(document.querySelector('.table')).borderStyle"),
    ).toBe('solid')
    await journey.finish()
  }, 60_000)

  test('say that the server cannot be reached, and come by themselves when it can', async () => {
    const journey = await live.open({ expected: [/ERR_INTERNET_DISCONNECTED|could not be loaded/] })
    const { page } = journey
    await journey.signIn('admin')
    await page.getByText('Nobody is waiting').waitFor()
    await page.context().setOffline(true)
    const rail = page.getByRole('navigation', { name: 'Main' })
    for (const place of ['Settings', 'Bot']) {
      await rail.getByRole('link', { name: place }).click()
      await page.getByRole('main').getByText('The server cannot be reached.').waitFor()
    }
    await journey.requireAccessible()
    await page.context().setOffline(false)
    await page.getByRole('heading', { level: 1, name: 'Bot', exact: true }).waitFor()
    await rail.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()
    await journey.finish()
  }, 60_000)
})
