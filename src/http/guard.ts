import { Elysia, ElysiaCustomStatusResponse, type DocumentDecoration } from 'elysia'

import { ForbiddenError, UnauthorizedError } from '../lib/errors'
import { ctxOf, hasPermission, type Actor, type Ctx, type Deps } from '../infra/ctx'
import type { Permission } from '../infra/permissions'
import { readJson } from './body'
import { ok } from './envelope'
import type { Http } from './http-deps'
import { normalizeIds, routeName } from './normalize-ids'
import { reauthenticateRequest } from './authenticate-request'
import {
  storeResponse,
  beginIdempotentRequest,
  type IdempotentRequestContext as Keyed,
} from './idempotency'
import { consume } from './rate-limit'
import { ERROR_CODES_KEY, type ErrorCode } from './error-codes'
import { originOf, requestFacts } from './request-facts'
import { isMultipart, readForm } from './multipart'

/**
 * The extra word of a route's documentation that says who may call it; the check at start looks for
 * it.
 */
export const PERMISSION_KEY = 'x-permission'

/** Who may call a route that has no permission of its own. */
export type SelfService = 'signed-in' | 'session'

const SECURITY = { any: [{ bearerAuth: [] }, { apiKeyAuth: [] }], session: [{ bearerAuth: [] }] }

const documented = (
  permission: string,
  security: DocumentDecoration['security'],
): DocumentDecoration => ({ [PERMISSION_KEY]: permission, security }) as DocumentDecoration // OpenAPI allows `x-` words, Elysia's type does not know them

/**
 * The caller of a request. Throws UnauthorizedError when there is none, or the reason why the
 * credential is not good.
 */
function actorOf(request: Request): Actor {
  const { actor, refusal } = requestFacts(request)
  if (actor) return actor
  throw refusal ?? new UnauthorizedError()
}

/** What a check needs of Elysia's context. */
interface Asked {
  request: Request
  set: { headers: Record<string, unknown> }
}

/**
 * Counts a bulk operation once, though it is checked before the body is read and again after (spec
 * 8).
 */
function countBulk(http: Http, request: Request, headers: Record<string, unknown>): void {
  const facts = requestFacts(request)
  if (facts.isBulkCounted) return
  facts.isBulkCounted = true
  consume(http.limiters, 'bulk', { facts, headers })
}

function requirePermission(actor: Actor, permission: Permission): void {
  if (!hasPermission(actor, permission))
    throw new ForbiddenError(
      `This requires the permission \`${permission}\`. Ask an admin to grant it to your role ` +
        'or API key.',
      {
        code: 'permission_denied',
      },
    )
}

function requireSuperAdmin(actor: Actor): void {
  if (!actor.isSuperAdmin)
    throw new ForbiddenError('This requires a super admin.', { code: 'super_admin_required' })
}

function requirePerson(actor: Actor): void {
  if (actor.type !== 'user')
    throw new ForbiddenError('This endpoint requires a user session. API keys cannot use it.', {
      code: 'session_required',
    })
}

/** What of a request may hold ids, before it is validated. */
interface Transformed {
  route: string
  params: unknown
  query: unknown
  body: unknown
}

const respell = (
  http: Http,
  { request, route, params, query, body }: Pick<Asked, 'request'> & Transformed,
): void =>
  normalizeIds(http.idPlaces.get(routeName(request.method, route)), { params, query, body })

/** A request whose key is looked at, and where the headers of a replayed answer go. */
type Turning = Keyed & Pick<Asked, 'set'>

/**
 * The parts of the program a request is to work with; or, for the repetition of a creating request,
 * the first answer, which Elysia sends instead of running the route.
 */
function depsOf(http: Http, asked: Turning): Deps | ElysiaCustomStatusResponse<number, unknown> {
  const turn = beginIdempotentRequest(http, asked)
  if ('deps' in turn) return turn.deps
  asked.set.headers['idempotent-replay'] = 'true'
  if (turn.answer.cookie !== null) asked.set.headers['set-cookie'] = turn.answer.cookie
  return new ElysiaCustomStatusResponse(turn.answer.status, ok(turn.answer.data))
}

/** Stores the response to a request that carried an idempotency key, for its repetitions. */
const storeKeyed = ({
  request,
  set,
  responseValue,
}: Pick<Asked, 'request' | 'set'> & { responseValue?: unknown }): void =>
  storeResponse(request, responseValue, set.headers)

/** Who may call a route that takes a file, and what it takes. */
export interface UploadRoute {
  permission: Permission
  /** Largest file, bytes; the installation's limit when it is left out or larger. */
  maxBytes?: number
  /** Whether the route takes a JSON body as well. */
  takesJson?: boolean
  /** Largest JSON body, bytes; the installation's limit unless said. */
  maxJsonBytes?: number
  /** Whether it is a bulk operation, counted apart from ordinary requests. */
  isBulk?: boolean
}

/** What routes take whose JSON is a document of its own, bytes. */
const LARGE_BODY_BYTES = 12 * 1024 * 1024

/** Reads the body of a request, checked before. */
type BodyReader = (request: Request) => Promise<unknown>

/** Reads a JSON body of at most so many bytes; the installation's limit unless said. */
const jsonReader =
  (http: Http, limitBytes?: number): BodyReader =>
  (request) =>
    readJson(request, limitBytes ?? http.settings.bodyLimitBytes, http.deadlines.limits.bodyMs)

/**
 * Reads a form with a file, or JSON where the route takes that too; the file is streamed to the
 * store.
 */
const uploadReader =
  (
    http: Http,
    { maxBytes = Infinity, takesJson = false, maxJsonBytes }: Omit<UploadRoute, 'permission'>,
  ): BodyReader =>
  (request) => {
    if (takesJson && !isMultipart(request)) return jsonReader(http, maxJsonBytes)(request)
    const largest = Math.min(maxBytes, http.settings.uploadLimitBytes)
    const { bodyMs, slowLine } = http.deadlines.limits
    const limits = { maxBytes: largest, patienceMs: bodyMs + Math.ceil(largest / slowLine) }
    return readForm(request, http.files, limits, (file) => requestFacts(request).staged.push(file))
  }

/**
 * Reads a body, whose time does not count as time of the work, and judges its caller again when
 * that took long.
 */
async function readBody(http: Http, request: Request, read: BodyReader): Promise<unknown> {
  const facts = requestFacts(request)
  facts.isReading = true
  const body = await read(request)
  facts.isReading = false
  await reauthenticateRequest(http, request, facts)
  return body
}

/**
 * What a macro adds to a route: the check before and after its body is read, and the scope its
 * handler works in.
 */
const protector =
  (http: Http) =>
  (
    judge: (actor: Actor, path: string) => void,
    permission: string,
    security: DocumentDecoration['security'],
    { isBulk = false, read = jsonReader(http) }: { isBulk?: boolean; read?: BodyReader } = {},
  ) => {
    const check = ({ request, set }: Asked): void => {
      const actor = actorOf(request)
      if (isBulk) countBulk(http, request, set.headers)
      judge(actor, requestFacts(request).path)
    }
    return {
      // Each names what it takes: of a function that hands its whole context on Elysia believes
      // that it wants cookies and headers too.
      parse: async ({ request, set }: Asked) => {
        check({ request, set })
        return await readBody(http, request, read) // `transform` checks what came of it
      },
      transform: ({ request, set, route, params, query, body }: Asked & Transformed) => {
        check({ request, set })
        respell(http, { request, route, params, query, body })
      },
      resolve: ({ request, route, body, set }: Turning): { ctx: Ctx } => {
        const deps = depsOf(http, { request, route, body, set })
        // Elysia sends a status response that comes from here instead of running the route; its
        // types do not know that.
        return deps instanceof ElysiaCustomStatusResponse
          ? (deps as never)
          : { ctx: ctxOf(deps, actorOf(request), originOf(request)) }
      },
      afterHandle: storeKeyed,
      detail: documented(permission, security),
    }
  }

/**
 * What the macro of a public route adds to it: the reading of its body, and the parts of the
 * program its handler works with.
 */
const opened = (http: Http) => ({
  parse: async ({ request }: { request: Request }) =>
    await readBody(http, request, jsonReader(http)),
  transform: ({ request, route, params, query, body }: Pick<Asked, 'request'> & Transformed) =>
    respell(http, { request, route, params, query, body }),
  resolve: ({ request, route, body, set }: Turning): { deps: Deps } => {
    const deps = depsOf(http, { request, route, body, set })
    return deps instanceof ElysiaCustomStatusResponse ? (deps as never) : { deps } // as above
  },
  afterHandle: storeKeyed,
  detail: documented('public', []),
})

/**
 * The macros by which a route says who may call it: `can: 'contacts:read'` or `self: 'session'`.
 * 401 and 403 are decided before the body is read and before anything is validated, so a stranger
 * learns nothing of the schema.
 */
export const guard = (http: Http) => {
  const protect = protector(http)
  return new Elysia({ name: 'guard' }).macro({
    /** The route needs this permission. */
    can: (permission: Permission) =>
      protect((actor) => requirePermission(actor, permission), permission, SECURITY.any),
    /** The route needs this permission and takes a JSON body of up to 12 MiB. */
    canLarge: (permission: Permission) =>
      protect((actor) => requirePermission(actor, permission), permission, SECURITY.any, {
        read: jsonReader(http, LARGE_BODY_BYTES),
      }),
    /**
     * The route needs this permission and takes a form with a file, which is streamed to the store
     * (`FilePart` in its body).
     */
    canUpload: (route: UploadRoute) =>
      protect(
        (actor) => requirePermission(actor, route.permission),
        route.permission,
        SECURITY.any,
        {
          isBulk: route.isBulk ?? false,
          read: uploadReader(http, route),
        },
      ),
    /**
     * The route needs this permission and is a bulk operation, counted apart from ordinary requests
     * (spec 8).
     */
    canBulk: (permission: Permission) =>
      protect((actor) => requirePermission(actor, permission), permission, SECURITY.any, {
        isBulk: true,
      }),
    /**
     * The route needs this permission, except from a signed-in person whose own id stands in the
     * path.
     */
    canOrOwn: (permission: Permission) =>
      protect(
        (actor, path) => {
          const isOwn =
            actor.type === 'user' && actor.userId !== null && path.split('/').includes(actor.userId)
          if (!isOwn) requirePermission(actor, permission)
        },
        permission,
        SECURITY.any,
      ),
    /** The route is for super admins only. */
    superAdmin: (_reason: string) => protect(requireSuperAdmin, 'super-admin', SECURITY.session),
    /**
     * The route is for super admins only and is a bulk operation, counted apart from ordinary
     * requests.
     */
    superAdminBulk: (_reason: string) =>
      protect(requireSuperAdmin, 'super-admin', SECURITY.session, { isBulk: true }),
    /** The route is for super admins only and takes a form with a file. */
    superAdminUpload: (route: Omit<UploadRoute, 'permission'>) =>
      protect(requireSuperAdmin, 'super-admin', SECURITY.session, {
        isBulk: route.isBulk ?? false,
        read: uploadReader(http, route),
      }),
    /**
     * The route serves the caller's own things and needs no permission: any credential, or a
     * person's session only.
     */
    self: (who: SelfService) =>
      protect(
        (actor) => {
          if (who === 'session') requirePerson(actor)
        },
        who,
        who === 'session' ? SECURITY.session : SECURITY.any,
      ),
    /**
     * The route is for signed-in persons, never for keys: for everybody, for super admins, or for
     * holders of a permission.
     */
    person: (who: 'everybody' | 'super-admin' | Permission) =>
      protect(
        (actor) => {
          if (who === 'super-admin') return requireSuperAdmin(actor) // which no key is
          requirePerson(actor)
          if (who !== 'everybody') requirePermission(actor, who)
        },
        who === 'everybody' ? 'session' : who,
        SECURITY.session,
      ),
    /** The route is open to everybody; its JSON body is read under the same limits. */
    anyone: (_reason: string) => opened(http),
    /** The route is open to everybody and reads its body itself, byte for byte. */
    raw: (_reason: string) => ({ detail: documented('public', []) }),
    /**
     * The refusals of the route's own, for the document; those that follow from its guard and its
     * body are added there.
     */
    refuses: (refusals: readonly ErrorCode[]) => ({
      detail: { [ERROR_CODES_KEY]: refusals } as DocumentDecoration,
    }), // as above
  })
}

/**
 * Refuses an app in which a route says nothing about who may call it, or names a permission that is
 * not in the catalogue: Elysia serves a route that forgot its guard to everybody.
 */
export function assertEveryRouteIsGuarded(
  routes: { method: string; path: string; hooks: unknown }[],
  catalogue: ReadonlySet<string>,
): void {
  for (const { method, path, hooks } of routes) {
    const permission = permissionOf(hooks)
    if (permission === null)
      throw new Error(`the route ${method} ${path} does not say who may call it`)
    if (permission.includes(':') && !catalogue.has(permission))
      throw new Error(`the route ${method} ${path} names the unknown permission ${permission}`)
  }
}

/** What a route's documentation says of who may call it; `null` when it says nothing. */
export function permissionOf(hooks: unknown): string | null {
  const detail = (hooks as { detail?: Record<string, unknown> } | undefined)?.detail
  const permission = detail?.[PERMISSION_KEY]
  return typeof permission === 'string' ? permission : null
}
