import { on } from '../../infra/outbox/relay'
import { AccountChanged } from '../accounts/events'
import { releaseHeldMessages } from './jobs'

export const messageReactions = [on(AccountChanged, releaseHeldMessages)]
