import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'

import {
  plausibleTime,
  deriveDelivery,
  isKnownStatus,
  type LocalFacts,
  type StatusFact,
} from '../../../../src/modules/inbox/messages/rules'

const WORDS = [
  'sent',
  'delivered',
  'read',
  'played',
  'failed',
  'held_for_quality_assessment',
  'constructor',
]

const fact = (status: string, timestampMs: number, pricing: string | null = null): StatusFact => ({
  status,
  timestampMs,
  receivedAtMs: timestampMs,
  errors: status === 'failed' ? '[{"code":131026}]' : '[]',
  pricing,
  templateId: null,
})

/** A ledger: of each status at most one row, as its key allows. */
const ledger = fc
  .uniqueArray(
    fc.record({
      status: fc.constantFrom(...WORDS),
      timestampMs: fc.integer({ min: 1, max: 9 }),
      price: fc.option(fc.constantFrom('{"a":1}', '{"a":2}')),
    }),
    { selector: ({ status }) => status },
  )
  .map((rows) => rows.map(({ status, timestampMs, price }) => fact(status, timestampMs, price)))

const local = fc.record<LocalFacts>({
  base: fc.constantFrom('pending', 'unknown', 'failed'),
  acceptedAtMs: fc.option(fc.integer({ min: 1, max: 9 })),
})

const STEPS = ['pending', 'unknown', 'sent', 'delivered', 'read']

describe('the status of a message', () => {
  test('does not depend on the order of reports', () => {
    fc.assert(
      fc.property(ledger, local, fc.infiniteStream(fc.nat()), (facts, known, chance) => {
        const shuffled = facts
          .map((row) => ({ row, rank: chance.next().value as number }))
          .toSorted((a, b) => a.rank - b.rank)
          .map(({ row }) => row)
        expect(deriveDelivery(shuffled, known)).toEqual(deriveDelivery(facts, known))
      }),
    )
  })

  test('never goes back, except to failed before a delivery', () => {
    fc.assert(
      fc.property(ledger, local, (facts, known) => {
        const all = deriveDelivery(facts, known).status
        for (const [at] of facts.entries()) {
          const before = deriveDelivery(facts.toSpliced(at, 1), known).status
          if (all === 'failed') expect(['pending', 'unknown', 'sent', 'failed']).toContain(before)
          else if (before !== 'failed')
            expect(STEPS.indexOf(all)).toBeGreaterThanOrEqual(STEPS.indexOf(before))
          else expect(['delivered', 'read']).toContain(all)
        }
      }),
    )
  })

  test('every reached status has a time, filled in from later ones', () => {
    fc.assert(
      fc.property(ledger, local, (facts, known) => {
        const { status, sentAtMs, deliveredAtMs, readAtMs } = deriveDelivery(facts, known)
        if (status === 'read') expect(readAtMs).not.toBeNull()
        if (status === 'read' || status === 'delivered') expect(deliveredAtMs).not.toBeNull()
        if (['sent', 'delivered', 'read'].includes(status)) expect(sentAtMs).not.toBeNull()
      }),
    )
  })

  test('keeps a failure beside later statuses', () => {
    fc.assert(
      fc.property(ledger, local, (facts, known) => {
        const failed = facts.find(({ status }) => status === 'failed')
        expect(deriveDelivery(facts, known)).toMatchObject({
          failure: failed ?? null,
          failedAtMs: failed?.timestampMs ?? null,
        })
      }),
    )
  })

  test('ignores unknown statuses', () => {
    fc.assert(
      fc.property(ledger, local, (facts, known) => {
        const withoutPrices = facts.map((row) => ({ ...row, pricing: null }))
        const onlyKnown = withoutPrices.filter(({ status }) => isKnownStatus(status))
        expect(deriveDelivery(withoutPrices, known)).toEqual(deriveDelivery(onlyKnown, known))
      }),
    )
  })

  test.each<[StatusFact[], LocalFacts, Record<string, unknown>]>([
    [[], { base: 'pending', acceptedAtMs: null }, { status: 'pending', sentAtMs: null }],
    [[], { base: 'unknown', acceptedAtMs: null }, { status: 'unknown', sentAtMs: null }],
    [[], { base: 'failed', acceptedAtMs: null }, { status: 'failed', failedAtMs: null }],
    [[], { base: 'pending', acceptedAtMs: 3 }, { status: 'sent', sentAtMs: 3 }],
    [[fact('sent', 5)], { base: 'pending', acceptedAtMs: 3 }, { status: 'sent', sentAtMs: 5 }],
    [
      [fact('read', 7)],
      { base: 'pending', acceptedAtMs: null },
      { status: 'read', sentAtMs: 7, deliveredAtMs: 7, readAtMs: 7 },
    ],
    [
      [fact('played', 8)],
      { base: 'pending', acceptedAtMs: 3 },
      { status: 'read', readAtMs: 8, playedAtMs: 8, sentAtMs: 3 },
    ],
    [
      [fact('failed', 4), fact('sent', 5)],
      { base: 'pending', acceptedAtMs: 3 },
      { status: 'failed', failedAtMs: 4 },
    ],
    [[fact('failed', 4)], { base: 'unknown', acceptedAtMs: null }, { status: 'failed' }],
    [[fact('delivered', 4)], { base: 'failed', acceptedAtMs: null }, { status: 'delivered' }],
    [
      [fact('sent', 4, '"old"'), fact('read', 6, '"new"')],
      { base: 'pending', acceptedAtMs: 3 },
      { pricing: '"new"' },
    ],
    [
      [fact('sent', 4, '"low"'), fact('delivered', 4, '"high"')],
      { base: 'pending', acceptedAtMs: 3 },
      { pricing: '"high"' },
    ],
  ])('%j with %j', (facts, known, expected) => {
    expect(deriveDelivery(facts, known)).toMatchObject(expected)
  })
})

test.each([
  [null, 1_000_000, 1_000_000],
  [0, 1_000_000, 1_000_000],
  [-5, 1_000_000, 1_000_000],
  [900_000, 1_000_000, 900_000],
  [1_300_000, 1_000_000, 1_300_000],
  [1_300_001, 1_000_000, 1_000_000],
])('a platform time of %p received at %p counts as %p', (saidMs, receivedAtMs, countedMs) => {
  expect(plausibleTime(saidMs, receivedAtMs)).toBe(countedMs)
})
