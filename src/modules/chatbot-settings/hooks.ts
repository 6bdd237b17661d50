import { onHook, type HookHandler } from '../../infra/transaction-hooks'
import { AccountDisconnected } from '../accounts/events'
import { deleteSettingsIn } from './save'

/** Transaction hooks that drop the settings of a disconnected number. */
export const chatbotSettingsHooks: HookHandler[] = [onHook(AccountDisconnected, deleteSettingsIn)]
