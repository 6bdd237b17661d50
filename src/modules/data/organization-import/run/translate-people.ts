import { UUID_PATTERN } from '../../../../lib/ids'
import { uuidToBytes } from '../../../../infra/db/uuid'
import type { RowToStore } from '../archive/row-reader'
import type { ImportedPerson } from './people'

/** An ID in a text. Thousands of people may have others, so texts are not searched for each. */
const ID = new RegExp(UUID_PATTERN, 'g')

/** Replaces the IDs of people who have another account here, wherever they stand. */
export class PersonTranslation {
  private readonly ids: ReadonlyMap<string, string>
  private readonly texts: ReadonlyMap<string, string>

  constructor(people: readonly ImportedPerson[]) {
    const moved = people.filter(({ archivedId, userId }) => archivedId !== userId)
    this.ids = new Map(
      moved.map(({ archivedId, userId }) => [uuidToBytes(archivedId).toHex(), userId]),
    )
    this.texts = new Map(moved.map(({ archivedId, userId }) => [archivedId, userId]))
  }

  /** Returns the row with the IDs of this installation. */
  translate(row: RowToStore): RowToStore {
    if (this.ids.size === 0) return row
    return Object.fromEntries(
      Object.entries(row).map(([column, value]) => [column, this.valueOf(value)]),
    )
  }

  private valueOf(value: RowToStore[string]): RowToStore[string] {
    if (value instanceof Uint8Array) {
      const userId = this.ids.get(value.toHex())
      return userId === undefined ? value : uuidToBytes(userId)
    }
    if (typeof value !== 'string') return value
    return value.replace(ID, (id) => this.texts.get(id) ?? id)
  }
}
