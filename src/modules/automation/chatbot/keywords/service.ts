import { asc, desc, ne, sql } from 'drizzle-orm'

import { ConflictError } from '../../../../lib/errors'
import { foldText } from '../../../../lib/fold-text'
import type { Page } from '../../../../lib/page'
import { readOrThrow, throwProblems } from '../../../../lib/input-problems'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { requireUnique } from '../../../../infra/require-unique'
import { given, of } from '../../../../infra/scoped'
import { holdsText, searchKey } from '../../../../infra/search-keys'
import { collection } from '../../../organization/audit/collection'
import { keepMediaIn, releaseMediaIn } from '../../../channel/media/store'
import { readHours } from '../../chatbot-settings/hours/model'
import { watchHumanPathIn } from '../../chatbot-settings/human-path'
import { requireAllowedUrl } from '../../../../infra/require-allowed-url'
import { readContent } from './content'
import { readKeywords, requireRegexSpace } from './keywords'
import type {
  KeywordRuleChanges,
  KeywordRuleView,
  KeywordTest,
  KeywordTestResult,
  NewKeywordRule,
} from './model'
import { requireReferences } from './references'
import { matchRules } from './match'
import { ruleFields, ruleView, ruleViews, type RuleRow } from './row'
import { rulesAreReady } from './sets'
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
  keywords: [],
  matchType: 'contains',
  isCaseSensitive: false,
  isWholeWord: true,
  responseType: 'text',
  response: null,
  responseContent: {},
  mediaId: null,
  priority: 10,
  isEnabled: true,
  accountId: null,
  activeFromMs: null,
  activeUntilMs: null,
  activeHours: [],
  interruptsFlow: false,
} satisfies FormerRule

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
  const written = changes.keywords ?? former.keywords
  const keywords = readKeywords({ keywords: written, matchType, isCaseSensitive })
  const name = changes.name?.trim() ?? (former.name || nameFrom(keywords))
  const type = changes.response_type ?? former.responseType
  const response = changes.response === undefined ? former.response : changes.response
  const content = readOrThrow((report) =>
    readContent(
      ctx,
      report,
      { type, response, content: changes.response_content ?? former.responseContent },
      former.responseContent,
    ),
  )
  const activeFromMs = timeOf(changes.active_from, former.activeFromMs)
  const activeUntilMs = timeOf(changes.active_until, former.activeUntilMs)
  if (activeFromMs !== null && activeUntilMs !== null && activeUntilMs <= activeFromMs)
    throwProblems([{ path: 'body.active_until', message: 'must be after `active_from`' }])
  requireReferences(ctx, {
    accountId: changes.account_id,
    ...(changes.response_content || changes.response_type ? { content } : {}),
    former: former.responseContent,
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
    where: { nameKey },
    except: id,
  })
  return {
    name,
    nameKey,
    words: searchKey(name, keywords.join('\n'), response),
    keywords,
    matchType,
    isCaseSensitive,
    isWholeWord: changes.whole_word ?? former.isWholeWord,
    responseType: type,
    response,
    responseContent: content,
    mediaId: content.media_id ?? null,
    priority: changes.priority ?? former.priority,
    isEnabled: changes.enabled ?? former.isEnabled,
    accountId: changes.account_id === undefined ? former.accountId : changes.account_id,
    activeFromMs,
    activeUntilMs,
    activeHours: changes.active_hours ? readHours(changes.active_hours) : former.activeHours,
    interruptsFlow: changes.interrupts_flow ?? former.interruptsFlow,
  }
}

/** Returns the name of a rule without one: its first keyword, cut to the length of names. */
const nameFrom = ([keyword = '']: readonly string[]): string =>
  [...keyword.trim()].slice(0, 255).join('')

const rules = collection({
  table: keywordRules,
  name: 'Keyword rule',
  resourceType: 'keyword_rule',
  recorded: ruleFields,
})

/** Returns a page of keyword rules, highest priority first, then oldest first. */
export const listKeywordRules = (
  ctx: Ctx,
  {
    search,
    ...query
  }: {
    page: number
    limit: number
    search?: string | undefined
    accountId?: string | undefined
    isEnabled?: boolean | undefined
    responseType?: RuleRow['responseType'] | undefined
  },
): Page<KeywordRuleView> => {
  const { accountId, isEnabled, responseType } = query
  return of(ctx, keywordRules).page(query, {
    where: [
      given({ accountId, isEnabled, responseType }),
      search === undefined ? undefined : holdsText(keywordRules.words, search),
    ],
    order: [desc(keywordRules.priority), asc(keywordRules.id)],
    views: (rows) => ruleViews(ctx, rows),
  })
}

/** Throws NotFoundError. */
export const getKeywordRule = (ctx: Ctx, id: string): KeywordRuleView =>
  ruleView(ctx, rules.get(ctx, id))

/** Creates a keyword rule. Throws the errors of {@link changedRule}. */
export function createKeywordRule(ctx: Ctx, input: NewKeywordRule): KeywordRuleView {
  return transact(ctx.db, (tx) => {
    if (of(ctx, keywordRules).count() >= MAX_RULES)
      throw new ConflictError(`An organization has at most ${MAX_RULES} keyword rules.`, {
        code: 'limit_reached',
        details: { limit: MAX_RULES },
      })
    const id = ctx.ids.next()
    const { userId: createdBy } = ctx.actor
    const row = rules.addIn(tx, ctx, { ...changedRule(ctx, id, DEFAULTS, input), id, createdBy })
    keepFileIn(tx, ctx, null, row)
    return ruleView(ctx, row)
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
    const before = rules.get(ctx, id)
    const row = watchHumanPathIn(tx, ctx, () =>
      rules.changeIn(tx, ctx, before, changedRule(ctx, id, before, changes)),
    )
    keepFileIn(tx, ctx, before, row)
    return ruleView(ctx, row)
  })
}

/** Deletes a keyword rule. Its file expires unless it is used elsewhere. Throws NotFoundError. */
export function deleteKeywordRule(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const row = rules.get(ctx, id)
    watchHumanPathIn(tx, ctx, () => rules.deleteIn(tx, ctx, row))
    keepFileIn(tx, ctx, row, null)
  })
}

function keepFileIn(tx: Tx, ctx: Ctx, before: RuleRow | null, row: RuleRow | null): void {
  if (row?.mediaId) keepMediaIn(tx, ctx, [row.mediaId])
  if (before?.mediaId && before.mediaId !== row?.mediaId) releaseMediaIn(tx, ctx, before.mediaId)
}

/** Returns the rules that match a text. Throws InvalidError `bad_reference`. */
export async function testKeywords(
  ctx: Ctx,
  { text, account_id: accountId = null, at }: KeywordTest,
): Promise<KeywordTestResult> {
  requireReferences(ctx, { accountId })
  await rulesAreReady(ctx)
  const atMs = at === undefined ? ctx.clock.nowMs() : Date.parse(at)
  const { found, skipped } = matchRules(ctx, { text, accountId, atMs })
  const matches = found.flatMap((one) =>
    one.kind === 'rule'
      ? [{ id: one.rule.id, name: one.rule.name, keyword: one.keyword, priority: one.priority }]
      : [],
  )
  return {
    matches,
    winner: matches[0] ?? null,
    skipped: skipped.map(({ id, name }) => ({ id, name })),
  }
}
