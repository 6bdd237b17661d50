import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Phone, PhoneOptions } from '../../src/simulator/accounts'
import { SIMULATED_APP } from '../../src/simulator/administration'
import { SIMULATED_CODE } from '../../src/simulator/onboarding-edges'
import { SIGNUP_CONFIG, type SignupEnd } from '../../src/simulator/signup-dialog'
import type { Loose } from '../support/client'
import { CHROMIUM } from './support/chromium'
import { closeWithEscape, LiveWorld, type Journey, type JourneyOptions } from './support/journey'
import { endDialog, openDialog, showDialog } from './support/signup'

const NEW = 'A number for this inbox'
const PHONE_APP = 'The number of my WhatsApp Business app'
const NEW_BUSINESS = 'My business is not verified'
const SIXTY_DAYS = 'The access ends after 60 days'
/** What the console waits for: a window that is within reach, a look at it, and what it passes on. */
const [REACH_MS, LOOK_MS, PASSING_MS, WAITING_MS] = [2_500, 600, 1_600, 20 * 60_000]

/** Ways that few people meet: they are walked in `bun run test:long`. */
const rarely = test.skipIf(process.env['SIGNUP_WAYS'] !== 'all')

describe.skipIf(CHROMIUM === null)("connecting a number in WhatsApp's window", () => {
  let live: LiveWorld

  beforeAll(async () => {
    live = await LiveWorld.create({
      isConnected: false,
      env: { APP_ID: SIMULATED_APP, SIGNUP_CONFIG_ID: SIGNUP_CONFIG },
    })
    await fetch(live.url, { headers: { accept: 'text/html' } }) // bundles the console
  }, 120_000)

  afterAll(() => live.stop())

  /** Opens the phone numbers as an admin. */
  async function numbers(options: JourneyOptions = {}): Promise<Journey> {
    const journey = await live.open({ path: '/settings/numbers', ...options })
    await showDialog(journey.page, live.world)
    await journey.signIn('admin')
    await journey.page.getByRole('heading', { level: 1, name: 'Numbers' }).waitFor()
    return journey
  }

  /** Opens the window in which a number is connected, and WhatsApp's window from it. */
  async function start(journey: Journey, kind = NEW) {
    const { page } = journey
    await page.getByRole('button', { name: 'Connect number' }).click()
    const dialog = page.getByRole('dialog')
    const popup = await openDialog(page, dialog.getByRole('button', { name: kind }))
    await dialog.getByText("Finish in WhatsApp's window.").waitFor()
    return { page, dialog, popup }
  }

  const stepOf = (journey: Journey, name: string) =>
    journey.page.getByRole('dialog').getByRole('listitem').filter({ hasText: name })
  const isDone = (journey: Journey, name: string): Promise<void> =>
    stepOf(journey, name).getByRole('img', { name: 'Done' }).waitFor()
  const accounts = async (): Promise<Loose[]> =>
    (await (await live.world.as('admin')).get('/api/accounts?limit=100')).data['items'] as Loose[]
  const newest = async (): Promise<Loose> =>
    (await accounts()).toSorted((a, b) =>
      String(b['created_at']).localeCompare(String(a['created_at'])),
    )[0] ?? {}

  /** Connects a number with its token. Its webhooks are not subscribed. */
  async function connectByHand(id: string, name: string, facts: PhoneOptions): Promise<Phone> {
    const wabaId = id.replace(/^301/, '201')
    const phone = live.world.simulator.addPhone({ id, wabaId, token: `token-of-${id}`, ...facts })
    const admin = await live.world.as('admin')
    await admin.post('/api/accounts', {
      name,
      phone_id: phone.id,
      business_id: phone.wabaId,
      access_token: phone.token,
    })
    return phone
  }

  test('asks first which number it is, and leads to the fields for doing it by hand', async () => {
    const journey = await numbers()
    const { page } = journey
    await page.getByRole('button', { name: 'Connect number' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: PHONE_APP }).waitFor()
    await journey.requireAccessible()
    await journey.picture('signup-start')
    await dialog.getByRole('button', { name: 'Enter it by hand' }).click()
    await dialog.getByRole('textbox', { name: 'Phone number ID' }).waitFor()
    await journey.finish()
  }, 60_000)

  test('connects a verified number, registers it, and asks for a payment method', async () => {
    const journey = await numbers()
    const { page, dialog, popup } = await start(journey)
    await journey.picture('signup-waiting')
    await endDialog(popup, 'verified')
    for (const step of ['Verify the number', 'Register the number', 'Receive messages here'])
      await isDone(journey, step)
    await isDone(journey, 'Have your business verified by Meta')
    const payment = stepOf(journey, 'Add a payment method')
    await payment.getByText('Without a payment method it sends no templates').waitFor()
    await payment.getByRole('img', { name: 'Please check' }).waitFor()
    const link = payment.getByRole('link', { name: "WhatsApp's billing page" })
    expect(await link.getAttribute('href')).toMatch(
      /^https:\/\/business\.facebook\.com\/billing_hub\/.*asset_id=\d+$/,
    )
    expect(await stepOf(journey, 'Renew the access').count()).toBe(0)
    await journey.requireAccessible()
    await journey.picture('signup-verified')
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('listitem').filter({ hasText: 'Corner Bakery' }).first().waitFor()
    expect(await newest()).toMatchObject({ registered: true, subscribed: true })
    expect(page.url()).not.toContain('code')
    if (!popup.isClosed()) await popup.waitForEvent('close')
    await journey.finish()
  }, 60_000)

  test('has a number that is not verified verified with a code', async () => {
    const journey = await numbers({ expected: [/status of 400/] })
    const { page, dialog, popup } = await start(journey)
    await endDialog(popup, 'unverified')
    const verify = stepOf(journey, 'Verify the number')
    await verify.getByRole('img', { name: 'To do' }).waitFor()
    await verify.getByText(/WhatsApp sends a code to .1\s555\s010/).waitFor()
    // nothing to register before
    expect(
      await stepOf(journey, 'Register the number')
        .getByRole('button', { name: 'Register' })
        .count(),
    ).toBe(0)
    await journey.requireAccessible()
    await journey.picture('signup-unverified')
    await verify.getByRole('button', { name: 'Call the number' }).click()
    await verify.getByText('The code is on its way').waitFor()
    const code = verify.getByRole('textbox', { name: 'Code of six digits' })
    await code.fill('000000')
    await verify.getByRole('button', { name: 'Verify', exact: true }).click()
    await verify.getByText('This code is wrong or has expired.').waitFor()
    await journey.requireAccessible()
    await journey.picture('signup-code')
    await dialog.getByRole('button', { name: 'Done' }).click()

    // it can be finished later, from the row of the number
    const row = page.getByRole('listitem').filter({ hasText: 'Not verified' })
    await journey.picture('signup-row')
    await row.getByRole('button', { name: 'Finish setting up' }).click()
    await verify.getByRole('button', { name: 'Send an SMS' }).click()
    await code.fill(`${SIMULATED_CODE.slice(0, 3)} ${SIMULATED_CODE.slice(3)}`)
    await page.keyboard.press('Enter')
    await isDone(journey, 'Verify the number')
    await isDone(journey, 'Register the number')
    const sent = live.world.simulator.callsOf({ route: 'request_code' }).map(({ body }) => body)
    expect(sent).toEqual([
      { code_method: 'VOICE', language: 'en_US' },
      { code_method: 'SMS', language: 'en_US' },
    ])
    await dialog.getByRole('button', { name: 'Done' }).click()
    await row.waitFor({ state: 'detached' })
    await journey.finish()
  }, 60_000)

  test('asks for the PIN of a number that has one', async () => {
    const journey = await numbers({ expected: [/status of 400/] })
    const { simulator } = live.world
    simulator.fail({ code: 133_005 }, { route: 'register', times: 2 })
    const { popup } = await start(journey)
    await endDialog(popup, 'verified')
    const register = stepOf(journey, 'Register the number')
    await register.getByRole('button', { name: 'Register' }).click()
    await register.getByText('has a PIN of its two-step verification').waitFor()
    await journey.requireAccessible()
    await journey.picture('signup-pin')
    await register.getByRole('textbox', { name: 'PIN of six digits' }).fill('271828')
    await register.getByRole('button', { name: 'Register' }).click()
    await isDone(journey, 'Register the number')
    expect(simulator.storedKeys(String((await newest())['phone_id'])).pin).toBe('271828')
    await journey.finish()
  }, 60_000)

  rarely(
    'adds a number to a business account that has none',
    async () => {
      const journey = await numbers({ expected: [/status of 400/] })
      const { dialog, popup } = await start(journey)
      await endDialog(popup, 'no_number')
      await dialog.getByText('Your business account has no phone number yet.').waitFor()
      await journey.requireAccessible()
      await journey.picture('signup-no-number')
      const number = dialog.getByRole('textbox', { name: 'Phone number' })
      await number.fill('12 34')
      await dialog.getByRole('textbox', { name: 'Name that customers see' }).fill('Corner Bakery')
      await dialog.getByRole('button', { name: 'Add number' }).click()
      await dialog.getByText('must be a phone number with its country code').first().waitFor()
      await number.fill('+49 30 901820')
      await dialog.getByRole('button', { name: 'Add number' }).click()
      await stepOf(journey, 'Verify the number').getByText('+49 3090 1820').waitFor()
      expect(await newest()).toMatchObject({
        phone_number: '4930901820',
        code_verification_status: 'NOT_VERIFIED',
      })
      await journey.finish()
    },
    60_000,
  )

  rarely(
    'looks again when a number was added in the WhatsApp Manager',
    async () => {
      const journey = await numbers({ expected: [/status of 400/] })
      const { simulator } = live.world
      const { dialog, popup } = await start(journey)
      await endDialog(popup, 'no_number')
      const look = dialog.getByRole('button', { name: 'I added it there' })
      await look.click()
      await dialog.getByText('Your business account has no phone number yet.').waitFor()
      const asked = simulator.callsOf({ route: 'phone_numbers' }).at(-1)
      simulator.addPhone({
        wabaId: String(asked?.object),
        token: String(asked?.token),
        verifiedName: 'Added there',
      })
      await look.click()
      await isDone(journey, 'Register the number')
      expect(await newest()).toMatchObject({ name: 'Added there' })
      await journey.finish()
    },
    60_000,
  )

  test('copies contacts and chats of a phone app, and registers nothing', async () => {
    const journey = await numbers()
    const before = live.world.simulator.callsOf({ route: 'register' }).length
    const { page, popup } = await start(journey, PHONE_APP)
    await endDialog(popup, 'phone_app')
    await isDone(journey, 'Copy the contacts of the phone')
    await isDone(journey, 'Copy the chats of the phone')
    expect(await stepOf(journey, 'Verify the number').count()).toBe(0)
    expect(await stepOf(journey, 'Register the number').count()).toBe(0)
    await journey.requireAccessible()
    await journey.picture('signup-phone-app')
    expect(live.world.simulator.callsOf({ route: 'register' })).toHaveLength(before)
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
    await page.goto('/inbox')
    await page.getByRole('listitem').filter({ hasText: 'Ana Sol' }).getByRole('link').click()
    await page.getByRole('log').getByText('Are you open on Sunday?').waitFor()
    await page.getByRole('log').getByText('Yes, from 8.').waitFor()
    await journey.finish()
  }, 60_000)

  rarely(
    'says until when the data of a phone app can be copied, and what to do when it was missed',
    async () => {
      const journey = await numbers()
      const { world } = live
      const phone = await connectByHand('301000000000070', 'Phone shop', { isOnBizApp: true })
      const admin = await world.as('admin')
      const { page } = journey
      const row = page.getByRole('listitem').filter({ hasText: 'Phone shop' })
      await row.getByRole('button', { name: 'Actions for Phone shop' }).click()
      await page.getByRole('menuitem', { name: 'Set up' }).click()
      const chats = stepOf(journey, 'Copy the chats of the phone')
      await chats.getByText(/hands them over until .*, but only once messages/).waitFor()
      await journey.requireAccessible()
      await journey.picture('signup-copy-waits')
      const { id } = await newest()
      world.program.http.db.sqlite.run(
        'update accounts set phone_app_until_ms = 1 where phone_app_until_ms is not null',
      )
      await stepOf(journey, 'Receive messages here')
        .getByRole('button', { name: 'Receive messages' })
        .click()
      await chats.getByText('They were not requested within 24 hours.').waitFor()
      await chats.getByRole('img', { name: 'Not done' }).waitFor()
      await journey.requireAccessible()
      await journey.picture('signup-copy-missed')
      world.simulator.addPhone({ id: phone.id, phoneApp: { connectedAtMs: world.clock.nowMs() } })
      const popup = await openDialog(page, chats.getByRole('button', { name: 'Connect again' }))
      expect(popup.url()).toContain('whatsapp_business_app_onboarding')
      await endDialog(popup, 'cancelled')
      await page.getByText('You stopped in').waitFor()
      expect((await admin.get(`/api/accounts/${String(id)}`)).data).toMatchObject({
        phone_app_sync: { contacts: 'missed', history: 'missed' },
      })
      await journey.finish()
    },
    60_000,
  )

  test.each<[SignupEnd, string]>([
    ['cancelled', "You stopped in WhatsApp's window at “Phone number”. Nothing was connected."],
    ['failed', 'WhatsApp could not go on: Your business cannot add more phone numbers.'],
  ])(
    'says what happened when it was %s, and opens the window again',
    async (end, sentence) => {
      const journey = await numbers()
      const count = (await accounts()).length
      const { page, dialog, popup } = await start(journey)
      await endDialog(popup, end)
      // before, the page behind it may not be drawn
      if (!popup.isClosed()) await popup.waitForEvent('close')
      await dialog.getByText(sentence).waitFor()
      await journey.requireAccessible()
      await journey.picture(`signup-${end}`)
      expect(await accounts()).toHaveLength(count)
      const again = await openDialog(
        page,
        dialog.getByRole('button', { name: 'Open the window again' }),
      )
      await endDialog(again, 'verified')
      await isDone(journey, 'Register the number')
      expect(await accounts()).toHaveLength(count + 1)
      await journey.finish()
    },
    60_000,
  )

  rarely.each<[SignupEnd, RegExp]>([
    ['closed', /window was closed before it led back here, so nothing was connected/],
    ['finished_and_closed', /You finished in WhatsApp's window, but it was closed before/],
  ])(
    'notices that the window was %s',
    async (end, sentence) => {
      const journey = await numbers()
      await journey.page.clock.install()
      const { page, dialog, popup } = await start(journey)
      await page.clock.runFor(REACH_MS)
      await Promise.all([popup.waitForEvent('close'), endDialog(popup, end)])
      await page.clock.runFor(LOOK_MS)
      // what the window led to may still pass a code on
      expect(await dialog.getByText("Finish in WhatsApp's window.").count()).toBe(1)
      await page.clock.runFor(PASSING_MS)
      await dialog.getByText(sentence).waitFor()
      await dialog.getByRole('button', { name: 'Enter it by hand' }).waitFor()
      await journey.picture(`signup-${end}`)
      const again = await openDialog(
        page,
        dialog.getByRole('button', { name: 'Open the window again' }),
      )
      await endDialog(again, 'verified')
      await isDone(journey, 'Register the number')
      await journey.finish()
    },
    60_000,
  )

  rarely(
    'goes on with a window that nothing was heard of for twenty minutes',
    async () => {
      const journey = await numbers()
      await journey.page.clock.install()
      const { page, dialog, popup } = await start(journey)
      await page.clock.runFor(WAITING_MS - 10_000)
      await dialog.getByText("Finish in WhatsApp's window.").waitFor()
      await page.clock.runFor(10_000)
      await dialog.getByText(/If it is still open, just finish there/).waitFor()
      await endDialog(popup, 'verified')
      await isDone(journey, 'Register the number')
      await journey.finish()
    },
    60_000,
  )

  rarely(
    'does not take a window that is out of reach for closed',
    async () => {
      const journey = await numbers()
      await journey.page.clock.install()
      // as if the window had led to a page that gives up the page that opened it
      await journey.page.evaluate(`{
      const { open } = window
      window.open = (...given) => {
        open.apply(window, given)
        return { closed: true, close() {} }
      }
    }`)
      const { page, dialog, popup } = await start(journey)
      await page.clock.runFor(10_000)
      expect(await dialog.getByText("Finish in WhatsApp's window.").count()).toBe(1)
      await endDialog(popup, 'verified')
      await isDone(journey, 'Register the number')
      await journey.finish()
    },
    60_000,
  )

  test('closes the window when a person cancels or closes the dialog', async () => {
    const journey = await numbers()
    const { page, dialog, popup } = await start(journey)
    await Promise.all([
      popup.waitForEvent('close'),
      dialog.getByRole('button', { name: 'Cancel' }).click(),
    ])
    const again = await openDialog(page, dialog.getByRole('button', { name: NEW }))
    await Promise.all([again.waitForEvent('close'), closeWithEscape(dialog)])
    await journey.finish()
  }, 60_000)

  rarely(
    'says that the browser blocked the window',
    async () => {
      const journey = await numbers()
      const { page } = journey
      await page.evaluate('window.open = () => null')
      await page.getByRole('button', { name: 'Connect number' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: NEW }).click()
      await dialog.getByText("Your browser blocked WhatsApp's window.").waitFor()
      await journey.requireAccessible()
      await journey.picture('signup-blocked')
      await journey.finish()
    },
    60_000,
  )

  test('asks which of several numbers is meant', async () => {
    const journey = await numbers({ expected: [/status of 400/] })
    const { dialog, popup } = await start(journey)
    await endDialog(popup, 'several')
    await dialog.getByText('Which of your numbers do you want to connect?').waitFor()
    await journey.requireAccessible()
    await journey.picture('signup-choice')
    const choice = dialog.getByRole('button', { name: /Corner Bakery/ }).nth(1)
    const words = await choice.innerText()
    await choice.click()
    await isDone(journey, 'Register the number')
    const digits = String((await newest())['phone_number'])
    expect(words.replaceAll(/\D/g, '')).toContain(digits)
    await journey.finish()
  }, 60_000)

  rarely(
    'knows when WhatsApp has a payment method, and when it has none any more',
    async () => {
      const journey = await numbers()
      const { page } = journey
      const { world } = live
      const phone = await connectByHand('301000000000071', 'Paid shop', { fundingId: '77' })
      const admin = await world.as('admin')
      const { id } = await newest()
      const row = page.getByRole('listitem').filter({ hasText: 'Paid shop' })
      await row.getByRole('button', { name: 'Actions for Paid shop' }).click()
      await page.getByRole('menuitem', { name: 'Set up' }).click()
      const payment = stepOf(journey, 'Add a payment method')
      await payment.getByRole('img', { name: 'Done' }).waitFor()
      const error_description = 'The payment method is invalid.'
      world.simulator.addPhone({
        id: phone.id,
        canSend: 'LIMITED',
        healthErrors: [{ error_code: 141_006, error_description }],
      })
      await admin.post(`/api/accounts/${String(id)}/test`)
      await payment.getByText('WhatsApp has no payment method of yours.').waitFor()
      await payment.getByRole('img', { name: 'To do' }).waitFor()
      await journey.requireAccessible()
      await journey.picture('signup-payment')
      world.simulator.addPhone({
        id: phone.id,
        fundingId: '78',
        canSend: 'AVAILABLE',
        healthErrors: [],
      })
      await payment.getByRole('button', { name: 'I added one' }).click()
      await payment.getByRole('img', { name: 'Done' }).waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
      await journey.finish()
    },
    60_000,
  )

  rarely(
    'says that the business is not verified, and that the access ends after 60 days',
    async () => {
      const journey = await numbers()
      const { page, dialog, popup } = await start(journey)
      await endDialog(popup, 'verified', [NEW_BUSINESS, SIXTY_DAYS])
      const business = stepOf(journey, 'Have your business verified by Meta')
      await business.getByText('you can write first to at most 250 customers a day').waitFor()
      expect(await business.getByRole('link').getAttribute('href')).toBe(
        'https://business.facebook.com/settings/security',
      )
      const token = stepOf(journey, 'Renew the access')
      await token.getByText(/WhatsApp gives access to this number until/).waitFor()
      await journey.requireAccessible()
      await journey.picture('signup-sixty-days')
      await dialog.getByRole('button', { name: 'Done' }).click()
      const { id, name } = await newest()
      const row = page.getByRole('listitem').filter({ hasText: String(name) })
      await row.first().waitFor()
      expect(await page.getByText(/Access ends/).count()).toBe(0)

      // in its last days the row says so
      const soon = live.world.clock.nowMs() + 5 * 86_400_000
      live.world.program.http.db.sqlite.run(
        'update accounts set token_expires_at_ms = ? where name = ?',
        [soon, String(name)],
      )
      await page.reload()
      await row.getByText(/Access ends/).waitFor()
      await journey.picture('signup-access-ends')
      await page.reload()
      await row.getByText(/Access ends/).waitFor()
      expect((await (await live.world.as('admin')).get(`/api/accounts/${String(id)}`)).status).toBe(
        200,
      )
      await journey.finish()
    },
    60_000,
  )

  test('renews the access of a number that is connected', async () => {
    const journey = await numbers()
    const { world } = live
    const { page } = journey
    const [first] = world.simulator.phones
    await world.connect({
      ...world.tenant,
      phoneId: String(first?.id),
      token: String(first?.token),
    })
    world.program.http.db.sqlite.run(
      'update accounts set token_expires_at_ms = ? where phone_id = ?',
      [world.clock.nowMs() - 1_000, String(first?.id)],
    )
    await page.reload()
    const row = page.getByRole('listitem').filter({ hasText: 'Access ended' })
    await row.getByRole('button', { name: /Actions for/ }).click()
    await page.getByRole('menuitem', { name: 'Set up' }).click()
    const token = stepOf(journey, 'Renew the access')
    await token.getByText(/The access to this number ended on/).waitFor()
    await journey.picture('signup-access-ended')
    const popup = await openDialog(page, token.getByRole('button', { name: 'Renew the access' }))
    await endDialog(popup, 'again', [SIXTY_DAYS])
    await token.getByText(/WhatsApp gives access to this number until/).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
    await row.waitFor({ state: 'detached' })
    await journey.finish()
  }, 60_000)
})
