import { eq } from 'drizzle-orm'

import { foldText } from '../../../../lib/fold-text'
import { ConflictError } from '../../../../lib/errors'
import { readOrThrow, type Report } from '../../../../lib/input-problems'
import { readHeaders } from '../../../../lib/outgoing-headers'
import { normalText } from '../../../../lib/whole-words'
import type { Ctx } from '../../../../infra/ctx'
import { requireAllowedUrl } from '../../../../infra/require-allowed-url'
import { requireUnique } from '../../../../infra/require-unique'
import { findAccount } from '../../../channel/accounts/queries'
import { aiContexts } from '../table'
import { contextHeaders } from './headers'
import type { AiContextChanges, NewApiConfig } from './model'
import { sizeOfContexts } from './queries'
import { apiConfigOf, type ApiConfig, type ContextRow } from './view'

/** Limits of an organization. */
export const MAX_CONTEXTS = 200
const MAX_TEXT_BYTES = 50 * 1_024 * 1_024

const DEFAULT_CACHE_SECONDS = 300

/** Columns of a context that a request changes. */
export type ContextColumns = Partial<
  Pick<
    ContextRow,
    | 'name'
    | 'nameKey'
    | 'content'
    | 'apiConfig'
    | 'headersSealed'
    | 'triggerKeywords'
    | 'priority'
    | 'isEnabled'
    | 'accountId'
  >
>

/** The context that a request creates or changes. */
interface Target {
  id: string
  type: ContextRow['type']
  /** `null` for a new one. */
  before: ContextRow | null
}

/**
 * Returns the columns of the given fields. Throws InvalidError with every invalid field,
 * `url_refused`, and ConflictError `name_taken`.
 */
export function validateContext(
  ctx: Ctx,
  { id, type, before }: Target,
  input: AiContextChanges,
): ContextColumns {
  const columns = readOrThrow((report): ContextColumns => {
    const { content, trigger_keywords, priority, enabled, account_id } = input
    if (type === 'api' && content != null)
      report('body.content', 'is only for contexts of the type static')
    if (type === 'static' && input.api_config != null)
      report('body.api_config', 'is only for contexts of the type api')
    if (type === 'api' && (before === null ? !input.api_config : input.api_config === null))
      report('body.api_config', 'is required')
    if (account_id != null && !isConnected(ctx, account_id))
      report('body.account_id', 'is not a connected phone number')
    return {
      ...nameColumns(report, input.name),
      ...(content === undefined || type === 'api' ? {} : { content: cleanContent(content) }),
      ...(input.api_config && type === 'api'
        ? apiColumns(ctx, report, { id, before, config: input.api_config })
        : {}),
      ...(trigger_keywords === undefined
        ? {}
        : { triggerKeywords: JSON.stringify(keywordsOf(trigger_keywords)) }),
      ...(priority === undefined ? {} : { priority }),
      ...(enabled === undefined ? {} : { isEnabled: enabled }),
      ...(account_id === undefined ? {} : { accountId: account_id }),
    }
  })
  if (input.api_config && type === 'api')
    requireAllowedUrl(ctx, 'body.api_config.url', input.api_config.url)
  if (columns.nameKey !== undefined)
    requireUnique(ctx, {
      table: aiContexts,
      kind: 'context',
      field: 'name',
      where: eq(aiContexts.nameKey, columns.nameKey),
      except: before?.id ?? null,
    })
  return columns
}

function isConnected(ctx: Ctx, accountId: string): boolean {
  const account = findAccount(ctx, accountId)
  return account !== null && account.deletedAtMs === null
}

function nameColumns(report: Report, written: string | undefined): ContextColumns {
  if (written === undefined) return {}
  const name = written.trim()
  if (name === '') report('body.name', 'must not be blank')
  return { name, nameKey: foldText(name) }
}

const cleanContent = (content: string | null): string | null =>
  content === null || content.trim() === ''
    ? null
    : content.replaceAll('\r\n', '\n').replaceAll('\0', '').toWellFormed()

/** Returns distinct keywords without blank ones. */
const keywordsOf = (written: string[]): string[] => [
  ...new Set(written.map((word) => normalText(word)).filter((word) => word !== '')),
]

function apiColumns(
  ctx: Ctx,
  report: Report,
  { id, before, config }: { id: string; before: ContextRow | null; config: NewApiConfig },
): ContextColumns {
  const held = before === null ? null : apiConfigOf(before)
  const headers = readHeaders(report, {
    path: 'body.api_config.headers',
    given: config.headers,
    url: config.url,
    held: before && held && { url: held.url, values: contextHeaders.open(ctx, before) },
  })
  const method = config.method ?? held?.method ?? 'GET'
  const body = config.body === undefined ? (held?.body ?? null) : config.body
  if (method === 'GET' && config.body != null)
    report('body.api_config.body', 'is only for the method POST')
  const stored: ApiConfig = {
    url: config.url,
    method,
    headers: Object.keys(headers),
    body: method === 'GET' ? null : body,
    response_path:
      config.response_path === undefined ? (held?.response_path ?? null) : config.response_path,
    cache_seconds: config.cache_seconds ?? held?.cache_seconds ?? DEFAULT_CACHE_SECONDS,
  }
  return { apiConfig: JSON.stringify(stored), headersSealed: contextHeaders.seal(ctx, id, headers) }
}

/** Requires room for one more context. Throws ConflictError `limit_reached`. */
export function requireRoomForContext(ctx: Ctx): void {
  if (sizeOfContexts(ctx).contexts >= MAX_CONTEXTS)
    throw new ConflictError(
      `An organization can have ${MAX_CONTEXTS} AI contexts. Delete one first.`,
      {
        code: 'limit_reached',
      },
    )
}

/** Returns the bytes of text that the organization can still store, without those of one context. */
export const roomForText = (ctx: Ctx, except: Pick<ContextRow, 'textBytes'> | null): number =>
  MAX_TEXT_BYTES - sizeOfContexts(ctx).bytes + (except?.textBytes ?? 0)

/** The sentence about a text that exceeds the limit of the organization. */
export const NO_ROOM_FOR_TEXT =
  'The AI contexts of an organization can hold 50 MB of text. Delete a context or shorten a text.'

/** Requires room for a text that replaces the one of `before`. Throws ConflictError `limit_reached`. */
export function requireRoomForText(ctx: Ctx, bytes: number, before: ContextRow | null): void {
  if (bytes > roomForText(ctx, before))
    throw new ConflictError(NO_ROOM_FOR_TEXT, { code: 'limit_reached' })
}
