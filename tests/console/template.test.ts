import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'

import { SAMPLES } from '../../src/simulator/sample-files'
import type { Loose } from '../support/client'
import { TEMPLATE_KINDS } from '../support/template-kinds'
import { approvedTemplate } from '../support/templates'
import { CHROMIUM } from './support/chromium'
import { HOSTILE } from './support/hostile'
import { LiveWorld, type Journey } from './support/journey'

describe.skipIf(CHROMIUM === null)('a template', () => {
  let live: LiveWorld
  let journey: Journey
  let page: Page

  const templates = async (): Promise<Loose[]> =>
    (await (await live.world.as('admin')).get('/api/templates')).data['items'] as Loose[]
  const english = async (): Promise<Loose> =>
    (await templates()).find(({ status }) => status === 'APPROVED') ?? {}
  const choose = async (field: RegExp, option: string | RegExp): Promise<void> => {
    await page.getByRole('button', { name: field }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  const addButton = async (kind: string): Promise<void> => {
    await page.getByRole('button', { name: 'Add a button' }).click()
    await page.getByRole('menuitem', { name: kind }).click()
  }
  const phone = () => page.getByRole('figure', { name: 'On the phone of a customer' })
  const body = () => page.getByRole('textbox', { name: 'Text', exact: true })

  beforeAll(async () => {
    live = await LiveWorld.create()
    const { simulator, tenant } = live.world
    await simulator.customer({ phone: tenant.phoneId, name: 'Tim Bread' }).says('Hello')
    await live.world.settle()
    const admin = await live.world.as('admin')
    await admin.put('/api/organizations/settings', { template_max_price: true })
    journey = await live.open({ path: '/templates', expected: [/status of 409/] })
    page = journey.page
    await journey.signIn('admin')
  }, 60_000)

  afterAll(() => live.stop())

  test('is written with a picture and buttons, and shown as a customer sees it', async () => {
    await page.getByRole('link', { name: 'New template' }).click()
    await page.getByRole('heading', { level: 1, name: 'New template' }).waitFor()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Order update')
    await choose(/The message begins with/, 'A picture')
    await page.getByLabel('Choose a picture').setInputFiles({
      name: 'cake.png',
      mimeType: 'image/png',
      buffer: Buffer.from(SAMPLES['image/png']),
    })
    await phone().locator('img').waitFor()

    // what WhatsApp would refuse is said while it is written
    await body().fill('Your order is ready.')
    await page.getByRole('button', { name: 'Variable' }).click()
    await page.getByRole('menuitem', { name: /Number of the order/ }).click()
    const message = page.getByRole('region', { name: 'Message' })
    await message.getByText('A text must not begin or end with a variable.').waitFor()
    await body().fill('Hello! Your order {{order_number}} is *ready* and waits for you.')
    await message.getByText('Give an example for each variable.').waitFor()
    await page.getByRole('button', { name: 'Examples', exact: true }).click()
    await page.keyboard.type('4711')
    await phone()
      .getByText(/Your order 4711 is/)
      .waitFor()
    expect(await phone().locator('b').first().innerText()).toBe('ready')

    // as somebody would see it of whom a value is known
    const admin = await live.world.as('admin')
    await admin.post('/api/contact-attributes', {
      ...{ key: 'order_number', label: 'Order', type: 'text' },
    })
    const [tim] = (await admin.get('/api/contacts')).data['items'] as Loose[]
    await admin.put(`/api/contacts/${String(tim?.['id'])}`, {
      attributes: { order_number: 'B-77' },
    })
    await choose(/Shown to/, 'Tim Bread')
    await phone()
      .getByText(/Your order B-77 is/)
      .waitFor()

    await addButton('Open a website')
    await page.getByRole('textbox', { name: 'Words on the button' }).fill('Follow it')
    await page.getByRole('textbox', { name: 'Address of the website' }).fill('https://example.com')
    await addButton('Quick answer')
    await page.getByRole('textbox', { name: 'Words on the button' }).last().fill('Thanks')
    await phone().getByText('Follow it').waitFor()
    await page.getByText("WhatsApp's rules are kept.").waitFor()
    await page.getByText(/of 1,?024 characters/).waitFor()
    await journey.requireAccessible()
    await journey.picture('template-new')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Order update' }).waitFor()
    expect(await templates()).toMatchObject([
      { name: 'order_update', status: 'DRAFT', parameter_format: 'named' },
    ])
  }, 90_000)

  test('is written in a second language beside the first, and both are submitted', async () => {
    await page.getByRole('button', { name: 'Submit to WhatsApp' }).click()
    await page.getByText('In review').first().waitFor()
    await page.getByRole('link', { name: 'Add a language' }).click()
    await page.getByRole('heading', { level: 1, name: 'New template' }).waitFor()
    await page.getByText('There is a template with this name in this language.').first().waitFor()
    await page.getByRole('button', { name: / Language$/ }).click()
    await page.getByRole('searchbox').fill('German')
    await page.getByRole('option', { name: 'German' }).click()
    await body().fill('Hallo! Die Bestellung {{order_number}} ist da und wartet auf Sie.')
    await page.getByText("WhatsApp's rules are kept.").waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Order update' }).waitFor()
    await page
      .getByRole('figure', { name: 'English' })
      .getByText(/Your order 4711/)
      .waitFor()
    await page.getByRole('button', { name: 'Submit to WhatsApp' }).click()
    await page.getByText('In review').first().waitFor()
    const all = await templates()
    expect(all.map(({ language, status }) => `${String(language)} ${String(status)}`)).toEqual([
      'de PENDING',
      'en PENDING',
    ])
    await journey.requireAccessible()
    await journey.picture('template')
  }, 90_000)

  test('says why one was rejected, and is corrected and submitted again', async () => {
    const { simulator, clock } = live.world
    const [german, english] = await templates()
    await simulator.review(String(english?.['platform_id']), { event: 'APPROVED' })
    clock.advance({ seconds: 2 })
    await simulator.review(String(german?.['platform_id']), {
      event: 'REJECTED',
      reason: 'PROMOTIONAL',
    })
    await page
      .getByRole('note')
      .getByText(/The text advertises/)
      .waitFor()
    await page.getByRole('button', { name: 'Notifications' }).click()
    await page.locator('.notification').first().click()
    await page.getByRole('heading', { level: 1, name: 'Order update' }).waitFor()
    // rejected ones stand first in the list, with the reason
    await page.goto('/templates')
    const first = page.locator('[data-row]').first()
    await first.getByText('Rejected').waitFor()
    await first.getByText(/The text advertises/).waitFor()
    await first.getByRole('link').click()
    await body().fill('Hallo! Ihre Bestellung {{order_number}} liegt zur Abholung bereit.')
    await page.getByText("WhatsApp's rules are kept.").waitFor()
    clock.advance({ seconds: 2 })
    // a colleague writes something else meanwhile
    const text = 'Hallo! Die Bestellung {{order_number}} ist endlich fertig.'
    const before = (german ?? {})['components'] as Loose[]
    const components = before.map((one) => (one['type'] === 'BODY' ? { ...one, text } : one))
    const manager = await live.world.as('manager')
    const saved = await manager.put(`/api/templates/${String(german?.['id'])}`, { components })
    expect(saved.status).toBe(200)
    await page.getByRole('button', { name: 'Submit to WhatsApp' }).click()
    const clash = page.getByRole('dialog', { name: 'Somebody else saved this meanwhile' })
    await clash.getByText(text).waitFor()
    await clash.getByText(/liegt zur Abholung bereit/).waitFor()
    await clash.getByRole('button', { name: 'Save' }).click()
    await page.getByText('In review').first().waitFor()
    expect(await page.getByRole('note').count()).toBe(0)
    const [again] = await templates()
    expect(again).toMatchObject({ language: 'de', status: 'PENDING', has_local_changes: false })
    expect(JSON.stringify(again?.['components'])).toContain('liegt zur Abholung bereit')
  }, 90_000)

  test('is cards, an offer or a code, and only words, whatever is written in it', async () => {
    await page.goto('/templates/new')
    const hostile = HOSTILE.join('\n')
    for (let from = 0; from < hostile.length; from += 1_000) {
      const text = hostile.slice(from, from + 1_000)
      await body().fill(text)
      await phone().getByText(text.slice(400, 420)).first().waitFor()
    }
    await choose(/ Category$/, /^Marketing/)
    await choose(/ What it shows$/, 'Cards to swipe through')
    const card = page.getByRole('textbox', { name: 'Text of the card' }).last()
    await card.fill(`The cake ${HOSTILE[4] ?? ''}`)
    await phone().getByText('The cake').waitFor()
    await choose(/ What it shows$/, 'An offer that ends')
    await page.getByRole('textbox', { name: 'Name of the offer' }).fill('Half price')
    await phone().getByText('Half price').waitFor()
    await choose(/ Category$/, /^Authentication/)
    await phone()
      .getByText(/is your verification code/)
      .waitFor()
    await choose(/ How the code gets into the app$/, /^A tap fills it in/)
    await page.getByRole('group', { name: 'App 1' }).waitFor()
    await journey.requireAccessible()
    expect(await page.evaluate('window.isHit')).toBeUndefined()
    expect(
      await page.evaluate("document.querySelectorAll('iframe, script:not([src])').length"),
    ).toBe(0)
    const links = await page.evaluate('[...document.links].map((link) => link.protocol)')
    expect((links as string[]).filter((one) => !/^https?:$/.test(one))).toEqual([])

    // an organization that agreed on it with Meta says what advertising may cost
    await choose(/ Category$/, /^Marketing/)
    await choose(/ What it shows$/, 'A message')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Cakes')
    await body().fill('Our cakes are half the price today.')
    await page.getByRole('textbox', { name: /^Highest price of 1,000/ }).fill('6000')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Cakes' }).waitFor()
    expect((await templates()).find(({ name }) => name === 'cakes')).toMatchObject({
      ...{ category: 'MARKETING', max_price: 6_000 },
    })
  }, 60_000)

  test('is tested on a phone, duplicated, archived and restored', async () => {
    await page.goto(`/templates/${String((await english())['id'])}`)
    const act = async (action: string): Promise<void> => {
      await page.getByRole('button', { name: /^Actions for/ }).click()
      await page.getByRole('menuitem', { name: action }).click()
    }
    const dialog = page.getByRole('dialog')
    await act('Test to a phone')
    await dialog.getByRole('textbox', { name: 'Phone number' }).fill('+1 555 010 4477')
    await journey.requireAccessible()
    const before = live.world.simulator.messages.length
    await dialog.getByRole('button', { name: 'Send it' }).click()
    await page.getByText('It is on its way to the phone.').waitFor()
    await live.world.settle()
    const sent = live.world.simulator.messages.slice(before).map(({ body: one }) => one as Loose)
    expect(sent).toMatchObject([{ type: 'template', template: { name: 'order_update' } }])
    expect(String(sent[0]?.['to'])).toContain('15550104477')

    await act('Archive')
    await page.getByText('Archived', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Approved', { exact: true }).waitFor()

    await act('Duplicate')
    await dialog.getByRole('button', { name: 'Duplicate' }).click()
    await page.getByRole('heading', { level: 1, name: 'Order update 2' }).waitFor()
    await page.getByText('Draft', { exact: true }).waitFor()
  }, 60_000)

  test('asks for its code by its name, and for the pictures of cards that only WhatsApp has', async () => {
    const { world } = live
    const card = {
      components: [
        { type: 'HEADER', format: 'IMAGE' },
        { type: 'BODY', text: 'Fresh from the oven today.' },
        { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'I want one' }] },
      ],
    }
    const cards = await approvedTemplate(world, {
      category: 'MARKETING',
      components: [
        { type: 'BODY', text: 'Have a look at our cakes of this week.' },
        { type: 'CAROUSEL', cards: [card, card] },
      ],
    })
    const code = await approvedTemplate(world, {
      category: 'AUTHENTICATION',
      components: TEMPLATE_KINDS.find(({ name }) => name === 'code_one_tap')?.components ?? [],
    })
    const dialog = page.getByRole('dialog')
    const test = async ({ id }: Loose): Promise<void> => {
      await page.goto(`/templates/${String(id)}`)
      await page.getByRole('button', { name: /^Actions for/ }).click()
      await page.getByRole('menuitem', { name: 'Test to a phone' }).click()
      await dialog.getByRole('textbox', { name: 'Phone number' }).fill('+1 555 010 4477')
    }
    await test(code)
    expect(await dialog.getByRole('textbox', { name: 'One-time code' }).inputValue()).toBe('123456')
    await journey.picture('test-code')

    await test(cards)
    const send = dialog.getByRole('button', { name: 'Send it' })
    expect(await dialog.getByText(/Card \d: WhatsApp keeps the sample/).count()).toBe(2)
    for (const [nth, input] of (await dialog.locator('input[type=file]').all()).entries()) {
      expect(await send.isDisabled()).toBe(true)
      const buffer = Buffer.from(SAMPLES['image/jpeg'])
      await input.setInputFiles({ name: 'cake.jpg', mimeType: 'image/jpeg', buffer })
      await dialog
        .getByText(/Card \d: This message has a file of its own\./)
        .nth(nth)
        .waitFor()
    }
    await journey.requireAccessible()
    await journey.picture('test-cards')
    const before = world.simulator.messages.length
    await send.click()
    await page.getByText('It is on its way to the phone.').waitFor()
    await world.settle()
    const [sent] = world.simulator.messages.slice(before).map(({ body: one }) => one as Loose)
    expect(JSON.stringify(sent).match(/"type":"image"/g)).toHaveLength(2)
  }, 60_000)

  test('fits a phone, and can only be read by those who may not change it', async () => {
    const agent = await live.open({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
    await agent.signIn('agent')
    await agent.page.goto(`/templates/${String((await english())['id'])}`)
    await agent.page.getByText('You may read templates, but not change them.').waitFor()
    expect(await agent.page.getByRole('button', { name: 'Submit to WhatsApp' }).count()).toBe(0)
    expect(await agent.page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(
      false,
    )
    await agent.page.getByRole('button', { name: /^Actions for/ }).click()
    await agent.page.getByRole('menuitem').first().waitFor()
    expect(await agent.page.getByRole('menuitem').allInnerTexts()).toEqual(['Test to a phone'])
    await agent.finish()
  }, 60_000)

  test('had no error of the page', () => journey.finish(), 30_000)
})
