import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { World } from '../../../support/world'

const pathTo = (world: World): string => `/api/accounts/${world.tenant.accountId}/calling`

const WEEK = [
  { day: 'monday', start_time: '09:00', end_time: '17:30' },
  { day: 0, start_time: '22:00', end_time: '02:00' },
  { day: 'friday', enabled: false, start_time: '09:00', end_time: '12:00' },
  { day: 'saturday', start_time: '00:00', end_time: '24:00' },
]

const settingsPosts = (world: World): unknown[] =>
  world.simulator
    .callsOf({ route: 'settings', where: ({ method }) => method === 'POST' })
    .map(({ body }) => (body as Loose)['calling'] as unknown)

describe('the calling settings of a number', () => {
  test('are read from the platform for callers who may see numbers', async () => {
    await using world = await World.create()
    const agent = await world.as('agent')
    expect((await agent.get(pathTo(world))).data).toEqual({
      status: 'DISABLED',
      icon_visibility: 'DEFAULT',
      countries: [],
      hours: null,
      timezone: null,
      callback_permission: 'DISABLED',
      sip: { enabled: false, servers: [], password: null },
    })
    expect((await agent.put(pathTo(world), { status: 'ENABLED' })).status).toBe(403)
  })

  test('are passed on field by field, and the audit log has the changes', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    await admin.put('/api/organizations/settings', { timezone: 'America/Manaus' })
    const { status, data } = await admin.put(pathTo(world), {
      status: 'ENABLED',
      icon_visibility: 'DISABLE_ALL',
      countries: ['BR', 'US'],
      hours: WEEK,
      callback_permission: 'ENABLED',
    })
    expect(status).toBe(200)
    expect(data).toMatchObject({
      status: 'ENABLED',
      icon_visibility: 'DISABLE_ALL',
      countries: ['BR', 'US'],
      timezone: 'America/Manaus',
      hours: [
        { day: 'monday', enabled: true, start_time: '09:00', end_time: '17:30' },
        { day: 'sunday', enabled: true, start_time: '22:00', end_time: '24:00' },
        { day: 'monday', enabled: true, start_time: '00:00', end_time: '02:00' },
        { day: 'saturday', enabled: true, start_time: '00:00', end_time: '24:00' },
      ],
    })
    expect((await admin.put(pathTo(world), { countries: [] })).data).toMatchObject({
      countries: [],
      status: 'ENABLED',
    })
    expect(settingsPosts(world).at(-1)).toEqual({ call_icons: { restrict_to_user_countries: [] } })
    expect((await admin.put(pathTo(world), { hours: null })).data['hours']).toBeNull()
    const log = await admin.get('/api/audit-logs?resource_type=account&action=updated')
    const fields = (log.data['items'] as Loose[]).map(({ changes }) =>
      (changes as Loose[]).map(({ field }) => field as string),
    )
    expect(fields.slice(0, 3)).toEqual([
      ['hours'],
      ['countries'],
      ['status', 'icon_visibility', 'countries', 'hours', 'timezone', 'callback_permission'],
    ])
  })

  test('tell why the platform refuses them', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    const tooMany = Array.from({ length: 3 }, (_, nth) => ({
      day: 'monday',
      start_time: `0${nth * 2}:00`,
      end_time: `0${nth * 2 + 1}:00`,
    }))
    const { status, body } = await admin.put(pathTo(world), { hours: tooMany })
    expect([status, body]).toMatchObject([
      400,
      { code: 'platform_rejected', details: { platform_code: 100 } },
    ])
    for (const bad of [
      {},
      { status: 'on' },
      { hours: [] },
      { hours: [{ ...WEEK[0], start_time: '25:00' }] },
      { hours: [WEEK[2]] },
      { countries: ['Brazil'] },
      { sip: {} },
    ])
      expect({ bad, status: (await admin.put(pathTo(world), bad)).status }).toEqual({
        bad,
        status: 400,
      })
  })

  test('show the password of SIP once, when SIP is enabled, and log it nowhere', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    const servers = [{ hostname: 'sip.example.com', port: 5061 }]
    const enabled = await admin.put(pathTo(world), { sip: { enabled: true, servers } })
    const password = `password-of-${world.tenant.phoneId}`
    expect(enabled.data['sip']).toEqual({
      enabled: true,
      servers: [{ hostname: 'sip.example.com', port: 5061, request_uri_user_params: {} }],
      password,
    })
    expect((await admin.get(pathTo(world))).data['sip']).toMatchObject({ password: null })
    const again = await admin.put(pathTo(world), { sip: { enabled: true } })
    expect(again.data['sip']).toMatchObject({ enabled: true, password: null })
    const off = await admin.put(pathTo(world), { sip: { enabled: false } })
    expect(off.data['sip']).toMatchObject({ enabled: false })
    const log = await admin.get('/api/audit-logs?resource_type=account')
    expect(JSON.stringify(log.data)).not.toContain(password)
    expect(world.logLines.join('\n')).not.toContain(password)
  })
})
