import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../../infra/outbox/events'
import { WorkView } from './work/model'

/** A person received a notification in an organization. */
export const NotificationCreated = defineEvent(
  'notification.created',
  Type.Object({ notificationId: Type.String(), userId: Type.String() }),
)

/** Work that a person asked for went on, at most once a second, or ended. */
export const WorkProgressed = defineEvent(
  'work.progressed',
  Type.Object({ userId: Type.String(), work: WorkView }),
)
