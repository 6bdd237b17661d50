/** How many characters a line may have. */
const WIDTH = 120

/** One space: deep documents consist of indentation otherwise. */
const STEP = ' '

/**
 * Returns `value` as JSON text for people: what fits into a line stays in one, everything else has
 * a member a line. Ends with a line break. Members that are `undefined` are left out, as in
 * `JSON.stringify`.
 */
export const printJson = (value: unknown): string =>
  `${print(JSON.parse(JSON.stringify(value)), '', 0)}\n`

/** `taken` is the length of what stands before the value in its line, indentation included. */
function print(value: unknown, indent: string, taken: number): string {
  const line = inOneLine(value)
  if (typeof value !== 'object' || value === null || taken + line.length < WIDTH) return line
  const deeper = `${indent}${STEP}`
  if (Array.isArray(value))
    return `[\n${value.map((item) => `${deeper}${print(item, deeper, deeper.length)}`).join(',\n')}\n${indent}]`
  const members = Object.entries(value).map(([key, member]) => {
    const start = `${deeper}${JSON.stringify(key)}: `
    return `${start}${print(member, deeper, start.length)}`
  })
  return `{\n${members.join(',\n')}\n${indent}}`
}

function inOneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(', ')}]`
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}: ${inOneLine(member)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
