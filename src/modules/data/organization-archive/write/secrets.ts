import { createSealer, type Sealer } from '../../../../lib/secret'
import { bytesToUuid } from '../../../../infra/db/uuid'
import { archivedSecretContext, sealerOf, storedSecretContext } from '../archive-secrets'
import type { ArchivedValue, StoredValue } from '../archive-values'
import type { ArchiveOrder } from './order'

/** A secret's place: its table and column, and the key of its row as it stands in the line. */
interface SecretPlace {
  table: string
  column: string
  key: readonly ArchivedValue[]
}

/**
 * Encrypts secrets for an archive, or leaves them behind if it has no passphrase. Counts those that
 * stay behind.
 */
export class SecretWriter {
  private readonly stored: Sealer
  private readonly archived: Sealer | null
  private readonly left = new Map<string, { table: string; column: string; rows: number }>()

  constructor(private readonly order: ArchiveOrder) {
    const { current, previous } = order.roots
    this.stored = createSealer({
      current: Buffer.from(current),
      previous: previous === null ? null : Buffer.from(previous),
    })
    this.archived = order.key === null ? null : sealerOf(Buffer.from(order.key.key))
  }

  /** Returns a text encrypted for the archive; `null` if it stays behind. */
  seal(plain: string | null, place: SecretPlace): string | null {
    if (plain === null) return null
    if (this.archived === null) return this.leave(place)
    const { organizationId } = this.order
    return this.archived.seal(plain, archivedSecretContext({ organizationId, ...place }))
  }

  /**
   * Returns an encrypted column encrypted for the archive; `null` if it stays behind, also because
   * the server lost its key. `idOf` returns an ID of the row.
   */
  reseal(
    sealed: StoredValue,
    encryptedFor: string,
    { idOf, ...place }: SecretPlace & { idOf: (column: string) => string },
  ): string | null {
    if (typeof sealed !== 'string') return null
    if (this.archived === null || !this.stored.knows(sealed)) return this.leave(place)
    return this.seal(this.stored.open(sealed, storedSecretContext(encryptedFor, idOf)), place)
  }

  /** Returns JSON without its one-time code. */
  withoutCode(json: string, place: Omit<SecretPlace, 'key'>): string {
    if (!json.includes('"sealed"')) return json
    const options = JSON.parse(json) as Record<string, unknown>
    if (typeof options['sealed'] !== 'string') return json
    this.leave(place)
    return JSON.stringify({ ...options, sealed: '' })
  }

  /** Counts a secret that stays behind. */
  leave({ table, column }: Omit<SecretPlace, 'key'>): null {
    const counted = this.left.get(`${table}.${column}`)
    if (counted) counted.rows += 1
    else this.left.set(`${table}.${column}`, { table, column, rows: 1 })
    return null
  }

  /** The columns whose secrets stay behind. */
  get leftBehind(): { table: string; column: string; rows: number }[] {
    return [...this.left.values()]
  }
}

/** Returns the ID in a column of a row. */
export const idIn = (
  columns: readonly { name: string }[],
  row: readonly StoredValue[],
): ((column: string) => string) => {
  return (column) => {
    const value = row[columns.findIndex(({ name }) => name === column)]
    return value instanceof Uint8Array ? bytesToUuid(value) : ''
  }
}
