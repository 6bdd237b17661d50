import { formatPhone } from '../../texts/phone'
import { t } from '../../texts/texts'

/** Returns what a customer is called: the name, otherwise the number. */
export const nameOf = (contact: {
  display_name: string | null
  phone_number: string | null
}): string =>
  contact.display_name ??
  (contact.phone_number === null ? t('parts.contact.nameless') : formatPhone(contact.phone_number))
