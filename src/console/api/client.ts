import { errorOf } from './error'
import { accessToken, endSession, refreshSession } from './session'
import type { Operations } from './types.gen'

/** An operation of the API, such as `GET /api/tags`. */
export type Route = keyof Operations
type PathOf<R extends Route> = R extends `${string} ${infer P}` ? P : never
type ParamsOf<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: string } & ParamsOf<Rest>
  : unknown

/** The `data` of a response. */
export type Data<R extends Route> = Operations[R]['data']
/** The body of a request. */
export type Body<R extends Route> = Operations[R]['body']

/** The query of a request. */
export type Query<R extends Route> = Operations[R]['query']

/** What a request carries. */
export type Wish<R extends Route> = (PathOf<R> extends `${string}{${string}`
  ? { params: ParamsOf<PathOf<R>> }
  : { params?: undefined }) & {
  query?: Operations[R]['query'] | undefined
  body?: Operations[R]['body'] | FormData | undefined
  /** Makes repetitions of a POST take effect once. */
  idempotencyKey?: string
  /** The `updated_at` of what is changed: nothing happens if somebody changed it since. */
  ifMatch?: string
  signal?: AbortSignal
}

type Value = string | number | boolean | null | undefined
type Values = Record<string, Value> | undefined

function addressOf(path: string, params: Values, query: Values): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params?.[name] ?? '')),
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value))
  const text = search.toString()
  return text === '' ? filled : `${filled}?${text}`
}

/** Calls an operation of the API. Throws ApiError, or TypeError if the server cannot be reached. */
export async function call<R extends Route>(route: R, wish: Wish<R>): Promise<Data<R>> {
  const response = await request(route, wish)
  if (response.status === 204) return undefined as Data<R>
  return ((await response.json()) as { data: Data<R> }).data
}

/** Like `call`, but returns the response, for files. */
export async function request<R extends Route>(route: R, wish: Wish<R>): Promise<Response> {
  const [method = '', path = ''] = route.split(' ')
  const url = addressOf(path, wish.params as Values, wish.query as Values)
  const { body } = wish
  const payload: BodyInit | null =
    body instanceof FormData ? body : body === undefined ? null : JSON.stringify(body)
  const send = async (): Promise<Response> => {
    const token = await accessToken()
    return await fetch(url, {
      method,
      body: payload,
      signal: wish.signal ?? null,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(typeof payload === 'string' ? { 'content-type': 'application/json' } : {}),
        ...(wish.ifMatch === undefined ? {} : { 'if-match': `"${wish.ifMatch}"` }),
        ...(wish.idempotencyKey === undefined ? {} : { 'idempotency-key': wish.idempotencyKey }),
      },
    })
  }
  const response = await send()
  if (response.status !== 401 && !(await isFromElsewhere(response))) return await orThrow(response)
  if (!(await refreshSession())) {
    endSession()
    throw await errorOf(response)
  }
  return await orThrow(await send())
}

/** Whether the organization of the session, or that of the request, has moved to another server. */
const isFromElsewhere = async (response: Response): Promise<boolean> =>
  response.status === 409 && (await errorOf(response.clone())).code === 'moved'

async function orThrow(response: Response): Promise<Response> {
  if (!response.ok) throw await errorOf(response)
  return response
}
