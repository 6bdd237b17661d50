import type { Account } from '../../../api/shapes'
import { formatPhone } from '../../../texts/phone'

/** Returns the number of an account; without one, the ID that WhatsApp gave it. */
export const numberOf = ({
  display_phone_number: number,
  phone_id: id,
}: Pick<Account, 'display_phone_number' | 'phone_id'>): string =>
  number === null ? id : formatPhone(number)
