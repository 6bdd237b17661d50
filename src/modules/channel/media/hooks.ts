import { onHook, type HookHandler } from '../../../infra/transaction-hooks'
import { AccountDisconnected } from '../accounts/events'
import { releaseQrCodesIn } from './store'

/** Transaction hooks that release files when what they belong to is deleted. */
export const mediaHooks: HookHandler[] = [
  onHook(AccountDisconnected, (tx, ctx, { accountId }) => releaseQrCodesIn(tx, ctx, accountId)),
]
