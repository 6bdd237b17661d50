/** Byte order mark. Spreadsheet programs recognize UTF-8 by it. */
export const BOM = '\uFEFF'

/**
 * First characters that spreadsheet programs read as a formula. Japanese and Chinese versions also
 * accept the full-width characters.
 */
const FORMULA = /^[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\t\r\n\0]/

/** Matches an apostrophe that `guarded` added. */
const ESCAPED_FORMULA = new RegExp(`^'(?=${FORMULA.source.slice(1)})`)

/**
 * Returns a cell that no spreadsheet program runs as a formula: prefixes it with an apostrophe if
 * needed.
 */
export const escapeFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

/** Removes the apostrophe that `guarded` added. */
export const unescapeFormula = (text: string): string => text.replace(ESCAPED_FORMULA, '')

/** Quotes a cell if needed (RFC 4180). */
const quoteCell = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/**
 * Returns a CSV line with its line end (RFC 4180). Does not guard cells against formulas; see
 * `guarded`.
 */
export const csvLine = (cells: string[]): string => `${cells.map(quoteCell).join(',')}\r\n`
