import { eq } from 'drizzle-orm'

import { compileHours } from '../../../lib/business-hours'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { timeIsOver } from '../../../infra/jobs/concurrency'
import { getOrganization } from '../../organizations/service'
import { listTriggers } from '../bot-flows/queries'
import type { RuleAnswer } from '../engine/candidates'
import { TriggerSet, type Trigger } from './matcher'
import { activeHoursOf, contentOf, keywordsOf, type RuleRow } from './row'
import { keywordRevisions, keywordRules } from './table'

/** A rule that matches, with its name. */
type MatchedRule = RuleAnswer & { name: string }

/** A rule, or the trigger of a bot flow. */
type Source = { kind: 'rule'; rule: MatchedRule } | { kind: 'flow'; flowId: string }

type SourceTrigger = Trigger & { source: Source }

/** A rule or flow that matches a message, and the keyword that did. */
type MatchedCandidate = Source & {
  keyword: string
  priority: number
  /** Named groups of a regular expression. */
  groups: Record<string, string>
}

/** The rules and flows that match a message, the best first. `notes` has `regex_budget:<ID>`. */
interface MatchedCandidates {
  found: MatchedCandidate[]
  notes: string[]
  /** The rules that the time did not suffice for. */
  skipped: MatchedRule[]
}

/** A message to match: what was written or, of a button or list row, tapped. */
interface IncomingText {
  text: string
  accountId: string | null
  atMs: number
  /** ID of the tapped button or row. */
  tapped?: string | null | undefined
}

/** Processor time that the regular expressions of one message get, milliseconds. */
const REGEX_BUDGET_MS = 20

const MAX_SETS = 200
/** The total length of keywords in the kept sets, except for the newest. */
const MAX_CHARACTERS = 4_000_000

/** Compiled rules and triggers of an organization. */
interface KeptSet {
  revision: number
  characters: number
  set: TriggerSet<SourceTrigger>
}

/** Cache of the compiled rules and flow triggers of organizations. */
export class KeywordSets {
  /** The least recently used first. */
  private readonly kept = new Map<string, KeptSet>()
  private characters = 0

  /** Returns the kept set if it is of this revision, otherwise the one of the triggers. */
  get(
    organizationId: string,
    revision: number,
    read: () => SourceTrigger[],
  ): TriggerSet<SourceTrigger> {
    const known = this.kept.get(organizationId)
    if (known) this.drop(organizationId, known)
    const current = known?.revision === revision ? known : made(revision, read())
    this.kept.set(organizationId, current)
    this.characters += current.characters
    for (const [id, oldest] of this.kept) {
      if (id === organizationId) break
      if (this.kept.size <= MAX_SETS && this.characters <= MAX_CHARACTERS) break
      this.drop(id, oldest)
    }
    return current.set
  }

  private drop(organizationId: string, { characters }: KeptSet): void {
    this.kept.delete(organizationId)
    this.characters -= characters
  }
}

const made = (revision: number, triggers: SourceTrigger[]): KeptSet => ({
  revision,
  characters: triggers.reduce((sum, { keywords }) => sum + keywords.join('').length, 0),
  set: new TriggerSet(triggers),
})

declare module '../../../infra/ctx' {
  interface Deps {
    /** Cache of compiled keyword rules and flow triggers. */
    keywordSets: KeywordSets
  }
}

type Reader = Pick<Ctx, 'db' | 'organizationId' | 'keywordSets'>

/**
 * Returns the enabled rules and flows that match a message, the best first: highest priority, then
 * longest keyword, then those of the number, then oldest. A tapped `rule:<id>` or `flow:<id>` leads
 * there alone.
 */
export function matchRules(ctx: Reader, message: IncomingText): MatchedCandidates {
  const set = setOf(ctx)
  const direct = directly(set, message)
  if (direct) return { found: [direct], notes: [], skipped: [] }
  const { timezone } = getOrganization(ctx)
  const { found, skipped } = set.match({ ...message, timezone }, timeIsOver(REGEX_BUDGET_MS))
  return {
    found: found.map(({ trigger, keyword, groups }) => ({
      ...trigger.source,
      keyword,
      priority: trigger.priority,
      groups,
    })),
    notes: skipped.map(({ id }) => `regex_budget:${id}`),
    skipped: skipped.flatMap(({ source }) => (source.kind === 'rule' ? [source.rule] : [])),
  }
}

/** Returns the rule or flow that a tapped ID leads to, or `null`. */
function directly(
  set: TriggerSet<SourceTrigger>,
  { tapped = null, accountId }: IncomingText,
): MatchedCandidate | null {
  const [, kind, id] = /^(rule|flow):(.+)$/.exec(tapped ?? '') ?? []
  const trigger = set.triggers.find(
    (one) =>
      one.source.kind === kind &&
      one.id === id &&
      (one.accountId === null || one.accountId === accountId),
  )
  return trigger
    ? {
        ...trigger.source,
        keyword: trigger.keywords[0] ?? '',
        priority: trigger.priority,
        groups: {},
      }
    : null
}

const revisionOf = compiled((orm) =>
  orm
    .select({ revision: keywordRevisions.revision })
    .from(keywordRevisions)
    .where(inOrganization(anyScope, keywordRevisions))
    .prepare(),
)

function setOf(ctx: Reader): TriggerSet<SourceTrigger> {
  const { db, organizationId } = ctx
  const revision = revisionOf(db).get({ organizationId })?.revision ?? 0
  return ctx.keywordSets.get(organizationId, revision, () => [
    ...enabledRules(db).all({ organizationId }).map(triggerOfRule),
    ...listTriggers(ctx).map(triggerOfFlow),
  ])
}

const enabledRules = compiled((orm) =>
  orm
    .select()
    .from(keywordRules)
    .where(inOrganization(anyScope, keywordRules, eq(keywordRules.isEnabled, true)))
    .prepare(),
)

function triggerOfRule(row: RuleRow): SourceTrigger {
  const { id, name, responseType, response, interruptsFlow } = row
  const hours = activeHoursOf(row)
  const rule = { id, name, responseType, response, content: { ...contentOf(row) }, interruptsFlow }
  return {
    ...row,
    source: { kind: 'rule', rule },
    keywords: keywordsOf(row),
    activeHours: hours.length === 0 ? null : compileHours(hours),
  }
}

const triggerOfFlow = ({
  flowId,
  ...trigger
}: ReturnType<typeof listTriggers>[number]): SourceTrigger => ({
  ...trigger,
  id: flowId,
  source: { kind: 'flow', flowId },
  isCaseSensitive: false,
  isWholeWord: true,
  activeFromMs: null,
  activeUntilMs: null,
  activeHours: null,
})
