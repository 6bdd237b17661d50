import { expect, test } from 'bun:test'

import { systemCtx } from '../../../../src/infra/ctx'
import type { Attempt } from '../../../../src/infra/idempotency/store'
import { findAccount } from '../../../../src/modules/channel/accounts/queries'
import { World } from '../../../support/world'

test('requests with an Idempotency-Key share the rate limiter of their phone number', async () => {
  await using world = await World.create()
  const { http } = world.program
  const row = findAccount(systemCtx(http, world.tenant.id), world.tenant.accountId ?? '')
  if (!row) throw new Error('the number is not connected')
  const nowMs = http.clock.nowMs()
  http.rateLimiter.slowDown(row, nowMs, null)

  const attempt = http.idempotency.begin({
    organizationId: world.tenant.id,
    caller: 'user:u',
    route: 'POST /x',
    key: 'a',
    body: null,
    isMasked: false,
    answerOf: () => null,
  }) as Attempt
  const keyed = systemCtx({ ...http, db: attempt.db }, world.tenant.id)
  expect(keyed.rateLimiter.speed(row, nowMs)).toBe(40)
})
