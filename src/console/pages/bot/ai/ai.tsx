import { useSearch } from '@tanstack/react-router'

import type { ChatbotSettings } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useDraft } from '../../../parts/draft'
import { EditPage } from '../../../parts/edit-page'
import { Guarded, Loaded } from '../../../parts/loaded'
import { Page } from '../../../parts/page'
import { t } from '../../../texts/texts'
import { OfNumber } from '../numbers-part'
import { useSaveSettings, useSettings } from '../settings-form'
import { AskAi } from './ask'
import { Budgets } from './budgets-part'
import { formOf, MERGE } from './form'
import { Provider } from './provider-part'
import { Questions } from './questions'
import { Sources } from './sources'
import { AiWords } from './words-part'

/** The settings of the AI, for those who change them. */
function Form({ stored }: { stored: ChatbotSettings }) {
  const { account_id: id } = stored
  const draft = useDraft(formOf(stored))
  const save = useSaveSettings(id ?? undefined)
  return (
    <EditPage
      title={t('shell.bot.ai')}
      hint={t('bot.ai.hint')}
      draft={draft}
      merge={MERGE}
      onSave={(changes, { updated_at: ifMatch }) => save(changes, ifMatch)}
    >
      {id !== null && <OfNumber settings={{ ...stored, account_id: id }} at="/bot/ai" />}
      <Sources />
      <Questions />
      <AskAi accountId={id} />
      <Provider draft={draft} />
      <AiWords draft={draft} />
      {id === null && <Budgets draft={draft} />}
    </EditPage>
  )
}

/** What the AI knows, how it answers, what it costs, and a question to try it. */
export function Ai() {
  const { number } = useSearch({ from: '/bot/ai' })
  const result = useSettings(number, useCan('chatbot:read'))
  const mayChange = useCan('chatbot:update')
  if (result.data && mayChange) return <Form key={number ?? ''} stored={result.data} />
  return (
    <Page title={t('shell.bot.ai')} hint={t('bot.ai.hint')}>
      <Guarded needs="chatbot:read">
        <Loaded result={result}>
          {() => (
            <>
              <Sources />
              <Questions />
            </>
          )}
        </Loaded>
      </Guarded>
    </Page>
  )
}
