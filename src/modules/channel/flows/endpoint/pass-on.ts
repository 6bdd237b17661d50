import { Type, type Static } from '@sinclair/typebox'

import { SECOND_MS } from '../../../../lib/clock'
import { InvalidError, NotFoundError, UnavailableError } from '../../../../lib/errors'
import { typeGuardOf } from '../../../../lib/schema-check'
import { openRequest } from '../../../../infra/cells/signature'
import type { Deps } from '../../../../infra/ctx'
import type { HttpResult } from '../../../../platform/client/http-call'
import { decryptionFailed } from './open-request'

/** The path at which a cell answers data exchange requests that came to another cell. */
const FLOW_EXCHANGES_PATH = '/api/cells/flow-exchanges'

/** The phone waits for about ten seconds. */
const PATIENCE_MS = 9 * SECOND_MS

/** Most bytes of an answer: it may contain pictures. */
const MAX_ANSWER_BYTES = 4 * 1_024 * 1_024

/**
 * The encrypted answer, base64; status 427 if the Flow is no longer open, 421 without an answer if the
 * request cannot be decrypted.
 */
export const EndpointAnswer = Type.Object(
  {
    status: Type.Union([Type.Literal(200), Type.Literal(421), Type.Literal(427)]),
    body: Type.String({ description: 'Encrypted for the phone, base64; empty with 421.' }),
  },
  { title: 'CellFlowAnswer', examples: [{ status: 200, body: 'rPLs…' }] },
)
export type EndpointAnswer = Static<typeof EndpointAnswer>

/** The signed facts of a request that is passed on. */
const FlowFacts = Type.Object({
  /** Address of the cell that it came to. */
  cell: Type.String({ minLength: 1, maxLength: 300 }),
  account: Type.String({ format: 'uuid' }),
})
type FlowFacts = Static<typeof FlowFacts>

const fitsFacts = typeGuardOf(FlowFacts)
const isFacts = (value: unknown): value is FlowFacts => fitsFacts(value)
const fitsAnswer = typeGuardOf(EndpointAnswer)
const isAnswer = (value: unknown): value is EndpointAnswer => fitsAnswer(value)

/** Returns the account and the body of a request that another cell passed on. Throws UnauthorizedError and InvalidError. */
export function openFlowRequest(
  { settings: { cells }, clock }: Pick<Deps, 'settings' | 'clock'>,
  { bytes, headers }: { bytes: Uint8Array; headers: Headers },
): { account: string; body: Uint8Array } {
  const request = { path: FLOW_EXCHANGES_PATH, bytes, headers }
  const opened = openRequest(cells?.secret ?? null, request, clock.nowMs())
  const facts = parsed(opened.facts)
  if (isFacts(facts)) return { account: facts.account, body: opened.body }
  throw new InvalidError('The facts about the request are malformed.', { code: 'invalid_input' })
}

/**
 * Lets another cell answer a data exchange request: the first one that knows the account. Throws
 * NotFoundError, AppError `decryption_failed`, and UnavailableError so that the client tries again.
 */
export async function askCells(
  deps: Deps,
  cells: readonly string[],
  { accountId, bytes }: { accountId: string; bytes: Uint8Array },
): Promise<EndpointAnswer> {
  const { settings } = deps
  const facts: FlowFacts = { cell: settings.cells?.own ?? '', account: accountId }
  const signal = AbortSignal.timeout(PATIENCE_MS)
  let isSilent = false
  for (const cell of cells) {
    if (settings.cells?.peers.includes(cell) !== true) continue
    const call = { cell, path: FLOW_EXCHANGES_PATH, facts, body: bytes, signal }
    const result = await deps.cellClient.post(deps, { ...call, maxResponseBytes: MAX_ANSWER_BYTES })
    const answer = answerOf(result)
    if (answer === 'silent') isSilent = true
    else if (answer !== 'unknown') return answer
  }
  if (isSilent) throw new UnavailableError('The server of this form does not answer. Try again.', 1)
  throw new NotFoundError('Flow endpoint')
}

/** Returns what a cell answered. Throws AppError `decryption_failed`. */
function answerOf(result: HttpResult): EndpointAnswer | 'unknown' | 'silent' {
  if (result.kind !== 'answered') return 'silent'
  if (result.status === 404) return 'unknown'
  const { data } = (parsed(result.body.toString('utf8')) ?? {}) as { data?: unknown }
  if (result.status !== 200 || !isAnswer(data)) return 'silent'
  if (data.status === 421) throw decryptionFailed()
  return data
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
