import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { accountNews } from '../../../../src/simulator/coexistence'
import { approvedTemplate, numbersOf, CampaignFixture } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'
import { deliver, lineOf, secondsIn } from '../../../support/lines'
import { personWith } from '../../../support/people'
import { changeRows } from '../../../support/sql'

let fixture: CampaignFixture

beforeAll(async () => {
  fixture = await CampaignFixture.open()
})

afterAll(() => fixture[Symbol.asyncDispose]())

const inMs = (ms: number): string => new Date(fixture.world.clock.nowMs() + ms).toISOString()

const noticesOf = async (kind: string, id: string): Promise<Loose[]> =>
  ((await (await fixture.manager).get('/api/me/notifications')).data['items'] as Loose[]).filter(
    (notice) => notice['kind'] === kind && notice['link'] === `/campaigns/${id}`,
  )

/** Delivers news of the business account. */
const tell = (field: string, value: Loose): Promise<void> =>
  deliver(
    fixture.world,
    accountNews(field, value, {
      line: lineOf(fixture.world.tenant),
      time: secondsIn(fixture.world),
    }),
  )

/** A campaign that is sending, five a second; some of it has gone. */
async function underWay(first: number, more: Loose = {}): Promise<string> {
  const id = await fixture.draftFor(numbersOf(9, first), { rate_limit: 5, ...more })
  await fixture.do(id, 'start')
  await fixture.world.settle()
  fixture.world.clock.advance({ seconds: 1 })
  await fixture.world.settle()
  expect(await fixture.campaign(id)).toMatchObject({ status: 'sending' })
  return id
}

describe('a quality or restriction update of the phone number', () => {
  test('low quality pauses its campaigns, notifies once, and allows a resume when it is over', async () => {
    const id = await underWay(15_550_700_000)
    const number = { display_phone_number: lineOf(fixture.world.tenant).displayPhoneNumber }
    await tell('phone_number_quality_update', {
      ...number,
      event: 'FLAGGED',
      current_limit: 'TIER_2K',
    })
    const paused = await fixture.campaign(id)
    expect(paused).toMatchObject({
      status: 'paused',
      pause_reason: 'quality',
      failed_count: 0,
      sending_count: 0,
    })
    expect(Number(paused['sent_count']) + Number(paused['pending_count'])).toBe(9)
    expect(await noticesOf('campaign_paused', id)).toHaveLength(1)
    expect((await fixture.do(id, 'resume')).body).toMatchObject({ code: 'account_inactive' })
    fixture.world.clock.advance({ seconds: 5 })
    await tell('phone_number_quality_update', {
      ...number,
      event: 'UNFLAGGED',
      current_limit: 'TIER_2K',
    })
    expect((await fixture.do(id, 'resume')).status).toBe(200)
    expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 9 })
    const { data } = await (await fixture.manager).get(`/api/campaigns/${id}/history`)
    const byManager = { by: 'Acme manager', reason: null }
    expect(data['turns']).toMatchObject([
      { what: 'completed', by: null, reason: null },
      { what: 'resumed', ...byManager },
      { what: 'paused', by: null, reason: 'quality' },
      { what: 'started', ...byManager },
      { what: 'created', ...byManager },
    ])
  })

  test('a temporary restriction pauses them until it ends', async () => {
    const id = await underWay(15_550_701_000)
    const expiration = secondsIn(fixture.world) + 3_600
    const restriction = { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration }
    await tell('account_update', { event: 'ACCOUNT_RESTRICTION', restriction_info: [restriction] })
    expect(await fixture.campaign(id)).toMatchObject({
      status: 'paused',
      pause_reason: 'restriction',
    })
    expect(await noticesOf('campaign_paused', id)).toHaveLength(1)
    expect((await fixture.do(id, 'resume')).status).toBe(400)
    fixture.world.clock.advance({ minutes: 62 })
    expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 9 })
  })
})

describe('the daily quota of the portfolio', () => {
  test('warns at four fifths once a day, and does not hold messages of users or the API', async () => {
    const { sqlite } = fixture.world.program.http.db
    sqlite.run('delete from portfolio_reach')
    changeRows(sqlite, "update accounts set messaging_limit_tier = 'TIER_5' where id = ?", [
      fixture.world.tenant.accountId,
    ])
    const admin = await fixture.world.as('admin')
    const warned: unknown[] = []
    const { ingest } = fixture.world.program
    // The first one is reported as delivered, and that is processed, before the call is answered.
    fixture.world.simulator.statusBeforeAnswer(['delivered'])
    for (const number of [...numbersOf(7, 15_550_708_000), '15550708000']) {
      const body = {
        phone_number: number,
        template_id: fixture.templateId,
        template_params: { '1': 'you' },
      }
      const { data } = await admin.post('/api/messages/template', body)
      warned.push((data['warnings'] as string[])[0] ?? null)
      const settled = fixture.world.settle()
      while (warned.length === 1 && Bun.peek.status(settled) === 'pending') {
        ingest.step()
        await new Promise((resolve) => setImmediate(resolve))
      }
      await settled
      expect((await admin.get(`/api/messages/${data['id']}`)).data['status']).toBe('delivered')
    }
    const [near, used] = ['messaging_limit_nearly_used', 'messaging_limit_used']
    expect(warned).toEqual([null, null, null, null, near, used, used, null])
    const preview = {
      phone_number: '15550708999',
      type: 'template',
      template_id: fixture.templateId,
      template_params: { '1': 'you' },
    }
    expect((await admin.post('/api/messages/preview', preview)).data['warnings']).toEqual([used])
    const kinds = ((await admin.get('/api/me/notifications')).data['items'] as Loose[]).map(
      ({ kind }) => String(kind),
    )
    expect(kinds.filter((kind) => kind.startsWith('messaging_limit'))).toEqual([
      'messaging_limit_used',
      'messaging_limit_near',
    ])
    sqlite.run('update accounts set messaging_limit_tier = null')
    sqlite.run('delete from portfolio_reach')
  })
})

describe('a running campaign protects', () => {
  test('its template, segment, phone number and pending contacts', async () => {
    const admin = await fixture.world.as('admin')
    const templateId = await approvedTemplate(fixture.world, { name: 'kept' })
    const filter = { field: 'country', op: 'eq', value: 'US' }
    const { data: segment } = await (
      await fixture.manager
    ).post('/api/segments', { name: 'kept', filter })
    const { data: contact } = await (
      await fixture.manager
    ).post('/api/contacts', { phone_number: '15550702999' })
    const id = await fixture.draft({
      template_id: templateId,
      audience: { segment_id: segment['id'] },
    })
    await fixture.do(id, 'recipients/import', { recipients: [{ contact_id: contact['id'] }] })
    expect((await fixture.do(id, 'schedule', { scheduled_at: inMs(3_600_000) })).status).toBe(200)
    const gone = async (path: string): Promise<unknown> => {
      const { status, body } = await (
        path.startsWith('/api/segments') ? await fixture.manager : admin
      ).delete(path)
      return [status, body.code, body.details?.campaign_id]
    }
    expect(await gone(`/api/templates/${templateId}`)).toEqual([409, 'in_use', id])
    expect(await gone(`/api/templates/${templateId}?local_only=true`)).toEqual([409, 'in_use', id])
    expect(await gone(`/api/segments/${segment['id']}`)).toEqual([409, 'in_use', id])
    expect(await gone(`/api/accounts/${fixture.world.tenant.accountId}`)).toEqual([
      409,
      'campaign_running',
      id,
    ])
    expect(await gone(`/api/contacts/${contact['id']}?purge=true`)).toEqual([
      409,
      'campaign_running',
      id,
    ])
    expect(await gone(`/api/campaigns/${id}`)).toEqual([409, 'wrong_state', undefined])
    await fixture.do(id, 'cancel')
    expect(await gone(`/api/segments/${segment['id']}`)).toEqual([200, undefined, undefined])
    expect(await gone(`/api/templates/${templateId}`)).toEqual([200, undefined, undefined])
  })
})

describe('an audience that cannot be read', () => {
  test('pauses the campaign when its segment uses a deleted field', async () => {
    const admin = await fixture.world.as('admin')
    const { data: field } = await admin.post('/api/contact-attributes', {
      key: 'vip',
      label: 'VIP',
      type: 'text',
    })
    await admin.post('/api/contacts', { phone_number: '15550703001', attributes: { vip: 'yes' } })
    const filter = { field: 'attributes.vip', op: 'eq', value: 'yes' }
    const { data: segment } = await (
      await fixture.manager
    ).post('/api/segments', { name: 'vips', filter })
    const audience = { segment_id: segment['id'] }
    const id = await fixture.draft({ audience })
    await fixture.do(id, 'schedule', { scheduled_at: inMs(60_000) })
    await admin.delete(`/api/contact-attributes/${field['id']}`)
    expect((await fixture.do(id, 'dry-run')).body).toMatchObject({
      errors: [{ path: 'body.audience.segment_id' }],
    })
    const next = {
      name: 'x',
      account_id: fixture.world.tenant.accountId,
      template_id: fixture.templateId,
      audience,
    }
    expect((await (await fixture.manager).post('/api/campaigns', next)).body).toMatchObject({
      errors: [{ path: 'body.audience.segment_id' }],
    })
    fixture.world.clock.advance({ minutes: 2 })
    await fixture.world.settle()
    expect(await fixture.campaign(id)).toMatchObject({ status: 'paused', pause_reason: 'account' })
    expect((await noticesOf('campaign_paused', id))[0]?.['body']).toContain('segment')
    expect((await fixture.do(id, 'resume')).status).toBe(400)
    await (
      await fixture.manager
    ).put(`/api/segments/${segment['id']}`, { filter: { field: 'country', op: 'eq', value: 'FR' } })
    await (await fixture.manager).post('/api/contacts', { phone_number: '33612345678' })
    expect((await fixture.do(id, 'resume')).status).toBe(200)
    expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 1 })
  })

  test('continues as the user who resumes when the former user was removed', async () => {
    const { data: tag } = await (await fixture.manager).post('/api/tags', { name: 'left behind' })
    for (const phone_number of numbersOf(2, 15_550_704_000))
      await (await fixture.manager).post('/api/contacts', { phone_number, tags: ['left behind'] })
    const may = ['create', 'read', 'update', 'execute'].map((action) => `campaigns:${action}`)
    const person = await personWith(fixture.world, [
      ...may,
      'contacts:read',
      'contacts:read_all',
      'templates:read',
    ])
    const audience = { tag_ids: [tag['id']] }
    const draft = {
      name: 'x',
      account_id: fixture.world.tenant.accountId,
      template_id: fixture.templateId,
      default_params: { '1': 'you' },
    }
    const { data: campaign } = await person.client.post('/api/campaigns', { ...draft, audience })
    const id = String(campaign['id'])
    expect(
      (await person.client.post(`/api/campaigns/${id}/schedule`, { scheduled_at: inMs(60_000) }))
        .status,
    ).toBe(200)
    expect(
      (await (await fixture.world.as('admin')).delete(`/api/users/${person.userId}`)).status,
    ).toBe(200)
    fixture.world.clock.advance({ minutes: 2 })
    await fixture.world.settle()
    expect(await fixture.campaign(id)).toMatchObject({ status: 'paused', pause_reason: 'account' })
    expect((await fixture.do(id, 'resume')).status).toBe(200)
    expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 2 })
  })
})

describe('a contact with limited visibility', () => {
  test('is neither copied nor shown in a dry run of a user who cannot see it', async () => {
    const id = await fixture.draft({ variable_mapping: {} })
    const { data: hidden } = await (
      await fixture.manager
    ).post('/api/contacts', { phone_number: '15550705001', name: 'Hidden Person' })
    await fixture.do(id, 'recipients/import', {
      recipients: [
        { contact_id: hidden['id'] },
        { phone_number: '15550705002', recipient_name: 'Stranger' },
      ],
    })
    const person = await personWith(fixture.world, [
      'campaigns:create',
      'campaigns:read',
      'contacts:read',
      'templates:read',
    ])
    const { data: trial } = await person.client.post(`/api/campaigns/${id}/dry-run`)
    expect(trial).toMatchObject({ excluded: { missing_params: 2 } })
    expect((trial['missing_params'] as Loose[]).map(({ name }) => name as unknown)).toEqual([
      'Stranger',
    ])
    const { data: copy } = await person.client.post(`/api/campaigns/${id}/duplicate`, {
      with_recipients: true,
    })
    const { data: whole } = await fixture.do(id, 'duplicate', {
      with_recipients: true,
      name: 'Whole',
    })
    await fixture.world.settle() // a slow machine copies some recipients by a job
    expect(await fixture.campaign(String(copy['id']))).toMatchObject({
      status: 'draft',
      total_recipients: 1,
    })
    expect(await fixture.campaign(String(whole['id']))).toMatchObject({
      name: 'Whole',
      total_recipients: 2,
    })
  })
})
