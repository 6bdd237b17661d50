/** The API as one person uses it. Throws with the server's sentence. */
export class Api {
  constructor(
    readonly url: string,
    private readonly token: string | null = null,
  ) {}

  /** Signs in. */
  async signIn(email: string, password: string): Promise<Api> {
    const session = await this.post<{ access_token: string }>('/api/auth/login', {
      email,
      password,
    })
    return new Api(this.url, session.access_token)
  }

  /** Works in another organization of the same person from now on. */
  async within(organizationId: string): Promise<Api> {
    const session = await this.post<{ access_token: string }>('/api/auth/switch-org', {
      organization_id: organizationId,
    })
    return new Api(this.url, session.access_token)
  }

  get<T>(path: string): Promise<T> {
    return this.call('GET', path)
  }

  post<T = unknown>(path: string, body: unknown = {}): Promise<T> {
    return this.call('POST', path, body)
  }

  put<T = unknown>(path: string, body: unknown): Promise<T> {
    return this.call('PUT', path, body)
  }

  private async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const isForm = body instanceof FormData
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(isForm ? {} : { 'content-type': 'application/json' }),
        ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    })
    const answer = (await response.json()) as { data: T; message?: string }
    if (!response.ok)
      throw new Error(`${method} ${path} answered ${response.status}: ${answer.message}`)
    return answer.data
  }
}
