import type { PhoneMessage } from '../../parts/phone/message'
import { PhonePreview } from '../../parts/phone/preview'
import { CountedField } from '../../parts/counted'
import { t } from '../../texts/texts'
import { ButtonsField, type BotButton } from './buttons-field'

/** With more buttons than this they become a list. */
const MOST_BUTTONS = 3
/** Longest message of the settings, characters. */
const LONGEST = 1_024

/** Returns a message of the bot as a customer sees it. */
export const botMessage = (text: string, buttons: readonly BotButton[]): PhoneMessage => ({
  header: null,
  body: text,
  footer: '',
  buttons:
    buttons.length > MOST_BUTTONS
      ? []
      : buttons.map(({ title }) => ({ kind: 'reply' as const, text: title })),
  list:
    buttons.length > MOST_BUTTONS
      ? {
          button: t('bot.buttons.menu'),
          sections: [{ title: '', rows: buttons.map(({ title }) => ({ title, description: '' })) }],
        }
      : null,
})

interface Props {
  /** The paths of text and buttons in the body. */
  names: { text: string; buttons: string }
  labels: { text: string; buttons: string; preview: string }
  hint: string
  text: string | null
  buttons: readonly BotButton[]
  onText: (text: string | null) => void
  onButtons: (buttons: BotButton[]) => void
}

/** A message of the bot with its buttons, and how it looks on the phone. */
export function MessageFields({ names, labels, hint, text, buttons, ...changes }: Props) {
  return (
    <div className="with-phone">
      <div className="form">
        <CountedField
          name={names.text}
          label={labels.text}
          hint={hint}
          most={LONGEST}
          rows={4}
          value={text ?? ''}
          onChange={(written) => {
            changes.onText(written === '' ? null : written)
          }}
        />
        {text !== null && (
          <ButtonsField
            label={labels.buttons}
            name={names.buttons}
            buttons={buttons}
            onChange={changes.onButtons}
          />
        )}
      </div>
      {text !== null && <PhonePreview label={labels.preview} message={botMessage(text, buttons)} />}
    </div>
  )
}
