import type { Ctx } from '../../../../infra/ctx'
import { urlProblem } from '../../../../infra/require-allowed-url'
import { hasDotSegment } from '../../../../lib/dot-segments'
import { bytesToUuid } from '../../../../infra/db/uuid'
import { problemOfForeignGraph } from '../../../automation/chatbot/bot-flows/validate/foreign-graph'
import { reportCompletionUrl } from '../../../automation/chatbot/bot-flows/read-settings'
import { Findings } from '../../../automation/chatbot/bot-flows/validate/findings'
import { reportFixedHost } from '../../../automation/chatbot/bot-flows/validate/texts'
import { DRAFT, type StoredSettings } from '../../../automation/chatbot/bot-flows/table'
import { withoutVariables } from '../../../automation/custom-actions/variables'
import { wrongValue, type ArchivePlace } from './fault'
import type { RowToStore } from './row-reader'

/** An address in a row, and whether this server calls it. */
interface Address {
  column: string
  url: string
  isCalled: boolean
}

const memberOf = (row: RowToStore, column: string, member: string): string | null => {
  const text = row[column]
  if (typeof text !== 'string') return null
  const value = (JSON.parse(text) as Record<string, unknown>)[member] // an object by its rule
  return typeof value === 'string' ? value : null
}

const called = (column: string, url: unknown): Address[] =>
  typeof url === 'string' ? [{ column, url, isCalled: true }] : []

/** The addresses that people write, by table. */
const ADDRESSES: Record<string, (row: RowToStore) => Address[]> = {
  ai_contexts: (row) => called('api_config', memberOf(row, 'api_config', 'url')),
  chatbot_settings: (row) => called('fields', memberOf(row, 'fields', 'ai_base_url')),
  custom_actions: (row) => {
    const url = memberOf(row, 'config', 'url')
    return url === null
      ? []
      : [{ column: 'config', url, isCalled: row['action_type'] === 'webhook' }]
  },
  flows: (row) => called('endpoint_config', memberOf(row, 'endpoint_config', 'url')),
  webhook_endpoints: (row) => called('url', row['url']),
}

/** Throws ArchiveFault unless the request that a bot flow ends with is one that this server may send. */
function requireCompletion(ctx: Ctx, row: RowToStore, place: ArchivePlace): void {
  const { completion } = JSON.parse(String(row['settings'])) as StoredSettings // by its rule
  if (completion === null) return
  const findings = new Findings()
  reportCompletionUrl(ctx, completion.url, 'completion', findings)
  if (completion.headerNames.length > 0) reportFixedHost(completion.url, 'completion', findings)
  const [first] = findings.all
  if (first) throw wrongValue('settings', `has an address that ${first.message}`, place)
}

/** Throws ArchiveFault unless the file that a keyword rule sends is at an address the API takes. */
function requireFileAddress(ctx: Ctx, row: RowToStore, place: ArchivePlace): void {
  const { url } = JSON.parse(String(row['response_content'])) as { url?: unknown } // by its rule
  if (url === undefined || url === null) return
  const problem =
    typeof url === 'string' && url.length <= MAX_URL ? urlProblem(ctx, url) : 'is no address'
  if (problem !== null)
    throw wrongValue('response_content', `has an address that ${problem}`, place)
}
const MAX_URL = 2_000

/** How the types of files of a kind begin; documents are of any type. */
const TYPES: Record<string, RegExp> = {
  image: /^image\/(?!svg)/,
  sticker: /^image\/(?!svg)/,
  video: /^video\//,
  audio: /^(?:audio\/|application\/ogg)/,
}

/**
 * Requires of the values of a row what the API requires of values that depend on each other or on this
 * server: addresses that it may call, and files of the type of their kind. Throws ArchiveFault.
 */
export function requireAllowedValues(
  ctx: Ctx,
  table: string,
  { row, place }: { row: RowToStore; place: ArchivePlace },
): void {
  if (typeof row['deleted_at_ms'] === 'number') return
  const { fetchGuarded } = ctx
  if (table === 'bot_flows') requireCompletion(ctx, row, place)
  if (table === 'keyword_rules') requireFileAddress(ctx, row, place)
  for (const { column, url, isCalled } of ADDRESSES[table]?.(row) ?? []) {
    const fixed = withoutVariables(url)
    if (!/^https?:\/\/[^/?#{}\s]+(?=[/?#]|$)/i.test(url) || !URL.canParse(fixed))
      throw wrongValue(column, 'must have an http or https address', place)
    if (hasDotSegment(fixed))
      throw wrongValue(column, 'must not have an address with a segment of dots', place)
    const isPlain = /^http:/i.test(fixed) && !fetchGuarded.allowsPlain(fixed)
    if (isCalled && (isPlain || fetchGuarded.refusalOf(fixed) !== null))
      throw wrongValue(column, 'has an address that this server may not call', place)
  }
  const allowed = table === 'media' ? TYPES[String(row['kind'])] : undefined
  if (allowed && row['mime_type'] != null && !allowed.test(String(row['mime_type'])))
    throw wrongValue(
      'mime_type',
      `must be the type of a file of the kind ${String(row['kind'])}`,
      place,
    )
}

/**
 * Requires of the graph of a bot flow what the API requires, also of a draft what it requires of drafts.
 * Throws ArchiveFault.
 */
export async function requireValidGraph(
  ctx: Ctx,
  { row, place, isMove }: { row: RowToStore; place: ArchivePlace; isMove: boolean },
): Promise<void> {
  const found = await problemOfForeignGraph(ctx, {
    flowId: bytesToUuid(row['flow_id'] as Uint8Array),
    graph: JSON.parse(String(row['graph'])), // JSON by its rule
    headers: jsonIn(row, 'headers_sealed', place),
    ...{ isDraft: row['version'] === DRAFT, isVouched: isMove },
  })
  if (found !== null) throw wrongValue('graph', `is wrong: ${found.path} ${found.message}`, place)
}

function jsonIn(row: RowToStore, column: string, place: ArchivePlace): unknown {
  const text = row[column]
  if (typeof text !== 'string') return null
  try {
    return JSON.parse(text)
  } catch {
    throw wrongValue(column, 'must be JSON', place)
  }
}
