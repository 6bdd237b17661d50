import { on } from '../../infra/outbox/relay'
import { ContactDeleted } from '../contacts/events'
import { dropErased } from './jobs'

/** What exports do after the fact when a contact was erased. */
export const exportReactions = [on(ContactDeleted, dropErased)]
