import { HOUR_MS, isoTime, SECOND_MS } from '../../../lib/clock'
import { InvalidError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { Outcome } from '../../../infra/jobs/work'
import { enqueue, hasLiveJob, expedite } from '../../../infra/jobs/enqueue'
import type { RequestedBy } from '../../auth/delegated-ctx'
import { findMedia } from '../../media/store'
import { defaultCurrency, isPriced } from '../../prices/lookup'
import { labelOf } from '../../templates/variables'
import { publishStateChangeIn } from '../results/publish'
import { DispatchCampaign, PlanCampaign } from '../jobs'
import { notifyAboutCampaignIn } from '../results/notify'
import { findBlocker, type Blocker } from './blockers'
import { isFile } from '../draft/values'
import { completeWhenDoneIn, resetErrorCountIn, pauseAutomaticallyIn } from './pause-automatically'
import { hasAnybody } from './audience'
import { STEPS } from '../rules'
import { fileUnderWay } from '../recipients/pending-import'
import { changeCampaignIn, countsOf, findCampaign, changeStateIn } from '../state'
import { filesOf, findTemplateOf, type CampaignTemplate } from '../draft/template'
import { audienceOf, type CampaignRow } from '../view'

/** A start that waits for a file of recipients is looked at again so often. */
const FILE_LOOK_MS = 2 * SECOND_MS

/** A campaign that starts later than this is worth a word. */
const LATE_MS = HOUR_MS

/** How a person is told of what stands in the way of a campaign. */
const CODES: Partial<Record<Blocker['reason'], string>> = {
  template: 'template_not_approved',
  account: 'account_inactive',
  quality: 'account_inactive',
  restriction: 'account_inactive',
  budget: 'over_budget',
}

/**
 * Refuses to start a campaign that could send nothing. Throws InvalidError `template_not_approved`,
 * `account_inactive`, `missing_params`, `invalid_params`, `no_recipients` and `over_budget`.
 */
export function requireStartable(ctx: Ctx, row: CampaignRow): void {
  const template = findTemplateOf(ctx, row.templateId)
  const obstacle =
    findBlocker(ctx, row, template) ?? unpricedBudgetOf(ctx, row) ?? overspentOf(ctx, row)
  if (!obstacle && template) requireFiles(ctx, row, template)
  if (obstacle) {
    const { reason, message, code = CODES[reason] ?? 'account_inactive', errors } = obstacle
    throw new InvalidError(message, { code, ...(errors === undefined ? {} : { errors }) })
  }
  const { pending } = countsOf(ctx, row.id)
  if (
    pending === 0 &&
    !row.isPlanned &&
    !hasAnybody(ctx, audienceOf(row)) &&
    fileUnderWay(ctx, row.id) === null
  )
    throw new InvalidError(
      'The campaign has no recipients. Import recipients or choose a segment or tags.',
      { code: 'no_recipients' },
    )
}

/** Refuses to start without a file the template needs. Throws InvalidError `missing_params`. */
function requireFiles(ctx: Ctx, row: CampaignRow, template: CampaignTemplate): void {
  const files = filesOf(row, template)
  const names = [files.header, ...files.cards].filter((id) => id !== null)
  const ready = new Set(
    findMedia(ctx, names).flatMap(({ id, state }) => (state === 'ready' ? [id] : [])),
  )
  const missing = template.variables.filter(isFile).filter(({ card }) => {
    const id = card === null ? files.header : files.cards[card]
    return id == null || !ready.has(id)
  })
  const [first] = missing
  if (!first) return
  const errors = missing.map((variable) => ({
    path: labelOf(variable),
    message: 'is a file that is missing or was deleted',
  }))
  throw new InvalidError(`The template needs a file for ${labelOf(first)}. Upload it again.`, {
    code: 'missing_params',
    errors,
  })
}

/** A budget in a currency nothing is priced in, drafted before there were prices. */
function unpricedBudgetOf(ctx: Ctx, { budgetMicros, currency }: CampaignRow): Blocker | null {
  if (budgetMicros === null || currency === null || isPriced(ctx, currency)) return null
  const message =
    `There are no prices in ${currency}, so the budget would have no effect. Use a ` +
    'currency with prices.'
  return {
    reason: 'budget',
    untilMs: null,
    message,
    code: 'invalid_input',
    errors: [{ path: 'budget.currency', message: 'has no prices' }],
  }
}

function overspentOf(ctx: Ctx, row: CampaignRow): Blocker | null {
  if (row.budgetMicros === null || countsOf(ctx, row.id).spentMicros < row.budgetMicros) return null
  return {
    reason: 'budget',
    untilMs: null,
    message: 'The budget of the campaign is used up. Raise it before you resume.',
  }
}

/**
 * Sets a campaign going, in the caller's transaction; `null` when it is in no state from which it
 * starts.
 */
export function startIn(
  tx: Tx,
  ctx: Ctx,
  id: string,
  asker: RequestedBy | null,
): CampaignRow | null {
  const nowMs = ctx.clock.nowMs()
  const row = changeStateIn(tx, ctx, id, {
    from: STEPS.start,
    set: {
      status: 'sending',
      startedAtMs: nowMs,
      errorsSinceMs: nowMs,
      ...(asker ? { actor: JSON.stringify(asker) } : {}),
    },
  })
  if (!row) return null
  // Drafted before there were prices.
  if (row.currency === null) changeCampaignIn(tx, ctx, id, { currency: defaultCurrency(ctx) })
  goOnIn(tx, ctx, row)
  publishStateChangeIn(tx, ctx, id, 'started')
  return row
}

/**
 * Sees to it that a campaign that sends is planned or dispatched by a job, in the caller's
 * transaction.
 */
export function goOnIn(tx: Tx, ctx: Ctx, row: CampaignRow): void {
  const which = { kind: DispatchCampaign.name, serialKeys: [`campaign:${row.id}`] }
  if (!row.isPlanned) {
    if (!hasLiveJob(ctx, { kind: PlanCampaign.name, serialKeys: [`campaign:${row.id}`] }))
      enqueue(tx, ctx, PlanCampaign, {
        args: { campaignId: row.id, phase: 'upload', after: '', micros: 0 },
        serialKey: `campaign:${row.id}`,
      })
    return
  }
  if (completeWhenDoneIn(tx, ctx, row)) return
  expedite(tx, ctx, which)
  if (!hasLiveJob(ctx, which))
    enqueue(tx, ctx, DispatchCampaign, {
      args: { campaignId: row.id },
      serialKey: `campaign:${row.id}`,
    })
}

/**
 * Lets a paused campaign go on, in the caller's transaction; `null` when it is not paused. An
 * audience that is not settled yet is from then on that of whoever lets it go on.
 */
export function resumeIn(
  tx: Tx,
  ctx: Ctx,
  id: string,
  how: { ignoresErrors: boolean; asker: RequestedBy | null },
): CampaignRow | null {
  const set = how.asker ? { actor: JSON.stringify(how.asker) } : {}
  const row = changeStateIn(tx, ctx, id, {
    from: STEPS.resume,
    set: { status: 'sending', ...set },
  })
  if (!row) return null
  goOnIn(tx, ctx, resetErrorCountIn(tx, ctx, id, row.ignoresErrors || how.ignoresErrors))
  publishStateChangeIn(tx, ctx, id, 'resumed')
  return row
}

/**
 * Starts a campaign whose time has come, in the caller's transaction: once, and only for the time
 * it was scheduled for. While a file of its recipients is worked off it waits for that; then the
 * answer says when to look again. What stands in the way pauses it with that reason. Who is late
 * says so.
 */
export function startDueIn(
  tx: Tx,
  ctx: Ctx,
  due: { campaignId: string; scheduledAtMs: number },
): Outcome {
  const before = findCampaign(ctx, due.campaignId)
  if (before?.status !== 'scheduled' || before.scheduledAtMs !== due.scheduledAtMs) return undefined
  if (fileUnderWay(ctx, before.id) !== null) return { snoozeMs: FILE_LOOK_MS }
  const obstacle = findBlocker(ctx, before, findTemplateOf(ctx, before.templateId))
  const row = startIn(tx, ctx, due.campaignId, null)
  if (!row) return undefined
  if (obstacle)
    pauseAutomaticallyIn(tx, ctx, row.id, {
      reason: obstacle.reason,
      resumesAtMs: obstacle.untilMs,
      note: obstacle.message,
    })
  if (ctx.clock.nowMs() - due.scheduledAtMs > LATE_MS)
    notifyAboutCampaignIn(tx, ctx, row, {
      kind: 'campaign_late',
      severity: 'warning',
      title: 'Campaign started late',
      body:
        `It was scheduled for ${isoTime(due.scheduledAtMs)}, but the server was down or ` +
        'recipients were still being imported.',
    })
  return undefined
}
