import type { ChatbotSettings } from '../../api/shapes'
import { Switch } from '../../parts/choice'
import { NumberField } from '../../parts/field'
import { Section } from '../../parts/page'
import { t } from '../../texts/texts'
import type { BotButton } from './buttons-field'
import { MessageFields } from './message-fields'
import type { PartProps } from './settings-form'

/** Buttons as they are sent: the server gives those without an ID one. */
const asStored = (buttons: BotButton[]): ChatbotSettings['greeting_buttons'] =>
  buttons as ChatbotSettings['greeting_buttons']

/** What a customer hears first. */
export function Greeting({ draft: { value, set } }: PartProps) {
  return (
    <Section title={t('bot.greeting.title')} hint={t('bot.greeting.hint')}>
      <span id="greeting" />
      <MessageFields
        names={{ text: 'greeting_message', buttons: 'greeting_buttons' }}
        labels={{
          text: t('bot.greeting.text'),
          buttons: t('bot.greeting.buttons'),
          preview: t('bot.greeting.preview'),
        }}
        hint={t('bot.text.hint', { variable: '{{ contact_name }}' })}
        text={value.greeting_message}
        buttons={value.greeting_buttons}
        onText={(text) => {
          set({ greeting_message: text, ...(text === null ? { greeting_buttons: [] } : {}) })
        }}
        onButtons={(buttons) => {
          set({ greeting_buttons: asStored(buttons) })
        }}
      />
      {value.greeting_message !== null && (
        <div className="form">
          <NumberField
            name="greeting_every_hours"
            label={t('bot.greeting.every')}
            hint={t('bot.greeting.every-hint')}
            range={[0, 720]}
            value={value.greeting_every_hours}
            onChange={(hours) => {
              set({ greeting_every_hours: hours })
            }}
          />
        </div>
      )}
    </Section>
  )
}

/** What a customer hears when nothing else answers. */
export function Fallback({ draft: { value, set } }: PartProps) {
  return (
    <Section title={t('bot.fallback.title')} hint={t('bot.fallback.hint')}>
      <span id="fallback" />
      <MessageFields
        names={{ text: 'fallback_message', buttons: 'fallback_buttons' }}
        labels={{
          text: t('bot.fallback.text'),
          buttons: t('bot.fallback.buttons'),
          preview: t('bot.fallback.preview'),
        }}
        hint={t('bot.fallback.none')}
        text={value.fallback_message}
        buttons={value.fallback_buttons}
        onText={(text) => {
          set({ fallback_message: text, ...(text === null ? { fallback_buttons: [] } : {}) })
        }}
        onButtons={(buttons) => {
          set({ fallback_buttons: asStored(buttons) })
        }}
      />
      <div className="form">
        <Switch
          isSelected={value.fallback_on_media}
          onChange={(isOn) => {
            set({ fallback_on_media: isOn })
          }}
        >
          {t('bot.fallback.media')}
        </Switch>
        <NumberField
          name="fallback_transfer_after"
          label={t('bot.fallback.after')}
          hint={t('bot.fallback.after-hint')}
          range={[1, 20]}
          value={value.fallback_transfer_after}
          onChange={(turns) => {
            set({ fallback_transfer_after: turns })
          }}
          onClear={() => {
            set({ fallback_transfer_after: null })
          }}
        />
      </div>
    </Section>
  )
}
