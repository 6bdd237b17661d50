import { on } from '../../infra/outbox/relay'
import { AccountChanged } from '../accounts/events'
import { MediaExpired, MediaFailed, MediaStored } from '../media/events'
import { TemplateChanged } from '../templates/events'
import { announceFile, releaseHeldMessages, releaseTemplate } from './jobs'

export const messageReactions = [
  on(AccountChanged, releaseHeldMessages),
  on(TemplateChanged, releaseTemplate),
  on(MediaStored, announceFile),
  on(MediaFailed, announceFile),
  on(MediaExpired, announceFile),
]
