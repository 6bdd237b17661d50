import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { systemCtx } from '../../../../src/infra/ctx'
import { organizationLanguage } from '../../../../src/modules/organization/memberships/founder'
import type { Client, Loose } from '../../../support/client'
import { World } from '../../../support/world'

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
})

afterAll(() => world.stop())

const DEFAULTS = {
  mask_phone_numbers: false,
  timezone: 'UTC',
  date_format: 'YYYY-MM-DD',
  registration_policy: 'open',
  language: null,
  default_country: null,
  message_activity_sharing: false,
  creative_opt_out: false,
  template_max_price: false,
  push_shows_content: false,
  new_conversations: 'nobody',
  spend: null,
}

const settingsNow = async (): Promise<Loose> => {
  const { updated_at: updatedAt, ...rest } = (await admin.get('/api/organizations/settings')).data
  expect(updatedAt).toEqual(expect.any(String))
  return rest
}

describe('the settings of an organization', () => {
  test('have these defaults and fields', async () => {
    expect(await settingsNow()).toEqual({ name: 'Acme', settings: DEFAULTS })
  })

  test('change only in the given fields, and the response shows all', async () => {
    const answer = await admin.put('/api/organizations/settings', { timezone: 'Asia/Kolkata' })
    expect([answer.status, answer.data]).toEqual([
      200,
      {
        message: expect.any(String),
        name: 'Acme',
        settings: { ...DEFAULTS, timezone: 'Asia/Kolkata' },
        updated_at: expect.any(String),
      },
    ])
    const all = {
      name: 'Acme Ltd',
      mask_phone_numbers: true,
      timezone: 'Europe/Prague',
      date_format: 'DD.MM.YYYY',
      registration_policy: 'closed',
      language: 'pt-BR',
      default_country: 'BR',
      message_activity_sharing: true,
      creative_opt_out: true,
      template_max_price: true,
      push_shows_content: true,
      new_conversations: 'general',
      spend: { monthly: '10.00', currency: 'EUR', warn_at: [90], at_limit: 'warn' },
    }
    expect((await admin.put('/api/organizations/settings', all)).status).toBe(200)
    const { name, ...settings } = all
    expect(await settingsNow()).toEqual({ name, settings })
    await admin.put('/api/organizations/settings', { name: 'Acme', ...DEFAULTS })
    expect(await settingsNow()).toEqual({ name: 'Acme', settings: DEFAULTS })
  })

  test('have a language, else that of the oldest member', async () => {
    const ctx = systemCtx(world.program.http, world.tenant.id)
    await admin.put('/api/me/settings', { language: 'de' })
    expect(organizationLanguage(ctx)).toBe('de')
    const { data } = await admin.put('/api/organizations/settings', { language: 'PT-br' })
    expect(data['settings']).toMatchObject({ language: 'pt-BR' })
    expect(organizationLanguage(ctx)).toBe('pt-BR')
    const refused = await admin.put('/api/organizations/settings', { language: 'a language' })
    expect(refused.body.errors).toMatchObject([{ path: 'body.language' }])
    await admin.put('/api/organizations/settings', { language: null })
    expect(organizationLanguage(ctx)).toBe('de')
  })

  test('keep both of two parallel changes to different fields', async () => {
    await Promise.all([
      admin.put('/api/organizations/settings', { timezone: 'Africa/Lagos' }),
      admin.put('/api/organizations/settings', { date_format: 'MM/DD/YYYY' }),
    ])
    expect((await settingsNow())['settings']).toEqual({
      ...DEFAULTS,
      timezone: 'Africa/Lagos',
      date_format: 'MM/DD/YYYY',
    })
    await admin.put('/api/organizations/settings', DEFAULTS)
  })

  const wrong: [body: unknown, path: string][] = [
    [{}, 'body'],
    [{ name: null }, 'body.name'],
    [{ name: ' ' }, 'body.name'],
    [{ name: 'x'.repeat(256) }, 'body.name'],
    [{ mask_phone_numbers: 'yes' }, 'body.mask_phone_numbers'],
    [{ mask_phone_numbers: null }, 'body.mask_phone_numbers'],
    [{ registration_policy: 'secret' }, 'body.registration_policy'],
    [{ default_country: 'XX' }, 'body.default_country'],
    [{ default_country: 'br' }, 'body.default_country'],
    [{ default_country: 49 }, 'body.default_country'],
    [{ timezone: null }, 'body.timezone'],
    [{ name: 'Changed', timezone: 'Mars/Base' }, 'body.timezone'],
  ]
  for (const [body, path] of wrong)
    test(`reject ${JSON.stringify(body).slice(0, 60)}`, async () => {
      const answer = await admin.put('/api/organizations/settings', body)
      expect({ status: answer.status, path: answer.body.errors?.[0]?.path }).toEqual({
        status: 400,
        path,
      })
      expect(await settingsNow()).toEqual({ name: 'Acme', settings: DEFAULTS })
    })

  test('cannot be read by agents or changed by managers', async () => {
    const manager = await world.as('manager')
    expect((await manager.get('/api/organizations/settings')).status).toBe(200)
    expect((await manager.put('/api/organizations/settings', { timezone: 'UTC' })).body.code).toBe(
      'permission_denied',
    )
    expect((await (await world.as('agent')).get('/api/organizations/settings')).status).toBe(403)
  })

  test('are recorded in the audit log only when they change', async () => {
    await admin.put('/api/organizations/settings', {
      timezone: 'Europe/Berlin',
      date_format: 'YYYY-MM-DD',
    })
    await admin.put('/api/organizations/settings', { timezone: 'Europe/Berlin' })
    const entries = world.rows(
      "select action, changes from audit_logs where resource_type = 'organization_settings' order by id desc limit 2",
    )
    expect(JSON.parse(String(entries[0]?.['changes']))).toEqual([
      { field: 'timezone', old_value: 'UTC', new_value: 'Europe/Berlin' },
    ])
    await admin.put('/api/organizations/settings', DEFAULTS)
  })
})

describe('a time zone', () => {
  const right = [
    'UTC', 'Asia/Kolkata', 'Asia/Calcutta', 'Europe/Kyiv', 'Europe/Kiev', 'America/Argentina/Buenos_Aires', 'America/Port-au-Prince',
    'America/Nuuk', 'Pacific/Chatham', 'Africa/Johannesburg', 'Australia/Lord_Howe', 'Asia/Ho_Chi_Minh',
  ] // prettier-ignore
  for (const timezone of right)
    test(`${timezone} is returned as sent`, async () => {
      const { data } = await admin.put('/api/organizations/settings', { timezone })
      expect((data['settings'] as Loose)['timezone']).toBe(timezone)
    })

  const wrong = [
    'utc', 'Utc', 'asia/kolkata', 'Asia/kolkata', 'EUROPE/PRAGUE', 'EST', 'CET', 'GMT', 'GMT+1', 'Etc/GMT+5', 'Etc/UTC', '+02:00', '-0500',
    'Z', 'UTC+1', 'Europe/Nowhere', 'Europe', 'Europe/', ' Europe/Prague', 'Europe/Prague ', '', 'Prague', 'Europe/Prague\n',
  ] // prettier-ignore
  for (const timezone of wrong)
    test(`${JSON.stringify(timezone)} is 400`, async () => {
      const answer = await admin.put('/api/organizations/settings', { timezone })
      expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, 'body.timezone'])
    })
})

describe('a date format', () => {
  for (const date_format of [
    'YYYY-MM-DD',
    'DD/MM/YYYY',
    'MM/DD/YYYY',
    'DD.MM.YYYY',
    'DD. MM. YYYY',
    'YYYY DD MM',
    'MM--DD. YYYY',
  ])
    test(`${date_format} is valid`, async () => {
      const { data } = await admin.put('/api/organizations/settings', { date_format })
      expect((data['settings'] as Loose)['date_format']).toBe(date_format)
    })

  const wrong = [
    'D.M.YY', 'YYYYMMDD', 'YYYY-MM', 'YYYY-MM-MM', 'YYYY-MM-DD-', '-YYYY-MM-DD', 'yyyy-mm-dd', 'YYYY---MM-DD', 'YYYY-MM-DD HH', 'DD,MM,YYYY',
    'YYYY-MM-DD\n', 'YYYY\tMM\tDD', '', 'DD-MM-YYYY-DD',
  ] // prettier-ignore
  for (const date_format of wrong)
    test(`${JSON.stringify(date_format)} is 400`, async () => {
      const answer = await admin.put('/api/organizations/settings', { date_format })
      expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, 'body.date_format'])
    })
})

describe('masking', () => {
  test('applies from the next request for callers who may not see numbers', async () => {
    const contact = await world.contactOf()
    const agent = await world.as('agent')
    await admin.put(`/api/contacts/${contact['id']}/assign`, {
      user_id: world.tenant.userIds.agent,
    })
    const number = async (client: Client): Promise<string> =>
      String((await client.get(`/api/contacts/${contact['id']}`)).data['phone_number'])
    const clear = await number(agent)
    expect(clear).toMatch(/^\d+$/)
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    expect(await number(agent)).toBe(clear.slice(0, -4).replaceAll(/./g, '*') + clear.slice(-4))
    expect(await number(admin)).toBe(clear)
    await admin.put('/api/organizations/settings', { mask_phone_numbers: false })
    expect(await number(agent)).toBe(clear)
  })
})
