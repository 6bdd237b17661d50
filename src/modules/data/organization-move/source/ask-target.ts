import { typeGuardOf } from '../../../../lib/schema-check'
import type { Ctx } from '../../../../infra/ctx'
import { numbersOf } from '../../../channel/inbound/cells/kept'
import { MoveAnswer, MOVES_PATH, type MoveFacts } from '../protocol'
import type { MoveRow } from '../table'

/** The target will not take the organization, however often it is asked. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused'

  constructor(
    message: string,
    /** Code of the target's answer. */
    readonly code: string,
  ) {
    super(message)
  }
}

/** The target imports another organization now. */
export class TargetBusy extends Error {
  override readonly name = 'TargetBusy'
}

const fitsAnswer = typeGuardOf(MoveAnswer)
const isAnswer = (value: unknown): value is MoveAnswer => fitsAnswer(value)

/** The target did not answer. */
export class TargetSilent extends Error {
  override readonly name = 'TargetSilent'
}

/** The clocks of both servers differ by so much that the target does not take what this one signs. */
export class ClocksDiffer extends Error {
  override readonly name = 'ClocksDiffer'
}

/** The target answered with an error that may pass. */
export class TargetFailing extends Error {
  override readonly name = 'TargetFailing'
}

/** Answers after which the same request may succeed later. */
const TEMPORARY = new Set(['import_running', 'rate_limited', 'signature_expired'])

type Question = Pick<MoveRow, 'id' | 'organizationId' | 'target'>

/**
 * Asks the target of a move and returns its answer. Throws MoveRefused, TargetBusy, or another error if
 * it did not answer or may answer otherwise later.
 */
export async function askTarget(
  ctx: Ctx & { signal?: AbortSignal },
  { id, organizationId, target }: Question,
  what: Pick<MoveFacts, 'action' | 'offset' | 'bytes' | 'room' | 'forced'>,
  body: Uint8Array = new Uint8Array(),
): Promise<MoveAnswer> {
  const { cells } = ctx.settings
  if (cells?.peers.includes(target) !== true)
    throw new MoveRefused(`${target} is no longer one of CELLS.`, 'unknown_cell')
  const facts: MoveFacts = { cell: cells.own, move: id, organization: organizationId, ...what }
  const result = await ctx.cellClient.post(ctx, {
    ...{ cell: target, path: MOVES_PATH, facts, body },
    ...(ctx.signal ? { signal: ctx.signal } : {}),
  })
  if (result.kind !== 'answered')
    throw new TargetSilent(`${target} did not answer: ${result.cause}.`)
  const answer = parsed(result.body.toString('utf8'))
  if (result.status === 200 && isAnswer(answer?.data)) return answer.data
  const { code = '', message = '' } = answer ?? {}
  const reason = `${target} answered ${`${result.status} ${code}`.trim()}. ${message}`.trim()
  if (result.status >= 400 && result.status < 500 && code !== '' && !TEMPORARY.has(code))
    throw new MoveRefused(reason, code)
  if (code === 'import_running') throw new TargetBusy(reason)
  throw code === 'signature_expired' ? new ClocksDiffer(reason) : new TargetFailing(reason)
}

/** Asks the target of a move to undo it, and to stop even if it works there when the operator said so. */
export const discardThere = (
  ctx: Ctx & { signal?: AbortSignal },
  move: MoveRow,
): Promise<MoveAnswer> =>
  askTarget(
    ctx,
    move,
    { action: 'discard', ...(move.forcedAtMs === null ? {} : { forced: true }) },
    Buffer.from(JSON.stringify(numbersOf({ ...ctx, organizationId: move.organizationId }))),
  )

/** Orders the last step of a move, which a target takes if it still has the archive. */
export const orderLastStep = (
  ctx: Ctx & { signal?: AbortSignal },
  move: MoveRow,
): Promise<MoveAnswer> =>
  askTarget(ctx, move, { action: 'activate', bytes: move.archiveBytes ?? 0 })

function parsed(text: string): { data?: unknown; code?: string; message?: string } | null {
  try {
    return JSON.parse(text) as { data?: unknown }
  } catch {
    return null
  }
}
