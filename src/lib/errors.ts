/**
 * One thing wrong with the input: `path` names the field (`body.text`), `message` says what to do.
 */
export interface FieldProblem {
  path: string
  message: string
  /** The line of the text it is in, from 1, where the field is a text of many. */
  line?: number
}

/**
 * What an error carries to the client beside its message; without a code of its own it has the
 * general one of its class.
 */
interface ErrorFacts {
  code?: string
  details?: Record<string, unknown>
  errors?: FieldProblem[]
  headers?: Record<string, string>
}

/**
 * A refusal the client is told about: an HTTP status, a sentence a person can act on, and a stable
 * code word.
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

/** 400: the input cannot be accepted. */
export class InvalidError extends AppError {
  constructor(message: string, facts: ErrorFacts = {}) {
    super(400, message, { code: 'invalid_input', ...facts })
  }
}

/** 401: no credential, or one that is not good (any more). */
export class UnauthorizedError extends AppError {
  constructor(message = 'Sign in or send a valid API key.', facts: ErrorFacts = {}) {
    super(401, message, { code: 'unauthorized', ...facts })
  }
}

/** 403: the credential is good but does not hold the permission. */
export class ForbiddenError extends AppError {
  constructor(message: string, facts: ErrorFacts = {}) {
    super(403, message, { code: 'forbidden', ...facts })
  }
}

/** 404: unknown, or of another organization; the two are never told apart. */
export class NotFoundError extends AppError {
  constructor(thing: string, facts: ErrorFacts = {}) {
    super(404, `${thing} not found.`, { code: 'not_found', ...facts })
  }
}

/** 409: the input is fine but the present state forbids it. */
export class ConflictError extends AppError {
  constructor(message: string, facts: ErrorFacts = {}) {
    super(409, message, { code: 'conflict', ...facts })
  }
}

/** 413: the body is larger than the route takes. `limitBytes` is named in the message. */
export class TooLargeError extends AppError {
  constructor(limitBytes: number) {
    super(
      413,
      `The body is larger than the ${Math.floor(limitBytes / 1024)} KiB this route takes.`,
      { code: 'body_too_large' },
    )
  }
}

/** 415: the body is of a media type the route does not take. */
export class UnsupportedMediaTypeError extends AppError {
  constructor(wanted = 'application/json') {
    super(415, `Send the body as ${wanted}.`, { code: 'unsupported_media_type' })
  }
}

/** 429: over a limit. `retryAfterS` is answered as `Retry-After` (seconds, at least 1). */
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
 * 503: the server cannot accept this durably now; the caller is to try again after `retryAfterS`
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
