/**
 * Invisible characters that control terminals and mail programs: control characters (C0, DEL, C1),
 * line and paragraph separators, direction overrides and lone surrogates.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/u

/** Reports whether a text contains none of these characters. */
export const isPrintable = (text: string): boolean => !UNPRINTABLE.test(text)

/** Escapes these characters as JSON does (`\u001b`), except line ends. */
export const printable = (text: string): string =>
  text.replace(new RegExp(UNPRINTABLE, 'gu'), (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
