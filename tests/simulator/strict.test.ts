import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Loose } from '../support/client'
import type { Customer } from '../../src/simulator/customers'
import { send, sendTemplate } from './fixtures'
import { startReceiver, type Receiver } from './pair'
import { startSimulator, type Simulator } from '../../src/simulator/platform'

/** A simulator with default options. */
let simulator: Simulator
let receiver: Receiver
let customer: Customer
let nowMs = 1_790_000_000_000

beforeAll(async () => {
  receiver = startReceiver()
  simulator = await startSimulator({ callbackUrl: receiver.url, nowMs: () => nowMs, statuses: [] })
  customer = simulator.customer()
})

afterAll(async () => {
  await simulator.stop()
  await receiver.stop()
})

interface Options {
  method?: string
  token?: string | null
  body?: unknown
  type?: string
}

async function ask(
  path: string,
  { method, token = simulator.phone.token, body, type = 'application/json' }: Options = {},
): Promise<Loose> {
  const response = await fetch(simulator.url + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': type }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return (await response.json()) as Loose
}

const pathOf = (edge: string): string => `/v25.0/${simulator.phone.id}/${edge}`
const post = (body: Loose): Promise<Loose> =>
  ask(pathOf('messages'), { body: { ...body, to: customer.waId } })

async function upload(phone: { id: string; token: string }): Promise<string> {
  const form = new FormData()
  form.set('messaging_product', 'whatsapp')
  form.set('file', new File(['bytes'], 'a.png', { type: 'image/png' }))
  const response = await fetch(`${simulator.url}/v25.0/${phone.id}/media`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${phone.token}` },
  })
  return ((await response.json()) as { id: string }).id
}

const TAKEN = { messages: [{ id: expect.stringMatching(/^wamid\./) as string }] }
const refusedWith = (code: number): Loose => ({ error: { code } })

describe('by default the platform', () => {
  test('sends only templates to a customer who has not written within 24 hours', async () => {
    simulator.keepTemplate({ name: 'hello_world' })
    const stranger = send('text', { body: 'hi' }, { to: '15550107777' })
    expect(await ask(pathOf('messages'), { body: stranger })).toMatchObject(refusedWith(131_047))
    expect(
      await ask(pathOf('messages'), {
        body: { ...sendTemplate('hello_world'), to: '15550107777' },
      }),
    ).toMatchObject(TAKEN)
    await customer.says('Hello')
    expect(await post(send('text', { body: 'hi' }))).toMatchObject(TAKEN)
    nowMs += 24 * 3_600_000
    expect(await post(send('text', { body: 'hi' }))).toMatchObject(refusedWith(131_047))
    await customer.reacts('wamid.QQ==', '👍')
    expect(await post(send('text', { body: 'hi' }))).toMatchObject(TAKEN)
  })

  test('opens no window for group messages and old messages', async () => {
    const other = simulator.customer()
    const body = send('text', { body: 'hi' }, { to: other.waId })
    await other.says('To everybody', { groupId: 'R3JvdXAx' })
    expect(await ask(pathOf('messages'), { body })).toMatchObject(refusedWith(131_047))
    const { webhook } = await other.says('Now')
    expect(await ask(pathOf('messages'), { body })).toMatchObject(TAKEN)
    nowMs += 25 * 3_600_000
    await simulator.post(webhook)
    expect(await ask(pathOf('messages'), { body })).toMatchObject(refusedWith(131_047))
    await customer.says('Still there')
  })

  test('sends no template that was not submitted', async () => {
    expect(await post(sendTemplate('unknown'))).toMatchObject(refusedWith(132_001))
    expect(await post(sendTemplate('hello_world'))).toMatchObject(TAKEN)
  })

  test('sends no file that was not uploaded for the number, wherever the message names it', async () => {
    const other = simulator.addPhone({ token: 'token-of-another' })
    const [own, foreign] = [await upload(simulator.phone), await upload(other)]
    simulator.keepTemplate({
      name: 'pictured',
      components: [
        { type: 'HEADER', format: 'IMAGE' },
        { type: 'BODY', text: 'Look' },
      ],
    })
    const places = (id: string): Loose[] => [
      send('image', { id }),
      send('interactive', {
        type: 'button',
        header: { type: 'image', image: { id } },
        body: { text: 'Well?' },
        action: { buttons: [{ type: 'reply', reply: { id: 'y', title: 'Yes' } }] },
      }),
      sendTemplate('pictured', [
        { type: 'header', parameters: [{ type: 'image', image: { id } }] },
      ]),
    ]
    for (const id of ['1037543291543636', foreign])
      for (const body of places(id)) expect(await post(body)).toMatchObject(refusedWith(131_053))
    for (const body of places(own)) expect(await post(body)).toMatchObject(TAKEN)
  })

  test('rejects a text over 4096 characters with 100', async () => {
    expect(await post(send('text', { body: 'x'.repeat(4_097) }))).toMatchObject(refusedWith(100))
    expect(await post(send('text', { body: 'x'.repeat(4_096) }))).toMatchObject(TAKEN)
  })
})

describe('the platform tolerates', () => {
  test('null for optional members, not for required ones', async () => {
    const nulls = {
      context: null,
      biz_opaque_callback_data: null,
      recipient: null,
      recipient_identity_key_hash: null,
    }
    expect(await post(send('text', { body: 'hi', preview_url: null }, nulls))).toMatchObject(TAKEN)
    const list = {
      button: 'Open',
      sections: [{ title: null, rows: [{ id: '1', title: 'One', description: null }] }],
    }
    const parts = {
      type: 'list',
      header: null,
      footer: null,
      body: { text: 'Which?' },
      action: list,
    }
    expect(await post(send('interactive', parts))).toMatchObject(TAKEN)
    expect(await post(send('text', { body: null }))).toMatchObject(refusedWith(131_008))
    expect(await post(send('text', null))).toMatchObject(refusedWith(131_008))
  })

  test('objects written as JSON text, except text that only looks like JSON', async () => {
    expect(await post(send('text', JSON.stringify({ body: 'hi' })))).toMatchObject(TAKEN)
    const card = [{ name: { formatted_name: 'Bo', first_name: 'Bo' } }]
    expect(await post(send('contacts', JSON.stringify(card)))).toMatchObject(TAKEN)
    const data = '{"ours":1}'
    expect(
      await post(send('text', { body: '{"a":1}' }, { biz_opaque_callback_data: data })),
    ).toMatchObject(TAKEN)
    expect(simulator.messages.at(-1)?.body).toMatchObject({
      biz_opaque_callback_data: data,
      text: { body: '{"a":1}' },
    })
    expect(await post(send('text', '{"body"'))).toMatchObject(refusedWith(100))
  })

  test('forms instead of JSON', async () => {
    const form = new URLSearchParams({
      messaging_product: 'whatsapp',
      to: customer.waId ?? '',
      type: 'text',
      text: '{"body":"hi"}',
    })
    const type = 'application/x-www-form-urlencoded'
    expect(await ask(pathOf('messages'), { body: form.toString(), type })).toMatchObject(TAKEN)
    expect(
      await ask(`${pathOf('messages')}?access_token=${simulator.phone.token}`, {
        body: form.toString(),
        type,
        token: null,
      }),
    ).toMatchObject(TAKEN)
  })

  test('paths without a version', async () => {
    const { id } = simulator.phone
    expect(await ask(`/${id}?fields=id,verified_name`)).toMatchObject({ id, verified_name: 'Acme' })
    expect(
      await ask(`/${id}/messages`, {
        body: { ...send('text', { body: 'hi' }), to: customer.waId },
      }),
    ).toMatchObject(TAKEN)
    expect(await ask(`/v25.0/${id}/`)).toMatchObject({ id })
  })

  test.each(['curl/8.5.0', 'node', ''])(
    'any user agent that fetches a file (%p)',
    async (agent) => {
      const file = await upload(simulator.phone)
      const { url } = (await ask(`/v25.0/${file}`)) as { url: string }
      const headers = { authorization: `Bearer ${simulator.phone.token}`, 'user-agent': agent }
      expect(await (await fetch(url, { headers })).text()).toBe('bytes')
      expect((await fetch(url, { headers: { 'user-agent': agent } })).status).toBe(401)
    },
  )
})

describe('a number has', () => {
  test('a list of blocked users, limited to those who wrote within 24 hours', async () => {
    const blocking = (users: Loose[], method = 'POST') =>
      ask(pathOf('block_users'), {
        method,
        body: { messaging_product: 'whatsapp', block_users: users },
      })
    expect(await ask(pathOf('block_users'))).toEqual({ data: [{ block_users: [] }] })
    expect(await blocking([{ user: `+${customer.waId}` }])).toEqual({
      messaging_product: 'whatsapp',
      block_users: { added_users: [{ input: `+${customer.waId}`, wa_id: customer.waId }] },
    })
    expect(await blocking([{ user: '15550107777' }])).toMatchObject({
      block_users: {
        added_users: [],
        failed_users: [{ wa_id: '15550107777', errors: [{ code: 131_047 }] }],
      },
      error: { code: 139_100 },
    })
    expect(await ask(pathOf('block_users'))).toMatchObject({
      data: [{ block_users: [{ messaging_product: 'whatsapp', wa_id: customer.waId }] }],
      paging: { cursors: {} },
    })
    expect(await blocking([{ user: customer.waId }], 'DELETE')).toMatchObject({
      block_users: { removed_users: [{ wa_id: customer.waId }] },
    })
    expect(await ask(pathOf('block_users'))).toEqual({ data: [{ block_users: [] }] })
    expect(await blocking([])).toMatchObject(refusedWith(100))
  })

  test('conversational components', async () => {
    const path = pathOf('conversational_automation')
    const commands = [{ command_name: 'help', command_description: 'Get help' }]
    expect(
      await ask(path, {
        body: {
          enable_welcome_message: true,
          prompts: ['Hours?'],
          commands: JSON.stringify(commands),
        },
      }),
    ).toEqual({
      success: true,
    })
    const kept = { enable_welcome_message: true, prompts: ['Hours?'], commands }
    expect(await ask(path)).toEqual(kept)
    expect(
      await ask(`/v25.0/${simulator.phone.id}?fields=id,conversational_automation`),
    ).toMatchObject({ conversational_automation: kept })
    expect(await ask(path, { body: { prompts: ['1', '2', '3', '4', '5'] } })).toMatchObject(
      refusedWith(100),
    )
    expect(await ask(path, { body: { commands: [{ command_name: 'help' }] } })).toMatchObject(
      refusedWith(100),
    )
    expect(await ask(path)).toEqual(kept)
  })

  test('QR codes', async () => {
    const path = pathOf('message_qrdls')
    const made = await ask(path, { body: { prefilled_message: 'Hello', generate_qr_image: 'SVG' } })
    expect(made).toMatchObject({
      prefilled_message: 'Hello',
      deep_link_url: `https://wa.me/message/${made['code']}`,
    })
    expect(made).toHaveProperty('qr_image_url')
    expect(
      await ask(path, { body: { code: made['code'], prefilled_message: 'Bye' } }),
    ).toMatchObject({
      code: made['code'],
      prefilled_message: 'Bye',
    })
    expect(await ask(path)).toMatchObject({
      data: [{ code: made['code'], prefilled_message: 'Bye' }],
    })
    expect(await ask(`${path}/${made['code']}`)).toMatchObject({
      data: [{ prefilled_message: 'Bye' }],
    })
    expect(await ask(path, { body: { prefilled_message: 'x'.repeat(141) } })).toMatchObject(
      refusedWith(100),
    )
    expect(await ask(`${path}/UNKNOWN`)).toMatchObject(refusedWith(100))
    expect(await ask(`${path}/${made['code']}`, { method: 'DELETE' })).toEqual({ success: true })
    expect(await ask(path)).toEqual({ data: [] })
  })

  test('commerce settings', async () => {
    const path = pathOf('whatsapp_commerce_settings')
    const { id } = simulator.phone
    expect(await ask(path)).toEqual({
      data: [{ is_cart_enabled: true, is_catalog_visible: false, id }],
    })
    expect(
      await ask(`${path}?is_cart_enabled=false&is_catalog_visible=true`, { method: 'POST' }),
    ).toEqual({ success: true })
    expect(await ask(path)).toEqual({
      data: [{ is_cart_enabled: false, is_catalog_visible: true, id }],
    })
    expect(await ask(path, { body: { is_cart_enabled: 'perhaps' } })).toMatchObject(
      refusedWith(100),
    )
  })

  test('a vertical that is undefined until it is set', async () => {
    const path = pathOf('whatsapp_business_profile')
    expect(await ask(`${path}?fields=vertical`)).toMatchObject({
      data: [{ vertical: 'UNDEFINED' }],
    })
    expect(
      await ask(path, { body: { messaging_product: 'whatsapp', vertical: 'RETAIL', email: null } }),
    ).toEqual({ success: true })
    expect(await ask(`${path}?fields=vertical`)).toMatchObject({ data: [{ vertical: 'RETAIL' }] })
    expect(
      await ask(path, { body: { messaging_product: 'whatsapp', vertical: 'PIRACY' } }),
    ).toMatchObject(refusedWith(100))
  })

  test('a business account with counted and filtered templates', async () => {
    const path = `/v25.0/${simulator.phone.wabaId}/message_templates`
    simulator.keepTemplate({
      name: 'promotion',
      category: 'MARKETING',
      status: 'PAUSED',
      language: 'de',
    })
    const all = simulator.templatesOf().length
    const summary =
      'total_count,message_template_count,message_template_limit,are_translations_complete'
    expect((await ask(`${path}?category=MARKETING&summary=${summary}`))['summary']).toEqual({
      total_count: 1,
      message_template_count: all,
      message_template_limit: 250,
      are_translations_complete: true,
    })
    expect((await ask(`${path}?summary=total_count`))['summary']).toEqual({ total_count: all })
    expect(await ask(path)).not.toHaveProperty('summary')
    const filters = [
      'status=PAUSED',
      'language=de',
      'name_or_content=promo',
      `category=${encodeURIComponent('["MARKETING"]')}`,
    ]
    for (const filter of filters)
      expect(await ask(`${path}?fields=name&${filter}`)).toMatchObject({
        data: [{ name: 'promotion' }],
      })
  })
})
