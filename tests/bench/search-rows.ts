import { Database } from 'bun:sqlite'
import { changeRows } from '../support/sql'

const NEWEST_MS = Date.now()
const ORGANIZATION = '(select id from organizations order by rowid limit 1)'
const ID = "unhex(printf('01900000000070008101%012x', i))"
const TAG = "'01900000-0000-7000-8104-000000000001'"

/** Of a hundred contacts thirty are called Maria and one Xaver; one of all is called Zebulon; `i` counts them. */
export const FIRST_NAME = `case when i = 777 then 'Zebulon' when i % 100 < 30 then 'Maria' when i % 100 = 30 then 'Xaver' else substr('AnnaBertCleoDoraEmilFinnGustHana', 1 + 4 * (i % 8), 4) end`
const SURNAME = `'Person' || i`

/**
 * Writes so many contacts straight into the database file, while no server runs. Every third one is
 * tagged.
 */
export function fillContacts(path: string, rows: number): void {
  const sqlite = new Database(path, { strict: true })
  sqlite.run('pragma foreign_keys = off')
  sqlite.run('pragma synchronous = off')
  sqlite.run('pragma cache_size = -200000')
  const count = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})`
  sqlite.transaction(() => {
    changeRows(
      sqlite,
      `insert into tags (organization_id, id, name, name_key, color, created_at_ms, updated_at_ms) values (${ORGANIZATION}, ${TAG}, 'VIP', 'vip', '#ff0000', 1, 1)`,
    )
    changeRows(
      sqlite,
      `${count} insert into contacts (organization_id, id, name, sort_name, phone_number, source, country, metadata, last_message_at_ms, last_inbound_at_ms,
        first_seen_at_ms, created_at_ms, updated_at_ms)
      select ${ORGANIZATION}, ${ID}, ${FIRST_NAME} || ' ' || ${SURNAME}, lower(${FIRST_NAME} || ' ' || ${SURNAME}), cast(4915100000000 + i * 7 as text),
        'inbound', 'DE', json_object('plan', case i % 3 when 0 then 'gold' else 'free' end, 'city', 'Berlin', 'note', 'Wrote about an invoice'),
        ${NEWEST_MS} - (i * 7919 % ${rows}) * 60000, ${NEWEST_MS} - (i * 7919 % ${rows}) * 60000, i, i, i from n`,
    )
    sqlite.run(
      `insert into contact_identities (organization_id, kind, value, contact_id, first_seen_at_ms) select organization_id, 'phone', phone_number, id, 1 from contacts`,
    )
    sqlite.run(`insert into contact_words (organization_id, contact_id, words, digits)
      select organization_id, id, ' ' || sort_name, phone_number || ' ' from contacts`)
    changeRows(
      sqlite,
      `insert into contact_tags (organization_id, contact_id, tag_id) select organization_id, id, ${TAG} from contacts where rowid % 3 = 0`,
    )
  })()
  sqlite.run('pragma wal_checkpoint(truncate)')
  sqlite.close()
}
