import { Database } from 'bun:sqlite'

import { changeRows } from '../../support/sql'
import { fillInbox } from '../inbox-rows'

/** How much the inbox of this benchmark holds. */
export const CONVERSATIONS = 100_000
export const LONG_THREAD = 10_000

const CONTACT = (CONVERSATIONS - 1).toString(16).padStart(12, '0')
/** The conversation with the long thread. */
export const LONG_CONVERSATION = `01900000-0000-7000-8102-${CONTACT}`
/** The number of the n-th customer. */
export const numberOf = (customer: number): string => String(15_550_000_000 + customer)

/** Writes an inbox with many conversations, one of them long, while no server runs. */
export function fillConsole(path: string): void {
  fillInbox(path, { messages: CONVERSATIONS, contacts: CONVERSATIONS, mine: 20 })
  const sqlite = new Database(path, { strict: true })
  sqlite.run('pragma foreign_keys = off')
  const long = `'${LONG_CONVERSATION}'`
  changeRows(
    sqlite,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${LONG_THREAD})
     insert into messages (organization_id, id, conversation_id, contact_id, account_id, wa_message_id, type, content, preview, status, stage, source,
       timestamp_ms, received_at_ms, created_at_ms)
     select c.organization_id, unhex(printf('01900000000070008104%012x', i)), c.id, c.contact_id, c.account_id, 'thread.' || i,
       'text', json_object('text', 'Message ' || i), 'Message ' || i, 'delivered',
       case i % 2 when 0 then null else 'accepted' end, case i % 2 when 0 then 'contact' else 'agent' end, ms, ms, ms
     from (select i, c.*, ${Date.now()} - (${LONG_THREAD} - i) * 60000 as ms from n, conversations c where c.id = ${long}) c`,
  )
  changeRows(
    sqlite,
    `update conversations set state = 'open', last_message_at_ms = ${Date.now()},
       last_message_id = (select id from messages where wa_message_id = 'thread.${LONG_THREAD}') where id = ${long}`,
  )
  sqlite.run('pragma wal_checkpoint(truncate)')
  sqlite.close()
}
