import { expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'

import { signWebhook } from '../../../../src/lib/standard-webhook'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

test('a signature is that of the published test vector (webhooks-out 3.4)', () => {
  expect(
    signWebhook(SECRET, {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestampS: 1_614_265_330,
      body: '{"test": 2432232314}',
    }),
  ).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})

test('a signature is the one that the published library makes, whatever the body', () => {
  const library = new Webhook(SECRET)
  for (const body of ['', '{}', '{"text":"Grüße 👋🏽 שלום"}', 'x'.repeat(20_000)]) {
    const timestampS = 1_790_000_000 + body.length
    const request = { id: `msg_${body.length}`, timestampS, body }
    expect(signWebhook(SECRET, request)).toBe(
      library.sign(request.id, new Date(timestampS * 1_000), body),
    )
  }
})
