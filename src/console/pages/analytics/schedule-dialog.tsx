import { callOnce } from '../../api/call-once'
import { call } from '../../api/client'
import type { ScheduledReport } from '../../api/shapes'
import { useMe } from '../../live/me'
import { useApi } from '../../live/query'
import { useRefresh } from '../../live/use-refresh'
import { IconButton } from '../../parts/button'
import { Checkbox, Switch } from '../../parts/choice'
import { useDraft, type Draft } from '../../parts/draft'
import { EditDialog } from '../../parts/edit-dialog'
import { FoundSelect } from '../../parts/found-select'
import type { Merge } from '../../parts/merge'
import { Select } from '../../parts/select'
import { TimeField } from '../../parts/time-field'
import { formatList, formatTimeOfDay } from '../../texts/format'
import { t, type TextKey } from '../../texts/texts'

/** Reports that can be mailed, as the API calls them. */
const REPORTS = [
  'dashboard',
  'messages',
  'agents',
  'chatbot',
  'campaigns',
  'costs',
  'quality',
] as const
type MailedReport = (typeof REPORTS)[number]

/** The reports of the tabs. */
const OF_TABS: Readonly<Record<string, MailedReport>> = { people: 'agents', bot: 'chatbot' }

type Values = Pick<
  ScheduledReport,
  'reports' | 'every' | 'at' | 'user_ids' | 'is_active' | 'updated_at'
>

const valuesOf = ({ reports, every, at, user_ids, is_active, updated_at }: ScheduledReport) => ({
  ...{ reports, every, at, user_ids, is_active, updated_at },
})

/** How two people who change the same one are told about each other. */
const MERGE: Merge<Values> = {
  read: (present) => valuesOf(present as ScheduledReport), // the server sends it
  label: (field) => t(LABELS[field]),
  show: (field, value) => {
    if (field === 'reports') return nameOf({ reports: value as Values['reports'] })
    if (field === 'every') return t(`analytics.scheduled.${value as Values['every']}`)
    if (field === 'at') return formatTimeOfDay(String(value))
    if (field !== 'user_ids') return null
    return t('analytics.scheduled.people', { count: (value as string[]).length })
  },
}

const LABELS: Record<keyof Values, TextKey> = {
  reports: 'analytics.scheduled.reports',
  every: 'analytics.scheduled.every',
  at: 'analytics.scheduled.at',
  user_ids: 'analytics.scheduled.to',
  is_active: 'analytics.scheduled.active',
  updated_at: 'wizard.field.updated_at',
}

/** How a report by email is called: what it holds. */
export const nameOf = ({ reports }: Pick<ScheduledReport, 'reports'>): string =>
  formatList(reports.map((one) => t(`analytics.report.${one}`)))

interface Props {
  /** `null` for a new one. */
  scheduled: ScheduledReport | null
  /** The tab from which a new one was asked for. */
  wanted: string | undefined
  onClose: () => void
}

/** The window in which a report by email is made or changed. */
export function ScheduleDialog({ scheduled, wanted = '', onClose }: Props) {
  const me = useMe()
  const refresh = useRefresh('GET /api/analytics/scheduled-reports')
  const asked = REPORTS.find((one) => one === (OF_TABS[wanted] ?? wanted))
  const draft = useDraft<Values>(
    scheduled
      ? valuesOf(scheduled)
      : {
          ...{ reports: [asked ?? 'dashboard'], every: 'week', at: '08:00' },
          ...{ user_ids: [me.id], is_active: true, updated_at: '' },
        },
  )
  return (
    <EditDialog
      title={t(scheduled ? 'analytics.scheduled.edit' : 'analytics.scheduled.add')}
      draft={draft}
      merge={MERGE}
      isNew={scheduled === null}
      onClose={onClose}
      onSave={async (changes, { updated_at: ifMatch }) => {
        const { updated_at: _, ...body } = draft.value
        const params = { id: scheduled?.id ?? '' }
        await (scheduled
          ? call('PUT /api/analytics/scheduled-reports/{id}', { params, body: changes, ifMatch })
          : callOnce('POST /api/analytics/scheduled-reports', { body }))
        await refresh()
      }}
    >
      <What draft={draft} />
      <People draft={draft} />
      <Switch
        isSelected={draft.value.is_active}
        onChange={(isActive) => {
          draft.set({ is_active: isActive })
        }}
      >
        {t('analytics.scheduled.active')}
      </Switch>
    </EditDialog>
  )
}

interface PartProps {
  draft: Draft<Values>
}

/** Which reports, and when. */
function What({ draft: { value, set } }: PartProps) {
  const { reports, every, at } = value
  return (
    <>
      <fieldset className="choices-of">
        <legend>{t('analytics.scheduled.reports')}</legend>
        {REPORTS.map((id) => (
          <Checkbox
            key={id}
            isSelected={reports.includes(id)}
            onChange={(isOn) => {
              // in the order of the choices
              set({
                reports: REPORTS.filter((one) => (one === id ? isOn : reports.includes(one))),
              })
            }}
          >
            {t(`analytics.report.${id}`)}
          </Checkbox>
        ))}
      </fieldset>
      <Select
        label={t('analytics.scheduled.every')}
        choices={(['week', 'month'] as const).map((id) => ({
          ...{ id, label: t(`analytics.scheduled.${id}`) },
        }))}
        value={every}
        onChange={(next) => {
          set({ every: next })
        }}
      />
      <div className="field">
        <span className="react-aria-Label">{t('analytics.scheduled.at')}</span>
        <TimeField
          label={t('analytics.scheduled.at')}
          value={at}
          onChange={(next) => {
            set({ at: next })
          }}
        />
      </div>
    </>
  )
}

/** The colleagues who get it. */
function People({ draft: { value, set } }: PartProps) {
  const { user_ids: people } = value
  return (
    <>
      <FoundSelect
        kind="colleague"
        label={t('analytics.scheduled.to')}
        hint={t('analytics.scheduled.to-hint')}
        value={null}
        isChoice={({ id }) => !people.includes(id)}
        onChange={(id) => {
          set({ user_ids: [...people, id] })
        }}
      />
      <ul className="chips-of">
        {people.map((id) => (
          <li key={id} className="chip">
            <Colleague id={id} />
            <RemoveButton
              id={id}
              onRemove={() => {
                set({ user_ids: people.filter((one) => one !== id) })
              }}
            />
          </li>
        ))}
      </ul>
    </>
  )
}

/** Returns the name of a colleague, once it is known. */
function useColleague(id: string): string {
  const me = useMe()
  const { data } = useApi('GET /api/colleagues/{id}', { params: { id } }, id !== me.id)
  return id === me.id ? me.full_name : (data?.full_name ?? '…')
}

const Colleague = ({ id }: { id: string }) => <bdi>{useColleague(id)}</bdi>

const RemoveButton = ({ id, onRemove }: { id: string; onRemove: () => void }) => (
  <IconButton
    icon="close"
    size={14}
    label={t('parts.action.remove', { name: useColleague(id) })}
    onPress={onRemove}
  />
)
