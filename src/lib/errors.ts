/** One problem with the input: `path` names the field (`body.text`), `message` says what to do. */
export interface FieldProblem {
  path: string
  message: string
  /** Line number from 1, if the field is a multi-line text. */
  line?: number
}

/**
 * The data that an error sends to the client in addition to its message. Without a code, the client gets the
 * default code of the class.
 */
interface ErrorFacts {
  code?: string
  details?: Record<string, unknown>
  errors?: FieldProblem[]
  headers?: Record<string, string>
}

/**
 * An error that is reported to the client: HTTP status, a message a person can act on, and a stable
 * code.
 */
export class AppError extends Error {
  readonly httpStatus: number
  readonly code: string
  readonly details: Record<string, unknown> | undefined
  readonly errors: FieldProblem[] | undefined
  readonly headers: Record<string, string>

  constructor(httpStatus: number, message: string, facts: ErrorFacts & { code: string }) {
    super(message)
    this.name = new.target.name
    this.httpStatus = httpStatus
    this.code = facts.code
    this.details = facts.details
    this.errors = facts.errors
    this.headers = facts.headers ?? {}
  }
}

/**
 * The sentence about an invalid field, from its path and what is wrong with it: `body.name` and `is
 * required` become "`name` is required."
 */
export function fieldSentence(path: string | undefined, problem: string | undefined): string {
  const name = path?.replace(/^(?:body|query|path|headers)(?:\.|$)/, '') ?? ''
  return `${name === '' ? 'The request body' : `\`${name}\``} ${problem}.`
}

/** 400: the input is invalid. */
export class InvalidError extends AppError {
  constructor(message: string, facts: ErrorFacts = {}) {
    super(400, message, { code: 'invalid_input', ...facts })
  }
}

/** 401: the credential is missing, invalid or expired. */
export class UnauthorizedError extends AppError {
  constructor(message = 'Sign in or send a valid API key.', facts: ErrorFacts = {}) {
    super(401, message, { code: 'unauthorized', ...facts })
  }
}

/** 403: the credential is valid but lacks the permission. */
export class ForbiddenError extends AppError {
  constructor(message: string, facts: ErrorFacts = {}) {
    super(403, message, { code: 'forbidden', ...facts })
  }
}

/** 404: the row does not exist or belongs to another organization. Clients cannot tell which. */
export class NotFoundError extends AppError {
  constructor(resource: string, facts: ErrorFacts = {}) {
    super(404, `${resource} not found.`, { code: 'not_found', ...facts })
  }
}

/** 409: the input is valid but conflicts with the current state. */
export class ConflictError extends AppError {
  constructor(message: string, facts: ErrorFacts = {}) {
    super(409, message, { code: 'conflict', ...facts })
  }
}

/** 413: the body exceeds the limit of the route. The message names `limitBytes`. */
export class TooLargeError extends AppError {
  constructor(limitBytes: number) {
    super(
      413,
      `The request body exceeds the limit of ${Math.floor(limitBytes / 1024)} KiB for this ` +
        'endpoint.',
      { code: 'body_too_large' },
    )
  }
}

/** 415: the route does not accept the media type of the body. */
export class UnsupportedMediaTypeError extends AppError {
  constructor(wanted = 'application/json') {
    super(415, `Send the request body as ${wanted}.`, { code: 'unsupported_media_type' })
  }
}

/** 429: a limit is exceeded. `retryAfterS` is sent as `Retry-After` (seconds, at least 1). */
export class RateLimitedError extends AppError {
  constructor(message: string, retryAfterS: number, facts: ErrorFacts = {}) {
    super(429, message, {
      code: 'rate_limited',
      ...facts,
      headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterS))), ...facts.headers },
    })
  }
}

/**
 * 503: the server cannot store the request now. The client should retry after `retryAfterS`
 * seconds.
 */
export class UnavailableError extends AppError {
  constructor(message: string, retryAfterS = 5, facts: ErrorFacts = {}) {
    super(503, message, {
      code: 'unavailable',
      ...facts,
      headers: { 'retry-after': String(retryAfterS), ...facts.headers },
    })
  }
}
