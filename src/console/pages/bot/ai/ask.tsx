import { useQueryClient } from '@tanstack/react-query'

import { call } from '../../../api/client'
import type { AiTestResult } from '../../../api/shapes'
import { Section } from '../../../parts/page'
import { PhonePreview } from '../../../parts/phone/preview'
import { Trouble } from '../../../parts/state'
import { formatNumber } from '../../../texts/format'
import { formatSeconds } from '../../../texts/points'
import { t } from '../../../texts/texts'
import { AskField } from '../ask-field'
import { botMessage } from '../message-fields'

/** A question that the AI answers as it would answer a customer. */
export function AskAi({ accountId }: { accountId: string | null }) {
  const client = useQueryClient()
  return (
    <Section title={t('bot.ai.ask')} hint={t('bot.ai.ask-hint')}>
      <AskField<AiTestResult>
        label={t('bot.ai.question')}
        placeholder={t('bot.rules.test-example')}
        action={t('bot.ai.ask-action')}
        onAsk={async (message) => {
          const body = { message, account_id: accountId }
          try {
            return await call('POST /api/chatbot/ai/test', { body })
          } finally {
            await client.invalidateQueries({ queryKey: ['GET /api/chatbot/ai/usage'] })
          }
        }}
      >
        {(result) => <Answer result={result} />}
      </AskField>
    </Section>
  )
}

/** What the AI answered, or why it did not. */
function Answer({ result }: { result: AiTestResult }) {
  const { outcome, answer, error, duration_ms: tookMs } = result
  const tokens = result.input_tokens + result.output_tokens
  return (
    <>
      {answer !== null && (
        <PhonePreview label={t('bot.ai.answer')} message={botMessage(answer, [])} />
      )}
      {outcome !== 'answer' && <p>{t(`bot.ai.outcome.${outcome}`)}</p>}
      {error && (
        <Trouble>
          {t(`bot.ai.failure.${error.kind}`)} {error.message}
        </Trouble>
      )}
      <p className="muted small">
        {t('bot.ai.took', { time: formatSeconds(tookMs / 1_000), tokens: formatNumber(tokens) })}
      </p>
    </>
  )
}
