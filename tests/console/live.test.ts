import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'

import { deliver, personOf, textTo } from '../support/lines'
import { Receiver } from '../support/receiver'
import { CHROMIUM } from './support/chromium'
import { closeWithEscape, LiveWorld, type Journey } from './support/journey'

describe.skipIf(CHROMIUM === null)('who leads the day', () => {
  let live: LiveWorld
  let receiver: Receiver
  let journey: Journey

  beforeAll(async () => {
    receiver = new Receiver()
    live = await LiveWorld.create({ env: { EGRESS_ALLOW: new URL(receiver.url).host } })
    journey = await live.open({ path: '/analytics/live' })
    await journey.signIn('admin')
  }, 60_000)

  afterAll(async () => {
    await live.stop()
    await receiver[Symbol.asyncDispose]()
  })

  test('sees who waits when it happens, and hands them over by keys and by dragging', async () => {
    const { page } = journey
    await page.getByText('Nobody waits').waitFor()
    const { world } = live
    await deliver(world, textTo(world, 'Is anybody there?', { person: personOf(0) }))
    const waiting = page.getByRole('list', { name: 'Who waits longest' })
    await waiting.getByText('Is anybody there?').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('h')
    const search = page.getByRole('searchbox', { name: 'Search colleagues and teams' })
    await search.focus()
    await page.keyboard.type('Acme agent')
    await page.getByRole('menuitem', { name: 'Acme manager' }).waitFor({ state: 'detached' })
    const found = page.getByRole('menuitem', { name: 'Acme agent' })
    await found.waitFor()
    while ((await found.getAttribute('data-focused')) === null)
      await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await waiting.getByText('Acme agent').waitFor()
    const agent = page.getByRole('row', { name: /Acme agent/ })
    await agent.getByRole('cell', { name: '1', exact: true }).first().waitFor()
    for (const name of ['Acme manager', 'General queue']) {
      await waiting.getByText('Is anybody there?').hover()
      await page.mouse.down()
      await page.mouse.move(300, 500, { steps: 3 })
      const target = page.getByRole('row', { name: new RegExp(name) })
      await target.and(page.locator('[data-drop]')).waitFor()
      await target.hover()
      await page.mouse.up()
      await page.getByText(`Handed over to ${name}`).waitFor()
    }
    await waiting.getByText('Nobody has it').waitFor()
    await journey.requireAccessible()
  })

  test('sees in the bell how far their work is, and is told when it is done', async () => {
    const { page } = journey
    const admin = await live.world.as('admin')
    const input = { name: 'CRM', url: receiver.url, events: ['contact.created'] }
    const { data } = await admin.post('/api/webhooks', input)
    const path = `/api/webhooks/${String(data['id'])}`
    await deliver(live.world, textTo(live.world, 'Me, too', { person: personOf(1) }))
    const delivered = "select 1 from webhook_deliveries where state = 'delivered'"
    await live.world.eventually(() => live.world.rows(delivered).length === 1)
    // a replay ends before the present moment
    live.world.clock.advance({ seconds: 1 })
    // it is tried again soon, and then after minutes
    receiver.reply = () => new Response('later', { status: 503 })
    const from = new Date(live.world.clock.nowMs() - 60_000).toISOString()
    const begun = await admin.post(`${path}/replay`, { from, only_failed: false })
    expect(begun.data).toMatchObject({ count: 1 })
    await page.getByRole('button', { name: /Notifications.*Under way/ }).click()
    const work = page.getByRole('group', { name: 'Events sent again to CRM' })
    await work.getByText('0 of 1').waitFor()
    await journey.requireAccessible()
    receiver.reply = () => new Response('thanks')
    live.world.clock.advance({ minutes: 6 })
    await page.getByText('Done: Events sent again to CRM').waitFor()
    await work.waitFor({ state: 'detached' })
    await closeWithEscape(page.getByRole('dialog'))
  })

  test('finds in the audit log what was before and after, and saves it', async () => {
    const { page } = journey
    const admin = await live.world.as('admin')
    const { data } = await admin.post('/api/tags', { name: 'Guest', color: 'blue' })
    await admin.put(`/api/tags/${String(data['id'])}`, { name: 'Regular' })
    await page.goto('/settings/audit?kind=tag')
    const row = page.getByRole('row', { name: /Changed.*Regular/ })
    await row.locator('del', { hasText: 'Guest' }).waitFor()
    await row.locator('ins', { hasText: 'Regular' }).waitFor()
    await journey.requireAccessible()
    await row.getByRole('button', { name: 'Changed' }).click()
    const entry = page.getByRole('dialog', { name: 'Changed' })
    await entry.getByText('Acme admin').waitFor()
    await closeWithEscape(entry)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download (CSV)' }).click()
    const file = readFileSync(await (await saving).path(), 'utf8')
    expect(file.split('\r\n').filter((line) => line.includes(',tag,'))).toHaveLength(2)
  })
})
