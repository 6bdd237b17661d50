import { Type, type Static } from '@sinclair/typebox'

import { freeObject } from '../../../lib/fields'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const Text = Type.String()
const textOrNull = Type.Union([Text, Type.Null()])
const timeOrNull = Type.Union([Time, Type.Null()])

/** Tables that can be imported. */
export const IMPORT_TABLES = ['contacts', 'tags'] as const
export type ImportTable = (typeof IMPORT_TABLES)[number]

/** Maximum file size, bytes, and maximum number of rows below the header (messages contract 3). */
export const MAX_BYTES = 50 * 1_024 * 1_024
export const MAX_ROWS = 200_000

/** A column of an import file. */
export const ColumnView = Type.Object(
  {
    key: Type.String({ examples: ['phone_number'] }),
    label: Type.String({ examples: ['Phone number'] }),
    required: Type.Boolean({
      description: 'For contacts: `phone_number`, unless the file has `user_id`.',
    }),
    type: Type.String({
      enum: [
        'phone',
        'text',
        'email',
        'url',
        'number',
        'boolean',
        'date',
        'select',
        'language',
        'list',
        'member',
        'color',
      ],
      examples: ['phone'],
    }),
    aliases: Type.Array(Text, {
      description:
        'Other headings recognized for this column. Case, accents, spaces and punctuation are ' +
        'ignored.',
    }),
  },
  { title: 'ImportColumn' },
)
export type ColumnView = Static<typeof ColumnView>

/** Columns and limits of an import file. */
export const ImportConfig = Type.Object(
  {
    columns: Type.Array(ColumnView),
    max_rows: Type.Integer({ examples: [MAX_ROWS] }),
    max_bytes: Type.Integer({ examples: [MAX_BYTES] }),
  },
  { title: 'ImportConfig' },
)
export type ImportConfig = Static<typeof ImportConfig>

const Flag = (description: string) =>
  Type.Optional(
    Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false')], { description }),
  )

/** Form fields of an import beside its file. */
export const IMPORT_FIELDS = {
  table: Type.Union(
    IMPORT_TABLES.map((table) => Type.Literal(table)),
    { description: 'Type of the rows.' },
  ),
  column_mapping: Type.Optional(
    Type.String({
      maxLength: 65_536,
      description:
        'JSON object that maps column headings to column keys, or to `null` to skip a column. ' +
        'Other headings are recognized by key, label and alias.',
      examples: ['{"Telephone":"phone_number"}'],
    }),
  ),
  dry_run: Flag(
    'If `true`, nothing is imported; the report shows what would happen. Defaults to ' +
      '`true`. See `POST /api/imports/{id}/commit`.',
  ),
  draft: Flag(
    'If `true`, nothing happens yet: `PUT /api/imports/{id}` says what its columns are, and ' +
      '`POST /api/imports/{id}/check` starts the dry run. Defaults to `false`.',
  ),
  update_on_duplicate: Flag(
    'If `true`, existing contacts and tags are updated instead of skipped; empty cells ' +
      'change nothing. Defaults to `false`.',
  ),
  default_country: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z]{2}$',
      description:
        'ISO 3166-1 alpha-2 code of the country for phone numbers without a country code. ' +
        "Defaults to the organization's country.",
    }),
  ),
  tag_ids: Type.Optional(
    Type.String({
      maxLength: 4_096,
      description:
        'Tags for every created or updated contact: a JSON list of IDs, or comma-separated IDs.',
    }),
  ),
}

/** What can be changed of an import that has not begun, or whose check is over. */
export const ImportChange = Type.Object(
  {
    column_mapping: Type.Optional(
      freeObject({
        description: 'Maps headings to column keys, or to `null` to leave a column out.',
      }),
    ),
    update_on_duplicate: Type.Optional(Type.Boolean()),
    default_country: Type.Optional(
      Type.Union([Type.String({ pattern: '^[A-Za-z]{2}$', examples: ['DE'] }), Type.Null()], {
        description: '`null`: the country of the organization.',
      }),
    ),
    tag_ids: Type.Optional(Type.Array(Uuid, { maxItems: 50 })),
  },
  {
    title: 'ImportChange',
    minProperties: 1,
    examples: [{ update_on_duplicate: true, default_country: 'DE' }],
  },
)
export type ImportChange = Static<typeof ImportChange>

/** The fields of a new import without its file. */
export const ImportFields = Type.Object(IMPORT_FIELDS)
export type ImportFields = Static<typeof ImportFields>

/** States of an import. */
const IMPORT_STATUSES = [
  'draft',
  'queued',
  'running',
  'completed',
  'failed',
  'cancelled',
  'undone',
] as const

/** An import as the API shows it. */
export const ImportView = Type.Object(
  {
    id: Uuid,
    table: Type.String({
      enum: [...IMPORT_TABLES, 'recipients'],
      description: '`recipients` for campaign recipients.',
    }),
    status: Type.String({
      enum: [...IMPORT_STATUSES],
      description:
        '`draft` while its columns are chosen; `running` also while the import is being undone.',
    }),
    dry_run: Type.Boolean(),
    filename: Type.String({ examples: ['customers.csv'] }),
    columns: Type.Array(Type.Object({ header: Text, key: textOrNull }), {
      description:
        'Column headings of the file and the columns they map to. `null` for skipped columns.',
    }),
    update_on_duplicate: Type.Boolean(),
    default_country: Type.Union([Type.String({ examples: ['DE'] }), Type.Null()]),
    tag_ids: Type.Array(Uuid),
    rows_total: Type.Integer(),
    rows_done: Type.Integer(),
    created: Type.Integer(),
    updated: Type.Integer(),
    skipped: Type.Integer(),
    failed: Type.Integer(),
    error: Type.Union([Type.Object({ code: Text, message: Text }), Type.Null()], {
      description: 'Why the export failed.',
    }),
    created_by: Type.Union([Uuid, Type.Null()]),
    started_at: timeOrNull,
    finished_at: timeOrNull,
    created_at: Time,
  },
  { title: 'Import' },
)
export type ImportView = Static<typeof ImportView>

/** Results of a row. */
export const OUTCOMES = ['created', 'updated', 'skipped', 'failed'] as const
export type RowOutcome = (typeof OUTCOMES)[number]

const RowProblem = Type.Object({
  column: Type.Union([Text, Type.Null()], { description: '`null` if it concerns the whole row.' }),
  message: Text,
  value: textOrNull,
})
export type RowProblem = Static<typeof RowProblem>

/** A row of an import report. */
export const ImportRowView = Type.Object(
  {
    row: Type.Integer({ description: '1 is the first row below the header.' }),
    outcome: Type.String({ enum: [...OUTCOMES] }),
    contact_id: Type.Union([Uuid, Type.Null()], { description: 'For tags, the ID of the tag.' }),
    errors: Type.Array(RowProblem, {
      description: 'Why the row was skipped or failed, or was not undone.',
    }),
  },
  { title: 'ImportRow' },
)
export type ImportRowView = Static<typeof ImportRowView>

/** The columns of a file, before it is imported. */
export const FilePreview = Type.Object(
  {
    columns: Type.Array(
      Type.Object({
        header: Text,
        key: Type.Union([Text, Type.Null()], {
          description: 'Column that is recognized by the heading, or `null`.',
        }),
        examples: Type.Array(Text, { description: 'Up to five different values.' }),
      }),
    ),
  },
  { title: 'ImportPreview' },
)
export type FilePreview = Static<typeof FilePreview>

/** The first rows of an import as they are read. */
export const ImportSample = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        row: Type.Integer({ description: '1 is the first row below the header.' }),
        values: Type.Array(Type.Object({ key: Text, value: Text })),
        outcome: Type.Union([Type.String({ enum: [...OUTCOMES] }), Type.Null()], {
          description: '`null` until the row is processed.',
        }),
        errors: Type.Array(RowProblem),
      }),
    ),
  },
  { title: 'ImportSample' },
)
export type ImportSample = Static<typeof ImportSample>
