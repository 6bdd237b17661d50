import type { Report } from '../../../lib/input-problems'
import type { Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { PlatformError } from '../../../platform/client/errors'
import type { JsonObject } from '../../../platform/lenient-json'
import { creativeChangesSpec } from '../../../platform/templates/creative-changes'
import { notifyAboutAccountIn } from '../accounts/notify'
import { businessCallOf } from '../accounts/platform-calls'
import { isTemporary } from '../accounts/platform-errors'
import { findAccount, liveAccounts } from '../accounts/queries'
import type { AccountRow } from '../accounts/view'
import { getOrganization } from '../../organization/organizations/service'
import { OptOutBusiness } from './jobs'
import type { TemplateRow } from './view'

/** Reports a choice about changes by the platform for a template that is not for marketing. */
export function checkOptOut(report: Report, category: string, isOptedOut: boolean | null): void {
  if (isOptedOut !== null && category !== 'MARKETING')
    report('body.creative_opt_out', 'is only allowed for the category MARKETING')
}

/** Returns the choice that counts: none if the platform has moved the template to another category. */
export const optOutOf = (row: Pick<TemplateRow, 'category' | 'creativeOptOut'>): boolean | null =>
  row.category === 'MARKETING' ? row.creativeOptOut : null

/**
 * Returns what a submission says about changes by the platform: whether the template is opted out, or
 * `null` for nothing. An opt-out that was submitted, or that the organization makes for its business
 * accounts, has to be taken back explicitly.
 */
export function submittedOptOut(ctx: Ctx, row: TemplateRow): boolean | null {
  if (row.category !== 'MARKETING') return null
  const byDefault = getOrganization(ctx).creativeOptOut
  if (row.creativeOptOut ?? byDefault) return true
  return row.publishedOptOut === true || byDefault ? false : null
}

/** Reports whether the platform would be told something new about changes to the template. */
export function hasNewOptOut(ctx: Ctx, row: TemplateRow): boolean {
  const isOptedOut = submittedOptOut(ctx, row)
  return isOptedOut !== null && isOptedOut !== row.publishedOptOut
}

/** Returns the part of a submission that tells whether the platform may change the template. */
export const optOutSpec = (isOptedOut: boolean | null): JsonObject =>
  isOptedOut === null ? {} : creativeChangesSpec({ isOptedOut })

/** Has all business accounts opted out, in the caller's transaction. */
export function optOutEverywhereIn(tx: Tx, ctx: Ctx): void {
  for (const businessId of new Set(liveAccounts(ctx).map((row) => row.businessId)))
    enqueue(tx, ctx, OptOutBusiness, { args: { businessId } })
}

/**
 * Has the business account of a number opted out if the organization wants that, in the caller's
 * transaction: when the number is connected, or its business accepts the terms of marketing messages.
 */
export function optOutConnectedIn(
  tx: Tx,
  ctx: Ctx,
  {
    accountId,
    changed,
    isConnected,
  }: { accountId: string; changed: string[]; isConnected: boolean },
): void {
  if (!isConnected && !changed.includes('marketing_path')) return
  const account = findAccount(ctx, accountId)
  if (account === null) return
  enqueue(tx, ctx, OptOutBusiness, { args: { businessId: account.businessId } })
}

/**
 * Opts a business account out of changes to marketing messages. Nothing is changed in those of
 * businesses that have not accepted their terms, so it is done once they have. Idempotent. Throws
 * PlatformError if the platform cannot be reached; notifies the admins if it refuses.
 */
export async function optOutBusiness(ctx: Ctx, businessId: string): Promise<void> {
  if (!getOrganization(ctx).creativeOptOut) return
  const account = onboardedAccount(ctx, businessId)
  if (account === undefined) return
  try {
    await ctx.platform.optOutOfCreativeChanges(businessCallOf(ctx, account))
  } catch (error) {
    if (!(error instanceof PlatformError) || isTemporary(error)) throw error
    transact(ctx.db, (tx) => reportRefusedOptOutIn(tx, ctx, businessId))
  }
}

const onboardedAccount = (ctx: Ctx, businessId: string): AccountRow | undefined =>
  liveAccounts(ctx).find(
    (row) =>
      row.businessId === businessId &&
      row.accessTokenSealed !== null &&
      row.marketingStatus === 'onboarded',
  )

/** Notifies the admins that a business account was not opted out, in the caller's transaction. */
export function reportRefusedOptOutIn(tx: Tx, ctx: Ctx, businessId: string): void {
  const account = liveAccounts(ctx).find((row) => row.businessId === businessId)
  if (account === undefined) return
  notifyAboutAccountIn(tx, ctx, account, {
    kind: 'template_notice',
    severity: 'warning',
    title: 'WhatsApp may still change marketing messages',
    body:
      'WhatsApp did not take the opt-out for the business account of this number. Templates that are ' +
      'published here are opted out; turn the changes off for all others in WhatsApp Manager.',
  })
}
