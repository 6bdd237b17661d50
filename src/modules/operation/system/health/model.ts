import { Type, type Static } from '@sinclair/typebox'

import { oneOf } from '../../../../lib/fields'
import { SETTING_SOURCES } from '../../../../lib/setting'
import { FINDING_CODES } from '../model'

const Time = Type.String({ format: 'date-time' })
const integerOrNull = Type.Union([Type.Integer(), Type.Null()])
const textOrNull = Type.Union([Type.String(), Type.Null()])

const FindingView = Type.Object(
  {
    check: Type.String({ description: 'What was looked at.', examples: ['disk'] }),
    state: oneOf(['problem', 'note', 'ok'], {
      description: '`problem`: somebody has to mend it. `note`: good to know. `ok`: in order.',
    }),
    code: Type.Union([oneOf(FINDING_CODES), Type.Null()], {
      description: 'What was found. `null` if it is in order.',
    }),
    message: Type.String(),
    values: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
      description: 'The numbers and names in the message.',
    }),
  },
  { title: 'HealthFinding' },
)
export type FindingView = Static<typeof FindingView>

const SettingView = Type.Object(
  {
    name: Type.String(),
    value: Type.Union([Type.String(), Type.Integer(), Type.Null()], {
      description: 'For secrets, `set` or `unset`. `null` if nothing is set.',
    }),
    secret: Type.Boolean(),
    source: oneOf(SETTING_SOURCES, {
      description:
        'Where the value comes from: the variable, the file that `<name>_FILE` names, the file of ' +
        '`--env-file`, or nowhere.',
    }),
  },
  { title: 'HealthSetting' },
)

const CellView = Type.Object(
  {
    address: Type.String(),
    own: Type.Boolean({ description: 'Whether it is this server.' }),
    state: oneOf(['reachable', 'unreachable', 'unknown'], {
      description: '`unknown` unless `thorough` was asked for.',
    }),
    version: textOrNull,
  },
  { title: 'HealthCell' },
)
export type CellView = Static<typeof CellView>

/** How the installation is. */
export const HealthReport = Type.Object(
  {
    checked_at: Time,
    thorough: Type.Boolean(),
    findings: Type.Array(FindingView),
    settings: Type.Array(SettingView),
    cells: Type.Array(CellView, {
      description: 'The servers of `CELLS`; empty if this one is alone.',
    }),
    version: Type.String(),
    started_at: Time,
    memory_bytes: Type.Integer(),
    disk_free_bytes: integerOrNull,
    disk_bytes: integerOrNull,
    database_bytes: Type.Integer(),
    backup: Type.Object({
      folder: Type.Union([Type.String({ examples: ['/var/backups/switchboard'] }), Type.Null()]),
      elsewhere: Type.Boolean({
        description: 'Whether the folder of backups is on another disk than the data.',
      }),
      interval_hours: Type.Integer(),
      keep: Type.Integer(),
      newest_at: Type.Union([Time, Type.Null()]),
    }),
  },
  { title: 'InstallationHealth' },
)
export type HealthReport = Static<typeof HealthReport>

const figures = {
  messages_in: Type.Integer(),
  messages_out: Type.Integer(),
  messages_failed: Type.Integer(),
  jobs_waiting: Type.Integer({ description: 'Jobs that are due, counted up to 10,000.' }),
  jobs_failed: Type.Integer({ description: 'Counted up to 1,000.' }),
  webhook_lag_seconds: Type.Number({ description: 'Age of the oldest unprocessed webhook.' }),
  loop_wait_seconds: Type.Number({ description: 'How long other work waited at most.' }),
  memory_bytes: Type.Integer(),
}

/** What is noted every five minutes. Messages are counted since the start of the process. */
export const Noted = Type.Object(figures)
export type Noted = Static<typeof Noted>

/** The figures of the last day. */
export const FigureList = Type.Object(
  {
    items: Type.Array(
      Type.Object({ at: Time, ...figures }, { description: 'Messages since the figures before.' }),
    ),
  },
  { title: 'InstallationFigures' },
)
export type FigureList = Static<typeof FigureList>
