import { Type, type Static } from '@sinclair/typebox'

/** Everything that the audit log records. */
export const AUDIT_ACTIONS = [
  'archived',
  'assigned',
  'blocked',
  'bulk_add_tags',
  'bulk_assign',
  'bulk_block',
  'bulk_change',
  'bulk_delete',
  'bulk_opt_in',
  'bulk_opt_out',
  'bulk_remove_tags',
  'bulk_set_attribute',
  'bulk_unblock',
  'cancelled',
  'claimed',
  'completed',
  'confirmed',
  'created',
  'deleted',
  'deprecated',
  'discarded',
  'downloaded',
  'duplicated',
  'erased',
  'executed',
  'exported',
  'flow_key_renewed',
  'import_undone',
  'imported',
  'invitation_accepted',
  'invitation_revoked',
  'invited',
  'key_taken_over',
  'member_added',
  'member_removed',
  'merge_undone',
  'merged',
  'move_aborted',
  'move_forced',
  'move_started',
  'opted_in',
  'opted_out',
  'outbox_cancelled',
  'password_changed',
  'password_reset',
  'paused',
  'profile_updated',
  'published',
  'registered',
  'released',
  'replayed',
  'resent',
  'restored',
  'resumed',
  'retried',
  'role_changed',
  'saved_to_platform',
  'scheduled',
  'sending_paused',
  'sending_resumed',
  'session_ended',
  'sign_in_failed',
  'signed_in',
  'signed_out',
  'snoozed',
  'started',
  'subscribed',
  'suspended',
  'switched_organization',
  'synced',
  'tested',
  'thread_passed',
  'thread_released',
  'thread_taken',
  'token_reused',
  'told_apart',
  'told_apart_undone',
  'two_factor_disabled',
  'two_factor_enabled',
  'unblocked',
  'unsubscribed',
  'updated',
  'verified',
  'verify_token_read',
] as const

export type AuditAction = (typeof AUDIT_ACTIONS)[number]

const Uuid = Type.String({ format: 'uuid' })
const orNull = <S extends ReturnType<typeof Type.String>>(schema: S) =>
  Type.Union([schema, Type.Null()])

/** An entry of the audit log. */
export const AuditEntry = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    actor_type: Type.Union([Type.Literal('user'), Type.Literal('api_key'), Type.Literal('system')]),
    user_id: orNull(Uuid),
    user_name: orNull(Type.String({ description: 'Name of the user at that time.' })),
    api_key_id: orNull(Uuid),
    action: Type.String({
      enum: [...AUDIT_ACTIONS],
      description: 'The recorded action. Later versions can add actions.',
    }),
    resource_type: Type.String(),
    resource_id: orNull(Type.String()),
    resource_name: orNull(Type.String({ description: 'Name of the resource at that time.' })),
    changes: Type.Array(
      Type.Object({ field: Type.String(), old_value: Type.Unknown(), new_value: Type.Unknown() }),
      {
        description:
          'Changed fields with old and new values. Secrets are `***`; phone numbers are masked ' +
          'like everywhere else.',
      },
    ),
    ip_address: orNull(Type.String()),
    user_agent: orNull(Type.String()),
    request_id: orNull(Type.String()),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'AuditEntry' },
)
export type AuditEntry = Static<typeof AuditEntry>

const Count = Type.Integer({ description: 'Entries with this value.' })
const Named = Type.Array(
  Type.Object({
    id: Uuid,
    name: orNull(Type.String({ description: '`null` if it is not known any more.' })),
    count: Count,
  }),
)

/** How many entries each value has by which the log can be filtered. */
export const AuditFacets = Type.Object(
  {
    users: Named,
    api_keys: Named,
    actions: Type.Array(Type.Object({ action: Type.String(), count: Count })),
    resource_types: Type.Array(Type.Object({ resource_type: Type.String(), count: Count })),
  },
  { title: 'AuditFacets' },
)
export type AuditFacets = Static<typeof AuditFacets>
