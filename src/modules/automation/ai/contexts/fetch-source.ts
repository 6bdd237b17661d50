import { SECOND_MS } from '../../../../lib/clock'
import type { Ctx } from '../../../../infra/ctx'
import { FetchRefusal } from '../../../../infra/guarded-fetch'
import { MAX_KNOWLEDGE } from '../prompt/limits'
import { contextHeaders } from './headers'
import { partOf } from './json-path'
import type { ContextCandidate } from './queries'
import { apiConfigOf, type ApiConfig } from './view'

const MAX_BYTES = 1_024 * 1_024
const TIMEOUT_MS = 5 * SECOND_MS
const MAX_REDIRECTS = 3

/** An API context gave no text. The message is a sentence for people who configure it. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

/** A text of an API context that is reused. */
interface KeptText {
  /** The configuration that it was fetched with. */
  config: string
  untilMs: number
  text: Promise<string>
}

const MAX_KEPT = 500

/** Texts of API contexts, by context. Requests for the same text share one call. */
export class SourceCache {
  private readonly kept = new Map<string, KeptText>()

  /** Returns the kept text of a context with this configuration, else what `load` returns. */
  get(
    key: string,
    wanted: Omit<KeptText, 'text'> & { nowMs: number },
    load: () => Promise<string>,
  ) {
    const known = this.kept.get(key)
    if (known?.config === wanted.config && known.untilMs > wanted.nowMs) return known.text
    const text = load()
    text.catch(() => {
      if (this.kept.get(key)?.text === text) this.kept.delete(key)
    })
    this.kept.delete(key)
    const [oldest] = this.kept.keys()
    if (this.kept.size >= MAX_KEPT && oldest !== undefined) this.kept.delete(oldest)
    this.kept.set(key, { config: wanted.config, untilMs: wanted.untilMs, text })
    return text
  }
}

declare module '../../../../infra/ctx' {
  interface Deps {
    /** Texts of API contexts. */
    aiSources: SourceCache
  }
}

/** Returns the text of an API context, from the cache if it is fresh. Throws SourceError. */
export function sourceText(ctx: Ctx, context: ContextCandidate): Promise<string> {
  const config = apiConfigOf(context)
  if (config === null) return Promise.reject(new SourceError('The context has no API.'))
  const nowMs = ctx.clock.nowMs()
  return ctx.aiSources.get(
    `${ctx.organizationId}/${context.id}`,
    {
      nowMs,
      config: `${context.apiConfig} ${context.headersSealed}`,
      untilMs: nowMs + config.cache_seconds * SECOND_MS,
    },
    () => fetchSource(ctx, context),
  )
}

/** Fetches the text of an API context, at most 12,000 characters. Throws SourceError. */
export async function fetchSource(ctx: Ctx, context: ContextCandidate): Promise<string> {
  const config = apiConfigOf(context)
  if (config === null) throw new SourceError('The context has no API.')
  try {
    return textOf(await read(ctx, context, config), config)
  } catch (error) {
    if (error instanceof FetchRefusal) throw new SourceError(`The address ${error.reason}.`)
    throw error
  }
}

async function read(ctx: Ctx, context: ContextCandidate, config: ApiConfig): Promise<string> {
  const headers = contextHeaders.open(ctx, context)
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
  const answer = await ctx.fetchGuarded(config.url, {
    maxBytes: MAX_BYTES,
    totalTimeoutMs: TIMEOUT_MS,
    maxRedirects: MAX_REDIRECTS,
    sends: {
      method: config.method,
      headers:
        config.body === null || isTyped
          ? headers
          : { ...headers, 'content-type': 'application/json' },
      body: config.body,
    },
  })
  const pieces: Uint8Array[] = []
  for await (const piece of answer.bytes) pieces.push(piece)
  return Buffer.concat(pieces).toString('utf8')
}

function textOf(body: string, { response_path: path }: ApiConfig): string {
  if (path === null) return body.slice(0, MAX_KNOWLEDGE)
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {
    throw new SourceError('The answer is not JSON, which `response_path` needs.')
  }
  const part = partOf(json, path)
  if (part === undefined || part === null)
    throw new SourceError(`The answer has nothing at \`response_path\`.`)
  return (typeof part === 'string' ? part : JSON.stringify(part)).slice(0, MAX_KNOWLEDGE)
}
