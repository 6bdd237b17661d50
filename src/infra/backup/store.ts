import type { CopyFacts, CopyOrder } from './copy-database'

/** Where backups are stored and how databases are copied. There are no backups without a folder. */
export interface BackupStore {
  folder: string | null
  /** The folder of the copies made before schema changes. */
  upgradeCopies: string | null
  copy: (order: CopyOrder, signal: AbortSignal) => Promise<CopyFacts>
}
