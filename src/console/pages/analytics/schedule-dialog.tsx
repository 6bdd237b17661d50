import { useState } from 'react'

import type { ScheduledReport, ScheduledReportInput } from '../../api/shapes'
import { useMe } from '../../live/me'
import { useApi } from '../../live/query'
import { IconButton } from '../../parts/button'
import { Checkbox, Switch } from '../../parts/choice'
import { FormDialog } from '../../parts/form-dialog'
import { FoundSelect } from '../../parts/found-select'
import { Select } from '../../parts/select'
import { TimeField } from '../../parts/time-field'
import { t } from '../../texts/texts'

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

interface Props {
  /** `null` for a new one. */
  scheduled: ScheduledReport | null
  /** The tab from which a new one was asked for. */
  wanted: string | undefined
  onSave: (body: ScheduledReportInput) => Promise<void>
  onClose: () => void
}

/** The window in which a report by email is made or changed. */
export function ScheduleDialog({ scheduled, wanted = '', onSave, onClose }: Props) {
  const me = useMe()
  const asked = REPORTS.find((one) => one === (OF_TABS[wanted] ?? wanted))
  const [reports, setReports] = useState<readonly MailedReport[]>(
    scheduled?.reports ?? [asked ?? 'dashboard'],
  )
  const [every, setEvery] = useState<'week' | 'month'>(scheduled?.every ?? 'week')
  const [at, setAt] = useState(scheduled?.at ?? '08:00')
  const [people, setPeople] = useState<readonly string[]>(scheduled?.user_ids ?? [me.id])
  const [isActive, setActive] = useState(scheduled?.is_active ?? true)
  return (
    <FormDialog
      title={t(scheduled ? 'analytics.scheduled.edit' : 'analytics.scheduled.add')}
      submit={t('parts.action.save')}
      onClose={onClose}
      onSave={() =>
        onSave({
          // in the order of the choices
          reports: REPORTS.filter((one) => reports.includes(one)),
          ...{ every, at, user_ids: [...people], is_active: isActive },
        })
      }
    >
      <fieldset className="choices-of">
        <legend>{t('analytics.scheduled.reports')}</legend>
        {REPORTS.map((id) => (
          <Checkbox
            key={id}
            isSelected={reports.includes(id)}
            onChange={(isOn) => {
              setReports(isOn ? [...reports, id] : reports.filter((one) => one !== id))
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
        onChange={setEvery}
      />
      <div className="field">
        <span className="react-aria-Label">{t('analytics.scheduled.at')}</span>
        <TimeField label={t('analytics.scheduled.at')} value={at} onChange={setAt} />
      </div>
      <FoundSelect
        kind="colleague"
        label={t('analytics.scheduled.to')}
        hint={t('analytics.scheduled.to-hint')}
        value={null}
        isChoice={({ id }) => !people.includes(id)}
        onChange={(id) => {
          setPeople([...people, id])
        }}
      />
      <ul className="chips-of">
        {people.map((id) => (
          <li key={id} className="chip">
            <Colleague id={id} />
            <RemoveButton
              id={id}
              onRemove={() => {
                setPeople(people.filter((one) => one !== id))
              }}
            />
          </li>
        ))}
      </ul>
      <Switch isSelected={isActive} onChange={setActive}>
        {t('analytics.scheduled.active')}
      </Switch>
    </FormDialog>
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
