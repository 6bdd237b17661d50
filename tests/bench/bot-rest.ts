import { Database } from 'bun:sqlite'
import { join } from 'node:path'

import { DAY_MS } from '../../src/lib/clock'
import type { Installation } from '../chaos/installation'
import { ServerProcess } from '../support/process'
import { WATCHED, Watch } from './hold-watch'
import { cpuUsOf, rssMibOf } from './processes'

/** Open sessions, and transfers with deadlines. */
interface Waiting {
  sessions: number
  transfers: number
}

/** Sessions and transfers whose time is over while the sweeps are watched. */
const DUE: Waiting = { sessions: 5_000, transfers: 1_000 }
const IDLE_SECONDS = 60
const WARM_MS = 15_000
const SWEEPS_MS = 60_000

type Cell = string | number | Uint8Array | null

/** Stores open sessions and transfers with contacts of their own, while no server runs. */
function fill(installation: Installation, { sessions, transfers }: Waiting): void {
  const db = new Database(installation.databasePath)
  const nowMs = Date.now()
  const later = nowMs + DAY_MS
  const [place] = db
    .query<Record<'organization_id' | 'id', Uint8Array>, []>(
      'select organization_id, id from accounts limit 1',
    )
    .all()
  if (!place) throw new Error('there is no number')
  const contact = copierOf(db, 'contacts')
  const conversation = copierOf(db, 'conversations')
  const session = db.query(
    `insert into bot_sessions (organization_id, id, contact_id, account_id, status, waiting_for, started_at_ms, last_activity_ms, expires_at_ms)
     values (?, ?, ?, ?, 'active', 'reply', ?, ?, ?)`,
  )
  const transfer = db.query(
    `insert into transfers (organization_id, id, contact_id, account_id, status, source, priority, transferred_at_ms, response_due_at_ms, due_at_ms, sort_key, counts_open_time)
     values (?, ?, ?, ?, 'active', 'manual', 0, ?, ?, ?, ?, 0)`,
  )
  db.transaction(() => {
    for (let nth = 0; nth < sessions + transfers; nth += 1) {
      const [contactId, id] = [Bun.randomUUIDv7('buffer'), Bun.randomUUIDv7('buffer')]
      const number = String(16_000_000_000 + nth)
      const person = { wa_id: number, phone_number: number, user_id: null, username: null }
      contact({ id: contactId, ...person })
      const at = {
        contact_id: contactId,
        account_id: place.id,
        state: 'open',
      }
      conversation({ id: Bun.randomUUIDv7('buffer'), ...at })
      const key = [place.organization_id, id, contactId, place.id]
      if (nth < sessions) session.run(...key, nowMs, nowMs, later)
      else transfer.run(...key, nowMs, later, later, nowMs)
    }
  })()
  db.close()
}

/** Returns what inserts copies of the first row of a table with other values. */
function copierOf(db: Database, table: string): (changes: Record<string, Cell>) => void {
  const model = db.query<Record<string, Cell>, []>(`select * from ${table} limit 1`).get() ?? {}
  // A number of the row itself is given by the database.
  const columns = Object.keys(model).filter((name) => name !== 'row')
  const insert = db.query(
    `insert into ${table} (${columns.join()}) values (${columns.map(() => '?').join()})`,
  )
  return (changes) =>
    void insert.run(
      ...columns.map((name) => (name in changes ? changes[name] : model[name]) ?? null),
    )
}

/**
 * Measures what open sessions and transfers cost a server to which nobody writes: the same server
 * without and with them, then how long the event loop is held while many are due. Returns tables.
 */
export async function restOfBot(
  installation: Installation,
  { sessions, transfers }: Waiting,
): Promise<string> {
  const without = await idleWith(installation)
  fill(installation, { sessions, transfers })
  const filled = await idleWith(installation)
  const rows = [
    { sessions: 0, transfers: 0, ...without },
    { sessions, transfers, ...filled },
  ]
  return [
    `| open sessions | transfers with deadlines | processor while idle | memory |`,
    `| --- | --- | --- | --- |`,
    ...rows.map(
      (row) =>
        `| ${row.sessions} | ${row.transfers} | ${(row.share * 100).toFixed(2)} % of a core | ${row.mib.toFixed(0)} MiB |`,
    ),
    '',
    await sweepsOf(installation),
  ].join('\n')
}

/** Processor time and memory of a server that does nothing but sweep. */
async function idleWith(installation: Installation): Promise<{ share: number; mib: number }> {
  await using server = await installation.start()
  server.ignoreOutput()
  await Bun.sleep(WARM_MS)
  const before = cpuUsOf(server.pid)
  await Bun.sleep(IDLE_SECONDS * 1_000)
  const share = (cpuUsOf(server.pid) - before) / 1_000_000 / IDLE_SECONDS
  const mib = rssMibOf(server.pid)
  await server.stop()
  return { share, mib }
}

/** Lets many sessions and transfers be due at once, and measures how long the loop is held. */
async function sweepsOf(installation: Installation): Promise<string> {
  const db = new Database(installation.databasePath)
  const dueMs = Date.now() + WARM_MS
  const due = (table: string, column: string, limit: number): void =>
    void db
      .query(
        `update ${table} set ${column} where rowid in (select rowid from ${table} where status = 'active' limit ?)`,
      )
      .run(limit)
  due('bot_sessions', `expires_at_ms = ${dueMs}`, DUE.sessions)
  due('transfers', `expires_at_ms = ${dueMs}, due_at_ms = ${dueMs}`, DUE.transfers)
  db.close()
  const left = (): number =>
    installation.rows<{ n: number }>(
      `select (select count(*) from bot_sessions where status = 'active' and expires_at_ms <= ${dueMs})
            + (select count(*) from transfers where due_at_ms <= ${dueMs}) as n`,
    )[0]?.n ?? 0
  const holds = join(installation.folder, 'holds.json')
  const { env, ...options } = installation.options
  await using server = await ServerProcess.start({
    ...options,
    command: WATCHED,
    env: { ...env, HOLDS_FILE: holds },
  })
  server.ignoreOutput()
  const watch = new Watch(server, holds)
  await Bun.sleep(WARM_MS)
  await watch.take()
  const held: number[] = []
  const startMs = performance.now()
  let tookMs = 0
  while (performance.now() < startMs + SWEEPS_MS) {
    await Bun.sleep(1_000)
    held.push(await watch.take())
    if (tookMs === 0 && left() === 0) tookMs = performance.now() - startMs
  }
  await server.stop()
  const worst = held.toSorted((a, b) => b - a)
  return [
    `| due at once | until all had ended | longest hold of the event loop, then the median of seconds |`,
    `| --- | --- | --- |`,
    `| ${DUE.sessions} sessions, ${DUE.transfers} transfers | ${tookMs === 0 ? 'not in a minute' : `${(tookMs / 1_000).toFixed(0)} s`} | ${worst[0]?.toFixed(1)} ms, ${worst[Math.floor(worst.length / 2)]?.toFixed(1)} ms |`,
  ].join('\n')
}
