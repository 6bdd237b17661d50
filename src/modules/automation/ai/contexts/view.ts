import { isoTime } from '../../../../lib/clock'
import { hiddenHeaders } from '../../../../lib/outgoing-headers'
import type { aiContexts } from '../table'
import { MAX_LISTED_CONTENT, type AiContextItem, type AiContextView } from './model'

/** Database row of a context. */
export type ContextRow = typeof aiContexts.$inferSelect

/** Stored configuration of an API context; header values are stored separately. */
export interface ApiConfig {
  url: string
  method: 'GET' | 'POST'
  headers: string[]
  body: string | null
  response_path: string | null
  cache_seconds: number
}

/** Returns the configuration of an API context, `null` for a static one. */
export const apiConfigOf = ({ apiConfig }: Pick<ContextRow, 'apiConfig'>): ApiConfig | null =>
  apiConfig === null ? null : (JSON.parse(apiConfig) as ApiConfig)

/** Returns the trigger keywords of a context. */
export const triggersOf = ({ triggerKeywords }: Pick<ContextRow, 'triggerKeywords'>): string[] =>
  JSON.parse(triggerKeywords) as string[]

/** Returns a context as the API shows it. */
export function contextView(row: ContextRow): AiContextView {
  const config = apiConfigOf(row)
  return {
    id: row.id,
    name: row.name,
    context_type: row.type,
    content: row.content,
    api_config: config && { ...config, headers: hiddenHeaders(config.headers) },
    document:
      row.documentState === null
        ? null
        : {
            filename: row.documentFilename,
            size_bytes: row.documentSizeBytes ?? 0,
            state: row.documentState,
            error: row.documentError,
            pages: row.documentPages,
            characters: row.characters,
            chunks: row.chunks,
          },
    trigger_keywords: triggersOf(row),
    priority: row.priority,
    enabled: row.isEnabled,
    account_id: row.accountId,
    created_at: isoTime(row.createdAtMs),
    updated_at: isoTime(row.updatedAtMs),
  }
}

/** Returns a context as lists show it: a long text of its own is left out. */
export function contextItem(row: ContextRow): AiContextItem {
  const { content, ...item } = contextView(row)
  const isLong = row.documentState === null && row.characters > MAX_LISTED_CONTENT
  return isLong ? item : { ...item, content }
}
