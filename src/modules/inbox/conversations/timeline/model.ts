import { Type, type Static } from '@sinclair/typebox'

import { RECORDED_KINDS, TIMELINE_ACTORS } from './table'

/** Everything that a timeline shows. */
export const TIMELINE_KINDS = [
  ...RECORDED_KINDS,
  'transferred',
  'bot_started',
  'bot_ended',
  'merged',
  'campaign_sent',
] as const

const textOrNull = Type.Union([Type.String(), Type.Null()])

/** An entry of the timeline of a conversation. */
export const TimelineEntry = Type.Object(
  {
    id: Type.String({ description: 'Unique among the entries of the conversation.' }),
    at: Type.String({ format: 'date-time' }),
    actor: Type.Object({
      type: Type.String({
        enum: [...TIMELINE_ACTORS],
        description: '`system`: the server itself, for example when a snooze is over.',
      }),
      id: Type.Union([Type.String({ format: 'uuid' }), Type.Null()]),
      name: textOrNull,
    }),
    kind: Type.String({
      enum: [...TIMELINE_KINDS],
      description: 'Later versions can add kinds.',
    }),
    details: Type.Record(Type.String(), Type.Unknown(), {
      description:
        '`assigned`, `unassigned`: `user_id`, `user_name`, `team_id`, `team_name`, `from_user_id`, ' +
        '`from_team_id`. `snoozed`: `until`, `null` until the customer writes. `reopened`, `woken`: ' +
        '`state`. `priority`: `from`, `to`. `tag_added`, `tag_removed`: `tag_id`, `tag_name`. ' +
        '`transferred`: `transfer_id`, `source`, `user_id`, `user_name`, `team_id`, `team_name`. `bot_started`: ' +
        '`session_id`. `bot_ended`: `session_id`, `status`. `merged`: `contact_id`. ' +
        '`campaign_sent`: `campaign_id`, and with `campaigns:read` `campaign_name`.',
    }),
  },
  { title: 'TimelineEntry' },
)
export type TimelineEntry = Static<typeof TimelineEntry>

/** A page of a timeline. */
export const TimelinePage = Type.Object(
  {
    items: Type.Array(TimelineEntry),
    next_cursor: Type.Union([Type.String(), Type.Null()], {
      description: 'Cursor of the next page, or `null` on the last page.',
    }),
  },
  { title: 'Timeline' },
)
export type TimelinePage = Static<typeof TimelinePage>
