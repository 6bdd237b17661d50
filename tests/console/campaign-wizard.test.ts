import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'

import { approvedTemplate, setPrice } from '../support/campaigns'
import type { Loose } from '../support/client'
import { CHROMIUM } from './support/chromium'
import { EXPIRED, LiveWorld, type Journey } from './support/journey'

/** `CAMPAIGN_PEOPLE=5000` performs the whole story: 40 lack a value, and it is paused at 30 %. */
const PEOPLE = Number(process.env['CAMPAIGN_PEOPLE'] ?? 60)
const IS_WHOLE = PEOPLE > 1_000
/** Those who have no code. */
const LACKING = IS_WHOLE
  ? Array.from({ length: 40 }, (_, nth) => 7 + nth * Math.floor(PEOPLE / 41))
  : [7, 21, 33, 58]
const written = (count: number): string => count.toLocaleString('en')
const REACHED = PEOPLE - LACKING.length
const RATE = IS_WHOLE ? 1_000 : 10
const COST = `$${(REACHED * 0.05).toFixed(2)}`
const WHOLE_MS = IS_WHOLE ? 10 * 60_000 : 60_000

describe.skipIf(CHROMIUM === null)('a campaign that is prepared step by step', () => {
  let live: LiveWorld
  let journey: Journey
  let page: Page

  const admin = () => live.world.as('admin')
  const get = async (path: string): Promise<Loose> => (await (await admin()).get(path)).data
  /** Does with the keyboard what a click does. */
  const press = async (what: Locator): Promise<void> => {
    await what.focus()
    await page.keyboard.press('Enter')
  }
  const pick = async (field: Locator, words: string): Promise<void> => {
    await press(field)
    await page.getByRole('option').first().waitFor()
    await page.keyboard.type(words)
    await page.getByRole('option', { name: words, exact: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('option').first().waitFor({ state: 'detached' })
  }
  const write = async (field: Locator, words: string): Promise<void> => {
    await field.focus()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(words)
  }
  const next = async (step: string): Promise<void> => {
    await press(page.getByRole('button', { name: 'Next' }))
    await page.getByRole('heading', { level: 2, name: step }).waitFor()
  }
  const idInAddress = (): string => new URL(page.url()).pathname.split('/')[2] ?? ''
  const fact = (name: string) => page.locator(`[data-fact=${name}] dd`)

  beforeAll(async () => {
    live = await LiveWorld.create()
    const client = await admin()
    setPrice(live.world, { micros: 50_000 })
    // more than a new number may write to in a day
    if (IS_WHOLE)
      live.world.rows(
        "update accounts set throughput_level = 'HIGH', messaging_limit_tier = 'TIER_UNLIMITED'",
      )
    await client.post('/api/contact-attributes', { key: 'code', label: 'Code', type: 'text' })
    for (let nth = 0; nth < PEOPLE; nth += 1)
      await client.post('/api/contacts', {
        phone_number: `1555099${String(nth).padStart(4, '0')}`,
        name: `Person ${nth}`,
        tags: ['spring'],
        attributes: LACKING.includes(nth) ? {} : { code: `C${nth}` },
      })
    await client.post('/api/segments', {
      ...{ name: 'Spring guests', shared: true },
      filter: { all: [{ field: 'tags', op: 'in', value: ['spring'] }] },
    })
    await approvedTemplate(live.world, {
      name: 'spring_code',
      components: [
        {
          ...{ type: 'BODY', text: 'Hello {{1}}, your code is {{2}} until Sunday.' },
          example: { body_text: [['Ann', 'X1']] },
        },
      ],
    })
    // two people change the same draft; the time of a busy world leaps over the end of a ticket
    const expected = [/status of 40[09]/, ...(IS_WHOLE ? [EXPIRED] : [])]
    journey = await live.open({ path: '/campaigns', expected })
    page = journey.page
    await journey.signIn('admin')
  }, WHOLE_MS * 2)

  afterAll(() => live.stop())

  test('asks for people and a message, and keeps each step on the server', async () => {
    await press(page.getByRole('link', { name: 'New campaign' }))
    await page.getByRole('heading', { level: 2, name: 'Who' }).waitFor()
    await write(page.getByRole('textbox', { name: 'Name' }), 'Spring codes')
    await pick(page.getByRole('button', { name: /Segment/ }), 'Spring guests')
    await page
      .getByText(`${written(PEOPLE)} people`)
      .first()
      .waitFor()
    await journey.requireAccessible()
    await journey.picture('wizard-who')
    await next('What')
    await page.getByRole('heading', { level: 1, name: 'Spring codes' }).waitFor()
    const id = idInAddress()
    expect(await get(`/api/campaigns/${id}`)).toMatchObject({ status: 'draft', template_id: null })
    await page.getByText('Choose a template to go on.').waitFor()
    await press(page.getByRole('button', { name: /spring.code/i }))
    await page.getByRole('figure').getByText('Hello {{1}}').waitFor()
    expect(await page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true)
    await page.getByText('Still missing: {{1}}, {{2}}').waitFor()
    await pick(page.getByRole('group', { name: '{{1}}' }).getByRole('button'), 'Name')
    await page.getByText(/^Still missing: \{\{2\}\}$/).waitFor()
    await pick(page.getByRole('group', { name: '{{2}}' }).getByRole('button'), 'Code')
    await page
      .getByRole('figure')
      .getByText(/Hello Person \d+, your code is C\d+ until Sunday/)
      .waitFor()
    expect(await page.getByText('Still missing').count()).toBe(0)
    const people = page.getByRole('group', { name: 'Whose message is shown' }).getByRole('button')
    expect(await people.count()).toBe(3)
    // what is saved is there when somebody goes on with it
    await press(page.getByRole('button', { name: 'Save and go on later' }))
    await press(page.getByRole('link', { name: 'Spring codes' }))
    await press(page.getByRole('link', { name: 'Continue' }))
    await next('What')
    await page
      .getByRole('figure')
      .getByText(/your code is C\d+/)
      .waitFor()
    await journey.requireAccessible()
    await journey.picture('wizard-what')
  }, 60_000)

  test('names those who lack a value, and leaves them out if a person says so', async () => {
    await next('Check')
    const section = page.getByRole('region', {
      name: `${LACKING.length} people lack a value of the message`,
    })
    for (const nth of LACKING.slice(0, 4))
      await section.getByRole('link', { name: `Person ${nth}`, exact: true }).waitFor()
    expect(await fact('reach').innerText()).toBe(written(REACHED))
    expect(await fact('cost').innerText()).toBe(COST)
    await journey.requireAccessible()
    await journey.picture('wizard-check')
    await press(section.getByRole('button', { name: `Leave ${LACKING.length} people out` }))
    await section.getByText('They are left out.').waitFor()
  }, 60_000)

  test('is tested on a phone of one’s own', async () => {
    await next('Test')
    const before = live.world.simulator.messages.length
    await write(page.getByRole('textbox', { name: 'Phone number' }), '+1 555 010 4477')
    await page.keyboard.press('Enter')
    await page.getByText(/Sent to \+1/).waitFor()
    await live.world.settle()
    const sent = live.world.simulator.messages.slice(before).map(({ body }) => body as Loose)
    expect(sent.map(({ to }) => String(to))).toEqual([expect.stringContaining('15550104477')])
    expect(JSON.stringify(sent[0])).toMatch(/"C\d+"/)
    await journey.requireAccessible()
    await journey.picture('wizard-test')
  }, 60_000)

  test('shows both what two people changed, and errors at their field', async () => {
    await next('When')
    const path = `/api/campaigns/${idInAddress()}`
    const rate = page.getByRole('textbox', { name: 'At most per second' })
    await write(rate, '5000')
    await press(page.getByRole('button', { name: 'Start' }))
    await page
      .getByText(/1 to 1,000|between 1 and 1,000|1.*1,000/)
      .first()
      .waitFor()
    await write(rate, String(RATE))
    await write(page.getByRole('textbox', { name: 'Budget in USD' }), '1000,50')
    expect((await (await admin()).put(path, { rate_limit: 300 })).status).toBe(200)
    await press(page.getByRole('button', { name: 'Back' }))
    const dialog = page.getByRole('dialog')
    await dialog.getByText('300').waitFor()
    await journey.requireAccessible()
    await press(dialog.getByRole('button', { name: /Save/ }))
    await page.getByRole('heading', { level: 2, name: 'Test' }).waitFor()
    expect(await get(path)).toMatchObject({
      ...{ rate_limit: RATE, budget: { amount: '1000.50', currency: 'USD' } },
    })
  }, 60_000)

  test(
    'starts, pauses, goes on, and tells the same figures as the server',
    async () => {
      const id = idInAddress()
      await next('When')
      await page.getByText(`${written(REACHED)} people get it now. Cost: ${COST}.`).waitFor()
      await page.getByRole('radio', { name: /At a time/ }).check()
      await page.getByText(/By the clock of/).waitFor()
      await page.getByText(new RegExp(`${written(REACHED)} people get it at .*9:00`)).waitFor()
      await page.getByRole('button', { name: 'Schedule' }).waitFor()
      await journey.requireAccessible()
      await page.getByRole('radio', { name: /Now/ }).check()
      await journey.requireAccessible()
      await journey.picture('wizard-when')
      await press(page.getByRole('button', { name: 'Start' }))
      await page
        .getByRole('dialog')
        .getByText(/cannot be taken back/)
        .waitFor()
      if (IS_WHOLE) await page.getByRole('dialog').getByRole('textbox').fill(String(REACHED))
      await press(page.getByRole('dialog').getByRole('button', { name: 'Start' }))
      const sent = async (): Promise<number> =>
        Number((await get(`/api/campaigns/${id}/progress`))['sent_count'])
      while (IS_WHOLE && (await sent()) < 0.3 * PEOPLE) await page.waitForTimeout(100)
      await press(page.getByRole('button', { name: 'Pause' }))
      await page.getByRole('button', { name: 'Resume' }).waitFor()
      const at = await sent()
      await press(page.getByRole('button', { name: 'Resume' }))
      await page.getByText('Completed').first().waitFor({ timeout: WHOLE_MS })
      if (IS_WHOLE) process.stderr.write(`paused at ${at} of ${PEOPLE}\n`)
      await live.world.settle()
      const progress = await get(`/api/campaigns/${id}/progress`)
      expect(progress).toMatchObject({
        ...{ total_recipients: PEOPLE, sent_count: REACHED, skipped_count: LACKING.length },
      })
      await page
        .locator('[data-step=delivered_count] b', {
          hasText: written(Number(progress['delivered_count'])),
        })
        .waitFor()
      const shown: Record<string, number> = {}
      for (const one of await page.locator('[data-step]').all())
        shown[(await one.getAttribute('data-step')) ?? ''] = Number(
          (await one.locator('b').innerText()).replaceAll(',', ''),
        )
      expect(shown).toMatchObject({ skipped_count: LACKING.length, sent_count: REACHED })
      expect(shown).toEqual(
        Object.fromEntries(Object.keys(shown).map((name) => [name, progress[name]])),
      )
      await journey.requireAccessible()
    },
    WHOLE_MS,
  )

  test('leads from its replies to their conversations', async () => {
    const { phoneId: phone } = live.world.tenant
    await live.world.simulator.customer({ phone, waId: '15550990002' }).says('Thanks a lot!')
    await press(page.getByRole('link', { name: 'See the replies in the inbox' }))
    await page.getByText('Thanks a lot!').first().waitFor()
    expect(await page.locator('.list-pane [data-row], .list-pane .row').count()).toBe(1)
  }, 60_000)

  test('takes a file, binds its columns, and says at its field what the server refuses', async () => {
    const filter = { all: [{ field: 'tags', op: 'in', value: ['spring'] }] }
    const gone = await (await admin()).post('/api/segments', { name: 'Gone', filter })
    await page.goto('/campaigns/new')
    await pick(page.getByRole('button', { name: /Segment/ }), 'Gone')
    await (await admin()).delete(`/api/segments/${String(gone.data['id'])}`)
    await press(page.getByRole('button', { name: 'Next' }))
    await page
      .locator('.field', { hasText: 'Segment' })
      .getByText('This segment is not there anymore.')
      .waitFor()
    await page.getByRole('radio', { name: /A list/ }).check()
    const chooser = page.waitForEvent('filechooser')
    await press(page.getByRole('button', { name: 'Choose a file' }))
    const rows = ['Phone;First name;City', '+1 555 010 8001;Ann;Rome', '+1 555 010 8002;Bo;Oslo']
    const buffer = Buffer.from(rows.join('\n'))
    await (await chooser).setFiles({ name: 'guests.csv', mimeType: 'text/csv', buffer })
    await journey.requireAccessible()
    await press(page.getByRole('button', { name: 'Take the people of guests.csv' }))
    await page.getByText('2 people are in the list.').waitFor()
    await next('What')
    await press(page.getByRole('button', { name: /spring.code/i }))
    const value = (name: string) => page.getByRole('group', { name }).getByRole('button')
    await pick(value('{{1}}'), 'Column “First name” of the list')
    await pick(value('{{2}}'), 'Column “City” of the list')
    await page.getByRole('figure').getByText('Hello Ann, your code is Rome').waitFor()
    await next('Check')
    expect(await fact('reach').innerText()).toBe('2')
    await press(page.getByRole('button', { name: 'Back' }))
    await press(page.getByRole('button', { name: 'Back' }))
    // one of them is taken out by a key
    await press(page.getByRole('link', { name: 'See them' }))
    await page.getByText('2 entries').waitFor()
    await page.locator('[data-row]').first().focus()
    await page.keyboard.press('Delete')
    await press(page.getByRole('dialog').getByRole('button', { name: 'Take out of the campaign' }))
    await page.getByText('1 entry').waitFor()
    await journey.requireAccessible()
    await page.goBack()
    await page.getByText('1 person is in the list.').waitFor()
    await press(page.getByRole('button', { name: 'Remove the list' }))
    await page.getByText('1 person is in the list.').waitFor({ state: 'detached' })
  }, 60_000)

  test('begins with chosen contacts, and a draft is deleted', async () => {
    await page.goto('/contacts')
    const rows = page.locator('[data-row]')
    await rows.first().waitFor()
    for (const nth of [0, 1]) await rows.nth(nth).getByRole('checkbox').check({ force: true })
    await press(page.getByRole('button', { name: 'Campaign with these' }))
    await page.getByText('2 people are in the list.').waitFor()
    const id = idInAddress()
    await page.goto(`/campaigns/${id}`)
    await page.getByRole('button', { name: /^Actions for/ }).click()
    await page.getByRole('menuitem', { name: 'Delete the draft' }).click()
    await press(page.getByRole('dialog').getByRole('button', { name: 'Delete the draft' }))
    await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor()
    expect((await (await admin()).get(`/api/campaigns/${id}`)).status).toBe(404)
  }, 60_000)

  test('had no error of the page', () => journey.finish(), 30_000)
})
