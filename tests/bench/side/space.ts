import { Database } from 'bun:sqlite'

/** What a table and each of its indices take on disk. */
export interface Space {
  fileBytes: number
  /** Pages that deleted rows have left and new rows will use. */
  freeBytes: number
  messages: number
  tables: { table: string; bytes: number; parts: { name: string; bytes: number }[] }[]
}

/** Reads what every table and index takes, the largest first. */
export function spaceOf(path: string): Space {
  const sqlite = new Database(path, { readonly: true })
  const one = (query: string): number =>
    Object.values(sqlite.query<Record<string, number>, []>(query).get() ?? {})[0] ?? 0
  const parts = sqlite
    .query<{ name: string; table: string; bytes: number }, []>(
      `select s.name, coalesce(o.tbl_name, s.name) as "table", s.pgsize as bytes from dbstat s left join sqlite_schema o on o.name = s.name
       where s.aggregate = true order by bytes desc`,
    )
    .all()
  const tables = [...Map.groupBy(parts, ({ table }) => table)].map(([table, own]) => ({
    table,
    bytes: own.reduce((sum, { bytes }) => sum + bytes, 0),
    parts: own.map(({ name, bytes }) => ({ name, bytes })),
  }))
  const space = {
    fileBytes: one('pragma page_count') * one('pragma page_size'),
    freeBytes: one('pragma freelist_count') * one('pragma page_size'),
    messages: one('select count(*) from messages'),
    tables: tables.toSorted((a, b) => b.bytes - a.bytes),
  }
  sqlite.close()
  return space
}

/** Bytes of a database that hold something, pages that are free again left out. */
export function bytesInUse(path: string): number {
  using sqlite = new Database(path, { readonly: true })
  const { bytes } = sqlite
    .query<{ bytes: number }, []>(
      'select (page_count - freelist_count) * page_size as bytes from pragma_page_count, pragma_freelist_count, pragma_page_size',
    )
    .get() ?? { bytes: 0 }
  return bytes
}

/** Bytes in use for a message, with all that hangs on it. */
export const bytesPerMessage = (space: Space): number =>
  (space.fileBytes - space.freeBytes) / space.messages

/** Less than this share of a byte for a message is summed up. */
const LEAST_BYTES = 2

const shown = (bytes: number): string => (bytes < 10 ? bytes.toFixed(1) : bytes.toFixed(0))

/** A table of bytes a message by table and index, before and after a cleaning. */
export function spaceLines(states: Record<string, Space>): string[] {
  const names = Object.keys(states)
  const spaces = Object.values(states)
  const each = (bytesIn: (space: Space) => number): string =>
    spaces.map((space) => shown(bytesIn(space) / space.messages)).join(' | ')
  const [first] = spaces
  if (!first) return []
  const lines = first.tables
    .filter(({ bytes }) => bytes / first.messages >= LEAST_BYTES)
    .flatMap(({ table, parts }) => {
      const inSpace = (space: Space) => space.tables.find((one) => one.table === table)
      const total = `| **${table}** | ${each((space) => inSpace(space)?.bytes ?? 0)} |`
      const own = parts.map(
        ({ name }) =>
          `| ${name === table ? 'rows' : name.replace('sqlite_autoindex_', 'key: ')} | ${each((space) => inSpace(space)?.parts.find((part) => part.name === name)?.bytes ?? 0)} |`,
      )
      return parts.length === 1 ? [total] : [total, ...own]
    })
  return [
    `Bytes a message, ${first.messages.toLocaleString('en-US')} messages:`,
    '',
    `| | ${names.join(' | ')} |`,
    `| --- | ${names.map(() => '---:').join(' | ')} |`,
    `| **all** | ${spaces.map((space) => shown(bytesPerMessage(space))).join(' | ')} |`,
    ...lines,
  ]
}
