import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Answer, Client, Loose } from '../../../support/client'
import { World } from '../../../support/world'

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
})

afterAll(() => world.stop())

const problems = ({ body }: Answer<unknown>): string[] =>
  (body.errors ?? []).map(({ path }) => path)

describe('the consent history', () => {
  test('is append-only, and the contact shows the newest entry', async () => {
    const { id } = await world.contactOf()
    const path = `/api/contacts/${id}/consents`
    const given = await admin.post(path, { state: 'opted_in', evidence: 'Form at the counter' })
    expect([given.status, given.data]).toMatchObject([
      201,
      {
        state: 'opted_in',
        purpose: 'marketing',
        source: 'agent',
        evidence: 'Form at the counter',
        message_id: null,
        actor: { id: world.tenant.userIds.admin, name: 'Acme admin' },
      },
    ])
    world.clock.advance({ seconds: 1 })
    await admin.post(path, { state: 'opted_out' })
    expect((await admin.get(`/api/contacts/${id}`)).data['marketing_consent']).toBe('opted_out')
    const { data } = await admin.get(`${path}?limit=1`)
    expect(data).toMatchObject({
      total: 2,
      total_pages: 2,
      items: [{ state: 'opted_out', evidence: null }],
    })
  })

  test('publishes changes, and only changes', async () => {
    const { id } = await world.contactOf()
    const socket = await world.socket('admin')
    await admin.post(`/api/contacts/${id}/consents`, { state: 'opted_in' })
    await admin.post(`/api/contacts/${id}/consents`, { state: 'opted_in', evidence: 'again' })
    await world.settle()
    const heard = (await socket.caughtUp()).filter(
      ({ type, payload }) => type === 'contact:updated' && payload['id'] === id,
    )
    expect(heard.map(({ payload }) => [payload['changed'], payload['marketing_consent']])).toEqual([
      [['marketing_consent'], 'opted_in'],
    ])
  })

  test('has the source api for entries of an API key', async () => {
    const { id } = await world.contactOf()
    const { data } = await admin.post('/api/api-keys', {
      name: 'crm',
      permissions: ['contacts:read', 'contacts:read_all', 'contacts:update'],
    })
    const program = admin.with({ 'x-api-key': String(data['key']), authorization: '' })
    expect(
      (await program.post(`/api/contacts/${id}/consents`, { state: 'opted_in' })).data['source'],
    ).toBe('api')
  })

  for (const [name, body, path] of [
    ['no state', { evidence: 'x' }, 'body.state'],
    ['another state', { state: 'unknown' }, 'body.state'],
    ['another purpose', { state: 'opted_in', purpose: 'fun' }, 'body.purpose'],
    ['too long an evidence', { state: 'opted_in', evidence: 'x'.repeat(1_025) }, 'body.evidence'],
  ] as const)
    test(`rejects ${name}`, async () => {
      const { id } = await world.contactOf()
      const answer = await admin.post(`/api/contacts/${id}/consents`, body)
      expect([answer.status, problems(answer)]).toEqual([400, [path]])
      expect((await admin.get(`/api/contacts/${id}/consents`)).data['total']).toBe(0)
    })

  test('is invisible with its contact', async () => {
    const { id } = await world.contactOf()
    expect((await (await world.as('agent')).get(`/api/contacts/${id}/consents`)).status).toBe(404)
  })
})

describe('opt-out and opt-in keywords', () => {
  test('have defaults until the organization sets its own', async () => {
    const tenant = world.other
    const other = await world.as('admin', tenant)
    expect((await other.get('/api/consent-settings')).data).toMatchObject({
      opt_out_keywords: expect.arrayContaining(['STOP', 'UNSUBSCRIBE', 'BAJA', 'ABMELDEN', 'RET']),
      opt_in_keywords: ['START', 'SUBSCRIBE'],
      opt_out_reply: null,
      opt_in_reply: null,
    })
    const changed = await other.put('/api/consent-settings', {
      opt_out_keywords: [' Baja ', 'BAJA', 'Adiós'],
      opt_out_reply: 'Hasta luego',
    })
    expect(changed.data).toEqual({
      opt_out_keywords: ['BAJA', 'Adiós'],
      opt_in_keywords: ['START', 'SUBSCRIBE'],
      opt_out_reply: 'Hasta luego',
      opt_in_reply: null,
      updated_at: new Date(world.clock.nowMs()).toISOString(),
    })
    expect((await other.get('/api/consent-settings')).data).toEqual(changed.data as Loose)
    expect((await admin.get('/api/consent-settings')).data['opt_out_keywords']).toContain('STOP')
    const { data } = await other.get('/api/audit-logs?resource_type=consent_settings')
    expect(data['total']).toBe(1)
  })

  test('record the message that has them', async () => {
    const { id } = await world.contactOf(world.tenant, 'Stop', '15550100777')
    const { data } = await admin.get(`/api/contacts/${id}/consents`)
    const { data: messages } = await admin.get(`/api/contacts/${id}/messages`)
    const [said] = (messages['items'] as Loose[]).filter(
      ({ direction }) => direction === 'incoming',
    )
    expect(data['items']).toMatchObject([
      { state: 'opted_out', source: 'keyword', message_id: said?.['id'], actor: null },
    ])
  })

  /** Lets a new customer say something. Returns the consent and what the customer is told. */
  async function said(
    text: string,
    { waId, contact = {} }: { waId: string; contact?: Loose },
  ): Promise<[consent: unknown, answers: unknown[]]> {
    const customer = world.simulator.customer({ phone: world.tenant.phoneId, waId })
    await customer.says('Hello')
    await world.settle()
    const list = await admin.get(`/api/contacts?search=${waId}`)
    const [known] = list.data['items'] as Loose[]
    if (Object.keys(contact).length > 0) await admin.put(`/api/contacts/${known?.['id']}`, contact)
    await customer.says(text)
    await world.settle()
    const { data } = await admin.get(`/api/contacts/${known?.['id']}`)
    const answers = customer
      .received()
      .map(({ body }) => ((body as Loose)['text'] as Loose)['body'])
    return [data['marketing_consent'], answers]
  }

  for (const [name, text, waId, language, told] of [
    ['punctuation', 'stop!!! 🛑', '15550101001', undefined, 'You will no longer receive offers'],
    ['a language', '«Désinscrire».', '15550101002', undefined, 'Vous ne recevrez plus nos offres.'],
    ['another script', 'إلغاء الاشتراك', '15550101003', undefined, 'لن تصلك عروضنا بعد الآن.'],
    ['a customer of a language', 'STOP.', '15550101004', 'it-IT', 'Non riceverà più le nostre'],
    ['a country', 'Stop', '4915112345678', undefined, 'Sie erhalten keine Angebote mehr von uns.'],
    ['no question', 'Basta', '15550101005', 'es', 'Ya no recibirá nuestras ofertas.'],
  ] as const)
    test(`are confirmed by default, with ${name}`, async () => {
      const contact = language === undefined ? {} : { language }
      const [consent, answers] = await said(text, { waId, contact })
      expect(consent).toBe('opted_out')
      expect(answers).toEqual([expect.stringContaining(told)])
      expect(String(answers[0])).toContain('START')
    })

  test('are whole messages, not words in them', async () => {
    expect(await said('Please do not stop', { waId: '15550101006' })).toEqual(['unknown', []])
  })

  test('are answered with nothing if the reply is empty', async () => {
    await admin.put('/api/consent-settings', { opt_out_reply: '' })
    expect(await said('Stop', { waId: '15550101007' })).toEqual(['opted_out', []])
    await admin.put('/api/consent-settings', { opt_out_reply: null })
    expect((await said('Stop', { waId: '15550101008' }))[1]).toHaveLength(1)
  })

  test('are answered with templates, which see the contact', async () => {
    const reply = 'Bye {{ contact.name | default: "you" }}, "{{ message.text }}" it is.'
    await admin.put('/api/consent-settings', {
      opt_out_reply: reply,
      opt_in_reply: 'Hi {{ contact.attributes.none }}',
    })
    const contact = { name: 'Ana' }
    expect(await said('Stop!', { waId: '15550101011', contact })).toEqual([
      'opted_out',
      ['Bye Ana, "Stop!" it is.'],
    ])
    expect((await said('Start', { waId: '15550101012' }))[1]).toEqual(['Hi '])
    // What cannot be rendered, or is blank, gives way to our words.
    for (const [waId, blank] of [
      ['15550101013', '{{ contact.nope }}'],
      ['15550101014', '{% for i in (1..99) %}{{ i }}{% endfor %}'],
    ] as const) {
      await admin.put('/api/consent-settings', { opt_out_reply: blank })
      expect([blank, (await said('Stop', { waId }))[1]]).toEqual([
        blank,
        [expect.stringContaining('You will no longer receive offers')],
      ])
    }
    await admin.put('/api/consent-settings', { opt_out_reply: null, opt_in_reply: null })
  })

  test('are confirmed in the language in which the customer wrote before', async () => {
    const customer = world.simulator.customer({ phone: world.tenant.phoneId, waId: '15550101015' })
    await customer.says('Guten Tag, wann haben Sie heute geöffnet?')
    await customer.says('STOP')
    await world.settle()
    expect(
      customer.received().map(({ body }) => ((body as Loose)['text'] as Loose)['body']),
    ).toEqual([expect.stringContaining('Sie erhalten keine Angebote mehr von uns.')])
  })

  for (const [name, body, path] of [
    ['no template', { opt_out_reply: 'Bye {{ name' }, 'body.opt_out_reply'],
    ['an unknown filter', { opt_in_reply: '{{ contact.name | nope }}' }, 'body.opt_in_reply'],
    ['a blank word', { opt_out_keywords: ['  '] }, 'body.opt_out_keywords.0'],
    ['a word for both', { opt_in_keywords: ['Stóp'] }, 'body.opt_in_keywords.0'],
    [
      '51 words',
      { opt_in_keywords: Array.from({ length: 51 }, (_, index) => `w${index}`) },
      'body.opt_in_keywords',
    ],
    ['no list', { opt_in_keywords: 'START' }, 'body.opt_in_keywords'],
    ['too long an answer', { opt_in_reply: 'x'.repeat(4_097) }, 'body.opt_in_reply'],
  ] as const)
    test(`cannot be ${name}`, async () => {
      const answer = await admin.put('/api/consent-settings', body)
      expect([answer.status, problems(answer)]).toEqual([400, [path]])
    })

  test('require permission to change settings', async () => {
    const agent = await world.as('agent')
    expect((await agent.get('/api/consent-settings')).status).toBe(403)
    expect(
      (await (await world.as('manager')).put('/api/consent-settings', { opt_in_reply: null }))
        .status,
    ).toBe(403)
  })
})
