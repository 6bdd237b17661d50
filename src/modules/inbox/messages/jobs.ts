import { Type, type Static } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'
import { AccountChanged } from '../../channel/accounts/events'
import { MediaStored } from '../../channel/media/events'
import { TemplateChanged } from '../../channel/templates/events'

/** The retry plan of each error class and the message's expiry end it earlier. */
const MAX_ATTEMPTS = 200

const OneMessage = Type.Object({ messageId: Type.String() })
const Mark = Type.Object({ messageId: Type.String(), untilMs: Type.Integer() })

/** Submits one message to the platform. */
export const SendMessage = job('message.send', OneMessage, {
  queue: 'send',
  maxAttempts: MAX_ATTEMPTS,
})

/** Uploads the media file of one message. */
export const UploadMessageFile = job('message.upload', OneMessage, {
  queue: 'media',
  maxAttempts: MAX_ATTEMPTS,
})

/** Submits a reaction to the platform, in order with the messages of its contact. */
export const SendReaction = job(
  'message.send-reaction',
  Type.Object({ messageId: Type.String(), change: Type.String() }),
  { queue: 'send', maxAttempts: MAX_ATTEMPTS },
)

/** Sends a read receipt for a message and all before it. */
export const SendReadReceipt = job('message.read-receipt', Mark, {
  queue: 'default',
  maxAttempts: 3,
})

/** Shows the typing indicator to the customer. */
export const ShowTyping = job('message.typing', Mark, { queue: 'default', maxAttempts: 1 })

/**
 * Releases messages that were held because of their phone number after the number changed. Those of
 * a deleted number fail.
 */
export const ReleaseHeldMessages = job('message.release-held', AccountChanged.payload, {
  queue: 'default',
})

/** Releases messages that were held because of their template after its status changed. */
export const ReleaseTemplateMessages = job('message.release-template', TemplateChanged.payload, {
  queue: 'default',
})

/** Publishes that the media file of a message arrived, failed or expired. */
export const PublishFileChange = job('message.publish-file', MediaStored.payload, {
  queue: 'default',
})

/** Updates the search index after two contacts were merged or separated, a batch at a time. */
export const RescopeWords = job(
  'message.rescope-words',
  Type.Object({ contactId: Type.String(), after: Type.Integer() }),
  { queue: 'default' },
)

/** Notifies people of how many messages have an unknown outcome. */
export const NotifyUnknown = job('message.notify-unknown', Type.Object({}), { queue: 'default' })

/** Fails or requeues messages that have waited too long or lost their job. */
export const SweepMessages = job('message.sweep', Type.Object({}), { queue: 'default' })

/** Gives up edits and deletions whose message did not arrive in time, a batch at a time. */
export const ExpirePendingEdits = job('message.expire-pending-edits', Type.Object({}), {
  queue: 'default',
})

const TextOrNull = Type.Union([Type.String(), Type.Null()])
const words = <T extends string>(...all: T[]) => Type.Union(all.map((word) => Type.Literal(word)))

/** One change of many conversations, checked when it was requested. */
const ConversationsChange = Type.Object({
  asker: Type.Object({ userId: TextOrNull, apiKeyId: TextOrNull }),
  ids: Type.Array(Type.String()),
  /** Omitted fields stay as they are; tags by ID. */
  set: Type.Object({
    state: Type.Optional(words('open', 'pending', 'closed')),
    assigned_to: Type.Optional(TextOrNull),
    snoozed_until: Type.Optional(Type.String()),
    priority: Type.Optional(words('low', 'normal', 'high', 'urgent')),
    tags_add: Type.Optional(Type.Array(Type.String())),
    tags_remove: Type.Optional(Type.Array(Type.String())),
    read: Type.Optional(Type.Boolean()),
  }),
  /** How far an interrupted run came. */
  progress: Type.Optional(
    Type.Object({
      done: Type.Integer(),
      failed: Type.Integer(),
      /** The first errors. */
      errors: Type.Array(Type.String()),
      /** Whether the requester was notified. */
      isOver: Type.Boolean(),
    }),
  ),
})
export type ConversationsChange = Static<typeof ConversationsChange>

/** Makes one change to many conversations. */
export const ChangeConversations = job('conversation.bulk', ConversationsChange, {
  queue: 'default',
})
