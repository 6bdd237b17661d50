/** Time zones with clock changes at different days, and with offsets of half and quarter hours. */
export const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe']

const SLOT_MS = 900_000
const HOUR_MS = 3_600_000

/** Prices of messages, millionths of a dollar. */
export const PRICES = { service: 8_003, marketing: 51_007 } as const

/** A category without a price. */
export const UNPRICED = 'authentication'

/** A message as the model remembers it. */
export interface Fact {
  id: string
  wa: string
  contactId: string
  accountId: string
  type: string
  category: keyof typeof PRICES | typeof UNPRICED
  isOfCampaign: boolean
  /** Whether the platform never accepted it. */
  isRefused: boolean
  isIncoming: boolean
  /** When the platform accepted it, or the platform's time of an incoming one. */
  acceptedMs: number
  sentMs: number | null
  isDelivered: boolean
  isRead: boolean
  hasFailed: boolean
  pricing: string | null
  waitedMs: number | null
  /** For a message that is not stored any more: the local date and hour in which it was counted. */
  isGone: boolean
  date: string | null
  hourMs: number | null
}

/** A contact as the model remembers it. */
export interface Known {
  seenMs: number
  accounts: Set<string>
  mergedInto: string | null
  isErased: boolean
}

export const atOf = (fact: Fact): number =>
  fact.isIncoming ? fact.acceptedMs : (fact.sentMs ?? fact.acceptedMs)
export const isFailed = (fact: Fact): boolean =>
  fact.isRefused || (fact.hasFailed && !fact.isDelivered)
export const isSent = ({ isIncoming, isRefused }: Fact): boolean => !isIncoming && !isRefused
export const slotOf = (ms: number): number => Math.floor(ms / SLOT_MS)

export const dateIn = (ms: number, zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDate().toString()

/** Returns the start of the local hour of a time. Hours begin with the local day. */
export function hourIn(ms: number, zone: string): number {
  const slotMs = slotOf(ms) * SLOT_MS
  const at = Temporal.Instant.fromEpochMilliseconds(slotMs).toZonedDateTimeISO(zone)
  const dayMs = at.startOfDay().epochMilliseconds
  return slotMs - ((slotMs - dayMs) % HOUR_MS)
}
