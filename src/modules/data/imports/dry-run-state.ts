import {
  identitiesOf,
  type Identity,
  type SenderIds,
} from '../../inbox/contacts/identities/identities'

const isId = ({ kind }: Identity): boolean => kind !== 'phone'
const spelled = ({ kind, value }: Identity): string => `${kind} ${value}`

/**
 * Tracks the identities contacts would have after the rows of a dry run, which writes nothing.
 * Later rows are checked against it as if earlier ones had been imported. Numbers that repeat in
 * the file are found by the report.
 */
export class DryRunState {
  private readonly holders = new Map<string, string | number>()
  /** Deleted contacts that would be restored, with the row that restores them. */
  private readonly back = new Map<string, number>()

  /**
   * Returns the holders of these identities before this row: a known contact, or the row that
   * creates one.
   */
  holdersOf(ids: SenderIds, row: number): (string | number)[] {
    const found = identitiesOf(ids)
      .filter(isId)
      .map((id) => this.holders.get(spelled(id)))
    return found.filter(
      (holder) => holder !== undefined && !(typeof holder === 'number' && holder >= row),
    ) as (string | number)[]
  }

  /** Reports whether an earlier row would restore a deleted contact. */
  isBack(contactId: string, row: number): boolean {
    return (this.back.get(contactId) ?? Infinity) < row
  }

  /** Records that a row would restore a deleted contact. */
  noteBack(contactId: string, row: number): void {
    if (!this.back.has(contactId)) this.back.set(contactId, row)
  }

  /** Records that a contact, or the new contact of a row, would have these identities. */
  note(identities: Identity[], holder: string | number): void {
    for (const id of identities.filter(isId))
      if (!this.holders.has(spelled(id))) this.holders.set(spelled(id), holder)
  }
}
