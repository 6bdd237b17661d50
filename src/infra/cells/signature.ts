import { createHmac } from 'node:crypto'

import { MINUTE_MS, SECOND_MS } from '../../lib/clock'
import { UnauthorizedError } from '../../lib/errors'
import { equalInConstantTime } from '../../lib/hash'

/** Headers of a request of another cell: when it was signed, facts about it, and the signature. */
export const CELL_HEADERS = {
  timestamp: 'x-cell-timestamp',
  facts: 'x-cell-facts',
  signature: 'x-cell-signature',
} as const

/** Largest difference between the clocks of two cells plus the time of a request. */
const MAX_AGE_MS = 5 * MINUTE_MS

/** The signed parts of a request between cells. */
export interface CellRequest {
  path: string
  /** What the sender says about the body, JSON. */
  facts: string
  body: Uint8Array
}

/** Returns the headers of a request to another cell. */
export function signedHeaders(
  secret: string,
  request: CellRequest,
  nowMs: number,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / SECOND_MS))
  return {
    [CELL_HEADERS.timestamp]: timestamp,
    [CELL_HEADERS.facts]: request.facts,
    [CELL_HEADERS.signature]: signatureOf(secret, timestamp, request),
  }
}

/**
 * Checks that a cell with the same secret sent a request within the last five minutes, and returns
 * its facts. Throws UnauthorizedError.
 */
export function verifiedFacts(
  secret: string | null,
  { path, body, headers }: Pick<CellRequest, 'path' | 'body'> & { headers: Headers },
  nowMs: number,
): string {
  const timestamp = headers.get(CELL_HEADERS.timestamp) ?? ''
  const facts = headers.get(CELL_HEADERS.facts)
  const signature = headers.get(CELL_HEADERS.signature)
  if (facts === null || signature === null || !/^\d{1,12}$/.test(timestamp))
    throw new UnauthorizedError('The signature of the cell is missing or malformed.', {
      code: 'signature_missing',
    })
  if (
    secret === null ||
    !equalInConstantTime(signature, signatureOf(secret, timestamp, { path, facts, body }))
  )
    throw new UnauthorizedError('The signature of the cell does not match. Compare CELL_SECRET.', {
      code: 'signature_mismatch',
    })
  if (Math.abs(nowMs - Number(timestamp) * SECOND_MS) > MAX_AGE_MS)
    throw new UnauthorizedError('The request of the cell is too old. Compare the clocks.', {
      code: 'signature_expired',
    })
  return facts
}

const signatureOf = (
  secret: string,
  timestamp: string,
  { path, facts, body }: CellRequest,
): string =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}\n${path}\n${facts}\n`).update(body).digest('hex')}`
