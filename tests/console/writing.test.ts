import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'

import type { Customer } from '../../src/simulator/customers'
import { SAMPLES } from '../../src/simulator/sample-files'
import { setPrice } from '../support/campaigns'
import { approvedTemplate } from '../support/templates'
import { CHROMIUM } from './support/chromium'
import { EXPIRED, LiveWorld, type Journey } from './support/journey'

/** The marks of a message that the platform has. */
const DONE = /Sent|Delivered|Read/

describe.skipIf(CHROMIUM === null)('writing to customers', () => {
  let live: LiveWorld
  let ana: Customer
  let journey: Journey
  let page: Page

  beforeAll(async () => {
    live = await LiveWorld.create()
    const { world } = live
    ana = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Ana Sol' })
    await ana.says('Are you open today?')
    const admin = await world.as('admin')
    const hours = { name: 'Opening hours', shortcut: 'hours' }
    await admin.post('/api/canned-responses', {
      ...hours,
      content: 'Dear {{contact_name}}, we are here until six. {{agent_name}}',
    })
    await approvedTemplate(world, {
      name: 'still_there',
      components: [
        {
          type: 'BODY',
          text: 'Hello {{1}}, your order {{2}} is ready.',
          example: { body_text: [['Ana', '12']] },
        },
      ],
    })
    await approvedTemplate(world, {
      name: 'our_shop',
      components: [
        { type: 'HEADER', format: 'IMAGE' },
        { type: 'BODY', text: 'Hello, this is how our shop looks now.' },
      ],
    })
    journey = await live.open({ expected: [EXPIRED] })
    page = journey.page
    await journey.signIn('admin')
  }, 60_000)

  afterAll(() => live.stop())

  const rowOf = (name: string): Locator =>
    page.getByRole('listitem').filter({ hasText: name }).getByRole('link')
  const bubbleOf = (words: string): Locator =>
    page.getByRole('log').getByRole('article').filter({ hasText: words })
  const field = (): Locator => page.getByRole('textbox', { name: 'Message' })
  const send = (): Locator => page.getByRole('button', { name: 'Send', exact: true })

  test('goes from conversation to conversation and from place to place by keys', async () => {
    const { world } = live
    await world.simulator.customer({ phone: world.tenant.phoneId, name: 'Bob Late' }).says('Hello?')
    await rowOf('Bob Late').waitFor()
    const isOpen = (name: string): Promise<void> =>
      page.locator('.thread-head h2', { hasText: name }).waitFor()
    for (const [key, name] of [
      ['j', 'Bob Late'],
      ['j', 'Ana Sol'],
      ['k', 'Bob Late'],
    ] as const) {
      await page.keyboard.press(key)
      await isOpen(name)
    }
    await page.keyboard.press('r')
    await page.keyboard.type('gf')
    expect(await field().inputValue()).toBe('gf')
    await field().fill('')
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('f')
    await page.getByRole('searchbox', { name: 'Search messages and contacts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.goto('/inbox')
    await rowOf('Ana Sol').click()
    await bubbleOf('Are you open today?').waitFor()
  }, 60_000)

  test('inserts emoji by name, and canned responses filled in for the customer', async () => {
    await field().fill('Done :tad')
    await page.getByRole('list', { name: 'Emoji' }).getByText(':tada').waitFor()
    await page.keyboard.press('Enter')
    expect(await field().inputValue()).toBe('Done 🎉 ')
    await field().fill('')
    await page.locator('.rows').click({ position: { x: 5, y: 400 } })
    await page.keyboard.press('/')
    const canned = page.getByRole('list', { name: 'Canned responses' })
    await canned.getByText('/hours Opening hours').waitFor()
    await journey.requireAccessible()
    await page.keyboard.type('hou')
    await page.keyboard.press('Enter')
    const filled = 'Dear Ana Sol, we are here until six. Acme admin'
    await canned.waitFor({ state: 'detached' })
    expect(await field().inputValue()).toBe(filled)
    const admin = await live.world.as('admin')
    const isCounted = async (): Promise<boolean> => {
      const { data } = await admin.get('/api/canned-responses')
      return (data['items'] as { usage_count: number }[])[0]?.usage_count === 1
    }
    while (!(await isCounted())) await page.waitForTimeout(20)
    await page.keyboard.press('Enter')
    await bubbleOf(filled).getByRole('img', { name: DONE }).waitFor()
  }, 60_000)

  test('finds canned responses beyond the first hundred', async () => {
    const admin = await live.world.as('admin')
    for (let number = 100; number < 200; number += 1)
      await admin.post('/api/canned-responses', { name: `Answer ${number}`, content: 'Yes.' })
    await admin.post('/api/canned-responses', { name: 'Zoo', content: 'It opens at nine.' })
    await page.reload()
    await field().fill('/')
    const canned = page.getByRole('list', { name: 'Canned responses' })
    await canned.getByText('Answer 100').waitFor()
    await field().fill('/zoo')
    await canned.getByText('It opens at nine.').waitFor()
    await field().fill('')
  }, 60_000)

  test('answers a message and reacts to it', async () => {
    const { id } = await ana.says('Do you have rye bread?')
    const question = bubbleOf('Do you have rye bread?').first()
    await question.hover()
    await question.getByRole('button', { name: 'Reply' }).click()
    await page.locator('.reply-line').getByText('Do you have rye bread?').waitFor()
    await field().fill('Yes, on Fridays.')
    await page.keyboard.press('Enter')
    const answer = bubbleOf('Yes, on Fridays.')
    await answer.getByRole('button', { name: /Do you have rye bread/ }).waitFor()
    await answer.getByRole('img', { name: DONE }).waitFor()
    const sent = ana.received().at(-1)?.body as { context?: { message_id: string } }
    expect(sent.context?.message_id).toBe(id)

    await question.hover()
    await question.getByRole('button', { name: 'React' }).click()
    await page.getByRole('button', { name: '👍' }).click()
    await question.getByText('Reactions: 👍 You').waitFor()
    await question.hover()
    await question.getByRole('button', { name: 'React' }).click()
    await page.getByRole('button', { name: '👍', pressed: true }).click()
    await question.getByText('Reactions: 👍 You').waitFor({ state: 'detached' })
  }, 60_000)

  test('tells what happened to a message, takes back one that waits, and saves all', async () => {
    const { world } = live
    const answer = bubbleOf('Yes, on Fridays.')
    await answer.hover()
    await answer.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'What happened to it' }).click()
    const dialog = page.getByRole('dialog', { name: 'What happened to it' })
    await dialog.getByRole('listitem').filter({ hasText: 'WhatsApp took it' }).waitFor()
    await dialog.getByRole('listitem').filter({ hasText: 'Sent' }).waitFor()
    await journey.requireAccessible()
    await journey.picture('details')
    await dialog.getByRole('button', { name: 'Close' }).click()

    const admin = await world.as('admin')
    await admin.post('/api/outbox/pause', { account_id: world.tenant.accountId })
    await field().fill('Please do not read this.')
    await page.keyboard.press('Enter')
    const waiting = bubbleOf('Please do not read this.')
    await waiting.getByRole('img', { name: 'Waiting' }).waitFor()
    await waiting.hover()
    await waiting.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Do not send' }).click()
    await waiting.getByRole('img', { name: 'Failed' }).waitFor()
    await admin.post('/api/outbox/resume', { account_id: world.tenant.accountId })

    const saved = page.waitForEvent('download')
    await page.locator('.thread-head').getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Save conversation' }).click()
    const file = await saved
    expect(file.suggestedFilename()).toBe('Ana Sol.html')
    expect(await Bun.file((await file.path()) ?? '').text()).toContain('Yes, on Fridays.')
  }, 60_000)

  test('breaks lines with Enter and sends with Shift where a person prefers that', async () => {
    await field().fill('one')
    await field().press('Shift+Enter')
    await page.keyboard.type('two')
    expect(await field().inputValue()).toBe('one\ntwo')
    await field().fill('')
    await page.goto('/settings/profile')
    await page.getByText('Enter begins a new line, Shift Enter sends').click()
    await page.goto('/inbox')
    await rowOf('Ana Sol').click()
    await field().fill('first line')
    await field().press('Enter')
    await page.keyboard.type('second line')
    expect(await field().inputValue()).toBe('first line\nsecond line')
    await field().press('Shift+Enter')
    await bubbleOf('second line').getByRole('img', { name: DONE }).waitFor()
    expect(await field().inputValue()).toBe('')
  }, 60_000)

  test('keeps what was written when the session is over, until the person is back', async () => {
    const { world } = live
    await field().fill('half a sentence')
    await page.context().clearCookies() // browsers do so when a session is too old
    world.clock.advance({ hours: 2 })
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.content()).not.toContain('Ana Sol')
    await journey.signIn('admin')
    await field().press('End')
    await page.keyboard.type(' and the rest')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await bubbleOf('half a sentence and the rest').getByRole('img', { name: DONE }).waitFor()
    expect(await bubbleOf('half a sentence').count()).toBe(1)
    // Somebody else finds nothing of it.
    await field().fill('a secret draft')
    await page.context().clearCookies()
    world.clock.advance({ hours: 2 })
    await page.reload()
    await journey.signIn('manager')
    await rowOf('Ana Sol').waitFor()
    expect(JSON.stringify(await page.evaluate('({ ...localStorage })'))).not.toContain('secret')
  }, 60_000)

  test('offers templates when the window is closed, fills them in, and sends one', async () => {
    live.world.clock.advance({ hours: 25 })
    await page.goto('/inbox?view=closing')
    await page.goto('/inbox')
    await rowOf('Ana Sol').click()
    await page.getByText('The customer last wrote more than 24 hours ago.').waitFor()
    expect(await field().count()).toBe(0)
    await page.getByRole('searchbox', { name: 'Search templates' }).fill('still')
    await page.getByRole('button', { name: /still_there/ }).click()
    expect(await page.getByRole('textbox', { name: 'Value 1' }).inputValue()).toBe('Ana Sol')
    const send = page.getByRole('button', { name: 'Send template' })
    expect(await send.isDisabled()).toBe(true)
    await page.getByRole('textbox', { name: 'Value 2' }).fill('77')
    await page.locator('.template-form').getByText('your order 77 is ready.').waitFor()
    await journey.requireAccessible()
    await send.click()
    await bubbleOf('Hello Ana Sol, your order 77 is ready.')
      .getByRole('img', { name: DONE })
      .waitFor()
    // what a person sent stands first, and a picture is chosen here
    const recent = page.getByRole('region', { name: 'You used last' })
    await recent.getByRole('button', { name: /still_there/ }).waitFor()
    await page.getByRole('button', { name: /our_shop/ }).click()
    expect(await send.isDisabled()).toBe(true)
    await page
      .getByRole('group', { name: 'Choose a picture' })
      .locator('input')
      .setInputFiles({
        name: 'shop.png',
        mimeType: 'image/png',
        buffer: Buffer.from(SAMPLES['image/png']),
      })
    await page.locator('.template-form figure img').waitFor()
    await journey.requireAccessible()
    await journey.picture('template-file')
    await send.click()
    await bubbleOf('this is how our shop looks').getByRole('img', { name: DONE }).waitFor()
    expect(await recent.getByRole('button').allInnerTexts()).toEqual([
      expect.stringContaining('our_shop'),
      expect.stringContaining('still_there'),
    ])
    await ana.says('Thank you!')
    await field().waitFor()
  }, 60_000)

  test('sends a text without template when the window is closed, and shows its cost before', async () => {
    const { world } = live
    setPrice(world, { category: 'UTILITY', micros: 50_000, applies: 'outside_window' })
    // what was begun while the window was open is not lost
    await field().fill('Your table for two is ready.')
    world.clock.advance({ hours: 25 })
    await page.goto('/inbox')
    await rowOf('Ana Sol').click()
    expect(await field().count()).toBe(0)
    await page.getByRole('button', { name: 'Text without template' }).click()
    const direct = page.getByRole('textbox', { name: 'Text without template' })
    expect(await direct.inputValue()).toBe('Your table for two is ready.')
    await page.locator('.writer').getByText('Costs about $0.05').waitFor()
    await page.locator('.writer').getByText('No advertising').waitFor()
    for (const tool of ['Attach files', 'Record a voice message', 'Send later'])
      expect(await page.getByRole('button', { name: tool }).count()).toBe(0)
    await journey.requireAccessible()
    await direct.fill('x'.repeat(1_025))
    await page.getByText('1 over the limit of 1,024 characters').waitFor()
    expect(await send().isDisabled()).toBe(true)
    await direct.fill('Your table for two is ready.')
    await send().click()
    const bubble = bubbleOf('Your table for two is ready.')
    await bubble.getByRole('img', { name: DONE }).waitFor()
    await bubble.getByText('without template').waitFor()
    expect(world.simulator.messages.at(-1)?.body).toMatchObject({
      category: 'utility',
      text: { body: 'Your table for two is ready.' },
    })
    expect(await direct.inputValue()).toBe('')
  }, 60_000)

  test('does not send a text without template before its cost is known', async () => {
    await page.reload()
    await rowOf('Ana Sol').click()
    const asked = Promise.withResolvers<undefined>()
    await page.route('**/api/messages/preview', async (route) => {
      await asked.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Text without template' }).click()
    const direct = page.getByRole('textbox', { name: 'Text without template' })
    await direct.fill('Too early')
    expect(await send().isDisabled()).toBe(true)
    await direct.press('Shift+Enter')
    expect(await direct.inputValue()).toBe('Too early')
    asked.resolve(undefined)
    await page.locator('.writer').getByText('Costs about $0.05').waitFor()
    expect(await send().isDisabled()).toBe(false)
    await page.unroute('**/api/messages/preview')
    await direct.fill('')
  }, 60_000)

  test('says why WhatsApp did not take a text without template, leads to templates, and warns before the next', async () => {
    const { world } = live
    world.simulator.addPhone({ id: world.tenant.phoneId, hasDirectSend: false })
    const direct = page.getByRole('textbox', { name: 'Text without template' })
    await direct.fill('Your order is here.')
    await send().click()
    const failed = page.locator('.bubble-line').filter({ hasText: 'Your order is here.' })
    await failed.getByText('WhatsApp did not take this text without template').waitFor()
    expect(await failed.getByRole('button', { name: 'Send again' }).count()).toBe(0)
    await failed.getByRole('button', { name: 'Choose a template' }).click()
    await page.getByRole('searchbox', { name: 'Search templates' }).waitFor()
    world.clock.advance({ minutes: 2 })
    await page.reload()
    await rowOf('Ana Sol').click()
    await page.getByRole('button', { name: 'Text without template' }).click()
    await page.getByText('WhatsApp did not take the last text without template.').waitFor()
    await journey.requireAccessible()
    world.simulator.addPhone({ id: world.tenant.phoneId, hasDirectSend: true })
  }, 60_000)

  test('goes on as a usual message when the customer writes meanwhile', async () => {
    const { world } = live
    const direct = page.getByRole('textbox', { name: 'Text without template' })
    await direct.fill('Half a text')
    await ana.says('Hello again')
    await field().waitFor()
    expect(await field().inputValue()).toBe('Half a text')
    await send().click()
    await bubbleOf('Half a text').getByRole('img', { name: DONE }).waitFor()
    expect(world.simulator.messages.at(-1)?.body).not.toHaveProperty('category')
  }, 60_000)

  test('had no error of the page', () => journey.finish(), 30_000)
})
