import type { Body } from '../../../api/client'
import type { AiContext, AiContextItem } from '../../../api/shapes'
import type { Merge } from '../../../parts/merge'
import { t, type TextKey } from '../../../texts/texts'

/** Where knowledge comes from. */
export type Kind = 'text' | 'page' | 'document'

/** A header of a request. */
export interface Header {
  name: string
  value: string
}

/** What a person writes about a source. */
export interface SourceForm {
  name: string
  content: string
  url: string
  method: 'GET' | 'POST'
  headers: Header[]
  body: string
  path: string
  seconds: number
  trigger_keywords: string[]
  priority: number
  enabled: boolean
  account_id: string | null
  /** When it was changed. */
  at: string
}

/** A source that is not written yet. */
export const EMPTY_SOURCE: SourceForm = {
  ...{ name: '', content: '', url: '', method: 'GET', headers: [], body: '', path: '' },
  ...{ seconds: 300, trigger_keywords: [], priority: 10, enabled: true, account_id: null, at: '' },
}

/** Returns a source that is to answer a question: the AI finds it by the words of the question. */
export const answerTo = ({ text }: { text: string }): SourceForm => ({
  ...EMPTY_SOURCE,
  ...{ name: text.slice(0, 255), content: `${text}\n` },
})

/** Returns where the knowledge of a source comes from. */
export const kindOf = (source: Pick<AiContextItem, 'context_type' | 'document'>): Kind =>
  source.context_type === 'api' ? 'page' : source.document === null ? 'text' : 'document'

/** Returns what a person writes about a source that there is. */
export function sourceFormOf(source: AiContext): SourceForm {
  const { api_config: api } = source
  return {
    name: source.name,
    content: source.content ?? '',
    url: api?.url ?? '',
    method: api?.method ?? 'GET',
    headers: Object.entries(api?.headers ?? {}).map(([name, value]) => ({ name, value })),
    body: api?.body ?? '',
    path: api?.response_path ?? '',
    seconds: api?.cache_seconds ?? 300,
    trigger_keywords: source.trigger_keywords,
    priority: source.priority,
    enabled: source.enabled,
    account_id: source.account_id,
    at: source.updated_at,
  }
}

const REQUEST = ['url', 'method', 'headers', 'body', 'path', 'seconds'] as const

/** Returns changes as the server takes them: the request of a page as a whole. */
export function sourceBodyOf(
  changes: Partial<SourceForm>,
  whole: SourceForm,
  kind: Kind,
): Body<'PUT /api/chatbot/ai-contexts/{id}'> {
  const { name, content, trigger_keywords, priority, enabled, account_id } = changes
  const written = { name, trigger_keywords, priority, enabled, account_id }
  const given = Object.fromEntries(
    Object.entries(written).filter(([, value]) => value !== undefined),
  )
  if (kind === 'text') return content === undefined ? given : { ...given, content }
  if (kind === 'document' || REQUEST.every((field) => changes[field] === undefined)) return given
  return {
    ...given,
    api_config: {
      url: whole.url,
      method: whole.method,
      headers: Object.fromEntries(
        whole.headers.filter((one) => one.name !== '').map((one) => [one.name, one.value]),
      ),
      body: whole.method === 'POST' && whole.body !== '' ? whole.body : null,
      response_path: whole.path === '' ? null : whole.path,
      cache_seconds: whole.seconds,
    },
  }
}

const LABELS: Record<keyof SourceForm, TextKey> = {
  name: 'bot.rules.name',
  content: 'bot.ai.text',
  url: 'bot.ai.address',
  method: 'bot.ai.method',
  headers: 'bot.ai.headers',
  body: 'bot.ai.body',
  path: 'bot.ai.path',
  seconds: 'bot.ai.seconds',
  trigger_keywords: 'bot.ai.triggers',
  priority: 'bot.rules.priority',
  enabled: 'bot.rules.enabled',
  account_id: 'bot.rules.number',
  at: 'bot.other',
}

/** How a form of a source shows what somebody else saved meanwhile. */
export const SOURCE_MERGE: Merge<SourceForm> = {
  read: (present) => sourceFormOf(present as AiContext),
  label: (field) => t(LABELS[field]),
  show: (field, value) =>
    field === 'headers' ? (value as Header[]).map(({ name }) => name).join(', ') : null,
}
