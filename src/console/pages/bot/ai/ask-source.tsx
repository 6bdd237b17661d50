import { call, type Data } from '../../../api/client'
import { Section } from '../../../parts/page'
import { Trouble } from '../../../parts/state'
import { t } from '../../../texts/texts'
import { AskField } from '../ask-field'

type Found = Data<'POST /api/chatbot/ai-contexts/{id}/test'>

/** A question to a source: the passages with which it helps to answer. */
export const AskSource = ({ id }: { id: string }) => (
  <Section title={t('bot.ai.ask-source')} hint={t('bot.ai.ask-source-hint')}>
    <AskField<Found>
      label={t('bot.ai.question')}
      action={t('bot.ai.ask-action')}
      onAsk={(question) =>
        call('POST /api/chatbot/ai-contexts/{id}/test', { params: { id }, body: { question } })
      }
    >
      {(found) => <Passages found={found} />}
    </AskField>
  </Section>
)

/** The passages that match, best first; otherwise what is used of the source anyway. */
function Passages({ found: { success, chunks, content, error } }: { found: Found }) {
  if (!success) return <Trouble>{error ?? t('bot.ai.outcome.failed')}</Trouble>
  return (
    <div className="ai-passages">
      <p>{t('bot.ai.passages', { count: chunks.length })}</p>
      <ol>
        {(chunks.length > 0 ? chunks : [content ?? '']).map((passage, at) => (
          <li key={at} dir="auto" tabIndex={0}>
            {passage}
          </li>
        ))}
      </ol>
    </div>
  )
}
