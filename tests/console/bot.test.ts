import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { AiSimulator } from '../simulator/ai/server'
import { CHROMIUM } from './support/chromium'
import { HOSTILE } from './support/hostile'
import { LiveWorld, type Journey } from './support/journey'

describe.skipIf(CHROMIUM === null)('the owner of a bakery', () => {
  let ai: AiSimulator
  let live: LiveWorld
  let journey: Journey

  beforeAll(async () => {
    ai = new AiSimulator()
    live = await LiveWorld.create({ env: ai.env })
    journey = await live.open({ path: '/bot', expected: [/status of 409/] })
    await journey.signIn('admin')
  }, 60_000)

  afterAll(async () => {
    await live.stop()
    await ai.stop()
  })

  test('writes a rule, tries it, switches the bot on, and sees a customer talk to it', async () => {
    const { page } = journey
    await page.getByText('The bot is off. People answer every message.').waitFor()
    await page.getByText('No rule, no flow and no AI answers yet.').waitFor()
    await page.getByRole('link', { name: 'Rules', exact: true }).click()
    await page.getByRole('link', { name: 'New rule' }).click()
    await page.getByRole('textbox', { name: 'Keywords' }).fill('open')
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Text' }).fill('We are open from *9 to 18*.')
    await page.getByRole('figure').getByText('9 to 18').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Has not answered yet').waitFor()
    await page.getByRole('link', { name: 'Rules', exact: true }).click()
    await page.getByRole('textbox', { name: /What would a customer get/ }).fill('Are you open?')
    await page.keyboard.press('Enter')
    await page.getByText('No other rule matches.').waitFor()
    await page.getByRole('row').filter({ hasText: 'Answers' }).getByText('open').first().waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByText('The bot answers', { exact: true }).click()
    await page
      .getByText('The bot answers at any time with rules. It hands over to the general queue.')
      .waitFor()
    await journey.requireAccessible()
    const greeting = page.getByRole('textbox', { name: 'Text of the greeting' })
    await greeting.fill('Good day from me')
    const admin = await live.world.as('admin')
    await admin.put('/api/chatbot/settings', { greeting_message: 'Good day from a colleague' })
    await page.getByRole('button', { name: 'Save' }).click()
    const both = page.getByRole('dialog')
    await both.getByText('Good day from a colleague').waitFor()
    await both.getByText('Good day from me').waitFor()
    await both.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    expect((await admin.get('/api/chatbot/settings')).data['greeting_message']).toBe(
      'Good day from me',
    )
    // one number says something else while it is closed
    await page.getByRole('button', { name: /Open the settings of a number$/ }).click()
    await page.getByRole('option').first().click()
    await page.getByText('This number follows the settings of all numbers').waitFor()
    await page.getByPlaceholder('We are closed at the moment.').fill('At the fair.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This number differs in: When you are closed.').waitFor()
    const closedText = async (query = ''): Promise<unknown> =>
      (await admin.get(`/api/chatbot/settings${query}`)).data['out_of_hours_message']
    const { accountId } = live.world.tenant
    expect(await closedText(`?account_id=${String(accountId)}`)).toBe('At the fair.')
    expect(await closedText()).toBeNull()
    await page.getByRole('link', { name: 'Sessions', exact: true }).click()
    await page.getByText('Nobody has talked to the bot yet').waitFor()
    const { simulator, tenant } = live.world
    await simulator.customer({ phone: tenant.phoneId, name: 'Ana Sol' }).says('Are you open?')
    await page.getByRole('link', { name: 'Without a flow' }).click()
    const wall = page.getByRole('list', { name: 'The conversation, and what the bot did' })
    await wall.getByText('Are you open?').waitFor()
    await wall.getByText('answered by the rule').waitFor()
    await wall.getByText('9 to 18').waitFor()
    await journey.requireAccessible()
  }, 60_000)

  test('teaches the AI a document, and nothing that the AI answers does anything', async () => {
    const { page } = journey
    const admin = await live.world.as('admin')
    await page.getByRole('link', { name: 'AI and knowledge' }).click()
    await page.getByText('The AI knows nothing yet').waitFor()
    await page.getByRole('link', { name: 'Add knowledge' }).click()
    await page.getByRole('button', { name: /Kind/ }).click()
    await page.getByRole('option', { name: 'Document' }).click()
    await page.locator('input[type=file]').setInputFiles({
      name: 'cakes.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from(`Lemon cake costs 38 euros.\n\n${HOSTILE.slice(0, 20).join('\n\n')}`),
    })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Read', { exact: true }).waitFor()
    await page
      .getByRole('textbox', { name: 'Question', exact: true })
      .fill('What does the lemon cake cost?')
    await page.keyboard.press('Enter')
    await page.getByText('Lemon cake costs 38 euros.').waitFor()
    ai.answers = () => HOSTILE.slice(0, 30).join('\n').slice(0, 3_000)
    await admin.put('/api/chatbot/settings', {
      ...{ ai_provider: 'openai', ai_model: 'gpt-4o-mini', ai_api_key: ai.key },
      ai_purpose: 'Answers questions of the customers of a bakery.',
    })
    await page.getByRole('link', { name: 'AI and knowledge' }).click()
    await page
      .getByRole('textbox', { name: 'Question', exact: true })
      .fill('What does the lemon cake cost?')
    await page.keyboard.press('Enter')
    await journey.see(page.getByRole('figure', { name: 'The answer on the phone' }))
    expect(await page.evaluate('window.isHit')).toBeUndefined()
    const strange = "document.querySelectorAll('iframe, script:not([src])').length"
    expect(await page.evaluate(strange)).toBe(0)
    await journey.requireAccessible()
    await journey.finish()
  }, 60_000)
})
