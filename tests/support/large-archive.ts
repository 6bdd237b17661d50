import { columnOf, type TestArchive } from './organization-archive'

/** Returns the IDs of a row, by the number of the row. */
const idOf = (kind: number, number: number): string =>
  `0190${kind.toString(16).padStart(4, '0')}-${(number >>> 16).toString(16).padStart(4, '0')}-7000-${(
    0x8000 |
    ((number >>> 2) & 0x3fff)
  ).toString(16)}-${((number & 3) + 1).toString(16)}00000000000`

const [CONTACT, CONVERSATION, MESSAGE] = [0x10, 0x20, 0x30]

/**
 * Returns the archive with many more contacts, each with a conversation and messages: copies of the
 * first rows with IDs of their own.
 */
export function enlarged(
  archive: TestArchive,
  { contacts, messages }: { contacts: number; messages: number },
): TestArchive {
  const parts = new Map(archive.parts)
  const template = (table: string): unknown[] => parts.get(table)?.[0] as unknown[]
  const copy = (table: string, values: Record<string, unknown>): unknown[] => {
    const line = [...template(table)]
    for (const [column, value] of Object.entries(values))
      line[columnOf(archive, table, column)] = value
    return line
  }
  const add = (table: string, lines: unknown[][]): void =>
    void parts.set(table, [...(parts.get(table) ?? []), ...lines])
  const numbers = Array.from({ length: contacts }, (_, nth) => nth)
  const perContact = Math.ceil(messages / contacts)
  const waId = (nth: number): string => `49160${String(nth).padStart(8, '0')}`
  add(
    'contacts',
    numbers.map((nth) =>
      copy('contacts', {
        row: 1_000_000 + nth,
        id: idOf(CONTACT, nth),
        name: `Customer ${nth}`,
        ...{ phone_number: waId(nth), wa_id: waId(nth), user_id: null, merged_into: null },
      }),
    ),
  )
  add(
    'contact_identities',
    numbers.map((nth) =>
      copy('contact_identities', {
        ...{ kind: 'phone', value: waId(nth), contact_id: idOf(CONTACT, nth) },
      }),
    ),
  )
  add(
    'conversations',
    numbers.map((nth) =>
      copy('conversations', {
        id: idOf(CONVERSATION, nth),
        contact_id: idOf(CONTACT, nth),
        last_message_id: null,
      }),
    ),
  )
  add(
    'messages',
    Array.from({ length: messages }, (_, nth) => {
      const contact = Math.floor(nth / perContact)
      const text = `Message ${nth} about order ${nth % 977} of this week`
      return copy('messages', {
        row: 10_000_000 + nth,
        id: idOf(MESSAGE, nth),
        conversation_id: idOf(CONVERSATION, contact),
        contact_id: idOf(CONTACT, contact),
        wa_message_id: `wamid.large.${nth}`,
        content: JSON.stringify({ text }),
        preview: text,
        reply_to_id: null,
      })
    }),
  )
  return { ...archive, parts }
}
