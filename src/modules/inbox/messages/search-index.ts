import { eq, sql } from 'drizzle-orm'

import { foldText } from '../../../lib/fold-text'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { uuidToBytes } from '../../../infra/db/uuid'
import type { Tx } from '../../../infra/db/transact'
import { TransactionLocal } from '../../../infra/db/transaction-scope'
import { messageWords } from './table'
import type { MessageRow } from './view'

/**
 * Begins the words of the full-text index that stand for organizations and contacts. The index does
 * not tell columns apart. Nobody can search for this character, and texts that hold it are compared
 * with the organization like all others.
 */
const MARK = '\u{E000}'

/** A word that no message has. */
export const NOBODY_WORD = `${MARK}n`

/** The organization as a word of the full-text index: `o` and the stored bytes of its ID. */
export const organizationWord = (organizationId: string): string =>
  `${MARK}o${uuidToBytes(organizationId).toHex()}`

/** The contact as a word of the full-text index: `c` and the stored bytes of its ID. */
export const contactWord = (contactId: string): string =>
  `${MARK}c${uuidToBytes(contactId).toHex()}`

/** Searchable content fields: texts, titles, file names and names of shared contacts. */
const SEARCHED = new Set([
  'text',
  'caption',
  'filename',
  'title',
  'description',
  'body',
  'header',
  'footer',
  'button_text',
  'name',
  'address',
  'formatted_name',
  'phone',
  'email',
  'company',
  'product_retailer_id',
])

/** Content fields of the platform, which are not searchable. */
const UNSEARCHED = new Set(['raw', 'errors'])

/** Searchable characters per message. */
const MAX_CHARACTERS = 16_384

/**
 * Returns the searchable text of a message: text, captions, titles, file names and names of shared
 * contacts (messages contract 6).
 */
export function searchTextOf(type: string, content: Record<string, unknown>): string {
  if (type === 'system') return ''
  const found: string[] = []
  const collect = (value: unknown, key: string, depth: number): void => {
    if (depth > 8) return
    if (typeof value === 'string') {
      if (SEARCHED.has(key)) found.push(value)
    } else if (Array.isArray(value)) for (const inner of value) collect(inner, key, depth + 1)
    else if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value))
        if (!UNSEARCHED.has(name)) collect(inner, name, depth + 1)
  }
  collect(content, '', 0)
  return found.join(' \n').slice(0, MAX_CHARACTERS)
}

/** Texts of which the full-text index makes the same words as of the folded ones. */
const PLAIN_TEXT = /^[\t\n\r\u0020-\u007e]*$/

/**
 * Returns the words of a message to store: empty if it has none, `null` if they are those of its
 * text as it is stored, which need not be stored twice.
 */
function wordsOf(type: string, content: Record<string, unknown>): string | null {
  const text = searchTextOf(type, content)
  return text !== '' && text === content['text'] && PLAIN_TEXT.test(text) ? null : foldText(text)
}

const PLACEHOLDERS = {
  row: sql.placeholder('row'),
  organizationId: sql.placeholder('organizationId'),
  contactId: sql.placeholder('contactId'),
  words: sql.placeholder('words'),
}

const insertWords = compiled((orm) => orm.insert(messageWords).values(PLACEHOLDERS).prepare())

const writeWords = compiled((orm) =>
  orm
    .insert(messageWords)
    .values(PLACEHOLDERS)
    .onConflictDoUpdate({
      target: messageWords.row,
      set: {
        contactId: sql`excluded.contact_id`,
        words: sql`excluded.words`,
      },
    })
    .prepare(),
)

/** Adds a new message to the search index, in the same transaction. */
export function indexNewWordsIn(
  tx: Tx,
  ctx: Ctx,
  row: Pick<MessageRow, 'row' | 'contactId' | 'type'>,
  content: Record<string, unknown>,
): void {
  const words = wordsOf(row.type, content)
  if (words === '') return
  insertWords(ctx.db).run({
    row: row.row,
    organizationId: ctx.organizationId,
    contactId: row.contactId,
    words,
  })
  mergeIndexPagesIn(tx, ctx)
}

/**
 * Updates a message in the search index, or removes it if it has no text, in the transaction of the
 * change.
 */
export function indexWordsIn(
  tx: Tx,
  ctx: Ctx,
  row: Pick<MessageRow, 'row' | 'contactId' | 'type' | 'content'>,
): void {
  const words = wordsOf(row.type, JSON.parse(row.content) as Record<string, unknown>)
  if (words === '') {
    tx.delete(messageWords)
      .where(inOrganization(ctx, messageWords, eq(messageWords.row, row.row)))
      .run()
    return
  }
  writeWords(ctx.db).run({
    row: row.row,
    organizationId: ctx.organizationId,
    contactId: row.contactId,
    words,
  })
  mergeIndexPagesIn(tx, ctx)
}

/** Index pages merged with the first message of a transaction and with every eighth after it. */
const MERGED_PAGES = 16
const MESSAGES_PER_MERGE = 8

const written = new TransactionLocal(() => ({ messages: 0 }))

/**
 * Merges a few index pages after a message was indexed. FTS5's own `automerge`, which is turned
 * off, merges hundreds of pages at once and blocks everything for up to 70 ms.
 */
export function mergeIndexPagesIn(tx: Tx, ctx: Ctx): void {
  const count = written.ofWhole(tx)
  count.messages += 1
  if (count.messages % MESSAGES_PER_MERGE === 1)
    ctx.db.sqlite
      .query(`insert into message_search (message_search, rank) values ('merge', ${MERGED_PAGES})`)
      .run()
}
