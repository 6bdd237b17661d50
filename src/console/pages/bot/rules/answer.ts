import type { KeywordRule } from '../../../api/shapes'
import type { PhoneHeader, PhoneMessage } from '../../../parts/phone/message'
import { botMessage } from '../message-fields'
import type { BotButton } from '../buttons-field'

/** Files that a rule can answer with. */
export const MEDIA = ['image', 'video', 'audio', 'document', 'sticker'] as const
type Media = (typeof MEDIA)[number]

/** What is sent beside the text, as the server keeps it. Which fields count depends on the kind. */
export interface Content {
  buttons?: BotButton[]
  header?: string | null
  footer?: string | null
  media_id?: string | null
  url?: string | null
  kind?: Media
  filename?: string | null
  template_id?: string
  params?: Record<string, string>
  flow_id?: string
  team_id?: string | null
  notes?: string | null
}

/** Returns the content of a rule. The server has checked it. */
export const contentOf = ({ response_content: content }: Pick<KeywordRule, 'response_content'>) =>
  content as Content

function fileOf({ kind = 'image', media_id: id, url, filename }: Content): PhoneHeader {
  const file = id == null ? (url ?? null) : `/api/media/${id}`
  // the policy of the page shows no file of another server
  const shown = file?.startsWith('/') ? file : null
  if (kind === 'image' || kind === 'sticker') return { kind: 'image', file: shown }
  if (kind === 'video') return { kind, file: shown }
  return { kind: 'document', file: null, name: filename ?? null }
}

/** Returns what a customer sees of the answer of a rule; `null` for what is shown elsewhere. */
export function shownAnswer(
  rule: Pick<KeywordRule, 'response_type' | 'response' | 'response_content'>,
): PhoneMessage | null {
  const content = contentOf(rule)
  const text = rule.response ?? ''
  switch (rule.response_type) {
    case 'template':
    case 'flow':
      return null
    case 'transfer':
      return text === '' ? null : botMessage(text, [])
    case 'media':
      return { ...botMessage(text, []), header: fileOf(content) }
    case 'text':
      return botMessage(text, [])
    case 'buttons': {
      const { header, footer, buttons = [] } = content
      return {
        ...botMessage(text, buttons),
        header: header == null || header === '' ? null : { kind: 'text', text: header },
        footer: footer ?? '',
      }
    }
  }
}
