import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { DryRunState } from './dry-run-state'
import type { RowOutcome, RowProblem } from './model'
import type { RowWithEnd } from './stored-rows'

/** Options of an import as stored. */
export interface ImportOptions {
  /** Headings of the file with their columns. */
  columns: { header: string; key: string | null }[]
  updatesDuplicates: boolean
  /** Country of numbers without a country code; `null` uses the organization's country. */
  defaultCountry: string | null
  tagIds: string[]
  /** Campaign of an import of recipients. */
  campaignId?: string
}

/** A parsed row with its problems. */
export interface ReadRow<T> {
  row: number
  end: number
  /** Identifies the record within the file; `null` if the row has no identity. */
  identity: string | null
  /** The identity as written in the file. */
  written: string
  what: T
  problems: RowProblem[]
}

/** The result of a row. */
export interface Done {
  outcome: RowOutcome
  targetId: string | null
  problems: RowProblem[]
  /** Data needed to undo the row. */
  undo: unknown
}

/** A run of an import. `ctx` has the requester's current permissions. */
export interface FileImportRun {
  ctx: Ctx
  options: ImportOptions
  isDryRun: boolean
  /** State of a dry run so far. */
  foreseen: DryRunState
}

/** Imports rows within one transaction. */
export interface RowImporter<T> {
  /** Imports one row; a dry run only returns the result. Writes may be delayed until `settle`. */
  one: (row: ReadRow<T>) => Done
  /** Executes delayed writes, last in the transaction. */
  settle: () => void
}

/** Reads, imports and reverts the rows of one table. */
export interface FileImportWork<T> {
  /** Returns a function that parses a row without database access. */
  reader: (ctx: Ctx, options: ImportOptions) => (placed: RowWithEnd) => ReadRow<T>
  /** Starts a transaction. */
  doer: (tx: Tx, run: FileImportRun) => RowImporter<T>
  /**
   * Reverts a row. Runs inside the caller's transaction. Returns `false` if the record was changed
   * since.
   */
  takeBackIn: (tx: Tx, ctx: Ctx, row: { targetId: string; undo: string }) => boolean
}

/** Returns the result of a row that failed or was skipped for one reason. */
export const refused = (
  outcome: 'skipped' | 'failed',
  problem: RowProblem,
  targetId: string | null = null,
): Done => ({
  outcome,
  targetId,
  problems: [problem],
  undo: null,
})

/** Returns a function that reads a row's cell by column; empty cells are `undefined`. */
export function cellReader({
  columns,
}: Pick<ImportOptions, 'columns'>): (placed: RowWithEnd) => Map<string, string> {
  return ({ stored: [, written] }) => {
    const cells = new Map<string, string>()
    for (const [index, { key }] of columns.entries()) {
      const text = written[index]
      if (key !== null && text !== undefined && text !== '') cells.set(key, text)
    }
    return cells
  }
}

/**
 * Returns a problem for a row with cells beyond the last heading, so that no data is dropped
 * silently.
 */
export const problemsOfShape = ({ stored: [, , hasMore] }: RowWithEnd): RowProblem[] =>
  hasMore ? [{ column: null, message: 'has more cells than the header', value: null }] : []
