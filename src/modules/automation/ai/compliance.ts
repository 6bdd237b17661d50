import { isoTime } from '../../../lib/clock'
import { dateAfter, localDateOf } from '../../../lib/local-day'
import { eq } from 'drizzle-orm'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { liveAccounts } from '../../channel/accounts/queries'
import { WORDS_LANGUAGES, type ChatbotSettings } from '../chatbot-settings/catalog'
import { effectiveSettings } from '../chatbot-settings/effective'
import { retentionRow } from '../../organization/organizations/retention/service'
import { getOrganization } from '../../organization/organizations/service'
import { apiConfigOf } from './contexts/view'
import type { AiCompliance } from './model'
import { disclosureTexts } from './prompt/disclosure'
import { aiContexts } from './table'
import { dayNumber, daysBetween } from './usage/days'

const DAYS = 30

/** How we read article 50 of the AI Act (Regulation (EU) 2024/1689). It is no legal advice. */
const ARTICLE_50: AiCompliance['article_50'] = [
  {
    paragraph: 1,
    applies_from: '2026-08-02',
    duty: 'People must be told that they talk to AI, at the latest at the first contact.',
    here:
      'The sentence in `disclosure_texts` comes before the first answer of AI in a session, or ' +
      'before each, in the language of the customer. Where `disclosure` is `off`, nobody is told ' +
      'by this server.',
  },
  {
    paragraph: 2,
    applies_from: '2026-12-02',
    duty:
      'Providers of AI mark texts that it wrote in a machine-readable way, as far as that is ' +
      'feasible. The date is that of systems that were on the market before 2 August 2026; for ' +
      'newer ones it applies at once.',
    here:
      'A text on WhatsApp has no place for such a mark. Messages that AI wrote have ' +
      '`ai_generated: true` in the API, on sockets, in webhooks, exports and privacy exports, ' +
      'and their `ai_model` also in archives. Who the provider is (the maker of the model, the ' +
      'operator or the organization), and whether that suffices, the operator must decide with ' +
      'legal advice.',
  },
]

/** Returns what an auditor asks about the AI of the organization (`automation` 6.9). */
export function aiCompliance(ctx: Ctx): AiCompliance {
  const organization = getOrganization(ctx)
  const today = localDateOf(ctx.clock.nowMs(), organization.timezone)
  const days = daysBetween(ctx, dayNumber(dateAfter(today, 1 - DAYS)), dayNumber(today))
  const whole = effectiveSettings(ctx, null)
  const own = JSON.stringify(whole)
  const differing = liveAccounts(ctx)
    .map(({ id, name }) => ({ id, name, settings: effectiveSettings(ctx, id) }))
    .filter(({ settings }) => JSON.stringify(settings) !== own)
  return {
    generated_at: isoTime(ctx.clock.nowMs()),
    organization: { id: organization.id, name: organization.name },
    numbers: [
      numberFacts(ctx, { id: null, name: null, settings: whole }),
      ...differing.map((account) => numberFacts(ctx, account)),
    ],
    article_50: ARTICLE_50,
    api_contexts: apiHosts(ctx),
    retention: {
      messages_days: retentionRow(ctx, ctx.organizationId).messagesDays,
      usage_rows_hold:
        'time, contact, number, provider, model, tokens, cost, duration and outcome; no text',
    },
    last_30_days: {
      requests: days.reduce((sum, { requests }) => sum + requests, 0),
      handovers: days.reduce((sum, { handovers }) => sum + handovers, 0),
    },
  }
}

function numberFacts(
  ctx: Ctx,
  {
    id,
    name,
    settings,
  }: { id: string | null; name: string | null; settings: Readonly<ChatbotSettings> },
): AiCompliance['numbers'][number] {
  const { ai_provider: provider, ai_base_url: baseUrl, ai_data_terms: terms } = settings
  const history = settings.ai_include_history ? settings.ai_history_limit : 0
  return {
    account_id: id,
    name,
    enabled: settings.chatbot_enabled && settings.ai_enabled,
    purpose: settings.ai_purpose,
    system_prompt: settings.system_prompt,
    disclosure: settings.ai_disclosure,
    disclosure_texts: disclosureTexts(settings.ai_disclosure_text),
    provider,
    model: settings.ai_model,
    data_destination:
      provider === null
        ? null
        : ((provider === 'openai' ? baseUrl : null) ?? ctx.settings.aiUrls[provider]),
    data_sent: [
      'the message of the customer',
      ...(history > 0 ? [`up to ${history} earlier messages of the last 24 hours`] : []),
      'purpose, system prompt and matching contexts',
    ],
    history_messages: history,
    data_terms: { confirmed: terms !== null, at: terms?.at ?? null, by: terms?.by ?? null },
    no_store_requested: provider === 'openai' && baseUrl === null,
    ways_to_a_person: {
      transfer_keywords: settings.transfer_keywords,
      person_words_languages: settings.person_words_languages ?? [...WORDS_LANGUAGES],
      fallback_transfer_after: settings.fallback_transfer_after,
      ai_handover: settings.ai_handover,
    },
  }
}

const apiHosts = (ctx: Ctx): AiCompliance['api_contexts'] =>
  ctx.db.orm
    .select({ id: aiContexts.id, name: aiContexts.name, apiConfig: aiContexts.apiConfig })
    .from(aiContexts)
    .where(inOrganization(ctx, aiContexts, eq(aiContexts.type, 'api')))
    .orderBy(aiContexts.name)
    .all()
    .map(({ id, name, apiConfig }) => ({
      id,
      name,
      host: new URL(apiConfigOf({ apiConfig })?.url ?? 'https://unknown.invalid').host,
    }))
