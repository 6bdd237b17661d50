import type { UseQueryResult } from '@tanstack/react-query'

import { useCan, useMe } from '../../live/me'
import { serverNow } from '../../live/server-clock'
import { BudgetField } from '../../parts/budget-field'
import { Checkbox, Switch } from '../../parts/choice'
import { DateField } from '../../parts/date-field'
import type { Draft } from '../../parts/draft'
import { NumberField } from '../../parts/field'
import { TimeField } from '../../parts/time-field'
import { Trouble } from '../../parts/state'
import { dayOf, formatDateTime, formatWeekday, momentOf, timeOf } from '../../texts/format'
import { t } from '../../texts/texts'
import { costOf } from './check'
import type { CampaignForm } from './form'
import type { DryRun } from './use-dry-run'
import { Ways } from './ways'

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
/** The hours that are offered first. */
const USUAL = { from: '09:00', to: '18:00', days: [...DAYS] }
const DAY_MS = 24 * 3_600_000
const FIRST_TIME = '09:00'

interface Props {
  draft: Draft<CampaignForm>
  /** The zone in which its hours are meant. */
  zone: string
  result: UseQueryResult<DryRun>
  /** Whether it is decided what becomes of those who lack a value. */
  isChecked: boolean
}

/** When it begins, at which hours it sends, and how fast. */
export function WhenStep({ draft, zone, result, isChecked }: Props) {
  const { scheduled_at: at, budget } = draft.value
  // without a price a budget would have no effect
  const currency = budget?.currency ?? result.data?.currency ?? null
  const { timezone: own } = useMe().organization.settings
  return (
    <div className="form wizard-form">
      <Ways
        label={t('wizard.when.begin')}
        value={at === null ? 'now' : 'later'}
        ways={(['now', 'later'] as const).map((id) => ({
          id,
          label: t(`wizard.when.${id}`),
          hint: t(`wizard.when.${id}-hint`),
        }))}
        onChange={(way) => {
          draft.set({ scheduled_at: way === 'now' ? null : isoOf(tomorrow(), FIRST_TIME) })
        }}
      />
      {at !== null && <Later draft={draft} at={at} />}
      {at !== null && <p className="muted small">{t('settings.hours.zone', { zone: own })}</p>}
      <Hours draft={draft} zone={zone} />
      <NumberField
        name="rate_limit"
        label={t('wizard.when.rate')}
        hint={t('wizard.when.rate-hint')}
        range={[1, 1_000]}
        value={draft.value.rate_limit}
        onChange={(rate_limit) => {
          draft.set({ rate_limit })
        }}
        onClear={() => {
          draft.set({ rate_limit: null })
        }}
      />
      {currency !== null && (
        <BudgetField
          currency={currency}
          value={budget}
          onChange={(next) => {
            draft.set({ budget: next })
          }}
        />
      )}
      <Summary at={at} result={result} isChecked={isChecked} />
    </div>
  )
}

const tomorrow = (): string => dayOf(serverNow() + DAY_MS)
const isoOf = (day: string, time: string): string =>
  new Date(momentOf(`${day}T${time}:00`)).toISOString()

function Later({ draft, at }: { draft: Draft<CampaignForm>; at: string }) {
  const [day, time] = [dayOf(at), timeOf(at)]
  return (
    <div className="wizard-row">
      <DateField
        name="scheduled_at"
        label={t('inbox.scheduled.day')}
        value={day}
        first={dayOf(serverNow())}
        onChange={(next) => {
          draft.set({ scheduled_at: isoOf(next, time) })
        }}
      />
      <TimeField
        label={t('inbox.scheduled.time')}
        value={time}
        onChange={(next) => {
          draft.set({ scheduled_at: isoOf(day, next) })
        }}
      />
    </div>
  )
}

/** The hours and days on which it sends. */
function Hours({ draft, zone }: Pick<Props, 'draft' | 'zone'>) {
  const hours = draft.value.send_window
  const set = (changes: Partial<typeof USUAL>): void => {
    draft.set({ send_window: { ...USUAL, ...hours, ...changes } })
  }
  return (
    <>
      <Switch
        isSelected={hours !== null}
        onChange={(isOn) => {
          draft.set({ send_window: isOn ? USUAL : null })
        }}
      >
        {t('wizard.when.window')}
      </Switch>
      {hours !== null && (
        <div className="wizard-window" role="group" aria-label={t('wizard.when.window')}>
          <div className="wizard-row">
            <TimeField
              label={t('wizard.when.from')}
              value={hours.from}
              onChange={(from) => {
                set({ from })
              }}
            />
            <TimeField
              label={t('wizard.when.to')}
              value={hours.to}
              onChange={(to) => {
                set({ to })
              }}
            />
          </div>
          <div className="wizard-days">
            {DAYS.map((day, nth) => (
              <Checkbox
                key={day}
                isSelected={hours.days.includes(day)}
                // it sends on one day at least
                isDisabled={hours.days.length === 1 && hours.days.includes(day)}
                onChange={(isOn) => {
                  const days = DAYS.filter((one) => (one === day ? isOn : hours.days.includes(one)))
                  set({ days })
                }}
              >
                {formatWeekday(nth)}
              </Checkbox>
            ))}
          </div>
          <p className="muted small">{t('settings.hours.zone', { zone })}</p>
        </div>
      )}
    </>
  )
}

/** What happens when the last button is pressed, in a sentence. */
function Summary({
  at,
  result: { data },
  isChecked,
}: Pick<Props, 'result' | 'isChecked'> & { at: string | null }) {
  const mayExecute = useCan('campaigns:execute')
  if (!mayExecute) return <p className="muted">{t('wizard.when.may-not')}</p>
  if (!data) return null
  if (!isChecked) return <Trouble>{t('wizard.when.not-checked')}</Trouble>
  return (
    <p className="wizard-summary">
      {at === null
        ? t('wizard.when.sum-now', { count: data.eligible, cost: costOf(data) })
        : t('wizard.when.sum-later', {
            ...{ count: data.eligible, cost: costOf(data), time: formatDateTime(at) },
          })}
    </p>
  )
}
