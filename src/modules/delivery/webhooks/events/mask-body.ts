import { isCalendarDate, isInstant } from '../../../../lib/instant'
import { isUuid } from '../../../../lib/ids'
import { maskPhonesIn } from '../../../../lib/phone'

/** IDs of events and of messages on the platform, and paths of files. */
const TECHNICAL = /^(?:evt_|wamid\.|\/api\/)\S+$/

/**
 * Returns a rendered event with all phone numbers in its texts masked. IDs, times and numbers that
 * are no texts stay. It masks more than rendering does, because it cannot tell what people wrote.
 */
export const maskBody = (body: string): string =>
  JSON.stringify(
    JSON.parse(body, (_, value: unknown) =>
      typeof value === 'string' && !isTechnical(value) ? maskPhonesIn(value) : value,
    ),
  )

const isTechnical = (text: string): boolean =>
  isUuid(text) || isInstant(text) || isCalendarDate(text) || TECHNICAL.test(text)
