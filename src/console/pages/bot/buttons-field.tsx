import type { ChatbotSettings } from '../../api/shapes'
import { useCan } from '../../live/me'
import { Button, IconButton } from '../../parts/button'
import { TextField } from '../../parts/field'
import { FoundSelect } from '../../parts/found-select'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'

/** A button of a message. A new one has no ID yet. */
export type BotButton = Partial<ChatbotSettings['greeting_buttons'][number]> & { title: string }

const TARGETS = ['words', 'rule', 'flow'] as const
type Target = (typeof TARGETS)[number]

/** Longest words on a button, characters. */
const LONGEST = 20
/** Most buttons; more than three become a list. */
const MOST = 10

/** Returns what a button leads to: what is written on it, a rule or a flow. */
function targetOf({ id = '' }: BotButton): { kind: Target; to: string | null } {
  const [, kind, to] = /^(rule|flow):(.*)$/.exec(id) ?? []
  return kind === undefined ? { kind: 'words', to: null } : { kind: kind as Target, to: to || null }
}

interface Props {
  label: string
  /** The path of the buttons in the body. */
  name: string
  buttons: readonly BotButton[]
  onChange: (buttons: BotButton[]) => void
}

/** The buttons below a message of the bot, and what each of them leads to. */
export function ButtonsField({ label, name, buttons, onChange }: Props) {
  const set = (at: number, button: BotButton): void => {
    onChange(buttons.map((one, index) => (index === at ? button : one)))
  }
  return (
    <fieldset className="bot-buttons">
      <legend>{label}</legend>
      {buttons.map((button, at) => (
        <ButtonFields
          key={at}
          {...{ button, at, name }}
          onChange={(changed) => {
            set(at, changed)
          }}
          onRemove={() => {
            onChange(buttons.filter((_, index) => index !== at))
          }}
        />
      ))}
      {buttons.length < MOST && (
        <div>
          <Button
            icon="plus"
            onPress={() => {
              onChange([...buttons, { title: '' }])
            }}
          >
            {t('bot.buttons.add')}
          </Button>
        </div>
      )}
      {buttons.length > 3 && <p className="muted small">{t('bot.buttons.list')}</p>}
    </fieldset>
  )
}

interface ButtonProps {
  button: BotButton
  at: number
  name: string
  onChange: (button: BotButton) => void
  onRemove: () => void
}

function ButtonFields({ button, at, name, onChange, onRemove }: ButtonProps) {
  const { kind, to } = targetOf(button)
  const mayReadFlows = useCan('flows:read')
  return (
    <div className="bot-button" role="group" aria-label={t('bot.buttons.one', { number: at + 1 })}>
      <TextField
        name={`${name}.${at}.title`}
        label={t('bot.buttons.title')}
        value={button.title}
        maxLength={LONGEST}
        isRequired
        onChange={(title) => {
          onChange({ ...button, title })
        }}
      />
      <Select
        label={t('bot.buttons.leads')}
        value={kind}
        choices={TARGETS.filter((one) => one !== 'flow' || mayReadFlows || kind === 'flow').map(
          (id) => ({ id, label: t(`bot.buttons.leads.${id}`) }),
        )}
        onChange={(chosen) => {
          const { title } = button
          onChange(chosen === 'words' ? { title } : { title, id: `${chosen}:` })
        }}
      />
      <IconButton
        icon="trash"
        label={t('bot.buttons.remove', { title: button.title })}
        onPress={onRemove}
      />
      {kind !== 'words' && (
        <FoundSelect
          kind={kind === 'rule' ? 'rule' : 'botFlow'}
          label={t(kind === 'rule' ? 'bot.buttons.rule' : 'bot.buttons.flow')}
          value={to}
          onChange={(id) => {
            onChange({ ...button, id: `${kind}:${id}` })
          }}
        />
      )}
    </div>
  )
}
