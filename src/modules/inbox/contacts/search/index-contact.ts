import { and, eq, sql } from 'drizzle-orm'

import { foldText } from '../../../../lib/fold-text'
import { looksLikePhone, nationalDigits } from '../../../../lib/phone'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import { plainFields, type PlainColumn } from '../plain-fields'
import { contactIdentities, contacts } from '../table'
import type { ContactRow } from '../view'
import { contactWords } from './table'

/** Length of the sort key in characters. */
const SORTED_CHARACTERS = 100

/** Returns the sort key of a contact: its display name without case and accents. */
export const sortNameOf = (
  row: Pick<ContactRow, 'name' | 'profileName' | 'username' | 'phoneNumber' | 'waId' | 'userId'>,
): string =>
  foldText(
    row.name ?? row.profileName ?? row.username ?? row.phoneNumber ?? row.waId ?? row.userId ?? '',
  ).slice(0, SORTED_CHARACTERS)

/** Matches one word of a folded text. */
export const WORD = /[\p{L}\p{N}\p{M}]+/u

const numbersOf = compiled((orm) =>
  orm
    .select({ value: contactIdentities.value })
    .from(contactIdentities)
    .where(
      inOrganization(
        anyScope,
        contactIdentities,
        and(
          eq(contactIdentities.contactId, place(contactIdentities.contactId, 'contactId')),
          eq(contactIdentities.kind, 'phone'),
        ),
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
 * Updates the search index and sort key of a contact from its names and numbers. Runs inside the
 * transaction of the change. A name that is a number is indexed as a number, because hidden digits
 * must not be searchable.
 */
export function indexContactIn(tx: Tx, ctx: Ctx, row: ContactRow): ContactRow {
  const numbers = numbersOf(ctx.db).all({ organizationId: ctx.organizationId, contactId: row.id })
  writeWords(ctx.db).run({
    organizationId: ctx.organizationId,
    contactId: row.id,
    ...wordsOf(
      row,
      numbers.map(({ value }) => value),
    ),
  })
  const sortName = sortNameOf(row)
  if (sortName === row.sortName) return row
  return tx
    .update(contacts)
    .set({ sortName })
    .where(inOrganization(ctx, contacts, eq(contacts.id, row.id)))
    .returning()
    .get()
}

const SEARCHED = [
  ...plainFields.filter(({ isSearched }) => isSearched).map(({ column }) => column),
  ...(['profileName', 'username'] as const),
]

/** Returns the words and digits by which a contact is found. */
function wordsOf(
  row: Pick<ContactRow, PlainColumn | 'profileName' | 'username' | 'phoneNumber' | 'waId'>,
  distinct: string[],
): Words {
  const named = SEARCHED.map((column) => row[column]).filter((name) => name !== null)
  const numbers = [
    ...distinct,
    ...[row.phoneNumber, row.waId].filter((number) => number !== null),
    ...named.filter(looksLikePhone).map((name) => name.replace(/\D/g, '')),
  ]
  const words = new Set(
    foldText(named.filter((name) => !looksLikePhone(name)).join('\n')).match(
      new RegExp(WORD, 'gu'),
    ),
  )
  return { words: [...words].map((word) => ` ${word}`).join(''), digits: digitsText(numbers) }
}

interface Words {
  words: string
  digits: string
}

/** Insert all rows with one statement. */
const writeManyWords = compiled((orm) =>
  orm
    .insert(contactWords)
    .select(
      sql`select ${place(contactWords.organizationId, 'organizationId')}, unhex(value ->> 0, '-'), value ->> 1, value ->> 2 from json_each(${sql.placeholder('rows')})`,
    )
    .prepare(),
)

/**
 * Adds new contacts to the search index. Runs inside the transaction that creates them. Expects no
 * number besides the one in the contact's row.
 */
export function indexNewContactsIn(
  tx: Tx,
  ctx: Ctx,
  rows: Pick<ContactRow, 'id' | PlainColumn | 'phoneNumber'>[],
): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  const lines = rows.map(({ id, ...row }) => {
    const { words, digits } = wordsOf({ ...row, profileName: null, username: null, waId: null }, [])
    return [id, words, digits]
  })
  const { organizationId } = ctx
  writeManyWords(ctx.db).run({ organizationId, rows: JSON.stringify(lines) })
}

/**
 * Returns each number once, also as dialed inside its country if that is not a substring, with a
 * space after each.
 */
function digitsText(numbers: string[]): string {
  const distinct = new Set(numbers)
  const national = [...distinct]
    .map((digits) => nationalDigits(digits))
    .filter((digits) => digits !== null)
  const other = national.filter((digits) => !numbers.some((number) => number.includes(digits)))
  return [...new Set([...distinct, ...other])].map((digits) => `${digits} `).join('')
}

/** Removes a contact from the search index, in the transaction that erases it. */
export function unindexContactIn(tx: Tx, ctx: Ctx, contactId: string): void {
  tx.delete(contactWords)
    .where(inOrganization(ctx, contactWords, eq(contactWords.contactId, contactId)))
    .run()
}
