import type { Static, TSchema } from '@sinclair/typebox'
import type { SQL } from 'drizzle-orm'
import {
  blob as blobColumn,
  integer as integerColumn,
  real as realColumn,
  text as textColumn,
  type SQLiteBlobBufferBuilderInitial,
  type SQLiteBooleanBuilderInitial,
  type SQLiteIntegerBuilderInitial,
  type SQLiteRealBuilderInitial,
  type SQLiteTextBuilderInitial,
} from 'drizzle-orm/sqlite-core'

/** What becomes of a value when its person is erased or merged. Omitted parts have the usual form. */
export interface Handling {
  /** What an erasure leaves where it keeps the row. Usually `null`, or the default of the column. */
  erased?: string | SQL
  /**
   * What a merge of two contacts does with a column of their own row. `fills`: the contact that
   * remains takes the value of the other one if it has none, which is usual for personal data.
   * `stays`: it keeps its own. `combined`: `contacts/merge/merge.ts` makes one of both.
   */
  merged?: 'fills' | 'stays' | 'combined'
  /** Why the export that a person gets of the own data leaves it out. */
  withheld?: string
  /** Whether files of contacts have the column: `usual`, or only if it is asked for. */
  exported?: 'usual' | 'on request'
  /** Whether files of contacts that are imported can have the column. */
  imported?: true
  /** The name by which filters of segments know the column. */
  inSegments?: string
  /**
   * Whether an archive of an organization has the column of an account. `members`: of members, not of
   * former ones, which is usual for personal data. `apart`: in another form.
   */
  archived?: 'everybody' | 'members' | 'apart' | 'never'
  /**
   * What only a server can vouch for, such as proofs of the platform. An archive that people hold does
   * not have the column, and one that has it is not believed: the column arrives with its default, or
   * empty. `in moves`: it travels between servers that share a secret. `here only`: not even there.
   */
  vouched?: 'in moves' | 'here only'
}

/** What a column holds, as it is declared. */
export interface ColumnUse extends Handling {
  /** See {@link Unclassified}. */
  class: 'personal' | 'business' | 'derived'
}

/** A column that says what it holds. */
export interface Classified {
  readonly use: ColumnUse
}

/** A column that has yet to say what it holds; tables with people take no other ones. */
export interface Unclassified {
  /** It tells something about a person: a name, a number, what was written to or by them. */
  personal: (handling?: Handling) => this & Classified
  /** It tells nothing about a person by itself: an id, a setting, a state, a time. */
  business: (handling?: Omit<Handling, 'erased'>) => this & Classified
  /** It is computed from other columns or rows, and is emptied together with them. */
  derived: (handling?: Handling) => this & Classified
}

/** Returns a column of Drizzle that can say what it holds. */
export function unclassified<B extends object>(builder: B): B & Unclassified {
  const as =
    (name: ColumnUse['class']) =>
    (handling: Handling = {}) =>
      Object.assign(builder, { use: { ...handling, class: name } })
  return Object.assign(builder, {
    personal: as('personal'),
    business: as('business'),
    derived: as('derived'),
  }) as B & Unclassified // the methods return the builder itself
}

type Words = readonly [string, ...string[]]
type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** A column of texts, or of a few words. */
export const text = <N extends string, const W extends Words = [string, ...string[]]>(
  name: N,
  config: { enum?: W } = {},
): SQLiteTextBuilderInitial<N, Writable<W>, undefined> & Unclassified =>
  unclassified(
    textColumn(name, config) as SQLiteTextBuilderInitial<N, Writable<W>, undefined>, // Drizzle asks for its mode, which is never `json` here
  )

/** A column of JSON of this form. Rows have its value, not the text. */
export const json = <N extends string, S extends TSchema>(name: N, _schema: S) =>
  unclassified(textColumn(name, { mode: 'json' }).$type<Static<S>>())

interface IntegerColumn {
  <N extends string>(
    name: N,
    config: { mode: 'boolean' },
  ): SQLiteBooleanBuilderInitial<N> & Unclassified
  <N extends string>(name: N): SQLiteIntegerBuilderInitial<N> & Unclassified
}

/** A column of integers, or of booleans. */
export const integer = ((name: string, config?: { mode: 'boolean' }) =>
  unclassified(
    config ? integerColumn(name, config) : integerColumn(name),
  )) as unknown as IntegerColumn // the mode decides about the type of the column

/** A column of numbers with a fraction. */
export const real = <N extends string>(name: N): SQLiteRealBuilderInitial<N> & Unclassified =>
  unclassified(realColumn(name))

/** A column of bytes. */
export const blob = <N extends string>(
  name: N,
  config: { mode: 'buffer' },
): SQLiteBlobBufferBuilderInitial<N> & Unclassified => unclassified(blobColumn(name, config))
