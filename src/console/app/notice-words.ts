import type { Notification } from '../api/shapes'
import { formatDateTime } from '../texts/format'
import {
  findText,
  loadLateTexts,
  loadNotices,
  noticeText,
  t,
  type TextValues,
} from '../texts/texts'

/** Loads what `noticeWords` needs. Without it, notifications say what the server says. */
export const loadNoticeWords = async (): Promise<unknown> =>
  await Promise.all([loadNotices(), loadLateTexts()])

/** What a notification says, in the language of the person if its text is known here. */
export function noticeWords({
  text,
  title,
  body,
}: Pick<Notification, 'text' | 'title' | 'body'>): Pick<Notification, 'title' | 'body'> {
  if (text === null) return { title, body }
  const { code, values } = text
  const heading = noticeText(`notice.${code}.title`, shownValues(values))
  if (heading === null) return { title, body }
  const { about, advice } = values
  const sentences = [bodyOf(code, values), reasonIn(values), advice]
  return {
    title: about === undefined ? heading : `${heading}: ${about}`,
    body: sentences.filter((words) => words !== undefined && words !== '').join(' '),
  }
}

/** The values of a text as people write them. What nobody knows has a word too. */
const shownValues = (values: TextValues): TextValues => ({
  ...{ by: t('shell.notice.someone'), flow: '…', team: 'none' },
  ...Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      name.endsWith('_at')
        ? formatDateTime(String(value))
        : (wordsOf('templates.category.', value) ?? value),
    ]),
  ),
})

/** The body of a text. Some have only what the server says, which may have a code. */
function bodyOf(code: string, values: TextValues): string {
  const { pause, error, message = '' } = values
  return (
    noticeText(`notice.${code}.body`, shownValues(values)) ??
    wordsOf('campaigns.paused.', pause) ??
    wordsOf('parts.error.', error) ??
    String(message)
  )
}

/** Why it happened, in plain words where the code of it is known. */
function reasonIn({ reason }: TextValues): string {
  if (reason === undefined || reason === '') return ''
  const words = wordsOf('templates.reason.', reason) ?? wordsOf('bot.end.', reason) ?? reason
  return t('shell.notice.reason', { reason: words })
}

/** The text that a screen has for a code. */
const wordsOf = (texts: string, code: string | number = ''): string | null =>
  findText(`${texts}${code}`)
