import type { EntryPoints } from '../../../api/shapes'
import { Button, IconButton } from '../../../parts/button'
import { CountedField } from '../../../parts/counted'
import { t } from '../../../texts/texts'
import { MOST } from './entry-values'

/** Texts are counted as the server counts them. */
const measure = (text: string): number => text.length

interface QuestionsProps {
  questions: readonly string[]
  onChange: (questions: string[]) => void
}

/** Questions that a customer taps instead of writing. */
export function Questions({ questions, onChange }: QuestionsProps) {
  return (
    <div className="form">
      {questions.map((question, at) => (
        <div key={at} className="entry-row">
          <CountedField
            name={`ice_breakers.${at}`}
            label={t('number.entry.question', { nth: at + 1 })}
            most={MOST.question}
            measure={measure}
            isRequired
            value={question}
            onChange={(text) => {
              onChange(questions.with(at, text))
            }}
          />
          <IconButton
            icon="trash"
            size={18}
            label={t('number.entry.remove-question', { nth: at + 1 })}
            onPress={() => {
              onChange(questions.toSpliced(at, 1))
            }}
          />
        </div>
      ))}
      {questions.length < MOST.questions && (
        <div>
          <Button
            icon="plus"
            onPress={() => {
              onChange([...questions, ''])
            }}
          >
            {t('number.entry.add-question')}
          </Button>
        </div>
      )}
    </div>
  )
}

type Command = EntryPoints['commands'][number]
interface CommandsProps {
  commands: readonly Command[]
  onChange: (commands: Command[]) => void
}

/** Words that a customer can choose after a slash. */
export function Commands({ commands, onChange }: CommandsProps) {
  return (
    <div className="form">
      {commands.map((command, at) => {
        const change = (changes: Partial<Command>): void => {
          onChange(commands.with(at, { ...command, ...changes }))
        }
        return (
          <div key={at} className="entry-row">
            <div className="fields">
              <CountedField
                name={`commands.${at}.name`}
                label={t('number.entry.command', { nth: at + 1 })}
                most={MOST.command}
                measure={measure}
                isRequired
                value={command.name}
                onChange={(name) => {
                  change({ name: name.replace(/^\//, '') })
                }}
              />
              <CountedField
                name={`commands.${at}.description`}
                label={t('number.entry.explanation', { nth: at + 1 })}
                most={MOST.explanation}
                measure={measure}
                isRequired
                value={command.description}
                onChange={(description) => {
                  change({ description })
                }}
              />
            </div>
            <IconButton
              icon="trash"
              size={18}
              label={t('number.entry.remove-command', { nth: at + 1 })}
              onPress={() => {
                onChange(commands.toSpliced(at, 1))
              }}
            />
          </div>
        )
      })}
      {commands.length < MOST.commands && (
        <div>
          <Button
            icon="plus"
            onPress={() => {
              onChange([...commands, { name: '', description: '' }])
            }}
          >
            {t('number.entry.add-command')}
          </Button>
        </div>
      )}
    </div>
  )
}
