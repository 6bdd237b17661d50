import { subscribe } from '../../../infra/outbox/subscribe'
import { ContactDeleted } from '../../inbox/contacts/events'
import { EraseContactInImports } from './jobs'

export const importSubscribers = [subscribe(ContactDeleted, EraseContactInImports)]
