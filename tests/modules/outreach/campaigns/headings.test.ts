import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import {
  claimedAhead,
  exclusionOf,
  failsTooOften,
  statusOfMessage,
  type Finished,
} from '../../../../src/modules/outreach/campaigns/rules'
import { CampaignFixture } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'
import { sendForm } from '../../../support/sending'

let fixture: CampaignFixture

beforeAll(async () => {
  fixture = await CampaignFixture.open({ tenants: 1 })
})

afterAll(() => fixture[Symbol.asyncDispose]())

describe('a file of recipients', () => {
  const imported = async (text: string): Promise<[answer: Loose, recipients: Loose[]]> => {
    const id = await fixture.draft()
    const answer = await sendForm(
      await fixture.manager,
      `/api/campaigns/${id}/recipients/import`,
      {},
      { name: 'people.csv', type: 'text/csv', bytes: new TextEncoder().encode(text) },
    )
    return [answer.data, await fixture.recipients(id)]
  }

  test.each([
    ...['Phone number', 'phone_number', 'phone', 'Telephone', 'tel', 'mobile', 'Mobile Number'],
    ...['cell', 'number', 'WhatsApp', 'whatsapp number', 'msisdn', 'wa_id'],
  ])('has its numbers under %s', async (heading) => {
    const [answer, recipients] = await imported(`${heading}\n15550300101\n`)
    expect(answer).toMatchObject({ imported: 1, invalid: 0 })
    expect(recipients).toMatchObject([{ phone_number: '15550300101' }])
  })

  test.each(['User id', 'user_id', 'WhatsApp user id', 'bsuid'])(
    'has user ids under %s',
    async (heading) => {
      const [answer] = await imported(`Phone,${heading}\n,US.1234567890123456\n`)
      expect(answer).toMatchObject({ imported: 1, invalid: 0 })
    },
  )

  test.each([
    ...['Recipient name', 'recipient_name', 'Name', 'full name', 'contact name', 'customer'],
    'Customer name',
  ])('has names under %s', async (heading) => {
    const [, recipients] = await imported(`Phone,${heading}\n15550300101,Ann\n`)
    expect(JSON.stringify(recipients)).toContain('"Ann"')
  })
})

describe('a campaign leaves out', () => {
  type Contact = Parameters<typeof exclusionOf>[0]
  const contact = (more: Partial<Contact> = {}) =>
    ({
      ...{ blockedAtMs: null, marketingConsent: 'opted_in', deletedAtMs: null },
      ...{ waId: null, phoneNumber: '15550300101', userId: null, parentUserId: null },
      undeliverableSinceMs: null,
      ...more,
    }) as Contact
  const nothing = { isExcluded: false, isRecent: false, lacksParams: false }
  const all = { isExcluded: true, isRecent: true, lacksParams: true }

  test.each<[of: Partial<Contact>, category: string, facts: typeof all, reason: string | null]>([
    [{}, 'MARKETING', nothing, null],
    [{ marketingConsent: 'opted_out' }, 'UTILITY', nothing, null],
    [{ marketingConsent: 'opted_out', deletedAtMs: 1 }, 'MARKETING', all, 'opted_out'],
    [{ marketingConsent: 'opted_out', blockedAtMs: 1 }, 'MARKETING', all, 'blocked'],
    [{ deletedAtMs: 1 }, 'MARKETING', all, 'no_address'],
    [{ phoneNumber: null }, 'UTILITY', nothing, 'no_address'],
    [{ phoneNumber: null, waId: '1' }, 'UTILITY', nothing, null],
    [{ phoneNumber: null, userId: 'U' }, 'UTILITY', nothing, null],
    [{ phoneNumber: null, parentUserId: 'P' }, 'UTILITY', nothing, null],
    [{ undeliverableSinceMs: 1 }, 'UTILITY', all, 'undeliverable'],
    [{}, 'UTILITY', all, 'excluded'],
    [{}, 'UTILITY', { ...all, isExcluded: false }, 'recently_contacted'],
    [{}, 'UTILITY', { ...nothing, lacksParams: true }, 'missing_params'],
  ])('%j in %s with %j: %p', (of, category, facts, reason) => {
    expect(exclusionOf(contact(of), category, facts)).toBe(reason as null)
  })
})

describe('too many of the last recipients failed', () => {
  const finished = (failed: number, of: number, platformCode: number | null = null): Finished[] =>
    Array.from({ length: of }, (_, nth) => ({
      status: nth < failed ? 'failed' : 'delivered',
      atMs: nth,
      platformCode,
    }))

  test.each<[finished: Finished[], isTooOften: boolean]>([
    [finished(19, 19), false],
    [finished(20, 20), true],
    [finished(2, 20), false],
    [finished(3, 20), true],
    [finished(4, 20, 131_049), false],
    [finished(5, 20, 131_049), true],
    [finished(5, 20, 137_000), true],
    [finished(3, 20, 131_000), true],
    [[], false],
  ])('above a tenth, of twenty at least, some codes for half: %#', (some, isTooOften) => {
    expect(failsTooOften(some, 0.1)).toBe(isTooOften)
  })
})

test('a recipient stands where its message stands', () => {
  for (const status of ['sent', 'delivered', 'read', 'failed', 'unknown'] as const)
    expect(statusOfMessage(status)).toBe(status)
  expect(statusOfMessage('pending')).toBe('sending')
})

test('a campaign claims two seconds ahead, twenty at least and two thousand at most', () => {
  expect([0, 1, 10, 10.2, 80, 999, 1_000, 5_000].map(claimedAhead)).toEqual([
    20, 20, 20, 21, 160, 1_998, 2_000, 2_000,
  ])
})
