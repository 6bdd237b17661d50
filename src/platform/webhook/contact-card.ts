import { isObject, listOf, objectOf, textOf, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import { nameInVcard } from '../vcard'

/**
 * A shared contact card. A missing name is taken from its vCard, otherwise from its phone numbers
 * (cards from 2026 on may lack it).
 */
export function readCard(card: unknown): JsonObject {
  const { name, phones, emails, addresses, urls, org, birthday, origin, vcard } = objectOf(card)
  const numbers = listOf(phones)
    .filter(isObject)
    .map((phone) => ({
      phone: textOf(phone.phone) ?? textOf(phone.wa_id),
      type: wordOf(phone.type),
      wa_id: wordOf(phone.wa_id),
    }))
  const parts = objectOf(name)
  const nameParts = [parts.first_name, parts.middle_name, parts.last_name]
    .map(wordOf)
    .filter((part) => part !== null)
  const vcardText = textOf(vcard)
  const displayName =
    wordOf(parts.formatted_name) ??
    (nameParts.join(' ') ||
      (vcardText === null ? null : nameInVcard(vcardText)) ||
      numbers.map(({ phone }) => phone).join(', '))
  return {
    name: { ...parts, formatted_name: displayName },
    phones: numbers,
    emails: listOf(emails).filter(isObject),
    addresses: listOf(addresses).filter(isObject),
    urls: listOf(urls).filter(isObject),
    org: objectOf(org),
    birthday: wordOf(birthday),
    origin: wordOf(origin),
    vcard: vcardText,
  }
}
