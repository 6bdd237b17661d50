import {
  FetchRefusal,
  type GuardedFetch,
  type OutgoingRequest,
} from '../../../../infra/guarded-fetch'
import { SECOND_MS } from '../../../../lib/clock'
import type { NodeConfig } from '../bot-flows/node-config'
import type { LiquidTemplates, TemplateData } from '../../../../infra/liquid/liquid'
import { NO_RESULT, type CallResult } from './model'

/** Maximum size of a response that is read, bytes. */
const MAX_BYTES = 1_024 * 1_024

/** The request of a node: texts are templates, `headers` are decrypted. */
export interface RequestConfig {
  url: string
  method: OutgoingRequest['method']
  headers: Record<string, string>
  body?: string | null | undefined
  timeoutMs: number
  /** Variables and the paths of their values in the response. */
  mapping: Record<string, string>
  /** The same for each attempt of the request. */
  key: string
}

/** Returns the request of an `api_call` node. `headers` are its decrypted header values. */
export const requestConfigOf = (
  config: NodeConfig<'api_call'>,
  headers: Record<string, string>,
  key: string,
): RequestConfig => ({
  ...config,
  headers,
  timeoutMs: config.timeout_seconds * SECOND_MS,
  mapping: config.response_mapping,
  key,
})

/** A request ready to send. */
export interface ApiRequest {
  url: string
  sends: OutgoingRequest
  timeoutMs: number
  mapping: Record<string, string>
}

/** Address and body of a request, rendered. */
export interface RequestTarget {
  url: string
  body: string | null
}

/** Renders address and body of a request. Returns the first problem instead, if there is one. */
export function renderTarget(
  liquid: LiquidTemplates,
  config: Pick<RequestConfig, 'url' | 'body'>,
  data: TemplateData,
): { target: RequestTarget } | { problem: string } {
  const url = liquid.renderTemplate(config.url, data, 'url')
  if (!url.ok) return { problem: url.problem }
  const body = config.body == null ? null : liquid.renderTemplate(config.body, data, 'json')
  if (body?.ok === false) return { problem: body.problem }
  return { target: { url: url.text, body: body?.text ?? null } }
}

/** Renders the templates of a request. Returns the first problem instead, if there is one. */
export function buildRequest(
  liquid: LiquidTemplates,
  config: RequestConfig,
  data: TemplateData,
): { request: ApiRequest } | { problem: string } {
  const rendered = renderTarget(liquid, config, data)
  return 'problem' in rendered ? rendered : requestTo(liquid, rendered.target, config, data)
}

/** Returns the request to a rendered address, with its headers, which are still templates. */
export function requestTo(
  liquid: LiquidTemplates,
  { url, body }: RequestTarget,
  config: Omit<RequestConfig, 'url' | 'body'>,
  data: TemplateData,
): { request: ApiRequest } | { problem: string } {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(config.headers)) {
    const rendered = liquid.renderTemplate(value, data, 'header')
    if (!rendered.ok) return { problem: rendered.problem }
    headers[name.toLowerCase()] = rendered.text
  }
  return {
    request: {
      url,
      sends: {
        method: config.method,
        headers: {
          accept: 'application/json',
          ...(body === null ? {} : { 'content-type': 'application/json' }),
          ...headers,
          'idempotency-key': config.key,
        },
        body: config.method === 'GET' ? null : body,
      },
      timeoutMs: config.timeoutMs,
      mapping: config.mapping,
    },
  }
}

/** Sends a request and reads the mapped values of its response. Every failure is a result. */
export async function askApi(
  fetchGuarded: GuardedFetch,
  { url, sends, timeoutMs, mapping }: ApiRequest,
  signal?: AbortSignal,
): Promise<CallResult> {
  const failed = (error: string, status: number | null = null): CallResult => ({
    ...NO_RESULT,
    status,
    error,
  })
  try {
    const answer = await fetchGuarded(url, {
      maxBytes: MAX_BYTES,
      totalTimeoutMs: timeoutMs,
      maxRedirects: 3,
      signal,
      sends,
      takesAnyStatus: true,
    })
    const text = await textOf(answer.bytes)
    const isOk = answer.status >= 200 && answer.status < 300
    if (!isOk) return failed(`status ${answer.status}`, answer.status)
    const values = valuesIn(text, mapping)
    return {
      ...NO_RESULT,
      isOk: true,
      status: answer.status,
      // Not those of an earlier response.
      values: values ?? Object.fromEntries(Object.keys(mapping).map((name) => [name, null])),
      error: values === null ? 'The response is not JSON.' : null,
    }
  } catch (error) {
    if (error instanceof FetchRefusal) return failed(error.kind)
    throw error
  }
}

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of bytes) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

/** Maximum size of the mapped values together, as JSON characters. */
const MAX_VALUES = 70_000

/** Returns the mapped values; `null` if the response is not JSON. Values that are absent are nil. */
function valuesIn(text: string, mapping: Record<string, string>): Record<string, unknown> | null {
  const names = Object.entries(mapping)
  if (names.length === 0) return {}
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return null
  }
  const values: Record<string, unknown> = {}
  let size = 0
  for (const [name, path] of names) {
    const value = valueAt(body, path) ?? null
    size += JSON.stringify(value).length
    // The guard of the session refuses the rest.
    values[name] = size > MAX_VALUES ? 'x'.repeat(MAX_VALUES) : value
    if (size > MAX_VALUES) break
  }
  return values
}

/** Returns the value at a path such as `order.items[0].name`: own properties only. */
function valueAt(body: unknown, path: string): unknown {
  let value = body
  for (const [, name, index] of path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    const key = name ?? index ?? ''
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null
    value = (value as Record<string, unknown>)[key]
  }
  return value
}
