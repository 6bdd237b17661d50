import { Type, type Static } from '@sinclair/typebox'

import { oneOf } from '../../../lib/fields'
import { IMPORT_STATES } from './table'

const CONFLICT_KINDS = [
  'organization_exists',
  'slug_taken',
  'number_in_use',
  'email_exists',
  'counts_differ',
  'value_changed',
  'left_out',
] as const

/** What exactly was found, one for each sentence. */
const CONFLICT_REASONS = [
  'exists',
  'erasing',
  'slug',
  'id_taken',
  'connected',
  'joins',
  'confirms',
  'count',
  'budget',
  'budget_silent',
  'table',
  'columns',
] as const

/** Something that stands in the way of an import, or that will be different here. */
export const Conflict = Type.Object({
  kind: oneOf(CONFLICT_KINDS, {
    description:
      '`organization_exists` and `number_in_use` prevent the import. With `slug_taken`, the ' +
      'organization gets another slug. With `email_exists`, the account of that person joins if it ' +
      'has the same password; otherwise the person must confirm. `counts_differ`: a count that was ' +
      'built again during the import is another than in the archive. `value_changed`: a value that an ' +
      'earlier version allowed is stored as this one allows it. `left_out`: the archive was written by ' +
      'an earlier version, and has a table or column that this one does not have.',
  }),
  reason: oneOf(CONFLICT_REASONS, { description: 'What `message` says, for other languages.' }),
  message: Type.String(),
  values: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Integer()]), {
      description: 'The names and numbers in `message`.',
    }),
  ),
  file: Type.Optional(Type.String({ description: 'Entry of the archive.' })),
  line: Type.Optional(Type.Integer({ description: 'Line in the entry, from 1.' })),
})
export type Conflict = Static<typeof Conflict>

const Nullable = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Object>>(
  schema: T,
) => Type.Union([schema, Type.Null()])

const Time = Type.String({ format: 'date-time' })

/** Import of an organization, as the API shows it. */
export const OrganizationImportView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    state: oneOf(IMPORT_STATES, {
      description:
        '`checking`: the archive is being read. `checked`: a dry run that can be committed. ' +
        '`running`: rows are being stored; every request to the organization is answered with 503 ' +
        '`organization_moving`. `waiting`: the organization moves here from another server, which ' +
        'decides when it works here. `failed`, `cancelled`: everything was undone.',
    }),
    dry_run: Type.Boolean(),
    filename: Nullable(Type.String()),
    organization: Type.Union([
      Type.Object({ id: Type.String(), name: Type.String(), slug: Type.String() }),
      Type.Null(),
    ]),
    counts: Type.Record(Type.String(), Type.Integer(), { description: 'Rows by table.' }),
    conflicts: Type.Array(Conflict),
    rows_total: Type.Integer(),
    rows_done: Type.Integer(),
    error: Type.Union([
      Type.Object({
        code: Type.String(),
        message: Type.String(),
        file: Type.Optional(Type.String()),
        line: Type.Optional(Type.Integer()),
        field: Type.Optional(Type.String({ description: 'The column of the row.' })),
      }),
      Type.Null(),
    ]),
    created_at: Time,
    started_at: Nullable(Time),
    finished_at: Nullable(Time),
  },
  { title: 'OrganizationImport' },
)
export type OrganizationImportView = Static<typeof OrganizationImportView>
