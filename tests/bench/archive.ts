import { copyFileSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { Database } from 'bun:sqlite'

import { ADMINS, Installation, signIn } from '../chaos/installation'
import type { Client, Loose } from '../support/client'
import type { ServerProcess } from '../support/process'
import { Watch, WATCHED } from './hold-watch'
import { fillInbox } from './inbox-rows'
import { probe, type Stretch } from './probe'
import { cpuUsOf, forgetPeak, peakMibOf } from './processes'
import { machineOf, save } from './report'

/** Messages of the organization that travels; there is a contact for every ten. */
const MESSAGES = Number(process.env['ARCHIVE_MESSAGES'] ?? 1_000_000)
const REST_MS = 10_000
const POLL_MS = 100
const DEADLINE_MS = 4 * 3_600_000
const MIB = 1_024 * 1_024

const HOLDS = { HOLDS_FILE: 'holds.json', RATE_BULK: '0' }

/** What one piece of work took, and what it did to the requests of others. */
interface Measured extends Stretch {
  tookMs: number
  cpuMs: number
  heldMs: number
  peakMib: number
  /** The longest write-ahead log, MiB. */
  walMib: number
}

/**
 * Measures what the requests of one organization take while another one with a million messages, or
 * as many as the first word says, travels: while its archive is written, and with the words `import`
 * and `erase` while another server imports it and erases it. `isSaved` writes the report to
 * `results`.
 */
export async function benchArchive(options: { isSaved: boolean; words: string[] }): Promise<void> {
  const messages = Number(options.words.find((word) => /^\d+$/.test(word)) ?? MESSAGES)
  const isMeant = (word: string): boolean => options.words.includes(word)
  const [source, target] = [new Installation(HOLDS, WATCHED), new Installation(HOLDS, WATCHED)]
  const lines = [machineOf(source.folder), '', ...HEAD]
  const add = (measured: Measured): void => {
    lines.push(lineOf(measured, messages))
    console.log(lines.at(-1))
  }
  console.log(HEAD.join('\n'))
  try {
    const archive = await exported(source, { messages, add })
    lines.push('', archive.facts)
    console.log(archive.facts)
    if (isMeant('import'))
      await imported(target, { archive: archive.path, erases: isMeant('erase'), add })
    if (options.isSaved) save('archive', lines.join('\n'))
  } finally {
    source.remove()
    target.remove()
  }
}

/** Fills a server and writes the archive. Returns its path, and a sentence about it. */
async function exported(
  source: Installation,
  { messages, add }: { messages: number; add: (measured: Measured) => void },
): Promise<{ path: string; facts: string }> {
  await (await source.start()).stop()
  fillInbox(source.databasePath, { messages, contacts: messages / 10, mine: 20 })
  fillIdentities(source.databasePath)
  await source.addSecondOrganization()
  await using server = await source.start()
  const [first, second] = await Promise.all([
    signIn(server.url, ADMINS[0]),
    signIn(server.url, ADMINS[1]),
  ])
  server.ignoreOutput()
  const meter = new Meter(source, server, second)
  await probe(second, 'warming up', Bun.sleep(3_000))
  add(await meter.during('at rest', () => Bun.sleep(REST_MS)))
  const [mine] = source.rows<{ id: string }>('select id from organizations order by rowid limit 1')
  const base = `/api/organizations/${mine?.id}`
  add(
    await meter.during('archive', async () => {
      const { data } = await first.post(`${base}/archive`, {})
      await until(first, `${base}/archives/${data['id']}`, ({ status }) => status === 'completed')
    }),
  )
  const [made] = source.rows<{ name: string; bytes: number }>(
    'select stored_as as name, bytes from organization_archives',
  )
  await server.stop()
  const databaseMb = (statSync(source.databasePath).size / 1e6).toFixed(0)
  return {
    path: join(source.folder, 'data', 'media', made?.name ?? ''),
    facts:
      `${messages.toLocaleString('en-US')} messages, ${(messages / 10).toLocaleString('en-US')} contacts: ` +
      `${((made?.bytes ?? 0) / 1e6).toFixed(0)} MB from a database of ${databaseMb} MB`,
  }
}

/** The inbox that is filled has none, because nobody writes to it. */
function fillIdentities(path: string): void {
  const sqlite = new Database(path, { strict: true })
  sqlite.run(`insert into contact_identities (organization_id, kind, value, contact_id, first_seen_at_ms)
    select organization_id, 'phone', wa_id, id, created_at_ms from contacts`)
  sqlite.close()
}

/** Imports the archive into an empty server, and erases the organization there. */
async function imported(
  target: Installation,
  { archive, erases, add }: { archive: string; erases: boolean; add: (measured: Measured) => void },
): Promise<void> {
  const folder = join(target.folder, 'data', 'incoming')
  mkdirSync(folder, { recursive: true })
  copyFileSync(archive, join(folder, 'large.zip'))
  await (await target.start()).stop()
  await target.addSecondOrganization()
  await using server = await target.start()
  const [first, second] = await Promise.all([
    signIn(server.url, ADMINS[0]),
    signIn(server.url, ADMINS[1]),
  ])
  server.ignoreOutput()
  const meter = new Meter(target, server, second)
  await probe(second, 'warming up', Bun.sleep(3_000))
  const imports = '/api/admin/organizations/import'
  let started: Loose = {}
  const ofImport = (): string => `${imports}s/${started['id']}`
  add(
    await meter.during('check of the archive', async () => {
      started = (await first.post(imports, { path: 'large.zip' })).data
      await until(first, ofImport(), ({ state }) => state === 'checked')
    }),
  )
  add(
    await meter.during('import', async () => {
      await first.post(`${ofImport()}/commit`)
      await until(first, ofImport(), ({ state }) => state === 'completed')
    }),
  )
  if (!erases) return await server.stop().then(() => undefined)
  const { id, slug } = started['organization'] as { id: string; slug: string }
  add(
    await meter.during('erasure', async () => {
      const admin = await signIn(server.url, ADMINS[0])
      const body = { confirm: slug, erase_now: true }
      const { status } = await admin.request('DELETE', `/api/organizations/${id}`, body)
      if (status !== 200) throw new Error(`the deletion was answered ${status}`)
      using reading = target.reading()
      const ended = 'select 1 from erased_organizations where erased_at_ms is not null'
      await within(() => reading.rows(ended).length > 0)
    }),
  )
  await server.stop()
}

/** Measures pieces of work of a server while somebody else uses it. */
class Meter {
  private readonly watch: Watch

  constructor(
    private readonly installation: Installation,
    private readonly server: ServerProcess,
    private readonly other: Client,
  ) {
    this.watch = new Watch(server, join(installation.folder, 'holds.json'))
  }

  async during(when: string, work: () => Promise<unknown>): Promise<Measured> {
    const { pid } = this.server
    await forgetPeak(pid)
    await this.watch.take()
    const [startedMs, startedUs] = [performance.now(), cpuUsOf(pid)]
    let [tookMs, walMib] = [0, 0]
    const wal = setInterval(() => {
      const { size = 0 } = statSync(`${this.installation.databasePath}-wal`, FOUND_OR_NOT) ?? {}
      walMib = Math.max(walMib, size / MIB)
    }, POLL_MS)
    const over = work().finally(() => (tookMs = performance.now() - startedMs))
    try {
      const stretch = await probe(this.other, when, over)
      return {
        ...{ ...stretch, tookMs, walMib },
        cpuMs: (cpuUsOf(pid) - startedUs) / 1_000,
        heldMs: await this.watch.take(),
        peakMib: peakMibOf(pid),
      }
    } finally {
      clearInterval(wal)
    }
  }
}

const FOUND_OR_NOT = { throwIfNoEntry: false } as const

/** Waits until something is as it should be. Throws when it failed. */
async function until(
  client: Client,
  path: string,
  isDone: (about: Loose) => boolean,
): Promise<void> {
  await within(async () => {
    const { data } = await client.get(path)
    if (data['status'] === 'failed' || data['state'] === 'failed')
      throw new Error(JSON.stringify(data['error']))
    return isDone(data)
  })
}

async function within(isDone: () => boolean | Promise<boolean>): Promise<void> {
  const startedMs = performance.now()
  while (!(await isDone())) {
    if (performance.now() - startedMs > DEADLINE_MS) throw new Error('it did not end in time')
    await Bun.sleep(POLL_MS)
  }
}

const HEAD = [
  '| others meanwhile | requests | p50 ms | p99 ms | worst ms | longest hold ms | took s | processor s | messages/s | peak MiB | log MiB |',
  '|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|',
]

const lineOf = (one: Measured, messages: number): string =>
  [
    '',
    ...[one.when, one.requests, one.p50Ms.toFixed(1), one.p99Ms.toFixed(1)],
    ...[one.worstMs.toFixed(1), one.heldMs.toFixed(1), (one.tookMs / 1_000).toFixed(1)],
    (one.cpuMs / 1_000).toFixed(1),
    one.when === 'at rest' ? '–' : Math.round(messages / (one.tookMs / 1_000)),
    ...[one.peakMib.toFixed(0), one.walMib.toFixed(0)],
    '',
  ]
    .join(' | ')
    .trim()
