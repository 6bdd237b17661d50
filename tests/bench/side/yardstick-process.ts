/**
 * The yardstick: work like that of a text without the server, on a database of its own. Prints the
 * processor time of one, microseconds. A process of its own, compiled like the server.
 */
import { Database } from 'bun:sqlite'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROUNDS = 5
const TEXTS = 4_000
/** Texts of one transaction, about as many as the server takes. */
const AT_ONCE = 20
const CONTACTS = 2_000

const SCHEMA = `
  create table contacts (id integer primary key, name text not null, last_at integer, unread integer not null) strict;
  create index contacts_recent on contacts (last_at, id);
  create table texts (id text primary key, contact_id integer not null references contacts (id), at integer not null, body text not null, raw blob not null) strict;
  create index texts_of_contact on texts (contact_id, at, id);
  create index texts_recent on texts (at, id);
  create virtual table words using fts5(body, content='', detail=full);`

interface Delivery {
  entry: {
    changes: { value: { messages: { id: string; from: string; text: { body: string } }[] } }[]
  }[]
}

const deliveryOf = (nth: number): string =>
  JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '1', changes: [{ field: 'messages', value: valueOf(nth) }] }],
  })

const valueOf = (nth: number) => ({
  messaging_product: 'whatsapp',
  metadata: { display_phone_number: '15550100001', phone_number_id: '1000' },
  contacts: [{ profile: { name: `Customer ${nth % CONTACTS}` }, wa_id: String(nth % CONTACTS) }],
  messages: [
    {
      from: String(nth % CONTACTS),
      id: `wamid.${nth}`,
      timestamp: '1700000000',
      type: 'text',
      text: { body: `Hello, is order ${nth} on its way?` },
    },
  ],
})

/** Stores so many texts of customers. Returns the processor time of each, microseconds. */
function storeTexts(db: Database, first: number): number {
  const contact = db.query(
    'insert into contacts values (?1, ?2, ?3, 1) on conflict do update set last_at = excluded.last_at, unread = unread + 1 returning *',
  )
  const text = db.query('insert into texts values (?, ?, ?, ?, ?) on conflict do nothing')
  const words = db.query('insert into words (rowid, body) values (?, ?)')
  const known = db.query('select id, body, at from texts where id = ?')
  const bodies = Array.from({ length: TEXTS }, (_, nth) => deliveryOf(first + nth))
  const store = (raw: string, nth: number): void => {
    createHmac('sha256', 'secret').update(raw).digest('hex')
    const [message] = (JSON.parse(raw) as Delivery).entry[0]?.changes[0]?.value.messages ?? []
    if (!message || known.get(message.id) !== null) throw new Error('the delivery is known')
    contact.get(Number(message.from), message.from, nth)
    text.run(message.id, Number(message.from), nth, message.text.body, Buffer.from(raw))
    words.run(nth + 1, message.text.body)
  }
  const before = process.cpuUsage()
  for (let done = 0; done < TEXTS; done += AT_ONCE)
    db.transaction(() => {
      for (let nth = done; nth < done + AT_ONCE; nth += 1) store(bodies[nth] ?? '', first + nth)
    }).immediate()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / TEXTS
}

const folder = mkdtempSync(join(tmpdir(), 'switchboard-yardstick-'))
const db = new Database(join(folder, 'yardstick.sqlite'))
db.run('pragma journal_mode = wal')
db.run('pragma foreign_keys = on')
db.run(SCHEMA)
const rounds = Array.from({ length: ROUNDS }, (_, round) => storeTexts(db, round * TEXTS))
db.close()
rmSync(folder, { recursive: true })
console.log(rounds.toSorted((a, b) => a - b)[ROUNDS >> 1])
