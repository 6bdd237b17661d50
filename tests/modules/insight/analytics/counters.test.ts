import type { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'

import { recountOf, type Counter } from '../../../../src/infra/db/counter'
import { COUNTERS } from '../../../../src/modules/insight/analytics/rollups/catalog'
import { pick, seededRandom } from '../../../../src/simulator/random'
import { freshDatabase } from '../../../support/world'

/** Changes of each history; `COUNTED_CHANGES=20000` for long ones. */
const CHANGES = Number(process.env['COUNTED_CHANGES'] ?? 1_000)

type Value = string | number | null | Uint8Array

/** Parts of the counts: of deleted rows, complete, and of a rebuild that is under way. */
const [KEPT, LIVE, REBUILT] = [0, 1, 2]

/** From here on are the parts as they should be. */
const EXPECTED = 10

const id = (byte: number): Uint8Array => new Uint8Array(16).fill(byte)
const ORGANIZATION = id(1)

/** The id of the nth row. */
function idOf(nth: number): Uint8Array {
  const bytes = new Uint8Array(16)
  new DataView(bytes.buffer).setUint32(0, nth)
  return bytes
}

const ACCOUNTS = [id(2), id(3)]
const CONTACTS = [id(4), id(5)]
const PEOPLE = [null, id(6), id(7)]
const OTHERS = [null, id(8), id(9)]
const TIMES = [900_000, 1_000_000, 1_900_000, 5_000_000]
const MAYBE = [null, ...TIMES]

/** What rows have from their beginning, and what changes them. */
const TABLES: Record<
  string,
  { fixed: Record<string, Value[]>; changing: Record<string, Value[]> }
> = {
  messages: {
    fixed: {
      conversation_id: [id(10)],
      content: ['{}'],
      preview: [''],
      received_at_ms: [1],
      created_at_ms: TIMES.map((time) => time + 2_000_000),
    },
    changing: {
      account_id: ACCOUNTS,
      contact_id: CONTACTS,
      source: ['contact', 'agent', 'agent', 'phone_app', 'campaign'],
      is_test: [0, 0, 0, 1],
      type: ['text', 'text', 'image', 'system'],
      status: ['sent', 'delivered', 'failed'],
      timestamp_ms: TIMES,
      answered_after_ms: [null, null, 1, 1_500, 900_000],
      sent_by: PEOPLE,
      accepted_at_ms: MAYBE,
      sent_at_ms: MAYBE,
      delivered_at_ms: MAYBE,
      read_at_ms: MAYBE,
      cost_month: [null, 202_611],
      cost_category: [null, 'SERVICE', 'MARKETING'],
      cost_country: [null, 'ES'],
      cost_currency: [null, 'USD', 'EUR'],
      cost_micros: [null, 0, 7, 9],
      cost_free_reason: [null, null, 'free_entry_point', 'not_delivered'],
      is_cost_estimate: [0, 1],
      campaign_id: OTHERS,
      template_id: OTHERS,
      bot_flow_id: OTHERS,
    },
  },
  transfers: {
    fixed: {
      contact_id: CONTACTS,
      account_id: ACCOUNTS,
      source: ['manual'],
      priority: [1],
      counts_open_time: [0],
      sort_key: [1],
      transferred_at_ms: [100_000, 500_000],
    },
    changing: {
      status: ['active', 'ended'],
      ended_at_ms: MAYBE,
      agent_id: PEOPLE,
      picked_up_at_ms: MAYBE,
      breached_at_ms: MAYBE,
    },
  },
  bot_sessions: {
    fixed: {
      contact_id: CONTACTS,
      account_id: ACCOUNTS,
      started_at_ms: TIMES,
      last_activity_ms: [1],
    },
    changing: {
      status: ['active', 'completed', 'transferred', 'timed_out', 'cancelled'],
      flow_id: OTHERS,
      node: [null, 'ask', 'end'],
      ended_at_ms: [6_000_000, 7_000_000],
      messages: [0, 3, 4],
      bot_messages: [0, 1],
      bot_turns: [0, 1],
      has_answered: [0, 1],
      followed_up_at_ms: MAYBE,
    },
  },
  ai_usage: {
    fixed: {
      account_id: [null, ...ACCOUNTS],
      purpose: ['answer'],
      provider: ['openai'],
      model: ['m'],
      day: [1],
      reserved_tokens: [1],
      reserved_micros: [1],
      created_at_ms: TIMES,
    },
    changing: {
      outcome: [null, 'answered', 'failed', 'unknown', 'not_called'],
      settled_at_ms: MAYBE,
      input_tokens: [0, 5],
      output_tokens: [0, 6],
      cost_micros: [null, 8],
    },
  },
}

/** Rows that change at random, with the triggers of counters. */
class RandomRows {
  private rows = 0
  private recounted = 0

  constructor(
    readonly sqlite: Database,
    private readonly counters: readonly Counter[],
    private readonly random: () => number,
  ) {
    sqlite.run('pragma foreign_keys = off')
    sqlite.run('insert into rollup_parts values (?1, ?2, null), (?1, ?3, ?4)', [
      ...[ORGANIZATION, LIVE, REBUILT],
      idOf(0),
    ])
    for (const [nth, contact] of CONTACTS.entries())
      sqlite.run(
        "insert into contacts (row, organization_id, id, source, first_seen_at_ms, created_at_ms, updated_at_ms) values (?, ?, ?, 'api', 1, 1, 1)",
        [nth + 100, ORGANIZATION, contact],
      )
    for (const table of Object.keys(TABLES))
      sqlite.run(`create table gone_${table} as select * from ${table}`)
  }

  /** Adds, changes or deletes a row, or counts more of them into the rebuilt part. */
  change(): void {
    const table = pick(this.random, Object.keys(TABLES)) ?? ''
    const chance = this.random()
    if (chance < 0.4) this.add(table)
    else if (chance < 0.88) this.alter(table)
    else if (chance < 0.97) this.remove(table)
    else this.recount()
  }

  private valuesFrom(choices: Record<string, Value[]> = {}): Record<string, Value> {
    return Object.fromEntries(
      Object.entries(choices).map(([column, values]) => [
        column,
        pick(this.random, values) ?? null,
      ]),
    )
  }

  /** Runs a statement, unless it would break a rule of the table. */
  private run(statement: string, values: Value[]): void {
    try {
      this.sqlite.query(statement).run(...values)
    } catch (error) {
      if (!/CHECK|UNIQUE .*contact_id/.test(String(error))) throw error
    }
  }

  private add(table: string): void {
    const { fixed, changing } = TABLES[table] ?? {}
    const row = { ...this.valuesFrom(fixed), ...this.valuesFrom(changing) }
    const columns = ['organization_id', 'id', ...Object.keys(row)]
    this.run(
      `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
      [ORGANIZATION, idOf((this.rows += 1)), ...Object.values(row)],
    )
  }

  private alter(table: string): void {
    const changes = Object.entries(this.valuesFrom(TABLES[table]?.changing)).filter(
      () => this.random() < 0.25,
    )
    if (changes.length === 0) return
    const columns = changes.map(([column]) => `${column} = ?`).join(', ')
    const values = changes.map(([, value]) => value)
    this.run(`update ${table} set ${columns} where id = ?`, [...values, this.oneOf(table)])
  }

  private remove(table: string): void {
    const row = this.oneOf(table)
    this.run(`insert into gone_${table} select * from ${table} where id = ?`, [row])
    this.run(`delete from ${table} where id = ?`, [row])
  }

  private oneOf(table: string): Uint8Array | null {
    const ids = this.sqlite.query<{ id: Uint8Array }, []>(`select id from ${table}`).all()
    return pick(this.random, ids)?.id ?? null
  }

  private recount(): void {
    const next = Math.min(this.rows, this.recounted + Math.ceil(this.random() * 30))
    for (const counter of this.counters)
      this.count(counter, { part: REBUILT, after: this.recounted, upTo: next })
    this.recounted = next
    this.run('update rollup_parts set through = ? where part = ?', [idOf(next), REBUILT])
  }

  private count(
    counter: Counter,
    { part, after = 0, upTo = this.rows }: { part: number; after?: number; upTo?: number },
  ): void {
    this.run(recountOf(counter), [part, ORGANIZATION, idOf(after), idOf(upTo)])
  }

  /**
   * Counts the rows into three parts more: what each of the others should be, deleted rows
   * included.
   */
  countAll(): void {
    for (const counter of this.counters) {
      const { deleted, when, of } = counter
      const gone = {
        ...counter,
        of: `gone_${of}`,
        when: `${when} AND ${typeof deleted === 'object' ? deleted.when : 'false'}`,
      }
      this.count(gone, { part: EXPECTED + KEPT })
      this.count(counter, { part: EXPECTED + LIVE })
      this.count(counter, { part: EXPECTED + REBUILT, upTo: this.recounted })
    }
  }

  /** Returns the counts of a table, without those of nothing, of three parts from one on. */
  countsIn(table: string, first = 0): unknown[] {
    const columns = this.sqlite
      .query<{ name: string; pk: number }, [string]>('select name, pk from pragma_table_info(?)')
      .all(table)
    const namesOf = (isKey: boolean): string[] =>
      columns.filter(({ name, pk }) => pk > 0 === isKey && name !== 'part').map(({ name }) => name)
    const [keys, sums] = [namesOf(true), namesOf(false)]
    return this.sqlite
      .query(
        `select part - ${first} as part, ${[...keys, ...sums].join(', ')} from ${table}
         where part between ${first} and ${first} + 2 and (${sums.map((sum) => `${sum} <> 0`).join(' or ')})
         order by part, ${keys.join(', ')}`,
      )
      .values()
  }
}

const tablesOf = (counters: readonly Counter[]): string[] => [
  ...new Set(counters.map(({ into }) => into)),
]

test.each([1, 2])('counts are those of the rows after any changes (history %d)', (seed) => {
  const rows = new RandomRows(freshDatabase(), COUNTERS, seededRandom(seed))
  for (let nth = 0; nth < CHANGES; nth += 1) rows.change()
  rows.countAll()
  for (const table of tablesOf(COUNTERS)) {
    const counts = rows.countsIn(table)
    expect(counts.length).toBeGreaterThan(3)
    expect([table, counts]).toEqual([table, rows.countsIn(table, EXPECTED)])
  }
})
