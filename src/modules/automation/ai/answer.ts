import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { openAiKey } from '../chatbot-settings/ai-key'
import type { ChatbotSettings } from '../chatbot-settings/catalog'
import { effectiveSettings } from '../chatbot-settings/effective'
import { chooseContexts, gatherKnowledge, maxKnowledgeBytes } from './contexts/select'
import { buildPrompt, readAnswer, type Prompt, type PromptReading } from './prompt/build'
import { cutToMessage } from './prompt/disclosure'
import { historyOf, type HistoryLine } from './prompt/history'
import { recordQuestionIn } from './questions/record'
import { askModel, type ProviderAnswer } from './provider/call'
import type { ProviderFailure } from './model'
import { isBreakerOpen, type ProviderTarget } from './usage/breaker'
import { beginCall } from './usage/begin'
import { exceedsContactLimit, notifyAboutBudgetIn, reserveIn } from './usage/reserve'
import { hasRoomForCall } from './usage/call-limit'
import { estimateTokens } from './usage/rules'
import { settleIn, type UsageOutcome } from './usage/settle'

/**
 * A question to the AI. It is JSON, so that a job can carry it. The organization's number decides
 * about settings and contexts.
 */
export interface AiQuestion {
  purpose: 'answer' | 'flow' | 'preview' | 'test'
  accountId: string | null
  /** `null` for tests and for previews without a contact. */
  contactId: string | null
  /** What the customer wrote, or the prompt of a flow's node. */
  text: string
  /** Whether the text is what the customer wrote. */
  isTheirText: boolean
  /** The messages that the text comes from. They are not repeated as history. */
  messageIds: string[]
  /** Replaces the stored history, for previews. */
  history?: HistoryLine[]
}

/** Why no call is made. */
export type NoCall =
  | 'disabled'
  | 'not_configured'
  | 'breaker_open'
  | 'contact_limit'
  | 'budget_exhausted'
  | 'too_many_calls'

/** A reserved call, or why there is none. */
export type Reservation = { kind: 'reserved'; callId: string } | { kind: 'refused'; reason: NoCall }

/** What a provider returned for a call, and how long it took. */
export type AiResult = ProviderAnswer & {
  durationMs: number
  /** Where the call went; `null` if none was made. The settings may have changed since. */
  target: ProviderTarget | null
  /** Whether no knowledge is about the question. */
  isOffTarget: boolean
}

/** What follows from a call. */
export type AiAnswer =
  /** `text` is without the sentence that AI wrote it. */
  | { kind: 'answer'; text: string; model: string }
  | { kind: 'handover' }
  /** `text` is the organization's message for it; `null`: the fallback follows. */
  | { kind: 'off_topic'; text: string | null }
  | { kind: 'empty' }
  | { kind: 'failed'; failure: ProviderFailure }

/**
 * Reserves the budget of a call, in the caller's transaction, before the job that makes it is
 * enqueued on the queue `ai`. Each reserved call must be settled with {@link settleAnswer}; a sweep
 * settles forgotten ones. Tests ignore the switch, the breaker and the limit per contact. Tests and
 * previews, which nothing queues, are refused while eight calls are under way.
 */
export function reserveAnswer(tx: Tx, ctx: Ctx, question: AiQuestion): Reservation {
  const settings = effectiveSettings(ctx, question.accountId)
  const target = targetOf(settings)
  const { purpose, contactId } = question
  const isTest = purpose === 'test'
  const isQueued = purpose === 'answer' || purpose === 'flow'
  if (!settings.ai_enabled && !isTest) return refused('disabled')
  if (target === null || !settings.ai_api_key_set) return refused('not_configured')
  if (!isTest && isBreakerOpen(ctx, target)) return refused('breaker_open')
  if (isQueued && exceedsContactLimit(ctx, contactId, settings.ai_replies_per_contact_per_hour))
    return refused('contact_limit')
  if (!isQueued && !hasRoomForCall(ctx, null)) return refused('too_many_calls')
  const call = estimateTokens(promptBytes(ctx, settings, question), settings.ai_max_tokens)
  const callId = reserveIn(tx, ctx, { settings, target, question, call })
  if (callId !== null) return { kind: 'reserved', callId }
  notifyAboutBudgetIn(tx, ctx)
  return refused('budget_exhausted')
}

const refused = (reason: NoCall): Reservation => ({ kind: 'refused', reason })

/**
 * Makes a reserved call: gathers knowledge and history, and asks the provider. Call it outside
 * transactions, in a job of the queue `ai`. Returns failures of the provider as results, and throws
 * only when `signal` is aborted. If an earlier run of the same call was interrupted, that one is
 * counted on its own.
 */
export async function callProvider(
  ctx: Ctx,
  callId: string,
  question: AiQuestion,
  signal?: AbortSignal,
): Promise<AiResult> {
  const startedMs = performance.now()
  const timed = (answer: ProviderAnswer, rest: Pick<AiResult, 'target' | 'isOffTarget'>) => ({
    ...answer,
    durationMs: Math.round(performance.now() - startedMs),
    ...rest,
  })
  const settings = effectiveSettings(ctx, question.accountId)
  const target = targetOf(settings)
  const apiKey = openAiKey(ctx, question.accountId)
  const isSwitchedOff = !settings.ai_enabled && question.purpose !== 'test'
  if (target === null || apiKey === null || isSwitchedOff)
    return timed({ kind: 'failed', failure: NO_LONGER_CONFIGURED }, NOT_ASKED)
  const { texts: knowledge, isOffTarget } = await gatherKnowledge(
    ctx,
    question.accountId,
    question.text,
  )
  const prompt = promptOf(ctx, settings, question, knowledge)
  beginCall(ctx, callId, target)
  const timeoutMs = settings.ai_timeout_seconds * 1_000
  const { ai_temperature: temperature, ai_max_tokens: maxTokens } = settings
  const request = { ...target, apiKey, prompt, temperature, maxTokens, timeoutMs }
  const answer = await askModel(ctx, request, signal)
  signal?.throwIfAborted() // a job that is stopped runs again
  return timed(answer, { target, isOffTarget })
}

const NOT_ASKED = { target: null, isOffTarget: false }

const NO_LONGER_CONFIGURED: ProviderFailure = {
  kind: 'rejected',
  status: null,
  message: 'AI was switched off, or provider, model or key were removed from the settings.',
}

/**
 * Settles a call with the provider's own token counts and returns what follows, in the caller's
 * transaction. A call that is settled already is not counted again.
 */
export function settleAnswer(
  tx: Tx,
  ctx: Ctx,
  { callId, question, result }: { callId: string; question: AiQuestion; result: AiResult },
): AiAnswer {
  const settings = effectiveSettings(ctx, question.accountId)
  const reading =
    result.kind === 'failed'
      ? null
      : readAnswer(result.text, { allowsHandover: settings.ai_handover })
  const outcome = reading === null ? 'failed' : OUTCOMES[reading.kind]
  settleIn(tx, ctx, { callId, target: result.target, prices: settings, result, outcome })
  const { contactId, isTheirText, messageIds, text } = question
  if (contactId !== null && isTheirText && result.isOffTarget && reading?.kind !== 'off_topic')
    recordQuestionIn(tx, ctx, { contactId, messageId: messageIds[0] ?? null, text })
  if (result.kind === 'failed') return { kind: 'failed', failure: result.failure }
  if (reading === null || reading.kind === 'empty') return { kind: 'empty' }
  if (reading.kind === 'handover') return reading
  if (reading.kind === 'off_topic') return { ...reading, text: settings.ai_off_topic_message }
  return { kind: 'answer', text: cutToMessage(reading.text), model: result.target?.model ?? '' }
}

const OUTCOMES: Readonly<Record<PromptReading['kind'], UsageOutcome>> = {
  answer: 'answered',
  handover: 'handover',
  off_topic: 'off_topic',
  empty: 'empty',
}

/** Returns where the settings send calls; `null` if provider or model are missing. */
const targetOf = ({
  ai_provider: provider,
  ai_base_url: baseUrl,
  ai_model: model,
}: Readonly<ChatbotSettings>): ProviderTarget | null =>
  provider === null || model === null
    ? null
    : { provider, baseUrl: provider === 'openai' ? baseUrl : null, model }

function promptOf(
  ctx: Ctx,
  settings: Readonly<ChatbotSettings>,
  question: AiQuestion,
  knowledge: readonly string[],
): Prompt {
  const { contactId, accountId, messageIds: turnIds } = question
  const limit = settings.ai_include_history ? settings.ai_history_limit : 0
  return buildPrompt({
    purpose: settings.ai_purpose,
    systemPrompt: settings.system_prompt,
    allowsHandover: settings.ai_handover,
    knowledge,
    history:
      question.history?.slice(-limit || question.history.length) ??
      (contactId === null || accountId === null
        ? []
        : historyOf(ctx, { contactId, accountId, turnIds, limit })),
    turn: question.text,
  })
}

/** Returns the most bytes that the prompt of a question can have. */
function promptBytes(ctx: Ctx, settings: Readonly<ChatbotSettings>, question: AiQuestion): number {
  const { system, user } = promptOf(ctx, settings, question, [])
  const chosen = chooseContexts(ctx, question.accountId, question.text)
  return Buffer.byteLength(system) + Buffer.byteLength(user) + maxKnowledgeBytes(chosen)
}
