/** Maximum line length in characters. */
const WIDTH = 120

/** One space, since indentation makes up most of a deep document. */
const STEP = ' '

/**
 * Returns `value` as readable JSON: short values on one line, longer ones with one member per line.
 * Ends with a line break. Omits `undefined` members, as `JSON.stringify` does.
 */
export const printJson = (value: unknown): string =>
  `${print(JSON.parse(JSON.stringify(value)), '', 0)}\n`

/** `taken` is the number of characters already on the current line, indentation included. */
function print(value: unknown, indent: string, usedWidth: number): string {
  const line = onOneLine(value)
  if (typeof value !== 'object' || value === null || usedWidth + line.length < WIDTH) return line
  const deeper = `${indent}${STEP}`
  if (Array.isArray(value))
    return `[\n${value.map((item) => `${deeper}${print(item, deeper, deeper.length)}`).join(',\n')}\n${indent}]`
  const members = Object.entries(value).map(([key, member]) => {
    const start = `${deeper}${JSON.stringify(key)}: `
    return `${start}${print(member, deeper, start.length)}`
  })
  return `{\n${members.join(',\n')}\n${indent}}`
}

function onOneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}: ${onOneLine(member)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
