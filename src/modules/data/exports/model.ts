import { Type, type Static } from '@sinclair/typebox'

import { freeObject } from '../../../lib/fields'
import { UUID_PATTERN } from '../../../lib/ids'
import { contactSelection } from '../../inbox/contacts/list/list-query'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const Text = Type.String()
const timeOrNull = Type.Union([Time, Type.Null()])

/** Tables that can be exported. */
export const EXPORT_TABLES = ['contacts', 'tags', 'messages'] as const
export type ExportTable = (typeof EXPORT_TABLES)[number]

/** Columns and filters of an export file. */
export const ExportConfig = Type.Object(
  {
    columns: Type.Array(
      Type.Object({
        key: Type.String({ examples: ['phone_number'] }),
        label: Type.String({ examples: ['Phone number'] }),
        required: Type.Boolean({
          description: 'Whether the column is included by default.',
        }),
        type: Type.String({
          enum: ['text', 'phone', 'number', 'boolean', 'time', 'list', 'json'],
          examples: ['phone'],
        }),
        aliases: Type.Array(Text),
      }),
    ),
    max_rows: Type.Union([Type.Integer(), Type.Null()], {
      description: '`null` = no limit.',
    }),
    max_bytes: Type.Union([Type.Integer(), Type.Null()]),
  },
  { title: 'ExportConfig' },
)
export type ExportConfig = Static<typeof ExportConfig>

/** Filters of exported rows, as in the lists. Each table accepts some of them. */
export const ExportFilters = Type.Object(
  {
    search: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'For `contacts` and `tags`.' }),
    ),
    account_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'For `contacts` and `messages`.' }),
    ),
    assigned_to: Type.Optional(
      Type.String({
        pattern: `^(me|none|${UUID_PATTERN})$`,
        description: 'For `contacts`: a user ID, `me` or `none`.',
      }),
    ),
    tags: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4_096,
        description: 'For `contacts`: comma-separated IDs or names.',
      }),
    ),
    tags_mode: Type.Optional(
      Type.Union([Type.Literal('any'), Type.Literal('all')], { description: 'contacts' }),
    ),
    consent: Type.Optional(
      Type.Union([Type.Literal('unknown'), Type.Literal('opted_in'), Type.Literal('opted_out')], {
        description: 'contacts',
      }),
    ),
    blocked: Type.Optional(Type.Boolean({ description: 'contacts' })),
    has_phone: Type.Optional(Type.Boolean({ description: 'contacts' })),
    created_from: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'For `contacts`: created at or after this time.',
      }),
    ),
    created_to: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'For `contacts`: created before this time.',
      }),
    ),
    contact_id: Type.Optional(Type.String({ format: 'uuid', description: 'messages' })),
    direction: Type.Optional(
      Type.Union([Type.Literal('incoming'), Type.Literal('outgoing')], { description: 'messages' }),
    ),
    type: Type.Optional(Type.String({ minLength: 1, maxLength: 50, description: 'messages' })),
    from: Type.Optional(
      Type.String({ format: 'date-time', description: 'For `messages`: at or after this time.' }),
    ),
    to: Type.Optional(
      Type.String({ format: 'date-time', description: 'For `messages`: before this time.' }),
    ),
  },
  { title: 'ExportFilters' },
)
export type ExportFilters = Static<typeof ExportFilters>

export const NewExport = Type.Object(
  {
    table: Type.Union(
      EXPORT_TABLES.map((table) => Type.Literal(table)),
      { description: '`messages` also requires `messages:read`, `tags` requires `tags:read`.' },
    ),
    columns: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        minItems: 1,
        maxItems: 200,
        uniqueItems: true,
        description: 'Column keys, in the order of the file. Defaults to the usual columns.',
      }),
    ),
    filters: Type.Optional(
      freeObject({
        title: 'ExportFilters',
        properties: ExportFilters.properties,
        description: 'Filters as in the lists. Each source supports some of them.',
      }),
    ),
    segment_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description:
          'For `contacts` and `messages`: ID of a segment whose contacts are exported. Cannot be ' +
          'combined with filters.',
      }),
    ),
    filter: contactSelection.filter,
    contact_ids: Type.Optional(
      Type.Array(Uuid, {
        minItems: 1,
        maxItems: 2000,
        description: 'For `contacts`: only these. `filter`: only those that match.',
      }),
    ),
    format: Type.Optional(
      Type.Union([Type.Literal('csv'), Type.Literal('jsonl')], {
        description: 'File format. Defaults to `csv`.',
      }),
    ),
  },
  {
    title: 'ExportInput',
    examples: [
      {
        table: 'contacts',
        columns: ['phone_number', 'name', 'tags'],
        filters: { consent: 'opted_in' },
        format: 'csv',
      },
    ],
  },
)
export type NewExport = Static<typeof NewExport>

/** An export as the API shows it. */
export const ExportView = Type.Object(
  {
    id: Uuid,
    table: Type.String({ enum: [...EXPORT_TABLES] }),
    format: Type.String({ enum: ['csv', 'jsonl'] }),
    status: Type.String({ enum: ['queued', 'running', 'completed', 'failed', 'expired'] }),
    rows: Type.Integer(),
    bytes: Type.Integer(),
    error: Type.Union([Type.Object({ code: Text, message: Text }), Type.Null()], {
      description:
        'Why the export failed. `permission_denied`: who asked for it may no longer read the ' +
        'table. `person_erased`: it searched for a person who was erased. `internal_error`: see ' +
        'the log of the server.',
    }),
    created_by: Type.Union([Uuid, Type.Null()]),
    created_at: Time,
    finished_at: timeOrNull,
    expires_at: Type.Union([Time, Type.Null()], {
      description: 'The file can be downloaded until then, for seven days.',
    }),
  },
  { title: 'Export' },
)
export type ExportView = Static<typeof ExportView>
