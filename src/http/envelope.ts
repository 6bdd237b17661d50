import { Type, type TSchema } from '@sinclair/typebox'

import type { FieldProblem } from '../lib/errors'

/** Schema of a success answer around its payload (spec 2.1). */
export const Ok = <S extends TSchema>(data: S) => Type.Object({ status: Type.Literal('success'), data })

/** A success answer. */
export const ok = <T>(data: T) => ({ status: 'success' as const, data })

/** Where the headers of an answer stand until it goes out. */
export interface HeaderPlace {
  headers: Record<string, unknown>
}

/**
 * A success answer that was written out before, as JSON in UTF-8; `null` for none. Its type is that of no answer: it goes out as it is, past the schema of
 * its route, so whoever wrote it has held it against that.
 */
export function writtenAnswer(text: Blob | null, set: HeaderPlace): null {
  if (text === null) return null
  const headers = { ...set.headers, 'content-type': 'application/json;charset=utf-8' } as Record<string, string>
  set.headers = {} // they are in the answer: Elysia would set each again
  return new Response(text, { headers }) as unknown as null
}

/** Schema of every error answer (spec 2.1). */
export const Fail = Type.Object(
  {
    status: Type.Literal('error'),
    data: Type.Null(),
    message: Type.String({ description: 'A sentence a person can act on.' }),
    code: Type.String({ description: 'A stable word for programs.' }),
    details: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Facts for programs.' })),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String(),
          message: Type.String(),
          line: Type.Optional(Type.Integer({ description: 'Of a Flow JSON: the line of its text, from 1.' })),
        }),
        { description: 'What is wrong with the input, field by field.' },
      ),
    ),
  },
  { title: 'Fail', description: 'An error answer.' },
)

/** An error answer as it goes out. */
export interface Failure {
  status: 'error'
  data: null
  message: string
  code: string
  details?: Record<string, unknown>
  errors?: FieldProblem[]
}

/** An error answer; what is not given is left out. */
export const fail = (
  message: string,
  facts: { code: string; details?: Record<string, unknown> | undefined; errors?: FieldProblem[] | undefined },
): Failure => ({
  status: 'error',
  data: null,
  message,
  code: facts.code,
  ...(facts.details === undefined ? {} : { details: facts.details }),
  ...(facts.errors === undefined ? {} : { errors: facts.errors }),
})

/** Schema of the answer to a deletion or a command: a sentence. */
export const Said = Type.Object({ message: Type.String() })
