import { Type, type Static } from '@sinclair/typebox'

import { ListedContact } from '../../inbox/contacts/listed'
import { calls } from './table'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const uuidOrNull = Type.Union([Uuid, Type.Null()])
const timeOrNull = Type.Union([Time, Type.Null()])
const textOrNull = Type.Union([Type.String(), Type.Null()])

const Direction = Type.String({
  enum: calls.direction.enumValues,
  description: '`incoming` if the customer called.',
})
const State = Type.String({
  enum: calls.state.enumValues,
  description:
    '`missed` if nobody answered, on either side, and while the platform has not reported the end ' +
    'an hour after the call began. `failed` if an outgoing call could not be ' +
    'connected or an answered one broke off.',
})
const DurationSeconds = Type.Union([Type.Integer(), Type.Null()], {
  description: 'Length of the conversation. `null` until the call ends, and if nobody answered.',
})
const RecordingMediaId = Type.Union([Uuid, Type.Null()], {
  description: 'File ID of the recording, for `GET /api/media/{id}`.',
})

/** `content` of a call in a list of messages. */
export const CallContent = Type.Object(
  {
    direction: Direction,
    state: State,
    duration_seconds: DurationSeconds,
    recording_media_id: RecordingMediaId,
  },
  { title: 'CallContent' },
)
export type CallContent = Static<typeof CallContent>

/** A call as the API answers it. */
export const CallView = Type.Object(
  {
    id: Uuid,
    conversation_id: uuidOrNull,
    contact_id: Uuid,
    contact: ListedContact,
    account_id: Uuid,
    wa_call_id: Type.String({ description: 'The platform’s ID of the call.' }),
    direction: Direction,
    state: State,
    timestamp: Type.String({
      format: 'date-time',
      description: 'When the call began, according to the platform.',
    }),
    answered_at: timeOrNull,
    ended_at: timeOrNull,
    duration_seconds: DurationSeconds,
    recording_media_id: RecordingMediaId,
    transcript_media_id: Type.Union([Uuid, Type.Null()], {
      description: 'File ID of the transcript, a JSON document of the platform.',
    }),
    unread: Type.Boolean({ description: 'Whether it is a missed call that nobody has read.' }),
    error: Type.Union([
      Type.Object({ code: Type.Union([Type.Number(), Type.Null()]), message: textOrNull }),
      Type.Null(),
    ]),
    created_at: Time,
    updated_at: Time,
  },
  { title: 'Call' },
)
export type CallView = Static<typeof CallView>
