import { DAY_MS } from '../../../../lib/clock'

/** The platform hands the data of the phone app over within this time after a connection. */
const REQUESTABLE_MS = DAY_MS

/** Columns of a number without data in the phone app. */
export const NO_PHONE_APP = {
  phoneAppUntilMs: null,
  phoneAppContacts: null,
  phoneAppHistory: null,
  phoneAppProgress: null,
} as const

/** Returns the columns of a number whose data in the phone app is to be requested. */
export const waitingForPhoneApp = (nowMs: number) => ({
  phoneAppUntilMs: nowMs + REQUESTABLE_MS,
  phoneAppContacts: 'waiting' as const,
  phoneAppHistory: 'waiting' as const,
  phoneAppProgress: null,
})
