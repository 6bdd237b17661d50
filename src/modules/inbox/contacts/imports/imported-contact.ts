import { columnsOf } from '../../../../infra/db/define-table'
import type { AttributeValue } from '../attributes/values'
import type { Identity, SenderIds } from '../identities'
import { contacts } from '../table'
import type { ContactRow } from '../view'

/** A validated contact of a file. `undefined` fields are not set by the file. */
export interface ImportedContact {
  ids: SenderIds
  texts: ImportedTexts
  assignedTo: string | undefined
  attributes: Record<string, AttributeValue>
  tagIds: string[]
  consent: 'opted_in' | 'opted_out' | undefined
}

type TextColumn = {
  [K in keyof ContactRow]: ContactRow[K] extends string | null ? K : never
}[keyof ContactRow]

/** Columns that a file sets as they are written, such as the name. */
export const IMPORTED_TEXTS = columnsOf(contacts)
  .filter(({ use }) => use.imported === 'text')
  .map(({ key }) => key as TextColumn) // a text, as it says

/** Such texts of one contact, by column. Missing ones are not set by the file. */
export type ImportedTexts = Partial<Pick<ContactRow, TextColumn>>

/** Columns that an import can change. */
export const WRITTEN = [
  ...IMPORTED_TEXTS,
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
