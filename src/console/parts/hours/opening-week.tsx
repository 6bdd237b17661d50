import type { ChatbotSettings } from '../../api/shapes'
import { t } from '../../texts/texts'
import { Switch } from '../choice'
import { TextArea } from '../field'
import { Section } from '../page'
import { USUAL_WEEK, Week } from '../week'
import { Holidays } from './holidays'

/** Settings of the organization, or of one phone number, while they are changed. */
interface Props {
  draft: { value: ChatbotSettings; set: (changes: Partial<ChatbotSettings>) => void }
}

/** Whether there are opening hours, and the week. */
export function OpeningWeek({ draft: { value, set } }: Props) {
  const isOn = value.business_hours_enabled
  return (
    <>
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
    </>
  )
}

/** The dates with hours of their own, and what customers hear who write outside the hours. */
export function ClosedDays({ draft: { value, set } }: Props) {
  return (
    <>
      <Section title={t('settings.hours.holidays')} hint={t('settings.hours.holidays-hint')}>
        <Holidays
          holidays={value.holidays}
          onChange={(holidays) => {
            set({ holidays })
          }}
        />
      </Section>
      <Section title={t('settings.hours.closed-text')} hint={t('settings.hours.closed-text-hint')}>
        <div className="form">
          <Switch
            isSelected={value.out_of_hours_notice}
            onChange={(isOn) => {
              set({ out_of_hours_notice: isOn })
            }}
          >
            {t('settings.hours.tell')}
          </Switch>
          {value.out_of_hours_notice && (
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
    </>
  )
}
