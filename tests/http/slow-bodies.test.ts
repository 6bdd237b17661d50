import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Client } from '../support/client'
import { personWith } from '../support/people'
import { exampleOf, guardedRoutesOf, pathOf, takesFormOnly, type Route } from '../support/routes'
import { beginRequest, type SlowRequest } from '../support/slow-request'
import { claimsOf } from '../support/tokens'
import { World } from '../support/world'

let world: World

beforeAll(async () => {
  world = await World.create({ isConnected: false })
})

afterAll(() => world.stop())

const FORM =
  '--edge\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\ncontent-type: text/csv\r\n\r\nphone_number\r\n--edge--\r\n'

function begin(client: Client, route: Route): SlowRequest {
  const isForm = takesFormOnly(route)
  const type = isForm ? 'multipart/form-data; boundary=edge' : 'application/json'
  const headers = { ...client.headers, 'content-type': type }
  return beginRequest(
    world.url,
    route.method,
    pathOf(route),
    headers,
    isForm ? FORM : JSON.stringify(exampleOf(route)),
  )
}

/** Begins requests and waits until the server has judged who sends them. */
async function beginAll(client: Client, routes: Route[]): Promise<SlowRequest[]> {
  const key = `user:${claimsOf(client.token).sub}`
  const left = (): number => world.program.http.limiters.standard.peek(key)?.remaining ?? 0
  const before = left()
  const begun = routes.map((route) => begin(client, route))
  await world.eventually(() => left() === before - routes.length)
  return begun
}

const answersOf = async (begun: SlowRequest[], routes: Route[]) =>
  (await Promise.all(begun.map((request) => request.finish()))).map((answer, index) => ({
    route: routes[index]?.label,
    ...answer,
  }))

test('a caller that signs out while its body arrives is rejected at every route without effect', async () => {
  const routes = guardedRoutesOf(world).filter(({ method }) => method !== 'GET')
  expect(routes.length).toBeGreaterThan(60)
  const gone = await world.signIn('super@example.com')
  const begun = await beginAll(gone, routes)
  await world.anyone.with(gone.headers).post('/api/auth/logout', {})
  world.clock.advance({ seconds: 1 })
  const before = world.rows('select count(*) as rows from audit_logs')
  const answers = await answersOf(begun, routes)
  expect(answers).toEqual(
    routes.map(({ label }) => ({ route: label, status: 401, code: 'session_ended' })),
  )
  expect(world.rows('select count(*) as rows from audit_logs')).toEqual(before)
})

test('permissions that change while a body arrives apply at once', async () => {
  const person = await personWith(world, ['tags:create'])
  const routes = guardedRoutesOf(world).filter(({ label }) => label === 'POST /api/tags')
  const [late] = await beginAll(person.client, routes)
  person.may()
  world.clock.advance({ seconds: 1 })
  expect(await late?.finish()).toEqual({ status: 403, code: 'permission_denied' })
  person.may('tags:create')
  const [again] = await beginAll(person.client, routes)
  world.clock.advance({ seconds: 1 })
  expect(await again?.finish()).toEqual({ status: 201, code: undefined })
})
