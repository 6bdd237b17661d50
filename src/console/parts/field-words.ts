import type { ApiError } from '../api/error'
import { findText, t } from '../texts/texts'

/**
 * What the server says about a field, in the language of the person. Problems of fields have no
 * codes; these are the sentences of its schemas, of which a form can cause a few.
 */
const KNOWN: readonly [said: RegExp, inWords: (numbers: number[]) => string][] = [
  [
    /^is required(?: for this archive)?$|^must not be (?:empty|blank)\b/,
    () => t('parts.field.required'),
  ],
  [/^must have at least (\d+) characters$/, ([count = 1]) => t('parts.field.short', { count })],
  [/^must have at most (\d+) characters$/, ([count = 1]) => t('parts.field.long', { count })],
  [/^must be an email address\b/, () => t('parts.field.email')],
  [
    /^must be (\d+) to (\d+) characters\b/,
    ([least = 1, most = 1]) => t('parts.field.between', { least, most }),
  ],
  // of templates
  [/^must not begin or end with a variable/, () => t('parts.field.variable-edge')],
  [/^must have text between variables/, () => t('parts.field.variable-pair')],
  [/^has too many variables for its length/, () => t('parts.field.variable-many')],
  [/^requires an example of/, () => t('parts.field.variable-example')],
  [/^is required: an example of/, () => t('parts.field.variable-example')],
  [/^is required: upload a sample file/, () => t('parts.field.sample')],
  [/no \{\{\d+\}\}: number the variables/, () => t('parts.field.variable-gap')],
  [/^mixes (?:numbered|named)/, () => t('parts.field.variable-mix')],
  [
    /^has \{\{.*which is no variable|braces that do not form/,
    () => t('parts.field.variable-odd', { one: '{{1}}', name: '{{name}}' }),
  ],
  [/^allows no variables/, () => t('parts.field.variable-none')],
  [/^allows one variable at most/, () => t('parts.field.variable-one')],
  [/^must be an http or https URL/, () => t('parts.field.address')],
  [/^supports only one variable, \{\{1\}\}, at its end/, () => t('parts.field.address-variable')],
  [/^must be a phone number/, () => t('parts.field.phone')],
  // of files that are imported
  [/^is not a phone number/, () => t('parts.field.phone')],
  [/quick replies with different texts/, () => t('parts.field.same-replies')],
  [/^must have the same header format/, () => t('parts.field.same-cards')],
  [/^is taken by another template/, () => t('parts.field.taken')],
  [/^must have 3 to 35 letters, digits/, () => t('parts.field.username')],
  [/^must contain letters a to z/, () => t('parts.field.letters')],
  // of campaigns
  [/^must be in the future/, () => t('parts.field.future')],
  [/^is not a segment that you can use/, () => t('parts.field.segment')],
  // of webhooks and custom actions
  [/^must be sent again, because/, () => t('parts.field.secret-again')],
  [/^must be `whsec_`/, () => t('parts.field.secret')],
  [/^must be before `to`|^must be at most seven days/, () => t('parts.field.span')],
  [/^selects more than \d+ deliveries/, () => t('parts.field.span-many')],
]

/** Returns a sentence of the server about a field in the language of the person. */
export const fieldSentence = (said: string): string => {
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
      ofCode ?? fieldSentence(message),
    ]),
  )
}
