import { subscribe } from '../../../infra/outbox/subscribe'
import { ContactDeleted } from '../../inbox/contacts/events'
import { EraseWebhookPayloads } from './jobs'

export const webhookSubscribers = [subscribe(ContactDeleted, EraseWebhookPayloads)]
