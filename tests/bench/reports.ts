import type { Database } from 'bun:sqlite'

import { World } from '../support/world'
import { save } from './report'

const SLOT_MS = 900_000
const DAY_MS = 86_400_000

/** Messages of a year, and what a message takes of the database once log and journal are cleaned. */
const MESSAGES = 5_000_000
const BYTES_PER_MESSAGE = 1_640

/** Contacts with a message on a day: a fifth of its messages. */
const CONTACTS_A_DAY = Math.round(MESSAGES / 365 / 5)

/** Runs of each report. */
const RUNS = 15

/** Messages that the statements of the hot path are measured with. */
const COPIES = 2_000

const SOURCES = ['contact', 'contact', 'agent', 'api', 'chatbot', 'campaign']
const TYPES = ['text', 'image', 'interactive', 'template']

/** What costs are grouped by, and how many different keys a day has. */
const KEYS = {
  category: 4,
  country: 10,
  source: 5,
  campaign: 3,
  template: 8,
  bot_flow: 4,
  agent: 50,
}

/** Reports and the milliseconds that each may take. */
const REPORTS: readonly (readonly [path: string, limitMs: number])[] = [
  ['messages?start_date=2025-11-22&end_date=2026-11-21', 100],
  ['messages', 200],
  ['messages?start_date=2026-08-22', 200],
  ['messages?granularity=hour&start_date=2026-10-22', 200],
  ['messages?granularity=month&start_date=2019-01-01', 200],
  ['dashboard?period=year', 200],
  ['costs?start_date=2025-11-22&end_date=2026-11-21', 100],
  ['costs?start_date=2025-11-22&end_date=2026-11-21&group_by=agent', 200],
  ['costs?granularity=hour&start_date=2026-10-22&group_by=country', 200],
]

/** Writes the counts of a year of messages, as triggers and jobs would have. */
function fill(sqlite: Database, nowMs: number): void {
  const [ids] = sqlite
    .query<{ organization: Uint8Array; account: Uint8Array }, []>(
      'select organization_id as organization, account_id as account from conversations limit 1',
    )
    .all()
  if (!ids) throw new Error('there is no conversation')
  const { organization, account } = ids
  const message = sqlite.query(
    'insert or ignore into message_rollups values (?, 1, ?, ?, ?, ?, ?, 37, 30, 20, 1, 5, 60000)',
  )
  const contact = sqlite.query(
    "insert or ignore into contact_rollups values (?, 1, 2, ?, ?, ?, 'contact', 3)",
  )
  const cost = sqlite.query(
    "insert or ignore into cost_rollups values (?, 1, ?, ?, ?, ?, ?, 'USD', 10, 1, 0, 1, 80000, 8000)",
  )
  const today = Math.floor(nowMs / DAY_MS)
  const writeAt = (unit: number, start: number, share: number): void => {
    for (const source of SOURCES)
      for (const type of TYPES) message.run(organization, unit, start, account, source, type)
    for (const [dimension, keys] of Object.entries(KEYS))
      for (let key = 0; key < Math.ceil(keys * share); key += 1)
        cost.run(organization, unit, start, account, dimension, `${key}`.padStart(20, '0'))
  }
  sqlite.transaction(() => {
    for (let day = today - 365; day <= today - 2; day += 1) {
      writeAt(2, day, 1)
      for (let nth = 0; nth < CONTACTS_A_DAY; nth += 1)
        contact.run(organization, day, account, (day * 977 + nth * 61) % 400_000)
    }
    for (let slot = (today - 92) * 96; slot < (today - 1) * 96; slot += 1) writeAt(1, slot, 0.4)
    for (let slot = (today - 1) * 96; slot < nowMs / SLOT_MS; slot += 1)
      for (const source of SOURCES)
        for (const type of TYPES) message.run(organization, 0, slot, account, source, type)
  })()
}

const pagesOf = (sqlite: Database): number =>
  sqlite.query<{ page_count: number }, []>('pragma page_count').get()?.page_count ?? 0

const middle = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Times every report with the counts of a year. */
async function timeReports(world: World): Promise<string[]> {
  const { sqlite } = world.program.http.db
  const before = pagesOf(sqlite)
  fill(sqlite, world.clock.nowMs())
  const bytes = (pagesOf(sqlite) - before) * 4_096
  const share = (bytes / (MESSAGES * BYTES_PER_MESSAGE)) * 100
  const manager = await world.as('manager')
  const lines = [
    `Counts of ${MESSAGES.toLocaleString('en-US')} messages of a year: ${(bytes / 2 ** 20).toFixed(0)} MiB, ${share.toFixed(2)} % of such a database.`,
    '',
    '| report | processor time, ms | time, ms | limit |',
    '| --- | ---: | ---: | ---: |',
  ]
  for (const [path, limitMs] of REPORTS) {
    const times: number[] = []
    const processor: number[] = []
    for (let run = 0; run < RUNS; run += 1) {
      const [startedMs, used] = [performance.now(), process.cpuUsage()]
      const { status } = await manager.get(`/api/analytics/${path}`)
      if (status !== 200) throw new Error(`${path} answered ${status}`)
      const { user, system } = process.cpuUsage(used)
      times.push(performance.now() - startedMs)
      processor.push((user + system) / 1_000)
    }
    lines.push(
      `| ${path} | ${middle(processor).toFixed(1)} | ${middle(times).toFixed(1)} | ${limitMs} |`,
    )
  }
  return lines
}

/** Names of the triggers that count messages for reports. */
const triggersOf = (sqlite: Database): { name: string; sql: string }[] =>
  sqlite
    .query<{ name: string; sql: string }, []>(
      "select name, sql from sqlite_schema where type = 'trigger' and tbl_name = 'messages' and (sql like '%_rollups%' or sql like '%cost_changes%')",
    )
    .all()

/** Stores copies of the first message. */
const STORE = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${COPIES})
  insert into messages (organization_id, id, conversation_id, contact_id, account_id, wa_message_id, direction, type, content, preview, status, source, timestamp_ms, received_at_ms, created_at_ms, updated_at_ms)
  select organization_id, unhex(printf('0199%016d', i)), conversation_id, contact_id, account_id, 'copy' || i, direction, type, content, preview, status, source, timestamp_ms, received_at_ms, created_at_ms, updated_at_ms
  from (select * from messages order by row limit 1), n`

/** Statements of the hot path, each on as many messages, and what undoes them. */
const STATEMENTS: readonly (readonly [name: string, run: string, undo: string])[] = [
  ['a received text', STORE, "delete from messages where wa_message_id like 'copy%'"],
  [
    'an accepted message',
    "update messages set sent_at_ms = timestamp_ms where wa_message_id like 'copy%'",
    "update messages set sent_at_ms = null where wa_message_id like 'copy%'",
  ],
  [
    'a delivered status',
    "update messages set delivered_at_ms = timestamp_ms where wa_message_id like 'copy%'",
    "update messages set delivered_at_ms = null where wa_message_id like 'copy%'",
  ],
  [
    'a settled cost',
    "update messages set cost_micros = 8000, is_cost_estimate = 0 where wa_message_id like 'copy%'",
    "update messages set cost_micros = 9000, is_cost_estimate = 1 where wa_message_id like 'copy%'",
  ],
]

/** Returns the processor time of statements of a message with the counts and without, by turns. */
function timeStatements(world: World): string[] {
  const { sqlite } = world.program.http.db
  const triggers = triggersOf(sqlite)
  return STATEMENTS.map(([name, run, undo], nth) => {
    if (nth === 1) {
      sqlite.run(STORE)
      sqlite.run(
        "update messages set direction = 'outgoing', stage = 'accepted', source = 'agent', cost_month = 202611, cost_currency = 'USD', cost_micros = 9000, is_cost_estimate = 1 where wa_message_id like 'copy%'",
      )
    }
    const times = { with: [] as number[], without: [] as number[] }
    for (let turn = 0; turn < RUNS * 2; turn += 1) {
      const isWith = turn % 2 === 0
      if (!isWith) for (const trigger of triggers) sqlite.run(`drop trigger "${trigger.name}"`)
      const used = process.cpuUsage()
      sqlite.run(run)
      const { user, system } = process.cpuUsage(used)
      times[isWith ? 'with' : 'without'].push((user + system) / COPIES)
      sqlite.run(undo)
      if (!isWith) for (const { sql } of triggers) sqlite.run(sql)
    }
    const [counted, plain] = [middle(times.with), middle(times.without)]
    return `The counts of ${name}: ${(counted - plain).toFixed(1)} µs (${counted.toFixed(1)} µs with, ${plain.toFixed(1)} µs without).`
  })
}

/** Measures the reports and what counting costs. `isSaved` writes `results/reports.md`. */
export async function benchReports({ isSaved }: { isSaved: boolean }): Promise<void> {
  await using world = await World.create()
  await world.contactOf()
  const statements = timeStatements(world)
  const reports = await timeReports(world)
  const report = [...statements, '', ...reports].join('\n')
  console.log(`\n${report}\n`)
  if (isSaved) save('reports', report)
}
