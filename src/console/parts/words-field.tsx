import { useId, useRef, useState, type ClipboardEvent, type KeyboardEvent } from 'react'

import { t } from '../texts/texts'
import { IconButton } from './button'
import { TextField } from './field'

interface Props {
  label: string
  hint?: string
  /** The path of the list in the body, at which the server reports problems of single words. */
  name: string
  words: readonly string[]
  onChange: (words: string[]) => void
  /** Most words. */
  most: number
  /** Longest word. */
  longest: number
  /** How a word is written. */
  inputMode?: 'text' | 'tel'
  isRequired?: boolean
  /** How a word is shown that was added. */
  show?: (word: string) => string
}

/** Several words or phrases: Enter or a comma adds one, a list that is pasted adds all of its lines. */
export function WordsField({ label, hint, name, words, onChange, most, longest, ...field }: Props) {
  const { show = String } = field
  const [text, setText] = useState('')
  const list = useRef<HTMLUListElement>(null)
  const id = useId()
  const add = (...more: string[]): void => {
    const known = new Set(words)
    const fresh = more.map((word) => word.trim()).filter((word) => word !== '' && !known.has(word))
    if (fresh.length > 0) onChange([...words, ...new Set(fresh)].slice(0, most))
  }
  const take = (): void => {
    add(text)
    setText('')
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if ((event.key !== 'Enter' && event.key !== ',') || event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && text === '') return
    event.preventDefault()
    take()
  }
  const onPaste = (event: ClipboardEvent): void => {
    const lines = event.clipboardData.getData('text').split(/[\n\t]/)
    if (lines.length < 2) return
    event.preventDefault()
    add(...lines.map((line) => line.slice(0, longest)))
  }
  const remove = (at: number): void => {
    onChange(words.filter((_, index) => index !== at))
    // the next one gets the focus, or the field
    setTimeout(() => {
      const buttons = list.current?.querySelectorAll('button') ?? []
      ;(buttons[Math.min(at, buttons.length - 1)] ?? document.getElementById(id))?.focus()
    })
  }
  return (
    <div className="words-field">
      <TextField
        id={id}
        name={name}
        label={label}
        {...(hint === undefined ? {} : { hint })}
        {...(field.inputMode === undefined ? {} : { inputMode: field.inputMode })}
        isRequired={field.isRequired === true && words.length === 0}
        value={text}
        maxLength={longest}
        isDisabled={words.length >= most}
        placeholder={t('parts.words.add')}
        onChange={setText}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        onBlur={take}
      />
      {words.length > 0 && (
        <ul ref={list} className="word-list" aria-label={label}>
          {words.map((word, at) => (
            <li key={word} className="word">
              <bdi>{show(word)}</bdi>
              <IconButton
                icon="close"
                size={14}
                label={t('parts.words.remove', { word: show(word) })}
                onPress={() => {
                  remove(at)
                }}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
