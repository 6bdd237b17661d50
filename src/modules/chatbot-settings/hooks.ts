import { onHook, type HookHandler } from '../../infra/transaction-hooks'
import { AccountDisconnected } from '../accounts/events'
import { MembershipEnded } from '../members/events'
import { deleteSettingsIn, removeNotifiedIn } from './save'

/** Transaction hooks that drop what settings say of a disconnected number or a former member. */
export const chatbotSettingsHooks: HookHandler[] = [
  onHook(AccountDisconnected, deleteSettingsIn),
  onHook(MembershipEnded, removeNotifiedIn),
]
