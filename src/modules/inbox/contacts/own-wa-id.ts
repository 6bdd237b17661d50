import type { ContactRow } from './view'

/** Returns the value of `contacts.ownWaId` for the numbers of a contact. */
export const ownWaIdOf = ({
  phoneNumber,
  waId,
}: Pick<ContactRow, 'phoneNumber' | 'waId'>): ContactRow['ownWaId'] =>
  waId === phoneNumber ? null : (waId ?? '')
