import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { SAMPLES } from '../../../../src/simulator/sample-files'
import type { Client, Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import { openSendFixture, type SendFixture } from '../../../support/sending'
import { approvedTemplate, draftTemplate } from '../../../support/templates'

let fixture: SendFixture
let manager: Client

beforeAll(async () => {
  fixture = await openSendFixture()
  manager = await fixture.world.as('manager')
})

afterAll(() => fixture.world.stop())

const BODY = (text = 'Your order is on its way to you'): Loose[] => [{ type: 'BODY', text }]
const at = async (id: unknown): Promise<Loose> =>
  (await (await fixture.world.as('manager')).get(`/api/templates/${String(id)}`)).data
const notices = async (): Promise<string[]> =>
  (
    (await (await fixture.world.as('manager')).get('/api/me/notifications?limit=100')).data[
      'items'
    ] as Loose[]
  ).map(({ title }) => title as string)
const sync = async (): Promise<Loose> =>
  (await (await fixture.world.as('manager')).post('/api/templates/sync', {})).data
const COUNTS = {
  synced: expect.any(Number),
  new: 0,
  updated: 0,
  removed: 0,
  unchanged: expect.any(Number),
}

describe('publishing', () => {
  test('hands a draft in, the platform reviews it, and a sync changes nothing', async () => {
    const draft = await draftTemplate(fixture.world, { name: 'first_life', components: BODY() })
    const { status, data } = await manager.post(`/api/templates/${draft['id']}/publish`)
    expect({ status, state: data['status'], local: data['has_local_changes'] }).toEqual({
      status: 200,
      state: 'PENDING',
      local: false,
    })
    const kept = fixture.world.simulator
      .templatesOf(fixture.world.tenant.wabaId)
      .find(({ name }) => name === 'first_life')
    expect(kept).toMatchObject({
      id: data['platform_id'],
      components: [{ type: 'BODY', text: 'Your order is on its way to you' }],
    })
    const again = await manager.post(`/api/templates/${draft['id']}/publish`)
    expect({ status: again.status, code: again.body.code }).toEqual({
      status: 409,
      code: 'pending',
    })
    expect(
      (await manager.put(`/api/templates/${draft['id']}`, { components: BODY('x') })).body.code,
    ).toBe('pending')
    await fixture.world.simulator.review(kept?.id ?? '', { event: 'APPROVED' })
    await fixture.world.settle()
    expect(await at(draft['id'])).toMatchObject({ status: 'APPROVED', reason: null })
    expect(await sync()).toMatchObject(COUNTS)
    const account = (await manager.get(`/api/accounts/${fixture.world.tenant.accountId}`)).data
    expect(account['template_sync']).toMatchObject({ error: null, new: 0 })
  })

  test('submits with `submit`; a rejected template stays a draft', async () => {
    const body = {
      account_id: fixture.world.tenant.accountId,
      language: 'en',
      category: 'UTILITY',
      components: BODY(),
      submit: true,
    }
    expect(
      (await manager.post('/api/templates', { ...body, name: 'at_once' })).data['status'],
    ).toBe('PENDING')
    fixture.world.simulator.keepTemplate(
      { name: 'taken_there', language: 'en' },
      fixture.world.tenant.wabaId,
    )
    const { status, body: answer } = await manager.post('/api/templates', {
      ...body,
      name: 'taken_there',
    })
    expect({ status, code: answer.code, message: answer.message }).toEqual({
      status: 400,
      code: 'platform_rejected',
      message: expect.stringContaining('There is already content in this language'),
    })
    expect(await at(answer.details?.['template_id'])).toMatchObject({
      status: 'DRAFT',
      platform_id: null,
    })
    await fixture.world.settle() // the template is looked for, and found
    expect(await at(answer.details?.['template_id'])).toMatchObject({
      status: 'APPROVED',
      platform_id: expect.any(String),
      has_local_changes: true,
    })
  })

  test('edits an approved template once in 24 hours; the published version is sent until then', async () => {
    const { id } = await approvedTemplate(fixture.world, {
      components: BODY('We have the first text for you'),
    })
    const edited = await manager.put(`/api/templates/${id}`, {
      components: BODY('We have the second text for you'),
    })
    expect(edited.data).toMatchObject({ status: 'APPROVED', has_local_changes: true })
    expect(
      (await manager.put(`/api/templates/${id}`, { category: 'MARKETING' })).body.errors?.[0]?.path,
    ).toBe('body.category')
    expect(
      (
        await manager.put(`/api/templates/${id}`, { name: 'other', language: 'fr' })
      ).body.errors?.map(({ path }) => path),
    ).toEqual(['body.name', 'body.language'])
    const sent = await manager.post('/api/messages/template', {
      contact_id: fixture.contact['id'],
      template_id: id,
    })
    expect(sent.data['content']['body']).toBe('We have the first text for you')
    await sync()
    expect(await at(id)).toMatchObject({
      has_local_changes: true,
      components: BODY('We have the second text for you'),
    })
    const published = await manager.post(`/api/templates/${id}/publish`)
    expect(published.data).toMatchObject({ status: 'PENDING', has_local_changes: false })
    fixture.world.clock.advance({ seconds: 1 })
    await fixture.world.simulator.review(published.data['platform_id'] as string, {
      event: 'APPROVED',
    })
    await fixture.world.settle()
    await manager.put(`/api/templates/${id}`, {
      components: BODY('We have the third text for you'),
    })
    const limited = await manager.post(`/api/templates/${id}/publish`)
    expect({ status: limited.status, code: limited.body.code }).toEqual({
      status: 409,
      code: 'edit_limit',
    })
  })

  test('sends the published version while there are unpublished changes', async () => {
    const text = 'Hello {{who}}, we have some news for you today'
    const named = {
      type: 'BODY',
      text,
      example: { body_text_named_params: [{ param_name: 'who', example: 'Ann' }] },
    }
    const numbered = {
      type: 'BODY',
      text: text.replace('who', '1'),
      example: { body_text: [['Ann']] },
    }
    for (const [has, other, key] of [
      [named, numbered, 'who'],
      [numbered, named, '1'],
    ] as const) {
      const { id } = await approvedTemplate(fixture.world, { components: [has] })
      const refused = await manager.put(`/api/templates/${id}`, { components: [other] })
      expect({
        status: refused.status,
        paths: refused.body.errors?.map(({ path }) => path),
      }).toEqual({
        status: 400,
        paths: ['body.components'],
      })
      expect(
        (
          await manager.put(`/api/templates/${id}`, {
            components: BODY('We have no variable for you any more'),
          })
        ).status,
      ).toBe(200)
      const { payload } = await fixture.sent({
        type: 'template',
        template_id: id,
        template_params: { [key]: 'Bo' },
      })
      const [parameter] = payload['template']['components'][0]['parameters'] as Loose[]
      expect(parameter).toEqual({
        type: 'text',
        ...(key === '1' ? {} : { parameter_name: 'who' }),
        text: 'Bo',
      })
    }
  })

  test('keeps the published header file while the header is edited', async () => {
    const mediaId = String(
      (
        await upload(manager, {
          bytes: SAMPLES['image/jpeg'],
          type: 'image/jpeg',
          name: 'sale.jpg',
        })
      ).data['id'],
    )
    const image = { type: 'HEADER', format: 'IMAGE' }
    const { id } = await approvedTemplate(fixture.world, {
      components: [image, ...BODY()],
      header_media_id: mediaId,
    })
    expect(
      (await manager.put(`/api/templates/${id}`, { header_media_id: null, components: BODY() }))
        .status,
    ).toBe(200)
    fixture.world.clock.advance({ hours: 72 })
    await fixture.world.settle()
    manager = await fixture.world.as('manager')
    const send = () =>
      manager.post('/api/messages/template', { contact_id: fixture.contact['id'], template_id: id })
    const { data: sent } = await send()
    await fixture.world.settle()
    const call = fixture.world.simulator.messages.find(
      ({ body }) => (body as Loose)['biz_opaque_callback_data'] === sent['id'],
    )
    expect(
      (call?.body as Loose | undefined)?.['template']['components'][0]['parameters'][0]['type'],
    ).toBe('image')
    expect((await at(id))['header_media_id']).toBeNull()
    // The kind of header comes back, and its file with it; taken away on purpose it is gone.
    expect(
      (await manager.put(`/api/templates/${id}`, { components: [image, ...BODY()] })).data[
        'header_media_id'
      ],
    ).toBe(mediaId)
    await manager.put(`/api/templates/${id}`, { header_media_id: null })
    expect((await send()).body.message).toContain('header_media_id')
  })

  test('a new display name needs no publishing', async () => {
    const { id } = await approvedTemplate(fixture.world, {
      components: BODY('We have one more text for you'),
    })
    const named = await manager.put(`/api/templates/${id}`, { display_name: 'Nice' })
    expect(named.data).toMatchObject({ display_name: 'Nice', has_local_changes: false })
    expect(
      (
        await manager.put(`/api/templates/${id}`, {
          components: BODY('We have two more texts for you'),
        })
      ).data['has_local_changes'],
    ).toBe(true)
    expect(
      (await manager.put(`/api/templates/${id}`, { display_name: 'Nicer' })).data[
        'has_local_changes'
      ],
    ).toBe(true)
  })

  test('requires a file sample and reports the message of the platform', async () => {
    const { id } = await draftTemplate(fixture.world, {
      components: [{ type: 'HEADER', format: 'IMAGE' }, ...BODY()],
    })
    expect((await manager.post(`/api/templates/${id}/publish`)).body.code).toBe('sample_missing')
    const draft = await draftTemplate(fixture.world, { components: BODY() })
    fixture.world.simulator.fail(
      { code: 100, subcode: 2_388_293, details: 'Too many variables.' },
      { route: 'templates' },
    )
    expect((await manager.post(`/api/templates/${draft['id']}/publish`)).body).toMatchObject({
      code: 'platform_rejected',
      message: expect.stringContaining('Too many variables.'),
    })
    fixture.world.simulator.answerHtml(502, { route: 'templates' })
    expect((await manager.post(`/api/templates/${draft['id']}/publish`)).body.code).toBe(
      'platform_unreachable',
    )
    expect(await at(draft['id'])).toMatchObject({ status: 'DRAFT', platform_id: null })
  })

  test('finds a template whose response was lost with the next sync', async () => {
    const { id } = await draftTemplate(fixture.world, { name: 'lost_answer', components: BODY() })
    fixture.world.simulator.loseAnswer({ route: 'templates' })
    expect((await manager.post(`/api/templates/${id}/publish`)).status).toBe(503)
    await fixture.world.settle()
    expect(await at(id)).toMatchObject({
      status: 'PENDING',
      platform_id: expect.any(String),
      has_local_changes: false,
    })
  })
})

describe('deleting', () => {
  test('deletes at the platform first, one language or all', async () => {
    for (const language of ['en', 'fr'])
      await approvedTemplate(fixture.world, { name: 'to_go', language, components: BODY() })
    const items = (await manager.get('/api/templates?search=to_go')).data['items'] as Loose[]
    fixture.world.simulator.fail({ code: 100, details: 'Not now.' }, { route: 'templates' })
    expect((await manager.delete(`/api/templates/${items[0]?.['id']}`)).body.code).toBe(
      'platform_rejected',
    )
    expect((await manager.delete(`/api/templates/${items[0]?.['id']}`)).status).toBe(200)
    expect((await manager.get(`/api/templates/${items[0]?.['id']}`)).status).toBe(404)
    expect(
      fixture.world.simulator
        .templatesOf(fixture.world.tenant.wabaId)
        .filter(({ name }) => name === 'to_go'),
    ).toHaveLength(1)
    expect(
      (await manager.delete(`/api/templates/${items[1]?.['id']}?all_languages=true`)).status,
    ).toBe(200)
    expect(
      fixture.world.simulator
        .templatesOf(fixture.world.tenant.wabaId)
        .filter(({ name }) => name === 'to_go'),
    ).toHaveLength(0)
    expect(
      await draftTemplate(fixture.world, { name: 'to_go', language: 'en', components: BODY() }),
    ).toMatchObject({ status: 'DRAFT' })
  })

  test('asks WhatsApp for one language by its ID, for all by their name', async () => {
    const { simulator, tenant } = fixture.world
    const named = (): string[] =>
      simulator
        .templatesOf(tenant.wabaId)
        .filter(({ name }) => name === 'many_tongues')
        .map(({ language }) => language)
    const made = new Map<string, string>()
    for (const language of ['en', 'fr', 'de']) {
      const { id } = await approvedTemplate(fixture.world, {
        name: 'many_tongues',
        language,
        components: BODY(),
      })
      made.set(language, String(id))
    }
    await manager.delete(`/api/templates/${made.get('fr')}`)
    expect(named()).toEqual(['en', 'de'])
    await manager.delete(`/api/templates/${made.get('en')}?all_languages=true`)
    expect(named()).toEqual([])
    const { data } = await (
      await fixture.world.as('admin')
    ).get('/api/audit-logs?resource_type=template&action=deleted&limit=100')
    const logged = (data['items'] as Loose[]).map(({ resource_id }) => resource_id as string)
    expect(logged.filter((id) => [...made.values()].includes(id)).sort()).toEqual(
      [...made.values()].sort(),
    )
  })

  test('leaves the same name of another business account', async () => {
    const admin = await fixture.world.as('admin')
    const { data: other } = await admin.post('/api/accounts', {
      name: 'Other business',
      phone_id: '997',
      business_id: '887',
      access_token: 'not-looked-at',
      verify: false,
    })
    const { id } = await approvedTemplate(fixture.world, {
      name: 'shared_name',
      components: BODY(),
    })
    const elsewhere = await draftTemplate(fixture.world, {
      name: 'shared_name',
      account_id: String(other['id']),
      components: BODY(),
    })
    await manager.delete(`/api/templates/${id}?all_languages=true`)
    expect(await at(elsewhere['id'])).toMatchObject({ status: 'DRAFT' })
    await manager.delete(`/api/templates/${elsewhere['id']}`)
    await admin.delete(`/api/accounts/${other['id']}`)
  })

  test('asks nothing of WhatsApp for what WhatsApp has deleted', async () => {
    const { simulator, tenant } = fixture.world
    const gone = await approvedTemplate(fixture.world, { name: 'gone_there', components: BODY() })
    simulator.deleteTemplate(String(gone['platform_id']))
    await sync()
    expect(await at(gone['id'])).toMatchObject({ status: 'DELETED' })
    const calls = (): number =>
      simulator.callsOf({ route: 'templates' }).filter(({ method }) => method === 'DELETE').length
    const before = calls()
    expect((await manager.delete(`/api/templates/${gone['id']}`)).status).toBe(200)
    expect(calls()).toBe(before)
    expect(simulator.templatesOf(tenant.wabaId).map(({ name }) => name)).not.toContain('gone_there')
  })

  test('gives up the file of its header', async () => {
    const { data: file } = await upload(manager, {
      bytes: SAMPLES['image/jpeg'],
      type: 'image/jpeg',
    })
    const { id } = await draftTemplate(fixture.world, {
      components: [{ type: 'HEADER', format: 'IMAGE' }, ...BODY()],
      header_media_id: String(file['id']),
    })
    const expiry = async (): Promise<unknown> =>
      (await manager.get(`/api/media/${file['id']}/info`)).data['expires_at']
    expect(await expiry()).toBeNull()
    await manager.delete(`/api/templates/${id}`)
    expect(await expiry()).toEqual(expect.any(String))
  })

  test('here only comes back with the next sync', async () => {
    const { id } = await approvedTemplate(fixture.world, { name: 'comes_back', components: BODY() })
    await manager.delete(`/api/templates/${id}?local_only=true`)
    expect(
      ((await manager.get('/api/templates?search=comes_back')).data['items'] as Loose[]).length,
    ).toBe(0)
    expect(await sync()).toMatchObject({ new: 1 })
    expect(
      ((await manager.get('/api/templates?search=comes_back')).data['items'] as Loose[])[0],
    ).toMatchObject({ status: 'APPROVED' })
  })

  test('a copy is a draft of its own', async () => {
    const { id } = await approvedTemplate(fixture.world, { name: 'original', components: BODY() })
    const { status, data } = await manager.post(`/api/templates/${id}/duplicate`, {
      name: 'Copy of it',
      language: 'de',
    })
    expect({ status, data }).toMatchObject({
      status: 201,
      data: { name: 'copy_of_it', language: 'de', status: 'DRAFT', components: BODY() },
    })
    expect(
      (await manager.post(`/api/templates/${id}/duplicate`, { name: 'original' })).body.code,
    ).toBe('template_exists')
  })

  test('a copy has the file and the delivery time, and goes to another number if asked', async () => {
    const admin = await fixture.world.as('admin')
    const { data: other } = await admin.post('/api/accounts', {
      name: 'Copies',
      phone_id: '996',
      business_id: '886',
      access_token: 'not-looked-at',
      verify: false,
    })
    const { data: file } = await upload(manager, {
      bytes: SAMPLES['image/jpeg'],
      type: 'image/jpeg',
    })
    const { data: source } = await manager.post('/api/templates', {
      account_id: fixture.world.tenant.accountId,
      name: 'with_file',
      language: 'en',
      category: 'UTILITY',
      components: [{ type: 'HEADER', format: 'IMAGE' }, ...BODY()],
      header_media_id: file['id'],
      message_send_ttl_seconds: 600,
    })
    const { data: copy } = await manager.post(`/api/templates/${source['id']}/duplicate`, {
      name: 'with_file',
      account_id: other['id'],
    })
    expect(copy).toMatchObject({
      account_id: other['id'],
      header_media_id: file['id'],
      message_send_ttl_seconds: 600,
    })
    await manager.delete(`/api/templates/${copy['id']}`)
    await admin.delete(`/api/accounts/${other['id']}`)
    const refused = await manager.post(`/api/templates/${source['id']}/duplicate`, {
      name: 'late_copy',
      account_id: other['id'],
    })
    expect({ status: refused.status, path: refused.body.errors?.[0]?.path }).toEqual({
      status: 400,
      path: 'body.account_id',
    })
  })
})

describe('a sync', () => {
  test('reads every page, counts new, changed and deleted templates, and keeps local drafts', async () => {
    const { wabaId } = fixture.world.tenant
    const draft = await draftTemplate(fixture.world, { name: 'only_here', components: BODY() })
    const kept = Array.from({ length: 250 }, (_, index) =>
      fixture.world.simulator.keepTemplate({ name: `page_${index}`, language: 'en' }, wabaId),
    )
    const calls = () =>
      fixture.world.simulator.callsOf({
        route: 'templates',
        where: ({ method }) => method === 'GET',
      }).length
    const before = calls()
    expect(await sync()).toMatchObject({ new: 250, removed: 0 })
    expect(calls() - before).toBeGreaterThanOrEqual(3)
    const [first, second] = [kept[0], kept[100]]
    if (first) first.status = 'PAUSED'
    fixture.world.simulator.deleteTemplate(second?.id ?? '')
    expect(await sync()).toMatchObject({ new: 0, updated: 1, removed: 1 })
    const found = async (name: string): Promise<Loose> =>
      (
        (await manager.get(`/api/templates?search=${name}&limit=100`)).data['items'] as Loose[]
      ).find((item) => item['name'] === name) as Loose
    expect([(await found('page_0'))['status'], (await found('page_100'))['status']]).toEqual([
      'PAUSED',
      'DELETED',
    ])
    expect(await at(draft['id'])).toMatchObject({ status: 'DRAFT' })
  })

  test('notifies once of a failure and shows it on the phone number', async () => {
    const failing = async () => {
      fixture.world.simulator.fail(
        { code: 200, message: 'Permissions error' },
        { route: 'templates' },
      )
      return (
        await manager.post('/api/templates/sync', { account_id: fixture.world.tenant.accountId })
      ).body.code
    }
    const told = async () =>
      (
        (await (await fixture.world.as('admin')).get('/api/me/notifications?limit=100')).data[
          'items'
        ] as Loose[]
      ).filter(({ title }) => String(title).startsWith('Template sync failed')).length
    expect([await failing(), await failing()]).toEqual(['platform_rejected', 'platform_rejected'])
    expect(await told()).toBe(1)
    expect(
      (await manager.get(`/api/accounts/${fixture.world.tenant.accountId}`)).data['template_sync'][
        'error'
      ],
    ).toEqual(expect.any(String))
    await sync()
    expect(
      (
        await manager.post('/api/templates/sync', {
          account_id: '01900000-0000-7000-8000-00000000f11e',
        })
      ).status,
    ).toBe(404)
  })

  test('syncs only the business account of the given number', async () => {
    const body = {
      name: 'Elsewhere',
      phone_id: '999',
      business_id: '888',
      access_token: 'not-looked-at',
      verify: false,
    }
    const admin = await fixture.world.as('admin')
    const { data: other } = await admin.post('/api/accounts', body)
    const { status } = await manager.post('/api/templates/sync', {
      account_id: fixture.world.tenant.accountId,
    })
    const syncs = await Promise.all(
      [fixture.world.tenant.accountId, other['id']].map((id) => admin.get(`/api/accounts/${id}`)),
    )
    await admin.delete(`/api/accounts/${other['id']}`)
    expect([status, ...syncs.map(({ data }) => data['template_sync'] as unknown)]).toEqual([
      200,
      expect.objectContaining({ error: null }),
      null,
    ])
  })

  test('runs every hour', async () => {
    fixture.world.simulator.keepTemplate({ name: 'found_by_the_hour' }, fixture.world.tenant.wabaId)
    fixture.world.clock.advance({ hours: 1 })
    await fixture.world.settle()
    manager = await fixture.world.as('manager')
    expect(
      ((await manager.get('/api/templates?search=found_by_the_hour')).data['items'] as Loose[])
        .length,
    ).toBe(1)
  })
})

describe('the platform says', () => {
  const tell = async (id: unknown, field: string, value: Loose, time?: number): Promise<void> => {
    await fixture.world.simulator.sendTemplateWebhook(String(id), field, value, time)
    await fixture.world.settle()
  }

  test('notifies of rejected, paused and disabled templates and ignores older events', async () => {
    const {
      id,
      platform_id: platformId,
      name,
    } = await approvedTemplate(fixture.world, { components: BODY() })
    const socket = await fixture.world.socket('agent')
    await fixture.world.simulator.review(platformId as string, {
      event: 'PAUSED',
      title: 'FIRST_PAUSE',
    })
    await fixture.world.settle()
    expect((await at(id))['status']).toBe('PAUSED')
    expect(await notices()).toContain(`Template paused: ${name} (en_US)`)
    const [frame] = (await socket.caughtUp()).filter(({ type }) => type === 'template:updated')
    expect(frame?.payload).toMatchObject({ id, name, status: 'PAUSED', changed: ['status'] })
    const stale = Math.floor(fixture.world.clock.nowMs() / 1000) - 3_600
    await fixture.world.simulator.review(platformId as string, { event: 'APPROVED', at: stale })
    await fixture.world.settle()
    expect((await at(id))['status']).toBe('PAUSED')
    await fixture.world.simulator.review(platformId as string, {
      event: 'APPROVED',
      title: 'UNPAUSE',
    })
    await fixture.world.settle()
    expect((await at(id))['status']).toBe('APPROVED')
    await fixture.world.simulator.review(platformId as string, {
      event: 'REJECTED',
      reason: 'INVALID_FORMAT',
      rejection: { reason: 'Too short.', recommendation: 'Write more.' },
    })
    await fixture.world.settle()
    expect(await at(id)).toMatchObject({
      status: 'REJECTED',
      reason: 'Too short.',
      recommendation: 'Write more.',
    })
    await fixture.world.simulator.review(platformId as string, { event: 'DISABLED' })
    await fixture.world.settle()
    expect((await notices()).filter((title) => title.includes(String(name)))).toHaveLength(3)
  })

  test('updates quality, category and the announced category', async () => {
    const {
      id,
      platform_id: platformId,
      name,
    } = await approvedTemplate(fixture.world, { components: BODY() })
    await tell(platformId, 'message_template_quality_update', {
      previous_quality_score: 'GREEN',
      new_quality_score: 'RED',
    })
    await tell(platformId, 'template_category_update', {
      correct_category: 'MARKETING',
      new_category: 'UTILITY',
    })
    expect(await at(id)).toMatchObject({
      quality: 'RED',
      category: 'UTILITY',
      announced_category: { category: 'MARKETING', effective_at: expect.any(String) },
    })
    await tell(platformId, 'template_category_update', {
      previous_category: 'UTILITY',
      new_category: 'MARKETING',
    })
    expect(await at(id)).toMatchObject({ category: 'MARKETING', announced_category: null })
    expect((await notices()).filter((title) => title.includes(String(name))).toSorted()).toEqual(
      [
        `Low template quality: ${name} (en_US)`,
        `Template category will change: ${name} (en_US)`,
        `Template category changed: ${name} (en_US)`,
      ].toSorted(),
    )
  })

  test('syncs after a text change or an event about an unknown template', async () => {
    const { id, platform_id: platformId } = await approvedTemplate(fixture.world, {
      components: BODY(),
    })
    const stored = fixture.world.simulator
      .templatesOf(fixture.world.tenant.wabaId)
      .find((template) => template.id === platformId)
    if (stored) stored.components = BODY('Another text that was written there')
    await tell(platformId, 'message_template_components_update', {
      message_template_element: 'Another text that was written there',
    })
    expect((await at(id))['components']).toEqual(BODY('Another text that was written there'))
    const unknown = fixture.world.simulator.keepTemplate(
      { name: 'nobody_knows' },
      fixture.world.tenant.wabaId,
    )
    await fixture.world.simulator.review(unknown.id, { event: 'APPROVED' })
    fixture.world.clock.advance({ minutes: 2 })
    await fixture.world.settle()
    manager = await fixture.world.as('manager')
    expect(
      ((await manager.get('/api/templates?search=nobody_knows')).data['items'] as Loose[])[0],
    ).toMatchObject({
      status: 'APPROVED',
      platform_id: unknown.id,
    })
  })
})

describe('queued messages', () => {
  test('wait while their template is paused', async () => {
    const { id, platform_id: platformId } = await approvedTemplate(fixture.world, {
      components: BODY(),
    })
    const { data } = await manager.post('/api/messages/template', {
      contact_id: fixture.contact['id'],
      template_id: id,
    })
    await fixture.world.simulator.review(platformId as string, { event: 'PAUSED' })
    await fixture.world.settle()
    const outbox = (
      (await (await fixture.world.as('admin')).get('/api/outbox')).data['items'] as Loose[]
    ).find(({ message_id }) => message_id === data['id'])
    expect(outbox).toMatchObject({ stage: 'held', held_reason: 'template_paused' })
    expect(
      (
        await manager.post('/api/messages/template', {
          contact_id: fixture.contact['id'],
          template_id: id,
        })
      ).body.code,
    ).toBe('template_not_approved')
    await fixture.world.simulator.review(platformId as string, {
      event: 'APPROVED',
      title: 'UNPAUSE',
    })
    await fixture.world.settle()
    expect((await manager.get(`/api/messages/${data['id']}`)).data['status']).toBe('delivered')
  })

  test('fails when its template is disabled; 132001 has the templates fetched', async () => {
    const { id, platform_id: platformId } = await approvedTemplate(fixture.world, {
      components: BODY(),
    })
    const first = await manager.post('/api/messages/template', {
      contact_id: fixture.contact['id'],
      template_id: id,
    })
    await fixture.world.simulator.review(platformId as string, { event: 'DISABLED' })
    await fixture.world.settle()
    expect((await manager.get(`/api/messages/${first.data['id']}`)).data).toMatchObject({
      status: 'failed',
      error: { code: 'template_not_approved' },
    })
    const gone = await approvedTemplate(fixture.world, { components: BODY() })
    fixture.world.simulator.deleteTemplate(gone['platform_id'] as string)
    const second = await manager.post('/api/messages/template', {
      contact_id: fixture.contact['id'],
      template_id: gone['id'],
    })
    fixture.world.clock.advance({ minutes: 2 })
    await fixture.world.settle()
    manager = await fixture.world.as('manager')
    expect((await manager.get(`/api/messages/${second.data['id']}`)).data['error']).toMatchObject({
      code: 'template_not_found',
      platform_code: 132_001,
    })
    expect((await at(gone['id']))['status']).toBe('DELETED')
  })
})
