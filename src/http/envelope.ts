import { Type, type TSchema } from '@sinclair/typebox'

import type { FieldProblem } from '../lib/errors'

/** Returns the schema of a success response with this `data` (spec 2.1). */
export const Ok = <S extends TSchema>(data: S) =>
  Type.Object({ status: Type.Literal('success'), data })

/** Wraps data in a success response. */
export const ok = <T>(data: T) => ({ status: 'success' as const, data })

/** Schema of every error response (spec 2.1). */
export const Fail = Type.Object(
  {
    status: Type.Literal('error'),
    data: Type.Null(),
    message: Type.String({
      description: 'Human-readable explanation. May change; do not parse it.',
    }),
    code: Type.String({ description: 'Stable, machine-readable error code.' }),
    details: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Additional data about the error.',
      }),
    ),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String(),
          message: Type.String(),
          line: Type.Optional(
            Type.Integer({ description: 'Line of the Flow JSON text, starting at 1.' }),
          ),
        }),
        { description: 'Invalid fields, each with `path` and `message`.' },
      ),
    ),
  },
  { title: 'Fail', description: 'An error response.' },
)

/** The body of an error response. */
export interface Failure {
  status: 'error'
  data: null
  message: string
  code: string
  details?: Record<string, unknown>
  errors?: FieldProblem[]
}

/** Builds the body of an error response. Omits fields that are not set. */
export const fail = (
  message: string,
  facts: {
    code: string
    details?: Record<string, unknown> | undefined
    errors?: FieldProblem[] | undefined
  },
): Failure => ({
  status: 'error',
  data: null,
  message,
  code: facts.code,
  ...(facts.details === undefined ? {} : { details: facts.details }),
  ...(facts.errors === undefined ? {} : { errors: facts.errors }),
})

/** Schema of the response to a deletion or command: a message. */
export const MessageAnswer = Type.Object({ message: Type.String() }, { title: 'Confirmation' })
