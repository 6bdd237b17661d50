import { fieldSentence } from '../../parts/field-words'
import { t } from '../../texts/texts'

/** Sentences of the server that only templates cause. */
const KNOWN: readonly [said: RegExp, inWords: (count: number) => string][] = [
  [/^is required for \w+: the apps/, () => t('templates.wrong.apps')],
  [/^must be an Android package name/, () => t('templates.wrong.package')],
  [/^must be the app signature hash/, () => t('templates.wrong.hash')],
  [/terms for zero-tap codes$/, () => t('templates.wrong.terms')],
  [/^must have its quick replies next to/, () => t('templates.wrong.replies')],
  [/^or flow_name or flow_json is required/, () => t('templates.wrong.form')],
  [/^must have at most (\d+) buttons/, (count) => t('templates.wrong.many', { count })],
  [/^requires a header with an image/, () => t('templates.wrong.card-header')],
  [/^requires one or two buttons/, () => t('templates.wrong.card-buttons')],
  [/^is required: at least one button/, () => t('templates.wrong.card-buttons')],
  [/^has an example of more than/, () => t('templates.wrong.example-long')],
  [/^must be one line/, () => t('templates.wrong.line')],
  [/^allows a LIMITED_TIME_OFFER only/, () => t('templates.wrong.offer')],
  [/^must be a whole number from \d+ to \d+ for the category/, () => t('templates.wrong.ttl')],
]

/** Returns what WhatsApp would refuse, in the language of the person. */
export function problemSentence(said: string): string {
  for (const [sentence, inWords] of KNOWN) {
    const found = sentence.exec(said)
    if (found) return inWords(Number(found[1]))
  }
  return fieldSentence(said)
}
