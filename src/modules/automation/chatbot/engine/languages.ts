import { languageOfCountry } from '../../../../lib/by-language'
import type { Ports } from './ports'

/**
 * Returns the languages in which our words may reach a customer, the best first: that of the contact,
 * which WhatsApp does not tell, that of its country, and that of the organization. `null` is unknown.
 */
export const languagesOf = ({
  contact,
  language,
}: Pick<Ports, 'contact' | 'language'>): (string | null)[] => [
  contact.language,
  languageOfCountry(contact.country),
  language,
]
