import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { Client } from '../../../support/client'
import { joinToo, personWith, type OwnRole } from '../../../support/people'
import { TestSocket, type Frame } from '../../../support/socket'
import { World, type Tenant } from '../../../support/world'

let world: World
let guest: OwnRole
let sockets: Record<string, TestSocket>

const open = (client: Client): Promise<TestSocket> =>
  TestSocket.open(`${world.url.replace('http', 'ws')}/ws?token=${client.token}`)

/** The same person in another of its organizations. */
async function switched(client: Client, tenant: Tenant): Promise<Client> {
  const { data } = await client.post('/api/auth/switch-org', { organization_id: tenant.id })
  return new Client(world.url, { authorization: `Bearer ${data['access_token']}` })
}

beforeAll(async () => {
  world = await World.create({ isConnected: false })
  const own = await personWith(world, ['contacts:read'])
  const unmasking = await personWith(world, ['contacts:read', 'contacts:unmask'])
  guest = await personWith(world, ['contacts:read'], world.other)
  joinToo(world, guest.userId, world.tenant)
  sockets = {
    'an agent': await world.socket('agent'),
    'the second socket of the agent': await world.socket('agent'),
    'somebody with a role of its own': await open(own.client),
    'a guest whose home is elsewhere': await open(await switched(guest.client, world.tenant)),
    'somebody who may see full numbers': await open(unmasking.client),
    'a manager': await world.socket('manager'),
    'the admin who changed it': await world.socket('admin'),
    'a super admin': await world.socket('super'),
    'the guest, at home': await open(guest.client),
    'an agent of another organization': await world.socket('agent', world.other),
    'an admin of another organization': await world.socket('admin', world.other),
  }
})

afterAll(async () => {
  await Promise.all(Object.values(sockets).map((socket) => socket.close()))
  await world.stop()
})

const heard = new Map<string, number>()

/** What each socket has heard of rights since the last time, without those that heard nothing. */
async function news(): Promise<Record<string, Frame['payload'][]>> {
  await world.settle()
  const fresh: Record<string, Frame['payload'][]> = {}
  for (const [who, socket] of Object.entries(sockets)) {
    await socket.caughtUp()
    const all = socket.events('permissions:updated').map(({ payload }) => payload)
    if (all.length > (heard.get(who) ?? 0)) fresh[who] = all.slice(heard.get(who) ?? 0)
    heard.set(who, all.length)
  }
  return fresh
}

beforeEach(async () => {
  for (const tenant of world.tenants) await mask(tenant, false)
  await news()
})

const mask = async (tenant: Tenant, mask_phone_numbers: boolean): Promise<void> => {
  const answer = await (
    await world.as('admin', tenant)
  ).put('/api/organizations/settings', { mask_phone_numbers })
  expect(answer.status).toBe(200)
}

const CONCERNED = [
  'an agent',
  'the second socket of the agent',
  'somebody with a role of its own',
  'a guest whose home is elsewhere',
]

describe('a change of phone number masking', () => {
  for (const masked of [true, false])
    test(`to ${masked} is published to every socket whose view changes, and to no other organization`, async () => {
      if (!masked) await mask(world.tenant, true)
      await news()
      await mask(world.tenant, masked)
      const told = await news()
      expect(Object.keys(told)).toEqual(CONCERNED)
      for (const [who, frames] of Object.entries(told))
        expect({ who, frames: frames.map((frame) => [frame['reason'], frame['masked']]) }).toEqual({
          who,
          frames: [['masking_changed', masked]],
        })
    })

  test('depends on the role in this organization, not in the home organization', async () => {
    await mask(world.tenant, true)
    expect((await news())['a guest whose home is elsewhere']).toEqual([
      {
        role_id: world.tenant.roleIds.agent,
        role_name: 'agent',
        permissions: expect.arrayContaining(['contacts:read', 'messages:create']) as string[],
        visibility: 'assigned',
        masked: true,
        reason: 'masking_changed',
      },
    ])
  })

  test('in another organization concerns only the sockets there', async () => {
    await mask(world.other, true)
    const told = await news()
    expect(Object.keys(told)).toEqual(['the guest, at home', 'an agent of another organization'])
    expect(told['the guest, at home']).toMatchObject([
      { role_id: guest.roleId, masked: true, reason: 'masking_changed' },
    ])
  })

  test('is not published if nothing changed, or something else did', async () => {
    await mask(world.tenant, false)
    await (
      await world.as('admin')
    ).put('/api/organizations/settings', { timezone: 'Europe/Rome', name: 'Acme & Sons' })
    expect(await news()).toEqual({})
  })
})
