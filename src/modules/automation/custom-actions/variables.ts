import { hasDotSegment } from '../../../lib/dot-segments'

/** The values that variables of an action are replaced by. */
export type ActionValues = Readonly<Record<'contact' | 'user' | 'organization', object>>

const VARIABLE = /\{\{\s*([\w.-]{1,200})\s*\}\}/g

/** Anything in double braces, also what is no variable. */
const BRACES = /\{\{[^{}]*\}\}|\{\{/g

const KNOWN = /^\{\{\s*(?:contact|user|organization)(?:\.[\w-]{1,64}){1,4}\s*\}\}$/

/** Returns what a text has in double braces that is no variable, or `null`. */
export const unknownVariable = (text: string): string | null =>
  (text.match(BRACES) ?? []).find((found) => !KNOWN.test(found)) ?? null

/** Returns a text with a word in place of each variable. */
export const withoutVariables = (text: string): string => text.replaceAll(VARIABLE, 'x')

/** Returns a text with its variables replaced by values, each escaped for its place. */
export const fillVariables = (
  text: string,
  values: ActionValues,
  escape: (value: string) => string,
): string => text.replaceAll(VARIABLE, (_all, path: string) => escape(textAt(values, path)))

/** Returns the value at a path such as `contact.attributes.plan` as text; empty if there is none. */
function textAt(values: ActionValues, path: string): string {
  const value = path
    .split('.')
    .reduce<unknown>(
      (at, key) =>
        typeof at === 'object' && at !== null && Object.hasOwn(at, key)
          ? (at as Record<string, unknown>)[key]
          : undefined,
      values,
    )
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Escapes a value for a path or query of a URL. */
export const forUrl = (value: string): string => encodeURIComponent(value.toWellFormed())

/**
 * Returns a URL with its variables replaced; `null` if a value leads to another path, as a contact
 * called `..` does.
 */
export function fillUrl(url: string, values: ActionValues): string | null {
  const filled = fillVariables(url, values, forUrl)
  return hasDotSegment(filled) ? null : filled
}

/** Escapes a value for a header, which holds visible ASCII characters only. */
export const forHeader = (value: string): string =>
  value.toWellFormed().replaceAll(/[^\x20-\x7e]/gu, encodeURIComponent)

/** Escapes a value for plain text: removes control characters other than line ends and tabs. */
export const forText = (value: string): string =>
  // oxlint-disable-next-line no-control-regex -- these are the characters to remove
  value.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '')

/** Escapes a value for XML and HTML: their text and their attributes. */
export const forXml = (value: string): string =>
  forText(value).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Returns JSON with the variables in its keys and texts replaced by values. */
export function fillJson(json: unknown, values: ActionValues): unknown {
  const fill = (text: string): string => fillVariables(text, values, (value) => value)
  if (typeof json === 'string') return fill(json)
  if (Array.isArray(json)) return json.map((one) => fillJson(one, values))
  if (typeof json !== 'object' || json === null) return json
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [fill(key), fillJson(value, values)]),
  )
}
