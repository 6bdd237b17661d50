import { ConflictError, InvalidError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { accessTokenOf, findAccount, liveAccounts } from '../accounts/queries'
import type { AccountRow } from '../accounts/view'
import type { TemplateRow } from './view'

declare module '../../../infra/ctx' {
  interface Deps {
    /**
     * Templates with a platform call in progress. One process holds the lock; after a crash the
     * next sync repairs the template.
     */
    lockedTemplates: Set<string>
  }
}

/**
 * Runs `work` while no other call changes the template at the platform. Throws ConflictError
 * `pending`.
 */
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
 * Returns a connected phone number of the business account, preferably the one of the template.
 * Throws InvalidError `account_inactive`.
 */
export function requireAccount(
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
