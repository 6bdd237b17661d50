import type { ContactRow } from './view'

/** Returns the column to store for the platform's number of a contact (`contacts.ownWaId`). */
export const ownWaIdOf = ({
  phoneNumber,
  waId,
}: Pick<ContactRow, 'phoneNumber' | 'waId'>): ContactRow['ownWaId'] =>
  waId === phoneNumber ? null : (waId ?? '')
