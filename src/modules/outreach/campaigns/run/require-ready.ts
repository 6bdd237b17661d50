import { ConflictError, InvalidError, type FieldProblem } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { findMedia } from '../../../channel/media/store'
import { BUDGET_REACHED } from '../../../inbox/messages/cost/spend'
import { isPriced } from '../../../channel/prices/lookup'
import { variableLabel } from '../../../channel/templates/variables'
import { filesOf, findTemplateOf, type CampaignTemplate } from '../draft/template'
import { isFile } from '../draft/values'
import { noTemplate } from '../draft/no-template'
import { pendingImport } from '../recipients/pending-import'
import { countsOf } from '../state'
import { audienceOf, type CampaignRow } from '../view'
import { hasContacts } from './audience'
import { blockerOfSpend, findBlocker, type Blocker } from './blockers'

/** The error code of a start request for each reason. */
const ERROR_CODES: Partial<Record<Blocker['reason'], string>> = {
  template: 'template_not_approved',
  account: 'account_inactive',
  quality: 'account_inactive',
  restriction: 'account_inactive',
  budget: 'over_budget',
}

/** The field that each reason is about. */
const PATHS: Partial<Record<Blocker['reason'], string>> = {
  template: 'body.template_id',
  budget: 'body.budget',
}

/**
 * Requires that a campaign can send something. Throws InvalidError `no_template`,
 * `template_not_approved`,
 * `account_inactive`, `missing_params`, `invalid_params`, `no_recipients` and `over_budget`, and
 * ConflictError `budget_reached` unless it is for a later start. Throws InvalidError
 * `payment_required` for a missing payment method, unless the campaign may wait for one.
 */
export function requireReady(
  ctx: Ctx,
  row: CampaignRow,
  { isNow = true, waitsForFunding = false }: { isNow?: boolean; waitsForFunding?: boolean } = {},
): void {
  const noPeople = lacksPeople(ctx, row)
  if (row.templateId === null) throw noTemplate(noPeople ? [NO_PEOPLE] : [])
  const template = findTemplateOf(ctx, row.templateId)
  const blocker =
    findBlocker(ctx, row, template, { waitsForFunding }) ??
    unpricedBudgetOf(ctx, row) ??
    exhaustedBudgetOf(ctx, row)
  if (isNow && blockerOfSpend(ctx, row, template))
    throw new ConflictError(BUDGET_REACHED, { code: 'budget_reached' })
  if (!blocker && template) requireFiles(ctx, row, template)
  if (blocker) {
    const { reason, message, code = ERROR_CODES[reason] ?? 'account_inactive' } = blocker
    const errors = blocker.errors ?? [{ path: PATHS[reason] ?? 'body.account_id', message }]
    throw new InvalidError(message, { code, errors })
  }
  if (noPeople)
    throw new InvalidError(
      'The campaign has no recipients. Import recipients or choose a segment or tags.',
      { code: 'no_recipients', errors: [NO_PEOPLE] },
    )
}

const NO_PEOPLE: FieldProblem = { path: 'body.audience', message: 'has no recipients' }

/** Reports whether a campaign has no recipients, and will find none. */
function lacksPeople(ctx: Ctx, row: CampaignRow): boolean {
  const { pending, sending, sent, delivered, read, failed, unknown } = countsOf(ctx, row.id)
  const hasRecipients = pending + sending + sent + delivered + read + failed + unknown > 0
  return (
    !hasRecipients &&
    !row.isPlanned &&
    !hasContacts(ctx, audienceOf(row)) &&
    pendingImport(ctx, row.id) === null
  )
}

/** Requires all files of the template. Throws InvalidError `missing_params`. */
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
    path: variableLabel(variable),
    message: 'is a file that is missing or was deleted',
  }))
  throw new InvalidError(
    `The template needs a file for ${variableLabel(first)}. Upload it again.`,
    {
      code: 'missing_params',
      errors,
    },
  )
}

/** Blocks a budget in a currency without prices. The draft may be older than the prices. */
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

function exhaustedBudgetOf(ctx: Ctx, row: CampaignRow): Blocker | null {
  if (row.budgetMicros === null || countsOf(ctx, row.id).spentMicros < row.budgetMicros) return null
  return {
    reason: 'budget',
    untilMs: null,
    message: 'The budget of the campaign is used up. Raise it before you resume.',
  }
}
