import { notePause } from './pause'

/** A problem with one field of a request. */
export interface FieldProblem {
  path: string
  message: string
}

/** An error response of the API. `code` is the word that programs decide by. */
export class ApiError extends Error {
  override readonly name = 'ApiError'

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly more: {
      retryAfterS: number | null
      fields: FieldProblem[]
      requestId: string | null
      details: unknown
    } = { retryAfterS: null, fields: [], requestId: null, details: null },
  ) {
    super(message)
  }
}

interface ErrorBody {
  code?: string
  message?: string
  errors?: FieldProblem[]
  details?: unknown
}

/** Returns the error that a response reports. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => null)) as ErrorBody | null
  const after = response.headers.get('retry-after')
  const error = new ApiError(
    response.status,
    body?.code ?? 'unknown',
    body?.message ?? `The server answered ${response.status}.`,
    {
      retryAfterS: after === null ? null : Number(after),
      fields: body?.errors ?? [],
      requestId: response.headers.get('x-request-id'),
      details: body?.details ?? null,
    },
  )
  notePause(error)
  return error
}

/**
 * Whether the same request may succeed later: the network, the server or a limit was the problem,
 * not the request.
 */
export const isTemporary = (error: unknown): boolean =>
  !(error instanceof ApiError) ||
  error.status >= 500 ||
  error.status === 429 ||
  error.status === 408 ||
  error.code === 'idempotency_in_progress'
