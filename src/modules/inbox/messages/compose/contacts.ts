import type { CardContent } from '../../../../platform/send/content'
import { LIMITS, MAX_COUNTS } from './rules'
import type { CardInput } from './model'
import {
  boundedList,
  requiredText,
  optionalText,
  type Report,
} from '../../../../lib/input-problems'

const NAME_PARTS = ['first_name', 'last_name', 'middle_name', 'suffix', 'prefix'] as const
const MAX_CARDS: [number, number] = [1, MAX_COUNTS.contacts]
const ANY_ENTRIES: [number, number] = [0, MAX_COUNTS.cardEntries]

/**
 * Reads contact cards. Each needs a formatted name and one more part of the name (platform
 * documentation 2.2).
 */
export const readCards = (report: Report, cards: readonly CardInput[] | undefined): CardContent[] =>
  boundedList(report, 'body.contacts', cards, MAX_CARDS).map((card, index) =>
    readCard(report, `body.contacts.${index}`, card),
  )

function readCard(report: Report, path: string, card: CardInput): CardContent {
  const entries = <T>(
    name: 'phones' | 'emails' | 'addresses' | 'urls',
    read: (entry: Record<string, string>, at: string) => T,
  ): T[] =>
    boundedList(
      report,
      `${path}.${name}`,
      (card[name] ?? []) as Record<string, string>[],
      ANY_ENTRIES,
    ).map((entry, index) => read(entry, `${path}.${name}.${index}`))
  const word = (entry: Record<string, string>, at: string, name: string): string | null =>
    optionalText(report, `${at}.${name}`, entry[name], LIMITS.cardText)
  return {
    name: readName(report, `${path}.name`, card.name),
    phones: entries('phones', (entry, at) => {
      if (!entry['phone'] && !entry['wa_id']) report(`${at}.phone`, 'is required')
      return {
        phone: word(entry, at, 'phone'),
        type: word(entry, at, 'type'),
        wa_id: word(entry, at, 'wa_id'),
      }
    }),
    emails: entries('emails', (entry, at) => ({
      email: requiredText(report, `${at}.email`, entry['email'], LIMITS.cardText),
      type: word(entry, at, 'type'),
    })),
    addresses: entries('addresses', (entry, at) => filled(report, at, entry)),
    urls: entries('urls', (entry, at) => ({
      url: requiredText(report, `${at}.url`, entry['url'], LIMITS.url),
      type: word(entry, at, 'type'),
    })),
    org: filled(report, `${path}.org`, card.org ?? {}),
    birthday: readBirthday(report, `${path}.birthday`, card.birthday),
    origin: null,
  }
}

function readName(report: Report, path: string, name: CardInput['name']): CardContent['name'] {
  const { formatted_name, ...parts } = filled(report, path, name)
  requiredText(report, `${path}.formatted_name`, name.formatted_name, LIMITS.cardText)
  if (!NAME_PARTS.some((part) => parts[part] !== undefined))
    report(path, `also requires one of ${NAME_PARTS.join(', ')}`)
  return { formatted_name: formatted_name ?? '', ...parts }
}

/** Returns the non-empty texts. */
const filled = (
  report: Report,
  path: string,
  words: Record<string, string | undefined>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(words).flatMap(([name, value]) => {
      const word =
        name === 'formatted_name'
          ? value
          : optionalText(report, `${path}.${name}`, value, LIMITS.cardText)
      return word === null || word === undefined ? [] : [[name, word] as const]
    }),
  )

function readBirthday(report: Report, path: string, value: string | undefined): string | null {
  if (value === undefined || value === '') return null
  const date = new Date(/^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00:00Z` : Number.NaN)
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(value))
    report(path, 'must be a date as YYYY-MM-DD')
  return value
}
