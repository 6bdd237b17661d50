import type { Operations, ServerFrame } from '../../console/api/types.gen'
import type { DownloadName, OPERATIONS } from './operations.gen'

/** The name of an operation, such as `listContacts`: its `operationId` in the API reference. */
export type OperationName = keyof typeof OPERATIONS

type RouteOf<N extends OperationName> = (typeof OPERATIONS)[N]
type PathNames<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never
/** Makes a field optional whose value has no required field itself. */
type Field<K extends string, V> = V extends undefined
  ? { [P in K]?: undefined }
  : object extends V
    ? { [P in K]?: V }
    : { [P in K]: V }
type FormOf<O> = O extends { form: infer F } ? F : undefined

/** What each request can carry beside its values. */
export interface RequestOptions {
  /** By default a new one for each call, kept over its repetitions, where the operation takes one. */
  idempotencyKey?: string
  /** The `updated_at` of what is changed: `changed_meanwhile` if somebody changed it since. */
  ifMatch?: string
  /** Says that this POST or DELETE does no harm when it is repeated, if its answer was lost. */
  repeat?: boolean
  /** Ends the call. */
  signal?: AbortSignal
  /** Milliseconds that one attempt may take. */
  timeoutMs?: number
}

/** The values of an operation: those of its path by their names, `query`, and `body` or `form`. */
export type Input<N extends OperationName> = {
  [K in PathNames<RouteOf<N>>]: string
} & Field<'query', Operations[RouteOf<N>]['query']> &
  (FormOf<Operations[RouteOf<N>]> extends undefined
    ? Field<'body', Operations[RouteOf<N>]['body']>
    :
        | { form: FormOf<Operations[RouteOf<N>]>; body?: undefined }
        | (Operations[RouteOf<N>]['body'] extends undefined
            ? never
            : { body: Operations[RouteOf<N>]['body']; form?: undefined })) &
  RequestOptions

/** The `data` of an answer. */
export type Data<N extends OperationName> = Operations[RouteOf<N>]['data']

/** The values of an operation, which can be left out if none is required. */
export type Arguments<N extends OperationName> =
  object extends Input<N> ? [input?: Input<N>] : [input: Input<N>]

/** The operations that answer with JSON, each as a function. */
export type Api = {
  readonly [N in keyof Omit<typeof OPERATIONS, DownloadName> & OperationName]: (
    ...input: Arguments<N>
  ) => Promise<Data<N>>
}

/** The operations that list something page by page. */
export type ListName = {
  [N in OperationName]: Operations[RouteOf<N>]['query'] extends
    | { page?: number }
    | { cursor?: string }
    ? Data<N> extends { items: unknown[] } | { members: unknown[] }
      ? N
      : never
    : never
}[OperationName]

/** What a list has. */
export type Item<N extends ListName> =
  Data<N> extends { items: (infer T)[] } ? T : Data<N> extends { members: (infer T)[] } ? T : never

/** Words between client and server, which `events` deals with. */
type ControlType = 'ready' | 'pong' | 'resumed' | 'resync' | 'subscribed' | 'authenticated'

/**
 * Events may be missing: load what you need with the API. Comes at the first start, and when the
 * server no longer has what was missed, or rights changed.
 */
export interface Resync {
  type: 'resync'
  payload: {
    reason: 'first_start' | (ServerFrame & { type: 'resync' })['payload']['reason']
    log: string
    seq: number
  }
  seq: null
  at: string
}

/** What `events` yields. Ignore types and fields that you do not know: later versions add some. */
export type SwitchboardEvent = Exclude<ServerFrame, { type: ControlType }> | Resync

/** The payload of a type of event. */
export type Payload<T extends SwitchboardEvent['type']> = (SwitchboardEvent & {
  type: T
})['payload']
