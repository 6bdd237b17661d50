import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page, Route } from 'playwright-core'

import type { Customer } from '../../src/simulator/customers'
import { graphOf } from '../support/bots'
import type { Loose } from '../support/client'
import { CHROMIUM } from './support/chromium'
import { closeWithEscape, LiveWorld } from './support/journey'

/** Whether all cards lie inside of what is seen of the drawing. */
const ALL_SEEN = `(() => {
  const area = document.querySelector('.flow-canvas').getBoundingClientRect()
  return [...document.querySelectorAll('.flow-card')].every((card) => {
    const { left, right, top, bottom } = card.getBoundingClientRect()
    return left >= area.left && right <= area.right && top >= area.top && bottom <= area.bottom
  })
})()`

describe.skipIf(CHROMIUM === null)('a bot flow', () => {
  let live: LiveWorld

  beforeAll(async () => {
    live = await LiveWorld.create()
    await (await live.world.as('admin')).post('/api/teams', { name: 'Orders' })
  }, 60_000)

  afterAll(() => live.stop())

  const flowNamed = async (name: string): Promise<Loose> => {
    const admin = await live.world.as('admin')
    const { data } = await admin.get('/api/chatbot/flows')
    const found = (data['items'] as Loose[]).find((one) => one['name'] === name)
    return (await admin.get(`/api/chatbot/flows/${String(found?.['id'])}`)).data
  }
  const nodesOf = (flow: Loose): Loose[] => (flow['graph'] as { nodes: Loose[] }).nodes
  const edgesOf = (flow: Loose): Loose[] => (flow['graph'] as { edges: Loose[] }).edges
  /** Publishes a flow while the bot is off, and switches it on. */
  const published = async (page: Page, name: string): Promise<Loose> => {
    const dialog = page.getByRole('dialog', { name: 'Publish' })
    await dialog.getByText('The bot is off: this flow answers nobody').waitFor()
    await dialog.getByText('Switch the bot on, too').click()
    await dialog.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Published. It answers customers from now on.').waitFor()
    return await flowNamed(name)
  }
  const customerNamed = (name: string): Customer => {
    const { simulator, tenant } = live.world
    return simulator.customer({ phone: tenant.phoneId, name })
  }

  test('is built by pointer: a question, then a team', async () => {
    const journey = await live.open({ path: '/bot/flows' })
    const { page } = journey
    await journey.signIn('admin')
    await page.getByRole('button', { name: 'New flow' }).click()
    await page.getByRole('button', { name: /^Empty flow/ }).click()
    await page.getByRole('textbox', { name: 'Name of the flow' }).fill('Order status')
    await page.getByRole('button', { name: 'Create' }).click()

    await page.locator('textarea[name=message]:focus').waitFor()
    const step = page.getByRole('region', { name: 'Step', exact: true })
    const kindOf = (kind: string) =>
      page.getByRole('menuitem').filter({ has: page.getByText(kind, { exact: true }) })
    const add = async (kind: string): Promise<void> => {
      await page.getByRole('button', { name: 'Add a step', exact: true }).click()
      await kindOf(kind).click()
      await step.getByRole('heading', { name: kind }).waitFor()
    }
    const text = step.getByRole('textbox', { name: 'Text' })
    await text.fill('Hello! I look for your order.')
    // who comes back to a field takes back only what they wrote then
    await text.blur()
    await text.fill('Goodbye!')
    await page.getByRole('button', { name: 'Undo' }).click()
    expect(await text.inputValue()).toBe('Hello! I look for your order.')
    await add('Question')
    await step.getByRole('textbox', { name: 'Text' }).fill('What is your order number?')
    await step.getByRole('textbox', { name: 'Remember the answer as' }).fill('order')
    await add('Question with buttons')
    await step.getByRole('textbox', { name: 'Text' }).fill('Order {{ order }}: is it late?')
    // a way is drawn from a button to where nothing is, and a step is added there
    const card = page.getByRole('group', { name: /^Question with buttons/ })
    const port = card.locator('[data-handleid="button:choice_1"]')
    await page.getByRole('button', { name: 'Show everything' }).click()
    await port.hover()
    await page.mouse.down()
    const canvas = await page.locator('.flow-canvas').boundingBox()
    await page.mouse.move((canvas?.x ?? 0) + 300, (canvas?.y ?? 0) + 120, { steps: 5 })
    await page.mouse.up()
    await kindOf('Hand over to people').click()
    await step.getByRole('button', { name: /Team$/ }).click()
    await page.getByRole('option', { name: 'Orders' }).click()
    // the settings of a step add what follows it, too
    await card.click()
    await step.getByRole('button', { name: 'The flow ends No' }).click()
    await kindOf('End').click()
    await step.getByRole('heading', { name: 'End' }).waitFor()
    await journey.picture('flow-canvas')
    await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor()

    await page.getByRole('button', { name: /^How it begins and ends/ }).click()
    await page.locator('input[name=trigger_keywords]:focus').waitFor()
    await page.getByRole('textbox', { name: 'Words that begin it' }).fill('order, where is it')
    // words that were not saved are neither lost nor left out
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await page.locator('.flow-start').getByText('Not saved yet').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    const flow = await published(page, 'Order status')
    await page.getByText('Begins when a customer writes: order, where is it').waitFor()
    expect(flow).toMatchObject({
      enabled: true,
      version: 1,
      trigger_keywords: ['order', 'where is it'],
    })
    expect(nodesOf(flow).map(({ type }) => type)).toEqual([
      'message',
      'prompt',
      'buttons',
      'transfer',
      'end',
    ])
    const idOf = (type: string) => nodesOf(flow).find((node) => node['type'] === type)?.['id']
    expect(edgesOf(flow)).toContainEqual({
      from: idOf('buttons'),
      to: idOf('end'),
      condition: 'button:choice_2',
    })
    expect(edgesOf(flow)).toContainEqual({
      from: idOf('buttons'),
      to: idOf('transfer'),
      condition: 'button:choice_1',
    })
    // whoever comes back sees it as it is, and a first customer on its cards
    await page.getByRole('link', { name: 'Back to the flows' }).click()
    await page.getByRole('link', { name: 'Order status' }).click()
    await page.locator('.flow-state').getByText('On', { exact: true }).waitFor()
    await customerNamed('Ana Sol').says('Where is it?')
    const asked = page.locator('.flow-card').filter({ hasText: 'What is your order number?' })
    await asked.getByText('1 came · 0 went on · 0 stopped here').waitFor()
    await journey.picture('flow-figures')
    await journey.finish()
  }, 60_000)

  test('is read from a file, copied from, changed by two people, and restored', async () => {
    const admin = await live.world.as('admin')
    const graph = graphOf([
      ['hello', 'message', { message: 'Good day' }],
      ['bye', 'end', { message: 'See you' }],
    ])
    const far = nodesOf({ graph }).map((node, at) => ({
      ...node,
      position: { x: 6_000 + at * 400, y: 4_000 },
    }))
    const { data: shop } = await admin.post('/api/chatbot/flows', {
      name: 'Shop',
      publish: true,
      graph: { ...graph, nodes: far },
    })
    const path = `/api/chatbot/flows/${String(shop['id'])}`
    await admin.put(path, { graph: graphOf([['hello', 'message', { message: 'Hello' }]]) })

    const journey = await live.open({
      path: '/bot/flows',
      expected: [/status of 409/, /ERR_INTERNET_DISCONNECTED/],
    })
    const { page } = journey
    const card = (words: string) => page.locator('[data-node]').filter({ hasText: words })
    await journey.signIn('admin')
    await page.getByRole('button', { name: 'New flow' }).click()
    const file = { name: 'Fair', trigger_keywords: ['fair'], graph }
    await page.locator('input[type=file]').setInputFiles({
      name: 'fair.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(file)),
    })
    const name = page.getByRole('textbox', { name: 'Name of the flow' })
    await name.fill('Shop')
    await page.getByRole('button', { name: 'Create' }).click()
    await page
      .locator('.field')
      .filter({ has: name })
      .getByText(/already in use/)
      .waitFor()
    await name.fill('Fair')
    await page.getByRole('button', { name: 'Create' }).click()
    await card('Good day').waitFor()
    const read = await flowNamed('Fair')
    expect(read).toMatchObject({ trigger_keywords: ['fair'], enabled: false, version: null })
    expect(nodesOf(read)).toMatchObject(nodesOf({ graph }))

    await card('See you').focus()
    await card('See you').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('ControlOrMeta+c')
    await page.getByText('Copied. Paste it here or in another flow.').waitFor()
    await page.getByRole('link', { name: 'Back to the flows' }).click()
    await page.getByRole('link', { name: 'Shop' }).click()
    await card('Hello').waitFor()
    await page.keyboard.press('ControlOrMeta+v')
    await card('See you').waitFor()
    await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor()

    const { data: now } = await admin.get(path)
    const theirs = nodesOf(now).map((node) =>
      node['id'] === 'bye' ? { ...node, config: { message: 'Their words' } } : node,
    )
    await admin.put(path, { graph: { ...(now['graph'] as Loose), nodes: theirs }, publish: false })
    await page.getByRole('textbox', { name: 'Last message' }).fill('My words')
    const both = page.getByRole('dialog')
    await both.getByText('My words', { exact: true }).waitFor()
    await both.getByText('Their words').click()
    await both.getByRole('button', { name: 'Save' }).click()
    await card('Their words').waitFor()
    await both.waitFor({ state: 'detached' })
    await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
    expect(nodesOf((await admin.get(path)).data)).toMatchObject(theirs)

    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Versions' }).click()
    const row = page.getByRole('listitem').filter({ hasText: 'Version 1' })
    await row.getByRole('button', { name: 'Make it the draft' }).click()
    const allSeen = async (words: string): Promise<void> => {
      await card(words).waitFor()
      await page.waitForFunction(ALL_SEEN)
    }
    await allSeen('Good day')
    expect(nodesOf((await admin.get(path)).data)).toMatchObject(far)
    await page.locator('.toasts').getByRole('button', { name: 'Undo' }).click()
    await allSeen('Their words')
    await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor()

    // without a line nothing is left behind, and what was written is saved once it is back
    await page.context().setOffline(true)
    await card('Their words').click()
    await page.getByRole('textbox', { name: 'Last message' }).fill('On the train')
    await page.getByRole('link', { name: 'Back to the flows' }).click()
    await closeWithEscape(page.getByRole('dialog', { name: 'Leave without saving?' }))
    await page.getByText('Not saved: The server cannot be reached.').waitFor()
    await page.context().setOffline(false)
    await page.locator('.flow-state').getByText('Saved', { exact: true }).waitFor()
    expect(nodesOf((await admin.get(path)).data)).toContainEqual(
      expect.objectContaining({ config: { message: 'On the train' } }),
    )

    // the words that begin it are changed by both, too
    await page.getByRole('button', { name: /^How it begins and ends/ }).click()
    await page.getByRole('textbox', { name: 'Words that begin it' }).fill('mine')
    await admin.put(path, { trigger_keywords: ['theirs'] })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await both.getByText('mine', { exact: true }).waitFor()
    await both.getByText('theirs').click()
    await both.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Begins when a customer writes: theirs').waitFor()
    await page.locator('.flow-side-body:focus').waitFor()
    expect((await admin.get(path)).data).toMatchObject({ trigger_keywords: ['theirs'] })

    // what somebody changes in the moment of publishing is read before it is published
    await admin.put(path, { graph, publish: false })
    const changeFirst = async (route: Route): Promise<void> => {
      const { data } = await admin.get(path)
      const nodes = nodesOf(data).map((node) => ({ ...node, label: 'Their name' }))
      await admin.put(path, { graph: { ...(data['graph'] as Loose), nodes }, publish: false })
      await route.continue()
    }
    await page.route('**/publish', changeFirst, { times: 1 })
    await page.getByRole('button', { name: 'Publish' }).click()
    const dialog = page.getByRole('dialog', { name: 'Publish' })
    await dialog.getByRole('button', { name: 'Publish' }).click()
    await dialog
      .getByText(/Their name/)
      .first()
      .waitFor()
    expect((await admin.get(path)).data).toMatchObject({ version: 1, has_draft: true })
    await dialog.getByRole('button', { name: 'Publish' }).click()
    await page.getByText(/^Published\./).waitFor()
    expect((await admin.get(path)).data).toMatchObject({ version: 2, has_draft: false })
    await journey.finish()
  }, 60_000)

  test('is changed by keyboard alone, on a phone: a pizzeria', async () => {
    const journey = await live.open({
      path: '/bot/flows',
      viewport: { width: 390, height: 844 },
    })
    const { page } = journey
    const { keyboard } = page
    /** Leads the focus to where Tab leads sooner or later. */
    const tabTo = async (target: Locator): Promise<void> => {
      await target.waitFor()
      expect(await target.evaluate((element) => (element as { tabIndex?: number }).tabIndex)).toBe(
        0,
      )
      await target.focus()
    }
    const press = async (target: Locator): Promise<void> => {
      await tabTo(target)
      await keyboard.press('Enter')
    }
    const fill = async (target: Locator, text: string): Promise<void> => {
      await tabTo(target)
      await keyboard.press('ControlOrMeta+a')
      await keyboard.type(text)
    }
    const button = (name: string | RegExp) => page.getByRole('button', { name })
    const field = (name: string) => page.getByRole('textbox', { name, exact: true })
    /** Searches in a list that is open, and takes what is found first. */
    const pick = async (words: string): Promise<void> => {
      await page.getByRole('searchbox').and(page.locator(':focus')).waitFor()
      await keyboard.type(words)
      await keyboard.press('ArrowDown')
      await keyboard.press('Enter')
      await page.getByRole('searchbox').waitFor({ state: 'detached' })
    }
    /** Adds a step, whose first field then has the focus. */
    const add = async (at: Locator, kind: string, text: string): Promise<void> => {
      await press(at)
      await pick(kind)
      await page.getByRole('heading', { name: kind, level: 2 }).waitFor()
      await fill(field('Text'), text)
    }
    /** Closes what stands in place of the steps. The focus returns to where it came from. */
    const close = async (from = '[data-node]'): Promise<void> => {
      await keyboard.press('Escape')
      await page.getByRole('list', { name: 'Steps of the flow' }).waitFor()
      await page.locator(`${from}:focus`).waitFor()
    }
    await journey.signIn('manager')
    await press(button('New flow'))
    await press(button(/^Welcome menu/))
    await fill(field('Name of the flow'), 'Pizza')
    await press(button('Create'))

    // the menu
    await press(button(/^Question with buttons Hello/))
    await fill(field('Choice 1'), 'Margherita')
    await fill(field('Choice 2'), 'Something special')
    await page.evaluate('document.activeElement.blur()') // as after a list that has just closed
    await close()
    await press(button(/^Message We are open/))
    await fill(field('Text'), 'A *good* choice!')
    await close()
    await page.locator('.flow-outline b').getByText('good', { exact: true }).waitFor()
    // the address, and who orders for much talks to a person
    await add(button(/^Add a step after Message: A good choice/), 'Question', 'Where to?')
    await fill(field('Remember the answer as'), 'address')
    await close()
    await add(button(/^Add a step after Question: Where to/), 'Question', 'For how much?')
    await fill(field('Remember the answer as'), 'total')
    await close()
    await press(button(/^Add a step after Question: For how much/))
    await pick('Condition')
    const choose = async (name: RegExp, option: string): Promise<void> => {
      await press(button(name))
      await page.getByRole('option', { name: new RegExp(`^${option}`) }).waitFor()
      await page.locator('[role=listbox] :focus').waitFor()
      await keyboard.type(option)
      await keyboard.press('Enter')
    }
    await choose(/Which answer\?$/, 'total')
    await choose(/How it is compared$/, 'is more than')
    await fill(field('With what?'), '50')
    await press(button(/Yes, it is so$/))
    await pick('Hand over to people')
    await close()

    // the test
    await press(button('Test'))
    const say = async (text: string, answer: string): Promise<void> => {
      await fill(field('Message of the customer'), text)
      await keyboard.press('Enter')
      await page.getByRole('log').getByText(answer).last().waitFor()
    }
    await say('hi', 'How can we help you?')
    await press(page.getByRole('log').getByRole('button', { name: 'Margherita' }))
    await page.getByRole('log').getByText('Where to?').waitFor()
    await say('Main Street 7', 'For how much?')
    await say('80', 'A person goes on from here.')
    await press(button('Answers (2)'))
    await page.getByText('Main Street 7').last().waitFor()
    await close('.flow-start button')

    await press(button('Publish'))
    await page.getByRole('dialog', { name: 'Publish' }).waitFor()
    await press(page.getByRole('dialog').getByRole('button', { name: 'Publish' }))
    await page.getByText('Published. It answers customers from now on.').waitFor()
    const flow = await flowNamed('Pizza')
    expect(flow).toMatchObject({ enabled: true, version: 1 })
    expect(nodesOf(flow).find(({ type }) => type === 'condition')?.['config']).toEqual({
      expression: '(total | number) > 50',
    })
    // the first real conversation runs through the steps
    const customer = customerNamed('Bo Berg')
    for (const words of ['hi', 'Margherita', 'Main Street 7', '80']) {
      await customer.says(words)
      await live.world.settle()
      live.world.clock.advance({ seconds: 5 }) // what is written at once is read as one
      await live.world.settle()
    }
    const person = button(/^Hand over to people.*1 came · 1 went on/)
    await person.waitFor()
    // the figures leave the words of a step their room
    expect((await person.locator('b').boundingBox())?.height).toBeLessThan(30)
    await journey.finish()
  }, 90_000)
})
