import { Type, type Static } from '@sinclair/typebox'

import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import type { privacyRequests } from './table'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const reason = Type.Optional(
  Type.String({
    maxLength: 500,
    description:
      'Reason for the request. Erased together with the contact: completed erasure requests ' +
      'have none.',
  }),
)

/** Places that can hold personal data. An erasure receipt counts the erased items by place. */
export const ERASED_PLACES = [
  'messages',
  'files',
  'reactions',
  'notes',
  'calls',
  'orders',
  'ai_usage',
  'ai_questions',
  'transfers',
  'scheduled_messages',
  'timeline',
  'bot_sessions',
  'bot_trace',
  'conversations',
  'thread_facts',
  'identities',
  'consents',
  'excluded_numbers',
  'events',
  'webhook_payloads',
  'deliveries',
  'import_rows',
  'import_files',
  'campaign_recipients',
  'idempotency_answers',
  'views',
  'export_searches',
  'segments',
  'privacy_archives',
  'exports',
  'organization_archives',
  'reasons',
] as const

/**
 * Confirms the erasure of a person by repeating the contact ID, which prevents accidental erasures.
 */
export const EraseRequest = Type.Object(
  { confirm: Type.String({ description: 'ID of the contact.' }), reason },
  { title: 'EraseRequest', examples: [{ confirm: '019a52b0-1c00-7000-8000-000000000001' }] },
)
export type EraseRequest = Static<typeof EraseRequest>

/** Requests an export of a person's data. */
export const PrivacyExportRequest = Type.Object(
  { reason },
  { title: 'PrivacyExportRequest', examples: [{ reason: 'Requested by email on March 3' }] },
)

/** A privacy request and its receipt. */
export const PrivacyRequestView = Type.Object(
  {
    id: Uuid,
    kind: Type.String({ enum: ['erase', 'export'] }),
    state: Type.String({ enum: ['running', 'completed', 'failed', 'expired'] }),
    contact_id: Uuid,
    reason: Type.Union([Type.String(), Type.Null()]),
    requested_by: Type.Union([Uuid, Type.Null()], {
      description: 'ID of the user. `null` for the server itself and for API keys.',
    }),
    created_at: Time,
    receipt: Type.Union(
      [
        Type.Object({
          counts: Type.Record(Type.String(), Type.Integer(), {
            description: `Number of items exported, or erased from each place: ${ERASED_PLACES.join(', ')}.`,
          }),
          sha256: Type.Union([Type.String(), Type.Null()], {
            description: 'Checksum of the receipt, or of the file.',
          }),
          completed_at: Time,
          note: Type.Union([Type.String(), Type.Null()]),
        }),
        Type.Null(),
      ],
      { description: 'When the request was completed.' },
    ),
    expires_at: Type.Union([Time, Type.Null()], {
      description: 'The file can be downloaded until then.',
    }),
    error: Type.Union([Type.String(), Type.Null()]),
  },
  { title: 'PrivacyRequest' },
)
export type PrivacyRequestView = Static<typeof PrivacyRequestView>

/** A privacy request as stored. */
export type PrivacyRow = typeof privacyRequests.$inferSelect

const OF_BACKUPS = 'Older backups still contain the data until they are deleted.'

/** Returns a privacy request as the API shows it. */
export const privacyRequestView = (row: PrivacyRow): PrivacyRequestView => ({
  id: row.id,
  kind: row.kind,
  state: row.state,
  contact_id: row.contactId,
  reason: row.reason,
  requested_by: row.requestedBy,
  created_at: isoTime(row.createdAtMs),
  receipt:
    row.completedAtMs === null || row.state === 'failed'
      ? null
      : {
          counts: JSON.parse(row.counts) as Record<string, number>,
          sha256: row.sha256,
          completed_at: isoTime(row.completedAtMs),
          note: row.kind === 'erase' ? OF_BACKUPS : null,
        },
  expires_at: isoTimeOrNull(row.expiresAtMs),
  error: row.error,
})
