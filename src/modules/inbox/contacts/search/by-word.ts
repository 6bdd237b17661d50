import { and, asc, gt, gte, lt, sql, type SQL } from 'drizzle-orm'

import { FEW_CANDIDATES, ROWS_PER_READ, type Candidates } from '../../../../infra/bounded-list'
import { anyScope, inOrganization } from '../../../../infra/ctx'
import { compiled } from '../../../../infra/db/compiled'
import { type Scope, MAX_CHARACTER, chunksOf, smallestOf } from './candidates'
import { contactTerms, contactWords } from './table'
import { LAST_UUID, uuidPlaceholder } from '../../../../infra/db/uuid'

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
        sql`(${contactTerms.term}, ${contactTerms.contactId}) > (${sql.placeholder('term')}, ${uuidPlaceholder('contactId')})`,
        lt(contactTerms.term, sql.placeholder('before')),
      ),
    )
    .orderBy(asc(contactTerms.term), asc(contactTerms.contactId))
    .limit(ROWS_PER_READ)
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
        if (rows.length < ROWS_PER_READ || !last) return
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
      inOrganization(anyScope, contactWords, gt(contactWords.contactId, uuidPlaceholder('after'))),
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
        gt(contactWords.contactId, uuidPlaceholder('after')),
        sql`${contactWords.contactId} <= ${uuidPlaceholder('upTo')}`,
        condition,
      )
      const fitting = db.orm
        .select({ contactId: contactWords.contactId })
        .from(contactWords)
        .where(inOrganization({ organizationId }, contactWords, range))
        .prepare()
      for (let after = ''; ;) {
        const upTo = endOfWords(db).get({ organizationId, after })?.contactId ?? LAST_UUID
        yield* chunksOf(fitting.all({ after, upTo }).map(({ contactId }) => contactId))
        if (upTo === LAST_UUID) return
        after = upTo
      }
    },
  }
}
