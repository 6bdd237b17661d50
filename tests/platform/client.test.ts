import { afterEach, describe, expect, test } from 'bun:test'
import { createPlatformClient } from '../../src/platform/client/client'
import type { PlatformClientOptions } from '../../src/platform/client/client'
import { PlatformError } from '../../src/platform/client/errors'

const TOKEN = 'EAAB-secret-token'
const NUMBER = { phoneId: '301000000000001', apiVersion: 'v25.0', accessToken: TOKEN }
const SEND = {
  ...NUMBER,
  payload: { messaging_product: 'whatsapp', text: { body: 'a private text' } },
}
const ACCEPTED = {
  contacts: [{ input: '15550109999', wa_id: '15550109999' }],
  messages: [{ id: 'wamid.OUT1' }],
}
const NOW_MS = Date.UTC(2026, 10, 21, 12, 0, 0)

const closers: Array<() => unknown> = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

/** Returns a client of a platform with the given responses. */
function clientOf(
  answer: (request: Request) => Response | Promise<Response>,
  options: Partial<PlatformClientOptions> = {},
) {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: answer })
  closers.push(() => server.stop(true))
  return clientAt(server.url.origin, options)
}

function clientAt(baseUrl: string, options: Partial<PlatformClientOptions> = {}) {
  const client = createPlatformClient({ baseUrl, nowMs: () => NOW_MS, ...options })
  closers.push(() => client.close())
  return client
}

/** A raw TCP server, for responses that no HTTP server sends. */
function rawServer(onData: (socket: { write(text: string): number; terminate(): void }) => void) {
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: (socket) => onData(socket), open: () => {} },
  })
  closers.push(() => server.stop(true))
  return server
}

async function failureOf(work: Promise<unknown>): Promise<PlatformError> {
  const error: unknown = await work.then(
    () => new Error('The call succeeded.'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof PlatformError)) throw error
  for (const secret of [TOKEN, 'private text', '127.0.0.1']) {
    expect(
      `${error.message} ${error.stack} ${JSON.stringify(error)}`.replaceAll(import.meta.dir, ''),
    ).not.toContain(secret)
  }
  return error
}

const graphError =
  (error: object, init: ResponseInit = { status: 400 }) =>
  () =>
    Response.json({ error }, init)

describe('sending a message', () => {
  test('posts token and body to the number and returns the message ID', async () => {
    const seen: Array<{
      method: string
      path: string
      token: string | null
      type: string | null
      body: unknown
    }> = []
    const client = clientOf(async (request) => {
      const { pathname } = new URL(request.url)
      const { headers, method } = request
      seen.push({
        method,
        path: pathname,
        token: headers.get('authorization'),
        type: headers.get('content-type'),
        body: await request.json(),
      })
      return Response.json(ACCEPTED)
    })
    const payload = { text: { body: 'café 🍕' } }
    expect(await client.sendMessage({ ...SEND, payload })).toEqual({
      waMessageId: 'wamid.OUT1',
      waId: '15550109999',
      userId: null,
      messageStatus: null,
    })
    expect(seen).toEqual([
      {
        method: 'POST',
        path: '/v25.0/301000000000001/messages',
        token: `Bearer ${TOKEN}`,
        type: 'application/json',
        body: payload,
      },
    ])
  })

  test('to a user ID returns the user ID and the message status', async () => {
    const client = clientOf(() =>
      Response.json({
        contacts: [{ input: 'US.9', user_id: 'US.9' }],
        messages: [{ id: 'wamid.2', message_status: 'held_for_quality_assessment' }],
      }),
    )
    expect(await client.sendMessage(SEND)).toEqual({
      waMessageId: 'wamid.2',
      waId: null,
      userId: 'US.9',
      messageStatus: 'held_for_quality_assessment',
    })
  })

  test.each<[string, Record<string, unknown>, string | null, string | null]>([
    ['digits', { wa_id: '5511987654321' }, '5511987654321', null],
    ['a plus', { wa_id: '+5511987654321' }, '5511987654321', null],
    ['a number', { wa_id: 5_511_987_654_321 }, '5511987654321', null],
    ['both IDs', { wa_id: '5511987654321', user_id: 'BR.9' }, '5511987654321', 'BR.9'],
    ['no ID', {}, null, null],
    ['something else', { wa_id: 'PHONE', user_id: 'someone' }, null, null],
  ])('to a number with a plus reads an answer with %s', async (_, ids, waId, userId) => {
    const client = clientOf(() =>
      Response.json({
        contacts: [{ input: '+5511987654321', ...ids }],
        messages: [{ id: 'wamid.3' }],
      }),
    )
    expect(await client.sendMessage(SEND)).toMatchObject({ waMessageId: 'wamid.3', waId, userId })
  })

  test('uses the path of the configured base URL', async () => {
    const paths: string[] = []
    const server = Bun.serve({
      port: 0,
      fetch: (request) => {
        paths.push(new URL(request.url).pathname)
        return Response.json(ACCEPTED)
      },
    })
    closers.push(() => server.stop(true))
    await clientAt(`${server.url.origin}/graph/`).sendMessage(SEND)
    expect(paths).toEqual(['/graph/v25.0/301000000000001/messages'])
  })

  test('keeps responses of concurrent calls apart', async () => {
    const client = clientOf(async (request) =>
      Response.json({ messages: [{ id: await request.text() }] }),
    )
    const sent = await Promise.all(
      Array.from({ length: 200 }, (_, n) => client.sendMessage({ ...SEND, payload: { n } })),
    )
    expect(sent.map(({ waMessageId }) => waMessageId)).toEqual(
      Array.from({ length: 200 }, (_, n) => `{"n":${n}}`),
    )
  })
})

describe('a definite refusal', () => {
  test('carries code, details and trace ID of the platform', async () => {
    const error = await failureOf(
      clientOf(
        graphError({
          message: '(#131056) pair rate',
          code: 131056,
          error_subcode: 2494055,
          error_data: { details: 'Too many' },
          fbtrace_id: 'Abc',
        }),
      ).sendMessage(SEND),
    )
    expect(error).toMatchObject({
      outcome: 'refused',
      retryClass: 'pair',
      platformCode: 131056,
      subcode: 2494055,
      httpStatus: 400,
      details: 'Too many',
      traceId: 'Abc',
      platformMessage: '(#131056) pair rate',
      retryAfterMs: null,
    })
  })

  test.each([
    ['code 0', graphError({ code: 0 }, { status: 401 }), 'refused', 'credential', 0],
    [
      'an expired token',
      graphError({ code: 190, error_subcode: 463 }, { status: 401 }),
      'refused',
      'credential',
      190,
    ],
    [
      'a code under HTTP 500',
      graphError({ code: 131016 }, { status: 500 }),
      'refused',
      'again',
      131016,
    ],
    [
      'a code under HTTP 200',
      graphError({ code: 131047 }, { status: 200 }),
      'refused',
      'window',
      131047,
    ],
    [
      'code 2 under HTTP 503',
      graphError({ code: 2 }, { status: 503 }),
      'ambiguous',
      'ambiguous',
      2,
    ],
    ['code 1 under HTTP 400', graphError({ code: 1 }), 'ambiguous', 'ambiguous', 1],
    [
      'details as plain text',
      graphError({ code: 100, error_data: 'plain' }),
      'refused',
      'content',
      100,
    ],
    [
      '429 without a code',
      () => new Response('slow down', { status: 429 }),
      'refused',
      'quota',
      null,
    ],
    ['404 without a body', () => new Response(null, { status: 404 }), 'refused', 'other', null],
    [
      'an error that is a text',
      () => Response.json({ error: 'no' }, { status: 400 }),
      'refused',
      'other',
      null,
    ],
    [
      'HTML 502',
      () => new Response('<html>Bad gateway</html>', { status: 502 }),
      'ambiguous',
      'ambiguous',
      null,
    ],
    [
      'JSON 500 without a code',
      () => Response.json({ ok: false }, { status: 500 }),
      'ambiguous',
      'ambiguous',
      null,
    ],
    [
      '200 without a message id',
      () => Response.json({ messages: [{}] }),
      'ambiguous',
      'ambiguous',
      null,
    ],
    ['200 with an array', () => Response.json([ACCEPTED]), 'ambiguous', 'ambiguous', null],
    ['200 that is not JSON', () => new Response('ok'), 'ambiguous', 'ambiguous', null],
    ['204', () => new Response(null, { status: 204 }), 'ambiguous', 'ambiguous', null],
  ] as const)('%s', async (_name, answer, outcome, retryClass, platformCode) => {
    expect(await failureOf(clientOf(answer).sendMessage(SEND))).toMatchObject({
      outcome,
      retryClass,
      platformCode,
    })
  })

  test('is not assumed for a null error next to a message ID', async () => {
    expect(
      await clientOf(() => Response.json({ ...ACCEPTED, error: null })).sendMessage(SEND),
    ).toMatchObject({ waMessageId: 'wamid.OUT1' })
  })

  test('has the token redacted from its message', async () => {
    const error = await failureOf(
      clientOf(
        graphError({
          code: 190,
          message: `Malformed access token ${TOKEN}`,
          error_data: { details: TOKEN },
        }),
      ).sendMessage(SEND),
    )
    expect(error).toMatchObject({
      platformMessage: 'Malformed access token [token]',
      details: '[token]',
    })
  })
})

describe('waiting time requested by the platform', () => {
  const usage = (minutes: number) =>
    JSON.stringify({
      '201': [{ type: 'whatsapp', call_count: 100, estimated_time_to_regain_access: minutes }],
    })
  test.each([
    ['seconds', { 'retry-after': '120' }, 120_000],
    ['a date', { 'retry-after': new Date(NOW_MS + 90_000).toUTCString() }, 90_000],
    ['a date that has passed', { 'retry-after': new Date(NOW_MS - 90_000).toUTCString() }, 0],
    ['nonsense', { 'retry-after': 'soon' }, null],
    ['a negative number', { 'retry-after': '-5' }, null],
    ['minutes of the usage header', { 'x-business-use-case-usage': usage(7) }, 420_000],
    ['a part of a minute', { 'x-business-use-case-usage': usage(0.1234567) }, 7_408],
    ['both: Retry-After', { 'retry-after': '3', 'x-business-use-case-usage': usage(7) }, 3000],
    ['a usage header that asks for nothing', { 'x-business-use-case-usage': usage(0) }, null],
    ['a broken usage header', { 'x-business-use-case-usage': '{"201":' }, null],
    ['years', { 'retry-after': '99999999999' }, 86_400_000],
    ['nothing', {}, null],
  ] as const)('%s', async (_name, headers, retryAfterMs) => {
    const error = await failureOf(
      clientOf(graphError({ code: 80007 }, { status: 429, headers })).sendMessage(SEND),
    )
    expect(error).toMatchObject({ retryClass: 'quota', retryAfterMs })
  })
})

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])(
    'HTTP %p is a refusal, and nothing is sent to its target',
    async (status) => {
      let stolen = 0
      const thief = Bun.serve({
        port: 0,
        fetch: () => {
          stolen += 1
          return Response.json(ACCEPTED)
        },
      })
      closers.push(() => thief.stop(true))
      const error = await failureOf(
        clientOf(
          () => new Response(null, { status, headers: { location: thief.url.href } }),
        ).sendMessage(SEND),
      )
      expect(error).toMatchObject({ outcome: 'refused', retryClass: 'other', httpStatus: status })
      expect(stolen).toBe(0)
    },
  )
})

describe('unreachable and safe to retry, since no byte was sent:', () => {
  const UNREACHABLE = {
    outcome: 'unreachable',
    retryClass: 'again',
    httpStatus: null,
    platformCode: null,
  } as const

  test('connection refused', async () => {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
    const { origin } = server.url
    await server.stop(true)
    expect(await failureOf(clientAt(origin).sendMessage(SEND))).toMatchObject({
      ...UNREACHABLE,
      details: 'ECONNREFUSED',
    })
  })

  test('unknown host name', async () => {
    expect(await failureOf(clientAt('http://graph.invalid').sendMessage(SEND))).toMatchObject(
      UNREACHABLE,
    )
  })

  test('the other side does not speak TLS', async () => {
    let requests = 0
    const plain = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => {
        requests += 1
        return Response.json(ACCEPTED)
      },
    })
    closers.push(() => plain.stop(true))
    expect(
      await failureOf(clientAt(`https://127.0.0.1:${plain.port}`).sendMessage(SEND)),
    ).toMatchObject(UNREACHABLE)
    expect(requests).toBe(0)
  })

  test('no TLS handshake within the connect timeout', async () => {
    const mute = rawServer(() => {})
    const client = clientAt(`https://127.0.0.1:${mute.port}`, { connectTimeoutMs: 50 })
    expect(await failureOf(client.sendMessage(SEND))).toMatchObject({
      ...UNREACHABLE,
      details: 'connect_timeout',
    })
  })

  test('aborted by the caller beforehand', async () => {
    const client = clientOf(() => Response.json(ACCEPTED))
    expect(
      await failureOf(client.sendMessage({ ...SEND, signal: AbortSignal.abort() })),
    ).toMatchObject({
      ...UNREACHABLE,
      details: 'aborted',
    })
  })
})

describe('ambiguous and never retried, since the request may have been executed:', () => {
  const AMBIGUOUS = { outcome: 'ambiguous', retryClass: 'ambiguous', platformCode: null } as const

  test('connection cut after the request', async () => {
    const server = rawServer((socket) => socket.terminate())
    expect(
      await failureOf(clientAt(`http://127.0.0.1:${server.port}`).sendMessage(SEND)),
    ).toMatchObject({ ...AMBIGUOUS, httpStatus: null })
  })

  test('connection cut during the response', async () => {
    const server = rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"messages":[')
      setImmediate(() => socket.terminate())
    })
    expect(
      await failureOf(clientAt(`http://127.0.0.1:${server.port}`).sendMessage(SEND)),
    ).toMatchObject(AMBIGUOUS)
  })

  test('a response that is not HTTP', async () => {
    const server = rawServer((socket) => socket.write('220 mail.example.com ESMTP\r\n\r\n'))
    expect(
      await failureOf(clientAt(`http://127.0.0.1:${server.port}`).sendMessage(SEND)),
    ).toMatchObject(AMBIGUOUS)
  })

  test('no response within the total timeout', async () => {
    const client = clientOf(() => new Promise<Response>(() => {}), { totalTimeoutMs: 300 })
    expect(await failureOf(client.sendMessage(SEND))).toMatchObject({
      ...AMBIGUOUS,
      details: 'total_timeout',
      httpStatus: null,
    })
  })

  test('an endless response until the total timeout', async () => {
    const client = clientOf(
      () => new Response(new ReadableStream({ start: (controller) => controller.enqueue('{') })),
      {
        totalTimeoutMs: 60,
      },
    )
    expect(await failureOf(client.sendMessage(SEND))).toMatchObject({
      ...AMBIGUOUS,
      details: 'total_timeout',
    })
  })

  test('a slow response after the connect timeout on an open connection', async () => {
    const gate = Promise.withResolvers<Response>()
    const client = clientOf(() => gate.promise, { connectTimeoutMs: 250, totalTimeoutMs: 500 })
    expect(await failureOf(client.sendMessage(SEND))).toMatchObject({
      ...AMBIGUOUS,
      details: 'total_timeout',
    })
  })

  test('aborted by the caller during the request', async () => {
    const controller = new AbortController()
    const client = clientOf(() => {
      controller.abort()
      return new Promise<Response>(() => {})
    })
    expect(
      await failureOf(client.sendMessage({ ...SEND, signal: controller.signal })),
    ).toMatchObject({ ...AMBIGUOUS, details: 'aborted' })
  })

  test('a response above the size limit', async () => {
    const client = clientOf(() => Response.json({ ...ACCEPTED, filler: 'x'.repeat(2000) }), {
      maxResponseBytes: 1000,
    })
    expect(await failureOf(client.sendMessage(SEND))).toMatchObject({
      ...AMBIGUOUS,
      details: 'answer_too_large',
    })
  })

  test('a reused connection that dies during the second message does not send it twice', async () => {
    let requests = 0
    const server = rawServer((socket) => {
      requests += 1
      const body = JSON.stringify(ACCEPTED)
      if (requests > 1) socket.terminate()
      else socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    })
    const client = clientAt(`http://127.0.0.1:${server.port}`)
    await client.sendMessage(SEND)
    expect(await failureOf(client.sendMessage(SEND))).toMatchObject(AMBIGUOUS)
    expect(requests).toBe(2)
  })
})

test('reads a response at the size limit completely', async () => {
  const answer = JSON.stringify(ACCEPTED)
  const client = clientOf(() => new Response(answer), { maxResponseBytes: answer.length })
  expect(await client.sendMessage(SEND)).toMatchObject({ waMessageId: 'wamid.OUT1' })
})

test('rejects a token that does not fit a header like an invalid one, without a call', async () => {
  let requests = 0
  const client = clientOf(() => {
    requests += 1
    return Response.json(ACCEPTED)
  })
  for (const accessToken of ['', 'two words', 'line\r\nbreak', 'ключ']) {
    expect(await failureOf(client.sendMessage({ ...SEND, accessToken }))).toMatchObject({
      outcome: 'refused',
      retryClass: 'credential',
    })
  }
  expect(requests).toBe(0)
})

test('throws TypeError for a malformed number ID, version or base URL', async () => {
  const client = clientAt('http://127.0.0.1:9')
  for (const call of [
    { ...SEND, phoneId: '../me' },
    { ...SEND, apiVersion: '25' },
  ]) {
    const error: unknown = await client.sendMessage(call).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TypeError)
  }
  expect(() =>
    createPlatformClient({ nowMs: Date.now, baseUrl: 'ftp://graph.example.com' }),
  ).toThrow(TypeError)
  expect(() => createPlatformClient({ nowMs: Date.now, baseUrl: 'graph.example.com' })).toThrow(
    TypeError,
  )
})

describe('phone number facts', () => {
  test('are requested with their fields and read', async () => {
    let asked: URL | null = null
    const client = clientOf((request) => {
      asked = new URL(request.url)
      return Response.json({
        id: '301000000000001',
        display_phone_number: '+1 555-010-0001',
        verified_name: 'Acme',
        quality_rating: 'GREEN',
        status: 'CONNECTED',
        code_verification_status: 'VERIFIED',
        account_mode: 'SANDBOX',
        throughput: { level: 'STANDARD' },
        whatsapp_business_manager_messaging_limit: 'TIER_2K',
        is_pin_enabled: true,
        webhook_configuration: {
          application: 'https://app.example.com/hook',
          phone_number: 'https://own.example.com/hook',
        },
        health_status: {
          can_send_message: 'LIMITED',
          entities: [
            { entity_type: 'PHONE_NUMBER', can_send_message: 'AVAILABLE' },
            {
              entity_type: 'WABA',
              errors: [
                { error_code: 141006, error_description: 'Payment', possible_solution: 'Pay' },
              ],
            },
          ],
        },
      })
    })
    expect(await client.getPhoneNumber(NUMBER)).toEqual({
      id: '301000000000001',
      displayPhoneNumber: '+1 555-010-0001',
      verifiedName: 'Acme',
      qualityRating: 'GREEN',
      status: 'CONNECTED',
      nameStatus: null,
      codeVerificationStatus: 'VERIFIED',
      accountMode: 'SANDBOX',
      platformType: null,
      throughputLevel: 'STANDARD',
      messagingLimitTier: 'TIER_2K',
      isOfficialBusinessAccount: null,
      isPinEnabled: true,
      isOnBizApp: null,
      canSendMessage: 'LIMITED',
      healthProblems: [
        {
          entityType: 'WABA',
          code: 141006,
          description: 'Payment',
          solution: 'Pay',
          isPayment: true,
        },
      ],
      isBlockedForPayment: false,
      callbackUrl: 'https://own.example.com/hook',
    })
    expect(asked).toMatchObject({ pathname: '/v25.0/301000000000001' })
  })

  test.each([
    [
      'an invisible number',
      graphError({ code: 100, error_subcode: 33 }),
      { outcome: 'refused', retryClass: 'content', platformCode: 100, subcode: 33 },
    ],
    [
      'a missing permission',
      graphError({ code: 200 }, { status: 403 }),
      { outcome: 'refused', retryClass: 'credential', platformCode: 200 },
    ],
    [
      'a response without an ID',
      () => Response.json({}),
      { outcome: 'ambiguous', details: 'no_id' },
    ],
  ] as const)('fail for %s', async (_name, answer, facts) => {
    expect(await failureOf(clientOf(answer).getPhoneNumber(NUMBER))).toMatchObject(facts)
  })
})

describe('archiving a template', () => {
  const CALL = {
    businessId: '201000000000001',
    apiVersion: 'v25.0',
    accessToken: TOKEN,
    templateId: '1680000000000001',
    isArchived: true,
  }

  /** A client whose archive is another server, and the requests that the two got. */
  function clientWithArchive(answer: object) {
    const graph: string[] = []
    const archive: unknown[] = []
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const { pathname } = new URL(request.url)
        const token = request.headers.get('authorization')
        archive.push([request.method, pathname, token, await request.json()])
        return Response.json(answer)
      },
    })
    closers.push(() => server.stop(true))
    const client = clientOf(
      (request) => {
        graph.push(request.url)
        return Response.json(ACCEPTED)
      },
      { archiveUrl: server.url.origin },
    )
    return { client, graph, archive }
  }

  test('goes to its own host, without a version, and only that', async () => {
    const { client, graph, archive } = clientWithArchive({
      archived_templates: [CALL.templateId],
      failed_templates: {},
    })
    expect(await client.archiveTemplate(CALL)).toBeNull()
    expect(archive).toEqual([
      [
        'POST',
        '/201000000000001/message_templates/archive',
        `Bearer ${TOKEN}`,
        { hsm_ids: CALL.templateId },
      ],
    ])
    expect(graph).toEqual([])
    await client.sendMessage(SEND)
    expect([graph.length, archive.length]).toEqual([1, 1])
  })

  test('and restoring it tell success, a reason, and neither apart', async () => {
    const restored = clientWithArchive({ unarchived_templates: [CALL.templateId] })
    expect(await restored.client.archiveTemplate({ ...CALL, isArchived: false })).toBeNull()
    expect(restored.archive).toMatchObject([
      ['POST', '/201000000000001/message_templates/unarchive', `Bearer ${TOKEN}`, {}],
    ])
    const refused = clientWithArchive({
      archived_templates: [],
      failed_templates: { [CALL.templateId]: 'Not approved.' },
    })
    expect(await refused.client.archiveTemplate(CALL)).toBe('Not approved.')
    const unclear = clientWithArchive({ unarchived_templates: [CALL.templateId] })
    const error = await failureOf(unclear.client.archiveTemplate(CALL))
    expect(error.outcome).toBe('ambiguous')
  })
})
