const TOKENS = ['YYYY', 'MM', 'DD']
const DATE_FORMAT = /^(YYYY|MM|DD)[-/. ]{1,2}(YYYY|MM|DD)[-/. ]{1,2}(YYYY|MM|DD)$/

/**
 * Whether a date pattern holds `YYYY`, `MM` and `DD`, each once, with one or two separators between
 * neighbours and nothing else.
 */
export function isDateFormat(pattern: string): boolean {
  const found = DATE_FORMAT.exec(pattern)?.slice(1) ?? []
  return TOKENS.every((token) => found.includes(token))
}
