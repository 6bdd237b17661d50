import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { CHROMIUM, launch } from '../console/support/chromium'
import { visit } from '../console/support/visit'
import { startSimulator, type Simulator } from '../../src/simulator/platform'
import { Client } from '../support/client'
import { ServerProcess } from '../support/process'

const ROOT = join(import.meta.dir, '../..')
const LOGIN = { email: 'admin@switchboard.local', password: 'correct horse battery' }

/**
 * A command that runs another one without the sources: where namespaces are allowed, empty folders
 * lie over them. The compiled file must not notice.
 */
function withoutSources(...command: string[]): string[] {
  const isAllowed = Bun.spawnSync(['unshare', '-rm', 'true']).exitCode === 0
  if (!isAllowed) return command
  const hide = ['src', 'node_modules'].map((name) => `mount -t tmpfs none '${ROOT}/${name}'`)
  return ['unshare', '-rm', 'sh', '-c', `${hide.join(' && ')} && exec "$@"`, 'sh', ...command]
}

describe.skipIf(CHROMIUM === null)('the console in the compiled file', () => {
  let folder: string
  let simulator: Simulator
  let server: ServerProcess

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-binary-console-'))
    copyFileSync(join(ROOT, 'dist/switchboard'), join(folder, 'switchboard'))
    simulator = await startSimulator()
    server = await ServerProcess.start({
      cwd: folder,
      command: withoutSources(join(folder, 'switchboard')),
      env: { PLATFORM_BASE_URL: simulator.url, ADMIN_PASSWORD: LOGIN.password },
    })
    const secret = readFileSync(join(folder, 'data', 'app-secret'), 'utf8').trim()
    simulator.setCallback(`${server.url}/api/webhook`, secret)
    const { data } = await new Client(server.url).post('/api/auth/login', LOGIN)
    const admin = new Client(server.url, { authorization: `Bearer ${data['access_token']}` })
    const { id, wabaId, token } = simulator.phone
    const number = { name: 'Main', phone_id: id, business_id: wabaId, access_token: token }
    expect((await admin.post('/api/accounts', number)).status).toBe(201)
  }, 60_000)

  afterAll(async () => {
    await server.stop()
    await simulator.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('receives and answers a message, without the sources', async () => {
    const browser = await launch()
    try {
      await visit({ browser, url: server.url }, LOGIN, simulator.customer({ name: 'Ana Sol' }))
    } finally {
      await browser.close()
    }
  }, 60_000)
})
