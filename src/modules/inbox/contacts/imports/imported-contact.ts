import type { AttributeValue } from '../attributes/values'
import type { Identity, SenderIds } from '../identities/identities'
import { plainFields, type PlainColumn } from '../plain-fields'
import type { ContactRow } from '../view'

/** A validated contact of a file. `undefined` fields are not set by the file. */
export interface ImportedContact {
  ids: SenderIds
  /** By column. */
  texts: Partial<Record<PlainColumn, string>>
  assignedTo: string | undefined
  attributes: Record<string, AttributeValue>
  tagIds: string[]
  consent: 'opted_in' | 'opted_out' | undefined
}

/** Columns that an import can change. */
export const WRITTEN = [
  ...plainFields.map(({ column }) => column),
  'phoneNumber',
  'userId',
  'parentUserId',
  'country',
  'sortName',
  'attributes',
  'assignedTo',
  'deletedAtMs',
] as const
export type Written = Partial<Pick<ContactRow, (typeof WRITTEN)[number]>>

/** Data to undo the import of a contact. */
export interface ContactUndo {
  /** Time of the change, epoch milliseconds. A contact changed later is not reverted. */
  atMs: number
  /** Time of the change before, epoch milliseconds. Missing in data of earlier versions. */
  formerAtMs?: number
  isNew: boolean
  /** Overwritten values. */
  fields: Written
  identities: Identity[]
  /** All tags after the import, and those it added. */
  tags: string[]
  addedTags: string[]
  /** Consent entry added by the import. */
  consent: string | null
}
