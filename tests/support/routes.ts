import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { createApp } from '../../src/app'
import { permissionOf } from '../../src/http/guard'
import type { World } from './world'

/** A route of the real app as tests walk it. */
export interface Route {
  method: string
  /** The path pattern, for example `/api/contacts/:id`. */
  path: string
  /** A permission, `signed-in`, `session` or `public`; `null` if undeclared. */
  permission: string | null
  body: TSchema | null
  /** `METHOD /path`, for names of tests and lists. */
  label: string
}

/** Whether signed-in users may call a route for which API keys need a permission. */
export const isOpenToPeople = ({ permission }: Pick<Route, 'permission'>): boolean =>
  permission?.startsWith('session or ') === true

/** Whether a route refuses API keys, whatever their permissions. */
export const isForPeopleOnly = ({ permission }: Pick<Route, 'permission'>): boolean =>
  permission === 'session' || permission?.startsWith('session and ') === true

/** The permissions of the catalog that a route names: any of them suffices. */
export const pairsOf = ({ permission }: Pick<Route, 'permission'>): string[] =>
  permission?.split(/ or | and /).filter((pair) => pair.includes(':')) ?? []

/** The query that a route cannot do without, with its question mark; empty for most routes. */
export function requiredQuery({ tenant }: World, path: string): string {
  const { admin, agent } = tenant.userIds
  if (path.startsWith('/api/messages/search') || path === '/api/suggest') return '?q=combination'
  if (path === '/api/analytics/agents/comparison') return `?user_ids=${admin},${agent}`
  if (path === '/api/views/counts') return `?ids=${NOBODY}`
  return ''
}

/** A valid ID that no row has. */
export const NOBODY = '01900000-0000-7000-8000-ffffffffffff'

/** Every route of the program, sockets and documentation pages too. */
export const routesOf = (world: World): Route[] =>
  createApp(world.program).app.routes.map(({ method, path, hooks }) => ({
    method,
    path,
    permission: permissionOf(hooks),
    body: ((hooks as { body?: TSchema }).body ?? null) as TSchema | null,
    label: `${method} ${path}`,
  }))

/** Returns the routes that require a credential. */
export const guardedRoutesOf = (world: World): Route[] =>
  routesOf(world).filter(({ permission }) => permission !== 'public')

/** Whether the path has an ID; `:table` stands for a word. */
export const takesId = ({ path }: Route): boolean => /\/:(?!table\b)/.test(path)

/**
 * The route's address with every `:id` filled in: the ids given in their order, the last of them in
 * all that follow. A `:version` is a number; the first is 1.
 */
export function pathOf(route: Route, ...ids: string[]): string {
  const left = ids.length === 0 ? [NOBODY] : [...ids]
  return route.path
    .replaceAll(/:version\b/g, '1')
    .replaceAll(/:\w+/g, () => (left.length > 1 ? left.shift() : left[0]) ?? NOBODY)
}

/** Whether the route's body is optional: all of its fields are. */
export const isBodyOptional = ({ body }: Route): boolean => body !== null && Value.Check(body, {})

/** Returns the schema of the body, if any. */
export const bodyObject = (route: Route): TSchema | null =>
  variantsOf(route.body).find((variant) => variant['type'] === 'object') ?? null

const variantsOf = (schema: TSchema | null): TSchema[] =>
  schema === null ? [] : ((schema['anyOf'] as TSchema[] | undefined) ?? [schema])

/**
 * Returns the documented example of the route's body; `{}` if it has no body. Throws if a body has
 * no example.
 */
export function exampleOf(route: Route): Record<string, unknown> {
  const schema = bodyObject(route)
  if (schema === null) return {}
  const [example] = (schema['examples'] ?? []) as Record<string, unknown>[]
  if (!example) throw new Error(`the body of ${route.label} has no example`)
  return example
}

/** Whether a route accepts only a form with a file. */
export function takesFormOnly(route: Route): boolean {
  const schema = bodyObject(route)
  const file = (schema?.['properties'] as Record<string, TSchema> | undefined)?.['file']
  return (
    file?.['format'] === 'binary' && ((schema?.['required'] ?? []) as string[]).includes('file')
  )
}

/**
 * Whether a route accepts a document or a list of many people, which may be larger than other
 * bodies.
 */
export const takesDocument = ({ path, method }: Route): boolean =>
  [
    '/api/flows',
    '/api/flows/:id',
    '/api/flows/:id/validate',
    '/api/campaigns/:id/recipients/import',
    '/api/chatbot/ai-contexts',
    '/api/chatbot/ai-contexts/:id',
  ].includes(path) && method !== 'GET'
