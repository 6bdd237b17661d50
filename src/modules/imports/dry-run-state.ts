import { identitiesOf, type Identity, type SenderIds } from '../contacts/identities'

const isId = ({ kind }: Identity): boolean => kind !== 'phone'
const spelled = ({ kind, value }: Identity): string => `${kind} ${value}`

/**
 * Who would go by which ids of the platform's after the rows of a trial that were looked at: it
 * writes nothing, and yet tells of a later row what becomes of it when the earlier ones are there.
 * A number that stands in a file twice is found by the report already.
 */
export class DryRunState {
  private readonly holders = new Map<string, string | number>()
  /** Deleted contacts that come back, and by which row. */
  private readonly back = new Map<string, number>()

  /**
   * Those who would go by one of these ids by rows before this one: a known contact, or the row
   * that makes a new one.
   */
  holdersOf(ids: SenderIds, row: number): (string | number)[] {
    const found = identitiesOf(ids)
      .filter(isId)
      .map((id) => this.holders.get(spelled(id)))
    return found.filter(
      (holder) => holder !== undefined && !(typeof holder === 'number' && holder >= row),
    ) as (string | number)[]
  }

  /** Whether a deleted contact would be back by a row before this one. */
  isBack(contactId: string, row: number): boolean {
    return (this.back.get(contactId) ?? Infinity) < row
  }

  /** Notes that a deleted contact would come back by a row. */
  noteBack(contactId: string, row: number): void {
    if (!this.back.has(contactId)) this.back.set(contactId, row)
  }

  /** Notes that a contact, or the new one of a row, would go by these ids. */
  note(identities: Identity[], holder: string | number): void {
    for (const id of identities.filter(isId))
      if (!this.holders.has(spelled(id))) this.holders.set(spelled(id), holder)
  }
}
