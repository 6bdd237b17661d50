import { statSync } from 'node:fs'

import { ADMINS, Installation, signIn } from '../chaos/installation'
import type { Client } from '../support/client'
import { fillInbox } from './inbox-rows'
import { probe, stretchTable, type Stretch } from './probe'
import { machineOf, save } from './report'

const MESSAGES = 1_000_000
const REST_MS = 10_000
const POLL_MS = 100
const DEADLINE_MS = 600_000

/**
 * Measures what the requests of one organization take while the archive of another one is written:
 * a million messages, or as many as the first word says. With the word `erase` the organization is
 * erased afterwards. `isSaved` writes the report to `results`.
 */
export async function benchArchive(options: { isSaved: boolean; words: string[] }): Promise<void> {
  const messages = Number(options.words[0] ?? MESSAGES)
  const installation = new Installation({ RATE_BULK: '0' })
  try {
    await (await installation.start()).stop()
    fillInbox(installation.databasePath, { messages, contacts: messages / 10, mine: 20 })
    await installation.addSecondOrganization()
    await using server = await installation.start()
    const [first, second] = await Promise.all([
      signIn(server.url, ADMINS[0]),
      signIn(server.url, ADMINS[1]),
    ])
    server.ignoreOutput()
    await probe(second, 'warming up', Bun.sleep(3_000))
    const rows = [await probe(second, 'at rest', Bun.sleep(REST_MS))]
    const [mine] = installation.rows<{ id: string }>(
      'select id from organizations order by rowid limit 1',
    )
    const path = `/api/organizations/${mine?.id}`
    const archive = await timedProbe(second, 'archive', () => archived(first, path))
    rows.push(archive.stretch)
    const lines = [
      machineOf(installation.folder),
      '',
      stretchTable(rows),
      '',
      `${messages.toLocaleString('en-US')} messages: ${(archive.tookMs / 1_000).toFixed(1)} s, ` +
        `${Math.round(messages / (archive.tookMs / 1_000)).toLocaleString('en-US')} messages a second, ` +
        `${(archive.result / 1_000_000).toFixed(0)} MB from a database of ` +
        `${(statSync(installation.databasePath).size / 1_000_000).toFixed(0)} MB`,
    ]
    console.log(`\n${lines.join('\n')}\n`)
    if (options.words.includes('erase')) {
      const erasure = await timedProbe(second, 'erasure', () => erased(installation, first, path))
      lines.push('', stretchTable([erasure.stretch]), `${(erasure.tookMs / 1_000).toFixed(1)} s`)
      console.log(lines.slice(-3).join('\n'))
    }
    if (options.isSaved) save('archive', lines.join('\n'))
    await server.stop()
  } finally {
    installation.remove()
  }
}

async function timedProbe<T>(
  client: Client,
  when: string,
  work: () => Promise<T>,
): Promise<{ stretch: Stretch; tookMs: number; result: T }> {
  const startedMs = performance.now()
  let tookMs = 0
  const over = work().finally(() => (tookMs = performance.now() - startedMs))
  const stretch = await probe(client, when, over)
  return { stretch, tookMs, result: await over }
}

/** Makes an archive; returns its size in bytes. */
async function archived(client: Client, path: string): Promise<number> {
  const { data } = await client.post(`${path}/archive`, {})
  for (let waitedMs = 0; waitedMs < DEADLINE_MS; waitedMs += POLL_MS) {
    const { data: about } = await client.get(`${path}/archives/${data['id']}`)
    if (about['status'] === 'completed') return Number(about['bytes'])
    if (about['status'] === 'failed') throw new Error(String(about['error']))
    await Bun.sleep(POLL_MS)
  }
  throw new Error('the archive is not finished in time')
}

async function erased(installation: Installation, client: Client, path: string): Promise<void> {
  const { data } = await client.get('/api/organizations/current')
  const body = { confirm: data['slug'], erase_now: true }
  const { status } = await client.request('DELETE', path, body)
  if (status !== 200) throw new Error(`the deletion was answered ${status}`)
  using reading = installation.reading()
  for (let waitedMs = 0; waitedMs < DEADLINE_MS; waitedMs += POLL_MS) {
    const ended = 'select 1 from erased_organizations where erased_at_ms is not null'
    if (reading.rows(ended).length > 0) return
    await Bun.sleep(POLL_MS)
  }
  throw new Error('the erasure is not finished in time')
}
