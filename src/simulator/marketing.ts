import type { Phone } from './accounts'
import type { Call } from './calls'
import type { Accepted } from './checks'
import type { Failure } from './errors'
import type { StoredTemplate } from './template-store'

/** Members of a body that only `/marketing_messages` knows. */
const OWN_MEMBERS = ['message_activity_sharing', 'product_policy']

/** Whether a call goes to the path for marketing messages. */
const isMarketingCall = (call: Pick<Call, 'path'>): boolean =>
  call.path.endsWith('/marketing_messages')

/**
 * Whether an accepted call is charged as a marketing message. Those of businesses that have not
 * accepted the terms fall back to the way of all other messages.
 */
export const isMarketingMessage = (phone: Phone, call: Pick<Call, 'path'>): boolean =>
  isMarketingCall(call) && phone.marketingStatus === 'ONBOARDED'

/** What becomes of a message that cannot go as a marketing message. */
const POLICIES: readonly unknown[] = [undefined, 'CLOUD_API_FALLBACK', 'STRICT']

/**
 * Returns why the path of a call does not take a message. The path for marketing messages takes
 * marketing templates, with the policy `STRICT` only of onboarded businesses; the other one refuses
 * marketing if the business switched it off there. A template with a highest price is only sent as a
 * marketing message, and to a phone number.
 */
export function pathRejection(
  phone: Phone,
  call: Pick<Call, 'path'>,
  sent: { accepted: Accepted; body: Record<string, unknown>; kept: StoredTemplate | undefined },
): Failure | undefined {
  const reason = pathProblem(phone, call, sent)
  if (reason !== undefined || sent.kept?.maxPrice === undefined) return reason
  if (sent.body['recipient'] !== undefined)
    return { code: 131062, details: 'Templates with a max price need a phone number.' }
  return isMarketingMessage(phone, call)
    ? undefined
    : { code: 131061, details: 'Templates with a max price are not sent by Cloud API.' }
}

function pathProblem(
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
    return { code: 134100, details: 'Only marketing templates are allowed on this endpoint.' }
  const policy = sent.body['product_policy']
  if (!POLICIES.includes(policy))
    return {
      code: 100,
      details: 'Param product_policy must be one of {CLOUD_API_FALLBACK, STRICT}',
    }
  const sharing = sent.body['message_activity_sharing']
  if (sharing !== undefined && typeof sharing !== 'boolean')
    return { code: 100, details: 'Param message_activity_sharing must be a boolean.' }
  if (phone.marketingStatus === 'ONBOARDED') return undefined
  if (policy === 'STRICT')
    return { code: 131055, details: 'The business has not accepted the terms of this endpoint.' }
  return phone.isMarketingOff
    ? { code: 131063, details: 'Marketing messages are disabled on Cloud API.' }
    : undefined
}
