import { InvalidError, fieldSentence, type FieldProblem } from '../../../../lib/errors'
import { foldText } from '../../../../lib/fold-text'
import { freeObjectProblems } from '../../../../lib/free-object'
import { microsOf } from '../../../../lib/money'
import type { Ctx } from '../../../../infra/ctx'
import { isPriced } from '../../../channel/prices/lookup'
import type { Audience } from '../model'
import { parseStartTime, parseTimezone } from '../run/schedule'
import { audienceOf, type CampaignRow } from '../view'
import type { CampaignChanges, NewCampaign } from './model'

/** The audience of a new campaign. */
export const EMPTY_AUDIENCE: Audience = {
  segment_id: null,
  filter: null,
  tag_ids: [],
  tags_mode: 'any',
  exclude_tag_ids: [],
  exclude_contacted_days: null,
}

/** Maximum size of the JSON objects of a campaign. */
const LIMITS = { bytes: 16 * 1_024, levels: 4 } as const

/** Validates the given fields and returns them as columns. Throws InvalidError. */
export function columnsFrom(
  ctx: Ctx,
  input: CampaignChanges,
  before: CampaignRow | null,
): Partial<CampaignRow> {
  const {
    variable_mapping: mapping,
    default_params: defaults,
    budget,
    send_window: sendWindow,
  } = input
  refuseProblems([
    ...freeObjectProblems(mapping ?? {}, 'body.variable_mapping', LIMITS),
    ...freeObjectProblems(defaults ?? {}, 'body.default_params', LIMITS),
    ...problemsOfBudget(ctx, budget, before),
  ])
  const money = budget == null ? null : microsOf(budget.amount)
  const name = input.name?.trim()
  return {
    ...(name === undefined ? {} : { name, nameKey: foldText(name) }),
    ...(input.account_id === undefined ? {} : { accountId: input.account_id }),
    ...(input.template_id === undefined ? {} : { templateId: input.template_id }),
    ...(input.audience === undefined
      ? {}
      : {
          audience: JSON.stringify(
            mergeAudience(input.audience, before ? audienceOf(before) : EMPTY_AUDIENCE),
          ),
        }),
    ...(mapping === undefined ? {} : { variableMapping: JSON.stringify(mapping) }),
    ...(defaults === undefined ? {} : { defaultParams: JSON.stringify(defaults) }),
    ...(input.timezone === undefined ? {} : { timezone: parseTimezone(input.timezone) }),
    ...(sendWindow === undefined
      ? {}
      : {
          sendWindow: sendWindow === null ? null : JSON.stringify(sendWindow),
          windowEndsAtMs: null,
        }),
    ...(input.rate_limit === undefined ? {} : { rateLimit: input.rate_limit }),
    ...(budget === undefined
      ? {}
      : { budgetMicros: money, ...(budget === null ? {} : { currency: budget.currency }) }),
    ...(input.error_threshold === undefined ? {} : { errorThreshold: input.error_threshold }),
    ...(input.scheduled_at === undefined
      ? {}
      : {
          scheduledAtMs:
            input.scheduled_at === null ? null : parseStartTime(ctx, input.scheduled_at),
        }),
  }
}

const mergeAudience = (input: NewCampaign['audience'], before: Audience): Audience => ({
  ...before,
  ...Object.fromEntries(
    Object.entries(input ?? {}).filter(([field, value]) => field in before && value !== undefined),
  ),
})

function refuseProblems(problems: FieldProblem[]): void {
  const [first] = problems
  if (first)
    throw new InvalidError(fieldSentence(first.path, first.message), {
      code: 'invalid_input',
      errors: problems,
    })
}

/**
 * Rejects a budget in a currency without prices, which would have no effect, and a change of
 * currency after messages were sent.
 */
function problemsOfBudget(
  ctx: Ctx,
  budget: CampaignChanges['budget'],
  before: CampaignRow | null,
): FieldProblem[] {
  if (budget == null) return []
  const path = 'body.budget.currency'
  if (
    before?.startedAtMs != null &&
    before.currency !== null &&
    before.currency !== budget.currency
  )
    return [
      {
        path,
        message:
          `must stay ${before.currency} because the campaign has already sent messages in this ` +
          'currency',
      },
    ]
  return isPriced(ctx, budget.currency)
    ? []
    : [{ path, message: 'is a currency without prices, so the budget would have no effect' }]
}
