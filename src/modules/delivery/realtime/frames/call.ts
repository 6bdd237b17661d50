import type { Static } from '@sinclair/typebox'

import { CallEnded, CallMissed, CallReceived, CallUpdated } from '../../../channel/calls/events'
import { findCalls } from '../../../channel/calls/find'
import { loadCallView } from '../../../channel/calls/queries'
import { contactSummary, liveContact } from './contact'
import { frame, type FrameEntry, type FrameScope, type Payload } from './kind'

function callUpdated(
  scope: FrameScope,
  { callId, changed }: Static<typeof CallUpdated.payload>,
  { isMasked }: { isMasked: boolean },
): Payload {
  const [row] = findCalls(scope, [callId])
  const contact = row && liveContact(scope, row.contactId)
  if (!contact) return null
  return {
    ...loadCallView(scope, row, isMasked),
    contact: contactSummary(contact, isMasked),
    changed,
  }
}

/** Frames about calls. */
export const callFrames: FrameEntry[] = [CallReceived, CallUpdated, CallEnded, CallMissed].map(
  (event) =>
    frame(event, {
      type: 'call:updated',
      resource: 'messages',
      audience: 'sight',
      render: callUpdated,
    }),
)
