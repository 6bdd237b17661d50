import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { ASKING, draftFlow, PLAIN, publishedFlow, RULES, screenOf } from '../../../support/flows'
import { draftTemplate } from '../../../support/templates'
import { World } from '../../../support/world'

let world: World
let manager: Client

beforeAll(async () => {
  world = await World.create({ env: { EGRESS_ALLOW: '127.0.0.1' } })
  manager = await world.as('manager')
})

afterAll(() => world.stop())

const refusalOf = async (more: Loose): Promise<Loose> => {
  const body = {
    account_id: world.tenant.accountId,
    name: 'Never made',
    categories: ['OTHER'],
    ...more,
  }
  const { status, body: answer } = await manager.post('/api/flows', body)
  return {
    status,
    code: answer['code'],
    paths: (answer['errors'] as Loose[] | undefined)?.map(({ path }) => path),
  }
}
const pathTo = (flow: Loose, action = ''): string => `/api/flows/${flow['id']}${action}`

describe('a draft', () => {
  test('is created, shown, listed without its JSON, updated, duplicated and deleted', async () => {
    const flow = await draftFlow(world, manager, { name: '  Nächster Besuch ' })
    expect(flow).toMatchObject({
      name: 'Nächster Besuch',
      status: 'DRAFT',
      meta_flow_id: null,
      categories: ['SURVEY'],
      json_version: '7.3',
      data_api_version: null,
      endpoint_mode: 'none',
      endpoint_config: null,
      has_local_changes: true,
      validation_errors: [],
      health: { can_send: null, errors: [] },
      response_count: 0,
      created_by: world.tenant.userIds.manager,
    })
    expect(flow['json_definition']).toEqual(PLAIN)
    expect((await manager.get(pathTo(flow))).data).toEqual(flow)
    const { data: found } = await manager.get(
      `/api/flows?search=nachster&status=DRAFT&account_id=${world.tenant.accountId}`,
    )
    expect((found['items'] as Loose[]).map(({ id }) => id)).toEqual([flow['id']])
    expect(Object.keys((found['items'] as Loose[])[0] ?? {})).not.toContain('json_definition')
    const { data: changed } = await manager.put(pathTo(flow), {
      name: 'Visit',
      json_definition: JSON.stringify(PLAIN),
    })
    expect(changed).toMatchObject({
      name: 'Visit',
      has_local_changes: true,
      categories: ['SURVEY'],
    })
    expect(changed['json_definition']).toEqual(PLAIN)
    const { version: _version, ...older } = PLAIN
    await manager.put(pathTo(flow), { json_definition: { version: '7.2', ...older } })
    await manager.put(pathTo(flow), { json_definition: PLAIN })
    const { data: log } = await (
      await world.as('admin')
    ).get(`/api/audit-logs?resource_type=flow&resource_id=${flow['id']}`)
    const changesOf = (entry: Loose): unknown[] =>
      (entry['changes'] as Loose[]).map(({ field }) => field as unknown)
    expect((log['items'] as Loose[]).map(changesOf)).toEqual([
      ['json_version', 'json_definition'],
      ['json_version', 'json_definition'],
      ['name'],
      [],
    ])
    const copy = await manager.post(pathTo(flow, '/duplicate'))
    expect([copy.status, copy.data['name'], copy.data['json_definition']]).toEqual([
      201,
      'Visit (copy)',
      PLAIN,
    ])
    expect(await manager.post(pathTo(flow, '/duplicate'))).toMatchObject({
      status: 409,
      body: { code: 'name_taken' },
    })
    expect((await manager.post(pathTo(flow, '/duplicate'), { name: 'Another visit' })).status).toBe(
      201,
    )
    expect((await manager.delete(pathTo(flow))).status).toBe(200)
    expect((await manager.get(pathTo(flow))).status).toBe(404)
    expect((await draftFlow(world, manager, { name: 'visit' }))['status']).toBe('DRAFT')
  })

  test('has a name of its own in its account, in whatever case, and a number of the organization', async () => {
    await draftFlow(world, manager, { name: 'Einmalig' })
    expect(await refusalOf({ name: 'EINMALIG' })).toMatchObject({ status: 409, code: 'name_taken' })
    expect(await refusalOf({ account_id: world.other.accountId })).toMatchObject({
      status: 400,
      paths: ['body.account_id'],
    })
    expect(await refusalOf({ categories: [] })).toMatchObject({
      status: 400,
      paths: ['body.categories'],
    })
    expect(await refusalOf({ categories: ['PARTY'] })).toMatchObject({ status: 400 })
  })
})

const FOOTER = {
  type: 'Footer',
  label: 'Done',
  'on-click-action': { name: 'complete', payload: {} },
}

describe('the JSON of a flow', () => {
  const at = 'body.json_definition'
  const wrong: [what: string, given: unknown, paths: string[]][] = [
    ['a text that is no JSON', '{\n"version": "7.3",\n"screens": [,]}', [at]],
    ['a list', [], [at]],
    ['nothing in it', {}, [`${at}.version`, `${at}.screens`]],
    [
      'a version nobody has released',
      { version: '99.9', screens: [screenOf()] },
      [`${at}.version`],
    ],
    [
      'two Footers on a screen',
      { version: '7.3', screens: [screenOf({ children: [FOOTER] })] },
      [`${at}.screens.0.layout.children.1.type`],
    ],
    [
      'a screen called SUCCESS',
      { version: '7.3', screens: [screenOf({ id: 'SUCCESS' })] },
      [`${at}.screens.0.id`],
    ],
    [
      'a screen in small letters',
      { version: '7.3', screens: [screenOf({ id: 'first' })] },
      [`${at}.screens.0.id`],
    ],
    [
      'two screens of one id',
      { version: '7.3', screens: [screenOf(), screenOf()] },
      [`${at}.screens.1.id`],
    ],
    [
      'no terminal screen',
      {
        version: '7.3',
        screens: [
          screenOf({ terminal: false, action: { name: 'open_url', url: 'https://example.com' } }),
        ],
      },
      [`${at}.screens`],
    ],
    [
      'screens that lead in a circle',
      {
        version: '7.3',
        screens: [
          screenOf({
            id: 'A',
            terminal: false,
            action: { name: 'navigate', next: { type: 'screen', name: 'B' } },
          }),
          screenOf({ id: 'B', action: { name: 'navigate', next: { type: 'screen', name: 'A' } } }),
        ],
      },
      [`${at}.screens`],
    ],
    [
      'a way to nowhere',
      {
        version: '7.3',
        screens: [
          screenOf({ action: { name: 'navigate', next: { type: 'screen', name: 'NOWHERE' } } }),
        ],
      },
      [`${at}.screens.0.layout.children.0.on-click-action.next.name`],
    ],
    ['an endpoint that is not there', { ...ASKING }, [`${at}.data_api_version`]],
    [
      'a question without an endpoint',
      { version: '7.3', screens: [screenOf({ action: { name: 'data_exchange', payload: {} } })] },
      [`${at}.data_api_version`],
    ],
    [
      'an unknown component, a property that is none, a label that is missing, a field nobody has',
      {
        version: '7.3',
        screens: [
          screenOf({
            children: [
              { type: 'Slider', name: 'x' },
              { type: 'TextInput', name: 'y', label: 'Y', 'initial-text': 'z' },
              { type: 'TextInput', name: 'z' },
              { type: 'TextBody', text: '${form.nobody} and ${data.nothing}' },
            ],
          }),
        ],
      },
      [
        `${at}.screens.0.layout.children.0.type`,
        `${at}.screens.0.layout.children.1.initial-text`,
        `${at}.screens.0.layout.children.2.label`,
        `${at}.screens.0.layout.children.3.text`,
      ],
    ],
  ]
  for (const [what, json_definition, paths] of wrong)
    test(`is refused with the path of each problem: ${what}`, async () => {
      expect(await refusalOf({ json_definition })).toEqual({
        status: 400,
        code: 'invalid_input',
        paths,
      })
    })

  test('is validated with the line of each problem without storing anything', async () => {
    const flow = await draftFlow(world, manager)
    const text =
      '{\n  "version": "7.3",\n  "screens": [\n    {\n      "id": "SUCCESS",\n      "layout": {}\n    }\n  ]\n}'
    const { data } = await manager.post(pathTo(flow, '/validate'), { json_definition: text })
    expect(data['valid']).toBe(false)
    expect((data['errors'] as Loose[]).find(({ path }) => path === `${at}.screens.0.id`)).toEqual({
      path: `${at}.screens.0.id`,
      message: 'must not be SUCCESS, which marks the end of every flow',
      line: 5,
    })
    expect(
      (await manager.post(pathTo(flow, '/validate'), { json_definition: PLAIN })).data,
    ).toEqual({ valid: true, errors: [] })
    const broken = await manager.post(pathTo(flow, '/validate'), {
      json_definition: '{\n"version": }',
    })
    expect((broken.data['errors'] as Loose[])[0]).toMatchObject({ path: at, line: 2 })
    expect((await manager.get(pathTo(flow))).data['json_definition']).toEqual(PLAIN)
  })

  test('may be as large as the platform takes it', async () => {
    const children = Array.from({ length: 40 }, (_, nth) => ({
      type: 'Image',
      src: 'A'.repeat(200_000),
      'alt-text': String(nth),
    }))
    const json_definition = { version: '7.3', screens: [screenOf({ children })] }
    const flow = await draftFlow(world, manager, { json_definition })
    expect(JSON.stringify((await manager.get(pathTo(flow))).data['json_definition'])).toHaveLength(
      JSON.stringify(json_definition).length,
    )
    const longer = Array.from({ length: 40 }, () => ({ type: 'Image', src: 'A'.repeat(270_000) }))
    expect(
      await refusalOf({
        json_definition: { version: '7.3', screens: [screenOf({ children: longer })] },
      }),
    ).toMatchObject({
      status: 400,
      paths: [at],
    })
  })
})

describe('an endpoint', () => {
  const config = 'body.endpoint_config'
  test('rejects unknown screens and placeholders in rules', async () => {
    const flow = await draftFlow(world, manager, {
      json_definition: ASKING,
      endpoint_mode: 'rules',
      endpoint_config: RULES,
    })
    expect([flow['endpoint_mode'], flow['endpoint_config'], flow['data_api_version']]).toEqual([
      'rules',
      RULES,
      '3.0',
    ])
    const rule = {
      action: 'PARTY',
      screen: 'NOWHERE',
      next_screen: 'ELSEWHERE',
      when: [{ field: 'a', op: 'like' }],
      data: { x: '{{secret.key}}' },
    }
    expect(
      await refusalOf({ json_definition: ASKING, endpoint_mode: 'rules', endpoint_config: [rule] }),
    ).toEqual({
      status: 400,
      code: 'invalid_input',
      paths: ['action', 'screen', 'next_screen', 'data', 'when.0.op'].map(
        (name) => `${config}.0.${name}`,
      ),
    })
    const plain = { when: [{ field: 'mood', value: 'good' }], next_screen: 'SUMMARY' }
    const ruled = await manager.put(pathTo(flow), { endpoint_config: [plain] })
    expect([ruled.status, ruled.data['endpoint_config']]).toEqual([200, [plain]])
    const renamed = JSON.parse(JSON.stringify(ASKING).replaceAll('"SUMMARY"', '"RESULT"')) as Loose
    const without = await manager.put(pathTo(flow), { json_definition: renamed })
    expect([without.status, without.body.errors]).toEqual([
      400,
      [
        {
          path: `${config}.0.next_screen`,
          message: 'must be a screen of this flow, or SUCCESS',
        },
      ],
    ])
    expect(await refusalOf({ json_definition: ASKING, endpoint_mode: 'rules' })).toMatchObject({
      status: 400,
      paths: [config],
    })
    expect(await refusalOf({ endpoint_config: RULES })).toMatchObject({
      status: 400,
      paths: [config],
    })
    const later = await manager.put(pathTo(flow), { endpoint_mode: 'none' })
    expect([later.status, later.body.errors?.map(({ path }) => path)]).toEqual([
      400,
      ['body.json_definition.data_api_version'],
    ])
  })

  test('accepts an allowed endpoint URL, shows the secret once and headers never', async () => {
    for (const url of [
      'http://example.com/x',
      'https://10.0.0.1/',
      'https://user:pw@example.com/',
      'https://localhost/',
    ])
      expect(
        await refusalOf({
          json_definition: ASKING,
          endpoint_mode: 'http',
          endpoint_config: { url },
        }),
      ).toMatchObject({
        status: 400,
        code: 'url_refused',
      })
    const headers = { authorization: 'Bearer very-secret' }
    const asked = {
      json_definition: ASKING,
      endpoint_mode: 'http',
      endpoint_config: { url: 'https://example.com/flows', headers },
    }
    const flow = await draftFlow(world, manager, asked)
    const hidden = {
      url: 'https://example.com/flows',
      headers: { authorization: '***' },
      has_secret: true,
    }
    expect(flow['endpoint_config']).toEqual({
      ...hidden,
      secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
    })
    expect((await manager.get(pathTo(flow))).data['endpoint_config']).toEqual(hidden)
    const kept = await manager.put(pathTo(flow), {
      endpoint_config: { url: 'https://example.com/other', headers: { authorization: '***' } },
    })
    expect(kept.data['endpoint_config']).toEqual({ ...hidden, url: 'https://example.com/other' })
    const moved = await manager.put(pathTo(flow), {
      endpoint_config: { url: 'https://elsewhere.example/', headers: { authorization: '***' } },
    })
    expect([moved.status, moved.body.errors?.[0]?.path]).toEqual([
      400,
      `${config}.headers.authorization`,
    ])
    const bad = { url: 'https://example.com', headers: { 'webhook-id': 'x' }, secret: 'short' }
    expect(
      await refusalOf({ json_definition: ASKING, endpoint_mode: 'http', endpoint_config: bad }),
    ).toMatchObject({
      paths: [`${config}.headers.webhook-id`, `${config}.secret`],
    })
    for (const [endpoint_config, paths] of [
      [[], [config, `${config}.url`]],
      [{}, [`${config}.url`]],
      [{ url: `https://example.com/${'x'.repeat(2_048)}` }, [`${config}.url`]],
      [{ url: 'https://example.com', headers: [] }, [`${config}.headers`]],
    ] as const)
      expect(
        await refusalOf({ json_definition: ASKING, endpoint_mode: 'http', endpoint_config }),
      ).toMatchObject({ code: 'invalid_input', paths })
    // Whatever else changes, the endpoint stays as it is.
    const renamed = await manager.put(pathTo(flow), { name: 'Has an address' })
    expect(renamed.data).toMatchObject({
      name: 'Has an address',
      endpoint_mode: 'http',
      endpoint_config: { ...hidden, url: 'https://example.com/other' },
    })
    const stored = Buffer.from(world.program.http.db.sqlite.serialize()).toString('latin1')
    for (const text of [stored, JSON.stringify(world.logLines)])
      expect(text).not.toContain('very-secret')
  })
})

describe('at the platform', () => {
  test('saves a draft, blocks publishing on errors, then publishes, previews and deprecates it', async () => {
    const flow = await draftFlow(world, manager)
    expect((await manager.post(pathTo(flow, '/publish'))).body['code']).toBe('not_saved')
    expect((await manager.get(pathTo(flow, '/preview'))).body['code']).toBe('not_saved')
    const faulty = {
      ...PLAIN,
      screens: [
        screenOf({
          children: [{ type: 'PhotoPicker', name: 'p', label: 'P', 'photo-source': '${data.x}' }],
          data: { x: { type: 'string', __example__: 'open_gallery' } },
        }),
      ],
    }
    await manager.put(pathTo(flow), { json_definition: faulty })
    const saved = await manager.post(pathTo(flow, '/save-to-meta'))
    const id = String(saved.data['meta_flow_id'])
    expect(world.simulator.flow(id)).toMatchObject({
      name: flow['name'],
      status: 'DRAFT',
      categories: ['SURVEY'],
    })
    expect(saved.data['validation_errors']).toEqual([
      expect.objectContaining({ error: 'INVALID_ENUM_VALUE', line_start: 11, path: 'screens[0]' }),
    ])
    expect(saved.data['flow']).toMatchObject({
      has_local_changes: false,
      health: { can_send: 'AVAILABLE' },
    })
    expect(await manager.post(pathTo(flow, '/publish'))).toMatchObject({
      status: 400,
      body: {
        code: 'validation_errors',
        errors: [{ path: 'json_definition.screens[0]', line: 11 }],
      },
    })
    await manager.put(pathTo(flow), { json_definition: PLAIN, name: `${flow['name']} better` })
    expect((await manager.post(pathTo(flow, '/publish'))).body['code']).toBe('local_changes')
    expect((await manager.post(pathTo(flow, '/save-to-meta'))).data['validation_errors']).toEqual(
      [],
    )
    expect(world.simulator.flow(id)?.name).toBe(`${flow['name']} better`)
    expect((await manager.post(pathTo(flow, '/publish'))).data).toMatchObject({
      status: 'PUBLISHED',
      meta_flow_id: id,
    })
    for (const [call, code] of [
      [manager.put(pathTo(flow), { name: 'x' }), 'published'],
      [manager.put(pathTo(flow), { json_definition: PLAIN }), 'published'],
      [manager.put(pathTo(flow), { categories: ['OTHER'] }), 'published'],
      [manager.post(pathTo(flow, '/save-to-meta')), 'published'],
      [manager.post(pathTo(flow, '/publish')), 'wrong_state'],
      [manager.delete(pathTo(flow)), 'published'],
    ] as const)
      expect(await call).toMatchObject({ status: 409, body: { code } })
    const preview = await manager.get(pathTo(flow, '/preview'))
    expect((await manager.get(pathTo(flow, '/preview'))).data).toEqual(preview.data)
    expect((await manager.get(pathTo(flow, '/preview?refresh=true'))).data['preview_url']).not.toBe(
      preview.data['preview_url'],
    )
    expect((await manager.post(pathTo(flow, '/deprecate'))).data['status']).toBe('DEPRECATED')
    expect((await manager.post(pathTo(flow, '/deprecate'))).body['code']).toBe('wrong_state')
    expect((await manager.delete(pathTo(flow))).status).toBe(200)
    await world.settle()
  })

  test('publishes a Flow with an endpoint once its number has a key and its endpoint answers', async () => {
    const flow = await draftFlow(world, manager, {
      json_definition: ASKING,
      endpoint_mode: 'rules',
      endpoint_config: RULES,
    })
    await manager.post(pathTo(flow, '/save-to-meta'))
    expect((await manager.post(pathTo(flow, '/publish'))).body['code']).toBe('flow_key_missing')
    await manager.post(`/api/accounts/${world.tenant.accountId}/flow-key`)
    const { data } = await manager.get(pathTo(flow))
    const there = world.simulator.flow(String(data['meta_flow_id']))
    expect(there?.endpointUri).toBe(
      `${world.config.baseUrl}/api/flows/endpoint/${world.tenant.accountId}`,
    )
    if (there) there.endpointUri = `${world.url}/api/flows/endpoint/${world.tenant.accountId}`
    expect((await manager.post(pathTo(flow, '/publish'))).data['status']).toBe('PUBLISHED')
  })

  test('deletes a draft at the platform too, also if it is already gone there', async () => {
    for (const isGone of [false, true]) {
      const flow = await draftFlow(world, manager)
      const id = String((await manager.post(pathTo(flow, '/save-to-meta'))).data['meta_flow_id'])
      if (isGone) world.simulator.deleteFlow(id)
      expect((await manager.delete(pathTo(flow))).status).toBe(200)
      expect(world.simulator.flow(id)).toBeUndefined()
    }
  })

  test('a draft that an answer or a template opens is not deleted, and the refusal says which of them it is', async () => {
    const flow = await draftFlow(world, manager)
    await manager.post(pathTo(flow, '/save-to-meta'))
    const refusal = async () => {
      const { status, body } = await manager.delete(pathTo(flow))
      return {
        status,
        code: body.code,
        by: (body.details as Loose | undefined)?.['used_by'] as unknown,
      }
    }
    const buttons = [{ id: 'a', title: 'Open', type: 'flow', flow_id: flow['id'] }]
    const { data: ready } = await manager.post('/api/canned-responses', {
      name: 'Opens a Flow',
      content: 'Here',
      buttons,
    })
    expect(await refusal()).toEqual({
      status: 409,
      code: 'in_use',
      by: { kind: 'canned_response', id: ready['id'], name: 'Opens a Flow' },
    })
    await manager.delete(`/api/canned-responses/${String(ready['id'])}`)
    const components = [
      { type: 'BODY', text: 'Please fill in the Flow' },
      { type: 'BUTTONS', buttons: [{ type: 'FLOW', text: 'Open', flow_id: flow['id'] }] },
    ]
    const template = await draftTemplate(world, { name: 'opens_a_form', components })
    expect(await refusal()).toEqual({
      status: 409,
      code: 'in_use',
      by: { kind: 'template', id: template['id'], name: 'opens_a_form' },
    })
    expect((await manager.delete(`/api/templates/${String(template['id'])}`)).status).toBe(200)
    expect((await manager.delete(pathTo(flow))).status).toBe(200)
  })

  test('nothing is made twice and nothing half done when answers are lost, or the platform says no or nothing', async () => {
    const flow = await draftFlow(world, manager)
    const made = (): number =>
      world.simulator.callsOf({ route: 'flows' }).filter(({ method }) => method === 'POST').length
    const before = made()
    world.simulator.loseAnswer({ route: 'flows' })
    const saved = await manager.post(pathTo(flow, '/save-to-meta'))
    expect([saved.status, made() - before]).toEqual([200, 1])
    const lost = await draftFlow(world, manager)
    // that of making it, and that of looking whether it was made
    world.simulator.loseAnswer({ route: 'flows', times: 2 })
    expect((await manager.post(pathTo(lost, '/save-to-meta'))).status).toBe(503)
    expect((await manager.get(pathTo(lost))).data['meta_flow_id']).toBeNull()
    expect((await manager.post(pathTo(lost, '/save-to-meta'))).status).toBe(200)
    expect(made() - before).toBe(2)
    const other = await draftFlow(world, manager)
    world.simulator.fail({ code: 139_000 }, { route: 'flows' })
    expect(await manager.post(pathTo(other, '/save-to-meta'))).toMatchObject({
      status: 400,
      body: { code: 'platform_rejected', details: { platform_code: 139_000 } },
    })
    world.simulator.answerHtml(502, { route: 'flow_assets' })
    expect(await manager.post(pathTo(other, '/save-to-meta'))).toMatchObject({
      status: 503,
      body: { code: 'platform_unreachable' },
    })
    expect((await manager.get(pathTo(other))).data).toMatchObject({
      has_local_changes: true,
      meta_flow_id: expect.any(String),
    })
    expect((await manager.post(pathTo(other, '/save-to-meta'))).status).toBe(200)
    world.simulator.loseAnswer({ route: 'flow_publish' })
    expect((await manager.post(pathTo(other, '/publish'))).data['status']).toBe('PUBLISHED')
    world.simulator.fail({ code: 139_003 }, { route: 'flow_deprecate' })
    expect((await manager.post(pathTo(other, '/deprecate'))).status).toBe(400)
    expect((await manager.get(pathTo(other))).data['status']).toBe('PUBLISHED')
  })

  test('concurrent saves create one Flow', async () => {
    const flow = await draftFlow(world, manager)
    world.simulator.slow(30, { route: 'flows' })
    const [one, two] = await Promise.all([
      manager.post(pathTo(flow, '/save-to-meta')),
      manager.post(pathTo(flow, '/save-to-meta')),
    ])
    expect(new Set([one.status, two.status])).toEqual(new Set([200, 409]))
  })
})

describe('fetching the flows of the platform', () => {
  test('reads all pages with JSON, keeps local changes and deletions, and detects missing Flows', async () => {
    const json = JSON.stringify(PLAIN)
    for (let nth = 0; nth < 230; nth += 1)
      world.simulator.addFlow({ name: `Theirs ${nth}`, status: 'PUBLISHED', json })
    const mine = await draftFlow(world, manager)
    const id = String((await manager.post(pathTo(mine, '/save-to-meta'))).data['meta_flow_id'])
    await manager.put(pathTo(mine), { name: 'Changed here' })
    const taken = await publishedFlow(world, manager)
    await manager.post(pathTo(taken, '/deprecate'))
    await manager.delete(pathTo(taken))
    const first = await manager.post('/api/flows/sync', { account_id: world.tenant.accountId })
    expect(first.data).toMatchObject({
      new: 230,
      removed: 0,
      accounts: [{ account_id: world.tenant.accountId, error: null }],
    })
    const { data: found } = await manager.get('/api/flows?search=theirs 229')
    const theirs = (found['items'] as Loose[])[0] ?? {}
    expect((await manager.get(pathTo(theirs))).data).toMatchObject({
      status: 'PUBLISHED',
      json_definition: PLAIN,
      has_local_changes: false,
    })
    expect((await manager.get(pathTo(mine))).data).toMatchObject({
      name: 'Changed here',
      has_local_changes: true,
    })
    const [there] = world.simulator.callsOf({ route: 'flows' }).slice(-1)
    expect(there?.query).toContain('after=')
    world.simulator.deleteFlow(id)
    world.simulator.deleteFlow(String(theirs['meta_flow_id']))
    const renamed = world.simulator.addFlow({ name: 'Came later', json })
    expect((await manager.post('/api/flows/sync', {})).data).toMatchObject({
      new: 1,
      updated: 0,
      removed: 2,
    })
    expect((await manager.get(pathTo(mine))).data).toMatchObject({
      status: 'DRAFT',
      meta_flow_id: null,
      has_local_changes: true,
    })
    expect((await manager.get(pathTo(theirs))).data).toMatchObject({
      status: 'DEPRECATED',
      meta_flow_id: null,
    })
    renamed.name = 'Came later, renamed'
    expect((await manager.post('/api/flows/sync')).data).toMatchObject({
      new: 0,
      updated: 1,
      removed: 0,
    })
    world.simulator.fail({ code: 10 }, { route: 'flows' })
    expect((await manager.post('/api/flows/sync', {})).status).toBe(400)
    expect(
      (
        await manager.post('/api/flows/sync', {
          account_id: '01900000-0000-7000-8000-ffffffffffff',
        })
      ).status,
    ).toBe(404)
  })
})

test('users without flows:update cannot change Flows', async () => {
  const agent = await world.as('agent')
  expect((await agent.get('/api/flows')).status).toBe(403)
  expect((await agent.post('/api/flows', { name: 'x' })).status).toBe(403)
})
