import { call } from '../../../api/client'
import { reloadMe } from '../../../api/session'
import type { ChatbotSettings } from '../../../api/shapes'
import { useCan, useMe } from '../../../live/me'
import { useApi } from '../../../live/query'
import { useDraft, type Draft } from '../../../parts/draft'
import { EditPage } from '../../../parts/edit-page'
import { FoundSelect } from '../../../parts/found-select'
import { ClosedDays, OpeningWeek } from '../../../parts/hours/opening-week'
import { hoursInWords } from '../../../parts/hours/words'
import { Guarded, Loaded } from '../../../parts/loaded'
import type { Merge } from '../../../parts/merge'
import { Page, Section } from '../../../parts/page'
import { t } from '../../../texts/texts'
import { useRefresh } from '../../../live/use-refresh'
import { Now } from './now'
import { Promises } from './promises'
import { mergeOfSettings } from '../merge-settings'
import { LABELS } from './labels'

/** What the page changes: settings of the chatbot, and the queue of the organization. */
export type Values = ChatbotSettings & {
  new_conversations: string
  /** When the settings of the organization were changed. */
  organization_at: string
}

interface PartProps {
  draft: Draft<Values>
}

/** When people answer, and what the others hear. */
function OpeningHours({ draft }: PartProps) {
  const { timezone } = useMe().organization.settings
  return (
    <Section title={t('settings.hours.open')} hint={t('settings.hours.zone', { zone: timezone })}>
      <Now />
      <OpeningWeek draft={draft} />
    </Section>
  )
}

/** Queues of no team. */
const QUEUES = ['nobody', 'general'] as const

/** Where conversations wait that no person and no team has. */
function NewConversations({ draft: { value, set } }: PartProps) {
  const queue = value.new_conversations
  const kind = QUEUES.find((one) => one === queue) ?? 'team'
  return (
    <Section title={t('settings.organization.new')} hint={t('settings.organization.new-hint')}>
      <div className="form">
        <FoundSelect<{ id: string; name: string; is_active: boolean }>
          kind="team"
          label={t('settings.organization.queue')}
          first={QUEUES.map((id) => ({
            id,
            label: t(`settings.organization.${id}`),
            hint: t(`settings.organization.${id}-hint`),
          }))}
          isChoice={({ is_active: isActive }) => isActive}
          value={queue}
          hint={t(`settings.organization.${kind}-hint`)}
          onChange={(chosen) => {
            set({ new_conversations: chosen })
          }}
        />
      </div>
    </Section>
  )
}

/** How the page shows what somebody else saved meanwhile. */
const MERGE: Merge<Values> = {
  read: (present) => {
    if (!('settings' in (present as object))) return present as ChatbotSettings
    const of = mergeOfSettings<Values>({}).read(present)
    return { new_conversations: of.new_conversations ?? '', organization_at: of.updated_at ?? '' }
  },
  label: (field) => t(LABELS[field] ?? 'settings.hours.title'),
  show: hoursInWords,
}

/** The form, once everything is loaded. */
function HoursForm({ stored }: { stored: ChatbotSettings }) {
  const { settings, updated_at: organizationAt } = useMe().organization
  const draft = useDraft<Values>({
    ...stored,
    new_conversations: settings.new_conversations,
    organization_at: organizationAt,
  })
  const refresh = useRefresh('GET /api/chatbot/settings', 'GET /api/chatbot/hours')
  const isOwner = useCan('settings:update')
  const save = async (
    { new_conversations: chosen, ...changes }: Partial<Values>,
    seen: Values,
  ): Promise<void> => {
    if (chosen !== undefined)
      await call('PUT /api/organizations/settings', {
        body: { new_conversations: chosen },
        ifMatch: seen.organization_at,
      })
    await reloadMe()
    if (Object.keys(changes).length > 0)
      await call('PUT /api/chatbot/settings', {
        query: {},
        body: changes,
        ifMatch: seen.updated_at,
      })
    await refresh()
  }
  return (
    <EditPage
      title={t('settings.hours.title')}
      hint={t('settings.hours.hint')}
      draft={draft}
      onSave={save}
      merge={MERGE}
    >
      <OpeningHours draft={draft} />
      <ClosedDays draft={draft} />
      {isOwner && <NewConversations draft={draft} />}
      <Promises draft={draft} />
    </EditPage>
  )
}

/** What the screen needs. */
const NEEDS = ['chatbot:read', 'chatbot:update'] as const

/** Opening hours, and what happens with conversations that wait. */
export function Hours() {
  const mayChange = useCan(...NEEDS)
  const result = useApi('GET /api/chatbot/settings', { query: {} }, mayChange)
  if (mayChange && result.data) return <HoursForm stored={result.data} />
  return (
    <Page title={t('settings.hours.title')} hint={t('settings.hours.hint')}>
      <Guarded needs={NEEDS}>
        <Loaded result={result}>{() => null}</Loaded>
      </Guarded>
    </Page>
  )
}
