import { Type, type Static } from '@sinclair/typebox'

import { freeObject } from '../../../lib/fields'
import { TAG_COLORS } from '../tags/table'
import { plainAnswers, plainBodies } from './plain-fields'
import { CONSENT_STATES, CONTACT_SOURCES } from './table'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const Text = Type.String()
const uuidOrNull = Type.Union([Uuid, Type.Null()])
const timeOrNull = Type.Union([Time, Type.Null()])
const textOrNull = Type.Union([Text, Type.Null()])

/** A tag of a contact. */
const TagView = Type.Object({ id: Uuid, name: Text, color: Type.String({ enum: [...TAG_COLORS] }) })

const contactFields = {
  id: Uuid,
  ...plainAnswers,
  profile_name: Type.Union([Text, Type.Null()], {
    description: "Name from the customer's profile.",
  }),
  display_name: Type.Union([Text, Type.Null()], {
    description: 'First available of `name`, `profile_name`, username and phone number.',
  }),
  phone_number: Type.Union([Text, Type.Null()], {
    description:
      'Phone number as E.164 digits. Masked except for the last four digits if the caller ' +
      'may not see it. `null` while WhatsApp does not tell it, also after a change of number.',
  }),
  wa_id: textOrNull,
  user_id: Type.Union([Text, Type.Null()], {
    description: 'Business-scoped user ID of the platform.',
  }),
  parent_user_id: textOrNull,
  username: textOrNull,
  country: textOrNull,
  avatar_url: textOrNull,
  account_id: Type.Union([Uuid, Type.Null()], {
    description: 'Account last used with this contact.',
  }),
  assigned_to: uuidOrNull,
  assigned_user: Type.Union([Type.Object({ id: Uuid, full_name: Text }), Type.Null()]),
  assigned_team_id: uuidOrNull,
  tags: Type.Array(TagView),
  metadata: Type.Record(Text, Type.Unknown()),
  attributes: Type.Record(Text, Type.Unknown()),
  marketing_consent: Type.String({ enum: [...CONSENT_STATES] }),
  blocked: Type.Boolean(),
  blocked_at: timeOrNull,
  source: Type.String({ enum: [...CONTACT_SOURCES] }),
  first_seen_at: Time,
  last_message_at: timeOrNull,
  last_message_preview: textOrNull,
  last_inbound_at: timeOrNull,
  window_expires_at: Type.Union([Time, Type.Null()], {
    description:
      'End of the 24-hour customer service window. Afterwards only templates can be sent.',
  }),
  unread_count: Type.Integer(),
  created_at: Time,
  updated_at: Time,
}

/** A contact in API responses. */
export const ContactView = Type.Object(contactFields, { title: 'Contact' })
export type ContactView = Static<typeof ContactView>

/** The response of blocking and unblocking a contact. */
export const BlockedContact = Type.Object(
  {
    ...contactFields,
    platform_blocked: Type.Boolean({
      description:
        'Whether the platform blocks the contact too. Requested in the background; possible ' +
        "for 24 hours after the contact's last message.",
    }),
  },
  { title: 'BlockedContact' },
)
export type BlockedContact = Static<typeof BlockedContact>

/** A contact with its phone numbers and platform IDs. */
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
    platform_blocked: Type.Boolean({
      description: 'Whether the platform blocks the contact too.',
    }),
  },
  { title: 'ContactDetails' },
)
export type ContactDetails = Static<typeof ContactDetails>

/** Assignee of a contact. */
export const AssignmentView = Type.Object(
  { id: Uuid, assigned_to: uuidOrNull, assigned_team_id: uuidOrNull, updated_at: Time },
  { title: 'AssignmentView' },
)
export type AssignmentView = Static<typeof AssignmentView>

/** Maximum number of tags of a contact. */
export const MAX_TAGS = 50

/** Size limits of a contact's metadata (messages contract 3, rule 12). */
export const METADATA_LIMITS = { bytes: 16 * 1024, levels: 5 }

const TagNames = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  maxItems: MAX_TAGS,
  description: 'Tag names. Unknown names create a tag if the caller may create tags.',
})
const TagIds = Type.Array(Uuid, { maxItems: MAX_TAGS, description: 'Tag IDs.' })
const { name: nameBody, ...otherPlainBodies } = plainBodies
const Metadata = freeObject({ description: 'Custom metadata, up to 16 KiB and five levels deep.' })
const Attributes = freeObject({ description: 'Custom field values by key.' })

/** Body of a new contact, identified by a phone number or the platform's user ID. */
export const NewContact = Type.Object(
  {
    phone_number: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Phone number in any format. Required without `user_id`.',
      }),
    ),
    user_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 140,
        description: 'User ID of the platform. Required without `phone_number`.',
      }),
    ),
    name: nameBody,
    account_id: Type.Optional(
      Type.Union([Uuid, Type.Null()], {
        description: 'Defaults to the default account for incoming messages.',
      }),
    ),
    tags: Type.Optional(TagNames),
    tag_ids: Type.Optional(TagIds),
    metadata: Type.Optional(Metadata),
    attributes: Type.Optional(Attributes),
    assigned_to: Type.Optional(
      Type.Union([Uuid, Type.Null()], { description: 'User ID of an active member.' }),
    ),
    ...otherPlainBodies,
    marketing_consent: Type.Optional(
      Type.Union([Type.Literal('unknown'), Type.Literal('opted_in'), Type.Literal('opted_out')]),
    ),
  },
  {
    title: 'ContactInput',
    examples: [{ phone_number: '+1 555 010 0001', name: 'Ana Sol', tags: ['VIP'] }],
  },
)
export type NewContact = Static<typeof NewContact>

/** Changes to a contact. Omitted fields stay unchanged. */
export const ContactChanges = Type.Object(
  {
    name: nameBody,
    phone_number: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 64 }), Type.Null()], {
        description: 'The previous number still finds the contact for 30 days.',
      }),
    ),
    account_id: Type.Optional(uuidOrNull),
    metadata: Type.Optional(
      Type.Union([Metadata, Type.Null()], { description: 'Replaces the stored object.' }),
    ),
    metadata_patch: Type.Optional(
      freeObject({ description: 'Merged into `metadata`. `null` removes a key.' }),
    ),
    attributes: Type.Optional(
      freeObject({
        description:
          'Custom field values by key, merged with the stored ones. `null` removes a value.',
      }),
    ),
    ...otherPlainBodies,
    tags: Type.Optional(TagNames),
    tag_ids: Type.Optional(TagIds),
  },
  {
    title: 'ContactChanges',
    minProperties: 1,
    examples: [{ name: 'Ana Sol', metadata_patch: { plan: 'gold' } }],
  },
)
export type ContactChanges = Static<typeof ContactChanges>

/** All tags of a contact, or single ones more or less. */
export const NewTags = Type.Object(
  {
    tags: Type.Optional(TagNames),
    tag_ids: Type.Optional(TagIds),
    add_tag_ids: Type.Optional(
      Type.Array(Uuid, {
        maxItems: MAX_TAGS,
        description: 'IDs of tags that the contact gets beside those it has.',
      }),
    ),
    remove_tag_ids: Type.Optional(
      Type.Array(Uuid, {
        maxItems: MAX_TAGS,
        description: 'IDs of tags that are taken from the contact. Others are ignored.',
      }),
    ),
  },
  { title: 'TagsInput', minProperties: 1, examples: [{ tags: ['VIP', 'Newsletter'] }] },
)
export type NewTags = Static<typeof NewTags>

export const TagsOfContact = Type.Object(
  { id: Uuid, tags: Type.Array(TagView) },
  { title: 'TagsOfContact' },
)
export type TagsOfContact = Static<typeof TagsOfContact>
