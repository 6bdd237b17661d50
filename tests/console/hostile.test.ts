import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { systemCtx } from '../../src/infra/ctx'
import { transact } from '../../src/infra/db/transact'
import { recordQuestionIn } from '../../src/modules/automation/ai/questions/record'
import type { Loose } from '../support/client'
import { approvedTemplate } from '../support/campaigns'
import type { World } from '../support/world'
import { CHROMIUM } from './support/chromium'
import { HOSTILE } from './support/hostile'
import { LiveWorld } from './support/journey'

/** How many of the texts are names, and cards, places and files; all for `HOSTILE_PLACES=full`. */
const isFull = process.env['HOSTILE_PLACES'] === 'full'
const NAMES = isFull ? HOSTILE.length : 12
const CARDS = isFull ? HOSTILE.length : 8
const BEGINNING = 'The first message'

/** Hostile texts of colleagues: names, tags, canned responses, notes, teams. */
async function furnish(world: World): Promise<void> {
  const admin = await world.as('admin')
  const { data } = await admin.get('/api/contacts?search=All of it')
  const [contact] = data['items'] as Loose[]
  const made = [
    ...HOSTILE.slice(0, 4).flatMap((text) => [
      admin.post('/api/tags', { name: clean(text).slice(0, 50) }),
      admin.post('/api/teams', { name: clean(text).slice(0, 100) }),
      admin.post('/api/canned-responses', { name: clean(text).slice(0, 100), content: text }),
      admin.post(`/api/contacts/${String(contact?.['id'])}/notes`, { content: text }),
    ]),
    admin.put('/api/me', { full_name: clean(HOSTILE[0] ?? '').slice(0, 100) }),
  ]
  const template = await approvedTemplate(world)
  for (const text of HOSTILE.slice(0, 4)) {
    const name = clean(text).slice(0, 100)
    const body = { name, account_id: world.tenant.accountId, template_id: template }
    made.push(admin.post('/api/campaigns', body))
    const copy = { account_id: world.tenant.accountId, display_name: name, language: 'en' }
    const components = [{ type: 'BODY', text: clean(text).slice(0, 500) || '-' }]
    made.push(
      admin.post('/api/templates', {
        ...copy,
        ...{ name: `hostile_${made.length}`, category: 'UTILITY', components },
      }),
    )
  }
  for (const answer of await Promise.all(made)) expect(answer.status).toBeLessThan(300)
}

/** Knowledge of the AI, and questions of customers that it does not answer. Returns its address. */
async function hostileKnowledge(world: World): Promise<string> {
  const admin = await world.as('admin')
  const { data } = await admin.get('/api/contacts?search=All of it')
  const contactId = String((data['items'] as Loose[])[0]?.['id'])
  const ctx = systemCtx(world.program.http, world.tenant.id)
  for (const text of HOSTILE)
    transact(ctx.db, (tx) => {
      recordQuestionIn(tx, ctx, { contactId, messageId: null, text })
    })
  const name = clean(HOSTILE[0] ?? '').slice(0, 100)
  const content = HOSTILE.map((text) => `The passage: ${clean(text)}`).join('\n\n')
  const made = await admin.post('/api/chatbot/ai-contexts', { name, content })
  expect(made.status).toBe(201)
  return `/bot/ai/${String(made.data['id'])}`
}

/** Makes a flow that asks, and whose steps have hostile names, texts and buttons. Returns its address. */
async function hostileFlow(world: World): Promise<string> {
  const nodes = HOSTILE.slice(0, CARDS).map((text, index) => ({
    ...{ id: `n${index}`, type: 'buttons', label: text.slice(0, 255) },
    config: { body: text, buttons: [{ id: text.slice(0, 200), title: text.slice(0, 20) }] },
  }))
  const edges = nodes.slice(1).map(({ id }, index) => ({ from: `n${index}`, to: id }))
  const ask = { id: 'ask', type: 'prompt', config: { body: 'Anything?', store_as: 'word' } }
  const graph = {
    ...{ version: 2, entry_node: 'ask', nodes: [ask, ...nodes] },
    edges: [{ from: 'ask', to: 'n0' }, ...edges],
  }
  const name = clean(HOSTILE[0] ?? '').slice(0, 100)
  const made = await (await world.as('admin')).post('/api/chatbot/flows', { name, graph })
  expect(made.status).toBe(201)
  return `/bot/flows/${String(made.data['id'])}`
}

/** The API takes no control characters in names. */
const clean = (text: string): string => text.replaceAll(/\p{C}/gu, '')

describe.skipIf(CHROMIUM === null)('hostile customers', () => {
  let live: LiveWorld

  beforeAll(async () => {
    live = await LiveWorld.create()
    const { simulator, tenant } = live.world
    const phone = tenant.phoneId
    const hostile = HOSTILE.slice(0, NAMES).map((text, index) =>
      simulator.customer({ phone, name: text.slice(0, 100) }).says(`${index} ${text}`),
    )
    const all = simulator.customer({ phone, name: 'All of it' })
    const cards = simulator.customer({ phone, name: 'Cards and files' })
    await Promise.all([all.says(BEGINNING), cards.says(BEGINNING), ...hostile])
    await Promise.all(HOSTILE.map((text) => all.says(text)))
    await Promise.all(
      HOSTILE.slice(0, CARDS).flatMap((text) => [
        cards.sharesContact({ name: text, phone: text }),
        cards.sharesLocation({ latitude: 1, longitude: 2, name: text, address: text }),
        cards.sends({ type: 'document', filename: text, caption: text }),
        cards.isPassedTo('us', { role: text, summary: text }),
      ]),
    )
    await live.world.settle()
    await furnish(live.world)
  }, 60_000)

  afterAll(() => live.stop())

  /** Opens a conversation and scrolls up until its first message was drawn. */
  async function openAndScroll(page: Page, name: string): Promise<void> {
    await page.getByRole('listitem').filter({ hasText: name }).getByRole('link').click()
    const log = page.getByRole('log', { name: 'Messages' })
    await log.getByRole('article').first().waitFor()
    await log.hover()
    const oldest = log.getByText(BEGINNING)
    while ((await oldest.count()) === 0) await page.mouse.wheel(0, -1_500)
  }

  /** Requires that no text became an element that does something. */
  async function requireHarmless(page: Page): Promise<void> {
    expect(await page.evaluate('window.isHit')).toBeUndefined()
    expect(
      await page.evaluate("document.querySelectorAll('iframe, script:not([src])').length"),
    ).toBe(0)
    const links = await page.evaluate('[...document.links].map((link) => link.protocol)')
    expect((links as string[]).filter((one) => !/^https?:$/.test(one))).toEqual([])
  }

  test('cannot run anything: names, previews, messages, cards and file names are texts', async () => {
    const journey = await live.open({ path: '/inbox' })
    const { page } = journey
    const dialogs: string[] = []
    page.on('dialog', (dialog) => dialogs.push(dialog.message()))
    await journey.signIn('admin')
    expect(HOSTILE.length).toBe(100)
    await openAndScroll(page, 'All of it')
    await openAndScroll(page, 'Cards and files')
    for (let row = 0; row < (isFull ? HOSTILE.length : 5); row += 1) {
      await page.keyboard.press('j')
      await page.getByRole('log').getByRole('article').first().waitFor()
    }
    await requireHarmless(page)
    for (const place of ['contacts?sort=name', 'templates', 'campaigns']) {
      await page.goto(`/${place}`)
      await journey.see(page.locator('[data-row]').nth(1))
      await requireHarmless(page)
    }
    // names of colleagues, teams and tags beside figures
    for (const place of ['people?days=30d', 'live', 'quality?by=team']) {
      await page.goto(`/analytics/${place}`)
      await journey.see(page.locator('main table, main svg').first())
      await requireHarmless(page)
    }
    for (const place of ['tags', 'teams', 'canned-responses', 'people', 'profile']) {
      await page.goto(`/settings/${place}`)
      await journey.see(page.getByRole('heading', { level: 1 }))
      await requireHarmless(page)
    }
    const flow = await hostileFlow(live.world)
    await page.goto(`${flow}?node=n0`)
    await journey.see(page.locator('.flow-card').last())
    await journey.see(page.locator('.flow-side'))
    await requireHarmless(page)
    await page.goto(`${flow}?as=list&side=test`)
    await journey.see(page.locator('.flow-row').last())
    const said = page.getByRole('textbox', { name: 'Message of the customer' })
    await said.fill('Hello')
    await page.keyboard.press('Enter')
    await journey.see(page.getByRole('log').getByText('Anything?'))
    await said.fill(HOSTILE[0] ?? '')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Answers (1)' }).click()
    await journey.see(page.locator('.flow-variables dd'))
    await requireHarmless(page)
    const knowledge = await hostileKnowledge(live.world)
    await page.goto('/bot/ai')
    await journey.see(page.locator('[data-row]').nth(5))
    await requireHarmless(page)
    await page.goto(knowledge)
    await page.getByRole('textbox', { name: 'Question', exact: true }).fill('passage')
    await page.keyboard.press('Enter')
    await journey.see(page.locator('.ai-passages li').first())
    await requireHarmless(page)
    expect(dialogs).toEqual([])
    await journey.finish()
  }, 90_000)
})
