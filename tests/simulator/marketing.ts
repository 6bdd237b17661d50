import type { Phone } from './accounts'
import type { Call } from './calls'
import type { Accepted } from './checks'
import type { Failure } from './errors'

/** Members of a body that only `/marketing_messages` knows. */
const OWN_MEMBERS = ['message_activity_sharing', 'product_policy']

/** Whether a call goes to the path for marketing messages. */
export const isMarketingCall = (call: Pick<Call, 'path'>): boolean =>
  call.path.endsWith('/marketing_messages')

/**
 * Returns why the path of a call does not take a message. The path for marketing messages takes
 * marketing templates of onboarded businesses; the other one refuses marketing if the business
 * switched it off there.
 */
export function pathRejection(
  phone: Phone,
  call: Pick<Call, 'path'>,
  sent: { accepted: Accepted; body: Record<string, unknown> },
): Failure | undefined {
  const isMarketing = sent.accepted.kind === 'message' && sent.accepted.category === 'marketing'
  if (!isMarketingCall(call)) {
    const foreign = OWN_MEMBERS.find((name) => sent.body[name] !== undefined)
    if (foreign !== undefined)
      return { code: 100, details: `Unexpected key "${foreign}" on param.` }
    return isMarketing && phone.isMarketingOff
      ? { code: 131063, details: 'Marketing messages are disabled on Cloud API.' }
      : undefined
  }
  if (!isMarketing)
    return { code: 131055, details: 'Only marketing templates are allowed on this endpoint.' }
  const sharing = sent.body['message_activity_sharing']
  if (sharing !== undefined && typeof sharing !== 'boolean')
    return { code: 100, details: 'Param message_activity_sharing must be a boolean.' }
  return phone.marketingStatus === 'ONBOARDED'
    ? undefined
    : { code: 131055, details: 'The business has not accepted the terms of this endpoint.' }
}
