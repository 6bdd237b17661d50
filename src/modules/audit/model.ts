import { Type, type Static } from '@sinclair/typebox'

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
    user_name: orNull(Type.String({ description: 'Value at that time.' })),
    api_key_id: orNull(Uuid),
    action: Type.String({
      description: '`created`, `updated`, `deleted`, or the name of another action.',
    }),
    resource_type: Type.String(),
    resource_id: orNull(Type.String()),
    resource_name: orNull(Type.String({ description: 'Value at that time.' })),
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
