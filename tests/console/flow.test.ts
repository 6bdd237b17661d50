import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'

import type { Loose } from '../support/client'
import { CHROMIUM } from './support/chromium'
import { HOSTILE } from './support/hostile'
import { LiveWorld, type Journey } from './support/journey'

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
  const published = async (page: Page, name: string): Promise<Loose> => {
    const dialog = page.getByRole('dialog', { name: 'Publish' })
    await dialog.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('It answers customers from now on.').waitFor()
    return await flowNamed(name)
  }

  test('is built by pointer: a question, then a team', async () => {
    const journey = await live.open({ path: '/bot/flows', reducedMotion: 'reduce' })
    const { page } = journey
    await journey.signIn('admin')
    await page.getByRole('button', { name: 'New flow' }).click()
    await page.getByRole('button', { name: /^Empty flow/ }).click()
    await page.getByRole('textbox', { name: 'Name of the flow' }).fill('Order status')
    await page.getByRole('button', { name: 'Create' }).click()

    const step = page.getByRole('region', { name: 'Step', exact: true })
    const kindOf = (kind: string) =>
      page.getByRole('menuitem').filter({ has: page.getByText(kind, { exact: true }) })
    const add = async (kind: string): Promise<void> => {
      await page.getByRole('button', { name: 'Add a step', exact: true }).click()
      await kindOf(kind).click()
      await step.getByRole('heading', { name: kind }).waitFor()
    }
    await step.getByRole('textbox', { name: 'Text' }).fill('Hello! I look for your order.')
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
    await journey.picture('flow-canvas')
    await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
    await journey.requireAccessible()

    await page.getByRole('button', { name: /^How it begins and ends/ }).click()
    await page.getByRole('textbox', { name: 'Words that begin it' }).fill('order, where is it')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Begins when a customer writes: order, where is it').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    const flow = await published(page, 'Order status')
    expect(flow).toMatchObject({ enabled: true, version: 1, trigger_keywords: ['order', 'where is it'] })
    expect(nodesOf(flow).map(({ type }) => type)).toEqual(['message', 'prompt', 'buttons', 'transfer'])
    expect(edgesOf(flow)).toContainEqual({
      from: 'buttons_1',
      to: 'transfer_1',
      condition: 'button:choice_1',
    })
    await journey.finish()
  }, 60_000)
})
void HOSTILE
