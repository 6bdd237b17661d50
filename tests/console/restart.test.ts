import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Browser } from 'playwright-core'

import { startSimulator, type Simulator } from '../../src/simulator/platform'
import { Client } from '../support/client'
import { freePort } from '../support/ports'
import { ServerProcess, type ProcessOptions } from '../support/process'
import { CHROMIUM, launch } from './support/chromium'
import { Journey } from './support/journey'

const LOGIN = { email: 'admin@switchboard.local', password: 'correct horse battery' }

describe.skipIf(CHROMIUM === null)('a server that is killed and started again', () => {
  let folder: string
  let simulator: Simulator
  let options: ProcessOptions
  let server: ServerProcess
  let browser: Browser

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-restart-console-'))
    ;[simulator, browser] = await Promise.all([startSimulator(), launch()])
    const env = { PLATFORM_BASE_URL: simulator.url, ADMIN_PASSWORD: LOGIN.password }
    options = { cwd: folder, env: { ...env, PORT: String(await freePort()) } }
    server = await ServerProcess.start(options)
    const secret = readFileSync(join(folder, 'data', 'app-secret'), 'utf8').trim()
    simulator.setCallback(`${server.url}/api/webhook`, secret)
    const { data } = await new Client(server.url).post('/api/auth/login', LOGIN)
    const admin = new Client(server.url, { authorization: `Bearer ${data['access_token']}` })
    const { id, wabaId, token } = simulator.phone
    const number = { name: 'Main', phone_id: id, business_id: wabaId, access_token: token }
    expect((await admin.post('/api/accounts', number)).status).toBe(201)
  }, 60_000)

  afterAll(async () => {
    await browser.close()
    await server.stop()
    await simulator.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('loses nothing of a sentence, misses no message, and sends nothing twice', async () => {
    const ana = simulator.customer({ name: 'Ana Sol' })
    await ana.says('Are you open today?')
    const expected = [/ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_SOCKET|WebSocket/]
    const journey = await Journey.open({ browser, url: server.url }, { expected })
    const { page } = journey
    await journey.enter(LOGIN.email, LOGIN.password)
    await page.getByRole('listitem').filter({ hasText: 'Ana Sol' }).getByRole('link').click()
    const bubbleOf = (words: string) =>
      page.getByRole('log').getByRole('article').filter({ hasText: words })
    await bubbleOf('Are you open today?').waitFor()
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.fill('Yes, ')
    await server.kill()
    await field.press('End')
    await page.keyboard.type('until six')
    await page.keyboard.press('Enter')
    await bubbleOf('Yes, until six').waitFor()
    await field.fill('And on Sund')
    await page.getByRole('status').filter({ hasText: 'No connection' }).waitFor()

    server = await ServerProcess.start(options)
    await ana.says('Hello?')
    await bubbleOf('Hello?').waitFor({ timeout: 40_000 })
    await bubbleOf('Yes, until six')
      .getByRole('img', { name: /Sent|Delivered|Read/ })
      .waitFor()
    expect(await field.inputValue()).toBe('And on Sund')
    await page
      .getByRole('status')
      .filter({ hasText: 'No connection' })
      .waitFor({ state: 'detached' })
    for (const words of ['Are you open today?', 'Yes, until six', 'Hello?'])
      expect(await bubbleOf(words).count()).toBe(1)
    expect(ana.received()).toHaveLength(1)
    await page.reload()
    await bubbleOf('Yes, until six').waitFor()
    expect(await field.inputValue()).toBe('And on Sund')
    await journey.finish()
  }, 90_000)
})
