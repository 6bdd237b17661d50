import { AppError } from '../../../../lib/errors'
import { isoTime, SECOND_MS } from '../../../../lib/clock'
import type { Ctx } from '../../../../infra/ctx'
import { isObject, objectOf } from '../../../../platform/lenient-json'
import { findContact } from '../../../inbox/contacts/service'
import { displayNameOf } from '../../../inbox/contacts/view'
import { factsOf } from '../definition'
import { readRules } from './read-rules'
import { chooseRule, fillPlaceholders } from '../rules'
import type { FlowRow, StoredConfig } from '../view'
import {
  ExchangeError,
  callCustomer,
  type ExchangeRequest,
  type ShownScreen,
} from './call-customer'
import { updateContact } from '../../../inbox/contacts/write/update'

/** Time limit for an answer to the phone. */
const ANSWER_TIMEOUT_MS = 8 * SECOND_MS

/** Screen ID that completes a Flow. */
const END = 'SUCCESS'

const ERROR_MESSAGE = 'Something went wrong. Please try again in a moment.'

/** The answer of a data exchange and its outcome. */
export interface ExchangeResult {
  answer: Record<string, unknown>
  outcome: 'answered' | 'completed' | 'error'
  /** Error code for the log. */
  error: string | null
}

/**
 * Answers a data exchange by rules or from the customer endpoint. On failure or after 8 seconds,
 * the current screen shows a generic error. Throws if the Flow has no screen.
 */
export async function exchange(
  ctx: Ctx,
  flow: FlowRow,
  question: ExchangeRequest,
): Promise<ExchangeResult> {
  const abort = new AbortController()
  const late = Promise.withResolvers<never>()
  late.promise.catch(() => undefined)
  const stop = ctx.clock.after(ANSWER_TIMEOUT_MS, () => {
    late.reject(new ExchangeError('timeout'))
    abort.abort()
  })
  try {
    const { screen, error } = await Promise.race([
      chooseAnswer(ctx, flow, question, abort.signal),
      late.promise,
    ])
    return { ...answerForPlatform(flow, question, screen), error }
  } catch (error) {
    if (!(error instanceof ExchangeError))
      ctx.log.error(
        { error, organization_id: ctx.organizationId, flow_id: flow.id },
        'a flow exchange failed',
      )
    const reason = error instanceof ExchangeError ? error.reason : 'internal_error'
    return { answer: errorAnswer(flow, question), outcome: 'error', error: reason.slice(0, 200) }
  } finally {
    stop()
  }
}

async function chooseAnswer(
  ctx: Ctx,
  flow: FlowRow,
  question: ExchangeRequest,
  signal: AbortSignal,
): Promise<{ screen: ShownScreen; error: string | null }> {
  if (flow.endpointMode === 'http')
    return { screen: await callCustomer(ctx, flow, question, signal), error: null }
  if (flow.endpointMode === 'rules') return applyRules(ctx, flow, question)
  throw new ExchangeError('no_endpoint')
}

/** Returns the answer of the first matching rule and sets its contact attributes. */
function applyRules(
  ctx: Ctx,
  flow: FlowRow,
  question: ExchangeRequest,
): { screen: ShownScreen; error: string | null } {
  const { rules } = JSON.parse(flow.endpointConfig) as StoredConfig
  const rule = chooseRule(readRules(rules, null), question)
  if (rule === null) throw new ExchangeError('no_rule_fits')
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
  const wanted = objectOf(fillPlaceholders(rule.set_attributes, around))
  const error =
    contact && Object.keys(wanted).length > 0 ? setAttributes(ctx, contact.id, wanted) : null
  return {
    screen: { screen: rule.next_screen, data: objectOf(fillPlaceholders(rule.data, around)) },
    error,
  }
}

/**
 * Sets custom fields of a contact. Returns a note about fields that were rejected; they do not stop
 * the Flow.
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

/** Returns the answer in platform format. Throws ExchangeError for an unknown screen. */
function answerForPlatform(
  flow: FlowRow,
  { flowToken }: ExchangeRequest,
  { screen, data }: ShownScreen,
): Pick<ExchangeResult, 'answer' | 'outcome'> {
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
  if (!factsOf(flow).screens.includes(screen)) throw new ExchangeError('unknown_screen')
  return { answer: { screen, data }, outcome: 'answered' }
}

/** Returns the current screen with an error message. Throws if the Flow has no screen. */
function errorAnswer(flow: FlowRow, question: ExchangeRequest): Record<string, unknown> {
  const { screens, entry } = factsOf(flow)
  const screen =
    question.screen !== null && screens.includes(question.screen) ? question.screen : entry
  if (screen === null) throw new Error('endpoint request for a flow without screens')
  return { screen, data: { error_message: ERROR_MESSAGE } }
}
