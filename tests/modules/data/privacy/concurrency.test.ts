import { expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { World, type Tenant } from '../../../support/world'

/** Requests a privacy export for each of these people. */
async function ask(world: World, tenant: Tenant, people: Loose[]): Promise<void> {
  const admin = await world.as('admin', tenant)
  for (const { id } of people)
    expect((await admin.post(`/api/contacts/${id}/privacy-export`)).status).toBe(201)
}

test('writes one export per organization and two per server at a time, and completes all', async () => {
  await using world = await World.create({ tenants: 4 })
  const people: Loose[][] = []
  for (const [nth, tenant] of world.tenants.entries())
    people.push([
      await world.contactOf(tenant, 'One', `1555070010${nth}`),
      await world.contactOf(tenant, 'Two', `1555070020${nth}`),
    ])
  const { files } = world.program.http
  const stage = files.stage.bind(files)
  let [now, most] = [0, 0]
  const held = Promise.withResolvers<void>()
  files.stage = async (...given) => {
    now += 1
    most = Math.max(most, now)
    await held.promise
    return stage(...given).finally(() => (now -= 1))
  }
  for (const [nth, tenant] of world.tenants.entries()) await ask(world, tenant, people[nth] ?? [])
  const settled = world.settle()
  // On a busy machine some of the others are not even tried before one of the two has ended.
  const waiting =
    "select count(*) as n from jobs where kind = 'privacy.export' and state in ('available', 'scheduled')"
  await world.eventually(() => now === 2 && world.rows<{ n: number }>(waiting)[0]?.n === 6)
  const running =
    "select count(distinct organization_id) as n from jobs where kind = 'privacy.export' and state = 'executing'"
  expect(world.rows(running)).toEqual([{ n: 2 }])
  held.resolve()
  await settled
  for (let nth = 0; nth < 8; nth += 1) {
    world.clock.advance({ seconds: 2 })
    await world.settle()
  }
  expect(most).toBe(2)
  expect(world.rows('select state, count(*) as n from privacy_requests group by state')).toEqual([
    { state: 'completed', n: 8 },
  ])
})
