import { InvalidError, type FieldProblem } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { findAccount } from '../../../channel/accounts/queries'
import { isRestricted, type AccountRow } from '../../../channel/accounts/view'
import { isFlowSendable } from '../../../channel/flows/send'
import { BUDGET_REACHED, isStoppedByBudget, nextBudgetMs } from '../../../inbox/messages/cost/spend'
import { flowOfTemplate } from '../../../inbox/messages/compose/template/flow-token'
import { problemsOfFilling } from '../draft/validate-values'
import type { OwnReason } from '../rules'
import { isSendable, type CampaignTemplate } from '../draft/template'
import { defaultsOf, mappingOf, type CampaignRow } from '../view'

/** A reason why a campaign cannot send, and when it ends if that is known, epoch milliseconds. */
export interface Blocker {
  reason: OwnReason
  untilMs: number | null
  message: string
  /** The error code of a start request, if it differs from the code of the reason. */
  code?: string
  errors?: FieldProblem[]
}

/**
 * Returns why a campaign cannot send from its phone number, or `null`. A temporary pause of the
 * number does not count: the campaign waits.
 */
export function blockerOfAccount(account: AccountRow | null, nowMs: number): Blocker | null {
  if (!account || account.deletedAtMs !== null)
    return {
      reason: 'account',
      untilMs: null,
      message: 'The phone number of the campaign is disconnected.',
    }
  if (account.status !== 'active' || account.accessTokenSealed === null)
    return {
      reason: 'account',
      untilMs: null,
      message: `The phone number of the campaign is ${account.status} and cannot send.`,
    }
  if (account.sendingPausedAtMs !== null)
    return {
      reason: 'account',
      untilMs: null,
      message: 'The phone number of the campaign is paused. Resume the number first.',
    }
  if (isRestricted(account, nowMs))
    return {
      reason: 'restriction',
      untilMs: account.restrictedUntilMs,
      message: 'The platform currently only allows the phone number to reply to customers.',
    }
  if (account.qualityRating === 'RED' || account.qualityRating === 'FLAGGED')
    return {
      reason: 'quality',
      untilMs: null,
      message: 'The phone number has a low quality rating and is flagged by the platform.',
    }
  return null
}

/** Returns a blocker if nobody pays for the messages of a phone number, or `null`. */
export const blockerOfFunding = (account: AccountRow | null): Blocker | null =>
  account?.fundingState === 'missing'
    ? {
        reason: 'funding',
        untilMs: null,
        message:
          'The phone number has no payment method, so WhatsApp would not deliver the messages. Add ' +
          'one and resume the number. The campaign then continues.',
        code: 'payment_required',
      }
    : null

const AUTHENTICATION_TEMPLATE = 'Authentication templates cannot be used in campaigns.'

/**
 * Reports whether a template is for one-time codes, which must not be stored (contract on
 * templates, rule 3).
 */
const isAuthenticationTemplate = ({ row }: CampaignTemplate): boolean =>
  row.category === 'AUTHENTICATION'

/**
 * Rejects authentication templates, so that no value for them is stored. Throws InvalidError
 * `template_not_approved`.
 */
export function refuseAuthenticationTemplate(template: CampaignTemplate | null): void {
  if (template && isAuthenticationTemplate(template))
    throw new InvalidError(AUTHENTICATION_TEMPLATE, {
      code: 'template_not_approved',
      errors: [{ path: 'body.template_id', message: 'cannot be sent' }],
    })
}

/** Returns why a campaign cannot send its template from its phone number, or `null`. */
export function blockerOfTemplate(
  ctx: Ctx,
  template: CampaignTemplate | null,
  account: AccountRow | null,
): Blocker | null {
  const refuse = (message: string): Blocker => ({ reason: 'template', untilMs: null, message })
  if (!template || template.row.deletedAtMs !== null)
    return refuse('The template of the campaign has been deleted.')
  if (!isSendable(template))
    return refuse(`The template of the campaign is ${template.row.status} and cannot be sent.`)
  if (account && account.businessId !== template.row.businessId)
    return refuse('The template belongs to a different business account than the phone number.')
  if (isAuthenticationTemplate(template)) return refuse(AUTHENTICATION_TEMPLATE)
  const flow = flowOfTemplate(ctx, template.row)
  if (flow && !isFlowSendable(flow))
    return refuse(
      `The flow of the template, "${flow.name}", cannot be sent because its status is ` +
        `${flow.status}.`,
    )
  return null
}

/** Returns why the values of a campaign no longer fit its template, or `null`. */
export function blockerOfValues(
  ctx: Ctx,
  campaign: CampaignRow,
  template: CampaignTemplate | null,
): Blocker | null {
  if (!template) return null
  const errors = problemsOfFilling(ctx, template, {
    mapping: mappingOf(campaign),
    defaults: defaultsOf(campaign),
  })
  const [first] = errors
  if (!first) return null
  const message =
    `The campaign no longer fits its template: ${first.path.replace(/^body\./, '')} ` +
    `${first.message}.`
  return { reason: 'template', untilMs: null, message, code: 'invalid_params', errors }
}

/** Returns a blocker if the budget of the organization stops the campaign until next month. */
export const blockerOfSpend = (
  ctx: Ctx,
  { accountId }: Pick<CampaignRow, 'accountId'>,
  template: CampaignTemplate | null,
): Blocker | null =>
  template?.row.category === 'MARKETING' && isStoppedByBudget(ctx, accountId, 'stop_marketing')
    ? {
        reason: 'budget',
        untilMs: nextBudgetMs(ctx, accountId),
        message: BUDGET_REACHED,
        code: 'budget_reached',
      }
    : null

/**
 * Returns why a campaign cannot send, or `null`. With `waitsForFunding`, a missing payment method
 * does not count.
 */
export function findBlocker(
  ctx: Ctx,
  campaign: CampaignRow,
  template: CampaignTemplate | null,
  { waitsForFunding = false }: { waitsForFunding?: boolean } = {},
): Blocker | null {
  const account = findAccount(ctx, campaign.accountId)
  return (
    blockerOfAccount(account, ctx.clock.nowMs()) ??
    blockerOfTemplate(ctx, template, account) ??
    blockerOfValues(ctx, campaign, template) ??
    (waitsForFunding ? null : blockerOfFunding(account))
  )
}
