import { createHmac } from 'node:crypto'

import { MINUTE_MS, SECOND_MS } from '../../lib/clock'
import { UnauthorizedError } from '../../lib/errors'
import { equalInConstantTime } from '../../lib/hash'

/** Headers of a request of another cell: when it was signed, and the signature. */
export const CELL_HEADERS = {
  timestamp: 'x-cell-timestamp',
  signature: 'x-cell-signature',
} as const

/** Largest difference between the clocks of two cells plus the time of a request. */
const MAX_AGE_MS = 5 * MINUTE_MS

/** Most bytes of the facts about a body. */
export const MAX_FACTS_BYTES = 1_024 * 1_024

/** A request between cells. */
export interface CellRequest {
  path: string
  /** What the sender says about the body, JSON. */
  facts: string
  body: Uint8Array
}

const LINE_FEED = 0x0a

/**
 * Returns the headers and the bytes of a request to another cell: the facts, a line feed and the body.
 * The facts are not in a header, because proxies limit the size of headers.
 */
export function signedRequest(
  secret: string,
  { path, facts, body }: CellRequest,
  nowMs: number,
): { headers: Record<string, string>; bytes: Buffer } {
  const timestamp = String(Math.floor(nowMs / SECOND_MS))
  const bytes = Buffer.concat([Buffer.from(`${facts}\n`), body])
  return {
    headers: {
      [CELL_HEADERS.timestamp]: timestamp,
      [CELL_HEADERS.signature]: signatureOf(secret, timestamp, { path, bytes }),
    },
    bytes,
  }
}

/**
 * Checks that a cell with the same secret sent a request within the last five minutes, and returns its
 * facts and its body. Throws UnauthorizedError.
 */
export function openRequest(
  secret: string | null,
  { path, bytes, headers }: { path: string; bytes: Uint8Array; headers: Headers },
  nowMs: number,
): { facts: string; body: Uint8Array } {
  const timestamp = headers.get(CELL_HEADERS.timestamp) ?? ''
  const signature = headers.get(CELL_HEADERS.signature)
  if (signature === null || !/^\d{1,12}$/.test(timestamp))
    throw new UnauthorizedError('The signature of the cell is missing or malformed.', {
      code: 'signature_missing',
    })
  if (
    secret === null ||
    !equalInConstantTime(signature, signatureOf(secret, timestamp, { path, bytes }))
  )
    throw new UnauthorizedError('The signature of the cell does not match. Compare CELL_SECRET.', {
      code: 'signature_mismatch',
    })
  if (Math.abs(nowMs - Number(timestamp) * SECOND_MS) > MAX_AGE_MS)
    throw new UnauthorizedError('The request of the cell is too old. Compare the clocks.', {
      code: 'signature_expired',
    })
  const end = bytes.indexOf(LINE_FEED)
  return {
    facts: new TextDecoder().decode(bytes.subarray(0, Math.max(end, 0))),
    body: bytes.subarray(end + 1),
  }
}

const signatureOf = (
  secret: string,
  timestamp: string,
  { path, bytes }: { path: string; bytes: Uint8Array },
): string =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}\n${path}\n`).update(bytes).digest('hex')}`
