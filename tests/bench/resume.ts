import { Database } from 'bun:sqlite'
import { join } from 'node:path'

import { ADMINS, Installation, signIn } from '../chaos/installation'
import { percentiles, Watch, WATCHED } from './hold-watch'
import { machineOf, save } from './report'
import { fillContacts } from './search-rows'
import { changeRows } from '../support/sql'

const SOCKETS = 100
const EVENTS = 4_900

/** Writes so many events about contacts into the log, while no server runs. */
function fillLog(path: string): void {
  const sqlite = new Database(path, { strict: true })
  const organization = '(select id from organizations order by rowid limit 1)'
  sqlite.run('pragma foreign_keys = off')
  changeRows(
    sqlite,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${EVENTS})
     insert into events (organization_id, seq, type, contact_id, payload, at_ms)
     select ${organization}, (select coalesce(max(seq), 0) from event_heads) + i, 'contact.changed', id, json_object('contactId', '01900000-0000-7000-8101-' || lower(hex(substr(id, 11))), 'changed', json_array('name'), 'lostBy', json_array()), ${Date.now()}
     from n join contacts on contacts.rowid = i`,
  )
  changeRows(
    sqlite,
    `insert into event_heads (organization_id, seq) select ${organization}, max(seq) from events where true on conflict do update set seq = excluded.seq`,
  )
  sqlite.close()
}

/**
 * Measures a hundred sockets that resume at the same moment, 4,900 events each: when the first
 * frame and `resumed` arrive, and what other requests take meanwhile. `isSaved` writes the table
 * to `results`.
 */
export async function benchResume(options: { isSaved: boolean }): Promise<void> {
  const installation = new Installation(
    { HOLDS_FILE: 'holds.json', WS_PER_USER: String(SOCKETS) },
    WATCHED,
  )
  try {
    await (await installation.start()).stop()
    fillContacts(installation.databasePath, EVENTS)
    fillLog(installation.databasePath)
    await using server = await installation.start()
    const client = await signIn(server.url, ADMINS[0])
    const token = String(client.headers['authorization']).replace('Bearer ', '')
    const watch = new Watch(server, join(installation.folder, 'holds.json'))
    server.ignoreOutput()
    await client.get('/api/me')
    const head =
      installation.rows<{ seq: number }>('select max(seq) as seq from event_heads')[0]?.seq ?? 0
    await watch.take()
    const others: number[] = []
    let isOver = false
    const beside = (async (): Promise<void> => {
      while (!isOver) {
        const startedMs = performance.now()
        await client.get('/api/me')
        others.push(performance.now() - startedMs)
        await Bun.sleep(5)
      }
    })()
    const url = `${server.url.replace('http', 'ws')}/ws?token=${token}&since=${head - EVENTS}`
    const arrivals = await Promise.all(Array.from({ length: SOCKETS }, () => resumeOnce(url)))
    isOver = true
    await beside
    const rows = [
      ['first frame', percentiles(arrivals.map(({ firstMs }) => firstMs))],
      ['resumed', percentiles(arrivals.map(({ resumedMs }) => resumedMs))],
      ['others', percentiles(others)],
    ] as const
    const table = [
      '| what | p50 ms | p99 ms |',
      '| --- | ---: | ---: |',
      ...rows.map(([what, of]) => `| ${what} | ${of.map((ms) => ms.toFixed(1)).join(' | ')} |`),
    ]
    const hold = `The longest hold was ${(await watch.take()).toFixed(1)} ms; every socket got ${arrivals[0]?.count} frames.`
    const report = [machineOf(installation.folder), '', ...table, '', hold].join('\n')
    console.log(`\n${report}\n`)
    if (options.isSaved) save('resume', report)
  } finally {
    installation.remove()
  }
}

/** Opens a socket and reads until it has resumed. */
async function resumeOnce(
  url: string,
): Promise<{ firstMs: number; resumedMs: number; count: number }> {
  const startedMs = performance.now()
  const socket = new WebSocket(url)
  const { promise, resolve, reject } = Promise.withResolvers<{
    firstMs: number
    resumedMs: number
    count: number
  }>()
  let [firstMs, count] = [0, 0]
  socket.addEventListener('message', ({ data }) => {
    const atMs = performance.now() - startedMs
    if (firstMs === 0) firstMs = atMs
    if (String(data).startsWith('{"type":"resumed"')) resolve({ firstMs, resumedMs: atMs, count })
    else count += 1
  })
  socket.addEventListener('close', ({ code }) => reject(new Error(`closed with ${code}`)))
  const arrived = await promise
  socket.close()
  return arrived
}
