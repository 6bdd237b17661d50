import { formatPhone } from '../../texts/phone'
import { t } from '../../texts/texts'

/** What the server calls a customer without a name. */
const NUMBER = /^\+?\d{7,15}$/

/** Returns what a customer is called: the name, otherwise the number. */
export function nameOf({
  display_name: name,
  phone_number: number,
}: {
  display_name: string | null
  phone_number: string | null
}): string {
  const known = name ?? number ?? t('parts.contact.nameless')
  return NUMBER.test(known) ? formatPhone(known) : known
}

/** Returns the number of a customer if the name is another one. */
export function numberBeside(contact: Parameters<typeof nameOf>[0]): string | null {
  const number = contact.phone_number === null ? null : formatPhone(contact.phone_number)
  return number === nameOf(contact) ? null : number
}

/** Returns the number of a customer as what a choice says beside the name; nothing if it is the name. */
export function besideOf(contact: Parameters<typeof nameOf>[0]): { hint?: string } {
  const hint = numberBeside(contact)
  return hint === null ? {} : { hint }
}
