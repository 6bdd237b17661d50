import { requireTold } from './documented'
import { requireWords } from './wording'

/** A response of the server as tests read it. */
export interface Answer<T = unknown> {
  status: number
  headers: Headers
  /** The whole body: the envelope, or plain text. */
  body: Envelope<T>
  /** `data` of a success. Throws if the response is an error. */
  data: T
}

export interface Envelope<T = unknown> {
  status: 'success' | 'error'
  data: T
  message?: string
  code?: string
  details?: Record<string, unknown>
  errors?: { path: string; message: string }[]
}

/** Data of unknown shape. */
export type Loose = Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- tests pick fields out of answers and compare them

/** Watches the requests of all clients of one server. */
export interface RequestWatch {
  created(client: Client): void
  /** Called before each request, which waits for it. */
  before(): Promise<void>
  after(): void
}

/** The watches of servers, by address. */
export const requestWatches = new Map<string, RequestWatch>()

/** Sends requests to the real server with one credential. */
export class Client {
  constructor(
    readonly url: string,
    readonly headers: Record<string, string> = {},
  ) {
    requestWatches.get(url)?.created(this)
  }

  get token(): string {
    return (this.headers['authorization'] ?? '').replace('Bearer ', '')
  }

  with(headers: Record<string, string>): Client {
    return new Client(this.url, { ...this.headers, ...headers })
  }

  get<T = Loose>(path: string): Promise<Answer<T>> {
    return this.request<T>('GET', path)
  }

  post<T = Loose>(path: string, body?: unknown): Promise<Answer<T>> {
    return this.request<T>('POST', path, body)
  }

  put<T = Loose>(path: string, body?: unknown): Promise<Answer<T>> {
    return this.request<T>('PUT', path, body)
  }

  delete<T = Loose>(path: string): Promise<Answer<T>> {
    return this.request<T>('DELETE', path)
  }

  /**
   * Sends `body` as JSON, or a string unchanged. Throws if the OpenAPI document does not describe
   * the response.
   */
  async request<T = Loose>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
    const watch = requestWatches.get(this.url)
    if (!watch) return this.send<T>(method, path, body)
    await watch.before()
    try {
      return await this.send<T>(method, path, body)
    } finally {
      watch.after()
    }
  }

  private async send<T>(method: string, path: string, body: unknown): Promise<Answer<T>> {
    const response = await fetch(this.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...this.headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    const parsed = (isJson ? JSON.parse(text) : { status: 'success', data: text }) as Envelope<T>
    requireTold({ method, path }, { status: response.status, code: parsed.code })
    requireWords({ method, path }, parsed)
    return {
      status: response.status,
      headers: response.headers,
      body: parsed,
      get data(): T {
        if (parsed.status !== 'success')
          throw new Error(`${method} ${path} answered ${response.status}: ${parsed.message}`)
        return parsed.data
      },
    }
  }
}
