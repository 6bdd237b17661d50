import type { LoggedEvent } from '../../../infra/outbox/events'
import { viewersOf } from '../../inbox/contacts/sight/visibility'
import type { FrameKind, FrameScope } from './frames/kind'

/** Returns the users who see the contact of an event through an assignment. */
export const contactViewersOf = (
  scope: FrameScope,
  kind: FrameKind,
  event: LoggedEvent,
): string[] =>
  kind.seenBy?.(event) ?? (event.contactId === null ? [] : viewersOf(scope, event.contactId))
