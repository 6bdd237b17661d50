import { t } from '../../texts/texts'

/** Returns a phone number as it is dialed. */
export const dialed = (number: string): string => (/^\d/.test(number) ? `+${number}` : number)

/** Returns what a customer is called: the name, otherwise the number. */
export const nameOf = (contact: {
  display_name: string | null
  phone_number: string | null
}): string =>
  contact.display_name ??
  (contact.phone_number === null ? t('parts.contact.nameless') : dialed(contact.phone_number))
