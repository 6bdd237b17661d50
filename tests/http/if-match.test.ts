import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { createApp } from '../../src/app'
import { IF_MATCH_KEY, unlessChanged } from '../../src/http/unless-changed'
import { systemCtx } from '../../src/infra/ctx'
import { tagCollection, tagView } from '../../src/modules/inbox/tags/queries'
import { createTag, updateTag } from '../../src/modules/inbox/tags/service'
import type { Answer, Loose } from '../support/client'
import { routesOf } from '../support/routes'
import { sceneOf } from '../support/scenes'
import { World } from '../support/world'

let world: World
beforeAll(async () => {
  world = await World.create()
})
afterAll(() => world.stop())

/** The routes that accept `If-Match`. */
const COMPARED = [
  '/api/accounts/:id',
  '/api/campaigns/:id',
  '/api/canned-responses/:id',
  '/api/chatbot/ai-contexts/:id',
  '/api/chatbot/flows/:id',
  '/api/chatbot/keywords/:id',
  '/api/chatbot/settings',
  '/api/consent-settings',
  '/api/contact-attributes/:id',
  '/api/custom-actions/:id',
  '/api/flows/:id',
  '/api/organizations/settings',
  '/api/retention',
  '/api/roles/:id',
  '/api/segments/:id',
  '/api/tags/:id',
  '/api/teams/:id',
  '/api/templates/:id',
  '/api/webhooks/:id',
]

/** The thing of an answer. */
const thingOf = ({ data }: Answer): Loose => (data as Loose)['team'] ?? (data as Loose)

describe('nobody changes what somebody else changed since it was loaded', () => {
  test('the routes that compare are known', () => {
    const found = createApp(world.program).app.routes.filter(({ hooks }) => {
      const { detail } = hooks as { detail?: Record<string, unknown> }
      return detail?.[IF_MATCH_KEY] === true
    })
    expect(found.map(({ path }) => path).toSorted()).toEqual(COMPARED)
  })

  test.each(COMPARED)('PUT %s', async (pattern) => {
    const route = routesOf(world).find(({ label }) => label === `PUT ${pattern}`)
    if (!route) throw new Error('there is no such route')
    const { client, path, body } = await sceneOf(route, world)
    const loaded = thingOf(await client.get(path))['updated_at']
    world.clock.advance({ seconds: 1 })
    const change = (version: unknown): Promise<Answer> =>
      client.with({ 'if-match': `"${String(version)}"` }).put(path, body)
    expect(await change(loaded)).toMatchObject({ status: 200 })
    const present = thingOf(await client.get(path))
    expect(present['updated_at']).not.toBe(loaded)
    const late = await change(loaded)
    expect(late).toMatchObject({ status: 409, body: { code: 'changed_meanwhile' } })
    expect(present).toMatchObject(late.body.details?.['present'] as Loose)
    expect(thingOf(await client.get(path))).toEqual(present)
    expect(await change(present['updated_at'])).toMatchObject({ status: 200 })
    expect(await change('yesterday')).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'headers.if-match' }] },
    })
  })
})

test('what was changed between the comparison and the transaction is not changed either', () => {
  const ctx = systemCtx(world.program.http, world.tenant.id)
  const { id, updated_at: version } = createTag(ctx, { name: 'Race' })
  world.clock.advance({ seconds: 1 })
  const read = (): { updated_at: string } => tagView(ctx, tagCollection.get(ctx, id))
  const [one, two] = [unlessChanged(ctx, read, id, version), unlessChanged(ctx, read, id, version)]
  updateTag(one, id, { name: 'one' })
  expect(() => updateTag(two, id, { name: 'two' })).toThrow('This was changed at')
  updateTag(one, id, { name: 'three' }) // a second step of the same request
  expect(tagCollection.get(ctx, id).name).toBe('three')
})
