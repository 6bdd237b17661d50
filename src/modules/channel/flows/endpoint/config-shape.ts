import { fieldSentence, InvalidError, type FieldProblem } from '../../../../lib/errors'
import type { FlowRow } from '../view'

type Json = Record<string, unknown>

export const AT = 'body.endpoint_config'

/** Endpoint columns of a Flow, and a new secret if one was created. */
export interface EndpointColumns {
  columns: Pick<
    FlowRow,
    'endpointMode' | 'endpointConfig' | 'endpointSecretSealed' | 'endpointHeadersSealed'
  >
  /** Shown once in the answer of the request that created it. */
  secret: string | null
}

/** The Flow whose endpoint is configured, with its current columns. */
export type ConfigPlace = Pick<FlowRow, 'id'> & Partial<FlowRow>

/** Reports whether a value is a plain object. */
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the error for an invalid endpoint configuration. */
export function invalid(errors: FieldProblem[]): InvalidError {
  const [first] = errors
  return new InvalidError(fieldSentence(first?.path, first?.message), {
    code: 'invalid_input',
    errors: errors.slice(0, 20),
  })
}
