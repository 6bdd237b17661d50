import { Type, type Static } from '@sinclair/typebox'

import { isoTime, isoTimeOrNull } from '../../lib/clock'
import type { privacyRequests } from './table'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const reason = Type.Optional(
  Type.String({
    maxLength: 500,
    description:
      'Why. It is erased with the person: a request that erased somebody shows none once it is completed.',
  }),
)

/**
 * Where something of a person may be kept. The receipt of an erasure says of each place how much
 * was erased there.
 */
export const ERASED_PLACES = [
  'messages',
  'files',
  'reactions',
  'notes',
  'conversations',
  'identities',
  'consents',
  'events',
  'deliveries',
  'import_rows',
  'import_files',
  'campaign_recipients',
  'idempotency_answers',
  'privacy_archives',
  'exports',
  'reasons',
] as const

/** That somebody is to be erased: the id once more, so that nobody does it by a slip. */
export const EraseRequest = Type.Object(
  { confirm: Type.String({ description: 'The id of the contact.' }), reason },
  { title: 'EraseRequest', examples: [{ confirm: '019a52b0-1c00-7000-8000-000000000001' }] },
)
export type EraseRequest = Static<typeof EraseRequest>

/** That somebody is to get what is kept about it. */
export const PrivacyExportRequest = Type.Object(
  { reason },
  { title: 'PrivacyExportRequest', examples: [{ reason: 'Asked by mail on 3 March' }] },
)

/** What was asked for a person, and the receipt of it. */
export const PrivacyRequestView = Type.Object(
  {
    id: Uuid,
    kind: Type.String({ enum: ['erase', 'export'] }),
    state: Type.String({ enum: ['running', 'completed', 'failed', 'expired'] }),
    contact_id: Uuid,
    reason: Type.Union([Type.String(), Type.Null()]),
    requested_by: Type.Union([Uuid, Type.Null()], {
      description: 'Id of the user; null for the program itself and for keys.',
    }),
    created_at: Time,
    receipt: Type.Union(
      [
        Type.Object({
          counts: Type.Record(Type.String(), Type.Integer(), {
            description: `How many of what were written, or erased at each place: ${ERASED_PLACES.join(', ')}.`,
          }),
          sha256: Type.Union([Type.String(), Type.Null()], {
            description: 'Of these facts, or of the file.',
          }),
          completed_at: Time,
          note: Type.Union([Type.String(), Type.Null()]),
        }),
        Type.Null(),
      ],
      { description: 'Once it is completed.' },
    ),
    expires_at: Type.Union([Time, Type.Null()], {
      description: 'Until when the file can be downloaded.',
    }),
    error: Type.Union([Type.String(), Type.Null()]),
  },
  { title: 'PrivacyRequest' },
)
export type PrivacyRequestView = Static<typeof PrivacyRequestView>

/** A request as the table holds it. */
export type PrivacyRow = typeof privacyRequests.$inferSelect

const OF_BACKUPS = 'Backups made before still hold it; they go when they are no longer kept.'

/** A request as the API answers it. */
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
