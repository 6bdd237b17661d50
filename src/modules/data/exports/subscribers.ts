import { subscribe } from '../../../infra/outbox/subscribe'
import { ContactDeleted } from '../../inbox/contacts/events'
import { DropErasedExports } from './jobs'

export const exportSubscribers = [subscribe(ContactDeleted, DropErasedExports)]
