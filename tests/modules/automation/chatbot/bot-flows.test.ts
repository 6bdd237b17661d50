import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Answer, Client, Loose } from '../../../support/client'
import { SAMPLES } from '../../../../src/simulator/sample-files'
import { upload } from '../../../support/files'
import { approvedTemplate } from '../../../support/templates'
import { World } from '../../../support/world'

let world: World
let admin: Client
let number = 0

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
})

afterAll(() => world.stop())

const PATH = '/api/chatbot/flows'
const verdict = ({ status, body }: Answer<unknown>): [number, string | undefined] => [
  status,
  body.code,
]
type Part = Record<string, unknown>
const node = (id: string, type: string, config: Part = {}): Part => ({ id, type, config })
const edge = (from: string, to: string, condition = 'default'): Part => ({ from, to, condition })
const graphOf = (nodes: Part[], edges: Part[] = [], more: Part = {}): Part => ({
  version: 2,
  entry_node: nodes[0]?.['id'],
  nodes,
  edges,
  ...more,
})
const GOOD = graphOf(
  [node('ask', 'prompt', { body: 'Your name?', store_as: 'name' }), node('end', 'end')],
  [edge('ask', 'end')],
)
const create = (more: Part = {}): Promise<Answer<Loose>> =>
  admin.post(PATH, { name: `Flow ${(number += 1)}`, graph: GOOD, ...more })
const pathOf = ({ data }: Answer<Loose>): string => `${PATH}/${String(data['id'])}`
/** Lets a day pass, with its nightly work. Everybody signs in again. */
async function waitADay(): Promise<void> {
  world.clock.advance({ hours: 30 })
  await world.settle()
  admin = await world.as('admin')
}
/** The problems of a graph by path, as checking it reports them. */
async function problems(graph: unknown): Promise<Record<string, string>> {
  const { data } = await admin.post(`${PATH}/validate`, { graph })
  expect(data['valid']).toBe((data['errors'] as unknown[]).length === 0)
  return Object.fromEntries(
    (data['errors'] as Loose[]).map((problem) => [
      String(problem['path']).replace('body.graph.', ''),
      String(problem['message']),
    ]),
  )
}
const problemsOfNode = async (type: string, config: Part): Promise<Record<string, string>> => {
  const found = await problems(graphOf([node('a', type, config)]))
  return Object.fromEntries(
    Object.entries(found).map(([path, message]) => [
      path.replace(/^nodes\.0\.config\.?/, ''),
      message,
    ]),
  )
}

describe('a bot flow', () => {
  test('is created as a draft, found, changed and deleted', async () => {
    const made = await create({ name: 'Réservation', trigger_keywords: ['table'] })
    expect([made.status, made.data]).toMatchObject([
      201,
      {
        name: 'Réservation',
        enabled: false,
        version: null,
        has_draft: true,
        account_id: null,
        trigger_match_type: 'contains',
        priority: 10,
        on_complete_action: 'none',
        created_by: (await admin.get('/api/me')).data['id'],
        completion_config: null,
        cancel_keywords: ['cancel', 'stop', 'exit'],
        timeout_minutes: null,
        panel_config: null,
        warnings: [
          {
            path: 'graph.nodes.0',
            message: 'hands over to a person after max_retries: no edge follows',
          },
        ],
        graph: { version: 2, entry_node: 'ask' },
      },
    ])
    expect((await admin.get(pathOf(made))).data).toEqual(made.data)
    for (const query of ['search=reserv', 'search=TABLE', 'enabled=false'])
      expect((await admin.get(`${PATH}?${query}`)).data['items']).toContainEqual(
        expect.objectContaining({ id: made.data['id'], has_draft: true }),
      )
    expect((await admin.get(`${PATH}?enabled=true&search=reserv`)).data['items']).toEqual([])
    expect((await admin.put(pathOf(made), { priority: 3 })).data).toMatchObject({
      priority: 3,
      name: 'Réservation',
    })
    expect(verdict(await create({ name: 'RESERVATION' }))).toEqual([409, 'name_taken'])
    expect((await admin.delete(pathOf(made))).status).toBe(200)
    expect(verdict(await admin.get(pathOf(made)))).toEqual([404, 'not_found'])
    expect((await create({ name: 'Réservation' })).status).toBe(201)
  })

  test('without a graph has a start node', async () => {
    const { data } = await admin.post(PATH, { name: 'Empty', enabled: true })
    expect(data).toMatchObject({ version: 1, graph: { nodes: [{ id: 'start', type: 'start' }] } })
  })

  test('stores defaults and drops fields that it does not know', async () => {
    const { data } = await create({
      graph: graphOf([{ ...node('ask', 'prompt', { body: 'x', surprise: 1 }), color: 'red' }], [], {
        extra: true,
      }),
    })
    expect(data['graph']).toEqual({
      version: 2,
      entry_node: 'ask',
      nodes: [
        {
          id: 'ask',
          type: 'prompt',
          label: null,
          position: null,
          config: { body: 'x', input: 'any' },
        },
      ],
      edges: [],
    })
  })

  test('keeps settings that are not sent, and clears those that are null', async () => {
    const made = await create({
      initial_message: 'Hi {{ contact_name }}',
      timeout_minutes: 5,
      panel_config: {
        sections: [
          {
            id: 's',
            label: 'Booking',
            columns: 2,
            collapsible: true,
            default_collapsed: false,
            order: 1,
            fields: [{ key: 'name', label: 'Name', order: 1, display_type: 'badge', color: 'red' }],
          },
        ],
      },
    })
    const { data } = await admin.put(pathOf(made), { timeout_minutes: null, cancel_keywords: [] })
    expect(data).toMatchObject({
      initial_message: 'Hi {{ contact_name }}',
      timeout_minutes: null,
      cancel_keywords: [],
      panel_config: { sections: [{ label: 'Booking' }] },
    })
  })

  test('gives a panel its defaults', async () => {
    const fields = [{ key: 'name', label: 'Name' }]
    const { data } = await create({
      panel_config: { sections: [{ id: 's', label: 'Booking', fields }] },
    })
    const section = { columns: 1, collapsible: false, default_collapsed: false, order: 0 }
    expect(data['panel_config']).toEqual({
      sections: [
        {
          id: 's',
          label: 'Booking',
          ...section,
          fields: [{ key: 'name', label: 'Name', order: 0, display_type: 'text' }],
        },
      ],
    })
  })

  test('keeps the settings that a change does not name, and what they need', async () => {
    const settings = {
      initial_message: 'Welcome.',
      completion_message: 'Thanks.',
      cancel_message: 'As you like.',
      timeout_message: 'Too late.',
      timeout_minutes: 7,
      cancel_keywords: ['enough'],
      on_complete_action: 'webhook',
    }
    const made = await create({ ...settings, completion_config: { url: 'https://a.example/done' } })
    expect(made.data).toMatchObject(settings)
    expect((await admin.put(pathOf(made), { priority: 3 })).data).toMatchObject(settings)
    const { status, body } = await admin.put(pathOf(made), { completion_config: null })
    expect([status, body.errors?.map(({ path }) => path)]).toEqual([
      400,
      ['body.completion_config'],
    ])
  })

  test('is not for a number that is no longer connected', async () => {
    const { data: number } = await admin.post('/api/accounts', {
      name: 'Former',
      phone_id: '995',
      business_id: '885',
      access_token: 'not-looked-at',
      verify: false,
    })
    await admin.delete(`/api/accounts/${number['id']}`)
    const { status, body } = await create({ account_id: number['id'] })
    expect([status, body.errors?.map(({ path }) => path)]).toEqual([400, ['body.account_id']])
  })

  test('refuses settings that cannot work, all at once', async () => {
    const { body, status } = await create({
      initial_message: '{{ name',
      cancel_message: '{% assign a = 1 %}',
      account_id: '01900000-0000-7000-8000-000000000000',
      on_complete_action: 'webhook',
      trigger_keywords: ['x'.repeat(256)],
    })
    expect([status, body.code, body.errors?.map(({ path }) => path)]).toEqual([
      400,
      'invalid_input',
      [
        'body.account_id',
        'body.trigger_keywords.0',
        'body.initial_message',
        'body.cancel_message',
        'body.completion_config',
      ],
    ])
    for (const wrong of [
      { enabled: 'yes' },
      { priority: 1.5 },
      { timeout_minutes: 0 },
      { cancel_keywords: [''] },
      { trigger_match_type: 'glob' },
      { panel_config: { sections: [{}] } },
      { graph: [] },
      {},
    ])
      expect(verdict(await admin.put(pathOf(await create()), wrong))[0]).toBe(400)
  })

  test('500 are enough, deleted ones not counted', async () => {
    const full = await World.create()
    full.stays('rows that no server writes')
    const client = await full.as('admin')
    full.program.http.db.sqlite.run(
      `with numbers(n) as (select 1 union all select n + 1 from numbers where n < 500)
       insert into bot_flows (organization_id, id, name, name_key, words, is_enabled,
         trigger_keywords, trigger_match_type, priority, settings, has_draft, created_at_ms,
         updated_at_ms)
       select organizations.id, randomblob(16), 'n' || n, 'n' || n, '', 0, '[]', 'contains', 1, '{}',
         1, 1, 1
       from organizations, numbers`,
    )
    expect(verdict(await client.post(PATH, { name: 'One more' }))).toEqual([409, 'limit_reached'])
    const { data } = await client.get(`${PATH}?limit=1`)
    await client.delete(`${PATH}/${String((data['items'] as Loose[])[0]?.['id'])}`)
    expect((await client.post(PATH, { name: 'One more' })).status).toBe(201)
    await full.stop()
  })

  test('copied again after its copy was deleted has the same number', async () => {
    const path = pathOf(await create({ name: 'Copied' }))
    const copy = await admin.post(`${path}/duplicate`, {})
    await admin.delete(pathOf(copy))
    const { data } = await admin.post(`${path}/duplicate`, {})
    expect([copy.data['name'], data['name']]).toEqual(['Copied (2)', 'Copied (2)'])
  })

  test('can be deleted although it leads to itself', async () => {
    const made = await create()
    const again = graphOf(
      [
        node('a', 'buttons', { body: 'Once more?', buttons: [{ id: 'go', title: 'Go' }] }),
        node('b', 'goto_flow', { flow_id: made.data['id'] }),
      ],
      [edge('a', 'b', 'button:go')],
    )
    expect((await admin.put(pathOf(made), { graph: again })).status).toBe(200)
    expect((await admin.delete(pathOf(made))).status).toBe(200)
  })

  test('cannot be deleted while another one leads to it', async () => {
    const target = await create()
    const id = String(target.data['id'])
    const from = await create({
      name: 'Leads on',
      graph: graphOf(
        [
          node('a', 'buttons', { body: 'Go?', buttons: [{ id: 'go', title: 'Go' }] }),
          node('b', 'goto_flow', { flow_id: id }),
        ],
        [edge('a', 'b', 'button:go')],
      ),
    })
    const { status, body } = await admin.delete(pathOf(target))
    expect([status, body.code, body.details]).toEqual([
      409,
      'in_use',
      { used_by: [{ kind: 'bot_flow', id: from.data['id'], name: 'Leads on' }] },
    ])
    await admin.put(pathOf(from), { enabled: true })
    await admin.put(pathOf(from), { graph: GOOD })
    expect((await admin.delete(pathOf(target))).status).toBe(200)
  })

  test('a button that begins a flow counts as leading to it', async () => {
    const target = await create()
    const buttons = [{ id: `flow:${String(target.data['id'])}`, title: 'Go' }]
    const from = await create({ graph: graphOf([node('a', 'buttons', { body: 'Go?', buttons })]) })
    expect(verdict(await admin.delete(pathOf(target)))).toEqual([409, 'in_use'])
    expect((await admin.delete(pathOf(from))).status).toBe(200)
    expect((await admin.delete(pathOf(target))).status).toBe(200)
  })

  test('a button whose id only looks like that of a flow is a button', async () => {
    const buttons = [{ id: `flow:${'-'.repeat(36)}`, title: 'Go' }]
    const from = await create({ graph: graphOf([node('a', 'buttons', { body: 'Go?', buttons })]) })
    expect(from.status).toBe(201)
    expect((await admin.delete(pathOf(from))).status).toBe(200)
  })

  test('cannot be deleted while a rule or a button of the greeting leads to it', async () => {
    const target = await create()
    const id = String(target.data['id'])
    const rule = await admin.post('/api/chatbot/keywords', {
      name: 'Leads there',
      keywords: ['go'],
      response_type: 'flow',
      response_content: { flow_id: id },
    })
    expect(rule.status).toBe(201)
    const usedBy = async (): Promise<unknown> =>
      (await admin.delete(pathOf(target))).body.details?.['used_by']
    expect(await usedBy()).toEqual([
      { kind: 'keyword_rule', id: rule.data['id'], name: 'Leads there' },
    ])
    await admin.delete(`/api/chatbot/keywords/${String(rule.data['id'])}`)
    const buttons = [{ id: `flow:${id}`, title: 'Go' }]
    await admin.put('/api/chatbot/settings', { greeting_message: 'Hi', greeting_buttons: buttons })
    expect(await usedBy()).toMatchObject([{ kind: 'chatbot_settings' }])
    await admin.put('/api/chatbot/settings', { greeting_buttons: [] })
    expect((await admin.delete(pathOf(target))).status).toBe(200)
  })

  test('has its part of the 100 regular expressions of an organization', async () => {
    const fresh = await World.create()
    const client = await fresh.as('admin')
    const regex = (name: string, count: number) =>
      client.post(PATH, {
        name,
        trigger_match_type: 'regex',
        trigger_keywords: Array.from({ length: count }, (_, index) => `order ?${index}`),
      })
    const first = await regex('A', 40)
    expect(first.status).toBe(201)
    expect((await regex('B', 50)).status).toBe(201)
    expect((await regex('C', 10)).status).toBe(201)
    expect(verdict(await regex('D', 1))).toEqual([409, 'limit_reached'])
    expect(verdict(await client.put(pathOf(first), { priority: 1 }))[0]).toBe(200)
    const more = Array.from({ length: 41 }, (_, index) => `more ?${index}`)
    expect(verdict(await client.put(pathOf(first), { trigger_keywords: more }))).toEqual([
      409,
      'limit_reached',
    ])
    const rule = { keywords: ['a+'], match_type: 'regex', response: 'x' }
    expect(verdict(await client.post('/api/chatbot/keywords', rule))).toEqual([
      409,
      'limit_reached',
    ])
    expect(
      verdict(
        await client.post(PATH, {
          name: 'E',
          trigger_match_type: 'regex',
          trigger_keywords: ['(?=a)'],
        }),
      )[0],
    ).toBe(400)
    await fresh.stop()
  })

  test('writes an audit entry for each change, without graphs and secrets', async () => {
    const made = await create({ name: 'Audited' })
    await admin.put(pathOf(made), { graph: GOOD, enabled: true, priority: 4 })
    await admin.delete(pathOf(made))
    const { data } = await admin.get(
      `/api/audit-logs?resource_type=bot_flow&resource_id=${String(made.data['id'])}`,
    )
    const entries = data['items'] as { action: string; changes: { field: string }[] }[]
    expect(entries.map(({ action }) => action).toSorted()).toEqual([
      'created',
      'deleted',
      'updated',
    ])
    expect(entries.flatMap(({ changes }) => changes.map(({ field }) => field)).toSorted()).toEqual([
      'enabled',
      'graph',
      'has_draft',
      'priority',
      'version',
    ])
  })
})

describe('publishing', () => {
  const other = graphOf([node('other', 'end')])
  const versionsOf = async (path: string): Promise<unknown[]> =>
    ((await admin.get(`${path}/versions`)).data['items'] as Loose[]).map(({ version }) => version)

  test('an enabled flow publishes each graph at once, unless it is told not to', async () => {
    const made = await create({ enabled: true })
    const path = pathOf(made)
    expect(made.data).toMatchObject({ version: 1, has_draft: false })
    expect((await admin.put(path, { graph: other })).data).toMatchObject({
      version: 2,
      has_draft: false,
    })
    expect((await admin.put(path, { graph: GOOD, publish: false })).data).toMatchObject({
      version: 2,
      has_draft: true,
      graph: { entry_node: 'ask' },
    })
    expect((await admin.post(`${path}/publish`)).data).toMatchObject({
      version: 3,
      has_draft: false,
    })
    expect(verdict(await admin.post(`${path}/publish`))).toEqual([409, 'no_draft'])
    expect(await versionsOf(path)).toEqual([3, 2, 1])
  })

  test('a disabled flow keeps a draft, and enabling it publishes the first one', async () => {
    const made = await create()
    const path = pathOf(made)
    expect((await admin.put(path, { graph: other })).data).toMatchObject({ version: null })
    expect(verdict(await admin.put(path, { enabled: true, publish: false }))[0]).toBe(400)
    expect((await admin.put(path, { enabled: true })).data).toMatchObject({
      enabled: true,
      version: 1,
      has_draft: false,
    })
    await admin.put(path, { enabled: false, graph: GOOD })
    expect((await admin.put(path, { enabled: true })).data).toMatchObject({
      version: 1,
      has_draft: true,
    })
    expect((await admin.put(path, { publish: true })).data).toMatchObject({ version: 2 })
  })

  test('refuses a draft with problems, and names them all', async () => {
    const bad = graphOf([node('a', 'message', {}), node('b', 'end')])
    const made = await create({ graph: bad })
    expect(made.data['warnings']).toEqual([
      { path: 'graph.nodes.0.config.message', message: 'is required' },
      { path: 'graph.nodes.1', message: 'cannot be reached from `entry_node`' },
    ])
    for (const attempt of [
      () => admin.post(`${pathOf(made)}/publish`),
      () => admin.put(pathOf(made), { enabled: true }),
    ]) {
      const { status, body } = await attempt()
      expect([status, body.code, body.errors?.length]).toEqual([400, 'graph_invalid', 2])
    }
    const { body } = await create({ graph: bad, enabled: true })
    expect([body.code, body.errors?.[0]?.path]).toEqual([
      'graph_invalid',
      'body.graph.nodes.0.config.message',
    ])
  })

  test('an old version can be read and made the draft', async () => {
    const made = await create({ enabled: true })
    const path = pathOf(made)
    await admin.put(path, { graph: other })
    expect((await admin.get(`${path}/versions/1`)).data).toMatchObject({
      version: 1,
      published_by: world.tenant.userIds.admin,
      published_by_name: expect.any(String),
      graph: { entry_node: 'ask' },
    })
    expect((await admin.post(`${path}/versions/1/restore`)).data).toMatchObject({
      version: 2,
      has_draft: true,
      graph: { entry_node: 'ask' },
    })
    for (const version of ['0', '9'])
      expect((await admin.get(`${path}/versions/${version}`)).status).toBe(
        version === '0' ? 400 : 404,
      )
  })

  test('keeps the newest 50 versions', async () => {
    const path = pathOf(await create({ enabled: true }))
    for (let version = 2; version <= 53; version++) {
      const answer = await admin.put(path, { graph: version % 2 ? GOOD : other })
      if (answer.status === 429) {
        world.clock.advance({ minutes: 1 })
        await admin.put(path, { graph: version % 2 ? GOOD : other })
      }
    }
    const { data } = await admin.get(`${path}/versions?limit=100`)
    expect(data['total']).toBe(50)
    expect((data['items'] as Loose[]).at(-1)?.['version']).toBe(4)
  })

  test('a copy is disabled and has the same graph', async () => {
    const made = await create({
      enabled: true,
      name: 'Original',
      description: 'The first one.',
      trigger_keywords: ['hi'],
    })
    const copy = await admin.post(`${pathOf(made)}/duplicate`, {})
    expect([copy.status, copy.data]).toMatchObject([
      201,
      {
        name: 'Original (2)',
        description: 'The first one.',
        enabled: false,
        version: null,
        trigger_keywords: ['hi'],
        graph: made.data['graph'],
      },
    ])
    const same = await admin.post(`${pathOf(made)}/duplicate`, { name: 'Original' })
    expect(verdict(same)).toEqual([409, 'name_taken'])
    expect(same.body.errors).toEqual([{ path: 'body.name', message: 'is already in use' }])
  })
})

describe('header values', () => {
  const call = (headers: Part, url = 'https://shop.example/x'): Part =>
    graphOf([node('call', 'api_call', { url, headers })])
  /** Everything the database holds. */
  const stored = (): string =>
    (
      world.program.http.db.sqlite
        .query('select graph, headers_sealed from bot_flow_versions')
        .all() as Loose[]
    )
      .map((row) => JSON.stringify(row))
      .join('\n')

  test('are stored encrypted, read as ***, and kept by ***', async () => {
    const made = await create({ graph: call({ Authorization: 'Bearer sesame-open' }) })
    const path = pathOf(made)
    const read = JSON.stringify((await admin.get(path)).data)
    expect(read).toContain('"Authorization":"***"')
    expect(read + stored()).not.toContain('sesame-open')
    const kept = await admin.put(path, {
      graph: call({ Authorization: '***', 'X-New': '{{ contact_name }}' }),
      enabled: true,
    })
    expect([kept.status, kept.data['version']]).toEqual([200, 1])
    expect((await admin.put(path, { graph: call({ Authorization: '***' }) })).status).toBe(200)
    const { status, body } = await admin.put(path, { graph: call({ 'X-New': '***' }) })
    expect([status, body.errors]).toEqual([
      400,
      [
        {
          path: 'body.graph.nodes.0.config.headers.X-New',
          message: 'has no stored value that `***` could keep',
        },
      ],
    ])
    expect(verdict(await create({ graph: call({ 'X-New': '***' }) }))[0]).toBe(400)
    expect((await admin.post(`${path}/versions/1/restore`)).data).toMatchObject({
      graph: { nodes: [{ config: { headers: { Authorization: '***', 'X-New': '***' } } }] },
    })
    expect((await admin.post(`${path}/duplicate`, {})).status).toBe(201)
  })

  test('are sent to no other host', async () => {
    const made = await create({ graph: call({ 'X-Key': 'sesame' }) })
    const path = pathOf(made)
    const away = 'https://elsewhere.example/x'
    const moved = [
      {
        path: 'body.graph.nodes.0.config.headers.X-Key',
        message: 'must be sent again, because `url` leads to another host',
      },
    ]
    const graph = call({ 'X-Key': '***' }, away)
    expect((await admin.put(path, { graph })).body.errors).toEqual(moved)
    const preview = { flow_id: made.data['id'], graph, message: 'Hi', execute_http: true }
    expect((await admin.post('/api/chatbot/preview', preview)).body.errors).toEqual(moved)
    // Nor through a second node with the same id.
    const twin = (url: string, headers?: Part): Part =>
      node('call', 'api_call', { url, ...(headers && { headers }) })
    const good = twin('https://shop.example/y', { 'X-Key': '***' })
    expect((await admin.put(path, { graph: graphOf([good, twin(away)]) })).status).toBe(200)
    expect((await admin.put(path, { graph })).body.errors).toEqual(moved)
    const both = graphOf([twin(away, { 'X-Key': 'mine' }), good])
    expect((await admin.put(path, { graph: both })).status).toBe(400)
    expect((await admin.put(path, { graph: call({ 'X-Key': 'new' }, away) })).status).toBe(200)
    const open = { url: 'https://{{ shop }}.example/x', headers: { 'X-Key': 'a' } }
    expect(Object.keys(await problemsOfNode('api_call', open))).toEqual(['url'])
  })

  test('of the completion webhook too', async () => {
    const config = { url: 'https://shop.example/done', headers: { 'X-Key': 'sesame-shut' } }
    const made = await create({ on_complete_action: 'webhook', completion_config: config })
    expect(made.data['completion_config']).toEqual({
      url: 'https://shop.example/done',
      method: 'POST',
      headers: { 'X-Key': '***' },
      body: null,
    })
    const path = pathOf(made)
    const kept = { ...config, headers: { 'X-Key': '***' }, method: 'PUT' }
    expect((await admin.put(path, { completion_config: kept })).data).toMatchObject({
      completion_config: { method: 'PUT', headers: { 'X-Key': '***' } },
    })
    expect(
      JSON.stringify(
        world.program.http.db.sqlite
          .query('select settings, completion_headers_sealed from bot_flows')
          .all(),
      ),
    ).not.toContain('sesame-shut')
    const away = 'https://elsewhere.example/done'
    for (const wrong of [
      { ...config, headers: { Other: '***' } },
      { ...kept, url: away },
      { ...config, url: 'https://{{ shop }}/done' },
    ])
      expect(verdict(await admin.put(path, { completion_config: wrong }))[0]).toBe(400)
  })

  test.each([
    [{ 'X y': 'a' }, 'headers.X y'],
    [{ X: 'a\r\nb' }, 'headers.X'],
    [{ X: 1 }, 'headers.X'],
    [{ Host: 'inside.example' }, 'headers.Host'],
    [{ 'transfer-encoding': 'chunked' }, 'headers.transfer-encoding'],
    [{ X: '{{ a' }, 'headers.X'],
    ['no', 'headers'],
  ])('%p is refused', async (headers, path) => {
    const config = { url: 'https://shop.example/x', headers }
    expect(Object.keys(await problemsOfNode('api_call', config))).toEqual([path])
  })
})

describe('a graph', () => {
  test('of every node type is valid', async () => {
    const team = await admin.post('/api/teams', { name: 'Sales' })
    const tag = await admin.post('/api/tags', { name: 'VIP' })
    const next = await create()
    const rows = [{ id: 'r1', title: 'One', description: 'First' }]
    const types: [string, Part][] = [
      ['start', {}],
      ['message', { message: 'Hi {{ contact_name | upcase }}' }],
      ['media', { kind: 'image', url: 'http://shop.example/{{ id }}.png', caption: '{{ name }}' }],
      ['buttons', { body: 'Choose', buttons: [{ id: 'yes', title: 'Yes' }], store_as: 'choice' }],
      ['prompt', { body: 'Mail?', input: 'email', validation_error: 'No mail.', max_retries: 1 }],
      [
        'api_call',
        {
          url: 'https://{{ host }}/x',
          method: 'POST',
          body: '{"a":"{{ b }}"}',
          response_mapping: { total: 'order.total' },
        },
      ],
      ['webhook', { url: 'https://shop.example/hook' }],
      ['condition', { expression: "contact.language == 'de' and (total | number) > 50" }],
      ['timing', { schedule: [{ day: 0, start_time: '09:00', end_time: '17:00' }] }],
      ['timing', { use_business_hours: true }],
      ['set_variable', { set: { a: '{{ b }}', n: 3, yes: true } }],
      ['update_contact', { name: '{{ name }}', attributes: { city: '{{ city }}' } }],
      [
        'interactive',
        { interactive: { type: 'list', body: 'Pick', button_text: 'Open', sections: [{ rows }] } },
      ],
      [
        'interactive',
        {
          interactive: {
            type: 'cta_url',
            body: 'Shop',
            button_text: 'Open',
            url: 'https://shop.example/',
          },
        },
      ],
      ['interactive', { interactive: { type: 'location_request', body: 'Where are you?' } }],
      ['delay', { seconds: 60 }],
      ['tag', { add: [tag.data['id']] }],
      ['assign', { team_id: (team.data['team'] as Loose)['id'] }],
      ['assign', { user_id: world.tenant.userIds.agent }],
      ['ai_response', { prompt_template: 'Answer {{ message.text }}' }],
      ['goto_flow', { flow_id: next.data['id'] }],
    ]
    const nodes = types.map(([type, config], index) => node(`n${index}`, type, config))
    const last = [
      node('t', 'transfer', { team_id: 'general', notes: '{{ name }}' }),
      node('e', 'end'),
    ]
    const edges = nodes.slice(1).map((_, index) => edge(`n${index}`, `n${index + 1}`))
    const branches = [edge('n3', 't', 'button:yes'), edge('n4', 'e', 'max_retries')]
    const graph = graphOf([...nodes, ...last], [...edges, ...branches])
    expect(await problems(graph)).toEqual({})
    const made = await create({ graph, enabled: true })
    expect(made.status).toBe(201)
    expect(made.data).toMatchObject({
      graph: { nodes: { 8: { config: { schedule: [{ day: 'sunday', enabled: true }] } } } },
    })
  })

  test('is checked as a whole: every problem is named with its path', async () => {
    expect(
      await problems(
        graphOf(
          [
            node('a', 'message', { message: 'x' }),
            node('a', 'message', { message: '' }),
            node('has space', 'end'),
            node('c', 'teleport'),
            node('alone', 'end'),
            { id: 'd', type: 'end', label: 5, position: { x: 'left' } },
            'no node' as unknown as Part,
          ],
          [
            edge('a', 'nowhere'),
            edge('a', 'c', 'button:x'),
            edge('a', 'd'),
            edge('a', 'd'),
            { from: 'a', to: 'd', condition: 7 },
            null as unknown as Part,
          ],
        ),
      ),
    ).toEqual({
      'nodes.1.config.message': 'must have 1 to 4096 characters and not be blank',
      'nodes.1.id': 'is already the id of another node',
      'nodes.2.id': 'must be 1 to 64 letters, digits, hyphens or underscores',
      'nodes.3.type': expect.stringContaining('must be one of start, message'),
      'nodes.4': 'cannot be reached from `entry_node`',
      'nodes.5.label': 'must be a string of at most 255 characters',
      'nodes.5.position': 'must be {x, y} in numbers',
      'nodes.6': 'must be a JSON object',
      'edges.0.to': 'is not a node',
      'edges.1.condition': 'must be one of error, default',
      'edges.2': 'is a second edge of the outcome `default` of the same node',
      'edges.3': 'is a second edge of the outcome `default` of the same node',
      'edges.4.condition': 'must be a string',
      'edges.5': 'must be a JSON object',
    })
  })

  test.each([
    [
      'edges after the end',
      graphOf([node('a', 'end'), node('b', 'end')], [edge('a', 'b')]),
      'edges.0.condition',
    ],
    ['no nodes', graphOf([]), 'entry_node'],
    ['an unknown first node', { ...GOOD, entry_node: 'nobody' }, 'entry_node'],
    ['another format', { ...GOOD, version: 1 }, 'version'],
    ['no list of nodes', { entry_node: 'a' }, 'nodes'],
    [
      'too many nodes',
      graphOf(Array.from({ length: 201 }, (_, index) => node(`n${index}`, 'end'))),
      'nodes',
    ],
    [
      'too many edges',
      { ...GOOD, edges: Array.from({ length: 601 }, () => edge('ask', 'end')) },
      'edges',
    ],
  ])('with %s is refused', async (_, graph, path) => {
    expect(Object.keys(await problems(graph))).toContain(path)
  })

  test('over a limit is no draft either', async () => {
    const large = graphOf([node('a', 'message', { message: 'x'.repeat(257 * 1_024) })])
    const { status, body } = await create({ graph: large })
    expect([status, body.code, body.errors]).toEqual([
      400,
      'graph_invalid',
      [{ path: 'body.graph', message: 'must not be larger than 256 KiB' }],
    ])
  })

  test.each([
    ['message', {}, ['message']],
    ['message', { message: 'x'.repeat(4_097) }, ['message']],
    ['message', { message: '{{ oops' }, ['message']],
    ['message', 'text', ['']],
    ['media', { kind: 'image' }, ['media_id']],
    ['media', { kind: 'gif', url: 'https://a.example/' }, ['kind']],
    ['media', { kind: 'image', media_id: '01900000-0000-7000-8000-000000000000' }, ['media_id']],
    ['template', { template_id: '01900000-0000-7000-8000-000000000000' }, ['template_id']],
    ['buttons', { body: 'x', buttons: [] }, ['buttons']],
    ['buttons', { body: 'x', buttons: [{ id: 'a', title: 'x'.repeat(21) }] }, ['buttons.0.title']],
    [
      'buttons',
      {
        body: 'x',
        buttons: [
          { id: 'a', title: 'A' },
          { id: 'a', title: 'A' },
        ],
      },
      ['buttons.1.id', 'buttons.1.title'],
    ],
    [
      'buttons',
      {
        body: 'x',
        buttons: Array.from({ length: 11 }, (_, index) => ({ id: `${index}`, title: `${index}` })),
      },
      ['buttons'],
    ],
    ['prompt', { body: 'x', input: 'color' }, ['input']],
    ['prompt', { body: 'x', validation_regex: '(?=a)' }, ['validation_regex']],
    ['prompt', { body: 'x', store_as: '1a' }, ['store_as']],
    ['prompt', { body: 'x', max_retries: 11 }, ['max_retries']],
    [
      'whatsapp_flow',
      { flow_id: '01900000-0000-7000-8000-000000000000', body: 'x', cta: 'Go' },
      ['flow_id'],
    ],
    ['api_call', { url: 'https://a.example/', timeout_seconds: 31 }, ['timeout_seconds']],
    [
      'api_call',
      { url: 'https://a.example/', response_mapping: { 'a b': 'x' } },
      ['response_mapping.a b'],
    ],
    ['api_call', { url: 'http://127.0.0.1/' }, ['url']],
    ['api_call', { url: 'https://[::1]/{{ a }}' }, ['url']],
    ['api_call', { url: 'http://shop.example/' }, ['url']],
    ['webhook', { url: 'https://user:pw@shop.example/' }, ['url']],
    ['webhook', { url: 'not a url' }, ['url']],
    ['condition', { expression: 'a ==' }, ['expression']],
    ['condition', { expression: 'a'.repeat(1_001) }, ['expression']],
    ['timing', {}, ['schedule']],
    [
      'timing',
      { schedule: [{ day: 'someday', start_time: '25:00', end_time: '17:00' }] },
      ['schedule.0.day', 'schedule.0.start_time'],
    ],
    ['set_variable', { set: {} }, ['set']],
    ['set_variable', { set: { 'a-b': 1 } }, ['set.a-b']],
    ['set_variable', { set: { a: '{% assign b = 1 %}' } }, ['set.a']],
    ['update_contact', {}, ['name']],
    ['update_contact', { marketing_consent: 'maybe' }, ['marketing_consent']],
    ['interactive', { interactive: { type: 'button', body: 'x' } }, ['interactive.type']],
    [
      'interactive',
      { interactive: { type: 'list', body: 'x', button_text: 'Open' } },
      ['interactive.sections'],
    ],
    ['interactive', { interactive: { type: 'list', sections: 'x' } }, ['interactive.sections']],
    ['delay', { seconds: 86_401 }, ['seconds']],
    ['tag', { add: ['01900000-0000-7000-8000-000000000000'] }, ['add.0']],
    ['tag', {}, ['add']],
    ['assign', {}, ['user_id']],
    ['assign', { user_id: '01900000-0000-7000-8000-000000000000' }, ['user_id']],
    ['transfer', { team_id: 'everybody' }, ['team_id']],
    ['transfer', { team_id: '01900000-0000-7000-8000-000000000000' }, ['team_id']],
    ['goto_flow', { flow_id: '01900000-0000-7000-8000-000000000000' }, ['flow_id']],
  ])('a node %s %j is refused at %j', async (type, config, paths) => {
    expect(Object.keys(await problemsOfNode(type, config as Part))).toEqual(paths)
  })

  test('names nothing of another organization', async () => {
    const stranger = await world.as('admin', world.other)
    const theirs = await stranger.post(PATH, { name: 'Theirs' })
    const tag = await stranger.post('/api/tags', { name: 'Theirs' })
    expect(await problemsOfNode('goto_flow', { flow_id: theirs.data['id'] })).toEqual({
      flow_id: 'is not a bot flow of this organization',
    })
    expect(await problemsOfNode('tag', { remove: [tag.data['id']] })).toEqual({
      'remove.0': 'is not a tag of this organization',
    })
    expect(await problemsOfNode('assign', { user_id: world.other.userIds.agent })).toEqual({
      user_id: 'is not an active member of this organization',
    })
  })

  test('names files, templates and Flows of the organization', async () => {
    const file = await upload(admin, {
      bytes: SAMPLES['image/jpeg'],
      type: 'image/jpeg',
      name: 'menu.jpg',
    })
    const template = await approvedTemplate(world, {
      components: [{ type: 'BODY', text: 'Your order is on its way.' }],
    })
    const { data: flow } = await admin.post('/api/flows', {
      account_id: world.tenant.accountId,
      name: 'Form',
      categories: ['OTHER'],
    })
    const graph = graphOf(
      [
        node('a', 'media', { kind: 'image', media_id: file.data['id'] }),
        node('b', 'template', { template_id: template['id'], params: { '1': '{{ name }}' } }),
        node('c', 'whatsapp_flow', { flow_id: flow['id'], body: 'Fill in', cta: 'Open' }),
      ],
      [edge('a', 'b'), edge('b', 'c')],
    )
    expect(await problems(graph)).toEqual({})
    const made = await create({ graph })
    await waitADay()
    const read = `/api/media/${String(file.data['id'])}`
    expect((await admin.get(read)).status).toBe(200)
    await admin.delete(pathOf(made))
    await waitADay()
    expect((await admin.get(read)).status).toBe(404)
  })

  test('keeps a team from being deleted', async () => {
    const { data } = await admin.post('/api/teams', { name: 'Used team' })
    const id = String((data['team'] as Loose)['id'])
    const made = await create({
      name: 'Hands over',
      graph: graphOf([node('t', 'transfer', { team_id: id })]),
    })
    const { status, body } = await admin.delete(`/api/teams/${id}`)
    expect([status, body.details]).toEqual([
      409,
      { used_by: [{ kind: 'bot_flow', id: made.data['id'], name: 'Hands over' }] },
    ])
    expect((await admin.delete(`/api/teams/${id}?force=true`)).status).toBe(200)
    expect((await admin.get(pathOf(made))).data['warnings']).toEqual([
      { path: 'graph.nodes.0.config.team_id', message: 'is not a team of this organization' },
    ])
  })

  test('a URL that this server does not call is refused in drafts too', async () => {
    const { status, body } = await create({
      graph: graphOf([node('a', 'webhook', { url: 'https://10.0.0.1/' })]),
    })
    expect([status, body.code, body.errors?.map(({ path }) => path)]).toEqual([
      400,
      'url_refused',
      ['body.graph.nodes.0.config.url'],
    ])
  })

  test('a loop needs a node that waits', async () => {
    const loop = (middle: Part): Part =>
      graphOf([node('a', 'message', { message: 'x' }), middle], [edge('a', 'b'), edge('b', 'a')])
    expect(await problems(loop(node('b', 'message', { message: 'y' })))).toEqual({
      'nodes.0': 'is in a loop in which no node waits: a → b → a',
    })
    const itself = graphOf([node('a', 'message', { message: 'x' })], [edge('a', 'a')])
    expect(Object.keys(await problems(itself))).toEqual(['nodes.0'])
    expect(await problems(loop(node('b', 'prompt', { body: 'Again?' })))).toEqual({})
    expect(await problems(loop(node('b', 'delay', { seconds: 60 })))).toEqual({})
    const cta = { type: 'cta_url', body: 'x', button_text: 'Go', url: 'https://a.example/' }
    expect(
      Object.keys(await problems(loop(node('b', 'interactive', { interactive: cta })))),
    ).toEqual(['nodes.0'])
  })

  test('a flow does not lead to itself', async () => {
    const made = await create({ enabled: true })
    const { body } = await admin.put(pathOf(made), {
      graph: graphOf([node('a', 'goto_flow', { flow_id: made.data['id'] })]),
    })
    expect([body.code, body.errors?.[0]?.path]).toEqual([
      'graph_invalid',
      'body.graph.nodes.0.config.flow_id',
    ])
  })

  test('warns of outcomes after which the flow ends', async () => {
    const { data } = await admin.post(`${PATH}/validate`, {
      graph: graphOf(
        [
          node('a', 'buttons', {
            body: 'x',
            buttons: [
              { id: 'y', title: 'Y' },
              { id: 'n', title: 'N' },
            ],
          }),
          node('b', 'end'),
        ],
        [edge('a', 'b', 'button:y')],
      ),
    })
    expect(data).toEqual({
      valid: true,
      errors: [],
      warnings: [
        { path: 'body.graph.nodes.0', message: 'ends the flow after button:n: no edge follows' },
        {
          path: 'body.graph.nodes.0',
          message: 'hands over to a person after max_retries: no edge follows',
        },
      ],
    })
  })

  /** A chain of 200 messages of about a kilobyte. */
  const chain = (text: string): Part => {
    const nodes = Array.from({ length: 200 }, (_, index) =>
      node(`n${index}`, 'message', { message: `${index} ${text}`.padEnd(1_100, '.') }),
    )
    return graphOf(
      nodes,
      nodes.slice(1).map((_, index) => edge(`n${index}`, `n${index + 1}`)),
    )
  }

  test('the largest one is checked in little time once its texts are compiled', async () => {
    const graph = chain(`{% if a == 'b' %}{{ contact.name | upcase }}{% endif %}`.repeat(8))
    expect(JSON.stringify(graph).length).toBeGreaterThan(200_000)
    const costs: number[] = []
    for (let run = 0; run < 5; run++) {
      const before = process.cpuUsage()
      expect(await problems(graph)).toEqual({})
      const { user, system } = process.cpuUsage(before)
      costs.push((user + system) / 1_000)
    }
    expect(Math.min(...costs)).toBeLessThan(40)
  })

  test('with too many placeholders is refused', async () => {
    expect(await problems(chain('{{ a }}'.repeat(26)))).toEqual({
      'body.graph': 'must not have more than 5000 placeholders',
    })
  })
})

describe('a deleted flow', () => {
  const rows = (id: unknown): unknown =>
    world.rows(
      `select (select count(*) from bot_flows where id = ?1) as flows,
              (select count(*) from bot_flow_versions where flow_id = ?1) as versions`,
      String(id),
    )[0]

  test('is gone once no session needs it', async () => {
    const made = await create({ enabled: true })
    const { id } = made.data
    expect(rows(id)).toEqual({ flows: 1, versions: 1 })
    await admin.delete(pathOf(made))
    expect(rows(id)).toEqual({ flows: 1, versions: 0 })
    await waitADay()
    expect(rows(id)).toEqual({ flows: 0, versions: 0 })
  })
})
