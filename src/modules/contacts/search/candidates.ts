import {
  and,
  asc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  or,
  sql,
  type SQL,
} from 'drizzle-orm'

import { validIds, isUuid } from '../../../lib/ids'
import { FEW_CANDIDATES, LOOKED_AT, type Candidates } from '../../../infra/bounded-list'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { conversations } from '../../conversations/table'
import { tagKey } from '../../tags/service'
import { tags } from '../../tags/table'
import { contacts, contactTags, contactTerms, contactWords } from '../table'

type Scope = Pick<Ctx, 'db' | 'organizationId'>

/** Sorts above every character of a term. */
const MAX_CHARACTER = '\u{10FFFF}'

const startsWith = (): SQL | undefined =>
  and(
    gte(contactTerms.term, sql.placeholder('word')),
    lt(contactTerms.term, sql.placeholder('before')),
  )

const countTerms = compiled((orm) =>
  orm
    .select({ rows: sql<number>`count(*)` })
    .from(
      orm
        .select({ one: sql`1`.as('one') })
        .from(contactTerms)
        .where(inOrganization(anyScope, contactTerms, startsWith()))
        .limit(sql.placeholder('limit'))
        .as('some'),
    )
    .prepare(),
)

const nextTerms = compiled((orm) =>
  orm
    .select({ term: contactTerms.term, contactId: contactTerms.contactId })
    .from(contactTerms)
    .where(
      inOrganization(
        anyScope,
        contactTerms,
        sql`(${contactTerms.term}, ${contactTerms.contactId}) > (${sql.placeholder('term')}, ${sql.placeholder('contactId')})`,
        lt(contactTerms.term, sql.placeholder('before')),
      ),
    )
    .orderBy(asc(contactTerms.term), asc(contactTerms.contactId))
    .limit(LOOKED_AT)
    .prepare(),
)

/**
 * Counting stops here when frequent words are compared; counting this many rows takes a few
 * milliseconds.
 */
const MAX_COUNT = 30_000

/** Number of words of which the carriers are counted that far. */
const MAX_COUNTED = 3

/**
 * Returns the contacts with the least frequent of these word prefixes, which contain every match;
 * `null` without a word.
 */
export function contactsByAllWords(ctx: Scope, words: string[]): Candidates | null {
  const smallest = smallestOf(words.map((word) => contactsByWord(ctx, word, FEW_CANDIDATES + 1)))
  if (words.length < 2 || smallest === null || smallest.size <= FEW_CANDIDATES) return smallest
  return smallestOf(words.slice(0, MAX_COUNTED).map((word) => contactsByWord(ctx, word, MAX_COUNT)))
}

/** Returns the contacts with a word that begins with this one, counted up to `most`. */
function contactsByWord({ db, organizationId }: Scope, word: string, limit: number): Candidates {
  const before = word + MAX_CHARACTER
  return {
    size: countTerms(db).get({ organizationId, word, before, limit })?.rows ?? 0,
    *batches() {
      for (let position = { term: word, contactId: '' }; ;) {
        const rows = nextTerms(db).all({ organizationId, before, ...position })
        yield rows.map(({ contactId }) => contactId)
        const last = rows.at(-1)
        if (rows.length < LOOKED_AT || !last) return
        position = last
      }
    },
  }
}

/**
 * Rows of the search index read at once for digits. Rows are short; testing one takes a fraction of
 * a microsecond.
 */
const WORDS_PER_BATCH = 1_000

const endOfWords = compiled((orm) =>
  orm
    .select({ contactId: contactWords.contactId })
    .from(contactWords)
    .where(
      inOrganization(anyScope, contactWords, gt(contactWords.contactId, sql.placeholder('after'))),
    )
    .orderBy(asc(contactWords.contactId))
    .limit(1)
    .offset(WORDS_PER_BATCH - 1)
    .prepare(),
)

/**
 * Returns the contacts whose words or digits match a condition. Scans the whole organization, so
 * the count is not known in advance.
 */
export function contactsByWords({ db, organizationId }: Scope, condition: SQL): Candidates {
  return {
    size: Infinity,
    *batches() {
      const range = and(
        gt(contactWords.contactId, sql.placeholder('after')),
        sql`${contactWords.contactId} <= ${sql.placeholder('upTo')}`,
        condition,
      )
      const fitting = db.orm
        .select({ contactId: contactWords.contactId })
        .from(contactWords)
        .where(inOrganization({ organizationId }, contactWords, range))
        .prepare()
      for (let after = ''; ;) {
        const upTo = endOfWords(db).get({ organizationId, after })?.contactId ?? MAX_CHARACTER
        yield* chunksOf(fitting.all({ after, upTo }).map(({ contactId }) => contactId))
        if (upTo === MAX_CHARACTER) return
        after = upTo
      }
    },
  }
}

/** Returns the contacts with these IDs. */
export const contactsByIds = (ids: string[]): Candidates => ({
  size: ids.length,
  batches: () => chunksOf(ids),
})

/** Yields at least one batch, so that a long search always makes progress. */
function* chunksOf(ids: string[]): Generator<string[]> {
  for (let from = 0; from === 0 || from < ids.length; from += LOOKED_AT)
    yield ids.slice(from, from + LOOKED_AT)
}

/** Returns the union of two candidate sets. */
export const eitherOf = (one: Candidates, other: Candidates): Candidates => ({
  size: one.size + other.size,
  *batches() {
    yield* { [Symbol.iterator]: one.batches }
    yield* { [Symbol.iterator]: other.batches }
  },
})

/**
 * Returns the smallest of several candidate sets, or `null` if there is none. Each set contains
 * every match.
 */
export const smallestOf = (candidates: (Candidates | null)[]): Candidates | null =>
  candidates.filter((one) => one !== null).toSorted((a, b) => a.size - b.size)[0] ?? null

/** Returns the tags with these IDs or names, and the number of contacts that have each. */
export const namedTags = (ctx: Scope, names: string[]): { id: string; carriers: number }[] => {
  const ids = validIds(names)
  const keys = names.filter((name) => !isUuid(name)).map(tagKey)
  return ctx.db.orm
    .select({ id: tags.id, carriers: tags.contactCount })
    .from(tags)
    .where(
      inOrganization(
        ctx,
        tags,
        or(
          ids.length === 0 ? undefined : inArray(tags.id, ids),
          keys.length === 0 ? undefined : inArray(tags.nameKey, keys),
        ) ?? sql`0`,
      ),
    )
    .all()
}

/** Returns the contacts that have one of these tags. */
export function contactsByTags(ctx: Scope, tagged: { id: string; carriers: number }[]): Candidates {
  return {
    size: tagged.reduce((sum, { carriers }) => sum + carriers, 0),
    *batches() {
      for (const { id } of tagged)
        yield* idsInOrder((after) =>
          carriersAfter(ctx.db).all({ organizationId: ctx.organizationId, tagId: id, after }),
        )
    },
  }
}

const carriersAfter = compiled((orm) =>
  orm
    .select({ id: contactTags.contactId })
    .from(contactTags)
    .where(
      inOrganization(
        anyScope,
        contactTags,
        and(
          eq(contactTags.tagId, sql.placeholder('tagId')),
          gt(contactTags.contactId, sql.placeholder('after')),
        ),
      ),
    )
    .orderBy(asc(contactTags.contactId))
    .limit(LOOKED_AT)
    .prepare(),
)

/** Yields IDs in order, one batch at a time. */
function* idsInOrder(read: (after: string) => { id: string }[]): Generator<string[]> {
  for (let after = ''; ;) {
    const rows = read(after)
    yield rows.map(({ id }) => id)
    const last = rows.at(-1)
    if (rows.length < LOOKED_AT || !last) return
    after = last.id
  }
}

const isOwn = eq(contacts.assignedTo, sql.placeholder('userId'))

const countOwn = compiled((orm) =>
  orm
    .select({ rows: sql<number>`count(*)` })
    .from(
      orm
        .select({ one: sql`1`.as('one') })
        .from(contacts)
        .where(inOrganization(anyScope, contacts, isOwn))
        .limit(FEW_CANDIDATES + 1)
        .as('some'),
    )
    .prepare(),
)

const undatedOwn = compiled((orm) =>
  orm
    .select({ id: contacts.id })
    .from(contacts)
    .where(
      inOrganization(
        anyScope,
        contacts,
        and(isOwn, isNull(contacts.lastMessageAtMs), gt(contacts.id, sql.placeholder('after'))),
      ),
    )
    .orderBy(asc(contacts.id))
    .limit(LOOKED_AT)
    .prepare(),
)

const datedOwn = compiled((orm) =>
  orm
    .select({ id: contacts.id, atMs: contacts.lastMessageAtMs })
    .from(contacts)
    .where(
      inOrganization(
        anyScope,
        contacts,
        and(
          isOwn,
          isNotNull(contacts.lastMessageAtMs),
          sql`(${contacts.lastMessageAtMs}, ${contacts.id}) > (${sql.placeholder('atMs')}, ${sql.placeholder('after')})`,
        ),
      ),
    )
    .orderBy(asc(contacts.lastMessageAtMs), asc(contacts.id))
    .limit(LOOKED_AT)
    .prepare(),
)

const isConversationOwn = eq(conversations.assignedTo, sql.placeholder('userId'))

const countOwnConversations = compiled((orm) =>
  orm
    .select({ rows: sql<number>`count(*)` })
    .from(
      orm
        .select({ one: sql`1`.as('one') })
        .from(conversations)
        .where(inOrganization(anyScope, conversations, isConversationOwn))
        .limit(FEW_CANDIDATES + 1)
        .as('some'),
    )
    .prepare(),
)

const ownConversations = compiled((orm) =>
  orm
    .selectDistinct({ id: conversations.contactId })
    .from(conversations)
    .where(
      inOrganization(
        anyScope,
        conversations,
        and(isConversationOwn, gt(conversations.contactId, sql.placeholder('after'))),
      ),
    )
    .orderBy(asc(conversations.contactId))
    .limit(LOOKED_AT)
    .prepare(),
)

/** Returns the contacts assigned to a user, directly or through a conversation. */
export function contactsOfUser({ db, organizationId }: Scope, userId: string): Candidates {
  const at = { organizationId, userId }
  return {
    size: (countOwn(db).get(at)?.rows ?? 0) + (countOwnConversations(db).get(at)?.rows ?? 0),
    *batches() {
      yield* idsInOrder((after) => undatedOwn(db).all({ ...at, after }))
      for (let position = { atMs: -1, after: '' }; ;) {
        const rows = datedOwn(db).all({ ...at, ...position })
        yield rows.map(({ id }) => id)
        const last = rows.at(-1)
        if (rows.length < LOOKED_AT || !last) break
        position = { atMs: last.atMs ?? -1, after: last.id }
      }
      yield* idsInOrder((after) => ownConversations(db).all({ ...at, after }))
    },
  }
}
