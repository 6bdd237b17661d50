import { describe, expect, test } from 'bun:test'
import { KNOWN_CODES } from '../../src/platform/client/error-codes'
import {
  PlatformError,
  RETRY_PLANS,
  classify,
  classifyFault,
  describePlatformError,
  pauseAfter,
} from '../../src/platform/client/errors'
import type { RetryClass } from '../../src/platform/client/errors'

const TABLE: ReadonlyArray<readonly [RetryClass, readonly number[]]> = [
  ['again', [131016, 131057, 133004]],
  ['throughput', [130429]],
  ['pair', [131056]],
  ['quota', [4, 17, 341, 613, 80007, 131064, 133016, 132069, 132015]],
  ['syncing', [134101]],
  ['ambiguous', [1, 2, 131000]],
  ['credential', [0, 3, 10, 190, 200, 210, 299, 131005]],
  ['account', [368, 131031, 131037, 131044, 131045, 131048, 133010]],
  ['payment', [131042]],
  ['messaging_account', []],
  ['window', [131047]],
  ['consent', [131050]],
  ['cap', [131049, 130472]],
  ['recipient', [131026, 131021, 131030, 131062, 130497, 137000]],
  [
    'content',
    [
      100, 131008, 131009, 131051, 131052, 131053, 131055, 131061, 131063, 132000, 132001, 132005,
      132007, 132008, 132012, 132016, 132018, 132068, 134100, 134102, 135000, 139000, 139001,
      139002, 139003, 139004, 139200,
    ],
  ],
  ['routing', [2494191, 138038]],
  ['other', [199, 300, 131020, 999999, -1]],
]
const CODES = TABLE.flatMap(([retryClass, codes]) =>
  codes.map((code) => [code, retryClass] as const),
)

describe('the class of a code', () => {
  test.each(CODES)('%p is %s for any HTTP status', (code, retryClass) => {
    for (const httpStatus of [200, 400, 401, 429, 500, 503, null])
      expect(classify({ code, subcode: 33, httpStatus })).toBe(retryClass)
  })

  test('the table holds no code that is missing in this test', () => {
    const named = new Set(CODES.map(([code]) => code))
    expect(KNOWN_CODES.filter((code) => !named.has(code))).toEqual([])
  })

  test.each([
    [429, 'quota'],
    [500, 'ambiguous'],
    [502, 'ambiguous'],
    [null, 'ambiguous'],
    [400, 'other'],
    [401, 'other'],
    [302, 'other'],
  ] as const)('without a code HTTP %p is %s', (httpStatus, retryClass) => {
    expect(classify({ code: null, subcode: null, httpStatus })).toBe(retryClass)
  })
})

describe('a refusal that names the messaging account', () => {
  const text = '(#100) The parameter messaging_account_id is required.'

  test.each([100, 131009, 999999, null])('with the code %p has a class of its own', (code) => {
    expect(classify({ code, subcode: null, httpStatus: 400, text })).toBe('messaging_account')
    expect(describePlatformError(code, 'messaging_account').code).toBe('messaging_account_rejected')
  })

  test.each([
    [131047, 'window'],
    [190, 'credential'],
    [131016, 'again'],
    [2, 'ambiguous'],
  ] as const)('with the code %p is %s as always', (code, retryClass) => {
    expect(classify({ code, subcode: null, httpStatus: 400, text })).toBe(retryClass)
  })

  test('is no refusal without a response, and no other text is one', () => {
    expect(classify({ code: null, subcode: null, httpStatus: 503, text })).toBe('ambiguous')
    for (const other of ['messaging_account', 'my_messaging_account_id_2', '', null])
      expect(classify({ code: 100, subcode: null, httpStatus: 400, text: other })).toBe('content')
  })

  test.each(['title', 'message', 'details'])('is read in the %s of a webhook error', (member) => {
    const fault = { code: 100, title: null, message: null, details: null, href: null }
    expect(classifyFault({ ...fault, [member]: text })).toBe('messaging_account')
    expect(classifyFault({ ...fault, [member]: text, code: null })).toBe('other')
  })
})

describe('error descriptions', () => {
  test.each(CODES)('%p has a stable code and a sentence', (code, retryClass) => {
    const words = describePlatformError(code, retryClass)
    expect(words.code).toMatch(/^[a-z]+(_[a-z]+)+$/)
    expect(words.message).toMatch(/^[A-Z].{20,160}\.$/)
  })

  test.each(TABLE.map(([retryClass]) => retryClass))(
    'the class %s has a description and a retry plan without a code',
    (retryClass) => {
      expect(describePlatformError(null, retryClass).message).toMatch(/^[A-Z].+\.$/)
      expect(RETRY_PLANS[retryClass]).toBeDefined()
    },
  )

  test.each([
    [131047, 'window', 'window_closed', false],
    [131050, 'consent', 'opted_out', false],
    [131049, 'cap', 'marketing_limited', true],
    [130472, 'cap', 'marketing_limited', true],
    [2, 'ambiguous', 'outcome_unknown', true],
    [null, 'ambiguous', 'outcome_unknown', true],
    [null, 'again', 'platform_unreachable', true],
    [777777, 'other', 'platform_rejected', false],
  ] as const)('%p of class %s is %s', (code, retryClass, word, retryable) => {
    expect(describePlatformError(code, retryClass)).toMatchObject({ code: word, retryable })
  })
})

describe('retry pauses', () => {
  const pausesOf = (retryClass: RetryClass) =>
    Array.from({ length: 9 }, (_, index) => pauseAfter(retryClass, index + 1, () => 0.5)).map(
      (ms) => (ms === null ? null : ms / 1000),
    )

  test('a failure before sending is tried eight times in all, with jitter', () => {
    expect(pausesOf('again')).toEqual([1, 2.5, 7.5, 30, 150, 450, 450, null, null])
  })

  test('the pair rate limit waits its full pauses, six calls in all', () => {
    expect(pausesOf('pair')).toEqual([6, 24, 96, 384, 384, null, null, null, null])
  })

  test('a quota waits from five minutes up to an hour until the message expires', () => {
    expect(pausesOf('quota')).toEqual([300, 600, 1200, 2400, 3600, 3600, 3600, 3600, 3600])
  })

  test.each(['ambiguous', 'window', 'consent', 'cap', 'recipient', 'content', 'other'] as const)(
    '%s is never retried automatically',
    (retryClass) => {
      expect(pauseAfter(retryClass, 1, () => 0.5)).toBeNull()
    },
  )
})

test('a platform error has our message and carries the facts', () => {
  const error = new PlatformError({
    outcome: 'refused',
    platformCode: 131047,
    subcode: null,
    httpStatus: 400,
    retryClass: 'window',
    retryAfterMs: null,
    details: 'd',
    traceId: 't',
    platformMessage: '(#131047) Re-engagement message',
  })
  expect(error).toBeInstanceOf(Error)
  expect(error.name).toBe('PlatformError')
  expect(error.message).toBe(describePlatformError(131047, 'window').message)
  expect(error).toMatchObject({
    outcome: 'refused',
    platformCode: 131047,
    httpStatus: 400,
    retryClass: 'window',
    details: 'd',
    traceId: 't',
  })
})
