import { afterAll, beforeAll, expect, test } from 'bun:test'

import { numbersOf, CampaignFixture } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'
import { sendForm, tracesIn } from '../../../support/sending'
import { changeRows } from '../../../support/sql'

let fixture: CampaignFixture

beforeAll(async () => {
  fixture = await CampaignFixture.open()
})

afterAll(() => fixture[Symbol.asyncDispose]())

test('counts eligible, duplicate, blocked, opted-out, unreachable and incomplete recipients without side effects', async () => {
  const manager = await fixture.manager
  const [blocked = '', optedOut = '', gone = '', good = '', unnamed = ''] = numbersOf(
    5,
    15_550_950_000,
  )
  const idOf: Record<string, string> = {}
  for (const phone_number of [blocked, optedOut, gone, good])
    idOf[phone_number] = (await manager.post('/api/contacts', { phone_number, name: 'Ann' })).data[
      'id'
    ] as string
  await manager.post(`/api/contacts/${idOf[blocked]}/block`, {})
  await manager.post(`/api/contacts/${idOf[optedOut]}/consents`, {
    state: 'opted_out',
    source: 'agent',
  })
  changeRows(
    fixture.world.program.http.db.sqlite,
    'update contacts set undeliverable_since_ms = 1 where id = ?',
    [idOf[gone] ?? ''],
  )
  const id = await fixture.draft({ variable_mapping: { '1': 'name' } })
  const person = { waId: '5511987650000', userId: 'BR.1234500000' }
  const recipients = [
    ...[blocked, optedOut, gone, good, unnamed, person.waId].map((phone_number) => ({
      phone_number,
    })),
    { user_id: person.userId },
  ]
  expect((await fixture.do(id, 'recipients/import', { recipients })).data).toMatchObject({
    imported: 7,
    duplicates: 0,
  })
  // Number and id turn out to be one person.
  await fixture.world.simulator
    .customer({ phone: fixture.world.tenant.phoneId, ...person, name: 'Bia' })
    .says('Oi')
  await fixture.world.settle()
  const before = tracesIn(fixture.world)
  const { data: trial } = await fixture.do(id, 'dry-run')
  expect(trial).toMatchObject({
    eligible: 2,
    excluded: { blocked: 1, opted_out: 1, undeliverable: 1, missing_params: 1, duplicate: 1 },
    missing_params: [{ name: null, missing: [expect.any(String)] }],
    estimated_cost: null,
    warnings: ['Some countries have no price, so the total cost is unknown.'],
  })
  expect(tracesIn(fixture.world)).toEqual(before)
  expect(await fixture.campaign(id)).toMatchObject({
    status: 'draft',
    pending_count: 7,
    skipped_count: 0,
  })
  await fixture.do(id, 'start')
  expect(await fixture.run(id)).toMatchObject({
    status: 'completed',
    sent_count: 2,
    skipped_count: 5,
  })
})

test('imports spreadsheet formulas as text and guards them in exports', async () => {
  const id = await fixture.draft()
  const bytes = new TextEncoder().encode(
    'Phone,Name\n15550951000,"=HYPERLINK(""http://evil"")"\n15550951001,+1\n15550951002,@SUM(A1)\n',
  )
  const file = { name: 'people.csv', type: 'text/csv', bytes }
  expect(
    (await sendForm(await fixture.manager, `/api/campaigns/${id}/recipients/import`, {}, file))
      .data,
  ).toMatchObject({ imported: 3 })
  expect((await fixture.recipients(id)).map(({ name }) => name as unknown)).toEqual([
    '=HYPERLINK("http://evil")',
    '+1',
    '@SUM(A1)',
  ])
  const response = await fetch(`${fixture.world.url}/api/campaigns/${id}/export`, {
    headers: (await fixture.manager).headers,
  })
  const lines = (await response.text()).split(/\r?\n/)
  expect(lines.filter((line) => /(^|,)"?[=+@-]/.test(line))).toEqual([])
  expect(lines.filter((line) => line.includes('evil'))).toHaveLength(1)
})

test('exports recipients with times and errors, also by state', async () => {
  const people = numbersOf(3, 15_550_952_000)
  fixture.world.simulator.fail({ code: 131_026 }, { recipient: people[0] ?? '', times: 1 })
  const id = await fixture.draftFor(people, { error_threshold: 1 })
  await fixture.do(id, 'start')
  await fixture.run(id)
  const { headers } = await fixture.manager
  const read = async (query: string): Promise<string[]> =>
    (
      await (
        await fetch(`${fixture.world.url}/api/campaigns/${id}/export${query}`, { headers })
      ).text()
    )
      .trim()
      .split(/\r?\n/)
  const [head, ...rows] = await read('')
  expect(rows).toHaveLength(3)
  for (const column of ['number', 'name', 'status', 'sent', 'code', 'cost'])
    expect(head?.toLowerCase()).toContain(column)
  expect(rows.filter((row) => row.includes('131026'))).toHaveLength(1)
  const failed = await read('?status=failed')
  expect(failed.slice(1)).toEqual(rows.filter((row) => row.includes(people[0] ?? '?')))
  const kinds = ((await fixture.recipients(id)) as Loose[]).map(({ status }) => status as string)
  expect(kinds.filter((status) => status === 'failed')).toHaveLength(1)
})
