import { on } from '../../infra/outbox/relay'
import { ContactDeleted } from '../contacts/events'
import { forgetErased } from './jobs'

export const importReactions = [on(ContactDeleted, forgetErased)]
