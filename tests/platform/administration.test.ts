import { afterAll, describe, expect, test } from 'bun:test'

import { createPlatformClient, type PlatformClient } from '../../src/platform/client/client'
import { PlatformError } from '../../src/platform/client/errors'

const servers: Bun.Server<undefined>[] = []

afterAll(() => Promise.all(servers.map((server) => server.stop(true))))

/** Returns a client of a platform with the given responses. */
function clientOf(answer: (request: Request) => Response | Promise<Response>): PlatformClient {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
  servers.push(server)
  return createPlatformClient({ baseUrl: server.url.origin, nowMs: Date.now, totalTimeoutMs: 500 })
}

const RIGHT = { apiVersion: 'v25.0', accessToken: 'the-token' }
const NUMBER = { ...RIGHT, phoneId: '301' }
const BUSINESS = { ...RIGHT, businessId: '201' }
const APP = { id: '601', secret: 'the-app-secret' }
const PICTURE = {
  filename: 'picture.png',
  mimeType: 'image/png',
  sizeBytes: 3,
  stream: () => new Blob([new Uint8Array([1, 2, 3])]).stream(),
}

/** Every administration call. */
const CALLS: [name: string, call: (client: PlatformClient) => Promise<unknown>][] = [
  ['inspectToken', (client) => client.inspectToken({ ...RIGHT, app: APP })],
  [
    'exchangeCode',
    (client) =>
      client.exchangeCode({ apiVersion: 'v25.0', app: APP, code: 'the-code', redirectUri: null }),
  ],
  ['listPhoneNumbers', (client) => client.listPhoneNumbers(BUSINESS)],
  ['getBusinessFacts', (client) => client.getBusinessFacts(BUSINESS)],
  ['getMarketingStatus', (client) => client.getMarketingStatus(BUSINESS)],
  ['listSubscribedApps', (client) => client.listSubscribedApps(BUSINESS)],
  ['subscribeApp', (client) => client.subscribeApp(BUSINESS)],
  ['unsubscribeApp', (client) => client.unsubscribeApp(BUSINESS)],
  [
    'setCallback',
    (client) =>
      client.setCallback({
        ...NUMBER,
        callback: { url: 'https://x.example.com', verifyToken: 'the-verify-token' },
      }),
  ],
  ['setStorageRegion', (client) => client.setStorageRegion({ ...NUMBER, region: 'DE' })],
  ['registerNumber', (client) => client.registerNumber({ ...NUMBER, pin: '271828' })],
  ['getProfile', (client) => client.getProfile(NUMBER)],
  ['setProfile', (client) => client.setProfile({ ...NUMBER, fields: { about: 'x' } })],
  ['uploadToApp', (client) => client.uploadToApp({ ...RIGHT, appId: '601', file: PICTURE })],
  ['getFlowKey', (client) => client.getFlowKey(NUMBER)],
  ['setFlowKey', (client) => client.setFlowKey({ ...NUMBER, publicKey: 'pem' })],
]

async function failureOf(promise: Promise<unknown>): Promise<PlatformError> {
  const error: unknown = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (error instanceof PlatformError) return error
  throw new Error(`it did not fail as it should: ${String(error)}`)
}

describe.each(CALLS)('%s', (name, call) => {
  test('reports the code of a refusal and redacts its secrets from repeated text', async () => {
    const secrets = ['the-token', 'the-app-secret', 'the-code', '271828', 'the-verify-token']
    const said = secrets.join(' and ')
    const client = clientOf(() =>
      Response.json(
        { error: { code: 200, message: said, error_data: { details: said } } },
        { status: 400 },
      ),
    )
    const error = await failureOf(call(client))
    expect(error).toMatchObject({ outcome: 'refused', platformCode: 200, retryClass: 'credential' })
    const own: Record<string, string[]> = {
      inspectToken: ['the-token', 'the-app-secret'],
      exchangeCode: ['the-app-secret', 'the-code'],
      registerNumber: ['the-token', '271828'],
      setCallback: ['the-token', 'the-verify-token'],
    }
    const text = JSON.stringify([error, error.message, error.platformMessage, error.details])
    for (const secret of own[name] ?? ['the-token']) expect(text).not.toContain(secret)
  })

  test.each<[string, () => Response | Promise<Response>]>([
    ['an error page', () => new Response('<html>', { status: 502 })],
    ['no JSON', () => new Response('ok')],
    ['a list', () => Response.json([])],
    ['a redirect', () => Response.redirect('http://127.0.0.1:1/elsewhere')],
    ['silence', () => new Promise<Response>(() => undefined)],
  ])('fails with PlatformError for %s', async (_, answer) => {
    expect((await failureOf(call(clientOf(answer)))).name).toBe('PlatformError')
  })

  test('sends the token only to the platform, in the header or in the documented parameter', async () => {
    const asked: { url: URL; authorization: string | null }[] = []
    const client = clientOf((request) => {
      asked.push({ url: new URL(request.url), authorization: request.headers.get('authorization') })
      return Response.json({ success: true, id: 'upload:abc', h: 'h', data: [] })
    })
    await call(client).catch(() => undefined)
    expect(asked.length).toBeGreaterThan(0)
    for (const { url, authorization } of asked) {
      expect(url.pathname).toStartWith('/v25.0/')
      const isInQuery = name === 'inspectToken' || name === 'exchangeCode'
      expect({ name, authorization }).toEqual({
        name,
        authorization: isInQuery
          ? null
          : url.pathname.includes('upload:')
            ? 'OAuth the-token'
            : 'Bearer the-token',
      })
      expect(url.search.includes('the-token')).toBe(name === 'inspectToken')
    }
  })
})

describe.each([
  'subscribeApp',
  'unsubscribeApp',
  'setCallback',
  'registerNumber',
  'setProfile',
  'setFlowKey',
])('%s', (name) => {
  test.each([{}, { success: false }, { success: 'no' }])(
    'treats the response %p as a failure',
    async (body) => {
      const call = CALLS.find(([known]) => known === name)?.[1]
      expect(
        await failureOf(call?.(clientOf(() => Response.json(body))) ?? Promise.resolve()),
      ).toMatchObject({ outcome: 'ambiguous' })
    },
  )
})

describe('reads', () => {
  const answering = (body: unknown): PlatformClient => clientOf(() => Response.json(body))

  test('a token, with malformed values as missing', async () => {
    const data = {
      is_valid: true,
      app_id: 601,
      expires_at: '1790000000',
      scopes: ['a', 5, null],
      granular_scopes: [
        7,
        { scope: 'whatsapp_business_management', target_ids: ['1', 2, null, '1'] },
        { scope: 'pages', target_ids: ['9'] },
      ],
    }
    expect(await answering({ data }).inspectToken({ ...RIGHT, app: null })).toEqual({
      isValid: true,
      appId: '601',
      expiresAtMs: 1_790_000_000_000,
      scopes: ['a', '5'],
      businessIds: ['1', '2'],
    })
    expect(
      await answering({ data: { is_valid: false, expires_at: 0 } }).inspectToken({
        ...RIGHT,
        app: null,
      }),
    ).toMatchObject({
      isValid: false,
      expiresAtMs: null,
    })
    expect(
      await failureOf(answering({ data: {} }).inspectToken({ ...RIGHT, app: null })),
    ).toMatchObject({ outcome: 'ambiguous' })
  })

  test('a profile, flat or nested', async () => {
    const profile = {
      about: 'Hi',
      websites: ['https://a.example', 5, null],
      email: '',
      vertical: 'RETAIL',
      profile_picture_url: 'https://p.example',
    }
    const read = {
      about: 'Hi',
      address: null,
      description: null,
      email: null,
      websites: ['https://a.example', '5'],
      vertical: 'RETAIL',
      pictureUrl: 'https://p.example',
    }
    expect(await answering({ data: [profile] }).getProfile(NUMBER)).toEqual(read)
    expect(
      await answering({ data: [{ business_profile: profile, id: '1' }] }).getProfile(NUMBER),
    ).toEqual(read)
    expect(await answering({ data: 'x' }).getProfile(NUMBER)).toMatchObject({
      about: null,
      websites: [],
    })
  })

  test('the portfolio a business account belongs to: on whose behalf it is, otherwise its owner', async () => {
    const portfolioOf = async (facts: Record<string, unknown>): Promise<string | null> =>
      (await answering(facts).getBusinessFacts(BUSINESS)).portfolioId
    expect(await portfolioOf({ owner_business_info: { id: '1' } })).toBe('1')
    expect(
      await portfolioOf({
        owner_business_info: { id: '1' },
        on_behalf_of_business_info: { id: '2' },
      }),
    ).toBe('2')
    expect(await portfolioOf({})).toBeNull()
  })

  test.each([
    ['1', 'America/Los_Angeles'],
    ['71', 'Asia/Kolkata'],
    [474, 'UTC'],
    ['0', null],
    ['9999', null],
    ['Asia/Kolkata', null],
    [undefined, null],
  ])('the time zone %p of a business account as %p', async (timezone_id, timezone) => {
    expect((await answering({ timezone_id }).getBusinessFacts(BUSINESS)).timezone).toBe(timezone)
  })

  test.each([
    ['ONBOARDED', 'onboarded'],
    ['eligible', 'eligible'],
    ['INELIGIBLE', 'off'],
    ['NOT_STARTED', 'eligible'],
    ['REQUEST_SENT', 'eligible'],
    [{ status: 'TERM_OF_SERVICE_SIGNED', time: 1_790_000_000 }, 'onboarded'],
    ['IN_REVIEW', 'unknown'],
    [7, 'unknown'],
    [undefined, 'unknown'],
  ] as const)('the marketing status %p is %s', async (told, status) => {
    const client = answering({ id: '1', marketing_messages_onboarding_status: told })
    expect(await client.getMarketingStatus(BUSINESS)).toBe(status)
  })

  test('all pages of phone numbers, up to a limit', async () => {
    let pages = 0
    const client = clientOf((request) => {
      pages += 1
      const after = new URL(request.url).searchParams.get('after')
      const isLast = after === '2'
      return Response.json({
        data: [{ id: String(pages) }, 'odd'],
        paging: { cursors: { after: String(pages) }, ...(isLast ? {} : { next: 'https://x' }) },
      })
    })
    expect((await client.listPhoneNumbers(BUSINESS)).map(({ id }) => id)).toEqual(['1', '2', '3'])
    const endless = clientOf(() =>
      Response.json({
        data: [{ id: '1' }],
        paging: { cursors: { after: 'x' }, next: 'https://x' },
      }),
    )
    expect((await endless.listPhoneNumbers(BUSINESS)).length).toBe(20)
  })

  test('an upload session, and uploads to nothing else', async () => {
    for (const id of ['../301/messages', 'upload:../../301', 'https://elsewhere.example.com', '']) {
      const paths: string[] = []
      const client = clientOf((request) => {
        paths.push(new URL(request.url).pathname)
        return Response.json({ id, h: 'handle' })
      })
      expect(
        await failureOf(client.uploadToApp({ ...RIGHT, appId: '601', file: PICTURE })),
      ).toMatchObject({ outcome: 'ambiguous' })
      expect(paths).toEqual(['/v25.0/601/uploads'])
    }
  })
})

test('a malformed ID never reaches another path of the host', async () => {
  const client = clientOf(() => Response.json({ success: true }))
  for (const call of [
    () => client.subscribeApp({ ...BUSINESS, businessId: '../me' }),
    () => client.registerNumber({ ...NUMBER, phoneId: '', pin: '1' }),
    () => client.uploadToApp({ ...RIGHT, appId: 'debug_token/x', file: PICTURE }),
    () => client.getProfile({ ...NUMBER, apiVersion: 'v1/x' }),
  ])
    expect(
      await call().then(
        () => null,
        (error: unknown) => error,
      ),
    ).toBeInstanceOf(TypeError)
})
