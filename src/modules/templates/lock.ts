import { ConflictError, InvalidError } from '../../lib/errors'
import type { Ctx } from '../../infra/ctx'
import { accessTokenOf, findAccount, liveAccounts } from '../accounts/queries'
import type { AccountRow } from '../accounts/view'
import type { TemplateRow } from './view'

declare module '../../infra/ctx' {
  interface Deps {
    /**
     * The templates that are being changed on the platform. There is one process; the next sync
     * repairs what a killed one left half done.
     */
    lockedTemplates: Set<string>
  }
}

/** Works on a template at the platform, one at a time. Throws ConflictError `pending`. */
export async function withLock<T>(
  ctx: Ctx,
  templateId: string,
  work: () => Promise<T>,
): Promise<T> {
  const busy = ctx.lockedTemplates
  const key = `${ctx.organizationId}/${templateId}`
  if (busy.has(key))
    throw new ConflictError(
      'Another request is updating this template on the platform. Try again in a moment.',
      { code: 'pending' },
    )
  busy.add(key)
  try {
    return await work()
  } finally {
    busy.delete(key)
  }
}

/**
 * A number whose token speaks for the template's business account: its own, else another one.
 * Throws InvalidError `account_inactive`.
 */
export function callerFor(
  ctx: Ctx,
  row: Pick<TemplateRow, 'accountId' | 'businessId'>,
): AccountRow {
  const own = findAccount(ctx, row.accountId)
  const fits = (account: AccountRow | null): account is AccountRow =>
    account !== null &&
    account.deletedAtMs === null &&
    account.businessId === row.businessId &&
    accessTokenOf(ctx, account) !== null
  if (fits(own)) return own
  const other = liveAccounts(ctx).find(fits)
  if (other) return other
  throw new InvalidError("No phone number of this template's business account is connected.", {
    code: 'account_inactive',
  })
}
