import type { CopyFacts, CopyOrder } from './copy-database'
import type { VerifyOrder } from './verify'

/** Where backups are stored and how databases are copied. There are no backups without a folder. */
export interface BackupStore {
  folder: string | null
  /** The folder of the copies made before schema changes. */
  upgradeCopies: string | null
  copy: (order: CopyOrder, signal: AbortSignal) => Promise<CopyFacts>
  /** Returns what is wrong with a finished backup, or `null`. Takes minutes for gigabytes. */
  verify: (order: VerifyOrder, signal: AbortSignal) => Promise<string | null>
}
