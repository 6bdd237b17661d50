import { PROVIDERS, ProviderError, type Asked, type Provider, type ProviderName } from './providers'

/** A misbehavior of one request. */
export type AiFault =
  | { kind: 'status'; status: number }
  /** Answers only when `letGo` is called. */
  | { kind: 'held' }
  | { kind: 'huge' }
  | { kind: 'malformed' }
  | { kind: 'no_usage' }
  | { kind: 'cut' }
  | { kind: 'redirect' }

/** A request that a provider received. */
export interface AiRequest extends Asked {
  provider: ProviderName
  url: string
  headers: Record<string, string>
  body: string
}

/** Characters per token of the simulated providers. */
const PER_TOKEN = 4

/**
 * Plays the documented APIs of the AI providers and refuses everything that they refuse. It answers
 * `Answer 1`, `Answer 2`, …, unless `answers` says otherwise.
 */
export class AiSimulator {
  readonly requests: AiRequest[] = []
  /** Requests that were refused, with the reason. */
  readonly refused: string[] = []
  /** The key that every provider accepts. */
  key = 'sk-sim-4f7a'
  /** Returns the text that a model answers. */
  answers: (asked: Asked) => string = () => `Answer ${this.requests.length}`
  /** How long each answer takes, milliseconds. */
  latencyMs = 0
  /** Most requests that were under way at the same time. */
  mostAtOnce = 0

  private readonly faults: AiFault[] = []
  private readonly held: (() => void)[] = []
  private underWay = 0
  private readonly server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: (request) => this.receive(request),
  })

  get port(): number {
    return this.server.port ?? 0
  }

  /** Environment variables that lead a server to the simulated providers. */
  get env(): Record<
    'AI_OPENAI_URL' | 'AI_ANTHROPIC_URL' | 'AI_GOOGLE_URL' | 'EGRESS_ALLOW',
    string
  > {
    const root = `http://127.0.0.1:${this.port}`
    return {
      AI_OPENAI_URL: `${root}/openai/v1`,
      AI_ANTHROPIC_URL: `${root}/anthropic/v1`,
      AI_GOOGLE_URL: `${root}/google/v1beta`,
      EGRESS_ALLOW: `127.0.0.1:${this.port}`,
    }
  }

  /** Address of the compatible server. */
  get compatibleUrl(): string {
    return `http://127.0.0.1:${this.port}/compatible/v1`
  }

  /** Plans misbehaviors of the next requests, in their order. */
  plan(...faults: AiFault[]): void {
    this.faults.push(...faults)
  }

  /** Number of requests that are held back. */
  get waiting(): number {
    return this.held.length
  }

  /** Answers all requests that are held back. */
  letGo(): void {
    for (const resume of this.held.splice(0)) resume()
  }

  async stop(): Promise<void> {
    this.letGo()
    await this.server.stop(true)
  }

  private async receive(request: Request): Promise<Response> {
    this.underWay += 1
    this.mostAtOnce = Math.max(this.mostAtOnce, this.underWay)
    try {
      return await this.answer(request)
    } finally {
      this.underWay -= 1
    }
  }

  private async answer(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const found = (Object.entries(PROVIDERS) as [ProviderName, Provider][]).find(
      ([, provider]) => provider.matches(url.pathname) !== null,
    )
    if (!found || request.method !== 'POST') return this.refuse(null, 404, 'unknown path')
    const [name, provider] = found
    const body = await request.text()
    try {
      const asked = this.read(provider, request, body)
      this.requests.push({
        ...asked,
        provider: name,
        url: request.url,
        headers: Object.fromEntries(request.headers),
        body,
      })
      return await this.respond(provider, asked)
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      this.refused.push(`${name}: ${error.message}`)
      return Response.json(provider.error(error), { status: error.status })
    }
  }

  private refuse(provider: Provider | null, status: number, message: string): Response {
    this.refused.push(message)
    const error = new ProviderError(status, 'not_found_error', message)
    return Response.json(provider?.error(error) ?? { error: message }, { status })
  }

  private read(provider: Provider, request: Request, body: string): Asked {
    const url = new URL(request.url)
    if (url.search !== '') throw new ProviderError(400, 'invalid_request_error', 'unknown query')
    const key = provider.keyOf(request.headers)
    if (key !== this.key)
      throw new ProviderError(
        401,
        'authentication_error',
        // Some servers repeat what they were sent.
        `Incorrect API key provided: ${key ?? 'none'}`,
      )
    if (request.headers.get('content-type') !== 'application/json')
      throw new ProviderError(415, 'invalid_request_error', 'not JSON')
    const asked = provider.read(
      JSON.parse(body) as Record<string, unknown>,
      provider.matches(url.pathname)?.model ?? null,
    )
    if (asked.model.startsWith('unknown'))
      throw new ProviderError(404, 'not_found_error', `The model ${asked.model} does not exist`)
    return asked
  }

  private async respond(provider: Provider, asked: Asked): Promise<Response> {
    const fault = this.faults.shift()
    if (fault?.kind === 'status')
      throw new ProviderError(fault.status, 'api_error', `planned: ${asked.user}`)
    if (fault?.kind === 'held') await new Promise<void>((resolve) => void this.held.push(resolve))
    if (fault?.kind === 'huge') return new Response('x'.repeat(1_100_000))
    if (fault?.kind === 'malformed') return new Response('{"choices": [', { status: 200 })
    if (fault?.kind === 'redirect') return Response.redirect('http://169.254.169.254/', 307)
    if (this.latencyMs > 0) await Bun.sleep(this.latencyMs)
    const text = this.answers(asked)
    const tokens = (words: string): number => Math.ceil(words.length / PER_TOKEN)
    const answer = provider.answer({
      model: asked.model,
      text,
      inputTokens: tokens(asked.system + asked.user),
      outputTokens: tokens(text),
    }) as Record<string, unknown>
    if (fault?.kind === 'no_usage') {
      delete answer['usage']
      delete answer['usageMetadata']
    }
    const written = JSON.stringify(answer)
    return fault?.kind === 'cut'
      ? new Response(written.slice(0, 20), { headers: { 'content-type': 'application/json' } })
      : new Response(written, { headers: { 'content-type': 'application/json' } })
  }
}
