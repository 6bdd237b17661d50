import { and, asc, eq, getTableColumns, gt } from 'drizzle-orm'

import { compileHours } from '../../../../lib/business-hours'
import { advance, finish, type Sliced } from '../../../../lib/sliced'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, atMost, place } from '../../../../infra/db/compiled'
import { yieldToEventLoop } from '../../../../infra/event-loop'
import { timeIsOver } from '../../../../infra/jobs/concurrency'
import { listTriggers } from '../bot-flows/queries'
import type { RuleAnswer } from '../engine/candidates'
import { TriggerSet, type KeywordTrigger } from './matcher'
import type { RuleRow } from './row'
import { keywordRevisions, keywordRules } from './table'

/** A rule that matches, with its name. */
export type MatchedRule = RuleAnswer & { name: string }

/** A rule, or the trigger of a bot flow. */
export type KeywordSource = { kind: 'rule'; rule: MatchedRule } | { kind: 'flow'; flowId: string }

/** What a message is compared with. */
export type SourceTrigger = KeywordTrigger & { source: KeywordSource }

/** The part of the context that rules are read with. */
export type RulesReader = Pick<Ctx, 'db' | 'organizationId' | 'keywordSets'>

const MAX_SETS = 200
/** The total length of keywords in the kept sets, except for the newest. */
const MAX_CHARACTERS = 4_000_000
/** Sets that are prepared at the same time. */
const MAX_BUILDING = 50
/** Time of one step of preparing a set, milliseconds. */
const STEP_MS = 5

/** Prepared rules and triggers of an organization. */
interface KeptSet {
  /** The revision of the rules when they were read. */
  revision: number
  /** The revision when the set was done. The turn that prepared it uses it in any case. */
  doneAt: number
  characters: number
  set: TriggerSet<SourceTrigger>
}

type Building = Sliced<Omit<KeptSet, 'doneAt'>>

/**
 * Cache of the prepared rules and flow triggers of organizations. Tens of thousands of keywords take
 * long to prepare, so turns do it in steps.
 */
export class KeywordSets {
  /** The least recently used first. */
  private readonly kept = new Map<string, KeptSet>()
  /** Sets that are being prepared. */
  private readonly building = new Map<string, Building>()
  private characters = 0

  /** Returns the set of this revision. If it is not kept, `begin` prepares it at once. */
  get(organizationId: string, revision: number, begin: () => Building): TriggerSet<SourceTrigger> {
    const known = this.kept.get(organizationId)
    const isCurrent = known?.revision === revision || known?.doneAt === revision
    return this.keep(organizationId, isCurrent ? known : { ...finish(begin()), doneAt: revision })
  }

  /**
   * Works for a few milliseconds on the set of this revision. Returns whether it is ready. Rules
   * that change meanwhile do not hold up the turn: it uses the set as it was begun.
   */
  prepare(organizationId: string, revision: number, begin: () => Building): boolean {
    if (this.kept.get(organizationId)?.revision === revision) return true
    const work = this.building.get(organizationId) ?? this.add(organizationId, begin())
    const made = advance(work, timeIsOver(STEP_MS))
    if (made === null) return false
    this.building.delete(organizationId)
    this.keep(organizationId, { ...made.result, doneAt: revision })
    return true
  }

  private add(organizationId: string, work: Building): Building {
    const [oldest] = this.building.keys()
    if (this.building.size >= MAX_BUILDING && oldest !== undefined) this.building.delete(oldest)
    this.building.set(organizationId, work)
    return work
  }

  private keep(organizationId: string, current: KeptSet): TriggerSet<SourceTrigger> {
    this.drop(organizationId)
    this.kept.set(organizationId, current)
    this.characters += current.characters
    for (const id of this.kept.keys()) {
      if (id === organizationId) break
      if (this.kept.size <= MAX_SETS && this.characters <= MAX_CHARACTERS) break
      this.drop(id)
    }
    return current.set
  }

  private drop(organizationId: string): void {
    this.characters -= this.kept.get(organizationId)?.characters ?? 0
    this.kept.delete(organizationId)
  }
}

declare module '../../../../infra/ctx' {
  interface Deps {
    /** Cache of prepared keyword rules and flow triggers. */
    keywordSets: KeywordSets
  }
}

/**
 * Works for a few milliseconds on the rules and flow triggers of the organization. Returns whether
 * they are ready; until then look again.
 */
export const prepareRules = (ctx: RulesReader): boolean =>
  ctx.keywordSets.prepare(ctx.organizationId, revisionNow(ctx), () => building(ctx))

/** Waits until the rules and flow triggers of the organization are ready. */
export async function rulesAreReady(ctx: RulesReader): Promise<void> {
  while (!prepareRules(ctx)) await yieldToEventLoop()
}

/** Returns the enabled rules and flow triggers of the organization. */
export const keywordSetOf = (ctx: RulesReader): TriggerSet<SourceTrigger> =>
  ctx.keywordSets.get(ctx.organizationId, revisionNow(ctx), () => building(ctx))

const revisionOf = compiled((orm) =>
  orm
    .select({ revision: keywordRevisions.revision })
    .from(keywordRevisions)
    .where(inOrganization(anyScope, keywordRevisions))
    .prepare(),
)

const revisionNow = ({ db, organizationId }: RulesReader): number =>
  revisionOf(db).get({ organizationId })?.revision ?? 0

function* building(ctx: RulesReader): Building {
  const revision = revisionNow(ctx)
  const triggers = [...(yield* triggersOfRules(ctx)), ...listTriggers(ctx).map(triggerOfFlow)]
  yield
  let characters = 0
  for (const { keywords } of triggers) for (const keyword of keywords) characters += keyword.length
  return { revision, characters, set: yield* TriggerSet.building(triggers) }
}

/** Rules that are read at once. */
const PAGE = 20

function* triggersOfRules({ db, organizationId }: RulesReader): Sliced<SourceTrigger[]> {
  const triggers: SourceTrigger[] = []
  for (let after = ''; ;) {
    const rows = enabledRules(db).all({ organizationId, after })
    triggers.push(...rows.map(triggerOfRule))
    const last = rows.at(-1)
    if (rows.length < PAGE || !last) return triggers
    after = last.id
    yield
  }
}

const { words: _words, nameKey: _nameKey, ...READ } = getTableColumns(keywordRules)

const enabledRules = compiled((orm) =>
  orm
    .select(READ)
    .from(keywordRules)
    .where(
      inOrganization(
        anyScope,
        keywordRules,
        and(eq(keywordRules.isEnabled, true), gt(keywordRules.id, place(keywordRules.id, 'after'))),
      ),
    )
    .orderBy(asc(keywordRules.id))
    .limit(atMost(PAGE))
    .prepare(),
)

function triggerOfRule(row: Omit<RuleRow, 'words' | 'nameKey'>): SourceTrigger {
  const { id, name, responseType, response, interruptsFlow } = row
  const rule = { id, name, responseType, response, content: row.responseContent, interruptsFlow }
  return {
    ...row,
    source: { kind: 'rule', rule },
    activeHours: row.activeHours.length === 0 ? null : compileHours(row.activeHours),
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
