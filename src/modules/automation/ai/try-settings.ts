import { ConflictError, InvalidError, RateLimitedError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { eq } from 'drizzle-orm'
import { getAccount } from '../../channel/accounts/queries'
import { guessLanguage } from '../../../lib/guess-language'
import { builtInValues, templateContact } from '../../inbox/contacts/texts/template-values'
import { organizationLanguage } from '../../organization/memberships/founder'
import { getOrganization } from '../../organization/organizations/service'
import { effectiveSettings } from '../chatbot-settings/effective'
import {
  callProvider,
  reserveAnswer,
  settleAnswer,
  type AiAnswer,
  type AiQuestion,
  type AiResult,
} from './answer'
import type { AiTest, AiTestResult } from './model'
import { cutToMessage, disclosureOf } from './prompt/disclosure'
import { aiUsage } from './table'
import { dollars } from './usage/rules'

/**
 * Asks the AI as a customer would, and returns what the customer would get. A provider that fails is
 * a result. Throws NotFoundError for an unknown number, InvalidError `ai_not_configured`, and
 * ConflictError `ai_budget_exhausted`, and RateLimitedError while eight calls are under way.
 */
export async function tryAiSettings(ctx: Ctx, input: AiTest): Promise<AiTestResult> {
  const accountId = input.account_id ?? null
  if (accountId !== null) getAccount(ctx, accountId)
  const question: AiQuestion = {
    purpose: 'test',
    accountId,
    contactId: null,
    text: input.message,
    isTheirText: false,
    messageIds: [],
  }
  const callId = reserveOrThrow(ctx, question)
  const result = await callProvider(ctx, callId, question)
  const answer = transact(ctx.db, (tx) => settleAnswer(tx, ctx, { callId, question, result }))
  const { answer: text, ...facts } = testResult(ctx, callId, { answer, result })
  const disclosure = disclosureTo(ctx, accountId, input.message)
  const isTold = answer.kind === 'answer' && disclosure !== null
  return { ...facts, answer: isTold ? cutToMessage(`${disclosure}\n\n${text}`) : text }
}

/** Returns what a customer is told before the answer to a first message; `null` for nothing. */
function disclosureTo(ctx: Ctx, accountId: string | null, message: string): string | null {
  const languages = [guessLanguage(message), organizationLanguage(ctx)]
  const sentence = disclosureOf(effectiveSettings(ctx, accountId), { languages, isFirst: true })
  if (sentence === null) return null
  const nowMs = ctx.clock.nowMs()
  const values = builtInValues(templateContact(ctx, null), { text: message, nowMs })
  const { timezone } = getOrganization(ctx)
  const [language = null] = languages.filter((each) => each !== null)
  const told = ctx.liquid.renderTemplate(sentence, { values, timezone, language }, 'text')
  return told.ok && told.text.trim() !== '' ? told.text : sentence
}

/** The notification about a used-up budget stays although the request is rejected. */
function reserveOrThrow(ctx: Ctx, question: AiQuestion): string {
  const reservation = transact(ctx.db, (tx) => reserveAnswer(tx, ctx, question))
  if (reservation.kind === 'reserved') return reservation.callId
  if (reservation.reason === 'budget_exhausted')
    throw new ConflictError(
      'The AI budget has no room for another call. Raise it in the chatbot settings.',
      { code: 'ai_budget_exhausted' },
    )
  if (reservation.reason === 'too_many_calls')
    throw new RateLimitedError(
      'Eight calls of the AI provider are under way. Try again when they have ended.',
      1,
    )
  throw new InvalidError(
    'Set `ai_provider`, `ai_model` and `ai_api_key` in the chatbot settings first.',
    { code: 'ai_not_configured' },
  )
}

function testResult(
  ctx: Ctx,
  callId: string,
  { answer, result }: { answer: AiAnswer; result: AiResult },
): AiTestResult {
  const row = ctx.db.orm
    .select()
    .from(aiUsage)
    .where(inOrganization(ctx, aiUsage, eq(aiUsage.id, callId)))
    .get()
  const isFailed = result.kind === 'failed'
  return {
    success: !isFailed,
    outcome: answer.kind,
    answer: answer.kind === 'answer' || answer.kind === 'off_topic' ? answer.text : null,
    provider: row?.provider ?? 'openai',
    model: row?.model ?? '',
    input_tokens: isFailed ? 0 : result.inputTokens,
    output_tokens: isFailed ? 0 : result.outputTokens,
    cost_usd: dollars(row?.costMicros ?? null),
    duration_ms: result.durationMs,
    error: isFailed ? result.failure : null,
  }
}
