import { Type, type Static } from '@sinclair/typebox'

import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import { oneOf } from '../../../lib/fields'
import { MOVE_REASONS, MOVE_STEPS, type MoveRow } from './table'

const Time = Type.String({ format: 'date-time' })
const TimeOrNull = Type.Union([Time, Type.Null()])

/** Where an organization is to move. */
export const NewMove = Type.Object(
  {
    to: Type.String({
      minLength: 1,
      maxLength: 300,
      description: 'Address of the other server, as in `CELLS`.',
    }),
  },
  { title: 'OrganizationMoveInput', examples: [{ to: 'https://b.example.com' }] },
)
export type NewMove = Static<typeof NewMove>

/** A move of an organization as the API shows it. */
export const MoveView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    organization_id: Type.String({ format: 'uuid' }),
    to: Type.String(),
    step: oneOf(MOVE_STEPS, {
      description:
        '`freezing`: it waits until both servers are free. `draining`: nothing can be changed any more; what is under way ends. ' +
        '`exporting`, `uploading`, `importing`: all rows and files are copied. `activating`: the ' +
        'other server takes over; from here on it cannot be aborted. `completed`: the organization ' +
        'works there. `aborting`, `aborted`: it works here, and the copy is discarded.',
    }),
    error: Type.Union([Type.String(), Type.Null()], {
      description: 'Why the last try of the step failed, or why the move was aborted.',
    }),
    error_code: Type.Union([oneOf(MOVE_REASONS), Type.Null()], {
      description:
        'The same as a code. `after_restore`, `archive_busy`, `import_running`: it waits, and goes on ' +
        'by itself. `by_person`, `cell_lost`: a person aborted it. `missing_there`, `older_there`, ' +
        '`not_confirmed`: found after it was completed. With any other, the step is tried again; if it ' +
        'cannot go on, the move is aborted.',
    }),
    archive_bytes: Type.Union([Type.Integer(), Type.Null()]),
    sent_bytes: Type.Integer(),
    rows_done: Type.Integer(),
    rows_total: Type.Integer(),
    created_at: Time,
    frozen_at: TimeOrNull,
    thawed_at: Type.Union([Time, Type.Null()], {
      description: 'When changes were possible again, here or there.',
    }),
    forced_at: Type.Union([Time, Type.Null()], {
      description:
        'When the operator aborted it and stated that the other server is lost for good. If that ' +
        'server comes back, its copy stops working.',
    }),
    finished_at: TimeOrNull,
  },
  { title: 'OrganizationMove' },
)
export type MoveView = Static<typeof MoveView>

/** Returns a move as the API shows it. */
export const moveView = (row: MoveRow): MoveView => ({
  id: row.id,
  organization_id: row.organizationId,
  to: row.target,
  step: row.step,
  error: row.error,
  error_code: row.error === null ? null : (row.errorCode ?? 'failed'),
  archive_bytes: row.archiveBytes,
  sent_bytes: row.sentBytes,
  rows_done: row.rowsDone,
  rows_total: row.rowsTotal,
  created_at: isoTime(row.createdAtMs),
  frozen_at: isoTimeOrNull(row.frozenAtMs),
  thawed_at: isoTimeOrNull(row.thawedAtMs),
  forced_at: isoTimeOrNull(row.forcedAtMs),
  finished_at: isoTimeOrNull(row.finishedAtMs),
})
