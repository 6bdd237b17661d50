import { isoTime } from '../../../../lib/clock'
import type { AccountNotice } from '../notify'
import { billingUrl, type AccountRow } from '../view'
import { noticeText } from '../../../organization/notifications/catalog'

/** Ways out of a missing payment method. */
const wayOut = (account: AccountRow): string =>
  `Add one at ${billingUrl(account)} and then resume the number.`

/** The notice that a business account has no payment method, which concerns so many numbers. */
export const missingNotice = (account: AccountRow, numbers: number): AccountNotice => ({
  kind: 'funding_missing',
  severity: 'critical',
  title: 'Payment method missing',
  text: noticeText('funding_missing', { numbers, url: billingUrl(account) }),
  body:
    'The business account has no valid payment method. Campaigns wait. Replies leave as long as ' +
    'there are free ones. ' +
    (numbers > 1 ? `This concerns ${numbers} numbers of the business account. ` : '') +
    wayOut(account),
})

/** The notice that replies of a number are refused. */
export const silentNotice = (account: AccountRow): AccountNotice => ({
  kind: 'number_silent',
  severity: 'critical',
  title: 'Customers get no answers',
  text: noticeText('number_silent', { url: billingUrl(account) }),
  body:
    'WhatsApp refused a reply because the business account has no valid payment method. Replies, ' +
    `bots and campaigns wait. ${wayOut(account)}`,
})

/** How many free service messages of a month are used, and when there are new ones. */
export interface AllowanceUse {
  free: number
  used: number
  resetsAtMs: number
}

const shown = (count: number): string => count.toLocaleString('en-US')

/** What it means for customers that the free messages are, or will be, used up. */
const CONSEQUENCES: Readonly<
  Record<AccountRow['fundingState'], { text: string; usedUp: string; severity: 'info' | 'warning' }>
> = {
  attached: {
    text: 'A payment method is stored. Replies are charged once they are used up.',
    usedUp: 'A payment method is stored. From now on, replies are charged.',
    severity: 'info',
  },
  missing: {
    text: 'There is no payment method: customers get no answers once they are used up.',
    usedUp: 'There is no payment method: customers get no answers from now on.',
    severity: 'warning',
  },
  unknown: {
    text:
      'WhatsApp does not tell whether there is a payment method. Without one, customers get no ' +
      'answers once they are used up.',
    usedUp:
      'WhatsApp does not tell whether there is a payment method. Without one, customers get no ' +
      'answers from now on.',
    severity: 'warning',
  },
}

/** The notice that a percentage of the free service messages of a month is used. */
export function allowanceNotice(
  account: AccountRow,
  { free, used, resetsAtMs }: AllowanceUse,
): AccountNotice {
  const { fundingState: state } = account
  const { text, usedUp, severity } = CONSEQUENCES[state]
  const isUsedUp = used >= free
  return {
    kind: 'service_allowance',
    severity: isUsedUp && state === 'missing' ? 'critical' : severity,
    title: `${shown(Math.min(free, used))} of ${shown(free)} free replies are used`,
    text: noticeText('service_allowance', {
      ...{ used: Math.min(free, used), free, payment: state },
      ...{ over: isUsedUp ? 'yes' : 'no', url: billingUrl(account), new_at: isoTime(resetsAtMs) },
    }),
    body: [
      isUsedUp ? usedUp : text,
      state === 'attached'
        ? null
        : state === 'missing'
          ? wayOut(account)
          : `Check it at ${billingUrl(account)}.`,
      `There are new ones at ${isoTime(resetsAtMs)}.`,
    ]
      .filter((sentence) => sentence !== null)
      .join(' '),
  }
}

/** The notice that no reply was delivered since the free ones are used up. */
export const suspectNotice = (account: AccountRow): AccountNotice => ({
  kind: 'number_silent',
  severity: 'critical',
  title: 'Customers may get no answers',
  text: noticeText('number_maybe_silent', { url: billingUrl(account) }),
  body:
    'The free replies of the month are used up, and WhatsApp has delivered none since. A payment ' +
    `method may be missing. Check it at ${billingUrl(account)}.`,
})
