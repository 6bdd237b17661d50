import { Type, type TInteger, type TSchema, type TString } from '@sinclair/typebox'
import { t } from 'elysia'

import { fieldSentence, InvalidError } from '../lib/errors'

/**
 * Returns the schema of a whole-number query parameter. Elysia's own `t.Integer` does not report
 * which parameter is out of range, so the name is passed here.
 */
export function wholeNumber(
  name: string,
  options: { minimum: number; maximum: number; default?: number; description: string },
) {
  const { minimum, maximum } = options
  const message = `must be a whole number from ${minimum} to ${maximum}`
  const schema = Type.Transform(
    Type.Union(
      [Type.String({ format: 'integer' }), Type.Integer(options)],
      options.default === undefined ? {} : { default: options.default },
    ),
  )
    .Decode((written): number => {
      const value = /^\d{1,9}$/.test(String(written)) ? Number(written) : NaN
      if (value >= minimum && value <= maximum) return value
      throw new InvalidError(fieldSentence(name, message), {
        code: 'invalid_input',
        errors: [{ path: `query.${name}`, message }],
      })
    })
    .Encode((value): string | number => value)
  // The cast gives handlers the integer they get: Elysia infers types from the encoded form.
  return t.Optional(schema as unknown as TInteger)
}

const page = wholeNumber('page', {
  minimum: 1,
  maximum: 1_000_000,
  default: 1,
  description: 'Page number, starting at 1.',
})
const limitOf = (fallback: number) =>
  wholeNumber('limit', {
    minimum: 1,
    maximum: 100,
    default: fallback,
    description: 'Items per page.',
  })

/** Query parameters of a numbered list. */
export const pageQuery = (limit = 20) => ({ page, limit: limitOf(limit) })

/**
 * Returns the page that a request of a short list asks for. `null` if it names neither page nor
 * limit: it gets the whole list.
 */
export function askedPage(
  request: Request,
  { page = 1, limit = 20 }: { page?: number; limit?: number },
): { page: number; limit: number } | null {
  const params = new URL(request.url).searchParams
  return params.has('page') || params.has('limit') ? { page, limit } : null
}

/** Query parameters of a long list: by page number, or after the position of a cursor. */
export const longQuery = (limit = 20) => ({
  ...pageQuery(limit),
  cursor: t.Optional(
    t.String({
      maxLength: 200,
      description: '`next_cursor` from the previous page. `total` is `null` when a cursor is used.',
    }),
  ),
})

const totals = {
  total: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Total number of items. `null` when `cursor` is used.',
  }),
  page: Type.Union([Type.Integer(), Type.Null()]),
  limit: Type.Integer(),
  total_pages: Type.Union([Type.Integer(), Type.Null()]),
}

/** Schema of a numbered page of `item`. */
export const PageOf = <S extends TSchema>(item: S) =>
  Type.Object({ items: Type.Array(item), ...totals })

/** Schema of a page of a long list of `item`. */
export const LongPageOf = <S extends TSchema>(item: S) =>
  Type.Object({
    items: Type.Array(item),
    ...totals,
    next_cursor: Type.Union([Type.String(), Type.Null()], {
      description: 'Cursor of the next page, or `null` on the last page.',
    }),
  })

/** Schema of a path parameter of this name that is the id of a row. */
export function idParam<const N extends string>(name: N) {
  return t.Object({ [name]: t.String({ format: 'uuid' }) } as Record<N, TString>)
}

/** Path parameter that is the id of a row. */
export const IdParam = idParam('id')
