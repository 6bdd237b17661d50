import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator } from 'playwright-core'

import type { Client, Loose } from '../support/client'
import { secondNumber } from '../support/second-number'
import { CHROMIUM } from './support/chromium'
import { LiveWorld } from './support/journey'

describe.skipIf(CHROMIUM === null)('the folders of the inbox', () => {
  let live: LiveWorld
  let admin: Client
  let team: string

  /** The path of the conversation with a customer. */
  const pathOf = async (name: string): Promise<string> => {
    const { items } = (await admin.get(`/api/conversations?search=${encodeURIComponent(name)}`))
      .data as { items: Loose[] }
    return `/api/conversations/${items[0]?.['id']}`
  }

  beforeAll(async () => {
    live = await LiveWorld.create()
    const { world } = live
    for (const name of ['Ana Sol', 'Ben Rio', 'Cleo Mar']) {
      await world.simulator.customer({ phone: world.tenant.phoneId, name }).says(`I am ${name}`)
      await world.settle()
    }
    admin = await world.as('admin')
    team = (
      (await admin.post('/api/teams', { name: 'Kitchen', assignment_strategy: 'manual' })).data[
        'team'
      ] as Loose
    )['id'] as string
    const own = { user_id: world.tenant.userIds.admin }
    await admin.put(`${await pathOf('Ana Sol')}/assign`, own)
    await admin.put(`${await pathOf('Ben Rio')}/owner`, { to: 'team', id: team })
    await secondNumber(world, { name: 'Second' })
    await admin.post('/api/views', {
      ...{ name: 'Urgent ones', resource: 'conversations', is_shared: true },
      filter: { state: 'open', search: 'Cleo' },
    })
  }, 60_000)

  afterAll(() => live.stop())

  test('show where conversations are, with their numbers, and what an empty one means', async () => {
    const journey = await live.open({ path: '/inbox' })
    const { page } = journey
    await journey.signIn('admin')
    const folders = page.getByRole('navigation', { name: 'Folders' })
    const folder = (name: RegExp): Locator => folders.getByRole('link', { name })
    const rows = page.getByRole('list', { name: 'Conversations' }).getByRole('link')
    const requireRows = async (...names: string[]): Promise<void> => {
      await rows.nth(names.length - 1).waitFor()
      for (const name of names) await rows.filter({ hasText: name }).waitFor()
      expect(await rows.count()).toBe(names.length)
    }
    await folder(/^All open 3$/).waitFor()
    await folder(/^Urgent ones 1$/).waitFor()
    // the list and what stands in place of a conversation begin side by side
    const boxOf = (what: string) => page.locator(what).boundingBox()
    expect((await boxOf('.thread-empty'))?.y).toBe((await boxOf('.list-pane'))?.y)
    await journey.requireAccessible()
    await journey.picture('folders')

    await folder(/^Mine 1$/).click()
    await requireRows('Ana Sol')
    expect(await folder(/^Mine/).getAttribute('aria-current')).toBe('page')
    await folder(/^Waiting 1$/).click()
    await requireRows('Ben Rio')
    await folder(/^Kitchen 1$/).click()
    await page.getByRole('heading', { level: 1, name: /^Kitchen/ }).waitFor()
    await requireRows('Ben Rio')
    await folder(/^Urgent ones 1$/).click()
    await requireRows('Cleo Mar')
    await folder(/^Second$/).click()
    await page.getByText('This number has no open conversation').waitFor()
    await folder(/^Mentions$/).click()
    await page.getByText('Nobody mentioned you').waitFor()

    // what happens meanwhile
    const contact = ((await admin.get(await pathOf('Cleo Mar'))).data['contact'] as Loose)['id']
    const manager = await live.world.as('manager')
    await manager.post(`/api/contacts/${contact}/notes`, {
      ...{ content: 'Please look', mentions: [live.world.tenant.userIds.admin] },
    })
    await folder(/^Mentions 1$/).waitFor()
    await requireRows('Cleo Mar')
    await journey.finish()
  }, 90_000)

  test('leave room for the day of the person, which leads to what it counts', async () => {
    const journey = await live.open({ path: '/inbox' })
    const { page } = journey
    await journey.signIn('admin')
    const figure = (name: string): Locator =>
      page.locator('.day-figures > div').filter({ hasText: name }).locator('dd')
    await figure('Mine').getByText('1', { exact: true }).waitFor()
    await figure('Waiting').getByText('1', { exact: true }).waitFor()
    await figure('Closed today').getByText('0', { exact: true }).waitFor()
    await figure('Your answer time').getByText('–').waitFor()
    expect(await figure('Longest wait').innerText()).toMatch(/min|sec|s$/)
    await page.getByRole('button', { name: /^Mine: 1$/ }).click()
    await page.waitForURL(/view=mine/)
    // what happens meanwhile
    await admin.post(`${await pathOf('Ana Sol')}/messages`, { type: 'text', text: 'At once!' })
    await admin.put(await pathOf('Ana Sol'), { state: 'closed' })
    await figure('Closed today').getByText('1', { exact: true }).waitFor()
    await figure('Your answer time').getByText('–').waitFor({ state: 'detached' })
    await admin.put(await pathOf('Ana Sol'), { state: 'open' })
    await journey.finish()
  }, 90_000)

  test('can be put away, and stay so', async () => {
    const journey = await live.open({ path: '/inbox?view=queue' })
    const { page } = journey
    await journey.signIn('admin')
    const folders = page.getByRole('navigation', { name: 'Folders' })
    await folders.getByRole('link', { name: /^Waiting/ }).waitFor()
    await page.getByRole('button', { name: 'Hide folders' }).press('Enter')
    await folders.waitFor({ state: 'detached' })
    await page.reload()
    const show = page.getByRole('button', { name: 'Show folders' })
    await show.waitFor()
    expect(await folders.count()).toBe(0)
    await show.press('Enter')
    await folders.waitFor()
    // as today where there is no room
    await page.setViewportSize({ width: 1_199, height: 800 })
    await folders.waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: /folders/ }).count()).toBe(0)
    await journey.finish()
  }, 60_000)
})
