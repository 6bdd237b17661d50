import type { AttributeValue } from '../attributes/values'
import type { Identity, SenderIds } from '../identities'
import type { ContactRow } from '../view'

/** A contact as a file brings it, everything checked; what is `undefined` is not said. */
export interface ImportedContact {
  ids: SenderIds
  name: string | undefined
  language: string | undefined
  assignedTo: string | undefined
  attributes: Record<string, AttributeValue>
  tagIds: string[]
  consent: 'opted_in' | 'opted_out' | undefined
}

/** The columns that a file can change. */
export const WRITTEN = [
  'name',
  'language',
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

/** What takes back what a file did to a contact. */
export interface ContactUndo {
  /** Epoch milliseconds of the change: a contact that was changed later stays as it is. */
  atMs: number
  /** Epoch milliseconds of the change before this one; not there in what earlier versions noted. */
  formerAtMs?: number
  isNew: boolean
  /** What was overwritten. */
  fields: Written
  identities: Identity[]
  /** The tags it had afterwards, and those of them that were new to it. */
  tags: string[]
  addedTags: string[]
  /** The entry of the ledger of consent. */
  consent: string | null
}
