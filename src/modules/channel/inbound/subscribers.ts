import { subscribe } from '../../../infra/outbox/subscribe'
import { AccountChanged } from '../accounts/events'
import { ContactErased } from '../../inbox/contacts/events'
import { AssignUnrouted, ErasePersonInJournal } from './jobs'

export const inboundSubscribers = [
  subscribe(AccountChanged, AssignUnrouted),
  subscribe(ContactErased, ErasePersonInJournal),
]
