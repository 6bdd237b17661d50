import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'

import type { Customer } from '../../src/simulator/customers'
import type { Loose } from '../support/client'
import { CHROMIUM } from './support/chromium'
import { LiveWorld, type Journey } from './support/journey'

/** Messages between the oldest one and the end, so that it is not among the newest fifty. */
const BETWEEN = 60

describe.skipIf(CHROMIUM === null)('messages and contacts', () => {
  let live: LiveWorld
  let ana: Customer
  let journey: Journey
  let page: Page

  beforeAll(async () => {
    live = await LiveWorld.create()
    const { world } = live
    ana = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Ana Sol' })
    const first = await ana.says('Do you bake pumpernickel on Sundays?')
    for (let nth = 0; nth < BETWEEN; nth += 1) await ana.says(`line ${nth}`)
    await ana.says('And this one?', { replyTo: first.id })
    journey = await live.open({ permissions: ['clipboard-write'] })
    page = journey.page
    await journey.signIn('admin')
  }, 60_000)

  afterAll(() => live.stop())

  const bubbleOf = (words: string): Locator =>
    page.getByRole('log').getByRole('article').filter({ hasText: words })
  const openAna = async (): Promise<void> => {
    await page.goto('/inbox')
    await page.getByRole('listitem').filter({ hasText: 'Ana Sol' }).getByRole('link').click()
    await bubbleOf('And this one?').first().waitFor()
  }
  const idOfAna = async (): Promise<string> => {
    const { data } = await (await live.world.as('admin')).get('/api/contacts?search=Ana')
    return String((data['items'] as Loose[])[0]?.['id'])
  }

  test('are found by words and names, and open at their place', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('f')
    await page.getByText('What are you looking for?').waitFor()
    const field = page.getByRole('searchbox', { name: 'Search messages and contacts' })
    await field.fill('ana')
    await page.getByRole('region', { name: 'Contacts' }).getByText('Ana Sol').waitFor()
    await field.fill('pumpernickel')
    await page.locator('mark', { hasText: 'pumpernickel' }).waitFor()
    expect(new URL(page.url()).searchParams.get('q')).toBe('pumpernickel')
    await page.getByRole('button', { name: /Written by/ }).click()
    await page.getByRole('option', { name: 'Us', exact: true }).click()
    await page.getByText('No message fits. Choose fewer filters.').waitFor()
    expect(new URL(page.url()).searchParams.get('direction')).toBe('outgoing')
    await page.getByRole('button', { name: /Written by/ }).click()
    await page.getByRole('option', { name: 'Customers' }).click()
    await page.locator('mark', { hasText: 'pumpernickel' }).waitFor()
    await journey.requireAccessible()
    await journey.picture('search')
    // the way to the search begins a new one
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('g')
    await page.keyboard.press('f')
    await page.getByText('What are you looking for?').waitFor()
    expect(await field.inputValue()).toBe('')
    await page.goBack()
    await page.locator('mark', { hasText: 'pumpernickel' }).waitFor()
    expect(await field.inputValue()).toBe('pumpernickel')
    await page.getByRole('region', { name: 'Messages' }).getByRole('link').click()
    await page.locator('.marked', { hasText: 'pumpernickel' }).waitFor()
    await bubbleOf('line 2').first().waitFor()
    // From there back to the end, where new messages appear.
    await page.getByRole('button', { name: 'Go to the newest message' }).click()
    await bubbleOf('And this one?').waitFor()
  }, 60_000)

  test('lead from an answer to the message that it quotes', async () => {
    await openAna()
    await bubbleOf('And this one?')
      .getByRole('button', { name: /Go to the quoted/ })
      .click()
    await page.locator('.marked', { hasText: 'pumpernickel' }).waitFor()
    await page.goBack()
    await bubbleOf('And this one?').waitFor()
  }, 60_000)

  test('tell why they failed, and what can be done', async () => {
    const { simulator } = live.world
    await openAna()
    const write = async (words: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'Message' }).fill(words)
      await page.keyboard.press('Enter')
    }
    simulator.fail({ code: 131_026 })
    await write('Nobody there')
    await bubbleOf('Nobody there')
      .getByText(/cannot receive messages/)
      .waitFor()
    simulator.loseAnswer()
    simulator.swallowStatuses()
    await write('Perhaps')
    await simulator.waitForMessages(1)
    await live.world.settle()
    live.world.clock.advance({ minutes: 10 })
    await bubbleOf('Perhaps')
      .getByText(/did not say whether this was sent/)
      .waitFor()
    await journey.requireAccessible()
    await journey.picture('failed')
    await bubbleOf('Perhaps').getByRole('button', { name: 'Send again' }).click()
    await bubbleOf('Perhaps')
      .nth(1)
      .getByRole('img', { name: /Sent|Delivered|Read/ })
      .waitFor()
    simulator.fail({ code: 131_047 })
    await write('Too late')
    await bubbleOf('Too late')
      .getByText(/the 24-hour window is closed/)
      .waitFor()
    await bubbleOf('Too late').getByRole('button', { name: 'Choose a template' }).click()
    await page.getByRole('searchbox', { name: 'Search templates' }).waitFor()
  }, 60_000)

  test('show reactions, places, cards, orders and files as what they are', async () => {
    await openAna()
    const { id } = await ana.says('Thanks!')
    await ana.reacts(id, '🎉')
    await bubbleOf('Thanks!').waitFor()
    const manager = await live.world.as('manager')
    const thread = `/api/contacts/${await idOfAna()}/messages`
    const messages = (await manager.get(thread)).data['items'] as Loose[]
    const thanks = messages.find(({ preview }) => preview === 'Thanks!')
    const reaction = `${thread}/${String(thanks?.['id'])}/reaction`
    expect((await manager.post(reaction, { emoji: '👍' })).status).toBe(200)
    const shop = { name: 'Our shop', address: 'Ring 1, Berlin' }
    await ana.sharesLocation({ latitude: 52.52, longitude: 13.4, ...shop })
    await ana.sharesContact({ name: 'Leo Brandt', phone: '0555 020 0177', waId: '15550200177' })
    await ana.orders([
      { product_retailer_id: 'rye-bread', quantity: 2, item_price: 4.5, currency: 'EUR' },
      { product_retailer_id: 'roll', quantity: 3, item_price: 0.5, currency: 'EUR' },
    ])
    await ana.sends({ type: 'image', caption: 'Like this' })
    await ana.sends({ type: 'document', filename: 'order.pdf' })
    await ana.sends({ type: 'audio', voice: true })
    await ana.sends({ type: 'video', caption: 'Our oven' })
    await bubbleOf('Thanks!')
      .getByText(/^Reactions: .*🎉 Ana Sol/)
      .waitFor()
    await bubbleOf('Thanks!')
      .getByText(/👍 Acme manager/)
      .waitFor()
    await bubbleOf('Ring 1, Berlin').getByRole('link', { name: 'Open map' }).waitFor()
    await bubbleOf('Our shop').getByRole('button', { name: 'Copy address' }).click()
    await page.getByText('Copied').waitFor()
    const message = page.getByRole('textbox', { name: 'Message' })
    await message.press('Control+V')
    expect(await message.inputValue()).toBe('Ring 1, Berlin')
    await message.fill('')
    await bubbleOf('Leo Brandt').getByText('+1 555 020 0177').waitFor()
    const order = bubbleOf('Order of 5 items').getByRole('listitem')
    await order.filter({ hasText: '2 × rye-bread' }).getByText('€9.00').waitFor()
    await order.filter({ hasText: '3 × roll' }).getByText('€1.50').waitFor()
    await order.filter({ hasText: 'Total' }).getByText('€10.50').waitFor()
    await page.getByRole('button', { name: /^Download order.pdf/ }).waitFor()
    const picture = bubbleOf('Like this').getByRole('button', { name: /^Open/ }).locator('img')
    await picture.waitFor()
    // a picture that cannot be shown rejects
    await picture.evaluate((image: { decode: () => Promise<void> }) => image.decode())
    const film = bubbleOf('Our oven')
    await film.getByRole('slider', { name: 'Position in the recording' }).waitFor()
    await film.getByRole('button', { name: 'Whole screen' }).waitFor()
    expect(await page.locator('video[controls], audio[controls]').count()).toBe(0)
    await page.getByRole('button', { name: 'Play voice message' }).click()
    // the recording of the simulated phone has no sound in it
    await page.getByText('The file could not be loaded.').waitFor()
    await journey.requireAccessible()
    await journey.picture('kinds')
    const panel = page.getByRole('complementary', { name: 'Contact' })
    await panel.getByRole('button', { name: 'Pictures' }).click()
    await panel.getByRole('region', { name: 'Pictures' }).getByRole('link').waitFor()
    await panel.getByRole('button', { name: 'Consents' }).click()
    await panel.getByRole('button', { name: 'Record that they agreed' }).click()
    await panel
      .getByRole('region', { name: 'Consents' })
      .getByText(/Opted in/)
      .waitFor()
    await panel.getByRole('button', { name: 'What the bot knows' }).click()
    await panel.getByText('The bot has not talked with this contact.').waitFor()
    await journey.picture('panel')
    await bubbleOf('Leo Brandt').getByRole('button', { name: 'Save contact' }).click()
    await page.getByRole('heading', { level: 1, name: 'Leo Brandt' }).waitFor()
    const saved = await manager.get('/api/contacts?search=Leo')
    expect(saved.data['items']).toMatchObject([{ phone_number: '15550200177' }])
  }, 60_000)

  test('have a profile of the contact with its history', async () => {
    await page.goto(`/contacts/${await idOfAna()}`)
    await page.getByRole('heading', { level: 1, name: 'Ana Sol' }).waitFor()
    await page.getByRole('region', { name: 'Orders' }).getByText('2 × rye-bread').waitFor()
    await page.getByRole('region', { name: 'Orders' }).getByRole('button', { name: /New/ }).click()
    await page.getByRole('option', { name: 'Confirmed' }).click()
    await page
      .getByRole('region', { name: 'Orders' })
      .getByRole('button', { name: /Confirmed/ })
      .waitFor()
    await page.getByRole('region', { name: 'Latest messages' }).getByText('Our shop').waitFor()
    await journey.requireAccessible()
    await journey.picture('contact')
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Ana Maria Sol')
    await page.getByRole('textbox', { name: 'Language' }).fill('es')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Ana Maria Sol' }).waitFor()
    await page.getByText('es', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Block', exact: true }).click()
    await page.getByRole('button', { name: 'Block Ana Maria Sol' }).click()
    await page.getByText('Blocked', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Unblock' }).click()
    await page.getByRole('button', { name: 'Block', exact: true }).waitFor()
    await page.getByRole('region', { name: 'Conversations' }).getByRole('link').first().click()
    await page.getByRole('log', { name: 'Messages' }).waitFor()
  }, 60_000)

  test('had no error of the page', () => journey.finish(), 30_000)
})
