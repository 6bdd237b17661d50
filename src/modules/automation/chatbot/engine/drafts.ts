import type { NewMessage } from '../../../inbox/messages/compose/model'
import type { Draft } from './model'

/** Maximum lengths on the platform, in Unicode characters. */
const LIMITS = { text: 4_096, caption: 1_024, body: 1_024, listBody: 4_096 }

/** Types of files that can have a caption. */
const CAPTIONED: ReadonlySet<string> = new Set(['image', 'video', 'document'])

/** Adds a message to those of the turn, as part of the last one if the platform allows it. */
export function addDraft(drafts: Draft[], next: Draft, isCoalesced: boolean): void {
  const last = drafts.at(-1)
  const joined = last && isCoalesced ? joinDrafts(last, next) : null
  if (!last || !joined) drafts.push(next)
  else
    drafts.splice(-1, 1, {
      input: joined,
      seqs: [...last.seqs, ...next.seqs],
      isOfFlow: last.isOfFlow || next.isOfFlow,
      aiModel: next.aiModel ?? last.aiModel,
      isGreeting: last.isGreeting === true && keepsButtons(next),
    })
}

/**
 * Returns two drafts as one message, or `null`. An answer follows the greeting above its buttons,
 * unless it has buttons of its own or is a step of a flow, which taps would answer.
 */
function joinDrafts(last: Draft, next: Draft): NewMessage | null {
  const { input } = last
  const body = input.interactive?.body
  if (last.isGreeting !== true || body === undefined) return join(input, next.input)
  return keepsButtons(next)
    ? withText(input, next.input.text, 'under')
    : join(textMessage(body), next.input)
}

/** Whether the buttons of the greeting stay below an answer. */
const keepsButtons = ({ input, isOfFlow }: Draft): boolean => input.type === 'text' && !isOfFlow

/** Returns two messages as one, or `null` if the platform does not allow it. */
function join(first: NewMessage, second: NewMessage): NewMessage | null {
  if (first.type === 'text') return withText(second, first.text, 'before')
  return second.type === 'text' ? withText(first, second.text, 'after') : null
}

/**
 * Returns a message with a text before or after its own, or `null` if that is not possible: `after`
 * is below its buttons, `under` between its text and them.
 */
function withText(
  message: NewMessage,
  text: string | undefined,
  place: 'before' | 'after' | 'under',
): NewMessage | null {
  if (text === undefined) return null
  const both = (own: string | undefined, limit: number): string | null => {
    const parts = place === 'before' ? [text, own] : [own, text]
    const joined = parts.filter((part) => part !== undefined && part !== '').join('\n\n')
    return [...joined].length <= limit ? joined : null
  }
  if (message.type === 'text') {
    const joined = both(message.text, LIMITS.text)
    return joined === null ? null : { ...message, text: joined }
  }
  if (CAPTIONED.has(message.type)) {
    const caption = both(message.caption, LIMITS.caption)
    return caption === null ? null : { ...message, caption }
  }
  // A text below buttons would be a message of its own for the customer.
  const { interactive } = message
  if (interactive?.body === undefined || place === 'after') return null
  const body = both(interactive.body, interactive.type === 'list' ? LIMITS.listBody : LIMITS.body)
  return body === null ? null : { ...message, interactive: { ...interactive, body } }
}

export const textMessage = (text: string): NewMessage => ({ type: 'text', text })

/** Reply buttons of a message at most; more are a list. */
const MAX_REPLY_BUTTONS = 3

/** The label that opens a list. */
const LIST_LABEL = 'Menu'

/** Returns a text with buttons: up to three reply buttons, or a list. */
export function buttonsMessage(at: {
  body: string
  buttons: readonly { id: string; title: string }[]
  header?: string | null | undefined
  footer?: string | null | undefined
}): NewMessage {
  const { body, buttons } = at
  const around = {
    ...(at.header == null ? {} : { header: at.header }),
    ...(at.footer == null ? {} : { footer: at.footer }),
  }
  if (buttons.length === 0) return textMessage(body)
  const rows = buttons.map(({ id, title }) => ({ id, title }))
  return {
    type: 'interactive',
    interactive:
      buttons.length <= MAX_REPLY_BUTTONS
        ? { type: 'button', body, ...around, buttons: rows }
        : { type: 'list', body, ...around, button_text: LIST_LABEL, sections: [{ rows }] },
  }
}

/** Returns a message with a file. Sounds and stickers have no caption. */
export function mediaMessage(at: {
  kind: string
  mediaId: string
  caption: string | null
  filename?: string | null | undefined
}): NewMessage {
  const type = at.kind as 'image' | 'video' | 'audio' | 'document' | 'sticker'
  const hasCaption = type !== 'audio' && type !== 'sticker' && at.caption !== null
  return {
    type,
    media_id: at.mediaId,
    ...(hasCaption ? { caption: at.caption ?? '' } : {}),
    ...(type === 'document' && at.filename != null ? { filename: at.filename } : {}),
  }
}
