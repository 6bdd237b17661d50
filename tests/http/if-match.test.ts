import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { createApp } from '../../src/app'
import { IF_MATCH_KEY, unlessChanged } from '../../src/http/unless-changed'
import { systemCtx } from '../../src/infra/ctx'
import { tagCollection, tagView } from '../../src/modules/inbox/tags/queries'
import { createTag, updateTag } from '../../src/modules/inbox/tags/service'
import { graphOf } from '../support/bots'
import type { Answer, Client, Loose } from '../support/client'
import { routesOf } from '../support/routes'
import { sceneOf } from '../support/scenes'
import { World } from '../support/world'

let world: World
beforeAll(async () => {
  // a report by email needs an installation that can send them
  world = await World.create({ env: { SMTP_URL: 'smtp://127.0.0.1:9' } })
})
afterAll(() => world.stop())

/** The PUT routes that accept `If-Match`. */
const COMPARED = [
  '/api/accounts/:id',
  '/api/analytics/board',
  '/api/analytics/board/organization',
  '/api/analytics/scheduled-reports/:id',
  '/api/api-keys/:id',
  '/api/campaigns/:id',
  '/api/canned-responses/:id',
  '/api/chatbot/ai-contexts/:id',
  '/api/chatbot/flows/:id',
  '/api/chatbot/keywords/:id',
  '/api/chatbot/settings',
  '/api/consent-settings',
  '/api/contact-attributes/:id',
  '/api/contacts/:id',
  '/api/custom-actions/:id',
  '/api/flows/:id',
  '/api/organizations/settings',
  '/api/retention',
  '/api/roles/:id',
  '/api/scheduled-messages/:id',
  '/api/segments/:id',
  '/api/tags/:id',
  '/api/teams/:id',
  '/api/templates/:id',
  '/api/users/:id',
  '/api/views/:id',
  '/api/webhooks/:id',
]
/** What else accepts it. */
const OTHERS = [
  'POST /api/chatbot/flows/:id/publish',
  'POST /api/chatbot/flows/:id/versions/:version/restore',
]

/** Returns the thing at a path: as its own route shows it, or else its list. */
async function read(client: Client, path: string): Promise<Loose> {
  const one = await client.get(path)
  if (one.status === 200) return (one.data['team'] ?? one.data) as Loose
  const { data } = await client.get(path.replace(/\/[^/]+$/, ''))
  return (data['items'] as Loose[]).find(({ id }) => path.endsWith(String(id))) ?? {}
}

describe('nobody changes what somebody else changed since it was loaded', () => {
  test('the routes that compare are known', () => {
    const found = createApp(world.program).app.routes.filter(({ hooks }) => {
      const { detail } = hooks as { detail?: Record<string, unknown> }
      return detail?.[IF_MATCH_KEY] === true
    })
    const known = [...COMPARED.map((path) => `PUT ${path}`), ...OTHERS]
    expect(found.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      known.toSorted(),
    )
  })

  test.each(COMPARED)('PUT %s', async (pattern) => {
    const route = routesOf(world).find(({ label }) => label === `PUT ${pattern}`)
    if (!route) throw new Error('there is no such route')
    const { client, path, body } = await sceneOf(route, world)
    const loaded = (await read(client, path))['updated_at']
    world.clock.advance({ seconds: 1 })
    const change = (version: unknown): Promise<Answer> =>
      client.with({ 'if-match': `"${String(version)}"` }).put(path, body)
    // of two people who save at once, one is late
    const [first, late] = (await Promise.all([change(loaded), change(loaded)])).toSorted(
      (one, other) => one.status - other.status,
    ) as [Answer, Answer]
    expect(first).toMatchObject({ status: 200 })
    const present = await read(client, path)
    expect(present['updated_at']).not.toBe(loaded)
    expect(late).toMatchObject({ status: 409, body: { code: 'changed_meanwhile' } })
    expect(present).toMatchObject(late.body.details?.['present'] as Loose)
    expect(await read(client, path)).toEqual(present)
    expect(await change(present['updated_at'])).toMatchObject({ status: 200 })
    expect(await change('yesterday')).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'headers.if-match' }] },
    })
  })
})

test('a draft of a bot flow that somebody else changed is neither published nor replaced', async () => {
  const admin = await world.as('admin')
  const graph = graphOf([['hello', 'message', { message: 'Hello' }]])
  const { data: made } = await admin.post('/api/chatbot/flows', {
    ...{ name: 'Two people', enabled: true, graph },
  })
  const path = `/api/chatbot/flows/${String(made['id'])}`
  const draft = async (message: string): Promise<unknown> => {
    world.clock.advance({ seconds: 1 })
    const body = { publish: false, graph: graphOf([['hello', 'message', { message }]]) }
    return (await admin.put(path, body)).data['updated_at']
  }
  const seen = await draft('Mine')
  const now = await draft('Theirs')
  const as = (version: unknown): Client => admin.with({ 'if-match': `"${String(version)}"` })
  for (const verb of ['publish', 'versions/1/restore']) {
    const late = await as(seen).post(`${path}/${verb}`)
    expect(late).toMatchObject({ status: 409, body: { code: 'changed_meanwhile' } })
    expect(late.body.details?.['present']).toMatchObject({ version: 1, updated_at: now })
  }
  expect((await admin.get(path)).data).toMatchObject({ version: 1, has_draft: true })
  expect((await as(now).post(`${path}/publish`)).data).toMatchObject({ version: 2 })
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
