import { InvalidError, type FieldProblem } from './errors'

/** Notes what is wrong with a field of the body; `path` begins with `body`. */
export type Report = (path: string, message: string) => void

const MAX_SHOWN = 20

/**
 * Reads a body with everything that is wrong with it noted, and refuses it when anything is:
 * nothing is guessed, cut or left out. Throws InvalidError `invalid_input`.
 */
export function readOrRefuse<T>(read: (report: Report) => T, mostShown = MAX_SHOWN): T {
  const problems: FieldProblem[] = []
  const value = read((path, message) => {
    if (!problems.some((known) => known.path === path)) problems.push({ path, message })
  })
  refuseAll(problems.slice(0, mostShown))
  return value
}

/**
 * Refuses an input with which anything is wrong. Throws InvalidError with all that is, in the words
 * of the first.
 */
export function refuseAll(problems: FieldProblem[], code = 'invalid_input'): void {
  const [first] = problems
  if (first) throw new InvalidError(`${first.path}: ${first.message}.`, { code, errors: problems })
}

/** Characters as people count them: Unicode code points. */
export const lengthOf = (text: string): number => [...text].length

/** A text as it is stored: LF as line ends, nothing that no store takes. */
const clean = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll('\0', '').toWellFormed()

/** Words that must be there: not blank, at most `most` characters. */
export function needed(
  report: Report,
  path: string,
  value: string | undefined,
  most: number,
): string {
  const text = clean(value ?? '')
  if (value === undefined) report(path, 'is required')
  else if (text.trim() === '') report(path, 'must not be empty or blank')
  else if (lengthOf(text) > most) report(path, `must have at most ${most} characters`)
  return text
}

/** Words that may be missing or empty, which is the same; not blank otherwise. */
export const optional = (
  report: Report,
  path: string,
  value: string | undefined,
  most: number,
): string | null => (value === undefined || value === '' ? null : needed(report, path, value, most))

/** A list of a number of elements between two bounds. */
export function listOfSome<T>(
  report: Report,
  path: string,
  list: readonly T[] | undefined,
  bounds: [least: number, most: number],
): readonly T[] {
  const [least, most] = bounds
  if (list === undefined) report(path, 'is required')
  else if (list.length < least || list.length > most)
    report(path, `must have ${least} to ${most} elements`)
  return list ?? []
}

/** Reports each value of a list that was there before it. */
export function distinct(report: Report, values: readonly { path: string; value: string }[]): void {
  const seen = new Set<string>()
  for (const { path, value } of values) {
    if (seen.has(value)) report(path, 'must not be the same as another one')
    seen.add(value)
  }
}

/** An http or https address. */
export function webAddress(
  report: Report,
  path: string,
  value: string | undefined,
  most: number,
): string {
  const address = needed(report, path, value, most)
  const isGood =
    address.trim() === '' || (/^https?:\/\/\S+$/i.test(address) && URL.canParse(address))
  if (!isGood) report(path, 'must be an http or https address')
  return address
}
