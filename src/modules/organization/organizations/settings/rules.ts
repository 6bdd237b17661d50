const TOKENS = ['YYYY', 'MM', 'DD']
const DATE_FORMAT = /^(YYYY|MM|DD)[-/. ]{1,2}(YYYY|MM|DD)[-/. ]{1,2}(YYYY|MM|DD)$/

/**
 * Whether a date format contains `YYYY`, `MM` and `DD` once each, with one or two separators
 * between neighbors, and nothing else.
 */
export function isDateFormat(pattern: string): boolean {
  const found = DATE_FORMAT.exec(pattern)?.slice(1) ?? []
  return TOKENS.every((token) => found.includes(token))
}
