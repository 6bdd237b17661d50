/** Comparisons that people choose from. */
export const COMPARISONS = [
  'equals',
  'differs',
  'more',
  'less',
  'contains',
  'begins',
  'empty',
  'filled',
] as const
export type Comparison = (typeof COMPARISONS)[number]

/** One comparison in the words of people. */
export interface Simple {
  variable: string
  comparison: Comparison
  value: string
}

const NAME = String.raw`([A-Za-z_][\w.]*)`
const TEXT = String.raw`'([^']*)'`
const AMOUNT = String.raw`(-?\d+(?:\.\d+)?)`
/** How each comparison is written. */
const FORMS: readonly [comparison: Comparison, pattern: RegExp][] = [
  ['more', new RegExp(String.raw`^\(${NAME} \| number\) > ${AMOUNT}$`)],
  ['less', new RegExp(String.raw`^\(${NAME} \| number\) < ${AMOUNT}$`)],
  ['equals', new RegExp(String.raw`^\(${NAME} \| downcase\) == ${TEXT}$`)],
  ['differs', new RegExp(String.raw`^\(${NAME} \| downcase\) != ${TEXT}$`)],
  ['contains', new RegExp(String.raw`^\(${NAME} \| downcase\) contains ${TEXT}$`)],
  ['begins', new RegExp(String.raw`^\(${NAME} \| downcase\) starts_with ${TEXT}$`)],
  ['empty', new RegExp(String.raw`^\(${NAME} \| strip\) == ''$`)],
  ['filled', new RegExp(String.raw`^\(${NAME} \| strip\) != ''$`)],
]

/** Whether a comparison needs something to compare with. */
export const needsValue = (comparison: Comparison): boolean =>
  comparison !== 'empty' && comparison !== 'filled'

/** Whether a comparison is one of amounts. */
export const isAmount = (comparison: Comparison): boolean =>
  comparison === 'more' || comparison === 'less'

/** Reads an expression that was written by {@link writeSimple}; `null` if it says something else. */
export function readSimple(expression: string): Simple | null {
  for (const [comparison, pattern] of FORMS) {
    const found = pattern.exec(expression.trim())
    if (found) return { comparison, variable: found[1] ?? '', value: found[2] ?? '' }
  }
  return null
}

/** Writes a comparison as an expression; `null` if it cannot be one yet. */
export function writeSimple({ variable, comparison, value }: Simple): string | null {
  if (variable === '') return null
  const text = `'${value.replaceAll("'", '’').toLowerCase()}'`
  const amount = /^-?\d+(?:\.\d+)?$/.test(value.trim()) ? value.trim() : null
  switch (comparison) {
    case 'more':
      return amount === null ? null : `(${variable} | number) > ${amount}`
    case 'less':
      return amount === null ? null : `(${variable} | number) < ${amount}`
    case 'equals':
      return `(${variable} | downcase) == ${text}`
    case 'differs':
      return `(${variable} | downcase) != ${text}`
    case 'contains':
      return `(${variable} | downcase) contains ${text}`
    case 'begins':
      return `(${variable} | downcase) starts_with ${text}`
    case 'empty':
      return `(${variable} | strip) == ''`
    case 'filled':
      return `(${variable} | strip) != ''`
  }
}
