import { normalizeId } from '../../../../lib/ids'
import { timeIsOver } from '../../../../infra/jobs/concurrency'
import { getOrganization } from '../../../organization/organizations/service'
import type { TriggerSet } from './matcher'
import {
  keywordSetOf,
  type MatchedRule,
  type RulesReader,
  type KeywordSource,
  type SourceTrigger,
} from './sets'

/** A rule or flow that matches a message, and the keyword that did. */
type MatchedCandidate = KeywordSource & {
  keyword: string
  priority: number
  /** Named groups of a regular expression. */
  groups: Record<string, string>
}

/** The rules and flows that match a message, the best first. */
interface MatchedCandidates {
  found: MatchedCandidate[]
  /** What the trace says about those that were not tried, if any. */
  note: { outcome: string; error: string } | null
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

/**
 * Returns the enabled rules and flows that match a message, the best first: highest priority, then
 * longest keyword, then those of the number, then oldest. A tapped `rule:<id>` or `flow:<id>` leads
 * there alone.
 */
export function matchRules(ctx: RulesReader, message: IncomingText): MatchedCandidates {
  const set = keywordSetOf(ctx)
  const direct = directly(set, message)
  if (direct) return { found: [direct], note: null, skipped: [] }
  const { timezone } = getOrganization(ctx)
  const { found, skipped } = set.match({ ...message, timezone }, timeIsOver(REGEX_BUDGET_MS))
  return {
    found: found.map(({ trigger, keyword, groups }) => ({
      ...trigger.source,
      keyword,
      priority: trigger.priority,
      groups,
    })),
    note: skipped.length === 0 ? null : unsearched(skipped.map(({ id }) => id)),
    skipped: skipped.flatMap(({ source }) => (source.kind === 'rule' ? [source.rule] : [])),
  }
}

/** What the trace says about rules and flows that the time did not suffice for. */
const unsearched = (ids: readonly string[]): { outcome: string; error: string } => ({
  outcome: 'regex_budget',
  error: `not searched for lack of time: ${ids.join(', ')}`,
})

/** Returns the rule or flow that a tapped ID leads to, or `null`. */
function directly(
  set: TriggerSet<SourceTrigger>,
  { tapped = null, accountId }: IncomingText,
): MatchedCandidate | null {
  const [, kind, id] = /^(rule|flow):(.+)$/.exec(tapped ?? '') ?? []
  if (kind === undefined) return null
  const trigger = set.triggers.find(
    (one) =>
      one.source.kind === kind &&
      one.id === normalizeId(id ?? '') &&
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
