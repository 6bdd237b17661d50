import { Type, type Static } from '@sinclair/typebox'

import { contacts } from './table'
import { displayNameOf, maskedNumber, type ContactRow } from './view'

const textOrNull = Type.Union([Type.String(), Type.Null()])

/** Whose something is, in a list of calls, orders or scheduled messages. */
export const ListedContact = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    display_name: textOrNull,
    phone_number: textOrNull,
  },
  { title: 'ListedContact' },
)
type ListedContact = Static<typeof ListedContact>

/** What {@link listedContact} reads of a contact. */
export const LISTED_COLUMNS = {
  id: contacts.id,
  name: contacts.name,
  profileName: contacts.profileName,
  username: contacts.username,
  phoneNumber: contacts.phoneNumber,
  waId: contacts.waId,
}

/** Returns a contact as lists name it. `isMasked` reduces numbers to their last digits. */
export const listedContact = (
  row: Pick<ContactRow, keyof typeof LISTED_COLUMNS>,
  isMasked: boolean,
): ListedContact => ({
  id: row.id,
  display_name: displayNameOf(row, isMasked),
  phone_number: isMasked ? maskedNumber(row.phoneNumber) : row.phoneNumber,
})
