import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Locator } from 'playwright-core'

import type { Loose } from '../support/client'
import { ASKING, draftFlow, RULES } from '../support/flows'
import { CHROMIUM } from './support/chromium'
import { LiveWorld } from './support/journey'

const HOSTILE = '<img src=x onerror=alert(1)>'

/** A form of one screen as text, whose third line is its identifier. */
const codeOf = (id: string): string =>
  [
    '{ "version": "7.3", "screens": [{',
    `  "title": ${JSON.stringify(HOSTILE)}, "terminal": true,`,
    `  "id": "${id}",`,
    '  "layout": { "type": "SingleColumnLayout", "children": [',
    '    { "type": "TextInput", "name": "words", "label": "In your words", "required": true },',
    '    { "type": "Footer", "label": "Send", "on-click-action":',
    '      { "name": "complete", "payload": { "words": "${form.words}" } } }] } }] }',
  ].join('\n')

/** Puts a text in the place of all code, as a person does who pastes it. */
async function paste(code: Locator, text: string): Promise<void> {
  await code.press('ControlOrMeta+a')
  await code.page().evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', ${JSON.stringify(text)})
    const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    document.activeElement.shadowRoot.activeElement.dispatchEvent(paste)
  }`)
}

describe.skipIf(CHROMIUM === null)('WhatsApp forms', () => {
  let live: LiveWorld

  beforeAll(async () => {
    live = await LiveWorld.create()
    await fetch(live.world.url, { headers: { accept: 'text/html' } })
  }, 60_000)

  afterAll(() => live.stop())

  test('begin with an example, are mended at their line, published, and answered', async () => {
    const { world } = live
    const admin = await world.as('admin')
    const ana = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Ana Sol' })
    await ana.says('Hello!')
    await world.settle()
    // that a form was deleted may be told before its page is left
    const expected = [/status of 404.*\/api\/flows\//]
    const journey = await live.open({ path: '/templates', expected })
    const { page } = journey
    await journey.signIn('admin')
    await page.getByRole('link', { name: 'WhatsApp forms' }).click()
    await page.getByText('No forms yet').waitFor()
    await journey.requireAccessible()
    await page.getByRole('button', { name: 'New form' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Feedback')
    await page.getByRole('button', { name: 'Create' }).click()
    const code = page.locator('.cm-content')
    await code.getByText('"How was it?"').first().waitFor()
    await page.getByRole('button', { name: 'Save to WhatsApp' }).waitFor()
    await journey.requireAccessible()

    await paste(code, codeOf('no id'))
    await page.getByRole('button', { name: /^Line 3:/ }).waitFor()
    await paste(code, codeOf('FEEDBACK'))
    await page.getByRole('button', { name: /^Line/ }).waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: 'Save to WhatsApp' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save to WhatsApp' }).click()
    await page.getByText('WhatsApp has it', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByRole('button', { name: 'Publish Feedback' }).click()
    await page.getByText(/^A published form cannot be changed/).waitFor()
    await page.getByRole('button', { name: 'Preview' }).waitFor()

    const { data: forms } = await admin.get('/api/flows')
    const form = (forms['items'] as Loose[])[0]
    expect(form).toMatchObject({ name: 'Feedback', status: 'PUBLISHED', categories: ['SURVEY'] })
    const { data: contacts } = await admin.get('/api/contacts')
    const contactId = (contacts['items'] as Loose[])[0]?.['id']
    const interactive = { body: 'How was it?', button_text: 'Tell us', flow_id: form?.['id'] }
    const sent = await admin.post(`/api/contacts/${contactId}/messages`, {
      type: 'interactive',
      interactive: { type: 'flow', ...interactive },
    })
    await world.settle()
    const { data: message } = await admin.get(`/api/messages/${sent.data['id']}`)
    const replyTo = String(message['wa_message_id'])
    await ana.completesFlow({ words: HOSTILE }, { replyTo })
    await world.settle()
    await page.getByRole('link', { name: 'Responses' }).click()
    await page.getByText(HOSTILE, { exact: true }).waitFor()
    await page.getByText('In your words:', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Ana Sol' }).waitFor()
    await journey.requireAccessible()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ])
    expect(saved.suggestedFilename()).toMatch(/^flow-.*-responses\.csv$/)

    await page.getByRole('button', { name: 'Actions for Feedback' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Form', exact: true }).click()
    await page.getByRole('button', { name: 'Actions for Feedback' }).click()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await page.getByRole('heading', { level: 1, name: 'Feedback (copy)' }).waitFor()
    await page.getByRole('button', { name: 'Actions for Feedback (copy)' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete Feedback (copy)' }).click()
    await page.getByRole('link', { name: 'Feedback', exact: true }).waitFor()
    expect((await admin.get('/api/flows')).data['total']).toBe(1)
    await journey.finish()
  }, 60_000)

  test('say on a phone why they cannot ask, and what they asked', async () => {
    const { world } = live
    const admin = await world.as('admin')
    const asking = await draftFlow(world, admin, {
      ...{ name: 'Asking', json_definition: ASKING, endpoint_mode: 'rules' },
      endpoint_config: RULES,
    })
    const journey = await live.open({
      path: `/forms/${asking['id']}`,
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
    })
    const { page } = journey
    await journey.signIn('admin')
    await page.getByText(/^Its number has no key yet/).waitFor()
    await journey.requireAccessible()
    await page.getByRole('link', { name: 'Requests' }).click()
    await page.getByText('It has asked nothing yet').waitFor()
    const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
    expect(wide).toBe(false)
    await journey.finish()
  }, 60_000)
})
