import { call } from '../../../api/client'
import { reloadMe } from '../../../api/session'
import type { ChatbotSettings } from '../../../api/shapes'
import { useCan, useMe } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Switch } from '../../../parts/choice'
import { useDraft, type Draft } from '../../../parts/draft'
import { EditPage } from '../../../parts/edit-page'
import { TextArea } from '../../../parts/field'
import { FoundSelect } from '../../../parts/found-select'
import { Guarded, Loaded } from '../../../parts/loaded'
import type { Merge } from '../../../parts/merge'
import { Page, Section } from '../../../parts/page'
import { t } from '../../../texts/texts'
import { useRefresh } from '../use-refresh'
import { Holidays } from './holidays'
import { Now } from './now'
import { Promises } from './promises'
import { mergeOfSettings } from '../merge-settings'
import { LABELS } from './labels'
import { USUAL_WEEK, Week, weekInWords } from '../../../parts/week'

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
function OpeningHours({ draft: { value, set } }: PartProps) {
  const { timezone } = useMe().organization.settings
  const isOn = value.business_hours_enabled
  return (
    <Section title={t('settings.hours.open')} hint={t('settings.hours.zone', { zone: timezone })}>
      <Now />
      <Switch
        isSelected={isOn}
        onChange={(isNowOn) => {
          set({
            business_hours_enabled: isNowOn,
            ...(isNowOn && value.business_hours.length === 0 ? { business_hours: USUAL_WEEK } : {}),
          })
        }}
      >
        {t('settings.hours.enabled')}
      </Switch>
      {isOn && (
        <Week
          hours={value.business_hours}
          onChange={(hours) => {
            set({ business_hours: hours })
          }}
        />
      )}
    </Section>
  )
}

/** What customers hear who write outside the hours. */
function ClosedText({ draft: { value, set } }: PartProps) {
  const isTold = value.out_of_hours_notice
  return (
    <Section title={t('settings.hours.closed-text')} hint={t('settings.hours.closed-text-hint')}>
      <div className="form">
        <Switch
          isSelected={isTold}
          onChange={(isOn) => {
            set({ out_of_hours_notice: isOn })
          }}
        >
          {t('settings.hours.tell')}
        </Switch>
        {isTold && (
          <TextArea
            name="out_of_hours_message"
            label={t('settings.hours.message')}
            hint={t('settings.hours.message-hint', { variable: '{{ opens_at }}' })}
            placeholder={t('settings.hours.our-text')}
            maxLength={1_024}
            value={value.out_of_hours_message ?? ''}
            onChange={(text) => {
              set({ out_of_hours_message: text === '' ? null : text })
            }}
          />
        )}
      </div>
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
  show: (field, value) =>
    field === 'business_hours' ? weekInWords(value as Values['business_hours']) : null,
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
      <Section title={t('settings.hours.holidays')} hint={t('settings.hours.holidays-hint')}>
        <Holidays
          holidays={draft.value.holidays}
          onChange={(holidays) => {
            draft.set({ holidays })
          }}
        />
      </Section>
      <ClosedText draft={draft} />
      {isOwner && <NewConversations draft={draft} />}
      <Promises draft={draft} />
    </EditPage>
  )
}

/** What the screen needs. */
const NEEDS = ['chatbot:read', 'chatbot:update'] as const

/** Opening hours, and what happens with conversations that wait. */
export function Hours() {
  const result = useApi('GET /api/chatbot/settings', { query: {} }, useCan(...NEEDS))
  if (result.data) return <HoursForm stored={result.data} />
  return (
    <Page title={t('settings.hours.title')} hint={t('settings.hours.hint')}>
      <Guarded needs={NEEDS}>
        <Loaded result={result}>{() => null}</Loaded>
      </Guarded>
    </Page>
  )
}
