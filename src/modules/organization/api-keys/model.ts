import { Type, type ArrayOptions, type Static } from '@sinclair/typebox'

import { SHOWN_ONCE } from '../../../lib/shown-once'
import { nameText } from '../../../lib/fields'
import { PermissionKey } from '../roles/model'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const TimeOrNull = Type.Union([Time, Type.Null()])

const facts = {
  id: Uuid,
  name: Type.String(),
  key_prefix: Type.String({ description: 'First 8 characters after `swb_`.' }),
  permissions: Type.Array(PermissionKey, {
    description:
      "Permissions granted to the key. On each request they are limited to the owner's " +
      'current permissions.',
  }),
  is_active: Type.Boolean(),
  expires_at: TimeOrNull,
  last_used_at: TimeOrNull,
  last_used_ip: Type.Union([Type.String(), Type.Null()]),
  owner: Type.Object({ id: Uuid, full_name: Type.String() }),
  usable: Type.Boolean({
    description:
      'Whether the key works now: it is active, not expired, and its owner is an active ' +
      'member.',
  }),
  created_at: Time,
  updated_at: Time,
}

/** An API key in responses, without the key itself. */
export const ApiKeyView = Type.Object(facts, { title: 'ApiKey' })
export type ApiKeyView = Static<typeof ApiKeyView>

/** A new API key. No other response contains the key. */
export const NewApiKeyView = Type.Object(
  {
    ...facts,
    key: Type.String({ ...SHOWN_ONCE, description: 'The API key. Returned only once.' }),
    warnings: Type.Array(Type.String(), {
      description:
        'Data that the key cannot access, as sentences. For example, without `contacts:read_all` it ' +
        'cannot see most contacts.',
    }),
  },
  { title: 'CreatedApiKey' },
)
export type NewApiKeyView = Static<typeof NewApiKeyView>

const name = nameText(255)
const changeable = {
  expires_at: Type.Optional(
    Type.Union([Type.String({ format: 'date-time', maxLength: 40 }), Type.Null()], {
      description: 'Must be in the future. `null` = never.',
    }),
  ),
}

const permissions = (options: ArrayOptions = {}) =>
  Type.Array(PermissionKey, {
    maxItems: 500,
    description:
      '`api_keys:create` and `api_keys:update` are not allowed. Add `contacts:read_all` for programs that work with all contacts: with ' +
      '`contacts:read` alone, the key sees only contacts assigned to its owner, and with `contacts:read_unassigned` those that nobody has.',
    ...options,
  })

const NO_PERMISSIONS =
  'must name the permissions that the key needs, such as messages:create; ' +
  '`GET /api/permissions` describes each'

/** Body of a new key. It names what the key may do: a key never gets all of its owner's by silence. */
export const NewApiKey = Type.Object(
  {
    name,
    permissions: permissions({ minItems: 1, error: NO_PERMISSIONS, missing: NO_PERMISSIONS }),
    ...changeable,
  },
  {
    title: 'ApiKeyInput',
    examples: [
      {
        name: 'Shop',
        expires_at: null,
        permissions: ['contacts:read', 'contacts:read_all', 'messages:read', 'messages:create'],
      },
    ],
  },
)
export type NewApiKey = Static<typeof NewApiKey>

/** Changes to a key. Omitted fields stay unchanged. */
export const ApiKeyChanges = Type.Object(
  {
    name: Type.Optional(name),
    is_active: Type.Optional(Type.Boolean()),
    permissions: Type.Optional(permissions()),
    ...changeable,
  },
  { title: 'ApiKeyChanges', minProperties: 1, examples: [{ is_active: false }] },
)
export type ApiKeyChanges = Static<typeof ApiKeyChanges>
