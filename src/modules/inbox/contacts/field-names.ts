/** A column whose API field has another name. */
const NAMES: Record<string, string> = { platformBlockedAtMs: 'platform_blocked' }

/** Returns the API field of a column. */
export const fieldName = (column: string): string =>
  NAMES[column] ??
  column.replace(/Ms$/, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Returns what people call a field, such as `Phone number`. */
export const labelOf = (field: string): string =>
  `${field.charAt(0).toUpperCase()}${field.slice(1).replaceAll('_', ' ')}`

/** What only the program knows of a contact. */
const INTERNAL = new Set(['bookName', 'bookNamedAtMs'])

/** Converts column names into API field names, for `changed` in events. */
export const fieldNames = (columns: string[]): string[] =>
  columns.filter((column) => !INTERNAL.has(column)).map(fieldName)
