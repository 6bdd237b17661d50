import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Loose } from '../support/client'
import { freePort } from '../support/ports'
import { World } from '../support/world'
import { missingOf } from './guide'

const root = join(import.meta.dir, '../..')
const SECRET = `whsec_${Buffer.from('a secret of at least 24 bytes').toString('base64')}`

/** The receiver of the integrator's guide in a language. */
function receiverIn(language: string): string {
  const page = readFileSync(join(root, 'src/docs/integrate.md'), 'utf8')
    .split('\n## Receive webhooks\n')
    .at(-1)
  const found = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(page ?? '')?.[1]
  if (found === undefined) throw new Error(`src/docs/integrate.md has no receiver in ${language}`)
  return found
}

const hasPythonLibrary = (): boolean =>
  Bun.which('python3') !== null &&
  Bun.spawnSync(['python3', '-c', 'import standardwebhooks']).exitCode === 0

/** The port of the receiver in PHP, which does not say which one it took. */
const PORT = await freePort()

const RECEIVERS: [
  language: string,
  file: string,
  command: (path: string) => string[],
  missing: string | null,
][] = [
  ['ts', 'receiver.ts', (path) => [process.execPath, path], null],
  [
    'python',
    'receiver.py',
    (path) => ['python3', path],
    hasPythonLibrary() ? null : 'python3 with standardwebhooks',
  ],
  ['php', 'receiver.php', (path) => ['php', '-S', `127.0.0.1:${PORT}`, path], missingOf('php')],
]

/** Runs the receiver of the guide in a process of its own. */
async function started(language: string, file: string, command: (path: string) => string[]) {
  mkdirSync(join(root, 'dist'), { recursive: true })
  const folder = mkdtempSync(join(root, 'dist', 'receiver-'))
  writeFileSync(join(folder, file), receiverIn(language))
  const child = Bun.spawn(command(join(folder, file)), {
    env: { ...process.env, WEBHOOK_SECRET: SECRET, PORT: '0', PYTHONUNBUFFERED: '1' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let said = ''
  const read = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    for await (const piece of stream) said += new TextDecoder().decode(piece)
  }
  const output = Promise.all([read(child.stdout), read(child.stderr)])
  const until = async (what: RegExp): Promise<RegExpExecArray> => {
    for (let round = 0; round < 1_000; round += 1) {
      const match = what.exec(said)
      if (match) return match
      await Bun.sleep(10)
    }
    throw new Error(`the receiver did not say ${what}; it said:\n${said}`)
  }
  return {
    said: () => said,
    until,
    async [Symbol.asyncDispose]() {
      child.kill()
      await output
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

for (const [language, file, command, missing] of RECEIVERS)
  test.skipIf(missing !== null)(
    `the receiver in ${language} accepts what is signed, during a rotation too, and nothing else`,
    async () => {
      await using receiver = await started(language, file, command)
      const [, port = String(PORT)] =
        language === 'php'
          ? await receiver.until(/Development Server|started/)
          : await receiver.until(/listening on (\d+)/)
      const host = `127.0.0.1:${language === 'php' ? PORT : port}`
      await using world = await World.create({ env: { EGRESS_ALLOW: host }, startMs: Date.now() })
      const admin = await world.as('admin')
      const endpoint = await admin.post('/api/webhooks', {
        name: 'Receiver of the guide',
        url: `http://${host}/hook`,
        events: ['message.received', 'contact.created'],
        secret: SECRET,
      })
      const id = String(endpoint.data['id'])
      await world.contactOf()
      const states = async (): Promise<unknown[]> =>
        ((await admin.get(`/api/webhooks/${id}/deliveries`)).data['items'] as Loose[]).map(
          ({ state }) => state,
        )
      expect(await states()).toEqual(['delivered', 'delivered'])
      await receiver.until(/contact\.created evt_/)
      await receiver.until(/message\.received evt_/)
      await admin.post(`/api/webhooks/${id}/rotate-secret`, {})
      await world.contactOf(world.tenant, 'During the rotation', '15550007777')
      expect(await states()).toEqual(['delivered', 'delivered', 'delivered', 'delivered'])
      await admin.post(`/api/webhooks/${id}/revoke-secret`, {})
      const tested = await admin.post(`/api/webhooks/${id}/test`, {})
      expect(tested.data).toMatchObject({ success: false, status_code: 401 })
    },
    20_000,
  )
