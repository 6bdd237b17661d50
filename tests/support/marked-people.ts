import type { Database } from 'bun:sqlite'

import { bytesToUuid } from '../../src/infra/db/uuid'
import { DAY_MS } from '../../src/lib/clock'
import type { DeclaredColumn, TableFate } from '../../src/infra/table-fates'
import { rulesOf } from '../../src/modules/data/organization-import/columns/column-rules'
import type { World } from './world'

/** A marker in a value about a person. */
export interface Cell {
  /** `table.column`. */
  place: string
  class: DeclaredColumn['class']
  /** The contact of the row. */
  contactId: string
  kind: TableFate['kind']
  isWithheld: boolean
}

type Value = string | number | Uint8Array | null

/**
 * Columns of numbers, ids and names of files, by which the program finds a person: what is in them is
 * of that person alone and marks itself. Where there is none, some get one.
 */
const OWN: Record<string, ((nth: string) => string) | null> = {
  'contacts.phone_number': null,
  'contacts.wa_id': (nth) => `4930${parseInt(nth, 36) + 10_000_000}`,
  'contacts.user_id': (nth) => `DE.${nth}`,
  'contacts.parent_user_id': (nth) => `DE.ENT.${nth}`,
  'contact_identities.value': null,
  'campaign_recipients.phone_number': null,
  'campaign_recipients.user_id': (nth) => `DE.${nth}`,
  'media.stored_as': null,
  'privacy_requests.stored_as': null,
}

/** Columns that triggers keep, and an id that only tells two spellings of the contact's own id. */
const KEPT = new Set(['contact_terms.term', 'contact_words.digits', 'campaign_recipients.identity'])

/** The contact of a row where no column or reference names it. */
const CONTACTS: Record<string, string> = {
  contacts: 't.id',
  import_rows: 't.target_id',
  message_statuses: `(select m.contact_id from messages m where m.organization_id = t.organization_id
    and m.account_id = t.account_id and m.wa_message_id = t.wa_message_id)`,
  media: `(select m.contact_id from messages m where m.organization_id = t.organization_id and m.media_id = t.id
    union all select c.contact_id from calls c where c.organization_id = t.organization_id
      and t.id in (c.recording_media_id, c.transcript_media_id))`,
}

/**
 * Writes a marker of its own into every personal and derived text about a contact, in all tables that
 * hold rows about contacts, behind the program's back. Returns where each is.
 */
export class MarkedPeople {
  readonly cells = new Map<string, Cell>()
  private readonly places = new Set<string>()
  /** New ids of the platform by former ones, which several tables share. */
  private readonly platformIds = new Map<string, string>()
  private count = 0

  constructor(private readonly world: World) {
    const tables = this.tables.map((fate) => [fate, this.rowsIn(fate.table)] as const)
    for (const [fate, rows] of tables) this.markTable(fate, rows)
  }

  private get sqlite(): Database {
    return this.world.program.http.db.sqlite
  }

  /** Tables whose rows an erasure finds by their contact. */
  get tables(): TableFate[] {
    return this.world.program.http.tables.filter(
      ({ people, declared }) =>
        'erased' in people &&
        people.of === 'contacts' &&
        people.erased !== 'mentions' &&
        declared.length > 0, // triggers keep full-text indexes
    )
  }

  /** Personal and derived columns of texts that no row has a marker in. */
  get unmarked(): string[] {
    return this.tables
      .flatMap((fate) => this.columnsOf(fate).map(({ name }) => `${fate.table}.${name}`))
      .filter((place) => !this.places.has(place) && !KEPT.has(place))
  }

  /** The columns of a table that can hold a marker. */
  private columnsOf({ table, declared }: TableFate): DeclaredColumn[] {
    const stored = this.sqlite
      .query<{ name: string }, [string]>('select name from pragma_table_info(?)')
      .all(table)
      .map(({ name }) => name)
    return declared.filter((column) => isMarkable(column) && stored.includes(column.name))
  }

  /** The rows about contacts, each with its contact. */
  private rowsIn(table: string): Record<string, Value>[] {
    return this.sqlite
      .query<Record<string, Value>, []>(
        `select t.*, ${this.contactIn(table)} as "the contact" from "${table}" t where "the contact" is not null`,
      )
      .all()
  }

  private mark(marker: string, cell: Cell): void {
    this.cells.set(marker, cell)
    this.places.add(cell.place)
  }

  private markTable(fate: TableFate, rows: Record<string, Value>[]): void {
    const { table } = fate
    const key = this.sqlite
      .query<{ name: string }, [string]>('select name from pragma_table_info(?) where pk > 0')
      .all(table)
      .map(({ name }) => name)
    const columns = this.columnsOf(fate)
    const rules = rulesOf(fate)
    for (const row of rows) {
      const contactId = bytesToUuid(row['the contact'] as Uint8Array)
      for (const column of columns) {
        const place = `${table}.${column.name}`
        const cell = {
          ...{ place, class: column.class, contactId, kind: fate.kind },
          isWithheld: column.withheld !== null,
        }
        const before = row[column.name] ?? null
        if (KEPT.has(place)) continue
        const own = OWN[place]
        if (own !== undefined) {
          const value = before ?? own?.(this.nextMarker().slice(2, -2)) ?? null
          const at = { key, row, column: column.name, value }
          if (typeof value === 'string' && value !== '' && this.store(table, at))
            this.mark(value, cell)
          continue
        }
        const isId = column.name.endsWith('wa_message_id')
        const marker = isId ? this.idFor(before) : this.nextMarker()
        if (marker === null) continue
        const values = candidates(before, marker, place)
        const rule = rules.get(column.name)
        const value = values.find((one) => (rule?.problemOf(one) ?? null) === null)
        if (value === undefined || !this.store(table, { key, row, column: column.name, value }))
          continue
        this.mark(value.includes(marker) ? marker : value, cell)
      }
    }
  }

  /** Returns whether a value fits the others of its row: an error of a message that was sent does not. */
  private store(
    table: string,
    at: { key: string[]; row: Record<string, Value>; column: string; value: Value },
  ): boolean {
    const where = at.key.map((name) => `"${name}" is ?`).join(' and ')
    const place = at.key.map((name) => at.row[name] ?? null)
    try {
      this.sqlite
        .query(`update "${table}" set "${at.column}" = ? where ${where}`)
        .run(at.value, ...place)
    } catch (error) {
      if (!String(error).includes('CHECK constraint')) throw error
      return false
    }
    at.row[at.column] = at.value
    return true
  }

  /** Returns the new id of what had an id of the platform; `null` for none. */
  private idFor(before: Value): string | null {
    if (before === null || before === 'original') return null
    const former = String(before)
    const marker = this.platformIds.get(former) ?? this.nextMarker()
    this.platformIds.set(former, marker)
    return marker
  }

  /** Returns a text that survives folding and indexing, and occurs nowhere by chance. */
  private nextMarker(): string {
    this.count += 1
    return `zq${this.count.toString(36).padStart(5, '0')}qz`
  }

  /** SQL for the contact of a row `t`. */
  private contactIn(table: string): string {
    const known = CONTACTS[table]
    if (known !== undefined) return known
    const [column] = this.sqlite
      .query<{ name: string }, [string]>(
        "select name from pragma_table_info(?) where name = 'contact_id'",
      )
      .all(table)
    if (column) return 't.contact_id'
    const keys = this.sqlite
      .query<{ parent: string; from: string; to: string }, [string]>(
        `select "table" as parent, "from", "to" from pragma_foreign_key_list(?) where "from" <> 'organization_id'`,
      )
      .all(table)
    const own = keys.find(({ parent }) => parent === 'contacts')
    if (own) return `t.${own.from}`
    const through = keys.find(({ parent }) => this.hasContact(parent))
    if (!through) throw new Error(`no column of ${table} leads to a contact`)
    return `(select p.contact_id from "${through.parent}" p where p.organization_id = t.organization_id
      and p."${through.to}" = t."${through.from}")`
  }

  private hasContact(table: string): boolean {
    return (
      this.sqlite
        .query("select 1 from pragma_table_info(?) where name = 'contact_id'")
        .get(table) !== null
    )
  }

  /**
   * Returns what is left of rows about contacts after their erasure: rows of tables whose rows go,
   * and numbers and words of rows that stay.
   */
  leftOf(contactIds: string[]): string[] {
    const ids = new Set(contactIds)
    return this.tables.flatMap((fate) => {
      const { table, people } = fate
      const rows = this.rowsIn(table).filter((row) =>
        ids.has(bytesToUuid(row['the contact'] as Uint8Array)),
      )
      if ('erased' in people && people.erased === 'rows' && rows.length > 0) return [table]
      return fate.declared
        .filter((column) => column.class === 'personal' && column.type === 'integer')
        .filter(({ name }) => rows.some((row) => (row[name] ?? 0) !== 0))
        .map(({ name }) => `${table}.${name}`)
    })
  }

  /** Whether a value is about a contact, or about one that was merged into it. */
  isOf({ contactId }: Pick<Cell, 'contactId'>, id: string): boolean {
    const [row] = this.world.rows<{ into: string | null }>(
      'select merged_into as "into" from contacts where id = ?',
      contactId,
    )
    return contactId === id || (row?.into != null && this.isOf({ contactId: row.into }, id))
  }
}

const isMarkable = ({ type, words, class: held }: DeclaredColumn): boolean =>
  held !== 'business' && words === null && type === 'text'

/** Values of a column that hold a marker. */
function candidates(before: Value, marker: string, place: string): string[] {
  if (place === 'contact_words.words') return [` ${marker}`]
  if (place === 'contacts.language') return [`de-${marker.slice(1, -1)}`]
  if (typeof before === 'string' && /^[[{]/.test(before))
    return [withMarker(JSON.parse(before), marker), ...others(marker)].map((one) =>
      JSON.stringify(one),
    )
  const digest = new Bun.CryptoHasher('sha256').update(marker).digest('hex')
  const day = Date.UTC(3000, 0, 1) + parseInt(marker.slice(2, -2), 36) * DAY_MS
  const date = new Date(day).toISOString().slice(0, 10)
  return [marker, digest, date, ...others(marker).map((one) => JSON.stringify(one))]
}

const others = (marker: string): unknown[] => [
  { marker },
  { type: 'text', text: marker },
  [marker],
  [{ marker }],
  { code: marker, message: marker },
  { code: null, message: marker },
  [{ code: null, title: null, message: marker, details: null }],
  [{ column: null, message: marker, value: null }],
  { at_ms: 0, referral: { marker } },
]

/** Returns JSON with one value more. */
function withMarker(json: unknown, marker: string): unknown {
  if (Array.isArray(json))
    return typeof json[0] === 'object'
      ? [{ ...json[0], marker }, ...json.slice(1)]
      : [...json, marker]
  return { ...(json as object), marker }
}
