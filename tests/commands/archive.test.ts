import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'bun:test'

import { fillInbox } from '../bench/inbox-rows'
import { ADMINS, Installation, signIn } from '../chaos/installation'
import { openArchive, type OpenArchive } from '../support/archive'
import type { Client, Loose } from '../support/client'
import { runCommand } from '../support/command'

const COUNTS = { messages: 6_000, contacts: 600, mine: 10 }
const installation = new Installation({})
let organizationId: string

beforeAll(async () => {
  await (await installation.start()).stop()
  fillInbox(installation.databasePath, COUNTS)
  organizationId = String(
    installation.rows<Loose>('select id from organizations order by rowid limit 1')[0]?.['id'],
  )
})
afterAll(() => installation.remove())

const incoming = (): string[] => {
  const folder = join(installation.folder, 'data', 'media', 'incoming')
  return existsSync(folder) ? readdirSync(folder) : []
}

const eventually = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  for (let round = 0; round < 3_000; round += 1) {
    if (await holds()) return
    await Bun.sleep(2)
  }
  throw new Error('that did not happen in time')
}

/** The state of the newest archive. */
const newest = async (client: Client): Promise<Loose> =>
  (
    (await client.get(`/api/organizations/${organizationId}/archives`)).data['items'] as Loose[]
  )[0] ?? {}

/** Fails unless every row that another one refers to is in the archive. */
function expectWhole(archive: OpenArchive): void {
  const idsOf = (table: string): Set<unknown> =>
    new Set(archive.rows(table).map((row) => row['id']))
  const [contacts, conversations, messages] = [
    idsOf('contacts'),
    idsOf('conversations'),
    idsOf('messages'),
  ]
  for (const row of archive.rows('messages')) {
    expect(contacts.has(row['contact_id'])).toBe(true)
    expect(conversations.has(row['conversation_id'])).toBe(true)
  }
  for (const row of archive.rows('conversations'))
    expect(row['last_message_id'] === null || messages.has(row['last_message_id'])).toBe(true)
}

test('a server that is killed while it writes an archive starts it anew and leaves nothing', async () => {
  const killed = await installation.start()
  const client = await signIn(killed.url, ADMINS[0])
  const { status } = await client.post(`/api/organizations/${organizationId}/archive`, {})
  expect(status).toBe(202)
  await eventually(() => incoming().length > 0)
  await killed.kill()
  const left = incoming()

  await using server = await installation.start()
  const again = await signIn(server.url, ADMINS[0])
  await eventually(async () => (await newest(again))['status'] === 'completed')
  expect((await newest(again))['counts']['rows']).toBeGreaterThan(COUNTS.messages)
  await eventually(() => left.every((name) => !incoming().includes(name)))
  await server.stop()
}, 60_000)

test('the command writes a whole archive while a server adds contacts', async () => {
  await using server = await installation.start()
  const client = await signIn(server.url, ADMINS[0])
  const out = join(installation.folder, 'acme.zip')
  const { options } = installation
  const env = { ...options.env, ARCHIVE_PASSPHRASE: 'a passphrase for the command' }
  const run = (args: string[], more: Record<string, string> = {}) =>
    runCommand(['organization', 'export', ...args], {
      cwd: installation.folder,
      env: { ...env, ...more },
    })
  let [isOver, added] = [false, 0]
  const adding = (async () => {
    for (; !isOver; added += 1)
      await client.post('/api/contacts', { phone_number: String(4_915_700_000_000 + added) })
  })()
  const written = await run([organizationId, '--out', out, '--json'])
  isOver = true
  await adding
  expect([written.code, written.errors]).toEqual([0, ''])
  expect(added).toBeGreaterThan(0)
  const archive = await openArchive(out)
  expectWhole(archive)
  expect(archive.rows('messages')).toHaveLength(COUNTS.messages)
  expect(archive.rows('contacts').length).toBe(
    Number(archive.manifest.parts.find(({ table }) => table === 'contacts')?.rows),
  )
  expect(archive.rows('users').every((row) => row['password_hash'] !== null)).toBe(true)
  expect(existsSync(`${out}.partial`)).toBe(false)

  const twice = await run([organizationId, '--out', out])
  expect([twice.code, twice.errors]).toEqual([1, expect.stringContaining('already exists')])
  const other = join(installation.folder, 'other.zip')
  const short = await run([organizationId, '--out', other], { ARCHIVE_PASSPHRASE: 'short' })
  expect([short.code, short.errors]).toEqual([1, expect.stringContaining('12 characters')])
  expect(existsSync(other) || existsSync(`${other}.partial`)).toBe(false)
  await server.stop()
}, 60_000)
