import { onHook, type HookHandler } from '../../../infra/transaction-hooks'
import { AccountDisconnected } from '../../channel/accounts/events'
import { MembershipEnded } from '../../organization/members/events'
import { forgetKeyIn, removeNotifiedIn } from './save'

/** Transaction hooks that drop the AI key of a disconnected number, and former members. */
export const chatbotSettingsHooks: HookHandler[] = [
  onHook(AccountDisconnected, forgetKeyIn),
  onHook(MembershipEnded, removeNotifiedIn),
]
