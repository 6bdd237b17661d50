import type { TableFate } from '../../../../infra/table-fates'
import type { ArchiveEncryption, ArchiveManifest } from '../archive-format'

/** What to write. It is sent to a thread, so it is data only. */
export interface ArchiveOrder {
  /** The file to write, which is emptied if it exists. */
  target: string
  /** Path of the database. */
  database: string
  /** Folder of the file store. */
  filesFolder: string
  organizationId: string
  nowMs: number
  productVersion: string
  tables: readonly TableFate[]
  /** Root keys, which open the stored secrets. */
  roots: { current: Uint8Array; previous: Uint8Array | null }
  /** The key of the archive; `null` leaves all secrets behind. */
  key: { encryption: ArchiveEncryption; key: Uint8Array } | null
  hasFiles: boolean
  /** Of whom to write password hashes: of accounts that the organization manages, or of all. */
  credentials: 'managed' | 'all'
  /** Whether the organization moves to another cell: then its work travels, too. */
  isMove: boolean
  /**
   * Length of the write-ahead log at which it gives up: others cannot be checkpointed while it
   * reads.
   */
  maxWalBytes: number
  /** Disk space that must remain free. */
  spareBytes: number
}

/** What was written. */
export interface ArchiveFacts {
  sizeBytes: number
  manifest: ArchiveManifest
}
