import { subscribe } from '../../infra/outbox/subscribe'
import { AccountChanged } from '../accounts/events'
import { ContactDeleted, ContactErased } from '../contacts/events'
import { TemplateChanged } from '../templates/events'
import { EraseContactRecipients, EraseRecipientNumbers, WatchAccount, WatchTemplate } from './jobs'

export const campaignSubscribers = [
  subscribe(AccountChanged, WatchAccount),
  subscribe(TemplateChanged, WatchTemplate),
  subscribe(ContactDeleted, EraseContactRecipients),
  subscribe(ContactErased, EraseRecipientNumbers),
]
