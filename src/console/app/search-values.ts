import { isDay } from '../texts/days'

/** Reads a text, which may look like a number. */
export const textIn = (raw: Record<string, unknown>, name: string): Record<string, string> => {
  const value = raw[name]
  // a search parameter that looks like a number is one
  return typeof value === 'string' || typeof value === 'number'
    ? { [name]: String(value).slice(0, 300) }
    : {}
}

/**
 * Returns what was read, and nothing else of the address: the router keeps each raw parameter that
 * is not set here.
 */
export const only = <T extends object>(raw: Record<string, unknown>, read: T): T => ({
  ...(Object.fromEntries(Object.keys(raw).map((name) => [name, undefined])) as Partial<T>),
  ...read,
})

/** Reads the number of a page after the first. */
export function pageIn({ page }: Record<string, unknown>): { page?: number } {
  return typeof page === 'number' && Number.isSafeInteger(page) && page > 1 ? { page } : {}
}

/** Reads one of these words. */
export function choiceIn<N extends string, const K extends string>(
  raw: Record<string, unknown>,
  name: N,
  choices: readonly K[],
): Partial<Record<N, K>> {
  const choice = choices.find((one) => one === raw[name])
  return choice === undefined ? {} : ({ [name]: choice } as Partial<Record<N, K>>)
}

/** Reads an ID, or one of the words that may stand for it. */
export function idIn(
  raw: Record<string, unknown>,
  name: string,
  ...words: readonly string[]
): Record<string, string> {
  const value = raw[name]
  const isRead =
    typeof value === 'string' && (words.includes(value) || /^[0-9a-f-]{36}$/.test(value))
  return isRead ? { [name]: value } : {}
}

/** Reads an object, whose fields are not looked at. */
export function objectIn(
  raw: Record<string, unknown>,
  name: string,
): Record<string, Record<string, unknown>> {
  const value = raw[name]
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { [name]: value as Record<string, unknown> }
    : {}
}

/** Reads a day of the calendar. */
export function dayIn(raw: Record<string, unknown>, name: string): Record<string, string> {
  const value = raw[name]
  return typeof value === 'string' && isDay(value) ? { [name]: value } : {}
}
