import type { Loose } from './client'
import type { World } from './world'

const VOLATILE = new Set([
  'id',
  'conversation_id',
  'contact_id',
  'account_id',
  'received_at',
  'created_at',
  'updated_at',
  'first_seen_at',
])

/** A value without what legitimately differs between two runs: ids of ours and times of receipt. */
function stable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stable)
  if (typeof value !== 'object' || value === null) return value
  // By which way a contact was first heard of is as much a matter of arrival as when that was.
  const isContact = 'first_seen_at' in value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !VOLATILE.has(key) && !(isContact && key === 'source'))
      .map(([key, member]) => [key, stable(member)]),
  )
}

/** Things in an order of their own, whichever they came in. */
const sorted = (things: unknown[]): unknown[] =>
  things
    .map((thing) => ({ thing, text: JSON.stringify(thing) }))
    .toSorted((a, b) => (a.text < b.text ? -1 : 1))
    .map(({ thing }) => thing)

/**
 * Everything a world's tenants see of contacts, conversations and messages, and the ledger of
 * statuses.
 */
export async function digestOf(world: World): Promise<unknown> {
  const seen: unknown[] = []
  for (const tenant of world.tenants) {
    const admin = await world.as('admin', tenant)
    const contacts = (await admin.get('/api/contacts?sort=last_message_at&limit=100')).data[
      'items'
    ] as Loose[]
    const byNumber = contacts.toSorted((a, b) =>
      String(a['phone_number']).localeCompare(String(b['phone_number'])),
    )
    for (const contact of byNumber) {
      const messages: Loose[] = []
      for (let page = 1, more = true; more; page += 1) {
        const { data } = await admin.get(
          `/api/contacts/${contact['id']}/messages?limit=100&page=${page}`,
        )
        messages.push(...(data['items'] as Loose[]))
        more = data['has_more'] as boolean
      }
      seen.push(stable(contact), sorted(messages.map(stable)))
    }
    const conversations = (await admin.get('/api/conversations?limit=100')).data['items'] as Loose[]
    seen.push(sorted(conversations.map(stable)))
  }
  const ledgers = [
    'select wa_message_id, status, participant, timestamp_ms, errors, pricing from message_statuses',
    'select target_wa_message_id, reactor, participant, emoji, wa_message_id, timestamp_ms, message_id is null as waits from message_reactions',
    'select target_wa_message_id, wa_message_id, kind, content, timestamp_ms, pending_since_ms is null as applied from message_revisions',
    'select state, source, at_ms from contact_consents',
    'select first_referral, last_referral, last_inbound_at_ms, window_closed_at_ms, unread_count, unanswered_since_ms, last_answered_at_ms, first_response_at_ms from conversations',
    'select words from message_words',
    'select p.phone_number, f.kind, f.at_ms from thread_facts f join conversations c on c.organization_id = f.organization_id and c.id = f.conversation_id join contacts p on p.organization_id = c.organization_id and p.id = c.contact_id',
  ].map((query) =>
    world
      .rows(query)
      .map((row) => JSON.stringify(row))
      .toSorted(),
  )
  return { seen, ledgers }
}
