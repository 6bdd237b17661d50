import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Loose } from '../support/client'
import { startMailbox, type Mailbox } from '../support/mailbox'
import { Desk, pathOf } from '../support/transfers'
import { CHROMIUM, launch } from './support/chromium'
import { LiveWorld } from './support/journey'

const DAY_MS = 86_400_000
const EMPTY_ID = '01900000-0000-7000-8000-00000000ffff'

/** Ten in the morning of the last Tuesday that is over, epoch milliseconds. */
function tuesday(): number {
  const noon = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const daysAgo = ((new Date(noon).getUTCDay() + 4) % 7) + 1
  return noon - daysAgo * DAY_MS + 10 * 3_600_000
}

describe.skipIf(CHROMIUM === null)('a supervisor', () => {
  let desk: Desk
  let mailbox: Mailbox
  let live: LiveWorld
  const tuesdayMs = tuesday()
  const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

  beforeAll(async () => {
    mailbox = await startMailbox()
    // on Monday the customer was answered in a minute, on Tuesday the other one waited half an hour
    desk = await Desk.create(1, {
      startMs: tuesdayMs - DAY_MS,
      env: { SMTP_URL: mailbox.url, MAIL_FROM: 'desk@example.com' },
    })
    const { clock } = desk.world
    const answer = async (team: string, nth: number, minutes: number): Promise<void> => {
      const who = await desk.agent()
      await desk.team([who], { name: team })
      const transfer = await desk.transfer(nth, {}, await desk.world.as('manager'))
      await who.client.post(pathOf(transfer, 'pickup'))
      clock.advance({ minutes })
      await who.client.post(`/api/contacts/${await desk.contactId(nth)}/messages`, {
        ...{ type: 'text', text: 'Good morning' },
      })
      await desk.world.settle()
      await who.client.put(pathOf(transfer, 'resume'))
    }
    await answer('Counter', 0, 1)
    clock.advance({ ms: tuesdayMs - clock.nowMs() })
    await desk.inbox.says(1, 'Is anybody there?')
    await answer('Workshop', 1, 30)
    live = new LiveWorld(desk.world, await launch())
  }, 90_000)

  afterAll(async () => {
    await live.stop()
    await mailbox.stop()
  })

  test('sees that answers took long on Tuesday, who was slow and when, and schedules the report', async () => {
    const journey = await live.open({ path: '/analytics/quality?days=30d' })
    const { page } = journey
    await journey.signIn('admin')
    const admin = await desk.world.as('admin')
    const from = day(Date.now() - 29 * DAY_MS)
    const { data } = await admin.get(
      `/api/analytics/quality?start_date=${from}&end_date=${day(Date.now())}`,
    )
    const summary = data['summary'] as Loose

    // the numbers on the screen are those of the API
    const answers = page.locator('[data-figure=answers]')
    await answers.getByText(String(summary['answers']), { exact: true }).waitFor()
    await page.locator('[data-figure=sla_met_rate]').getByText('100%').waitFor()
    await journey.requireAccessible()

    // Tuesday stands out, and is opened with the keys
    const plot = page.getByRole('slider', { name: /Quality: Time to answer/ })
    await plot.focus()
    await page.keyboard.press('Home')
    const nth = (data['timeline'] as Loose[]).findIndex(({ date }) => date === day(tuesdayMs))
    for (let step = 0; step < nth; step += 1) await page.keyboard.press('ArrowRight')
    expect(await plot.getAttribute('aria-valuetext')).toMatch(/^Tue .*Time to answer: 30 min/)
    await page.keyboard.press('Enter')
    const behind = page.getByRole('region', { name: /^Tue / })
    // it comes into view, from below the window
    expect((await behind.boundingBox())?.y).toBeLessThan(400)
    await behind.getByRole('button', { name: 'Workshop: 30 min' }).click()
    const hours = behind.getByRole('slider', { name: /Which hour/ })
    await hours.focus()
    await page.keyboard.press('Home')
    for (let step = 0; step < 10; step += 1) await page.keyboard.press('ArrowRight')
    expect(await hours.getAttribute('aria-valuetext')).toContain('30 min')
    await page.keyboard.press('Enter')
    const list = behind.getByRole('region', { name: 'Conversations from 10:00 AM' })
    await list.getByRole('link').first().waitFor()
    expect(await list.getByRole('link').count()).toBe(1)
    await journey.requireAccessible()

    // what is shown has an address, and the conversation is one press away
    expect(new URL(page.url()).searchParams.get('point')).toBe(day(tuesdayMs))
    await list.getByRole('link').click()
    await page.getByText('Good morning').first().waitFor()
    await page.goBack()

    // on Monday at 8:00 the report comes by email
    await page.getByRole('link', { name: 'Send by email' }).click()
    const dialog = page.getByRole('dialog', { name: 'New email' })
    expect(await dialog.getByRole('checkbox', { name: 'Quality' }).isChecked()).toBe(true)
    await dialog.getByRole('textbox', { name: 'At' }).fill('8')
    await journey.requireAccessible()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/Mondays at 8:00 AM/).waitFor()
    const { items } = (await admin.get('/api/analytics/scheduled-reports')).data as {
      items: Loose[]
    }
    expect(items).toMatchObject([
      { reports: ['quality'], every: 'week', at: '08:00', is_active: true },
    ])
    await journey.finish()
  }, 120_000)

  test('arranges a board of their own with the keys, and everybody sees their own figures', async () => {
    const journey = await live.open({ path: '/analytics' })
    const { page } = journey
    await journey.signIn('admin')
    const admin = await desk.world.as('admin')
    const titles = () => page.locator('.board h3').allTextContents()
    const stored = async (): Promise<unknown[]> => {
      const { widgets } = (await admin.get('/api/analytics/board')).data as { widgets: Loose[] }
      return widgets.map(({ title }) => title)
    }
    await page.getByRole('region', { name: 'New contacts' }).waitFor()
    await journey.requireAccessible()

    // added
    await page.getByRole('button', { name: 'Add to the board' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /What to show/ }).click()
    await page.getByRole('option', { name: /^Time to answer A number/ }).click()
    await dialog.getByRole('textbox', { name: 'Title' }).fill('How fast we are')
    await journey.requireAccessible()
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    const own = page.getByRole('region', { name: 'How fast we are' })
    await own.waitFor()

    // moved with the arrow keys on its handle, which keep it in hand
    const handle = own.getByRole('button', { name: /^Move How fast we are/ })
    await handle.focus()
    await page.keyboard.press('ArrowLeft')
    await page.getByText('How fast we are: place 6 of 7').waitFor()
    await handle.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('ArrowUp')
    await page.getByText('How fast we are: place 5 of 7').waitFor()
    expect((await titles()).at(-3)).toBe('How fast we are')
    expect(await stored()).toEqual(await titles())

    // dragged to the beginning, and given more room
    await page.getByRole('heading', { name: 'Messages by day' }).scrollIntoViewIfNeeded()
    await handle.hover()
    await page.mouse.down()
    const place = await page.getByRole('heading', { name: 'Messages by day' }).boundingBox()
    const [x, y] = [(place?.x ?? 0) + 20, (place?.y ?? 0) + 10]
    await page.mouse.move(x + 40, y, { steps: 3 })
    await page.mouse.move(x, y, { steps: 3 })
    await page.locator('.board > [data-over]').getByText('Messages by day').waitFor()
    await page.mouse.up()
    await page.getByText('How fast we are: place 1 of 7').waitFor()
    await own.getByRole('button', { name: 'Actions for How fast we are' }).click()
    await page.getByRole('menuitem', { name: 'Make it larger' }).click()
    await page.locator('.board > .large').getByText('How fast we are').waitFor()
    expect(await stored()).toEqual(await titles())

    // removed, and back again
    await own.getByRole('button', { name: 'Actions for How fast we are' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await own.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await own.waitFor()

    // the board of the organization is another one
    await page.getByRole('button', { name: /Whose board/ }).click()
    await page.getByRole('option', { name: "The organization's board" }).click()
    await own.waitFor({ state: 'detached' })
    expect(new URL(page.url()).searchParams.get('board')).toBe('organization')

    // two people side by side; what does not limit a report is said, and stays in the address
    const team = ((await admin.get('/api/teams')).data['items'] as Loose[])[0]
    await page.goto(`/analytics/people?days=30d&team=${String(team?.['id'])}&tag=${EMPTY_ID}`)
    await page.getByRole('note').getByText('Tag').waitFor()
    await page.goto('/analytics/people?days=30d')
    await page.getByRole('row', { name: /Acme admin/ }).waitFor()
    for (const name of ['admin', 'manager'])
      await page
        .getByRole('checkbox', { name: `Choose Acme ${name} to compare` })
        .check({ force: true })
    await page.getByRole('button', { name: 'Compare 2' }).click()
    const compared = page.getByRole('region', { name: 'Side by side', exact: true }).first()
    await compared.getByRole('rowheader', { name: 'Time to answer', exact: true }).waitFor()
    await journey.requireAccessible()
    await journey.finish()

    // who may not read reports has their own figures, and is told about the others
    const agent = await live.open({ path: '/analytics' })
    await agent.signIn('agent')
    await agent.page.getByRole('link', { name: 'My figures' }).waitFor()
    expect(await agent.page.locator('.tabs a').count()).toBe(1)
    await agent.page.locator('[data-figure=messages_sent]').getByText('0').waitFor()
    await agent.page.goto('/analytics/costs')
    await agent.page.locator('.empty').waitFor()
    await agent.finish()
  }, 120_000)
})
