import { describe, expect, test } from 'bun:test'

import { hintOf, NO_HINT } from '../../../src/console/live/signup-hint'

const DIALOG = 'http://127.0.0.1:4000'
const FINISH = {
  type: 'WA_EMBEDDED_SIGNUP',
  event: 'FINISH',
  data: { phone_number_id: '301', waba_id: '201', business_id: '501', waba_ids: ['201'] },
}

const from = (origin: string, data: unknown) => hintOf({ origin, data }, DIALOG)

describe("what the platform's window tells", () => {
  test.each([
    DIALOG,
    'https://facebook.com',
    'https://www.facebook.com',
    'https://m.de.facebook.com',
  ])('is read if it comes from %s', (origin) => {
    expect(from(origin, FINISH)).toEqual({
      ...NO_HINT,
      isFinished: true,
      phoneId: '301',
      businessId: '201',
    })
    expect(from(origin, JSON.stringify(FINISH))).toEqual(from(origin, FINISH))
  })

  test.each([
    'https://evilfacebook.com',
    'https://facebook.com.evil.example',
    'https://facebook.com:8443',
    'http://www.facebook.com',
    'https://www.facebook.com/',
    'null',
    '',
  ])('is ignored if it comes from %p', (origin) => {
    expect(from(origin, FINISH)).toBeNull()
  })

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'no number',
      { event: 'FINISH_ONLY_WABA', data: { waba_id: '201' }, version: 3 },
      { isFinished: true, businessId: '201' },
    ],
    [
      'a number of the phone app',
      { event: 'FINISH_WHATSAPP_BUSINESS_APP_ONBOARDING', data: { waba_id: '201' }, version: 3 },
      { isFinished: true, businessId: '201' },
    ],
    [
      'a step at which a person gave up',
      { event: 'CANCEL', data: { current_step: 'PHONE_NUMBER_SETUP', waba_id: '201' } },
      { isCancelled: true, step: 'PHONE_NUMBER_SETUP' },
    ],
    [
      'an error',
      { event: 'CANCEL', data: { error_message: 'No more numbers.', error_code: '524126' } },
      { isCancelled: true, reason: 'No more numbers.' },
    ],
    ['an error of the next version', { event: 'ERROR', data: {} }, { isCancelled: true }],
    [
      'IDs that are none',
      { event: 'FINISH', data: { phone_number_id: '1; drop', waba_id: 7 } },
      { isFinished: true },
    ],
    ['an event that is not known yet', { event: 'LATER', data: null }, {}],
  ])('says %s', (_, message, hint) => {
    expect(from(DIALOG, { type: 'WA_EMBEDDED_SIGNUP', ...message })).toEqual({
      ...NO_HINT,
      ...hint,
    })
  })

  test('is nothing if it is another message', () => {
    const others = [
      { type: 'other', event: 'FINISH' },
      'cb=f2&domain=x',
      '{',
      '"text"',
      null,
      7,
      [],
    ]
    expect(others.map((data) => from(DIALOG, data))).toEqual(others.map(() => null))
  })
})
