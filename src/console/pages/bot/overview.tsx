import { useSearch } from '@tanstack/react-router'

import type { ChatbotSettings } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useDraft } from '../../parts/draft'
import { EditPage } from '../../parts/edit-page'
import { GuideLink } from '../../parts/guide-link'
import { ClosedDays } from '../../parts/hours/opening-week'
import { Guarded, Loaded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { t } from '../../texts/texts'
import { Disclosure } from './disclosure-part'
import { BotHours } from './hours-part'
import { Limits } from './limits-part'
import { BotNow, Checklist } from './now'
import { OfNumber, OwnNumbers } from './numbers-part'
import { Person } from './person-part'
import { MERGE, useSaveSettings, useSettings } from './settings-form'
import { SettingsRead } from './settings-read'
import { Fallback, Greeting } from './texts-part'

const GUIDE = <GuideLink href="/docs/bot" isButton />

/** What stands above the settings: whose they are, what the bot does, and what it lacks. */
function Head({ settings }: { settings: ChatbotSettings }) {
  const { account_id: id } = settings
  return (
    <>
      {id !== null && <OfNumber settings={{ ...settings, account_id: id }} />}
      <BotNow settings={settings} />
      <Checklist settings={settings} />
    </>
  )
}

/** The settings of the organization, or of one phone number, for those who change them. */
function Form({ stored }: { stored: ChatbotSettings }) {
  const draft = useDraft(stored)
  const save = useSaveSettings(stored.account_id ?? undefined)
  return (
    <EditPage
      title={t('bot.title')}
      actions={GUIDE}
      draft={draft}
      merge={MERGE}
      onSave={(changes, { updated_at: ifMatch }) => save(changes, ifMatch)}
    >
      <Head settings={stored} />
      <Greeting draft={draft} />
      <BotHours draft={draft} />
      {stored.account_id !== null && <ClosedDays draft={draft} />}
      <Fallback draft={draft} />
      <Person draft={draft} />
      <Limits draft={draft} />
      <Disclosure draft={draft} />
      {stored.account_id === null && <OwnNumbers numbers={stored.numbers_with_own_settings} />}
    </EditPage>
  )
}

/** What the bot does now, its switch, what it lacks, and its settings. */
export function Overview() {
  const { number } = useSearch({ from: '/bot/' })
  const result = useSettings(number, useCan('chatbot:read'))
  const mayChange = useCan('chatbot:update')
  const { data } = result
  // another number is another form
  if (data && mayChange) return <Form key={number ?? ''} stored={data} />
  return (
    <Page title={t('bot.title')} actions={GUIDE}>
      <Guarded needs="chatbot:read">
        <Loaded result={result}>
          {(settings) => (
            <>
              <Head settings={settings} />
              <SettingsRead settings={settings} />
              <OwnNumbers numbers={settings.numbers_with_own_settings} />
            </>
          )}
        </Loaded>
      </Guarded>
    </Page>
  )
}
