import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { approvedTemplate, numbersOf, CampaignFixture, setPrice } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'
import { sendForm } from '../../../support/sending'
import { changeRows } from '../../../support/sql'

let fixture: CampaignFixture

beforeAll(async () => {
  fixture = await CampaignFixture.open()
  setPrice(fixture.world, { country: 'US', micros: 25_000 })
})

afterAll(() => fixture[Symbol.asyncDispose]())

const noticesOf = async (kind: string, id: string): Promise<Loose[]> =>
  ((await (await fixture.manager).get('/api/me/notifications')).data['items'] as Loose[]).filter(
    (notice) => notice['kind'] === kind && notice['link'] === `/campaigns/${id}`,
  )

describe('recipients', () => {
  test('skips invalid rows and duplicates, however the number is written', async () => {
    const { data: known } = await fixture.client.post('/api/contacts', {
      phone_number: '15550300001',
      name: 'Ann',
    })
    const foreign = await fixture.world.contactOf(fixture.world.other)
    const id = await fixture.draft()
    const answer = await fixture.do(id, 'recipients/import', {
      recipients: [
        { phone_number: '+1 555 030 0001', recipient_name: 'Somebody' },
        { contact_id: known['id'] },
        { phone_number: '12' },
        { contact_id: foreign['id'] },
        { phone_number: '5511987654321' },
        { phone_number: '551187654321' },
        { user_id: 'US.1234567890' },
        {},
      ],
    })
    expect(answer).toMatchObject({
      status: 201,
      data: { imported: 3, duplicates: 2, invalid: 3, total_recipients: 3 },
    })
    expect(answer.data['errors']).toEqual([
      { row: 3, phone_number: '12', reason: 'is not a phone number of 7 to 15 digits' },
      { row: 4, phone_number: null, reason: 'contact_id is not a contact that you can see' },
      {
        row: 8,
        phone_number: null,
        reason: 'requires exactly one of phone_number, contact_id and user_id',
      },
    ])
    const rows = await fixture.recipients(id)
    expect(
      rows.map(({ contact_id, phone_number, name }) => [contact_id, phone_number, name]),
    ).toEqual([
      [known['id'], '15550300001', 'Somebody'],
      [null, '5511987654321', null],
      [null, null, null],
    ])
    const gone = `/api/campaigns/${id}/recipients/${rows[1]?.['id']}`
    expect((await fixture.client.delete(gone)).status).toBe(200)
    expect((await fixture.recipients(id)).map((row) => row['id'] as unknown)).toEqual([
      rows[0]?.['id'],
      rows[2]?.['id'],
    ])
    expect((await fixture.client.delete(gone)).status).toBe(404)
    expect(await fixture.recipients(id, '&search=55503')).toHaveLength(1)
    expect(
      (
        await fixture.do(id, 'recipients/import', {
          recipients: [{ phone_number: '15550300009' }],
          replace: true,
        })
      ).data,
    ).toMatchObject({
      total_recipients: 1,
    })
    expect((await fixture.do(id, 'recipients/import', { recipients: [] })).status).toBe(400)
  })

  test('validates each recipient on its own', async () => {
    const id = await fixture.draft()
    const odd = [
      { phone_number: 15550303001 },
      { phone_number: '1'.repeat(500) },
      { phone_number: '15550303002', recipient_name: 'x'.repeat(400) },
      { phone_number: '15550303003', recipient_name: '\u202Eeman' },
      { phone_number: '15550303004', template_params: 'Ann' },
      { phone_number: '15550303005', template_params: { constructor: 'x' } },
      { phone_number: { a: 1 } },
      { phone_number: '15550303006', contact_id: null, recipient_name: null },
      { phone_number: '+1 (555) 030 3001' },
    ]
    const answer = await fixture.do(id, 'recipients/import', { recipients: odd })
    expect(answer).toMatchObject({ status: 201, data: { imported: 2, duplicates: 1, invalid: 6 } })
    expect((answer.data['errors'] as Loose[]).map(({ row }) => row)).toEqual([2, 3, 4, 5, 6, 7])
    expect(
      (await fixture.do(id, 'recipients/import', { recipients: [null] })).body.errors?.[0]?.path,
    ).toBe('body.recipients')
  })

  test('imports more than 10,000 rows in a job, and reads JSON files like tables', async () => {
    const numbers = numbersOf(10_001, 15_551_000_000)
    const id = await fixture.draft()
    const bring = async (name: string, text: string): Promise<Loose> => {
      const file = { name, type: 'text/csv', bytes: new TextEncoder().encode(text) }
      const answer = await sendForm(
        await fixture.manager,
        `/api/campaigns/${id}/recipients/import`,
        {},
        file,
      )
      expect(answer).toMatchObject({
        status: 201,
        data: { status: 'queued', rows_total: numbers.length },
      })
      // A start now would leave most recipients out.
      expect((await fixture.do(id, 'start')).body).toMatchObject({
        code: 'wrong_state',
        details: { import_id: answer.data['id'] },
      })
      await fixture.world.settle()
      return (await (await fixture.manager).get(`/api/imports/${answer.data['id']}`)).data
    }
    const people = numbers.map((number, nth) => ({
      phone_number: nth === 0 ? 'nonsense' : number,
      template_params: { '1': 'a "{" \\ }' },
    }))
    expect(await bring('people.json', JSON.stringify(people))).toMatchObject({
      status: 'completed',
      created: 10_000,
      failed: 1,
    })
    expect(await fixture.campaign(id)).toMatchObject({ total_recipients: 10_000 })
    expect((await fixture.recipients(id))[0]).toMatchObject({
      template_params: { '1': 'a "{" \\ }' },
    })
    const form = async (text: string): Promise<unknown> => {
      const file = {
        name: 'x.json',
        type: 'application/json',
        bytes: new TextEncoder().encode(text),
      }
      const answer = await sendForm(
        await fixture.manager,
        `/api/campaigns/${id}/recipients/import`,
        { replace: 'true' },
        file,
      )
      return answer.status === 201 ? answer.data['imported'] : answer.body.code
    }
    expect(await form('[{"phone_number":"15550304001"},')).toBe('malformed_json')
    expect(await form('[{"phone_number":"15550304001"}] {}')).toBe('malformed_json')
    expect(await form('{"phone_number":"15550304001"} nonsense')).toBe('malformed_json')
    expect(await form('[]')).toBe('empty_file')
    expect(
      await form(
        '{"phone_number":"15550304001"}\n{"phone_number":15550304002,"template_params":{"1":true}}\n',
      ),
    ).toBe(2)
    expect(
      (await fixture.recipients(id)).map(({ template_params }) => template_params as unknown),
    ).toEqual([{}, { '1': 'true' }])
  })

  test('maps columns to variables by their headings', async () => {
    const id = await fixture.draft()
    const bytes = new TextEncoder().encode(
      'Phone,1,Name\n15550300101,Ms Ann,Ann\n15550300102,=1+1,Bob\nnonsense,x,y\n',
    )
    const answer = await sendForm(
      await fixture.manager,
      `/api/campaigns/${id}/recipients/import`,
      {},
      { name: 'people.csv', type: 'text/csv', bytes },
    )
    expect(answer).toMatchObject({
      status: 201,
      data: { imported: 2, invalid: 1, errors: [{ row: 3, phone_number: 'nonsense' }] },
    })
    const { data: trial } = await fixture.do(id, 'dry-run')
    expect((trial['samples'] as Loose[]).map(({ body }) => body)).toEqual([
      'Hello Ms Ann, we have news for you today.',
      'Hello =1+1, we have news for you today.',
    ])
    const response = await fetch(`${fixture.world.url}/api/campaigns/${id}/export`, {
      headers: (await fixture.manager).headers,
    })
    expect(await response.text()).toContain('15550300101,Ann,pending')
    const sheet = await fetch(`${fixture.world.url}/api/campaigns/${id}/export?format=xlsx`, {
      headers: (await fixture.manager).headers,
    })
    expect(
      Buffer.from(await sheet.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK')
  })

  test('selects segment and tags at the start and skips ineligible contacts with a reason', async () => {
    const make = async (number: string, more: Loose = {}): Promise<string> =>
      (
        await fixture.client.post('/api/contacts', {
          phone_number: number,
          name: `N ${number}`,
          ...more,
        })
      ).data['id'] as string
    await fixture.client.post('/api/tags', { name: 'audience' })
    const { data: other } = await fixture.client.post('/api/tags', { name: 'not these' })
    const ids = [] as string[]
    for (const number of numbersOf(6, 15_550_301_000))
      ids.push(await make(number, { tags: ['audience'] }))
    await fixture.client.post(`/api/contacts/${ids[0]}/consents`, {
      state: 'opted_out',
      source: 'agent',
    })
    await fixture.client.post(`/api/contacts/${ids[1]}/block`, {})
    await fixture.client.put(`/api/contacts/${ids[2]}/tags`, { tags: ['audience', 'not these'] })
    const { data: segment } = await fixture.client.post('/api/segments', {
      name: 'them',
      filter: { field: 'tags', op: 'eq', value: 'audience' },
    })
    const id = await fixture.draft({
      audience: { segment_id: segment['id'], exclude_tag_ids: [other['id']] },
    })
    const { data: trial } = await fixture.do(id, 'dry-run')
    expect(trial).toMatchObject({
      eligible: 3,
      excluded: { opted_out: 1, blocked: 1, excluded: 1 },
      by_country: [{ country: 'US', count: 3, unit_price: '0.025', cost: '0.075' }],
      estimated_cost: '0.075',
      currency: 'USD',
    })
    await fixture.do(id, 'start')
    // Who says no while it is under way is not written to either.
    const done = await fixture.run(id)
    expect(done).toMatchObject({
      status: 'completed',
      sent_count: 3,
      skipped_count: 3,
      estimated_cost: '0.075',
    })
    expect(
      (await fixture.recipients(id, '&status=skipped'))
        .map(({ skip_reason }) => String(skip_reason))
        .toSorted(),
    ).toEqual(['blocked', 'excluded', 'opted_out'])
    const again = await fixture.draft({
      audience: { segment_id: segment['id'], exclude_contacted_days: 7 },
    })
    expect((await fixture.do(again, 'dry-run')).data).toMatchObject({
      eligible: 1,
      excluded: { recently_contacted: 3, opted_out: 1, blocked: 1 },
    })
    const { data: found } = await fixture.client.post('/api/segments/preview', {
      filter: { field: 'campaign', op: 'eq', value: id },
    })
    expect(found['count']).toBe(3)
  })

  test('counts who may have got a message of another campaign as recently contacted', async () => {
    const { world } = fixture
    const [unknown = '', failed = '', fresh = ''] = numbersOf(3, 15_550_303_000)
    world.simulator.answerHtml(502, { recipient: unknown })
    world.simulator.fail({ code: 131_009 }, { recipient: failed })
    const earlier = await fixture.draftFor([unknown, failed], { error_threshold: 1 })
    await fixture.do(earlier, 'start')
    await world.settle()
    world.clock.advance({ minutes: 11 })
    expect(await fixture.run(earlier)).toMatchObject({ unknown_count: 1, failed_count: 1 })
    const trial = async (days: number): Promise<Loose> => {
      const id = await fixture.draftFor([unknown, failed, fresh], {
        audience: { exclude_contacted_days: days },
      })
      return (await fixture.do(id, 'dry-run')).data
    }
    world.clock.advance({ hours: 23 })
    expect(await trial(1)).toMatchObject({ eligible: 2, excluded: { recently_contacted: 1 } })
    const id = await fixture.draftFor([unknown, failed, fresh], {
      audience: { exclude_contacted_days: 1 },
    })
    await fixture.do(id, 'start')
    expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 2 })
    expect(await fixture.recipients(id, '&status=skipped')).toMatchObject([
      { phone_number: unknown, skip_reason: 'recently_contacted' },
    ])
    world.clock.advance({ hours: 2 })
    expect(await trial(1)).toMatchObject({ eligible: 1, excluded: { recently_contacted: 2 } })
  })

  test('does not send to contacts who opt out during the campaign', async () => {
    const manager = await fixture.manager
    const id = await fixture.draftFor(numbersOf(60, 15_550_302_000), { rate_limit: 1 })
    const { data: late } = await manager.post('/api/contacts', {
      phone_number: '15550302059',
    })
    await fixture.do(id, 'start')
    await fixture.world.settle()
    await manager.post(`/api/contacts/${late['id']}/consents`, {
      state: 'opted_out',
      source: 'agent',
    })
    await manager.put(`/api/campaigns/${id}`, { rate_limit: 1000 })
    await fixture.do(id, 'pause')
    expect((await manager.put(`/api/campaigns/${id}`, { rate_limit: null })).status).toBe(200)
    await fixture.do(id, 'resume')
    expect(await fixture.run(id)).toMatchObject({
      status: 'completed',
      sent_count: 59,
      skipped_count: 1,
    })
    expect(fixture.calls().get('15550302059')).toBeUndefined()
  })
})

describe('schedule', () => {
  test('starts once and reports a late start after downtime', async () => {
    const id = await fixture.draftFor(numbersOf(3, 15_550_310_000))
    const at = new Date(fixture.world.clock.nowMs() + 3_600_000).toISOString()
    expect(
      (
        await fixture.do(id, 'schedule', {
          scheduled_at: new Date(fixture.world.clock.nowMs() - 1).toISOString(),
        })
      ).status,
    ).toBe(400)
    expect(
      (await fixture.do(id, 'schedule', { scheduled_at: at, timezone: 'Mars/Base' })).status,
    ).toBe(400)
    expect(
      (await fixture.do(id, 'schedule', { scheduled_at: at, timezone: 'Europe/Berlin' })).data,
    ).toMatchObject({
      status: 'scheduled',
      scheduled_at: at,
    })
    await fixture.world.settle()
    expect(await fixture.campaign(id)).toMatchObject({ status: 'scheduled' })
    fixture.world.clock.advance({ hours: 5 })
    expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 3 })
    expect(await noticesOf('campaign_late', id)).toHaveLength(1)
    expect(numbersOf(3, 15_550_310_000).map((number) => fixture.calls().get(number))).toEqual([
      1, 1, 1,
    ])
    // Without a time it is a draft again; a former time starts nothing.
    const other = await fixture.draftFor(numbersOf(1, 15_550_310_100))
    await fixture.do(other, 'schedule', {
      scheduled_at: new Date(fixture.world.clock.nowMs() + 60_000).toISOString(),
    })
    expect(
      (await (await fixture.manager).put(`/api/campaigns/${other}`, { scheduled_at: null })).data,
    ).toMatchObject({
      status: 'draft',
      scheduled_at: null,
    })
    fixture.world.clock.advance({ minutes: 5 })
    await fixture.world.settle()
    expect(await fixture.campaign(other)).toMatchObject({ status: 'draft' })
  })

  test('waits outside the send window without a pause', async () => {
    const hour = new Date(fixture.world.clock.nowMs()).getUTCHours()
    const name = (h: number): string => `${String((h + 24) % 24).padStart(2, '0')}:00`
    const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
    const id = await fixture.draftFor(numbersOf(2, 15_550_311_000), {
      timezone: 'UTC',
      send_window: { from: name(hour + 2), to: name(hour + 4), days },
    })
    await fixture.do(id, 'start')
    await fixture.world.settle()
    fixture.world.clock.advance({ minutes: 30 })
    await fixture.world.settle()
    expect(await fixture.campaign(id)).toMatchObject({
      status: 'sending',
      pending_count: 2,
      sent_count: 0,
    })
    fixture.world.clock.advance({ hours: 2 })
    expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 2 })
  })
})

describe('blockers', () => {
  test('pauses once without an access token, and resumes with a new one', async () => {
    const id = await fixture.draftFor(numbersOf(30, 15_550_320_000))
    const fault = fixture.world.simulator.fail({ code: 190 }, { times: Infinity })
    await fixture.do(id, 'start')
    expect(await fixture.run(id, { seconds: 10 })).toMatchObject({
      status: 'paused',
      pause_reason: 'account',
      failed_count: 0,
    })
    expect(await noticesOf('campaign_paused', id)).toHaveLength(1)
    expect((await fixture.do(id, 'resume')).body).toMatchObject({ code: 'account_inactive' })
    fault.clear()
    const admin = await fixture.world.as('admin')
    await admin.post(`/api/accounts/${fixture.world.tenant.accountId}/resume`, {})
    await fixture.world.settle()
    expect((await fixture.do(id, 'resume')).status).toBe(200)
    expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 30 })
  })

  test('rejects an unsendable template in drafts and at the start, and pauses running campaigns', async () => {
    const templateId = await approvedTemplate(fixture.world, { name: 'short_lived' })
    const id = await fixture.draftFor(numbersOf(3, 15_550_321_000), { template_id: templateId })
    changeRows(
      fixture.world.program.http.db.sqlite,
      "update templates set status = 'PAUSED' where id = ?",
      [templateId],
    )
    expect((await fixture.do(id, 'start')).body).toMatchObject({ code: 'template_not_approved' })
    const body = { name: 'x', account_id: fixture.world.tenant.accountId, template_id: templateId }
    expect((await (await fixture.manager).post('/api/campaigns', body)).body).toMatchObject({
      code: 'template_not_approved',
    })
    changeRows(
      fixture.world.program.http.db.sqlite,
      "update templates set status = 'APPROVED' where id = ?",
      [templateId],
    )
    await fixture.do(id, 'start')
    changeRows(
      fixture.world.program.http.db.sqlite,
      "update templates set status = 'DISABLED' where id = ?",
      [templateId],
    )
    expect(await fixture.run(id)).toMatchObject({
      status: 'paused',
      pause_reason: 'template',
      sent_count: 0,
    })
  })

  test('pauses at the messaging limit until it resets', async () => {
    const { sqlite } = fixture.world.program.http.db
    const used =
      fixture.world.rows<{ rows: number }>('select count(*) as rows from portfolio_reach')[0]
        ?.rows ?? 0
    sqlite.run('delete from portfolio_reach')
    expect(used).toBeGreaterThan(0)
    changeRows(sqlite, "update accounts set messaging_limit_tier = 'TIER_50' where id = ?", [
      fixture.world.tenant.accountId,
    ])
    const id = await fixture.draftFor(numbersOf(60, 15_550_322_000))
    await fixture.do(id, 'start')
    expect(await fixture.run(id)).toMatchObject({
      status: 'paused',
      pause_reason: 'quota',
      sent_count: 50,
    })
    expect(await noticesOf('campaign_quota', id)).toHaveLength(1)
    fixture.world.clock.advance({ hours: 24, minutes: 2 })
    expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 60 })
    sqlite.run('update accounts set messaging_limit_tier = null')
  })

  test('rejects campaigns without recipients, wrong states and resources of other organizations', async () => {
    const manager = await fixture.manager
    const id = await fixture.draft()
    expect((await fixture.do(id, 'start')).body).toMatchObject({ code: 'no_recipients' })
    expect((await fixture.do(id, 'pause')).body).toMatchObject({ code: 'wrong_state' })
    expect((await fixture.do(id, 'retry-failed')).body).toMatchObject({ code: 'wrong_state' })
    expect((await fixture.do(id, 'cancel')).status).toBe(200)
    expect((await fixture.do(id, 'start')).body).toMatchObject({ code: 'wrong_state' })
    expect(
      (await fixture.do(id, 'recipients/import', { recipients: [{ phone_number: '15550399999' }] }))
        .status,
    ).toBe(409)
    expect((await manager.delete(`/api/campaigns/${id}`)).status).toBe(200)
    expect((await manager.get(`/api/campaigns/${id}`)).status).toBe(404)
    const bad = async (body: Loose): Promise<unknown> =>
      (
        await manager.post('/api/campaigns', {
          name: 'x',
          account_id: fixture.world.tenant.accountId,
          template_id: fixture.templateId,
          ...body,
        })
      ).body.errors?.map(({ path }) => path)
    expect(await bad({ account_id: fixture.world.other.accountId })).toEqual(['body.account_id'])
    expect(await bad({ rate_limit: 0 })).toEqual(['body.rate_limit'])
    expect(await bad({ variable_mapping: { '2': 'name', '1': 'shoe_size' } })).toEqual([
      'body.variable_mapping.1',
      'body.variable_mapping.2',
    ])
    expect(await bad({ audience: { segment_id: id } })).toEqual(['body.audience.segment_id'])
    expect(await bad({ audience: { tag_ids: [id] } })).toEqual(['body.audience.tag_ids.0'])
  })
})
