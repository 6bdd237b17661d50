/**
 * Who sends from a number: people and the API before bots, bots before campaigns (outbound contract
 * 4).
 */
export interface SendGateKey {
  accountId: string
  rank: 'person' | 'bot' | 'campaign'
  campaignId?: string | undefined
}

/**
 * The gate at which messages of a number wait for each kind of sender; each campaign has one of its
 * own.
 */
export const gateKeyOf = ({ accountId, rank, campaignId }: SendGateKey): string =>
  rank === 'person'
    ? accountId
    : [accountId, rank, ...(campaignId === undefined ? [] : [campaignId])].join(' ')

/** Who waits at a gate. */
export function parseGateKey(gateKey: string): SendGateKey {
  const [accountId = '', rank, campaignId] = gateKey.split(' ')
  return { accountId, rank: rank === 'bot' || rank === 'campaign' ? rank : 'person', campaignId }
}
