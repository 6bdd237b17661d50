import { on } from '../../infra/outbox/relay'
import { AccountChanged } from '../accounts/events'
import { MediaExpired, MediaFailed, MediaStored } from '../media/events'
import { announceFile, releaseHeldMessages } from './jobs'

export const messageReactions = [
  on(AccountChanged, releaseHeldMessages),
  on(MediaStored, announceFile),
  on(MediaFailed, announceFile),
  on(MediaExpired, announceFile),
]
