import { ApiError } from '../../api/error'
import { sentenceOf } from '../../parts/state'
import { formatCountry } from '../../texts/format'
import { findText, t, type TextKey } from '../../texts/texts'

/** Says that the days of a report are too many to be compared so, or what else went wrong. */
export const tooLongOr = (error: unknown, tooLong: TextKey): string =>
  error instanceof ApiError && error.status === 400 ? t(tooLong) : sentenceOf(error)

/** Returns the words for a code of a report, such as a type of messages; the code if it is new. */
export function codeText(kind: 'type' | 'category' | 'source', code: string): string {
  return findText(`analytics.${kind}.${code.toLowerCase()}`) ?? code
}

/** Returns the name of what costs are grouped by. */
export const costKeyText = (groupBy: string, key: string): string =>
  groupBy === 'country'
    ? formatCountry(key)
    : groupBy === 'category' || groupBy === 'source'
      ? codeText(groupBy, key)
      : key
