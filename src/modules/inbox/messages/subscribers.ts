import { subscribe } from '../../../infra/outbox/subscribe'
import { AccountChanged } from '../../channel/accounts/events'
import { MediaExpired, MediaFailed, MediaStored } from '../../channel/media/events'
import { TemplateChanged } from '../../channel/templates/events'
import { PublishFileChange, ReleaseHeldMessages, ReleaseTemplateMessages } from './jobs'

export const messageSubscribers = [
  subscribe(AccountChanged, ReleaseHeldMessages),
  subscribe(TemplateChanged, ReleaseTemplateMessages),
  subscribe(MediaStored, PublishFileChange),
  subscribe(MediaFailed, PublishFileChange),
  subscribe(MediaExpired, PublishFileChange),
]
