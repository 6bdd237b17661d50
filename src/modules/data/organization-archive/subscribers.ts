import { subscribe } from '../../../infra/outbox/subscribe'
import { ContactDeleted } from '../../inbox/contacts/events'
import { DropErasedArchives } from './jobs'

export const archiveSubscribers = [subscribe(ContactDeleted, DropErasedArchives)]
