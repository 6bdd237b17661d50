import { onHook, type HookHandler } from '../../../infra/transaction-hooks'
import { WindowOpenedByCall } from '../../channel/calls/events'
import { releaseAnswersIn } from './outbound/release'

/** Transaction hooks that let held messages run. */
export const messageHooks: HookHandler[] = [onHook(WindowOpenedByCall, releaseAnswersIn)]
