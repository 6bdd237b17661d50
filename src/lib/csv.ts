/** By it programs that open tables know that a text is UTF-8. */
export const BOM = '\uFEFF'

/**
 * What programs that open tables take for the beginning of a formula; Japanese and Chinese ones
 * also take the full-width signs.
 */
const FORMULA = /^[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\t\r\n\0]/

/** A mark that was put before what could be taken for a formula. */
const GUARDED = new RegExp(`^'(?=${FORMULA.source.slice(1)})`)

/**
 * A cell that no program takes for a formula: one that begins like one gets an apostrophe before
 * it.
 */
export const guarded = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

/** A cell without the apostrophe that kept it from being a formula. */
export const unguarded = (text: string): string => text.replace(GUARDED, '')

/** A cell as it stands in a file (RFC 4180): in quotation marks where it has to be. */
const quoted = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/**
 * A line of a CSV file (RFC 4180), its end included. Cells that could be taken for formulas are for
 * the caller to guard.
 */
export const csvLine = (cells: string[]): string => `${cells.map(quoted).join(',')}\r\n`
