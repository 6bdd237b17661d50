/** A field of a request that the server refused, and why. */
export interface FieldProblem {
  path: string
  message: string
}

/**
 * Whatever went wrong: an answer of the server that is no success, no answer at all, a socket that
 * cannot be opened again, or a webhook that is not to be trusted.
 */
export class SwitchboardError extends Error {
  override readonly name = 'SwitchboardError'
  /** Status of the answer; 0 if there is none. */
  readonly status: number
  /** The word to decide by: one of the API, or `no_answer`, `timeout`, `access_ended`, `protocol`,
   * `bad_signature`, `too_old`. */
  readonly code: string
  /** `X-Request-Id` of the answer, by which an operator finds it in the log. */
  readonly requestId: string | null
  /** The fields that were refused. */
  readonly fields: FieldProblem[]
  /** Facts for programs, such as the ID of what is in the way. */
  readonly details: unknown
  /** Seconds to wait before the next request. */
  readonly retryAfterS: number | null

  constructor(
    code: string,
    message: string,
    more: Partial<
      Pick<SwitchboardError, 'status' | 'requestId' | 'fields' | 'details' | 'retryAfterS'>
    > & { cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause })
    this.code = code
    this.status = more.status ?? 0
    this.requestId = more.requestId ?? null
    this.fields = more.fields ?? []
    this.details = more.details ?? null
    this.retryAfterS = more.retryAfterS ?? null
  }

  /** Whether the same request may succeed later: the line, the server or a limit was in the way. */
  get isTemporary(): boolean {
    if (this.status === 0) return this.code === 'no_answer' || this.code === 'timeout'
    return (
      this.status === 408 ||
      this.status === 429 ||
      this.status >= 500 ||
      this.code === 'idempotency_in_progress'
    )
  }
}

interface ErrorBody {
  code?: string
  message?: string
  errors?: FieldProblem[]
  details?: unknown
}

/** Returns the error that an answer reports. */
export async function errorOf(response: Response): Promise<SwitchboardError> {
  const body = (await response.json().catch(() => null)) as ErrorBody | null
  const { status, headers } = response
  return new SwitchboardError(
    body?.code ?? 'unknown',
    body?.message ?? `The server answered ${status}.`,
    {
      status,
      requestId: headers.get('x-request-id'),
      fields: body?.errors ?? [],
      details: body?.details ?? null,
      retryAfterS: secondsOf(headers.get('retry-after')),
    },
  )
}

/** Returns the seconds of a `Retry-After`, which is a number or, from proxies, a date. */
function secondsOf(value: string | null): number | null {
  if (value === null) return null
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}
