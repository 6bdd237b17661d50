import type { AppError } from '../lib/errors'
import type { Actor } from '../infra/actor'
import type { Ctx, RequestOrigin } from '../infra/ctx'
import type { StagedFile } from '../infra/files/staged-file'
import type { Attempt } from '../infra/idempotency/store'

/** The server functions used for one request. */
export interface ServerConnection {
  /**
   * Returns the client's address, or `null` after the response or when the connection is closed.
   */
  requestIP(request: Request): { address: string } | null
  /** Closes the connection after this many seconds without traffic. */
  timeout(request: Request, seconds: number): void
}

/** Facts about a request, recorded as it is processed. */
export interface RequestFacts {
  /** The caller's `X-Request-Id` if it is 8 to 64 plain characters, otherwise a new one. */
  id: string
  method: string
  path: string
  /** Client address. */
  address: string
  /** Whether the request appears to have come through a reverse proxy. */
  isProxied: boolean
  /** Declared body length in bytes. */
  declaredBytes: number
  /** Error code of the response, or `null`. */
  code: string | null
  startedMs: number
  /** When the caller was last authenticated. */
  judgedAtMs: number
  /** Whether the body is being read, which has a separate time limit. */
  isReading: boolean
  /** Whether the response was counted and logged. */
  isAnswered: boolean
  /**
   * The authenticated caller, or `null`. Checked before the body is read, and again if that took
   * long.
   */
  actor: Actor | null
  /** Whether the request was counted as a bulk operation. */
  isBulkCounted: boolean
  /** Whether the answer of the route shows a credential. */
  showsCredential: boolean
  /** Why the credential was rejected, or `null`. */
  refusal: AppError | null
  /** The first run of a request with an `Idempotency-Key`; otherwise `null`. */
  attempt: Attempt | null
  /** Returns the context that the request runs in; with `If-Match`, one that compares first. */
  inCtx: (ctx: Ctx) => Ctx
  /**
   * Returns the bytes sent so far, for responses streamed from disk or generated while sending;
   * otherwise `null`.
   */
  sent: (() => number) | null
  /** The server that received the request, or `null` if unknown. */
  line: ServerConnection | null
  /** Uploaded files. Those that were not stored are deleted after the response. */
  staged: StagedFile[]
}

const known = new WeakMap<Request, RequestFacts>()

/** Stores the facts of a request for the hooks and the guard. Returns them. */
export function rememberRequest(request: Request, facts: RequestFacts): RequestFacts {
  known.set(request, facts)
  return facts
}

/** Returns the facts of a request, or `null` if it failed before they were recorded. */
export const findRequestFacts = (request: Request): RequestFacts | null =>
  known.get(request) ?? null

/**
 * Returns the facts of a request. Throws if the hooks did not run, which is a bug in their order.
 */
export function requestFacts(request: Request): RequestFacts {
  const facts = known.get(request)
  if (!facts) throw new Error('the request did not pass the hooks')
  return facts
}

const MAX_USER_AGENT_LENGTH = 255

/** Returns the origin of a request, as the audit log and the session list store it. */
export const originOf = (request: Request): RequestOrigin => {
  const { address, id } = requestFacts(request)
  return {
    ipAddress: address,
    userAgent: (request.headers.get('user-agent') ?? '').slice(0, MAX_USER_AGENT_LENGTH),
    requestId: id,
  }
}
