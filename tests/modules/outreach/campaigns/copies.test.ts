import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { numbersOf, CampaignFixture } from '../../../support/campaigns'

let fixture: CampaignFixture

beforeAll(async () => {
  fixture = await CampaignFixture.open()
})

afterAll(() => fixture.world.stop())

const MANY = 1_500

describe('a copy of a campaign with many recipients', () => {
  test('rejects start and dry run until all recipients are copied', async () => {
    const id = await fixture.draftFor(numbersOf(MANY, 15_551_000_000))
    const { data: copy } = await fixture.do(id, 'duplicate', {
      with_recipients: true,
      name: 'Copy',
    })
    expect(copy['total_recipients']).toBeLessThan(MANY)
    const copyId = copy['id'] as string
    for (const [what, body] of [
      ['start', undefined],
      [
        'schedule',
        { scheduled_at: new Date(fixture.world.clock.nowMs() + 3_600_000).toISOString() },
      ],
      ['dry-run', undefined],
      ['recipients/import', { recipients: [{ phone_number: '15551009999' }], replace: true }],
    ] as const) {
      const { status, body: answer } = await fixture.do(copyId, what, body)
      expect([what, status, answer.code]).toEqual([what, 409, 'wrong_state'])
    }
    await fixture.world.settle()
    expect(await fixture.campaign(copyId)).toMatchObject({
      status: 'draft',
      total_recipients: MANY,
      pending_count: MANY,
    })
    expect((await fixture.do(copyId, 'dry-run')).data['eligible']).toBe(MANY)
    expect((await fixture.do(copyId, 'start')).status).toBe(200)
    await fixture.do(copyId, 'cancel')
    await fixture.world.settle()
  })

  test('stops copying when it is canceled or deleted, and notifies users when its source is deleted', async () => {
    const id = await fixture.draftFor(numbersOf(MANY, 15_551_010_000))
    const copyIds: string[] = []
    for (const name of ['Cancelled', 'Deleted', 'Orphan'])
      copyIds.push(
        (await fixture.do(id, 'duplicate', { with_recipients: true, name })).data['id'] as string,
      )
    const [cancelled = '', deleted = '', orphan = ''] = copyIds
    expect((await fixture.do(cancelled, 'cancel')).status).toBe(200)
    const { total_recipients: total } = await fixture.campaign(cancelled)
    const manager = await fixture.manager
    expect((await manager.delete(`/api/campaigns/${deleted}`)).status).toBe(200)
    expect((await manager.delete(`/api/campaigns/${id}`)).status).toBe(200)
    await fixture.world.settle()
    expect(await fixture.campaign(cancelled)).toMatchObject({
      total_recipients: total,
      cancelled_count: total,
      pending_count: 0,
    })
    expect(
      fixture.world.rows('select id from campaign_recipients where campaign_id = ?', deleted),
    ).toEqual([])
    expect((await fixture.campaign(orphan))['total_recipients']).toBeLessThan(MANY)
    const { data: told } = await manager.get('/api/me/notifications?limit=100')
    const kinds = (told['items'] as { kind: string; link: string }[]).filter(
      ({ kind }) => kind === 'campaign_incomplete',
    )
    expect(kinds.map(({ link }) => link)).toEqual([`/campaigns/${orphan}`])
  })
})

test('leaves no pending messages when a campaign is deleted right after it was canceled', async () => {
  const id = await fixture.draftFor(numbersOf(400, 15_551_020_000))
  await fixture.do(id, 'start')
  const { worker, relay } = fixture.world.program
  const areMade = async (): Promise<boolean> =>
    Number((await fixture.campaign(id))['sending_count']) > 20
  for (let step = 0; step < 100 && !(await areMade()); step += 1) {
    await worker.runUntilIdle(() => relay.drain())
    fixture.world.clock.advance({ ms: 5 })
  }
  expect(await areMade()).toBe(true)
  expect((await fixture.do(id, 'cancel')).status).toBe(200)
  expect((await (await fixture.manager).delete(`/api/campaigns/${id}`)).status).toBe(200)
  for (let step = 0; step < 20; step += 1) {
    await fixture.world.settle()
    fixture.world.clock.advance({ ms: 500 })
  }
  const left = 'select status from campaign_recipients where campaign_id = ? and status in (?, ?)'
  expect(fixture.world.rows(left, id, 'sending', 'pending')).toEqual([])
  expect(
    fixture.world.rows(
      "select id from messages where source = 'campaign' and status = 'pending' and stage <> 'cancelled'",
    ),
  ).toEqual([])
})
