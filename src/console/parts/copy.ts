import { notify, report } from './toast'
import { t } from '../texts/texts'

/** Copies a text to the clipboard of the system, and says so. */
export const copyText = (text: string): void => {
  navigator.clipboard
    .writeText(text)
    .then(() => {
      notify(t('parts.action.copied'))
    })
    .catch(report)
}
