import * as errors from '../../lib/errors'

const { AppError } = errors

/** An error as data that can be sent between threads. */
export interface ErrorData {
  className: string
  httpStatus: number
  message: string
  code: string
  details: Record<string, unknown> | undefined
  errors: errors.FieldProblem[] | undefined
  headers: Record<string, string>
}

/** Returns an error that the client is told of as data, or `null` for any other one. */
export function errorData(error: unknown): ErrorData | null {
  if (!(error instanceof AppError)) return null
  const { name: className, httpStatus, message, code, details, errors: problems, headers } = error
  return { className, httpStatus, message, code, details, errors: problems, headers }
}

/** Returns the error that the data stand for, of its own class. */
export function errorOf({ className, httpStatus, message, code, headers, ...facts }: ErrorData) {
  const error = new AppError(httpStatus, message, {
    code,
    headers,
    ...(facts.details === undefined ? {} : { details: facts.details }),
    ...(facts.errors === undefined ? {} : { errors: facts.errors }),
  })
  const found: unknown = (errors as Record<string, unknown>)[className]
  if (typeof found === 'function') Object.setPrototypeOf(error, found.prototype as object)
  error.name = className
  return error
}
