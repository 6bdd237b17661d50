import { on } from '../../infra/outbox/relay'
import { AccountChanged } from '../accounts/events'
import { ContactErased } from '../contacts/events'
import { adoptUnrouted, forgetInJournal } from './jobs'

export const inboundReactions = [
  on(AccountChanged, adoptUnrouted),
  on(ContactErased, forgetInJournal),
]
