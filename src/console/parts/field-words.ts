import type { ApiError } from '../api/error'
import { findText, t } from '../texts/texts'

/**
 * What the server says about a field, in the language of the person. Problems of fields have no
 * codes; these are the sentences of its schemas, of which a form can cause a few.
 */
const KNOWN: readonly [said: RegExp, inWords: (numbers: number[]) => string][] = [
  [/^is required$|^must not be (?:empty|blank)$/, () => t('parts.field.required')],
  [/^must have at least (\d+) characters$/, ([count = 1]) => t('parts.field.short', { count })],
  [/^must have at most (\d+) characters$/, ([count = 1]) => t('parts.field.long', { count })],
  [/^must be an email address\b/, () => t('parts.field.email')],
  [
    /^must be (\d+) to (\d+) characters\b/,
    ([least = 1, most = 1]) => t('parts.field.between', { least, most }),
  ],
]

const wordsOf = (said: string): string => {
  for (const [sentence, inWords] of KNOWN) {
    const found = sentence.exec(said)
    if (found) return inWords(found.slice(1).map(Number))
  }
  return said
}

/** Returns what is wrong with each field, by its path in the body. */
export function fieldWords({ code, more }: ApiError): Record<string, string> {
  const ofCode = findText(`parts.error.${code}`)
  return Object.fromEntries(
    more.fields.map(({ path, message }) => [
      path.replace(/^body\./, ''),
      ofCode ?? wordsOf(message),
    ]),
  )
}
