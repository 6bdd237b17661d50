import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { CHROMIUM } from './support/chromium'
import { LiveWorld } from './support/journey'

/** What each hostile text would do if it were more than a text. */
const HIT = 'window.isHit=true'
const WRAPS: ((script: string) => string)[] = [
  (script) => `<script>${script}</script>`,
  (script) => `<img src=x onerror="${script}">`,
  (script) => `<svg onload="${script}">`,
  (script) => `"><iframe srcdoc="<script>parent.${script}</script>">`,
  (script) => `javascript:${script}`,
  (script) => `https://a.example/"onmouseover="${script}`,
  (script) => `*<b onclick="${script}">bold</b>*`,
  (script) => `\`\`\`</code><script>${script}</script>\`\`\``,
  (script) => `{{constructor.constructor('${script}')()}}`,
  (script) => `<style>*{background:url("https://evil.example/?${script}")}</style>`,
  (script) => `<a href="data:text/html,<script>${script}</script>">click</a>`,
  (script) => `\u202e<script>${script}</script>\u0000`,
  (script) => `<math><mtext><script>${script}</script></mtext></math>`,
  (script) => `&lt;script&gt;${script}&lt;/script&gt;`,
  (script) => `<body onpageshow=${script}><input autofocus onfocus=${script}>`,
]
const TEXTS = WRAPS.map((wrap) => wrap(HIT))

describe.skipIf(CHROMIUM === null)('hostile customers', () => {
  let live: LiveWorld

  beforeAll(async () => {
    live = await LiveWorld.create()
    const { simulator, tenant } = live.world
    for (const [index, text] of TEXTS.entries()) {
      const customer = simulator.customer({ phone: tenant.phoneId, name: text.slice(0, 100) })
      await customer.says(`${index} ${text}`)
    }
    const last = simulator.customer({ phone: tenant.phoneId, name: 'All of it' })
    for (const text of TEXTS) await last.says(text)
  }, 60_000)

  afterAll(() => live.stop())

  test('cannot run anything: names, previews and messages are texts', async () => {
    const journey = await live.open({ path: '/inbox' })
    const { page } = journey
    const dialogs: string[] = []
    page.on('dialog', (dialog) => dialogs.push(dialog.message()))
    await journey.signIn('admin')
    await page.getByRole('listitem').filter({ hasText: 'All of it' }).getByRole('link').click()
    await page
      .getByRole('log')
      .getByText(TEXTS[0] ?? '', { exact: true })
      .waitFor({ state: 'attached' })
    for (let row = 0; row < 5; row += 1) {
      await page.keyboard.press('j')
      await page.getByRole('log').getByRole('article').first().waitFor()
    }
    expect(await page.evaluate('window.isHit')).toBeUndefined()
    expect(
      await page.evaluate("document.querySelectorAll('iframe, script:not([src])').length"),
    ).toBe(0)
    const links = await page.evaluate('[...document.links].map((link) => link.protocol)')
    expect((links as string[]).filter((one) => !/^https?:$/.test(one))).toEqual([])
    expect(dialogs).toEqual([])
    await journey.finish()
  }, 90_000)
})
