/**
 * Signs that nobody sees but terminals, mail programs and whoever reads obey: control characters
 * (C0, DEL, C1), line and paragraph separators, what turns the direction of writing over, and
 * halves of signs.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/u

/** Whether a text is free of them. */
export const isPrintable = (text: string): boolean => !UNPRINTABLE.test(text)

/** A text with each of them spelled out, as JSON does (`\u001b`), line ends excepted. */
export const printable = (text: string): string =>
  text.replace(new RegExp(UNPRINTABLE, 'gu'), (sign) =>
    sign === '\n' ? sign : `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
