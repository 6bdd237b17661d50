import { AppError } from '../../../lib/errors'
import { isoTime, SECOND_MS } from '../../../lib/clock'
import type { Ctx } from '../../../infra/ctx'
import { isObject, objectOf } from '../../../platform/lenient-json'
import { updateContact } from '../../contacts/create'
import { findContact } from '../../contacts/service'
import { displayNameOf } from '../../contacts/view'
import { factsOf } from '../definition'
import { readRules } from './config'
import { chooseRule, fillIn } from '../rules'
import type { FlowRow, StoredConfig } from '../view'
import { AnswerRefusal, askCustomer, type Question, type Screen } from './call-customer'

/** So long after a form asked, it gets an answer, whatever has come of the question. */
const PATIENCE_MS = 8 * SECOND_MS

/** The screen that ends every form. */
const END = 'SUCCESS'

const POLITE = 'Something went wrong. Please try again in a moment.'

/** What a form is answered, and how that came about. */
export interface Exchanged {
  answer: Record<string, unknown>
  outcome: 'answered' | 'completed' | 'error'
  /** A word for the log. */
  error: string | null
}

/**
 * Finds out what a form's endpoint answers a question: by its rules, or from the customer's
 * address. Whatever goes wrong, and after eight seconds in any case, the form shows a polite error
 * on the screen it is on. Throws when it has no screen at all.
 */
export async function exchange(ctx: Ctx, flow: FlowRow, question: Question): Promise<Exchanged> {
  const abort = new AbortController()
  const late = Promise.withResolvers<never>()
  late.promise.catch(() => undefined)
  const stop = ctx.clock.after(PATIENCE_MS, () => {
    late.reject(new AnswerRefusal('timeout'))
    abort.abort()
  })
  try {
    const { screen, error } = await Promise.race([
      answerOf(ctx, flow, question, abort.signal),
      late.promise,
    ])
    return { ...shown(flow, question, screen), error }
  } catch (error) {
    if (!(error instanceof AnswerRefusal))
      ctx.log.error(
        { error, organization_id: ctx.organizationId, flow_id: flow.id },
        'a flow exchange failed',
      )
    const reason = error instanceof AnswerRefusal ? error.reason : 'internal_error'
    return { answer: politeError(flow, question), outcome: 'error', error: reason.slice(0, 200) }
  } finally {
    stop()
  }
}

async function answerOf(
  ctx: Ctx,
  flow: FlowRow,
  question: Question,
  signal: AbortSignal,
): Promise<{ screen: Screen; error: string | null }> {
  if (flow.endpointMode === 'http')
    return { screen: await askCustomer(ctx, flow, question, signal), error: null }
  if (flow.endpointMode === 'rules') return applyRules(ctx, flow, question)
  throw new AnswerRefusal('no_endpoint')
}

/** The answer by the first rule that fits, and what it sets of the contact. */
function applyRules(
  ctx: Ctx,
  flow: FlowRow,
  question: Question,
): { screen: Screen; error: string | null } {
  const { rules } = JSON.parse(flow.endpointConfig) as StoredConfig
  const rule = chooseRule(readRules(rules, null), question)
  if (rule === null) throw new AnswerRefusal('no_rule_fits')
  const contact = findContact(ctx, question.contactId)
  const around = {
    action: question.action,
    screen: question.screen,
    data: question.data,
    flowToken: question.flowToken,
    now: isoTime(ctx.clock.nowMs()),
    contact: contact
      ? {
          id: contact.id,
          name: displayNameOf(contact, false),
          phone_number: contact.phoneNumber ?? contact.waId,
          language: contact.language,
          attributes: JSON.parse(contact.attributes) as unknown,
        }
      : {},
  }
  const wanted = objectOf(fillIn(rule.set_attributes, around))
  const error =
    contact && Object.keys(wanted).length > 0 ? setAttributes(ctx, contact.id, wanted) : null
  return { screen: { screen: rule.next_screen, data: objectOf(fillIn(rule.data, around)) }, error }
}

/**
 * Sets own fields of a contact; one that is none, or takes no such value, keeps nobody from going
 * on. Answers which ones.
 */
function setAttributes(
  ctx: Ctx,
  contactId: string,
  wanted: Record<string, unknown>,
): string | null {
  const refused: string[] = []
  for (const [key, value] of Object.entries(wanted))
    try {
      updateContact(ctx, contactId, { attributes: { [key]: value } })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      refused.push(key)
    }
  return refused.length === 0 ? null : `attributes not set: ${refused.join(', ')}`
}

/** The answer as the platform takes it. Throws AnswerRefusal for a screen that is none. */
function shown(
  flow: FlowRow,
  { flowToken }: Question,
  { screen, data }: Screen,
): Pick<Exchanged, 'answer' | 'outcome'> {
  if (screen === END) {
    const { extension_message_response: given } = data
    const params = isObject(given) ? objectOf(given['params']) : data
    return {
      answer: {
        screen,
        data: { extension_message_response: { params: { ...params, flow_token: flowToken } } },
      },
      outcome: 'completed',
    }
  }
  if (!factsOf(flow).screens.includes(screen)) throw new AnswerRefusal('unknown_screen')
  return { answer: { screen, data }, outcome: 'answered' }
}

/** The screen somebody is on, with words for what went wrong. Throws when the form has none. */
function politeError(flow: FlowRow, question: Question): Record<string, unknown> {
  const { screens, entry } = factsOf(flow)
  const screen =
    question.screen !== null && screens.includes(question.screen) ? question.screen : entry
  if (screen === null) throw new Error('endpoint request for a flow without screens')
  return { screen, data: { error_message: POLITE } }
}
