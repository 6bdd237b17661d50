import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { SAMPLES } from '../../../../src/simulator/sample-files'
import type { Answer, Loose } from '../../../support/client'
import { openSendFixture, sendForm, tracesIn, type SendFixture } from '../../../support/sending'
import { approvedTemplate, draftTemplate } from '../../../support/templates'

let fixture: SendFixture

beforeAll(async () => {
  fixture = await openSendFixture()
  fixture.world.clock.advance({ hours: 25 }) // the window is closed, so nothing but templates goes
})

afterAll(() => fixture.world.stop())

const JPEG = { name: 'sale.jpg', type: 'image/jpeg', bytes: SAMPLES['image/jpeg'] }
const PDF = { name: 'receipt.pdf', type: 'application/pdf', bytes: SAMPLES['application/pdf'] }
const upload = async (file: typeof JPEG): Promise<string> =>
  (await sendForm(await fixture.world.as('manager'), '/api/media', {}, file)).data['id'] as string

const GREETING = [
  {
    type: 'BODY',
    text: 'Hello {{name}}, your order {{order_id}} is on its way to you.',
    example: {
      body_text_named_params: [
        { param_name: 'name', example: 'Ana' },
        { param_name: 'order_id', example: '1' },
      ],
    },
  },
]
const numbered = (count: number): Loose[] => {
  const names = Array.from({ length: count }, (_, index) => index + 1)
  return [
    {
      type: 'BODY',
      text: `We say ${names.map((name) => `some more words {{${name}}}`).join(' and ')} at last`,
      example: { body_text: [names.map(String)] },
    },
  ]
}
const buttons = (...list: Loose[]): Loose[] => [
  { type: 'BODY', text: 'Have a look at what we have for you' },
  { type: 'BUTTONS', buttons: list },
]

const send = async (body: Loose): Promise<Answer<Loose>> =>
  (await fixture.world.as('manager')).post('/api/messages/template', {
    contact_id: fixture.contact['id'],
    ...body,
  })

/** Sends a template and answers the platform's part of what it then took. */
async function taken(
  components: Loose[],
  asked: Loose = {},
  parts: Loose = {},
): Promise<{ message: Loose; template: Loose }> {
  const { id } = await approvedTemplate(fixture.world, { components, ...parts })
  fixture.client = await fixture.world.as('manager')
  const { status, body, data } = await send({ template_id: id, ...asked })
  expect({ status, body: status === 201 ? null : body }).toEqual({ status: 201, body: null })
  await fixture.world.settle()
  const { data: message } = await (
    await fixture.world.as('manager')
  ).get(`/api/messages/${data['id']}`)
  expect(message).toMatchObject({ status: 'delivered', error: null })
  const call = fixture.world.simulator.messages.find(
    ({ body: taking }) => (taking as Loose)['biz_opaque_callback_data'] === data['id'],
  )
  return { message, template: ((call?.body ?? {}) as Loose)['template'] as Loose }
}

async function refused(
  components: Loose[],
  asked: Loose = {},
  parts: Loose = {},
): Promise<{ code: string | undefined; message: string | undefined; paths: string[] }> {
  const { id } = await approvedTemplate(fixture.world, { components, ...parts })
  const before = tracesIn(fixture.world)
  const { status, body } = await send({ template_id: id, ...asked })
  expect(status).toBe(400)
  expect(tracesIn(fixture.world)).toEqual(before)
  return {
    code: body.code,
    message: body.message,
    paths: (body.errors ?? []).map(({ path }) => path),
  }
}

describe('a template reaches the platform filled in', () => {
  test('with named values, outside of the window, and is shown as the customer sees it', async () => {
    const { message, template } = await taken(
      GREETING,
      { template_params: { order_id: 42, name: 'Ana' } },
      { name: 'on_its_way' },
    )
    expect(template).toEqual({
      name: 'on_its_way',
      language: { code: 'en_US' },
      components: [
        {
          type: 'body',
          parameters: [
            { type: 'text', parameter_name: 'name', text: 'Ana' },
            { type: 'text', parameter_name: 'order_id', text: '42' },
          ],
        },
      ],
    })
    expect(message).toMatchObject({
      type: 'template',
      template_name: 'on_its_way',
      preview: 'Hello Ana, your order 42 is on its way to you.',
      content: {
        name: 'on_its_way',
        language: 'en_US',
        category: 'UTILITY',
        body: 'Hello Ana, your order 42 is on its way to you.',
        params: { name: 'Ana', order_id: 42 },
      },
    })
    const { data } = await (
      await fixture.world.as('manager')
    ).get(`/api/templates/${message['content']['template_id']}`)
    expect(data['usage']).toEqual({ sent_30d: 1, last_sent_at: expect.any(String) })
  })

  test('with numbered values in numeric order, ten after nine', async () => {
    const values = Object.fromEntries(
      Array.from({ length: 11 }, (_, index) => [String(11 - index), `v${11 - index}`]),
    )
    const { template } = await taken(numbered(11), { template_params: values })
    expect(
      (template['components'] as Loose[])[0]?.['parameters'].map(({ text }: Loose) => text),
    ).toEqual(Array.from({ length: 11 }, (_, index) => `v${index + 1}`))
  })

  test('with amounts and dates as the platform has them', async () => {
    const currency = { fallback_value: '$100.99', code: 'USD', amount_1000: 100_990 }
    const { message, template } = await taken(numbered(2), {
      template_params: {
        '1': { currency },
        '2': { type: 'date_time', date_time: { fallback_value: 'July 1', year: 2026 } },
      },
    })
    expect(template['components'][0]['parameters']).toEqual([
      { type: 'currency', currency },
      { type: 'date_time', date_time: { fallback_value: 'July 1', year: 2026 } },
    ])
    expect(message['content']['body']).toContain('words $100.99 and some more words July 1')
  })

  test('with a text header, an address, payloads and a code to copy', async () => {
    const components = [
      { type: 'HEADER', format: 'TEXT', text: 'Sale for {{1}}', example: { header_text: ['Ana'] } },
      ...buttons(
        { type: 'QUICK_REPLY', text: 'Yes' },
        { type: 'QUICK_REPLY', text: 'No' },
        { type: 'URL', text: 'Shop', url: 'https://example.com/{{1}}', example: ['x'] },
        { type: 'URL', text: 'Home', url: 'https://example.com' },
        { type: 'COPY_CODE', example: 'SAVE25' },
        { type: 'PHONE_NUMBER', text: 'Call', phone_number: '15550100001' },
      ),
    ]
    const { message, template } = await taken(
      components,
      { header_params: { '1': 'Bo' }, button_params: { '0': 'YES', '2': 'a?b=c', '4': 'SAVE30' } },
      { category: 'MARKETING' },
    )
    expect(template['components']).toEqual([
      { type: 'header', parameters: [{ type: 'text', text: 'Bo' }] },
      {
        type: 'button',
        sub_type: 'quick_reply',
        index: '0',
        parameters: [{ type: 'payload', payload: 'YES' }],
      },
      {
        type: 'button',
        sub_type: 'url',
        index: '2',
        parameters: [{ type: 'text', text: 'a?b=c' }],
      },
      {
        type: 'button',
        sub_type: 'copy_code',
        index: '4',
        parameters: [{ type: 'coupon_code', coupon_code: 'SAVE30' }],
      },
    ])
    expect(message['content']).toMatchObject({
      header: 'Sale for Bo',
      buttons: [
        {},
        {},
        { url: 'https://example.com/a?b=c' },
        { url: 'https://example.com' },
        { code: 'SAVE30' },
        {},
      ],
    })
  })

  test('with named values in its header, whether its text has some or none', async () => {
    const header = {
      type: 'HEADER',
      format: 'TEXT',
      text: 'Sale for {{who}}',
      example: { header_text_named_params: [{ param_name: 'who', example: 'Ana' }] },
    }
    const part = {
      type: 'header',
      parameters: [{ type: 'text', parameter_name: 'who', text: 'Bo' }],
    }
    const both = await taken([header, ...GREETING], {
      header_params: { who: 'Bo' },
      template_params: { name: 'Bo', order_id: '1' },
    })
    expect(both.template['components'][0]).toEqual(part)
    const alone = await taken(
      [header, { type: 'BODY', text: 'Have a look at what we have for you' }],
      { header_params: { who: 'Bo' } },
    )
    expect(alone.template['components']).toEqual([part])
    expect(alone.message['content']).toMatchObject({ header: 'Sale for Bo' })
    expect(
      await refused([header, ...GREETING], {
        header_params: { '1': 'Bo' },
        template_params: { name: 'Bo', order_id: '1' },
      }),
    ).toMatchObject({
      code: 'missing_params',
      paths: ['body.header_params.who', 'body.header_params.1'],
    })
  })

  test('with a header of 60 characters, and not of 61', async () => {
    const components = [
      { type: 'HEADER', format: 'TEXT', text: 'Sale for {{1}}', example: { header_text: ['Ana'] } },
      ...buttons({ type: 'QUICK_REPLY', text: 'Ok' }),
    ]
    // Characters are code points: this one is two units of UTF-16.
    const name = '🍕'.repeat(51)
    expect(
      (await taken(components, { header_params: { '1': name } })).message['content']['header'],
    ).toBe(`Sale for ${name}`)
    expect(await refused(components, { header_params: { '1': `${name}x` } })).toMatchObject({
      code: 'invalid_params',
      paths: ['body.header_params'],
      message: expect.stringContaining('61'),
    })
  })

  describe('with products to choose from', () => {
    const components = buttons({ type: 'MPM', text: 'View items' })
    const skus = (count: number): string[] =>
      Array.from({ length: count }, (_, index) => `sku-${index}`)
    const items = (count: number): Loose[] => skus(count).map((id) => ({ product_retailer_id: id }))
    const chosen = (...sections: Loose[]): Loose => ({
      button_params: { '0': { thumbnail_product_retailer_id: 'sku-0', sections } },
    })
    const marketing = { category: 'MARKETING' }

    test('thirty of them, in our words or in those of the platform', async () => {
      const asked = chosen(
        { title: 'Hats', product_retailer_ids: skus(20) },
        { title: 'Bags', product_items: items(10) },
      )
      const { template } = await taken(components, asked, marketing)
      expect(template['components']).toEqual([
        {
          type: 'button',
          sub_type: 'mpm',
          index: '0',
          parameters: [
            {
              type: 'action',
              action: {
                thumbnail_product_retailer_id: 'sku-0',
                sections: [
                  { title: 'Hats', product_items: items(20) },
                  { title: 'Bags', product_items: items(10) },
                ],
              },
            },
          ],
        },
      ])
    })

    test.each([
      [
        'more than thirty in one section',
        [{ title: 'Hats', product_retailer_ids: skus(31) }],
        ['sections'],
      ],
      [
        'more than thirty in all',
        [
          { title: 'Hats', product_retailer_ids: skus(20) },
          { title: 'Bags', product_items: items(11) },
        ],
        ['sections'],
      ],
      [
        'more than ten sections',
        Array.from({ length: 11 }, (_, index) => ({
          title: `T ${index}`,
          product_retailer_ids: skus(1),
        })),
        ['sections'],
      ],
      ['no section', [], ['sections']],
      ['a section of none', [{ title: 'Hats' }], ['sections.0.product_retailer_ids']],
      [
        'a title of 25 characters',
        [{ title: 'x'.repeat(25), product_retailer_ids: skus(1) }],
        ['sections.0.title'],
      ],
    ])('%s is refused', async (_what, sections, paths) => {
      expect(await refused(components, chosen(...sections), marketing)).toMatchObject({
        code: 'invalid_params',
        paths: paths.map((path) => `body.button_params.0.${path}`),
      })
    })
  })

  test('with a place in its header', async () => {
    const place = { latitude: 52.5, longitude: 13.4, name: 'Shop', address: 'Street 1' }
    const { template } = await taken([{ type: 'HEADER', format: 'LOCATION' }, ...numbered(1)], {
      header_params: place,
      template_params: { '1': 'x' },
    })
    expect(template['components'][0]).toEqual({
      type: 'header',
      parameters: [{ type: 'location', location: place }],
    })
  })

  test('takes a stored file, a template file or an upload, and always names a document', async () => {
    const [jpeg, pdf] = [await upload(JPEG), await upload(PDF)]
    const image = [
      { type: 'HEADER', format: 'IMAGE' },
      ...buttons({ type: 'QUICK_REPLY', text: 'Ok' }),
    ]
    const asked = await taken(image, { header_media_id: jpeg })
    expect(asked.template['components'][0]).toEqual({
      type: 'header',
      parameters: [{ type: 'image', image: { id: expect.stringMatching(/^\d+$/) } }],
    })
    expect(asked.message['media']).toMatchObject({ id: jpeg, mime_type: 'image/jpeg' })

    const document = [
      { type: 'HEADER', format: 'DOCUMENT' },
      ...buttons({ type: 'QUICK_REPLY', text: 'Ok' }),
    ]
    const own = await taken(document, {}, { header_media_id: pdf })
    expect(own.template['components'][0]['parameters'][0]['document']).toEqual({
      id: expect.any(String),
      filename: 'receipt.pdf',
    })
    const named = await taken(document, { header_media_id: pdf, header_media_filename: 'May.pdf' })
    expect(named.template['components'][0]['parameters'][0]['document']).toEqual({
      id: expect.any(String),
      filename: 'May.pdf',
    })

    const { id } = await approvedTemplate(fixture.world, {
      components: [{ type: 'HEADER', format: 'IMAGE' }, ...GREETING],
    })
    const form = new FormData()
    form.set('contact_id', fixture.contact['id'] as string)
    form.set('template_id', id as string)
    form.set('template_params', JSON.stringify({ name: 'Ana', order_id: '1' }))
    form.set('header_file', new Blob([new Uint8Array(JPEG.bytes)], { type: JPEG.type }), JPEG.name)
    const client = await fixture.world.as('manager')
    const answer = await fetch(`${client.url}/api/messages/template`, {
      method: 'POST',
      headers: client.headers,
      body: form,
    })
    const { data } = (await answer.json()) as Loose
    expect({
      status: answer.status,
      media: data?.['media']?.['mime_type'],
      name: data?.['template_name'],
    }).toMatchObject({
      status: 201,
      media: 'image/jpeg',
    })
    await fixture.world.settle()
    expect(
      (await (await fixture.world.as('manager')).get(`/api/messages/${data['id']}`)).data['status'],
    ).toBe('delivered')
  })

  test('with the cards of a carousel, each with its file', async () => {
    const [first, second] = [await upload(JPEG), await upload({ ...JPEG, name: 'other.jpg' })]
    const card = (mediaId: string | undefined) => ({
      components: [
        {
          type: 'HEADER',
          format: 'IMAGE',
          ...(mediaId === undefined ? {} : { media_id: mediaId }),
        },
        {
          type: 'BODY',
          text: 'Now with {{1}} percent off all of it',
          example: { body_text: [['10']] },
        },
        {
          type: 'BUTTONS',
          buttons: [
            { type: 'URL', text: 'Shop', url: 'https://example.com/{{1}}', example: ['x'] },
          ],
        },
      ],
    })
    const carousel = [...numbered(1), { type: 'CAROUSEL', cards: [card(undefined), card(second)] }]
    const values = (body: string, end: string): Loose => ({
      template_params: { '1': body },
      button_params: { '0': end },
    })
    const { message, template } = await taken(
      carousel,
      {
        template_params: { '1': '20OFF' },
        cards: [{ ...values('10', 'a'), header_media_id: first }, values('15', 'b')],
      },
      { category: 'MARKETING' },
    )
    const { cards } = (template['components'] as Loose[])[1] as Loose
    expect(cards).toHaveLength(2)
    expect(cards[1]).toEqual({
      card_index: 1,
      components: [
        {
          type: 'header',
          parameters: [{ type: 'image', image: { id: expect.stringMatching(/^\d+$/) } }],
        },
        { type: 'body', parameters: [{ type: 'text', text: '15' }] },
        { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'b' }] },
      ],
    })
    expect(message['content']['cards']).toMatchObject([
      { header: { media_id: first }, body: 'Now with 10 percent off all of it' },
      { header: { media_id: second } },
    ])
    expect(
      (await (await fixture.world.as('manager')).get(`/api/media/${second}/info`)).data,
    ).toMatchObject({ expires_at: null })
  })

  test('with an offer that ends', async () => {
    const components = [
      { type: 'LIMITED_TIME_OFFER', text: 'Ends soon', has_expiration: true },
      ...buttons({ type: 'COPY_CODE', example: 'X' }),
    ]
    const { template } = await taken(
      components,
      { offer_expires_at: '2026-12-01T00:00:00.000Z', button_params: { '0': 'SAVE' } },
      { category: 'MARKETING' },
    )
    expect(template['components'][0]).toEqual({
      type: 'limited_time_offer',
      parameters: [
        {
          type: 'limited_time_offer',
          limited_time_offer: { expiration_time_ms: Date.UTC(2026, 11, 1) },
        },
      ],
    })
  })

  test('finds the template by name in the given language', async () => {
    for (const language of ['en', 'pt_BR'])
      await approvedTemplate(fixture.world, { name: 'by_name', language, components: numbered(1) })
    const asked = { template_name: 'by_name', template_params: { '1': 'x' } }
    expect((await send({ ...asked, language: 'pt-BR' })).data['content']['language']).toBe('pt_BR')
    expect((await send(asked)).body.errors?.[0]).toEqual({
      path: 'body.language',
      message: 'is required because the template has en, pt_BR',
    })
    for (const unknown of [
      { ...asked, language: 'fr' },
      { template_name: 'nobody' },
      { template_id: '01900000-0000-7000-8000-00000000f11e' },
    ])
      expect((await send(unknown)).body.code).toBe('template_not_found')
  })
})

describe('a one-time code', () => {
  const OTP = [
    { type: 'BODY', add_security_recommendation: true },
    { type: 'FOOTER', code_expiration_minutes: 5 },
    { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
  ]

  test('is in text and button, and masked everywhere in storage', async () => {
    const code = '837465'
    const { message, template } = await taken(
      OTP,
      { template_params: { '1': code } },
      { category: 'AUTHENTICATION' },
    )
    expect(template['components']).toEqual([
      { type: 'body', parameters: [{ type: 'text', text: code }] },
      { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: code }] },
    ])
    expect(message['content']).toMatchObject({
      body: '•••• is your verification code. For your security, do not share this code.',
      footer: 'This code expires in 5 minutes.',
      params: { '1': '••••' },
    })
    const kept = JSON.stringify(
      ['messages', 'message_words', 'events', 'jobs', 'send_attempts'].map((table) =>
        fixture.world.rows(`select * from ${table}`),
      ),
    )
    expect({
      isKept: kept.includes(code),
      isLogged: fixture.world.logLines.join().includes(code),
    }).toEqual({ isKept: false, isLogged: false })
    expect(
      fixture.world.rows('select send_options from messages where id = ?', message['id'] as string),
    ).toEqual([{ send_options: '{}' }])
  })

  test('is encrypted while it waits, and not sent once more', async () => {
    const { id } = await approvedTemplate(fixture.world, {
      components: OTP,
      category: 'AUTHENTICATION',
    })
    fixture.world.simulator.fail({ code: 131_008, message: 'Required parameter is missing' })
    const { data } = await send({ template_id: id, template_params: { '1': '118822' } })
    const [waiting] = fixture.world.rows<{ send_options: string }>(
      'select send_options from messages where id = ?',
      data['id'] as string,
    )
    expect({
      isSealed: waiting?.send_options.includes('sealed'),
      isReadable: waiting?.send_options.includes('118822'),
    }).toEqual({
      isSealed: true,
      isReadable: false,
    })
    await fixture.world.settle()
    const again = await (
      await fixture.world.as('manager')
    ).post(`/api/messages/${data['id']}/resend`)
    expect({ status: again.status, code: again.body.code }).toEqual({
      status: 409,
      code: 'not_resendable',
    })
  })

  test('is rejected above 15 characters or with another code in the button', async () => {
    const authentication = { category: 'AUTHENTICATION' }
    expect(
      (await refused(OTP, { template_params: { '1': '1'.repeat(16) } }, authentication)).paths,
    ).toEqual(['body.template_params.1'])
    expect(
      (
        await refused(
          OTP,
          { template_params: { '1': '1' }, button_params: { '0': '2' } },
          authentication,
        )
      ).paths,
    ).toEqual(['body.button_params.0'])
  })

  test('is sent to phone numbers only', async () => {
    const { id } = await approvedTemplate(fixture.world, {
      components: OTP,
      category: 'AUTHENTICATION',
    })
    const answer = await (
      await fixture.world.as('manager')
    ).post('/api/messages/template', {
      user_id: 'US.90000000000000000077',
      template_id: id,
      template_params: { '1': '1' },
    })
    expect({ status: answer.status, code: answer.body.code }).toEqual({
      status: 400,
      code: 'phone_required',
    })
  })
})

describe('invalid values are rejected and store nothing', () => {
  test('missing values are named', async () => {
    expect(await refused(GREETING)).toEqual({
      code: 'missing_params',
      message: 'Missing template parameters: name, order_id. Expected parameters: [name, order_id]',
      paths: ['body.template_params.name', 'body.template_params.order_id'],
    })
  })

  test('the end of an offer left out', async () => {
    const offer = [
      { type: 'LIMITED_TIME_OFFER', text: 'Ends soon', has_expiration: true },
      ...buttons({ type: 'COPY_CODE', example: 'X' }),
    ]
    expect(
      await refused(offer, { button_params: { '0': 'SAVE' } }, { category: 'MARKETING' }),
    ).toMatchObject({
      code: 'missing_params',
      paths: ['body.offer_expires_at'],
    })
  })

  const URL_BUTTON = buttons({
    type: 'URL',
    text: 'Go',
    url: 'https://example.com/{{1}}',
    example: ['x'],
  })
  const CASES: [
    what: string,
    components: () => Loose[],
    asked: Loose,
    code: string,
    path: string,
  ][] = [
    [
      'a surplus value',
      () => GREETING,
      { template_params: { name: 'a', order_id: 'b', color: 'c' } },
      'invalid_params',
      'body.template_params.color',
    ],
    [
      'a line break',
      () => numbered(1),
      { template_params: { '1': 'a\nb' } },
      'invalid_params',
      'body.template_params.1',
    ],
    [
      'a tab',
      () => numbered(1),
      { template_params: { '1': 'a\tb' } },
      'invalid_params',
      'body.template_params.1',
    ],
    [
      'five spaces',
      () => numbered(1),
      { template_params: { '1': 'a     b' } },
      'invalid_params',
      'body.template_params.1',
    ],
    [
      'a value that is too long',
      () => numbered(1),
      { template_params: { '1': 'x'.repeat(1_025) } },
      'invalid_params',
      'body.template_params.1',
    ],
    [
      'a text that becomes too long',
      () => numbered(1),
      { template_params: { '1': 'x'.repeat(1_020) } },
      'invalid_params',
      'body.template_params',
    ],
    [
      'a list for a value',
      () => numbered(1),
      { template_params: { '1': [1] } },
      'invalid_params',
      'body.template_params.1',
    ],
    [
      'an empty value',
      () => numbered(1),
      { template_params: { '1': ' ' } },
      'missing_params',
      'body.template_params.1',
    ],
    [
      'an amount without currency',
      () => numbered(1),
      { template_params: { '1': { currency: { fallback_value: '1' } } } },
      'invalid_params',
      'body.template_params.1',
    ],
    [
      'the end of an address left out',
      () => URL_BUTTON,
      {},
      'missing_params',
      'body.button_params.0',
    ],
    [
      'a space in an address',
      () => URL_BUTTON,
      { button_params: { '0': 'a b' } },
      'invalid_params',
      'body.button_params.0',
    ],
    [
      'a button that is not there',
      () => URL_BUTTON,
      { button_params: { '0': 'a', '1': 'b' } },
      'invalid_params',
      'body.button_params.1',
    ],
    [
      'a header left out',
      () => [
        { type: 'HEADER', format: 'TEXT', text: 'For {{1}}', example: { header_text: ['a'] } },
        ...buttons({ type: 'QUICK_REPLY', text: 'Ok' }),
      ],
      {},
      'missing_params',
      'body.header_params.1',
    ],
    [
      'a file left out',
      () => [{ type: 'HEADER', format: 'VIDEO' }, ...buttons({ type: 'QUICK_REPLY', text: 'Ok' })],
      {},
      'missing_params',
      'body.header_media_id',
    ],
    [
      'a place out of bounds',
      () => [
        { type: 'HEADER', format: 'LOCATION' },
        ...buttons({ type: 'QUICK_REPLY', text: 'Ok' }),
      ],
      { header_params: { latitude: 91, longitude: 0 } },
      'invalid_params',
      'body.header_params.latitude',
    ],
    [
      'a file it takes not',
      () => numbered(1),
      { template_params: { '1': 'x' }, header_media_id: '01900000-0000-7000-8000-00000000f11e' },
      'invalid_input',
      'body.header_media_id',
    ],
    [
      'the end of an offer it has not',
      () => numbered(1),
      { template_params: { '1': 'x' }, offer_expires_at: '2026-12-01T00:00:00.000Z' },
      'invalid_params',
      'body.offer_expires_at',
    ],
    [
      'cards it has not',
      () => numbered(1),
      { template_params: { '1': 'x' }, cards: [{}] },
      'invalid_params',
      'body.cards',
    ],
    [
      'a form it has not',
      () => numbered(1),
      { template_params: { '1': 'x' }, flow_params: { flow_token: 't' } },
      'invalid_params',
      'body.flow_params',
    ],
    [
      'id and name at once',
      () => numbered(1),
      { template_name: 'x' },
      'invalid_input',
      'body.template_id',
    ],
  ]
  test.each(CASES)('%s', async (_what, components, asked, code, path) => {
    const answer = await refused(components(), asked)
    expect(answer).toMatchObject({ code, paths: [path] })
  })

  test('rejects a draft, and marketing for contacts who opted out', async () => {
    const draft = await draftTemplate(fixture.world, { components: numbered(1) })
    expect(
      (await send({ template_id: draft['id'], template_params: { '1': 'x' } })).body,
    ).toMatchObject({
      code: 'template_not_approved',
      details: { status: 'DRAFT' },
    })
    const client = await fixture.world.as('manager')
    await client.post(`/api/contacts/${fixture.contact['id']}/consents`, {
      state: 'opted_out',
      source: 'agent',
    })
    expect(
      (await refused(numbered(1), { template_params: { '1': 'x' } }, { category: 'MARKETING' }))
        .code,
    ).toBe('opted_out')
    await client.post(`/api/contacts/${fixture.contact['id']}/consents`, {
      state: 'opted_in',
      source: 'agent',
    })
  })

  test('a template of another organization, and a number of another business account', async () => {
    const [foreign] = fixture.world.rows<{ id: string }>('select id from templates limit 1')
    const other = await fixture.world.as('manager', fixture.world.other)
    const answer = await other.post('/api/messages/template', {
      phone_number: '+15550109876',
      template_id: foreign?.id,
    })
    expect({ status: answer.status, code: answer.body.code }).toEqual({
      status: 400,
      code: 'template_not_found',
    })
    fixture.world.simulator.addPhone({
      id: '301000000000009',
      wabaId: '201000000000009',
      token: fixture.world.tenant.token,
    })
    const admin = await fixture.world.as('admin')
    const second = await admin.post('/api/accounts', {
      name: 'Second',
      phone_id: '301000000000009',
      business_id: '201000000000009',
      access_token: fixture.world.tenant.token,
    })
    const mismatch = await refused(numbered(1), {
      template_params: { '1': 'x' },
      account_id: second.data['id'],
    })
    expect(mismatch).toMatchObject({ code: 'invalid_input', paths: ['body.account_id'] })
    const { id } = await approvedTemplate(fixture.world, { components: numbered(1) })
    const named = await send({
      template_id: id,
      template_params: { '1': 'x' },
      account_name: `${fixture.world.tenant.name} main`,
    })
    expect({ status: named.status, account: named.data['account_id'] }).toEqual({
      status: 201,
      account: fixture.world.tenant.accountId,
    })
  })
})

test('a send is previewed with everything filled in, and leaves nothing', async () => {
  const { id } = await approvedTemplate(fixture.world, { components: GREETING })
  const before = tracesIn(fixture.world)
  const client = await fixture.world.as('manager')
  const { status, data } = await client.post('/api/messages/preview', {
    contact_id: fixture.contact['id'],
    type: 'template',
    template_id: id,
    template_params: { name: 'Ana', order_id: 1 },
  })
  expect({
    status,
    window: data['window_open'],
    body: data['rendered']['content']['body'],
  }).toEqual({
    status: 200,
    window: false,
    body: 'Hello Ana, your order 1 is on its way to you.',
  })
  expect(data['platform_payload']['template']['components'][0]['parameters']).toHaveLength(2)
  expect(tracesIn(fixture.world)).toEqual(before)
})

test('a template that failed is sent once more as it was', async () => {
  await fixture.world.settle()
  const { id } = await approvedTemplate(fixture.world, { components: GREETING })
  fixture.world.simulator.fail({ code: 131_026, message: 'Message undeliverable' })
  const { data } = await send({ template_id: id, template_params: { name: 'Ana', order_id: 7 } })
  await fixture.world.settle()
  const client = await fixture.world.as('manager')
  const again = await client.post(`/api/messages/${data['id']}/resend`)
  expect({ status: again.status, content: again.data['content'] }).toEqual({
    status: 201,
    content: data['content'],
  })
  await fixture.world.settle()
  expect((await client.get(`/api/messages/${again.data['id']}`)).data['status']).toBe('delivered')
})
