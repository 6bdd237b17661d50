import { defineHook } from '../../../../infra/transaction-hooks'

/** A keyword that a rule answered, or that started a bot flow. */
export interface KeywordHit {
  kind: 'rule' | 'flow'
  /** ID of the rule or flow. */
  id: string
  /** The keyword as the rule or flow has it; the first one if a button led there. */
  keyword: string
}

/** Runs when a keyword was hit on a phone number. */
export const KeywordHitRecorded = defineHook<KeywordHit & { accountId: string }>(
  'chatbot.keyword-hit',
)
