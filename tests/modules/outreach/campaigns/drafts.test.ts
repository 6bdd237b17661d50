import { afterAll, beforeAll, expect, test } from 'bun:test'

import { CampaignFixture, numbersOf } from '../../../support/campaigns'
import type { Client, Loose } from '../../../support/client'
import { personWith } from '../../../support/people'
import { sendForm } from '../../../support/sending'

let fixture: CampaignFixture

beforeAll(async () => {
  fixture = await CampaignFixture.open()
})

afterAll(() => fixture[Symbol.asyncDispose]())

const created = async (body: Loose): Promise<Loose> => {
  const { status, data } = await (await fixture.manager).post('/api/campaigns', body)
  expect(status).toBe(201)
  return data
}
const put = async (id: unknown, body: Loose, version?: string) =>
  await (
    await fixture.manager
  )
    .with(version === undefined ? {} : { 'if-match': `"${version}"` })
    .put(`/api/campaigns/${String(id)}`, body)
const accountId = (): string | null => fixture.world.tenant.accountId

test('begins without a template and people; a start says both at once', async () => {
  const { id } = await created({ name: 'Bare', account_id: accountId() })
  expect(await fixture.campaign(id as string)).toMatchObject({
    ...{ template_id: null, template_name: null, status: 'draft' },
    audience: { segment_id: null, filter: null },
  })
  for (const [verb, body] of [
    ['start', {}],
    ['schedule', { scheduled_at: '2099-01-01T09:00:00.000Z' }],
  ] as const)
    expect(await fixture.do(id as string, verb, body)).toMatchObject({
      status: 400,
      body: {
        code: 'no_template',
        errors: [{ path: 'body.template_id' }, { path: 'body.audience' }],
      },
    })
  expect(await fixture.do(id as string, 'dry-run')).toMatchObject({
    status: 400,
    body: { code: 'no_template', errors: [{ path: 'body.template_id' }] },
  })
  expect(await put(id, { variable_mapping: { '1': 'name' } })).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'body.variable_mapping' }] },
  })
  await put(id, { template_id: fixture.templateId, variable_mapping: { '1': 'name' } })
  expect(await fixture.do(id as string, 'start')).toMatchObject({
    status: 400,
    body: { code: 'no_recipients', errors: [{ path: 'body.audience' }] },
  })
  const deleted = await (await fixture.manager).delete(`/api/campaigns/${String(id)}`)
  expect(deleted.status).toBe(200)
})

test('takes a template in review for a draft, and starts once it is approved', async () => {
  const admin = await fixture.world.as('admin')
  const { data: template } = await admin.post('/api/templates', {
    ...{ account_id: accountId(), name: 'waiting', language: 'en', category: 'MARKETING' },
    components: [{ type: 'BODY', text: 'We have news for you today.' }],
  })
  const draft = { name: 'Early', account_id: accountId() }
  const refused = await admin.post('/api/campaigns', { ...draft, template_id: template['id'] })
  expect(refused).toMatchObject({ status: 400, body: { code: 'template_not_approved' } })
  const published = await admin.post(`/api/templates/${template['id']}/publish`)
  const { id } = await created({ ...draft, template_id: template['id'] })
  const [number = ''] = numbersOf(1, 15_550_800_000)
  await fixture.do(id as string, 'recipients/import', { recipients: [{ phone_number: number }] })
  for (const [verb, body] of [
    ['start', {}],
    ['schedule', { scheduled_at: '2099-01-01T09:00:00.000Z' }],
  ] as const)
    expect(await fixture.do(id as string, verb, body)).toMatchObject({
      status: 400,
      body: { code: 'template_not_approved', errors: [{ path: 'body.template_id' }] },
    })
  await fixture.world.simulator.review(published.data['platform_id'] as string, {
    event: 'APPROVED',
  })
  await fixture.world.settle()
  expect(
    (await fixture.do(id as string, 'schedule', { scheduled_at: '2099-01-01T09:00:00.000Z' }))
      .status,
  ).toBe(200)
  // what will be sent cannot be taken away from it, nor become something in review
  const { data: other } = await admin.post('/api/templates', {
    ...{ account_id: accountId(), name: 'waiting_too', language: 'en', category: 'MARKETING' },
    components: [{ type: 'BODY', text: 'We have other news for you today.' }],
  })
  await admin.post(`/api/templates/${String(other['id'])}/publish`)
  expect(await put(id, { template_id: other['id'] })).toMatchObject({
    status: 400,
    body: { code: 'template_not_approved' },
  })
  expect(await put(id, { template_id: null, variable_mapping: {} })).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'body.template_id' }] },
  })
})

test('sends to those who match a filter, and says where a filter is wrong', async () => {
  const manager = await fixture.manager
  for (const [nth, language] of ['fi', 'fi', 'en'].entries())
    await manager.post('/api/contacts', {
      ...{ phone_number: `1555081000${nth}`, name: `Person ${nth}`, language },
    })
  const filter = { all: [{ field: 'language', op: 'eq', value: 'fi' }] }
  const { id } = await created({
    ...{ name: 'Filtered', account_id: accountId(), template_id: fixture.templateId },
    ...{ variable_mapping: { '1': 'name' }, audience: { filter } },
  })
  expect(await fixture.campaign(id as string)).toMatchObject({ audience: { filter } })
  expect((await fixture.do(id as string, 'dry-run')).data).toMatchObject({ eligible: 2 })
  await fixture.do(id as string, 'start')
  expect(await fixture.run(id as string)).toMatchObject({ status: 'completed', sent_count: 2 })

  const wrong = { all: [{ field: 'attributes.nothing', op: 'eq', value: 'x' }] }
  const { body } = await manager.post('/api/campaigns', {
    ...{ name: 'Wrong', account_id: accountId(), audience: { filter: wrong } },
  })
  expect(body.errors?.[0]?.path).toStartWith('body.audience.filter.all.0')
})

test('names nobody who is left out to those who may not see them', async () => {
  const manager = await fixture.manager
  await manager.post('/api/contacts', { phone_number: '15550815001' })
  const { id } = await created({
    ...{ name: 'Hidden', account_id: accountId(), template_id: fixture.templateId },
    variable_mapping: { '1': 'name' },
  })
  await fixture.do(id as string, 'recipients/import', {
    recipients: [{ phone_number: '15550815001' }],
  })
  const { client } = await personWith(fixture.world, ['campaigns:read'])
  const dryRun = async (by: Client): Promise<Loose> =>
    (await by.post(`/api/campaigns/${String(id)}/dry-run`)).data
  expect((await dryRun(manager))['left_out']).toHaveLength(1)
  expect(await dryRun(client)).toMatchObject({ excluded: { missing_params: 1 }, left_out: [] })
})

test('binds variables to columns of a file, and names who lacks a value', async () => {
  const { id } = await created({
    ...{ name: 'File', account_id: accountId(), template_id: fixture.templateId },
    variable_mapping: { '1': { column: 'First name' } },
  })
  const rows = ['Phone;First name;City', '15550820001;Ann;Rome', '15550820002;;Oslo']
  const file = { name: 'people.csv', type: 'text/csv' }
  const column_mapping = JSON.stringify({
    Phone: 'phone_number',
    'First name': 'columns.First name',
    City: 'columns.City',
  })
  const manager = await fixture.manager
  const answer = await sendForm(
    manager,
    `/api/campaigns/${String(id)}/recipients/import`,
    { column_mapping, replace: 'true' },
    { ...file, bytes: new TextEncoder().encode(rows.join('\n')) },
  )
  expect(answer.data).toMatchObject({ imported: 2 })
  const [ann, nobody] = await fixture.recipients(id as string)
  expect(ann).toMatchObject({ columns: { 'First name': 'Ann', City: 'Rome' } })
  expect((await fixture.do(id as string, 'dry-run')).data).toMatchObject({
    eligible: 1,
    excluded: { missing_params: 1 },
    missing_params: [{ recipient_id: nobody?.['id'] }],
    left_out: [{ reason: 'missing_params', recipient_id: nobody?.['id'] }],
    samples: [
      {
        body: 'Hello Ann, we have news for you today.',
        values: { template_params: { '1': 'Ann' } },
      },
    ],
  })
  await put(id, { variable_mapping: { '1': { column: 'First name', default: 'there' } } })
  expect((await fixture.do(id as string, 'dry-run')).data).toMatchObject({ eligible: 2 })
  expect(await put(id, { variable_mapping: { '1': { column: 7 } } })).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'body.variable_mapping.1' }] },
  })
  const emptied = await manager.delete(`/api/campaigns/${String(id)}/recipients`)
  expect(emptied).toMatchObject({ status: 200, data: { total_recipients: 0 } })
  expect(await fixture.recipients(id as string)).toEqual([])
  await fixture.do(id as string, 'recipients/import', {
    recipients: [{ phone_number: '15550820003' }],
  })
  await fixture.do(id as string, 'start')
  const late = await manager.delete(`/api/campaigns/${String(id)}/recipients`)
  expect(late).toMatchObject({ status: 409, body: { code: 'wrong_state' } })
})

test('is changed by one person at a time; what is published is no change', async () => {
  const { id, updated_at: first } = await created({ name: 'Both', account_id: accountId() })
  const mine = await put(id, { name: 'Mine' }, String(first))
  expect(mine.status).toBe(200)
  await fixture.world.settle()
  fixture.world.clock.advance({ ms: 2_000 })
  await fixture.world.settle()
  expect(await fixture.campaign(id as string)).toMatchObject({
    updated_at: mine.data['updated_at'],
  })
  expect(await put(id, { name: 'Theirs' }, String(mine.data['updated_at']))).toMatchObject({
    status: 200,
  })
  fixture.world.clock.advance({ ms: 2_000 })
  const late = await put(id, { name: 'Late' }, '2020-01-01T00:00:00.000Z')
  expect(late).toMatchObject({
    status: 409,
    body: { code: 'changed_meanwhile', details: { present: { name: 'Theirs' } } },
  })
})
