import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../../infra/outbox/events'

/** A person received a notification in an organization. */
export const NotificationCreated = defineEvent(
  'notification.created',
  Type.Object({ notificationId: Type.String(), userId: Type.String() }),
)
