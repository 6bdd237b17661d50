import { Database } from 'bun:sqlite'

import { changeRows } from '../support/sql'

/** How many rows a large inbox has. */
export const COUNTS = { messages: 1_000_000, contacts: 100_000, mine: 20 }

/** Young enough to be within the windows; the newest message. */
const NEWEST_MS = Date.now()

/** How many rows are written. */
export type Counts = typeof COUNTS

const count = (rows: number): string =>
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})`
const id = (kind: string, number = 'i'): string =>
  `unhex(printf('0190000000007000${kind}%012x', ${number}))`
const WORDS =
  'order lamp blue delivery tomorrow please thanks invoice address cancel hello price refund parcel size colour green question café help account number date today morning evening black white large small'.split(
    ' ',
  )
const word = (number: string): string =>
  `case abs(${number}) % ${WORDS.length} ${WORDS.map((text, index) => `when ${index} then '${text}'`).join(' ')} end`

const ORGANIZATION = '(select id from organizations order by rowid limit 1)'
const ACCOUNT = "'01900000-0000-7000-8100-000000000001'"
/** The role of the agent who has some of the contacts. */
export const OWN_CONTACTS = 'Own contacts'

const AGENT = `(select user_id from memberships where role_id = (select id from roles where name = '${OWN_CONTACTS}'))`

function statements(counts: Counts): string[] {
  /** Which contact the n-th message is of: the messages of a contact lie far apart. */
  const owner = `1 + (i * 7919) % ${counts.contacts}`
  const saidMs = (number: string): string => `${NEWEST_MS} - (${counts.messages} - ${number}) * 60`
  return [
    `insert into accounts (organization_id, id, name, phone_id, business_id, api_version, status, is_default_outgoing, created_at_ms, updated_at_ms)
   values (${ORGANIZATION}, ${ACCOUNT}, 'Main', '301000000000001', '201000000000001', 'v25.0', 'pending', 1, 1, 1)`,
    `${count(counts.contacts)} insert into contacts (organization_id, id, name, sort_name, phone_number, source, assigned_to, account_id, last_message_at_ms,
     last_inbound_at_ms, unread_count, first_seen_at_ms, created_at_ms, updated_at_ms)
   select ${ORGANIZATION}, ${id('8101')}, 'Person ' || i, 'person ' || i, cast(15550000000 + i as text), 'inbound',
     case when i <= ${counts.mine} then ${AGENT} end, ${ACCOUNT}, ${saidMs(`${counts.messages - counts.contacts} + i`)},
     ${saidMs(`${counts.messages - counts.contacts} + i`)}, i % 3, i, i, i from n`,
    `insert into contact_words (organization_id, contact_id, words, digits) select organization_id, id, ' ' || sort_name, phone_number || ' ' from contacts`,
    `${count(counts.contacts)} insert into conversations (organization_id, id, contact_id, account_id, state, assigned_to, unread_count, last_message_at_ms, last_inbound_at_ms,
     unanswered_since_ms, created_at_ms, updated_at_ms)
   select ${ORGANIZATION}, ${id('8102')}, ${id('8101')}, ${ACCOUNT}, case i % 10 when 0 then 'closed' when 1 then 'pending' else 'open' end,
     case when i <= ${counts.mine} then ${AGENT} end, i % 3, ${saidMs(`${counts.messages - counts.contacts} + i`)},
     ${saidMs(`${counts.messages - counts.contacts} + i`)}, case when i % 3 > 0 then ${saidMs('i')} end, i, i from n`,
    `${count(counts.messages)} insert into messages (organization_id, id, conversation_id, contact_id, account_id, wa_message_id, type, content, preview, status, stage, source,
     timestamp_ms, received_at_ms, created_at_ms)
   select ${ORGANIZATION}, ${id('8103')}, ${id('8102', owner)}, ${id('8101', owner)}, ${ACCOUNT}, 'wamid.' || i,
     'text', json_object('text', said), said, 'delivered', case i % 2 when 0 then null else 'accepted' end,
     case i % 2 when 0 then 'contact' else 'agent' end, ${saidMs('i')}, ${saidMs('i')}, ${saidMs('i')}
   from (select i, ${['i * 31 + i / 7', 'i * 17 + i / 11', 'i * 13 + i / 3', 'i * 7 + i / 13', 'i / 5'].map(word).join(" || ' ' || ")}
     || ' rare' || (i % 50000) || ' n' || i as said from n)`,
    `update conversations set last_message_id = (select id from messages where messages.organization_id = conversations.organization_id
     and messages.contact_id = conversations.contact_id and messages.conversation_id = conversations.id order by timestamp_ms desc limit 1)`,
    `insert into message_words (row, organization_id, contact_id, words)
   select row, organization_id, contact_id, preview from messages order by row`,
  ]
}

/** Writes the rows straight into the database file, while no server runs. */
export function fillInbox(path: string, counts: Counts = COUNTS): void {
  const sqlite = new Database(path, { strict: true })
  sqlite.run('pragma foreign_keys = off')
  sqlite.run('pragma synchronous = off')
  sqlite.run('pragma cache_size = -200000')
  sqlite.transaction(() => {
    for (const statement of statements(counts)) changeRows(sqlite, statement)
  })()
  sqlite.run('pragma wal_checkpoint(truncate)')
  sqlite.close()
}
