import { and, eq, sql } from 'drizzle-orm'

import { fold } from '../../lib/fold'
import { looksLikePhone, nationalDigits } from '../../lib/phone'
import { anyScope, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled, type Tx } from '../../infra/db'
import { contactIdentities, contacts, contactWords } from './table'
import type { ContactRow } from './view'

/** Characters of a name that are sorted by. */
const SORTED_CHARACTERS = 100

/** What a contact is sorted by: what it is called, without case and accents. */
export const sortNameOf = (row: Pick<ContactRow, 'name' | 'profileName' | 'username' | 'phoneNumber' | 'waId' | 'userId'>): string =>
  fold(row.name ?? row.profileName ?? row.username ?? row.phoneNumber ?? row.waId ?? row.userId ?? '').slice(0, SORTED_CHARACTERS)

/** An organization as one word of the full-text index of contacts. */
export const scopeWord = (organizationId: string): string => `o${organizationId.replaceAll('-', '')}`

/** Digits as they are found by how they end: backwards, marked so that they are no number. */
export const backwards = (digits: string): string => `r${[...digits].toReversed().join('')}`

const numbersOf = compiled((orm) =>
  orm
    .select({ value: contactIdentities.value })
    .from(contactIdentities)
    .where(
      inOrganization(
        anyScope,
        contactIdentities,
        and(eq(contactIdentities.contactId, sql.placeholder('contactId')), eq(contactIdentities.kind, 'phone')),
      ),
    )
    .prepare(),
)

const writeWords = compiled((orm) =>
  orm
    .insert(contactWords)
    .values({
      organizationId: sql.placeholder('organizationId'),
      contactId: sql.placeholder('contactId'),
      scope: sql.placeholder('scope'),
      words: sql.placeholder('words'),
      digits: sql.placeholder('digits'),
    })
    .onConflictDoUpdate({
      target: [contactWords.organizationId, contactWords.contactId],
      set: { words: sql`excluded.words`, digits: sql`excluded.digits` },
      setWhere: sql`(${contactWords.words}, ${contactWords.digits}) <> (excluded.words, excluded.digits)`,
    })
    .prepare(),
)

/**
 * Makes a contact findable and sortable by what it is called and by its numbers now, in the transaction of the change. A name that is a
 * number counts as a number: it must not be found by digits that are hidden.
 */
export function indexContactIn(tx: Tx, ctx: Ctx, row: ContactRow): ContactRow {
  const numbers = numbersOf(ctx.db).all({ organizationId: ctx.organizationId, contactId: row.id })
  writeWords(ctx.db).run({
    organizationId: ctx.organizationId,
    contactId: row.id,
    scope: scopeWord(ctx.organizationId),
    ...wordsOf(
      row,
      numbers.map(({ value }) => value),
    ),
  })
  mergeSomeIn(tx, ctx)
  const sortName = sortNameOf(row)
  if (sortName === row.sortName) return row
  return tx
    .update(contacts)
    .set({ sortName })
    .where(inOrganization(ctx, contacts, eq(contacts.id, row.id)))
    .returning()
    .get()
}

/** Pages of the index that are merged with each writing: several times as many as one adds, and done in less than a millisecond. */
const MERGED_PAGES = 16

/**
 * Merges some of what was added to the index, in the transaction that adds more. Left to itself (`automerge`, which a migration has turned off) the index
 * does so for hundreds of pages at once whenever 64 were added, and everybody waits for that commit.
 */
function mergeSomeIn(tx: Tx, ctx: Ctx): void {
  void tx // one connection: the statement runs inside the transaction that `tx` proves to be open
  ctx.db.sqlite.query(`insert into contact_search (contact_search, rank) values ('merge', ${MERGED_PAGES})`).run()
}

/** What a contact is found by: what it is called, and its numbers. */
function wordsOf(row: Pick<ContactRow, 'name' | 'profileName' | 'username' | 'phoneNumber' | 'waId'>, known: string[]): Words {
  const named = [row.name, row.profileName, row.username].filter((name) => name !== null)
  const numbers = [
    ...known,
    ...[row.phoneNumber, row.waId].filter((number) => number !== null),
    ...named.filter(looksLikePhone).map((name) => name.replace(/\D/g, '')),
  ]
  return { words: fold(named.filter((name) => !looksLikePhone(name)).join('\n')), digits: digitWords(numbers).join(' ') }
}

interface Words {
  words: string
  digits: string
}

/** All in one statement: the full-text index writes out what it has at the end of each. */
const writeManyWords = compiled((orm) =>
  orm
    .insert(contactWords)
    .select(
      sql`select null, ${sql.placeholder('organizationId')}, value ->> 0, ${sql.placeholder('scope')}, value ->> 1, value ->> 2 from json_each(${sql.placeholder('rows')})`,
    )
    .prepare(),
)

/** Makes contacts findable that are new and have no other number than the one in their row, in the transaction that adds them. */
export function indexNewContactsIn(tx: Tx, ctx: Ctx, rows: Pick<ContactRow, 'id' | 'name' | 'phoneNumber'>[]): void {
  const lines = rows.map(({ id, ...row }) => {
    const { words, digits } = wordsOf({ ...row, profileName: null, username: null, waId: null }, [])
    return [id, words, digits]
  })
  const { organizationId } = ctx
  writeManyWords(ctx.db).run({ organizationId, scope: scopeWord(organizationId), rows: JSON.stringify(lines) })
  mergeSomeIn(tx, ctx)
}

/** Each number as it is, as it is dialled in its country, and backwards. */
const digitWords = (numbers: string[]): string[] => [
  ...new Set([...new Set(numbers)].flatMap((digits) => [digits, nationalDigits(digits) ?? digits, backwards(digits)])),
]

/** Takes a contact out of the search for good, in the transaction that erases it. */
export function forgetWordsIn(tx: Tx, ctx: Ctx, contactId: string): void {
  tx.delete(contactWords)
    .where(inOrganization(ctx, contactWords, eq(contactWords.contactId, contactId)))
    .run()
}
