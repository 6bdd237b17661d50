import { ARCHIVE_VERSION } from '../../organization-archive/archive-format'

/**
 * A column that archives of older formats have otherwise. Columns that were only added or removed are
 * not listed: the default of the database fills new ones, and former ones are left out.
 */
export interface FormerColumn {
  /** The last format that has it so. */
  until: number
  table: string
  column: string
  /** Its name in the next format. */
  became: string
  /** Returns the value in the next format, as archives write it. Not for secrets. */
  value?: (archived: unknown) => unknown
}

/** By `until`. Format 1 was written by versions from before the first release. */
export const FORMER_COLUMNS: readonly FormerColumn[] = []

/** Returns what a column of an archive is called in this version, and its values here. */
export function columnToday(
  { version, table, column }: { version: number; table: string; column: string },
  former: readonly FormerColumn[],
): { name: string; valueOf: (archived: unknown) => unknown } {
  let today = { name: column, valueOf: (archived: unknown) => archived }
  for (let format = version; format < ARCHIVE_VERSION; format += 1) {
    const { name, valueOf } = today
    const one = former.find(
      ({ until, ...of }) => until === format && of.table === table && of.column === name,
    )
    if (!one) continue
    const { became, value = (archived) => archived } = one
    today = { name: became, valueOf: (archived) => value(valueOf(archived)) }
  }
  return today
}
