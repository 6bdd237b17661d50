import type { AppError } from '../lib/errors'
import type { Actor, RequestOrigin } from '../infra/ctx'
import type { StagedFile } from '../infra/files/staged-file'
import type { Attempt } from '../infra/idempotency/store'

/** What a listener does for one request; the runtime's server is one. */
export interface Line {
  /** The client's address, `null` once the answer is there or the line is gone. */
  requestIP(request: Request): { address: string } | null
  /** Closes the line when nothing moves on it for so many seconds. */
  timeout(request: Request, seconds: number): void
}

/** What is known of a request from its first moment on. */
export interface RequestFacts {
  /** The caller's `X-Request-Id` when it is 8 to 64 plain characters, else a new one. */
  id: string
  method: string
  path: string
  /** Client address. */
  address: string
  /** Whether it came through a reverse proxy, as far as can be told. */
  isProxied: boolean
  /** Declared length of its body, bytes. */
  declaredBytes: number
  /** Code of the error it was answered with; `null` without one. */
  code: string | null
  startedMs: number
  /** When the credential was judged last. */
  judgedAtMs: number
  /** Whether its body is being read; that has a time limit of its own. */
  isReading: boolean
  /** Whether it was counted and logged as answered. */
  isAnswered: boolean
  /**
   * Who asks: judged before the body is read, and again when that took long; `null` without a good
   * credential.
   */
  actor: Actor | null
  /** Whether it was counted as a bulk operation. */
  isBulkCounted: boolean
  /** Why the credential that was sent is not good. */
  refusal: AppError | null
  /** The first run of a request that carries an `Idempotency-Key`; `null` for all others. */
  attempt: Attempt | null
  /**
   * How many bytes its answer has so far, where that goes from the disk to the client or is made
   * while it is sent; `null` for all others.
   */
  sent: (() => number) | null
  /** The line it came on; `null` where it is not known. */
  line: Line | null
  /** Files that came with it; those nobody kept are forgotten when it is answered. */
  staged: StagedFile[]
}

const known = new WeakMap<Request, RequestFacts>()

/** Keeps the facts of a request for the hooks and the guard. */
export function rememberRequest(request: Request, facts: RequestFacts): RequestFacts {
  known.set(request, facts)
  return facts
}

/** The facts of a request, absent when it failed before it had any. */
export const findRequestFacts = (request: Request): RequestFacts | null =>
  known.get(request) ?? null

/**
 * The facts of a request that the hooks have seen. Throws when they have not: that is a bug in the
 * order of the hooks.
 */
export function requestFacts(request: Request): RequestFacts {
  const facts = known.get(request)
  if (!facts) throw new Error('the request did not pass the hooks')
  return facts
}

const MAX_USER_AGENT_LENGTH = 255

/** Where a request comes from, as the audit log and the list of sessions keep it. */
export const originOf = (request: Request): RequestOrigin => {
  const { address, id } = requestFacts(request)
  return {
    ipAddress: address,
    userAgent: (request.headers.get('user-agent') ?? '').slice(0, MAX_USER_AGENT_LENGTH),
    requestId: id,
  }
}
