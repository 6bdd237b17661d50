import { subscribe } from '../../../infra/outbox/subscribe'
import { AccountChanged } from '../../channel/accounts/events'
import { ContactDeleted, ContactErased } from '../../inbox/contacts/events'
import { TemplateChanged } from '../../channel/templates/events'
import { EraseContactRecipients, EraseRecipientNumbers, WatchAccount, WatchTemplate } from './jobs'

export const campaignSubscribers = [
  subscribe(AccountChanged, WatchAccount),
  subscribe(TemplateChanged, WatchTemplate),
  subscribe(ContactDeleted, EraseContactRecipients),
  subscribe(ContactErased, EraseRecipientNumbers),
]
