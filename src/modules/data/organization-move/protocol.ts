import { createHmac } from 'node:crypto'
import { join } from 'node:path'

import { Type, type Static } from '@sinclair/typebox'

import { DAY_MS } from '../../../lib/clock'
import { oneOf } from '../../../lib/fields'
import type { Deps } from '../../../infra/ctx'
import { IMPORT_STATES } from '../organization-import/table'

/** The path at which a cell takes an organization from another cell. */
export const MOVES_PATH = '/api/cells/moves'

/** How long the copy of an organization that works in another cell is kept. */
export const KEPT_MS = 30 * DAY_MS

/** Most bytes of an archive in one request. */
export const PIECE_BYTES = 1_024 * 1_024

/**
 * What the cell of an organization asks the target for. All can be repeated.
 *
 * - `ask`: whether the organization works there. Changes nothing.
 * - `offer`: whether it would take the organization.
 * - `prepare`: whether it has `room` for the archive and what is in it, and how much of it is there. It
 *   takes no other organization until then.
 * - `store`: to store the body at `offset` of the archive.
 * - `import`: to import the archive of `bytes`, up to the last step.
 * - `activate`: to take the last step, if it still has the `bytes` of the archive.
 * - `discard`: to undo everything, unless the last step was taken, and to forget the deliveries that it
 *   kept for the numbers in the body (`KeptFor`) after it passed them back. With `forced` it stops working even
 *   then, because the operator of the cell that asks stated that this one is lost.
 */
const ACTIONS = ['ask', 'offer', 'prepare', 'store', 'import', 'activate', 'discard'] as const

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Uuid = Type.String({ format: 'uuid' })

/** The signed facts of a request. */
export const MoveFacts = Type.Object({
  /** Address of the cell that asks. */
  cell: Type.String({ minLength: 1, maxLength: 300 }),
  move: Uuid,
  organization: Uuid,
  action: Type.Union(ACTIONS.map((action) => Type.Literal(action))),
  offset: Type.Optional(Count),
  bytes: Type.Optional(Count),
  room: Type.Optional(Count),
  forced: Type.Optional(Type.Boolean()),
})
export type MoveFacts = Static<typeof MoveFacts>

/** Where an organization is, as the cell that was asked knows it. */
const PLACES = ['none', 'arriving', 'here', 'returned'] as const

/** The numbers of an organization, in the body of `discard`. */
export const KeptFor = Type.Object({
  phoneIds: Type.Array(Type.String()),
  businessIds: Type.Array(Type.String()),
})
export type KeptFor = Static<typeof KeptFor>

/** What the target answers: what it is, and how far the move is there. */
export const MoveAnswer = Type.Object(
  {
    version: Type.String(),
    schema: Type.String({ description: 'The newest migration of its database.' }),
    state: oneOf(['receiving', ...IMPORT_STATES] as const, {
      description: '`receiving` until the import begins; then the state of the import.',
    }),
    bytes: Type.Integer({ description: 'Bytes of the archive that it has.' }),
    rows_done: Type.Integer(),
    rows_total: Type.Integer(),
    counts: Type.Record(Type.String(), Type.Integer()),
    error: Type.Union([Type.String(), Type.Null()], { description: 'Why the import failed.' }),
    place: oneOf(PLACES, {
      description:
        'Where the organization is. `none`: not there, or it is being erased there. `arriving`: it is ' +
        'not complete there. `here`: it works there, or went on to a third server. `returned`: it ' +
        'went to the server that asks.',
    }),
    moved_to: Type.Union([Type.String(), Type.Null()], {
      description: 'Address of the server to which it went on.',
    }),
    moves: Type.Integer({
      description:
        'How often the organization had moved when it arrived where it is. The highest number of all ' +
        'servers tells where that is.',
    }),
    erases_copy: Type.Boolean({
      description:
        'Whether the server that asks must erase its copy, because the organization or a person in it ' +
        'was erased since the move was completed.',
    }),

    is_keeping: Type.Optional(
      Type.Boolean({
        description: 'Whether it still has deliveries to pass back after `discard`. Ask again.',
      }),
    ),
  },
  { title: 'CellMoveAnswer' },
)
export type MoveAnswer = Static<typeof MoveAnswer>

/**
 * Returns the passphrase of the archive of a move, which both cells derive from their secret, so that
 * no person has to know one.
 */
export const passphraseOf = ({ settings }: Pick<Deps, 'settings'>, moveId: string): string =>
  createHmac('sha256', settings.cells?.secret ?? '')
    .update(`organization move ${moveId}`)
    .digest('hex')

/** Returns the folder of archives that leave or arrive. */
export const movesFolder = ({ files }: Pick<Deps, 'files'>): string => join(files.folder, 'moves')

/** Returns the path of the archive of a move. */
export const archivePathOf = (deps: Pick<Deps, 'files'>, moveId: string): string =>
  join(movesFolder(deps), `${moveId}.zip`)

/** Returns the newest migration of the database. */
export const schemaOf = ({ db }: Pick<Deps, 'db'>): string =>
  db.sqlite.query<{ tag: string }, []>('select max(tag) as tag from schema_migrations').get()
    ?.tag ?? ''
