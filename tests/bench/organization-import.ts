/**
 * Measures the import of a large organization: messages per second, and how long requests of
 * another organization take meanwhile. Run it with `bun tests/bench/organization-import.ts`;
 * MESSAGES says how many.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { ADMINS, Installation, signIn } from '../chaos/installation'
import type { Loose } from '../support/client'
import { enlarged } from '../support/large-archive'
import { archiveOf, packed, PASSPHRASE } from '../support/organization-archive'
import { World } from '../support/world'

const MESSAGES = Number(process.env['MESSAGES'] ?? 20_000)
const EVERY_MS = 20

const source = await World.create()
await source.contactOf()
const archive = enlarged(await archiveOf(source, source.tenant), {
  contacts: Math.ceil(MESSAGES / 20),
  messages: MESSAGES,
})
const bytes = await packed(archive)
await source.stop()
const installation = new Installation({})
const server = await installation.start()
try {
  const folder = join(installation.folder, 'data', 'incoming')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'large.zip'), bytes)
  const client = await signIn(server.url, ADMINS[0])
  const checkedMs = performance.now()
  const { data } = await client.post('/api/admin/organizations/import', {
    ...{ path: 'large.zip', passphrase: PASSPHRASE, dry_run: false },
  })
  const startedMs = performance.now()
  const times: number[] = []
  for (let state = 'running'; state === 'running';) {
    const askedMs = performance.now()
    await client.get('/api/contacts?limit=20')
    times.push(performance.now() - askedMs)
    await Bun.sleep(EVERY_MS)
    if (times.length % 10 !== 0) continue
    const now = await client.get<Loose>(`/api/admin/organizations/imports/${data['id']}`)
    state = String(now.data['state'])
  }
  const seconds = (performance.now() - startedMs) / 1_000
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)
  process.stdout.write(
    `${MESSAGES} messages, ${String(data['rows_total'])} rows, ${(bytes.length / 1e6).toFixed(1)} MB: ` +
      `checked in ${((startedMs - checkedMs) / 1_000).toFixed(1)} s, imported in ${seconds.toFixed(1)} s, ` +
      `${Math.round(MESSAGES / seconds)} messages/s, ${Math.round(Number(data['rows_total']) / seconds)} rows/s; ` +
      `requests of another organization p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(0.9999)} ms (${times.length})\n`,
  )
} finally {
  await server.kill()
  installation.remove()
}
