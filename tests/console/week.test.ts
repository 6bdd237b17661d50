import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'

import type { Phone } from '../../src/simulator/accounts'
import { createFirstAdmin } from '../../src/modules/organization/users/create-first-admin'
import { startMailbox, type Mailbox } from '../support/mailbox'
import { Receiver } from '../support/receiver'
import { CHROMIUM } from './support/chromium'
import { EXPIRED, LiveWorld, type Journey } from './support/journey'
import { wordsOf } from './support/words'

/** `WEEK_LANGUAGE=ar` performs the week in Arabic. */
const LANGUAGE = process.env['WEEK_LANGUAGE'] === 'ar' ? 'ar' : 'en'
const OWN = 'flour, water, salt and time'
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** What people write themselves. */
const WRITTEN = {
  en: {
    people: ['Phone;Name;Tags', '+4915140000001;Ada;cake', '+4915140000002;Ben;cake', '12;Wrong;'],
    tag: 'cake',
    segment: 'Cake lovers',
    template: 'Hello {{1}}, our Christmas bread is here.',
    number: 'Shop',
  },
  ar: {
    people: [
      'رقم الهاتف;الاسم;الوسوم',
      '+966501230001;سلمى;كعك',
      '+966501230002;كريم;كعك',
      '12;خطأ;',
    ],
    tag: 'كعك',
    segment: 'محبو الكعك',
    template: 'مرحبًا {{1}}، خبز العيد متوفر.',
    number: 'المحل',
  },
}[LANGUAGE]

/** Eight in the morning of the next Monday. */
function nextMonday(): number {
  const midnight = Math.ceil(Date.now() / DAY_MS) * DAY_MS
  return midnight + ((8 - new Date(midnight).getUTCDay()) % 7) * DAY_MS + 8 * HOUR_MS
}

describe.skipIf(CHROMIUM === null)('a week in the life of a shop', () => {
  const t = wordsOf(LANGUAGE)
  const mondayMs = nextMonday()
  let mailbox: Mailbox
  let receiver: Receiver
  let live: LiveWorld
  let phone: Phone
  let owner: Journey
  const login = { email: '', password: '' }

  const button = (
    within: Page | Locator,
    key: string,
    values?: Record<string, string | number>,
  ): Locator => within.getByRole('button', { name: t(key, values), exact: true })
  const field = (within: Page | Locator, key: string): Locator =>
    within.getByRole('textbox', { name: t(key) })
  const link = (within: Page | Locator, key: string): Locator =>
    within.getByRole('link', { name: t(key), exact: true })
  const dialogOf = (page: Page): Locator => page.getByRole('dialog')
  /** Goes to a place of the rail. */
  const go = (page: Page, key: string): Promise<void> =>
    link(page.getByRole('navigation', { name: t('shell.nav.main') }), key).click()
  /** Opens a list whose button has this label, and takes what has this name. */
  const choose = async (within: Page | Locator, label: string, name: string): Promise<void> => {
    await within.getByRole('button', { name: label }).click()
    await owner.page.getByRole('option', { name, exact: true }).click()
  }
  /** Opens the next of the first steps. */
  const step = (page: Page, key: string): Promise<void> =>
    button(page.getByRole('listitem').filter({ hasText: t(key) }), 'welcome.go').click()
  const next = async (page: Page, heading: string): Promise<void> => {
    await button(page, 'parts.wizard.next').click()
    await page.getByRole('heading', { level: 2, name: t(heading) }).waitFor()
  }
  /** Opens a window of somebody at the time of the world. */
  async function open(path: string): Promise<Journey> {
    const journey = await live.open({ path: 'about:blank', locale: LANGUAGE, expected: [EXPIRED] })
    await journey.page.clock.setFixedTime(live.world.clock.nowMs())
    await journey.page.goto(path)
    return journey
  }

  beforeAll(async () => {
    mailbox = await startMailbox()
    receiver = new Receiver()
    live = await LiveWorld.create({
      tenants: 0,
      isConnected: false,
      startMs: mondayMs,
      env: {
        SMTP_URL: mailbox.url,
        MAIL_FROM: 'post@example.com',
        EGRESS_ALLOW: new URL(receiver.url).host,
      },
    })
    const { http, auth } = live.world.program
    http.settings.baseUrl = live.world.url
    phone = live.world.simulator.addPhone({ id: '301000000000001', wabaId: '201000000000001' })
    live.world.simulator.keepTemplate({
      ...{ name: 'christmas_bread', language: LANGUAGE, category: 'MARKETING' },
      components: [{ type: 'BODY', text: WRITTEN.template, example: { body_text: [['Ann']] } }],
    })
    // what a first start does, and shows once in the terminal
    const first = await createFirstAdmin(http, auth.hasher, live.world.config.admin)
    Object.assign(login, first)
    owner = await open('/')
  }, 60_000)

  afterAll(async () => {
    await live.stop()
    await mailbox.stop()
    await receiver[Symbol.asyncDispose]()
  })

  test('an empty server: a password of one’s own, and a number', async () => {
    const { page } = owner
    await field(page, 'sign-in.email').fill(login.email)
    await page.locator('input[name=password]').fill(login.password)
    await button(page, 'sign-in.submit').click()
    await page.locator('input[name=new_password]').fill(OWN)
    await page.locator('input[name=repeated]').fill(OWN)
    await button(page, 'sign-in.change.submit').click()
    await step(page, 'welcome.step.number_connected')
    await button(page, 'settings.numbers.add').click()
    const dialog = dialogOf(page)
    await field(dialog, 'settings.field.name').fill(WRITTEN.number)
    await field(dialog, 'settings.numbers.phone-id').fill(phone.id)
    await field(dialog, 'settings.numbers.business-id').fill(phone.wabaId)
    await page.locator('input[name=access_token]').fill(phone.token)
    await button(dialog, 'settings.numbers.connect').click()
    await button(dialog, 'settings.numbers.receive.submit').click()
    await dialog.getByText(t('settings.numbers.receive.done')).waitFor()
    expect(await dialog.getByText(t('settings.numbers.receive.local')).count()).toBe(0)
    await owner.picture('week-number')
    await link(dialog, 'settings.numbers.receive.next').click()
    // the templates came with the number
    const steps = page.getByRole('list', { name: t('welcome.title') }).getByRole('listitem')
    for (const key of ['number_connected', 'template_synced'] as const)
      await steps
        .filter({ hasText: t(`welcome.step.${key}`) })
        .getByRole('img', { name: t('welcome.done') })
        .waitFor()
    await owner.requireAccessible()
  }, 60_000)

  test('Monday: customers from a file, and a campaign to some of them', async () => {
    const { page } = owner
    await go(page, 'shell.nav.contacts')
    await link(page, 'contacts.import').or(button(page, 'contacts.import')).click()
    const chooser = page.waitForEvent('filechooser')
    await button(page, 'parts.upload.choose').click()
    const buffer = Buffer.from(WRITTEN.people.join('\n'))
    await (await chooser).setFiles({ name: 'customers.csv', mimeType: 'text/csv', buffer })
    await next(page, 'import.step.known')
    await button(page, 'import.check.action').click()
    await page
      .getByRole('region', { name: t('import.problems') })
      .getByText(t('parts.field.phone'))
      .waitFor()
    await owner.picture('week-import')
    await button(page, 'import.commit', { count: 2 }).click()
    await link(page, 'import.show').click()

    await button(page, 'filter.button').click()
    const conditions = page.getByRole('group', { name: t('filter.title') })
    await button(conditions, 'filter.add').click()
    await conditions.getByRole('button', { name: t('filter.value') }).click()
    await page.getByRole('menuitemcheckbox', { name: WRITTEN.tag }).click()
    await page.keyboard.press('Escape')
    await button(page, 'contacts.segment.new').click()
    await field(dialogOf(page), 'contacts.segment.name').fill(WRITTEN.segment)
    await button(dialogOf(page), 'contacts.segment.save').click()
    await button(page, 'contacts.segment.edit').click()
    await link(page, 'contacts.segment.campaign').click()

    await page
      .getByText(t('filter.count', { count: 2 }))
      .first()
      .waitFor()
    await next(page, 'wizard.step.what')
    await page.getByRole('button', { name: /christmas.bread/i }).click()
    await choose(page.getByRole('group', { name: '{{1}}' }), '', t('contact.name'))
    await page
      .getByRole('figure')
      .getByText(/Ada|Ben|سلمى|كريم/)
      .waitFor()
    await next(page, 'wizard.step.check')
    await page.locator('[data-fact=reach] dd', { hasText: '2' }).waitFor()
    await next(page, 'wizard.step.test')
    await field(page, 'contacts.number').fill('+1 555 010 4477')
    await page.keyboard.press('Enter')
    await page.getByText('+1 555 010 4477').waitFor()
    await next(page, 'wizard.step.when')
    await button(page, 'wizard.start').click()
    await button(dialogOf(page), 'wizard.start').click()
    await page.locator('[data-step=delivered_count] b', { hasText: '2' }).waitFor()
    expect(live.world.simulator.messages.map(({ recipient }) => recipient)).toHaveLength(3)
    await owner.requireAccessible()
    await owner.picture('week-campaign')
  }, 60_000)
})
