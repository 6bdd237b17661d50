import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'

import type { Phone } from '../../src/simulator/accounts'
import type { Call } from '../../src/simulator/calls'
import type { Customer } from '../../src/simulator/customers'
import { createFirstAdmin } from '../../src/modules/organization/users/create-first-admin'
import { startMailbox, type Mailbox } from '../support/mailbox'
import { Receiver } from '../support/receiver'
import { CHROMIUM } from './support/chromium'
import { closeWithEscape, EXPIRED, LiveWorld, type Journey } from './support/journey'
import { wordsOf } from './support/words'

/** `WEEK_LANGUAGE=ar` performs the week in Arabic. */
const LANGUAGE = process.env['WEEK_LANGUAGE'] === 'ar' ? 'ar' : 'en'
const OWN = 'flour, water, salt and time'
/** A whole day of a busy machine. */
const STEP_MS = 120_000
const HERS = 'rye, spelt and patience'
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
    team: 'Counter',
    mona: 'Mona Mill',
    names: ['Ana Sol', 'Ben Rio', 'Cora Lee', 'Finn Oak'],
    questions: ['Do you have rye bread?', 'A cake for forty, please'],
    answer: 'Yes, until noon.',
    note: 'For Saturday, no nuts',
    flow: 'Hello',
    greeting: 'hi',
    hours: 'We are open every day from 7 am.',
    role: 'Shift lead',
    endpoint: 'Accounts',
    backup: 'Friday',
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
    team: 'الاستقبال',
    mona: 'منى',
    names: ['هند', 'عمر', 'دانة', 'فرح'],
    questions: ['هل لديكم خبز الجاودار؟', 'أريد كعكة لأربعين شخصًا'],
    answer: 'نعم، حتى الظهر.',
    note: 'يوم السبت، بلا مكسرات',
    flow: 'استقبال',
    greeting: 'مرحبا',
    hours: 'نفتح كل يوم من السابعة صباحًا.',
    role: 'قائد المناوبة',
    endpoint: 'المحاسبة',
    backup: 'الجمعة',
  },
}[LANGUAGE]
const [ANA = '', BEN = '', CORA = '', FINN = ''] = WRITTEN.names
const [RYE = '', CAKE = ''] = WRITTEN.questions

/** The buttons of a message that a customer received. */
const buttonsOf = (message: Call | undefined): { id: string; title: string }[] => {
  const { interactive } = (message?.body ?? {}) as {
    interactive?: { action: { buttons: { reply: { id: string; title: string } }[] } }
  }
  return interactive?.action.buttons.map(({ reply }) => reply) ?? []
}

/** A session that is a day old, and a password that is asked for before a download. */
const EXPECTED = [EXPIRED, /status of 403.*\/backups\/[^/]+\/download/]

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
  let mona: Journey
  const opened: Journey[] = []
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
  const item = (page: Page, key: string): Locator => page.getByRole('menuitem', { name: t(key) })
  const dialogOf = (page: Page): Locator => page.getByRole('dialog')
  /** Goes to a place of the rail, or to a screen of the settings. */
  const go = (page: Page, key: string): Promise<void> =>
    link(page.getByRole('navigation', { name: t('shell.nav.main') }), key).click()
  const setting = async (page: Page, key: string): Promise<void> => {
    await link(page.getByRole('navigation', { name: t('settings.title') }), key).click()
    await page.getByRole('heading', { level: 1, name: t(key) }).waitFor()
  }
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
  const rowOf = (page: Page, name: string): Locator =>
    page.getByRole('listitem').filter({ hasText: name }).getByRole('link')
  const customer = (nth: number): Customer =>
    live.world.simulator.customer({
      ...{ phone: phone.id, name: WRITTEN.names[nth] ?? '', waId: `1555010555${nth}` },
    })

  /** Opens a window of somebody at the time of the world. */
  async function open(path: string): Promise<Journey> {
    const journey = await live.open({ path: 'about:blank', locale: LANGUAGE, expected: EXPECTED })
    await journey.page.clock.setFixedTime(live.world.clock.nowMs())
    opened.push(journey)
    await journey.page.goto(path)
    return journey
  }

  /** Lets it become nine o'clock of a day, on which the owner opens the console. */
  async function begin(day: number): Promise<void> {
    const atMs = mondayMs + day * DAY_MS + HOUR_MS
    live.world.clock.advance({ ms: atMs - live.world.clock.nowMs() })
    for (const { page } of opened) await page.clock.setFixedTime(atMs)
    await owner.page.goto('/')
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
  }, STEP_MS)

  afterAll(async () => {
    await live.stop()
    await mailbox.stop()
    await receiver[Symbol.asyncDispose]()
  })

  test(
    'an empty server: a password of one’s own, and a number',
    async () => {
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
    },
    STEP_MS,
  )

  test(
    'Monday: customers from a file, and a campaign to some of them',
    async () => {
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
    },
    STEP_MS,
  )

  test(
    'Tuesday: a rush, a colleague, a queue and a hand-over',
    async () => {
      const { page } = owner
      await begin(1)
      await step(page, 'welcome.step.colleague_invited')
      await button(page, 'settings.people.invite').click()
      const dialog = dialogOf(page)
      await field(dialog, 'settings.people.email').fill('mona@example.com')
      await dialog
        .getByRole('button', { name: t('settings.people.role') })
        .filter({ hasText: t('settings.roles.system.agent') })
        .waitFor()
      await button(dialog, 'settings.people.invite-submit').click()
      await dialog
        .getByText(t('settings.people.link-mailed', { email: 'mona@example.com' }))
        .waitFor()
      await dialog.getByText(t('settings.secret.stored')).click()
      await button(dialog, 'settings.secret.done').click()
      // the colleague opens the link in the mail
      await live.world.eventually(() => mailbox.mails.length === 1)
      const { pathname, search, hash } = new URL(mailbox.mails[0]?.link ?? '')
      mona = await open(pathname + search + hash)
      const own = mona.page
      await own.locator('input[autocomplete=name]').fill(WRITTEN.mona)
      await own.locator('input[type=password]').fill(HERS)
      await own.locator('button[type=submit]').click()
      await own.getByRole('navigation', { name: t('shell.nav.main') }).waitFor()

      await setting(page, 'settings.teams.title')
      await button(page, 'settings.teams.add').click()
      await field(dialog, 'settings.field.name').fill(WRITTEN.team)
      await choose(dialog, t('settings.teams.strategy'), t('settings.strategy.manual'))
      await button(dialog, 'settings.action.save').click()
      await button(page, 'list.item.actions', { name: WRITTEN.team }).click()
      await item(page, 'settings.teams.show-members').click()
      await button(dialog, 'settings.teams.add-member').click()
      await page.getByRole('menuitem', { name: WRITTEN.mona }).click()
      await button(dialog, 'settings.teams.remove-member', { name: WRITTEN.mona }).waitFor()
      await closeWithEscape(dialog)
      await setting(page, 'settings.hours.title')
      await choose(page, t('settings.organization.queue'), WRITTEN.team)
      await button(page, 'settings.action.save').click()
      await page.getByText(t('settings.state.saved')).last().waitFor()

      // customers write, all at once
      const [ana, ben] = [customer(0), customer(1)]
      await Promise.all([ana.says(RYE), ben.says(CAKE)])
      await link(
        own.getByRole('navigation', { name: t('inbox.folders.title') }),
        'transfers.title',
      ).click()
      const waiting = own.getByRole('listitem').filter({ hasText: WRITTEN.team })
      await waiting.nth(1).waitFor()
      await mona.requireAccessible()
      await mona.picture('week-queue')
      await button(waiting.filter({ hasText: ANA }), 'transfers.action.pick-up').click()
      await field(own, 'inbox.composer.message').fill(WRITTEN.answer)
      await own.keyboard.press('Enter')
      await ana.waitForMessages(1)
      await own
        .locator('.thread-head')
        .getByRole('button', { name: t('parts.action.more') })
        .click()
      await item(own, 'inbox.action.close-next').click()
      // the next one waits, is taken, and handed to the owner
      await go(own, 'shell.nav.inbox')
      await rowOf(own, BEN).click()
      await own
        .locator('.thread-head')
        .getByRole('button', { name: t('parts.action.more') })
        .click()
      await item(own, 'inbox.action.claim').click()
      await own.locator('.thread-head').getByText(WRITTEN.mona).waitFor()
      await own
        .locator('.thread-head')
        .getByRole('button', { name: t('inbox.assign.title') })
        .click()
      await field(own, 'inbox.assign.note').fill(WRITTEN.note)
      await own.getByRole('menuitem', { name: 'Administrator' }).click()
      // a note leads the owner there
      const told = page.locator('.toast').filter({ hasText: t('notice.assigned_by.title') })
      await button(told, 'parts.action.open').click()
      await page.getByRole('log').getByText(WRITTEN.note).waitFor()
      await owner.requireAccessible()
      await owner.picture('week-handed')
    },
    STEP_MS,
  )

  test(
    'Wednesday: a bot flow from the gallery, and a customer who runs through it',
    async () => {
      const { page } = owner
      await begin(2)
      await go(page, 'shell.nav.bot')
      await link(page, 'shell.bot.flows').click()
      await button(page, 'flow.new').click()
      await page.getByRole('button', { name: t('flow.template.welcome_menu') }).click()
      await field(page, 'flow.name').fill(WRITTEN.flow)
      await button(page, 'flow.create').click()
      await page
        .getByRole('group', { name: new RegExp(`^${t('flow.kind.message')}`) })
        .first()
        .click()
      await field(page, 'flow.field.message').fill(WRITTEN.hours)
      await button(page, 'flow.test').click()
      await field(page, 'flow.test.message').fill(WRITTEN.greeting)
      await page.keyboard.press('Enter')
      const chat = page.locator('.flow-test').or(page.getByRole('log')).last()
      await chat.getByRole('button').first().click()
      await chat.getByText(WRITTEN.hours).waitFor()
      await owner.picture('week-flow')
      await button(page, 'flow.publish').click()
      // the bot itself is still off, and the flow says so
      await button(dialogOf(page), 'flow.publish').click()
      await page.getByText(t('flow.published'), { exact: true }).waitFor()
      await go(page, 'shell.nav.bot')
      await page.getByText(t('bot.missing.answers')).waitFor({ state: 'detached' })
      await page.getByText(t('bot.switch'), { exact: true }).click()
      await page.getByText(t('bot.switched-on')).waitFor()
      const finn = customer(3)
      await finn.says(WRITTEN.greeting)
      const [menu] = await finn.waitForMessages(1)
      const [first] = buttonsOf(menu)
      await finn.taps(first?.id ?? '', first?.title ?? '', { replyTo: menu?.wamid ?? '' })
      const [, hours] = await finn.waitForMessages(2)
      expect(JSON.stringify(hours?.body)).toContain(WRITTEN.hours)
      await link(page, 'shell.bot.sessions').click()
      await page.getByRole('row').filter({ hasText: FINN }).getByText(WRITTEN.flow).waitFor()
      await owner.requireAccessible()
    },
    STEP_MS,
  )

  test(
    'Thursday: a report by mail, and a role that counts at once',
    async () => {
      const { page } = owner
      const rail = mona.page.getByRole('navigation', { name: t('shell.nav.main') })
      await begin(3)
      await go(page, 'shell.nav.analytics')
      await link(page, 'analytics.tab.quality').click()
      await choose(page, t('analytics.filter.any-team'), WRITTEN.team)
      await page.locator('[data-figure=answers]').getByText('1', { exact: true }).waitFor()
      await link(page, 'analytics.mail').click()
      await button(dialogOf(page), 'settings.action.save').click()
      await page.getByText(t('analytics.report.quality'), { exact: true }).last().waitFor()
      await owner.requireAccessible()

      await go(page, 'shell.nav.settings')
      await setting(page, 'settings.roles.title')
      await button(page, 'settings.roles.add').click()
      await field(page, 'settings.field.name').fill(WRITTEN.role)
      await page.getByText(t('settings.permission.analytics:read'), { exact: true }).first().click()
      await button(page, 'settings.action.save').click()
      await page.getByRole('heading', { level: 1, name: WRITTEN.role }).waitFor()
      await owner.picture('week-role')
      await setting(page, 'settings.people.title')
      await button(page, 'list.item.actions', { name: WRITTEN.mona }).click()
      await item(page, 'settings.action.edit').click()
      await choose(dialogOf(page), t('settings.people.role'), WRITTEN.role)
      expect(await link(rail, 'shell.nav.analytics').count()).toBe(0)
      await button(dialogOf(page), 'settings.action.save').click()
      await link(rail, 'shell.nav.analytics').click()
      await mona.page.getByRole('heading', { level: 1, name: t('analytics.title') }).waitFor()
      await mona.finish()
      opened.splice(opened.indexOf(mona), 1)
    },
    STEP_MS,
  )

  test(
    'Friday: an endpoint that failed, a person erased, and a backup',
    async () => {
      const { page } = owner
      const dialog = dialogOf(page)
      await begin(4)
      await go(page, 'shell.nav.settings')
      await setting(page, 'webhooks.title')
      await button(page, 'webhooks.add').click()
      await field(page, 'settings.field.name').fill(WRITTEN.endpoint)
      await field(page, 'webhooks.url').fill(receiver.url)
      await button(page, 'settings.action.save').click()
      await dialog.getByText(t('settings.secret.stored')).click()
      await button(dialog, 'settings.secret.done').click()
      receiver.reply = () => new Response('gone', { status: 410 })
      await customer(2).says(RYE)
      await button(page, 'webhooks.resume').waitFor()
      await owner.picture('week-endpoint')
      receiver.reply = () => new Response('thanks')
      await button(page, 'webhooks.resume').click()
      await link(page, 'webhooks.tab.deliveries').click()
      await page
        .getByRole('row')
        .filter({ hasText: t('webhooks.delivery.missed') })
        .last()
        .getByRole('link')
        .click()
      await button(page, 'webhooks.resend').click()
      await page.getByText(t('webhooks.delivery.delivered'), { exact: true }).first().waitFor()
      expect(receiver.received.length).toBeGreaterThan(1)

      await setting(page, 'privacy.title')
      await page.getByText(t('privacy.empty')).waitFor()
      await go(page, 'shell.nav.contacts')
      await page.getByRole('row').filter({ hasText: CORA }).getByRole('link').first().click()
      await page.getByRole('heading', { level: 1, name: CORA }).waitFor()
      await page
        .getByRole('main')
        .getByRole('button', { name: t('parts.action.more') })
        .first()
        .click()
      await item(page, 'contact.erase').click()
      await button(dialog, 'contact.erase-next').click()
      await button(dialog, 'contact.erase-action', { name: CORA }).click()
      await page.getByRole('row').filter({ hasText: CORA }).waitFor({ state: 'detached' })

      await page.getByRole('link', { name: t('shell.nav.server') }).click()
      await link(page, 'server.backups.title').click()
      await button(page, 'server.backups.make').click()
      await field(dialog, 'server.backups.label').fill(WRITTEN.backup)
      await button(dialog, 'server.backups.start').click()
      const backup = page.getByRole('listitem').filter({ hasText: WRITTEN.backup })
      await backup.getByText(t('server.backups.verified'), { exact: true }).waitFor()
      await owner.picture('week-backup')
      await backup.getByRole('button').click()
      const saved = page.waitForEvent('download')
      await item(page, 'server.backups.download').click()
      // all that a server knows is worth the password of its owner
      await page.locator('input[name=password]').fill(OWN)
      await button(page, 'server.fresh.go-on').click()
      expect(statSync(await (await saved).path()).size).toBeGreaterThan(100_000)
      await owner.requireAccessible()
    },
    STEP_MS,
  )

  test(
    'the next Monday: the report is in the mail, and nothing went wrong',
    async () => {
      await begin(7)
      await live.world.eventually(() => mailbox.mails.length > 1)
      expect(mailbox.mails.at(-1)?.to).toEqual([login.email])
      await owner.finish()
    },
    STEP_MS,
  )
})
