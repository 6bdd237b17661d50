import type { PhoneNumberFacts } from '../../../../platform/client/phone-number'
import type { AccountRow } from '../view'
import type { FundingEvidence } from './state'

/** The answer about the payment method of a business account: its ID, or why there is none. */
export type FundingAnswer =
  | { kind: 'id'; id: string }
  /** The platform does not say it to this app, or there is none: both look alike. */
  | { kind: 'hidden' }
  /** The platform could not answer. */
  | { kind: 'none' }

/** The part of an inspection that concerns the payment method. */
export interface FundingAnswers {
  facts: Pick<PhoneNumberFacts, 'healthProblems'>
  funding: FundingAnswer
}

/**
 * Returns the columns that follow from the answer. An app that never learned of a payment method is
 * not asked again until its token is replaced.
 */
export function fundingColumns(
  { funding }: FundingAnswers,
  before: Pick<AccountRow, 'fundingId'> | null,
): Partial<Pick<AccountRow, 'fundingId' | 'isFundingHidden'>> {
  if (funding.kind === 'id') return { fundingId: funding.id, isFundingHidden: false }
  const isHidden = funding.kind === 'hidden' && (before?.fundingId ?? null) === null
  return isHidden ? { isFundingHidden: true } : {}
}

/**
 * Returns what an inspection says about the payment method; `null` if it says nothing new. `before`
 * is the number before the inspection was stored.
 */
export function evidenceOf(
  { facts, funding }: FundingAnswers,
  before: Pick<AccountRow, 'fundingState' | 'fundingSource' | 'fundingId'>,
  atMs: number,
): FundingEvidence | null {
  const { fundingState: state, fundingSource: source } = before
  if (facts.healthProblems.some(({ isPayment }) => isPayment))
    return { state: 'missing', source: 'health', atMs }
  if (funding.kind === 'id') {
    // The payment method that was refused is still there. Only another one proves anything.
    const isRefused = state === 'missing' && source === 'refused' && before.fundingId === funding.id
    return isRefused ? null : { state: 'attached', source: 'funding_id', atMs }
  }
  // What the platform no longer says does not hold any more.
  if (state === 'missing' && source === 'health') return { state: 'unknown', source, atMs }
  if (state === 'attached' && source === 'funding_id' && funding.kind === 'hidden')
    return { state: 'unknown', source, atMs }
  return null
}
