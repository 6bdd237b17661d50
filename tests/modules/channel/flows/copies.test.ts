import { expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { ASKING, draftFlow, PLAIN, RULES } from '../../../support/flows'
import { World } from '../../../support/world'

test('a copy of a flow by address asks the same address with a secret of its own and no headers', async () => {
  await using world = await World.create({ tenants: 1, env: { EGRESS_ALLOW: '127.0.0.1' } })
  const manager = await world.as('manager')
  const flow = await draftFlow(world, manager, {
    json_definition: ASKING,
    endpoint_mode: 'http',
    endpoint_config: {
      url: 'https://example.com/flows',
      headers: { authorization: 'Bearer very-secret' },
    },
  })
  const { data: copy } = await manager.post(`/api/flows/${flow['id']}/duplicate`)
  expect(copy).toMatchObject({
    ...{ status: 'DRAFT', endpoint_mode: 'http', data_api_version: '3.0', json_version: '7.3' },
    ...{ categories: flow['categories'], account_id: flow['account_id'], json_definition: ASKING },
  })
  const config = copy['endpoint_config'] as Loose
  expect(config).toMatchObject({ url: 'https://example.com/flows', has_secret: true })
  expect(config['secret']).toMatch(/^whsec_/)
  expect(config['secret']).not.toBe((flow['endpoint_config'] as Loose)['secret'])
  expect(config['headers'] ?? {}).toEqual({})
  const { data: log } = await (
    await world.as('admin')
  ).get('/api/audit-logs?resource_type=flow&action=duplicated')
  expect(log).toMatchObject({
    total: 1,
    items: [
      {
        ...{ resource_id: copy['id'], resource_name: copy['name'] },
        changes: [{ field: 'source', old_value: null, new_value: flow['id'] }],
      },
    ],
  })
})

test('a copy of a flow by rules has the same rules', async () => {
  await using world = await World.create({ tenants: 1 })
  const manager = await world.as('manager')
  const given = {
    json_definition: ASKING,
    endpoint_mode: 'rules',
    endpoint_config: { rules: RULES },
  }
  const flow = await draftFlow(world, manager, given)
  const { data: copy } = await manager.post(`/api/flows/${flow['id']}/duplicate`, { name: 'Twin' })
  expect(copy).toMatchObject({ name: 'Twin', endpoint_mode: 'rules' })
  expect(copy['endpoint_config']).toEqual(flow['endpoint_config'])
  expect(copy['endpoint_config']).toMatchObject({ rules: RULES })
})

test('a sync of all numbers lists each business account once, with errors', async () => {
  await using world = await World.create({ tenants: 1 })
  const manager = await world.as('manager')
  world.simulator.addFlow({ name: 'Theirs', status: 'PUBLISHED', json: JSON.stringify(PLAIN) })
  expect((await manager.post('/api/flows/sync')).data).toEqual({
    ...{ synced: 1, new: 1, updated: 0, removed: 0 },
    accounts: [{ account_id: world.tenant.accountId, error: null }],
  })
  expect((await manager.post('/api/flows/sync')).data).toMatchObject({
    ...{ synced: 1, new: 0, updated: 0, removed: 0 },
  })
  const { data: log } = await (
    await world.as('admin')
  ).get('/api/audit-logs?resource_type=flow&action=synced')
  expect((log['items'] as Loose[]).at(-1)?.['changes']).toEqual(
    [
      ['synced', 1],
      ['new', 1],
      ['updated', 0],
      ['removed', 0],
    ].map(([field, new_value]) => ({ field, old_value: null, new_value })),
  )
  world.simulator.fail({ code: 10 }, { route: 'flows' })
  const refused = await manager.post('/api/flows/sync')
  expect([refused.status, refused.body.code]).toEqual([400, 'platform_rejected'])
})
