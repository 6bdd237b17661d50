import { describe, expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'

import {
  bytesToPlatformId,
  platformIdPlaceholder,
  platformIdToBytes,
} from '../../src/infra/db/platform-id'
import { wrapDb } from '../../src/infra/db/connection'
import { messageStatuses } from '../../src/modules/inbox/messages/status/table'
import { idNamed } from '../support/ids'
import { readRows } from '../support/sql'
import { freshDatabase } from '../support/world'

const REAL = 'wamid.HBgLMTU1NTAxMDAwMDEVAgASGBQzQTdFNDQ3RDIzQzk0REI0OTlGNQA='
const PADDED = 'wamid.HBgLMTU1NTAxMDAwMDEVAgASGBQzQTdFNDQ3RDIzQzk0REI0OTlGNQABAg=='
const WHOLE = 'wamid.HBgLMTU1NTAxMDAwMDEVAgASGBQzQTdFNDQ3RDIzQzk0REI0OTlGNQAB'

const base64 = (...bytes: number[]): string =>
  `wamid.${Buffer.from([...bytes, ...Buffer.alloc(16, 7)]).toString('base64')}`

/** Ids that are stored as the bytes of their base64. */
const SHORT = [REAL, PADDED, WHOLE, base64(0), base64(0xff, 0xff), 'wamid.AAAAAAAAAAAAAAAA']

/** Texts that are stored as themselves, though most look much like those. */
const LONG = [
  ...['', '=', 'wamid', 'wamid.', 'wamid.=', 'wamid.QQ==', 'wamid.echo', `=${REAL}`, ` ${REAL}`],
  ...[REAL.toUpperCase(), REAL.toLowerCase(), REAL.replace('wamid', 'Wamid'), REAL.slice(6)],
  ...[
    REAL.slice(0, -1),
    `${REAL}=`,
    `${REAL} `,
    `${REAL}\n`,
    `${REAL}\0`,
    `${WHOLE}A`,
    `${WHOLE}AA`,
  ],
  ...[REAL.replace('NQA=', 'NQB='), REAL.replace('HBg', 'HB\ng'), REAL.replace('HBg', 'HB=g')],
  ...[base64(0xfb, 0xff).replace('+', '-').replace('/', '_'), base64(0x3d), base64(0x3d, 0x3d)],
  ...['wacid.HBgLMTU1NTAxMDAwMDEVAgASGBQz', 'digest:0a', 'copy of é 🍕', '\uFEFFwamid.x', '\0'],
  'mid.$cAAJdkrCd2ORnva8ErFhjGm0X_Q_c',
]

const WRITTEN = [...SHORT, ...LONG]

const stored = (id: string): string => Buffer.from(platformIdToBytes(id)).toString('hex')

describe('the bytes of the id of a message', () => {
  test('are read back as the same text', () => {
    expect(WRITTEN.map((id) => bytesToPlatformId(platformIdToBytes(id)))).toEqual(WRITTEN)
  })

  test('are others for each text', () => {
    expect(new Set(WRITTEN).size).toBe(WRITTEN.length)
    expect(new Set(WRITTEN.map(stored)).size).toBe(WRITTEN.length)
  })

  test('are a third fewer than characters of base64', () => {
    expect(platformIdToBytes(REAL)).toHaveLength(41)
    for (const id of SHORT)
      expect(stored(id)).toBe(Buffer.from(id.slice(6), 'base64').toString('hex'))
    for (const id of LONG) expect(stored(id)).toBe(Buffer.from(`=${id}`).toString('hex'))
  })

  test('of random bytes and of random texts are read back as the same text', () => {
    const random = Array.from({ length: 500 }, (_, nth) => {
      const bytes = crypto.getRandomValues(new Uint8Array(nth % 60))
      return `wamid.${bytes.toBase64({ alphabet: nth % 3 === 0 ? 'base64url' : 'base64', omitPadding: nth % 5 === 0 })}`
    })
    expect(random.map((id) => bytesToPlatformId(platformIdToBytes(id)))).toEqual(random)
  })
})

describe('a column of ids of messages', () => {
  const db = wrapDb(freshDatabase(), { synchronous: 'normal', cacheMib: 2 })
  db.sqlite.run('pragma foreign_keys = off')
  const row = (waMessageId: string) => ({
    ...{ organizationId: idNamed('org'), accountId: idNamed('account'), waMessageId },
    ...{ status: 'sent', timestampMs: 1, receivedAtMs: 1 },
  })
  db.orm.insert(messageStatuses).values(WRITTEN.map(row)).run()

  test('holds bytes, and text in the program', () => {
    const types = 'select distinct typeof(wa_message_id) as type from message_statuses'
    expect(readRows(db.sqlite, types)).toEqual([{ type: 'blob' }])
    const found = db.orm.select().from(messageStatuses).all()
    expect(found.map(({ waMessageId }) => waMessageId).toSorted()).toEqual(WRITTEN.toSorted())
  })

  test('is compared with values and placeholders', () => {
    const find = db.orm
      .select({ id: messageStatuses.waMessageId })
      .from(messageStatuses)
      .where(eq(messageStatuses.waMessageId, platformIdPlaceholder('id')))
      .prepare()
    for (const id of WRITTEN) {
      expect(find.all({ id })).toEqual([{ id }])
      const value = eq(messageStatuses.waMessageId, id)
      expect(db.orm.select().from(messageStatuses).where(value).all()).toHaveLength(1)
    }
  })

  test('cannot be compared with a text in a test', () => {
    const text = sql`${messageStatuses.waMessageId} = ${REAL}`
    expect(() => db.orm.select().from(messageStatuses).where(text).all()).toThrow('bound as text')
  })

  test.each(['message_statuses', 'messages'])('of %s refuses a text', (table) => {
    const columns = readRows<{ name: string; type: string; notnull: number }>(
      db.sqlite,
      `select name, type, "notnull" from pragma_table_info('${table}')`,
    ).filter(({ name, notnull }) => notnull === 1 || name === 'wa_message_id')
    const insert = (id: string): void =>
      void db.sqlite.run(
        `insert into ${table} (${columns.map(({ name }) => name).join()})
         values (${columns.map(({ name, type }) => (name === 'wa_message_id' ? id : ({ BLOB: "x'01'", TEXT: `'{"text": "Hi"}'` }[type] ?? 1))).join()})`,
      )
    expect(() => insert(`'${REAL}'`)).toThrow('_platform_id_bytes')
    expect(() => insert("'other'")).toThrow('_platform_id_bytes')
    insert(`x'${stored(REAL)}'`)
    expect(() => insert(`x'${stored(REAL)}'`)).toThrow('UNIQUE')
  })
})
