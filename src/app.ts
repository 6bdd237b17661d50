import { Elysia, type AnyElysia } from 'elysia'

import type { Program } from './container'
import { credentialRoutesOf, withCompression } from './http/compression'
import { consoleRoutes } from './http/console'
import { docsRoutes } from './http/docs/routes'
import { errorMapper } from './http/error-mapper'
import { assertEveryRouteIsGuarded } from './http/guard'
import { requestHooks } from './http/hooks'
import { creatingRoutesOf } from './http/idempotency'
import { pageRoutes } from './http/link-pages'
import type { Module } from './http/module'
import { idPlacesOf } from './http/normalize-ids'
import { oversizedFindersOf } from './http/refuse-oversized'
import { openApiDocument, type OpenApiDocument } from './http/openapi/document'
import type { DescribedRoute } from './http/openapi/operation'
import { withRequestTimeout } from './http/request-timeout'
import { patternsOf } from './http/route-patterns'
import { MODULES } from './modules'
import { SOCKET_LIMITS } from './modules/delivery/realtime/routes'
import { PERMISSIONS } from './modules/organization/roles/catalog'
import { describedEvents } from './modules/delivery/webhooks/events/describe'

/**
 * Bun's own body limit, bytes. It is far above ours, because Bun cuts off a larger body without an
 * envelope.
 */
const BODY_CEILING = 1024 * 1024 * 1024

/**
 * Creates the HTTP and WebSocket server of a program: hooks and error mapping first, then every
 * controller. Throws if a route does not declare who may call it.
 */
export function createApp(program: Program) {
  const { http } = program
  let document: Promise<OpenApiDocument> | null = null
  const describe = (): Promise<OpenApiDocument> =>
    (document ??= openApiDocument(app.routes as DescribedRoute[], {
      version: http.version,
      baseUrl: http.settings.baseUrl,
      events: describedEvents(),
    }))
  const app = compose(program, describe)
  assertEveryRouteIsGuarded(app.routes, PERMISSIONS)
  for (const [path, shape] of creatingRoutesOf(app.routes)) http.creatingRoutes.set(path, shape)
  for (const [route, places] of idPlacesOf(app.routes)) http.idPlaces.set(route, places)
  for (const [route, find] of oversizedFindersOf(app.routes)) http.oversizedFinders.set(route, find)
  for (const route of credentialRoutesOf(app.routes)) http.credentialRoutes.add(route)
  http.patterns.splice(0, Infinity, ...patternsOf(app.routes))
  return { app, describe }
}

/** The controllers of all modules, in the order of the modules. */
function moduleRoutes(program: Program): AnyElysia[] {
  const modules: Module<Program>[] = MODULES
  const startParts = modules.flatMap((module) => module.startParts?.(program) ?? [])
  program.http.startParts.splice(0, Infinity, ...startParts)
  return modules.flatMap((module) => module.routes?.(program) ?? [])
}

/** The hooks of every request, then the controllers of the modules, then pages and documents. */
function compose(program: Program, describe: () => Promise<OpenApiDocument>): AnyElysia {
  const { http } = program
  const app: AnyElysia = new Elysia({
    websocket: SOCKET_LIMITS,
    // otherwise hosts of less than four characters lose every route with an id
    handler: { standardHostname: false },
    serve: {
      maxRequestBodySize: BODY_CEILING,
      development: false, // otherwise Bun answers uncaught errors with a page that shows source code
      reusePort: false, // Elysia's default lets two servers share a port, so a taken port would go unnoticed
    },
  })
    .wrap(withCompression)
    .wrap(withRequestTimeout(http))
    .use(errorMapper(http))
    .use(requestHooks(http))
  for (const plugin of moduleRoutes(program)) app.use(plugin)
  return app.use(docsRoutes(http, describe)).use(pageRoutes(http)).use(consoleRoutes(http))
}
