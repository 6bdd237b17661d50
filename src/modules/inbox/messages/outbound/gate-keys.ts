/**
 * Phone number and kind of sender. Agents and the API go before bots, and bots before campaigns
 * (outbound contract 4).
 */
export interface SendGateKey {
  accountId: string
  rank: 'person' | 'bot' | 'campaign'
  campaignId?: string | undefined
}

/** Returns the gate key of a phone number and sender; each campaign has its own. */
export const gateKeyOf = ({ accountId, rank, campaignId }: SendGateKey): string =>
  rank === 'person'
    ? accountId
    : [accountId, rank, ...(campaignId === undefined ? [] : [campaignId])].join(' ')

/** Reads a gate key. */
export function parseGateKey(gateKey: string): SendGateKey {
  const [accountId = '', rank, campaignId] = gateKey.split(' ')
  return { accountId, rank: rank === 'bot' || rank === 'campaign' ? rank : 'person', campaignId }
}
