import type { ScheduledMessage } from '../../api/shapes'
import { t } from '../../texts/texts'

/** The text of a message, or its caption; of others what they are. */
export function wordsOf({ message }: ScheduledMessage): string {
  const { text, caption, body, template_name: template } = message
  const words = [text, caption, body].find((one) => typeof one === 'string' && one !== '')
  if (typeof words === 'string') return words
  if (typeof template === 'string') return t('records.scheduled.template', { name: template })
  return t('inbox.scheduled.other')
}
