import { fieldSentence, InvalidError, type FieldProblem } from './errors'

/** Records a problem with a field of the body; `path` begins with `body`. */
export type Report = (path: string, message: string) => void

const MAX_SHOWN = 20

/**
 * Reads a body and collects its problems. Throws InvalidError `invalid_input` if there is any;
 * nothing is guessed, truncated or ignored.
 */
export function readOrThrow<T>(read: (report: Report) => T, maxShown = MAX_SHOWN): T {
  const problems: FieldProblem[] = []
  const value = read((path, message) => {
    if (!problems.some((known) => known.path === path)) problems.push({ path, message })
  })
  throwProblems(problems.slice(0, maxShown))
  return value
}

/** Throws InvalidError with all problems if there are any. The message is the first problem's. */
export function throwProblems(problems: FieldProblem[], code = 'invalid_input'): void {
  const [first] = problems
  if (first)
    throw new InvalidError(fieldSentence(first.path, first.message), { code, errors: problems })
}

/** Returns the length in Unicode code points, as people count characters. */
export const lengthOf = (text: string): number => [...text].length

/** Normalizes line ends to LF and removes characters that SQLite and the platform reject. */
const clean = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll('\0', '').toWellFormed()

/** Reads a required text: not blank, at most `most` characters. */
export function requiredText(
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

/** Reads a list whose length lies between two bounds. */
export function boundedList<T>(
  report: Report,
  path: string,
  list: readonly T[] | undefined,
  bounds: [min: number, max: number],
): readonly T[] {
  const [min, max] = bounds
  if (list === undefined) report(path, 'is required')
  else if (list.length < min || list.length > max) report(path, `must have ${min} to ${max} items`)
  return list ?? []
}

/** Reports each repeated value of a list. */
export function reportDuplicates(
  report: Report,
  values: readonly { path: string; value: string }[],
): void {
  const seen = new Set<string>()
  for (const { path, value } of values) {
    if (seen.has(value)) report(path, 'must be unique')
    seen.add(value)
  }
}
