import { on } from '../../infra/outbox/relay'
import { AccountChanged } from '../accounts/events'
import { ContactDeleted, ContactErased } from '../contacts/events'
import { TemplateChanged } from '../templates/events'
import { forgetErasedNumbers, forgetErasedRecipient } from './forgetting/jobs'
import { watchAccount, watchTemplate } from './jobs'

/**
 * What campaigns do after the fact when something about their numbers, templates or contacts
 * changed.
 */
export const campaignReactions = [
  on(AccountChanged, watchAccount),
  on(TemplateChanged, watchTemplate),
  on(ContactDeleted, forgetErasedRecipient),
  on(ContactErased, forgetErasedNumbers),
]
