import { expect, test } from 'bun:test'

import { CampaignFixture, setPrice } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'
import { secondNumber } from '../../../support/second-number'

const NUMBERS = ['12025550111', '12025550112', '12025550113', '12025550114']

/** A campaign to four people: one read it, one got it, one could not, one is not reported. */
async function sent(): Promise<CampaignFixture & { campaignId: string }> {
  const fixture = await CampaignFixture.open()
  const { simulator } = fixture.world
  setPrice(fixture.world, { category: 'MARKETING', micros: 25_000, country: 'US' })
  const follow = (nth: number, statuses: Parameters<typeof simulator.followWith>[0]) =>
    simulator.followWith(statuses, { recipient: String(NUMBERS[nth]) })
  follow(0, ['sent', 'delivered', 'read'])
  follow(1, ['sent', 'delivered'])
  follow(2, ['failed'])
  follow(3, ['sent'])
  const campaignId = await fixture.draftFor(NUMBERS, { error_threshold: 1 })
  await fixture.do(campaignId, 'start')
  await fixture.run(campaignId)
  return Object.assign(fixture, { campaignId })
}

const reportOf = async (fixture: CampaignFixture, query = ''): Promise<Loose> =>
  (await (await fixture.manager).get(`/api/analytics/campaigns?${query}`)).data

test('shows the results of each campaign and of all', async () => {
  await using fixture = await sent()
  const { world, campaignId } = fixture
  const reader = world.simulator.customer({ phone: world.tenant.phoneId, waId: NUMBERS[0] ?? '' })
  await reader.says('Thank you')
  await world.settle()
  await reader.says('STOP')
  await world.settle()
  const report = await reportOf(fixture)
  const [item] = report['items'] as Loose[]
  const figures = {
    recipients: 4,
    sent: 4,
    delivered: 2,
    read: 1,
    replied: 1,
    clicked: 0,
    failed: 1,
    unknown: 0,
    skipped: 0,
    opt_outs: 1,
    delivery_rate: 50,
    read_rate: 50,
    reply_rate: 50,
    estimated_cost: '0.10',
    currency: 'USD',
    failure_reasons: [{ code: expect.any(String), message: expect.any(String), count: 1 }],
  }
  expect(item).toMatchObject({
    campaign_id: campaignId,
    name: 'Offer',
    status: 'completed',
    ...figures,
    actual_cost: (await fixture.campaign(campaignId))['actual_cost'],
  })
  expect(report['summary']).toMatchObject({ ...figures, other_costs: [] })
  expect([report['total'], report['total_pages']]).toEqual([1, 1])
})

test('has the campaigns that began in the range, on the number', async () => {
  await using fixture = await sent()
  await fixture.draftFor(['12025550999'])
  const total = async (query: string): Promise<unknown> => (await reportOf(fixture, query))['total']
  expect(await total('')).toBe(1)
  expect(await total('end_date=2026-11-20')).toBe(0)
  expect(await total(`account_id=${fixture.world.tenant.accountId}`)).toBe(1)
  const manager = await fixture.manager
  const status = async (query: string): Promise<number> =>
    (await manager.get(`/api/analytics/campaigns?${query}`)).status
  expect(await status(`account_id=${fixture.world.other.accountId}`)).toBe(404)
  expect(await status('start_date=2026-02-30')).toBe(400)
  expect((await (await fixture.world.as('agent')).get('/api/analytics/campaigns')).status).toBe(403)
  const file = await fetch(`${fixture.world.url}/api/analytics/campaigns?format=csv`, {
    headers: manager.headers,
  })
  expect((await file.text()).trimEnd().split('\r\n')).toHaveLength(2)
})

test('lists those of the range without deleted ones, the last to begin first', async () => {
  await using fixture = await sent()
  const { world } = fixture
  const second = await secondNumber(world)
  world.clock.advance({ hours: 24 })
  const run = async (recipient: string, body: Loose = {}): Promise<string> => {
    world.simulator.followWith(['failed'], { recipient })
    const id = await fixture.draftFor([recipient], body)
    expect((await fixture.do(id, 'start')).status).toBe(200)
    await fixture.run(id)
    world.clock.advance({ hours: 1 })
    return id
  }
  const next = await run('12025550121', { name: 'Next' })
  const other = await run('12025550122', { name: 'Other', account_id: second.accountId })
  const gone = await run('12025550123', { name: 'Gone' })
  expect((await (await fixture.manager).delete(`/api/campaigns/${gone}`)).status).toBe(200)
  const seen = async (query: string): Promise<unknown> => {
    const report = await reportOf(fixture, query)
    const { failed, failure_reasons: reasons } = report['summary'] as Loose
    return [
      (report['items'] as Loose[]).map(({ campaign_id }) => campaign_id),
      [failed, ...(reasons as Loose[]).map(({ count }) => count)],
    ]
  }
  expect(await seen('')).toEqual([
    [other, next, fixture.campaignId],
    [3, 3],
  ])
  expect(await seen('start_date=2026-11-22')).toEqual([
    [other, next],
    [2, 2],
  ])
  expect(await seen('end_date=2026-11-21')).toEqual([[fixture.campaignId], [1, 1]])
  expect(await seen(`account_id=${second.accountId}`)).toEqual([[other], [1, 1]])
  expect(await seen('limit=1&page=2')).toEqual([[next], [3, 3]])
  expect(await seen(`campaign_id=${next}`)).toEqual([[next], [1, 1]])
  for (const unknown of [gone, crypto.randomUUID()]) {
    const manager = await fixture.manager
    const { status } = await manager.get(`/api/analytics/campaigns?campaign_id=${unknown}`)
    expect(status).toBe(404)
  }
})

test('stays the same when a recipient is erased', async () => {
  await using fixture = await sent()
  const { world } = fixture
  const { as_of: _before, ...before } = await reportOf(fixture)
  const [contact] = world.rows<{ id: string }>('select id from contacts order by id limit 1')
  const admin = await world.as('admin')
  const { data } = await admin.get('/api/contacts?limit=1')
  const id = String((data['items'] as Loose[])[0]?.['id'])
  expect(contact).toBeDefined()
  await admin.post(`/api/contacts/${id}/erase`, { confirm: id })
  await world.settle()
  const { as_of: _after, ...after } = await reportOf(fixture)
  expect(after).toEqual(before)
})

test('counts the errors of recipients as these change, and lists the most frequent ones', async () => {
  await using fixture = await sent()
  const { world, campaignId } = fixture
  const { sqlite } = world.program.http.db
  const expectSame = (): void =>
    expect(
      world.rows('select code, recipients, failed from campaign_errors where recipients <> 0'),
    ).toEqual(
      world.rows(
        "select error_code as code, count(*) as recipients, sum(status = 'failed') as failed from campaign_recipients where error_code is not null group by 1",
      ),
    )
  expectSame()
  // Copies of the failed recipient with 12 errors, the last of them the most frequent one.
  sqlite.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 78)
     insert into campaign_recipients (organization_id, campaign_id, id, identity, source, status, error, error_code, created_at_ms, updated_at_ms)
     select organization_id, campaign_id, unhex(printf('0199%028d', i)), 'x:' || i, source, status, json_set(error, '$.message', printf('Error %d', ceil((sqrt(8 * i + 1) - 1) / 2))), printf('code%02d', ceil((sqrt(8 * i + 1) - 1) / 2)), created_at_ms, updated_at_ms
     from (select * from campaign_recipients where status = 'failed'), n`,
  )
  expectSame()
  const report = await reportOf(fixture)
  const reasons = (report['items'] as Loose[])[0]?.['failure_reasons'] as Loose[]
  expect(reasons).toHaveLength(10)
  expect(reasons[0]).toEqual({ code: 'code12', message: 'Error 12', count: 12 })
  expect((report['summary'] as Loose)['failure_reasons']).toEqual(reasons)
  const manager = await fixture.manager
  const { data: progress } = await manager.get(`/api/campaigns/${campaignId}/progress`)
  expect((progress['errors'] as Loose[]).slice(0, 10)).toEqual(reasons)
  for (const change of [
    "status = 'unknown' where error_code = 'code12' and identity > 'x:70'",
    "error_code = 'other' where error_code = 'code11'",
    "status = 'pending', error_code = null, error = null where error_code = 'code10'",
  ]) {
    sqlite.run(`update campaign_recipients set ${change}`)
    expectSame()
  }
  const { failure_reasons: failures } = (await reportOf(fixture))['summary'] as Loose
  expect(failures).toContainEqual({ code: 'code12', message: 'Error 12', count: 4 }) // of 12
  sqlite.run("delete from campaign_recipients where error_code in ('code12', 'code09')")
  expectSame()
  expect((await reportOf(fixture))['summary']).toMatchObject({
    failure_reasons: [
      { code: 'other', count: 11 },
      { code: 'code08' },
      {},
      {},
      {},
      {},
      {},
      {},
      {},
      {},
    ],
  })
})
