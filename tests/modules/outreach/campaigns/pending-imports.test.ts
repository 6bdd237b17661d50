import { afterAll, beforeAll, expect, test } from 'bun:test'

import { numbersOf, CampaignFixture } from '../../../support/campaigns'
import type { Client, Loose } from '../../../support/client'
import { fetchRaw } from '../../../support/files'
import { personWith } from '../../../support/people'
import { sendForm } from '../../../support/sending'
import { changeRows, readRows } from '../../../support/sql'

let fixture: CampaignFixture

beforeAll(async () => {
  fixture = await CampaignFixture.open()
})

afterAll(() => fixture[Symbol.asyncDispose]())

const PEOPLE = 10_001

const inMinutes = (minutes: number): string =>
  new Date(fixture.world.clock.nowMs() + minutes * 60_000).toISOString()

/**
 * Hands in a file so large that a job works it off; returns the import, which nobody has begun yet.
 */
async function handIn(id: string, first: number): Promise<string> {
  const file = {
    name: 'people.csv',
    type: 'text/csv',
    bytes: new TextEncoder().encode(`Phone\n${numbersOf(PEOPLE, first).join('\n')}\n`),
  }
  const answer = await sendForm(
    await fixture.manager,
    `/api/campaigns/${id}/recipients/import`,
    {},
    file,
  )
  expect(answer).toMatchObject({ status: 201, data: { status: 'queued', rows_total: PEOPLE } })
  return answer.data['id'] as string
}

const importOf = async (importId: string): Promise<Loose> =>
  (await (await fixture.manager).get(`/api/imports/${importId}`)).data

test('delays a scheduled start until the import is complete', async () => {
  const id = await fixture.draft({ rate_limit: 1 })
  const importId = await handIn(id, 15_552_000_000)
  // Nobody is there yet, but they are on their way.
  expect((await fixture.do(id, 'schedule', { scheduled_at: inMinutes(1) })).data).toMatchObject({
    status: 'scheduled',
    total_recipients: 0,
  })
  fixture.world.clock.advance({ minutes: 2 })
  await fixture.world.settle()
  expect(await importOf(importId)).toMatchObject({
    status: 'completed',
    created: PEOPLE,
    failed: 0,
  })
  expect(await fixture.campaign(id)).toMatchObject({ total_recipients: PEOPLE })
  fixture.world.clock.advance({ seconds: 5 })
  await fixture.world.settle()
  expect(await fixture.campaign(id)).toMatchObject({ status: 'sending', total_recipients: PEOPLE })
  await fixture.do(id, 'cancel')
})

test('starts once after a canceled import, and rejects a start during an import', async () => {
  const id = await fixture.draftFor(numbersOf(2, 15_552_100_000), { scheduled_at: inMinutes(5) })
  const importId = await handIn(id, 15_552_200_000)
  expect((await fixture.do(id, 'start', { now: true })).body).toMatchObject({
    code: 'wrong_state',
    details: { import_id: importId },
  })
  expect((await fixture.do(id, 'start')).data).toMatchObject({ status: 'scheduled' })
  expect((await fixture.do(id, 'start', { now: true })).body).toMatchObject({ code: 'wrong_state' })
  expect((await (await fixture.manager).post(`/api/imports/${importId}/cancel`)).status).toBe(200)
  fixture.world.clock.advance({ minutes: 6 })
  expect(await fixture.run(id)).toMatchObject({
    status: 'completed',
    sent_count: 2,
    total_recipients: 2,
  })
  expect(numbersOf(2, 15_552_100_000).map((number) => fixture.calls().get(number))).toEqual([1, 1])
})

test('notifies users when a long import delays the start', async () => {
  const { sqlite } = fixture.world.program.http.db
  const id = await fixture.draftFor(numbersOf(1, 15_552_300_000))
  // A job is at it, however slow.
  const [file] = readRows<{ id: string }>(
    sqlite,
    `update imports set status = 'running', finished_at_ms = null, options = json_set(options, '$.campaignId', json(?))
     where id = (select min(id) from imports) returning id`,
    [JSON.stringify(id)],
  )
  await fixture.do(id, 'schedule', { scheduled_at: inMinutes(1) })
  fixture.world.clock.advance({ hours: 2 })
  await fixture.world.settle()
  expect(await fixture.campaign(id)).toMatchObject({ status: 'scheduled' })
  changeRows(sqlite, "update imports set status = 'completed', finished_at_ms = ? where id = ?", [
    fixture.world.clock.nowMs(),
    file?.id ?? '',
  ])
  fixture.world.clock.advance({ seconds: 5 })
  await fixture.world.settle()
  expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 1 })
  const told = (await (await fixture.manager).get('/api/me/notifications')).data['items'] as Loose[]
  expect(
    told.filter(({ kind, link }) => kind === 'campaign_late' && link === `/campaigns/${id}`),
  ).toHaveLength(1)
})

test.each([2, PEOPLE])(
  'takes no numbers of people from a file of %p rows whom its reader may not see, nor shows them',
  async (rows) => {
    const { world } = fixture
    const [hidden = '', own = '', unknown = ''] = numbersOf(3, 15_552_900_000 + rows)
    const reader = await personWith(world, [
      ...['campaigns:read', 'campaigns:create', 'contacts:read', 'contacts:export'],
      'imports:read',
    ])
    const admin = await world.as('admin')
    await admin.post('/api/contacts', { phone_number: hidden, name: 'Hidden Person' })
    await admin.post('/api/contacts', { phone_number: own, assigned_to: reader.userId })
    const id = await fixture.draft()
    const numbers = [hidden, own, unknown, ...Array.from({ length: rows - 2 }, () => '12')]
    const file = {
      name: 'people.csv',
      type: 'text/csv',
      bytes: new TextEncoder().encode(`Phone\n${numbers.join('\n')}\n`),
    }
    const path = `/api/campaigns/${id}/recipients`
    const { data } = await sendForm(reader.client, `${path}/import`, {}, file)
    await world.settle()
    const taken = (await fixture.recipients(id)).map(({ phone_number }) => phone_number as string)
    expect(taken).toEqual([own, unknown])
    if (rows === 2) expect(data).toMatchObject({ imported: 2 })
    else expect(await importOf(data['id'] as string)).toMatchObject({ created: 2 })
    expect(JSON.stringify(data)).not.toContain('Hidden Person')
    await fixture.do(id, 'recipients/import', { recipients: [{ phone_number: hidden }] })
    const fileOf = async ({ client }: { client: Client }): Promise<unknown[]> => {
      const csv = await (await fetchRaw(client, `/api/campaigns/${id}/export`)).text()
      return csv
        .trim()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',')[0])
    }
    expect(await fileOf({ client: admin })).toEqual([own, unknown, hidden])
    expect(await fileOf(reader)).toEqual([own, unknown])
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    const masked = [own, unknown].map((number) => `*******${number.slice(-4)}`)
    expect(await fileOf(reader)).toEqual(masked)
    const { data: listed } = await reader.client.get(path)
    expect((listed['items'] as Loose[]).map((one) => one['phone_number'] as string)).toEqual(masked)
    await admin.put('/api/organizations/settings', { mask_phone_numbers: false })
  },
)
