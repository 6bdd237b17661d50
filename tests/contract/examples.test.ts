import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { createIdempotency, type Attempt, type Idempotency } from '../../src/infra/idempotency/idempotency'
import type { Client, Loose } from '../support/client'
import { ask } from '../support/files'
import { routesOf, type Route } from '../support/routes'
import { sceneOf } from '../support/scenes'
import { World } from '../support/world'

/** They speak another language than JSON in the envelope, and tests of their own send what is documented of them. */
const OTHERS = new Set([
  'GET /api/webhook',
  'POST /api/webhook',
  'GET /ws',
  'WS /ws',
  'POST /api/media',
  'GET /api/media/:id',
  'GET /api/media/signed/:token',
])

const world = await World.create({ isConnected: false })
/** Pages are in no document. */
const all = routesOf(world).filter(({ path }) => !/^\/(?:docs|link-pages|join$|reset-password$)/.test(path))
const routes = all.filter(({ label }) => !OTHERS.has(label))
const isCreating = ({ method, path }: Route): boolean => method === 'POST' && world.program.http.creatingRoutes.has(path)
const creating = routes.filter(isCreating)
const document = (await world.anyone.get('/openapi.json')).body as Loose

afterAll(() => world.stop())

/** The success statuses that the document gives a route. */
function documented(route: Route): number[] {
  const operation = (document['paths'] as Loose)[route.path.replaceAll(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()] as Loose
  return Object.keys(operation['responses'] as Loose)
    .map(Number)
    .filter((status) => status < 300 && status !== 206) // a range is asked for by a header
}

describe('the documented example of each request, sent to the server, gets the documented success', () => {
  // Those that take a key are sent below.
  for (const route of routes.filter((one) => !isCreating(one)))
    test(route.label, async () => {
      const { world: stage, client, path, body } = await sceneOf(route)
      await using _ = stage
      const answer = await ask(client, route, path, body)
      expect({ status: answer.status, body: answer.status < 300 ? null : answer.body }).toEqual({
        status: documented(route).at(-1) ?? 200, // of what a scene has not made yet 201
        body: null,
      })
    })
})

/** A server that dies between the commit and the answer: what the answer would have changed afterwards never happens. */
const dying = (idempotency: Idempotency): Idempotency => ({
  begin(request) {
    const turn = idempotency.begin(request)
    return 'db' in turn ? ({ ...turn, answered: () => undefined } satisfies Attempt) : turn
  },
})

/**
 * Tokens are signed after the commit, with the role as it is then. After a crash in between the repetition is told that it took
 * effect, and the person signs in.
 */
const ANSWER_COMES_LATER = ['POST /api/auth/register']

describe('the documented example of a creating request, sent with a key', () => {
  beforeAll(() => expect(creating.length).toBeGreaterThan(8))

  const keyed = (client: Client): Client => client.with({ 'idempotency-key': 'the-same-key' })

  for (const route of creating)
    test(`${route.label} is replayed as it was answered`, async () => {
      const { world: stage, client, path, body } = await sceneOf(route)
      await using _ = stage
      const first = await ask(keyed(client), route, path, body)
      const again = await ask(keyed(client), route, path, body)
      expect([first.status, again.status, again.headers.get('idempotent-replay')]).toEqual([201, 201, 'true'])
      expect(again.body).toEqual(first.body)
    })

  for (const route of creating)
    test(`${route.label} has its answer when the server dies right after the commit`, async () => {
      const { world: stage, client, path, body } = await sceneOf(route)
      await using _ = stage
      const { http } = stage.program
      http.idempotency = dying(http.idempotency)
      const first = await ask(keyed(client), route, path, body)
      http.idempotency = createIdempotency(http)
      const again = await ask(keyed(client), route, path, body)
      const isLost = again.body.code === 'idempotency_interrupted'
      expect({ first: first.status, isLost }).toEqual({ first: 201, isLost: ANSWER_COMES_LATER.includes(route.label) })
      if (!isLost) expect([again.status, again.body]).toEqual([201, first.body])
    })

  test('has the header in its documentation, and no other operation has', () => {
    const named = Object.entries(document['paths'] as Loose).flatMap(([path, item]) =>
      Object.entries(item as Loose)
        .filter(([, operation]) => JSON.stringify((operation as Loose)['parameters'] ?? []).includes('IdempotencyKey'))
        .map(([method]) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    )
    expect(named.toSorted()).toEqual(
      all
        .filter(isCreating)
        .map(({ label }) => label)
        .toSorted(),
    )
  })
})
