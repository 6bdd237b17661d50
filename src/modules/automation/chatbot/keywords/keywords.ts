import { and, eq, isNull, ne, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { ConflictError, InvalidError } from '../../../../lib/errors'
import { lengthOf, throwProblems } from '../../../../lib/input-problems'
import { SafeRegex } from '../../../../lib/safe-regex'
import { normalText } from '../../../../lib/whole-words'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { botFlows } from '../bot-flows/table'
import type { RuleRow } from './row'
import { keywordRules } from './table'

/** Maximum length of a keyword that is no regular expression. */
const MAX_KEYWORD = 255
const MAX_REGEX = 100

/** Keywords with how they are compared. */
export interface ComparedKeywords {
  keywords: readonly string[]
  matchType: RuleRow['matchType']
  isCaseSensitive: boolean
}

/**
 * Returns keywords as they are stored: without duplicates, and trimmed unless they are patterns.
 * Throws InvalidError `invalid_input`, and `regex_unsupported` or `regex_too_large` for a pattern.
 */
export function readKeywords({ keywords, matchType, isCaseSensitive }: ComparedKeywords): string[] {
  if (matchType === 'regex') {
    for (const [index, pattern] of keywords.entries())
      requireRegex(`body.keywords.${index}`, pattern, isCaseSensitive)
    return [...new Set(keywords)]
  }
  const problems = keywords.flatMap((keyword, index) => {
    const path = `body.keywords.${index}`
    if (lengthOf(keyword) > MAX_KEYWORD)
      return [{ path, message: `must have at most ${MAX_KEYWORD} characters` }]
    return normalText(keyword) === '' ? [{ path, message: 'must not be blank' }] : []
  })
  throwProblems(problems)
  return [...new Set(keywords.map((keyword) => keyword.trim()))]
}

function requireRegex(path: string, pattern: string, isCaseSensitive: boolean): void {
  const regex = SafeRegex.compile(pattern, { isCaseSensitive })
  if (regex instanceof SafeRegex) return
  const { code, message, details } = regex
  throw new InvalidError(`\`${pattern}\` ${message}.`, {
    code,
    errors: [{ path, message }],
    ...(details ? { details: { ...details } } : {}),
  })
}

/**
 * Requires that the organization has at most 100 regular expressions in its rules and in the
 * triggers of its flows, with those of one rule or flow. Throws ConflictError `limit_reached`.
 */
export function requireRegexSpace(ctx: Ctx, ofId: string, added: number): void {
  const inRules = ctx.db.orm
    .select({ patterns: sumOf(keywordRules.keywords) })
    .from(keywordRules)
    .where(
      inOrganization(
        ctx,
        keywordRules,
        and(eq(keywordRules.matchType, 'regex'), ne(keywordRules.id, ofId)),
      ),
    )
    .get()
  const inFlows = ctx.db.orm
    .select({ patterns: sumOf(botFlows.triggerKeywords) })
    .from(botFlows)
    .where(
      inOrganization(
        ctx,
        botFlows,
        and(
          eq(botFlows.triggerMatchType, 'regex'),
          ne(botFlows.id, ofId),
          isNull(botFlows.deletedAtMs),
        ),
      ),
    )
    .get()
  const others = (inRules?.patterns ?? 0) + (inFlows?.patterns ?? 0)
  if (others + added > MAX_REGEX)
    throw new ConflictError(
      `An organization has at most ${MAX_REGEX} regular expressions in its rules and flows; ` +
        `there are ${others} others.`,
      { code: 'limit_reached', details: { limit: MAX_REGEX } },
    )
}

const sumOf = (list: SQLiteColumn) => sql<number>`coalesce(sum(json_array_length(${list})), 0)`
