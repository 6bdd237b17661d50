import { formatCountry } from '../../texts/format'
import { findText } from '../../texts/texts'

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
