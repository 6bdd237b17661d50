import { Switch } from '../../../parts/choice'
import type { Draft } from '../../../parts/draft'
import { NumberField, TextArea } from '../../../parts/field'
import { Section } from '../../../parts/page'
import { t } from '../../../texts/texts'
import type { Values } from './hours'

/** Most minutes of a clock: a week. */
const WEEK = [1, 10_080] as const
const DAY = [1, 1_440] as const

interface PartProps {
  draft: Draft<Values>
}

/** How long a customer may wait for a person after a transfer. */
function Deadlines({ draft: { value, set } }: PartProps) {
  return (
    <Section title={t('settings.sla.title')} hint={t('settings.sla.hint')}>
      <div className="form">
        <Switch
          isSelected={value.sla_enabled}
          onChange={(isOn) => {
            set({ sla_enabled: isOn })
          }}
        >
          {t('settings.sla.enabled')}
        </Switch>
        {value.sla_enabled && (
          <>
            <div className="fields">
              {(['response', 'escalation', 'resolution'] as const).map((kind) => (
                <NumberField
                  key={kind}
                  name={`sla_${kind}_minutes`}
                  label={t(`settings.sla.${kind}`)}
                  range={WEEK}
                  value={value[`sla_${kind}_minutes`]}
                  onChange={(minutes) => {
                    set({ [`sla_${kind}_minutes`]: minutes })
                  }}
                />
              ))}
            </div>
            <Switch
              isSelected={value.sla_business_hours_only}
              onChange={(isOn) => {
                set({ sla_business_hours_only: isOn })
              }}
            >
              {t('settings.sla.hours-only')}
            </Switch>
            <TextArea
              name="sla_warning_message"
              label={t('settings.sla.warning')}
              hint={t('settings.sla.warning-hint')}
              rows={2}
              maxLength={1_024}
              value={value.sla_warning_message ?? ''}
              onChange={(text) => {
                set({ sla_warning_message: text === '' ? null : text })
              }}
            />
          </>
        )}
      </div>
    </Section>
  )
}

/** What happens when a customer does not answer. */
function Silence({ draft: { value, set } }: PartProps) {
  return (
    <Section title={t('settings.silence.title')} hint={t('settings.silence.hint')}>
      <div className="form">
        <Switch
          isSelected={value.client_reminder_enabled}
          onChange={(isOn) => {
            set({
              client_reminder_enabled: isOn,
              ...(isOn ? {} : { client_auto_close_minutes: null }),
            })
          }}
        >
          {t('settings.silence.remind')}
        </Switch>
        {value.client_reminder_enabled && (
          <>
            <div className="fields">
              <NumberField
                name="client_reminder_minutes"
                label={t('settings.silence.remind-after')}
                range={DAY}
                value={value.client_reminder_minutes}
                onChange={(minutes) => {
                  set({ client_reminder_minutes: minutes })
                }}
              />
              <NumberField
                name="client_auto_close_minutes"
                label={t('settings.silence.end-after')}
                hint={t('settings.silence.never')}
                range={[value.client_reminder_minutes + 1, WEEK[1]]}
                value={value.client_auto_close_minutes}
                onChange={(minutes) => {
                  set({ client_auto_close_minutes: minutes })
                }}
                onClear={() => {
                  set({ client_auto_close_minutes: null })
                }}
              />
            </div>
            <TextArea
              name="client_reminder_message"
              label={t('settings.silence.message')}
              rows={2}
              maxLength={1_024}
              value={value.client_reminder_message ?? ''}
              onChange={(text) => {
                set({ client_reminder_message: text === '' ? null : text })
              }}
            />
          </>
        )}
        <NumberField
          name="sla_auto_close_hours"
          label={t('settings.silence.close-after')}
          hint={t('settings.silence.close-hint')}
          range={[1, 720]}
          value={value.sla_auto_close_hours}
          onChange={(hours) => {
            set({ sla_auto_close_hours: hours })
          }}
          onClear={() => {
            set({ sla_auto_close_hours: null })
          }}
        />
      </div>
    </Section>
  )
}

/** What customers who wait or fall silent can rely on. */
export function Promises({ draft }: PartProps) {
  return (
    <>
      <Deadlines draft={draft} />
      <Silence draft={draft} />
    </>
  )
}
