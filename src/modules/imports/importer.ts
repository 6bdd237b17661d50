import type { Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import type { DryRunState } from './dry-run-state'
import type { RowOutcome, RowProblem } from './model'
import type { PlacedRow } from './stored-rows'

/** What an import was asked to do, as its row keeps it. */
export interface ImportOptions {
  /** The headings of the file with the columns they mean. */
  columns: { header: string; key: string | null }[]
  updatesDuplicates: boolean
  /** Of numbers written without one; `null` for that of the organization. */
  defaultCountry: string | null
  tagIds: string[]
  /** Of recipients: the campaign they are for. */
  campaignId?: string
}

/** A row that was read: what it says, and what is wrong with it by itself. */
export interface ReadRow<T> {
  row: number
  end: number
  /** What names it within the file; `null` when it names nothing. */
  identity: string | null
  /** What was written where the identity stands. */
  written: string
  what: T
  problems: RowProblem[]
}

/** What became of a row. */
export interface Done {
  outcome: RowOutcome
  targetId: string | null
  problems: RowProblem[]
  /** What takes it back. */
  undo: unknown
}

/** A run of an import, as its rows are worked off: `ctx` may do what whoever asked may do now. */
export interface Run {
  ctx: Ctx
  options: ImportOptions
  isDryRun: boolean
  /** What a trial has come to so far. */
  foreseen: DryRunState
}

/** Does rows within one transaction. */
export interface RowImporter<T> {
  /**
   * Does one row, or in a dry run only says what would become of it. What it writes may wait for
   * `settle`.
   */
  one: (row: ReadRow<T>) => Done
  /** Writes what waits, as the last thing of the transaction. */
  settle: () => void
}

/** How rows of one table are read, worked off and taken back. */
export interface Work<T> {
  /** Prepares the reading of rows; what it answers reads one, without asking the database. */
  reader: (ctx: Ctx, options: ImportOptions) => (placed: PlacedRow) => ReadRow<T>
  /** Begins a transaction. */
  doer: (tx: Tx, run: Run) => RowImporter<T>
  /**
   * Takes a row back, in the caller's transaction. Returns whether it could be: not when something
   * was changed since.
   */
  takeBackIn: (tx: Tx, ctx: Ctx, row: { targetId: string; undo: string }) => boolean
}

/** A row that failed or was skipped for one reason. */
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

/** What answers the cells of a row by their column; empty ones are missing. */
export function cellReader({
  columns,
}: Pick<ImportOptions, 'columns'>): (placed: PlacedRow) => Map<string, string> {
  const keys = columns.flatMap(({ key }) => (key === null ? [] : [key]))
  return ({ stored: [, written] }) => {
    const cells = new Map<string, string>()
    for (const [index, key] of keys.entries()) {
      const text = written[index]
      if (text !== undefined && text !== '') cells.set(key, text)
    }
    return cells
  }
}

/**
 * What is wrong with a row that goes on to the right of the last heading; nothing is left out
 * silently.
 */
export const problemsOfShape = ({ stored: [, , hasMore] }: PlacedRow): RowProblem[] =>
  hasMore ? [{ column: null, message: 'has more cells than the header', value: null }] : []
