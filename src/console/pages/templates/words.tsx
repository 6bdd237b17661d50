import { useRef } from 'react'

import { Button, IconButton } from '../../parts/button'
import { counted, lengthOf } from '../../parts/counted'
import { TextArea, TextField } from '../../parts/field'
import { Menu, MenuItem } from '../../parts/menu'
import { t } from '../../texts/texts'
import { variablesIn, type Samples } from './form'

interface Props {
  /** Its path in the body, at which the server reports problems. */
  name: string
  label: string
  /** The longest text. */
  most: number
  value: string
  onChange: (value: string) => void
  hint?: string
  rows?: number
}

/** The marks of WhatsApp around words. */
const MARKS = [
  ['bold', '*'],
  ['italic', '_'],
  ['struck', '~'],
  ['code', '```'],
] as const

/** Names that a variable often has. */
const NAMES = ['name', 'order_number', 'date', 'amount'] as const

interface WordsProps extends Props {
  samples: Samples
  onSamples: (samples: Samples) => void
  /** Whether words can be marked, as in a body but not in a header. */
  hasMarks?: boolean
}

/** A text with variables, and an example for each of them. */
export function Words({ samples, onSamples, hasMarks = true, ...field }: WordsProps) {
  const box = useRef<HTMLDivElement>(null)
  const names = variablesIn(field.value)
  /** Puts marks around what is selected, or a variable in its place. */
  const put = (before: string, after = ''): void => {
    const area = box.current?.querySelector<HTMLInputElement>('textarea, input')
    if (!area) return
    const { selectionStart: start, selectionEnd: end } = area
    const [from, to] = [start ?? field.value.length, end ?? field.value.length]
    const chosen = field.value.slice(from, to)
    field.onChange(field.value.slice(0, from) + before + chosen + after + field.value.slice(to))
    requestAnimationFrame(() => {
      area.focus()
      area.setSelectionRange(from + before.length, from + before.length + chosen.length)
    })
  }
  const hint = counted(field)
  // said only when it is: `false` would hide what the server says about the field
  const tooLong = lengthOf(field.value) > field.most ? { isInvalid: true } : {}
  const { most: _most, rows, hint: _hint, ...props } = field
  return (
    <div className="words" ref={box}>
      {hasMarks ? (
        <TextArea {...props} hint={hint} {...tooLong} rows={rows ?? 6} />
      ) : (
        <TextField {...props} hint={hint} {...tooLong} />
      )}
      <Tools names={names} hasMarks={hasMarks} onPut={put} />
      {names.length > 0 && (
        <div className="fields">
          {names.map((name) => (
            <TextField
              key={name}
              // the server reports all examples that lack at one place
              name={samples[name] ? '' : `${field.name.replace(/\.text$/, '')}.example`}
              label={t('templates.example', { name: `{{${name}}}` })}
              value={samples[name] ?? ''}
              onChange={(value) => {
                onSamples({ ...samples, [name]: value })
              }}
            />
          ))}
        </div>
      )}
    </div>
  )
}

interface ToolsProps {
  /** The variables that there are. */
  names: readonly string[]
  hasMarks: boolean
  /** Puts something before and behind what is selected. */
  onPut: (before: string, after?: string) => void
}

/** Buttons that mark words or put in a variable: the next number, or a name. */
function Tools({ names, hasMarks, onPut }: ToolsProps) {
  const areNamed = names.some((name) => !/^\d+$/.test(name))
  const next = `{{${names.length + 1}}}`
  return (
    <div className="words-tools">
      {hasMarks &&
        MARKS.map(([mark, sign]) => (
          <Button
            key={mark}
            look="quiet"
            aria-label={t(`templates.mark.${mark}`)}
            onPress={() => {
              onPut(sign, sign)
            }}
          >
            <span className={`mark-${mark}`}>{t(`templates.mark-sign.${mark}`)}</span>
          </Button>
        ))}
      <Menu
        label={t('templates.variable')}
        placement="bottom start"
        button={
          <Button look="quiet" icon="plus">
            {t('templates.variable')}
          </Button>
        }
      >
        {!areNamed && (
          <MenuItem
            label={t('templates.variable-number', { number: names.length + 1 })}
            detail={next}
            onAction={() => {
              onPut(next)
            }}
          />
        )}
        {(areNamed || names.length === 0) &&
          NAMES.filter((name) => !names.includes(name)).map((name) => (
            <MenuItem
              key={name}
              label={t(`templates.variable-name.${name}`)}
              detail={`{{${name}}}`}
              onAction={() => {
                onPut(`{{${name}}}`)
              }}
            />
          ))}
      </Menu>
    </div>
  )
}

/** A button to remove a part of a template. */
export const Remove = ({ label, onPress }: { label: string; onPress: () => void }) => (
  <IconButton icon="trash" size={18} label={label} onPress={onPress} />
)
