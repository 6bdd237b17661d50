import { Type, type Static } from '@sinclair/typebox'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const Text = Type.String()
const uuidOrNull = Type.Union([Uuid, Type.Null()])
const timeOrNull = Type.Union([Time, Type.Null()])
const textOrNull = Type.Union([Text, Type.Null()])

/** A label of a contact. */
const TagView = Type.Object({ id: Uuid, name: Text, color: Text })

const contactFields = {
  id: Uuid,
  name: Type.Union([Text, Type.Null()], { description: 'Given by people; the platform never overwrites it.' }),
  profile_name: Type.Union([Text, Type.Null()], { description: 'Given by the platform.' }),
  display_name: Type.Union([Text, Type.Null()], { description: 'The name, else the profile name, else the username, else the number.' }),
  phone_number: Type.Union([Text, Type.Null()], {
    description: 'E.164 digits; all but the last four are * for callers who may not see it.',
  }),
  wa_id: textOrNull,
  user_id: Type.Union([Text, Type.Null()], { description: "The platform's business-scoped user id." }),
  parent_user_id: textOrNull,
  username: textOrNull,
  country: textOrNull,
  language: textOrNull,
  avatar_url: textOrNull,
  account_id: Type.Union([Uuid, Type.Null()], { description: 'The account last used.' }),
  assigned_to: uuidOrNull,
  assigned_user: Type.Union([Type.Object({ id: Uuid, full_name: Text }), Type.Null()]),
  assigned_team_id: uuidOrNull,
  tags: Type.Array(TagView),
  metadata: Type.Record(Text, Type.Unknown()),
  attributes: Type.Record(Text, Type.Unknown()),
  marketing_consent: Type.String({ enum: ['unknown', 'opted_in', 'opted_out'] }),
  blocked: Type.Boolean(),
  blocked_at: timeOrNull,
  source: Type.String({ enum: ['inbound', 'manual', 'import', 'api', 'campaign', 'phone_app'] }),
  first_seen_at: Time,
  last_message_at: timeOrNull,
  last_message_preview: textOrNull,
  last_inbound_at: timeOrNull,
  window_expires_at: Type.Union([Time, Type.Null()], { description: 'Until then any message may be sent; later only templates.' }),
  unread_count: Type.Integer(),
  created_at: Time,
  updated_at: Time,
}

/** A contact as the API answers it. */
export const ContactView = Type.Object(contactFields, { title: 'Contact' })
export type ContactView = Static<typeof ContactView>

/** A contact with the numbers and ids by which the platform names it. */
export const ContactDetails = Type.Object(
  {
    ...contactFields,
    identities: Type.Array(
      Type.Object({
        kind: Type.String({ enum: ['phone', 'user_id', 'parent_user_id'] }),
        value: Text,
        account_id: uuidOrNull,
        first_seen_at: Time,
      }),
    ),
  },
  { title: 'ContactDetails' },
)
export type ContactDetails = Static<typeof ContactDetails>

/** Whom a contact is given to; `null` takes it from everybody. */
export const Assignment = Type.Object(
  { user_id: Type.Union([Uuid, Type.Null()], { description: 'User id of an active member.' }) },
  { title: 'Assignment', examples: [{ user_id: '019a52b0-1c00-7000-8000-000000000002' }] },
)

/** Where a contact is now. */
export const AssignmentView = Type.Object(
  { id: Uuid, assigned_to: uuidOrNull, assigned_team_id: uuidOrNull, updated_at: Time },
  { title: 'AssignmentView' },
)
export type AssignmentView = Static<typeof AssignmentView>
