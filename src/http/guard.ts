import { Elysia, ElysiaCustomStatusResponse, type DocumentDecoration } from 'elysia'

import { isoTime, SECOND_MS } from '../lib/clock'
import { ForbiddenError, UnauthorizedError } from '../lib/errors'
import { movingError } from '../infra/frozen-organization'
import type { Actor } from '../infra/actor'
import { ctxOf, hasPermission, type Ctx, type Deps } from '../infra/ctx'
import type { Permission } from '../infra/permissions'
import { requirePermissions } from '../infra/require-permissions'
import { ok } from './envelope'
import type { Http } from './http-deps'
import { normalizeIds, routeName } from './normalize-ids'
import { refuseOversized } from './refuse-oversized'
import { storeResponse, beginIdempotentRequest, type IdempotentRequestContext } from './idempotency'
import { IF_MATCH_KEY, unlessChanged, type ReadPresent } from './unless-changed'
import { countRequestOf } from './count-request'
import { wantsCsv } from './csv-response'
import { ERROR_CODES_KEY, type ErrorCode } from './error-codes'
import { originOf, requestFacts } from './request-facts'
import {
  type UploadRoute,
  ANONYMOUS_BODY_BYTES,
  LARGE_BODY_BYTES,
  SMALL_BODY_BYTES,
  type BodyReader,
  jsonReader,
  uploadReader,
  readBody,
} from './body-readers'

/**
 * OpenAPI extension key that holds the permission of a route. The startup check requires it on
 * every route.
 */
export const PERMISSION_KEY = 'x-permission'

const SECURITY = { any: [{ bearerAuth: [] }, { apiKeyAuth: [] }], session: [{ bearerAuth: [] }] }

const documented = (
  permission: string,
  security: DocumentDecoration['security'],
): DocumentDecoration => ({ [PERMISSION_KEY]: permission, security }) as DocumentDecoration // OpenAPI allows `x-` words, Elysia's type does not know them

/**
 * Returns the caller of a request. Throws UnauthorizedError when it has no credential, or the
 * reason why the credential was rejected.
 */
function actorOf(request: Request): Actor {
  const { actor, refusal } = requestFacts(request)
  if (actor) return actor
  throw refusal ?? new UnauthorizedError()
}

/** The parts of Elysia's context that a check reads. */
interface CheckContext {
  request: Request
  set: { headers: Record<string, unknown> }
}

/**
 * Counts a bulk operation against its rate limit. Counts once per request, although the check runs
 * before and after the body is read (spec 8).
 */
function countBulk(http: Http, request: Request, headers: Record<string, unknown>): void {
  const facts = requestFacts(request)
  if (facts.isBulkCounted) return
  facts.isBulkCounted = true
  countRequestOf(http.limiters, 'bulk', { facts, headers })
}

/** Says why nothing is permitted in an organization that is being deleted, not even to super admins. */
function refuseWhileDeleting(actor: Actor, permissions: readonly Permission[]): void {
  const atMs = actor.organizationDeletesAtMs ?? null
  if (atMs === null || permissions.some((permission) => actor.permissions.has(permission))) return
  throw new ForbiddenError(
    `This organization is being deleted and will be erased at ${isoTime(atMs)}. Until then, an ` +
      'admin can restore it with `POST /api/organizations/{id}/restore`.',
    { code: 'organization_deleting' },
  )
}

const READS = new Set(['GET', 'HEAD'])

/** Refuses changes while the organization is copied to another server: they would stay behind. */
function refuseWhileMoving({ isOrganizationMoving }: Actor, { method }: Request): void {
  if (isOrganizationMoving === true && !READS.has(method)) throw movingError()
}

function requirePermission(actor: Actor, permission: Permission): void {
  refuseWhileDeleting(actor, [permission])
  requirePermissions(actor, [permission])
}

function requireOneOf(actor: Actor, permissions: readonly Permission[]): void {
  refuseWhileDeleting(actor, permissions)
  if (!permissions.some((permission) => hasPermission(actor, permission)))
    throw new ForbiddenError(
      `This requires one of the permissions ${permissions.map((one) => `\`${one}\``).join(', ')}. ` +
        'Ask an admin to grant one to your role or API key.',
      { code: 'permission_denied' },
    )
}

function requireSuperAdmin(actor: Actor): void {
  if (!actor.isSuperAdmin)
    throw new ForbiddenError('This requires a super admin.', { code: 'super_admin_required' })
}

function requireUser(actor: Actor): void {
  if (actor.type !== 'user')
    throw new ForbiddenError('This endpoint requires a user session. API keys cannot use it.', {
      code: 'session_required',
    })
}

/** The parts of a request that may contain IDs, before validation. */
interface UnvalidatedInput {
  route: string
  params: unknown
  query: unknown
  body: unknown
}

/**
 * Notes what is known of a route before its request is validated, refuses what is too large to be
 * validated, and normalizes the IDs.
 */
function prepare(
  http: Http,
  { request, route, params, query, body }: Pick<CheckContext, 'request'> & UnvalidatedInput,
): void {
  const name = routeName(request.method, route)
  requestFacts(request).showsCredential = http.credentialRoutes.has(name)
  refuseOversized(http.oversizedFinders.get(name), body)
  normalizeIds(http.idPlaces.get(name), { params, query, body })
}

/** A request that may carry an idempotency key, with the response headers of a replay. */
type IdempotentContext = IdempotentRequestContext & Pick<CheckContext, 'set'>

/**
 * Returns the dependencies for running a request. For a repeated idempotent request, returns the
 * stored response, which Elysia sends instead of running the route.
 */
function depsOf(
  http: Http,
  context: IdempotentContext,
): Deps | ElysiaCustomStatusResponse<number, unknown> {
  const started = beginIdempotentRequest(http, context)
  if ('deps' in started) return started.deps
  context.set.headers['idempotent-replay'] = 'true'
  if (started.answer.cookie !== null) context.set.headers['set-cookie'] = started.answer.cookie
  return new ElysiaCustomStatusResponse(started.answer.status, ok(started.answer.data))
}

/**
 * Stores the response of a request that carried an idempotency key, so repetitions can replay it.
 */
const storeIdempotentResponse = ({
  request,
  set,
  responseValue,
}: Pick<CheckContext, 'request' | 'set'> & { responseValue?: unknown }): void =>
  storeResponse(request, responseValue, set.headers)

/**
 * Builds the guard of a route: it checks the caller before and after the body is read and gives the
 * handler its `ctx`.
 */
function protect(http: Http, rule: Rule) {
  const read = bodyReaderOf(http, rule)
  const check = ({ request, set }: CheckContext): void => {
    const actor = actorOf(request)
    if (rule.anytime !== true) refuseWhileMoving(actor, request)
    if (rule.bulk === true || (rule.bulk === 'csv' && wantsCsv(request)))
      countBulk(http, request, set.headers)
    authorize(rule, actor, requestFacts(request).path)
  }
  return {
    // Each handler destructures its context: if it passed the whole context on, Elysia would
    // infer that it needs cookies and headers too.
    parse: async ({ request, set }: CheckContext) => {
      check({ request, set })
      return await readBody(http, request, read) // `transform` checks the caller again
    },
    transform: ({ request, set, route, params, query, body }: CheckContext & UnvalidatedInput) => {
      check({ request, set })
      prepare(http, { request, route, params, query, body })
    },
    resolve: ({ request, route, body, set }: IdempotentContext): { ctx: Ctx } => {
      const deps = depsOf(http, { request, route, body, set })
      // Elysia sends a status response returned here instead of running the route. Its types do
      // not model that.
      return deps instanceof ElysiaCustomStatusResponse
        ? (deps as never)
        : { ctx: requestFacts(request).inCtx(ctxOf(deps, actorOf(request), originOf(request))) }
    },
    afterHandle: storeIdempotentResponse,
    detail: documented(nameOf(rule), isForPeople(rule) ? SECURITY.session : SECURITY.any),
  }
}

/**
 * Builds the macro of a public route: reads its body of up to 16 KiB and gives the handler its
 * dependencies.
 */
const publicRoute = (http: Http) => ({
  parse: async ({ request }: { request: Request }) =>
    await readBody(http, request, jsonReader(http, ANONYMOUS_BODY_BYTES)),
  transform: ({
    request,
    route,
    params,
    query,
    body,
  }: Pick<CheckContext, 'request'> & UnvalidatedInput) =>
    prepare(http, { request, route, params, query, body }),
  resolve: ({ request, route, body, set }: IdempotentContext): { deps: Deps } => {
    const deps = depsOf(http, { request, route, body, set })
    return deps instanceof ElysiaCustomStatusResponse ? (deps as never) : { deps } // as above
  },
  afterHandle: storeIdempotentResponse,
  detail: documented('public', []),
})

/** Whether the caller is a signed-in user whose own ID is in the path. */
const isOwnPath = ({ type, userId }: Actor, path: string): boolean =>
  type === 'user' && userId !== null && path.split('/').includes(userId)

/**
 * Who may call a route: holders of a permission, super admins, everybody with a user session, or
 * everybody with a credential, who then gets the own data.
 */
type Who = Permission | 'super-admin' | 'session' | 'signed-in'

/** Who may call a route, and what is special about its requests. */
interface Rule {
  /** Of several permissions one is required. The verb checks what each of them allows. */
  permission: Who | readonly [Permission, Permission, ...Permission[]]
  /**
   * How the permission concerns people with a user session. `only`: the route refuses API keys, also
   * those that hold it. `always`: people may call the route without it, and its verb checks what they
   * may do. `own path`: people do not need it where their own ID is in the path.
   */
  people?: 'only' | 'always' | 'own path'
  /** A JSON body of up to 64 KiB, or of up to 12 MiB. */
  body?: 'small' | 'large'
  /** The route accepts a form with a file, which is streamed to the store (`FilePart` in its body). */
  upload?: true | UploadRoute
  /** The route is a bulk operation, which has its own rate limit (spec 8); `csv`: when it answers CSV. */
  bulk?: true | 'csv'
  /** The route also works while the organization moves to another server. */
  anytime?: true
  /** Why nobody else may call it. */
  why?: string
}

function authorize({ permission, people }: Rule, actor: Actor, path: string): void {
  if (permission === 'signed-in') return
  if (permission === 'super-admin') return requireSuperAdmin(actor) // an API key never is one
  if (permission === 'session' || people === 'only') requireUser(actor)
  if (permission === 'session') return
  if (typeof permission !== 'string') return requireOneOf(actor, permission)
  if (people === 'always' && actor.type === 'user') return
  if (people === 'own path' && isOwnPath(actor, path)) return
  requirePermission(actor, permission)
}

/** Returns what the API document says of a rule. */
function nameOf({ permission, people }: Rule): string {
  if (typeof permission !== 'string') return permission.join(' or ')
  if (people === 'always') return `session or ${permission}`
  return people === 'only' ? `session and ${permission}` : permission
}

const isForPeople = ({ permission, people }: Rule): boolean =>
  permission === 'super-admin' || permission === 'session' || people === 'only'

function bodyReaderOf(http: Http, { body, upload }: Rule): BodyReader {
  if (upload) return uploadReader(http, upload === true ? {} : upload)
  if (body === undefined) return jsonReader(http)
  return jsonReader(http, body === 'small' ? SMALL_BODY_BYTES : LARGE_BODY_BYTES)
}

/** What goes away with a later release. */
interface Retirement {
  /** The route, a field of its answers, or a field of its body: then only those who send it are told. */
  of: 'route' | 'answer' | { field: string }
  /** The day from which it is deprecated, and the one from which it may be gone: `2027-01-31`. */
  since: string
  sunset: string
}

const hasField = (body: unknown, field: string): boolean =>
  typeof body === 'object' && body !== null && field in body

/** Tells callers what goes away, as RFC 9745 and RFC 8594 say. */
const retire = ({ of, since, sunset }: Retirement) => ({
  transform: ({ set, body }: Pick<CheckContext, 'set'> & { body: unknown }): void => {
    if (typeof of !== 'string' && !hasField(body, of.field)) return
    set.headers['deprecation'] = `@${Date.parse(since) / SECOND_MS}`
    set.headers['sunset'] = new Date(sunset).toUTCString()
  },
  detail: of === 'route' ? { deprecated: true } : {},
})

/** Lets callers of a route name the version that they change, in `If-Match`. */
const comparing = (read: ReadPresent) => ({
  transform: ({
    request,
    params,
    query,
  }: {
    request: Request
    params: unknown
    query: unknown
  }): void => {
    const header = request.headers.get('if-match')
    if (header === null) return
    requestFacts(request).inCtx = (ctx) => {
      const { id, account_id: accountId } = {
        ...(query as object),
        ...(params as object),
      } as Record<string, string | undefined>
      return unlessChanged(ctx, read, id ?? accountId ?? '', header)
    }
  },
  detail: { [IF_MATCH_KEY]: true } as DocumentDecoration, // as `documented`
})

/**
 * Macros that declare who may call a route, for example `can: 'contacts:read'`. They return 401 and
 * 403 before the body is read or validated, so unauthorized callers learn nothing about the schema.
 */
export const guard = (http: Http) =>
  new Elysia({ name: 'guard' }).macro({
    /** Who may call the route: a permission, or a rule of its own. */
    can: (given: Who | Rule) =>
      protect(http, typeof given === 'string' ? { permission: given } : given),
    /** The route is public and accepts a JSON body of up to 16 KiB. */
    anyone: (_reason: string) => publicRoute(http),
    /** The route is public and reads the raw body itself. */
    raw: (_reason: string) => ({ detail: documented('public', []) }),
    /**
     * Returns what the route changes. A caller who sends its `updated_at` in `If-Match` changes
     * nothing that somebody else changed since.
     */
    unlessChanged: comparing,
    /** What of the route goes away, and when. A field is marked `deprecated` in its schema, too. */
    retires: retire,
    /**
     * Error codes specific to the route, for the API document. Codes that follow from its guard and
     * body are added automatically.
     */
    refuses: (codes: readonly ErrorCode[]) => ({
      detail: { [ERROR_CODES_KEY]: codes } as DocumentDecoration,
    }), // as above
  })

/**
 * Throws if a route has no guard or names a permission that is not in the catalog. Elysia serves a
 * route without a guard to everyone.
 */
export function assertEveryRouteIsGuarded(
  routes: { method: string; path: string; hooks: unknown }[],
  catalog: ReadonlySet<string>,
): void {
  for (const { method, path, hooks } of routes) {
    const permission = permissionOf(hooks)
    if (permission === null)
      throw new Error(`the route ${method} ${path} does not say who may call it`)
    const unknown = permission
      .split(/ or | and /)
      .some((pair) => pair.includes(':') && !catalog.has(pair))
    if (unknown)
      throw new Error(`the route ${method} ${path} names the unknown permission ${permission}`)
  }
}

/** Returns the permission documented for a route, or `null` if there is none. */
export function permissionOf(hooks: unknown): string | null {
  const detail = (hooks as { detail?: Record<string, unknown> } | undefined)?.detail
  const permission = detail?.[PERMISSION_KEY]
  return typeof permission === 'string' ? permission : null
}
