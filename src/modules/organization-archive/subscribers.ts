import { subscribe } from '../../infra/outbox/subscribe'
import { ContactDeleted } from '../contacts/events'
import { DropErasedArchives } from './jobs'

export const archiveSubscribers = [subscribe(ContactDeleted, DropErasedArchives)]
