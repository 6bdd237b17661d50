import { count, eq, ne, sql } from 'drizzle-orm'

import { ConflictError } from '../../../../lib/errors'
import { foldText } from '../../../../lib/fold-text'
import { readOrThrow, throwProblems } from '../../../../lib/input-problems'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { requireUnique } from '../../../../infra/require-unique'
import { searchKey } from '../../../../infra/search-keys'
import { differences, recordAudit } from '../../../organization/audit/record'
import { keepMediaIn, releaseMediaIn } from '../../../channel/media/store'
import { readHours } from '../../chatbot-settings/hours/model'
import { watchHumanPathIn } from '../../chatbot-settings/human-path'
import { requireAllowedUrl } from '../../../../infra/require-allowed-url'
import { readContent } from './content'
import { readKeywords, requireRegexSpace } from './keywords'
import type { KeywordRuleChanges, KeywordRuleView, NewKeywordRule } from './model'
import { getRuleRow } from './queries'
import { requireReferences } from './references'
import { contentOf, keywordsOf, ruleFields, ruleView, type RuleRow } from './row'
import { keywordRules } from './table'

export const MAX_RULES = 1_000
/** Characters of the keywords of all rules together. */
export const MAX_CHARACTERS = 1_000_000

/** The fields of a rule that requests decide. */
type Decided = Omit<
  RuleRow,
  'organizationId' | 'id' | 'hitCount' | 'lastHitAtMs' | 'createdBy' | 'createdAtMs' | 'updatedAtMs'
>

type FormerRule = Omit<Decided, 'nameKey' | 'words'>

/** A rule before anything is given. */
const DEFAULTS = {
  name: '',
  keywords: '[]',
  matchType: 'contains',
  isCaseSensitive: false,
  isWholeWord: true,
  responseType: 'text',
  response: null,
  responseContent: '{}',
  mediaId: null,
  priority: 10,
  isEnabled: true,
  accountId: null,
  activeFromMs: null,
  activeUntilMs: null,
  activeHours: '[]',
  interruptsFlow: false,
} as const satisfies FormerRule

const timeOf = (written: string | null | undefined, former: number | null): number | null =>
  written === undefined ? former : written === null ? null : Date.parse(written)

/**
 * Returns a rule with the given changes. Throws InvalidError (`invalid_input`, `bad_reference`,
 * `regex_unsupported`, `regex_too_large`, `url_refused`) and ConflictError (`name_taken`,
 * `limit_reached`).
 */
function changedRule(
  ctx: Ctx,
  id: string,
  former: FormerRule,
  changes: KeywordRuleChanges,
): Decided {
  const matchType = changes.match_type ?? former.matchType
  const isCaseSensitive = changes.case_sensitive ?? former.isCaseSensitive
  const written = changes.keywords ?? keywordsOf(former)
  const keywords = readKeywords({ keywords: written, matchType, isCaseSensitive })
  const name = changes.name?.trim() ?? (former.name || nameFrom(keywords))
  const type = changes.response_type ?? former.responseType
  const response = changes.response === undefined ? former.response : changes.response
  const content = readOrThrow((report) =>
    readContent(
      ctx,
      report,
      { type, response, content: changes.response_content ?? contentOf(former) },
      contentOf(former),
    ),
  )
  const activeFromMs = timeOf(changes.active_from, former.activeFromMs)
  const activeUntilMs = timeOf(changes.active_until, former.activeUntilMs)
  if (activeFromMs !== null && activeUntilMs !== null && activeUntilMs <= activeFromMs)
    throwProblems([{ path: 'body.active_until', message: 'must be after `active_from`' }])
  requireReferences(ctx, {
    accountId: changes.account_id,
    ...(changes.response_content || changes.response_type ? { content } : {}),
    former: contentOf(former),
  })
  if (changes.response_content && content.url)
    requireAllowedUrl(ctx, 'body.response_content.url', content.url)
  if (matchType === 'regex') requireRegexSpace(ctx, id, keywords.length)
  if (changes.keywords) requireTextSpace(ctx, id, keywords)
  const nameKey = foldText(name)
  requireUnique(ctx, {
    table: keywordRules,
    kind: 'keyword rule',
    field: 'name',
    where: eq(keywordRules.nameKey, nameKey),
    except: id,
  })
  return {
    name,
    nameKey,
    words: searchKey(name, keywords.join('\n'), response),
    keywords: JSON.stringify(keywords),
    matchType,
    isCaseSensitive,
    isWholeWord: changes.whole_word ?? former.isWholeWord,
    responseType: type,
    response,
    responseContent: JSON.stringify(content),
    mediaId: content.media_id ?? null,
    priority: changes.priority ?? former.priority,
    isEnabled: changes.enabled ?? former.isEnabled,
    accountId: changes.account_id === undefined ? former.accountId : changes.account_id,
    activeFromMs,
    activeUntilMs,
    activeHours: changes.active_hours
      ? JSON.stringify(readHours(changes.active_hours))
      : former.activeHours,
    interruptsFlow: changes.interrupts_flow ?? former.interruptsFlow,
  }
}

/** Returns the name of a rule without one: its first keyword, cut to the length of names. */
const nameFrom = ([keyword = '']: readonly string[]): string =>
  [...keyword.trim()].slice(0, 255).join('')

/** Creates a keyword rule. Throws the errors of {@link changedRule}. */
export function createKeywordRule(ctx: Ctx, input: NewKeywordRule): KeywordRuleView {
  return transact(ctx.db, (tx) => {
    requireSpace(ctx)
    const id = ctx.ids.next()
    const nowMs = ctx.clock.nowMs()
    const row = tx
      .insert(keywordRules)
      .values({
        ...changedRule(ctx, id, DEFAULTS, input),
        organizationId: ctx.organizationId,
        id,
        createdBy: ctx.actor.userId,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      })
      .returning()
      .get()
    if (row.mediaId !== null) keepMediaIn(tx, ctx, [row.mediaId])
    recordAudit(tx, ctx, {
      action: 'created',
      resourceType: 'keyword_rule',
      resourceId: id,
      resourceName: row.name,
    })
    return ruleView(ctx, row)
  })
}

/** Throws ConflictError `limit_reached` if the organization has 1,000 rules. */
function requireSpace(ctx: Ctx): void {
  const rules =
    ctx.db.orm
      .select({ rules: count() })
      .from(keywordRules)
      .where(inOrganization(ctx, keywordRules))
      .get()?.rules ?? 0
  if (rules >= MAX_RULES)
    throw new ConflictError(`An organization has at most ${MAX_RULES} keyword rules.`, {
      code: 'limit_reached',
      details: { limit: MAX_RULES },
    })
}

/**
 * Throws ConflictError `limit_reached` if the keywords of the organization's rules would be too long
 * together. Every search of the rules reads them.
 */
function requireTextSpace(ctx: Ctx, id: string, keywords: readonly string[]): void {
  const others =
    ctx.db.orm
      .select({ characters: sql<number>`coalesce(sum(length(${keywordRules.keywords})), 0)` })
      .from(keywordRules)
      .where(inOrganization(ctx, keywordRules, ne(keywordRules.id, id)))
      .get()?.characters ?? 0
  if (others + JSON.stringify(keywords).length > MAX_CHARACTERS)
    throw new ConflictError(
      `The keywords of all rules of an organization have at most ${MAX_CHARACTERS} characters.`,
      { code: 'limit_reached', details: { limit: MAX_CHARACTERS } },
    )
}

/**
 * Changes the given fields of a keyword rule. Throws NotFoundError and the errors of
 * {@link changedRule}.
 */
export function updateKeywordRule(
  ctx: Ctx,
  id: string,
  changes: KeywordRuleChanges,
): KeywordRuleView {
  return transact(ctx.db, (tx) => {
    const before = getRuleRow(ctx, id)
    const row = watchHumanPathIn(tx, ctx, () =>
      tx
        .update(keywordRules)
        .set({ ...changedRule(ctx, id, before, changes), updatedAtMs: ctx.clock.nowMs() })
        .where(inOrganization(ctx, keywordRules, eq(keywordRules.id, id)))
        .returning()
        .get(),
    )
    if (row.mediaId !== null) keepMediaIn(tx, ctx, [row.mediaId])
    if (before.mediaId !== null && before.mediaId !== row.mediaId)
      releaseMediaIn(tx, ctx, before.mediaId)
    const changed = differences({ ...ruleFields(before) }, { ...ruleFields(row) })
    if (changed.length > 0)
      recordAudit(tx, ctx, {
        action: 'updated',
        resourceType: 'keyword_rule',
        resourceId: id,
        resourceName: row.name,
        changes: changed,
      })
    return ruleView(ctx, row)
  })
}

/** Deletes a keyword rule. Its file expires unless it is used elsewhere. Throws NotFoundError. */
export function deleteKeywordRule(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const row = getRuleRow(ctx, id)
    watchHumanPathIn(tx, ctx, () =>
      tx
        .delete(keywordRules)
        .where(inOrganization(ctx, keywordRules, eq(keywordRules.id, id)))
        .run(),
    )
    if (row.mediaId !== null) releaseMediaIn(tx, ctx, row.mediaId)
    recordAudit(tx, ctx, {
      action: 'deleted',
      resourceType: 'keyword_rule',
      resourceId: id,
      resourceName: row.name,
    })
  })
}
