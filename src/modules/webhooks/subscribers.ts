import { subscribe } from '../../infra/outbox/subscribe'
import { ContactDeleted } from '../contacts/events'
import { EraseWebhookPayloads } from './jobs'

export const webhookSubscribers = [subscribe(ContactDeleted, EraseWebhookPayloads)]
