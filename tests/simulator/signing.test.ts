import { describe, expect, test } from 'bun:test'
import { startPair } from './pair'
import { textMessage } from '../../src/simulator/payloads'
import { platformJson, signatureOf } from '../../src/simulator/signing'

describe('signatures', () => {
  test('agree with the published example', () => {
    const expected = 'sha256=b6978b21c4467654c466607663db9b43fae44b71083568df403e0a077089208e'
    expect(signatureOf('test-app-secret', '{"object":"whatsapp_business_account"}')).toBe(expected)
  })

  test('cover JSON with everything beyond ASCII escaped', () => {
    expect(platformJson({ text: 'café 🍕 a/b' })).toBe('{"text":"caf\\u00e9 \\ud83c\\udf55 a\\/b"}')
    expect(JSON.parse(platformJson({ text: 'مرحبا / "x"\n\u2028' }))).toEqual({
      text: 'مرحبا / "x"\n\u2028',
    })
  })

  test('match exactly the posted bytes', async () => {
    await using pair = await startPair({ appSecret: 'another-secret' })
    await pair.simulator.deliver(textMessage('café 🍕 https://example.com'))
    const [got] = pair.receiver.got
    expect(got?.text).toContain('caf\\u00e9 \\ud83c\\udf55 https:\\/\\/example.com')
    expect(got?.headers.get('x-hub-signature-256')).toBe(
      signatureOf('another-secret', got?.text ?? ''),
    )
  })

  test('can be wrong, absent or made with another secret on purpose', async () => {
    await using pair = await startPair({}, () => Response.json({ fine: true }, { status: 202 }))
    const body = textMessage('hi')
    const posted = await pair.simulator.post(body, {
      path: '/elsewhere?x=1',
      headers: { 'x-extra': '1' },
    })
    expect([posted.status, posted.json]).toEqual([202, { fine: true }])
    await pair.simulator.post('{"raw', { secret: 'other' })
    await pair.simulator.post(body, { signature: 'sha256=00' })
    await pair.simulator.post(body, { signature: null })
    const { got } = pair.receiver
    expect(got[0]?.url.href).toEndWith('/elsewhere?x=1')
    expect(got[0]?.headers.get('x-extra')).toBe('1')
    expect(got[1]?.text).toBe('{"raw')
    expect(got.map((item) => item.headers.get('x-hub-signature-256'))).toEqual([
      signatureOf(pair.simulator.appSecret, platformJson(body)),
      signatureOf('other', '{"raw'),
      'sha256=00',
      null,
    ])
  })

  test("use the secret of a number's own app", async () => {
    await using pair = await startPair()
    const phone = pair.simulator.addPhone({ appSecret: 'theirs' })
    await pair.simulator.deliver(textMessage('hi'), phone.id)
    const [got] = pair.receiver.got
    expect(got?.headers.get('x-hub-signature-256')).toBe(signatureOf('theirs', got?.text ?? ''))
  })
})

test('the handshake succeeds when the challenge comes back', async () => {
  await using pair = await startPair(
    {},
    (_, got) => new Response(got.url.searchParams.get('hub.challenge')),
  )
  expect(await pair.simulator.verifyCallback('token')).toEqual({ verified: true, status: 200 })
  expect(pair.receiver.got[0]?.url.searchParams.get('hub.verify_token')).toBe('token')
})

test('the handshake fails otherwise', async () => {
  await using pair = await startPair({}, () => 403)
  expect(await pair.simulator.verifyCallback('token')).toEqual({ verified: false, status: 403 })
})
