import { Type } from '@sinclair/typebox'

import { LAST_MS } from '../../../../lib/clock'
import { oneOf } from '../../../../lib/fields'
import type { DeclaredColumn } from '../../../../infra/table-fates'
import { numberRule, textRule, type ColumnRule } from './rule'

/** The times that ISO 8601 writes with four digits of the year, milliseconds. */
const Time = Type.Integer({
  minimum: -62_135_596_800_000,
  maximum: LAST_MS,
  error: 'must be a time in milliseconds, of a year with four digits',
})

const Flag = Type.Integer({ minimum: 0, maximum: 1, error: 'must be 0 or 1' })

/** The rule of a column of booleans. */
export const flagRule = numberRule(Flag)

const timeRule = numberRule(Time)

/** The program calculates with numbers, which hold no larger integers. */
const MOST = Number.MAX_SAFE_INTEGER

const wholeRule = numberRule(
  Type.Integer({
    minimum: -MOST,
    maximum: MOST,
    error: 'must be an integer between -(2^53-1) and 2^53-1',
  }),
)

const countRule = numberRule(
  Type.Integer({
    minimum: 0,
    maximum: MOST,
    error: 'must be an integer of at least 0',
  }),
)

const isTime = (name: string): boolean => name.endsWith('_ms')

/**
 * Whether a column counts something. Sums of money may fall, and sums of times if a clock was set back or
 * an organization moved to a server with another clock.
 */
const isCount = (name: string, isOfCounts: boolean): boolean =>
  name.endsWith('_count') || (isOfCounts && !name.includes('micros') && !isTime(name))

/** Returns the rule that follows from the declaration of a column; `null` for none. */
export function declaredRule(
  { name, type, isFlag, words }: DeclaredColumn,
  { isOfCounts }: { isOfCounts: boolean },
): ColumnRule | null {
  const [first, ...others] = words ?? []
  if (first !== undefined)
    return textRule(oneOf([first, ...others], { error: `must be one of ${words?.join(', ')}` }))
  if (isFlag) return flagRule
  if (type === 'text') return textRule()
  if (type !== 'integer') return null
  if (isCount(name, isOfCounts)) return countRule
  return isTime(name) && !isOfCounts ? timeRule : wholeRule
}
