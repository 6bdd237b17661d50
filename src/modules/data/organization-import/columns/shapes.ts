import { Type, type TSchema } from '@sinclair/typebox'

import { LAST_MS } from '../../../../lib/clock'
import { freeObject } from '../../../../lib/fields'

/** Shapes of stored JSON that several tables have. */

/** Most entries of a list. */
const MOST = 10_000

export const anObject = freeObject()
/** Returns the shape of a list. */
export const listOf = (item: TSchema): TSchema => Type.Array(item, { maxItems: MOST })
export const texts = listOf(Type.String())
/** IDs of all rows of a contact: only the length of the document bounds them. */
export const manyIds = Type.Array(Type.String())
export const objects = listOf(anObject)
/** Returns a shape that `null` has, too. */
export const orNull = (schema: TSchema): TSchema => Type.Union([schema, Type.Null()])
export const textOrNull = orNull(Type.String())
export const numberOrNull = orNull(Type.Number())

/** A time in milliseconds inside JSON. */
export const timeInJson = Type.Integer({ minimum: 0, maximum: LAST_MS })

/** The error of a row: a code of ours and a sentence. */
export const codedError = Type.Object({ code: Type.String(), message: Type.String() })

/** Values of columns by their names, of which none decides where a row belongs. */
export const columnValues = Type.Record(
  Type.String({ pattern: '^(?!(?:organizationId|id|row|mergedInto)$)[A-Za-z]{1,64}$' }),
  Type.Unknown(),
  { additionalProperties: false },
)

/** Names of columns of which none decides where a row belongs. */
export const columnName = Type.String({
  pattern: '^(?!(?:organizationId|id|row|mergedInto)$)[A-Za-z]{1,64}$',
})
