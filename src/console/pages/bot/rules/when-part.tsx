import { Switch } from '../../../parts/choice'
import { DateField } from '../../../parts/date-field'
import { NumberField } from '../../../parts/field'
import { FoundSelect } from '../../../parts/found-select'
import { Section } from '../../../parts/page'
import { TimeField } from '../../../parts/time-field'
import { USUAL_WEEK, Week } from '../../../parts/week'
import { dayOf, momentOf, timeOf } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { PRIORITIES } from './place'
import type { RuleProps } from './words-part'

const EVERY = 'every'

/** A moment by the clock of the organization, or none. */
function Moment({
  label,
  name,
  value,
  onChange,
}: {
  label: string
  name: string
  value: string | null
  onChange: (at: string | null) => void
}) {
  const put = (day: string, time: string): void => {
    onChange(new Date(momentOf(`${day}T${time}:00`)).toISOString())
  }
  return (
    <div className="later">
      <DateField
        label={label}
        name={name}
        value={value === null ? null : dayOf(value)}
        onChange={(day) => {
          put(day, value === null ? '00:00' : timeOf(value))
        }}
        onClear={() => {
          onChange(null)
        }}
      />
      {value !== null && (
        <TimeField
          label={label}
          value={timeOf(value)}
          onChange={(time) => {
            put(dayOf(value), time)
          }}
        />
      )}
    </div>
  )
}

/** When a rule counts: its number, its order among the others, and its times. */
export function When({ draft: { value, set } }: RuleProps) {
  const hasHours = value.active_hours.length > 0
  return (
    <Section title={t('bot.rules.order')} hint={t('bot.rules.order-hint')}>
      <div className="form">
        <Switch
          isSelected={value.enabled}
          onChange={(isOn) => {
            set({ enabled: isOn })
          }}
        >
          {t('bot.rules.enabled')}
        </Switch>
        <PriorityField
          value={value.priority}
          onChange={(priority) => {
            set({ priority })
          }}
        />
        <FoundSelect
          kind="account"
          label={t('bot.rules.number')}
          first={[{ id: EVERY, label: t('bot.rules.any-number') }]}
          value={value.account_id ?? EVERY}
          onChange={(id) => {
            set({ account_id: id === EVERY ? null : id })
          }}
        />
        <Switch
          isSelected={value.interrupts_flow}
          onChange={(isOn) => {
            set({ interrupts_flow: isOn })
          }}
        >
          {t('bot.rules.interrupts')}
        </Switch>
        <Moment
          name="active_from"
          label={t('bot.rules.from')}
          value={value.active_from}
          onChange={(at) => {
            set({ active_from: at })
          }}
        />
        <Moment
          name="active_until"
          label={t('bot.rules.until')}
          value={value.active_until}
          onChange={(at) => {
            set({ active_until: at })
          }}
        />
        <Switch
          isSelected={hasHours}
          onChange={(isOn) => {
            set({ active_hours: isOn ? USUAL_WEEK : [] })
          }}
        >
          {t('bot.rules.hours')}
        </Switch>
      </div>
      {hasHours && (
        <Week
          hours={value.active_hours}
          onChange={(hours) => {
            set({ active_hours: hours })
          }}
        />
      )}
    </Section>
  )
}

/** A priority may be below zero. */
function PriorityField({
  value,
  onChange,
}: {
  value: number
  onChange: (priority: number) => void
}) {
  const [least] = PRIORITIES
  return value < 0 ? (
    <NumberField
      name="priority"
      label={t('bot.rules.below')}
      hint={t('bot.rules.priority-hint')}
      range={[1, -least]}
      value={-value}
      onChange={(number) => {
        onChange(-number)
      }}
      onClear={() => {
        onChange(0)
      }}
    />
  ) : (
    <NumberField
      name="priority"
      label={t('bot.rules.priority')}
      hint={t('bot.rules.priority-hint')}
      range={[0, PRIORITIES[1]]}
      value={value}
      onChange={onChange}
    />
  )
}
