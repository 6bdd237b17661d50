import { Button, IconButton } from '../../../parts/button'
import { CountedField } from '../../../parts/counted'
import { TextField } from '../../../parts/field'
import { t } from '../../../texts/texts'
import { isObject, objectsIn, textIn, type Node } from '../model/graph'
import { choicesOf, type Choice } from '../model/outcomes'
import { freeChoiceId } from '../model/commands'
import type { FieldAs, FieldProps } from './shape'

/** Most buttons of a message, or rows of a list. */
const MOST = 10

interface ListProps {
  choices: readonly (Choice & { description?: string })[]
  /** The longest title: rows have more room than buttons. */
  longest: number
  path: string
  hasDescription: boolean
  /** Whether another one fits. */
  hasRoom: boolean
  onChange: (choices: ListProps['choices']) => void
  onAdd: () => void
}

/** The buttons or rows from which a customer chooses, in their order. */
function ChoiceList({ choices, path, hasRoom, longest, ...props }: ListProps) {
  const { hasDescription, onChange, onAdd } = props
  return (
    <div className="flow-choices">
      {choices.map((choice, at) => (
        <div key={choice.id} className="flow-choice-row">
          <div className="grow">
            <CountedField
              name={`${path}.${at}.title`}
              label={t('flow.choice', { number: at + 1 })}
              most={longest}
              value={choice.title}
              onChange={(title) => {
                onChange(choices.with(at, { ...choice, title }))
              }}
            />
            {hasDescription && (
              <CountedField
                name={`${path}.${at}.description`}
                label={t('flow.choice-description', { number: at + 1 })}
                most={72}
                value={choice.description ?? ''}
                onChange={(description) => {
                  onChange(choices.with(at, { ...choice, description }))
                }}
              />
            )}
          </div>
          {at > 0 && (
            <IconButton
              icon="up"
              size={16}
              label={t('flow.choice-up', { name: choice.title })}
              onPress={() => {
                const others = choices.toSpliced(at, 1)
                onChange(others.toSpliced(at - 1, 0, choice))
              }}
            />
          )}
          {choices.length > 1 && (
            <IconButton
              icon="close"
              size={16}
              label={t('parts.action.remove', { name: choice.title })}
              onPress={() => {
                onChange(choices.toSpliced(at, 1))
              }}
            />
          )}
        </div>
      ))}
      {hasRoom && (
        <Button look="quiet" icon="plus" onPress={onAdd}>
          {t('flow.choice-add')}
        </Button>
      )}
    </div>
  )
}

/** The setting of the buttons of a message. */
export function ButtonsSetting({ node, config, path, label, hint, onChange }: FieldProps) {
  const buttons = choicesOf(node)
  const set = (next: readonly Choice[]): void => {
    onChange({ buttons: next.map(({ id, title }) => ({ id, title })), ...keptWords(config, next) })
  }
  return (
    <fieldset className="flow-fieldset">
      <legend>{label}</legend>
      {hint !== undefined && <p className="muted small">{hint}</p>}
      <ChoiceList
        choices={buttons}
        longest={20}
        path={path}
        hasDescription={false}
        hasRoom={buttons.length < MOST}
        onChange={set}
        onAdd={() => {
          set([...buttons, { id: freeChoiceId(node), title: '' }])
        }}
      />
    </fieldset>
  )
}

/** Words that count as a choice go with it. */
const keptWords = (
  { synonyms }: Readonly<Record<string, unknown>>,
  choices: readonly Choice[],
): Record<string, unknown> =>
  isObject(synonyms)
    ? {
        synonyms: Object.fromEntries(
          Object.entries(synonyms).filter(([id]) => choices.some((one) => one.id === id)),
        ),
      }
    : {}

/** The setting of the rows of a list, in sections. */
export function SectionsSetting({ node, config, path, label, onChange }: FieldProps) {
  const sections = objectsIn(config['sections'])
  const count = choicesOf(node).length
  const set = (next: readonly Record<string, unknown>[]): void => {
    onChange({ sections: next })
  }
  return (
    <fieldset className="flow-fieldset">
      <legend>{label}</legend>
      {sections.map((section, at) => (
        <div key={at} className="flow-section">
          {sections.length > 1 && (
            <CountedField
              name={`${path}.${at}.title`}
              label={t('flow.section', { number: at + 1 })}
              most={24}
              value={textIn(section['title'])}
              onChange={(title) => {
                set(sections.with(at, { ...section, title }))
              }}
            />
          )}
          <ChoiceList
            choices={rowsOf(section)}
            longest={24}
            path={`${path}.${at}.rows`}
            hasDescription
            hasRoom={count < MOST}
            onChange={(rows) => {
              set(sections.with(at, { ...section, rows: rows.map(written) }))
            }}
            onAdd={() => {
              const rows = [...objectsIn(section['rows']), { id: freeChoiceId(node), title: '' }]
              set(sections.with(at, { ...section, rows }))
            }}
          />
        </div>
      ))}
      {count < MOST && (
        <Button
          look="quiet"
          icon="plus"
          onPress={() => {
            set([...sections, { title: '', rows: [{ id: freeChoiceId(node), title: '' }] }])
          }}
        >
          {t('flow.section-add')}
        </Button>
      )}
    </fieldset>
  )
}

const rowsOf = (section: Record<string, unknown>): ListProps['choices'] =>
  objectsIn(section['rows']).map(({ id, title, description }) => ({
    ...{ id: textIn(id), title: textIn(title) },
    description: textIn(description),
  }))

const written = ({ id, title, description = '' }: ListProps['choices'][number]) => ({
  ...{ id, title },
  ...(description === '' ? {} : { description }),
})

const wordsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

/** Reads words that stand between commas. */
export const splitWords = (text: string): string[] =>
  text
    .split(/[,،;\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== '')

/** The setting of the words that count as a tap on a button or row. */
export function SynonymsSetting({ node, config, path, onChange }: FieldProps<FieldAs<'synonyms'>>) {
  const synonyms = isObject(config['synonyms']) ? config['synonyms'] : {}
  const choices = choicesOf(node as Node)
  if (choices.length === 0) return null
  return (
    <fieldset className="flow-fieldset">
      <legend>{t('flow.synonyms')}</legend>
      <p className="muted small">{t('flow.synonyms-hint')}</p>
      {choices.map(({ id, title }) => (
        <TextField
          key={id}
          name={`${path}.${id}`}
          label={title === '' ? t('flow.outcome.untitled') : title}
          defaultValue={wordsIn(synonyms[id]).join(', ')}
          onChange={(text) => {
            const words = splitWords(text)
            const next = Object.fromEntries(
              Object.entries({ ...synonyms, [id]: words }).filter(
                ([, one]) => wordsIn(one).length > 0,
              ),
            )
            onChange({ synonyms: Object.keys(next).length === 0 ? undefined : next })
          }}
        />
      ))}
    </fieldset>
  )
}
