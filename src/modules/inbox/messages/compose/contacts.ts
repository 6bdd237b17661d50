import type { CardContent } from '../../../../platform/send/content'
import type { Report } from '../../../../lib/input-problems'
import { readFields } from '../../../../lib/read-fields'
import { TYPES } from './by-type/model'

/**
 * Reads contact cards. Each needs a formatted name and one more part of the name (platform
 * documentation 2.2).
 */
export const readCards = (report: Report, input: object): CardContent[] =>
  readFields(report, 'body', TYPES.contacts, input).contacts.map((card, index) => {
    const path = `body.contacts.${index}`
    const { formatted_name, ...parts } = card.name
    if (Object.keys(filled(parts)).length === 0)
      report(`${path}.name`, `also requires one of ${NAME_PARTS.join(', ')}`)
    for (const [place, { phone, wa_id }] of card.phones.entries())
      if (phone === null && wa_id === null) report(`${path}.phones.${place}.phone`, 'is required')
    return {
      ...card,
      name: { formatted_name, ...filled(parts) },
      addresses: card.addresses.map(filled),
      org: filled(card.org ?? {}),
      origin: null,
    }
  })

const NAME_PARTS = ['first_name', 'last_name', 'middle_name', 'suffix', 'prefix']

/** Returns the texts that are not empty. */
const filled = (words: Record<string, string | null>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(words).flatMap(([name, word]) => (word === null ? [] : [[name, word] as const])),
  )
