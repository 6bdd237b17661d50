import type { Phone } from './accounts'
import type { Pricing } from './billing'
import { isPermissionRequest, requestRejection } from './call-permissions'
import type { Call } from './calls'
import { checkSend, digitsOf } from './checks'
import type { Accepted } from './checks'
import { errorBody, refusal, titleOf } from './errors'
import type { Failure, Refusal } from './errors'
import type { Faults, StatusName } from './faults'
import { flowRejection } from './flow-sends'
import { directRejection, generatedTemplate, isDirectSend } from './direct-sends'
import { isMarketingMessage, pathRejection } from './marketing'
import type { StoredMedia } from './media-store'
import { parametersOf } from './parameters'
import type { StoredTemplate } from './template-store'
import { readSentTemplate } from './templates'
import { defaultPerson, statusChange } from './payloads'
import type { Person, StatusFacts } from './payloads'
import { isObject, isPlaceholder } from './rules'
import { deliver, businessNumberOf, seconds, targetOf } from './world'
import type { Changed, World } from './world'

/** Response to a call. */
export type Answer = { status: number; body: unknown; headers?: Record<string, string> }

type Message = Extract<Accepted, { kind: 'message' }>
type Sent = {
  phone: Phone
  message: Message
  wamid: string
  person: Person
  to: string
  pricing: Pricing
  templateId: string | undefined
}

/** Builds the response for a rejected call. */
export function rejected(world: World, why: Refusal): Answer {
  const retry: Record<string, string> =
    why.retryAfter === undefined ? {} : { 'retry-after': String(why.retryAfter) }
  const used = {
    type: 'whatsapp',
    call_count: 100,
    total_cputime: 10,
    total_time: 10,
    estimated_time_to_regain_access: why.usageMinutes,
  }
  const usage: Record<string, string> =
    why.usageMinutes === undefined
      ? {}
      : { 'x-business-use-case-usage': JSON.stringify({ '201000000000001': [used] }) }
  return {
    status: why.httpStatus,
    body: errorBody(why, world.ids.trace()),
    headers: { ...retry, ...usage },
  }
}

/**
 * Returns the names under which faults and waits know the recipient of a body. The first is the
 * wa_id, user ID or group ID.
 */
export function recipientNames(world: World, body: unknown): string[] {
  if (!isObject(body)) return []
  const { to, recipient } = body
  if (typeof to === 'string' && to !== '') {
    return body['recipient_type'] === 'group' ? [to] : [canonical(world, to), digitsOf(to), to]
  }
  return typeof recipient === 'string' && recipient !== '' ? [recipient] : []
}

function canonical(world: World, input: string): string {
  return isPlaceholder(input) ? (defaultPerson.waId ?? '') : world.waIdFor(world.dialled(input))
}

/**
 * Accepts or rejects a message or read receipt, as `/messages` does (platform document 2.1-2.5).
 */
export async function receiveMessage(
  world: World,
  phone: Phone,
  call: Call,
  faults: Partial<Faults>,
  changed: Changed,
): Promise<Answer> {
  const checked = checkCall(world, phone, call)
  if ('refusal' in checked) return rejected(world, checked.refusal)
  const { accepted, body } = checked
  if (accepted.kind === 'read') return { status: 200, body: { success: true } }
  if (call.method !== 'POST')
    return rejected(
      world,
      refusal({ code: 131055, details: `${call.method} is not allowed here.` }),
    )
  const { input, kind } = accepted.recipient
  const to = kind === 'number' ? (faults.waId ?? canonical(world, input)) : input
  if (kind === 'number') world.limits.join(phone.id, world.dialled(input), to)
  const isRequest = isPermissionRequest(body)
  const isDirect = isDirectSend(body)
  const rejection =
    pathRejection(phone, call, { accepted, body, kept: keptFor(world, phone, body) }) ??
    directRejection(phone, { accepted, body }) ??
    payerRejection(phone, body) ??
    flowRejection(world, phone, body) ??
    (isRequest ? requestRejection(world, phone, to) : undefined) ??
    world.limits.rejectionFor(
      phone.id,
      to,
      kind === 'group' ? 'group' : isDirect ? 'template' : accepted.type,
    )
  if (rejection !== undefined) return rejected(world, refusal(rejection))
  if (isRequest) world.callPermissions.count(phone.id, to, world.nowMs())
  const person =
    world.people.find(phone.id, to) ?? (kind === 'user' ? { userId: to } : { waId: to })
  const isTemplate = accepted.type === 'template'
  const pricing = world.billing.charge({
    phoneId: phone.id,
    person: to,
    category: isMarketingMessage(phone, call)
      ? 'marketing_lite'
      : isTemplate
        ? (accepted.category ?? 'utility')
        : isDirect
          ? 'utility'
          : undefined,
    isInsideWindow: world.limits.isWindowOpen(phone.id, to),
    nowMs: world.nowMs(),
  })
  const isUnpaid = pricing.billable && (phone.unpaid ?? 'no') !== 'no'
  if (isUnpaid && (isTemplate || isDirect)) return rejected(world, refusal({ code: 131_042 }))
  const fate = isUnpaid ? { ...faults, ...unpaidFate(phone) } : faults
  const templateId = isDirect ? generatedTemplate(world, phone, body).id : undefined
  const about = { phone, message: accepted, person, to, pricing, templateId }
  const sent: Sent = { ...about, wamid: world.ids.wamid() }
  call.wamid = sent.wamid
  call.recipient = to
  // Whoever sends gets the thread.
  if (!isDirect) world.threads.give(phone.id, person.waId ?? person.userId ?? to, 'us')
  await sendEarlyStatuses(world, sent, fate)
  sendStatuses(world, sent, fate, changed)
  for (const listener of world.accepted) listener(call)
  return { status: 200, body: successBody(sent) }
}

/** Checks the form of a call, by itself and against what is stored. */
function checkCall(
  world: World,
  phone: Phone,
  call: Call,
): { accepted: Accepted; body: Record<string, unknown> } | { refusal: Refusal } {
  const type = call.headers['content-type'] ?? ''
  if (!/^(application\/(json|x-www-form-urlencoded)|multipart\/form-data)/i.test(type))
    return {
      refusal: refusal({ code: 100, details: 'The content type must be application/json.' }),
    }
  if (!isObject(call.body))
    return { refusal: refusal({ code: 100, details: 'The body must be a JSON object.' }) }
  const body = parametersOf(call)
  const mimeOf = world.onlyUploads ? (id: string) => ownFile(world, phone, id)?.mime : undefined
  const find = (name: string, language: string) =>
    world.templateStore.find(phone.wabaId, name, language)
  const checked = checkSend(body, {
    senderDigits: digitsOf(phone.displayPhoneNumber),
    templates: world.templates,
    keptTemplates: { find, isStrict: world.onlyKeptTemplates },
    mimeOf,
  })
  return 'refusal' in checked ? checked : { accepted: checked.accepted, body }
}

/** What becomes of a message that nobody pays for. */
const unpaidFate = (phone: Phone): Partial<Faults> =>
  phone.unpaid === 'silent' ? { statuses: [] } : { failLater: { code: 131_042 } }

/** Returns the stored template that a body names. */
function keptFor(
  world: World,
  phone: Phone,
  body: Record<string, unknown>,
): StoredTemplate | undefined {
  const { name, language } = readSentTemplate(body['template'])
  return world.templateStore.find(phone.wabaId, name, language)
}

/** Returns why the messaging account of a message cannot pay for it, or `undefined`. */
function payerRejection(
  { messagingAccounts = [] }: Phone,
  { messaging_account_id: payer }: Record<string, unknown>,
): Failure | undefined {
  if (payer === undefined)
    return messagingAccounts.length > 1
      ? { code: 100, message: '(#100) The parameter messaging_account_id is required.' }
      : undefined
  return messagingAccounts.some((known) => known === payer)
    ? undefined
    : { code: 100, details: 'Param messaging_account_id is not valid for this phone number.' }
}

/**
 * Returns a file uploaded for or received by this number, or another number with the same token.
 */
function ownFile(world: World, phone: Phone, id: string): StoredMedia | undefined {
  const file = world.media.get(id)
  return file !== undefined && world.accounts.phone(file.phoneId)?.token === phone.token
    ? file
    : undefined
}

function successBody(sent: Sent): Record<string, unknown> {
  const { input, kind } = sent.message.recipient
  const contact = kind === 'user' ? { input, user_id: sent.to } : { input, wa_id: sent.to }
  const status = sent.message.type === 'template' ? { message_status: 'accepted' } : {}
  return {
    messaging_product: 'whatsapp',
    contacts: [contact],
    messages: [{ id: sent.wamid, ...status }],
  }
}

/** Sends status webhooks before the HTTP response. Waits until they are delivered or held. */
async function sendEarlyStatuses(world: World, sent: Sent, faults: Partial<Faults>): Promise<void> {
  for (const status of faults.early ?? []) await postStatus(world, sent, status, {})
}

/**
 * Sends status webhooks after the response. A reaction only gets `sent` (platform document 2.2).
 */
function sendStatuses(world: World, sent: Sent, faults: Partial<Faults>, changed: Changed): void {
  const usual =
    sent.message.type === 'reaction'
      ? world.statuses.filter((status) => status === 'sent')
      : world.statuses
  const sendEarlyStatuses = faults.early ?? []
  const names =
    faults.failLater === undefined
      ? (faults.statuses ?? usual).filter((status) => !sendEarlyStatuses.includes(status))
      : ['failed' as const]
  if (names.length === 0 || targetOf(world, sent.phone) === undefined) return
  world.busy.count += 1
  setImmediate(() => {
    world.busy.count -= 1
    for (const status of names) postStatus(world, sent, status, faults).catch(changed)
    changed()
  })
}

async function postStatus(
  world: World,
  sent: Sent,
  status: StatusName,
  faults: Partial<Faults>,
): Promise<void> {
  if (targetOf(world, sent.phone) === undefined) return
  const about = {
    line: businessNumberOf(sent.phone),
    person: sent.person,
    timestamp: seconds(world),
  }
  await deliver(
    world,
    sent.phone,
    statusChange(sent.wamid, status, factsFor(sent, status, faults), about),
  )
}

function factsFor(sent: Sent, status: StatusName, faults: Partial<Faults>): StatusFacts {
  const { callbackData, recipient } = sent.message
  const group =
    recipient.kind === 'group' ? { recipientId: sent.to, participant: defaultPerson.waId } : {}
  const code = faults.failLater?.code ?? 131026
  const error = { code, title: titleOf(code), details: faults.failLater?.details ?? titleOf(code) }
  return {
    callbackData,
    templateId: sent.templateId,
    ...group,
    contacts: sent.person.name !== undefined,
    ...(status === 'sent' || status === 'delivered' ? { pricing: sent.pricing } : {}),
    ...(status === 'failed' ? { error } : {}),
  }
}
