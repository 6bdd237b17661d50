import type { Database } from 'bun:sqlite'

import { personOf, statusTo, textTo } from '../support/lines'
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

/** People who answer, and the steps of their histograms that a day fills. */
const AGENTS = 50
const BINS = 15

/** Bot flows, and the nodes at which sessions of each are abandoned. */
const FLOWS = 10
const NODES = 5

const YEAR = 'start_date=2025-11-22&end_date=2026-11-21'
const HOURS = 'granularity=hour&start_date=2026-10-22'

/** Reports and the milliseconds that each may take. */
const REPORTS: readonly (readonly [path: string, limitMs: number])[] = [
  [`messages?${YEAR}`, 100],
  ['messages', 200],
  ['messages?start_date=2026-08-22', 200],
  [`messages?${HOURS}`, 200],
  ['messages?granularity=month&start_date=2019-01-01', 200],
  ['dashboard?period=year', 200],
  ['dashboard?period=year&account_id=ACCOUNT', 200],
  [`costs?${YEAR}`, 100],
  [`costs?${YEAR}&group_by=agent`, 100],
  [`costs?${HOURS}&group_by=country`, 200],
  [`chatbot?${YEAR}`, 100],
  [`chatbot?${HOURS}`, 200],
  [`agents?${YEAR}`, 200],
  ['agents', 200],
  [`agents/AGENT?${YEAR}`, 100],
  [`agents/AGENT?${HOURS}`, 200],
  [`campaigns?${YEAR}`, 200],
  [`quality?${YEAR}`, 200],
  [`quality?${YEAR}&group_by=team`, 200],
  ['quality?group_by=hour', 200],
  [`costs?${YEAR}&group_by=account&user_id=AGENT`, 200],
]

/** Writes the counts of a year of messages, as triggers and jobs would have. */
export function fillYear(sqlite: Database, nowMs: number): void {
  const [ids] = sqlite
    .query<{ organization: Uint8Array; account: Uint8Array; agent: Uint8Array }, []>(
      'select c.organization_id as organization, c.account_id as account, (select user_id from memberships m where m.organization_id = c.organization_id limit 1) as agent from conversations c limit 1',
    )
    .all()
  if (!ids) throw new Error('there is no conversation')
  const { organization, account, agent } = ids
  const insert = (table: string, values: string) =>
    sqlite.query(`insert or ignore into ${table} values (?, 1, ?, ?, ${values})`)
  const message = insert('message_rollups', '?, ?, ?, 37, 30, 20, 1, 5, 60000')
  const contact = insert('contact_rollups', "?, ?, 'contact', 3")
  const cost = insert('cost_rollups', "?, ?, ?, 'USD', 10, 1, 0, 1, 80000, 8000")
  const sent = insert('agent_message_counts', '?, 12')
  const waited = insert('agent_response_counts', '?, ?, ?, 2, 60000')
  const handled = insert('transfer_counts', '?, ?, 3, 3, 60000, 600000, 1')
  const sessions = insert('bot_session_counts', '?, ?, ?, 9, 3, 3, 2, 2, 60, 36, 20, 900000')
  const calls = insert('ai_call_counts', '?, 30, 1, 5000, 3000, 90000')
  const hits = insert('keyword_rollups', "?, 'rule', ?, ?, 4")
  const seen = insert('contacts_seen', '?, 200, 190')
  const today = Math.floor(nowMs / DAY_MS)
  const idOf = (nth: number): Uint8Array =>
    nth === 0 ? agent : new Uint8Array(16).fill(7).with(0, nth)
  const writeMessages = (unit: number, start: number): void => {
    for (const source of SOURCES)
      for (const type of TYPES) message.run(organization, unit, start, account, source, type)
  }
  const writeAt = (unit: number, start: number, share: number): void => {
    writeMessages(unit, start)
    for (const [dimension, keys] of Object.entries(KEYS))
      for (let key = 0; key < Math.ceil(keys * share); key += 1)
        cost.run(organization, unit, start, account, dimension, `${key}`.padStart(20, '0'))
    for (let nth = 0; nth < AGENTS * share; nth += 1) {
      sent.run(organization, unit, start, idOf(nth))
      handled.run(organization, unit, start, idOf(nth), account)
      for (let bin = 0; bin < Math.ceil(BINS * share * share); bin += 1)
        waited.run(organization, unit, start, idOf(nth), account, 500 + bin * 3)
    }
    for (let flow = 0; flow < Math.ceil(FLOWS * share); flow += 1) {
      for (let node = 0; node <= NODES * share; node += 1)
        sessions.run(
          organization,
          unit,
          start,
          account,
          idOf(flow + 100),
          node === 0 ? '' : `n${node}`,
        )
      hits.run(organization, unit, start, account, idOf(flow + 100), `word ${flow}`)
    }
    calls.run(organization, unit, start, account)
  }
  sqlite.transaction(() => {
    for (let day = today - 365; day <= today - 2; day += 1) {
      writeAt(2, day, 1)
      for (const id of [new Uint8Array(0), account]) seen.run(organization, 2, day, id)
      for (let nth = 0; nth < CONTACTS_A_DAY; nth += 1)
        contact.run(organization, 2, day, account, (day * 977 + nth * 61) % 400_000)
    }
    for (let hour = (today - 92) * 24; hour < (today - 1) * 24; hour += 1) writeAt(1, hour * 4, 0.4)
    for (let slot = (today - 1) * 96; slot < nowMs / SLOT_MS; slot += 1) writeMessages(0, slot)
  })()
}

const pagesOf = (sqlite: Database): number =>
  sqlite.query<{ page_count: number }, []>('pragma page_count').get()?.page_count ?? 0

const middle = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Watches the event loop. Returns what ends that and returns its longest turn, milliseconds. */
function watchTurns(): () => number {
  let [longestMs, lastMs, isOver] = [0, performance.now(), false]
  const look = (): void => {
    const nowMs = performance.now()
    longestMs = Math.max(longestMs, nowMs - lastMs)
    lastMs = nowMs
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  return () => {
    isOver = true
    return longestMs
  }
}

/** Times every report with the counts of a year. */
async function timeReports(world: World): Promise<string[]> {
  const { sqlite } = world.program.http.db
  const before = pagesOf(sqlite)
  fillYear(sqlite, world.clock.nowMs())
  const bytes = (pagesOf(sqlite) - before) * 4_096
  const share = (bytes / (MESSAGES * BYTES_PER_MESSAGE)) * 100
  const manager = await world.as('manager')
  const lines = [
    `Counts of ${MESSAGES.toLocaleString('en-US')} messages of a year: ${(bytes / 2 ** 20).toFixed(0)} MiB, ${share.toFixed(2)} % of such a database.`,
    '',
    '| report | processor time, ms | time, ms | limit | longest turn of the event loop, ms |',
    '| --- | ---: | ---: | ---: | ---: |',
  ]
  const agent = world.tenant.userIds.agent
  for (const [path, limitMs] of REPORTS) {
    const times: number[] = []
    const processor: number[] = []
    const turns: number[] = []
    const asked = path.replace('ACCOUNT', String(world.tenant.accountId)).replace('AGENT', agent)
    for (let run = 0; run < RUNS; run += 1) {
      const [startedMs, used] = [performance.now(), process.cpuUsage()]
      const watch = watchTurns()
      const { status } = await manager.get(`/api/analytics/${asked}`)
      turns.push(watch())
      if (status !== 200) throw new Error(`${path} answered ${status}`)
      const { user, system } = process.cpuUsage(used)
      times.push(performance.now() - startedMs)
      processor.push((user + system) / 1_000)
    }
    lines.push(
      `| ${path} | ${middle(processor).toFixed(1)} | ${middle(times).toFixed(1)} | ${limitMs} | ${middle(turns).toFixed(1)} |`,
    )
  }
  return lines
}

/** Triggers on messages, contacts and conversations that count for reports. */
const triggersOf = (sqlite: Database): { name: string; sql: string }[] =>
  sqlite
    .query<{ name: string; sql: string }, []>(
      "select name, sql from sqlite_schema where type = 'trigger' and (sql like '%rollup_parts p%')",
    )
    .all()

/** Messages of each turn of the hot path. */
const DELIVERED = 60

/** Work of the hot path on a world of its own, each from the request to the end of all work. */
interface HotPath {
  'a text': () => Promise<void>
  'a delivered status': () => Promise<void>
}

/** Prepares the hot path of a world. */
async function hotPathOf(world: World): Promise<HotPath> {
  const contact = await world.contactOf()
  const manager = await world.as('manager')
  world.simulator.swallowStatuses({ times: Infinity })
  let people = 1_000
  for (let nth = 0; nth < DELIVERED * TURNS; nth += 1)
    await manager.post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text: `${nth}` })
  await world.settle()
  const sent = world
    .rows<{ id: string }>(
      "select wa_message_id as id from messages where direction = 'outgoing' order by row",
    )
    .map(({ id }) => id)
  return {
    'a text': async () => {
      for (let nth = 0; nth < DELIVERED; nth += 1)
        await world.simulator.post(
          textTo(world, `Text ${nth}`, { person: personOf((people += nth % 2)) }),
        )
      await world.settle()
    },
    'a delivered status': async () => {
      for (const id of sent.splice(0, DELIVERED))
        await world.simulator.post(statusTo(world, id, 'delivered', {}))
      await world.settle()
    },
  }
}

/**
 * Returns the processor time of a customer's text and of a delivered status from the request to the
 * end of all work, with the counts and without, by turns. The client and the platform of the test
 * are included.
 */
async function timeHotPath(): Promise<string[]> {
  await using counting = await World.create()
  await using plain = await World.create()
  const { sqlite } = plain.program.http.db
  for (const { name } of triggersOf(sqlite)) sqlite.run(`drop trigger "${name}"`)
  const paths = [await hotPathOf(counting), await hotPathOf(plain)] as const
  const lines: string[] = []
  for (const name of ['a text', 'a delivered status'] as const) {
    const times = paths.map((): number[] => [])
    for (let turn = 0; turn < TURNS; turn += 1)
      // The one that is first is last in the next turn.
      for (const nth of turn % 2 === 0 ? [0, 1] : [1, 0]) {
        const used = process.cpuUsage()
        await paths[nth]?.[name]()
        const { user, system } = process.cpuUsage(used)
        if (turn > 1) times[nth]?.push((user + system) / DELIVERED)
      }
    const [counted = 0, without = 0] = times.map(middle)
    lines.push(
      `The whole way of ${name}: ${counted.toFixed(0)} µs with the counts, ${without.toFixed(0)} µs without: ${((counted / without - 1) * 100).toFixed(1)} %.`,
    )
  }
  return lines
}

/** Turns of the hot path, the first two of which are not measured. */
const TURNS = 26

/** Stores copies of the first message. */
const STORE = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${COPIES})
  insert into messages (organization_id, id, conversation_id, contact_id, account_id, wa_message_id, type, content, preview, status, source, timestamp_ms, received_at_ms, created_at_ms)
  select organization_id, unhex(printf('0199%028d', i)), conversation_id, contact_id, account_id, 'copy' || i, type, content, preview, status, source, timestamp_ms, received_at_ms, created_at_ms
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
        "update messages set stage = 'accepted', source = 'agent', cost_month = 202611, cost_currency = 'USD', cost_micros = 9000, is_cost_estimate = 1 where wa_message_id like 'copy%'",
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
  const hotPath = await timeHotPath()
  const report = [...statements, ...hotPath, '', ...reports].join('\n')
  console.log(`\n${report}\n`)
  if (isSaved) save('reports', report)
}
